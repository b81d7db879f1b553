//! Documents of `tauto noise`.

mod check;
mod compare;
mod exchange;
mod predict;
mod probe;
mod report;
mod sources;

pub use check::*;
pub use compare::*;
pub use exchange::*;
pub use predict::*;
pub use probe::*;
pub use report::*;
pub use sources::*;
