//! Candidate periods: lags at which pairs of detours are more frequent than at lags nearby.

/// Bins of one block share their background.
const BLOCK: usize = 64;
/// The part of a block, its lowest bins, that is its background; peaks of a comb are in the rest.
const BACKGROUND_PART: f64 = 0.8;
/// Peaks lower than this many standard deviations are left alone. That decides nothing: each is tested later.
const SCORE_MIN: f64 = 5.0;
/// From the distance of the median and the lowest fifth of a normal distribution to the deviation of a sum of two.
const SPREAD_TO_DEVIATION: f64 = std::f64::consts::SQRT_2 / 0.8416;
/// A comb of which 62 % is there has 38 % of its pairs, and behind 40 % of steal still 60 % of these.
const PAIRS_PART: f64 = 0.18;
/// The maximum number of candidates, the shortest lags first: a comb has a peak at each multiple of its period.
const PEAKS_MAX: usize = 300;

#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    pub bin_ns: f64,
    pub shortest_ns: f64,
    pub longest_ns: f64,
    /// Beyond this many pairs only some of those far apart are counted.
    pub pairs_max: f64,
    /// For how long the loop was looking: a comb that is mostly there has this many pairs.
    pub looked_ns: f64,
    /// Whether peaks may be so broad that lags between them are no measure of chance.
    pub is_broad: bool,
}

/// Lists lags that are frequent, in ascending order. `starts` are in order.
pub(super) fn peaks(starts: &[f64], counting: Counting) -> Vec<f64> {
    let (bins, kept) = histogram(starts, counting);
    let pair = |at: usize| bins[at] + bins[at + 1];
    let first = (counting.shortest_ns / counting.bin_ns) as usize;
    let mut found = Vec::new();
    let mut sorted = Vec::with_capacity(BLOCK);
    for block in (0..bins.len().saturating_sub(1)).step_by(BLOCK) {
        let end = (block + BLOCK).min(bins.len() - 1);
        sorted.clear();
        sorted.extend_from_slice(&bins[block..end]);
        sorted.sort_unstable();
        let low = ((sorted.len() as f64 * BACKGROUND_PART) as usize).max(1);
        let background = 2.0 * f64::from(sorted[..low].iter().sum::<u32>()) / low as f64;
        // Noise that comes in bursts spreads more than chance would; the lower half of a block has no peaks.
        let spread = f64::from(sorted[sorted.len() / 2] - sorted[sorted.len() / 5]) * SPREAD_TO_DEVIATION;
        let deviation = (background + 1.0).sqrt().max(if counting.is_broad { 0.0 } else { spread });
        for at in block.max(first)..end {
            let count = pair(at);
            let is_top = (at.saturating_sub(2)..at).all(|other| pair(other) < count)
                && (at + 1..(at + 3).min(bins.len() - 1)).all(|other| pair(other) <= count);
            let lag_ns = (at as f64 + 1.0) * counting.bin_ns;
            let excess = f64::from(count) - background;
            let is_enough = excess > PAIRS_PART * kept.part(lag_ns) * counting.looked_ns / lag_ns;
            if is_top && is_enough && excess > SCORE_MIN * deviation {
                found.push(lag_ns);
                if found.len() == PEAKS_MAX {
                    return found;
                }
            }
        }
    }
    found
}

/// Which part of all pairs is counted: all that are as near as that, of others the fewer the farther they are apart, so
/// that each octave of lags costs the same.
#[derive(Clone, Copy, Debug)]
struct PairSampling {
    all_below_ns: f64,
}

impl PairSampling {
    /// Counts about as many pairs as are wanted.
    fn of(starts: &[f64], longest_ns: f64, pairs_max: f64) -> Self {
        /// Detours that come in clusters have more pairs at short lags than at long ones.
        const LAGS: i32 = 8;
        let density = |lag_ns: f64| pairs_within(starts, lag_ns) as f64 / lag_ns;
        let pairs_per_ns =
            (0..LAGS).map(|power| density(longest_ns * 0.25_f64.powi(power))).fold(0.0, f64::max);
        let counted = |all_below_ns: f64| {
            pairs_per_ns * all_below_ns * (1.0 + (longest_ns / all_below_ns).max(1.0).ln())
        };
        let mut all_below_ns = longest_ns;
        while all_below_ns > 1.0 && counted(all_below_ns) > pairs_max {
            all_below_ns *= 0.9;
        }
        Self { all_below_ns }
    }

    fn part(self, lag_ns: f64) -> f64 {
        (self.all_below_ns / lag_ns).min(1.0)
    }

