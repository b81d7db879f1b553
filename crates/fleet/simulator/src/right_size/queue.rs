//! Work that waits for CPUs, as straight lines: how much has arrived, and how much is done.

use super::TENTHS;
use super::usage::{Reading, Usage};
use model::Nanos;

/// The period of a quota: the kernel's usual one.
pub const PERIOD: Nanos = Nanos::from_millis(100);
/// Work that is missing because of rounding is not late.
const SLACK: u64 = 1_000;

/// What limits a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// This many tenths of a CPU in each period, as wide as the machine.
    Quota {
        /// The quota, in tenths of a CPU.
        tenths: u32,
        machine_cpus: u32,
    },
    CpuSet {
        cpus: u32,
    },
}

/// A straight line of work that is done: from an instant and an amount to others.
#[derive(Clone, Copy, Debug)]
struct Line {
    from: (Nanos, u64),
    to: (Nanos, u64),
}

impl Line {
    fn at(&self, at: Nanos) -> u64 {
        let (time, work) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let part = u128::from(work) * u128::from((at - self.from.0).0) / u128::from(time.0.max(1));
        // It is at most the difference.
        self.from.1 + part as u64
    }
}

/// The lines of the work that is done, one after the other. The last never ends.
struct Done<'u> {
    readings: &'u [Reading],
    /// In which interval, of which there are no more after the last.
    next: usize,
    now: Nanos,
    done: u64,
    /// How much it may do per nanosecond, in tenths.
    width: u64,
    /// The quota of a period and what is left of it.
    quota: Option<(u64, u64)>,
    all: u64,
    /// In how many periods the quota was used up while there was work.
    stopped: u64,
}

impl<'u> Done<'u> {
    fn new(usage: &'u Usage, mode: Mode) -> Self {
        let (cpus, quota) = match mode {
            Mode::CpuSet { cpus } => (cpus, None),
            Mode::Quota { tenths, machine_cpus } => {
                (machine_cpus, Some(u64::from(tenths) * PERIOD.0 / u64::from(TENTHS)))
            }
        };
        Self {
            readings: usage.readings(),
            next: 0,
            now: Nanos::ZERO,
            done: 0,
            width: u64::from(cpus),
            quota: quota.map(|quota| (quota, quota)),
            all: usage.work(),
            stopped: 0,
        }
    }

    /// Goes to an instant at which `done` is done.
    fn go(&mut self, to: Nanos, done: u64) -> Line {
        let from = (self.now, self.done);
        // Rounding may have gone a nanosecond too far.
        let done = done.max(self.done);
        if let Some((quota, left)) = &mut self.quota {
            *left = left.saturating_sub(done - self.done);
            if to.0.is_multiple_of(PERIOD.0) {
                *left = *quota;
            }
        }
        (self.now, self.done) = (to, done);
        if self.readings.get(self.next).is_some_and(|reading| reading.to <= to) {
            self.next += 1;
        }
        Line { from, to: (to, done) }
    }
}

impl Iterator for Done<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.done == self.all && self.next == self.readings.len() {
            return Some(self.go(Nanos(u64::MAX), self.all));
        }
        let now = self.now;
        // After the trace nothing arrives.
        let after = Reading { from: now, to: Nanos(u64::MAX), before: self.all, after: self.all };
        let reading = *self.readings.get(self.next).unwrap_or(&after);
        let arrived = reading.arrived(now);
        let backlog = arrived.saturating_sub(self.done);
        let (work, length) =
            (u128::from(reading.after - reading.before), u128::from((reading.to - reading.from).0));
        let fits = |rate: u128, per: u128| work * per <= rate * length;
        let mut end = reading.to;
        if let Some((quota, left)) = self.quota {
            let period_end = Nanos((now.0 / PERIOD.0 + 1) * PERIOD.0);
            if backlog == 0
                && now.0.is_multiple_of(PERIOD.0)
                && end - now >= PERIOD
                && fits(u128::from(quota), u128::from(PERIOD.0))
                && fits(u128::from(self.width), 1)
            {
                // Periods in which everything is done as it arrives.
                let to = Nanos(end.0 / PERIOD.0 * PERIOD.0);
                return Some(self.go(to, reading.arrived(to)));
            }
            end = end.min(period_end);
            if left == 0 {
                self.stopped += u64::from(reading.arrived(end) > self.done && end == period_end);
                return Some(self.go(end, self.done));
            }
        }
        let left = self.quota.map_or(u64::MAX, |(_, left)| left);
        if backlog == 0 && fits(u128::from(self.width), 1) {
            // What arrives is done at once, until the quota is used up.
            if reading.arrived(end).saturating_sub(self.done) <= left {
                return Some(self.go(end, reading.arrived(end)));
            }
            let lasts = (u128::from(left) * length).div_ceil(work);
            let to = Nanos(now.0 + lasts as u64).min(end);
            return Some(self.go(to, self.done + left));
        }
        // As wide as may be, until the backlog or the quota is used up.
        let mut lasts = (end - now).0.min(left.div_ceil(self.width));
        if !fits(u128::from(self.width), 1) {
            let to = Nanos(now.0 + lasts);
            let done = self.done + (self.width * lasts).min(left);
            return Some(self.go(to, done.min(reading.arrived(to))));
        }
        let spare = u128::from(self.width) * length - work;
        if spare > 0 {
            let empty = (u128::from(backlog) * length).div_ceil(spare);
            lasts = lasts.min(u64::try_from(empty).unwrap_or(u64::MAX)).max(1);
        }
        let to = Nanos(now.0 + lasts);
        let done = self.done + (u128::from(self.width) * u128::from(lasts)).min(u128::from(left)) as u64;
        Some(self.go(to, done.min(reading.arrived(to))))
    }
}

/// Returns how much of the work of each block is done later than this delay.
pub(super) fn late(usage: &Usage, mode: Mode, delay: Nanos, block: Nanos) -> Vec<u64> {
    let mut late = vec![0; usage.length().0.div_ceil(block.0) as usize];
    let mut lines = Done::new(usage, mode);
    let mut line = lines.next().expect("the last line never ends");
    for reading in usage.readings() {
        let mut at = reading.from;
        while at < reading.to {
            while line.to.0 <= at + delay {
                line = lines.next().expect("the last line never ends");
            }
            let number = at.0 / block.0;
            let to = reading.to.min(Nanos((number + 1) * block.0)).min(line.to.0 - delay);
            // How much of what arrived by then is still not done when the delay is over.
            let missing = |at: Nanos| {
                i128::from(reading.arrived(at)) - i128::from(line.at(at + delay)) - i128::from(SLACK)
            };
            let (first, last) = (missing(at), missing(to));
            let work = i128::from(reading.arrived(to) - reading.arrived(at));
            let part = match (first > 0, last > 0) {
                (true, true) => work,
                (false, false) => 0,
                (true, false) => work * first / (first - last),
                (false, true) => work * last / (last - first),
            };
            // It is at most the work.
            late[number as usize] += part as u64;
            at = to;
        }
    }
    late
}

/// Returns in how many periods a quota stops the service, and how many periods there are.
pub(super) fn stopped(usage: &Usage, mode: Mode) -> (u64, u64) {
    let mut lines = Done::new(usage, mode);
    while lines.next().is_some_and(|line| line.to.0 < usage.length()) {}
    (lines.stopped, usage.length().0.div_ceil(PERIOD.0))
}
