//! A grid held against the trace: how many of its teeth are there, and whether chance could do that.

use super::exposure::{Cursor, Exposure};
use super::grid::Grid;

/// Frequencies below this have too few teeth in a trace of any practical length.
pub(super) const PERIOD_MAX_NS: f64 = 2.2e9;
/// Teeth that must be seen.
const TEETH_MIN: usize = 8;
/// This part of the teeth that could be seen must be there, what chance puts there taken off. A comb at twice the
/// true frequency has one half.
const FILL_MIN: f64 = 0.62;
/// Detours of one source are seldom this many times as long as its usual ones.
const ALIKE: f64 = 1.6;
/// No timer of a machine drifts more within a trace.
const DRIFT_MAX: f64 = 250e-6;
/// Widths at which teeth are counted; the narrowest that holds nearly all decides.
const WIDTHS_NS: [f64; 9] =
    [1_000.0, 2_500.0, 6_000.0, 15_000.0, 40_000.0, 90_000.0, 150_000.0, 220_000.0, 300_000.0];
/// Sources that are as regular as this need not be distinguished from what wanders.
const REGULAR_NS: f64 = 100_000.0;
/// Rings around places, in widths, that have fewer detours than the places themselves if those are a comb's.
const RINGS: [(f64, f64); 3] = [(1.5, 3.0), (3.0, 6.0), (6.0, 12.0)];
/// Pairs of detours that are sampled to estimate how many are in a ring.
const RING_PAIRS_MAX: f64 = 1e6;
/// A comb is wider than it was found if the next ring has at least this part of its teeth beyond what chance puts there, ...
const MORE_MIN: f64 = 0.01;
const MORE_DEVIATIONS: f64 = 4.0;

/// A grid whose teeth are there.
#[derive(Clone, Debug)]
pub(super) struct Comb {
    pub grid: Grid,
    /// Index of the tooth, and which detour it is.
    pub teeth: Vec<(i64, usize)>,
    /// How many could have been seen.
    pub exposed: usize,
    /// The natural logarithm of how likely chance finds as good a grid anywhere in the trace.
    pub chance_ln: f64,
    /// Teeth lie within this distance of their places.
    pub width_ns: f64,
    /// Nearly all lie within this distance: what is there was taken.
    pub taken_ns: f64,
    /// The index of the first tooth that could be in the trace, and of the last.
    pub range: (i64, i64),
}

/// Which detours are searched, and in how many ways.
#[derive(Clone, Debug)]
pub(super) struct View<'v> {
    pub exposure: &'v Exposure,
    /// Numbers of the detours, in order.
    pub members: &'v [usize],
    pub starts: &'v [f64],
    /// Looks of other kinds that chance has besides the grids themselves.
    pub looks: f64,
    /// The widest look.
    pub half_ns: f64,
    /// A chance of more than this, by its logarithm, is not believed.
    pub chance_max_ln: f64,
}

/// A place of a grid near which there is a detour, or at which the loop was looking.
#[derive(Clone, Copy, Debug)]
struct GridPoint {
    index: i64,
    /// The nearest detour and how far it is off, if one is near.
    near: Option<(usize, f64)>,
    /// A detour that begins there would be seen to begin there.
    looks: bool,
    /// The loop was not looking where the widest look begins.
    is_cut: bool,
}

impl GridPoint {
    /// Returns whether a detour is near.
    fn has_tooth(&self, width_ns: f64) -> bool {
        self.near.is_some_and(|(_, off)| off.abs() <= width_ns)
    }

    fn is_there(&self, width_ns: f64) -> bool {
        !self.is_cut && self.has_tooth(width_ns)
    }

    /// Returns whether there is a tooth, or would have been seen to be one.
    fn is_seen(&self, width_ns: f64) -> bool {
        self.looks || self.has_tooth(width_ns)
    }

    /// Returns whether the tooth could have been seen: it was, or it is missing though the loop was looking. One that another
    /// detour hides, which began just before, is not missing.
    fn is_exposed(&self, width_ns: f64) -> bool {
        !self.is_cut && self.is_seen(width_ns)
    }
}

impl Comb {
    /// Returns whether one of its places lies between two times.
    pub fn has_place(&self, from_ns: f64, to_ns: f64) -> bool {
        let nearest = self.grid.index(from_ns);
        [nearest, nearest + 1.0].into_iter().any(|index| (from_ns..=to_ns).contains(&self.grid.at(index)))
    }

