//! Which lease has which core at one moment, as text.

use allocator::{Block, Lease, LeaseId, Leases, Placement, Standing};
use model::CpuSet;
use std::collections::BTreeMap;

/// When all letters are used, further leases share the last sign.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ONE_OF_MANY: char = '+';
const FREE: char = '.';
const CHOSEN: char = '*';
const HOUSEKEEPING: char = '#';
const NOT_ALLOWED: char = '-';

/// Returns a sign for each core, a line for each innermost domain, and a legend.
pub fn map(leases: &Leases, chosen: Option<&Placement>) -> String {
    let machine = leases.machine();
    let cores: Vec<(CpuSet, Standing)> = machine.cores().collect();
    let cores_of = |one: &CpuSet, other: &CpuSet| -> Vec<usize> {
        one.iter().chain(other.iter()).filter_map(|cpu| machine.core_of(cpu)).collect()
    };
    let mut holders: BTreeMap<usize, &Lease> = BTreeMap::new();
    for lease in leases.iter() {
        holders.extend(cores_of(&lease.cpus, &lease.idle).into_iter().map(|core| (core, lease)));
    }
    let chosen = chosen.map_or_else(Vec::new, |chosen| cores_of(&chosen.cpus, &chosen.idle));
    let mut letters: BTreeMap<&LeaseId, char> = BTreeMap::new();
    let mut in_order: Vec<&Lease> = Vec::new();
    let mut next = LETTERS.chars();
    for lease in holders.values() {
        letters.entry(&lease.id).or_insert_with(|| {
            in_order.push(lease);
            next.next().unwrap_or(ONE_OF_MANY)
        });
    }
    let sign = |core: usize| match (holders.get(&core), cores[core].1) {
        _ if chosen.contains(&core) => CHOSEN,
        (Some(lease), _) => letters[&lease.id],
        (None, Standing::Usable) => FREE,
        (None, Standing::Housekeeping) => HOUSEKEEPING,
        (None, Standing::NotAllowed) => NOT_ALLOWED,
    };
    let row = |block: Block| {
        let cpus: CpuSet = cores[block.cores.clone()].iter().flat_map(|(cpus, _)| cpus.iter()).collect();
        [block.name, cpus.named(), block.cores.map(sign).collect::<String>()]
    };
    let rows: Vec<[String; 3]> = Block::all(machine).into_iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, lists) = (width(0), width(1));
    let mut text = String::new();
    for [name, list, signs] in &rows {
        text.push_str(&format!("{name:<names$}  {list:<lists$}  {signs}\n"));
    }
    text.push_str("\nA sign for each core:");
    for (sign, meaning) in [
        (CHOSEN, "granted"),
        (FREE, "free"),
        (HOUSEKEEPING, "housekeeping"),
        (NOT_ALLOWED, "not allowed to this process"),
        (ONE_OF_MANY, "other leases"),
    ] {
        if rows.iter().any(|row| row[2].contains(sign)) {
            text.push_str(&format!(" {sign} {meaning}"));
        }
    }
    text.push('\n');
    for lease in in_order {
        let letter = letters[&lease.id];
        if letter != ONE_OF_MANY {
            let pinned = if lease.pinned { ", pinned" } else { "" };
            text.push_str(&format!("  {letter} {}: {}{pinned}\n", lease.id, lease.cpus.named()));
        }
    }
    text
}
