//! Which CPUs a process may use.

#![allow(unsafe_code)]

use crate::sys::check;
use std::io;

/// A set of CPUs, with room for the largest kernel build (8192 CPUs); cpu_set_t has only 1024.
#[derive(Clone)]
pub struct Affinity([u64; 128]);

impl Affinity {
    pub fn read() -> io::Result<Self> {
        let mut mask = [0; 128];
        // SAFETY: the mask has the given length; the kernel fills it.
        check(unsafe { libc::sched_getaffinity(0, std::mem::size_of_val(&mask), mask.as_mut_ptr().cast()) })?;
        Ok(Self(mask))
    }

    pub fn set(&self) -> io::Result<()> {
        self.set_for(0)
    }

    pub fn set_for(&self, pid: i32) -> io::Result<()> {
        // SAFETY: the mask has the given length and is only read.
        check(unsafe {
            libc::sched_setaffinity(pid, std::mem::size_of_val(&self.0), self.0.as_ptr().cast())
        })?;
        Ok(())
    }

    pub fn idle_others(&self) -> Option<Self> {
        let load = std::fs::read_to_string("/proc/loadavg").ok()?;
        if running(&load)? > 1 {
            return None;
        }
        // SAFETY: no arguments.
        let cpu = usize::try_from(unsafe { libc::sched_getcpu() }).ok()?;
        self.without(cpu)
    }

    fn without(&self, cpu: usize) -> Option<Self> {
        let mut others = self.clone();
        *others.0.get_mut(cpu / 64)? &= !(1 << (cpu % 64));
        others.0.iter().any(|word| *word != 0).then_some(others)
    }
}

/// Returns how many tasks of the machine run or wait for a CPU (proc_loadavg(5)).
fn running(load: &str) -> Option<u32> {
    load.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

pub fn bind_to_cpus(cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut affinity = Affinity([0; 128]);
    for cpu in cpus {
        let word = affinity.0.get_mut(*cpu as usize / 64);
        *word.ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))? |= 1 << (cpu % 64);
    }
    affinity.set()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_that_run_are_read() {
        assert_eq!(running("0.31 1.14 1.72 1/167 22621\n"), Some(1));
        assert_eq!(running("0.31 1.14 1.72 12/167 22621\n"), Some(12));
        assert_eq!(running("0.31 1.14 1.72\n"), None);
    }

    #[test]
    fn the_only_cpu_has_no_others() {
        let mut both = Affinity([0; 128]);
        both.0[1] = 0b11;
        let other = both.without(64).unwrap();
        assert_eq!(other.0[1], 0b10);
        assert!(other.without(65).is_none());
        assert!(other.without(64 * 128).is_none());
    }
}
