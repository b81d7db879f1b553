//! One round of the bench of times: a program's time by our rule, and as many plain runs, in turns.

use super::rule_outcome::rule_outcome;
use super::{CpuTerms, LabError, Ready, Testbed};
use model::{Nanos, RunResult};

/// What a program did in a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Which program.
    pub name: &'static str,
    /// CPU times of plain runs, in order; as many as [`Self::ours`].
    pub plain: Vec<Nanos>,
    /// The runs of our rule, in order.
    pub ours: Vec<RunResult>,
    /// Whether two of these confirm the lowest.
    pub agreed: bool,
}

/// Takes one round; the load is whoever's it is. Runs of our rule wait for an undisturbed core, all together no longer than
/// `patience`.
///
/// # Errors
/// When a program fails, or we do.
pub fn round(programs: &[Ready], testbed: &mut Testbed, patience: Nanos) -> Result<Vec<Sampled>, LabError> {
    let mut samples: Vec<Sampled> = programs
        .iter()
        .map(|ready| Sampled { name: ready.program.name, plain: Vec::new(), ours: Vec::new(), agreed: false })
        .collect();
    let mut patience = patience;
    // Both arms run equally often and in turns, and so do programs: the rest of one is the work of the others.
    loop {
        let wanted: Vec<bool> = samples.iter_mut().map(is_wanted).collect();
        if !wanted.contains(&true) {
            return Ok(samples);
        }
        let each = || programs.iter().zip(&wanted).enumerate().filter(|(_, (_, wanted))| **wanted);
        for (at, (ready, _)) in each() {
            samples[at].plain.push(ready.run(testbed, CpuTerms::Anywhere)?.usage.cpu_time);
        }
        for (at, (ready, _)) in each() {
            let (run, waited) = ready.run_when_calm(testbed, CpuTerms::Own, patience)?;
            patience = patience.saturating_sub(waited);
            samples[at].ours.push(run);
        }
    }
}

/// Returns whether the runs of our rule do not tell a time yet, and notes whether they agree.
fn is_wanted(sampled: &mut Sampled) -> bool {
    let told = rule_outcome(sampled.ours.iter());
    sampled.agreed = told.is_some_and(|told| told.agreed);
    told.is_none()
}
