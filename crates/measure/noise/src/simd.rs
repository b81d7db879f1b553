//! One iteration of a row of nodes, in vector instructions: the only `unsafe` of this crate.
//!
//! The kernel is written once over [`lanes::Lanes`]; AVX-512, AVX2 and plain numbers give the same bytes.

mod kernel;
mod lanes;
mod stepper;

pub(crate) use kernel::SEES_MAX;
pub use kernel::{Rows, Run};
pub use model::Instructions;
pub use stepper::Stepper;
pub(crate) use stepper::soon_count;
