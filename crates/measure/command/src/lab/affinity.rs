//! `tauto lab affinity`.

mod report;

use super::setting::{Amount, Setting, remove_left_over};
use crate::arguments::AffinityArguments;
use cgroup::{CgroupError, CpuShare, Layout, ShareGroup};
use labs::affinity::{Arm, RunOfPair, measure};
use labs::group_name;
use labs::placement::{PlaceKind, places};
use model::{CpuId, Nanos};
use std::process::ExitCode;
use terminal::failure::{input, input_with_hint};

/// For `--quick`, by default, and for `--full`.
const AMOUNTS: [Amount; 3] = [
    Amount { rounds: 2, time: Nanos::from_millis(2_000) },
    Amount { rounds: 6, time: Nanos::from_millis(5_000) },
    Amount { rounds: 10, time: Nanos::from_millis(30_000) },
];
/// Shorter ones contain too few messages to show how their number varies.
const INTERVAL_MIN: Nanos = Nanos::from_millis(10);
/// Both programs store a count for each.
const INTERVALS_MAX: usize = 100_000;

pub fn run(arguments: &AffinityArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut setting = Setting::prepare("affinity", &arguments.lab, AMOUNTS)?;
    let interval = arguments.interval;
    if interval < INTERVAL_MIN {
        return Err(input(format!("--interval {interval} is too short; use {INTERVAL_MIN} or more")));
    }
    // The first interval is not counted, since both programs start in it.
    let intervals = (setting.amount.time.0 / interval.0) as usize + 1;
    if !(3..=INTERVALS_MAX).contains(&intervals) {
        return Err(input(format!(
            "a run of {} has {} intervals of {interval}; use from 2 to {INTERVALS_MAX}",
            setting.amount.time,
            intervals - 1
        )));
    }
    let pinned = pins(arguments, &setting)?;
    let group = match heavy_group() {
        Ok(group) => Some(group),
        Err(error) => {
            setting.warnings.push(format!("both programs compete with all others as equals: {error}"));
            None
        }
    };
    let arms = [Arm::Unpinned, pinned];
    let names = ["not pinned", "pinned"].map(str::to_owned);
    let mut runs: [Vec<RunOfPair>; 2] = [Vec::new(), Vec::new()];
    let error = setting.rounds(
        &names,
        |turn, stop| measure(arms[turn.arm], interval, intervals, group.as_ref(), stop),
        |arm, run| runs[arm].push(run),
    );
    if runs.iter().any(Vec::is_empty) {
        return Err(error.unwrap_or_else(|| anyhow::anyhow!("there is no run to report")));
    }
    let document = report::document(&setting, &names, &arms, interval, &runs, error.is_none());
    setting.deliver(&report::report(&document), &document, json, error)
}

/// Makes the group with priority over other programs.
fn heavy_group() -> Result<ShareGroup, CgroupError> {
    let layout = Layout::detect()?;
    remove_left_over(&layout);
    ShareGroup::make(&layout, &group_name(), &CpuShare::All)
}

/// Chooses the CPUs: two cores as close together as possible, never siblings of one core.
fn pins(arguments: &AffinityArguments, setting: &Setting) -> anyhow::Result<Arm> {
    if let (Some(receiver), Some(sender)) = (arguments.receiver_cpu, arguments.sender_cpu) {
        for cpu in [receiver, sender] {
            if !setting.cpus.contains(cpu) {
                return Err(input(format!(
                    "CPU {cpu} is not within what is allowed here, {}",
                    setting.cpus.named()
                )));
            }
        }
        return Ok(Arm::Pinned { receiver, sender });
    }
    let found = places(&setting.topology)
        .into_iter()
        .filter(|place| place.kind != PlaceKind::Siblings)
        .chain(places(&setting.topology))
        .find_map(|place| place.cpus.ok().flatten());
    let pinned = |(sender, receiver): (CpuId, CpuId)| Arm::Pinned { receiver, sender };
    found.map(pinned).ok_or_else(|| {
        input_with_hint(
            format!("tauto lab affinity needs two CPUs, and this process may use {}", setting.cpus),
            "run it where more are allowed (see 'taskset -p' and the process's cpuset)",
        )
    })
}
