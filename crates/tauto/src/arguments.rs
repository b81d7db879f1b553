//! The command line.

mod internal;

pub use internal::InternalCommand;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use contest_command::arguments::*;
use fleet_command::arguments::{FleetCommand, PolicyCommand, SimCommand};
use host_command::arguments::MachineCommand;
use judging_command::arguments::{ImageCommand, JUDGE_EXAMPLES, JudgeArguments, LanguagesArguments};
use measure_command::arguments::{
    BENCH_EXAMPLES, BenchArguments, LAB_EXAMPLES, LabCommand, NoiseCommand, RUN_EXAMPLES, RunArguments,
};
use std::ffi::OsString;
use std::path::PathBuf;
use stream_command::arguments::StreamCommand;

/// Text below the help of the whole program.
const EXIT_CODES: &str = "\
Exit codes:
  0  success: the program exited 0 within its limits, every verdict is as expected
  1  otherwise
  2  wrong usage or input: an option, a package, a path
  3  internal or system error: nothing is known about the program
  128 + N  ended by signal N, such as 130 after Ctrl-C

Examples:
  tauto run --cpu 2s --memory 256MiB -- ./a.out < input.txt
  tauto judge problems/different
  tauto judge problems/different my-solution.cpp
  sudo tauto doctor";

/// Runs code in a sandbox so that the same code takes the same time
#[derive(Debug, Parser)]
#[command(name = "tauto", version, after_help = EXIT_CODES, max_term_width = 110)]
pub struct Arguments {
    /// Print one JSON document instead of text for people
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no progress, only the result
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The command line of `tauto run` without the definitions of all other commands, which take longer to
/// make than the arguments take to read.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
pub struct RunAlone {
    /// As for all commands.
    #[arg(long)]
    pub json: bool,
    /// As for all commands.
    #[arg(long, short)]
    pub quiet: bool,
    /// As for the command.
    #[command(flatten)]
    pub run: RunArguments,
}

impl RunAlone {
    /// Reads a command line that begins with `run`; none where it has a mistake or asks for help, which
    /// [`Arguments`] has the words for.
    pub fn read() -> Option<Self> {
        Self::try_parse_from(std::env::args_os().skip(1)).ok()
    }
}

/// What to do. The arguments of a command are defined when it is called (`defer`); a doc comment of their type would then replace the
/// text that stands here, so those have plain comments.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Run any command under limits, isolated and measured
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArguments>),
    /// Run a command repeatedly, and report its times, their variance and its causes
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArguments>),
    /// Repeat an experiment of the source articles and write a report
    #[command(subcommand, after_help = LAB_EXAMPLES)]
    Lab(LabCommand),
    /// Live stream contests: serve one, practise, solve, compare solvers
    #[command(subcommand)]
    Stream(StreamCommand),
    /// Judge submissions against a problem package
    #[command(after_help = JUDGE_EXAMPLES)]
    Judge(Box<JudgeArguments>),
    /// Make, check and publish problem packages
    #[command(subcommand)]
    Problem(ProblemCommand),
    /// Run a contest: create, import, check, start, freeze, finalize, scoreboard
    #[command(subcommand)]
    Contest(ContestCommand),
    /// Add teams to a contest
    #[command(subcommand)]
    Team(TeamCommand),
    /// Add organizations to a contest
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Add persons to a contest
    #[command(subcommand)]
    Person(PersonCommand),
    /// Add accounts, and change their passwords and tokens
    #[command(subcommand)]
    User(UserCommand),
    /// Log in to a contest server, for the commands that follow
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(LoginArguments),
    /// Log out of a contest server: end the token of the login, and forget it
    Logout(LogoutArguments),
    /// Submit a program to a contest
    #[command(after_help = SUBMIT_EXAMPLES)]
    Submit(SubmitArguments),
    /// List the submissions of a contest
    Submissions(SubmissionsArguments),
    /// Show a submission, and as the jury: ignore it, set its verdict, verify it
    #[command(subcommand)]
    Submission(SubmissionCommand),
    /// Judge submissions of a contest again, and see what would change before it counts
    #[command(after_help = REJUDGE_EXAMPLES)]
    Rejudge(RejudgeArguments),
    /// Read, send and answer clarifications
    #[command(subcommand)]
    Clarification(ClarificationCommand),
    /// Search the log of operations on a contest server
    Audit(AuditLogArguments),
    /// See what judges for a contest server, take machines out and back in, and let paused judging go on
    #[command(subcommand)]
    Judging(JudgingCommand),
    /// Serve contests by HTTP, with a judgehost on the same machine
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArguments),
    /// Back up the data of a contest server, and restore it
    #[command(subcommand)]
    Server(ServerCommand),
    /// Judge submissions of a contest server
    #[command(after_help = JUDGEHOST_EXAMPLES)]
    Judgehost(Box<JudgehostArguments>),
    /// List the languages and which of them are installed
    Languages(LanguagesArguments),
    /// Toolchain images: the same compilers on every machine, by a digest
    #[command(subcommand)]
    Image(ImageCommand),
    /// Report what works on this machine, what causes timing variance, and how to fix it
    ///
    /// Exit code: 1 if anything fails, else 0.
    Doctor,
    /// Inspect this machine, change settings that cause timing variance, and restore them
    #[command(subcommand)]
    Machine(MachineCommand),
    /// Measure, explain and predict the time that the machine takes from programs
    #[command(subcommand)]
    Noise(NoiseCommand),
    /// Pools of judgehosts on Kubernetes: see them, drain and calibrate machines, run the operator that keeps them
    #[command(subcommand)]
    Fleet(FleetCommand),
    /// Explain which host of a fleet a job gets, and check files that decide it
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Fleets in virtual time: run a trace under a policy, compare policies, explain decisions
    #[command(subcommand)]
    Sim(SimCommand),
    /// Print the completions for a shell
    ///
    /// Example: tauto completions bash > /etc/bash_completion.d/tauto
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    ///
    /// Without a folder the main page is printed: tauto man | man -l -
    Man {
        /// Folder that gets one page for each command
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// List the schemas of JSON documents, print one, or write all
    ///
    /// Example: tauto schema judge > judge.schema.json
    Schema {
        /// The document, such as judge or judge/1
        document: Option<String>,
        /// Write all schemas into this folder
        #[arg(long, value_name = "DIR", conflicts_with = "document")]
        all: Option<PathBuf>,
    },
    /// What this program needs of itself, and benchmarks of this project need
    #[command(subcommand, hide = true)]
    Internal(InternalCommand),
}

