//! The load of jobs in the next hour, predicted from what was observed.
//!
//! A [`Series`] condenses what was observed of one job, host or service: means, spread, and two histograms. The
//! [`Predictor`] weighs these features; its weights are the same for all series and follow what is observed.

pub mod evaluate;
mod histogram;
mod linear;
mod pending;
mod services;
mod starting;

use crate::fleet::NameId;
use histogram::{Histogram, Memory, TOP};
use linear::{Features, Linear};
use pending::{Outcome, Pendings};
use serde::{Deserialize, Serialize};
use services::Services;

const MINUTE_MS: u64 = 60_000;

/// The memory of the mean of the last hour.
const HOUR_MS: u64 = 60 * MINUTE_MS;
/// The memory of the slower mean and of the variance.
const THREE_HOURS_MS: u64 = 180 * MINUTE_MS;
/// The memory of the histogram of what is now.
const SHORT_MS: u64 = 120 * MINUTE_MS;
/// The memory of the histogram of what is usual.
const LONG_MS: u64 = 960 * MINUTE_MS;
/// The memory of the histograms of a service and of all jobs, in windows.
const SERVICE_WINDOWS: u64 = 2_000;
const ALL_WINDOWS: u64 = 60_000;

/// How many windows what is known beforehand counts for in a new job's histograms: its service's loads, or those of all.
const SERVICE_COUNTS: u32 = 6;
const ALL_COUNT: u32 = 1;

/// The unit of a job that requests nothing: one CPU.
const UNIT_MILLI: u32 = 1_000;
/// The unit doubles at most so often.
const DOUBLINGS_MAX: u8 = 16;

/// How far a weight moves with the first observation; later ones move it less and less.
const RATE: f32 = 0.01;

/// Squared errors are compared with expected ones over about so many.
const SPREAD_OUTCOMES: f32 = 20_000.0;

/// What was observed of a job in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The mean, in thousandths of a CPU.
    pub mean_milli: u32,
    /// The peak, in thousandths of a CPU.
    pub peak_milli: u32,
}

/// A predicted load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The mean over the windows up to the horizon, in thousandths of a CPU.
    pub mean_milli: f64,
    /// The variance of one window's peak around that mean, in (thousandths of a CPU)². Variances of jobs add up.
    pub variance: f64,
}

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The length of a window.
    pub window_ms: u64,
    /// How far ahead: the mean is of the time up to it, the quantile of that time's second half.
    pub horizon_ms: u64,
    /// The share of windows whose load is at most the quantile, in thousandths.
    pub quantile_permille: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { window_ms: 5 * MINUTE_MS, horizon_ms: 60 * MINUTE_MS, quantile_permille: 950 }
    }
}

/// What was observed of one job, condensed. Loads are shares of its request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    request_milli: u32,
    service: Service,
    hour: f32,
    three_hours: f32,
    variance: f32,
    /// The number of the outcome that it waits for; 0 for none.
    ticket: u32,
    short: Histogram,
    long: Histogram,
    windows: u16,
    /// The unit of the histograms is the request, doubled so often.
    doublings: u8,
}

/// The service of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Service {
    None,
    /// It has no profile yet.
    New(NameId),
    /// The number of its profile.
    Known(u32),
}

/// State of all predictions: what was learnt from all jobs together, and the profile of each service by time of day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predictor {
    options: Options,
    memories: Memories,
    mean: Linear,
    quantile: Linear,
    /// The sums of squared errors and of the variances that were observed before: their ratio corrects the next ones.
    squared_errors: f32,
    variances: f32,
    /// The loads of all jobs.
    all: Histogram,
    all_windows: u16,
    services: Services,
    pendings: Pendings,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Memories {
    hour: f32,
    three_hours: f32,
    short: Memory,
    long: Memory,
    service: Memory,
    all: Memory,
}

