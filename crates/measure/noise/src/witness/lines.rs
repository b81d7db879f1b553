//! Whether calls are longer in the rhythm of a source.
//!
//! Calls follow each other without a pause, so their excess over the median is a series in time, and a source is a line
//! in its spectrum. When a source began, which calls and loop do not have in common, is not needed for that. What
//! else makes calls longer is in the spectrum nearby: its power there says what chance would do at the line.

use super::Line;
use super::calls::{Call, Calls, median};
use crate::sources::{FALSE_ALARMS, Periodic};
use std::f64::consts::{LN_10, PI, TAU};

/// Frequencies are in steps of half a cycle in the whole series.
const STEP: f64 = 0.5;
/// The line is the highest of those within this many steps, since a timer drifts a little between loop and calls.
const NEAR: i32 = 3;
/// The spectrum nearby is taken from this many steps off, each this many from the next, up to the last: in a series that
/// begins and ends softly (Hann's window) a line is two cycles wide on each side.
const BESIDE_FROM: i32 = 12;
const BESIDE_STEP: i32 = 4;
const BESIDE_LAST: i32 = 88;
/// A source whose line calls so long make this much smaller cannot be seen in them.
const BLUR_MIN: f64 = 0.2;
/// Calls that are longer by more than this many lengths of the source met something else.
const CUT: f64 = 2.0;
/// A source should be seen if its line is this many times as high as the lowest that chance does not make.
const CLEAR: f64 = 2.0;
/// Lines of two sources are one if they are less than this many cycles apart.
const APART: f64 = 3.0;

/// Asks for each source.
pub(super) fn lines(calls: &Calls, sources: &[Periodic]) -> Vec<Line> {
    let series = Series::of(calls);
    (0..sources.len()).map(|at| series.line(sources, at)).collect()
}

/// Calls as a series in time.
struct Series {
    /// The middle of each call and what it has beyond the median of its block.
    excess: Vec<(f64, f64)>,
    begin_ns: f64,
    span_ns: f64,
    call_ns: f64,
}

impl Series {
    fn of(calls: &Calls) -> Self {
        let excess = calls.blocks().flat_map(|block| {
            let middle = median(block);
            block.iter().map(move |call| (call.start_ns + call.length_ns / 2.0, call.length_ns - middle))
        });
        let end = |call: &Call| call.start_ns + call.length_ns;
        let begin_ns = calls.all.first().map_or(0.0, |call| call.start_ns);
        let end_ns = calls.all.last().map_or(begin_ns, end);
        Self {
            excess: excess.collect(),
            begin_ns,
            span_ns: (end_ns - begin_ns).max(1.0),
            call_ns: calls.median_ns,
        }
    }

    fn line(&self, sources: &[Periodic], at: usize) -> Line {
        let source = &sources[at];
        let length_ns = source.lengths.median_ns;
        // A call that is longer by a detour and one that rides on it must not be cut to the smaller.
        let carrier_ns = source.rides_on.map_or(0.0, |(carrier, _)| sources[carrier].lengths.median_ns);
        let in_call = source.frequency_hz * self.call_ns / 1e9;
        let blur = if in_call < 1.0 { (PI * in_call).sin() / (PI * in_call) } else { 0.0 };
        if blur < BLUR_MIN || source.frequency_hz * self.span_ns / 1e9 < 1.0 {
            return Line::Faint;
        }
        let (highest, neighbours) = self.powers(source.frequency_hz, CUT * (length_ns + carrier_ns));
        let mean = neighbours.iter().sum::<f64>() / neighbours.len() as f64;
        let looks = f64::from(2 * NEAR + 1);
        let chance_ln = looks.ln() + tail_ln(highest / mean.max(f64::MIN_POSITIVE), neighbours.len());
        // Each detour of a comb adds its length to its line; the window halves that, a call's length blurs it.
        let nanos = |power: f64| {
            let detours = source.frequency_hz * self.span_ns / 1e9;
            2.0 * power.sqrt() / (detours * blur)
        };
        let others_ns = self.others(sources, at);
        let error_ns = nanos(mean / 2.0);
        let is_there = chance_ln < FALSE_ALARMS.ln();
        match is_there {
            true if nanos(highest) > others_ns + 2.0 * error_ns => Line::Seen {
                length_ns: nanos(highest),
                error_ns: error_ns + others_ns,
                chance_log10: chance_ln.min(0.0) / LN_10,
            },
            true => Line::Hidden,
            false => {
                let least = nanos(mean * threshold(looks, neighbours.len()));
                let is_clear = length_ns - others_ns > CLEAR * least;
                if is_clear { Line::Absent } else { Line::Faint }
            }
        }
    }

