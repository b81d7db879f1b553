//! From a plan to what the launcher is asked for.

use crate::plan::RunPlan;
use crate::protocol::{MountTarget, RunRequest};
use crate::{SandboxError, sys};
use rustix::fd::OwnedFd;

/// Makes the request, and the detached mounts that go with it.
pub fn make(plan: &RunPlan, into_cgroup: bool) -> Result<(RunRequest, Vec<OwnedFd>), SandboxError> {
    if plan.argv.is_empty() {
        return Err(SandboxError::Plan { field: "argv", why: "there is no program to run".to_owned() });
    }
    let mut mounts = Vec::with_capacity(plan.mounts.len());
    let mut targets = Vec::with_capacity(plan.mounts.len());
    for mount in &plan.mounts {
        let detached = sys::detached_mount(&mount.source, mount.writable, false)
            .map_err(SandboxError::file("mount", &mount.source))?;
        mounts.push(detached);
        targets.push(MountTarget { path: mount.target.clone(), is_file: !mount.source.is_dir() });
    }
    let limits = &plan.limits;
    let mut rlimits = vec![
        // A dump of memory would be a file that nobody asked for.
        (libc::RLIMIT_CORE, 0),
        // Queued signals, locked memory and message queues are kernel memory that outlives writes.
        (libc::RLIMIT_SIGPENDING, 1024),
        (libc::RLIMIT_MEMLOCK, 1 << 20),
        (libc::RLIMIT_MSGQUEUE, 1 << 20),
    ];
    if let Some(size) = limits.file_size {
        rlimits.push((libc::RLIMIT_FSIZE, size.0));
    }
    if let Some(count) = limits.open_files {
        rlimits.push((libc::RLIMIT_NOFILE, u64::from(count)));
    }
    // The stack may be as large as memory, so that recursion is bounded by the memory limit.
    if let Some(size) = limits.stack.or(limits.memory) {
        rlimits.push((libc::RLIMIT_STACK, size.0));
    }
    let request = RunRequest {
        argv: plan.argv.clone(),
        environment: plan.environment.clone(),
        working_directory: plan.working_directory.clone(),
        role: plan.role,
        mounts: targets,
        links: plan.links.clone(),
        work_writable: plan.work_writable,
        box_bytes: limits.box_size.0,
        box_files: u64::from(limits.box_files),
        rlimits,
        cpus: plan.cpus.iter().flat_map(|cpus| cpus.iter().map(|cpu| cpu.0)).collect(),
        seccomp: plan.seccomp,
        into_cgroup,
    };
    Ok((request, mounts))
}
