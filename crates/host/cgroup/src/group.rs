//! Making and removing one group.

use crate::{CgroupError, files, freezer};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long killed processes may take to leave a group.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(5);
/// How long those of a killed owner may take. Most were killed with it; where some do not end, another slot is as good.
pub const LEFT_OVER_TIME_MAX: Duration = Duration::from_secs(1);
/// Killed processes that take longer to leave a group may be frozen.
const THAW_AFTER: Duration = Duration::from_millis(50);

/// Makes a group, replacing one that a killed owner has left. The caller holds the slot's lock.
pub fn make(path: &Path) -> Result<(), CgroupError> {
    let failed = |source| CgroupError::Make { path: path.to_owned(), source };
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove_left_over(path)?;
            fs::create_dir(path).map_err(failed)
        }
        result => result.map_err(failed),
    }
}

/// Removes a group, the groups in it, and kills what is still in them; a missing group is no error.
pub fn remove(path: &Path) -> Result<(), CgroupError> {
    remove_within(path, DRAIN_TIME_MAX)
}

pub fn remove_left_over(path: &Path) -> Result<(), CgroupError> {
    remove_within(path, LEFT_OVER_TIME_MAX)
}

pub fn remove_within(path: &Path, limit: Duration) -> Result<(), CgroupError> {
    let (start, mut are_thawed) = (Instant::now(), false);
    loop {
        match fs::remove_dir(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if start.elapsed() < limit => {}
            Err(_) => return Err(CgroupError::StillPopulated { path: path.to_owned() }),
        }
        // Others can have made groups inside, which keep it as processes do.
        for inside in groups_inside(path) {
            kill_all(&inside);
            let _ = fs::remove_dir(inside);
        }
        kill_all(path);
        if !are_thawed && start.elapsed() > THAW_AFTER {
            are_thawed = true;
            let groups = groups_inside(path).into_iter().chain([path.to_owned()]);
            freezer::leave(&groups.flat_map(|group| members(&group)).collect::<Vec<_>>());
        }
        std::thread::yield_now();
    }
}

fn groups_inside(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    let mut listed = 0;
    while let Some(folder) = found.get(listed) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let inside: Vec<_> = entries.filter(is_folder).map(|entry| entry.path()).collect();
        found.extend(inside);
        listed += 1;
    }
    found.split_off(1).into_iter().rev().collect()
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
    let write = |name: &str, value: &[u8]| {
        File::options().write(true).open(path.join(name)).and_then(|mut file| file.write_all(value))
    };
    let _ = write("cgroup.freeze", b"0");
    let _ = write("cgroup.kill", b"1");
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

    #[test]
    fn groups_that_others_made_inside_go_with_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tauto-slot-0");
        for inside in ["a/b/c", "a/d", "e"] {
            fs::create_dir_all(path.join(inside)).unwrap();
        }
        remove_within(&path, Duration::from_secs(60)).unwrap();
        assert!(!path.exists());
    }

    /// The kernel's own groups, and a process that killing alone does not end.
    #[test]
    fn a_frozen_process_ends_with_its_group() {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let root = |name: &str| {
            let mut all = crate::Hierarchy::in_mountinfo(&mounts);
            all.find(|at| at.controllers.iter().any(|controller| controller == name)).map(|at| at.point)
        };
        let (Some(freezer), Some(pids)) = (root("freezer"), root("pids")) else {
            return println!("skipped: there is no freezer of version 1");
        };
        let name = format!("tauto-frozen-{}", std::process::id());
        let [frozen, group] = [freezer, pids].map(|root| root.join(&name));
        if let Err(error) = fs::create_dir(&frozen).and_then(|()| fs::create_dir(&group)) {
            return println!("skipped: {error}");
        }
        let mut process = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        for folder in [&frozen, &group] {
            fs::write(folder.join("cgroup.procs"), process.id().to_string()).unwrap();
        }
        fs::write(frozen.join("freezer.state"), "FROZEN").unwrap();
        let removed = remove_within(&group, Duration::from_secs(60));
        fs::write(frozen.join("freezer.state"), "THAWED").unwrap();
        let _ = process.kill();
        process.wait().unwrap();
        fs::remove_dir(&frozen).unwrap();
        let _ = fs::remove_dir(&group);
        removed.unwrap();
    }
}
