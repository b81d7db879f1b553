//! Whether a machine may judge: what it measured, against its pool's budget and the pool's other machines.

use crate::names::host_name;
use crate::{Calibration, CalibrationBudget, HostSeen, HostState, JudgeNode, Measured, Seen};
use kube::ResourceExt;
use model::Reading;

/// What is decided about a machine that waits to be let in.
#[derive(Clone, Debug, PartialEq)]
pub enum Judged {
    /// Something was not measured yet.
    NotYet(String),
    Passed(Calibration),
    Failed(String, Calibration),
}

/// Returns the median of the reference times of the pool's judgehosts that were let in.
pub fn expected_reference(nodes: &[&JudgeNode], seen: &Seen, pool: &str) -> Option<u64> {
    let server = seen.server.as_ref()?;
    let of_pool = |node: &&&JudgeNode| node.spec.pool == pool;
    let hosts =
        nodes.iter().filter(of_pool).filter_map(|node| server.hosts.get(&host_name(&node.name_any())));
    let mut times: Vec<u64> =
        hosts.filter(|host| host.state == HostState::Enabled).filter_map(|host| host.reference_ns).collect();
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied()
}

/// Judges a machine by what its judgehost measured.
pub fn judge(host: &HostSeen, budget: &CalibrationBudget, expected: Option<u64>) -> Judged {
    let Some(measured) = &host.measured else {
        return Judged::NotYet("the contest server has no description of it yet".to_owned());
    };
    let Some(reference) = host.reference_ns else {
        return Judged::NotYet("its reference program has not run yet".to_owned());
    };
    let shown = shown(host, measured, reference);
    let lost = match &measured.lost_ppm {
        Reading::Known(lost) => lost,
        Reading::Unavailable(why) => {
            return Judged::Failed(format!("its noise is not known: {why}"), shown);
        }
    };
    if let Some((cpu, ppm)) =
        lost.iter().max_by_key(|(_, ppm)| *ppm).filter(|(_, ppm)| *ppm > budget.lost_ppm_max)
    {
        let why = format!(
            "other work takes {} of CPU {cpu}, and the pool's budget is {}",
            percent(*ppm),
            percent(budget.lost_ppm_max)
        );
        return Judged::Failed(why, shown);
    }
    for id in &budget.settings {
        if let Some(found) = measured.settings.get(id) {
            return Judged::Failed(format!("its setting '{id}' does not pass: {found}"), shown);
        }
    }
    if let Some(expected) = expected.filter(|expected| *expected > 0) {
        let off_permille = u128::from(reference.abs_diff(expected)) * 1000 / u128::from(expected);
        if off_permille > u128::from(budget.reference_permille_max) {
            let word = if reference > expected { "slower" } else { "faster" };
            let why = format!(
                "its reference program takes {}, {}.{} % {word} than the pool's {}",
                milliseconds(reference),
                off_permille / 10,
                off_permille % 10,
                milliseconds(expected)
            );
            return Judged::Failed(why, shown);
        }
    }
    Judged::Passed(shown)
}

fn shown(host: &HostSeen, measured: &Measured, reference: u64) -> Calibration {
    let lost = match &measured.lost_ppm {
        Reading::Known(lost) => percent(lost.iter().map(|(_, ppm)| *ppm).max().unwrap_or(0)),
        Reading::Unavailable(_) => "unknown".to_owned(),
    };
    Calibration {
        reference: milliseconds(reference),
        lost,
        identity: host.identity.clone(),
        places: measured.places.clone(),
        settings: measured.settings.clone(),
    }
}

fn percent(ppm: u32) -> String {
    format!("{}.{:02} %", ppm / 10_000, ppm % 10_000 / 100)
}

fn milliseconds(ns: u64) -> String {
    format!("{}.{:02} ms", ns / 1_000_000, ns % 1_000_000 / 10_000)
}
