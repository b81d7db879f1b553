//! Tasks as shown by `/proc`.

use model::{CpuId, Nanos, Reading};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use system::task::{Stat, numbered};
use system::{Roots, files};

/// More tasks than this are not examined; the kernel's usual limit is half of it.
pub const TASKS_MAX: usize = 1 << 16;
/// `PROC_PID_INIT_INO` of the kernel's `proc_ns.h`: the host's PID namespace.
const HOST_NUMBERS: &str = "pid:[4026531836]";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub name: String,
    pub process: u32,
    pub parent: u32,
    pub of_kernel: bool,
    /// Its start time in ticks; distinguishes it from later tasks with the same PID.
    pub start: u64,
    pub user_ticks: u64,
    pub system_ticks: u64,
    /// The CPU that it is on, or was on last.
    pub cpu: CpuId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskClock {
    pub ran: Nanos,
    pub times: u64,
}

/// Returns whether this process sees the host's PIDs, which the kernel's events use.
pub fn host_numbers(roots: &Roots) -> bool {
    fs::read_link(roots.proc.join("self/ns/pid")).is_ok_and(|target| target == Path::new(HOST_NUMBERS))
}

/// Returns when a process started; `None` if there is no such process.
pub fn start_of(roots: &Roots, process: u32) -> Option<u64> {
    task(&roots.proc.join(process.to_string()), process).map(|task| task.start)
}

pub fn by_number(roots: &Roots, thread: u32) -> Option<Task> {
    // Threads other than the first are not listed, but can be opened.
    let folder = roots.proc.join(thread.to_string());
    let status = fs::read(folder.join("status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    task(&folder, files::field(&status, "Tgid")?.parse().ok()?)
}

/// Returns the control group of a task if it is not the root: of version 2, or version 1's `cpuset` or `cpu`.
pub fn control_group(roots: &Roots, thread: u32) -> Option<String> {
    let text = fs::read(roots.proc.join(thread.to_string()).join("cgroup")).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let group = |wanted: &dyn Fn(&str) -> bool| {
        text.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            (controllers.split(',').any(wanted) && path != "/").then(|| path.to_owned())
        })
    };
    group(&|name| name.is_empty()).or_else(|| group(&|name| name == "cpuset" || name == "cpu"))
}

/// Reads the scheduler's own clock of a task; `None` on kernels without `CONFIG_SCHED_INFO`.
pub fn clock(folder: &Path) -> Option<TaskClock> {
    let text = fs::read_to_string(folder.join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    let (ran, _waited, times) = (numbers.next()??, numbers.next()??, numbers.next()??);
    Some(TaskClock { ran: Nanos(ran), times })
}

/// Iterates over the threads of a process, up to a limit: number and folder.
pub fn threads(process_folder: &Path) -> impl Iterator<Item = (u32, PathBuf)> + use<> {
    numbered(&process_folder.join("task")).take(TASKS_MAX)
}

/// Reads every task of the machine, up to a limit.
pub fn all(roots: &Roots) -> BTreeMap<u32, (Task, Option<TaskClock>)> {
    numbered(&roots.proc)
        .flat_map(|(process, folder)| threads(&folder).map(move |thread| (process, thread)))
        .filter_map(|(process, (thread, folder))| Some((thread, (task(&folder, process)?, clock(&folder)))))
        .take(TASKS_MAX)
        .collect()
}

/// Lists each process with its parent, up to a limit.
pub fn parents(roots: &Roots) -> Vec<(u32, u32)> {
    numbered(&roots.proc)
        .take(TASKS_MAX)
        .filter_map(|(process, folder)| Some((process, task(&folder, process)?.parent)))
        .collect()
}

/// Reads how often a task left its CPU, involuntarily and voluntarily.
pub fn switches(folder: &Path) -> (Reading<u64>, Reading<u64>) {
    let text = files::text(&folder.join("status"));
    let count = |key: &'static str| {
        files::and_then(text.clone(), |text| {
            files::field(&text, key)
                .and_then(|value| value.parse().ok())
                .ok_or(format!("status has no {key}"))
        })
    };
    (count("nonvoluntary_ctxt_switches"), count("voluntary_ctxt_switches"))
}

pub fn task(folder: &Path, process: u32) -> Option<Task> {
    let stat = Stat::read(folder)?;
    Some(Task {
        parent: stat.field(4)?,
        of_kernel: stat.is_kernel_thread()?,
        user_ticks: stat.field(14)?,
        system_ticks: stat.field(15)?,
        start: stat.start_ticks()?,
        cpu: CpuId(stat.field(39)?),
        name: stat.name,
        process,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use test_tree::Tree;

    pub fn stat(thread: u32, name: &str, parent: u32, flags: u64, ticks: (u64, u64), cpu: u32) -> String {
        let (user, system) = ticks;
        format!(
            "{thread} ({name}) S {parent} 1 1 0 -1 {flags} 0 0 0 0 {user} {system} 0 0 20 0 1 0 500 0 0 0 0 0 0 0 0 0 \
             0 0 0 0 0 0 17 {cpu} 0 0 0 0 0 0 0\n"
        )
    }

    #[test]
    fn a_name_cannot_move_the_fields() {
        let tree = Tree::new(&[("proc/7/stat", &stat(7, "a) S 1 (b", 3, 64, (20, 4), 5))]);
        let task = task(&Roots::under(tree.path()).proc.join("7"), 7).unwrap();
        assert_eq!(
            task,
            Task {
                name: "a) S 1 (b".to_owned(),
                process: 7,
                parent: 3,
                of_kernel: false,
                start: 500,
                user_ticks: 20,
                system_ticks: 4,
                cpu: CpuId(5),
            }
        );
    }

    #[test]
    fn first_group_other_than_the_root_is_reported() {
        for (text, group) in [
            ("0::/\n", None),
            ("0::/system.slice/a.service\n", Some("/system.slice/a.service")),
            ("3:cpuset:/jobs\n2:cpu,cpuacct:/x\n0::/\n", Some("/jobs")),
            ("4:memory:/m\n0::/\n", None),
        ] {
            let tree = Tree::new(&[("proc/7/cgroup", text)]);
            assert_eq!(control_group(&Roots::under(tree.path()), 7).as_deref(), group, "{text}");
        }
    }

    #[test]
    fn own_process_has_every_field_of_a_task() {
        let roots = Roots::host();
        let me = std::process::id();
        let found = by_number(&roots, me).unwrap();
        assert!(!found.of_kernel && found.process == me && found.start > 0, "{found:?}");
        assert!(parents(&roots).contains(&(me, found.parent)));
        let (forced, voluntary) = switches(&roots.proc.join(me.to_string()));
        assert!(forced.known().is_some() && voluntary.known().is_some(), "{forced:?} {voluntary:?}");
    }
}