    /// Returns what other sources, which come a whole part as often, add to the line, for each detour of this one.
    fn others(&self, sources: &[Periodic], at: usize) -> f64 {
        let frequency_hz = sources[at].frequency_hz;
        let others = sources.iter().enumerate().filter(|(other, _)| *other != at);
        let parts = others.map(|(_, other)| {
            let times = (frequency_hz / other.frequency_hz).round();
            let off_hz = (frequency_hz - times * other.frequency_hz).abs();
            let is_one = times >= 1.0 && off_hz * self.span_ns / 1e9 < APART;
            if is_one { other.lengths.median_ns / times } else { 0.0 }
        });
        parts.sum()
    }

    /// Returns the highest power near a frequency, and those next to it.
    fn powers(&self, frequency_hz: f64, cut_ns: f64) -> (f64, Vec<f64>) {
        let cycles = frequency_hz * self.span_ns / 1e9;
        let (mut highest, mut neighbours) = (0.0_f64, Vec::new());
        for (step, power) in (-BESIDE_LAST..).zip(self.spectrum(cycles, cut_ns)) {
            // Below two cycles there is what drifts, not what is periodic.
            let is_high_enough = cycles + STEP * f64::from(step) >= 2.0;
            if step.abs() <= NEAR {
                highest = highest.max(power);
            } else if step.abs() >= BESIDE_FROM && step % BESIDE_STEP == 0 && is_high_enough {
                neighbours.push(power);
            }
        }
        (highest, neighbours)
    }

    /// Returns the power at this many cycles in the whole series, and as many steps below it and above.
    fn spectrum(&self, cycles: f64, cut_ns: f64) -> Vec<f64> {
        let lowest = cycles - STEP * f64::from(BESIDE_LAST);
        let turned = |part: f64, cycles: f64| (TAU * cycles * part).sin_cos();
        let mut phasors: Vec<Phasor> = Vec::with_capacity(self.excess.len());
        for (middle_ns, excess_ns) in &self.excess {
            let part = (middle_ns - self.begin_ns) / self.span_ns;
            let value = (0.5 - 0.5 * (TAU * part).cos()) * excess_ns.clamp(-cut_ns, cut_ns);
            let ((sine, cosine), turn) = (turned(part, lowest), turned(part, STEP));
            phasors.push(Phasor { real: value * cosine, imaginary: value * sine, turn });
        }
        let mut powers = Vec::new();
        for _ in -BESIDE_LAST..=BESIDE_LAST {
            let (mut real, mut imaginary) = (0.0, 0.0);
            for phasor in &mut phasors {
                real += phasor.real;
                imaginary += phasor.imaginary;
                phasor.step();
            }
            powers.push(real * real + imaginary * imaginary);
        }
        powers
    }
}

/// What one call adds to the spectrum at one frequency, and by how much that turns to the next frequency.
#[derive(Clone, Copy, Debug)]
struct Phasor {
    real: f64,
    imaginary: f64,
    turn: (f64, f64),
}

impl Phasor {
    fn step(&mut self) {
        let (sine, cosine) = self.turn;
        let real = self.real * cosine - self.imaginary * sine;
        self.imaginary = self.real * sine + self.imaginary * cosine;
        self.real = real;
    }
}

/// Returns the logarithm of how often a power is this many times the mean of this many others, if all are alike: each is
/// exponential, so their ratio follows an F distribution of 2 and 2 n degrees.
fn tail_ln(times: f64, others: usize) -> f64 {
    let count = others as f64;
    -count * (times / count).ln_1p()
}

/// Returns the least ratio that chance does not make so often in this many looks.
fn threshold(looks: f64, others: usize) -> f64 {
    let count = others as f64;
    count * ((-(FALSE_ALARMS / looks).ln() / count).exp() - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_where_the_tail_is_the_false_alarms() {
        let times = threshold(7.0, 40);
        assert!((tail_ln(times, 40) + 7_f64.ln() - FALSE_ALARMS.ln()).abs() < 1e-9);
        // An F distribution of 2 and 2 degrees: 1 / (1 + x).
        assert!((tail_ln(3.0, 1).exp() - 0.25).abs() < 1e-12);
    }
}
