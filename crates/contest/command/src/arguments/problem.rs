//! Arguments of `tauto problem`.

use super::client::OnServer;
use super::saved::ProblemFileArguments;
use super::statement::{STATEMENT_EXAMPLES, StatementArguments};
use super::team::NameArguments;
use clap::{Args, Subcommand, ValueEnum};
use host_command::arguments::LeaseArguments;
use model::ScoreRules;
use std::path::PathBuf;

const NEW_EXAMPLES: &str = "\
Exit code: 0, or 2 if the folder exists or the name is no id.

Examples:
  tauto problem new apples
  tauto problem new apples --lang cpp --title \"Counting Apples\"
  tauto problem verify apples";

const VERIFY_EXAMPLES: &str = "\
Checks names and formats, runs the input validators on all data and the output validator on all answers, judges the \
jury's submissions, and compares verdicts with what is expected and times with the limit. One table at the end, as of \
'tauto judge'.

Exit code: 0 if all is well, 1 if not, 2 wrong usage or package, 3 if there was any judging error.

Examples:
  tauto problem verify apples
  tauto problem verify apples.zip --strict
  tauto problem verify apples --fast";

const ADD_EXAMPLES: &str = "\
A folder is packed as a zip. An upload that was cut goes on where it ended when the command is repeated. Statements in Markdown \
and LaTeX become HTML and PDF on a judgehost of the contest's pool, as soon as it has nothing to judge; --wait shows how that ends.

Exit code: 0, or 2 if the server refuses it, or with --wait if a statement could not be made; 3 internal or system error.

Examples:
  tauto problem add apples --contest spring --label A
  tauto problem add apples --contest spring --wait
  tauto problem add apples.zip --contest spring --color red --rgb '#FF0000'";

/// What to do with a problem package.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ProblemCommand {
    /// Make the folder of a new package that can be verified at once
    #[command(after_help = NEW_EXAMPLES)]
    New(NewProblemArguments),
    /// Check a package: formats, data, answers, and the jury's submissions
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArguments),
    /// Upload a package and add it to a contest
    #[command(after_help = ADD_EXAMPLES)]
    Add(AddProblemArguments),
    /// List the problems of a contest
    List(OnServer),
    /// Remove a problem of a contest
    Remove(NameArguments),
    /// Make the statement of a package as PDF or HTML, or save one that a server has
    #[command(after_help = STATEMENT_EXAMPLES)]
    Statement(StatementArguments),
    /// Save a problem's samples as a ZIP archive
    Samples(ProblemFileArguments),
    /// Save a problem's package
    Package(ProblemFileArguments),
}

#[derive(Debug, Args)]
pub struct NewProblemArguments {
    /// Its name, which is also its folder: small letters and digits; or the path of the folder
    pub name: String,
    /// Its title; by default the name
    #[arg(long)]
    pub title: Option<String>,
    /// Language of the first solution
    #[arg(long = "lang", value_enum, default_value = "python")]
    pub language: FirstLanguage,
    /// Folder in which the package's folder is made
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}

/// The language of a first solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FirstLanguage {
    /// C++
    Cpp,
    /// Python 3
    Python,
}

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// Problem package: a folder or a ZIP archive
    pub package: PathBuf,
    /// Take warnings as failures
    #[arg(long)]
    pub strict: bool,
    /// Run each case once, in a hurry
    #[arg(long)]
    pub fast: bool,
    /// Rules by which points are computed: format or domjudge, as of 'tauto judge'
    #[arg(long, value_name = "RULES")]
    pub scores: Option<ScoreRules>,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: LeaseArguments,
}

#[derive(Debug, Args)]
pub struct AddProblemArguments {
    /// Problem package: a folder or a ZIP archive
    pub package: PathBuf,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
    /// Its letter; by default the next free one
    #[arg(long)]
    pub label: Option<String>,
    /// Its id in the contest; by default the name of the folder
    #[arg(long)]
    pub id: Option<String>,
    /// Name of its balloon's colour
    #[arg(long)]
    pub color: Option<String>,
    /// Its balloon's colour, such as '#AC00FF'
    #[arg(long)]
    pub rgb: Option<String>,
    /// Wait until a judgehost has made its statements, at most 10 minutes, and print what is wrong in them
    #[arg(long, conflicts_with = "dry_run")]
    pub wait: bool,
    /// Check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Rules by which points are computed: format or domjudge, as of 'tauto judge'
    #[arg(long, value_name = "RULES")]
    pub scores: Option<ScoreRules>,
}
