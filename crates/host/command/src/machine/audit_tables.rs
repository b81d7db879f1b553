//! The report of an audit.

use model::{Audit, AuditMethod, Finding, Nanos, Reading, RunResult, RunnerKind, ThreadUse};
use std::collections::BTreeMap;
use terminal::numbers::percent;
use terminal::{Align, Cell, Colour, Report, Style, Table};

/// More lines would not be read; the document has all of them.
const ROWS_MAX: usize = 25;
/// Longer names are cut; task names have at most 15 bytes, those of interrupts and groups may be longer.
const NAME_WIDTH: usize = 32;

pub fn report_of(audit: &Audit, ran: Option<&RunResult>) -> Report {
    let mut report = Report::default();
    report.facts(facts(audit, ran));
    report.section("What else ran");
    add_findings(&mut report, audit);
    if !audit.threads.is_empty() {
        report.section("Where the program's threads ran");
        add_threads(&mut report, &audit.threads);
    }
    let advice = advice(audit);
    if !advice.is_empty() {
        report.section("How to move them");
        report.sentences(advice);
    }
    report.section("Not seen");
    report.sentences(audit.blind_spots.clone());
    report
}

/// Makes the part that is printed below a run's report.
pub fn under_a_report(audit: &Audit, colour: Colour) -> String {
    let mut report = Report::default();
    report.section(&format!("What else ran on {}", audit.cpus.named()));
    add_findings(&mut report, audit);
    if !audit.threads.is_empty() {
        report.section("Where its threads ran");
        add_threads(&mut report, &audit.threads);
    }
    format!("\n{}", report.text(colour))
}

fn facts(audit: &Audit, ran: Option<&RunResult>) -> Vec<(&'static str, String)> {
    let how = match &audit.method {
        AuditMethod::Events => "by the kernel's events".to_owned(),
        AuditMethod::Estimate { why } => format!("an estimate by counters ({why})"),
    };
    let mut facts = vec![("watched", format!("{} for {}, {how}", audit.cpus.named(), audit.interval))];
    if let Some(ran) = ran {
        let usage = &ran.usage;
        let times = format!("{}, CPU time {}, wall time {}", ran.end, usage.cpu_time, usage.wall_time);
        facts.push(("program", times));
    }
    let shares = match &audit.shares {
        Reading::Known(shares) => {
            let parts = [
                ("program", shares.run),
                ("tauto", shares.ours),
                ("others", shares.others),
                ("interrupts", shares.interrupts),
                ("soft interrupts", shares.soft_interrupts),
                ("idle", shares.idle),
                ("unknown", shares.unknown),
            ];
            let shown = parts.iter().filter(|(name, time)| {
                *time > Nanos::ZERO || (*name == "others" || (*name == "program" && ran.is_some()))
            });
            let parts: Vec<String> =
                shown.map(|(name, time)| format!("{name} {}", percent(audit.part(*time)))).collect();
            parts.join(", ")
        }
        Reading::Unavailable(why) => format!("unavailable: {why}"),
    };
    facts.push(("their time", shares));
    facts
}

fn add_findings(report: &mut Report, audit: &Audit) {
    if audit.findings.is_empty() {
        report.line("no other task was seen");
        return;
    }
    let with_program = !audit.threads.is_empty();
    let mut columns = vec![
        ("name", Align::Left),
        ("what", Align::Left),
        ("number", Align::Right),
        ("CPUs", Align::Left),
        ("times", Align::Right),
        ("total", Align::Right),
        ("longest", Align::Right),
        ("share", Align::Right),
    ];
    if with_program {
        columns.push(("taken from program", Align::Right));
    }
    let mut table = Table::new(&columns);
    for finding in audit.findings.iter().take(ROWS_MAX) {
        let mut cells = vec![
            Cell::from(finding.name.as_str()).cut(NAME_WIDTH),
            what(finding).into(),
            finding.number.map_or_else(String::new, |number| number.to_string()).into(),
            finding.cpus.to_string().into(),
            finding.count.to_string().into(),
            shown(&finding.total),
            shown(&finding.longest),
            finding.total.known().map_or_else(|| "-".to_owned(), |total| percent(audit.part(*total))).into(),
        ];
        if with_program {
            cells.push(taken(&finding.taken_from_run));
        }
        table.row(cells);
        if let Some(group) = &finding.control_group {
            table.note(Some(Style::Faint), &format!("in {group}"));
        }
        if let Some(maker) = &finding.made_by {
            table.note(Some(Style::Faint), &format!("made by {maker}"));
        }
    }
    add_table(report, table, audit.findings.len());
}

