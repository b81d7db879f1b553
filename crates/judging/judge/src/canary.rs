//! A program whose count is known: it shows whether this machine counts as it did, and as others do.

use crate::problem::CountedBy;
use crate::{JudgeError, Place};
use model::{Bytes, InstructionCount, Limits, Nanos, Reading, RunEnd};
use sandbox::{Counter, Input, Mount, PROGRAM, RunIo, RunPlan, Workspace};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const NAME: &str = "canary";
const FOLDER: &str = "program";
/// Ten milliseconds of work under an emulator; more than this is a machine that stands still.
const TIME_MAX: Nanos = Nanos::from_millis(30_000);

#[derive(Debug)]
pub struct CountCanary {
    folder: PathBuf,
    counter: Counter,
    _workspace: Workspace,
}

impl CountCanary {
    pub fn new(by: &CountedBy) -> Result<Self, JudgeError> {
        let workspace = Workspace::new(Bytes::from_mib(1), 16)?;
        let folder = workspace.folder(FOLDER)?;
        let program = workspace.write(&format!("{FOLDER}/{NAME}"), sandbox::canary())?;
        let executable = Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, executable)
            .map_err(JudgeError::file("make executable", &program))?;
        Ok(Self { folder, counter: by.counter.clone(), _workspace: workspace })
    }

    /// Runs it where a place's timed runs are, and returns what it executed. Waits for the present run.
    pub fn count(&self, place: &Place) -> Result<InstructionCount, JudgeError> {
        let mut plan = RunPlan::new(vec![format!("{PROGRAM}/{NAME}")]);
        plan.counter = Some(self.counter.clone());
        plan.mounts.push(Mount { source: self.folder.clone(), target: PROGRAM.to_owned(), writable: false });
        plan.limits = Limits {
            cpu_time: Some(TIME_MAX),
            wall_time: Some(TIME_MAX),
            memory: Some(Bytes::from_mib(64)),
            processes: Some(8),
            ..Limits::unlimited()
        };
        let ran = place.run_in(None, &plan, RunIo::captured(Input::Empty), Nanos::ZERO)?;
        match (ran.result.end, ran.result.usage.instructions) {
            (RunEnd::Exited(0), Reading::Known(count)) => Ok(count),
            (RunEnd::Exited(0), Reading::Unavailable(why)) => Err(JudgeError::Canary(why)),
            (end, _) => Err(JudgeError::Canary(format!("it ended with {end}"))),
        }
    }
}
