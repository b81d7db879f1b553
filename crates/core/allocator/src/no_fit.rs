//! Why a request was refused, as data and in words.

use crate::choice::Supply;
use crate::leases::{Leases, Owner};
use crate::machine::Group;
use crate::{Class, LeaseId, Request, Siblings, Span};
use model::counted;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFit {
    pub request: Request,
    pub cores_needed: u32,
    /// Free cores that it could use if they were placed as it requires.
    pub cores_free: u32,
    /// Cores that it could use if nothing were leased.
    pub cores_usable: u32,
    /// The kind of those cores, on a machine with several.
    pub kind: Option<String>,
    /// CPUs with which the same request would fit.
    pub cpus_that_fit: u32,
    pub why: Why,
    /// Leases whose end would make room where the least is missing, the largest first.
    pub blockers: Vec<Blocker>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The machine has no such kind of core.
    NoSuchKind,
    /// The machine has no NUMA node of this number with CPUs; these are the ones it has.
    NoSuchNumaNode(Vec<u32>),
    /// The machine does not report such domains.
    NoSuchSpan,
    /// It would not fit if nothing were leased.
    TooLarge,
    /// Too many cores are leased.
    Taken,
    /// Enough cores are free, but too few of them together.
    Scattered,
    /// There would be room, but there are more memory-bound leases nearby than one of them tolerates.
    TooManyNeighbours,
}

/// A lease that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    pub id: LeaseId,
    /// How many cores it has where the request would go.
    pub cores: u32,
    pub pinned: bool,
}

