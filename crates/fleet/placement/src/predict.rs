//! The load of jobs in the next hour, predicted from what was observed.
//!
//! A [`Series`] condenses what was observed of one job, host or service: means, spread, and two histograms. The
//! [`Predictor`] weighs these features; its weights are the same for all series and follow what is observed.

pub mod evaluate;
mod features;
mod histogram;
mod linear;
mod pending;
mod recent;
mod services;
mod starting;
#[cfg(test)]
mod tests;

use crate::NameId;
pub use features::Options;
use features::{CHEAP, FEATURES, Features, MINUTE_MS};
use histogram::{Histogram, Memory, TOP};
use linear::Linear;
use pending::{Outcome, Pendings};
use recent::{KEPT, Recent};
use serde::{Deserialize, Serialize};
use services::Services;

/// The memory of the mean of the last hour.
const HOUR_MS: u64 = 60 * MINUTE_MS;
/// The memory of a slower mean and of the variance.
const THREE_HOURS_MS: u64 = 180 * MINUTE_MS;
/// The memory of what is usual: the slowest mean and the histogram.
const LONG_MS: u64 = 960 * MINUTE_MS;
/// The last loads are this far apart, or a window if that is longer.
const RECENT_MS: u64 = 5 * MINUTE_MS;
/// The memory of the histograms of a service and of all jobs, in windows.
const SERVICE_WINDOWS: u64 = 2_000;
const ALL_WINDOWS: u64 = 60_000;

/// How many windows what is known beforehand counts for in a new job's histogram: its service's loads, or those of all.
const SERVICE_COUNTS: u32 = 12;
const ALL_COUNT: u32 = 1;

/// The unit of a job that requests nothing: one CPU.
const UNIT_MILLI: u32 = 1_000;
/// The unit doubles at most so often.
const DOUBLINGS_MAX: u8 = 16;

/// How far a weight moves with the first observation; later ones move it less and less.
const RATE: f32 = 0.01;

/// Squared errors are compared with expected ones over about this many.
const SPREAD_OUTCOMES: f32 = 20_000.0;

/// What was observed of a job in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedLoad {
    /// The mean, in thousandths of a CPU.
    pub mean_milli: u32,
    /// The peak, in thousandths of a CPU.
    pub peak_milli: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The mean over the windows up to the horizon, in thousandths of a CPU.
    pub mean_milli: f64,
    /// The variance of one window's peak around that mean, in (thousandths of a CPU)². Variances of jobs add up.
    pub variance: f64,
}

