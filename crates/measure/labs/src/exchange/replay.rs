//! Computes the time of a block that only the injected detours disturb: the article's model, for few ranks and with the
//! phases that the program drew.

use super::{Plan, Work};

/// The costs of a block's work without disturbances, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A call of the counting function.
    pub call_ns: f64,
    /// How long one exchange with all neighbours takes a rank.
    pub exchange_ns: f64,
}

/// One rank's clock and its next detours.
struct Clock {
    time: f64,
    /// Next due time, period and length of each source.
    due: Vec<(f64, f64, f64)>,
}

impl Clock {
    /// Works for this long, plus the detours that are due meanwhile, including those during a detour.
    fn work(&mut self, length: f64) {
        let (begin, mut end) = (self.time, self.time + length);
        for (due, period, _) in &mut self.due {
            // Detours that were due since the last call found the rank waiting.
            if *due < begin {
                *due += ((begin - *due) / *period).ceil() * *period;
            }
        }
        while let Some((due, period, length)) =
            self.due.iter_mut().filter(|next| next.0 < end).min_by(|a, b| a.0.total_cmp(&b.0))
        {
            end += *length;
            *due += *period;
        }
        self.time = end;
    }
}

/// Returns the ranks' mean time for the iterations of a round, in ns.
pub fn replay(plan: &Plan, work: Work, injected: bool, round: u32, costs: Costs) -> f64 {
    let mut clocks: Vec<Clock> = (0..plan.ranks())
        .map(|rank| {
            let sources = plan.injections.iter().enumerate().filter(|(_, one)| injected && one.is_on(rank));
            let due = sources
                .map(|(at, one)| (plan.first_due_ns(round, at, rank), one.period_ns(), one.source.length_ns))
                .collect();
            Clock { time: 0.0, due }
        })
        .collect();
    let boundary = costs.call_ns * f64::from(plan.boundary_permille) / 1000.0;
    // When its messages have arrived, if the receiver polls.
    let mut sent = vec![0.0; clocks.len()];
    for _ in 0..plan.iterations {
        for (clock, sent) in clocks.iter_mut().zip(&mut sent) {
            match work {
                Work::Alone | Work::Blocking => clock.work(costs.call_ns),
                Work::Bare => {}
                Work::Overlapped => clock.work(boundary),
            }
            *sent = clock.time + costs.exchange_ns;
            if work == Work::Overlapped {
                clock.time += costs.exchange_ns;
                clock.work(costs.call_ns - boundary);
                if !plan.makes_progress() {
                    *sent = clock.time;
                }
            }
        }
        if work == Work::Alone {
            continue;
        }
        for rank in 0..clocks.len() {
            let neighbours = &sent[rank.saturating_sub(1)..(rank + 2).min(sent.len())];
            let last = neighbours.iter().copied().fold(0.0, f64::max);
            clocks[rank].time = clocks[rank].time.max(last);
        }
    }
    clocks.iter().map(|clock| clock.time).sum::<f64>() / clocks.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::Phases;
    use super::super::plan::tests::{injection, plan};
    use super::*;
    use model::{Bytes, CpuId};

    const COSTS: Costs = Costs { call_ns: 75_000.0, exchange_ns: 1_000.0 };

    fn iteration(plan: &Plan, work: Work, injected: bool) -> f64 {
        let rounds = 20;
        let sum: f64 = (0..rounds).map(|round| replay(plan, work, injected, round, COSTS)).sum();
        sum / f64::from(rounds * plan.iterations)
    }

    #[track_caller]
    fn near(found: f64, expected: f64, part: f64) {
        assert!((found - expected).abs() <= part * expected.abs(), "{found} is not {expected}");
    }

    #[test]
    fn without_noise_times_add_up() {
        let plan = plan();
        near(iteration(&plan, Work::Alone, false), 75_000.0, 1e-9);
        near(iteration(&plan, Work::Bare, false), 1_000.0, 1e-9);
        near(iteration(&plan, Work::Blocking, false), 76_000.0, 1e-9);
        near(iteration(&plan, Work::Overlapped, false), 76_000.0, 1e-9);
    }

    #[test]
    fn one_rank_loses_the_share_of_the_noise() {
        // Each detour finds the rank at work, so all of them count: T_C / (1 - nu).
        near(iteration(&plan(), Work::Alone, true), 75_000.0 / (1.0 - 0.013), 1e-3);
    }

    #[test]
    fn two_ranks_that_wait_lose_twice_and_common_phases_once() {
        let mut plan = plan();
        plan.injections = vec![injection(100.0, 20_000.0)];
        // Rare detours of two ranks seldom meet, and each holds up both.
        let own = iteration(&plan, Work::Blocking, true) - iteration(&plan, Work::Blocking, false);
        near(own, 2.0 * 76_000.0 * 0.002, 0.1);
        plan.phases = Phases::Common;
        let common = iteration(&plan, Work::Blocking, true) - iteration(&plan, Work::Blocking, false);
        near(common, 76_000.0 * 0.002, 0.1);
    }

    #[test]
    fn overlapping_takes_what_is_shorter_than_the_rest_of_the_call() {
        let mut plan = plan();
        plan.cpus = (0..16).map(CpuId).collect();
        plan.injections = vec![injection(100.0, 20_000.0)];
        let added = |work| iteration(&plan, work, true) - iteration(&plan, work, false);
        let (blocking, overlapped) = (added(Work::Blocking), added(Work::Overlapped));
        assert!(overlapped < 0.5 * blocking, "{overlapped} of {blocking}");
        // At least as much as every rank loses by itself.
        assert!(overlapped > 0.9 * 76_000.0 * 0.002, "{overlapped}");
    }

    #[test]
    fn overlapping_without_progress_waits_like_blocking() {
        let mut plan = plan();
        plan.cpus = (0..16).map(CpuId).collect();
        plan.injections = vec![injection(100.0, 20_000.0)];
        let added = |plan: &Plan, work| iteration(plan, work, true) - iteration(plan, work, false);
        let blocking = added(&plan, Work::Blocking);
        plan.tests = 0;
        near(added(&plan, Work::Overlapped), blocking, 0.05);
        plan.message = Bytes(8);
        assert!(added(&plan, Work::Overlapped) < 0.5 * blocking);
    }

    #[test]
    fn noise_on_one_rank_reaches_all() {
        let mut plan = plan();
        plan.cpus = (0..4).map(CpuId).collect();
        plan.injections[0].ranks = Some([3].into());
        let added = iteration(&plan, Work::Blocking, true) - iteration(&plan, Work::Blocking, false);
        near(added, 76_000.0 * 0.013, 0.05);
    }
}
