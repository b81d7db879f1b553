//! Virtual machines around runs, compared with containers, in turns.

use super::host::Host;
use crate::figure::{Figure, figure, table};
use anyhow::{Context, Result, ensure};
use microvm::{Accelerator, Machines};
use model::{Bytes, Nanos, RunEnd};
use sandbox::{Input, Ran, RootView, RunIo, RunPlan, Slot, SlotOptions};
use stats::Sample;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;

const BUSYBOX: &str = "/bin/busybox";
/// Starts of templates: each takes seconds.
const COLD_ROUNDS: usize = 3;
/// The goal where a processor executes the guest: how much longer a run takes than in a container.
const WARM_GOAL_MS: f64 = 150.0;
/// The limit on memory of the runs.
const MEMORY: Bytes = Bytes::from_mib(128);
/// Computes for a while, and reads nothing.
const LOOP: &str = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";

/// Measures and prints; returns whether the bars are reached.
pub fn run(rounds: usize, json: bool) -> Result<bool> {
    sandbox::enter_private_mounts()?;
    let folder = tempfile::tempdir()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let bin = folder.path().join("bin");
    fs::create_dir(&bin)?;
    fs::copy(BUSYBOX, bin.join("busybox"))
        .context("busybox-static is missing: apt-get install busybox-static")?;
    let root = RootView::Tree(folder.path().to_owned());
    let (short, long) = (plan("true"), plan(LOOP));
    let mut cold = Vec::new();
    let mut state = Bytes(0);
    for _ in 0..COLD_ROUNDS {
        let machines = find()?;
        let mut slot = Slot::open(SlotOptions::new(machines.container()))?;
        timed(|| Ok(machines.run(&mut slot, &root, &short, io())?))?;
        let started = machines.started().pop().context("no template was made")?;
        cold.push(started.time.0 as f64 / 1e6);
        state = started.state;
    }
    let machines = find()?;
    let mut outside = Slot::open(SlotOptions::new(machines.container()))?;
    let mut container = Slot::open(SlotOptions::new(root.clone()))?;
    let (mut in_container, mut in_machine, mut more, mut starts) = (vec![], vec![], vec![], vec![]);
    let (mut loops, mut memory) = (vec![], vec![]);
    for round in 0..=rounds {
        let (here, _) = timed(|| Ok(container.run(&short, io())?))?;
        let (there, ran) = timed(|| Ok(machines.run(&mut outside, &root, &short, io())?))?;
        let (_, native) = timed(|| Ok(container.run(&long, io())?))?;
        let (_, inside) = timed(|| Ok(machines.run(&mut outside, &root, &long, io())?))?;
        // The first has made the template.
        if round > 0 {
            in_container.push(here);
            in_machine.push(there);
            more.push(there - here);
            let machine = ran.result.evidence.machine.context("a run without a machine")?;
            starts.push(machine.start_time.0 as f64 / 1e6);
            memory
                .extend(machine.memory_peak.map(|peak| (peak.0.saturating_sub(state.0)) as f64 / 1048576.0));
            loops.push(inside.result.usage.cpu_time.0 as f64 / native.result.usage.cpu_time.0 as f64);
        }
        eprintln!("bench: container {here:.1} ms, machine {there:.1} ms");
    }
    let median =
        |values: Vec<f64>| Ok::<f64, anyhow::Error>(Sample::new(values).context("no round")?.median());
    let warm = figure("more", "the same, longer than in a container", median(more)?, "ms");
    let figures: Vec<Figure> = vec![
        figure("cold", "a template: started and saved", median(cold)?, "ms"),
        figure("state", "its state, which is read for each run", state.0 as f64 / 1048576.0, "MiB"),
        figure("container", "a run in a container that stands", median(in_container)?, "ms"),
        figure("machine", "a run in a machine of its own, from the template", median(in_machine)?, "ms"),
        match machines.accelerator() {
            Accelerator::Kvm => warm.under(WARM_GOAL_MS),
            Accelerator::Emulated { .. } => warm,
        },
        figure("start", "of that: until the guest has what to run", median(starts)?, "ms"),
        figure("loop", "a loop in a shell: CPU time inside, times that in a container", median(loops)?, ""),
        figure("memory", "memory of hypervisor and run beyond the state", median(memory)?, "MiB"),
    ];
    let host = Host::read();
    host.show(json, &figures, || {
        let mut text = format!("executed by: {}\n\n", machines.accelerator());
        text.push_str(&table(&figures));
        text
    })?;
    Ok(figures.iter().all(|figure| figure.is_reached))
}

fn find() -> Result<Machines> {
    let folder = std::env::var_os("TAUTO_GUEST");
    Machines::find(folder.as_ref().map(Path::new)).map_err(anyhow::Error::msg)
}

fn plan(script: &str) -> RunPlan {
    let mut plan = RunPlan::new(["/bin/busybox", "sh", "-c", script].map(str::to_owned).to_vec());
    plan.limits.memory = Some(MEMORY);
    plan.limits.cpu_time = Some(Nanos::from_millis(60_000));
    plan
}

fn io() -> RunIo {
    RunIo::captured(Input::Empty)
}

/// Returns how long it took, in ms.
fn timed(run: impl FnOnce() -> Result<Ran>) -> Result<(f64, Ran)> {
    let begin = Instant::now();
    let ran = run()?;
    let took = begin.elapsed().as_secs_f64() * 1e3;
    ensure!(ran.result.end == RunEnd::Exited(0), "a run ended with {}", ran.result.end);
    Ok((took, ran))
}