/// Adds a table of the first rows; `all` is how many there are.
fn add_table(report: &mut Report, table: Table, all: usize) {
    report.table("", table);
    if all > ROWS_MAX {
        report.line(&format!("and {} more, see --json", all - ROWS_MAX));
    }
}

fn what(finding: &Finding) -> String {
    match finding.tasks {
        0 | 1 => finding.kind.to_string(),
        tasks => format!("{}, {tasks} of them", finding.kind),
    }
}

fn taken(time: &Reading<Nanos>) -> Cell {
    match time {
        Reading::Known(time) if *time > Nanos::ZERO => Cell::styled(Style::Caution, time.to_string()),
        other => shown(other),
    }
}

fn add_threads(report: &mut Report, threads: &[ThreadUse]) {
    let split = threads.iter().any(|thread| thread.user_time.known().is_some());
    let mut columns = vec![("thread", Align::Right), ("name", Align::Left), ("CPU time", Align::Right)];
    if split {
        columns.extend([("user", Align::Right), ("system", Align::Right)]);
    }
    columns.extend([
        ("involuntary", Align::Right),
        ("voluntary", Align::Right),
        ("migrations", Align::Right),
        ("on CPU", Align::Left),
    ]);
    let mut table = Table::new(&columns);
    for thread in threads.iter().take(ROWS_MAX) {
        let mut cells = vec![
            thread.thread.to_string().into(),
            Cell::from(thread.name.as_str()).cut(NAME_WIDTH),
            thread.cpu_time().to_string().into(),
        ];
        if split {
            cells.extend([shown(&thread.user_time), shown(&thread.system_time)]);
        }
        let places: Vec<String> =
            thread.cpu_times.iter().map(|(cpu, time)| format!("{cpu}: {time}")).collect();
        cells.extend([
            shown(&thread.forced_switches),
            shown(&thread.voluntary_switches),
            thread.migrations.to_string().into(),
            places.join(", ").into(),
        ]);
        table.row(cells);
    }
    add_table(report, table, threads.len());
}

/// Lists each piece of advice once, with the names to which it applies.
fn advice(audit: &Audit) -> Vec<String> {
    let mut order = Vec::new();
    let mut names: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for finding in audit.findings.iter().take(ROWS_MAX).filter(|finding| finding.kind != RunnerKind::Ours) {
        let key = (finding.advice.text.as_str(), finding.advice.source);
        let known = names.entry(key).or_default();
        if known.is_empty() {
            order.push(key);
        }
        if !known.contains(&finding.name.as_str()) {
            known.push(&finding.name);
        }
    }
    order.into_iter().map(|key| format!("{}: {} ({})", names[&key].join(", "), key.0, key.1)).collect()
}

