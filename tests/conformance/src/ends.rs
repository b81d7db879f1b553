//! Whether a run really ends: while compiling, and where somebody keeps its processes from dying.

use crate::own_cpus::row;
use crate::table::Row;
use anyhow::{Context, Result};
use judge::{BuildLimits, BuildOutcome, Station};
use model::{Bytes, Nanos, RunEnd};
use package::language::{Entry, Language, SourceFile};
use sandbox::{Input, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

/// Version 1 has a freezer whose groups not even a kill thaws.
const FREEZER: &str = "/sys/fs/cgroup/freezer";
/// Perl, whose compiler runs for a second at most.
const LANGUAGE: &str = "
id: perl
name: Perl
extensions: [pl]
entry: {main_file: {extensions: [pl]}}
compile:
  - [/usr/bin/perl, -c, '{mainfile}']
run: [/usr/bin/perl, '{path}/{mainfile}']
compile_limits: {cpu_time_s: 1}
version: {command: [/usr/bin/perl, --version], after: '(v'}
debian: [perl]
seccomp: native
";
/// It runs this while it compiles.
const COMPILED: &str = "use threads; BEGIN { threads->create(sub { 1 while 1 })->detach; syscall(60, 0) }\n";

/// Compiles a program that goes on in a second thread, and freezes a run that is to end.
pub fn run(station: &Station) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    if cfg!(target_arch = "x86_64") {
        rows.push(row("end-of-a-compiler", compiler_ends(station)?));
    }
    match fs::exists(FREEZER)? {
        true => rows.push(row("end-of-a-frozen-run", frozen_run_is_given_up()?)),
        false => println!("skipped end-of-a-frozen-run: {FREEZER} is not there"),
    }
    Ok(rows)
}

fn compiler_ends(station: &Station) -> Result<Option<String>> {
    let language = Language::parse("perl.yaml", LANGUAGE)?;
    let limits = BuildLimits {
        time: Nanos::from_millis(1_000),
        memory: Bytes::from_mib(512),
        program_memory: Bytes::from_mib(64),
    };
    let source = SourceFile { name: "main.pl".to_owned(), bytes: COMPILED.as_bytes().to_vec() };
    Ok(match station.build(&language, &[source], Entry::default(), &limits)? {
        BuildOutcome::Failed(compilation) => {
            let failure = compilation.failure.unwrap_or_default();
            (!failure.contains("CPU time limit")).then_some(failure)
        }
        BuildOutcome::Built(..) => Some("it compiled".to_owned()),
    })
}

/// We fail, say so, and leave the place to the processes that do not die; the slot goes on elsewhere.
fn frozen_run_is_given_up() -> Result<Option<String>> {
    let options = || SlotOptions::new(RootView::Host { extra: Vec::new() });
    let mut slot = Slot::open(options())?;
    let first = slot.index();
    let mut plan = RunPlan::new(vec!["sleep".to_owned(), "3600".to_owned()]);
    plan.limits.wall_time = Some(Nanos::from_millis(300));
    let (begin, begun) = channel();
    let (frozen, ran) = std::thread::scope(|scope| {
        let frozen = scope.spawn(move || Frozen::first_of(first, &begun));
        // Nobody hears it only if the thread is gone, and then joining tells why.
        let _ = begin.send(());
        let ran = slot.run(&plan, RunIo::captured(Input::Empty));
        (frozen.join(), ran)
    });
    let frozen = frozen.map_err(|_| anyhow::anyhow!("the thread that freezes panicked"))??;
    let is_told = matches!(&ran, Err(SandboxError::NotEnded { processes }) if *processes == [frozen.process]);
    let next = slot.run(&RunPlan::new(vec!["true".to_owned()]), RunIo::captured(Input::Empty))?;
    let has_moved = slot.index() != first && next.result.end == RunEnd::Exited(0);
    drop(slot);
    frozen.thaw()?;
    // Whoever is next in that place finds nothing of it.
    drop(Slot::open(options())?);
    let is_good = is_told && has_moved;
    Ok((!is_good).then(|| format!("{ran:?}\nfrom place {first}, frozen {}, next {next:?}", frozen.process)))
}

struct Frozen {
    group: PathBuf,
    process: u32,
}

impl Frozen {
    /// Freezes the first process of a slot's run.
    fn first_of(slot: u32, begun: &Receiver<()>) -> Result<Self> {
        begun.recv()?;
        let layout = cgroup::Layout::detect()?;
        let (unified, _) = layout.unified.context("no version 2 tree is mounted")?;
        let members = unified.join(format!("tauto-slot-{slot}/cgroup.procs"));
        let process = loop {
            let text = fs::read_to_string(&members).unwrap_or_default();
            if let Some(process) = text.lines().next() {
                break process.parse()?;
            }
            std::thread::yield_now();
        };
        let group = PathBuf::from(format!("{FREEZER}/tauto-conformance-{process}"));
        fs::create_dir(&group)?;
        let frozen = Self { group, process };
        fs::write(frozen.group.join("cgroup.procs"), process.to_string())?;
        fs::write(frozen.group.join("freezer.state"), "FROZEN")?;
        Ok(frozen)
    }

    fn thaw(&self) -> Result<()> {
        fs::write(self.group.join("freezer.state"), "THAWED")?;
        while fs::remove_dir(&self.group).is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {
            std::thread::yield_now();
        }
        Ok(())
    }
}
