//! Processes that a benchmark starts and watches.

use anyhow::{Context, Result};
use std::fmt::Display;
use std::process::{Child, Command};

pub struct KilledOnDrop(pub Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // Fails if it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Programs that compute until this is dropped.
pub struct Busy(#[expect(dead_code, reason = "they end with it")] Vec<KilledOnDrop>);

impl Busy {
    pub fn begin(count: usize) -> Result<Self> {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
        let busy = (0..count).map(|_| Ok(KilledOnDrop(busy()?)));
        Ok(Self(busy.collect::<Result<_>>()?))
    }
}

/// Returns an amount of memory in a process's status, such as `VmRSS` or its peak, `VmHWM`.
pub fn memory_mib(process: impl Display, key: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let kib = memory_kib(&status, key).with_context(|| format!("the status has no {key}"))?;
    Ok(kib as f64 / 1024.0)
}

pub fn memory_kib(status: &str, key: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    rest.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_memory_is_read() {
        assert_eq!(memory_kib("VmPeak:\t  9 kB\nVmHWM:\t    1234 kB\n", "VmHWM"), Some(1234));
        assert_eq!(memory_kib("Name:\tzombie\n", "VmHWM"), None);
    }
}
