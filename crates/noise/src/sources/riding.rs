//! Describes combs, and finds those that only make every n-th detour of another comb longer.

use super::comb::{Comb, upper_tail_ln};
use super::exposure::Exposure;
use super::{FALSE_ALARMS, Lengths, Periodic};

/// A detour is longer than its comb's others from so much on.
const LONGER: f64 = 1.35;
const LONGER_MIN_NS: f64 = 400.0;
/// What is so many times as long met something else that has no part in the comb.
const MET: f64 = 4.0;
/// So many longer ones make a riding comb.
const RIDERS_MIN: usize = 8;
/// This part of its places must be longer ones.
const RIDING_FILL_MIN: f64 = 0.7;
/// Every so many-th at most.
const EVERY_MAX: u64 = 2_000;
/// Combs that ride on one comb.
const RIDING_MAX: usize = 4;

/// Describes all combs. What a detour has beyond its combs' share is put into `excess`, at its number.
pub(super) fn describe(exposure: &Exposure, combs: Vec<Comb>, excess: &mut [f64]) -> Vec<Periodic> {
    let mut order = combs;
    order.sort_by(|one, other| one.grid.period_ns.total_cmp(&other.grid.period_ns));
    let mut described = Vec::new();
    let own_ns = without_others(exposure, &order);
    for comb in &order {
        let carrier = described.len();
        let mut base: Vec<f64> = comb.teeth.iter().map(|(_, detour)| own_ns[*detour]).collect();
        let mut middle = stats::median_of(&mut base.clone());
        let limit = (middle * LONGER).max(middle + LONGER_MIN_NS);
        let mut riders: Vec<Rider> = Vec::new();
        for _ in 0..RIDING_MAX {
            let Some(rider) = rider(comb, &base, limit) else { break };
            // Those not ridden on tell better what the carrier takes, if there are any.
            let alone = |at: usize| !riders.iter().chain([&rider]).any(|rider| rider.has(comb.teeth[at].0));
            let mut others: Vec<f64> = (0..base.len()).filter(|at| alone(*at)).map(|at| base[at]).collect();
            if !others.is_empty() {
                middle = stats::median_of(&mut others);
            }
            for (at, (index, _)) in comb.teeth.iter().enumerate() {
                if rider.has(*index) && base[at] > limit {
                    base[at] = middle;
                }
            }
            riders.push(rider);
        }
        for (at, (_, detour)) in comb.teeth.iter().enumerate() {
            if base[at] > MET * middle {
                excess[*detour] = base[at] - middle;
                base[at] = middle;
            }
        }
        let Some(lengths) = Lengths::of(base) else { continue };
        let members = comb.teeth.iter().map(|(_, detour)| *detour).collect();
        described.push(of_comb(exposure, comb, lengths, members));
        for rider in riders {
            let carried = &described[carrier];
            let frequency_hz = carried.frequency_hz / rider.every as f64;
            let lengths_ns: Vec<f64> = rider.members.iter().map(|detour| own_ns[*detour] - middle).collect();
            let Some(lengths) = Lengths::of(lengths_ns) else { continue };
            described.push(Periodic {
                frequency_hz,
                frequency_error_hz: carried.frequency_error_hz / rider.every as f64,
                share: frequency_hz * lengths.mean_ns / 1e9,
                lengths,
                seen: rider.members.len(),
                exposed: rider.places,
                chance_log10: rider.chance_ln / std::f64::consts::LN_10,
                rides_on: Some((carrier, rider.every)),
                members: rider.members,
                ..carried.clone()
            });
        }
    }
    described
}

/// The lengths of all detours, without those of other combs' detours that met them: a tooth that was not seen by
/// itself and whose place is in another's detour has made that longer.
fn without_others(exposure: &Exposure, combs: &[Comb]) -> Vec<f64> {
    let seen = &exposure.seen;
    let mut own_ns: Vec<f64> = seen.iter().map(|seen| seen.length_ns).collect();
    let mut is_tooth = vec![false; seen.len()];
    for (_, detour) in combs.iter().flat_map(|comb| &comb.teeth) {
        is_tooth[*detour] = true;
    }
    for comb in combs {
        let mut lengths: Vec<f64> = comb.teeth.iter().map(|(_, detour)| seen[*detour].length_ns).collect();
        let middle = stats::median_of(&mut lengths);
        let (mut tooth, mut next) = (0, 0);
        for index in comb.range.0..=comb.range.1 {
            if comb.teeth.get(tooth).is_some_and(|(own, _)| *own == index) {
                tooth += 1;
                continue;
            }
            let place = comb.grid.at(index as f64);
            while next < seen.len() && seen[next].end_ns() < place {
                next += 1;
            }
            let met = seen.get(next).is_some_and(|seen| seen.start_ns - comb.width_ns < place);
            if met && is_tooth[next] && own_ns[next] > middle {
                own_ns[next] -= middle;
            }
        }
    }
    own_ns
}

