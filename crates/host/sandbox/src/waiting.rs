//! Whether a run waits for input: some task of it is in a call that reads from a pipe, and no other is active.

use rustix::fs::Stat;
use rustix::io::Errno;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Where calls have the descriptor that they read from.
const READS: [i64; 5] = [libc::SYS_read, libc::SYS_readv, libc::SYS_preadv2, libc::SYS_splice, libc::SYS_tee];

/// A pipe, by the number that `/proc` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipeId(u64);

impl PipeId {
    /// Returns the id of the pipe with this end.
    pub fn of(end: impl AsFd) -> Result<Self, Errno> {
        rustix::fs::fstat(end).map(|Stat { st_ino, .. }| Self(st_ino))
    }

    fn link(self) -> PathBuf {
        format!("pipe:[{}]", self.0).into()
    }
}

/// What a task does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// It runs, or can continue without input: it was stopped, or waits for a disk.
    Active,
    /// It waits for something other than the pipe.
    Waits,
    WaitsForPipe,
}

/// What one task does, and how often it has left its CPU: where neither number nor action differ between two readings,
/// nothing was done in between.
#[derive(Debug, PartialEq, Eq)]
struct Task {
    id: String,
    switches: [u64; 2],
    doing: Doing,
}

/// Returns whether the processes of a group, one of which waits for this empty pipe, do nothing until it has content or
/// ends. `group` is the folder of the control group, `proc` the mounted file system.
///
/// # Errors
/// When the kernel does not show it, such as with `kernel.yama.ptrace_scope = 3`.
pub fn wait_for_pipe(proc: &Path, group: &Path, pipe: PipeId) -> io::Result<bool> {
    // The tasks are read one after the other. All that stay as they were from a first to a second reading were so
    // at the instant between both.
    let before = tasks(proc, group, pipe)?;
    Ok(is_idle(&before) && before == tasks(proc, group, pipe)?)
}

fn is_idle(tasks: &[Task]) -> bool {
    tasks.iter().all(|task| task.doing != Doing::Active)
        && tasks.iter().any(|task| task.doing == Doing::WaitsForPipe)
}

fn tasks(proc: &Path, group: &Path, pipe: PipeId) -> io::Result<Vec<Task>> {
    let mut found = Vec::new();
    for process in fs::read_to_string(group.join("cgroup.procs"))?.lines() {
        let process = proc.join(process);
        let Some(threads) = unless_ended(fs::read_dir(process.join("task")))? else { continue };
        for thread in threads.flatten() {
            if let Some(task) = unless_ended(task(&process, &thread.path(), pipe))?.flatten() {
                found.push(task);
            }
        }
    }
    Ok(found)
}

fn task(process: &Path, task: &Path, pipe: PipeId) -> io::Result<Option<Task>> {
    let id = task.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let status = fs::read_to_string(task.join("status"))?;
    let field = |name: &str| {
        let mut lines = status.lines();
        lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim()
    };
    let switches = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"]
        .map(|name| field(name).parse().unwrap_or_default());
    let doing = match field("State:").as_bytes().first() {
        Some(b'Z' | b'X') => return Ok(None),
        // A task of a frozen group seems to sleep in the call from which it came.
        Some(b'S') if !fs::read_to_string(task.join("wchan"))?.contains("freez") => {
            in_call(process, &fs::read_to_string(task.join("syscall"))?, pipe)?
        }
        _ => Doing::Active,
    };
    Ok(Some(Task { id, switches, doing }))
}

