//! What the noise of a CPU costs at scale, and what is gained without one of its sources: by formulas, at once.

use documents::{NoiseCost, NoiseCostAt, NoiseGain};
use noise::Source;
use noise::closed::closed_form;
use noise::model::{Reported, Scenario, Stencil};

/// One process, and numbers of processes of a cluster, of a large one, and of the largest there are.
pub const SIZES: [(Stencil, u64); 7] = [
    (Stencil::Line, 1),
    (Stencil::Line, 100),
    (Stencil::Line, 10_000),
    (Stencil::Line, 1_000_000),
    (Stencil::Square4, 100),
    (Stencil::Square4, 10_000),
    (Stencil::Square4, 1_000_000),
];
/// With more noise there is hardly time for work, and an iteration takes as long as you like.
const SHARE_MAX: f64 = 0.99;

/// One row of the table of sources, as the model takes it.
#[derive(Clone, Debug)]
pub struct Part {
    /// One source, or several of other lengths where it has no period.
    pub sources: Vec<Source>,
    /// Whether a setting of this machine could remove it.
    pub is_removable: bool,
}

/// Returns what noise adds to an iteration at each of [`SIZES`], and what it would without all that can be removed; none
/// where it leaves no time for work.
pub fn cost(cpu: u32, compute_ns: f64, parts: &[Part]) -> Option<NoiseCost> {
    let all = extra_ns(compute_ns, parts)?;
    let fixed: Vec<Part> = parts.iter().filter(|part| !part.is_removable).cloned().collect();
    let fixed = extra_ns(compute_ns, &fixed)?;
    let at = |(((stencil, nodes), extra_ns), not_removable_ns): (((Stencil, u64), f64), f64)| NoiseCostAt {
        stencil: name(stencil).to_owned(),
        nodes,
        extra_ns,
        not_removable_ns,
    };
    Some(NoiseCost { cpu, at: SIZES.into_iter().zip(all).zip(fixed).map(at).collect() })
}

/// Returns by how much an iteration would be shorter without one of the parts, at each of [`SIZES`]; nothing where noise
/// leaves no time for work.
pub fn gains(compute_ns: f64, parts: &[Part], without: usize) -> Vec<NoiseGain> {
    let left = parts.iter().enumerate().filter(|(at, _)| *at != without).map(|(_, part)| part.clone());
    let left: Vec<Part> = left.collect();
    let (Some(all), Some(left)) = (extra_ns(compute_ns, parts), extra_ns(compute_ns, &left)) else {
        return Vec::new();
    };
    let gain = |(((stencil, nodes), all), left): (((Stencil, u64), f64), f64)| NoiseGain {
        stencil: name(stencil).to_owned(),
        nodes,
        gain_ns: all - left,
    };
    SIZES.into_iter().zip(all).zip(left).map(gain).collect()
}

/// Returns whether the formulas were held to simulation for this part by itself.
pub fn is_checked(compute_ns: f64, part: &Part) -> bool {
    let scenario = Scenario::article(compute_ns, part.sources.clone());
    SIZES.iter().all(|(stencil, nodes)| {
        let scenario = Scenario { stencil: *stencil, ..scenario.clone() };
        closed_form(&scenario, *nodes, Reported::Mean).is_checked
    })
}

fn extra_ns(compute_ns: f64, parts: &[Part]) -> Option<[f64; SIZES.len()]> {
    let sources: Vec<Source> = parts.iter().flat_map(|part| part.sources.clone()).collect();
    let scenario = Scenario::article(compute_ns, sources);
    (scenario.share() < SHARE_MAX).then(|| {
        SIZES.map(|(stencil, nodes)| {
            let closed = closed_form(&Scenario { stencil, ..scenario.clone() }, nodes, Reported::Mean);
            closed.iteration_ns - closed.quiet_ns
        })
    })
}

/// Names a stencil as `tauto noise predict` does.
pub fn name(stencil: Stencil) -> &'static str {
    match stencil {
        Stencil::Line => "1d",
        Stencil::Square4 => "2d",
        Stencil::Square8 => "2d8",
        Stencil::Cube6 => "3d",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noise::Occurrence;

    const COMPUTE_NS: f64 = 100e3;

    fn part(frequency_hz: f64, length_ns: f64, is_removable: bool) -> Part {
        let source = Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns };
        Part { sources: vec![source], is_removable }
    }

    #[track_caller]
    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 0.05, "{found} is not {expected}");
    }

    #[test]
    fn one_source_alone_costs_what_the_formulas_say_and_removing_it_gains_all() {
        let parts = [part(8.0, 160e3, true)];
        let cost = cost(3, COMPUTE_NS, &parts).unwrap();
        let nu = 8.0 * 160e-6;
        near(cost.at[0].extra_ns, COMPUTE_NS * nu / (1.0 - nu));
        // On a long line d sqrt(2 f T_C) of 6.4 us, some of it not yet found by the worst path after 1000 iterations.
        let (long, plateau) = (cost.at[3].extra_ns, 160e3 * (2.0 * 8.0 * 100e-6_f64).sqrt());
        assert!(long < plateau && long > 0.9 * plateau, "{long} of {plateau}");
        assert!(cost.at[6].extra_ns > long, "two dimensions cost more");
        assert!(cost.at.iter().all(|at| at.not_removable_ns == 0.0));
        for (gain, cost) in gains(COMPUTE_NS, &parts, 0).iter().zip(&cost.at) {
            assert_eq!((gain.nodes, gain.gain_ns), (cost.nodes, cost.extra_ns));
        }
        assert!(is_checked(COMPUTE_NS, &parts[0]));
    }

    #[test]
    fn what_cannot_be_removed_stays_and_no_gain_is_negative() {
        let parts = [part(1000.0, 6.3e3, false), part(250.0, 6.3e3, true), part(8.0, 160e3, true)];
        let cost = cost(0, COMPUTE_NS, &parts).unwrap();
        assert!(cost.at.iter().all(|at| 0.0 < at.not_removable_ns && at.not_removable_ns < at.extra_ns));
        let alone = super::cost(0, COMPUTE_NS, &parts[..1]).unwrap();
        for (fixed, alone) in cost.at.iter().zip(&alone.at) {
            assert_eq!(fixed.not_removable_ns, alone.extra_ns);
        }
        for at in 0..parts.len() {
            assert!(gains(COMPUTE_NS, &parts, at).iter().all(|gain| gain.gain_ns >= 0.0), "{at}");
        }
    }

    #[test]
    fn noise_that_takes_all_time_has_no_price() {
        let parts = [part(1000.0, 999e3, true)];
        assert_eq!(cost(0, COMPUTE_NS, &parts), None);
        assert!(gains(COMPUTE_NS, &parts, 0).is_empty());
    }
}
