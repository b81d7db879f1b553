//! The machine and its leases: the present ones, or those of a file and options.

use super::picture::Change;
use crate::arguments::AllocateArguments;
use crate::machine::topology;
use allocator::{Class, Holder, LeaseId, Leases, Machine, Recorded, Span};
use anyhow::Context;
use cpus::Registry;
use model::{Bytes, CpuSet, Nanos};
use std::io::Read;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use terminal::failure::{because, input, input_with_hint};

/// Larger than a file with a lease for every CPU of the largest machine and a long history.
const STATE_BYTES_MAX: u64 = 16 << 20;
/// A picture has no room for more.
const HISTORY_MAX: usize = 100_000;

pub struct State {
    pub name: String,
    pub warnings: Vec<String>,
    pub leases: Leases,
    /// The same with the housekeeping core, which a run of this machine gets if nothing else is left.
    pub with_housekeeping: Option<Leases>,
    pub history: Vec<Change>,
}

impl State {
    /// Reads the files named by the options, otherwise this machine and the leases of its processes.
    pub fn read(arguments: &AllocateArguments) -> anyhow::Result<Self> {
        let is_live = arguments.from.is_none() && arguments.state.is_none() && arguments.leased.is_empty();
        let (name, described) = topology::read(arguments.from.as_deref())?;
        let warnings = described.warnings.clone();
        if is_live {
            let registry = Registry::of_described(Registry::FOLDER, described);
            let housekeeping = arguments.housekeeping.as_ref().unwrap_or(registry.housekeeping());
            let leases = registry.leases(housekeeping, &registry.holders()?)?;
            let with_housekeeping = match arguments.housekeeping {
                Some(_) => None,
                None => Some(registry.leases(&CpuSet::new(), &registry.holders()?)?),
            };
            return Ok(Self { name, warnings, leases, with_housekeeping, history: Vec::new() });
        }
        let file = arguments.state.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let housekeeping = match &arguments.housekeeping {
            Some(cpus) => cpus.clone(),
            None => cpus(&file.housekeeping, "housekeeping")?,
        };
        let machine =
            Machine::new(&described.topology, &housekeeping).map_err(|error| input(error.to_string()))?;
        let mut leases = Leases::new(Arc::new(machine));
        for (at, lease) in file.leases.iter().enumerate() {
            enter(&mut leases, lease)
                .with_context(|| because(format!("leases[{at}] of the state is wrong")))?;
        }
        for (at, (name, cpus)) in arguments.leased.iter().enumerate() {
            let id = name.clone().unwrap_or_else(|| format!("leased-{}", at + 1));
            record(&mut leases, plain(LeaseId::new(&id), cpus.clone()))?;
        }
        let history = file.history.iter().enumerate().map(|(at, entry)| {
            let field = format!("history[{at}].cpus");
            let cpus = cpus(&entry.cpus, &field)?;
            Ok(Change { at: Nanos(entry.at_ns), lease: LeaseId::new(&entry.lease), cpus })
        });
        let history = history.collect::<anyhow::Result<_>>()?;
        Ok(Self { name, warnings, leases, with_housekeeping: None, history })
    }
}

fn read_file(path: &Path) -> anyhow::Result<documents::LeasesFile> {
    let shown = path.display();
    let cannot = || because(format!("cannot read the state in {shown}"));
    let mut text = String::new();
    let file = std::fs::File::open(path).with_context(cannot)?;
    file.take(STATE_BYTES_MAX + 1).read_to_string(&mut text).with_context(cannot)?;
    if text.len() as u64 > STATE_BYTES_MAX {
        return Err(input(format!("the state in {shown} is larger than {}", Bytes(STATE_BYTES_MAX))));
    }
    let file: documents::LeasesFile = documents::from_json(&text).with_context(cannot)?;
    if file.history.len() > HISTORY_MAX {
        return Err(input(format!("the history in {shown} has more than {HISTORY_MAX} entries")));
    }
    Ok(file)
}

fn cpus(list: &str, field: &str) -> anyhow::Result<CpuSet> {
    list.parse().with_context(|| because(format!("{field} of the state is wrong")))
}

fn plain(id: LeaseId, cpus: CpuSet) -> Recorded {
    Recorded { id, cpus, class: Class::Compute, within: Span::Machine, memory: Bytes(0), pinned: false }
}

fn record(leases: &mut Leases, lease: Recorded) -> anyhow::Result<()> {
    leases.record(lease).map(|_| ()).map_err(|error| input(error.to_string()))
}

fn enter(leases: &mut Leases, entry: &documents::LeaseEntry) -> anyhow::Result<()> {
    let id = LeaseId::new(&entry.id);
    let more_than_0 = |number: u32, field: &str| {
        NonZeroU32::new(number).ok_or_else(|| input(format!("{field} is 0, and must be 1 or more")))
    };
    let class = match entry.class.as_str() {
        "compute" => Class::Compute,
        "memory-bound" => {
            Class::MemoryBound { per_l3_max: more_than_0(entry.neighbours_max, "neighbours_max")? }
        }
        other => return Err(input_with_hint(format!("class is '{other}'"), "it is compute or memory-bound")),
    };
    let within = Span::ALL.into_iter().find(|span| span.id() == entry.within).ok_or_else(|| {
        let known = Span::ALL.map(Span::id).join(", ");
        input_with_hint(format!("within is '{}'", entry.within), format!("it is one of {known}"))
    })?;
    let lease = Recorded {
        class,
        within,
        memory: Bytes(entry.memory_bytes),
        pinned: entry.pinned,
        ..plain(id.clone(), entry.cpus.parse().context(because("cpus cannot be read"))?)
    };
    record(leases, lease)?;
    let Some(shared) = &entry.shared else { return Ok(()) };
    let wrong = |error: allocator::ShareError| input(error.to_string());
    leases.share(&id, more_than_0(shared.promise_percent, "promise_percent")?).map_err(wrong)?;
    for holder in &shared.holders {
        let held =
            Holder { cpus: more_than_0(holder.cpus, "cpus")?, weight: more_than_0(holder.weight, "weight")? };
        leases.join(&id, LeaseId::new(&holder.id), held).map_err(wrong)?;
    }
    Ok(())
}