impl NoFit {
    /// Finds out why a request is refused.
    pub(crate) fn of(leases: &Leases, request: &Request) -> Self {
        let machine = leases.machine();
        let empty = |why| Self {
            request: *request,
            cores_needed: request.cpus.get(),
            cores_free: 0,
            cores_usable: 0,
            kind: None,
            cpus_that_fit: 0,
            why,
            blockers: Vec::new(),
        };
        if let Some(node) = request.numa_node
            && machine.cells.iter().all(|cell| cell.numa_node != Some(node))
        {
            let mut nodes: Vec<u32> = machine.cells.iter().filter_map(|cell| cell.numa_node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            return empty(Why::NoSuchNumaNode(nodes));
        }
        if !(0..machine.parts.len()).any(|part| machine.is_within(part, request.within)) {
            return empty(Why::NoSuchSpan);
        }
        let groups = machine.groups_for(request);
        let reports = groups.map(|(group, cores)| Self::of_group(leases, request, group, cores));
        // The group in which the least is missing.
        let missing = |report: &Self| {
            (report.why == Why::TooLarge, report.cores_needed.saturating_sub(report.cores_free))
        };
        reports.min_by_key(missing).unwrap_or_else(|| empty(Why::NoSuchKind))
    }

    fn of_group(leases: &Leases, request: &Request, group: &Group, needed: u32) -> Self {
        let machine = leases.machine();
        let now = leases.supply(request, group);
        let anywhere = Request { class: Class::Compute, ..*request };
        let unbarred = leases.supply(&anywhere, group);
        let usable = Supply::new(machine, |cell| {
            if leases.may_use(&anywhere, group, cell) { machine.cells[cell].usable } else { 0 }
        });
        let (mut most_usable, mut most_unbarred, mut most_now) = (0, 0, 0);
        let mut target = None;
        for part in machine.by_rank.iter().copied().filter(|part| machine.is_within(*part, request.within)) {
            let [usable, unbarred, now] = [&usable, &unbarred, &now].map(|had| had.of_part(machine, part));
            most_usable = most_usable.max(usable);
            most_unbarred = most_unbarred.max(unbarred);
            most_now = most_now.max(now);
            if usable >= needed {
                target = target.max(Some((now, unbarred, part)));
            }
        }
        let why = match () {
            () if most_usable < needed => Why::TooLarge,
            () if most_unbarred >= needed => Why::TooManyNeighbours,
            () if unbarred.of_part(machine, 0) >= needed => Why::Scattered,
            () => Why::Taken,
        };
        let threads = if request.siblings == Siblings::Used { group.threads.unwrap_or(1) } else { 1 };
        Self {
            request: *request,
            cores_needed: needed,
            cores_free: unbarred.of_part(machine, 0),
            cores_usable: usable.of_part(machine, 0),
            kind: group
                .kind
                .filter(|_| machine.kinds.len() > 1)
                .and_then(|kind| machine.kinds.get(kind))
                .cloned(),
            cpus_that_fit: most_now * threads,
            why,
            blockers: target
                .map(|(_, _, part)| blockers(leases, request, group, part, needed))
                .unwrap_or_default(),
        }
    }

    /// Returns how to make the request succeed.
    pub fn remedy(&self) -> String {
        let mut ways: Vec<String> = Vec::new();
        let wider = self.request.within != Span::Machine;
        if self.cpus_that_fit > 0 {
            ways.push(format!("request at most {}", counted(self.cpus_that_fit, "CPU")));
        }
        match &self.why {
            Why::NoSuchKind => ways.push("leave the kind out, or name one that the machine has".to_owned()),
            Why::NoSuchNumaNode(nodes) => ways.push(match nodes.as_slice() {
                [] => "leave it out: the machine reports none".to_owned(),
                nodes => format!("name one of {}", list(nodes.iter().map(ToString::to_string), "or")),
            }),
            Why::NoSuchSpan => {}
            Why::TooLarge if self.cpus_that_fit == 0 => ways.push("request fewer CPUs".to_owned()),
            Why::TooLarge | Why::Taken => {}
            Why::Scattered => ways.push("move leases together (defragment)".to_owned()),
            Why::TooManyNeighbours => ways.push("bear more memory-bound neighbours".to_owned()),
        }
        match &self.why {
            Why::NoSuchSpan | Why::Scattered => ways.push("allow a wider part of the machine".to_owned()),
            Why::TooLarge if wider => ways.push("allow a wider part of the machine".to_owned()),
            Why::TooLarge => ways.push("use a larger machine".to_owned()),
            _ => {}
        }
        if !self.blockers.is_empty() {
            ways.push(format!("wait until {} ended", self.blockers_in_words()));
        }
        list(ways.into_iter(), "or")
    }

    fn blockers_in_words(&self) -> String {
        let names = self.blockers.iter().map(|blocker| {
            let pinned = if blocker.pinned { ", pinned" } else { "" };
            format!("'{}' ({}{pinned})", blocker.id, counted(blocker.cores, "core"))
        });
        let have = if self.blockers.len() == 1 { "has" } else { "have" };
        format!("{} {have}", list(names, "and"))
    }
}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { cpus, siblings, within, .. } = self.request;
        let (needed, free) = (self.cores_needed, self.cores_free);
        let cores = match siblings {
            Siblings::Idle => format!("{} with idle siblings", counted(needed, "whole core")),
            Siblings::Used => counted(needed, "whole core"),
        };
        let place = match within {
            Span::Machine => String::new(),
            span => format!(" in one {span}"),
        };
        let kind = self.kind.as_ref().map(|kind| format!(" of the kind '{kind}'")).unwrap_or_default();
        let wish = format!(
            "{} need{} {cores}{place}",
            counted(cpus.get(), "CPU"),
            if cpus.get() == 1 { "s" } else { "" }
        );
        match &self.why {
            Why::NoSuchKind => write!(f, "the machine has no core of the kind asked for"),
            Why::NoSuchNumaNode(_) => {
                let node = self.request.numa_node.unwrap_or_default();
                write!(f, "the machine has no NUMA node {node} with CPUs")
            }
            Why::NoSuchSpan => write!(f, "the machine reports no {within}"),
            Why::TooLarge => write!(
                f,
                "{wish}; even if nothing were leased there would not be as many ({}{kind})",
                counted(self.cores_usable, "usable core")
            ),
            Why::Taken => {
                write!(f, "{wish}; {free} of {} usable cores{kind} {} free", self.cores_usable, are(free))
            }
            Why::Scattered => write!(
                f,
                "{wish}; {free} cores are free, but at most {} can be had together",
                counted(self.cpus_that_fit, "CPU")
            ),
            Why::TooManyNeighbours => write!(
                f,
                "{wish}; they are free, but only next to as many memory-bound leases as those or this one accept"
            ),
        }
    }
}

