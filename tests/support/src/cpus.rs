//! The CPUs on which tests measure.

/// Lists the numbers of the CPUs that this process may use, in ascending order.
pub fn allowed_cpus() -> Vec<usize> {
    let mask = rustix::thread::sched_getaffinity(None).expect("a process can read its own CPUs");
    (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect()
}

/// Returns the last CPU that this process may use. Measuring commands get it by name, since tests elsewhere may hold every lease.
pub fn last_cpu() -> u32 {
    *allowed_cpus().last().expect("a process has a CPU") as u32
}
