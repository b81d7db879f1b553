//! Sources of made-up traces: those of real machines, and others drawn by chance.

use noise::synthetic::{Comb, Groups};

/// The periodic sources of the source article's clusters, Hz and us.
pub const ARTICLE: [&[(f64, f64)]; 3] = [
    &[(1000.0, 13.0), (8.0, 160.0)],
    &[(1000.0, 3.0), (8.0, 580.0)],
    &[(1000.0, 2.0), (40.0, 7.0), (25.0, 13.0), (12.0, 25.0)],
];
/// Fast sources: the host's tick and the guest's, ticks of usual kernels, timers of programs.
pub const FAST: [&[(f64, f64)]; 5] = [
    &[(1000.0, 6.3), (250.0, 6.3)],
    &[(1000.0, 2.0), (100.0, 40.0)],
    &[(300.0, 4.0), (128.7, 9.0), (100.0, 2.5)],
    &[(250.0, 5.0), (250.0, 11.0), (1000.0, 3.0)],
    &[(4000.0, 1.2), (500.0, 8.0)],
];
/// From 100 Hz to 4 kHz.
const FREQUENCIES: f64 = 40.0;
/// From 1 to 80 us.
const LENGTHS: f64 = 80.0;
/// All sources of a trace together take no more of the time.
const SHARE_MAX: f64 = 0.1;
/// How often a source is drawn until all are there.
const TRIES_MAX: u32 = 1_000;
/// Two of one frequency that cross are one or pieces of one; no decomposition can decide.
const APART: f64 = 0.01;

/// Where the sources of a kind of traces come from.
#[derive(Clone, Copy, Debug)]
pub enum Sources {
    /// One of these sets, in turn, each to within 50 millionths.
    Listed(&'static [&'static [(f64, f64)]]),
    /// Two to four of any frequency and length.
    Drawn,
    /// The same, where all others are a multiple or a part of the first, off by 10 to 10 000 millionths.
    NearMultiples,
    /// One of 8 to 1000 Hz that jitters by up to 100 us: in every second trace by a normal distribution of that deviation, else by
    /// any time up to that either way.
    Jittering,
    /// One of 8 to 1000 Hz that keeps to no grid: its delays add up, or its frequency drifts by up to 2000 millionths.
    Astray,
    None,
}

impl Sources {
    /// Makes those of one trace. Phases, jitter, drift and spread are other ones in each.
    pub fn combs(self, seed: u64) -> Vec<Comb> {
        let mut dice = Dice::new(seed);
        match self {
            Self::Listed(sets) => listed(sets[seed as usize % sets.len()], &mut dice),
            Self::Drawn => drawn(&mut dice, false),
            Self::NearMultiples => drawn(&mut dice, true),
            Self::Jittering => vec![jittering(&mut dice, seed.is_multiple_of(2))],
            Self::Astray => vec![astray(&mut dice, seed.is_multiple_of(2))],
            Self::None => Vec::new(),
        }
    }
}

struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// From 0 to 1 (a linear congruential generator with Knuth's multiplier).
    fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn comb(&mut self, frequency_hz: f64, length_ns: f64) -> Comb {
        Comb {
            length_spread: 0.02 + 0.08 * self.part(),
            phase: self.part(),
            jitter_ns: 100.0 + 2_000.0 * self.part(),
            drift_ppm: 40.0 * (self.part() - 0.5),
            ..Comb::new(frequency_hz, length_ns)
        }
    }

    /// From 8 Hz to 1 kHz, from 5 to 80 us.
    fn any(&mut self) -> Comb {
        let frequency_hz = 8.0 * 125_f64.powf(self.part());
        let length_ns = 5e3 * 16_f64.powf(self.part());
        self.comb(frequency_hz, length_ns)
    }
}

fn jittering(dice: &mut Dice, is_normal: bool) -> Comb {
    let (comb, by_ns) = (dice.any(), 1e5 * dice.part());
    if is_normal { Comb { jitter_ns: by_ns, ..comb } } else { Comb { slack_ns: 2.0 * by_ns, ..comb } }
}

fn astray(dice: &mut Dice, is_wandering: bool) -> Comb {
    let (comb, by) = (dice.any(), dice.part());
    if is_wandering {
        Comb { wander_ns: 3e4 * by, ..comb }
    } else {
        Comb { drift_ppm: 4000.0 * (by - 0.5), ..comb }
    }
}

/// Makes groups of up to 20 detours, 3 to 300 times a second, 5 to 200 us apart.
pub fn groups(seed: u64) -> Groups {
    let mut dice = Dice::new(seed);
    Groups {
        rate_hz: 3.0 * 100_f64.powf(dice.part()),
        count: 1.0 + 20.0 * dice.part(),
        apart_ns: 5e3 * 40_f64.powf(dice.part()),
        length_ns: 2e3,
    }
}

fn listed(set: &[(f64, f64)], dice: &mut Dice) -> Vec<Comb> {
    let comb = |(at, (frequency_hz, length_us)): (usize, &(f64, f64))| {
        let frequency_hz = frequency_hz * (1.0 + 1e-4 * (dice.part() - 0.5));
        let comb = dice.comb(frequency_hz, length_us * 1e3);
        // Apart, or two sources of one frequency would be one.
        Comb { phase: (at as f64 + 0.2 + 0.6 * comb.phase) / set.len() as f64, ..comb }
    };
    set.iter().enumerate().map(comb).collect()
}

fn drawn(dice: &mut Dice, near_multiples: bool) -> Vec<Comb> {
    let count = 2 + (3.0 * dice.part()) as usize;
    let mut combs: Vec<Comb> = Vec::new();
    let mut share = 0.0;
    // What is left of the time may be too little for any other.
    for _ in 0..TRIES_MAX {
        if combs.len() == count {
            break;
        }
        let frequency_hz = match combs.first() {
            Some(first) if near_multiples => near_multiple(first.frequency_hz, dice),
            _ => 100.0 * FREQUENCIES.powf(dice.part()),
        };
        let length_ns = 1e3 * LENGTHS.powf(dice.part());
        let comb = dice.comb(frequency_hz, length_ns);
        let part = comb.frequency_hz * comb.length_ns / 1e9;
        let is_apart = combs.iter().all(|other| (other.frequency_hz / comb.frequency_hz - 1.0).abs() > APART);
        if share + part < SHARE_MAX && is_apart {
            share += part;
            combs.push(comb);
        }
    }
    combs
}

fn near_multiple(frequency_hz: f64, dice: &mut Dice) -> f64 {
    let times = 2.0 + (14.0 * dice.part()).floor();
    let off = 10_f64.powf(3.0 * dice.part() - 5.0) * if dice.part() < 0.5 { 1.0 } else { -1.0 };
    let part = frequency_hz / times;
    let near = if part >= 100.0 { part } else { frequency_hz * times };
    // No timer of a kernel is faster.
    near.min(4_000.0) * (1.0 + off)
}
