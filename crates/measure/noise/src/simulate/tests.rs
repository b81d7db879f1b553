//! The engines against the model written down as the article has it.

#![expect(clippy::disallowed_macros, reason = "prints a figure for people who read the output")]

use super::*;
use crate::model::{Ends, Phases, Window};
use crate::source::{Occurrence, Source};
use proptest::prelude::*;

const ALL: [Instructions; 3] = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable];

fn periodic(frequency_hz: f64, length_us: f64) -> Source {
    Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns: length_us * 1e3 }
}

fn random(rate_hz: f64, length_us: f64) -> Source {
    Source { occurrence: Occurrence::Random { rate_hz }, length_ns: length_us * 1e3 }
}

/// Neighbours of a node, itself included.
fn neighbours(stencil: Stencil, ends: Ends, lattice: Lattice, node: u64) -> Vec<u64> {
    let sides = [lattice.x as i64, lattice.y as i64, lattice.z as i64];
    let at = [node % lattice.x, node / lattice.x % lattice.y, node / lattice.x / lattice.y].map(|c| c as i64);
    let mut found = Vec::new();
    for dz in -1..=1_i64 {
        for dy in -1..=1_i64 {
            for dx in -1..=1_i64 {
                let steps = dx.abs() + dy.abs() + dz.abs();
                let is_one = match stencil {
                    Stencil::Line => dy == 0 && dz == 0,
                    Stencil::Square4 => dz == 0 && steps <= 1,
                    Stencil::Square8 => dz == 0,
                    Stencil::Cube6 => steps <= 1,
                };
                let there = [at[0] + dx, at[1] + dy, at[2] + dz];
                let inside = there.iter().zip(sides).all(|(c, side)| (0..side).contains(c));
                if is_one && (inside || ends == Ends::Periodic) {
                    let [x, y, z] = std::array::from_fn(|axis| there[axis].rem_euclid(sides[axis]) as u64);
                    found.push((z * lattice.y + y) * lattice.x + x);
                }
            }
        }
    }
    found
}

/// Times of all nodes of one replica, by `t' = max + T_C + r` with `r` by the floor formula, in 64 bits; and in which part
/// of all their iterations nodes waited for others.
fn by_formula(scenario: &Scenario, nodes: u64, seed: u64, replica: u64) -> (Vec<u64>, f64) {
    let lattice = scenario.stencil.lattice(nodes);
    let rule = Rule::new(scenario, lattice, seed, replica, 1).unwrap();
    let count = lattice.nodes();
    let offsets: Vec<Vec<u64>> = (0..count)
        .map(|node| {
            let offset = |(s, beat): (usize, &Beat)| u64::from(beat.step() - rule.first(s, node));
            rule.beats().iter().enumerate().map(offset).collect()
        })
        .collect();
    let (compute, message) = (u64::from(rule.compute()), u64::from(rule.message()));
    let mut times = vec![0_u64; count as usize];
    let waited = std::cell::Cell::new(0_u64);
    for _ in 0..scenario.iterations {
        times = (0..count)
            .map(|node| {
                let seen = neighbours(scenario.stencil, scenario.ends, lattice, node);
                let begin = seen.iter().map(|other| times[*other as usize]).max().unwrap();
                waited.set(waited.get() + u64::from(begin > times[node as usize]));
                let from = match scenario.window {
                    Window::OwnFinish => times[node as usize],
                    Window::Computing | Window::Lengthened => begin,
                };
                let noise = |until: u64| -> u64 {
                    let one = |(beat, offset): (&Beat, &u64)| {
                        let period = u64::from(beat.step());
                        u64::from(beat.length()) * ((offset + until) / period - (offset + from) / period)
                    };
                    rule.beats().iter().zip(&offsets[node as usize]).map(one).sum()
                };
                let mut r = noise(from + compute);
                if scenario.window == Window::Lengthened {
                    while noise(from + compute + r) > r {
                        r = noise(from + compute + r);
                    }
                }
                begin + compute + r + message
            })
            .collect();
    }
    (times, waited.get() as f64 / (count * scenario.iterations) as f64)
}

