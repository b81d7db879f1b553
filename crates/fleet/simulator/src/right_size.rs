//! How many CPUs a service needs for its latency goal, under a quota and in a cpuset of its own.
//!
//! Work arrives as the trace shows, evenly within an interval, and is done in the order in which it came. Under a quota the
//! service runs as wide as the machine until the period's quota is used up, then stops until the next period; in a cpuset it
//! runs on a number of CPUs at most. The result is the delay of each unit of work.

mod queue;
mod usage;

pub use queue::{Mode, PERIOD};
pub use usage::{Reading, Usage, UsageError};

use model::Nanos;
use queue::late;
use stats::{Interval, Sample, bootstrap_one, bootstrap_two};
use std::collections::BTreeMap;

/// Blocks of at least this long are drawn again: what is near in time is alike.
const BLOCK_MIN: Nanos = Nanos::from_millis(60_000);
/// More blocks would only take longer.
const BLOCKS_MAX: u64 = 2_000;
/// How sure the interval is.
const CONFIDENCE: f64 = 0.95;
/// Quotas are tried in tenths of a CPU.
const TENTHS: u32 = 10;
const ONE: u64 = 1_000_000;
/// A delay of an hour is none that anybody waits for.
const DELAY_MAX: Nanos = Nanos::from_millis(3_600_000);
/// Delays are found to a tenth of a millisecond.
const DELAY_STEP: Nanos = Nanos::from_micros(100);

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    pub delay: Nanos,
    /// For which part of the work, in millionths.
    pub part_ppm: u32,
    pub machine_cpus: u32,
}

/// The fewest CPUs for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many, in tenths.
    pub tenths: u32,
    /// The delay of half of the work with that number.
    pub delay_p50: Nanos,
    /// The delay at the goal's part of the work.
    pub delay: Nanos,
}

/// What a change from a quota to a cpuset saves.
#[derive(Clone, Debug, PartialEq)]
pub struct RightSize {
    /// Under a quota; `None` if not even the whole machine is enough.
    pub quota: Option<Size>,
    /// In a cpuset of whole CPUs.
    pub cpuset: Option<Size>,
    /// In how many of how many periods the quota stopped the service.
    pub stopped: (u64, u64),
    /// By how many tenths of a CPU the quota is more; negative if it is less. With its interval, if there are two blocks or
    /// more.
    pub saved_tenths: Option<(i64, Option<Interval>)>,
    /// How many blocks were drawn again, and how long each is.
    pub blocks: (usize, Nanos),
}

/// Finds the fewest CPUs of each mode. Without a trace of its own a cpuset is judged by the quota's.
pub fn right_size(quota: &Usage, cpuset: Option<&Usage>, goal: Goal, seed: u64) -> RightSize {
    let mut by_quota = Search::new(quota, goal, true);
    let mut by_cpuset = Search::new(cpuset.unwrap_or(quota), goal, false);
    let (quota_tenths, cpuset_tenths) = (by_quota.fewest(None), by_cpuset.fewest(None));
    let saved = quota_tenths.zip(cpuset_tenths);
    let saved_tenths = saved.map(|(quota_tenths, cpuset_tenths)| {
        let interval = interval(&mut by_quota, &mut by_cpuset, cpuset.is_some(), seed);
        (i64::from(quota_tenths) - i64::from(cpuset_tenths), interval)
    });
    let stopped = quota_tenths.map_or((0, 0), |tenths| queue::stopped(quota, by_quota.mode(tenths)));
    RightSize {
        quota: quota_tenths.map(|tenths| by_quota.size(tenths)),
        cpuset: cpuset_tenths.map(|tenths| by_cpuset.size(tenths)),
        stopped,
        saved_tenths,
        blocks: (by_quota.blocks.len(), by_quota.block),
    }
}

