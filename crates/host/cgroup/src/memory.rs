//! Memory of a run, from its group's counters.

use crate::CgroupError;
use crate::files::{self, OpenFile};
use model::Bytes;
use rustix::event::{EventfdFlags, eventfd};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// A launcher grows by its message buffers; the kernel counts in steps of 256 KiB per CPU.
const LAUNCHER_GROWTH_MAX: Bytes = Bytes::from_mib(4);

/// The memory group of a slot under version 1. It is reused, so memory that stays charged to it matters.
#[derive(Debug)]
pub struct MemoryV1 {
    usage: OpenFile,
    usage_max: OpenFile,
    stat: OpenFile,
    oom_control: OpenFile,
    /// Becomes readable when the group is out of memory: version 1 kills one process at a time, and the others may wait
    /// for it for ever.
    oom_event: OwnedFd,
}

impl MemoryV1 {
    pub fn open(group: &Path) -> Result<Self, CgroupError> {
        let oom_control = OpenFile::open(group.join("memory.oom_control"))?;
        let registration = group.join("cgroup.event_control");
        let oom_event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| CgroupError::Read { path: registration.clone(), source: error.into() })?;
        // cgroup-v1/memory.txt, section 10: "<event_fd> <fd of memory.oom_control>".
        files::write(&registration, &format!("{} {}", oom_event.as_raw_fd(), oom_control.descriptor()))?;
        Ok(Self {
            usage: OpenFile::open(group.join("memory.usage_in_bytes"))?,
            usage_max: OpenFile::open(group.join("memory.max_usage_in_bytes"))?,
            stat: OpenFile::open(group.join("memory.stat"))?,
            oom_control,
            oom_event,
        })
    }

    /// Returns the descriptor that becomes readable when the group is out of memory.
    pub fn oom_event(&self) -> BorrowedFd<'_> {
        self.oom_event.as_fd()
    }

    pub fn usage_max(&self) -> Result<Bytes, CgroupError> {
        self.usage_max.number().map(Bytes)
    }

    pub fn forget_events(&self) {
        // It fails if there is no event, which is fine.
        let _ = rustix::io::read(&self.oom_event, &mut [0; 8]);
    }

    pub fn page_cache(&self) -> Result<Bytes, CgroupError> {
        page_cache(self.stat.path(), &self.stat.read()?, "cache")
    }

    /// Returns the memory that is held before a run begins, without page cache.
    ///
    /// Memory of an earlier run is freed some time after its end: that of killed processes, segments and sockets of
    /// removed namespaces, cached names of files that never existed. If it were taken for the launcher's own, the next
    /// run could use more than its limit, so it is an error.
    pub fn held(
        &self,
        launcher: &mut Option<Bytes>,
        retained: Bytes,
        group: &Path,
    ) -> Result<Bytes, CgroupError> {
        let held = Bytes(self.usage.number()?).saturating_sub(self.page_cache()?);
        let expected = *launcher.get_or_insert(held);
        if held.0 > expected.0 + retained.0 + LAUNCHER_GROWTH_MAX.0 {
            return Err(CgroupError::StillCharged { path: group.to_owned(), held });
        }
        Ok(held)
    }

    pub fn oom_kills(&self) -> Result<u64, CgroupError> {
        let [kills] = self.oom_control.required(["oom_kill"])?;
        Ok(kills)
    }
}

/// Returns the page cache in a `memory.stat`: the cache key includes shared memory and tmpfs, which stay.
pub fn page_cache(path: &Path, stat: &str, cache_key: &'static str) -> Result<Bytes, CgroupError> {
    let [cache, shared] = files::required(path, stat, [cache_key, "shmem"])?;
    Ok(Bytes(cache.saturating_sub(shared)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_cache_leaves_tmpfs_in() {
        let cache = |stat, key| page_cache(Path::new("memory.stat"), stat, key);
        assert_eq!(cache("cache 9000\nrss 5\nshmem 4000\n", "cache").unwrap(), Bytes(5000));
        assert_eq!(cache("anon 1\nfile 8192\nshmem 8192\n", "file").unwrap(), Bytes(0));
    }

    #[test]
    fn missing_number_is_not_zero() {
        let error = page_cache(Path::new("memory.stat"), "cache 9000\n", "cache").unwrap_err();
        assert_eq!(error.to_string(), "memory.stat has no number 'shmem'");
    }
}
