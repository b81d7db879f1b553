//! Brings memory into the caches, as an earlier run would have left it.
//!
//! The kernel gives a run the pages that were freed last on its CPU. If a run of the same program has just freed them,
//! they are still in the last-level cache; a second later it contains others' data. This alone made a sieve of 24 MB
//! take 42 ms or 48 ms.

#![allow(unsafe_code)]

/// A cache line that is written once is the next to be evicted from the last-level cache; one that is written again is
/// not. With this number a sieve was as fast as right after another one. Writing once had a fifth of that effect.
const PASSES: u8 = 4;
/// The size of a cache line.
const LINE_BYTES: usize = 64;

/// Allocates this much memory from the kernel, writes all of it, and frees it.
pub fn write(bytes: usize) {
    if bytes == 0 {
        return;
    }
    // SAFETY: new memory at an address that the kernel chooses.
    let begin = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    // If there is too little memory for this, the run fails too and reports it.
    if begin == libc::MAP_FAILED {
        return;
    }
    for pass in 1..=PASSES {
        for line in (0..bytes).step_by(LINE_BYTES) {
            // SAFETY: within the mapping; volatile, since the memory is never read.
            unsafe { begin.cast::<u8>().add(line).write_volatile(pass) };
        }
    }
    // SAFETY: the same mapping, which nothing uses any more.
    unsafe { libc::munmap(begin, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults() -> i64 {
        // SAFETY: plain numbers, for which all zeros are valid; the kernel fills them in.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage), 0);
            usage.ru_minflt
        }
    }

    #[test]
    fn every_page_is_taken_from_the_kernel() {
        const PAGES: usize = 1024;
        let before = faults();
        write(PAGES * 4096 - 1);
        // If all memory comes in huge pages, there are two faults.
        assert!(faults() - before >= 2, "{} faults", faults() - before);
        write(0);
    }
}