/// Reads the command line. A negative value, such as `-1:15:00`, looks like options: where it is none, it is read as a value.
pub fn read(arguments: impl Iterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let arguments: Vec<OsString> = with_mpi_spelling(arguments).collect();
    let error = match Arguments::try_parse_from(&arguments) {
        Err(error) if error.kind() == ErrorKind::UnknownArgument => error,
        other => return other,
    };
    let readings = with_negative_value(&arguments).into_iter().map(Arguments::try_parse_from);
    let is_meant = |read: &Result<_, clap::Error>| {
        read.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::ValueValidation)
    };
    readings.into_iter().find(is_meant).unwrap_or(Err(error))
}

/// Returns how else a command line with a negative number can be read: as the value of the option before it, or as an
/// argument.
fn with_negative_value(arguments: &[OsString]) -> Vec<Vec<OsString>> {
    let is_negative = |argument: &OsString| matches!(argument.as_encoded_bytes(), [b'-', digit, ..] if digit.is_ascii_digit());
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let Some(at) = arguments[..end].iter().position(is_negative).filter(|at| *at > 0) else {
        return Vec::new();
    };
    let mut as_value = arguments.to_vec();
    let value = as_value.remove(at);
    let mut as_argument = as_value.clone();
    let mut readings = Vec::new();
    if arguments[at - 1].as_encoded_bytes().starts_with(b"-") {
        as_value[at - 1].push("=");
        as_value[at - 1].push(&value);
        readings.push(as_value);
    }
    if end == arguments.len() {
        as_argument.extend(["--".into(), value]);
        readings.push(as_argument);
    }
    readings
}

/// Returns the definitions of the arguments, for what is generated from them; those of a command are not there before it is
/// built.
pub fn definitions() -> clap::Command {
    Arguments::command()
}

/// Lets the number of ranks be written as MPI users do: -np 4.
fn with_mpi_spelling(arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut is_noise = false;
    arguments.enumerate().map(move |(at, argument)| {
        is_noise |= at == 1 && argument == "noise";
        if is_noise && argument == "-np" { "--np".into() } else { argument }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_negative_number_is_a_value() {
        let read = |line: &str| super::read(line.split(' ').map(OsString::from));
        for line in [
            "tauto contest extend -1:15:00",
            "tauto contest extend -10 --contest spring",
            "tauto --json contest extend -10",
            "tauto contest extend --json -10",
        ] {
            let command = read(line).unwrap().command;
            assert!(
                matches!(command, Command::Contest(ContestCommand::Extend(extend)) if extend.by.0 < 0),
                "{line}"
            );
        }
        let refused = |line: &str| read(line).unwrap_err().to_string();
        assert!(refused("tauto run --cpu -1s -- true").contains("invalid value '-1s' for '--cpu <TIME>'"));
        assert!(refused("tauto contest freeze -1").contains("unexpected argument '-1'"));
    }
}
