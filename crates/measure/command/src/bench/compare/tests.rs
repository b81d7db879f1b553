use super::*;
use crate::bench::tests::{made, series, setting};
use model::Nanos;
use sandbox::ReferenceTime;
use terminal::Colour;

/// A result of a command that takes `cpu_us` microseconds, on a machine whose fixed work takes `reference_us`.
fn result(cpu_us: u64, reference_us: Option<u64>) -> BenchReport {
    let runs: Vec<u64> = (0..20).map(|run| cpu_us + run % 3 * 10).collect();
    let time = |run: u64, us: u64| {
        let part = Nanos::from_micros(us + run % 2);
        ReferenceTime { compute: part, cache: part, memory: part, wall: part + part + part }
    };
    let times: Vec<_> =
        reference_us.into_iter().flat_map(|us| (0..20).map(move |run| time(run, us))).collect();
    let mut report = made(&setting(&[&["./a"]]), &[series(&runs)], &times);
    if reference_us.is_none() {
        report.tautochrone.reference = None;
    }
    report
}

fn both(first: &BenchReport, second: &BenchReport) -> BenchComparisonReport {
    compare((Path::new("a.json"), first), (Path::new("b.json"), second)).unwrap()
}

fn verdict(first: &BenchReport, second: &BenchReport) -> String {
    let Ratio { verdict, undecided_because, .. } = both(first, second).results.remove(0).cpu_time;
    undecided_because.map_or(verdict.clone(), |why| format!("{verdict}: {why}"))
}

#[test]
fn a_difference_is_compared_with_that_of_the_machine() {
    let calm = result(100_000, Some(2_000));
    assert_eq!(verdict(&calm, &result(104_000, Some(2_001))), "slower");
    assert_eq!(verdict(&calm, &result(96_000, Some(2_001))), "faster");
    assert_eq!(verdict(&calm, &calm), "undecided");
    let changed = verdict(&calm, &result(104_000, Some(2_100)));
    assert_eq!(changed, "undecided: the machine changed, which may account for 15.93 %");
    // The fixed work became slower and the command faster, by as much.
    let changed = verdict(&calm, &result(96_000, Some(2_100)));
    assert_eq!(changed, "undecided: the machine changed, which may account for 15.93 %");
    assert_eq!(verdict(&calm, &result(120_000, Some(2_100))), "slower");
    let mut other = result(104_000, Some(2_100));
    other.tautochrone.machine.kernel = Some("another".to_owned());
    assert_eq!(verdict(&calm, &other), "undecided: the machines differ, which may account for 15.93 %");
}

#[test]
fn without_a_reference_nothing_is_decided() {
    let (with, without) = (result(100_000, Some(2_000)), result(150_000, None));
    let report = both(&with, &without);
    assert_eq!(report.machine_change, None);
    let warning = "b.json has no reference times, so a difference may be the machine's: measure it again";
    assert_eq!(report.warnings, [warning]);
    assert_eq!(verdict(&with, &without), "undecided: a file does not show how the machine was");
    assert_eq!(both(&without, &without).warnings.len(), 2);
}

#[test]
fn the_reference_stands_below_the_commands() {
    let report = both(&result(100_000, Some(2_000)), &result(104_000, Some(2_100)));
    insta::assert_snapshot!(report_of(&report).text(Colour::Off));
}
