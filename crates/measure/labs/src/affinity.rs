//! A sender and a receiver of UDP multicast on the loopback interface, with and without pinning.
//!
//! [`peer`] is either of the two programs, [`measure`] runs both once and observes their threads, and [`explain`] finds
//! out from the numbers what made the difference.

mod explain;
mod measure;
pub mod peer;
mod threads;

pub use explain::{ArmSeries, Explained, explain};
pub use measure::{Arm, RunOfPair, measure};
pub use threads::Interval;