impl Predictor {
    /// Returns a predictor that has observed nothing; its weights are those of another fleet's day.
    pub fn new(options: Options) -> Self {
        let window_ms = options.window_ms.max(1);
        let windows = |time_ms: u64| (time_ms / window_ms).max(1);
        let memories = Memories {
            hour: 1.0 / windows(HOUR_MS) as f32,
            three_hours: 1.0 / windows(THREE_HOURS_MS) as f32,
            short: Memory::of(windows(SHORT_MS)),
            long: Memory::of(windows(LONG_MS)),
            service: Memory::of(SERVICE_WINDOWS),
            all: Memory::of(ALL_WINDOWS),
        };
        Self {
            options: Options { window_ms, ..options },
            memories,
            mean: starting::mean(),
            quantile: starting::quantile(options.quantile_permille),
            squared_errors: starting::SPREAD * SPREAD_OUTCOMES / 10.0,
            variances: SPREAD_OUTCOMES / 10.0,
            all: starting::LOADS,
            all_windows: 0,
            services: Services::default(),
            pendings: Pendings::default(),
        }
    }

    /// Returns a new job's state before anything was observed: from its service's earlier jobs at this time of day if
    /// there were any, else from the usual share of the request.
    pub fn begin(&self, service: Option<NameId>, request_milli: u32, at_ms: u64) -> Series {
        let number = service.and_then(|service| self.services.find(service));
        let profile = number.and_then(|number| self.services.get(number));
        let (loads, count) = profile.map_or((&self.all, ALL_COUNT), |profile| (&profile.loads, SERVICE_COUNTS));
        let (usual, variance) = loads.moments();
        let mean = profile.and_then(|profile| profile.at(at_ms)).unwrap_or(usual);
        Series {
            request_milli: if request_milli == 0 { UNIT_MILLI } else { request_milli },
            service: match (service, number) {
                (_, Some(number)) => Service::Known(number),
                (Some(service), None) => Service::New(service),
                (None, None) => Service::None,
            },
            hour: mean,
            three_hours: mean,
            variance,
            ticket: 0,
            short: Histogram::seeded(loads, self.memories.short, count.min(2)),
            long: Histogram::seeded(loads, self.memories.long, count),
            windows: 0,
            doublings: 0,
        }
    }

    /// Takes what one window showed, and learns from it: compares with what was forecast a horizon ago.
    ///
    /// Windows come in order; `at_ms` is the window's end.
    pub fn observe(&mut self, series: &mut Series, seen: Seen, at_ms: u64) {
        let request = series.request_milli as f32;
        let (load, peak) = (seen.mean_milli as f32 / request, seen.peak_milli as f32 / request);
        let peak = peak.max(load);
        if let Some(outcome) = self.pendings.observe(series.ticket, load, peak, at_ms) {
            series.ticket = 0;
            self.learn(&outcome);
        }
        series.add(load, peak, &self.memories);
        self.all_windows = self.all_windows.wrapping_add(1);
        self.all.add(load, self.all_windows, self.memories.all);
        if let Service::New(service) = series.service {
            series.service = self.services.find_or_add(service).map_or(Service::None, Service::Known);
        }
        if let Service::Known(number) = series.service
            && let Some(profile) = self.services.get_mut(number)
        {
            profile.add(load, at_ms - self.options.window_ms.min(at_ms) / 2, self.memories.service);
        }
        if self.pendings.is_turn(series.ticket, at_ms) {
            let features = self.features(series, at_ms);
            series.ticket = self.pendings.wait(features, at_ms, &self.options);
        }
    }

    /// Returns the load up to the horizon. The peak of many jobs is the sum of their means and some multiple of the
    /// root of the sum of their variances.
    pub fn forecast(&self, series: &Series, at_ms: u64) -> Forecast {
        let request = f64::from(series.request_milli);
        let mean = self.mean.value(&self.features(series, at_ms)).max(0.0);
        let variance = series.variance * self.squared_errors / self.variances;
        Forecast { mean_milli: f64::from(mean) * request, variance: f64::from(variance) * request * request }
    }

    /// Returns the load in the second half of the time up to the horizon that is exceeded with the stated share of
    /// windows, in thousandths of a CPU.
    pub fn quantile(&self, series: &Series, at_ms: u64) -> u32 {
        let share = self.quantile.value(&self.features(series, at_ms)).max(0.0);
        (share * series.request_milli as f32 + 0.5) as u32
    }

