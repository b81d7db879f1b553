//! Looks for combs, the fastest first, in all detours and in those of about the same length.

use super::FALSE_ALARMS;
use super::comb::{Comb, PERIOD_MAX_NS, View};
use super::exposure::Exposure;
use super::grid::Grid;
use super::lags::{Counting, follow, peaks};

/// A period must fit in so often.
const PERIODS_MIN: f64 = 9.0;
/// How regular the sources are that are looked for.
#[derive(Clone, Copy)]
struct SearchSpan {
    /// Bins of lags.
    bin_ns: f64,
    /// How far a detour may be off its place.
    half_ns: f64,
    /// No shorter periods, or most detours would be near a place of any grid.
    shortest_ns: f64,
    /// Whether peaks of lags may be so broad that half of all lags are in one.
    is_broad: bool,
}

/// A comb whose detours are no farther off is no piece of another one.
const REGULAR_NS: f64 = 30_000.0;
/// Nothing farther off is a comb's.
const WIDEST_NS: f64 = 300_000.0;
/// As regular as timers; less so; and late by a timer's slack or more.
const LOOKS: [SearchSpan; 3] = [
    SearchSpan { bin_ns: 10_000.0, half_ns: 15_000.0, shortest_ns: 60_000.0, is_broad: false },
    SearchSpan { bin_ns: 60_000.0, half_ns: 90_000.0, shortest_ns: 360_000.0, is_broad: false },
    SearchSpan { bin_ns: 100_000.0, half_ns: WIDEST_NS, shortest_ns: 900_000.0, is_broad: true },
];
/// Longer detours first, then all: a machine may have thousands of detours a second that are hardly any, of cache
/// misses and the like.
const FROM_NS: [f64; 2] = [1_000.0, 0.0];
/// A detour is no more than this part of a period off its place.
const HALF_PART: f64 = 0.3;
/// Windows of seeds are at most so long: a comb that is regular has most of a window's detours within.
const SEED_NS: f64 = 15_000.0;
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
/// Windows whose phases are followed for one candidate.
const SEEDS_MAX: usize = 3;
/// Candidates are examined until that has cost as much as examining one detour this many times: less than a second.
const WORK_MAX: usize = 4_000_000;
/// What fits and tests of a candidate cost, in multiples of what it costs to find that it is none.
const FITS_WORK: usize = 8;
/// If chance puts more detours than this near any place, no comb is seen among them.
const CROWD_MAX: f64 = 0.6;
/// More, where a comb's own detours are most of them.
const CROWD_BROAD_MAX: f64 = 1.2;

/// Finds all combs; and which detour belongs to which.
pub(super) fn combs(exposure: &Exposure) -> (Vec<Comb>, Vec<Option<usize>>) {
    let mut search = Search {
        exposure,
        owner: vec![None; exposure.seen.len()],
        combs: Vec::new(),
        work: [0; LOOKS.len()],
        looks: (LOOKS.len() * (CLASSES + FROM_NS.len())) as f64,
    };
    for from in FROM_NS {
        for look in 0..LOOKS.len() {
            while search.step(from..f64::INFINITY, look, PAIRS_MAX) {}
        }
    }
    search.work = [0; LOOKS.len()];
    for class in 0..CLASSES {
        let from = CLASS_FROM_NS * 2_f64.powf(class as f64 / 2.0);
        for look in 0..LOOKS.len() {
            while search.step(from..2.0 * from, look, PAIRS_OF_CLASS_MAX) {}
        }
    }
    (search.combs, search.owner)
}

struct Search<'e> {
    exposure: &'e Exposure,
    owner: Vec<Option<usize>>,
    combs: Vec<Comb>,
    work: [usize; LOOKS.len()],
    looks: f64,
}

