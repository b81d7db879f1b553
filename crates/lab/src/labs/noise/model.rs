//! The article's model, as its section 5 writes it: it is short, so it stands here in full, as a check of what computes
//! it faster.
//!
//! `t_k^{i+1} = max(t_j^i over k and its neighbours j) + T_C + f(s_k + t_k^i, s_k + t_k^i + T_C)`, where `f(a, b)` is the
//! length of all detours due from `a` to `b`. Messages take no time in it. What is reported is the last node's time.

use super::Shape;
use crate::exchange::phase;
use noise::Source;
use stats::Sample;

/// The article's number of iterations.
pub const ITERATIONS: u32 = 1000;

/// The mean time of an iteration over replicas with other offsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// In ns.
    pub mean_ns: f64,
    /// Its standard error.
    pub error_ns: f64,
}

/// Simulates so many replicas of [`ITERATIONS`] iterations, and gives the mean time of one.
///
/// # Panics
/// When there are no nodes, no replicas, or the nodes of a square are not a square number.
pub fn mean_iteration(
    shape: Shape,
    nodes: u32,
    call_ns: f64,
    sources: &[Source],
    replicas: u32,
    seed: u64,
) -> Mean {
    assert!(nodes > 0 && replicas > 0, "nobody simulates nothing");
    let times: Vec<f64> = (0..replicas)
        .map(|replica| {
            one(shape, nodes as usize, call_ns, sources, |node| phase(seed, replica.into(), 0, node))
        })
        .collect();
    let sample = Sample::new(times).expect("there are replicas, and times are finite");
    let error_ns = sample.standard_deviation().unwrap_or(0.0) / f64::from(replicas).sqrt();
    Mean { mean_ns: sample.mean(), error_ns }
}

fn one(shape: Shape, nodes: usize, call_ns: f64, sources: &[Source], phase: impl Fn(u64) -> f64) -> f64 {
    let periods: Vec<(f64, f64)> =
        sources.iter().map(|source| (1e9 / source.frequency_hz(), source.length_ns)).collect();
    // One offset for a node, from which all its sources count; from 0 to the longest period it is any of them.
    let longest = periods.iter().map(|period| period.0).fold(0.0, f64::max);
    let offsets: Vec<f64> = (0..nodes).map(|node| longest * phase(node as u64)).collect();
    let width = match shape {
        Shape::Line => nodes,
        Shape::Square => nodes.isqrt(),
    };
    assert!(nodes.is_multiple_of(width), "{nodes} nodes are no square");
    let mut times = vec![0.0; nodes];
    let mut next = vec![0.0; nodes];
    for _ in 0..ITERATIONS {
        for node in 0..nodes {
            let column = node % width;
            let mut last: f64 = times[node];
            let mut wait = |neighbour: usize| last = last.max(times[neighbour]);
            if column > 0 {
                wait(node - 1);
            }
            if column + 1 < width {
                wait(node + 1);
            }
            if node >= width {
                wait(node - width);
            }
            if node + width < nodes {
                wait(node + width);
            }
            let begin = offsets[node] + times[node];
            let due = |(period, length): &(f64, f64)| {
                length * (((begin + call_ns) / period).floor() - (begin / period).floor())
            };
            next[node] = last + call_ns + periods.iter().map(due).sum::<f64>();
        }
        std::mem::swap(&mut times, &mut next);
    }
    times[nodes - 1] / f64::from(ITERATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noise::Occurrence;

    fn source(frequency_hz: f64, length_ns: f64) -> Source {
        Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns }
    }

    #[track_caller]
    fn near(found: f64, expected: f64, part: f64) {
        assert!((found - expected).abs() <= part * expected, "{found} is not {expected}");
    }

    #[test]
    fn without_noise_an_iteration_is_a_call() {
        near(mean_iteration(Shape::Line, 7, 75_000.0, &[], 1, 1).mean_ns, 75_000.0, 1e-9);
        near(mean_iteration(Shape::Square, 9, 75_000.0, &[], 1, 1).mean_ns, 75_000.0, 1e-9);
    }

    #[test]
    fn one_node_loses_what_its_window_sees() {
        // The window is T_C long while the iteration is longer: detours that fall due in the rest are not seen.
        let alone = mean_iteration(Shape::Line, 1, 75_000.0, &[source(1000.0, 13_000.0)], 20, 1);
        near(alone.mean_ns, 75_000.0 + 13.0 * 75.0, 1e-3);
    }

    #[test]
    fn a_line_cannot_be_slower_than_all_detours_of_a_node_and_its_neighbours() {
        let noise = [source(1000.0, 3_000.0), source(8.0, 580_000.0)];
        let at = |nodes| mean_iteration(Shape::Line, nodes, 75_000.0, &noise, 10, 1).mean_ns;
        let (one, three, many) = (at(1), at(3), at(60));
        assert!(75_000.0 < one && one < three && three < many, "{one} {three} {many}");
    }

    #[test]
    fn two_dimensions_cost_more_than_one() {
        let noise = [source(1000.0, 1_000.0), source(8.0, 100_000.0)];
        let at = |shape| mean_iteration(shape, 64, 100_000.0, &noise, 10, 1).mean_ns;
        assert!(at(Shape::Square) > at(Shape::Line));
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let at = || mean_iteration(Shape::Line, 10, 75_000.0, &[source(8.0, 580_000.0)], 5, 7);
        assert_eq!(at(), at());
    }
}
