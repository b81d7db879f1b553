//! Arguments of `tauto sim`.

use super::sim_contest::{CONTEST_EXAMPLES, RIGHT_SIZE_EXAMPLES, SimContestArguments, SimRightSizeArguments};
use clap::Subcommand;

/// What to simulate.
#[derive(Debug, Subcommand)]
pub enum SimCommand {
    /// Simulate a contest: how long verdicts take, which are wrong, and how many judgehosts it needs
    #[command(after_help = CONTEST_EXAMPLES)]
    Contest(SimContestArguments),
    /// Find how many CPUs a service needs under a quota and in a cpuset
    #[command(after_help = RIGHT_SIZE_EXAMPLES)]
    RightSize(SimRightSizeArguments),
}
