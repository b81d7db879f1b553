//! When the loop was looking: bursts without the detours in them.

use crate::{GapTrace, TickRate};

/// A detour in nanoseconds from the beginning of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeenDetour {
    pub start_ns: f64,
    pub length_ns: f64,
}

impl SeenDetour {
    pub fn end_ns(self) -> f64 {
        self.start_ns + self.length_ns
    }
}

/// A trace in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Exposure {
    /// Begin and end of each burst.
    pub bursts: Vec<(f64, f64)>,
    /// All detours, in the order of their starts.
    pub seen: Vec<SeenDetour>,
    /// From the first burst's begin.
    pub begin_ns: f64,
    /// To the last burst's end.
    pub end_ns: f64,
    /// All bursts together.
    pub watched_ns: f64,
    /// All detours together.
    pub lost_ns: f64,
}

impl Exposure {
    pub fn of(trace: &GapTrace, rate: TickRate) -> Self {
        let bursts: Vec<_> =
            trace.bursts.iter().map(|burst| (rate.nanos(burst.begin), rate.nanos(burst.end))).collect();
        let seen: Vec<_> = trace
            .detours
            .iter()
            .map(|detour| SeenDetour {
                start_ns: rate.nanos(detour.start),
                length_ns: rate.nanos(detour.length),
            })
            .collect();
        Self {
            begin_ns: bursts.first().map_or(0.0, |burst| burst.0),
            end_ns: bursts.last().map_or(0.0, |burst| burst.1),
            watched_ns: bursts.iter().map(|(begin, end)| end - begin).sum(),
            lost_ns: seen.iter().map(|seen| seen.length_ns).sum(),
            bursts,
            seen,
        }
    }

    /// For how long the loop was looking; never 0, so that it may divide.
    pub fn looked_ns(&self) -> f64 {
        (self.watched_ns - self.lost_ns).max(1.0)
    }

    pub fn span_ns(&self) -> f64 {
        self.end_ns - self.begin_ns
    }
}

/// Asks for moments in their order whether the loop was looking then.
#[derive(Debug)]
pub(super) struct Cursor<'e> {
    exposure: &'e Exposure,
    burst: usize,
    detour: usize,
}

impl<'e> Cursor<'e> {
    pub fn new(exposure: &'e Exposure) -> Self {
        Self { exposure, burst: 0, detour: 0 }
    }

    /// Returns whether a detour that begins then would have been seen to begin then: within a burst, and not
    /// within or next to another detour. Moments may not go back.
    pub fn looks_at(&mut self, at_ns: f64, margin_ns: f64) -> bool {
        let (bursts, seen) = (&self.exposure.bursts, &self.exposure.seen);
        while self.burst < bursts.len() && bursts[self.burst].1 < at_ns + margin_ns {
            self.burst += 1;
        }
        if bursts.get(self.burst).is_none_or(|burst| burst.0 > at_ns - margin_ns) {
            return false;
        }
        while self.detour < seen.len() && seen[self.detour].end_ns() < at_ns - margin_ns {
            self.detour += 1;
        }
        seen.get(self.detour).is_none_or(|detour| detour.start_ns > at_ns + margin_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_looks_in_bursts_and_beside_detours() {
        let exposure = Exposure {
            bursts: vec![(0.0, 100.0), (200.0, 300.0)],
            seen: vec![SeenDetour { start_ns: 50.0, length_ns: 10.0 }],
            begin_ns: 0.0,
            end_ns: 300.0,
            watched_ns: 200.0,
            lost_ns: 10.0,
        };
        let mut cursor = Cursor::new(&exposure);
        let looks = [1.0, 20.0, 49.0, 55.0, 61.0, 70.0, 99.0, 150.0, 201.0, 250.0, 299.0, 400.0]
            .map(|at| cursor.looks_at(at, 2.0));
        let expected = [false, true, false, false, false, true, false, false, false, true, false, false];
        assert_eq!(looks, expected);
        assert_eq!((exposure.looked_ns(), exposure.span_ns()), (190.0, 300.0));
    }
}