    /// Returns whether most of its teeth are those that another comb lacks, and about as long: then it is only what that
    /// left behind. Longer ones hide the other's teeth when they begin just before them.
    pub fn is_left_by(&self, other: &Self, exposure: &Exposure, half_ns: f64) -> bool {
        let middle = |comb: &Self| {
            let lengths = comb.teeth.iter().map(|(_, detour)| exposure.seen[*detour].length_ns);
            stats::median_of(&mut lengths.collect::<Vec<_>>())
        };
        if middle(self) > ALIKE * middle(other) {
            return false;
        }
        // Those that it did not take are a little farther off.
        let near_ns = half_ns.max(3.0 * other.taken_ns);
        let lacks = |index: i64| other.teeth.binary_search_by_key(&index, |(index, _)| *index).is_err();
        let near = self.teeth.iter().filter(|(_, detour)| {
            let start_ns = exposure.seen[*detour].start_ns;
            let index = other.grid.index(start_ns);
            (start_ns - other.grid.at(index)).abs() <= near_ns && lacks(index as i64)
        });
        near.count() * 2 > self.teeth.len()
    }
}

impl View<'_> {
    /// Tests a grid; none if it is not there, or chance would find as good a one too often.
    pub fn test(&self, grid: Grid) -> Option<Comb> {
        let exposure = self.exposure;
        let (first, last) = (grid.index(exposure.begin_ns) as i64, grid.index(exposure.end_ns) as i64);
        if grid.drift((last - first) as f64).abs() > DRIFT_MAX {
            return None;
        }
        let places = self.places(grid, first, last);
        let rate = self.members.len() as f64 / exposure.looked_ns();
        let near = places.iter().filter(|place| place.near.is_some()).count();
        let rest = (self.members.len() - near) as f64 / exposure.looked_ns();
        let widths = WIDTHS_NS.into_iter().filter(|width| *width <= self.half_ns * 1.01);
        let excess = |width: f64| {
            let count = places.iter().filter(|place| place.is_there(width)).count();
            let exposed = places.iter().filter(|place| place.is_exposed(width)).count();
            (count, exposed, count as f64 - exposed as f64 * by_chance(rest, width))
        };
        let most = widths.clone().map(|width| excess(width).2).fold(0.0, f64::max);
        let width_ns = widths.clone().find(|width| excess(*width).2 >= 0.93 * most)?;
        let (count, exposed, beyond) = excess(width_ns);
        let fill = beyond / (exposed as f64 * (1.0 - by_chance(rest, width_ns)));
        if count < TEETH_MIN || fill < FILL_MIN {
            return None;
        }
        if !is_even(&places, width_ns, by_chance(rest, width_ns)) {
            return None;
        }
        let chance = by_chance(self.rate_around(grid.period_ns, width_ns, rate), width_ns);
        let tail_ln = self.independent(&places, width_ns) * upper_tail_ln(count, exposed, chance);
        let chance_ln = tail_ln + self.grids_ln(width_ns) + (self.looks * widths.clone().count() as f64).ln();
        if chance_ln > self.chance_max_ln {
            return None;
        }
        // Those farther off are still this source's, a little late; left behind, they would look like another's.
        let nearly_all = widths.clone().find(|width| excess(*width).2 >= 0.99 * most).unwrap_or(width_ns);
        let taken = (1.5 * nearly_all).min(self.half_ns);
        let (teeth, range) = (teeth_within(&places, taken), (first, last));
        let exposed = places.iter().filter(|place| place.is_seen(width_ns)).count();
        Some(Comb { grid, teeth, exposed, chance_ln, width_ns, taken_ns: taken, range })
    }

    /// Returns how many detours a nanosecond chance may put near the places of a grid, given that others are at its places.
    ///
    /// Detours of a source that jitters, or of bursts, are near each other's multiples without being on a grid. They are in
    /// a ring around the places as often as in their middle, or half as often: in the middle of pairs, of which both are
    /// off, there are fewer than in the middle of detours.
    fn rate_around(&self, period_ns: f64, width_ns: f64, rate: f64) -> f64 {
        let rings = RINGS.map(|(from, to)| (from * width_ns, (to * width_ns).min(period_ns / 2.0)));
        let reach_ns = RINGS[RINGS.len() - 1].1 * width_ns;
        let wanted = RING_PAIRS_MAX / (2.0 * reach_ns * rate).max(1.0);
        let step = (self.starts.len() as f64 / wanted).ceil().max(1.0) as usize;
        let mut counts = [0.0; RINGS.len()];
        let mut from = 0;
        for start in self.starts.iter().step_by(step) {
            let middle = start + period_ns;
            while from < self.starts.len() && self.starts[from] < middle - reach_ns {
                from += 1;
            }
            for other in &self.starts[from..] {
                let off = other - middle;
                if off > reach_ns {
                    break;
                }
                for (count, (from, to)) in counts.iter_mut().zip(rings) {
                    *count += f64::from(u8::from((from..to).contains(&off.abs())));
                }
            }
        }
        let looks = self.starts.len().div_ceil(step) as f64;
        let rings = rings.into_iter().zip(counts).filter(|((from, to), _)| to - from > 0.5 * width_ns);
        let excess = rings.map(|((from, to), count)| {
            let length = 2.0 * (to - from) * looks;
            (count - 2.0 * count.sqrt()) / length - rate
        });
        rate + 2.0 * excess.fold(0.0, f64::max)
    }

    /// Returns which part of the places are worth a coin's throw each. Detours that wander past slowly are near one place
    /// after the other.
    fn independent(&self, places: &[GridPoint], width_ns: f64) -> f64 {
        if self.half_ns <= REGULAR_NS {
            return 1.0;
        }
        let off = |place: &GridPoint| place.near.filter(|_| place.is_there(width_ns)).map(|(_, off)| off);
        let offs: Vec<f64> = places.iter().filter_map(off).collect();
        let mean = offs.iter().sum::<f64>() / offs.len() as f64;
        let square: f64 = offs.iter().map(|off| (off - mean).powi(2)).sum();
        let product: f64 = offs.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum();
        let alike = (product / square.max(1.0)).clamp(0.0, 1.0);
        (1.0 - alike) / (1.0 + alike)
    }

    /// Finds the grid of which another one is only every n-th place, at which by luck it was looked for: detours that are not
    /// at its own places then have the rhythm of n times its frequency (Rayleigh's test).
    pub fn finer(&self, comb: &Comb, shortest_ns: f64) -> Option<f64> {
        /// Detours that show a rhythm that is worth a test.
        const DETOURS_MAX: usize = 4096;
        /// Chance makes one in e^9 sums of turns this long, in roots of their number.
        const ROOTS_MIN: f64 = 3.0;
        let grid = comb.grid;
        let step = (self.starts.len() / DETOURS_MAX).max(1);
        let phase = |start: &f64| (start - grid.at(grid.index(*start))) / grid.period_ns;
        let near = comb.taken_ns / grid.period_ns;
        let turns: Vec<(f64, f64)> = self
            .starts
            .iter()
            .step_by(step)
            .map(phase)
            .filter(|phase| phase.abs() > near)
            .map(|phase| (std::f64::consts::TAU * phase).sin_cos())
            .collect();
        let most = (grid.period_ns / shortest_ns) as usize;
        let mut now = turns.clone();
        let mut sums = Vec::new();
        for _ in 2..=most {
            let (mut sines, mut cosines) = (0.0, 0.0);
            for (now, turn) in now.iter_mut().zip(&turns) {
                *now = (now.0 * turn.1 + now.1 * turn.0, now.1 * turn.1 - now.0 * turn.0);
                sines += now.0;
                cosines += now.1;
            }
            sums.push(f64::hypot(sines, cosines));
        }
        let highest = sums.iter().copied().fold(0.0, f64::max);
        if highest < ROOTS_MIN * (turns.len() as f64).sqrt() {
            return None;
        }
        // A regular rhythm has multiples that are as high.
        let first = sums.iter().position(|sum| *sum > 0.9 * highest)?;
        Some((first + 2) as f64)
    }

    /// Makes a comb as wide as it is: teeth farther off than where it was looked for are its own as long as more of them are
    /// there than chance puts there.
    pub fn widened(&self, comb: Comb) -> Comb {
        let (first, last) = comb.range;
        let places = self.places(comb.grid, first, last);
        let within = |width: f64| places.iter().filter(|place| place.is_there(width)).count() as f64;
        let exposed = places.iter().filter(|place| place.is_exposed(self.half_ns)).count() as f64;
        let looked_ns = self.exposure.looked_ns();
        let beside_ns = (looked_ns - exposed * 2.0 * self.half_ns).max(0.1 * looked_ns);
        let rest = (self.members.len() as f64 - within(self.half_ns)).max(0.0) / beside_ns;
        let strays = |from: f64, to: f64| (exposed - within(from)) * by_chance(rest, to - from);
        let mut width_ns = comb.taken_ns;
        let widths: Vec<f64> = WIDTHS_NS.into_iter().filter(|width| *width <= self.half_ns * 1.01).collect();
        for wider in widths {
            if wider <= width_ns {
                continue;
            }
            let chance = strays(width_ns, wider);
            let more = within(wider) - within(width_ns) - chance;
            if more < MORE_MIN * exposed || more < MORE_DEVIATIONS * (chance + 1.0).sqrt() {
                break;
            }
            width_ns = wider;
        }
        if width_ns <= comb.taken_ns {
            return comb;
        }
        let fitted = comb
            .grid
            .fitted(self.starts, width_ns)
            .filter(|grid| grid.is_within(&comb.grid, comb.range, width_ns));
        let Some(grid) = fitted else { return comb };
        let places = self.places(grid, first, last);
        let mut teeth = teeth_within(&places, width_ns);
        let known: Vec<i64> = teeth.iter().map(|(index, _)| *index).collect();
        let longer = comb.teeth.iter().filter(|(index, _)| known.binary_search(index).is_err());
        teeth.extend(longer);
        teeth.sort_unstable();
        let exposed = places.iter().filter(|place| place.is_seen(width_ns)).count();
        Comb { grid, teeth, exposed, width_ns, taken_ns: width_ns, ..comb }
    }

    /// Returns all places of a grid, those left out of which nothing is known.
    fn places(&self, grid: Grid, first: i64, last: i64) -> Vec<GridPoint> {
        let mut places = Vec::new();
        let (mut cursor, mut before) = (Cursor::new(self.exposure), Cursor::new(self.exposure));
        let mut next = 0;
        for index in first..=last {
            let place = grid.at(index as f64);
            while next < self.starts.len() && self.starts[next] < place {
                next += 1;
            }
            // In the order of starts the nearest is the last before or the first after.
            let nearest = (next.saturating_sub(1)..=next)
                .filter_map(|at| Some((at, self.starts.get(at)? - place)))
                .filter(|(_, off)| off.abs() <= self.half_ns)
                .min_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
            let looks = cursor.looks_at(place, self.half_ns.min(2_000.0));
            // A long detour that covers a place is near it only if it began lately: then the others must not count either.
            let is_cut = self.half_ns > REGULAR_NS && !before.looks_at(place - self.half_ns, 0.0);
            if nearest.is_some() || looks {
                let near = nearest.map(|(at, off)| (self.members[at], off));
                places.push(GridPoint { index, near, looks, is_cut });
            }
        }
        places
    }

    /// Returns the logarithm of how many grids can be distinguished: periods, phases and drifts.
    fn grids_ln(&self, width_ns: f64) -> f64 {
        let span = self.exposure.span_ns();
        let of_periods_and_phases = span * PERIOD_MAX_NS.min(span) / (2.0 * width_ns).powi(2);
        let of_drifts = (DRIFT_MAX * span / 4.0 / (2.0 * width_ns)).max(1.0);
        (of_periods_and_phases * of_drifts).ln()
    }
}

