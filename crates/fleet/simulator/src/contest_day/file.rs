//! The file that describes a day.

use super::day::{Day, Pool, Problem, Programs, Rejudging};
use super::noise::{LASTS_USUAL, Noise};
use super::quantiles::{ONE, Quantiles};
use contest_rules::files::{Field, Finding, Object, Report};
use contest_rules::pools::RATIO_LEARNT_MIN_PERMILLE;
use located::Value;
use located::{FileLocation, Reported};
use model::Nanos;

/// Ten times the largest contest.
const TEAMS_MAX: i64 = 100_000;
/// A day of the largest online judges.
const SUBMISSIONS_MAX: i64 = 200_000;
/// A set has at most 26 letters; a practice may have more.
const PROBLEMS_MAX: usize = 200;
/// No package has more tests.
const TESTS_MAX: i64 = 2_000;
/// A month, as for contests.
const DURATION_MAX_MINUTES: i64 = 31 * 24 * 60;
/// Limits outside of this are typing errors.
const TIME_LIMIT_MS: std::ops::RangeInclusive<i64> = 10..=600_000;
/// A part of a second on each of a month.
const WEIGHTS_MAX: usize = 1_000;
/// A share is relative to the others, so more digits are not needed.
const SHARE_MAX: i64 = 1_000_000;
/// More machines than any contest has.
const MACHINES_MAX: i64 = 1_000;
/// As many as the largest machines have cores.
const PLACES_MAX: i64 = 512;
/// Rejudgings and candidates.
const ENTRIES_MAX: usize = 100;
/// Points of a distribution: each per cent, and some more at the ends.
const POINTS_MAX: usize = 200;
/// Ten times the largest contest: minutes of simulation.
const TESTS_OF_DAY_MAX: u64 = 5_000_000;
/// Each is drawn.
const PHASES_OF_DAY_MAX: u64 = 1_000_000_000;
/// Slower than a thousand times is stopped, not slowed.
const SLOWDOWN_MAX_PERMILLE: f64 = 1_000_000.0;

pub fn read(file: &str, text: &str) -> Result<Day, Vec<Finding>> {
    let report = Report::default();
    let day = match located::yaml(text) {
        Ok(root) => {
            let whole = Field { file, path: String::new(), line: root.line, node: &root };
            whole.object().reported(&report).and_then(|object| day(&report, object))
        }
        Err(error) => {
            report.error(FileLocation::file(file).line(error.line.unwrap_or_default()), error.reason);
            None
        }
    };
    if let Some(message) = day.as_ref().and_then(too_long) {
        report.error(FileLocation::file(file), message);
    }
    let findings = report.into_findings();
    match day {
        Some(day) if findings.is_empty() => Ok(day),
        _ => Err(findings),
    }
}

/// Returns why a day would take hours to simulate though each part of it is within its limits.
fn too_long(day: &Day) -> Option<String> {
    let of_problem = |problem: &Problem| u64::from(problem.tests);
    let tests = day.problems.iter().map(of_problem).sum::<u64>() * u64::from(day.submissions)
        / day.problems.len().max(1) as u64;
    if tests > TESTS_OF_DAY_MAX {
        return Some(format!(
            "has {tests} tests of all submissions, expected at most {TESTS_OF_DAY_MAX}; use fewer submissions or tests"
        ));
    }
    let longest = day.problems.iter().map(|problem| problem.time_limit.0).max().unwrap_or(0);
    let pools = day.fast.iter().chain([&day.strict]).chain(&day.candidates);
    let shortest = pools.filter_map(|pool| pool.noise.lasts).map(|lasts| lasts.0.max(1)).min()?;
    let phases = tests.saturating_mul(longest / shortest);
    (phases > PHASES_OF_DAY_MAX).then(|| {
        format!(
            "has {phases} disturbances in all runs, expected at most {PHASES_OF_DAY_MAX}; raise lasts_ms, or use fewer \
             submissions or tests"
        )
    })
}

