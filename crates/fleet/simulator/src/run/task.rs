//! A job of the trace, from its arrival to its end.

use super::places::HostLoad;
use crate::trace::JobRecord;
use placement::{HostId, Job, Level};
use serde::{Deserialize, Serialize};

/// A job, waiting or on a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub name: Box<str>,
    pub job: Job,
    pub arrived_ms: u64,
    /// Since when it has been without a host, and since when it waits for a decision.
    pub alone_ms: u64,
    pub asked_ms: u64,
    pub for_ms: Option<u64>,
    uses: Box<[(u64, u32)]>,
    pub is_elastic: bool,
    /// When it was placed for the first time, and where.
    pub start: Option<(u64, HostId)>,
    /// Where it is; [`NOWHERE`] while it waits.
    pub host: HostId,
    /// How much of its own time has passed, in thousandths of a millisecond; behind the clock if it was slowed.
    done: u64,
    next_use: u32,
    /// What it wants now, in thousandths of a CPU; 0 while it waits.
    pub use_milli: u32,
    /// Until when it is accounted for.
    since_ms: u64,
    /// Until when it stands still after a move, and how long it has stood in all.
    paused_until_ms: u64,
    pub paused_ms: u64,
    /// Its event that counts; earlier ones are void.
    pub generation: u32,
    /// In this window: CPU time in thousandths of milliseconds, how long, and the peak.
    window: Window,
    /// CPU time that it wanted in all, and what it did not get, in thousandths of milliseconds.
    pub wanted: u64,
    pub missed: u64,
    /// How long it got less than it wanted and had requested.
    pub short_ms: u64,
    pub moves: u32,
    pub restarts: u32,
}

pub(super) const NOWHERE: HostId = HostId::MAX;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Window {
    area: u64,
    length_ms: u64,
    peak_milli: u32,
}

/// Which share of what is wanted is given: at most all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rate {
    pub given: u64,
    pub wanted: u64,
}

impl Rate {
    pub(super) const FULL: Self = Self { given: 1, wanted: 1 };
    const NONE: Self = Self { given: 0, wanted: 1 };

    /// Makes the rate at which an amount is shared by the jobs that want it.
    pub(super) fn of(room: u64, wanted: u64) -> Self {
        if wanted <= room { Self::FULL } else { Self { given: room, wanted } }
    }

    fn of_amount(self, amount: u64) -> u64 {
        let given = u128::from(amount) * u128::from(self.given) / u128::from(self.wanted);
        u64::try_from(given).unwrap_or(u64::MAX)
    }
}

impl Task {
    pub(super) fn new(record: JobRecord, job: Job) -> Self {
        let uses = if record.uses.is_empty() { vec![(0, record.cpu_milli)] } else { record.uses };
        Self {
            name: record.name.into(),
            job,
            arrived_ms: record.at_ms,
            alone_ms: record.at_ms,
            asked_ms: record.at_ms,
            for_ms: record.for_ms,
            uses: uses.into(),
            is_elastic: record.elastic,
            start: None,
            host: NOWHERE,
            done: 0,
            next_use: 0,
            use_milli: 0,
            since_ms: record.at_ms,
            paused_until_ms: 0,
            paused_ms: 0,
            generation: 0,
            window: Window::default(),
            wanted: 0,
            missed: 0,
            short_ms: 0,
            moves: 0,
            restarts: 0,
        }
    }

    /// Begins on a host, or goes on after a restart.
    pub(super) fn begin(&mut self, at_ms: u64, host: HostId) {
        self.start.get_or_insert((at_ms, host));
        self.host = host;
        self.since_ms = at_ms;
        self.window = Window::default();
        self.change_use();
    }

    /// Loses its host: batch work begins anew, a service goes on and misses what it wants until it has another.
    pub(super) fn stop(&mut self, at_ms: u64) {
        self.restarts += 1;
        self.host = NOWHERE;
        self.alone_ms = at_ms;
        self.paused_until_ms = 0;
        self.generation += 1;
        if self.is_elastic {
            (self.done, self.use_milli, self.next_use) = (0, 0, 0);
        }
    }

    /// Accounts for the time without a host after it lost one. Returns whether its time was over meanwhile.
    pub(super) fn miss(&mut self, at_ms: u64) -> bool {
        if self.start.is_none() || self.is_elastic {
            return false;
        }
        while let Some(next_ms) = self.next_ms(Rate::FULL).filter(|next_ms| *next_ms <= at_ms) {
            self.account(next_ms, Rate::NONE);
            if self.change_use() {
                return true;
            }
        }
        self.account(at_ms, Rate::NONE);
        false
    }