fn shown<T: ToString>(reading: &Reading<T>) -> Cell {
    reading.known().map_or_else(|| "-".to_owned(), ToString::to_string).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Advice, CpuId, CpuShares};

    fn finding(kind: RunnerKind, name: &str, number: Option<u32>, total: Nanos) -> Finding {
        Finding {
            kind,
            name: name.to_owned(),
            number,
            tasks: 1,
            control_group: None,
            made_by: None,
            cpus: "1".parse().unwrap(),
            count: 7,
            total: Reading::Known(total),
            longest: Reading::Known(Nanos(total.0 / 7)),
            taken_from_run: Reading::Known(Nanos(total.0 / 2)),
            advice: Advice { text: format!("move the {kind}"), source: "Documentation/x.rst" },
        }
    }

    fn audit() -> Audit {
        let cron = Finding {
            tasks: 2,
            control_group: Some("/cron".to_owned()),
            ..finding(RunnerKind::Process, "cron", None, Nanos::from_millis(100))
        };
        let gone = Finding {
            made_by: Some("make 12".to_owned()),
            ..finding(RunnerKind::GoneTask, "cc1 [2J", Some(13), Nanos::from_millis(2))
        };
        Audit {
            cpus: "1".parse().unwrap(),
            method: AuditMethod::Events,
            interval: Nanos::from_millis(1000),
            shares: Reading::Known(CpuShares {
                run: Nanos::from_millis(898),
                others: Nanos::from_millis(102),
                ..CpuShares::default()
            }),
            findings: vec![cron, gone],
            threads: vec![ThreadUse {
                thread: 77,
                name: "a.out".to_owned(),
                cpu_times: [(CpuId(0), Nanos::from_millis(98)), (CpuId(1), Nanos::from_millis(800))].into(),
                user_time: Reading::unavailable("events do not show"),
                system_time: Reading::unavailable("events do not show"),
                forced_switches: Reading::Known(2),
                voluntary_switches: Reading::Known(1),
                migrations: 1,
            }],
            lost_events: 0,
            blind_spots: vec!["what the hypervisor took cannot be seen from inside this machine".to_owned()],
        }
    }

    #[test]
    fn tables_show_disturbers_and_how_to_move_them() {
        insta::assert_snapshot!(report_of(&audit(), None).text(Colour::Off), @r"
        watched            CPU 1 for 1.000 s, by the kernel's events
        their time         program 89.80 %, others 10.20 %

        What else ran
        name     what                number  CPUs  times     total  longest    share  taken from program
        ────────────────────────────────────────────────────────────────────────────────────────────────
        cron     process, 2 of them          1         7  100.0 ms  14.3 ms  10.00 %             50.0 ms
            in /cron
        cc1 [2J  task, gone              13  1         7    2.0 ms   286 us   0.20 %              1.0 ms
            made by make 12

        Where the program's threads ran
        thread  name   CPU time  involuntary  voluntary  migrations  on CPU
        ────────────────────────────────────────────────────────────────────────────────────
            77  a.out  898.0 ms            2          1           1  0: 98.0 ms, 1: 800.0 ms

        How to move them
        - cron: move the process (Documentation/x.rst)
        - cc1 [2J: move the task, gone (Documentation/x.rst)

        Not seen
        - what the hypervisor took cannot be seen from inside this machine
        ");
    }

    #[test]
    fn estimate_is_marked_and_omits_unknowns() {
        let mut audit = audit();
        audit.method = AuditMethod::Estimate { why: "no tracing".to_owned() };
        audit.shares = Reading::unavailable("counters do not show");
        audit.findings.truncate(1);
        audit.findings[0].longest = Reading::unavailable("counters do not show");
        audit.findings[0].taken_from_run = Reading::unavailable("counters do not show");
        audit.threads[0].user_time = Reading::Known(Nanos::from_millis(890));
        insta::assert_snapshot!(report_of(&audit, None).text(Colour::Off), @r"
        watched            CPU 1 for 1.000 s, an estimate by counters (no tracing)
        their time         unavailable: counters do not show

        What else ran
        name  what                number  CPUs  times     total  longest    share  taken from program
        ─────────────────────────────────────────────────────────────────────────────────────────────
        cron  process, 2 of them          1         7  100.0 ms        -  10.00 %                   -
            in /cron

        Where the program's threads ran
        thread  name   CPU time      user  system  involuntary  voluntary  migrations  on CPU
        ──────────────────────────────────────────────────────────────────────────────────────────────────────
            77  a.out  898.0 ms  890.0 ms       -            2          1           1  0: 98.0 ms, 1: 800.0 ms

        How to move them
        - cron: move the process (Documentation/x.rst)

        Not seen
        - what the hypervisor took cannot be seen from inside this machine
        ");
    }
}
