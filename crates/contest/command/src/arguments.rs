//! The options. The documentation of an option is its help text; a type has none, since it would replace its command's.

mod attach;
mod client;
mod contest;
mod judgehost;
mod judging;
mod problem;
mod saved;
mod serve;
mod server;
mod statement;
mod submission;
mod team;
mod user;

pub use attach::AttachArguments;
pub use client::{LOGIN_EXAMPLES, LoginArguments, LogoutArguments, OnServer};
pub use contest::*;
pub use judgehost::{JUDGEHOST_EXAMPLES, JudgehostArguments};
pub use judging::{
    JudgingCommand, MachineNameArguments, PoolNameArguments, ResumeArguments, TakeOutArguments,
};
pub use problem::{AddProblemArguments, FirstLanguage, NewProblemArguments, ProblemCommand, VerifyArguments};
pub use saved::{MossArguments, ProblemFileArguments, SavedArguments};
pub use serve::{Judgehosts, LogFormat, MetricsPlace, SERVE_EXAMPLES, ServeArguments};
pub use server::*;
pub use statement::StatementArguments;
pub use submission::*;
pub use team::*;
pub use user::*;