/// Draws blocks of the traces again: the same ones for both modes where both have one trace.
fn interval<'u>(quota: &mut Search<'u>, cpuset: &mut Search<'u>, apart: bool, seed: u64) -> Option<Interval> {
    let numbers =
        |search: &Search<'_>| Sample::new((0..search.blocks.len()).map(|block| block as f64).collect()).ok();
    let (of_quota, of_cpuset) = (numbers(quota)?, numbers(cpuset)?);
    if of_quota.count() < 2 || of_cpuset.count() < 2 {
        return None;
    }
    let (quota, cpuset) = (std::cell::RefCell::new(quota), std::cell::RefCell::new(cpuset));
    // What the whole machine cannot do counts as the whole machine.
    let saved = |first: &[f64], second: &[f64]| {
        let [more, fewer] = [(&quota, first), (&cpuset, second)].map(|(search, drawn)| {
            let mut search = search.borrow_mut();
            let most = search.goal.machine_cpus * TENTHS;
            search.fewest(Some(drawn)).unwrap_or(most)
        });
        f64::from(more) - f64::from(fewer)
    };
    Some(if apart {
        bootstrap_two(&of_quota, &of_cpuset, |first, second| saved(first, second), CONFIDENCE, seed)
    } else {
        bootstrap_one(&of_quota, |drawn| saved(drawn, drawn), CONFIDENCE, seed)
    })
}

/// The search for the fewest CPUs of one mode.
struct Search<'u> {
    usage: &'u Usage,
    goal: Goal,
    is_quota: bool,
    block: Nanos,
    /// The work that arrives in each block.
    blocks: Vec<u64>,
    /// The work of each block that is later than the goal, by tenths of a CPU.
    late: BTreeMap<u32, Vec<u64>>,
}

impl<'u> Search<'u> {
    fn new(usage: &'u Usage, goal: Goal, is_quota: bool) -> Self {
        let block = BLOCK_MIN.max(Nanos(usage.length().0.div_ceil(BLOCKS_MAX)));
        Self { usage, goal, is_quota, block, blocks: usage.blocks(block), late: BTreeMap::new() }
    }

    fn mode(&self, tenths: u32) -> Mode {
        if self.is_quota {
            Mode::Quota { tenths, machine_cpus: self.goal.machine_cpus }
        } else {
            Mode::CpuSet { cpus: tenths / TENTHS }
        }
    }

    /// Returns whether that number is enough: for the trace, or for blocks of it that were drawn.
    fn is_enough(&mut self, tenths: u32, drawn: Option<&[f64]>) -> bool {
        let (mode, usage, delay, block) = (self.mode(tenths), self.usage, self.goal.delay, self.block);
        let late_work = self.late.entry(tenths).or_insert_with(|| late(usage, mode, delay, block));
        let sums = |block: usize| [u128::from(late_work[block]), u128::from(self.blocks[block])];
        let add = |sum: [u128; 2], block: usize| {
            let [late, all] = sums(block);
            [sum[0] + late, sum[1] + all]
        };
        let [late, all] = match drawn {
            // They are numbers of blocks.
            Some(drawn) => drawn.iter().fold([0, 0], |sum, block| add(sum, *block as usize)),
            None => (0..self.blocks.len()).fold([0, 0], add),
        };
        late * u128::from(ONE) <= all * u128::from(ONE - u64::from(self.goal.part_ppm))
    }

    /// Returns the fewest tenths of a CPU that are enough: more never delay anything.
    fn fewest(&mut self, drawn: Option<&[f64]>) -> Option<u32> {
        let step = if self.is_quota { 1 } else { TENTHS };
        let (mut below, mut enough) = (0, self.goal.machine_cpus * TENTHS / step);
        if !self.is_enough(enough * step, drawn) {
            return None;
        }
        while enough - below > 1 {
            let middle = below + (enough - below) / 2;
            if self.is_enough(middle * step, drawn) {
                enough = middle;
            } else {
                below = middle;
            }
        }
        Some(enough * step)
    }

    fn size(&self, tenths: u32) -> Size {
        let delay_of = |part_ppm: u32| {
            let allowed = u128::from(self.usage.work()) * u128::from(ONE - u64::from(part_ppm));
            let is_over = |delay: Nanos| {
                let late = late(self.usage, self.mode(tenths), delay, self.block);
                late.into_iter().map(u128::from).sum::<u128>() * u128::from(ONE) > allowed
            };
            if !is_over(Nanos::ZERO) {
                return Nanos::ZERO;
            }
            let (mut below, mut enough) = (0, DELAY_MAX.0 / DELAY_STEP.0);
            while enough - below > 1 {
                let middle = below + (enough - below) / 2;
                if is_over(DELAY_STEP.saturating_mul(middle)) {
                    below = middle;
                } else {
                    enough = middle;
                }
            }
            DELAY_STEP.saturating_mul(enough)
        };
        Size { tenths, delay_p50: delay_of(500_000), delay: delay_of(self.goal.part_ppm) }
    }
}
