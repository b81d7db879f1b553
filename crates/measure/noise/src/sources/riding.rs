//! Describes combs, and finds those that only make every n-th detour of another comb longer.

use super::comb::{Comb, upper_tail_ln};
use super::exposure::Exposure;
use super::{FALSE_ALARMS, Lengths, Periodic};

/// How much longer than its comb's others a detour must be to count as longer.
const LONGER: f64 = 1.35;
const LONGER_MIN_NS: f64 = 400.0;
/// What is this many times as long met something else that has no part in the comb.
const MET: f64 = 4.0;
/// Minimum number of longer detours before a comb counts as superimposed.
const RIDERS_MIN: usize = 8;
/// This part of its places must be longer ones.
const RIDING_FILL_MIN: f64 = 0.7;
/// Every n-th, n being at most this.
const EVERY_MAX: u64 = 2_000;
/// Combs that ride on one comb.
const RIDING_MAX: usize = 4;
/// Lengths are taken from teeth that met no other comb's, if at least this part of them did not.
const ALONE_MIN: f64 = 0.25;
/// A tooth is alone if no other comb's place is within this many times its comb's usual length.
const ALONE_TIMES: f64 = 1.25;
/// Nearly all of a comb's detours are within this many of its widths around their places.
const WIDTHS_AROUND: f64 = 2.0;
/// Others that are shorter than this part of it do not count.
const SHORT_PART: f64 = 0.25;

