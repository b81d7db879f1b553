//! `tauto lab throttling`.

mod report;

use super::setting::{Amount, Setting, remove_left_over};
use crate::arguments::ThrottlingArguments;
use anyhow::Context;
use cgroup::Layout;
use labs::throttling::{self, Plan, RunOfArm, Workload};
use model::{CpuId, Nanos, Topology};
use std::process::ExitCode;
use terminal::failure::because;

/// For `--quick`, by default, and for `--full`.
const AMOUNTS: [Amount; 3] = [
    Amount { rounds: 1, time: Nanos::from_millis(2_000) },
    Amount { rounds: 4, time: Nanos::from_millis(4_000) },
    Amount { rounds: 6, time: Nanos::from_millis(10_000) },
];
const BURSTS_PER_SECOND: f64 = 10.0;
/// The mean time from one round of housekeeping to the next.
const CHORES_EVERY: Nanos = Nanos::from_millis(400);
/// Parts of a request: as many threads can work on it at once.
const PARTS: u32 = 4;

pub fn run(arguments: &ThrottlingArguments, json: bool) -> anyhow::Result<ExitCode> {
    let setting = Setting::prepare("throttling", &arguments.lab, AMOUNTS)?;
    let plan = throttling::plan(&order(&setting.topology), arguments.cpus, true)
        .context(because("tauto lab throttling cannot be done"))?;
    let workload = workload(arguments, &plan, &setting);
    let layout = Layout::detect()?;
    remove_left_over(&layout);
    let steps_per_ms = throttling::steps_per_ms();
    let names: Vec<_> = plan.arms.iter().map(|arm| arm.name.clone()).collect();
    let mut runs: Vec<Vec<RunOfArm>> = vec![Vec::new(); names.len()];
    let error = setting.rounds(
        &names,
        |turn, stop| {
            // In a round all arms serve the same schedule; every round has a different one.
            let workload =
                Workload { seed: workload.seed.wrapping_add(u64::from(turn.round)), ..workload.clone() };
            throttling::measure(&layout, &plan.arms[turn.arm], &workload, steps_per_ms, stop)
        },
        |arm, run| runs[arm].push(run),
    );
    if runs.iter().any(Vec::is_empty) {
        return Err(error.unwrap_or_else(|| anyhow::anyhow!("there is no run to report")));
    }
    let document = report::document(&setting, &plan, &workload, &runs, arguments.target, error.is_none());
    let report = report::report(&document);
    setting.deliver(&report, &document, json, error)
}

/// Lists the CPUs that may be used, core by core, with close cores next to each other.
fn order(topology: &Topology) -> Vec<CpuId> {
    let mut cores: Vec<_> = topology
        .cores
        .iter()
        .map(|core| core.cpus.intersection(&topology.allowed))
        .filter(|cpus| !cpus.is_empty())
        .collect();
    let l3 = |cpu: CpuId| topology.l3_domains.iter().position(|domain| domain.cpus.contains(cpu));
    let place = |cpu: CpuId| (topology.numa_node_of(cpu).map(|node| node.os_id), l3(cpu), cpu);
    cores.sort_by_key(|cpus| cpus.first().map(place));
    cores.iter().flat_map(|cpus| cpus.iter()).collect()
}

fn workload(arguments: &ThrottlingArguments, plan: &Plan, setting: &Setting) -> Workload {
    let cpus = setting.cpus.len() as u32;
    Workload {
        seed: arguments.seed,
        time: setting.amount.time,
        bursts_per_second: BURSTS_PER_SECOND,
        requests_per_burst: arguments.burst * plan.cpus,
        request: arguments.request,
        parts: PARTS,
        // Twice the number of CPUs, as in servers that also wait for disks and networks.
        threads: 2 * cpus,
        chores: arguments.chores.saturating_mul(u64::from(plan.cpus)),
        chores_every: CHORES_EVERY,
        chore_threads: cpus,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CacheDomain, Core};

    #[test]
    fn siblings_follow_each_other_and_so_do_neighbours() {
        let set = |list: &str| list.parse::<model::CpuSet>().unwrap();
        let topology = Topology {
            cores: ["0,4", "1,5", "2,6", "3,7"]
                .map(|cpus| Core { os_id: None, cpus: set(cpus), kind: None })
                .into(),
            l3_domains: ["0,2,4,6", "1,3,5,7"]
                .map(|cpus| CacheDomain { os_id: None, cpus: set(cpus), size: None })
                .into(),
            allowed: set("0-4,6-7"),
            ..Topology::default()
        };
        let order: Vec<_> = order(&topology).into_iter().map(|cpu| cpu.0).collect();
        assert_eq!(order, [0, 4, 2, 6, 1, 3, 7]);
    }
}