fn observed(scenario: &Scenario, nodes: u64, replica: u64, instructions: Instructions) -> Vec<Observed> {
    let first = replica - replica % replicas_at_once(scenario.stencil, nodes) as u64;
    let mut simulation = Simulation::new(scenario, nodes, 5, first, instructions).unwrap();
    simulation.advance(scenario.iterations).unwrap();
    simulation.observe()
}

fn check(scenario: &Scenario, nodes: u64, replica: u64) {
    let lattice = scenario.stencil.lattice(nodes);
    let (times, _) = by_formula(scenario, nodes, 5, replica);
    let tick_ns = Rule::new(scenario, lattice, 5, replica, 1).unwrap().tick_ns();
    for instructions in ALL.into_iter().filter(|choice| choice.is_there()) {
        let all = observed(scenario, nodes, replica, instructions);
        let got = all[replica as usize % all.len()];
        let what = format!("{scenario:?} on {nodes} nodes with {}", instructions.name());
        assert_eq!(got.edge_ns, *times.last().unwrap() as f64 * tick_ns, "edge: {what}");
        assert_eq!(got.maximum_ns, *times.iter().max().unwrap() as f64 * tick_ns, "maximum: {what}");
        let mean = times.iter().sum::<u64>() as f64 / times.len() as f64 * tick_ns;
        assert!((got.mean_ns - mean).abs() < 1e-9 * mean, "mean: {what}");
    }
}

#[test]
fn the_articles_case_is_computed_as_the_article_writes_it() {
    let scenario = Scenario::article(75e3, vec![periodic(1000.0, 13.0), periodic(8.0, 160.0)]);
    for nodes in [1, 2, 3, 10, 100] {
        check(&scenario, nodes, 3);
    }
}

#[test]
fn long_lines_and_large_rectangles_are_computed_alike() {
    for window in [Window::OwnFinish, Window::Computing, Window::Lengthened] {
        for ends in [Ends::Open, Ends::Periodic] {
            let sources = vec![periodic(1000.0, 13.0), periodic(77.0, 160.0)];
            let base = Scenario { window, ends, iterations: 203, ..Scenario::article(75e3, sources) };
            check(&base, 5000, 0);
            for stencil in [Stencil::Square4, Stencil::Square8, Stencil::Cube6] {
                check(&Scenario { stencil, iterations: 41, ..base.clone() }, 9000, 1);
            }
        }
    }
}

#[test]
fn rectangles_of_several_bands_are_computed_alike() {
    for (frequency_hz, ends) in [(60.0, Ends::Open), (20.0, Ends::Periodic)] {
        let base = Scenario::article(75e3, vec![periodic(frequency_hz, 160.0)]);
        check(&Scenario { stencil: Stencil::Square4, ends, iterations: 20, ..base }, 151_000, 0);
    }
}

#[test]
fn rare_sources_strike_when_they_should() {
    // 20 Hz and less are looked for only when they may strike; 3 others have code of their own, 4 have not.
    let rare = [periodic(20.0, 300.0), periodic(11.0, 700.0), periodic(3.0, 90.0)];
    let frequent =
        [periodic(1000.0, 13.0), periodic(250.0, 30.0), periodic(100.0, 50.0), periodic(60.0, 20.0)];
    for (rare_count, frequent_count) in [(1, 0), (3, 0), (1, 1), (3, 2), (2, 3), (1, 4), (0, 3)] {
        let sources = [&rare[..rare_count], &frequent[..frequent_count]].concat();
        let base = Scenario { phases: Phases::Own, ..Scenario::article(75e3, sources) };
        for stencil in [Stencil::Line, Stencil::Square4, Stencil::Square8, Stencil::Cube6] {
            for (nodes, iterations) in [(50, 700), (2500, 150), (4500, 100)] {
                check(&Scenario { stencil, iterations, ..base.clone() }, nodes, 0);
            }
        }
    }
}

