//! Which policy is better on a trace, by how much, and how sure that is.
//!
//! Seeds on one trace are no sample of what a fleet will see: the trace's jobs are. So groups of jobs, and days where they
//! stand for themselves, are drawn again with replacement (block bootstrap, Künsch 1989), and every policy runs on the same
//! draw. The differences of a pair on many draws say how much the difference on the trace itself depends on which jobs
//! happened to be in it.

use crate::run::{Run, RunError, plain_options};
use crate::source::{DAY_MS, Draw, Drawn, Source};
use crate::trace::Record;
use documents::{SimComparison, SimDifference, SimFigure, SimOptions, SimSummary};
use placement::policy::Policy;
use rayon::prelude::*;
use stats::{Dice, holm, of_replicates};

/// How a comparison is made.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The policies; all others are compared with the first.
    pub policies: Vec<Policy>,
    pub options: SimOptions,
    /// How often the trace is drawn again.
    pub replicates: u32,
    /// How many groups the jobs are in.
    pub groups: u32,
    pub seed: u64,
}

/// What is compared: its name, whether more is better, and how it is taken from a summary.
type Figure = (&'static str, Option<bool>, fn(&SimSummary) -> Option<f64>);

const FIGURES: [Figure; 11] = [
    ("utilisation", Some(true), |summary| summary.all.utilisation),
    ("utilisation_in_use", Some(true), |summary| summary.all.utilisation_in_use),
    ("hot", Some(false), |summary| summary.all.hot),
    ("hot_in_use", Some(false), |summary| summary.all.hot_in_use),
    ("hosts_in_use", Some(false), |summary| summary.all.hosts_in_use),
    ("usable", Some(true), |summary| summary.usable),
    ("unplaced", Some(false), |summary| {
        Some(summary.levels.values().map(|fared| fared.unplaced).sum::<u64>() as f64)
    }),
    ("wait_p99_ms", Some(false), |summary| {
        let waits = summary.levels.values().filter_map(|fared| fared.wait);
        waits.map(|wait| wait.p99_ms as f64).reduce(f64::max)
    }),
    ("short_share", Some(false), |summary| {
        let parts =
            summary.levels.values().filter_map(|fared| Some((fared.short_share? * fared.ran_h, fared.ran_h)));
        let (short, ran) = parts.fold((0.0, 0.0), |(a, b), (short, ran)| (a + short, b + ran));
        (ran > 0.0).then(|| short / ran)
    }),
    ("missed_share", Some(false), |summary| {
        // Of strict and standard jobs: best effort is promised nothing.
        let promised =
            ["strict", "standard"].iter().filter_map(|level| summary.levels.get(*level)?.missed_share);
        promised.reduce(f64::max)
    }),
    ("moves", None, |summary| Some(summary.moves.values().sum::<u64>() as f64)),
];

impl Comparison {
    /// Runs all policies on the trace and on draws of it. `open` opens the trace anew, `done` is called after each run.
    pub fn run<S: Source, E: From<RunError> + Send>(
        &self,
        open: impl Fn() -> Result<S, E> + Sync,
        done: impl Fn() + Sync,
    ) -> Result<SimComparison, E> {
        let (trace, days) = survey(open()?).map_err(RunError::from)?;
        // One entry for each run that is averaged: of the trace itself, then of each draw.
        let of_days = |days: Option<u64>| (0..days.unwrap_or(1)).map(move |day| days.map(|_| day));
        let mut draws: Vec<Vec<Draw>> = vec![of_days(days).map(Draw::all).collect()];
        let mut dice = Dice::new(self.seed);
        draws.extend((0..self.replicates).map(|_| {
            let drawn = |day: Option<u64>, dice: &mut Dice| {
                day.map(|_| dice.below(days.unwrap_or(1) as usize) as u64)
            };
            of_days(days)
                .map(|day| {
                    let day = drawn(day, &mut dice);
                    Draw::new(day, self.groups, &mut dice)
                })
                .collect()
        }));
        let runs: Vec<(&Policy, &Draw)> = draws
            .iter()
            .flat_map(|draw| {
                self.policies.iter().flat_map(move |policy| draw.iter().map(move |part| (policy, part)))
            })
            .collect();
        let figures: Vec<Vec<Option<f64>>> = runs
            .into_par_iter()
            .map(|(policy, draw)| {
                let source = Drawn::new(open()?, draw.clone());
                let run = Run::start(source, policy.clone(), self.options.clone(), "", std::io::sink())?;
                let (summary, ..) = run.finish()?;
                done();
                Ok(FIGURES.iter().map(|(_, _, take)| take(&summary)).collect())
            })
            .collect::<Result<_, E>>()?;
        // Means over the days, by draw, policy and figure.
        let of_run: Vec<Vec<Option<f64>>> = figures.chunks(of_days(days).count()).map(mean_of_days).collect();
        let by_draw: Vec<&[Vec<Option<f64>>]> = of_run.chunks(self.policies.len()).collect();
        let mut figures: Vec<SimFigure> =
            FIGURES.iter().enumerate().map(|(at, figure)| self.figure(at, figure, &by_draw)).collect();
        correct(&mut figures);
        Ok(SimComparison {
            trace,
            policies: self.policies.iter().map(|policy| policy.name.clone()).collect(),
            replicates: self.replicates,
            days: days.unwrap_or(1) as u32,
            groups: self.groups,
            seed: self.seed,
            figures,
        })
    }

    fn figure(
        &self,
        at: usize,
        (name, more_is_better, _): &Figure,
        by_draw: &[&[Vec<Option<f64>>]],
    ) -> SimFigure {
        let value = |draw: usize, policy: usize| by_draw[draw][policy][at];
        let difference = |draw: usize, policy: usize| Some(value(draw, policy)? - value(draw, 0)?);
        let differences = (1..self.policies.len()).map(|policy| {
            let drawn: Vec<f64> = (1..by_draw.len()).filter_map(|draw| difference(draw, policy)).collect();
            let estimate = of_replicates(difference(0, policy)?, &drawn)?;
            Some(SimDifference {
                difference: difference(0, policy)?,
                low: estimate.interval.low,
                high: estimate.interval.high,
                p: estimate.p,
            })
        });
        SimFigure {
            name: (*name).to_owned(),
            more_is_better: *more_is_better,
            values: (0..self.policies.len()).map(|policy| value(0, policy)).collect(),
            differences: differences.collect(),
        }
    }

    /// Returns how many runs a comparison on a trace of `days` days takes.
    pub fn runs(&self, days: u64) -> u64 {
        u64::from(self.replicates + 1) * self.policies.len() as u64 * days.max(1)
    }
}

/// Corrects the p-values of each policy for the number of figures in which more or less is better.
fn correct(figures: &mut [SimFigure]) {
    let others = figures.first().map_or(0, |figure| figure.differences.len());
    for other in 0..others {
        let judged = |figure: &&mut SimFigure| figure.more_is_better.is_some();
        let mut found: Vec<&mut SimDifference> = figures
            .iter_mut()
            .filter(judged)
            .filter_map(|figure| figure.differences[other].as_mut())
            .collect();
        let corrected = holm(&found.iter().map(|difference| difference.p).collect::<Vec<_>>());
        found.iter_mut().zip(corrected).for_each(|(difference, p)| difference.p = p);
    }
}

fn mean_of_days(days: &[Vec<Option<f64>>]) -> Vec<Option<f64>> {
    let mean = |at: usize| {
        let known: Option<Vec<f64>> = days.iter().map(|day| day[at]).collect();
        known.map(|values| values.iter().sum::<f64>() / values.len() as f64)
    };
    (0..FIGURES.len()).map(mean).collect()
}

/// Reads a trace once: its name, and its days if they stand for themselves.
fn survey(mut source: impl Source) -> Result<(String, Option<u64>), crate::trace::TraceError> {
    let mut last_ms = 0;
    while let Some(record) = source.next()? {
        if matches!(record, Record::Job(_)) {
            last_ms = record.at_ms();
        }
    }
    let head = source.head();
    let days = (head.separate_days && last_ms >= DAY_MS).then(|| last_ms / DAY_MS + 1);
    Ok((head.name.clone(), days))
}

/// Returns the options of a comparison's runs: without lines of figures more often than needed.
pub fn options() -> SimOptions {
    SimOptions { sample_ms: 3_600_000, ..plain_options() }
}