/// Returns the teeth that are so near their places.
fn teeth_within(places: &[GridPoint], width_ns: f64) -> Vec<(i64, usize)> {
    let there = places.iter().filter(|place| place.has_tooth(width_ns));
    there.filter_map(|place| Some((place.index, place.near?.0))).collect()
}

/// Returns whether no n-th tooth of a grid is mostly missing. Two combs, one of twice the other's frequency, which are half
/// a period apart, fill three of four places of a grid that neither of them is.
fn is_even(places: &[GridPoint], width_ns: f64, chance: f64) -> bool {
    /// A grid that needs more than this many of its teeth for a pattern is mostly filled by one comb.
    const EVERY_MAX: usize = 16;
    /// Of fewer places chance takes too many.
    const PLACES_MIN: f64 = 16.0;
    (2..=EVERY_MAX).all(|every| {
        let (mut all, mut there) = ([0.0; EVERY_MAX], [0.0; EVERY_MAX]);
        for place in places.iter().filter(|place| place.is_exposed(width_ns)) {
            let residue = place.index.rem_euclid(every as i64) as usize;
            all[residue] += 1.0;
            there[residue] += f64::from(u8::from(place.is_there(width_ns)));
        }
        all.iter().zip(there).all(|(all, there)| {
            *all < PLACES_MIN || there - all * chance >= FILL_MIN / 2.0 * all * (1.0 - chance)
        })
    })
}

