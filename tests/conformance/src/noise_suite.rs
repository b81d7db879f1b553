//! The noise probe without a counter of the processor, and with a CPU that is switched off: only for the project's own
//! virtual machine.

use crate::table::{Row, outcome};
use anyhow::{Context, Result, bail, ensure};
use model::{CpuId, CpuSet, Nanos, Reading};
use noise::{CpuProfile, GapTrace, NodeLoad, Profile};
use noise_probe::{NoiseError, Plan, Priority, Step, USUAL_QUANTUM, measure};
use std::fs;
use system::Roots;

const GOES: CpuId = CpuId(5);
const STAYS: CpuId = CpuId(3);

pub fn run() -> Vec<Row> {
    vec![
        outcome("noise-is-measured-without-a-steady-counter", without_a_counter()),
        outcome("a-cpu-that-goes-offline-is-reported", going_away()),
    ]
}

fn plan(cpus: impl IntoIterator<Item = CpuId>, looking: Nanos, calls: u32) -> Plan {
    Plan {
        cpus: cpus.into_iter().collect(),
        load: NodeLoad::AllCpus,
        looking,
        quantum: USUAL_QUANTUM,
        calls,
        priority: Priority::Normal,
        events: false,
    }
}

fn gaps(profile: &Profile, cpu: CpuId) -> Result<&Reading<GapTrace>> {
    let of_cpu = |one: &&CpuProfile| one.cpu == cpu;
    Ok(&profile.cpus.iter().find(of_cpu).with_context(|| format!("there is nothing of CPU {cpu}"))?.gaps)
}

/// The emulated processor does not report that its counter has a constant rate.
fn without_a_counter() -> Result<()> {
    let plan = plan([STAYS, GOES], Nanos::from_millis(500), 100);
    let profile = measure(&Roots::host(), &plan, &|_| (), &|| false)?;
    let is_reported = profile.weaknesses.iter().any(|weakness| weakness.contains("of the kernel's clock"));
    ensure!(is_reported, "the clock is not reported: {:?}", profile.weaknesses);
    // The kernel's clock counts nanoseconds.
    ensure!((profile.rate.0 / 1e9 - 1.0).abs() < 1e-6, "its rate is {} Hz", profile.rate.0);
    for one in &profile.cpus {
        let Reading::Known(calls) = &one.quanta else { bail!("CPU {}: {:?}", one.cpu, one.quanta) };
        ensure!(calls.lengths.len() == 100, "CPU {}: {} calls", one.cpu, calls.lengths.len());
        let Reading::Known(gaps) = &one.gaps else { bail!("CPU {}: {:?}", one.cpu, one.gaps) };
        // Half a second on a kernel with a tick.
        ensure!(gaps.detours.len() > 10, "CPU {}: {} detours", one.cpu, gaps.detours.len());
    }
    Ok(())
}

fn going_away() -> Result<()> {
    let switch = format!("/sys/devices/system/cpu/cpu{GOES}/online");
    let plan = plan([STAYS, GOES], Nanos::from_millis(2_500), 0);
    let profile = std::thread::scope(|scope| {
        let report = |step: Step| {
            if let Step::Gaps(..) = step {
                let switch = &switch;
                scope.spawn(move || fs::write(switch, "0"));
            }
        };
        measure(&Roots::host(), &plan, &report, &|| false)
    })?;
    let asked: CpuSet = [GOES].into_iter().collect();
    let gone = measure(&Roots::host(), &Plan { cpus: asked, ..plan }, &|_| (), &|| false);
    fs::write(&switch, "1").with_context(|| format!("{switch} cannot be written"))?;
    match gaps(&profile, GOES)? {
        Reading::Unavailable(why) => ensure!(why.contains("the CPU went offline"), "another reason: {why}"),
        Reading::Known(_) => bail!("the CPU that went away has a trace"),
    }
    ensure!(matches!(gaps(&profile, STAYS)?, Reading::Known(_)), "{:?}", gaps(&profile, STAYS)?);
    ensure!(matches!(gone, Err(NoiseError::Offline { .. })), "CPU {GOES} is offline, and got {gone:?}");
    Ok(())
}
