//! What hosts really carry: which job gets how much CPU, and which is short of it.

use super::task::Rate;
use placement::{Level, Standing};
use serde::{Deserialize, Serialize};

/// The real load of one host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HostLoad {
    capacity_milli: u32,
    /// What the trace says of it, and whether it failed besides.
    #[serde(rename = "said")]
    pub declared: Standing,
    pub is_broken: bool,
    /// CPUs of strict jobs with idle siblings, and what these use.
    strict_milli: u64,
    strict_use_milli: u32,
    /// What standard jobs and jobs of best effort want.
    standard_milli: u64,
    best_effort_milli: u64,
    pub jobs: u32,
    /// The highest demand of standard jobs since the window began.
    pub peak_milli: u32,
}

/// What a host adds to the fleet's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub up_milli: u64,
    pub used_milli: u64,
    pub in_use_milli: u64,
    pub is_up: bool,
    pub is_in_use: bool,
    pub is_hot: bool,
}

/// A host is hot if its jobs want more than this share of its CPUs.
const HOT_PERCENT: u64 = 80;

impl HostLoad {
    pub(super) fn new(capacity_milli: u32) -> Self {
        Self {
            capacity_milli,
            declared: Standing::Up,
            is_broken: false,
            strict_milli: 0,
            strict_use_milli: 0,
            standard_milli: 0,
            best_effort_milli: 0,
            jobs: 0,
            peak_milli: 0,
        }
    }

    pub(super) fn standing(&self) -> Standing {
        if self.is_broken { Standing::Down } else { self.declared }
    }

    fn shared_milli(&self) -> u64 {
        u64::from(self.capacity_milli).saturating_sub(self.strict_milli)
    }

    /// Returns the shares of what they want that jobs get: standard jobs of what strict ones leave, best effort of the rest.
    pub(super) fn rates(&self) -> [Rate; 2] {
        let left = self.shared_milli().saturating_sub(self.standard_milli);
        [Rate::of(self.shared_milli(), self.standard_milli), Rate::of(left, self.best_effort_milli)]
    }

    /// Changes what a job wants from `old` to `new`, in thousandths of a CPU.
    pub(super) fn change(&mut self, level: Level, old: u32, new: u32) {
        let change = |amount: u64| amount + u64::from(new) - u64::from(old);
        match level {
            Level::Strict => {
                self.strict_use_milli = change(self.strict_use_milli.into()) as u32;
            }
            Level::Standard => {
                self.standard_milli = change(self.standard_milli);
                let demand = u32::try_from(self.standard_milli).unwrap_or(u32::MAX);
                self.peak_milli = self.peak_milli.max(demand);
            }
            Level::BestEffort => self.best_effort_milli = change(self.best_effort_milli),
        }
    }

    /// Takes the CPUs of strict jobs, with idle siblings.
    pub(super) fn set_strict(&mut self, milli: u64) {
        self.strict_milli = milli;
    }

    /// Begins a window.
    pub(super) fn take_peak(&mut self) -> u32 {
        let now = u32::try_from(self.standard_milli).unwrap_or(u32::MAX);
        std::mem::replace(&mut self.peak_milli, now)
    }

    pub(super) fn share(&self) -> Share {
        if self.standing() == Standing::Down {
            return Share::default();
        }
        let capacity = u64::from(self.capacity_milli);
        let strict = u64::from(self.strict_use_milli).min(self.strict_milli);
        let shared = self.standard_milli + self.best_effort_milli;
        let is_in_use = self.jobs > 0;
        Share {
            up_milli: capacity,
            used_milli: strict + shared.min(self.shared_milli()),
            in_use_milli: if is_in_use { capacity } else { 0 },
            is_up: true,
            is_in_use,
            is_hot: (strict + shared) * 100 > capacity * HOT_PERCENT,
        }
    }
}

/// The number of hosts is that of the scheduler's.
pub(super) type Places = Vec<HostLoad>;