/// Returns how likely a tooth is there by chance, at this many detours a nanosecond.
fn by_chance(rate: f64, width_ns: f64) -> f64 {
    -(-2.0 * rate * width_ns).exp_m1()
}

/// Returns a bound of the logarithm of how likely at least this many of all are there, each with this chance
/// (Chernoff and Hoeffding: exp(-n D(share || chance))).
pub(super) fn upper_tail_ln(count: usize, all: usize, chance: f64) -> f64 {
    let (all, share) = (all as f64, count as f64 / all.max(1) as f64);
    if share <= chance {
        return 0.0;
    }
    let chance = chance.max(1e-300);
    let missing = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - chance)).ln() } else { 0.0 };
    -all * (share * (share / chance).ln() + missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_bounded_from_above() {
        // Exactly: 10 of 10 at 0.1 is 1e-10; 9 or 10 of 10 is 9.1e-9.
        assert!((upper_tail_ln(10, 10, 0.1) - 1e-10_f64.ln()).abs() < 1e-9);
        let bound = upper_tail_ln(9, 10, 0.1);
        assert!(bound >= 9.1e-9_f64.ln() && bound < 9.1e-8_f64.ln(), "{bound}");
        assert_eq!(upper_tail_ln(1, 10, 0.5), 0.0);
    }
}