    /// Returns until when it is accounted for.
    pub(super) fn accounted_ms(&self) -> u64 {
        self.since_ms
    }

    /// Returns the CPUs that a strict job has for itself, in thousandths.
    fn own_milli(&self) -> u32 {
        self.job.request.cpu_milli.div_ceil(1000) * 1000
    }

    /// Returns what it wants of its host: a strict job's threads share its own cores, however many they are.
    pub(super) fn demand_milli(&self) -> u32 {
        match self.job.level {
            Level::Strict => self.use_milli.min(self.own_milli()),
            Level::Standard | Level::BestEffort => self.use_milli,
        }
    }

    /// Returns the share of what it wants that it gets on a host.
    pub(super) fn rate_on(&self, place: &HostLoad) -> Rate {
        let [standard, best_effort] = place.rates();
        match self.job.level {
            Level::Strict => Rate::of(self.own_milli().into(), self.use_milli.into()),
            Level::Standard => standard,
            Level::BestEffort => best_effort,
        }
    }

    /// Accounts for the time until now, in which it had this rate, unless it stood still.
    pub(super) fn settle(&mut self, at_ms: u64, rate: Rate) {
        let still_ms = self.paused_until_ms.min(at_ms);
        if self.since_ms < still_ms {
            self.paused_ms += still_ms - self.since_ms;
            self.account(still_ms, Rate::NONE);
        }
        self.account(at_ms, rate);
    }

    fn account(&mut self, at_ms: u64, rate: Rate) {
        let length_ms = at_ms - self.since_ms;
        if length_ms == 0 {
            return;
        }
        self.since_ms = at_ms;
        let wanted = u64::from(self.use_milli) * length_ms;
        let time = length_ms * 1000;
        self.wanted += wanted;
        let given = if rate == Rate::FULL { wanted } else { rate.of_amount(wanted) };
        if given < wanted {
            self.missed += wanted - given;
            // What it uses beyond its request was never promised.
            let promised = u64::from(self.job.request.cpu_milli) * length_ms;
            if given < promised {
                self.short_ms += length_ms;
            }
        }
        self.done += if self.is_elastic { rate.of_amount(time) } else { time };
        // The kernel reports how long a job waited for CPUs (pressure stall information), so what it wanted is known. Seen by what
        // they got, jobs on an overloaded host would look small and draw others there.
        self.window.area += wanted;
        self.window.length_ms += length_ms;
        self.window.peak_milli = self.window.peak_milli.max(self.use_milli);
    }

    /// Stands still for a while: a service misses it, batch work takes longer.
    pub(super) fn pause(&mut self, pause_ms: u64) {
        self.paused_until_ms = self.paused_until_ms.max(self.since_ms + pause_ms);
    }

    /// Takes the use that is due by now. Returns whether it is over.
    pub(super) fn change_use(&mut self) -> bool {
        while let Some((offset, amount)) = self.uses.get(self.next_use as usize)
            && offset * 1000 <= self.done
        {
            self.use_milli = *amount;
            self.next_use += 1;
        }
        self.for_ms.is_some_and(|for_ms| for_ms * 1000 <= self.done)
    }

    /// Returns when its use changes next or it ends, if its rate stays; `None` if never.
    pub(super) fn next_ms(&self, rate: Rate) -> Option<u64> {
        let change = self.uses.get(self.next_use as usize).map(|(offset, _)| *offset);
        let due = match (change, self.for_ms) {
            (Some(change), Some(end)) => change.min(end),
            (change, end) => change.or(end)?,
        };
        let left = (due * 1000).saturating_sub(self.done);
        if !self.is_elastic {
            return Some(self.since_ms + left.div_ceil(1000));
        }
        if rate.given == 0 {
            return None;
        }
        let slowed = u128::from(left) * u128::from(rate.wanted);
        let slowed = slowed.div_ceil(u128::from(rate.given) * 1000);
        let begun_ms = self.since_ms.max(self.paused_until_ms);
        Some(begun_ms.saturating_add(u64::try_from(slowed).unwrap_or(u64::MAX)))
    }

    /// Returns mean and peak of the window, and begins the next.
    pub(super) fn take_window(&mut self) -> Option<placement::predict::ObservedLoad> {
        let Window { area, length_ms, peak_milli } = std::mem::take(&mut self.window);
        let mean_milli = u32::try_from(area.checked_div(length_ms)?).unwrap_or(u32::MAX);
        Some(placement::predict::ObservedLoad { mean_milli, peak_milli: peak_milli.max(mean_milli) })
    }
}
