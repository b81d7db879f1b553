//! `tauto noise check`: whether the machine is quieter than a budget.

use super::document::weaker;
use super::store::Profiles;
use super::{document, measuring};
use crate::arguments::NoiseCheckArguments;
use model::{Nanos, Reading};
use noise::{CpuProfile, GapSummary, NodeLoad, Profile};
use noise_probe::{Plan, Priority, USUAL_QUANTUM};
use std::process::ExitCode;
use terminal::numbers::{fine_time, share};
use terminal::{Align, Cell, Report, Style, Table, print_result};

/// Measures briefly and compares with the budget; the exit code is 1 if a CPU is noisier.
pub fn run(arguments: &NoiseCheckArguments, json: bool) -> anyhow::Result<ExitCode> {
    let plan = Plan {
        cpus: measuring::cpus(arguments.cpus.as_ref())?,
        load: if arguments.loaded { NodeLoad::AllCpus } else { NodeLoad::OneCpu },
        looking: Nanos::from_millis(u64::from(arguments.seconds) * 1_000),
        quantum: USUAL_QUANTUM,
        calls: 0,
        priority: Priority::Normal,
        // Who only wants to know how much needs no names, and events cost a little.
        events: false,
    };
    let profile = measuring::measure(&plan, &arguments.lease, json)?;
    let report = judge(&profile, arguments.budget, Profiles::here().as_ref());
    print_result(&report, json, report_of)?;
    Ok(ExitCode::from(u8::from(!report.within)))
}

fn judge(profile: &Profile, budget: f64, baselines: Option<&Profiles>) -> documents::NoiseCheckReport {
    let cpus: Vec<_> = profile
        .cpus
        .iter()
        .map(|cpu| {
            let mut unavailable = documents::Unavailable::new();
            let mut known = |reading: Result<(f64, f64, u64), String>, field: &str| match reading {
                Ok(known) => Some(known),
                Err(why) => {
                    unavailable.insert(field.to_owned(), why);
                    None
                }
            };
            let now = known(taken(cpu, profile), "share");
            let before = match baselines.map(|baselines| baselines.of(profile, cpu.cpu)) {
                None => Err("there is no folder for baselines".to_owned()),
                Some(Ok(None)) => Err("'tauto noise probe --save' has left none of this CPU".to_owned()),
                Some(Ok(Some((profile, cpu)))) => taken(&cpu, &profile),
                Some(Err(error)) => Err(format!("{error:#}")),
            };
            let before = known(before, "baseline_share");
            documents::NoiseCheckCpu {
                cpu: cpu.cpu.0,
                share: now.map(|(share, _, _)| share),
                watched_ns: now.map(|(_, watched, _)| watched),
                within: now.is_some_and(|(share, _, _)| share <= budget),
                baseline_share: before.map(|(share, _, _)| share),
                baseline_began_unix_s: before.map(|(_, _, began)| began),
                unavailable,
            }
        })
        .collect();
    documents::NoiseCheckReport {
        budget,
        within: cpus.iter().all(|cpu| cpu.within),
        load: document::load(profile.load).to_owned(),
        weaknesses: profile.weaknesses.clone(),
        cpus,
    }
}

/// Returns the part that was taken, of how long, and when.
fn taken(cpu: &CpuProfile, profile: &Profile) -> Result<(f64, f64, u64), String> {
    match &cpu.gaps {
        Reading::Known(gaps) => {
            let summary = GapSummary::of(gaps, profile.rate);
            Ok((summary.share(), summary.watched_ns, profile.began_unix_s))
        }
        Reading::Unavailable(why) => Err(why.clone()),
    }
}

fn report_of(report: &documents::NoiseCheckReport) -> Report {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("CPU", right),
        ("watched", right),
        ("taken", right),
        ("budget", right),
        ("", Align::Left),
        ("baseline", right),
        ("against it", right),
    ]);
    for cpu in &report.cpus {
        let or_none = |text: Option<String>| Cell::from(text.unwrap_or_else(|| "-".to_owned()));
        let verdict = match (cpu.within, cpu.share) {
            (true, _) => Cell::styled(Style::Good, "within"),
            (false, Some(_)) => Cell::styled(Style::Bad, "noisier"),
            (false, None) => Cell::styled(Style::Bad, "not measured"),
        };
        let against = cpu.share.zip(cpu.baseline_share).filter(|(_, before)| *before > 0.0);
        table.row([
            cpu.cpu.to_string().into(),
            or_none(cpu.watched_ns.map(fine_time)),
            or_none(cpu.share.map(share)),
            share(report.budget).into(),
            verdict,
            or_none(cpu.baseline_share.map(share)),
            or_none(against.map(|(now, before)| format!("{:.2} times", now / before))),
        ]);
        if let Some(why) = cpu.unavailable.get("share") {
            table.note(Some(Style::Caution), why);
        }
        if let Some(why) = cpu.unavailable.get("baseline_share") {
            table.note(Some(Style::Faint), &format!("no baseline: {why}"));
        }
    }
    let mut shown = Report::default();
    shown.table("", table);
    shown.cautions(weaker(&report.weaknesses));
    let answer = match report.within {
        true => "the machine is within the budget",
        false => {
            "the machine is noisier than the budget; 'tauto machine check' names settings that make it so"
        }
    };
    shown.line(answer);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::CpuId;
    use noise::{Burst, Detour, GapTrace, KernelCounts, MachineLine, TickRate, Ticks};
    use terminal::Colour;

    fn profile(taken_ns: u64) -> Profile {
        let gaps = GapTrace {
            turn: Ticks(9),
            threshold: Ticks(109),
            bursts: vec![Burst { begin: Ticks(0), end: Ticks(1_000_000_000) }],
            detours: vec![Detour { start: Ticks(10), length: Ticks(taken_ns) }],
            counts: KernelCounts::default(),
        };
        let cpu = |number, gaps| CpuProfile { cpu: CpuId(number), quanta: Reading::default(), gaps };
        Profile {
            machine: MachineLine { identity: "cafe".to_owned(), ..MachineLine::default() },
            began_unix_s: 7,
            load: NodeLoad::OneCpu,
            rate: TickRate(1e9),
            cpus: vec![cpu(0, Reading::Known(gaps)), cpu(1, Reading::unavailable("it went offline"))],
            weaknesses: vec!["memory is not locked".to_owned()],
        }
    }

    #[test]
    fn each_cpu_has_its_budget_and_its_baseline() {
        let folder = tempfile::tempdir().unwrap();
        let baselines = Profiles::at(folder.path());
        baselines.keep(&profile(1_000_000)).unwrap();
        let report = judge(&profile(4_000_000), 0.005, Some(&baselines));
        assert!(report.cpus[0].within && !report.cpus[1].within && !report.within);
        let text = report_of(&report).text(Colour::Off);
        let row = text.lines().find(|line| line.contains("within")).unwrap();
        let words: Vec<_> = row.split_whitespace().collect();
        assert_eq!(
            words,
            ["0", "1.00", "s", "0.400", "%", "0.500", "%", "within", "0.100", "%", "4.00", "times"],
            "{text}"
        );
        for part in
            ["not measured", "it went offline", "weaker: memory is not locked", "noisier than the budget"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let mut good = profile(4_000_000);
        good.cpus.truncate(1);
        assert!(judge(&good, 0.005, None).within);
        assert!(!judge(&good, 0.003, None).within);
    }
}
