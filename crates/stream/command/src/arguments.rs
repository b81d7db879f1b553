//! Arguments of `tauto stream`.

use arena::contestant::Io;
use clap::{Args, Subcommand, ValueEnum};
use contest_command::arguments::OnServer;
use host_command::arguments::LeaseArguments;
use model::{CpuId, Nanos};
use std::path::PathBuf;
use std::time::Duration;
use stream_rules::solve::Method;

const SERVE_EXAMPLES: &str = "\
Digits are at the input port (GET /), answers go to the output port (POST /submit?user=NAME&passwd=PASSWORD), and the board \
is at its own port: as a page, as /board.json and as /board.txt. Names, passwords and answers are sent in the clear: keep the \
ports on a network of the contest's own.

The folder has the record of everything that happens (record.ndjson), from which the board follows. After a restart the \
contest goes on where it was. Started by root, it becomes a user without rights. SIGTERM and SIGINT (Ctrl-C) stop it.

Exit code: 0 after a request to stop, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto stream serve --data contest --contestant ann --contestant bob
  tauto stream serve --data contest --contestants accounts.yaml --start 2026-12-01T10:00:00Z --for 48h \\
      --input 0.0.0.0:10001 --output 0.0.0.0:10002 --board 0.0.0.0:10003
  curl -N http://127.0.0.1:10001/
  curl -d 12345 'http://127.0.0.1:10002/submit?user=ann&passwd=PASSWORD'";

const MOCK_EXAMPLES: &str = "\
The same as 'serve' with rules to practise: the contest of the source, one contestant 'user' with password 'passwd', as its sample \
program has them, and nothing is kept. The same seed gives the same digits.

Examples:
  tauto stream mock
  tauto stream mock --seed 7 --gap 5ms
  tauto stream solve --method fixed-point";

const SOLVE_EXAMPLES: &str = "\
Reads digits (GET /), and posts each substring that is a multiple of a number of the rules as soon as its last digit has come \
(POST /submit?user=NAME&passwd=PASSWORD). Without --rules the numbers are those of the source. A hidden number of published rules \
is left out, unless --multiple-of gives it.

Methods, the slowest first: sample, recurrence, fixed-width, simd, factor, prefix, tables, fixed-point, prediction. The last one \
also sends answers before they are complete, if the rules count these.

Ways of reading and writing: async, blocking, epoll, busy-poll, io-uring, af-xdp. busy-poll takes a CPU, and leases it.

At the end it prints how long its own part took: from the return of a read to the return of the write of the answers in it.

Exit code: 0 after Ctrl-C, --for, --chunks or the end of the feed, 1 if answers are refused, 2 wrong usage or input, 3 internal or \
system error.

Examples:
  tauto stream solve
  tauto stream solve --input 10.0.0.9:10001 --output 10.0.0.9:10002 --user ann --password-file ann.password
  tauto stream solve --method tables --io epoll --for 60s --json
  tauto stream solve --io busy-poll --cpu 3 --rules rules.json";

const BENCH_EXAMPLES: &str = "\
The ladder: the time for a digit of each method with each set of instructions that this processor has. Latency: from a chunk with an \
answer to the first byte of the answer, on loopback, as the sender sees it, next to two programs that only write back what they \
read. All arms run in turns, on leased CPUs where there are two.

Examples:
  tauto stream bench
  tauto stream bench --part ladder --svg ladder.svg
  tauto stream bench --json | jq .bars";

/// What to do in live stream contests.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum StreamCommand {
    /// Serve a contest: digits, answers and board
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Box<StreamServeArguments>),
    /// Serve a contest to practise with: nothing is kept
    #[command(after_help = MOCK_EXAMPLES)]
    Mock(StreamMockArguments),
    /// Take part in a contest
    #[command(after_help = SOLVE_EXAMPLES)]
    Solve(Box<StreamSolveArguments>),
    /// Compare the methods and the ways of reading on this machine
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(StreamBenchArguments),
    /// Add up a record, and show the board that it gives
    Board(StreamBoardArguments),
}

// Where a contest is served.
#[derive(Debug, Args)]
pub struct StreamPorts {
    /// Where the digits are
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:10001",
          value_parser = contest_command::serve::address)]
    pub input: String,
    /// Where answers go
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:10002",
          value_parser = contest_command::serve::address)]
    pub output: String,
    /// Where the board is
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:10003",
          value_parser = contest_command::serve::address)]
    pub board: String,
}

