//! The memory in which a run's processes count.

use model::{Bytes, InstructionCount};
use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

const PAGE_BYTES: u64 = 4096;
/// More processes than this are not counted, and so they end at once; a run rarely has more than a few, one after another.
const PROCESSES_MAX: u64 = 4095;
const PAGES: u64 = PROCESSES_MAX + 1;
/// The numbers of a page (`struct page` of the plugin) as 64-bit words: which are counts.
const COUNT_WORDS: [std::ops::Range<usize>; 2] = [0..2, 8..8 + 448];
const ONE_THREAD_WORD: usize = 0;
const EMULATOR_WORD: usize = 2;
const ONE_THREAD_END_WORD: usize = 3;
const PAGE_WORDS: usize = 8 + 448;

/// The memory in which the processes of one run count, each on a page of its own.
#[derive(Debug)]
pub struct Counts(OwnedFd);

impl Counts {
    /// Makes it for a run. Pages take memory only once a process counts on them, and then it is the run's.
    pub fn new() -> io::Result<Self> {
        let fd = rustix::fs::memfd_create("counts", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        rustix::fs::ftruncate(&fd, PAGES * PAGE_BYTES)?;
        // The run can write to it, so its size is fixed.
        rustix::fs::fcntl_add_seals(&fd, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        Ok(Self(fd))
    }

    /// Empties it for another run; its memory is no longer that of the last one.
    pub fn clear(&self) -> io::Result<()> {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(rustix::fs::fallocate(&self.0, hole, 0, PAGES * PAGE_BYTES)?)
    }

    /// Returns the instructions that all processes of the run have executed so far.
    ///
    /// # Errors
    /// If the number of one thread has changed after it had to be one of several, since additions were lost then.
    pub fn instructions(&self) -> io::Result<InstructionCount> {
        let mut is_lossy = false;
        let counts = |words: &[u64; PAGE_WORDS]| {
            let end = words[ONE_THREAD_END_WORD].checked_sub(1);
            is_lossy |= end.is_some_and(|end| words[ONE_THREAD_WORD] != end);
            COUNT_WORDS.into_iter().flat_map(|range| &words[range]).copied().collect()
        };
        let sum = self.sum(counts)?;
        if is_lossy {
            return Err(io::Error::other("several threads counted as one"));
        }
        Ok(InstructionCount(sum))
    }

    /// Returns the memory that is the emulator's and not the program's, as far as it is known.
    pub fn emulator_memory(&self) -> io::Result<Bytes> {
        Ok(Bytes(self.sum(|words| vec![words[EMULATOR_WORD]])?))
    }

    fn sum(&self, mut of_page: impl FnMut(&[u64; PAGE_WORDS]) -> Vec<u64>) -> io::Result<u64> {
        let mut header = [0; 8];
        self.read_at(&mut header, 0)?;
        let pages = u64::from_ne_bytes(header).min(PROCESSES_MAX);
        let mut total = 0_u64;
        for page in 1..=pages {
            let mut bytes = [0; PAGE_WORDS * 8];
            self.read_at(&mut bytes, page * PAGE_BYTES)?;
            let (chunks, _) = bytes.as_chunks::<8>();
            let mut words = [0; PAGE_WORDS];
            for (word, chunk) in words.iter_mut().zip(chunks) {
                *word = u64::from_ne_bytes(*chunk);
            }
            total = of_page(&words).into_iter().fold(total, u64::saturating_add);
        }
        Ok(total)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        // Not mapped: the size is fixed, so a read returns all.
        let read = rustix::io::pread(&self.0, &mut *bytes, offset)?;
        if read == bytes.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Returns the plugin's arguments, where this memory and the plugin's code have these descriptors.
    pub fn plugin_arguments(memory: i32, code: i32) -> String {
        format!("/proc/self/fd/{code},fd={memory},pages={PAGES},code={code}")
    }
}

impl AsFd for Counts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_processes_and_threads_are_added() {
        let counts = Counts::new().unwrap();
        assert_eq!(counts.instructions().unwrap(), InstructionCount(0));
        let write = |value: u64, at: u64| {
            rustix::io::pwrite(&counts, &value.to_ne_bytes(), at).unwrap();
        };
        write(2, 0);
        for (value, at) in [(1, 4096), (20, 4096 + 8), (300, 4096 + 64), (4000, 4096 + 64 + 447 * 8)] {
            write(value, at);
        }
        write(50_000, 2 * 4096);
        // No counts: the emulator's memory, the end of a page, and a page that no process has taken.
        for at in [4096 + 16, 4096 + 64 + 448 * 8, 3 * 4096] {
            write(1 << 40, at);
        }
        assert_eq!(counts.instructions().unwrap(), InstructionCount(54_321));
        assert_eq!(counts.emulator_memory().unwrap(), Bytes(1 << 40));
        // The first process ended to be one thread with the number that it still has.
        write(2, 4096 + 24);
        assert_eq!(counts.instructions().unwrap(), InstructionCount(54_321));
        write(2, 4096);
        assert!(counts.instructions().unwrap_err().to_string().contains("several threads"));
    }

    #[test]
    fn no_content_fails_or_overflows() {
        let counts = Counts::new().unwrap();
        for at in (0..2 * 4096).step_by(8) {
            rustix::io::pwrite(&counts, &u64::MAX.to_ne_bytes(), at).unwrap();
        }
        assert!(counts.instructions().is_err());
        rustix::io::pwrite(&counts, &[0; 8], 4096 + 24).unwrap();
        assert_eq!(counts.instructions().unwrap(), InstructionCount(u64::MAX));
        counts.clear().unwrap();
        assert_eq!(counts.instructions().unwrap(), InstructionCount(0));
        assert!(rustix::fs::ftruncate(&counts, 0).is_err(), "its size is fixed");
    }
}
