//! Which CPUs exist, and which of them are online.

use super::reader::Reader;
use super::{TopologyError, cpuinfo};
use model::{CpuId, CpuSet};

pub(super) const CPU_FOLDER: &str = "sys/devices/system/cpu";

#[derive(Clone, Debug)]
pub(super) struct Inventory {
    pub(super) online: CpuSet,
    pub(super) offline: CpuSet,
}

impl Inventory {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, TopologyError> {
        let online = online(reader);
        if online.is_empty() {
            let left_out = reader.warnings();
            return Err(TopologyError::NoCpus { name: reader.name().to_owned(), left_out });
        }
        // `offline` itself also lists CPUs that could be plugged in but do not exist.
        let present = reader.list(&format!("{CPU_FOLDER}/present")).filter(|present| !present.is_empty());
        let present = present.unwrap_or_else(|| folders(reader).collect());
        Ok(Self { offline: present.difference(&online), online })
    }
}

fn folders(reader: &Reader<'_>) -> impl Iterator<Item = CpuId> {
    reader.numbers(CPU_FOLDER, "cpu").into_iter().map(CpuId)
}

fn online(reader: &Reader<'_>) -> CpuSet {
    if let Some(online) = reader.list(&format!("{CPU_FOLDER}/online")).filter(|online| !online.is_empty()) {
        return online;
    }
    // Kernels before 2.6.26 have no such list; a CPU that cannot be switched off has no file `online`.
    let is_on = |cpu: &CpuId| reader.number(&format!("{CPU_FOLDER}/cpu{cpu}/online")) != Some(0);
    let online: CpuSet = folders(reader).filter(is_on).collect();
    if online.is_empty() { cpuinfo::read(reader).into_keys().collect() } else { online }
}