    /// Up to which lag the pairs of a detour are counted.
    fn reach_ns(self, at: usize) -> f64 {
        self.all_below_ns / drawn(at).max(f64::MIN_POSITIVE)
    }
}

/// Returns how many pairs are no farther apart than that.
fn pairs_within(starts: &[f64], lag_ns: f64) -> usize {
    let mut low = 0;
    let before = starts.iter().enumerate().map(|(at, start)| {
        while starts[low] < start - lag_ns {
            low += 1;
        }
        at - low
    });
    before.sum()
}

/// Draws from 0 to 1 by a number, mixed (SplitMix64): every n-th would be a comb itself.
fn drawn(at: usize) -> f64 {
    let mut mixed = (at as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Counts lags, and says of which part of the pairs.
fn histogram(starts: &[f64], counting: Counting) -> (Vec<u32>, PairSampling) {
    let Counting { bin_ns, longest_ns, pairs_max, .. } = counting;
    let mut bins = vec![0; (longest_ns / bin_ns) as usize + 2];
    let kept = PairSampling::of(starts, longest_ns, pairs_max);
    for (at, start) in starts.iter().enumerate() {
        let reach_ns = kept.reach_ns(at).min(longest_ns);
        for later in &starts[at + 1..] {
            let lag = later - start;
            if lag >= reach_ns {
                break;
            }
            bins[(lag / bin_ns) as usize] += 1;
        }
    }
    (bins, kept)
}

/// Follows a lag to 2, 4, 8 ... times itself, which makes it ever more precise; `None` where the pairs do not go on.
pub(super) fn follow(starts: &[f64], lag_ns: f64, half_ns: f64) -> Option<f64> {
    /// Then some hundred periods are known to within a bin.
    const MULTIPLE_MAX: u32 = 64;
    /// The median of more lags is not better known than a bin needs.
    const LAGS_MAX: f64 = 30_000.0;
    let span = starts.last()? - starts.first()?;
    let expected = starts.len() as f64 * starts.len() as f64 / span * 2.0 * half_ns;
    let mut period = lag_ns;
    let mut multiple = 1;
    let mut lags = Vec::new();
    while multiple <= MULTIPLE_MAX && f64::from(multiple) * period < span / 3.0 {
        let middle = f64::from(multiple) * period;
        let windows = windows(starts, middle - half_ns, middle + half_ns);
        let count: usize = windows.iter().map(|(low, high)| high - low).sum();
        let share = 1.0 - middle / span;
        let background = expected * share;
        if (count as f64) < background + 3.0 * background.sqrt() + 2.0 {
            return None;
        }
        let keep = LAGS_MAX / count as f64;
        lags.clear();
        for (at, (low, high)) in windows.into_iter().enumerate().filter(|(at, _)| drawn(*at) <= keep) {
            lags.extend(starts[low..high].iter().map(|later| later - starts[at]));
        }
        if lags.is_empty() {
            return None;
        }
        period = stats::median_of(&mut lags) / f64::from(multiple);
        multiple *= 2;
    }
    Some(period)
}

/// Returns for each start the numbers of those that are so far behind it.
fn windows(starts: &[f64], from_ns: f64, to_ns: f64) -> Vec<(usize, usize)> {
    let (mut low, mut high) = (0, 0);
    let window = |start: &f64| {
        while low < starts.len() && starts[low] < start + from_ns {
            low += 1;
        }
        high = high.max(low);
        while high < starts.len() && starts[high] <= start + to_ns {
            high += 1;
        }
        (low, high)
    };
    starts.iter().map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comb_peaks_at_its_period_and_multiples() {
        let starts: Vec<f64> = (0..1000).map(|at| f64::from(at) * 1_000_250.0).collect();
        let counting = Counting {
            bin_ns: 10_000.0,
            shortest_ns: 5e4,
            longest_ns: 3.5e6,
            pairs_max: 1e6,
            looked_ns: 1e9,
            is_broad: false,
        };
        let found = peaks(&starts, counting);
        assert_eq!(found.len(), 3, "{found:?}");
        let period = follow(&starts, found[0], 15_000.0).unwrap();
        assert!((period - 1_000_250.0).abs() < 1.0, "{period}");
        assert_eq!(follow(&starts, 700_000.0, 15_000.0), None);
    }

    #[test]
    fn nothing_has_no_peaks() {
        let counting = Counting {
            bin_ns: 10_000.0,
            shortest_ns: 5e4,
            longest_ns: 1e6,
            pairs_max: 1e6,
            looked_ns: 1e9,
            is_broad: false,
        };
        assert!(peaks(&[], counting).is_empty() && peaks(&[5.0], counting).is_empty());
    }
}
