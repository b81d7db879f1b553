//! One round of the bench of times: a program's plain runs, and its time by our rule, in turns.

use super::{Ground, LabError, Ready, Spot};
use model::Nanos;
use stats::{Agreement, AgreementRule, LowestAgreement};

/// Plain runs of a program in a round: the lowest of the first so many is what a plain minimum reports.
pub const PLAIN_RUNS: usize = 5;

/// What a program did in a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Which program.
    pub name: &'static str,
    /// CPU times of plain runs, in order.
    pub plain: Vec<Nanos>,
    /// CPU times of the runs of our rule, in order.
    pub ours: Vec<Nanos>,
    /// Whether the two lowest of these agreed.
    pub agreed: bool,
}

/// Takes one round; the load is whoever's it is. Runs of our rule wait for a calm core, all together no longer than
/// `patience`.
///
/// # Errors
/// When a program fails, or we do.
pub fn round(programs: &[Ready], ground: &mut Ground, patience: Nanos) -> Result<Vec<Sampled>, LabError> {
    let mut samples: Vec<Sampled> = programs
        .iter()
        .map(|ready| Sampled { name: ready.program.name, plain: Vec::new(), ours: Vec::new(), agreed: false })
        .collect();
    for _ in 0..PLAIN_RUNS {
        for (ready, sampled) in programs.iter().zip(&mut samples) {
            sampled.plain.push(ready.run(ground, Spot::Anywhere)?.usage.cpu_time);
        }
    }
    let mut patience = patience;
    // Programs take turns, so that the rest of one is the work of the others.
    loop {
        let mut ran = false;
        for (ready, sampled) in programs.iter().zip(&mut samples) {
            let times = sampled.ours.iter().map(|time| time.0 as f64);
            let state = LowestAgreement::of(AgreementRule::default(), times);
            sampled.agreed = matches!(state, Agreement::Agreed { .. });
            if matches!(state, Agreement::NeedMore { .. }) {
                let (run, waited) = ready.run_when_calm(ground, Spot::Own, patience)?;
                patience = patience.saturating_sub(waited);
                sampled.ours.push(run.usage.cpu_time);
                ran = true;
            }
        }
        if !ran {
            return Ok(samples);
        }
    }
}