fn of_comb(exposure: &Exposure, comb: &Comb, lengths: Lengths, members: Vec<usize>) -> Periodic {
    let (first, last) = comb.range;
    let (begin, end) = (comb.grid.at(first as f64), comb.grid.at(last as f64));
    let frequency_hz = (last - first) as f64 * 1e9 / (end - begin);
    let squares: f64 = comb
        .teeth
        .iter()
        .map(|(index, detour)| (exposure.seen[*detour].start_ns - comb.grid.at(*index as f64)).powi(2))
        .sum();
    let count = comb.teeth.len() as f64;
    let jitter_ns = (squares / count).sqrt();
    // Of a slope through evenly spaced points: sqrt(12 / n) times the deviation over the length.
    let relative = (12.0 / count).sqrt() * jitter_ns / (end - begin);
    Periodic {
        frequency_hz,
        frequency_error_hz: frequency_hz * relative,
        drift_ppm: comb.grid.drift((last - first) as f64) * 1e6,
        jitter_ns,
        lengths,
        share: frequency_hz * lengths.mean_ns / 1e9,
        seen: comb.teeth.len(),
        exposed: comb.exposed.max(comb.teeth.len()),
        chance_log10: comb.chance_ln / std::f64::consts::LN_10,
        rides_on: None,
        members,
    }
}

struct Rider {
    every: u64,
    residue: u64,
    members: Vec<usize>,
    places: usize,
    chance_ln: f64,
}

impl Rider {
    fn has(&self, index: i64) -> bool {
        index.rem_euclid(self.every as i64) as u64 == self.residue
    }
}

/// Finds the smallest n for which the longer detours are every n-th, more often than if they fell on any.
fn rider(comb: &Comb, base: &[f64], limit: f64) -> Option<Rider> {
    let is_longer: Vec<bool> = base.iter().map(|length| *length > limit).collect();
    let longer: Vec<i64> = comb
        .teeth
        .iter()
        .zip(&is_longer)
        .filter(|(_, longer)| **longer)
        .map(|((index, _), _)| *index)
        .collect();
    if longer.len() < RIDERS_MIN {
        return None;
    }
    let part = longer.len() as f64 / comb.teeth.len() as f64;
    let every_max = EVERY_MAX.min((comb.teeth.len() / RIDERS_MIN) as u64);
    let ways_ln = 2.0 * (every_max.max(2) as f64).ln();
    let mut hits = Vec::new();
    for every in 2..=every_max {
        hits.clear();
        hits.resize(every as usize, 0_usize);
        for index in &longer {
            hits[index.rem_euclid(every as i64) as usize] += 1;
        }
        let (residue, most) = hits.iter().copied().enumerate().max_by_key(|(_, count)| *count)?;
        // The places are about as many for each residue: counting them is dear, so first a look.
        if most < RIDERS_MIN || (most as f64) < 0.5 * comb.teeth.len() as f64 / every as f64 {
            continue;
        }
        let mut rider =
            Rider { every, residue: residue as u64, members: Vec::new(), places: 0, chance_ln: 0.0 };
        for ((index, detour), longer) in comb.teeth.iter().zip(&is_longer) {
            if rider.has(*index) {
                rider.places += 1;
                if *longer {
                    rider.members.push(*detour);
                }
            }
        }
        let fill = rider.members.len() as f64 / rider.places as f64;
        rider.chance_ln = upper_tail_ln(rider.members.len(), rider.places, part) + ways_ln;
        if fill >= RIDING_FILL_MIN && rider.chance_ln < FALSE_ALARMS.ln() {
            return Some(rider);
        }
    }
    None
}
