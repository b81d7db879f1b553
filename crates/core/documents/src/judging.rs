//! Documents of judging: submissions, their records, and the result of verifying one.

pub(crate) mod judge;
mod languages;
mod record;
mod time_limit;
mod verification;

pub use judge::*;
pub use languages::*;
pub use record::*;
pub use time_limit::*;
pub use verification::*;
