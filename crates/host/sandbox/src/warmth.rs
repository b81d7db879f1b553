//! Memory as a run before would have left it: in the caches.
//!
//! The kernel gives a run the pages that were freed last on its CPU. If a run of the same program has just left them,
//! they are still in the last-level cache; a second later others' data is there. That alone made a sieve of 24 MB take 42 ms
//! or 48 ms.

#![allow(unsafe_code)]

/// A line that is written once is the next to leave a last-level cache, one that is written again is not: so often that a
/// sieve was as fast as straight after another one. Writing once gave it a fifth of that.
const PASSES: u8 = 4;
/// What a processor fetches at a time.
const LINE_BYTES: usize = 64;

/// Takes so much memory from the kernel, writes to all of it, and gives it back.
pub fn write(bytes: usize) {
    if bytes == 0 {
        return;
    }
    // SAFETY: new memory at no address of ours.
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
    // Too little memory for this is too little for a run, which will say so.
    if begin == libc::MAP_FAILED {
        return;
    }
    for pass in 1..=PASSES {
        for line in (0..bytes).step_by(LINE_BYTES) {
            // SAFETY: within what was mapped; volatile, since nobody ever reads it.
            unsafe { begin.cast::<u8>().add(line).write_volatile(pass) };
        }
    }
    // SAFETY: the same mapping, to which nothing points any more.
    unsafe { libc::munmap(begin, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults() -> i64 {
        // SAFETY: plain numbers, of which all zeros are some; the kernel fills them in.
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
        // Where all memory comes in huge pages there are two.
        assert!(faults() - before >= 2, "{} faults", faults() - before);
        write(0);
    }
}
