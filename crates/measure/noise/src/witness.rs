//! Whether the calls of equal work bear witness to what the gap loop saw.
//!
//! Both were measured one after the other on one CPU. The loop sees detours by themselves; a call only takes longer
//! when one falls into it. So calls are asked two things: whether they lost as much time as the loop's detours would
//! take from calls like them, and whether they are longer in the rhythm of each periodic source.

mod calls;
mod finding;
mod lines;
mod lost;

use crate::sources::Decomposition;
use crate::{GapTrace, QuantumTrace, TickRate};
pub use finding::{Agreement, Line, Lost};
use model::Reading;

pub(crate) use calls::laid;

/// What the calls of one CPU say.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// How much time they lost, compared with what the loop's detours would take from them.
    pub lost: Reading<Lost>,
    /// Of each of [`Decomposition::periodic`], whether calls are longer in its rhythm.
    pub lines: Vec<Line>,
}

/// Asks the calls.
///
/// # Errors
/// When there are too few of them to say anything; why.
pub fn witness(
    quanta: &QuantumTrace,
    gaps: &GapTrace,
    found: &Decomposition,
    rate: TickRate,
) -> Result<Witness, String> {
    let calls = calls::measured(quanta, rate)?;
    Ok(Witness { lost: lost::lost(&calls, gaps, rate), lines: lines::lines(&calls, &found.periodic) })
}

#[cfg(test)]
mod tests;
