//! How much time calls lost, compared with what the loop's detours would take from them.

use super::Lost;
use super::calls::{Call, Calls, in_blocks, laid, median};
use crate::{GapTrace, TickRate};
use model::Reading;
use statrs::distribution::{ContinuousCDF, Normal};
use stats::{Sample, USUAL_CONFIDENCE, bootstrap_two};

/// The same files make the same bytes.
const SEED: u64 = 0x77_6974_6e65_7373;

/// A tenth of the calls is shorter than the median by as much as their own spread makes it.
const SHORT_PART: f64 = 0.1;
/// Each round brings the spread nearer; the last changes it by less than a hundredth.
const ROUNDS: usize = 4;

/// Compares the two; the same is asked of both, so whatever the question leaves out, it leaves out of both.
pub(super) fn lost(calls: &Calls, gaps: &GapTrace, rate: TickRate) -> Reading<Lost> {
    let laid = match in_blocks(laid(gaps, rate, || calls.median_ns)) {
        Ok(laid) => as_spread_as(calls, &laid),
        Err(why) => return Reading::Unavailable(format!("the gap loop looked too shortly: {why}")),
    };
    let (Ok(of_calls), Ok(expected)) = (Sample::new(parts(calls)), Sample::new(parts(&laid))) else {
        return Reading::unavailable("a call took no time at all");
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let apart = |calls: &mut [f64], expected: &mut [f64]| mean(calls) - mean(expected);
    Reading::Known(Lost {
        of_calls: of_calls.mean(),
        expected: expected.mean(),
        difference: bootstrap_two(&of_calls, &expected, apart, USUAL_CONFIDENCE, SEED),
    })
}

/// Returns calls that were laid over a trace a spread of their own, as wide as that of measured ones below their median,
/// where no detour is. Without it half of the laid ones would not be disturbed at all, and their median not moved.
fn as_spread_as(calls: &Calls, laid: &Calls) -> Calls {
    let wanted_ns = short(calls);
    let mut spread_ns = wanted_ns;
    let mut spread = spread_by(laid, spread_ns);
    for _ in 0..ROUNDS {
        spread_ns *= wanted_ns / short(&spread).max(f64::MIN_POSITIVE);
        spread = spread_by(laid, spread_ns);
    }
    spread
}

/// Spreads lengths by a normal distribution, whose values come in an order without a pattern (multiples of the golden
/// ratio), the same each time.
fn spread_by(laid: &Calls, deviation_ns: f64) -> Calls {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let normal = Normal::standard();
    let spread = |(at, call): (usize, &Call)| {
        let part = ((at as f64 + 0.5) * GOLDEN).fract().clamp(1e-9, 1.0 - 1e-9);
        let own_ns = deviation_ns * normal.inverse_cdf(part);
        Call { length_ns: (call.length_ns + own_ns).max(0.0), ..*call }
    };
    Calls { all: laid.all.iter().enumerate().map(spread).collect(), ..laid.clone() }
}

/// By how much the shortest tenth of calls is shorter than the median of their blocks.
fn short(calls: &Calls) -> f64 {
    let below = calls.blocks().flat_map(|block| {
        let middle = median(block);
        block.iter().map(move |call| middle - call.length_ns)
    });
    Sample::new(below.collect()).map_or(0.0, |below| below.quantile(1.0 - SHORT_PART))
}

/// Returns for each block by how much its mean call is longer than its median one, as a part of its time.
fn parts(calls: &Calls) -> Vec<f64> {
    let part = |block: &[Call]| {
        let all: f64 = block.iter().map(|call| call.length_ns).sum();
        1.0 - median(block) * block.len() as f64 / all.max(1.0)
    };
    calls.blocks().map(part).collect()
}
