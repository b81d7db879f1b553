//! What was fitted to the simulation, or taken from theory and held to it.
//!
//! Everything is in units of the plateau and of the crossover `P*`: there, detours from 0.01 to 8 times `T_C` and sources
//! from 10^-4 to 10^-2 detours in an iteration fall onto one curve but for the corrections here.

use crate::model::{Phases, Reported, Scenario, Stencil};
use crate::source::{Occurrence, Source};

/// Detours in an iteration of one node for which the formulas were held to the simulation.
const RATES: std::ops::RangeInclusive<f64> = 1e-4..=1e-2;
/// Lengths of detours, in `T_C`.
const LENGTHS: std::ops::RangeInclusive<f64> = 0.01..=8.0;
/// Periodic sources repeat their pattern, and the worst path settles where it is worst; after more periods than these
/// that can be seen.
const PERIODS_MAX: f64 = 12.0;

/// The plateau's constant: exact on a line (`sqrt(2)`, Hammersley's process), else fitted.
pub(super) fn constant(stencil: Stencil) -> f64 {
    match stencil {
        Stencil::Line => std::f64::consts::SQRT_2,
        Stencil::Square4 => 1.5,
        Stencil::Square8 => 1.6,
        Stencil::Cube6 => 1.5,
    }
}

/// The part of the plateau that `part` times the crossover's nodes reach after many iterations.
pub(super) fn of_plateau(stencil: Stencil, part: f64) -> f64 {
    // 1 / part where every detour counts; beyond, 1 + 0.38 / part, the finite size of a front that grows.
    let [a, b, c] = match stencil {
        Stencil::Line => [0.64, 1.26, 0.928],
        Stencil::Square4 | Stencil::Square8 | Stencil::Cube6 => [0.64, 1.26, 0.928],
    };
    let beyond = part * (part + a) / (part * part + b * part + c);
    1.0 / (1.0 / part + beyond)
}

/// What is missing after few iterations, since the worst path has had no time to be found.
///
/// On a line the front is that of polynuclear growth from a flat start: its height is behind by 0.603 times its power 1/3
/// (the mean of the Tracy-Widom distribution of the orthogonal ensemble); at an edge it is behind by more, which is
/// fitted.
pub(super) fn finite_time(stencil: Stencil, reported: Reported, height: f64, part: f64) -> f64 {
    if height <= 0.0 {
        return 1.0;
    }
    let (behind, reach, power) = match (stencil, reported) {
        (Stencil::Line, Reported::Mean | Reported::Maximum) => (0.603, 8.0, 2.0),
        (Stencil::Line, Reported::Edge) => (1.45, 6.0, 1.5),
        _ => (0.603, 8.0, 2.0),
    };
    let seen = 1.0 / (1.0 + (reach / part).powf(power));
    (1.0 - behind * height.powf(-2.0 / 3.0) * seen).max(0.1)
}

/// Periodic detours never fall into each other: `1 / (1 - nu)` for few nodes and for many, less where a few detours at
/// once decide.
pub(super) fn own_time(source: &Source, part: f64) -> f64 {
    let Occurrence::Periodic { .. } = source.occurrence else { return 1.0 };
    let share = source.share();
    let away = (part / 2.5).ln() / 0.65;
    1.0 + share / (1.0 - share) * (1.0 - (-away * away / 2.0).exp())
}

/// Says whether formulas were held to the simulation with parameters such as these.
pub(super) fn is_checked(scenario: &Scenario, reported: Reported) -> bool {
    let one = |source: &Source| {
        let rate = source.frequency_hz() * scenario.compute_ns / 1e9;
        RATES.contains(&rate)
            && LENGTHS.contains(&(source.length_ns / scenario.compute_ns))
            && rate * scenario.iterations as f64 <= PERIODS_MAX
    };
    scenario.sources.len() == 1
        && scenario.sources.iter().all(one)
        && reported != Reported::Maximum
        && scenario.phases != Phases::Common
        && scenario.warm_up == 0
        && scenario.iterations >= 1000
        && scenario.message_ns <= 0.25 * scenario.compute_ns
}
