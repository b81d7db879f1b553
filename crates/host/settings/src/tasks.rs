//! The CPUs that tasks may use: kernel threads, and processes by their main thread.

use model::{CpuSet, Reading};
use std::fs;
use std::path::Path;
use system::{Roots, files};

/// More tasks than this are not read; it is the largest `pid_max` of a usual machine.
const TASKS_MAX: usize = 65_536;
/// `PF_KTHREAD` and `PF_NO_SETAFFINITY` of the kernel's `include/linux/sched.h`, as in field 9 of `stat`.
const KERNEL_THREAD: u32 = 0x0020_0000;
const BOUND: u32 = 0x0400_0000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) pid: u32,
    pub(super) name: String,
    pub(super) kernel: bool,
    /// Whether the kernel lets no process move it.
    pub(super) bound: bool,
    pub(super) cpus: CpuSet,
}

pub(super) fn read(roots: &Roots) -> Reading<Vec<Task>> {
    let entries = match fs::read_dir(&roots.proc) {
        Ok(entries) => entries,
        Err(error) => {
            return Reading::unavailable(format!("cannot read {}: {error}", roots.proc.display()));
        }
    };
    let own = std::process::id();
    let mut tasks: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own)
        .take(TASKS_MAX)
        // A task that ends meanwhile does not count.
        .filter_map(|pid| read_task(&roots.proc.join(pid.to_string()), pid))
        .collect();
    if tasks.is_empty() {
        return Reading::unavailable(format!("{} shows no processes", roots.proc.display()));
    }
    tasks.sort_unstable_by_key(|task| task.pid);
    Reading::Known(tasks)
}

fn read_task(folder: &Path, pid: u32) -> Option<Task> {
    let stat = files::text(&folder.join("stat"));
    let (name, flags) = name_and_flags(stat.known()?)?;
    let status = files::text(&folder.join("status"));
    let cpus = files::field(status.known()?, "Cpus_allowed_list")?.parse().ok()?;
    let kernel = flags & KERNEL_THREAD != 0;
    Some(Task { pid, name: name.to_owned(), kernel, bound: flags & BOUND != 0, cpus })
}

/// Splits off the name, which is in parentheses and may itself contain some.
fn name_and_flags(stat: &str) -> Option<(&str, u32)> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let flags = after.split_whitespace().nth(6)?.parse().ok()?;
    Some((name, flags))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    #[test]
    fn kernel_threads_are_distinguished_from_processes() {
        let tree = Tree::new(&[
            ("proc/17/stat", "17 (a) b (c) S 2 0 0 0 -1 69238848 0\n"),
            ("proc/17/status", "Name: a\nCpus_allowed_list:\t1\n"),
            ("proc/9/stat", "9 (init) S 0 0 0 0 -1 4194560 0\n"),
            ("proc/9/status", "Cpus_allowed_list:\t0-1\n"),
            ("proc/8/stat", "gone"),
        ]);
        let Reading::Known(tasks) = read(&Roots::under(tree.path())) else { panic!("there are tasks") };
        let read: Vec<_> = tasks.iter().map(|task| (&task.name[..], task.kernel, task.bound)).collect();
        assert_eq!(read, [("init", false, false), ("a) b (c", true, true)]);
    }
}
