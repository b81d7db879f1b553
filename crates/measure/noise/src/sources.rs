//! Which sources a trace of detours comes from.
//!
//! Periodic sources are found one after the other, the fastest first: pairs of detours at the same lag give candidate
//! periods, a grid is fitted to the best phase and carried over the whole trace, and it is believed if its teeth are
//! there wherever the loop was looking, more often than chance could do. What is left has a rate and lengths.

mod comb;
mod exposure;
mod grid;
mod lags;
mod periodic;
mod reconcile;
mod rest;
mod riding;
mod search;

use crate::{GapTrace, Occurrence, Source, TickRate};
use exposure::Exposure;
pub use periodic::{FALSE_ALARMS, Periodic};

pub use reconcile::{Origin, Origins, reconcile};
pub use rest::{Decade, Lengths, Rest, STALL_NS};

/// What a trace consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// How long the loop looked, detours included, in ns.
    pub watched_ns: f64,
    /// The part of it that detours took.
    pub share: f64,
    pub detours: usize,
    /// Periodic sources, the most frequent first.
    pub periodic: Vec<Periodic>,
    /// Detours without a period, shorter than [`STALL_NS`].
    pub rest: Option<Rest>,
    /// Detours without a period from [`STALL_NS`] on: mostly other programs and time that the hypervisor took.
    pub stalls: Option<Rest>,
}

impl Decomposition {
    /// Returns what a model takes: all [parts](Self::parts) together.
    pub fn sources(&self) -> Vec<Source> {
        self.parts().into_iter().flatten().collect()
    }

    /// Returns what a model takes, for each periodic source, then for the rest, then for stalls, as far as there are any.
    /// All come with mean lengths, so that their shares of time are those measured; the rest is divided by lengths, a
    /// decade each.
    pub fn parts(&self) -> Vec<Vec<Source>> {
        let periodic = self.periodic.iter().map(|found| {
            vec![Source {
                occurrence: Occurrence::Periodic { frequency_hz: found.frequency_hz },
                length_ns: found.lengths.mean_ns,
            }]
        });
        let random = [&self.rest, &self.stalls].into_iter().flatten().map(|rest| {
            let source = |decade: &Decade| Source {
                occurrence: Occurrence::Random { rate_hz: decade.rate_hz },
                length_ns: decade.mean_ns,
            };
            rest.decades.iter().map(source).collect()
        });
        periodic.chain(random).collect()
    }
}

pub fn decompose(trace: &GapTrace, rate: TickRate) -> Decomposition {
    let exposure = Exposure::of(trace, rate);
    let (combs, owner) = search::combs(&exposure);
    let mut excess = vec![0.0; exposure.seen.len()];
    let periodic = riding::describe(&exposure, combs, &mut excess);
    let left: Vec<f64> = exposure
        .seen
        .iter()
        .zip(&owner)
        .zip(&excess)
        .map(|((seen, owner), excess)| if owner.is_some() { *excess } else { seen.length_ns })
        .filter(|length| *length > 0.0)
        .collect();
    let (short, long): (Vec<f64>, Vec<f64>) = left.into_iter().partition(|length| *length < STALL_NS);
    Decomposition {
        watched_ns: exposure.watched_ns,
        share: exposure.lost_ns / exposure.watched_ns.max(1.0),
        detours: exposure.seen.len(),
        periodic,
        rest: Rest::of(short, &exposure),
        stalls: Rest::of(long, &exposure),
    }
}

#[cfg(test)]
mod tests;
