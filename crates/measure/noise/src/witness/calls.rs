//! Calls one after the other, measured, or laid over what a loop saw.

use crate::{GapTrace, QuantumTrace, TickRate, Ticks, WARM_UP};
use model::Nanos;

/// Calls are compared with those within this time of them.
const BLOCK: Nanos = Nanos::from_millis(500);
/// Of fewer calls the median says little.
const CALLS_IN_BLOCK_MIN: f64 = 50.0;
/// With fewer blocks there is no result.
pub(super) const BLOCKS_MIN: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Call {
    pub start_ns: f64,
    pub length_ns: f64,
}

/// Calls of one length in blocks of about half a second; the last block is whole, too.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Calls {
    pub all: Vec<Call>,
    pub in_block: usize,
    pub median_ns: f64,
}

impl Calls {
    pub fn blocks(&self) -> impl Iterator<Item = &[Call]> {
        self.all.chunks_exact(self.in_block)
    }
}

/// Puts calls into blocks.
///
/// # Errors
/// When there are too few.
pub(super) fn in_blocks(mut all: Vec<Call>) -> Result<Calls, String> {
    let too_few =
        || format!("there are too few calls for {BLOCKS_MIN} blocks of {} ms", BLOCK.as_millis_f64());
    if all.len() < BLOCKS_MIN {
        return Err(too_few());
    }
    let median_ns = median(&all).max(1.0);
    let in_block = (BLOCK.0 as f64 / median_ns).max(CALLS_IN_BLOCK_MIN).round() as usize;
    let blocks = all.len() / in_block;
    if blocks < BLOCKS_MIN {
        return Err(too_few());
    }
    all.truncate(blocks * in_block);
    Ok(Calls { all, in_block, median_ns })
}

/// Takes the calls after the warm-up.
///
/// # Errors
/// When there are too few.
pub(super) fn measured(quanta: &QuantumTrace, rate: TickRate) -> Result<Calls, String> {
    let begin = quanta.starts.first().copied().unwrap_or_default();
    let since = |start: &Ticks| rate.nanos(Ticks(start.0.saturating_sub(begin.0)));
    let calls = quanta.starts.iter().zip(&quanta.lengths);
    let calls = calls.map(|(start, length)| Call { start_ns: since(start), length_ns: rate.nanos(*length) });
    in_blocks(calls.filter(|call| call.start_ns >= WARM_UP.0 as f64).collect())
}

/// Lays calls over a trace, each of this much work: it ends when it was left alone for as long, and the next begins there.
pub(crate) fn laid(gaps: &GapTrace, rate: TickRate, mut work_ns: impl FnMut() -> f64) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut next = 0;
    for burst in &gaps.bursts {
        let (mut start_ns, stop_ns) = (rate.nanos(burst.begin), rate.nanos(burst.end));
        next += gaps.detours[next..].partition_point(|detour| detour.start < burst.begin);
        loop {
            let mut end_ns = start_ns + work_ns().max(1.0);
            while let Some(detour) = gaps.detours.get(next).filter(|one| rate.nanos(one.start) < end_ns) {
                end_ns += rate.nanos(detour.length);
                next += 1;
            }
            if end_ns > stop_ns {
                break;
            }
            calls.push(Call { start_ns, length_ns: end_ns - start_ns });
            start_ns = end_ns;
        }
    }
    calls
}

pub(super) fn median(calls: &[Call]) -> f64 {
    stats::median_of(&mut calls.iter().map(|call| call.length_ns).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Burst, Detour, KernelCounts};

    #[test]
    fn a_call_goes_on_after_what_interrupted_it() {
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        let gaps = GapTrace {
            turn: Ticks(9),
            threshold: Ticks(109),
            bursts: vec![
                Burst { begin: Ticks(0), end: Ticks(4_500) },
                Burst { begin: Ticks(6_000), end: Ticks(8_000) },
            ],
            // Two in one call, the second of them at a time that only the first brought into it; one that ends a burst.
            detours: vec![detour(1_500, 600), detour(2_100, 50), detour(4_400, 90), detour(6_500, 10)],
            counts: KernelCounts::default(),
        };
        let calls: Vec<(f64, f64)> = laid(&gaps, TickRate(1e9), || 1_000.0)
            .iter()
            .map(|call| (call.start_ns, call.length_ns))
            .collect();
        assert_eq!(calls, [(0.0, 1_000.0), (1_000.0, 1_650.0), (2_650.0, 1_000.0), (6_000.0, 1_010.0)]);
    }

    #[test]
    fn too_few_calls_say_nothing() {
        let call = |at: usize| Call { start_ns: at as f64 * 1e7, length_ns: 1e7 };
        assert!(in_blocks((0..199).map(call).collect()).is_err());
        let calls = in_blocks((0..249).map(call).collect()).unwrap();
        assert_eq!((calls.all.len(), calls.in_block, calls.blocks().count()), (200, 50, 4));
        assert!(in_blocks(Vec::new()).is_err());
    }
}
