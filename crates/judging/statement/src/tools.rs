//! The programs that make statements, in the sandbox.

use crate::StatementError;
use model::{Bytes, Limits, Nanos, RunEnd};
use sandbox::{
    Input, Mount, PROGRAM, Ran, Role, RootView, RunIo, RunPlan, SandboxError, SeccompClass, Slot, Workspace,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Where a program writes.
const OUT: &str = "/box/out";
/// CPU time of one program, and more for each problem; TeX takes a second for itself and a tenth for a problem.
const TIME: Nanos = Nanos::from_millis(10_000);
const TIME_OF_A_PROBLEM: Nanos = Nanos::from_millis(3000);
/// Haskell's and TeX's tables, and pictures.
const MEMORY: Bytes = Bytes::from_mib(1024);
/// The largest file: a PDF with pictures.
pub(crate) const FILE_MAX: Bytes = Bytes::from_mib(64);
/// All files that a program writes.
const OUT_SIZE: Bytes = Bytes::from_mib(160);
const FILES_MAX: u32 = 4096;
/// What is written to standard output: HTML, or TeX's messages.
const OUTPUT_MAX: Bytes = Bytes::from_mib(16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    path: &'static str,
    install: &'static str,
}

pub(crate) const PANDOC: Tool =
    Tool { name: "pandoc", path: "/usr/bin/pandoc", install: "apt-get install pandoc" };
pub(crate) const XELATEX: Tool = Tool {
    name: "xelatex",
    path: "/usr/bin/xelatex",
    install: "apt-get install --no-install-recommends texlive-xetex texlive-fonts-recommended fonts-lmodern fonts-cmu \
              fonts-wqy-microhei fonts-dejavu-core",
};
pub(crate) const RSVG: Tool =
    Tool { name: "rsvg-convert", path: "/usr/bin/rsvg-convert", install: "apt-get install librsvg2-bin" };
pub(crate) const PDFTOCAIRO: Tool =
    Tool { name: "pdftocairo", path: "/usr/bin/pdftocairo", install: "apt-get install poppler-utils" };

/// Runs plans: a slot of the sandbox, or a helper of a judge.
pub trait Runner {
    fn run(&mut self, plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError>;

    /// Returns the host's user as which programs run.
    fn user(&self) -> u32;
}

impl Runner for Slot {
    fn run(&mut self, plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        Self::run(self, &plan, io)
    }

    fn user(&self) -> u32 {
        Self::user(self, Role::Contestant)
    }
}

/// Returns the root that the programs need: in addition to programs and libraries, TeX's and fonts' settings and caches.
pub fn root() -> RootView {
    let extra = ["/etc/texmf", "/etc/fonts", "/var/lib/texmf", "/var/cache/fontconfig"];
    RootView::Host { extra: extra.map(Into::into).to_vec() }
}

/// Which of the programs that make statements may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Programs {
    pub pandoc: bool,
    pub xelatex: bool,
}

impl Programs {
    pub const ALL: Self = Self { pandoc: true, xelatex: true };

    /// Returns those that are installed.
    pub fn here() -> Self {
        let is_there = |tool: Tool| tool.check().is_ok();
        Self { pandoc: is_there(PANDOC), xelatex: is_there(XELATEX) }
    }

    /// Returns the names of the others.
    pub fn missing(self) -> impl Iterator<Item = &'static str> {
        let all = [(PANDOC, self.pandoc), (XELATEX, self.xelatex)];
        all.into_iter().filter(|(_, is_there)| !is_there).map(|(tool, _)| tool.name)
    }

    /// Checks that there is what HTML needs, or a PDF.
    pub(crate) fn require(self, is_pdf: bool) -> Result<(), StatementError> {
        let wanted = [(PANDOC, self.pandoc), (XELATEX, self.xelatex || !is_pdf)];
        match wanted.into_iter().find(|(_, is_there)| !is_there) {
            Some((tool, _)) => Err(tool.missing()),
            None => Ok(()),
        }
    }
}

/// Returns why statements cannot be built here: the first of the programs that is not installed.
pub fn what_is_missing() -> Option<StatementError> {
    Programs::here().require(true).err()
}

/// Returns what changes when another version of a program or of TeX's format is installed.
pub(crate) fn versions() -> String {
    let stamp = |path: &str| {
        let data = fs::metadata(path).ok();
        let changed = data.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        format!("{path} {:?} {changed:?}\n", data.map(|data| data.len()))
    };
    // Fonts change the folder that holds theirs.
    let paths = [
        PANDOC.path,
        XELATEX.path,
        RSVG.path,
        PDFTOCAIRO.path,
        "/var/lib/texmf/web2c/xetex/xelatex.fmt",
        "/var/lib/texmf/ls-R-TEXLIVEDIST",
        "/usr/share/fonts/truetype",
        "/usr/share/fonts/opentype",
    ];
    paths.map(stamp).concat()
}

