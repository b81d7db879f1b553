//! From what was judged to the document.

use crate::lab_command::stage::spread;
use api::{LabJudgement, LabRun, LabStabilityReport, LabStabilitySide};
use lab::labs::stability::{Arm, Judged, Outcome, Series, Side, Told, outcome};
use model::Nanos;
use ruling::RuleNumbers;

/// Judged by our rule.
pub const RULED: &str = "ruled";
/// Judged by one run.
pub const PLAIN: &str = "plain";

/// What is known before the first run.
pub struct Facts {
    /// The machine.
    pub machine: api::MachineIdentity,
    /// The leased CPU.
    pub cpus: String,
    /// The loads in words.
    pub load: String,
    /// The program.
    pub program: &'static str,
    /// Its argument.
    pub argument: u64,
    /// Judgements of each arm.
    pub judgements: u32,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Makes the document; none where too little was done to say anything.
pub fn make(facts: &Facts, series: &Series) -> Option<LabStabilityReport> {
    let references: Vec<Nanos> = series.references.iter().map(|run| run.usage.cpu_time).collect();
    let told: Outcome = outcome(&references, &series.judged, series.calibrated)?;
    let sides: Vec<_> = told.sides.iter().filter_map(|side| wire(side, series, told.reference)).collect();
    Some(LabStabilityReport {
        machine: facts.machine.clone(),
        cpus: facts.cpus.clone(),
        load: facts.load.clone(),
        program: facts.program.to_owned(),
        argument: facts.argument,
        judgements_wanted: facts.judgements,
        complete: sides.len() == 4 && sides.iter().all(|side| side.judgements == u64::from(facts.judgements)),
        rule_version: RuleNumbers::CURRENT.version,
        calibrated_ns: series.calibrated.0,
        reference_ns: told.reference.0,
        first_half_ns: told.first_half.0,
        second_half_ns: told.second_half.0,
        drift: told.drift,
        void: told.void,
        sides,
        references: series.references.iter().map(LabRun::from).collect(),
        warnings: facts.warnings.clone(),
    })
}

fn wire(side: &Side, series: &Series, reference: Nanos) -> Option<LabStabilitySide> {
    let (by, needs_percent) = match side.arm {
        Arm::Ruled { needs_percent } => (RULED, needs_percent),
        Arm::Plain { needs_percent } => (PLAIN, needs_percent),
        Arm::Reference => return None,
    };
    let of = || series.judged.iter().filter(|judged| judged.arm == side.arm);
    let limit = of().next()?.limit;
    Some(LabStabilitySide {
        by: by.to_owned(),
        needs_percent,
        needs_percent_measured: reference.0 as f64 / limit.0.max(1) as f64 * 100.0,
        limit_ns: limit.0,
        judgements: side.judgements as u64,
        flips: side.flips as u64,
        undecided: side.undecided as u64,
        extra_runs: side.extra_runs as u64,
        spread: spread(&side.times),
        each: of().map(judgement).collect(),
    })
}

fn judgement(judged: &Judged) -> LabJudgement {
    let (told, why) = match &judged.told {
        Told::Within => ("within", None),
        Told::Over => ("over", None),
        Told::Undecided(why) => ("undecided", Some(why.clone())),
    };
    LabJudgement { told: told.to_owned(), why, runs: judged.runs.iter().map(LabRun::from).collect() }
}
