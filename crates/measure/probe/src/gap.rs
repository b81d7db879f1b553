//! The gap loop: it reads the clock and does nothing else; what is missing was taken from it.

use super::buffer::Buffer;
use super::tsc::Clock;
use super::{Left, Watch};
use model::CpuId;
use noise::{Burst, Detour, Ticks};

/// Turns that find how long one is; about a tenth of a millisecond.
const TURNS: usize = 10_000;

/// Finds how long an undisturbed turn of the loop takes.
pub(super) fn turn<C: Clock>(clock: C) -> u64 {
    /// Hardly two of as many tries are interrupted; the least is of one that was not.
    const TRIES: usize = 20;
    let once = || {
        let begin = clock.now();
        let mut last = begin;
        for _ in 0..TURNS {
            // The same two instructions as below: what was read is compared, and kept.
            let now = clock.now();
            if std::hint::black_box(now.wrapping_sub(last)) == u64::MAX {
                break;
            }
            last = now;
        }
        last.wrapping_sub(begin) / TURNS as u64
    };
    (0..TRIES).map(|_| once()).min().unwrap_or(0).max(1)
}

/// What the loop looks for, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// The counter's reading that is 0 in the trace.
    pub origin: u64,
    /// Until which reading.
    pub until: u64,
    /// An undisturbed turn.
    pub turn: u64,
    /// A turn of as much is a detour.
    pub threshold: u64,
    pub cpu: CpuId,
}

/// How a burst ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// When it should.
    InTime,
    /// Before, since there was no room for more.
    Full,
}

/// Reads the clock until the time is over.
pub(super) fn look<C: Clock>(
    clock: C,
    search: Search,
    detours: &mut Buffer<Detour>,
    watch: &Watch,
) -> Result<(Burst, Ended), Left> {
    let Search { origin, until, turn, threshold, cpu } = search;
    let begin = clock.stamp().0;
    let mut last = begin;
    let ended = loop {
        let now = clock.now();
        let passed = now.wrapping_sub(last);
        // Two readings may be executed in the other order; what is then below 0 is no detour.
        if passed as i64 >= threshold as i64 {
            let detour = Detour {
                start: Ticks(last.wrapping_sub(origin)),
                length: Ticks(passed.saturating_sub(turn)),
            };
            let kept = detours.push(detour);
            // A move to another CPU is an interruption.
            let (_, here) = clock.stamp();
            if here != cpu {
                return Err(Left::Moved { to: here, after: Ticks(now.wrapping_sub(origin)) });
            }
            if !kept {
                break Ended::Full;
            }
            if watch.is_over() {
                return Err(Left::Asked);
            }
            // What it took to keep it, some 20 ns, is no detour.
            last = clock.now();
        } else {
            last = now;
        }
        if last >= until {
            break Ended::InTime;
        }
    };
    Ok((Burst { begin: Ticks(begin.wrapping_sub(origin)), end: Ticks(last.wrapping_sub(origin)) }, ended))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// A clock that returns given times, and then 10 ticks more each time.
    #[derive(Clone, Copy)]
    struct ScriptedClock<'a> {
        times: &'a [u64],
        at: &'a AtomicUsize,
        cpu: CpuId,
    }

    impl Clock for ScriptedClock<'_> {
        fn now(self) -> u64 {
            let at = self.at.fetch_add(1, Ordering::Relaxed);
            let last = self.times.last().copied().unwrap_or(0);
            self.times.get(at).copied().unwrap_or_else(|| last + (at - self.times.len() + 1) as u64 * 10)
        }

        fn stamp(self) -> (u64, CpuId) {
            (self.now(), self.cpu)
        }
    }

    fn seen(times: &[u64], cpu: u32, room: usize) -> (Result<(Burst, Ended), Left>, Vec<Detour>) {
        let (mut detours, _) = Buffer::new(room, Detour { start: Ticks(1), length: Ticks(1) }).unwrap();
        let asked = || false;
        let watch = Watch { asked: &asked, failed: AtomicBool::new(false) };
        let search = Search { origin: 1000, until: 3000, turn: 10, threshold: 110, cpu: CpuId(1) };
        let clock = ScriptedClock { times, at: &AtomicUsize::new(0), cpu: CpuId(cpu) };
        let ended = look(clock, search, &mut detours, &watch);
        (ended, detours.into_values())
    }

    #[test]
    fn what_is_missing_between_two_readings_is_a_detour() {
        // The begin; a turn; a detour of 500, where it is, and the reading after it; one that is too short; a reading
        // that was executed late; one more detour.
        let times = [1000, 1010, 1520, 1525, 1530, 1639, 1630, 1640, 2000, 2003, 2005];
        let (ended, detours) = seen(&times, 1, 8);
        let burst = Burst { begin: Ticks(0), end: Ticks(2005) };
        assert_eq!(ended, Ok((burst, Ended::InTime)), "it looks until 3000, and not shorter");
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        assert_eq!(detours, [detour(10, 500), detour(640, 350)]);
    }

    #[test]
    fn without_room_it_ends_and_elsewhere_it_does_not_go_on() {
        let times = [1000, 1200, 1201, 1202, 1500, 1501, 1502];
        let (ended, detours) = seen(&times, 1, 1);
        assert_eq!((ended.unwrap().1, detours.len()), (Ended::Full, 1));
        let (ended, _) = seen(&times, 0, 8);
        assert_eq!(ended, Err(Left::Moved { to: CpuId(0), after: Ticks(200) }));
    }
}
