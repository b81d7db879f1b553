//! Which CPUs a process may use.

#![allow(unsafe_code)]

use crate::sys::check;
use std::io;

/// A set of CPUs, with room for the largest kernel build (8192 CPUs); cpu_set_t has only 1024.
pub struct Affinity([u64; 128]);

impl Affinity {
    pub fn read() -> io::Result<Self> {
        let mut mask = [0; 128];
        // SAFETY: the mask is as long as said; the kernel fills it.
        check(unsafe { libc::sched_getaffinity(0, std::mem::size_of_val(&mask), mask.as_mut_ptr().cast()) })?;
        Ok(Self(mask))
    }

    pub fn set(&self) -> io::Result<()> {
        // SAFETY: the mask is as long as said and only read.
        check(unsafe { libc::sched_setaffinity(0, std::mem::size_of_val(&self.0), self.0.as_ptr().cast()) })?;
        Ok(())
    }
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
