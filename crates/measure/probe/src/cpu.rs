//! What is done on one CPU, in a thread of its own.

use super::buffer::Buffer;
use super::counts::Before;
use super::gap::{self, Ended, Search};
use super::priority::{Bursts, Raised};
use super::tsc::Clock;
use super::{Left, Measured, NO_CALLS, NoiseError, Plan, REST, Watch, quantum};
use model::{CpuId, Nanos, Reading};
use noise::{CpuProfile, Detour, GapTrace, QuantumTrace, TickRate, Ticks};
use std::sync::{Barrier, Mutex};
use std::time::Duration;
use system::Roots;

/// Before the calls, before the recording, before the loop.
pub(super) const MEETINGS: usize = 3;
/// More detours a second than these are not noise: the CPU is shared with something that never sleeps.
const DETOURS_PER_SECOND_MAX: u64 = 50_000;
/// 256 MiB on each CPU; a machine of many has as much for each.
const DETOURS_MAX: usize = (256 << 20) / size_of::<Detour>();

/// What a thread is to do.
pub(super) struct Job<'a, C> {
    pub clock: C,
    pub roots: &'a Roots,
    pub plan: &'a Plan,
    /// What is known of the rate so far.
    pub rate: TickRate,
    pub cpu: CpuId,
    pub watch: &'a Watch<'a>,
    pub meeting: &'a Barrier,
    /// The reading that is 0 in the traces of all CPUs that are measured together.
    pub origin: &'a Mutex<Option<u64>>,
}

