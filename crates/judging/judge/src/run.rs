//! What a submission's runs have in common.

use crate::JudgeError;
use crate::build::Built;
use judging_steps::RunLimits;
use model::{Bytes, CASE_FILES_MAX, Limits, Nanos, RunEnd, RunResult};
use package::{ProblemLimits, TestCase};
use ruling::TimeRule;
use sandbox::{
    Counter, FileCopy, MemoryInput, Mount, Output, Ran, RunIo, RunPlan, SandboxError, WORK, input_in_memory,
};
use std::path::Path;

/// Room in the box in addition to the output limit, so that exceeding the limit is detected.
const BOX_SLACK: Bytes = Bytes::from_mib(1);

/// How much of a program is copied for each run of it that may write: sources, and files that the problem adds.
const COPIED_BYTES_MAX: u64 = 1 << 20;

/// What happens to a run that exceeds its output limit. A conversation is always ended at the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverOutput {
    /// It is ended.
    #[default]
    Stop,
    /// It runs on, the excess is dropped, and it counts as having exceeded the limit if it ends normally.
    Late,
    /// It runs on, and the output up to the limit is judged.
    Cut,
}

impl OverOutput {
    pub(crate) fn io(self, stdin: sandbox::Input) -> RunIo {
        let io = RunIo::captured(stdin);
        match self {
            Self::Stop => io,
            Self::Late => RunIo { stdout: Output::Cut { fails: true }, ..io },
            Self::Cut => RunIo { stdout: Output::Cut { fails: false }, ..io },
        }
    }
}

/// The settings that a submission's runs have in common.
#[derive(Clone, Debug)]
pub(crate) struct RunSettings {
    pub rule: TimeRule,
    pub limits: ProblemLimits,
    pub allow_file_writing: bool,
    pub over_output: OverOutput,
    /// What counts instructions, where these are the clock.
    pub counter: Option<Counter>,
}

impl RunSettings {
    /// Makes the plan of a submission's run on a case.
    pub fn plan(&self, built: &Built, case: &TestCase, limits: RunLimits) -> Result<RunPlan, JudgeError> {
        let mut plan = built.plan(&case.args);
        plan.counter.clone_from(&self.counter);
        plan.limits = Limits {
            instructions: limits.instructions,
            cpu_time: Some(limits.cpu_time),
            wall_time: Some(limits.wall_time),
            memory: Some(self.limits.memory),
            output: Some(self.limits.output),
            ..plan.limits
        };
        plan.work_writable = self.allow_file_writing;
        // Files count as much as output: a submission could write the same to either.
        plan.files_are_output = self.allow_file_writing;
        let room = Bytes(self.limits.output.0.saturating_add(BOX_SLACK.0));
        plan.limits.box_size = plan.limits.box_size.max(room);
        for file in &case.files {
            let (source, target) = (file.path.clone(), format!("{WORK}/{}", file.name.display()));
            if self.allow_file_writing {
                let data = std::fs::metadata(&source).map_err(JudgeError::file("look at", &source))?;
                plan.copies.push(FileCopy { source, target, size: Bytes(data.len()) });
            } else {
                plan.mounts.push(Mount { source, target, writable: false });
            }
        }
        if self.allow_file_writing {
            copy_small_files(&mut plan, built.folder());
            plan.limits.box_size = Bytes(plan.limits.box_size.0.saturating_add(plan.copied().0));
        }
        Ok(plan)
    }
}

/// Copies the program's own small files into the working directory, where there would only be links to them.
fn copy_small_files(plan: &mut RunPlan, folder: &Path) {
    let mut room = COPIED_BYTES_MAX;
    let taken =
        |name: &str, plan: &RunPlan| plan.copies.iter().any(|copy| copy.target == format!("{WORK}/{name}"));
    for (name, target) in std::mem::take(&mut plan.links) {
        let source = folder.join(&name);
        let size =
            std::fs::symlink_metadata(&source).ok().filter(|data| data.is_file()).map(|data| data.len());
        match size.filter(|size| *size <= room) {
            _ if taken(&name, plan) => {}
            Some(size) if plan.copies.len() < CASE_FILES_MAX => {
                room -= size;
                let target = format!("{WORK}/{name}");
                plan.copies.push(FileCopy { source, target, size: Bytes(size) });
            }
            _ => plan.links.push((name, target)),
        }
    }
}

/// If the program that the submission's compiler made cannot be executed, it crashed at its start; if an interpreter
/// cannot be executed, that is an internal error.
pub(crate) fn not_executable(plan: &RunPlan, error: SandboxError) -> Result<Ran, SandboxError> {
    /// The exit code of a shell in this case.
    const CANNOT_EXECUTE: u8 = 126;
    match error {
        SandboxError::Exec { program, source } if program.starts_with(sandbox::PROGRAM) => Ok(Ran {
            result: RunResult::never_executed(
                RunEnd::Exited(CANNOT_EXECUTE),
                plan.cpus.clone().unwrap_or_default(),
                "the program cannot be executed",
            ),
            stdout: Vec::new(),
            stderr: format!("{program} cannot be executed: {source}\n").into_bytes(),
            ended_at: Nanos::ZERO,
            guard_cpu_time: Nanos::ZERO,
        }),
        error => Err(error),
    }
}

pub(crate) fn case_input(case: &TestCase) -> Result<MemoryInput, JudgeError> {
    let bytes = std::fs::read(&case.input).map_err(JudgeError::file("read", &case.input))?;
    Ok(input_in_memory(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Reading;

    #[test]
    fn programs_that_cannot_be_executed_have_no_counts() {
        let program = format!("{}/a", sandbox::PROGRAM);
        let error = SandboxError::Exec { program, source: std::io::Error::from_raw_os_error(8) };
        let RunResult { end, usage, evidence } =
            not_executable(&RunPlan::new(Vec::new()), error).unwrap().result;
        assert_eq!(end, RunEnd::Exited(126));
        assert_eq!((usage.cpu_time, usage.wall_time), (Nanos::ZERO, Nanos::ZERO));
        assert_eq!(usage.output, Reading::Known(Bytes(0)));
        let why = "the program cannot be executed";
        assert_eq!(
            [usage.memory_peak, usage.max_rss],
            [Reading::unavailable(why), Reading::unavailable(why)]
        );
        assert_eq!(
            [usage.minor_faults, evidence.interrupts],
            [Reading::unavailable(why), Reading::unavailable(why)]
        );
        assert_eq!(evidence.isolation.weaker_because.as_deref(), Some(why));
    }
}
