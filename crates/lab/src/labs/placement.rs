//! The same two threads, placed near to each other and far away.
//!
//! [`places`] says which placements a machine has, [`Work`] what the threads do, and [`measure`] does it once.

mod measure;
mod places;
mod work;

pub use measure::{Outcome, measure};
pub use places::{PlaceKind, Placement, places};
pub use work::Work;
