//! `tauto sim contest`: what a day of judging would be.

use crate::arguments::SimContestArguments;
use anyhow::Context;
use documents::{SimContestReport, SimPolicy, SimQueue, SimTimes};
use model::{Nanos, counted};
use simulator::contest_day::{
    Day, MACHINES_MAX, Policy, Pool, Truth, UNSURE_MAX_PERMILLE, machines_needed, price, read, simulate,
    strict_jobs, summary, surest,
};
use std::process::ExitCode;
use terminal::failure::{because, input};
use terminal::numbers::{count, time};
use terminal::{Align, Cell, Colour, Progress, Style, Table, print, prose};

/// With this many judgements a rate of one per cent is known to a third of itself.
const PRICED_MAX: usize = 1_000;
/// The largest file: a description has a hundred lines.
const BYTES_MAX: u64 = 1 << 20;
/// How many per cent may be undecided, wrong or too close to tell on the pool that is recommended.
const UNSURE: u64 = UNSURE_MAX_PERMILLE / 10;
/// More mistakes of a file are not read.
const FINDINGS_SHOWN_MAX: usize = 20;

/// Simulates, and prints.
///
/// # Errors
/// When the file is not as it should be, or nothing can be written.
pub fn contest(arguments: &SimContestArguments, json: bool) -> anyhow::Result<ExitCode> {
    let path = arguments.file.display().to_string();
    let failed = || because(format!("cannot read '{path}'"));
    let length = std::fs::metadata(&arguments.file).with_context(failed)?.len();
    if length > BYTES_MAX {
        return Err(input(format!(
            "'{path}' has {length} bytes; the description of a day has at most {BYTES_MAX}"
        )));
    }
    let text = std::fs::read_to_string(&arguments.file).with_context(failed)?;
    let day = read(&path, &text).map_err(|findings| {
        let mut message = match findings.len() {
            1 => "the file has a mistake".to_owned(),
            several => format!("the file has {several} mistakes"),
        };
        let shown = findings.iter().take(FINDINGS_SHOWN_MAX);
        shown.for_each(|finding| message.push_str(&format!("\n  {finding}")));
        input(message)
    })?;
    let report = report(&path, &day, arguments);
    print(&if json { documents::to_json(&report) } else { render(&report, Colour::for_stdout()) })?;
    Ok(ExitCode::SUCCESS)
}

fn report(path: &str, day: &Day, arguments: &SimContestArguments) -> SimContestReport {
    let (seed, goal) = (arguments.seed, Nanos::from_millis(arguments.judgehosts_for_ms));
    let submissions = day.submissions(seed);
    let policies: &[Policy] = match day.fast {
        Some(_) => &[Policy::StrictOnly, Policy::FastThenStrict, Policy::FastOnly],
        None => &[Policy::StrictOnly],
    };
    let progress = Progress::on_stderr(true);
    progress.expect(2 * policies.len() as u64 + 1);
    let mut sent = None;
    let policies = policies.iter().map(|policy| {
        progress.say(format!("simulating {}", policy.id()));
        let course = simulate(day, &submissions, *policy, seed);
        progress.step();
        if *policy == Policy::FastThenStrict {
            sent = Some(strict_jobs(&course));
        }
        let needed = (*policy != Policy::FastOnly).then(|| {
            progress.say(format!("finding how many machines {} needs", policy.id()));
            machines_needed(day, &submissions, *policy, goal, seed)
        });
        progress.step();
        SimPolicy { machines: needed, ..summary(day, &submissions, *policy, &course) }
    });
    let policies = policies.collect();
    progress.say("finding what judgements cost");
    let pools: Vec<&Pool> = [&day.strict].into_iter().chain(&day.fast).chain(&day.candidates).collect();
    let sent = sent.unwrap_or_else(|| (0..submissions.len()).collect());
    let sample: Vec<(usize, &Truth)> =
        sent.into_iter().take(PRICED_MAX).map(|number| (number, &submissions[number])).collect();
    let priced = price(day, &pools, &sample, seed);
    progress.step();
    SimContestReport {
        path: path.to_owned(),
        seed,
        submissions: day.submissions,
        goal_ns: goal.0,
        policies,
        surest: surest(&priced).map(|one| one.pool.clone()),
        prices: priced,
    }
}