    fn features(&self, series: &Series, at_ms: u64) -> Features {
        let high = self.options.quantile_permille.min(999) as f32 / 1000.0;
        // Half as rare at most; the median if the quantile is one that half of all windows exceed.
        let less_high = (2.0 * high - 1.0).max(0.5);
        let unit = series.unit();
        let [short_median, short_high] = series.short.quantiles([0.5, less_high]);
        let [median, long_less_high, long_high] = series.long.quantiles([0.5, less_high, high.max(less_high)]);
        let due_ms = at_ms + self.options.horizon_ms - self.options.horizon_ms / 4;
        let usual = match series.service {
            Service::Known(number) => self.services.get(number).and_then(|profile| profile.at(due_ms)),
            Service::None | Service::New(_) => None,
        };
        [
            0.1,
            series.hour,
            series.three_hours,
            series.variance.sqrt(),
            short_median * unit,
            short_high * unit,
            median * unit,
            long_less_high * unit,
            long_high * unit,
            usual.map_or(0.0, |usual| usual - series.hour),
        ]
    }

    fn learn(&mut self, outcome: &Outcome) {
        let Outcome { features, mean, load, peak } = outcome;
        let forecast = self.mean.value(features);
        self.mean.step(features, forecast - mean, RATE);
        let wanted = self.options.quantile_permille as f32 / 1000.0;
        let slope = if *load < self.quantile.value(features) { 1.0 - wanted } else { -wanted };
        self.quantile.step(features, slope, RATE);
        let kept = 1.0 - 1.0 / SPREAD_OUTCOMES;
        let error = peak - forecast;
        self.squared_errors = self.squared_errors * kept + error * error;
        self.variances = self.variances * kept + features[3] * features[3];
    }
}

impl Series {
    fn unit(&self) -> f32 {
        (1_u32 << self.doublings) as f32
    }

    fn add(&mut self, load: f32, peak: f32, memories: &Memories) {
        while load >= TOP * self.unit() && self.doublings < DOUBLINGS_MAX {
            self.doublings += 1;
            self.short.halve_loads();
            self.long.halve_loads();
        }
        self.windows = self.windows.checked_add(1).unwrap_or(u16::MAX / 2);
        // What was known beforehand counts as one window.
        let share = |memory: f32| (1.0 / f32::from(self.windows.saturating_add(1))).max(memory);
        let error = peak - self.hour;
        self.variance += share(memories.three_hours) * (error * error - self.variance);
        self.hour += share(memories.hour) * (load - self.hour);
        self.three_hours += share(memories.three_hours) * (load - self.three_hours);
        let (load, number) = (load / self.unit(), self.windows);
        self.short.add(load, number, memories.short);
        self.long.add(load, number, memories.long);
    }
}

const _: () = assert!(size_of::<Series>() <= 96, "there are hundreds of thousands");

#[cfg(test)]
mod dump {
    use super::*;
    use std::io::Write;
    #[test]
    #[allow(clippy::all)]
    fn dump() {
        for permille in [500, 950] {
            let text = std::fs::read_to_string("/tmp/x-predict/20110303.csv").unwrap();
            let rows: Vec<Vec<u32>> = text.lines().map(|l| l.split(',').skip(1).map(|v| v.parse::<u32>().unwrap() * 10).collect()).collect();
            let mut p = Predictor::new(Options { quantile_permille: permille, ..Options::default() });
            let mut out = std::io::BufWriter::new(std::fs::File::create(format!("/tmp/x-predict/day1-{permille}.f32")).unwrap());
            let mut s: Vec<_> = rows.iter().map(|_| p.begin(None, 1000, 0)).collect();
            for t in 0..288 {
                let at = (t as u64 + 1) * 300_000;
                for (s, r) in s.iter_mut().zip(&rows) {
                    p.observe(s, Seen { mean_milli: r[t], peak_milli: r[t] }, at);
                    for f in p.features(s, at) { out.write_all(&f.to_le_bytes()).unwrap(); }
                }
            }
            let [mut a, mut n] = [[0u32; 16], [0; 16]]; let _ = &mut n;
            for l in rows.iter().flatten() { let mut h = Histogram::default(); h.add(*l as f32 / 1000.0, 1, Memory::of(8)); for (a, b) in a.iter_mut().zip(serde_json::to_value(h).unwrap().as_array().unwrap()) { *a += b.as_u64().unwrap() as u32 / 1000 } }
            eprintln!("{a:?} spread {}", p.squared_errors / p.variances);
        }
    }
}
