//! Arguments of `tauto judging`.

use super::client::OnServer;
use clap::{Args, Subcommand};

const TAKE_OUT_EXAMPLES: &str = "\
What the machine judges is given to others at once, and it ends; it stays out, also when it is started again, until \
'tauto judging take-in'. With --drain it first ends what it judges, and may come back when it is started again.

Exit code: 0, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto judging take-out host2 --reason 'its fan is broken'
  tauto judging take-out host2 --reason 'new compilers' --drain";

const FORGET_EXAMPLES: &str = "\
All machines of a pool are alike, and the first one decides what they have in common. After an upgrade of compilers or \
kernels on all of them, a pool that was forgotten takes what the next machine has.

Exit code: 0, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto judging forget strict";

/// What to do with those that judge.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum JudgingCommand {
    /// Show pools, machines, what waits, and what is not judged for now
    Status(OnServer),
    /// Show all that is known about one machine
    Show(MachineNameArguments),
    /// Take a machine out
    #[command(after_help = TAKE_OUT_EXAMPLES)]
    TakeOut(TakeOutArguments),
    /// Take a machine back in
    TakeIn(MachineNameArguments),
    /// Remove a machine that has no work from the list
    Remove(MachineNameArguments),
    /// Let be judged again what failures have paused
    Resume(ResumeArguments),
    /// Forget what the machines of a pool have in common; the next one that joins decides
    #[command(after_help = FORGET_EXAMPLES)]
    Forget(PoolNameArguments),
}

// A machine's name.
#[derive(Debug, Args)]
pub struct MachineNameArguments {
    /// The machine
    pub machine: String,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

// A pool's name.
#[derive(Debug, Args)]
pub struct PoolNameArguments {
    /// The pool
    pub pool: String,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct TakeOutArguments {
    /// The machine
    pub machine: String,
    /// Why; it is shown with the machine, and is in the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Let it end what it judges, and come back when it is started again
    #[arg(long)]
    pub drain: bool,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// Only packages whose hash begins with this
    #[arg(long, value_name = "HASH")]
    pub package: Option<String>,
    /// Only languages on this machine
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}