#[test]
fn random_sources_are_the_same_beside_others_and_alone() {
    for (stencil, nodes) in [(Stencil::Line, 4100), (Stencil::Square8, 5000), (Stencil::Cube6, 4000)] {
        for ends in [Ends::Open, Ends::Periodic] {
            let sources = vec![random(300.0, 20.0), periodic(100.0, 7.0)];
            let scenario = Scenario { stencil, ends, iterations: 150, ..Scenario::article(75e3, sources) };
            let all: Vec<_> = ALL
                .into_iter()
                .filter(|choice| choice.is_there())
                .map(|choice| observed(&scenario, nodes, 2, choice))
                .collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let sources = vec![random(300.0, 20.0), periodic(1000.0, 7.0)];
    for (stencil, nodes) in [(Stencil::Line, 10_000), (Stencil::Square4, 10_000), (Stencil::Cube6, 10_000)] {
        let scenario = Scenario { stencil, iterations: 100, ..Scenario::article(75e3, sources.clone()) };
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| observed(&scenario, nodes, 0, Instructions::best()))
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn so_many_nodes_wait_that_moving_only_those_saves_little() {
    // What an event-driven simulation would have to move: fronts behind which nodes wait.
    for (stencil, nodes) in [(Stencil::Line, 3000), (Stencil::Square4, 4900), (Stencil::Cube6, 8000)] {
        for frequency_hz in [1.0, 8.0] {
            let sources = vec![periodic(frequency_hz, 160.0)];
            let scenario = Scenario { stencil, ..Scenario::article(75e3, sources) };
            let (_, waited) = by_formula(&scenario, nodes, 5, 0);
            println!("{stencil:?}, {frequency_hz} Hz: {:.1} % of node-iterations wait", waited * 100.0);
            assert!((0.01..0.5).contains(&waited), "{stencil:?} {frequency_hz} Hz: {waited}");
        }
    }
}

#[test]
fn one_node_takes_its_noise_and_no_more() {
    // One process under noise of share nu takes T_C / (1 - nu).
    let scenario = Scenario { iterations: 100_000, ..Scenario::article(75e3, vec![periodic(1000.0, 90.0)]) };
    let mean = observed(&scenario, 1, 0, Instructions::best())[0].edge_ns / 1e5;
    assert!((mean / (75e3 / 0.91) - 1.0).abs() < 1e-4, "{mean}");
    let scenario = Scenario { iterations: 100_000, ..Scenario::article(75e3, vec![random(1000.0, 90.0)]) };
    let mean = observed(&scenario, 1, 0, Instructions::best())[0].edge_ns / 1e5;
    // Random detours within a detour do not count here, so the mean is T_C (1 + nu).
    assert!((mean / (75e3 * 1.09) - 1.0).abs() < 5e-3, "{mean}");
}

#[test]
fn memory_is_as_promised() {
    let two = Scenario::article(75e3, vec![periodic(1000.0, 13.0), periodic(8.0, 160.0)]);
    for stencil in [Stencil::Line, Stencil::Square4, Stencil::Square8, Stencil::Cube6] {
        let scenario = Scenario { stencil, ..two.clone() };
        let simulation = Simulation::new(&scenario, 1_000_000, 1, 0, Instructions::best()).unwrap();
        let per_node = simulation.bytes() as f64 / simulation.lattice().nodes() as f64;
        assert!(per_node <= 16.0, "{stencil:?}: {per_node} bytes a node");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_choice_is_computed_as_it_is_written(
        nodes in 1..200_u64,
        stencil in prop::sample::select(vec![Stencil::Line, Stencil::Square4, Stencil::Square8, Stencil::Cube6]),
        ends in prop::sample::select(vec![Ends::Open, Ends::Periodic]),
        window in prop::sample::select(vec![Window::OwnFinish, Window::Computing, Window::Lengthened]),
        phases in prop::sample::select(vec![Phases::OneOffset, Phases::Own, Phases::Common]),
        sources in prop::collection::vec((0.0..4.3_f64, 0.0..0.12_f64), 1..6),
        message_us in 0.0..50.0_f64,
        iterations in 1..300_u64,
        replica in 0..40_u64,
    ) {
        let sources = sources.iter().map(|(power, share)| (10_f64.powf(*power), share));
        let sources = sources.map(|(hz, share)| periodic(hz, (share / hz * 1e6).max(0.1))).collect();
        let scenario = Scenario {
            stencil, ends, window, phases, iterations, message_ns: message_us * 1e3,
            ..Scenario::article(75e3, sources)
        };
        check(&scenario, nodes, replica);
    }
}
