//! A probe from the command line: a line of progress that does not disturb it, signals, and who is where.

use anyhow::Context;
use cpus::{LeaseError, Registry};
use host_command::arguments::NoiseLeaseArguments;
use host_command::here::{allowed_cpus, stay_on};
use model::CpuSet;
use noise::{NodeLoad, Profile};
use noise_probe::{NoiseError, Plan, Step};
use std::io::ErrorKind;
use std::sync::Arc;
use system::Roots;
use terminal::Progress;
use terminal::failure::input_with_hint;
use terminal::interrupt::Interrupt;
use timing::{Choice, PlaceError, TimedCpus};

/// What a profile says that anybody's timed runs may have disturbed.
const NOT_LEASED: &str =
    "the CPUs are not leased, which needs root, so timed runs of others may be part of the noise";

/// Leases the CPUs and measures as planned.
pub fn measure(plan: &Plan, lease: &NoiseLeaseArguments, quiet: bool) -> anyhow::Result<Profile> {
    let allowed = allowed_cpus()?;
    let interrupt = Interrupt::listen()?;
    let (_cpus, weaknesses) = take(plan, lease, &allowed, &interrupt)?;
    // Nothing moves by itself: drawing takes time from what is measured.
    let progress = Progress::still_on_stderr(!quiet);
    let all = match plan.load {
        NodeLoad::OneCpu => plan.cpus.len() as u64,
        NodeLoad::AllCpus => 1,
    };
    progress.expect(2 * all);
    let notify = |step: Step| {
        let (cpus, words) = match &step {
            Step::Quanta(cpus, time) => {
                (cpus, format!("{}: calls of {}, about {time}", cpus.named(), plan.quantum))
            }
            Step::Gaps(cpus, time) => (cpus, format!("{}: looking for detours, {time}", cpus.named())),
        };
        let others = allowed.difference(cpus);
        if !others.is_empty() {
            // It is only tidier so; all that this thread does meanwhile is wait.
            let _ = stay_on(&others);
        }
        progress.say(words);
        progress.step();
    };
    let measured = noise_probe::measure(&Roots::host(), plan, &notify, &|| interrupt.check().is_err());
    // What follows may run anywhere again.
    let _ = stay_on(&allowed);
    drop(progress);
    let mut profile = measured.map_err(|error| match error {
        NoiseError::Asked => match interrupt.check() {
            Err(interrupted) => interrupted.into(),
            Ok(()) => NoiseError::Asked.into(),
        },
        NoiseError::Offline { ref online, .. } => {
            input_with_hint(error.to_string(), format!("name some of {online} by --cpu-list"))
        }
        NoiseError::NotAllowed { ref allowed, .. } => {
            input_with_hint(error.to_string(), format!("name some of {allowed} by --cpu-list"))
        }
        NoiseError::NoMemory(_) => input_with_hint(error.to_string(), "give fewer --seconds"),
        error => anyhow::Error::from(error).context("cannot measure the noise"),
    })?;
    profile.weaknesses.extend(weaknesses);
    Ok(profile)
}

/// Leases the CPUs, and returns what makes the profile weaker; no CPUs where the probe will refuse them, which knows better
/// why, and where only root can lease.
fn take(
    plan: &Plan,
    lease: &NoiseLeaseArguments,
    allowed: &CpuSet,
    interrupt: &Interrupt,
) -> anyhow::Result<(Option<TimedCpus>, Vec<String>)> {
    if plan.cpus.is_empty() || !plan.cpus.is_subset(allowed) {
        return Ok((None, Vec::new()));
    }
    let registry = match &lease.leases {
        None => Registry::here()?,
        Some(folder) => Registry::here_in(folder)?,
    };
    let choice = Choice::Named(plan.cpus.clone());
    let taken = TimedCpus::take(Arc::new(registry), &choice, &lease.lease.if_taken(interrupt));
    // An interruption is reported, not the queue in which it happened.
    interrupt.check()?;
    match taken {
        Ok(cpus) if cpus.is_shared() => {
            let weaknesses = cpus.warnings().to_vec();
            Ok((Some(cpus), weaknesses))
        }
        Ok(cpus) => Ok((Some(cpus), Vec::new())),
        Err(PlaceError::Lease(LeaseError::Registry { source, .. }))
            if source.kind() == ErrorKind::PermissionDenied =>
        {
            Ok((None, vec![NOT_LEASED.to_owned()]))
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes the CPUs asked for, or all that are allowed.
pub fn cpus(asked: Option<&CpuSet>) -> anyhow::Result<CpuSet> {
    asked.cloned().map_or_else(|| allowed_cpus().context("cannot read which CPUs to measure"), Ok)
}
