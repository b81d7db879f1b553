//! What `/proc/PID/stat` holds of a task.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// `PF_KTHREAD` and `PF_NO_SETAFFINITY` of the kernel's `include/linux/sched.h`.
const KERNEL_THREAD: u32 = 0x0020_0000;
const BOUND: u32 = 0x0400_0000;

pub struct Stat {
    pub name: String,
    after_name: String,
}

impl Stat {
    pub fn read(folder: &Path) -> Option<Self> {
        Self::parse(&fs::read(folder.join("stat")).ok()?)
    }

    pub fn parse(text: &[u8]) -> Option<Self> {
        // The name is in parentheses and may itself contain some.
        let open = memchr::memchr(b'(', text)?;
        let close = memchr::memrchr(b')', text)?;
        let name = String::from_utf8_lossy(text.get(open + 1..close)?).into_owned();
        Some(Self { name, after_name: std::str::from_utf8(text.get(close + 1..)?).ok()?.to_owned() })
    }

    /// Returns a field by its number in proc_pid_stat(5); the third is the first after the name.
    pub fn field<T: FromStr>(&self, number: usize) -> Option<T> {
        self.after_name.split_whitespace().nth(number - 3)?.parse().ok()
    }

    /// Returns when the task started, in ticks since boot. With it a PID identifies one process.
    pub fn start_ticks(&self) -> Option<u64> {
        self.field(22)
    }

    pub fn is_kernel_thread(&self) -> Option<bool> {
        Some(self.field::<u32>(9)? & KERNEL_THREAD != 0)
    }

    /// Returns whether the kernel lets no process move it.
    pub fn is_bound(&self) -> Option<bool> {
        Some(self.field::<u32>(9)? & BOUND != 0)
    }
}

/// Iterates over the entries of a folder whose names are numbers.
pub fn numbered(folder: &Path) -> impl Iterator<Item = (u32, PathBuf)> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
}
