//! Makes the document from the measurements.

use crate::lab::stage::spread;
use documents::{LabRun, LabSieveProgram, LabSieveReport, LabSieveResult, LabSieveStep, LabSieveTime};
use labs::sieve::{Climbed, Reported, Step};
use labs::{PROGRAMS, Ready};
use model::Nanos;

/// What is known before the first run.
pub struct Facts {
    pub machine: documents::MachineIdentity,
    /// The leased CPU.
    pub cpus: String,
    /// The loads in words.
    pub load: String,
    /// The planned number of rounds.
    pub rounds: u32,
    /// Programs that cannot run here, with the reason.
    pub left_out: Vec<(&'static str, String)>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Makes the document of the results so far.
pub fn make(facts: &Facts, programs: &[Ready], climbed: &Climbed) -> LabSieveReport {
    let ran = programs.iter().enumerate().map(|(at, ready)| LabSieveProgram {
        name: ready.program.name.to_owned(),
        what: ready.program.what.to_owned(),
        argument: Some(ready.argument),
        not_run: None,
        results: Step::ALL.into_iter().filter_map(|step| result(climbed, step, at)).collect(),
    });
    let left_out = facts.left_out.iter().map(|(name, why)| LabSieveProgram {
        name: (*name).to_owned(),
        what: PROGRAMS
            .iter()
            .find(|program| program.name == *name)
            .map_or("", |program| program.what)
            .to_owned(),
        argument: None,
        not_run: Some(why.clone()),
        results: Vec::new(),
    });
    let mut warnings = facts.warnings.clone();
    warnings.extend(weak_isolation(climbed));
    LabSieveReport {
        machine: facts.machine.clone(),
        cpus: facts.cpus.clone(),
        load: facts.load.clone(),
        rounds_wanted: facts.rounds,
        rounds: climbed.rounds,
        changed: climbed.changed.clone(),
        steps: Step::ALL.map(|step| self::step(climbed, step)).into(),
        programs: ran.chain(left_out).collect(),
        not_shown: not_shown(climbed),
        warnings,
    }
}

fn step(climbed: &Climbed, step: Step) -> LabSieveStep {
    LabSieveStep {
        id: step.id().to_owned(),
        title: step.title().to_owned(),
        what: step.what().to_owned(),
        not_applied: climbed.not_applied.get(&step).cloned(),
        article_spread_ms: step.article_spread_ms(),
        article_share: step.article_share(),
    }
}

fn result(climbed: &Climbed, step: Step, at: usize) -> Option<LabSieveResult> {
    let reported = climbed.times.get(&step)?.get(at)?;
    let times: Vec<Nanos> = reported.iter().map(|reported| reported.time).collect();
    Some(LabSieveResult {
        step: step.id().to_owned(),
        spread: spread(&times)?,
        times: reported.iter().map(time).collect(),
    })
}

fn time(reported: &Reported) -> LabSieveTime {
    LabSieveTime {
        cpu_time_ns: reported.time.0,
        agreed: reported.agreed,
        runs: reported.runs.iter().map(LabRun::from).collect(),
    }
}

/// Returns how the isolation of the leased CPU was incomplete, if it was.
fn weak_isolation(climbed: &Climbed) -> Option<String> {
    let runs = climbed.times.get(&Step::LeasedLoaded)?.iter().flatten().flat_map(|reported| &reported.runs);
    let isolation = runs.map(|run| &run.evidence.isolation).next()?;
    let why = isolation.weaker_because.as_ref()?;
    Some(format!("the CPU of its own is held by {} only: {why}", isolation.kind))
}

/// Returns whether one of these changes is to a frequency setting.
pub fn sets_frequency(changes: &[String]) -> bool {
    changes.iter().any(|change| change.contains("cpufreq") || change.contains("boost"))
}

fn not_shown(climbed: &Climbed) -> Vec<String> {
    let mut sentences = Vec::new();
    if !sets_frequency(&climbed.changed) {
        sentences.push(
            "frequency changes off: no setting that can be changed here sets a frequency, 'tauto machine check' says why; \
             run the same command on a machine whose frequency can be set"
                .to_owned(),
        );
    }
    if let Some(why) = climbed.not_applied.get(&Step::OneNode) {
        sentences.push(format!("one NUMA node: {why}; run 'tauto lab sieve' on a machine with two sockets"));
    }
    sentences
}
