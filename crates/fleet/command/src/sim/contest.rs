//! `tauto sim contest`: a simulated day of judging.

use crate::arguments::SimContestArguments;
use anyhow::Context;
use documents::{SimContestReport, SimPolicy, SimPool, SimPrice, SimQueue, SimTimes, SimWrong};
use model::{Nanos, counted};
use simulator::contest_day::{
    Day, MACHINES_MAX, Policy, Pool, Truth, UNSURE_MAX_PERMILLE, machines_needed, price, read, simulate,
    strict_jobs, summary, surest,
};
use std::process::ExitCode;
use terminal::failure::{because, input};
use terminal::numbers::{count, time};
use terminal::{Cell, Progress, Report, Style, Table, print_result};

/// With this many judgements a rate of one per cent is known to a third of itself.
const PRICED_MAX: usize = 1_000;
/// The largest file: a description has a hundred lines.
const BYTES_MAX: u64 = 1 << 20;
/// The recommended pool leaves at most this many per cent undecided, wrong or too close to tell.
const UNSURE: u64 = UNSURE_MAX_PERMILLE / 10;
/// More mistakes of a file would not be read.
const FINDINGS_SHOWN_MAX: usize = 20;

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
    print_result(&report, json, report_of)?;
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
    // The submissions that the strict pool judges after the fast one.
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

fn named(policy: &SimPolicy) -> &str {
    match policy.policy.as_str() {
        "strict-only" => "strict only",
        "fast-then-strict" => "fast, then strict",
        _ => "fast only, one run each",
    }
}

fn report_of(document: &SimContestReport) -> Report {
    let mut report = Report::default();
    report.table("Time to a verdict", verdicts(document));
    report.lines(document.policies.iter().flat_map(wrong_verdicts).collect());
    report.table("Pools", pools(document));
    report.sentences(
        document.policies.iter().filter_map(|policy| machines(policy, document.goal_ns)).collect(),
    );
    report.table("What strict jobs cost in each pool", prices(document));
    let judgements = document.prices.first().map_or(0, |price| price.judgements);
    let surest = match &document.surest {
        Some(pool) => {
            format!("the cheapest with at most {UNSURE} % undecided, wrong or too close to tell is '{pool}'")
        }
        None => {
            format!("no pool with a price leaves at most {UNSURE} % undecided, wrong or too close to tell")
        }
    };
    report.line(&format!(
        "{judgements} judgements that the strict pool has to make, each alone on a machine of its own draw; {surest}."
    ));
    report
}

fn verdicts(document: &SimContestReport) -> Table {
    let header =
        ["policy", "verdicts", "p50", "p90", "p99", "longest", "went on", "undecided", "too close", "wrong"];
    let row = |name: String, times: &SimTimes| {
        let mut cells = vec![Cell::from(name), count(times.count as f64).into()];
        let all = [times.p50_ns, times.p90_ns, times.p99_ns, times.max_ns];
        cells.extend(all.map(|ns| Cell::from(time(ns))));
        cells
    };
    let rows = document.policies.iter().flat_map(|policy| {
        let verdicts = policy.verdicts.as_ref().map(|times| {
            let mut cells = row(named(policy).to_owned(), times);
            cells.push(part(policy.went_on, times.count).into());
            cells.push(policy.undecided.to_string().into());
            cells.push(policy.too_close.to_string().into());
            cells.push(of_wrong(policy.wrong, policy.wrong.to_string()));
            cells
        });
        let rejudgings = policy.rejudgings.as_ref();
        let rejudgings = rejudgings.map(|times| row(format!("{}: rejudged", named(policy)), times));
        verdicts.into_iter().chain(rejudgings)
    });
    Table::of(&header, rows)
}

fn of_wrong(wrong: u64, text: String) -> Cell {
    Cell::styled(if wrong == 0 { Style::Good } else { Style::Bad }, text)
}

