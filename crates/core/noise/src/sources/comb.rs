//! A grid held against the trace: how many of its teeth are there, and whether chance could do that.

use super::exposure::{Cursor, Exposure};
use super::grid::Grid;

/// Frequencies below this have too few teeth in any trace that somebody waits for.
pub(super) const PERIOD_MAX_NS: f64 = 2.2e9;
/// So many teeth must be seen.
const TEETH_MIN: usize = 8;
/// This part of the teeth that could be seen must be there, what chance puts there taken off. A comb at twice the
/// true frequency has one half.
const FILL_MIN: f64 = 0.62;
/// Detours of one source are seldom this many times as long as its usual ones.
const ALIKE: f64 = 1.6;
/// No timer of a machine drifts more within a trace.
const DRIFT_MAX: f64 = 250e-6;
/// Widths at which teeth are counted; the narrowest that holds nearly all decides.
const WIDTHS_NS: [f64; 6] = [1_000.0, 2_500.0, 6_000.0, 15_000.0, 40_000.0, 90_000.0];

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
    /// Teeth lie within so much of their places.
    pub width_ns: f64,
    /// The index of the first tooth that could be in the trace, and of the last.
    pub range: (i64, i64),
}

/// Which detours are looked at, and how many ways of looking there are.
#[derive(Clone, Debug)]
pub(super) struct View<'v> {
    pub exposure: &'v Exposure,
    /// Numbers of the detours, in order.
    pub members: &'v [usize],
    /// Their starts.
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
}

impl GridPoint {
    fn is_there(&self, width_ns: f64) -> bool {
        self.near.is_some_and(|(_, off)| off <= width_ns)
    }

    /// Returns whether the tooth could have been seen: it was, or it is missing though the loop was looking. One that another
    /// detour hides, which began just before, is not missing.
    fn is_exposed(&self, width_ns: f64) -> bool {
        self.looks || self.is_there(width_ns)
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
        let lacks = |index: i64| other.teeth.binary_search_by_key(&index, |(index, _)| *index).is_err();
        let near = self.teeth.iter().filter(|(_, detour)| {
            let start_ns = exposure.seen[*detour].start_ns;
            let index = other.grid.index(start_ns);
            (start_ns - other.grid.at(index)).abs() <= half_ns && lacks(index as i64)
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
        let tail_ln = upper_tail_ln(count, exposed, by_chance(rate, width_ns));
        let chance_ln = tail_ln + self.grids_ln(width_ns) + (self.looks * widths.clone().count() as f64).ln();
        if chance_ln > self.chance_max_ln {
            return None;
        }
        // Those farther off are still this source's, a little late; left behind, they would look like another's.
        let nearly_all = widths.clone().find(|width| excess(*width).2 >= 0.99 * most).unwrap_or(width_ns);
        let taken = (1.5 * nearly_all).min(self.half_ns);
        let teeth = places.iter().filter(|place| place.is_there(taken));
        let teeth = teeth.filter_map(|place| place.near.map(|(member, _)| (place.index, member)));
        Some(Comb { grid, teeth: teeth.collect(), exposed, chance_ln, width_ns, range: (first, last) })
    }

    /// Returns all places of a grid, those left out of which nothing is known.
    fn places(&self, grid: Grid, first: i64, last: i64) -> Vec<GridPoint> {
        let mut places = Vec::new();
        let mut cursor = Cursor::new(self.exposure);
        let mut next = 0;
        for index in first..=last {
            let place = grid.at(index as f64);
            while next < self.starts.len() && self.starts[next] < place {
                next += 1;
            }
            // In the order of starts the nearest is the last before or the first after.
            let nearest = (next.saturating_sub(1)..=next)
                .filter_map(|at| Some((at, (self.starts.get(at)? - place).abs())))
                .filter(|(_, off)| *off <= self.half_ns)
                .min_by(|one, other| one.1.total_cmp(&other.1));
            let looks = cursor.looks_at(place, self.half_ns.min(2_000.0));
            if nearest.is_some() || looks {
                let near = nearest.map(|(at, off)| (self.members[at], off));
                places.push(GridPoint { index, near, looks });
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
