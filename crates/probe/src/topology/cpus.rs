//! Which CPUs there are, and which of them are switched on.

use super::{Source, TopologyError, cpuinfo};
use model::{CpuId, CpuSet};

pub(super) const CPU_FOLDER: &str = "sys/devices/system/cpu";

/// The CPUs that are there.
#[derive(Clone, Debug)]
pub(super) struct Inventory {
    pub(super) online: CpuSet,
    pub(super) offline: CpuSet,
}

impl Inventory {
    pub(super) fn read(source: &Source) -> Result<Self, TopologyError> {
        let online = online(source)?;
        if online.is_empty() {
            return Err(TopologyError::NoCpus { name: source.name().to_owned() });
        }
        // `offline` itself also lists CPUs that could be plugged in and are not there.
        let present = source.list(&format!("{CPU_FOLDER}/present"))?.filter(|present| !present.is_empty());
        let present = present.unwrap_or_else(|| folders(source).collect());
        Ok(Self { offline: present.difference(&online), online })
    }
}

fn folders(source: &Source) -> impl Iterator<Item = CpuId> {
    source.numbers(CPU_FOLDER, "cpu").into_iter().map(CpuId)
}

fn online(source: &Source) -> Result<CpuSet, TopologyError> {
    if let Some(online) = source.list(&format!("{CPU_FOLDER}/online"))?.filter(|online| !online.is_empty()) {
        return Ok(online);
    }
    // Kernels before 2.6.26 have no such list; a CPU that cannot be switched off has no file `online`.
    let mut online = CpuSet::new();
    for cpu in folders(source) {
        if source.number(&format!("{CPU_FOLDER}/cpu{cpu}/online"))? != Some(0) {
            online.insert(cpu);
        }
    }
    if online.is_empty() {
        online = cpuinfo::read(source)?.into_keys().collect();
    }
    Ok(online)
}
