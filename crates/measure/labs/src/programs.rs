//! The programs of the experiments, compiled from their sources.

use super::{CpuTerms, LabError, Testbed};
use model::{Bytes, Limits, Nanos, Reading, RunEnd, RunResult};
use sandbox::{Counter, Input, Mount, Output, PROGRAM, Ran, RunIo, RunPlan, SandboxError, SeccompClass};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A program that has not ended by then hangs: the slowest takes a minute on a slow machine.
const WALL_TIME_MAX: Nanos = Nanos::from_millis(600_000);
/// How much of a failed program's output is shown.
const COMPLAINT_CHARACTERS_MAX: usize = 300;
/// The folder for compilers' output, as they see it.
const OUT: &str = "/box/out";

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// C, made a static program by gcc.
    C,
    /// Java, by javac.
    Java,
    /// Python, as it is.
    Python,
}

/// The amount of work of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Some 60 ms of CPU time.
    Quick,
    /// Some 150 ms.
    Usual,
    /// The sieve as large as in the article; the others some 2 s.
    Full,
}

/// A program of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: &'static str,
    /// What limits its speed.
    pub what: &'static str,
    /// Its language.
    pub kind: Kind,
    pub(super) source: &'static str,
    /// Its argument for each [`Size`].
    arguments: [u64; 3],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    pub program: Program,
    pub argument: u64,
    pub plan: RunPlan,
    /// The memory that it used in the trial run.
    pub memory_peak: Reading<Bytes>,
    /// Its output then.
    pub output: Vec<u8>,
}

/// A folder with the programs that could be built.
#[derive(Debug)]
pub struct Workshop {
    _folder: tempfile::TempDir,
    /// Programs that can be run.
    pub ready: Vec<Ready>,
    /// Names of the others, with the reason.
    pub left_out: Vec<(&'static str, String)>,
}

/// All programs; the sieve is the article's.
pub const PROGRAMS: [Program; 9] = [
    Program::c(
        "sieve",
        "writes to 4 bytes a number",
        include_str!("../programs/sieve.c"),
        [3_000_000, 6_000_000, 500_000_000],
    ),
    Program::c(
        "registers",
        "computes in registers",
        include_str!("../programs/registers.c"),
        [40_000_000, 100_000_000, 1_300_000_000],
    ),
    Program::c(
        "cache",
        "bound by the L2 cache",
        include_str!("../programs/cache.c"),
        [6_000_000, 14_000_000, 180_000_000],
    ),
    Program::c(
        "stream",
        "bound by the memory's bandwidth",
        include_str!("../programs/stream.c"),
        [2, 7, 120],
    ),
    Program::c(
        "chase",
        "waits for the memory",
        include_str!("../programs/chase.c"),
        [300_000, 700_000, 12_000_000],
    ),
    Program::c(
        "allocate",
        "allocates and frees",
        include_str!("../programs/allocate.c"),
        [500_000, 1_100_000, 15_000_000],
    ),
    Program::c(
        "calls",
        "makes system calls",
        include_str!("../programs/calls.c"),
        [120_000, 300_000, 4_000_000],
    ),
    Program {
        name: "jvm",
        what: "Java: compiler and collector at work",
        kind: Kind::Java,
        source: include_str!("../programs/Jvm.java"),
        arguments: [20, 60, 1_500],
    },
    Program {
        name: "python",
        what: "interpreted",
        kind: Kind::Python,
        source: include_str!("../programs/python.py"),
        arguments: [120, 380, 5_000],
    },
];

/// The neighbours of a measured submission: one streams over memory, one compiles and collects garbage, one starts
/// processes, and one makes system calls.
pub const NEIGHBOURS: [Program; 4] = [
    PROGRAMS[3],
    PROGRAMS[7],
    Program::c("forks", "starts processes", include_str!("../programs/forks.c"), [250, 600, 8_000]),
    PROGRAMS[6],
];

impl Program {
    const fn c(name: &'static str, what: &'static str, source: &'static str, arguments: [u64; 3]) -> Self {
        Self { name, what, kind: Kind::C, source, arguments }
    }

    pub fn argument(&self, size: Size) -> u64 {
        self.arguments[size as usize]
    }

    /// Returns the memory that it needs.
    pub fn memory(&self, size: Size) -> Bytes {
        match self.name {
            "sieve" => Bytes((self.argument(size) + 1) * 4),
            _ => Bytes::from_mib(128),
        }
    }

    /// Returns its memory limit: a language runtime needs more than its heap.
    fn limit(&self, size: Size) -> Bytes {
        Bytes(self.memory(size).0 + Bytes::from_mib(512).0)
    }