/// What was observed of one job, condensed. Loads are shares of its request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    request_milli: u32,
    service: Service,
    hour: f32,
    three_hours: f32,
    long: f32,
    variance: f32,
    /// The number of the outcome that it waits for; 0 for none.
    ticket: u32,
    recent: Recent,
    loads: Histogram,
    windows: u16,
    /// The unit of the last loads and the histogram is the request, doubled so often.
    doublings: u8,
}

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
    long: f32,
    /// One window in this many is among the last loads.
    recent_every: u16,
    loads: Memory,
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
            long: 1.0 / windows(LONG_MS) as f32,
            recent_every: u16::try_from(windows(RECENT_MS)).unwrap_or(u16::MAX),
            loads: Memory::of(windows(LONG_MS)),
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
        let (loads, count) =
            profile.map_or((&self.all, ALL_COUNT), |profile| (&profile.loads, SERVICE_COUNTS));
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
            long: mean,
            variance,
            ticket: 0,
            recent: Recent::new(),
            loads: Histogram::seeded(loads, self.memories.loads, count),
            windows: 0,
            doublings: 0,
        }
    }

    /// Takes what one window showed, and learns from it: compares with what was forecast a horizon ago.
    ///
    /// Windows come in order; `at_ms` is the window's end.
    pub fn observe(&mut self, series: &mut Series, seen: ObservedLoad, at_ms: u64) {
        let request = series.request_milli as f32;
        let (load, peak) = (seen.mean_milli as f32 / request, seen.peak_milli as f32 / request);
        let peak = peak.max(load);
        if let Some(outcome) = self.pendings.observe(series.ticket, load.min(TOP), peak.min(TOP), at_ms) {
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
        // A job that uses many times its request says nothing about others.
        if series.doublings == 0 && self.pendings.is_turn(series.ticket, at_ms, &self.options) {
            let features = self.features(series, at_ms);
            series.ticket = self.pendings.wait(features, at_ms, &self.options);
        }
    }

    /// Returns the load up to the horizon. The peak of many jobs is the sum of their means and some multiple of the
    /// root of the sum of their variances.
    pub fn forecast(&self, series: &Series, at_ms: u64) -> Forecast {
        let request = f64::from(series.request_milli);
        let mean = self.mean.value(&self.cheap_features(series, at_ms)).max(0.0);
        // All loads may have been 0 for long.
        let variance = series.variance * self.squared_errors / self.variances.max(f32::MIN_POSITIVE);
        Forecast { mean_milli: f64::from(mean) * request, variance: f64::from(variance) * request * request }
    }

    /// Returns the load in the second half of the time up to the horizon that is exceeded with the stated share of
    /// windows, in thousandths of a CPU.
    pub fn quantile(&self, series: &Series, at_ms: u64) -> u32 {
        let share = self.quantile.value(&self.features(series, at_ms)).max(0.0);
        (share * series.request_milli as f32 + 0.5) as u32
    }

    fn cheap_features(&self, series: &Series, at_ms: u64) -> [f32; CHEAP] {
        let due_ms = at_ms + self.options.horizon_ms - self.options.horizon_ms / 4;
        let usual = match series.service {
            Service::Known(number) => self.services.get(number).and_then(|profile| profile.at(due_ms)),
            Service::None | Service::New(_) => None,
        };
        let more_than_now = usual.map_or(0.0, |usual| usual - series.hour);
        [0.1, series.hour, series.three_hours, series.long, series.variance.sqrt(), more_than_now]
    }

    fn features(&self, series: &Series, at_ms: u64) -> Features {
        let high = self.options.quantile_permille.min(999) as f32 / 1000.0;
        // Twice as often exceeded; the median if the quantile is one that half of all windows exceed.
        let less_high = (2.0 * high - 1.0).max(0.5);
        let (unit, mut features) = (series.unit(), [0.0; FEATURES]);
        features[..CHEAP].copy_from_slice(&self.cheap_features(series, at_ms));
        let recent = |quantile: Option<f32>| quantile.map_or(series.hour, |share| share * unit);
        features[CHEAP] = recent(series.recent.quantile::<{ KEPT / 16 }>(0.5));
        features[CHEAP + 1] = recent(series.recent.quantile::<{ KEPT / 8 }>(0.5));
        features[CHEAP + 2] = recent(series.recent.quantile::<{ KEPT / 8 }>(less_high));
        let long = series.loads.quantiles([0.5, less_high, high.max(less_high)]);
        features[CHEAP + 3..].copy_from_slice(&long.map(|share| share * unit));
        features
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
        self.variances = self.variances * kept + features[4] * features[4];
    }
}

impl Series {
    /// Returns whether anything was observed.
    pub fn has_loads(&self) -> bool {
        self.windows > 0
    }

    fn unit(&self) -> f32 {
        (1_u32 << self.doublings) as f32
    }

    fn add(&mut self, load: f32, peak: f32, memories: &Memories) {
        while load >= TOP * self.unit() && self.doublings < DOUBLINGS_MAX {
            self.doublings += 1;
            self.recent.halve_loads();
            self.loads.halve_loads();
        }
        let unit = self.unit();
        if self.windows.is_multiple_of(memories.recent_every) {
            self.recent.add(load / unit);
        }
        self.windows = self.windows.checked_add(1).unwrap_or(u16::MAX / 2);
        if self.windows == 1 {
            // What was only supposed is no load that it had, nor is the difference to it spread.
            (self.hour, self.three_hours) = (load, load);
        }
        let share = |windows: u16, memory: f32| (1.0 / f32::from(windows)).max(memory);
        let error = peak - self.hour;
        // In the long mean and the spread, it counts as one window.
        let with_supposed = self.windows.saturating_add(1);
        self.variance += share(with_supposed, memories.three_hours) * (error * error - self.variance);
        self.hour += share(self.windows, memories.hour) * (load - self.hour);
        self.three_hours += share(self.windows, memories.three_hours) * (load - self.three_hours);
        self.long += share(with_supposed, memories.long) * (load - self.long);
        self.loads.add(load / unit, self.windows, memories.loads);
    }
}

const _: () = assert!(size_of::<Series>() <= 100, "there are hundreds of thousands");
