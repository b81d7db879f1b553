//! What was fitted to the simulation, or taken from theory and held to it.
//!
//! Everything is in units of the plateau and of the crossover `P*`: there, detours from 0.01 to 8 times `T_C` and sources
//! from 10^-4 to 10^-2 detours in an iteration fall onto one curve but for the corrections here.

use super::{Doubt, LINEAR_PART};
use crate::model::{Phases, Reported, Scenario, Stencil, Window};
use crate::source::{Occurrence, Source};

/// Detours in an iteration of one node for which the formulas were held to the simulation.
const RATES: std::ops::RangeInclusive<f64> = 1e-4..=1e-2;
/// Lengths of detours, in `T_C`.
const LENGTHS: std::ops::RangeInclusive<f64> = 0.01..=8.0;
/// Longer ones at random times, which are as frequent among others as short ones, only to this rate: there the formulas are within 3 % of
/// the extra time, and not only of the iteration's.
const LONG_RATE_MAX: f64 = 3e-3;
/// And none that is longer than this part of all iterations: what goes on at their end is cut off.
const LONG_PART_MAX: f64 = 0.5;
/// Periodic sources repeat their pattern, and the worst path settles where it is worst; after more periods than these
/// that can be seen.
const PERIODS_MAX: f64 = 12.0;

/// Fitted constants of a stencil.
struct Fit {
    /// Of the plateau `d c q^(1/(D+1))`.
    plateau: f64,
    /// Of the crossover's shape.
    shape: [f64; 3],
    /// How far a front is behind after few iterations, in powers 1/3 of its height.
    behind: f64,
    /// From how many crossovers on that is seen.
    reach: f64,
    /// How much of it remains for each power 1/(D+1) of the detours in an iteration: nodes are no continuum.
    lattice: f64,
}

fn fit(stencil: Stencil) -> Fit {
    match stencil {
        // The plateau is Hammersley's process, what is behind the mean of the Tracy-Widom distribution of the orthogonal
        // ensemble: both exact.
        Stencil::Line => Fit {
            plateau: std::f64::consts::SQRT_2,
            shape: [0.64, 1.26, 0.928],
            behind: 0.603,
            reach: 8.0,
            lattice: 0.0,
        },
        Stencil::Square4 => {
            Fit { plateau: 1.304, shape: [21.36, 19.13, 7.020], behind: 0.857, reach: 8.0, lattice: 0.430 }
        }
        Stencil::Square8 => {
            Fit { plateau: 1.599, shape: [30.0, 27.31, 10.37], behind: 0.451, reach: 8.0, lattice: 0.621 }
        }
        Stencil::Cube6 => {
            Fit { plateau: 0.9925, shape: [30.0, 26.86, 5.855], behind: 0.145, reach: 8.0, lattice: 0.840 }
        }
    }
}

/// Returns the power in which what two sources cost adds up; `ratio` is the shorter detours' length over the longer ones', `long` and
/// `short` the parts of their crossovers' nodes.
///
/// It is 1 for few nodes, where every detour delays all, and for detours that are so much shorter that they lie on the
/// worst path of the long ones; for many nodes and equal lengths it is `D + 1`, which makes them one source of both rates.
/// The square root between was found, in all dimensions; how the number of nodes goes into it is fitted.
pub(super) fn together(stencil: Stencil, ratio: f64, long: f64, short: f64) -> f64 {
    let (bend, of_long, of_short) = match stencil.dimensions() {
        1 => (1.427, 0.662, 0.338),
        2 => (0.873, 1.214, 0.395),
        _ => (0.718, 1.988, 0.455),
    };
    let many = 1.0 / ((1.0 + of_long / long.powf(bend)) * (1.0 + of_short / short.powf(bend)));
    1.0 + stencil.dimensions() as f64 * ratio.sqrt() * many
}

/// Returns the plateau's constant.
pub(super) fn constant(stencil: Stencil) -> f64 {
    fit(stencil).plateau
}

/// Returns the part of the plateau that `part` times the crossover's nodes reach after many iterations.
pub(super) fn of_plateau(stencil: Stencil, part: f64) -> f64 {
    let [a, b, c] = fit(stencil).shape;
    let beyond = part * (part + a) / (part * part + b * part + c);
    1.0 / (1.0 / part + beyond)
}