/// Returns a policy in words.
fn named(policy: &SimPolicy) -> &str {
    match policy.policy.as_str() {
        "strict-only" => "strict only",
        "fast-then-strict" => "fast, then strict",
        _ => "fast only, one run each",
    }
}

fn render(report: &SimContestReport, colour: Colour) -> String {
    let mut text = verdicts(report).render(colour);
    for policy in &report.policies {
        text.push_str(&wrong_verdicts(policy, colour));
    }
    text.push('\n');
    text.push_str(&pools(report).render(colour));
    text.push('\n');
    text.push_str(&machines(report));
    text.push('\n');
    text.push_str(&prices(report).render(colour));
    let judgements = report.prices.first().map_or(0, |price| price.judgements);
    let surest = match &report.surest {
        Some(pool) => {
            format!("the cheapest with at most {UNSURE} % undecided, wrong or too close to tell is '{pool}'")
        }
        None => {
            format!("no pool with a price leaves at most {UNSURE} % undecided, wrong or too close to tell")
        }
    };
    let sentence = format!(
        "{judgements} judgements that the strict pool has to make, each alone on a machine of its own draw; {surest}."
    );
    text.push_str(&prose("", 2, &sentence));
    text
}

fn verdicts(report: &SimContestReport) -> Table {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("time to a verdict", Align::Left),
        ("verdicts", right),
        ("p50", right),
        ("p90", right),
        ("p99", right),
        ("longest", right),
        ("went on", right),
        ("undecided", right),
        ("too close", right),
        ("wrong", right),
    ]);
    for policy in &report.policies {
        let row = |name: String, times: &SimTimes| {
            let mut cells = vec![Cell::from(name), count(times.count as f64).into()];
            let all = [times.p50_ns, times.p90_ns, times.p99_ns, times.max_ns];
            cells.extend(all.map(|ns| Cell::from(time(ns))));
            cells
        };
        if let Some(times) = &policy.verdicts {
            let mut cells = row(named(policy).to_owned(), times);
            cells.push(part(policy.went_on, times.count).into());
            cells.push(policy.undecided.to_string().into());
            cells.push(policy.too_close.to_string().into());
            let style = if policy.wrong == 0 { Style::Good } else { Style::Bad };
            cells.push(Cell::styled(style, policy.wrong.to_string()));
            table.row(cells);
        }
        if let Some(times) = &policy.rejudgings {
            table.row(row(format!("{}: rejudged", named(policy)), times));
        }
    }
    table
}

fn wrong_verdicts(policy: &SimPolicy, colour: Colour) -> String {
    /// The document has more.
    const SHOWN_MAX: usize = 3;
    let mut text = String::new();
    if policy.policy == "fast-only" && policy.wrong > 0 {
        let message = format!(
            "{}: {} wrong verdicts; contests do not allow this policy, it only shows what the strict pool is for",
            named(policy),
            policy.wrong
        );
        return prose("", 2, &colour.paint(Style::Caution, &message));
    }
    let all = [
        (&policy.wrong_ones, Style::Bad, ""),
        (&policy.too_close_ones, Style::Caution, ", too close to the limit to tell"),
    ];
    for (ones, style, why) in all {
        for wrong in ones.iter().take(SHOWN_MAX) {
            let (slowest, limit) = (wrong.slowest_ns as f64, wrong.time_limit_ns as f64);
            let message = format!(
                "{}: submission {} got {} in place of {}; its slowest test takes {:.3} % of the limit at best{why}",
                named(policy),
                wrong.submission,
                wrong.verdict.0,
                wrong.truth.0,
                slowest / limit * 100.0
            );
            text.push_str(&prose("", 2, &colour.paint(style, &message)));
        }
    }
    text
}