impl std::error::Error for NoFit {}

fn are(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn list(words: impl Iterator<Item = String>, joined_by: &str) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {joined_by} {last}", others.join(", ")),
    }
}

/// Finds leases in a part whose end would free the cores that the request needs there, large ones first.
fn blockers(leases: &Leases, request: &Request, group: &Group, part: usize, needed: u32) -> Vec<Blocker> {
    let machine = leases.machine();
    let anywhere = Request { class: Class::Compute, ..*request };
    let mut open: Vec<usize> =
        machine.parts[part].cells.clone().filter(|cell| leases.may_use(request, group, *cell)).collect();
    let mut barred: Vec<usize> = machine.parts[part]
        .cells
        .clone()
        .filter(|cell| leases.may_use(&anywhere, group, *cell) && !leases.may_use(request, group, *cell))
        .collect();
    let mut gone: Vec<(u32, u32)> = Vec::new();
    let mut is_gone = vec![false; leases.slot_count()];
    loop {
        let mut had = 0;
        let mut held = vec![0; leases.slot_count()];
        for core in open.iter().flat_map(|cell| machine.cells[*cell].cores.clone()) {
            match leases.owner(core) {
                Owner::Slot(slot) if !is_gone[slot as usize] => held[slot as usize] += 1,
                Owner::Slot(_) | Owner::Free => had += 1,
                Owner::Unusable => {}
            }
        }
        let holders = held.iter().enumerate().filter(|(_, cores)| **cores > 0);
        let mut largest: BinaryHeap<(u32, Reverse<usize>)> =
            holders.map(|(slot, cores)| (*cores, Reverse(slot))).collect();
        while had < needed {
            let Some((cores, Reverse(slot))) = largest.pop() else { break };
            had += cores;
            is_gone[slot] = true;
            gone.push((slot as u32, cores));
        }
        if had >= needed || barred.is_empty() {
            break;
        }
        // Unblock one cache, its least tolerant leases first.
        let cache = machine.cells[barred[0]].cache;
        let bears = match request.class {
            Class::Compute => u32::MAX,
            Class::MemoryBound { per_l3_max } => per_l3_max.get(),
        };
        let mut there: Vec<(u32, u32)> = leases.neighbours[cache]
            .slots()
            .iter()
            .copied()
            .filter(|(slot, _)| !is_gone[*slot as usize])
            .collect();
        there.sort_by_key(|(_, bears)| Reverse(*bears));
        while there.len() as u32 >= there.iter().map(|(_, bears)| *bears).fold(bears, u32::min) {
            let Some((slot, _)) = there.pop() else { break };
            is_gone[slot as usize] = true;
            let in_part = |core: &&u32| machine.parts[part].cores.contains(&(**core as usize));
            gone.push((slot, leases.at(slot as usize).cores.iter().filter(in_part).count() as u32));
        }
        barred.retain(|cell| machine.cells[*cell].cache != cache);
        open.extend(
            machine.parts[part].cells.clone().filter(|cell| {
                machine.cells[*cell].cache == cache && leases.may_use(&anywhere, group, *cell)
            }),
        );
    }
    let mut blockers: Vec<Blocker> = gone
        .into_iter()
        .map(|(slot, cores)| {
            let lease = leases.at(slot as usize);
            Blocker { id: lease.id.clone(), cores, pinned: lease.pinned }
        })
        .collect();
    blockers.sort_by(|a, b| (b.cores, &a.id).cmp(&(a.cores, &b.id)));
    blockers
}
