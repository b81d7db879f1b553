//! The part of the suite that needs only a kernel: static C programs.

use crate::case::{Case, Kind, read_all, suite_folder};
use crate::suite::{RunOutcome, is_wanted, judge_run};
use crate::table::Row;
use crate::{guarded, own_cpus, quiet_cpus};
use anyhow::{Context, Result, bail};
use microvm::Machines;
use model::{Nanos, Verdict};
use sandbox::{
    Mount, PROGRAM, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions, input_in_memory,
};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const OWN_CPUS: &str = "own-cpus";
const GUARDED: &str = "guarded";
const AUDITED: &str = "sum-in-c";

pub fn build(folder: &Path) -> Result<()> {
    let suite = suite_folder();
    let cases = compile(folder, |_| true)?;
    own_cpus::build(&suite, &folder.join(OWN_CPUS))?;
    guarded::build(&suite, &folder.join(GUARDED))?;
    fs::write(folder.join("cases.json"), serde_json::to_string(&cases)?)?;
    println!("{} programs in {}", cases.len(), folder.display());
    Ok(())
}

/// Compiles core programs, for all to read.
fn compile(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Case>> {
    let suite = suite_folder();
    let all = read_all(&suite)?.into_iter().filter(|case| case.core);
    let cases: Vec<Case> = all.filter(|case| is_wanted(&case.name)).collect();
    for case in &cases {
        if case.kind == Kind::Package || case.language != "c" {
            bail!("case {}: only C programs can be core", case.name);
        }
        let program = folder.join(&case.name);
        fs::create_dir_all(&program)?;
        // The suite puts all files of a case into one folder; here they keep their paths.
        let folders = case.source_paths().filter_map(|path| Some(suite.join(path).parent()?.to_owned()));
        let sources = case.source_paths().filter(|path| path.ends_with(".c")).map(|path| suite.join(path));
        let status = Command::new("gcc")
            .args(["-std=gnu17", "-O2", "-w", "-static", "-pthread", "-o"])
            .arg(program.join("program"))
            .args(folders.flat_map(|folder| [OsString::from("-I"), folder.into()]))
            .args(sources)
            .arg("-lm")
            .status()
            .context("gcc; install it with: apt-get install gcc")?;
        if !status.success() {
            bail!("case {} does not compile", case.name);
        }
        // Whatever the mask of this process is.
        for path in [&program, &program.join("program")] {
            fs::set_permissions(path, PermissionsExt::from_mode(0o755))?;
        }
    }
    Ok(cases)
}

/// Runs a few of the built cases where this process is.
pub fn run_in_pod(folder: &Path) -> Result<Vec<Row>> {
    let mut cases = built(folder)?;
    cases.retain(|case| SOME.contains(&&*case.name));
    sandbox::enter_private_mounts()?;
    let mut slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    let mut rows = run_cases(folder, &cases, |plan, io| slot.run(plan, io))?;
    rows.iter_mut().for_each(|row| row.name.push_str(" in a pod"));
    Ok(rows)
}

fn built(folder: &Path) -> Result<Vec<Case>> {
    Ok(serde_json::from_slice(&fs::read(folder.join("cases.json"))?)?)
}

pub fn run(folder: &Path) -> Result<Vec<Row>> {
    let cases = built(folder)?;
    sandbox::enter_private_mounts()?;
    let mut slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    let mut rows = run_cases(folder, &cases, |plan, io| slot.run(plan, io))?;
    let case = cases.iter().find(|case| case.name == AUDITED);
    let case = case.with_context(|| format!("there is no core case {AUDITED}"))?;
    let row = crate::audited::row(&mut slot, case, folder)?;
    row.print();
    rows.push(row);
    drop(slot);
    rows.extend(own_cpus::run(&folder.join(OWN_CPUS))?);
    rows.extend(guarded::run(&folder.join(GUARDED))?);
    rows.extend(quiet_cpus::run());
    Ok(rows)
}

/// Of each kind of end one, and attacks on the kernel: what the whole suite runs in virtual machines, and the core in a pod.
const SOME: [&str; 10] = [
    "sum-in-c",
    "wrong-sum",
    "death-by-segv",
    "sleep",
    "heap",
    "flood-of-stdout",
    "fork-bomb",
    "modules",
    "administration",
    "sockets",
];

/// Runs the cases whose name contains one of `only`, each in a virtual machine of its own, which has nothing but the program.
pub fn run_in_machines(only: &[String]) -> Result<Vec<Row>> {
    sandbox::enter_private_mounts()?;
    run_these_in_machines(&machines().map_err(anyhow::Error::msg)?, |name| is_wanted(name, only))
}

/// Runs a few cases in virtual machines; none where there are no machines.
pub fn run_some_in_machines() -> Result<Vec<Row>> {
    match machines() {
        Ok(machines) => run_these_in_machines(&machines, |name| SOME.contains(&name)),
        Err(why) => {
            test_support::count("core in virtual machines", &why);
            Ok(Vec::new())
        }
    }
}

fn machines() -> Result<Machines, String> {
    Machines::find(std::env::var_os("TAUTO_GUEST").map(PathBuf::from).as_deref())
}

fn run_these_in_machines(machines: &Machines, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
    let (programs, root) = (folder.path().join("programs"), folder.path().join("root"));
    fs::create_dir(&root)?;
    fs::set_permissions(&root, PermissionsExt::from_mode(0o755))?;
    let cases = compile(&programs, is_wanted)?;
    let root = RootView::Tree(root);
    let mut slot = Slot::open(SlotOptions::new(machines.container()))?;
    let mut rows = run_cases(&programs, &cases, |plan, io| machines.run(&mut slot, &root, plan, io))?;
    rows.iter_mut().for_each(|row| row.name.push_str(" in a machine"));
    Ok(rows)
}

fn run_cases(
    folder: &Path,
    cases: &[Case],
    mut run: impl FnMut(&RunPlan, RunIo) -> Result<Ran, SandboxError>,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for case in cases {
        let mut plan = RunPlan::new(vec![format!("{PROGRAM}/program")]);
        plan.limits = case.limits();
        stretch(case, &mut plan)?;
        plan.work_writable = case.allow_file_writing;
        plan.mounts.push(Mount {
            source: folder.join(&case.name),
            target: PROGRAM.to_owned(),
            writable: false,
        });
        let input = input_in_memory(&case.input())?;
        let done = match run(&plan, RunIo::captured(input.open()?)) {
            Ok(ran) => RunOutcome::from(ran),
            Err(error) => RunOutcome::failed(&anyhow::Error::from(error)),
        };
        let row = judge_run(case, &done)?;
        row.print();
        rows.push(row);
    }
    Ok(rows)
}

/// An emulated machine is many times slower: programs that must finish get more time, and programs that must be stopped
/// get only as much as that takes.
fn stretch(case: &Case, plan: &mut RunPlan) -> Result<()> {
    const FINISHES: u64 = 30;
    let stopped = [Verdict::TimeLimitExceeded, Verdict::WallTimeLimitExceeded];
    let expected = case.expected()?;
    if !expected.iter().any(|verdict| stopped.contains(verdict)) {
        plan.limits.cpu_time = plan.limits.cpu_time.map(|time| time.saturating_mul(FINISHES));
        plan.limits.wall_time = plan.limits.wall_time.map(|time| time.saturating_mul(FINISHES));
    } else if expected == [Verdict::WallTimeLimitExceeded] {
        plan.limits.wall_time = plan.limits.wall_time.map(|time| Nanos(time.0 / 2));
    }
    Ok(())
}
