//! What a slot is opened with.

use crate::SandboxError;
use crate::plan::Role;
use crate::protocol::Step;
use crate::root::RootView;
use cgroup::{Claim, OwnCpus};
use rustix::fd::OwnedFd;
use std::sync::Arc;

#[derive(Debug)]
pub struct SlotOptions {
    pub root: RootView,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
    pub roles: Vec<Role>,
    pub cpus: SlotCpus,
}

#[derive(Clone, Debug, Default)]
pub struct SlotCpus {
    /// Those that they have for themselves, as far as the machine can do that.
    pub own: Option<OwnCpus>,
    /// The claim by which no other process of tauto's times on them. It is held as long as a run can be there, even if this
    /// process is killed.
    pub claim: Option<Arc<Claim>>,
}

impl SlotOptions {
    pub fn new(root: RootView) -> Self {
        Self { root, stop: None, roles: Role::ALL.to_vec(), cpus: SlotCpus::default() }
    }
}

pub(crate) fn step_failed(step: Step, errno: i32, program: &str) -> SandboxError {
    let source = std::io::Error::from_raw_os_error(errno);
    match step {
        Step::Exec => SandboxError::Exec { program: program.to_owned(), source },
        Step::WorkingDirectory => {
            SandboxError::Plan { field: "working directory", why: format!("it cannot be entered: {source}") }
        }
        step => SandboxError::Step { step, source },
    }
}
