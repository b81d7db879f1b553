//! The same two threads, placed close together and far apart.
//!
//! [`places`] lists the placements of a machine, [`Work`] the threads' tasks, and [`measure`] executes one once.

mod measure;
mod places;
mod work;

pub use measure::{Outcome, measure};
pub use places::{PlaceKind, Placement, places};
pub use work::Work;