fn day(report: &Report, mut object: Object<'_>) -> Option<Day> {
    let teams = integer(report, &mut object, "teams", 1..=TEAMS_MAX);
    let duration = integer(report, &mut object, "duration_minutes", 1..=DURATION_MAX_MINUTES).map(minutes);
    let problems = object.require(report, &["problems"]).and_then(|field| problems(report, &field));
    let count = problems.as_ref().map_or(PROBLEMS_MAX, Vec::len);
    let arrivals = object.require(report, &["arrivals"]).and_then(|field| arrivals(report, &field, count));
    let programs = match object.take_any(&["programs"]) {
        Some(field) => programs(report, field.object().reported(report)),
        None => Some(Programs::usual()),
    };
    let pools = object.require(report, &["pools"]).and_then(|field| pools(report, &field));
    let candidates: Option<Vec<Pool>> = match object.take_any(&["candidates"]) {
        Some(field) => {
            list(report, &field, ENTRIES_MAX)?.iter().map(|item| pool(report, item, None)).collect()
        }
        None => Some(Vec::new()),
    };
    object.refuse_rest(report);
    let (submissions, weights, is_practice, rejudgings) = arrivals?;
    let (strict, fast) = pools?;
    Some(Day {
        teams: teams? as u32,
        duration: duration?,
        problems: problems?,
        submissions,
        weights,
        is_practice,
        rejudgings,
        programs: programs?,
        strict,
        fast,
        candidates: candidates?,
    })
}

/// Reads the strict pool, and the fast one if there is one.
fn pools(report: &Report, field: &Field<'_>) -> Option<(Pool, Option<Pool>)> {
    let mut object = field.object().reported(report)?;
    let strict = object.require(report, &["strict"]).and_then(|field| pool(report, &field, Some("strict")));
    let fast = object.take_any(&["fast"]).map(|field| pool(report, &field, Some("fast")));
    object.refuse_rest(report);
    match fast {
        Some(fast) => Some((strict?, Some(fast?))),
        None => Some((strict?, None)),
    }
}

fn problems(report: &Report, field: &Field<'_>) -> Option<Vec<Problem>> {
    let mut problems = Vec::new();
    for item in list(report, field, PROBLEMS_MAX)? {
        let mut object = item.object().reported(report)?;
        let count = match object.take_any(&["count"]) {
            Some(field) => field.integer(1..=PROBLEMS_MAX as i64).reported(report),
            None => Some(1),
        };
        let tests = integer(report, &mut object, "tests", 1..=TESTS_MAX);
        let limit = integer(report, &mut object, "time_limit_ms", TIME_LIMIT_MS);
        object.refuse_rest(report);
        let problem = Problem { tests: tests? as u32, time_limit: Nanos::from_millis(limit? as u64) };
        problems.extend(std::iter::repeat_n(problem, count? as usize));
    }
    if problems.is_empty() || problems.len() > PROBLEMS_MAX {
        let message = format!("has {} problems, expected 1 to {PROBLEMS_MAX}", problems.len());
        field.error(report, message);
        return None;
    }
    Some(problems)
}

type Arrivals = (u32, Vec<u32>, bool, Vec<Rejudging>);

fn arrivals(report: &Report, field: &Field<'_>, problems: usize) -> Option<Arrivals> {
    let mut object = field.object().reported(report)?;
    let submissions = integer(report, &mut object, "submissions", 1..=SUBMISSIONS_MAX);
    let weights = match object.take_any(&["weights"]) {
        Some(field) => {
            let weight =
                |item: &Field<'_>| item.integer(0..=SHARE_MAX).reported(report).map(|weight| weight as u32);
            let weights: Option<Vec<u32>> = list(report, &field, WEIGHTS_MAX)?.iter().map(weight).collect();
            if weights.as_ref().is_some_and(|weights| weights.iter().all(|weight| *weight == 0)) {
                field.error(
                    report,
                    "has only zeros, expected a number above 0 for at least one part".to_owned(),
                );
            }
            weights
        }
        None => Some(vec![1]),
    };
    let is_practice = object.boolean(report, &["practice"]).unwrap_or(false);
    let rejudging = |item: &Field<'_>| {
        let mut object = item.object().reported(report)?;
        let problem = integer(report, &mut object, "problem", 1..=problems as i64);
        let at = integer(report, &mut object, "at_minutes", 0..=DURATION_MAX_MINUTES);
        object.refuse_rest(report);
        Some(Rejudging { problem: problem? as usize - 1, at: minutes(at?) })
    };
    let rejudgings: Option<Vec<Rejudging>> = match object.take_any(&["rejudgings"]) {
        Some(field) => list(report, &field, ENTRIES_MAX)?.iter().map(rejudging).collect(),
        None => Some(Vec::new()),
    };
    object.refuse_rest(report);
    Some((submissions? as u32, weights?, is_practice, rejudgings?))
}

