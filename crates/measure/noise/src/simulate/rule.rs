//! What happens to one node in one iteration, in whole ticks: the meaning that every vector kernel must keep.

use super::dice::{exponential, mix};
use crate::model::{Lattice, Phases, Scenario, ScenarioError, Stencil, Window, message_count};
use crate::source::Occurrence;

/// The finest tick is 2^-4 ns; finer than a model can mean.
const FINEST: i32 = 4;
/// A coarser tick than 2^20 ns would be longer than any iteration.
const COARSEST: i32 = -20;
/// Times are 32 bits wide. Half of that is for the next detour of the slowest source ...
const REACH_MAX: f64 = (1_u64 << 31) as f64;
/// ... and a quarter for this many iterations of the longest kind until the base is moved.
const GROWTH_MAX: f64 = (1_u64 << 30) as f64 / 64.0;
/// An iteration of fewer ticks would be rounded by more than 1/500.
const COMPUTE_TICKS_MIN: f64 = 256.0;
/// Random gaps longer than this many means are drawn in parts.
const GAP_MAX: f64 = 4.0;
/// More detours of a random source in one iteration, over its mean, come once in 10^18.
const RANDOM_EXCESS: f64 = 20.0;

/// A source that strikes a node less often in an iteration is rare.
const RARE_MAX: f64 = 0.002;

/// One source in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    period: u32,
    length: u32,
    random: bool,
    rare: bool,
}

impl Beat {
    /// Returns what a detour moves the next one by; 0 for a random source, whose next is always computed apart.
    pub fn step(self) -> u32 {
        if self.random { 0 } else { self.period }
    }

    /// Returns whether so few iterations have one of its detours that it pays to look for it only then.
    pub fn is_rare(self) -> bool {
        self.rare
    }

    /// Returns how long its detours are.
    pub fn length(self) -> u32 {
        self.length
    }
}

/// One scenario on one lattice, in ticks.
#[derive(Clone, Debug)]
pub struct Rule {
    compute: u32,
    message: u32,
    window: Window,
    phases: Phases,
    beats: Vec<Beat>,
    tick_ns: f64,
    growth: u64,
    reach: u64,
    /// What every random number depends on.
    seed: u64,
    /// The first replica, and how many are simulated side by side.
    replica: u64,
    lanes: u64,
    nodes: u64,
    /// Ticks before the zero of stored times, for each of the replicas that are simulated side by side.
    bases: Vec<u64>,
}

impl Rule {
    /// Translates a scenario that has been [checked](Scenario::check) into ticks.
    ///
    /// # Errors
    /// When a source is so much slower than an iteration that no tick fits both.
    pub fn new(
        scenario: &Scenario,
        lattice: Lattice,
        seed: u64,
        replica: u64,
        lanes: usize,
    ) -> Result<Self, ScenarioError> {
        let message_ns = scenario.message_ns * message_count(scenario.stencil, lattice) as f64;
        let random = |source: &crate::Source| matches!(source.occurrence, Occurrence::Random { .. });
        let period_ns = |source: &crate::Source| 1e9 / source.frequency_hz();
        let reach =
            |source: &crate::Source| period_ns(source) * if random(source) { GAP_MAX + 0.1 } else { 1.0 };
        let reach_ns = scenario.sources.iter().map(reach).fold(0.0, f64::max);
        let share: f64 = scenario.sources.iter().map(crate::Source::share).sum();
        let excess =
            |source: &crate::Source| source.length_ns * if random(source) { RANDOM_EXCESS } else { 1.0 };
        let detours: f64 = scenario.sources.iter().map(excess).sum();
        let growth_ns = (scenario.compute_ns + detours) / (1.0 - share) + message_ns;
        let fits = |power: i32| {
            let size = 2.0_f64.powi(power);
            reach_ns * size <= REACH_MAX && growth_ns * size <= GROWTH_MAX
        };
        let power = (COARSEST..=FINEST).rev().find(|power| fits(*power)).unwrap_or(COARSEST);
        let scale = 2.0_f64.powi(power);
        if scenario.compute_ns * scale < COMPUTE_TICKS_MIN {
            return Err(ScenarioError::Resolution { period_s: reach_ns / 1e9 });
        }
        let ticks = |ns: f64| (ns * scale).round().max(1.0) as u32;
        let rare = |source: &crate::Source| source.frequency_hz() * scenario.compute_ns / 1e9 < RARE_MAX;
        // With a frequent source another one of a line stays in the first cache, where looking at both is as fast.
        let is_crowd = scenario.stencil != Stencil::Line
            || scenario.sources.len() > 2
            || scenario.sources.iter().all(rare);
        let beat = |source: &crate::Source| Beat {
            period: ticks(period_ns(source)).max(2),
            length: ticks(source.length_ns),
            random: random(source),
            rare: is_crowd && rare(source),
        };
        Ok(Self {
            compute: ticks(scenario.compute_ns),
            message: (message_ns * scale).round() as u32,
            window: scenario.window,
            phases: scenario.phases,
            beats: scenario.sources.iter().map(beat).collect(),
            tick_ns: 1.0 / scale,
            growth: (growth_ns * scale).ceil() as u64 + 8,
            reach: (reach_ns * scale).ceil() as u64 + 8,
            seed,
            replica,
            lanes: lanes as u64,
            nodes: lattice.nodes(),
            bases: vec![0; lanes],
        })
    }

