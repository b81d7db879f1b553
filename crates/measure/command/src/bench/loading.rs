//! Where the load runs.

use crate::arguments::{BenchArguments, LoadCpus};
use anyhow::Context;
use labs::load::LoadPlan;
use model::CpuSet;
use terminal::failure::{because, input};
use timing::TimedPlace;

/// The kernel's mark of a file system in memory (`TMPFS_MAGIC` in linux/magic.h).
const TMPFS: i64 = 0x0102_1994;

/// Decides where the load runs.
pub fn plan(
    arguments: &BenchArguments,
    place: &mut TimedPlace,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Option<LoadPlan>> {
    let Some(kind) = arguments.load.kind() else { return Ok(None) };
    let cpus = match &arguments.load_on {
        LoadCpus::Leased => place.cpus().clone(),
        LoadCpus::Neighbours => neighbours(place, warnings)?,
        LoadCpus::List(list) => list.clone(),
    };
    if !cpus.is_subset(place.allowed()) {
        let allowed = place.allowed();
        return Err(input(format!(
            "--load-on {cpus} is not within what is allowed here, {}",
            allowed.named()
        )));
    }
    let folder = arguments.load_folder.clone();
    if kind == labs::load::LoadKind::Io {
        let volume = rustix::fs::statfs(&folder)
            .with_context(|| because(format!("cannot use --load-folder {}", folder.display())))?;
        if volume.f_type as i64 == TMPFS {
            warnings.push(format!("{} is in memory, so the io load reaches no device", folder.display()));
        }
    }
    Ok(Some(LoadPlan { kind, cpus, floating: false, folder }))
}

/// Leases CPUs for a load, other than those of the runs.
fn neighbours(place: &mut TimedPlace, warnings: &mut Vec<String>) -> anyhow::Result<CpuSet> {
    let all = place.neighbours();
    if all.is_empty() {
        return Err(input(format!(
            "there is no CPU for the load besides {}, where the runs are; --load-on leased puts it there",
            place.cpus().named()
        )));
    }
    let free = place.take_neighbours()?;
    let spared = all.difference(&free);
    if free.is_empty() {
        return Err(input(format!(
            "other tauto processes time on {}, which a load would spoil; wait for them, or name CPUs by \
             --load-on",
            spared.named()
        )));
    }
    if !spared.is_empty() {
        warnings.push(format!("there is no load on {}, where other tauto processes time", spared.named()));
    }
    Ok(free)
}