impl Programs {
    /// Returns what programs do unless the file says it.
    fn usual() -> Self {
        let parts = |points: &[(u32, u64)]| {
            let ppm = points.iter().map(|(percent, value)| (percent * 10_000, value * 10_000));
            Quantiles::new(ppm.collect()).expect("the points ascend")
        };
        Self {
            shares: [40, 38, 12, 5, 5],
            slowest: [
                parts(&[(0, 1), (50, 10), (90, 50), (100, 90)]),
                parts(&[(0, 105), (50, 250), (100, 1000)]),
                parts(&[(0, 95), (100, 105)]),
            ],
            others: parts(&[(0, 5), (50, 20), (100, 100)]),
            compile: Quantiles::always(1_000_000_000),
            check: Nanos::from_millis(10),
            start: Nanos::from_millis(5),
        }
    }
}

fn programs(report: &Report, object: Option<Object<'_>>) -> Option<Programs> {
    let mut object = object?;
    let mut programs = Programs::usual();
    if let Some(field) = object.take_any(&["shares"]) {
        let mut inner = field.object().reported(report)?;
        let names = ["accepted", "wrong", "too_slow", "near_limit", "compile_error"];
        for (name, share) in names.into_iter().zip(&mut programs.shares) {
            let given = inner.take_any(&[name]).map(|field| field.integer(0..=SHARE_MAX).reported(report));
            *share = given.unwrap_or(Some(0))? as u32;
        }
        inner.refuse_rest(report);
        if programs.shares == [0; 5] {
            field.error(report, "has no share above 0, expected at least one".to_owned());
            return None;
        }
    }
    /// The kill limit is twice the limit as a rule; what is far above it behaves the same.
    const PERCENT_MAX: f64 = 100_000.0;
    if let Some(field) = object.take_any(&["slowest_test_percent"]) {
        let mut inner = field.object().reported(report)?;
        for (name, slowest) in ["usual", "too_slow", "near_limit"].into_iter().zip(&mut programs.slowest) {
            if let Some(field) = inner.take_any(&[name]) {
                *slowest = quantiles(report, &field, PERCENT_MAX, 10_000.0)?;
            }
        }
        inner.refuse_rest(report);
    }
    if let Some(field) = object.take_any(&["other_tests_percent"]) {
        programs.others = quantiles(report, &field, 100.0, 10_000.0)?;
    }
    /// Ten minutes.
    const MS_MAX: f64 = 600_000.0;
    if let Some(field) = object.take_any(&["compile_ms"]) {
        programs.compile = quantiles(report, &field, MS_MAX, 1e6)?;
    }
    for (name, time) in [("check_ms", &mut programs.check), ("start_ms", &mut programs.start)] {
        if let Some(field) = object.take_any(&[name]) {
            *time = Nanos(scaled(field.number(0.0..=MS_MAX).reported(report)?, 1e6));
        }
    }
    object.refuse_rest(report);
    Some(programs)
}

fn pool(report: &Report, field: &Field<'_>, name: Option<&str>) -> Option<Pool> {
    let mut object = field.object().reported(report)?;
    let name = match name {
        Some(name) => Some(name.to_owned()),
        None => object.require(report, &["name"]).and_then(|field| field.trimmed().reported(report)),
    };
    // What is only compared has no machines of its own.
    let machines = match object.take_any(&["machines"]) {
        Some(field) => field.integer(1..=MACHINES_MAX).reported(report),
        None => Some(1),
    };
    let places = match object.take_any(&["places"]) {
        Some(field) => field.integer(1..=PLACES_MAX).reported(report),
        None => Some(1),
    };
    let mut permille = |name: &'static str, usual: u32| match object.take_any(&[name]) {
        Some(field) => field.integer(10..=100_000).reported(report).map(|permille| permille as u32),
        None => Some(usual),
    };
    let time_permille = permille("time_permille", 1000);
    let bound_permille = permille("bound_permille", RATIO_LEARNT_MIN_PERMILLE);
    let price = match object.take_any(&["price_per_hour"]) {
        Some(field) => Some(field.number(0.0..=1e6).reported(report).map(|price| scaled(price, 1e6))?),
        None => None,
    };
    let noise = object.require(report, &["noise"]).and_then(|field| noise(report, &field));
    object.refuse_rest(report);
    Some(Pool {
        name: name?,
        machines: machines? as u32,
        places: places? as u32,
        time_permille: time_permille?,
        bound_permille: bound_permille?,
        noise: noise?,
        price_micros: price,
    })
}

