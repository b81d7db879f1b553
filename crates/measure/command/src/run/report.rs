//! The report of a run for display, and its destination.

use model::{Evidence, Isolation, IsolationKind, LimitKind, Limits, Reading, RunEnd, RunResult, Usage};
use ruling::RuleNumbers;
use std::fmt::Display;
use std::path::Path;
use terminal::interrupt::signal_name;
use terminal::prose::{error_columns, wrap};
use terminal::{AtomicFile, Standard};

/// Returns the report, one fact per line.
pub fn text(limits: &Limits, result: &RunResult, is_shared: bool, warnings: &[String]) -> String {
    let usage = &result.usage;
    let mut lines = vec![
        ("end", format!("{}{}", end(result, limits), if is_shared { " (shared CPU)" } else { "" })),
        (
            "cpu",
            format!(
                "{}{} ({})",
                usage.cpu_time,
                of(limits.cpu_time),
                both(("user", &usage.user_time), ("system", &usage.system_time), |name, time| format!(
                    "{name} {time}"
                ))
            ),
        ),
        ("wall", format!("{}{}", usage.wall_time, of(limits.wall_time))),
        ("memory", memory(result, limits)),
        ("output", usage.output.as_ref().map(|output| format!("{output}{}", of(limits.output))).to_string()),
        (
            "switches",
            both(("involuntary", &usage.forced_switches), ("voluntary", &usage.voluntary_switches), counted),
        ),
        ("faults", both(("minor", &usage.minor_faults), ("major", &usage.major_faults), counted)),
    ];
    if let Reading::Known(count) = &usage.instructions {
        lines.insert(1, ("counted", format!("{count}{} instructions", of(limits.instructions))));
    }
    lines.extend(evidence(&result.evidence));
    lines.extend(warnings.iter().map(|warning| ("warning", warning.clone())));
    let columns = error_columns();
    lines.iter().map(|(name, value)| wrap(&format!("{name:<12}"), 12, value, columns)).collect()
}

fn memory(result: &RunResult, limits: &Limits) -> String {
    let Usage { memory_peak, max_rss, .. } = &result.usage;
    let peak = memory_peak.as_ref().map(|peak| format!("{peak}{} at most", of(limits.memory)));
    let largest = match max_rss {
        Reading::Known(max_rss) => format!("{max_rss} resident in its largest process"),
        Reading::Unavailable(why) => format!("resident in its largest process unavailable: {why}"),
    };
    format!("{peak}; {largest}")
}

/// Returns two readings that are either both known or both unknown.
fn both<T: Copy>(
    (first_name, first): (&str, &Reading<T>),
    (second_name, second): (&str, &Reading<T>),
    write: impl Fn(&str, T) -> String,
) -> String {
    match (first, second) {
        (Reading::Known(first), Reading::Known(second)) => {
            format!("{}, {}", write(first_name, *first), write(second_name, *second))
        }
        (Reading::Unavailable(why), _) | (_, Reading::Unavailable(why)) => {
            format!("{first_name} and {second_name} unavailable: {why}")
        }
    }
}

fn counted(name: &str, count: u64) -> String {
    format!("{count} {name}")
}

fn of(limit: Option<impl Display>) -> String {
    limit.map_or_else(String::new, |limit| format!(" of {limit}"))
}

fn end(result: &RunResult, limits: &Limits) -> String {
    let at = |kind: LimitKind, limit: Option<String>| format!("{}{}", kind.passed(), of(limit));
    match result.end {
        RunEnd::Exited(code) => format!("exit code {code}"),
        RunEnd::Signaled(signal) => format!("killed by signal {signal} ({})", signal_name(signal)),
        RunEnd::Limit(kind @ LimitKind::CpuTime) => at(kind, limits.cpu_time.map(|l| l.to_string())),
        RunEnd::Limit(kind @ LimitKind::Instructions) => at(kind, limits.instructions.map(|l| l.to_string())),
        RunEnd::Limit(kind @ LimitKind::WallTime) => at(kind, limits.wall_time.map(|l| l.to_string())),
        RunEnd::Limit(kind @ LimitKind::Memory) => {
            // Without its own limit, the machine's memory was exhausted.
            limits.memory.map_or_else(
                || "ended because the machine's memory ran out".to_owned(),
                |limit| at(kind, Some(limit.to_string())),
            )
        }
        RunEnd::Limit(kind @ LimitKind::Output) => at(kind, limits.output.map(|l| l.to_string())),
    }
}

