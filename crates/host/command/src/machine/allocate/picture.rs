//! Which lease has which core over time, as a picture.

use allocator::{Block, LeaseId, Machine, Standing};
use model::{CpuSet, Nanos};
use plot::{Stay, Timeline, TimelineBlock, TimelineRow};
use std::collections::BTreeMap;

/// A change of a lease's CPUs; an empty set ends the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The time from the beginning of the picture; the number of the step if steps are drawn.
    pub at: Nanos,
    pub lease: LeaseId,
    /// All of its CPUs from then on.
    pub cpus: CpuSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Time,
    Steps,
}

/// Draws as SVG which lease had which core, from 0 to an end. Changes are applied in the order of their times; those
/// with equal times in the given order.
pub fn timeline(machine: &Machine, changes: &[Change], end: Nanos, axis: Axis) -> String {
    let mut stays = stays(machine, changes, end);
    let cores: Vec<(CpuSet, Standing)> = machine.cores().collect();
    let mut row = |core: usize| {
        let (cpus, standing) = &cores[core];
        let note = match standing {
            Standing::Usable => "",
            Standing::Housekeeping => " kept",
            Standing::NotAllowed => " barred",
        };
        TimelineRow {
            name: format!("{}{note}", cpus.named()),
            is_off: *standing != Standing::Usable,
            stays: std::mem::take(&mut stays[core]),
        }
    };
    let blocks = Block::all(machine)
        .into_iter()
        .map(|block| TimelineBlock { name: block.name, rows: block.cores.map(&mut row).collect() })
        .collect();
    let has_off = cores.iter().any(|(_, standing)| *standing != Standing::Usable);
    let off = if has_off { "; grey: kept for housekeeping, or not allowed" } else { "" };
    Timeline {
        title: "Who has which core".to_owned(),
        blocks,
        end: end.0,
        moment: match axis {
            Axis::Time => |at| Nanos(at).to_string(),
            Axis::Steps => |at| format!("step {at}"),
        },
        note: format!(
            "A row for each core; a block is a lease, with colour, pattern and name; bare rows are free{off}."
        ),
    }
    .draw()
}

/// Computes from the changes which lease has each core at what time.
fn stays(machine: &Machine, changes: &[Change], end: Nanos) -> Vec<Vec<Stay>> {
    let mut ordered: Vec<&Change> = changes.iter().filter(|change| change.at < end).collect();
    ordered.sort_by_key(|change| change.at);
    let mut stays: Vec<Vec<Stay>> = vec![Vec::new(); machine.cores().count()];
    let mut open: BTreeMap<usize, (&LeaseId, Nanos)> = BTreeMap::new();
    let mut close = |core: usize, (lease, from): (&LeaseId, Nanos), to: Nanos| {
        if from < to {
            stays[core].push(Stay { who: lease.to_string(), from: from.0, to: to.0 });
        }
    };
    for change in ordered {
        let cores: Vec<usize> = change.cpus.iter().filter_map(|cpu| machine.core_of(cpu)).collect();
        open.retain(|core, stay| {
            let stays = stay.0 != &change.lease || cores.contains(core);
            if !stays {
                close(*core, *stay, change.at);
            }
            stays
        });
        for core in cores {
            match open.insert(core, (&change.lease, change.at)) {
                // It stays on the same core.
                Some(stay) if stay.0 == &change.lease => drop(open.insert(core, stay)),
                Some(stay) => close(core, stay, change.at),
                None => {}
            }
        }
    }
    for (core, stay) in open {
        close(core, stay, end);
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;
    use allocator::Regular;

    fn change(at: u64, lease: &str, cpus: &str) -> Change {
        Change { at: Nanos(at), lease: LeaseId::new(lease), cpus: cpus.parse().unwrap() }
    }

    #[test]
    fn changes_become_stays() {
        let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 4, threads: 2 };
        let machine = Machine::new(&shape.topology(), &"0".parse::<CpuSet>().unwrap()).unwrap();
        let changes = [
            change(5, "a", "3"),
            change(0, "a", "1-2"),
            change(3, "b", "3"),
            change(4, "b", ""),
            change(9, "c", "1"),
        ];
        let shown = |core: &Vec<Stay>| -> String {
            core.iter().map(|stay| format!("{} {}-{};", stay.who, stay.from, stay.to)).collect()
        };
        let shown: Vec<String> = stays(&machine, &changes, Nanos(9)).iter().map(shown).collect();
        assert_eq!(shown, ["", "a 0-5;", "a 0-5;", "b 3-4;a 5-9;"]);
        let svg = timeline(&machine, &changes, Nanos(9), Axis::Steps);
        assert!(svg.contains(">CPUs 0,4 kept<") && svg.contains("bare rows are free; grey"), "{svg}");
    }
}