    pub(super) fn file(&self) -> &'static str {
        match self.kind {
            Kind::C => "program.c",
            Kind::Java => "Jvm.java",
            Kind::Python => "program.py",
        }
    }

    /// The tool without which it cannot be built or run, and the command that installs it.
    fn needs(&self) -> (&'static str, &'static str) {
        match self.kind {
            Kind::C => ("/usr/bin/gcc", "apt-get install gcc libc6-dev"),
            Kind::Java => ("/usr/bin/javac", "apt-get install default-jdk-headless"),
            Kind::Python => ("/usr/bin/python3", "apt-get install python3"),
        }
    }

    fn compiler(&self) -> Option<Vec<String>> {
        let words: &[&str] = match self.kind {
            // As in the judge: a static program at fixed addresses starts without a loader.
            Kind::C => &[
                "/usr/bin/gcc",
                "-std=gnu17",
                "-O2",
                "-static",
                "-no-pie",
                "-fno-pie",
                "-o",
                "/box/out/program",
                "/box/out/program.c",
            ],
            Kind::Java => &[
                "/usr/bin/javac",
                "-J-XX:+UseSerialGC",
                "-J-XX:-UsePerfData",
                "-d",
                OUT,
                "/box/out/Jvm.java",
            ],
            Kind::Python => return None,
        };
        Some(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn command(&self, argument: u64) -> Vec<String> {
        let words: &[&str] = match self.kind {
            Kind::C => &["/program/program"],
            Kind::Java => &[
                "/usr/bin/java",
                "-XX:+UseSerialGC",
                "-Xbatch",
                "-XX:-UsePerfData",
                "-XX:-UseContainerSupport",
                "-Xshare:auto",
                "-Xms128m",
                "-Xmx128m",
                "-cp",
                PROGRAM,
                "Jvm",
            ],
            Kind::Python => &["/usr/bin/python3", "-B", "/program/program.py"],
        };
        words.iter().map(|word| (*word).to_owned()).chain([argument.to_string()]).collect()
    }
}

impl Workshop {
    /// Builds those programs that can be built here; each runs once as a test.
    pub fn make(testbed: &mut Testbed, size: Size, programs: &[Program]) -> Result<Self, LabError> {
        let folder = tempfile::Builder::new()
            .prefix("tauto-lab-")
            .tempdir()
            .map_err(|source| LabError::File { path: std::env::temp_dir(), source })?;
        open_to_all(folder.path())?;
        let mut workshop = Self { ready: Vec::new(), left_out: Vec::new(), _folder: folder };
        for program in programs {
            match workshop.one(testbed, *program, size)? {
                Ok(ready) => workshop.ready.push(ready),
                Err(why) => workshop.left_out.push((program.name, why)),
            }
        }
        Ok(workshop)
    }

    fn one(
        &self,
        testbed: &mut Testbed,
        program: Program,
        size: Size,
    ) -> Result<Result<Ready, String>, LabError> {
        if let Some(free) = free_memory(Path::new("/proc/meminfo"))
            && free < program.limit(size)
        {
            let needed = program.limit(size);
            return Ok(Err(format!(
                "it needs {needed} of memory, and {free} are free; run it where there is more"
            )));
        }
        let (tool, install) = program.needs();
        if !Path::new(tool).exists() {
            return Ok(Err(format!("{tool} is not there: {install}")));
        }
        let folder = self._folder.path().join(program.name);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| LabError::File { path, source }
        };
        fs::create_dir(&folder).map_err(failed(&folder))?;
        let user = testbed.user(CpuTerms::Anywhere)?;
        std::os::unix::fs::chown(&folder, Some(user), None).map_err(failed(&folder))?;
        open_to_all(&folder)?;
        let source = folder.join(program.file());
        fs::write(&source, program.source).map_err(failed(&source))?;
        if let Some(argv) = program.compiler() {
            let mut plan = RunPlan::new(argv);
            plan.seccomp = SeccompClass::Compiler;
            plan.limits = limits(Bytes::from_mib(1024));
            plan.mounts.push(Mount { source: folder.clone(), target: OUT.to_owned(), writable: true });
            let Ran { result, stderr, .. } =
                testbed.run(CpuTerms::Anywhere, &plan, RunIo::captured(Input::Empty))?;
            if result.end != RunEnd::Exited(0) {
                return Ok(Err(format!(
                    "its compiler ended with {}{}; install it: {install}",
                    result.end,
                    complaint(&stderr)
                )));
            }
        }
        let argument = program.argument(size);
        let mut plan = RunPlan::new(program.command(argument));
        plan.seccomp = SeccompClass::Runtime;
        plan.limits = limits(program.limit(size));
        plan.mounts.push(Mount { source: folder, target: PROGRAM.to_owned(), writable: false });
        // Hash functions would use another seed each time.
        plan.environment.push(("PYTHONHASHSEED".to_owned(), "0".to_owned()));
        let ready = Ready { program, argument, plan, memory_peak: Reading::default(), output: Vec::new() };
        match ready.try_out(testbed) {
            Ok(ran) => {
                let memory_peak = ran.result.usage.memory_peak;
                Ok(Ok(Ready { memory_peak, output: ran.stdout, ..ready }))
            }
            Err(error @ LabError::Program { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }
}

impl Ready {
    /// Runs it once.
    pub fn run(&self, testbed: &mut Testbed, spot: CpuTerms) -> Result<RunResult, LabError> {
        Ok(self.ended_well(testbed.run(spot, &self.plan, self.io()))?.result)
    }

    /// Runs it once on any CPU, and counts its instructions.
    pub fn run_counted(&self, testbed: &mut Testbed, counter: &Counter) -> Result<RunResult, LabError> {
        let plan = RunPlan { counter: Some(counter.clone()), ..self.plan.clone() };
        Ok(self.ended_well(testbed.run(CpuTerms::Anywhere, &plan, self.io()))?.result)
    }

    /// Runs it once on any CPU, and returns its output too.
    fn try_out(&self, testbed: &mut Testbed) -> Result<Ran, LabError> {
        self.ended_well(testbed.run(CpuTerms::Anywhere, &self.plan, RunIo::captured(Input::Empty)))
    }

    /// Runs it once its core is at its best, or after `patience`; its evidence records the state of the core. Returns
    /// the run and how long it waited.
    pub fn run_when_calm(
        &self,
        testbed: &mut Testbed,
        spot: CpuTerms,
        patience: Nanos,
    ) -> Result<(RunResult, Nanos), LabError> {
        let (ran, waited) =
            testbed.run_when_calm(spot, &self.plan, self.io(), patience, &self.memory_peak)?;
        Ok((self.ended_well(Ok(ran))?.result, waited))
    }

    fn io(&self) -> RunIo {
        RunIo { stdin: Input::Empty, stdout: Output::Discard, stderr: Output::Capture, end_when: None }
    }

    fn ended_well(&self, ran: Result<Ran, LabError>) -> Result<Ran, LabError> {
        let program = || self.program.name.to_owned();
        match ran {
            Ok(ran) if ran.result.end == RunEnd::Exited(0) => Ok(ran),
            Ok(ran) => Err(LabError::Program {
                program: program(),
                end: ran.result.end,
                complaint: complaint(&ran.stderr),
            }),
            Err(LabError::Sandbox(SandboxError::Exec { source, .. })) => Err(LabError::Program {
                program: program(),
                end: RunEnd::Exited(126),
                complaint: format!(": {source}"),
            }),
            Err(error) => Err(error),
        }
    }
}

fn limits(memory: Bytes) -> Limits {
    Limits {
        wall_time: Some(WALL_TIME_MAX),
        memory: Some(memory),
        processes: Some(64),
        ..Limits::unlimited()
    }
}

/// The slot's own user runs the program, whichever user made the folder.
fn open_to_all(folder: &Path) -> Result<(), LabError> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
        .map_err(|source| LabError::File { path: folder.to_owned(), source })
}

/// Returns a program's message after a colon, without characters that a terminal would interpret.
fn complaint(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let plain: String = text
        .trim()
        .chars()
        .take(COMPLAINT_CHARACTERS_MAX)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if plain.is_empty() { plain } else { format!(": {plain}") }
}

/// Returns the memory that is available for programs now.
fn free_memory(meminfo: &Path) -> Option<Bytes> {
    let text = fs::read_to_string(meminfo).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| Bytes(kib << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_larger_than_the_one_before_and_the_full_sieve_is_the_articles() {
        for program in PROGRAMS {
            let [quick, usual, full] = program.arguments;
            assert!(quick < usual && usual < full, "{}", program.name);
        }
        assert_eq!(PROGRAMS[0].argument(Size::Full), 500_000_000);
        assert_eq!(PROGRAMS[0].memory(Size::Full), Bytes(2_000_000_004));
    }

    #[test]
    fn free_memory_is_read_and_complaints_are_harmless() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meminfo");
        fs::write(&path, "MemTotal:  100 kB\nMemAvailable:      64 kB\n").unwrap();
        assert_eq!(free_memory(&path), Some(Bytes(64 << 10)));
        assert_eq!(free_memory(Path::new("/proc/no-such-file")), None);
        assert_eq!(complaint(b" a\x1b[2J\n"), ": a [2J");
        assert_eq!(complaint(b""), "");
    }
}