impl<C: Clock> Job<'_, C> {
    /// Does it. Whatever fails, all meetings are kept, since others wait there.
    pub(super) fn run(self) -> Result<Measured, NoiseError> {
        let mut weaknesses = Vec::new();
        let prepared = self.prepare(&mut weaknesses);
        self.meeting.wait();
        let quanta = match &prepared {
            Ok(Prepared { lost: Some(why), .. }) => Reading::unavailable(why.as_str()),
            Ok(_) => self.quanta(&mut weaknesses),
            Err(_) => Reading::default(),
        };
        self.meeting.wait();
        self.meeting.wait();
        let Prepared { detours, lost } = prepared?;
        if self.watch.is_over() {
            return Err(NoiseError::Asked);
        }
        let gaps = match lost {
            Some(why) => Reading::Unavailable(why),
            None => self.gaps(detours, &mut weaknesses),
        };
        if self.watch.is_over() {
            return Err(NoiseError::Asked);
        }
        Ok(Measured { profile: CpuProfile { cpu: self.cpu, quanta, gaps }, weaknesses })
    }

    fn prepare(&self, weaknesses: &mut Vec<String>) -> Result<Prepared, NoiseError> {
        let count = self.plan.looking.0.saturating_mul(DETOURS_PER_SECOND_MAX) / 1_000_000_000;
        let count = usize::try_from(count).unwrap_or(usize::MAX).clamp(1, DETOURS_MAX);
        let touch = Detour { start: Ticks(1), length: Ticks(1) };
        let (detours, unlocked) = Buffer::new(count, touch).map_err(|_| NoiseError::NoMemory(count))?;
        note_unlocked(unlocked, weaknesses);
        Ok(Prepared { detours, lost: self.go().err() })
    }

    /// Moves to the CPU.
    fn go(&self) -> Result<(), String> {
        let mut mask = rustix::thread::CpuSet::new();
        mask.set(self.cpu.0 as usize);
        let gone = |error: rustix::io::Errno| {
            format!("the probe could not move to CPU {}: {error}; is it online, and allowed here?", self.cpu)
        };
        rustix::thread::sched_setaffinity(None, &mask).map_err(gone)
    }

    fn ticks(&self, time: Nanos) -> u64 {
        (time.as_secs_f64() * self.rate.0).round() as u64
    }

    fn quanta(&self, weaknesses: &mut Vec<String>) -> Reading<QuantumTrace> {
        if self.plan.calls == 0 {
            return Reading::unavailable(NO_CALLS);
        }
        let calls = self.plan.calls as usize;
        let Ok((mut ends, unlocked)) = Buffer::new(calls, Ticks(1)) else {
            return Reading::unavailable(format!("there is no memory for {calls} durations"));
        };
        note_unlocked(unlocked, weaknesses);
        let turns = quantum::calibrate(self.clock, self.ticks(self.plan.quantum));
        if self.watch.is_over() {
            return Reading::Unavailable(self.why(Left::Asked));
        }
        std::thread::sleep(REST);
        match quantum::call(self.clock, turns, calls, self.cpu, &mut ends, self.watch) {
            Err(left) => Reading::Unavailable(self.why(left)),
            Ok(_) => {
                let ends = ends.into_values();
                let starts: Vec<Ticks> = std::iter::once(Ticks(0)).chain(ends.iter().copied()).collect();
                let lengths = starts.windows(2).map(|pair| Ticks(pair[1].0 - pair[0].0)).collect();
                let starts = starts[..ends.len()].to_vec();
                Reading::Known(QuantumTrace { target: self.plan.quantum, starts, lengths })
            }
        }
    }

    fn gaps(&self, mut detours: Buffer<Detour>, weaknesses: &mut Vec<String>) -> Reading<GapTrace> {
        let clock = self.clock;
        let turn = gap::turn(clock);
        let threshold = turn + self.ticks(noise::RESOLUTION);
        let raised = Raised::to(self.plan.priority);
        if let Some(why) = raised.weakness() {
            weaknesses.push(why);
        }
        let Bursts { length, rest } = raised.bursts(self.roots, self.plan.looking);
        let before = Before::read(self.roots, self.cpu);
        let begin = clock.stamp().0;
        // All CPUs count from the same reading, so that what happens on several at once can be seen.
        let origin = match self.origin.lock() {
            Ok(mut origin) => *origin.get_or_insert(begin),
            Err(_) => begin,
        };
        let end = begin.wrapping_add(self.ticks(self.plan.looking));
        let mut bursts = Vec::new();
        let mut failed = None;
        while clock.now() < end {
            let until = clock.now().saturating_add(self.ticks(length)).min(end);
            let search = Search { origin, until, turn, threshold, cpu: self.cpu };
            match gap::look(clock, search, &mut detours, self.watch) {
                Ok((burst, Ended::InTime)) => bursts.push(burst),
                Ok((burst, Ended::Full)) => {
                    bursts.push(burst);
                    weaknesses.push(format!(
                        "CPU {}: there was no room for more detours after {:.1} s",
                        self.cpu,
                        self.rate.nanos(burst.end) / 1e9
                    ));
                    break;
                }
                Err(left) => {
                    failed = Some(self.why(left));
                    break;
                }
            }
            if clock.now() < end && rest > Nanos::ZERO {
                std::thread::sleep(Duration::from_nanos(rest.0));
            }
        }
        let interval = Nanos(self.rate.nanos(Ticks(clock.stamp().0.wrapping_sub(begin))).round() as u64);
        let counts = before.counts_since(self.roots, self.cpu, interval);
        drop(raised);
        if let Some(why) = failed {
            return Reading::Unavailable(why);
        }
        let mut detours = detours.into_values();
        // One that was seen but found no room is no part of a burst.
        detours.retain(|detour| bursts.last().is_some_and(|burst| detour.start < burst.end));
        Reading::Known(GapTrace { turn: Ticks(turn), threshold: Ticks(threshold), bursts, detours, counts })
    }

    fn why(&self, left: Left) -> String {
        match left {
            Left::Asked => "the probe was asked to end".to_owned(),
            Left::Moved { to, after } => format!(
                "the probe was moved from CPU {} to CPU {to} after {:.3} s: the CPU went offline, or another process changed where \
                 the probe may run; measure again",
                self.cpu,
                self.rate.nanos(after) / 1e9
            ),
        }
    }
}

struct Prepared {
    detours: Buffer<Detour>,
    /// Why the CPU cannot be used.
    lost: Option<String>,
}

fn note_unlocked(why: Option<rustix::io::Errno>, weaknesses: &mut Vec<String>) {
    if let Some(error) = why {
        let text = format!(
            "the probe's memory could not be locked ({error}): the kernel may have moved a page of it, which is a detour \
             of the probe's own; run it as root, or raise 'ulimit -l'"
        );
        if !weaknesses.contains(&text) {
            weaknesses.push(text);
        }
    }
}
