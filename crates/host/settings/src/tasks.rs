//! The CPUs that tasks may use: kernel threads, and processes by their main thread.

use model::{CpuSet, Reading};
use std::fs;
use std::path::Path;
use system::task::{Stat, numbered};
use system::{Roots, files};

/// More tasks than this are not read; it is the largest `pid_max` of a usual machine.
const TASKS_MAX: usize = 65_536;

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
    if let Err(error) = fs::read_dir(&roots.proc) {
        return Reading::unavailable(format!("cannot read {}: {error}", roots.proc.display()));
    }
    let own = std::process::id();
    let mut tasks: Vec<_> = numbered(&roots.proc)
        .filter(|(pid, _)| *pid != own)
        .take(TASKS_MAX)
        // A task that ends meanwhile does not count.
        .filter_map(|(pid, folder)| read_task(&folder, pid))
        .collect();
    if tasks.is_empty() {
        return Reading::unavailable(format!("{} shows no processes", roots.proc.display()));
    }
    tasks.sort_unstable_by_key(|task| task.pid);
    Reading::Known(tasks)
}

fn read_task(folder: &Path, pid: u32) -> Option<Task> {
    let stat = Stat::read(folder)?;
    let status = files::text(&folder.join("status"));
    let cpus = files::field(status.known()?, "Cpus_allowed_list")?.parse().ok()?;
    Some(Task { pid, kernel: stat.is_kernel_thread()?, bound: stat.is_bound()?, name: stat.name, cpus })
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
