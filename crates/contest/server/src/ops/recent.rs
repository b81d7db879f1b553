//! How long the last judgements of each pool took: by these an operator decides how many judgehosts there are.

use contest_rules::view::JudgementTimes;
use contest_rules::{Instant, PoolId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Enough for the slowest of a hundred, and few enough to follow a contest's course.
const KEPT: usize = 256;

/// The last judgements of each pool, since the server was started.
#[derive(Debug, Default)]
pub struct RecentJudgements {
    pools: Mutex<BTreeMap<PoolId, Recent>>,
}

#[derive(Debug, Default)]
struct Recent {
    verdicts_ms: VecDeque<u64>,
    judgings_ms: VecDeque<u64>,
}

/// What the last judgements of a pool took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    pub verdict_p99_ms: Option<u64>,
    pub judging_mean_ms: Option<u64>,
}

impl RecentJudgements {
    /// Notes a judgement that ends now.
    pub fn note(&self, times: &JudgementTimes<'_>, now: Instant) {
        let since = |then: Instant| u64::try_from((now - then).0).unwrap_or(0);
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = pools.entry(times.pool.clone()).or_default();
        add(&mut recent.verdicts_ms, times.received.map(since));
        add(&mut recent.judgings_ms, times.begun.map(since));
    }

    pub fn of(&self, pool: &str) -> Took {
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((_, recent)) = pools.iter().find(|(id, _)| id.as_str() == pool) else {
            return Took::default();
        };
        let mut verdicts: Vec<u64> = recent.verdicts_ms.iter().copied().collect();
        verdicts.sort_unstable();
        // The nearest rank: of fewer than a hundred it is the slowest.
        let rank = (verdicts.len() * 99).div_ceil(100).saturating_sub(1);
        let count = recent.judgings_ms.len() as u64;
        let sum: u64 = recent.judgings_ms.iter().sum();
        Took { verdict_p99_ms: verdicts.get(rank).copied(), judging_mean_ms: sum.checked_div(count) }
    }
}

fn add(kept: &mut VecDeque<u64>, took_ms: Option<u64>) {
    if kept.len() == KEPT {
        kept.pop_front();
    }
    kept.extend(took_ms);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_count() {
        let (pool, recent) = ("strict".parse().unwrap(), RecentJudgements::default());
        assert_eq!(recent.of("strict"), Took::default());
        for (index, took) in (0..1_000).zip([10, 20, 30, 40].into_iter().cycle()) {
            let received = (index % 2 == 0).then_some(Instant(0));
            recent.note(&JudgementTimes { pool: &pool, received, begun: Some(Instant(5)) }, Instant(took));
        }
        assert_eq!(recent.of("strict"), Took { verdict_p99_ms: Some(30), judging_mean_ms: Some(20) });
        assert_eq!(recent.of("fast"), Took::default());
    }
}