fn pools(report: &SimContestReport) -> Table {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("policy", Align::Left),
        ("pool", Align::Left),
        ("machines", right),
        ("judgements", right),
        ("repeated", right),
        ("undecided", right),
        ("runs/test", right),
        ("busy", right),
        ("most at once", right),
        ("waiting", right),
        ("at", right),
    ]);
    for policy in &report.policies {
        for pool in &policy.pools {
            // The first of the longest.
            let most = pool.queue.iter().rev().max_by_key(|queue| queue.unfinished);
            let most = most.copied().unwrap_or(SimQueue { at_ns: 0, unfinished: 0, waiting: 0 });
            table.row([
                named(policy).into(),
                pool.pool.as_str().into(),
                format!("{} x {}", pool.machines, pool.places).into(),
                count(pool.judgements as f64).into(),
                part(pool.repeated, pool.judgements).into(),
                part(pool.undecided, pool.judgements).into(),
                format!("{:.2}", pool.runs as f64 / pool.tests.max(1) as f64).into(),
                format!("{} %", pool.busy_permille / 10).into(),
                most.unfinished.to_string().into(),
                most.waiting.to_string().into(),
                format!("{} min", most.at_ns / 60_000_000_000).into(),
            ]);
        }
    }
    table
}

fn machines(report: &SimContestReport) -> String {
    let mut text = String::new();
    for policy in &report.policies {
        let Some(needed) = &policy.machines else { continue };
        let goal = time(report.goal_ns);
        let reached = match (needed.for_goal, needed.p99_ns) {
            (Some(machines), Some(p99)) => {
                format!("{} for 99 of 100 verdicts within {goal} ({})", strict(machines), time(p99))
            }
            _ => format!(
                "99 of 100 verdicts within {goal} cannot be had: with {} it is {}, since tests near the limit are \
                 repeated with rests in between",
                strict(MACHINES_MAX),
                time(needed.floor_p99_ns)
            ),
        };
        let near = format!(
            "machines beyond {} save less than a tenth of it ({})",
            needed.near_floor,
            time(needed.near_floor_p99_ns)
        );
        text.push_str(&prose("", 2, &format!("{}: {reached}; {near}.", named(policy))));
    }
    text
}

fn strict(machines: u32) -> String {
    counted(machines, "strict machine")
}

fn prices(report: &SimContestReport) -> Table {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("strict jobs on", Align::Left),
        ("slower p50", right),
        ("p99", right),
        ("repeated", right),
        ("undecided", right),
        ("too close", right),
        ("wrong", right),
        ("place used", right),
        ("cost of 1000", right),
        ("of 1000 sure", right),
    ]);
    let slower = |ppm: u64| format!("{:.2} %", ppm as f64 / 1e4);
    let cost =
        |micros: Option<u64>| micros.map_or("-".to_owned(), |micros| format!("{:.3}", micros as f64 / 1e3));
    for price in &report.prices {
        let style = if price.wrong == 0 { Style::Good } else { Style::Bad };
        table.row([
            price.pool.as_str().into(),
            slower(price.slowdown_p50_ppm).into(),
            slower(price.slowdown_p99_ppm).into(),
            part(price.repeated, price.judgements).into(),
            part(price.undecided, price.judgements).into(),
            part(price.too_close, price.judgements).into(),
            Cell::styled(style, part(price.wrong, price.judgements)),
            time(price.used_ns).into(),
            cost(price.cost_micros).into(),
            cost(price.sure_cost_micros).into(),
        ]);
    }
    table
}

/// Returns a part of a whole in per cent.
fn part(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 / whole.max(1) as f64 * 100.0)
}
