//! A problem package for each step, with the program of a cell.

use crate::steps::time_limit;
use crate::table::{State, Step};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What the newer format requires of a package; only this format has static validators.
const NEWER: &str = "problem_format_version: 2025-09\ntype: scoring\nuuid: 5f9d3a36-1f0a-5c2d-9a40-6f9e4d1a1b04\n\
     license: cc0\nrights_owner: Nobody\n";
/// The language "step", whose files are programs already. A language's compile limit is at least a second.
const LANGUAGE: &str = "id: step\nname: Step\nextensions: [step]\nentry: {main_file: {}}\n\
     version: {command: [/bin/cat, --version]}\ndebian: [coreutils]\nseccomp: native\nrun: ['{binary}']\n\
     compile_limits: {cpu_time_s: 1}\n";
const COPY: &str = "  - [/bin/cp, '{mainfile}', '{binary}']\n  - [/bin/chmod, '755', '{binary}']\n";

/// Writes the package `p`, the submissions `bad` (or `bad.sh`) and `good.sh` and the folder `languages`.
pub fn write(folder: &Path, step: Step, state: State, program: &Path) {
    let text = |name: &str, content: &str| put(&folder.join(name), content.as_bytes(), 0o644);
    let with_program = |place: &str, name: &str| {
        put(&folder.join(place).join(name), &fs::read(program).unwrap(), 0o755);
        text(&format!("{place}/way"), state.name);
    };
    let validation = match step {
        Step::BuildScript | Step::Checker => "validation: custom\n",
        Step::Interactor => "validation: custom interactive\n",
        Step::Grader => "type: scoring\n",
        Step::StaticValidator => NEWER,
        _ => "",
    };
    let limit = match (time_limit(step, state), step) {
        // The format allows only whole seconds.
        (limit, Step::StaticValidator) => limit.0.div_ceil(1_000_000_000).to_string(),
        (limit, _) => format!("{:.3}", limit.as_secs_f64()),
    };
    let limits =
        format!("{{validation_time: {limit}, compilation_time: {limit}, validation_output: 1, output: 1}}");
    text("p/problem.yaml", &format!("name: P\nlimits: {limits}\n{validation}"));
    text("p/statement/problem.en.md", "Say 1.\n");
    text("p/problem_statement/problem.en.md", "Say 1.\n");
    text("p/data/secret/1.in", "go\n");
    text("p/data/secret/1.ans", "1\n");
    text("good.sh", "# fine\necho 1\n");
    text("bad.sh", "echo 1\n");
    match step {
        Step::Run | Step::Bench | Step::Lab => unreachable!("no package is judged"),
        Step::Submission | Step::Compiler => {
            let runs = if step == Step::Compiler { "  - [/usr/bin/env, '{binary}']\n" } else { "" };
            text("languages/step.yaml", &format!("{LANGUAGE}compile:\n{COPY}{runs}"));
            with_program("bad", "program.step");
        }
        Step::BuildScript => {
            with_program("p/output_validators/v", "build");
            put(&folder.join("p/output_validators/v/run"), b"#!/bin/sh\nexit 42\n", 0o755);
        }
        Step::Checker | Step::Interactor => {
            with_program("p/output_validators/v", "run");
            text("bad.sh", "echo go\n");
            text("good.sh", "echo fine\n");
        }
        Step::StaticValidator => {
            text("p/data/secret/test_group.yaml", "static_validation_score: 40\n");
            with_program("p/static_validator", "run");
        }
        Step::InputValidator => {
            with_program("p/input_validators/v", "run");
            text("p/data/secret/2.in", "fine\n");
            text("p/data/secret/2.ans", "1\n");
            text("p/submissions/accepted/good.sh", "echo 1\n");
        }
        Step::Grader => {
            with_program("p/graders/v", "run");
            text("p/data/testdata.yaml", "grading: custom\non_reject: continue\nrange: 0 100\n");
            text("good.sh", "echo 2\n");
        }
    }
}

fn put(path: &Path, content: &[u8], mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