impl Tool {
    fn check(self) -> Result<(), StatementError> {
        match Path::new(self.path).exists() {
            true => Ok(()),
            false => Err(self.missing()),
        }
    }

    fn missing(self) -> StatementError {
        StatementError::Missing { program: self.name, install: self.install }
    }
}

/// What a program left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// Why it ended, if not well.
    pub(crate) failure: Option<String>,
    /// Whether it ended by itself, with a message of its own.
    pub(crate) has_message: bool,
}

/// The folders of one build: what programs read, and where they write.
pub(crate) struct ToolRunner<'r> {
    runner: &'r mut dyn Runner,
    sources: Workspace,
    out: Workspace,
    time: Nanos,
}

impl<'r> ToolRunner<'r> {
    pub(crate) fn new(
        runner: &'r mut dyn Runner,
        files: &BTreeMap<String, Vec<u8>>,
        problems: usize,
    ) -> Result<Self, StatementError> {
        let page = |bytes: &Vec<u8>| bytes.len().next_multiple_of(4096) as u64 + 8192;
        let size = Bytes(files.values().map(page).sum::<u64>() + OUT_SIZE.0);
        let sources =
            Workspace::new(size, FILES_MAX + 4 * u32::try_from(files.len()).unwrap_or(u32::MAX / 8))?;
        let out = Workspace::new(OUT_SIZE, FILES_MAX)?;
        out.give_to(runner.user())?;
        let time = TIME + TIME_OF_A_PROBLEM.saturating_mul(problems as u64);
        let tools = Self { runner, sources, out, time };
        files.iter().try_for_each(|(name, content)| tools.add(name, content))?;
        Ok(tools)
    }

    /// Adds a file that programs read, as `/program/NAME`.
    pub(crate) fn add(&self, name: &str, content: &[u8]) -> Result<(), StatementError> {
        self.sources.write(name, content)?;
        Ok(())
    }

    /// Takes a file that a program left, if there is one and it is not too large.
    pub(crate) fn take(&self, name: &str) -> Result<Option<Vec<u8>>, StatementError> {
        let path = self.out.path().join(name);
        // Nothing of the run is left that could replace it meanwhile.
        match path.symlink_metadata() {
            Ok(data) if data.is_file() && data.len() <= FILE_MAX.0 => {
                fs::read(&path).map(Some).map_err(StatementError::io(&path))
            }
            _ => Ok(None),
        }
    }

    /// Runs a program in the folder of sources.
    pub(crate) fn run(&mut self, tool: Tool, arguments: &[&str]) -> Result<Finished, StatementError> {
        tool.check()?;
        let argv = std::iter::once(tool.path.to_owned())
            .chain(arguments.iter().map(|&word| word.to_owned()))
            .collect();
        let mut plan = RunPlan::new(argv);
        plan.working_directory = PROGRAM.to_owned();
        plan.seccomp = SeccompClass::Compiler;
        let mount = |folder: &Workspace, target: &str, writable| Mount {
            source: folder.path().to_owned(),
            target: target.to_owned(),
            writable,
        };
        plan.mounts.push(mount(&self.sources, PROGRAM, false));
        plan.mounts.push(mount(&self.out, OUT, true));
        // TeX reads and writes below its folders only, breaks no line of its messages, and dates nothing.
        for (name, value) in [
            ("openin_any", "p"),
            ("openout_any", "p"),
            ("shell_escape", "f"),
            ("max_print_line", "100000"),
            ("error_line", "254"),
            ("half_error_line", "238"),
            ("TEXINPUTS", "/program/tauto:/program:"),
            ("TEXMFVAR", "/box/home/texmf"),
            ("SOURCE_DATE_EPOCH", "0"),
            ("FORCE_SOURCE_DATE", "1"),
        ] {
            plan.environment.push((name.to_owned(), value.to_owned()));
        }
        plan.limits = Limits {
            cpu_time: Some(self.time),
            wall_time: Some(self.time.saturating_mul(4)),
            memory: Some(MEMORY),
            processes: Some(64),
            output: Some(OUTPUT_MAX),
            file_size: Some(FILE_MAX),
            open_files: Some(256),
            stack: Some(Bytes::from_mib(64)),
            ..Limits::unlimited()
        };
        let ran = self.runner.run(plan, RunIo::captured(Input::Empty))?;
        let (failure, has_message) = match ran.result.end {
            RunEnd::Exited(0) => (None, true),
            RunEnd::Limit(kind) => (Some(format!("{} {}", tool.name, kind.passed())), false),
            RunEnd::Exited(code) => (Some(format!("{} ended with exit code {code}", tool.name)), true),
            end => (Some(format!("{} ended with {end}", tool.name)), false),
        };
        let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
        Ok(Finished { stdout: ran.stdout, stderr, failure, has_message })
    }
}

/// Returns the path of a file that a program leaves.
pub(crate) fn out(name: &str) -> String {
    format!("{OUT}/{name}")
}