#[derive(Debug, Args)]
pub struct StreamServeArguments {
    /// Folder for the record and the passwords
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// File with rules, in JSON; those of the source unless given
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// What the digits follow from; random unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// File with names and passwords: accounts.yaml of a contest package, whose accounts of type 'team' take part
    #[arg(long, value_name = "FILE")]
    pub contestants: Option<PathBuf>,
    /// A contestant, who gets a random password, which is printed once; can be given several times
    #[arg(long = "contestant", value_name = "NAME")]
    pub names: Vec<String>,
    /// When a new contest begins, such as 2026-12-01T10:00:00Z; at once unless given
    #[arg(long, value_name = "TIME")]
    pub start: Option<contest_rules::Instant>,
    /// For how long digits are sent, such as 48h; without end unless given
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    pub duration: Option<Duration>,
    /// Where.
    #[command(flatten)]
    pub ports: StreamPorts,
    /// How many connections one address may have at each port
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub of_address: u32,
    /// How many answers a contestant may send in a second
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub answers_per_second: u32,
    /// Show the board in a contest of 'tauto serve', too, and let its teams take part
    ///
    /// Log in as an admin by 'tauto login' before. A team's name is its id, and it sees its password for this on the page.
    #[arg(long)]
    pub publish: bool,
    /// Which server and contest.
    #[command(flatten)]
    pub server: OnServer,
    /// User without rights that the process becomes, if root starts it; as for 'tauto serve'
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}

#[derive(Debug, Args)]
pub struct StreamMockArguments {
    /// What the digits follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// File with rules, in JSON; those of the source unless given
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Longest gap between two chunks; the shortest is a tenth of it
    #[arg(long, value_name = "TIME", value_parser = terminal::values::time)]
    pub gap: Option<Nanos>,
    /// Where.
    #[command(flatten)]
    pub ports: StreamPorts,
}

#[derive(Debug, Args)]
pub struct StreamBoardArguments {
    /// The record, such as DIR/record.ndjson
    #[arg(value_name = "RECORD")]
    pub record: PathBuf,
}

#[derive(Debug, Args)]
pub struct StreamSolveArguments {
    /// Where the digits are
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:10001")]
    pub input: String,
    /// Where answers go
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:10002")]
    pub output: String,
    /// Name of the contestant
    #[arg(long, value_name = "NAME", default_value = "user")]
    pub user: String,
    /// File with the password; without it that of 'tauto stream mock'
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// How multiples are found
    #[arg(long, value_name = "NAME", default_value = "fixed-point", value_parser = method)]
    pub method: Method,
    /// How digits are read and answers are written
    #[arg(long, value_name = "NAME", default_value = "blocking", value_parser = io)]
    pub io: Io,
    /// File with the rules as published, in JSON; the numbers of the source unless given
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// A number whose multiples are answers, besides those of --rules, or instead of those of the source; can be given several times
    #[arg(long, value_name = "N")]
    pub multiple_of: Vec<String>,
    /// Stop after this many reads that brought digits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub chunks: Option<u64>,
    /// Stop after this time
    #[arg(long = "for", value_name = "TIME", value_parser = terminal::values::time)]
    pub duration: Option<Nanos>,
    /// Lease this CPU, and stay on it
    #[arg(long, value_name = "N", value_parser = cpu)]
    pub cpu: Option<CpuId>,
    /// Where others have the CPU.
    #[command(flatten)]
    pub lease: LeaseArguments,
}

#[derive(Debug, Args)]
pub struct StreamBenchArguments {
    /// Only this part
    #[arg(long, value_name = "PART", value_enum)]
    pub part: Option<StreamBenchPart>,
    /// How often each method solves
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    pub rounds: u32,
    /// How many answers each way of reading sends
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub answers: u32,
    /// Write the chart of the ladder to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: LeaseArguments,
}

/// A part of `tauto stream bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StreamBenchPart {
    /// The time for a digit of each method
    Ladder,
    /// The time from a chunk to its answer
    Latency,
}

fn method(name: &str) -> Result<Method, String> {
    one_of(name, &Method::LADDER, Method::name)
}

fn io(name: &str) -> Result<Io, String> {
    one_of(name, &Io::ALL, Io::name)
}

fn one_of<T: Copy>(name: &str, all: &[T], name_of: impl Fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|one| name_of(*one) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name_of(*one)).collect();
        format!("it is one of: {}", names.join(", "))
    })
}

fn cpu(text: &str) -> Result<CpuId, String> {
    text.parse().map(CpuId).map_err(|_| "it is the number of a CPU, such as 3".to_owned())
}
