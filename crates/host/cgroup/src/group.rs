//! Making and removing one group.

use crate::{CgroupError, files};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long killed processes may take to leave a group.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(5);

/// Makes a group, replacing one that a killed owner has left. The caller holds the slot's lock.
pub fn make(path: &Path) -> Result<(), CgroupError> {
    let failed = |source| CgroupError::Make { path: path.to_owned(), source };
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove(path)?;
            fs::create_dir(path).map_err(failed)
        }
        result => result.map_err(failed),
    }
}

/// Removes a group and kills what is still in it; a missing group is no error.
pub fn remove(path: &Path) -> Result<(), CgroupError> {
    let start = Instant::now();
    loop {
        match fs::remove_dir(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if start.elapsed() < DRAIN_TIME_MAX => kill_all(path),
            Err(_) => return Err(CgroupError::StillPopulated { path: path.to_owned() }),
        }
        std::thread::yield_now();
    }
}

/// Waits until no process is left: for a moment after its last process was reaped, the kernel still counts a group as
/// populated.
pub fn wait_until_empty(path: &Path) -> Result<(), CgroupError> {
    let events = path.join("cgroup.events");
    let start = Instant::now();
    while files::keyed(&files::read(&events)?, &["populated"])[0] != Some(0) {
        if start.elapsed() > DRAIN_TIME_MAX {
            return Err(CgroupError::StillPopulated { path: path.to_owned() });
        }
        std::thread::yield_now();
    }
    Ok(())
}

/// Opens a version 1 group so that a single-threaded process can enter it by writing `0`.
///
/// Moving another process, or one with threads, takes a lock that waits for every CPU: 8 to 15 ms instead of some
/// microseconds.
pub fn entrance(path: &Path) -> Result<File, CgroupError> {
    let path = path.join("tasks");
    File::options().write(true).open(&path).map_err(|source| CgroupError::Read { path, source })
}

/// Kills every process of a group by every means that works from outside.
///
/// `cgroup.kill` also kills what is forked meanwhile, but it signals only the first thread of a process: if that thread
/// has ended and others have not, it has no effect. Signals to whole processes end those.
pub fn kill_all(path: &Path) {
    // Each of these files is missing in some versions, where the other means suffice.
    let _ = fs::write(path.join("cgroup.freeze"), "0");
    let _ = fs::write(path.join("cgroup.kill"), "1");
    let handles: Vec<_> = members(path).into_iter().filter_map(|pid| Some((pid, open(pid)?))).collect();
    // A process that is still listed was in the group when its handle was opened, so its PID was not reused.
    let still = members(path);
    for (pid, handle) in handles {
        if still.contains(&pid) {
            // It fails if the process is gone, which is fine.
            let _ = rustix::process::pidfd_send_signal(handle, rustix::process::Signal::KILL);
        }
    }
}

/// Lists the processes of a group, as far as they can be read.
pub fn members(path: &Path) -> Vec<u32> {
    let members = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    members.lines().filter_map(|line| line.parse().ok()).collect()
}

fn open(pid: u32) -> Option<OwnedFd> {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed())?;
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_group_takes_the_place_of_one_that_was_left() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tauto-slot-0");
        make(&path).unwrap();
        // While the handle is open, no other process gets its PID.
        let first = fs::File::open(&path).unwrap();
        make(&path).unwrap();
        assert_ne!(fs::metadata(&path).unwrap().ino(), first.metadata().unwrap().ino());
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }
}
