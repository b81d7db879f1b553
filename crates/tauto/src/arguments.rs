//! The command line.

mod allocate;
mod attach;
mod audit;
mod bench;
mod client;
mod contest;
mod internal;
mod judge;
mod judgehost;
mod judging;
mod lab;
mod lease;
mod machine;
mod noise;
mod policy;
mod problem;
mod saved;
mod serve;
mod server;
mod sim;
mod sim_contest;
mod sim_import;
mod statement;
mod stream;
mod submission;
mod team;
mod user;

pub use self::noise::{
    NoiseCommand, PredictArguments, PredictEnds, PredictPhases, PredictReported, PredictStencil,
    PredictWindow,
};
pub use allocate::{AllocateArguments, AllocateClass, AllocateSiblings};
pub use attach::AttachArguments;
pub use audit::AuditArguments;
pub use bench::{BenchArguments, LoadCpus, RunCount, SortChoice};
pub use client::{LoginArguments, LogoutArguments, OnServer};
pub use contest::*;
pub use internal::InternalCommand;
pub use judge::{CheckerProtocol, JudgeArguments, OverLimit};
pub use judgehost::JudgehostArguments;
pub use judging::{
    JudgingCommand, MachineNameArguments, PoolNameArguments, ResumeArguments, TakeOutArguments,
};
pub use lab::{
    AffinityArguments, LabArguments, LabCommand, LoadOn, NoiseLabArguments, PeerArguments,
    PlacementArguments, ServerArguments, SharingArguments, SieveArguments, StabilityArguments,
    ThrottlingArguments,
};
pub use lease::{LeaseArguments, NoiseLeaseArguments, WaitArguments};
pub use machine::{CheckArguments, MachineCommand, RestoreArguments, TopologyArguments, TuneArguments};
pub use noise::{
    ExchangeArguments, NoiseCheckArguments, NoiseCompareArguments, NoiseProbeArguments, NoiseReportArguments,
    NoiseSourcesArguments, TraceArguments,
};
pub use policy::{CheckPolicyArguments, PolicyCommand};
pub use problem::{AddProblemArguments, FirstLanguage, NewProblemArguments, ProblemCommand, VerifyArguments};

pub use saved::{MossArguments, ProblemFileArguments, SavedArguments};
pub use serve::{Judgehosts, LogFormat, MetricsPlace, ServeArguments};
pub use server::*;
pub use sim::*;
pub use sim_contest::{SimContestArguments, SimRightSizeArguments};
pub use sim_import::*;
pub use statement::StatementArguments;
pub use stream::*;
pub use submission::*;
pub use team::*;
pub use user::*;

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use model::{Bytes, CpuSet, Nanos};
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

/// The kernel's `PID_MAX_LIMIT` on 64-bit machines: it refuses a larger `pids.max`.
const PROCESSES_MAX: i64 = 4 << 20;
/// No machine has an exbibyte; a larger amount is a typing error that would overflow in the kernel.
const AMOUNT_MAX: Bytes = Bytes(1 << 60);
/// A program cannot even be loaded into less.
const MEMORY_MIN: Bytes = Bytes::from_mib(1);
/// A run of more than a year is a typing error.
const TIME_MAX: Nanos = Nanos::from_millis(366 * 24 * 3600 * 1000);

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

const RUN_EXAMPLES: &str = "\
The program sees the host's toolchains (/usr, /bin, /lib), the current folder read-only as /program, where it \
starts, and its own folder /box. It may write in /box/work, /box/home and /tmp. It has no network.

Times take ns, us, ms, s or min (a bare number is seconds); sizes take B, KiB, MiB or GiB (a bare number is \
bytes). Without a limit a program may run forever.

The report goes to standard error or to --output FILE.

Exit code: 0 if the program exited 0 within its limits, else 1; 2 wrong usage, or the program was not found; \
3 internal or system error.

Examples:
  tauto run -- ./a.out < input.txt
  tauto run --cpu 2s --wall 10s --memory 256MiB -- python3 solve.py
  tauto run --cpus 1 --json -o report.json -- ./a.out
  tauto run --mount ../data --env SEED=7 -- ./simulate /box/data/input
  tauto run --dry-run --seccomp native -- ./a.out";

const LAB_EXAMPLES: &str = "\
Each experiment writes a page (report.html), its charts (SVG) and all its numbers (report.json) into a folder, and \
prints a short table. Its arms run in turns, so that a noisy minute affects all of them alike. After Ctrl-C the \
results so far are reported.

