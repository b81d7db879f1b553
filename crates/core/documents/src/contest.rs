//! What the contest server's HTTP API takes and returns. Where the CLICS Contest API 2026-01 has the thing, its names and
//! shapes; the rest is ours.

mod analysis;
mod board;
mod clarifications;
mod commentary;
mod contests;
mod domjudge;
mod events;
mod files;
mod login;
mod message;
mod problems;
mod staff;
mod stream;
mod submissions;
mod time;

pub use analysis::*;
pub use board::*;
pub use clarifications::*;
pub use commentary::*;
pub(crate) use contests::present;
pub use contests::*;
pub use domjudge::*;
pub use events::*;
pub use files::*;
pub use login::*;
pub use message::*;
pub use problems::*;
pub use staff::*;
pub use stream::*;
pub use submissions::*;
pub use time::{RelTime, Time};

pub use crate::objects::{
    Account, AccountPatch, AccountType, Contest, ContestFile, CountedScore, Credential, Credentials,
    Feedback, Group, JudgingMode, Language, LanguageCommand, Location, Medals, NewAccount, NewCredentials,
    NewProblem, Organization, Person, PersonRole, Problem, ProblemPatch, ProblemState, Registration,
    RegistrationMode, RemovedTime, ScoreboardType, Seat, SendLimits, Sex, StatementProgress, StatementState,
    Team, WhichAccounts,
};
