//! How many judgehosts a pool needs: by the load that is predicted, by what waits, and with hysteresis.

use crate::{JudgePoolSpec, QueueSeen};
use placement::predict::{ObservedLoad, Options, Predictor, Series};

/// Loads are observed over this time.
const WINDOW_MS: u64 = 60_000;
/// And predicted this far ahead: a machine's start and calibration take less.
const HORIZON_MS: u64 = 10 * 60_000;
/// How many standard deviations of a minute's peak are kept above the mean that is predicted.
const SPREADS: f64 = 1.0;
/// The predictor's own quantile is not asked for: it remembers for a day what a contest is over in hours.
const QUANTILE_PERMILLE: u32 = 950;

/// How a pool's load went.
#[derive(Clone, Debug)]
pub struct Load {
    predictor: Predictor,
    series: Series,
    window: Option<Window>,
    /// Since when fewer judgehosts would have been enough, and the most that were needed since.
    fewer: Option<(u64, u32)>,
}

/// The window that is being observed.
#[derive(Clone, Copy, Debug)]
struct Window {
    begin_ms: u64,
    looks: u64,
    sum_milli: u64,
    peak_milli: u64,
}

pub struct Wanted {
    pub judgehosts: u32,
    pub why: String,
}

impl Load {
    pub fn new(spec: &JudgePoolSpec) -> Self {
        let options =
            Options { window_ms: WINDOW_MS, horizon_ms: HORIZON_MS, quantile_permille: QUANTILE_PERMILLE };
        let predictor = Predictor::new(options);
        let series = predictor.begin(None, places_max(spec).saturating_mul(1000), 0);
        Self { predictor, series, window: None, fewer: None }
    }

    /// Returns how many judgehosts are wanted. Without a server's answer a pool keeps its size.
    pub fn wanted(
        &mut self,
        spec: &JudgePoolSpec,
        queue: Option<QueueSeen>,
        present: u32,
        at_ms: u64,
    ) -> Wanted {
        let (min, max) = (spec.size.min, spec.size.max);
        let Some(queue) = queue else {
            self.window = None;
            let judgehosts = present.clamp(min, max);
            return Wanted { judgehosts, why: "the contest server does not answer".to_owned() };
        };
        self.observe(spec, queue, at_ms);
        let (needed, why) = self.needed(spec, queue, at_ms);
        let (needed, why) = if needed <= min {
            (min, format!("{min} at least"))
        } else if needed > max {
            (max, format!("{max} at most; {why}"))
        } else {
            (needed, why)
        };
        if needed >= present {
            self.fewer = None;
            return Wanted { judgehosts: needed, why };
        }
        let (since, most) = self.fewer.get_or_insert((at_ms, needed));
        *most = needed.max(*most);
        let waited_ms = at_ms.saturating_sub(*since);
        if waited_ms >= u64::from(spec.policy.shrink_after_seconds) * 1000 {
            let judgehosts = *most;
            let why = format!("{judgehosts} were enough for {} s", spec.policy.shrink_after_seconds);
            // The rest of the difference needs another wait if more are needed meanwhile.
            self.fewer = None;
            return Wanted { judgehosts, why };
        }
        let judgehosts = present.clamp(min, max);
        // In minutes: each other text is a write to the API server.
        Wanted { judgehosts, why: format!("{needed} would be enough, for {} min now", waited_ms / 60_000) }
    }

    /// Takes how many places are busy or wanted.
    fn observe(&mut self, spec: &JudgePoolSpec, queue: QueueSeen, at_ms: u64) {
        // What waits beyond what the pool can ever do is a backlog, not a load.
        let open = queue.judging.saturating_add(queue.waiting);
        let busy_milli = open.min(places_max(spec).into()).saturating_mul(1000);
        let window =
            self.window.get_or_insert(Window { begin_ms: at_ms, looks: 0, sum_milli: 0, peak_milli: 0 });
        window.looks += 1;
        window.sum_milli = window.sum_milli.saturating_add(busy_milli);
        window.peak_milli = window.peak_milli.max(busy_milli);
        if at_ms.saturating_sub(window.begin_ms) >= WINDOW_MS {
            let milli = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
            let load = ObservedLoad {
                mean_milli: milli(window.sum_milli / window.looks),
                peak_milli: milli(window.peak_milli),
            };
            self.predictor.observe(&mut self.series, load, at_ms);
            self.window = None;
        }
    }

    /// Returns how many judgehosts the load needs.
    fn needed(&self, spec: &JudgePoolSpec, queue: QueueSeen, at_ms: u64) -> (u32, String) {
        let places = u64::from(spec.places.max(1));
        let judgehosts =
            |places_milli: u64| u32::try_from(places_milli.div_ceil(places * 1000)).unwrap_or(u32::MAX);
        // What waits and is judged now has its verdict in time if a place has no more than it can do until then.
        let target_ms = u64::from(spec.policy.verdict_seconds.max(1)) * 1000;
        let takes_ms = queue.judging_mean_ms.unwrap_or(1_000).max(1);
        let open = queue.waiting.saturating_add(queue.judging);
        let late = queue.oldest_wait_ms.is_some_and(|waited| waited > target_ms);
        let for_queue = match late {
            // The mean says too little: a place for each.
            true => judgehosts(open.saturating_mul(1000)),
            false => {
                judgehosts(open.saturating_mul(1000).saturating_mul(takes_ms.min(target_ms)) / target_ms)
            }
        };
        // Nothing was predicted from: the first windows have to pass.
        let predicted = match self.series.has_loads() {
            true => {
                let forecast = self.predictor.forecast(&self.series, at_ms);
                (forecast.mean_milli + SPREADS * forecast.variance.sqrt()) as u64
            }
            false => 0,
        };
        let for_load = judgehosts(predicted);
        if for_queue >= for_load {
            let oldest = queue.oldest_wait_ms.map(|ms| format!(", the oldest for {}", seconds(ms)));
            let why = format!(
                "{} wait{} and {} are judged",
                queue.waiting,
                oldest.unwrap_or_default(),
                queue.judging
            );
            (for_queue, why)
        } else {
            (
                for_load,
                format!("{}.{} places are predicted to be busy", predicted / 1000, predicted % 1000 / 100),
            )
        }
    }
}

/// Returns how many programs a pool times at once when it is as large as it may be.
fn places_max(spec: &JudgePoolSpec) -> u32 {
    spec.size.max.saturating_mul(spec.places).max(1)
}

/// Writes milliseconds as seconds.
pub fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