fn noise(report: &Report, field: &Field<'_>) -> Option<Noise> {
    let mut object = field.object().reported(report)?;
    let (azure, slowdown) = (object.take_any(&["azure"]), object.take_any(&["slowdown_permille"]));
    let mut noise = match (azure, slowdown) {
        (Some(field), None) => {
            let text = field.trimmed().reported(report)?;
            let noise = Noise::azure(&text);
            if noise.is_none() {
                let names: Vec<&str> = Noise::azure_names().collect();
                field.reject(report, format!("one of {}", names.join(", ")));
            }
            noise?
        }
        (None, Some(field)) => {
            let slowdown = quantiles(report, &field, SLOWDOWN_MAX_PERMILLE, 1000.0)?;
            Noise { slowdown, lasts: Some(LASTS_USUAL), seen: 0 }
        }
        _ => {
            let message = "expected either azure, the name of a measured distribution, or slowdown_permille";
            field.error(report, message.to_owned());
            return None;
        }
    };
    if let Some(field) = object.take_any(&["seen_percent"]) {
        noise.seen = scaled(field.number(0.0..=100.0).reported(report)?, 10_000.0) as u32;
    }
    if let Some(field) = object.take_any(&["lasts_ms"]) {
        // A phase of one millisecond is shorter than any run that matters.
        noise.lasts = match field.node.value {
            Value::Text(ref text) if text == "always" => None,
            _ => {
                let ms = field.integer(1..=DURATION_MAX_MINUTES * 60_000).reported(report)?;
                Some(Nanos::from_millis(ms as u64))
            }
        };
    }
    object.refuse_rest(report);
    Some(noise)
}

/// Reads a distribution: a number, or a map from per cent to numbers.
fn quantiles(report: &Report, field: &Field<'_>, max: f64, scale: f64) -> Option<Quantiles> {
    let Value::Map(entries) = &field.node.value else {
        return field.number(0.0..=max).reported(report).map(|value| Quantiles::always(scaled(value, scale)));
    };
    if entries.len() > POINTS_MAX {
        field.error(report, format!("has {} points, expected at most {POINTS_MAX}", entries.len()));
        return None;
    }
    let mut points = Vec::new();
    for entry in entries {
        let path = format!("{}.{}", field.path, entry.key);
        let value = Field { path, line: entry.line, node: &entry.value, ..field.clone() };
        let percent = entry.key.parse().ok().filter(|percent: &f64| (0.0..=100.0).contains(percent));
        if percent.is_none() {
            value.error(report, "is no per cent of all, expected a number from 0 to 100".to_owned());
        }
        points.push((
            scaled(percent?, f64::from(ONE) / 100.0) as u32,
            scaled(value.number(0.0..=max).reported(report)?, scale),
        ));
    }
    let quantiles = Quantiles::new(points);
    if quantiles.is_none() {
        field.error(report, "expected per cents and values that ascend, from 0 to 100 per cent".to_owned());
    }
    quantiles
}

fn integer(
    report: &Report,
    object: &mut Object<'_>,
    name: &'static str,
    range: std::ops::RangeInclusive<i64>,
) -> Option<i64> {
    object.require(report, &[name]).and_then(|field| field.integer(range).reported(report))
}

fn list<'n>(report: &Report, field: &Field<'n>, max: usize) -> Option<Vec<Field<'n>>> {
    let items = field.each();
    if items.is_empty() || items.len() > max {
        field.error(report, format!("has {} entries, expected 1 to {max}", items.len()));
        return None;
    }
    Some(items)
}

fn minutes(minutes: i64) -> Nanos {
    Nanos::from_millis(minutes as u64 * 60_000)
}

/// Returns a number that is not negative in a smaller unit, rounded.
fn scaled(value: f64, scale: f64) -> u64 {
    (value * scale).round() as u64
}
