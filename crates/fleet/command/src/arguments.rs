//! The options. The documentation of an option is its help text; a type has none, since it would replace its command's.

mod fleet;
mod policy;
mod sim;
mod sim_contest;
mod sim_import;

pub use fleet::*;
pub use policy::{CheckPolicyArguments, PolicyCommand};
pub use sim::*;
pub use sim_contest::{SimContestArguments, SimRightSizeArguments};
pub use sim_import::*;