/// Returns the disturbances that were seen around the run; there may have been others.
fn evidence(evidence: &Evidence) -> Vec<(&'static str, String)> {
    let disturbances = RuleNumbers::CURRENT.disturbances(evidence);
    let disturbances: Vec<String> = disturbances.iter().map(ToString::to_string).collect();
    let seen = if disturbances.is_empty() { "none seen".to_owned() } else { disturbances.join("; ") };
    let counted = [
        ("steal", shown(&evidence.steal)),
        ("interrupts", shown(&evidence.interrupts)),
        ("softirqs", shown(&evidence.softirqs)),
        ("throttled", shown(&evidence.throttled)),
        ("run-queue wait", shown(&evidence.cpu_pressure)),
        ("others' CPU time", shown(&evidence.others_cpu_time)),
        ("migrations", shown(&evidence.migrations)),
        ("frequency", shown(&evidence.frequency)),
        ("slowed by heat", shown(&evidence.heat_throttles)),
    ];
    let hardware = shown(&evidence.hardware);
    let known: Vec<String> =
        counted.iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_deref()?))).collect();
    let unknown: Vec<&str> = counted
        .iter()
        .filter(|(_, value)| value.is_none())
        .map(|(name, _)| *name)
        .chain(hardware.is_none().then_some("hardware counters"))
        .collect();
    let mut lines =
        vec![("disturbance", seen), ("on CPUs", format!("{}: {}", evidence.cpus, known.join(", ")))];
    lines.extend(hardware.map(|counts| ("counted", counts)));
    lines.extend(evidence.machine.map(|machine| ("machine", machine.to_string())));
    if let Reading::Known(unusual) = &evidence.unusual
        && !unusual.is_empty()
    {
        let unusual: Vec<String> = unusual.iter().map(ToString::to_string).collect();
        lines.push(("unusual", unusual.join("; ")));
    }
    if evidence.isolation.kind > IsolationKind::Affinity || evidence.isolation.weaker_because.is_some() {
        let Isolation { kind, weaker_because, .. } = &evidence.isolation;
        let why = weaker_because.as_ref().map_or_else(String::new, |why| format!("; {why}"));
        lines.push(("isolation", format!("{kind}{why}")));
    }
    if !unknown.is_empty() {
        lines.push(("not known", unknown.join(", ")));
    }
    lines
}

fn shown<T: Display>(reading: &Reading<T>) -> Option<String> {
    reading.known().map(ToString::to_string)
}

/// Writes the report to a file, completely or not at all, or to standard error.
pub fn deliver(text: &str, file: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = file else {
        return Ok(Standard::error().write(text)?);
    };
    // The program has run: that is no wrong use of the command any more.
    AtomicFile::write_whole(path, text.as_bytes()).map_err(|error| anyhow::anyhow!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, HardwareCounts, Nanos};

    #[test]
    fn the_report_says_which_limit_ended_it_and_what_was_seen() {
        let limits = Limits { cpu_time: Some(Nanos::from_millis(2000)), ..Limits::unlimited() };
        let result = RunResult {
            end: RunEnd::Limit(LimitKind::CpuTime),
            usage: Usage {
                cpu_time: Nanos::from_millis(2001),
                user_time: Reading::Known(Nanos::from_millis(2000)),
                system_time: Reading::Known(Nanos::from_millis(1)),
                wall_time: Nanos::from_millis(2003),
                instructions: Reading::default(),
                memory_peak: Reading::Known(Bytes::from_mib(3)),
                max_rss: Reading::Known(Bytes::from_mib(2)),
                output: Reading::Known(Bytes(12)),
                forced_switches: Reading::Known(4),
                voluntary_switches: Reading::Known(1),
                minor_faults: Reading::Known(90),
                major_faults: Reading::Known(0),
            },
            evidence: Evidence {
                cpus: "1".parse().unwrap(),
                steal: Reading::Known(Nanos::ZERO),
                interrupts: Reading::Known(501),
                hardware: Reading::Known(HardwareCounts {
                    instructions: 3_000_000_000,
                    cycles: 2_000_000_000,
                    enabled: Nanos(2),
                    running: Nanos(1),
                    ..HardwareCounts::default()
                }),
                ..Evidence::default()
            },
        };
        insta::assert_snapshot!(text(&limits, &result, false, &["mind the gap".to_owned()]), @"
        end         was ended at its CPU time limit of 2.000 s
        cpu         2.001 s of 2.000 s (user 2.000 s, system 1.0 ms)
        wall        2.003 s
        memory      3.0 MiB at most; 2.0 MiB resident in its largest process
        output      12 B
        switches    4 involuntary, 1 voluntary
        faults      90 minor, 0 major
        disturbance none seen
        on CPUs     1: steal 0 s, interrupts 501
        counted     3.0000 G instructions, 2.0000 G cycles, 1.50 instructions per cycle (counted for 50 % of the time and scaled)
        not known   softirqs, throttled, run-queue wait, others' CPU time, migrations, frequency, slowed by heat
        warning     mind the gap
        ");
    }

    #[test]
    fn what_is_not_known_is_no_number() {
        let evidence = Evidence { interrupts: Reading::Known(1), ..Evidence::default() };
        let usage = Usage::of_times(Nanos::from_millis(2), Nanos::from_millis(3), "not measured");
        let result = RunResult { end: RunEnd::Exited(0), usage, evidence };
        insta::assert_snapshot!(text(&Limits::unlimited(), &result, false, &[]), @"
        end         exit code 0
        cpu         2.0 ms (user and system unavailable: not measured)
        wall        3.0 ms
        memory      unavailable: not measured; resident in its largest process unavailable: not measured
        output      unavailable: not measured
        switches    involuntary and voluntary unavailable: not measured
        faults      minor and major unavailable: not measured
        disturbance none seen
        on CPUs     : interrupts 1
        not known   steal, softirqs, throttled, run-queue wait, others' CPU time, migrations, frequency, slowed by heat, hardware counters
        ");
    }

    #[test]
    fn a_report_replaces_a_file_and_fills_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        std::fs::write(&path, "before").unwrap();
        deliver("after", Some(&path)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        deliver("away", Some(Path::new("/dev/null"))).unwrap();
        assert!(deliver("x", Some(Path::new("/proc/no-such-folder/report"))).is_err());
    }
}
