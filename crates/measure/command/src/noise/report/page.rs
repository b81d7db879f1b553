//! The page: what was found, pictures, what it costs, what to do, what changed.

use super::super::found::FoundCpu;
use super::super::sources::{COLUMNS, IN_CALLS, calls, row};
use super::{figures, scale};
use documents::{NoiseAdvice, NoiseCompareReport, NoiseCost, NoiseCostAt, NoiseReport, NoiseSourcesCpu};
use model::Reading;
use noise::Profile;
use std::time::{Duration, UNIX_EPOCH};
use terminal::numbers::in_us;
use terminal::{Report, Table};

/// More CPUs are in the tables, but not in pictures: those that lose most time are.
const PICTURED_CPUS_MAX: usize = 4;
/// More advice is not read; the document has all.
const ADVICE_ROWS_MAX: usize = 20;

pub fn page(report: &NoiseReport, profile: &Profile, found: &[FoundCpu]) -> Report {
    let mut page = Report::new(&format!("OS noise of {}", profile.machine.host));
    let when = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(profile.began_unix_s));
    let load = match profile.load {
        noise::NodeLoad::OneCpu => "one CPU at a time was measured",
        noise::NodeLoad::AllCpus => "all CPUs were measured at the same time",
    };
    page.paragraph(&format!(
        "{}, kernel {}, measured at {when}; {load}. A detour is one interruption of a loop that only reads the \
         clock; a source is what brings detours, periodically or not.",
        profile.machine.processor, profile.machine.kernel
    ));
    page.sentences(in_short(report));
    page.heading("Sources");
    for cpu in &report.sources.cpus {
        sources(&mut page, cpu);
    }
    page.paragraph(&format!(
        "Seen: of the times at which a detour of the source was due while the loop was looking, how many had one. \
         Chance: how often chance alone would show such a source in a trace, at most; it is reported below {}. {IN_CALLS}.",
        report.sources.false_alarms_max
    ));
    prediction(&mut page, report);
    if let Some(comparison) = &report.comparison {
        what_changed(&mut page, comparison, &report.changed_sources);
    }
    pictures(&mut page, profile, found);
    if !profile.weaknesses.is_empty() {
        page.heading("What makes this profile weaker than it could be");
        page.details(profile.weaknesses.clone());
    }
    page
}

fn in_short(report: &NoiseReport) -> Vec<String> {
    let mut lines: Vec<String> = report
        .sources
        .cpus
        .iter()
        .filter_map(|cpu| {
            let most = cpu.sources.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
            Some(format!(
                "CPU {} loses {:.3} % of its time; the most to: {} ({:.3} %).",
                cpu.cpu,
                cpu.share? * 100.0,
                super::advice::name(most),
                most.share * 100.0
            ))
        })
        .collect();
    let outside = report.advice.iter().filter(|advice| !advice.removable).count();
    if outside > 0 {
        lines.push(format!(
            "{outside} of {} sources come from outside this kernel; no setting of this machine removes them.",
            report.advice.len()
        ));
    }
    lines
}

fn sources(page: &mut Report, cpu: &NoiseSourcesCpu) {
    match (cpu.share, cpu.watched_ns) {
        (Some(share), Some(watched_ns)) => page.paragraph(&format!(
            "CPU {}: {:.3} % of {:.1} s in {} detours",
            cpu.cpu,
            share * 100.0,
            watched_ns as f64 / 1e9,
            cpu.detours.unwrap_or(0)
        )),
        _ => {
            let why = cpu.unavailable.get("share").map_or("not measured", String::as_str);
            page.paragraph(&format!("CPU {}: unavailable: {why}", cpu.cpu));
            return;
        }
    }
    page.detail_table(Table::from_rows(&COLUMNS, cpu.sources.iter().map(row)));
    if let Some(calls) = calls(cpu) {
        page.paragraph(&calls);
    }
    let details =
        cpu.sources.iter().map(|source| format!("{}: {}", super::advice::name(source), source.origin.detail));
    page.details(details.collect());
}

fn prediction(page: &mut Report, report: &NoiseReport) {
    page.heading("What it costs, and what to do");
    page.paragraph(&format!(
        "One process alone loses the share of time above. Processes that wait for their neighbours after each {:.0} us of \
         computing (T_C, --tc) lose more, since each delay spreads: by how much an iteration is longer with this many of them \
         on a line (1d, 2 neighbours) or a square (2d, 4), where each has a CPU with the same noise. These are formulas of \
         the model, for the mean of all processes after 1000 iterations; 'tauto noise predict' simulates it.",
        report.iteration_ns as f64 / 1e3
    ));
    let header: Vec<String> = scale::SIZES.into_iter().map(size_words).collect();
    let columns = |first: &'static str, more: &[&'static str]| -> Vec<String> {
        let more = more.iter().map(|name| (*name).to_owned());
        std::iter::once(first.to_owned()).chain(header.clone()).chain(more).collect()
    };
    let costs: Vec<_> = report.costs.iter().flat_map(costs).collect();
    if costs.is_empty() {
        page.paragraph(
            "No cost can be computed: the sources are not known, or noise leaves no time for work.",
        );
    } else {
        page.detail_table(Table::of(&columns("an iteration is longer by, in us", &[]), costs));
    }
    page.paragraph(
        "What is gained where one source is removed and all others stay. The gains of several do not add up: as long as \
         a larger one is there, it hides the smaller.",
    );
    let shown = &report.advice[..report.advice.len().min(ADVICE_ROWS_MAX)];
    let gains = shown.iter().map(gains);
    page.detail_table(Table::of(&columns("gain without, in us", &["removable"]), gains));
    if shown.iter().any(|advice| !advice.is_checked) {
        page.paragraph(
            "* The formulas were not held to simulation for a source such as this: it has no period, comes more seldom or \
             more often, or takes longer than what was simulated.",
        );
    }
    settings(page, shown);
    page.paragraph(
        "Whatever remains: messages that do not block keep nodes from waiting for each other's delays, and a program \
         should be measured only after its CPUs have been busy for a quarter of a second.",
    );
}

