//! One moment, as text.

use super::blocks;
use crate::leases::{Leases, Owner};
use crate::machine::Standing;
use crate::{LeaseId, Placement};
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
    let mut next = LETTERS.chars();
    for lease in (0..machine.cores.len()).filter_map(|core| match leases.owner(core) {
        Owner::Slot(slot) => leases.slot(slot as usize),
        Owner::Nobody | Owner::Unusable => None,
    }) {
        letters.entry(&lease.id).or_insert_with(|| next.next().unwrap_or(ONE_OF_MANY));
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
    let blocks = blocks(machine);
    let width = blocks.iter().map(|block| block.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for block in blocks {
        let signs: String = block.cores.map(&mut sign).collect();
        text.push_str(&format!("{:<width$}  {signs}\n", block.name));
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
    for (id, letter) in &letters {
        if let Some(lease) = leases.get(id).filter(|_| *letter != ONE_OF_MANY) {
            let pinned = if lease.pinned { ", pinned" } else { "" };
            text.push_str(&format!("  {letter} {id}: CPUs {}{pinned}\n", lease.cpus));
        }
    }
    text
}
