//! Policies on a fleet of openb that is nearly full at the peak.

use super::{REPLICATES, openb_trace, policy};
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, ensure};
use placement::Level;
use placement::policy::{Limits, Policy};
use simulator::compare::{Comparison, options};
use simulator::run::Run;
use simulator::trace::{Reader, Record};
use std::io::Cursor;
use std::path::Path;

/// How many of the 1523 nodes of openb make a fleet whose CPUs standard requests fill to about nine tenths at their peak.
const TIGHT_HOSTS: u32 = 10;
/// The range in which that has to be, so that figures of other traces are not taken for these.
const TIGHT_PEAK: std::ops::RangeInclusive<f64> = 0.85..=0.95;
const TIGHT_SEEDS: [u64; 3] = [1, 2, 3];

/// Compares policies on a fleet of openb that is nearly full at the peak.
pub(super) fn tight(traces: &Path) -> Result<Vec<Figure>> {
    let bytes = openb_trace(traces, Some(TIGHT_HOSTS))?;
    let peak = requested_peak(&bytes)?;
    ensure!(
        TIGHT_PEAK.contains(&peak),
        "standard requests are {peak:.3} of the CPUs of {TIGHT_HOSTS} hosts; choose TIGHT_HOSTS for this trace"
    );
    let mut figures = vec![figure(
        "tight_peak",
        format!("openb on {TIGHT_HOSTS} hosts: standard requests at the peak, of all CPUs"),
        peak * 100.0,
        "%",
    )];
    // Its limits keep a part of each host free whatever the policy prefers, so it is compared without them, too.
    let no_limits =
        Policy { name: "load-aware-no-limits".to_owned(), limits: Limits::default(), ..policy("load-aware") };
    let policies =
        [no_limits, policy("load-aware"), policy("best-fit"), policy("dot-product"), policy("spread")];
    for policy in &policies {
        let source = Reader::open(Cursor::new(&bytes[..]))?;
        let (summary, ..) = Run::start(source, policy.clone(), options(), "", std::io::sink())?.finish()?;
        let key = |what: &str| format!("tight_{}_{what}", policy.name.replace('-', "_"));
        let named = |what: &str| format!("openb on {TIGHT_HOSTS} hosts, {}: {what}", policy.name);
        for (level, fared) in &summary.levels {
            let wait = fared.wait.context("no waits")?;
            let seconds = |ms: u64| ms as f64 / 1e3;
            for (id, what, value, unit) in [
                ("unplaced", "jobs without a host", fared.unplaced as f64, ""),
                ("wait_p99", "wait, p99", seconds(wait.p99_ms), "s"),
                ("wait_max", "longest wait", seconds(wait.max_ms), "s"),
            ] {
                let key = key(&format!("{}_{id}", level.replace('-', "_")));
                figures.push(figure(key, named(&format!("{level}, {what}")), value, unit));
            }
        }
        let usable = summary.usable.unwrap_or(f64::NAN) * 100.0;
        figures.push(figure(key("usable"), named("free CPUs that requests for 4 can take"), usable, "%"));
    }
    for seed in TIGHT_SEEDS {
        let comparison = Comparison {
            policies: policies.to_vec(),
            options: options(),
            replicates: REPLICATES,
            groups: 20,
            seed,
        };
        let found =
            comparison.run(|| Ok::<_, anyhow::Error>(Reader::open(Cursor::new(&bytes[..]))?), || ())?;
        for name in ["unplaced", "usable", "wait_p99_ms", "hot", "hosts_in_use"] {
            let found = found.figures.iter().find(|figure| figure.name == name).context("no such figure")?;
            for (policy, difference) in policies[1..].iter().zip(&found.differences) {
                let difference = difference.context("no difference")?;
                for (what, value) in [("low", difference.low), ("high", difference.high), ("p", difference.p)]
                {
                    figures.push(figure(
                        format!("tight_{}_{name}_{seed}_{what}", policy.name.replace('-', "_")),
                        format!(
                            "{}, less load-aware without limits, {name}, draws of seed {seed}: {what}",
                            policy.name
                        ),
                        value,
                        "",
                    ));
                }
            }
        }
    }
    Ok(figures)
}

/// Returns the most that standard jobs request at once if each starts as it arrives, as a share of the hosts' CPUs.
fn requested_peak(bytes: &[u8]) -> Result<f64> {
    let mut reader = Reader::open(Cursor::new(bytes))?;
    let mut cpus = 0_u64;
    // By time, so that ends come before the arrivals of the same instant.
    let mut changes: Vec<(u64, i64)> = Vec::new();
    while let Some(record) = reader.next()? {
        match record {
            Record::Host(host) => cpus += u64::from(host.cpu_milli),
            Record::Job(job) if job.level == Level::Standard => {
                let request = i64::from(job.cpu_milli);
                changes.push((job.at_ms, request));
                changes.extend(job.for_ms.map(|for_ms| (job.at_ms + for_ms, -request)));
            }
            Record::Job(_) | Record::Change(_) => {}
        }
    }
    changes.sort_unstable();
    let sums = changes.iter().scan(0, |sum, (_, change)| {
        *sum += change;
        Some(*sum)
    });
    Ok(sums.max().unwrap_or(0) as f64 / cpus as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use placement::Amount;
    use simulator::trace::{Head, HostRecord, JobRecord, Writer};

    #[test]
    fn the_peak_of_requests_is_that_of_standard_jobs_at_once() {
        let cpus = |cpus: u32| Amount { cpu_milli: cpus * 1000, memory_mib: 1 };
        let job = |name: &str, at_ms, for_ms, request, level| {
            Record::Job(JobRecord { for_ms, level, ..JobRecord::new(name, at_ms, cpus(request)) })
        };
        let mut bytes = Vec::new();
        let mut writer =
            Writer::create(&mut bytes, &Head { name: "t".to_owned(), ..Head::default() }).unwrap();
        for record in [
            Record::Host(HostRecord::new("h1", cpus(8))),
            Record::Host(HostRecord::new("h2", cpus(2))),
            job("a", 0, Some(10), 4, Level::Standard),
            job("b", 5, None, 5, Level::Standard),
            job("c", 6, None, 8, Level::BestEffort),
            // It comes as the first one goes.
            job("d", 10, Some(1), 3, Level::Standard),
        ] {
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(requested_peak(&bytes).unwrap(), 0.9);
    }
}
