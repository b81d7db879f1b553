//! Traces made of known sources, so that a decomposition can be held to the truth. The seed decides every byte.

use crate::witness::laid;
use crate::{Burst, Detour, GapTrace, KernelCounts, QuantumTrace, RESOLUTION, TickRate, Ticks};
use model::Nanos;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The time-stamp counter of made-up machines: a rate that is no whole number of MHz, as on real ones.
const RATE: TickRate = TickRate(2_499_998_377.0);
/// A turn of a good gap loop.
const TURN_NS: f64 = 9.0;

/// What a made-up trace is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// How long it is.
    pub length: Nanos,
    /// Its periodic sources.
    pub combs: Vec<Comb>,
    /// Its sources without a period.
    pub clouds: Vec<Cloud>,
    /// Its detours that come in groups.
    pub groups: Vec<Groups>,
    /// What the hypervisor takes.
    pub steal: Option<Steal>,
    /// The loop looks for so long, then rests for so long; without it, it looks all the time.
    pub bursts: Option<(Nanos, Nanos)>,
}

/// A periodic source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comb {
    /// How often, in Hz, on average over the trace.
    pub frequency_hz: f64,
    /// The median of its lengths.
    pub length_ns: f64,
    /// The standard deviation of a length's logarithm: 0.05 is about 5 %.
    pub length_spread: f64,
    /// When its first detour comes, as a part of its period.
    pub phase: f64,
    /// The standard deviation of a detour's time around its place.
    pub jitter_ns: f64,
    /// Each detour comes late by up to this, any delay as likely as any other: a timer with slack.
    pub slack_ns: f64,
    /// The standard deviation of a period: a timer that is set anew each time, so that its delays add up.
    pub wander_ns: f64,
    /// By how much its frequency rises from begin to end, in millionths.
    pub drift_ppm: f64,
}

/// A source whose detours do not depend on each other (a Poisson process).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloud {
    /// How often a second.
    pub rate_hz: f64,
    /// The median of its lengths.
    pub length_ns: f64,
    /// The standard deviation of a length's logarithm.
    pub length_spread: f64,
}

/// Groups of detours that follow each other: interrupts of a packet, soft interrupts behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groups {
    /// How many groups a second begin, at times that do not depend on each other.
    pub rate_hz: f64,
    /// How many detours a group has on average (a geometric distribution).
    pub count: f64,
    /// How far apart they are on average (an exponential distribution).
    pub apart_ns: f64,
    /// How long each is.
    pub length_ns: f64,
}

/// Time taken from the whole machine, in pieces of exponential lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steal {
    /// The part of all time that is taken.
    pub share: f64,
    /// How long a piece is on average.
    pub mean_ns: f64,
}

impl Comb {
    /// Makes a comb that is as regular as a timer of a real machine: lengths spread by 5 %, 300 ns of jitter.
    pub fn new(frequency_hz: f64, length_ns: f64) -> Self {
        Self {
            frequency_hz,
            length_ns,
            length_spread: 0.05,
            phase: 0.37,
            jitter_ns: 300.0,
            slack_ns: 0.0,
            wander_ns: 0.0,
            drift_ppm: 0.0,
        }
    }
}

impl Recipe {
    /// Makes the recipe of a trace without noise.
    pub fn quiet(seconds: u64) -> Self {
        Self {
            length: Nanos(seconds * 1_000_000_000),
            combs: Vec::new(),
            clouds: Vec::new(),
            groups: Vec::new(),
            steal: None,
            bursts: None,
        }
    }

    /// Returns how long a second is in its traces.
    pub fn rate(&self) -> TickRate {
        RATE
    }

    /// Makes the trace that a gap loop would see.
    ///
    /// What happens while the CPU is away waits: a comb's detour within stolen time comes right after it, and of
    /// several only one. Detours that meet are seen as one, their lengths added.
    pub fn trace(&self, seed: u64) -> GapTrace {
        let length_ns = self.length.0 as f64;
        let bursts = self.bursts_ns();
        let mut detours = Vec::new();
        let (mut busy, mut pending) = ((f64::NEG_INFINITY, f64::NEG_INFINITY), vec![false; self.combs.len()]);
        for event in self.events(seed, length_ns) {
            let (start, end) = busy;
            if event.at_ns >= end {
                detours.push((start, end));
                busy = (event.at_ns, event.at_ns + event.length_ns);
                pending.fill(false);
            } else if event.comb.is_none_or(|comb| !pending[comb]) {
                busy.1 += event.length_ns;
            }
            if let Some(comb) = event.comb {
                pending[comb] = true;
            }
        }
        detours.push(busy);
        let ticks = |ns: f64| Ticks((ns * RATE.0 / 1e9).round() as u64);
        let seen = detours.into_iter().filter(|(start, end)| {
            let inside = bursts.iter().any(|(from, to)| from < start && end < to);
            end - start >= RESOLUTION.0 as f64 && inside
        });
        GapTrace {
            turn: ticks(TURN_NS),
            threshold: ticks(RESOLUTION.0 as f64),
            detours: seen
                .map(|(start, end)| Detour { start: ticks(start), length: ticks(end - start) })
                .collect(),
            bursts: bursts.iter().map(|(from, to)| Burst { begin: ticks(*from), end: ticks(*to) }).collect(),
            counts: KernelCounts { interval: self.length, ..KernelCounts::default() },
        }
    }

