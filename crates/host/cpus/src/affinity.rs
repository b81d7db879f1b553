//! The CPUs that this process may use, and the one it is on.

use model::{CpuId, CpuSet};
use rustix::thread::Pid;
use std::io;

pub fn allowed_cpus() -> io::Result<CpuSet> {
    Ok(cpus_of(None)?)
}

/// Keeps the calling thread, and every thread it starts from now on, on these CPUs.
pub fn stay_on(cpus: &CpuSet) -> io::Result<()> {
    Ok(put_on(None, cpus)?)
}

/// Returns whether a thread of this process may be on these CPUs: not if all of them are in partitions of other control
/// groups.
pub fn may_be_on(cpus: &CpuSet) -> bool {
    // A separate thread tries it, so that the caller stays where it is.
    std::thread::scope(|scope| scope.spawn(|| put_on(None, cpus).is_ok()).join()).unwrap_or(false)
}

/// Lists the CPUs that a thread may use; `None` is the calling thread.
pub(crate) fn cpus_of(thread: Option<Pid>) -> rustix::io::Result<CpuSet> {
    let mask = rustix::thread::sched_getaffinity(thread)?;
    let numbers = 0..rustix::thread::CpuSet::MAX_CPU;
    Ok(numbers.filter(|cpu| mask.is_set(*cpu)).map(|cpu| CpuId(cpu as u32)).collect())
}

/// Puts a thread on CPUs; `None` is the calling thread.
pub(crate) fn put_on(thread: Option<Pid>, cpus: &CpuSet) -> rustix::io::Result<()> {
    let mut mask = rustix::thread::CpuSet::new();
    for cpu in cpus.iter().filter(|cpu| (cpu.0 as usize) < rustix::thread::CpuSet::MAX_CPU) {
        mask.set(cpu.0 as usize);
    }
    rustix::thread::sched_setaffinity(thread, &mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_where_it_is_put_and_others_do_not() {
        let all = allowed_cpus().unwrap();
        let last: CpuSet = all.iter().next_back().into_iter().collect();
        let moved = std::thread::spawn({
            let last = last.clone();
            move || stay_on(&last).and_then(|()| allowed_cpus())
        });
        assert_eq!(moved.join().unwrap().unwrap(), last);
        assert_eq!(allowed_cpus().unwrap(), all);
        assert!(stay_on(&CpuSet::new()).is_err(), "nowhere is no place");
        assert!(may_be_on(&last) && !may_be_on(&CpuSet::new()));
        assert_eq!(allowed_cpus().unwrap(), all);
    }
}
