//! The kernel's own work whose CPUs can be changed.

use crate::affinity;
use model::CpuSet;
use rustix::io::Errno;
use rustix::thread::Pid;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use system::Roots;
use system::task::{Stat, numbered};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MovableId {
    Interrupt(u32),
    /// A kernel thread: its start time makes the number unique.
    Thread {
        pid: u32,
        start_ticks: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Movable {
    pub(super) what: MovableId,
    pub(super) name: String,
    pub(super) cpus: CpuSet,
    /// Those of them that it uses at present.
    pub(super) served_by: CpuSet,
}

pub(super) trait Movables {
    fn boot(&self) -> String;
    fn list(&self) -> Vec<Movable>;
    fn put(&mut self, what: &MovableId, cpus: &CpuSet) -> Result<(), Refusal>;
}

#[derive(Debug)]
pub(super) enum Refusal {
    /// The kernel places it itself, or it no longer exists.
    Managed,
    NoRight(io::Error),
}

/// The machine that this process runs on. A synthetic one has no threads.
pub(super) struct Host {
    roots: Roots,
    threads: bool,
}

impl Host {
    pub(super) fn here() -> Self {
        Self { roots: Roots::host(), threads: true }
    }

    fn interrupts(&self) -> impl Iterator<Item = Movable> + '_ {
        numbered(&self.roots.resolve(Path::new("/proc/irq"))).filter_map(|(number, folder)| {
            let list = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<CpuSet>().ok();
            let cpus = list("smp_affinity_list")?;
            // Kernels without this file do not show which CPU it is; an unused interrupt has none.
            let served_by = list("effective_affinity_list").unwrap_or_else(|| cpus.clone());
            let name = format!("interrupt {number}");
            Some(Movable { what: MovableId::Interrupt(number), name, cpus, served_by })
        })
    }

    fn kernel_threads(&self) -> impl Iterator<Item = Movable> + '_ {
        let processes = self.threads.then(|| numbered(&self.roots.proc)).into_iter().flatten();
        processes.filter_map(|(pid, folder)| {
            let (name, start_ticks) = movable_thread(Stat::read(&folder)?)?;
            let cpus = affinity::cpus_of(Some(thread(pid)?)).ok()?;
            let what = MovableId::Thread { pid, start_ticks };
            Some(Movable { what, name: format!("kernel thread {name}"), served_by: cpus.clone(), cpus })
        })
    }
}

impl Movables for Host {
    fn boot(&self) -> String {
        let text = fs::read_to_string(self.roots.resolve(Path::new("/proc/sys/kernel/random/boot_id")));
        text.unwrap_or_default().trim().to_owned()
    }

    fn list(&self) -> Vec<Movable> {
        self.interrupts().chain(self.kernel_threads()).collect()
    }

    fn put(&mut self, what: &MovableId, cpus: &CpuSet) -> Result<(), Refusal> {
        match what {
            MovableId::Interrupt(number) => {
                let path = format!("/proc/irq/{number}/smp_affinity_list");
                let mut file = match File::options().write(true).open(self.roots.resolve(Path::new(&path))) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Managed),
                    opened => opened.map_err(Refusal::NoRight)?,
                };
                // If it can be opened, writing is permitted; kernels refuse a managed interrupt with EIO or EPERM.
                file.write_all(format!("{cpus}\n").as_bytes()).map_err(|_| Refusal::Managed)
            }
            MovableId::Thread { pid, .. } => {
                let thread = thread(*pid).ok_or(Refusal::Managed)?;
                affinity::put_on(Some(thread), cpus).map_err(|errno| match errno {
                    Errno::PERM => Refusal::NoRight(errno.into()),
                    _ => Refusal::Managed,
                })
            }
        }
    }
}

/// Returns the name and start time of a kernel thread if it can be moved.
fn movable_thread(stat: Stat) -> Option<(String, u64)> {
    let is_movable = stat.is_kernel_thread()? && !stat.is_bound()?;
    let start_ticks = stat.start_ticks()?;
    is_movable.then_some((stat.name, start_ticks))
}

/// Returns a thread's number as a system call takes it; `None` for 0, which would mean the caller.
fn thread(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_are_read_and_written_where_the_kernel_has_them() {
        let top = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = top.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file("proc/irq/24/smp_affinity_list", "0-3\n");
        file("proc/irq/24/effective_affinity_list", "3\n");
        file("proc/irq/25/smp_affinity_list", "1\n");
        file("proc/irq/26/spurious", "count 0\n");
        file("proc/irq/default_smp_affinity", "f\n");
        file("proc/sys/kernel/random/boot_id", "abc\n");
        let mut host = Host { roots: Roots::under(top.path()), threads: false };
        let mut found: Vec<_> =
            host.list().into_iter().map(|found| (found.what, found.served_by.to_string())).collect();
        found.sort();
        assert_eq!(
            found,
            [(MovableId::Interrupt(24), "3".to_owned()), (MovableId::Interrupt(25), "1".to_owned())]
        );
        assert_eq!(host.boot(), "abc");
        host.put(&MovableId::Interrupt(24), &"0,2-3".parse().unwrap()).unwrap();
        assert_eq!(fs::read_to_string(top.path().join("proc/irq/24/smp_affinity_list")).unwrap(), "0,2-3\n");
        let gone = host.put(&MovableId::Interrupt(99), &"0".parse().unwrap()).unwrap_err();
        assert!(matches!(gone, Refusal::Managed));
    }

    #[test]
    fn only_kernel_threads_that_are_not_bound_are_moved() {
        let thread = |text: &str| Stat::parse(text.as_bytes()).and_then(movable_thread);
        let stat = |name: &str, flags: u64| {
            thread(&format!("15 ({name}) S 2 0 0 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 42 0 0"))
        };
        assert_eq!(stat("rcu) (x", 0x0020_8040), Some(("rcu) (x".to_owned(), 42)));
        assert_eq!(stat("ksoftirqd/0", 0x0420_8040), None);
        assert_eq!(stat("sh", 0x0040_0000), None);
        assert_eq!(thread("15 (cut"), None);
    }
}
