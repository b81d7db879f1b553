//! Arguments of `tauto run`, and of all that runs a command.

use clap::{Args, ValueEnum, value_parser};
use host_command::arguments::{ClockName, CounterName, LeaseArguments};
use judging_command::arguments::RootArguments;
use model::{Bytes, CpuSet, InstructionCount, Nanos};
use std::num::NonZeroU32;
use std::path::PathBuf;
use terminal::values::{cpu_list, instructions, memory, size, time, variable};

/// The kernel's `PID_MAX_LIMIT` on 64-bit machines: it refuses a larger `pids.max`.
const PROCESSES_MAX: i64 = 4 << 20;

/// Text below the help.
pub const RUN_EXAMPLES: &str = "\
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
  tauto run --clock instructions --instructions 2G -- ./a.out
  tauto run --cpus 1 --json -o report.json -- ./a.out
  tauto run --mount ../data --env SEED=7 -- ./simulate /box/data/input
  tauto run --dry-run --seccomp native -- ./a.out";

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
    /// What is seen in place of the host's toolchains.
    #[command(flatten)]
    pub root: RootArguments,
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
    /// What time is: CPU time, or instructions, by which what the program executes is counted
    ///
    /// The same program with the same input executes the same instructions, under load and on another machine too.
    #[arg(long, value_name = "CLOCK", value_enum, default_value_t = ClockName::Cpu)]
    pub clock: ClockName,
    /// What counts instructions, with --clock instructions; by default the processor where its counter works, else an emulator
    ///
    /// The emulator is QEMU's of user mode (Debian: qemu-user), under which programs are about ten times as slow. Counts of two
    /// counters are not compared.
    #[arg(long, value_name = "COUNTER", value_enum)]
    pub counter: Option<CounterName>,
    /// Instructions of all processes together, such as 2G or 500M, with --clock instructions
    #[arg(long, value_name = "N", value_parser = instructions, help_heading = "Limits")]
    pub instructions: Option<InstructionCount>,
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