/// Names a size for people.
fn size_words((stencil, nodes): (noise::model::Stencil, u64)) -> String {
    match nodes {
        1 => "1 process".to_owned(),
        _ => format!("{} {}", scale::name(stencil), terminal::numbers::count(nodes as f64)),
    }
}

/// Returns what the noise of a CPU costs, and what remains of it.
fn costs(cost: &NoiseCost) -> [Vec<String>; 2] {
    let row = |name: &str, value: fn(&NoiseCostAt) -> f64| {
        let cells = cost.at.iter().map(|at| in_us(value(at)));
        std::iter::once(format!("CPU {}: {name}", cost.cpu)).chain(cells).collect()
    };
    [row("as it is", |at| at.extra_ns), row("what cannot be removed here", |at| at.not_removable_ns)]
}

fn gains(advice: &NoiseAdvice) -> Vec<String> {
    let mark = if advice.is_checked { "" } else { " *" };
    let mut cells: Vec<_> = advice.gains.iter().map(|gain| in_us(gain.gain_ns)).collect();
    cells.resize(scale::SIZES.len(), "-".to_owned());
    std::iter::once(format!("CPU {}: {}{mark}", advice.cpu, advice.source))
        .chain(cells)
        .chain([if advice.removable { "yes" } else { "no" }.to_owned()])
        .collect()
}

/// Lists which settings govern which sources.
fn settings(page: &mut Report, shown: &[NoiseAdvice]) {
    page.paragraph("'tauto machine check' says how each of these settings is, and how to fix it:");
    let mut lines: Vec<String> = Vec::new();
    for advice in shown {
        let line = format!("{} ({}): {}", advice.what, advice.settings.join(", "), advice.source);
        match lines.iter_mut().find(|line| line.starts_with(&format!("{} (", advice.what))) {
            Some(line) if line.contains(&advice.source) => {}
            Some(line) => line.push_str(&format!("; {}", advice.source)),
            None => lines.push(line),
        }
    }
    page.details(lines);
}

fn what_changed(page: &mut Report, comparison: &NoiseCompareReport, of_sources: &[String]) {
    page.heading("What changed");
    page.paragraph(
        "Each CPU is compared with itself, by blocks of half a second before and after: a permutation test of their \
         means, with chances made larger for the number of rows (Holm). Blocks of a machine that drifts are not \
         independent, so measure before and after more than once where it matters.",
    );
    let row = |row: &documents::NoiseCompareRow| {
        let (words, cell): (_, fn(f64) -> String) = match row.what.as_str() {
            "taken" => ("time taken", |part| format!("{:.4} %", part * 100.0)),
            "call_ns" => ("a call, mean", |ns| format!("{:.2} us", ns / 1e3)),
            _ => ("detours of 1 us and more a second", |rate| format!("{rate:.1}")),
        };
        let some = |value: Option<f64>| value.map_or_else(|| "not known".to_owned(), cell);
        let verdict = match (row.significant, row.second < row.first) {
            (false, _) => "no: chance may be all",
            (true, true) => "yes: less",
            (true, false) => "yes: more",
        };
        vec![
            format!("CPU {}: {words}", row.cpu),
            some(row.first),
            some(row.second),
            row.difference_low.zip(row.difference_high).map_or_else(
                || "not known".to_owned(),
                |(low, high)| format!("{} to {}", cell(low), cell(high)),
            ),
            row.chance.map_or_else(String::new, |chance| format!("{chance:.5}")),
            row.unavailable.clone().unwrap_or_else(|| verdict.to_owned()),
        ]
    };
    page.detail_table(Table::with_words(
        &["what", "before", "after", "after less before (95 %)", "by chance", "significant"],
        &[5],
        comparison.rows.iter().map(row),
    ));
    page.details(of_sources.to_vec());
    page.details(comparison.cautions.clone());
}

fn pictures(page: &mut Report, profile: &Profile, found: &[FoundCpu]) {
    page.heading("Pictures");
    let share = |at: &usize| match &found[*at].sources {
        Reading::Known((found, _)) => found.share,
        Reading::Unavailable(_) => -1.0,
    };
    let mut pictured: Vec<usize> = (0..found.len()).collect();
    pictured.sort_by(|one, other| share(other).total_cmp(&share(one)));
    pictured.truncate(PICTURED_CPUS_MAX);
    pictured.sort_unstable();
    if pictured.len() < found.len() {
        page.paragraph(&format!("Only the {PICTURED_CPUS_MAX} CPUs that lose most time are shown."));
    }
    for at in pictured {
        let sources = match &found[at].sources {
            Reading::Known((found, _)) => Some(found),
            Reading::Unavailable(_) => None,
        };
        for (number, figure) in
            figures::of_cpu(&profile.cpus[at], sources, profile.rate).into_iter().enumerate()
        {
            let name = format!("cpu{}-{}", profile.cpus[at].cpu, number + 1);
            page.figure(&name, figure.svg, &figure.caption);
        }
    }
}
