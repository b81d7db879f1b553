//! Which pool gives sure verdicts for the least money.

use super::course::seed_of;
use super::day::{Day, Pool, PoolName, Truth};
use super::place::{Follows, Happens, JudgingPlace};
use super::quantiles::ONE;
use super::work::{Verdicted, Work};
use documents::SimPrice;
use judging_steps::Order;
use model::{Nanos, Verdict};
use std::collections::BTreeMap;

/// A wrong verdict is not noticed, so it must be rarer than what more machines could make good, in thousandths of all; a
/// program within the machines' own noise of its limit gets one anywhere.
pub const UNSURE_MAX_PERMILLE: u64 = 10;

/// Judges some submissions on each pool by the strict rule, each alone on a machine of its own draw, and returns the pools
/// by the cost of a sure verdict; those without a price, or without a sure verdict, come last.
pub fn price(day: &Day, pools: &[&Pool], sample: &[(usize, &Truth)], seed: u64) -> Vec<SimPrice> {
    let mut priced: Vec<SimPrice> = pools.iter().map(|pool| price_one(day, pool, sample, seed)).collect();
    let rank = |one: &SimPrice| (one.sure_cost_micros.is_none(), one.sure_cost_micros, one.pool.clone());
    priced.sort_by_key(rank);
    priced
}

/// Returns the pool on which strict jobs are surest for their cost: the cheapest of those that leave at most
/// [`UNSURE_MAX_PERMILLE`] undecided, wrong or too close to tell. The pools are in the order of their cost.
pub fn surest(priced: &[SimPrice]) -> Option<&SimPrice> {
    let is_sure = |one: &&SimPrice| {
        (one.undecided + one.wrong + one.too_close) * 1000 <= one.judgements * UNSURE_MAX_PERMILLE
    };
    priced.iter().filter(|one| one.sure_cost_micros.is_some()).find(is_sure)
}

fn price_one(day: &Day, pool: &Pool, sample: &[(usize, &Truth)], seed: u64) -> SimPrice {
    let [slowdown_p50_ppm, slowdown_p90_ppm, slowdown_p99_ppm] =
        [50, 90, 99].map(|percent| pool.noise.slowdown.at(percent * (ONE / 100)));
    let (mut repeated, mut repeats, mut undecided, mut wrong, mut too_close, mut used) =
        (0, 0, 0, 0, 0, 0_u128);
    for (machine, one) in sample.iter().enumerate() {
        let place = JudgingPlace::new(pool, seed_of(&pool.noise, seed, machine as u64, 0));
        let verdicted = alone(day, pool, place, *one);
        let verdict = verdicted.judged.outcome.verdict.0;
        repeated += u64::from(verdicted.repeats > 0);
        repeats += verdicted.repeats;
        undecided += u64::from(verdict == Verdict::JudgingError);
        if verdict != Verdict::JudgingError && verdict != verdicted.truth {
            *(if verdicted.is_too_close { &mut too_close } else { &mut wrong }) += 1;
        }
        used += u128::from(verdicted.used.0);
    }
    let judgements = sample.len() as u64;
    let per = |whole: u128, of: u64| u64::try_from(whole / u128::from(of.max(1))).unwrap_or(u64::MAX);
    const HOUR: u128 = 3_600_000_000_000;
    let whole_cost =
        pool.price_micros.map(|price| u128::from(price) * used / (HOUR * u128::from(pool.places)));
    let sure = judgements - undecided - wrong - too_close;
    SimPrice {
        pool: pool.name.clone(),
        slowdown_p50_ppm,
        slowdown_p90_ppm,
        slowdown_p99_ppm,
        judgements,
        repeated,
        repeats,
        undecided,
        wrong,
        too_close,
        used_ns: per(used, judgements),
        cost_micros: whole_cost.map(|cost| per(cost, judgements)),
        sure_cost_micros: whole_cost.filter(|_| sure > 0).map(|cost| per(cost, sure)),
    }
}

/// Judges a submission on a place that has nothing else to do.
fn alone(day: &Day, pool: &Pool, mut place: JudgingPlace, one: (usize, &Truth)) -> Verdicted {
    place.open(0, Order::default(), Work::open(day, one, pool, PoolName::Strict));
    let mut agenda: BTreeMap<(Nanos, u64), Happens> = BTreeMap::new();
    let (mut now, mut events) = (Nanos::ZERO, 0);
    loop {
        let mut follows = Follows::default();
        place.go_on(day, now, &mut follows);
        if let Some((_, verdicted)) = follows.done.pop() {
            return verdicted;
        }
        for (at, what) in follows.happens {
            events += 1;
            agenda.insert((at, events), what);
        }
        let ((at, _), what) = agenda.pop_first().expect("a judging that is not done waits for something");
        now = at;
        place.happened(now, what);
    }
}