impl Search<'_> {
    /// Looks for one comb among detours of these lengths; returns whether there was one.
    fn step(&mut self, lengths: std::ops::Range<f64>, look: usize, pairs_max: f64) -> bool {
        let exposure = self.exposure;
        let SearchSpan { bin_ns, half_ns, shortest_ns, is_broad } = LOOKS[look];
        let (members, starts) = self.left(|length| lengths.contains(&length));
        if members.len() < MEMBERS_MIN || self.combs.len() == COMBS_MAX {
            return false;
        }
        let longest_ns = (exposure.span_ns() / PERIODS_MIN).min(PERIOD_MAX_NS);
        let crowd_max = if is_broad { CROWD_BROAD_MAX } else { CROWD_MAX };
        if members.len() as f64 * 2.0 * half_ns > crowd_max * exposure.looked_ns() {
            return false;
        }
        let looked_ns = exposure.looked_ns();
        let counting = Counting { bin_ns, shortest_ns, longest_ns, pairs_max, looked_ns, is_broad };
        let mut failed = Failed { lags: Vec::new(), bin_ns };
        for lag in peaks(&starts, counting) {
            if self.work[look] > WORK_MAX {
                return false;
            }
            if failed.is_hopeless(lag) {
                continue;
            }
            failed.add(lag);
            self.work[look] += members.len();
            let half_ns = half_ns.min(HALF_PART * lag);
            let Some(period_ns) = follow(&starts, lag, half_ns) else { continue };
            self.work[look] += members.len() * FITS_WORK;
            let view = self.view(&members, &starts, half_ns);
            // One that jitters has no clear phase in a narrow window.
            let found =
                [SEED_NS, half_ns].into_iter().filter(|seed_ns| *seed_ns <= half_ns).find_map(|seed_ns| {
                    // A seed where two combs cross may go astray; another window's does not.
                    Grid::seeds(&starts, period_ns, seed_ns)
                        .into_iter()
                        .take(SEEDS_MAX)
                        .filter_map(|seed| seed.fitted(&starts, half_ns))
                        .filter_map(|grid| view.test(grid))
                        .filter(|comb| {
                            !self.combs.iter().any(|other| comb.is_left_by(other, exposure, half_ns))
                        })
                        .min_by(|one, other| one.chance_ln.total_cmp(&other.chance_ln))
                });
            let found = found.map(|comb| fundamental(&view, comb, shortest_ns));
            if let Some(comb) = found.and_then(|comb| self.gathered(comb, half_ns)) {
                for (_, detour) in &comb.teeth {
                    self.owner[*detour] = Some(self.combs.len());
                }
                self.combs.push(comb);
                return true;
            }
        }
        false
    }

    /// Returns the detours of such lengths that are no comb's yet, and their starts.
    fn left(&self, is_wanted: impl Fn(f64) -> bool) -> (Vec<usize>, Vec<f64>) {
        let seen = &self.exposure.seen;
        let each = (0..seen.len()).filter(|at| self.owner[*at].is_none() && is_wanted(seen[*at].length_ns));
        each.map(|at| (at, seen[at].start_ns)).unzip()
    }

    fn view<'v>(&self, members: &'v [usize], starts: &'v [f64], half_ns: f64) -> View<'v>
    where
        Self: 'v,
    {
        let chance_max_ln = FALSE_ALARMS.ln();
        View { exposure: self.exposure, members, starts, looks: self.looks, half_ns, chance_max_ln }
    }

    /// Takes all its teeth: not only those of the lengths that were searched, on the edge of which it may lie, nor only
    /// those near their places, where it jitters by more.
    fn gathered(&self, comb: Comb, half_ns: f64) -> Option<Comb> {
        let lengths = comb.teeth.iter().map(|(_, detour)| self.exposure.seen[*detour].length_ns);
        let shortest_ns = SHORTER * stats::median_of(&mut lengths.collect::<Vec<_>>());
        let (members, starts) = self.left(|length| length >= shortest_ns);
        let comb = match self.view(&members, &starts, half_ns).test(comb.grid) {
            Some(all) if all.teeth.len() > comb.teeth.len() => {
                Comb { chance_ln: all.chance_ln.min(comb.chance_ln), ..all }
            }
            _ => comb,
        };
        // Stolen time is longer, and there may be enough of it that something is near any place.
        let (members, starts) =
            self.left(|length| (shortest_ns..shortest_ns / SHORTER / SHORTER).contains(&length));
        let wide = |grid: &Grid| self.view(&members, &starts, WIDEST_NS.min(HALF_PART * grid.period_ns));
        let comb = wide(&comb.grid).widened(comb);
        if comb.taken_ns <= REGULAR_NS {
            return Some(comb);
        }
        // Most of its teeth may be farther off than was searched: which multiple of its period it was found at was luck, then.
        let Some(parts) = wide(&comb.grid).finer(&comb, LOOKS[LOOKS.len() - 1].shortest_ns) else {
            return Some(comb);
        };
        let grid = comb.grid.divided(parts);
        let view = wide(&grid);
        // A piece of what keeps to no grid is none.
        view.test(grid).map(|whole| view.widened(whole))
    }
}

/// Lags at which there was no comb in one look. What comes repeatedly but is on no grid has a peak at each multiple of its
/// period, and there is no comb at any of them.
struct Failed {
    /// Each with how often it or a multiple failed.
    lags: Vec<(f64, u32)>,
    bin_ns: f64,
}

impl Failed {
    /// A fit goes astray at times, but not at three multiples.
    const TIMES: u32 = 3;
    /// Of shorter lags, in bins, too many others would be multiples.
    const BINS_MIN: f64 = 20.0;

    fn is_multiple(&self, lag_ns: f64, of_ns: f64) -> bool {
        let off = lag_ns - (lag_ns / of_ns).round() * of_ns;
        of_ns >= Self::BINS_MIN * self.bin_ns && off.abs() <= self.bin_ns
    }

    fn is_hopeless(&self, lag_ns: f64) -> bool {
        self.lags.iter().any(|(of_ns, times)| *times >= Self::TIMES && self.is_multiple(lag_ns, *of_ns))
    }

    fn add(&mut self, lag_ns: f64) {
        match self.lags.iter().position(|(of_ns, _)| self.is_multiple(lag_ns, *of_ns)) {
            Some(at) => self.lags[at].1 += 1,
            None => self.lags.push((lag_ns, 1)),
        }
    }
}

/// Goes from every n-th tooth of a comb to all of them. The peak of a comb's own period may be too low to be seen while
/// that of a multiple is not; reported as it is, the comb would lack those teeth and fall into pieces.
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
