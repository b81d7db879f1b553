//! Every end of a run, as a table: the state of a program when it is to end, for each step that runs programs. With
//! real programs, so it needs root; without it the test reports that it was skipped.
//!
//! A cell passes if the report is right, including whose fault the end is, if the next run in the same slot succeeds,
//! and if no process and no control group is left.

#![allow(clippy::unwrap_used)]

#[path = "../common/left.rs"]
mod left;
mod package;
mod steps;
mod table;

use anyhow::{Context, Result, bail};
use model::Nanos;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::Instant;
use steps::{Cell, LabGround};
use table::{STATES, State, Step, complaint};

/// The CPU time of each program.
const LIMIT: Nanos = Nanos::from_millis(100);
/// How many commands run at once: some compute, others wait.
const WORKERS: usize = 4;

fn main() -> ExitCode {
    sandbox::become_launcher_if_asked();
    // The options are those of the usual test harness; names select cells.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut cells: Vec<(Step, State)> =
        Step::ALL.into_iter().flat_map(|step| STATES.map(|state| (step, state))).collect();
    cells.retain(|cell| wanted.is_empty() || wanted.iter().any(|word| name(*cell).contains(word.as_str())));
    if cells.is_empty() {
        return ExitCode::SUCCESS;
    }
    if !test_support::needs_root() || !test_support::needs_program("gcc", "gcc libc6-dev") {
        return ExitCode::SUCCESS;
    }
    match run(cells) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn name((step, state): (Step, State)) -> String {
    format!("end-of-{}-{}", step.name(), state.name)
}

/// Runs all cells and prints the table; returns whether all pass.
fn run(mut cells: Vec<(Step, State)>) -> Result<bool> {
    let begun = Instant::now();
    let folder = open_folder()?;
    let program = folder.path().join("step");
    compile(&program)?;
    // The slowest begin first.
    cells.sort_by_key(|(step, state)| (*step != Step::Submission, state.end != table::End::WallTime));
    let (labs, others): (Vec<_>, Vec<_>) = cells.iter().partition(|(step, _)| *step == Step::Lab);
    let wrong = Mutex::new(Vec::new());
    let run_one = |cell: (Step, State), ground: Option<&mut LabGround>| {
        let complaint = one(cell, &program, ground).unwrap_or_else(|error| Some(format!("{error:#}")));
        if let Some(complaint) = complaint {
            println!("WRONG {}: {complaint}", name(cell));
            wrong.lock().unwrap().push(cell);
        }
    };
    let others = Mutex::new(others.into_iter());
    let left = std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let Some(cell) = others.lock().unwrap().next() else { return };
                    run_one(cell, None);
                }
            });
        }
        if labs.is_empty() {
            return Ok(Vec::new());
        }
        let mut ground = LabGround::open()?;
        labs.into_iter().for_each(|cell| run_one(cell, Some(&mut ground)));
        anyhow::Ok(ground.close())
    })?;
    let wrong = wrong.into_inner().unwrap();
    print_table(&cells, &wrong);
    let time = begun.elapsed().as_secs_f64();
    println!("{} cells in {time:.1} s, {} wrong; left of the lab: {left:?}", cells.len(), wrong.len());
    Ok(wrong.is_empty() && left.is_empty())
}

fn one(cell: (Step, State), program: &Path, ground: Option<&mut LabGround>) -> Result<Option<String>> {
    let folder = open_folder()?;
    let outcome = Cell::new(cell, folder.path(), program).run(ground)?;
    Ok(complaint(cell.0, cell.1, &outcome))
}

/// Makes a folder that the slots' users can read.
fn open_folder() -> Result<tempfile::TempDir> {
    let permissions = fs::Permissions::from_mode(0o755);
    Ok(tempfile::Builder::new().prefix("tauto-ends-").permissions(permissions).tempdir()?)
}

fn compile(program: &Path) -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let status = Command::new("/usr/bin/gcc")
        .args(["-std=gnu17", "-O2", "-pthread", "-s", "-w", "-I"])
        .arg(here.join("../../tests/conformance/programs/processes"))
        .arg("-o")
        .arg(program)
        .arg(here.join("tests/ends/step.c"))
        .status()
        .context("gcc")?;
    if !status.success() {
        bail!("step.c does not compile");
    }
    Ok(())
}

fn print_table(cells: &[(Step, State)], wrong: &[(Step, State)]) {
    print!("{:12}", "");
    for step in Step::ALL {
        print!(" {:>12}", step.name());
    }
    println!();
    for state in STATES {
        print!("{:12}", state.name);
        for step in Step::ALL {
            let is_in = |list: &[(Step, State)]| list.iter().any(|cell| name(*cell) == name((step, state)));
            let mark = match (is_in(cells), is_in(wrong)) {
                (false, _) => "-",
                (true, true) => "WRONG",
                (true, false) => "ok",
            };
            print!(" {mark:>12}");
        }
        println!();
    }
}