    /// Makes the calls that would be measured, one after the other, whose own lengths spread by this part.
    pub fn calls(&self, seed: u64, target: Nanos, spread: f64) -> QuantumTrace {
        let mut dice = Dice(Pcg64Mcg::seed_from_u64(seed ^ 0x63_616c_6c73));
        let ticks = |ns: f64| Ticks((ns * RATE.0 / 1e9).round() as u64);
        let whole = Self { bursts: None, ..self.clone() };
        let work_ns = || target.0 as f64 * (1.0 + spread * dice.normal());
        let calls = laid(&whole.trace(seed), RATE, work_ns);
        QuantumTrace {
            target,
            starts: calls.iter().map(|call| ticks(call.start_ns)).collect(),
            lengths: calls.iter().map(|call| ticks(call.length_ns)).collect(),
        }
    }

    fn bursts_ns(&self) -> Vec<(f64, f64)> {
        let length_ns = self.length.0 as f64;
        let Some((look, rest)) = self.bursts else { return vec![(0.0, length_ns)] };
        let (look, rest) = (look.0.max(1) as f64, rest.0 as f64);
        let mut bursts = Vec::new();
        let mut begin = 0.0;
        while begin < length_ns {
            bursts.push((begin, (begin + look).min(length_ns)));
            begin += look + rest;
        }
        bursts
    }

    /// Everything that happens, in order.
    fn events(&self, seed: u64, length_ns: f64) -> Vec<Event> {
        let mut dice = Dice(Pcg64Mcg::seed_from_u64(seed));
        let mut events = Vec::new();
        for (at, comb) in self.combs.iter().enumerate() {
            let period_ns = 1e9 / comb.frequency_hz;
            let (mut place, mut wandered) = (comb.phase * period_ns, 0.0);
            // What is not asked for draws no number, so that a seed's other numbers stay.
            let slack = |dice: &mut Dice| if comb.slack_ns > 0.0 { comb.slack_ns * dice.part() } else { 0.0 };
            while place < length_ns {
                // No deviation at both ends, so that the mean frequency is the one that was asked for.
                let bend = comb.drift_ppm * 1e-6 * place * (1.0 - place / length_ns) / 2.0;
                events.push(Event {
                    at_ns: (place + bend + wandered + slack(&mut dice) + comb.jitter_ns * dice.normal())
                        .max(0.0),
                    length_ns: comb.length_ns * (comb.length_spread * dice.normal()).exp(),
                    comb: Some(at),
                });
                place += period_ns;
                if comb.wander_ns > 0.0 {
                    wandered += comb.wander_ns * dice.normal();
                }
            }
        }
        for cloud in &self.clouds {
            let mut at_ns = dice.exponential(1e9 / cloud.rate_hz);
            while at_ns < length_ns {
                let length_ns = cloud.length_ns * (cloud.length_spread * dice.normal()).exp();
                events.push(Event { at_ns, length_ns, comb: None });
                at_ns += dice.exponential(1e9 / cloud.rate_hz);
            }
        }
        for groups in &self.groups {
            let mut begin_ns = dice.exponential(1e9 / groups.rate_hz);
            while begin_ns < length_ns {
                let mut at_ns = begin_ns;
                loop {
                    events.push(Event { at_ns, length_ns: groups.length_ns, comb: None });
                    if dice.part() * groups.count <= 1.0 {
                        break;
                    }
                    at_ns += dice.exponential(groups.apart_ns);
                }
                begin_ns += dice.exponential(1e9 / groups.rate_hz);
            }
        }
        if let Some(steal) = self.steal {
            let between_ns = steal.mean_ns * (1.0 - steal.share) / steal.share;
            let mut at_ns = dice.exponential(between_ns);
            while at_ns < length_ns {
                let length_ns = dice.exponential(steal.mean_ns);
                events.push(Event { at_ns, length_ns, comb: None });
                at_ns += length_ns + dice.exponential(between_ns);
            }
        }
        events.sort_by(|one, other| one.at_ns.total_cmp(&other.at_ns));
        events
    }
}

#[derive(Clone, Copy, Debug)]
struct Event {
    at_ns: f64,
    length_ns: f64,
    comb: Option<usize>,
}

struct Dice(Pcg64Mcg);

impl Dice {
    /// Above 0 and at most 1.
    fn part(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.part().ln()
    }

    /// Mean 0 and deviation 1 (Box and Muller, 1958).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.part().ln()).sqrt() * (std::f64::consts::TAU * self.part()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_and_shares_are_as_asked() {
        let mut recipe = Recipe::quiet(10);
        recipe.combs.push(Comb::new(1000.0, 6_300.0));
        recipe.clouds.push(Cloud { rate_hz: 300.0, length_ns: 2_000.0, length_spread: 0.5 });
        let trace = recipe.trace(1);
        assert_eq!(trace, recipe.trace(1));
        assert_ne!(trace, recipe.trace(2));
        assert!((12_000..13_500).contains(&trace.detours.len()), "{}", trace.detours.len());
        recipe.steal = Some(Steal { share: 0.4, mean_ns: 2e6 });
        let stolen: f64 = recipe.trace(1).detours.iter().map(|detour| RATE.nanos(detour.length)).sum();
        assert!((stolen / 1e10 - 0.4).abs() < 0.03, "{stolen}");
    }

    #[test]
    fn detours_lie_in_bursts_in_order_and_apart() {
        let mut recipe = Recipe::quiet(2);
        recipe.combs =
            vec![Comb::new(1000.0, 6_300.0), Comb { drift_ppm: 50.0, ..Comb::new(999.9, 6_300.0) }];
        recipe.bursts = Some((Nanos::from_millis(90), Nanos::from_millis(10)));
        let trace = recipe.trace(3);
        assert_eq!(trace.bursts.len(), 20);
        for pair in trace.detours.windows(2) {
            assert!(pair[0].start.0 + pair[0].length.0 <= pair[1].start.0);
        }
        for detour in &trace.detours {
            let end = detour.start.0 + detour.length.0;
            assert!(trace.bursts.iter().any(|burst| burst.begin.0 <= detour.start.0 && end <= burst.end.0));
        }
    }
}
