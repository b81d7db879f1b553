use super::*;
use crate::series::tests::series;
use stats::Dice;

const RULE: StopRule = StopRule {
    metric: Metric::Cpu,
    reference: 0,
    runs_min: 10,
    runs_max: 200,
    precision: 0.01,
    time_max: Nanos::from_millis(60_000),
};

fn after(rule: StopRule, of: &[Series], runs: usize) -> Option<StopReason> {
    let some: Vec<_> = of.iter().map(|of| Series { runs: of.runs[..runs].to_vec() }).collect();
    rule.decide(&some, Nanos::ZERO)
}

#[test]
fn steady_times_need_the_least_number() {
    let steady = [series((0..30).map(|i| 1000 + i % 3))];
    assert_eq!(after(RULE, &steady, 9), None);
    assert_eq!(after(RULE, &steady, 10), Some(StopReason::Precise));
    let few = StopRule { runs_min: 2, ..RULE };
    assert_eq!(
        (after(few, &steady, 4), after(few, &steady, 6)),
        (None, Some(StopReason::Precise)),
        "six have an interval"
    );
}

#[test]
fn wild_times_end_with_the_most_or_the_time() {
    let wild = [series((0..200).map(|i| 1000 + i * 37 % 400))];
    assert_eq!(after(RULE, &wild, 199), None);
    assert_eq!(after(RULE, &wild, 200), Some(StopReason::RunsMax));
    let late = |runs: usize| {
        let some = [Series { runs: wild[0].runs[..runs].to_vec() }];
        RULE.decide(&some, RULE.time_max)
    };
    assert_eq!((late(9), late(10)), (None, Some(StopReason::TimeMax)));
    let few = StopRule { runs_max: 5, ..RULE };
    assert_eq!(
        after(few, &wild, 5),
        Some(StopReason::RunsMax),
        "the most counts where it is below the least"
    );
}

#[test]
fn commands_are_compared_by_their_ratios() {
    // Each varies by a fifth, and both together.
    let first: Vec<u64> = (0..40).map(|i| 1000 + 100 * (i * 7 % 20) / 10).chain([1000, 1000]).collect();
    let both = [series(first.iter().copied()), series(first.iter().map(|ms| ms * 3))];
    assert_eq!(after(RULE, &both[..1], 42), None);
    assert_eq!(after(RULE, &both, 42), None, "42 runs are no look");
    let looks: Vec<u32> = (1..=200).filter(|runs| RULE.is_look(*runs)).collect();
    assert_eq!(looks, [10, 15, 22, 33, 49, 73, 109, 163, 200]);
    assert_eq!(after(RULE, &both, 33), Some(StopReason::Precise));
}

#[test]
fn unfinished_round_does_not_count() {
    let steady = series((0..10).map(|i| 1000 + i % 3));
    let short = Series { runs: steady.runs[..9].to_vec() };
    assert_eq!(RULE.decide(&[steady, short], Nanos::ZERO), None);
}

/// Returns a normal number (Box and Muller).
fn normal(dice: &mut Dice) -> f64 {
    const PARTS: usize = 1 << 30;
    let mut uniform = || (dice.below(PARTS) as f64 + 0.5) / PARTS as f64;
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

/// Returns a time of a median of 1 s as machines have them: one run in ten is disturbed, which only adds time.
fn drawn(dice: &mut Dice, deviation: f64) -> u64 {
    let disturbed = if dice.below(10) == 0 { 0.1 * normal(dice).abs() } else { 0.0 };
    (1e9 * (deviation * normal(dice) + disturbed).exp()) as u64
}

/// Returns how often the reported interval has the true median, and the mean number of runs.
fn coverage(deviation: f64, trials: usize) -> (f64, f64) {
    const SEED: u64 = 5;
    let mut dice = Dice::new(SEED);
    // The true median, of a sample so large that it is as good as known.
    let mut many: Vec<u64> = (0..100_000).map(|_| drawn(&mut dice, deviation)).collect();
    many.sort_unstable();
    let truth = many[many.len() / 2] as f64;
    let looks: Vec<u32> = (1..=RULE.runs_max).filter(|runs| RULE.is_look(*runs)).collect();
    let (mut covered, mut runs) = (0, 0);
    for _ in 0..trials {
        let times: Vec<f64> = (0..RULE.runs_max).map(|_| drawn(&mut dice, deviation) as f64).collect();
        let until = |runs: u32| vec![times[..runs as usize].to_vec()];
        let end = looks.iter().find(|runs| RULE.is_narrow(&until(**runs))).unwrap_or(&RULE.runs_max);
        let sample = Sample::new(until(*end).remove(0)).unwrap();
        covered += usize::from(stats::median_interval(&sample, USUAL_CONFIDENCE, SEED).contains(truth));
        runs += sample.count();
    }
    (covered as f64 / trials as f64, runs as f64 / trials as f64)
}

/// A rule that stops when an interval is narrow also stops when it is narrow by luck. Three standard deviations of 300 trials with 95 %
/// are 3.8 %; the seed is fixed, so this holds always or never.
#[test]
fn an_interval_of_a_number_of_runs_that_was_not_fixed_has_the_median_about_as_often() {
    for deviation in [0.006, 0.012] {
        let (covered, runs) = coverage(deviation, 300);
        assert!(
            covered > 0.912,
            "{deviation}: {covered} of the intervals have the true median, after {runs} runs"
        );
    }
}
