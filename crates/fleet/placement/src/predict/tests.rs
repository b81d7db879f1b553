//! What a predictor learns from made-up loads.

use super::*;

const WINDOW_MS: u64 = 5 * MINUTE_MS;
const DAY_MS: u64 = 24 * 60 * MINUTE_MS;

/// Repeatable noise from 0 up to a bound.
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % end
    }
}

fn seen(milli: u32) -> ObservedLoad {
    ObservedLoad { mean_milli: milli, peak_milli: milli }
}

/// Observes jobs for some windows and returns the series.
fn observe(
    predictor: &mut Predictor,
    jobs: u32,
    windows: u64,
    mut load: impl FnMut(u32, u64) -> u32,
    service: impl Fn(u32) -> Option<NameId>,
) -> Vec<Series> {
    let mut all: Vec<_> = (0..jobs).map(|job| predictor.begin(service(job), 1000, 0)).collect();
    for at_ms in (1..=windows).map(|window| window * WINDOW_MS) {
        for (job, series) in (0..).zip(&mut all) {
            predictor.observe(series, seen(load(job, at_ms)), at_ms);
        }
    }
    all
}

#[test]
fn a_job_of_a_known_service_begins_with_its_load_at_that_time_of_day() {
    let mut predictor = Predictor::new(Options::default());
    let by_night = |_, at_ms: u64| if at_ms % DAY_MS <= DAY_MS / 2 { 800 } else { 100 };
    observe(&mut predictor, 1, 288, by_night, |_| Some(7));
    let begun = |service, at_ms| {
        let series = predictor.begin(service, 2000, at_ms);
        predictor.forecast(&series, at_ms).mean_milli
    };
    let (night, day) = (begun(Some(7), DAY_MS + DAY_MS / 4), begun(Some(7), DAY_MS + DAY_MS * 3 / 4));
    assert!((1400.0..1700.0).contains(&night) && (150.0..500.0).contains(&day), "{night} {day}");
    let (unknown, none) = (begun(Some(8), DAY_MS), begun(None, DAY_MS));
    assert!(
        unknown == none && (150.0..500.0).contains(&none),
        "{unknown} {none}: about an eighth of the request"
    );
}

#[test]
fn a_load_that_depends_on_the_time_of_day_is_foreseen() {
    let load = |job: u32, at_ms: u64| {
        let phase = (at_ms / WINDOW_MS + u64::from(job) * 72) % 288;
        // Four hours at 800 a day, twice.
        if phase % 144 < 48 { 800 } else { 100 }
    };
    let error = |service: fn(u32) -> Option<NameId>| {
        let mut predictor = Predictor::new(Options::default());
        let mut all: Vec<_> = (0..64).map(|job| predictor.begin(service(job % 4), 1000, 0)).collect();
        let mut error = 0.0;
        for at_ms in (1..=288 * 6).map(|window| window * WINDOW_MS) {
            for (job, series) in (0..).zip(&mut all) {
                predictor.observe(series, seen(load(job % 4, at_ms)), at_ms);
                if at_ms > 5 * DAY_MS {
                    let hour = (1..=12).map(|ahead| load(job % 4, at_ms + ahead * WINDOW_MS)).sum::<u32>();
                    error += (predictor.forecast(series, at_ms).mean_milli - f64::from(hour) / 12.0).abs();
                }
            }
        }
        error
    };
    let (with, without) = (error(Some), error(|_| None));
    assert!(with < 0.8 * without, "{with} {without}");
}

#[test]
fn the_quantile_is_exceeded_with_its_share_and_sums_by_their_variance() {
    for (permille, deviations) in [(500, 0.0), (900, 1.2816), (950, 1.6449)] {
        let mut predictor = Predictor::new(Options { quantile_permille: permille, ..Options::default() });
        let mut noise = Noise(u64::from(permille));
        let load = |job: u32, noise: &mut Noise| 100 + job + noise.below(400);
        let all = observe(&mut predictor, 100, 600, |job, _| load(job, &mut noise), |_| None);
        let at_ms = 600 * WINDOW_MS;
        let forecasts: Vec<_> = all.iter().map(|series| predictor.forecast(series, at_ms)).collect();
        let (mean, variance) = forecasts
            .iter()
            .fold((0.0, 0.0), |(mean, variance), one| (mean + one.mean_milli, variance + one.variance));
        let loads = (0..200).flat_map(|_| 0..100_u32).map(|job| (job as usize, load(job, &mut noise)));
        let below = loads.filter(|(job, load)| *load <= predictor.quantile(&all[*job], at_ms)).count();
        let expect = f64::from(permille) / 1000.0;
        assert!((below as f64 / 20_000.0 - expect).abs() < 0.04, "{permille}: {below} of 20000");
        // An even load from 0 to 400 has the variance 400²/12.
        let (peak, wanted) = (mean + deviations * variance.sqrt(), 34_900.0 + deviations * 1155.0);
        assert!((peak - wanted).abs() < 700.0, "{permille}: {peak} for {wanted}");
    }
}

