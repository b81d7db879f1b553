//! Arguments of `tauto submission`.

use super::client::OnServer;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const OVERRIDE_EXAMPLES: &str = "\
The verdict counts instead of what was judged, until it is undone; the judgement stays. It is in the audit log.

Exit code: 0, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto submission override 17 --verdict WA --reason 'it answers from a table'
  tauto submission override 17 --undo --reason 'the table is allowed'";

/// What to do with a submission.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SubmissionCommand {
    /// Show a submission and its judgements
    Show(SubmissionNameArguments),
    /// Write a submission's files into a ZIP archive
    Source(SubmissionFileArguments),
    /// Write the record of the judgement that counts, which 'tauto judge --verify' checks
    Evidence(SubmissionFileArguments),
    /// Save all about a submission as a ZIP archive, with how to judge it again
    Debug(DebugArguments),
    /// Judge a submission that is not judged automatically
    Judge(SubmissionNameArguments),
    /// Let a submission count no more
    Ignore(SubmissionReasonArguments),
    /// Let an ignored submission count again
    Count(SubmissionReasonArguments),
    /// Set a verdict by hand, or undo that
    #[command(after_help = OVERRIDE_EXAMPLES)]
    Override(OverrideArguments),
    /// Confirm the judgement that counts, as a second person
    Verify(VerifyJudgementArguments),
}

// A submission's id.
#[derive(Debug, Args)]
pub struct SubmissionNameArguments {
    /// The submission: its number
    #[arg(value_name = "ID")]
    pub id: String,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

// What is written where.
#[derive(Debug, Args)]
pub struct SubmissionFileArguments {
    /// The submission
    #[command(flatten)]
    pub submission: SubmissionNameArguments,
    /// The new file; by default named after the submission
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DebugArguments {
    /// The submission
    #[command(flatten)]
    pub submission: SubmissionNameArguments,
    /// The new file; by default named after the submission
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// With the problem's package
    #[arg(long)]
    pub package: bool,
}

// What changes a submission, and why.
#[derive(Debug, Args)]
pub struct SubmissionReasonArguments {
    /// The submission
    #[command(flatten)]
    pub submission: SubmissionNameArguments,
    /// Why; it goes into the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

#[derive(Debug, Args)]
pub struct OverrideArguments {
    /// The submission, and why
    #[command(flatten)]
    pub because: SubmissionReasonArguments,
    /// The verdict, such as AC or WA
    #[arg(long, value_name = "ID", required_unless_present = "undo")]
    pub verdict: Option<String>,
    /// The score, in a contest with points
    #[arg(long, value_name = "POINTS", requires = "verdict")]
    pub score: Option<f64>,
    /// Let count what was judged
    #[arg(long, conflicts_with = "verdict")]
    pub undo: bool,
}

#[derive(Debug, Args)]
pub struct VerifyJudgementArguments {
    /// The submission
    #[command(flatten)]
    pub submission: SubmissionNameArguments,
    /// What was noticed
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub comment: String,
}