/// Returns what nodes that are no continuum add; `scale` is the power `1 / (D + 1)` of the detours in an iteration.
pub(super) fn lattice(stencil: Stencil, scale: f64, part: f64) -> f64 {
    1.0 + fit(stencil).lattice * scale * part / (part + 1.0)
}

/// Returns what is missing after few iterations, since the worst path has had no time to be found.
///
/// At the edge of a line the front is behind by more, which is fitted.
pub(super) fn finite_time(stencil: Stencil, reported: Reported, height: f64, part: f64) -> f64 {
    if height <= 0.0 {
        return 1.0;
    }
    let (behind, seen) = match (stencil, reported) {
        (Stencil::Line, Reported::Edge) => (1.45, 1.0 / (1.0 + (6.0 / part).powf(1.5))),
        _ => (fit(stencil).behind, 1.0 / (1.0 + (fit(stencil).reach / part).powi(2))),
    };
    // Where this is more than a half, it is no correction any more.
    1.0 - (behind * height.powf(-2.0 / 3.0) * seen).min(0.5)
}

/// Periodic detours never fall into each other: `1 / (1 - nu)` for few nodes, and on a line for many, less where a few
/// detours at once decide, or on a square with four neighbours where they take per cents of all time.
///
/// `share` is the part of all time that they take.
pub(super) fn own_time(stencil: Stencil, share: f64, part: f64) -> f64 {
    let fading = 1.0 / (1.0 + (part / 2.5).powi(2));
    let seen = match stencil {
        Stencil::Line => {
            let away = (part / 2.5).ln() / 0.65;
            1.0 - (-away * away / 2.0).exp()
        }
        Stencil::Square4 => fading + (10.0 * share).min(1.0) / (1.0 + (16.0 / part).powi(2)),
        Stencil::Square8 | Stencil::Cube6 => fading,
    };
    1.0 + share / (1.0 - share) * seen
}

/// Returns why formulas may be further off with such parameters than they were found to be, on `part` times the crossover's
/// nodes.
///
/// The lengths of random detours are only a scale: a source has a Poisson number of them in each window, however long they
/// are. On few nodes every detour delays all, however rare.
pub(super) fn doubts(scenario: &Scenario, part: f64, reported: Reported) -> Vec<Doubt> {
    let sources = &scenario.sources;
    let is_periodic = |source: &Source| matches!(source.occurrence, Occurrence::Periodic { .. });
    let periodic: Vec<&Source> = sources.iter().filter(|source| is_periodic(source)).collect();
    let rate = |source: &Source| source.frequency_hz() * scenario.compute_ns / 1e9;
    let rate_min = if part < LINEAR_PART { 0.0 } else { *RATES.start() };
    let length = |source: &&Source| source.length_ns / scenario.compute_ns;
    let found = [
        (Doubt::SeveralSources, sources.len() > 2 || (periodic.len() == 2 && scenario.phases != Phases::Own)),
        (Doubt::Rate, !sources.iter().all(|source| (rate_min..=*RATES.end()).contains(&rate(source)))),
        (
            Doubt::Length,
            !periodic.iter().all(|source| LENGTHS.contains(&length(source)))
                || sources.iter().any(|one| {
                    let is_long = length(&one) > *LENGTHS.end() && rate(one) > LONG_RATE_MAX;
                    let is_whole = length(&one) > LONG_PART_MAX * scenario.iterations as f64;
                    (is_long || is_whole) && part >= LINEAR_PART
                }),
        ),
        // One source only: several have no pattern that repeats, unless their periods are multiples.
        (
            Doubt::Periods,
            sources.len() == 1
                && periodic.iter().any(|one| rate(one) * scenario.iterations as f64 > PERIODS_MAX),
        ),
        (Doubt::Maximum, reported == Reported::Maximum),
        (Doubt::Iterations, scenario.warm_up > 0 || scenario.iterations < 1000),
        (Doubt::Message, scenario.message_ns > 0.25 * scenario.compute_ns),
        (Doubt::Window, scenario.window != Window::OwnFinish),
    ];
    found.into_iter().filter_map(|(doubt, is_there)| is_there.then_some(doubt)).collect()
}