    /// `T_C`.
    pub fn compute(&self) -> u32 {
        self.compute
    }

    /// Returns what messages take in an iteration.
    pub fn message(&self) -> u32 {
        self.message
    }

    /// Returns the sources.
    pub fn beats(&self) -> &[Beat] {
        &self.beats
    }

    /// Returns the numbers of sources that are rare.
    pub fn rare(&self) -> impl Iterator<Item = usize> {
        (0..self.beats.len()).filter(|source| self.beats[*source].rare)
    }

    /// Returns the numbers of the others.
    pub fn frequent(&self) -> impl Iterator<Item = usize> {
        (0..self.beats.len()).filter(|source| !self.beats[*source].rare)
    }

    /// Returns how long a tick is.
    pub fn tick_ns(&self) -> f64 {
        self.tick_ns
    }

    /// Ticks before the zero of a replica's stored times.
    pub fn base(&self, lane: usize) -> u64 {
        self.bases[lane]
    }

    /// Moves the zero of stored times of each replica.
    pub fn move_base(&mut self, by: &[u32]) {
        for (base, by) in self.bases.iter_mut().zip(by) {
            *base += u64::from(*by);
        }
    }

    /// Returns how many iterations stored times surely have room for, if now the latest is `latest`.
    pub fn room(&self, latest: u32) -> u64 {
        u64::from(u32::MAX).saturating_sub(self.reach + u64::from(latest)) / self.growth
    }

    /// Returns when the first detour of a source begins on a node; `number` counts nodes and, side by side, replicas.
    pub fn first(&self, source: usize, number: u64) -> u32 {
        let beat = self.beats[source];
        let word = match self.phases {
            // Independent random sources have no offset to share.
            Phases::OneOffset if !beat.random => self.word(number, u64::MAX, 0),
            Phases::OneOffset | Phases::Own | Phases::Common => self.word(number, source as u64, 0),
        };
        if beat.random {
            return self.gap(beat, word, 0);
        }
        let offset = match self.phases {
            // An offset that all sources count from, so that commensurate ones keep together.
            Phases::OneOffset | Phases::Common => self.word(number, u64::MAX, 0),
            Phases::Own => word,
        };
        beat.period - (offset % u64::from(beat.period)) as u32
    }

    fn word(&self, number: u64, source: u64, time: u64) -> u64 {
        // Copies of nodes beyond a periodic end have numbers beyond the last.
        let node = if self.phases == Phases::Common { 0 } else { number / self.lanes % self.nodes };
        mix(&[self.seed, self.replica + number % self.lanes, node, source, time])
    }

    /// Returns the end of a random gap that begins at `from`; odd if it is only a part of one.
    fn gap(&self, beat: Beat, word: u64, from: u32) -> u32 {
        let gap = exponential(word);
        let (gap, part) = if gap > GAP_MAX { (GAP_MAX, 1) } else { (gap, 0) };
        let end = u64::from(from) + (gap * f64::from(beat.period)) as u64;
        ((end & !1) as u32).max((from + 1).next_multiple_of(2)) | part
    }

    fn after(&self, source: usize, event: u32, number: u64) -> u32 {
        let beat = self.beats[source];
        if !beat.random {
            return event + beat.period;
        }
        let word =
            self.word(number, source as u64, self.bases[(number % self.lanes) as usize] + u64::from(event));
        self.gap(beat, word, event)
    }

    /// Passes over all detours of a source up to a time, and gives how many of them began after another.
    fn pass(&self, source: usize, event: &mut u32, after: u32, until: u32, number: u64) -> u32 {
        let beat = self.beats[source];
        let mut count = 0;
        while *event <= until {
            if *event > after && !(beat.random && *event & 1 == 1) {
                count += 1;
            }
            *event = self.after(source, *event, number);
        }
        count
    }

    /// Returns the time of a node after an iteration, and moves its next detours behind that.
    ///
    /// `own` is when it had finished the iteration before, `begin` when the last of those it waits for had.
    pub fn advance(&self, own: u32, begin: u32, next: &mut [u32], number: u64) -> u32 {
        let mut end = begin + self.compute;
        let (after, until) = match self.window {
            Window::OwnFinish => (own, own + self.compute),
            Window::Computing | Window::Lengthened => (begin, end),
        };
        let mut grew = true;
        let mut until_now = until;
        while grew {
            grew = false;
            for (source, event) in next.iter_mut().enumerate() {
                let count = self.pass(source, event, after, until_now, number);
                end += count * self.beats[source].length;
                if self.window == Window::Lengthened {
                    grew |= end > until_now;
                    until_now = end;
                }
            }
        }
        end += self.message;
        for (source, event) in next.iter_mut().enumerate() {
            self.pass(source, event, u32::MAX, end, number);
        }
        end
    }
}