The source articles:
  sieve, stability       Pavel Tykvin, How to make code run in the same time? Methods of Yandex.Contest
  throttling, placement  Joakim Recht, Yury Vostrikov, Avoiding CPU throttling in a containerized environment
  affinity               Binding a process to a processor with taskset (unsigned; after Martin Thompson)
  noise                  K. V. Kalgin, On the influence of regular system interrupts on the performance of
                         parallel programs
  none yet               Meituan, Cloud-native practice of the cluster scheduling system

Exit code: 0 if it was carried out, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto lab throttling
  tauto lab placement --full --out placement-of-host7
  tauto lab affinity --receiver-cpu 2 --sender-cpu 3 --json | jq .explanation";

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
    #[command(after_help = bench::BENCH_EXAMPLES)]
    Bench(Box<BenchArguments>),
    /// Repeat an experiment of the source articles and write a report
    #[command(subcommand, after_help = LAB_EXAMPLES)]
    Lab(LabCommand),
    /// Live stream contests: serve one, practise, solve, compare solvers
    #[command(subcommand)]
    Stream(StreamCommand),
    /// Judge submissions against a problem package
    #[command(after_help = judge::JUDGE_EXAMPLES)]
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
    #[command(after_help = client::LOGIN_EXAMPLES)]
    Login(LoginArguments),
    /// Log out of a contest server: end the token of the login, and forget it
    Logout(LogoutArguments),
    /// Submit a program to a contest
    #[command(after_help = contest::SUBMIT_EXAMPLES)]
    Submit(SubmitArguments),
    /// List the submissions of a contest
    Submissions(SubmissionsArguments),
    /// Show a submission, and as the jury: ignore it, set its verdict, verify it
    #[command(subcommand)]
    Submission(SubmissionCommand),
    /// Judge submissions of a contest again, and see what would change before it counts
    #[command(after_help = contest::REJUDGE_EXAMPLES)]
    Rejudge(RejudgeArguments),
    /// Read, send and answer clarifications
    #[command(subcommand)]
    Clarification(ClarificationCommand),
    /// Search what was done on a contest server, and by whom
    Audit(AuditLogArguments),
    /// See what judges for a contest server, take machines out and back in, and let paused judging go on
    #[command(subcommand)]
    Judging(JudgingCommand),
    /// Serve contests by HTTP, with a judgehost beside the server
    #[command(after_help = serve::SERVE_EXAMPLES)]
    Serve(ServeArguments),
    /// Back up the data of a contest server, and restore it
    #[command(subcommand)]
    Server(ServerCommand),
    /// Judge submissions of a contest server
    #[command(after_help = judgehost::JUDGEHOST_EXAMPLES)]
    Judgehost(Box<JudgehostArguments>),
    /// List the languages and which of them are installed
    Languages(LanguagesArguments),
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

// Options of `tauto languages`.
#[derive(Debug, Args)]
pub struct LanguagesArguments {
    /// Folder of YAML files that replace or add languages
    #[arg(long = "languages", value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

// What a command may use and see, wherever commands are run.
#[derive(Debug, Args)]
pub struct SandboxArguments {
    /// CPU time of all processes together, such as 2s or 300ms
    #[arg(long = "cpu", value_name = "TIME", value_parser = time, help_heading = "Limits")]
    pub cpu_time: Option<Nanos>,
    /// Wall-clock time, such as 10s
    #[arg(long = "wall", value_name = "TIME", value_parser = time, help_heading = "Limits")]
    pub wall_time: Option<Nanos>,
    /// Memory of all processes together, files in the box included, such as 256MiB
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Limits")]
    pub memory: Option<Bytes>,
    /// Processes and threads at the same time
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Limits",
          value_parser = value_parser!(u32).range(1..=PROCESSES_MAX))]
    pub processes: u32,
    /// Standard output and standard error together, such as 8MiB
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits")]
    pub output_limit: Option<Bytes>,
    /// The largest file it may write, such as 16MiB
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits")]
    pub file_size: Option<Bytes>,
    /// Open files in one process; 4096 by default
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = value_parser!(u32).range(4..))]
    pub open_files: Option<u32>,
    /// Stack of the main thread, such as 64MiB; by default the memory limit, or the machine's memory if that is less
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits")]
    pub stack: Option<Bytes>,
    /// All files in /box, which are in memory
    #[arg(long = "box", value_name = "SIZE", value_parser = size, default_value = "256MiB",
          help_heading = "Limits")]
    pub box_size: Bytes,

    /// Lease this many CPUs, so that no other tauto process uses them for timed runs
    #[arg(long, value_name = "N", conflicts_with = "cpu_list")]
    pub cpus: Option<NonZeroU32>,
    /// Run on these CPUs, such as 0-1,4, without a lease
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub cpu_list: Option<CpuSet>,
    /// Root file system tree that the program sees instead of the host's toolchains
    #[arg(long, value_name = "TREE")]
    pub root: Option<PathBuf>,
    /// Which system calls are allowed
    #[arg(long, value_name = "CLASS", value_enum, default_value_t = Seccomp::Runtime)]
    pub seccomp: Seccomp,
    /// Mount a file or folder of the host below /box; read-only unless it ends in :rw
    ///
    /// Without TARGET it is mounted as /box/NAME. With :rw it must be writable for everybody, since the program
    /// runs as a separate user.
    #[arg(long = "mount", value_name = "HOSTPATH[:TARGET][:rw]")]
    pub mounts: Vec<String>,
    /// Set an environment variable; the program inherits none
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub environment: Vec<(String, String)>,
    /// The program's working directory, as it sees it
    #[arg(long, value_name = "DIR", default_value = sandbox::PROGRAM)]
    pub directory: String,
}