fn wrong_verdicts(policy: &SimPolicy) -> Vec<Vec<Cell>> {
    /// The document has more.
    const SHOWN_MAX: usize = 3;
    let name = named(policy);
    if policy.policy == "fast-only" && policy.wrong > 0 {
        let message = format!(
            "{name}: {} wrong verdicts; contests do not allow this policy, it only shows what the strict pool is for",
            policy.wrong
        );
        return vec![vec![Cell::styled(Style::Caution, message)]];
    }
    let line = |wrong: &SimWrong, style, why| {
        let SimWrong { submission, verdict, truth, .. } = wrong;
        let percent = wrong.slowest_ns as f64 / wrong.time_limit_ns as f64 * 100.0;
        let message = format!(
            "{name}: submission {submission} got {} in place of {}; its slowest test takes {percent:.3} % of the limit \
             at best{why}",
            verdict.0, truth.0
        );
        vec![Cell::styled(style, message)]
    };
    let mut shown = Vec::new();
    let all = [
        (&policy.wrong_ones, Style::Bad, ""),
        (&policy.too_close_ones, Style::Caution, ", too close to the limit to tell"),
    ];
    for (ones, style, why) in all {
        let mut lines: Vec<_> = Vec::new();
        for wrong in ones {
            // A rejudging may repeat the verdict.
            let line = line(wrong, style, why);
            if lines.len() < SHOWN_MAX && !lines.contains(&line) {
                lines.push(line);
            }
        }
        shown.extend(lines);
    }
    shown
}

fn pools(document: &SimContestReport) -> Table {
    let header = [
        "policy",
        "pool",
        "machines",
        "judgements",
        "repeated",
        "undecided",
        "runs/test",
        "busy",
        "most at once",
        "waiting",
        "at",
    ];
    let row = |policy: &SimPolicy, pool: &SimPool| {
        // The first of the longest.
        let most = pool.queue.iter().rev().max_by_key(|queue| queue.unfinished);
        let most = most.copied().unwrap_or(SimQueue { at_ns: 0, unfinished: 0, waiting: 0 });
        [
            named(policy).to_owned(),
            pool.pool.clone(),
            format!("{} x {}", pool.machines, pool.places),
            count(pool.judgements as f64),
            part(pool.repeated, pool.judgements),
            part(pool.undecided, pool.judgements),
            format!("{:.2}", pool.runs as f64 / pool.tests.max(1) as f64),
            format!("{} %", pool.busy_permille / 10),
            most.unfinished.to_string(),
            most.waiting.to_string(),
            format!("{} min", most.at_ns / 60_000_000_000),
        ]
    };
    let pools =
        document.policies.iter().flat_map(|policy| policy.pools.iter().map(move |pool| (policy, pool)));
    Table::with_words(&header, &[1], pools.map(|(policy, pool)| row(policy, pool)))
}

/// Says how many machines a policy needs; `None` if that was not searched.
fn machines(policy: &SimPolicy, goal_ns: u64) -> Option<String> {
    let needed = policy.machines.as_ref()?;
    let goal = time(goal_ns);
    let strict = |machines: u32| counted(machines, "strict machine");
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
    Some(format!(
        "{}: {reached}; machines beyond {} save less than a tenth of it ({}).",
        named(policy),
        needed.near_floor,
        time(needed.near_floor_p99_ns)
    ))
}

fn prices(document: &SimContestReport) -> Table {
    let header = [
        "pool",
        "slower p50",
        "p99",
        "repeated",
        "undecided",
        "too close",
        "wrong",
        "place used",
        "cost of 1000",
        "of 1000 sure",
    ];
    let slower = |ppm: u64| Cell::from(format!("{:.2} %", ppm as f64 / 1e4));
    let cost = |micros: Option<u64>| {
        Cell::from(micros.map_or("-".to_owned(), |micros| format!("{:.3}", micros as f64 / 1e3)))
    };
    let row = |price: &SimPrice| {
        [
            price.pool.as_str().into(),
            slower(price.slowdown_p50_ppm),
            slower(price.slowdown_p99_ppm),
            part(price.repeated, price.judgements).into(),
            part(price.undecided, price.judgements).into(),
            part(price.too_close, price.judgements).into(),
            of_wrong(price.wrong, part(price.wrong, price.judgements)),
            time(price.used_ns).into(),
            cost(price.cost_micros),
            cost(price.sure_cost_micros),
        ]
    };
    Table::of(&header, document.prices.iter().map(row))
}

/// Returns a part of a whole in per cent.
fn part(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 / whole.max(1) as f64 * 100.0)
}
