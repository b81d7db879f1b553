//! One moment, as text.

use super::blocks;
use crate::leases::{Leases, Owner};
use crate::machine::Standing;
use crate::{LeaseId, Placement};
use model::CpuSet;
use std::collections::BTreeMap;

/// Leases beyond the letters share the last sign.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ONE_OF_MANY: char = '+';
const FREE: char = '.';
const CHOSEN: char = '*';
const HOUSEKEEPING: char = '#';
const NOT_ALLOWED: char = '-';

/// Draws a sign for each core, a line for each innermost domain, and says what the signs mean.
pub fn map(leases: &Leases, chosen: Option<&Placement>) -> String {
    let machine = leases.machine();
    let mut letters: BTreeMap<&LeaseId, char> = BTreeMap::new();
    let mut in_order: Vec<&LeaseId> = Vec::new();
    let mut next = LETTERS.chars();
    for lease in (0..machine.cores.len()).filter_map(|core| match leases.owner(core) {
        Owner::Slot(slot) => leases.slot(slot as usize),
        Owner::Nobody | Owner::Unusable => None,
    }) {
        letters.entry(&lease.id).or_insert_with(|| {
            in_order.push(&lease.id);
            next.next().unwrap_or(ONE_OF_MANY)
        });
    }
    let mut used: Vec<char> = Vec::new();
    let mut sign = |core: usize| {
        let is_chosen = chosen.is_some_and(|chosen| chosen.cores.contains(&(core as u32)));
        let sign = match (leases.owner(core), machine.cores[core].standing) {
            _ if is_chosen => CHOSEN,
            (Owner::Slot(slot), _) => letters[&leases.at(slot as usize).id],
            (Owner::Nobody, _) => FREE,
            (Owner::Unusable, Standing::Housekeeping) => HOUSEKEEPING,
            (Owner::Unusable, _) => NOT_ALLOWED,
        };
        used.push(sign);
        sign
    };
    let rows: Vec<[String; 3]> = blocks(machine)
        .into_iter()
        .map(|block| {
            let cpus: CpuSet =
                machine.cores[block.cores.clone()].iter().flat_map(|core| &core.cpus).copied().collect();
            [block.name, cpus.named(), block.cores.map(&mut sign).collect()]
        })
        .collect();
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
        if used.contains(&sign) {
            text.push_str(&format!(" {sign} {meaning}"));
        }
    }
    text.push('\n');
    for id in in_order {
        let letter = letters[id];
        if let Some(lease) = leases.get(id).filter(|_| letter != ONE_OF_MANY) {
            let pinned = if lease.pinned { ", pinned" } else { "" };
            text.push_str(&format!("  {letter} {id}: {}{pinned}\n", lease.cpus.named()));
        }
    }
    text
}