// Options of `tauto run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// What it may use and see.
    #[command(flatten)]
    pub sandbox: SandboxArguments,
    /// Lease CPUs, one unless --cpus says more, and keep everything else off them as far as the system can
    ///
    /// The CPUs become an isolated cpuset partition with memory of their own NUMA nodes, their deep idle states are
    /// off while it runs, and the run has the largest weight. The report says how far this succeeded.
    #[arg(long, conflicts_with = "cpu_list")]
    pub isolate: bool,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: LeaseArguments,
    /// Write the report to this file instead of standard error
    #[arg(short, long, value_name = "FILE", alias = "report")]
    pub output: Option<PathBuf>,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// Which system calls a program may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Seccomp {
    /// Compiled programs
    Native,
    /// Also virtual machines and interpreters
    Runtime,
    /// Also compilers and build scripts
    Compiler,
}

impl From<Seccomp> for sandbox::SeccompClass {
    fn from(class: Seccomp) -> Self {
        match class {
            Seccomp::Native => Self::Native,
            Seccomp::Runtime => Self::Runtime,
            Seccomp::Compiler => Self::Compiler,
        }
    }
}

/// Lets the number of ranks be written as MPI users do: -np 4.
pub fn with_mpi_spelling(arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut is_noise = false;
    arguments.enumerate().map(move |(at, argument)| {
        is_noise |= at == 1 && argument == "noise";
        if is_noise && argument == "-np" { "--np".into() } else { argument }
    })
}

fn time(text: &str) -> Result<Nanos, String> {
    let time = Nanos::from_str(text).map_err(|error| error.to_string())?;
    match time {
        Nanos::ZERO => Err("a limit must be more than 0; leave the option out for no limit".to_owned()),
        time if time > TIME_MAX => Err("more than a year is out of range".to_owned()),
        time => Ok(time),
    }
}

fn size(text: &str) -> Result<Bytes, String> {
    let size = Bytes::from_str(text).map_err(|error| error.to_string())?;
    match size {
        Bytes(0) => Err("a limit must be more than 0; leave the option out for no limit".to_owned()),
        size if size > AMOUNT_MAX => Err("no machine has that much; use B, KiB, MiB or GiB".to_owned()),
        size => Ok(size),
    }
}

fn memory(text: &str) -> Result<Bytes, String> {
    let memory = size(text)?;
    if memory < MEMORY_MIN {
        return Err(format!("no program can be loaded into {memory}; give at least {MEMORY_MIN}"));
    }
    Ok(memory)
}

fn percent<const MAX: u32>(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim().parse() {
        Ok(percent) if (0.01..=f64::from(MAX)).contains(&percent) => Ok(percent),
        _ => Err(format!("expected per cent from 0.01 to {MAX}")),
    }
}

fn cpu_list(text: &str) -> Result<CpuSet, String> {
    let cpus = CpuSet::from_str(text).map_err(|error| error.to_string())?;
    if cpus.is_empty() { Err("the list names no CPU; write for example 0-1,4".to_owned()) } else { Ok(cpus) }
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, such as SEED=7".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn limits_of_nothing_or_too_much_are_refused() {
        for text in ["0", "0s", "-1s", "1e30s", "400000000s", "two"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "99999999999GiB", "many"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert!(memory("64KiB").is_err());
        assert_eq!(memory("64MiB"), Ok(Bytes::from_mib(64)));
        assert!(cpu_list(",").is_err());
        assert!(variable("SEED").is_err() && variable("=7").is_err());
    }
}