/// Describes all combs. What a detour has beyond its combs' share is put into `excess`, at its number.
pub(super) fn describe(exposure: &Exposure, combs: Vec<Comb>, excess: &mut [f64]) -> Vec<Periodic> {
    let mut order = combs;
    order.sort_by(|one, other| one.grid.period_ns.total_cmp(&other.grid.period_ns));
    let mut described = Vec::new();
    let own = OwnLengths::of(exposure, &order);
    for comb in &order {
        let carrier = described.len();
        let mut teeth = own.teeth(exposure, comb, &order);
        let riders = riders(&mut teeth);
        let middle = teeth.middle;
        own.split(exposure, comb, &mut teeth, excess);
        let Some(lengths) = Lengths::of(teeth.base) else { continue };
        let members = comb.teeth.iter().map(|(_, detour)| *detour).collect();
        described.push(of_comb(exposure, comb, lengths, members));
        for rider in riders {
            let carried = &described[carrier];
            let frequency_hz = carried.frequency_hz / rider.every as f64;
            let lengths_ns: Vec<f64> = rider.members.iter().map(|detour| own.ns[*detour] - middle).collect();
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

/// Teeth of a comb whose lengths are informative.
struct Teeth {
    /// Index of the tooth, and which detour it is.
    places: Vec<(i64, usize)>,
    /// How long each is, what rides on it taken off.
    base: Vec<f64>,
    /// How long one is that is alone.
    middle: f64,
    /// Longer ones are more than the comb's.
    limit: f64,
}

/// The lengths of all detours, without those of other combs' detours that met them.
struct OwnLengths {
    ns: Vec<f64>,
    /// What was taken off.
    others_ns: Vec<f64>,
    /// Whether it is a comb's at all.
    is_tooth: Vec<bool>,
    /// How long those of each comb are.
    middles: Vec<f64>,
}

impl OwnLengths {
    /// Makes it: a tooth that was not seen by itself and whose place is in another's detour has made that longer.
    fn of(exposure: &Exposure, combs: &[Comb]) -> Self {
        let seen = &exposure.seen;
        let mut ns: Vec<f64> = seen.iter().map(|seen| seen.length_ns).collect();
        let mut others_ns = vec![0.0; seen.len()];
        let mut is_tooth = vec![false; seen.len()];
        for (_, detour) in combs.iter().flat_map(|comb| &comb.teeth) {
            is_tooth[*detour] = true;
        }
        let mut middles = Vec::new();
        for comb in combs {
            let mut lengths: Vec<f64> =
                comb.teeth.iter().map(|(_, detour)| seen[*detour].length_ns).collect();
            let middle = stats::median_of(&mut lengths);
            middles.push(middle);
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
                if met && is_tooth[next] && ns[next] > middle {
                    ns[next] -= middle;
                    others_ns[next] += middle;
                }
            }
        }
        Self { ns, others_ns, is_tooth, middles }
    }

    /// Takes the teeth that met no other comb's, since what is taken off for that is only its usual length; all where
    /// too few are alone.
    fn teeth(&self, exposure: &Exposure, comb: &Comb, combs: &[Comb]) -> Teeth {
        let mut lengths: Vec<f64> = comb.teeth.iter().map(|(_, detour)| self.ns[*detour]).collect();
        let usual_ns = stats::median_of(&mut lengths);
        // Longer teeth meet more than shorter ones do; those that are alone for an equal time are of all lengths.
        let alone_ns = ALONE_TIMES * usual_ns;
        // What a much shorter one's length is off by does not matter.
        let matters = |other: usize| self.middles[other] > SHORT_PART * usual_ns;
        let others: Vec<&Comb> = combs
            .iter()
            .enumerate()
            .filter(|(at, other)| !std::ptr::eq(*other, comb) && matters(*at))
            .map(|(_, other)| other)
            .collect();
        let is_alone = |detour: usize| {
            let from = exposure.seen[detour].start_ns;
            !others.iter().any(|other| {
                let near_ns = WIDTHS_AROUND * other.width_ns;
                other.has_place(from - near_ns, from + near_ns.max(alone_ns))
            })
        };
        let alone: Vec<_> = comb.teeth.iter().filter(|(_, detour)| is_alone(*detour)).copied().collect();
        let is_enough =
            alone.len() >= RIDERS_MIN && alone.len() as f64 >= ALONE_MIN * comb.teeth.len() as f64;
        let places = if is_enough { alone } else { comb.teeth.clone() };
        let base: Vec<f64> = places.iter().map(|(_, detour)| self.ns[*detour]).collect();
        let middle = stats::median_of(&mut base.clone());
        Teeth { places, base, middle, limit: longer_than(middle) }
    }

    /// Takes out of the teeth what met something without a period, and puts what is more than the comb's into `excess`.
    fn split(&self, exposure: &Exposure, comb: &Comb, teeth: &mut Teeth, excess: &mut [f64]) {
        let met = self.expected_meetings(exposure, teeth);
        let mut longest_first: Vec<usize> = (0..teeth.base.len()).collect();
        longest_first.sort_by(|one, other| teeth.base[*other].total_cmp(&teeth.base[*one]));
        let mut is_met = vec![false; teeth.base.len()];
        for at in longest_first.into_iter().take(met) {
            is_met[at] = true;
        }
        let alone: Vec<f64> = (0..is_met.len()).filter(|at| !is_met[*at]).map(|at| teeth.base[at]).collect();
        if !alone.is_empty() {
            teeth.middle = stats::median_of(&mut alone.clone());
        }
        let middle = teeth.middle;
        for (at, (_, detour)) in teeth.places.iter().enumerate() {
            let is_more = teeth.base[at] > MET * middle || is_met[at] && teeth.base[at] > longer_than(middle);
            if is_more {
                excess[*detour] = teeth.base[at] - middle;
                is_met[at] = true;
            }
        }
        // The lengths of others spread, too, so what is left when they are taken off is not nothing.
        let is_place = |index: &i64| teeth.places.binary_search_by_key(index, |(index, _)| *index).is_ok();
        for (_, detour) in comb.teeth.iter().filter(|(index, _)| !is_place(index)) {
            let more = self.ns[*detour] - middle;
            if more > (MET * middle).max(self.others_ns[*detour] / 2.0) {
                excess[*detour] = more;
            }
        }
        let alone: Vec<f64> = (0..is_met.len()).filter(|at| !is_met[*at]).map(|at| teeth.base[at]).collect();
        if !alone.is_empty() {
            teeth.base = alone;
        }
    }

    /// Returns how many of the teeth met something without a period that makes them clearly longer: that comes while the loop
    /// looks as often as it comes within a tooth.
    fn expected_meetings(&self, exposure: &Exposure, teeth: &Teeth) -> usize {
        let more = teeth.limit - teeth.middle;
        let each = exposure.seen.iter().zip(&self.is_tooth);
        let others = each.filter(|(seen, is_tooth)| !**is_tooth && seen.length_ns > more);
        let rate = others.count() as f64 / exposure.looked_ns();
        let part = -(-rate * teeth.middle).exp_m1();
        (part * teeth.base.len() as f64).round() as usize
    }
}

/// How much longer a tooth must be to be clearly longer than its comb's others.
fn longer_than(middle: f64) -> f64 {
    (middle * LONGER).max(middle + LONGER_MIN_NS)
}

/// Finds what rides on the teeth, and takes it off them.
fn riders(teeth: &mut Teeth) -> Vec<Rider> {
    let mut riders: Vec<Rider> = Vec::new();
    for _ in 0..RIDING_MAX {
        let Some(rider) = rider(teeth) else { break };
        // Those not ridden on show better what the carrier takes, if there are any.
        let alone = |at: usize| !riders.iter().chain([&rider]).any(|rider| rider.has(teeth.places[at].0));
        let mut others: Vec<f64> =
            (0..teeth.base.len()).filter(|at| alone(*at)).map(|at| teeth.base[at]).collect();
        if !others.is_empty() {
            teeth.middle = stats::median_of(&mut others);
        }
        for (at, (index, _)) in teeth.places.iter().enumerate() {
            if rider.has(*index) && teeth.base[at] > teeth.limit {
                teeth.base[at] = teeth.middle;
            }
        }
        riders.push(rider);
    }
    riders
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
fn rider(teeth: &Teeth) -> Option<Rider> {
    let is_longer: Vec<bool> = teeth.base.iter().map(|length| *length > teeth.limit).collect();
    let each = teeth.places.iter().zip(&is_longer);
    let longer: Vec<i64> = each.filter(|(_, longer)| **longer).map(|((index, _), _)| *index).collect();
    if longer.len() < RIDERS_MIN {
        return None;
    }
    let all = teeth.places.len();
    let part = longer.len() as f64 / all as f64;
    let every_max = EVERY_MAX.min((all / RIDERS_MIN) as u64);
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
        if most < RIDERS_MIN || (most as f64) < 0.5 * all as f64 / every as f64 {
            continue;
        }
        let mut rider =
            Rider { every, residue: residue as u64, members: Vec::new(), places: 0, chance_ln: 0.0 };
        for ((index, detour), longer) in teeth.places.iter().zip(&is_longer) {
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