/// Returns what a sleeping task does, from the line of its `syscall` file: the call's number and its arguments.
fn in_call(process: &Path, line: &str, pipe: PipeId) -> io::Result<Doing> {
    let mut words = line.split_ascii_whitespace();
    let Some(Ok(call)) = words.next().map(str::parse) else { return Ok(Doing::Active) };
    let mut argument = || {
        let word = words.next().and_then(|word| word.strip_prefix("0x"));
        word.and_then(|word| u64::from_str_radix(word, 16).ok()).unwrap_or_default()
    };
    let (first, second) = (argument(), argument());
    let is_pipe = |descriptor: &str| match fs::read_link(process.join("fd").join(descriptor)) {
        Ok(link) => Ok(link == pipe.link()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    };
    let waits = if READS.contains(&call) {
        is_pipe(&first.to_string())?
    } else if is_epoll(call) {
        let set = fs::read_to_string(process.join("fdinfo").join(first.to_string()))?;
        let mut watched = set.lines().filter_map(|line| line.strip_prefix("tfd:"));
        watched.try_fold(false, |found, line| {
            Ok::<_, io::Error>(found || is_pipe(line.split_ascii_whitespace().next().unwrap_or_default())?)
        })?
    } else if watches_some(call, first, second) {
        // Which descriptors it waits for is in its memory.
        let mut found = false;
        for entry in fs::read_dir(process.join("fd"))?.flatten() {
            found = found || is_pipe(&entry.file_name().to_string_lossy())?;
        }
        found
    } else {
        false
    };
    Ok(if waits { Doing::WaitsForPipe } else { Doing::Waits })
}

fn is_epoll(call: i64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if call == libc::SYS_epoll_wait {
        return true;
    }
    [libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2].contains(&call)
}

/// Returns whether it is a call of poll's or select's kind with at least one descriptor; without one it only waits for
/// a time.
fn watches_some(call: i64, first: u64, second: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if call == libc::SYS_poll {
        return second > 0;
    } else if call == libc::SYS_select {
        return first > 0;
    }
    (call == libc::SYS_ppoll && second > 0) || (call == libc::SYS_pselect6 && first > 0)
}

/// Returns `None` for a task that has ended.
fn unless_ended<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::OwnedFd;
    use std::process::{Child, Command, Stdio};
    use tempfile::TempDir;

    /// A program that reads from a pipe, and a folder that lists it and its children as a group does.
    struct Reader {
        child: Child,
        pipe: OwnedFd,
        group: TempDir,
    }

    impl Reader {
        fn start(program: &str, arguments: &[&str]) -> Self {
            let (read, pipe) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
            let child =
                Command::new(program).args(arguments).stdin(read).stdout(Stdio::null()).spawn().unwrap();
            Self { child, pipe, group: tempfile::tempdir().unwrap() }
        }

        /// Waits until the program's first thread, or its child's, is in this state and one of these calls.
        fn until(&self, is_child: bool, state: char, calls: &[i64]) {
            loop {
                let parent = self.child.id();
                let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
                fs::write(
                    self.group.path().join("cgroup.procs"),
                    format!("{parent}\n{}", children.trim().replace(' ', "\n")),
                )
                .unwrap();
                let shown = if is_child { children.trim().to_owned() } else { parent.to_string() };
                let file =
                    |name: &str| fs::read_to_string(format!("/proc/{shown}/{name}")).unwrap_or_default();
                let call = file("syscall").split(' ').next().and_then(|call| call.parse().ok());
                let is_in_state = file("stat").contains(&format!(") {state} "));
                if is_in_state && call.is_some_and(|call| calls.contains(&call)) {
                    return;
                }
                std::thread::yield_now();
            }
        }

        fn waits(&self) -> bool {
            self.waits_for(PipeId::of(&self.pipe).unwrap())
        }

        fn waits_for(&self, pipe: PipeId) -> bool {
            wait_for_pipe(Path::new("/proc"), self.group.path(), pipe).unwrap()
        }
    }

    impl Drop for Reader {
        fn drop(&mut self) {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }

    const READ: &[i64] = &[libc::SYS_read];

    #[test]
    fn a_program_that_reads_from_the_pipe_waits() {
        let reader = Reader::start("cat", &[]);
        reader.until(false, 'S', READ);
        assert!(reader.waits());
        let (other, _writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        assert!(!reader.waits_for(PipeId::of(other).unwrap()), "it is another one");
    }

    #[test]
    fn a_program_that_was_stopped_in_the_call_does_not_wait() {
        let reader = Reader::start("cat", &[]);
        reader.until(false, 'S', READ);
        let id = rustix::process::Pid::from_child(&reader.child);
        rustix::process::kill_process(id, rustix::process::Signal::STOP).unwrap();
        reader.until(false, 'T', READ);
        assert!(!reader.waits());
    }

    #[test]
    fn a_program_that_sleeps_does_not_wait() {
        let reader = Reader::start("sleep", &["1000"]);
        reader.until(false, 'S', &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep]);
        assert!(!reader.waits());
    }

    #[test]
    fn the_parent_of_a_program_that_reads_is_no_obstacle_unless_it_is_active() {
        let idle = Reader::start("sh", &["-c", "cat; exit"]);
        idle.until(true, 'S', READ);
        idle.until(false, 'S', &[libc::SYS_wait4]);
        assert!(idle.waits());
        let busy = Reader::start("sh", &["-c", "exec 3<&0; cat <&3 & while :; do :; done"]);
        busy.until(true, 'S', READ);
        assert!(!busy.waits());
    }

    #[test]
    fn a_program_that_polls_the_pipe_waits_and_one_that_polls_nothing_sleeps() {
        #[cfg(target_arch = "x86_64")]
        let select = &[libc::SYS_select, libc::SYS_pselect6];
        #[cfg(not(target_arch = "x86_64"))]
        let select = &[libc::SYS_pselect6];
        let polls = |set: &str| {
            let reader =
                Reader::start("perl", &["-e", &format!("my $r = {set}; select($r, undef, undef, 1000)")]);
            reader.until(false, 'S', select);
            reader.waits()
        };
        assert!(polls("chr(1)"));
        assert!(!polls("''"));
    }
}