#[test]
fn a_steady_new_job_is_known_to_be_steady_however_unusual() {
    let mut predictor = Predictor::new(Options::default());
    let all = observe(&mut predictor, 1, 12, |_, _| 900, |_| None);
    let forecast = predictor.forecast(&all[0], 12 * WINDOW_MS);
    assert!(
        (800.0..1000.0).contains(&forecast.mean_milli) && forecast.variance.sqrt() < 90.0,
        "{forecast:?}"
    );
}

#[test]
fn peaks_count_for_the_variance() {
    let mut predictor = Predictor::new(Options::default());
    let [mut calm, mut bursty] = [(); 2].map(|()| predictor.begin(None, 1000, 0));
    for at_ms in (1..=100).map(|window| window * WINDOW_MS) {
        predictor.observe(&mut calm, seen(200), at_ms);
        predictor.observe(&mut bursty, ObservedLoad { mean_milli: 200, peak_milli: 600 }, at_ms);
    }
    let [calm, bursty] = [calm, bursty].map(|series| predictor.forecast(&series, 100 * WINDOW_MS));
    assert!((calm.mean_milli - bursty.mean_milli).abs() < 40.0, "{calm:?} {bursty:?}");
    assert!(calm.variance.sqrt() < 100.0 && bursty.variance.sqrt() > 250.0, "{calm:?} {bursty:?}");
}

#[test]
fn a_load_far_beyond_the_request_is_followed_and_teaches_others_nothing() {
    let mut predictor = Predictor::new(Options::default());
    for request in [0, 1, 100] {
        let mut series = predictor.begin(Some(1), request, 0);
        for window in 1..=300 {
            predictor.observe(&mut series, seen(60_000), window * WINDOW_MS);
        }
        let at_ms = 300 * WINDOW_MS;
        let (mean, quantile) =
            (predictor.forecast(&series, at_ms).mean_milli, predictor.quantile(&series, at_ms));
        assert!(
            (54_000.0..66_000.0).contains(&mean) && (54_000..90_000).contains(&quantile),
            "{mean} {quantile}"
        );
    }
    let mut series = predictor.begin(None, 1, 0);
    (1..1000).for_each(|window| predictor.observe(&mut series, seen(u32::MAX), window * WINDOW_MS));
    assert_eq!((predictor.mean, predictor.quantile), (starting::mean(), starting::quantile(950)));
}

#[test]
fn nothing_at_all_is_predicted_of_idle_jobs() {
    let mut predictor = Predictor::new(Options::default());
    let all = observe(&mut predictor, 20, 3000, |_, _| 0, |_| None);
    let forecast = predictor.forecast(&all[0], 3000 * WINDOW_MS);
    assert!(forecast.mean_milli < 5.0 && forecast.variance < 1.0, "{forecast:?}");
    assert!(predictor.quantile(&all[0], 3000 * WINDOW_MS) < 10);
}

#[test]
fn a_stored_predictor_continues_with_the_same_bytes() {
    let mut noise = Noise(3);
    let mut predictor = Predictor::new(Options::default());
    let mut all =
        observe(&mut predictor, 40, 100, |_, _| noise.below(900), |job| (job % 3 > 0).then_some(job % 3));
    let stored = serde_json::to_string(&(&predictor, &all)).unwrap();
    let (mut other, mut others): (Predictor, Vec<Series>) = serde_json::from_str(&stored).unwrap();
    for at_ms in (101..200).map(|window| window * WINDOW_MS) {
        for (series, same) in all.iter_mut().zip(&mut others) {
            let load = seen(noise.below(900));
            predictor.observe(series, load, at_ms);
            other.observe(same, load, at_ms);
        }
    }
    let bytes = |both: &(Predictor, Vec<Series>)| serde_json::to_string(both).unwrap();
    assert_eq!(bytes(&(predictor, all)), bytes(&(other, others)));
}

#[test]
fn any_lengths_of_window_and_horizon_are_taken() {
    for (window_ms, horizon_ms, quantile_permille) in
        [(0, 0, 0), (1, 1, 1000), (1000, 60 * MINUTE_MS, 999), (DAY_MS, MINUTE_MS, 990), (1, DAY_MS, 700)]
    {
        let mut predictor = Predictor::new(Options { window_ms, horizon_ms, quantile_permille });
        let mut series = predictor.begin(Some(1), 1000, 0);
        (1..500).for_each(|window| predictor.observe(&mut series, seen(300), window * window_ms.max(1)));
        let at_ms = 500 * window_ms;
        let (forecast, quantile) = (predictor.forecast(&series, at_ms), predictor.quantile(&series, at_ms));
        assert!((150.0..450.0).contains(&forecast.mean_milli), "{window_ms} {horizon_ms}: {forecast:?}");
        assert!((150..600).contains(&quantile), "{window_ms} {horizon_ms}: {quantile}");
    }
}
