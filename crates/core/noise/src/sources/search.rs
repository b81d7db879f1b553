//! Looks for combs, the fastest first, in all detours and in those of about the same length.

use super::FALSE_ALARMS;
use super::comb::{Comb, PERIOD_MAX_NS, View};
use super::exposure::Exposure;
use super::grid::Grid;
use super::lags::{Counting, follow, peaks};

/// Faster sources than 20 kHz would leave no time to look in between.
const PERIOD_MIN_NS: f64 = 50_000.0;
/// A period must fit in so often.
const PERIODS_MIN: f64 = 9.0;
/// Bins of lags: for sources as regular as timers, and for others.
const BINS_NS: [f64; 2] = [10_000.0, 60_000.0];
/// Longer detours first, then all: a machine may have thousands of detours a second that are hardly any, of cache
/// misses and the like.
const FROM_NS: [f64; 2] = [1_000.0, 0.0];
/// How far a detour may be off its place, in bins.
const HALF_BINS: f64 = 1.5;
/// Pairs are counted up to this many in all detours, and in those of about one length.
const PAIRS_MAX: f64 = 6e6;
const PAIRS_OF_CLASS_MAX: f64 = 6e5;
/// The shortest class of lengths; each begins half an octave above the one before and is an octave wide.
const CLASS_FROM_NS: f64 = 100.0;
const CLASSES: usize = 36;
/// Fewer detours are no comb.
const MEMBERS_MIN: usize = 8;
/// Detours of one source are seldom a smaller part as long as its usual ones.
const SHORTER: f64 = 0.25;
/// A machine with more periodic sources than this is described badly by any number of them.
const COMBS_MAX: usize = 32;
/// So many windows' phases are followed for one candidate.
const SEEDS_MAX: usize = 3;
/// Candidates are looked at until that has cost as much as this many looks at one detour: less than a second.
const WORK_MAX: usize = 8_000_000;
/// What fits and tests of a candidate cost, in multiples of what it costs to find that it is none.
const FITS_WORK: usize = 8;
/// If chance puts more detours than this near any place, no comb is seen among them.
const CROWD_MAX: f64 = 0.6;

/// Finds all combs; and which detour belongs to which.
pub(super) fn combs(exposure: &Exposure) -> (Vec<Comb>, Vec<Option<usize>>) {
    let mut search = Search {
        exposure,
        owner: vec![None; exposure.seen.len()],
        combs: Vec::new(),
        work: 0,
        looks: (BINS_NS.len() * (CLASSES + FROM_NS.len())) as f64,
    };
    for from in FROM_NS {
        for bin_ns in BINS_NS {
            while search.step(from..f64::INFINITY, bin_ns, PAIRS_MAX) {}
        }
    }
    for class in 0..CLASSES {
        let from = CLASS_FROM_NS * 2_f64.powf(class as f64 / 2.0);
        for bin_ns in BINS_NS {
            while search.step(from..2.0 * from, bin_ns, PAIRS_OF_CLASS_MAX) {}
        }
    }
    (search.combs, search.owner)
}

struct Search<'e> {
    exposure: &'e Exposure,
    owner: Vec<Option<usize>>,
    combs: Vec<Comb>,
    work: usize,
    looks: f64,
}

impl Search<'_> {
    /// Looks for one comb among detours of these lengths; says whether there was one.
    fn step(&mut self, lengths: std::ops::Range<f64>, bin_ns: f64, pairs_max: f64) -> bool {
        let exposure = self.exposure;
        let members: Vec<usize> = (0..self.owner.len())
            .filter(|at| self.owner[*at].is_none() && lengths.contains(&exposure.seen[*at].length_ns))
            .collect();
        if members.len() < MEMBERS_MIN || self.combs.len() == COMBS_MAX {
            return false;
        }
        let starts: Vec<f64> = members.iter().map(|at| exposure.seen[*at].start_ns).collect();
        let longest_ns = (exposure.span_ns() / PERIODS_MIN).min(PERIOD_MAX_NS);
        let shortest_ns = PERIOD_MIN_NS.max(6.0 * bin_ns);
        let half_ns = HALF_BINS * bin_ns;
        if members.len() as f64 * 2.0 * half_ns > CROWD_MAX * exposure.looked_ns() {
            return false;
        }
        let view = View {
            exposure,
            members: &members,
            starts: &starts,
            looks: self.looks,
            half_ns,
            chance_max_ln: FALSE_ALARMS.ln(),
        };
        let counting =
            Counting { bin_ns, shortest_ns, longest_ns, pairs_max, looked_ns: exposure.looked_ns() };
        for lag in peaks(&starts, counting) {
            if self.work > WORK_MAX {
                return false;
            }
            self.work += members.len();
            let Some(period_ns) = follow(&starts, lag, half_ns) else { continue };
            self.work += members.len() * FITS_WORK;
            // A seed where two combs cross may go astray; another window's does not.
            let found = Grid::seeds(&starts, period_ns, half_ns.min(15_000.0))
                .into_iter()
                .take(SEEDS_MAX)
                .filter_map(|seed| seed.fitted(&starts, half_ns))
                .filter_map(|grid| view.test(grid))
                .filter(|comb| !self.combs.iter().any(|other| comb.is_left_by(other, exposure, half_ns)))
                .min_by(|one, other| one.chance_ln.total_cmp(&other.chance_ln));
            if let Some(comb) = found {
                let comb = self.gathered(fundamental(&view, comb, shortest_ns), half_ns);
                for (_, detour) in &comb.teeth {
                    self.owner[*detour] = Some(self.combs.len());
                }
                self.combs.push(comb);
                return true;
            }
        }
        false
    }

    /// Takes all its teeth, not only those of the lengths that were looked at: it may lie on the edge of those.
    fn gathered(&self, comb: Comb, half_ns: f64) -> Comb {
        let exposure = self.exposure;
        let lengths = comb.teeth.iter().map(|(_, detour)| exposure.seen[*detour].length_ns);
        let shortest_ns = SHORTER * stats::median_of(&mut lengths.collect::<Vec<_>>());
        let members: Vec<usize> = (0..self.owner.len())
            .filter(|at| self.owner[*at].is_none() && exposure.seen[*at].length_ns >= shortest_ns)
            .collect();
        let starts: Vec<f64> = members.iter().map(|at| exposure.seen[*at].start_ns).collect();
        let view = View {
            exposure,
            members: &members,
            starts: &starts,
            looks: self.looks,
            half_ns,
            chance_max_ln: FALSE_ALARMS.ln(),
        };
        match view.test(comb.grid) {
            Some(all) if all.teeth.len() > comb.teeth.len() => {
                Comb { chance_ln: all.chance_ln.min(comb.chance_ln), ..all }
            }
            _ => comb,
        }
    }
}

/// Goes from every n-th tooth of a comb to all of them. The peak of a comb's own period may be too low to be seen while
/// that of a multiple is not; told as it is, the comb would lack those teeth and fall into pieces.
fn fundamental(view: &View, comb: Comb, shortest_ns: f64) -> Comb {
    /// Of other multiples one is seldom the lowest that is seen.
    const PRIMES: [u32; 6] = [2, 3, 5, 7, 11, 13];
    let mut comb = comb;
    while let Some(finer) = PRIMES
        .into_iter()
        .filter(|parts| comb.grid.period_ns / f64::from(*parts) >= shortest_ns)
        .find_map(|parts| view.test(comb.grid.divided(f64::from(parts))))
    {
        comb = finer;
    }
    comb
}
