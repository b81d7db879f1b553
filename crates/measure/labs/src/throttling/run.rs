//! One arm, once.

use super::{Arm, Workload, server};
use crate::child::Measured;
use crate::{LabError, Quantiles, Stop, group_name};
use cgroup::{Layout, ShareGroup, Throttling};
use documents::LabTick;
use model::Nanos;
use std::time::{Duration, Instant};

/// How often throttling is sampled: often enough for a picture, and rarely enough to take no time.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A multiple of the planned time, well above the one after which the server itself gives up.
const TIME_MAX_TIMES: u32 = 5;
/// Long enough to be measured, short enough to fall between disturbances.
const CALIBRATION_STEPS: u64 = 1 << 20;
/// Disturbances only add time, so the fastest of this many counts.
const CALIBRATIONS: u32 = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When it was due, from the beginning.
    pub due: Nanos,
    /// From then until it was done.
    pub latency: Nanos,
    /// Whether it was dropped: its latency is then at least this.
    pub given_up: bool,
}

/// The results of one run of an arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOfArm {
    /// All requests, in order.
    pub requests: Vec<Request>,
    /// The resources that the server used.
    pub cpu_time: Nanos,
    /// From the beginning to the end of the server.
    pub wall_time: Nanos,
    /// The quota's total effect.
    pub throttling: Throttling,
    /// The quota's effect over time.
    pub ticks: Vec<LabTick>,
}

impl RunOfArm {
    /// Returns the requests' latencies.
    pub fn latencies(&self) -> Quantiles {
        self.requests.iter().map(|request| request.latency).collect()
    }

    /// Returns the number of requests served per second of wall-clock time.
    pub fn throughput(&self) -> f64 {
        let served = self.requests.iter().filter(|request| !request.given_up).count();
        served as f64 / self.wall_time.as_secs_f64().max(1e-9)
    }
}

/// Measures how many steps of the server's work take a millisecond here.
pub fn steps_per_ms() -> u64 {
    let time = |_| {
        let begin = Instant::now();
        server::compute(CALIBRATION_STEPS);
        begin.elapsed()
    };
    let fastest = (0..CALIBRATIONS).map(time).min().unwrap_or(Duration::from_millis(1));
    (CALIBRATION_STEPS as u128 * 1_000_000 / fastest.as_nanos().max(1)) as u64
}

/// Runs an arm once.
pub fn measure(
    layout: &Layout,
    arm: &Arm,
    workload: &Workload,
    steps_per_ms: u64,
    stop: Stop,
) -> Result<RunOfArm, LabError> {
    let group = ShareGroup::make(layout, &group_name(), &arm.share)?;
    let (mut server, _) = Measured::start("server", &arguments(workload, steps_per_ms), stop)?;
    group.enter(server.process())?;
    let begin = Instant::now();
    server.begin()?;
    let mut ticks = Vec::new();
    let time_max = workload.time.to_duration() * TIME_MAX_TIMES + Duration::from_secs(10);
    let output = server.finish(LOOK_EVERY, time_max, stop, |_| {
        let Throttling { throttled_periods, throttled, .. } = group.throttling()?;
        let at = Nanos::from(begin.elapsed());
        ticks.push(LabTick { at_ns: at.0, throttled_periods, throttled_ns: throttled.0 });
        Ok(())
    })?;
    let wall_time = begin.elapsed().into();
    let (cpu_time, requests) =
        parse_output(&output).map_err(|why| LabError::Child { what: "server", why })?;
    Ok(RunOfArm { requests, cpu_time, wall_time, throttling: group.throttling()?, ticks })
}

fn arguments(workload: &Workload, steps_per_ms: u64) -> Vec<String> {
    let Workload { seed, time, bursts_per_second, requests_per_burst, request, parts, threads, .. } =
        workload;
    let Workload { chores, chores_every, chore_threads, .. } = workload;
    let options = [
        ("--seed", seed.to_string()),
        ("--time-ns", time.0.to_string()),
        ("--bursts-per-second", bursts_per_second.to_string()),
        ("--requests-per-burst", requests_per_burst.to_string()),
        ("--request-ns", request.0.to_string()),
        ("--parts", parts.to_string()),
        ("--threads", threads.to_string()),
        ("--chores-ns", chores.0.to_string()),
        ("--chores-every-ns", chores_every.0.to_string()),
        ("--chore-threads", chore_threads.to_string()),
        ("--steps-per-ms", steps_per_ms.to_string()),
    ];
    let flat = options.into_iter().flat_map(|(name, value)| [name.to_owned(), value]);
    ["server".to_owned()].into_iter().chain(flat).collect()
}

/// Parses the server's output.
fn parse_output(output: &str) -> Result<(Nanos, Vec<Request>), String> {
    let mut lines = output.lines();
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).map(Nanos);
    let wrong = |line: &str| format!("output '{line}', which is not a time");
    let first = lines.next().unwrap_or_default();
    let cpu_time = number(Some(first)).ok_or_else(|| wrong(first))?;
    let request = |line: &str| {
        let mut words = line.split(' ');
        let due = number(words.next())?;
        Some(Request { due, latency: number(words.next())?, given_up: words.next() == Some("x") })
    };
    let requests: Result<_, _> = lines.map(|line| request(line).ok_or_else(|| wrong(line))).collect();
    Ok((cpu_time, requests?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_says_is_read() {
        let (cpu_time, requests) = parse_output("900\n10 5\n20 7 x\n").unwrap();
        let request = |due, latency, given_up| Request { due: Nanos(due), latency: Nanos(latency), given_up };
        assert_eq!(cpu_time, Nanos(900));
        assert_eq!(requests, [request(10, 5, false), request(20, 7, true)]);
        assert_eq!(parse_output(""), Err("output '', which is not a time".to_owned()));
        assert_eq!(parse_output("1\n2\n"), Err("output '2', which is not a time".to_owned()));
        let run = RunOfArm {
            requests,
            cpu_time,
            wall_time: Nanos::from_millis(500),
            throttling: Throttling::default(),
            ticks: Vec::new(),
        };
        assert_eq!(run.throughput(), 2.0);
        assert_eq!(run.latencies().count(), 2);
    }
}
