//! `tauto noise sources` and `tauto noise report` on profiles of known sources. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::failed;
use model::{CpuId, Nanos, Reading};
use noise::synthetic::{Cloud, Comb, Recipe};
use noise::{CpuProfile, MachineLine, NodeLoad, Profile};
use std::path::Path;
use std::process::Output;

fn profile(tick_hz: f64, seed: u64) -> Profile {
    let mut recipe = Recipe::quiet(10);
    recipe.combs = vec![Comb::new(1000.0, 6_300.0), Comb { phase: 0.11, ..Comb::new(tick_hz, 5_000.0) }];
    recipe.clouds = vec![Cloud { rate_hz: 50.0, length_ns: 2_000.0, length_spread: 0.8 }];
    let mut gaps = recipe.trace(seed);
    gaps.counts.interrupts =
        Reading::Known(vec![("LOC Local timer interrupts".to_owned(), (tick_hz * 10.0) as u64 + 12)]);
    let quanta = recipe.calls(seed + 5, Nanos(155_000), 0.01);
    Profile {
        machine: MachineLine {
            identity: "0123456789abcdef".to_owned(),
            host: "host7".to_owned(),
            processor: "Fast CPU".to_owned(),
            kernel: "6.1.0".to_owned(),
        },
        began_unix_s: 1_700_000_000,
        load: NodeLoad::AllCpus,
        rate: recipe.rate(),
        cpus: vec![
            CpuProfile { cpu: CpuId(0), quanta: Reading::Known(quanta), gaps: Reading::Known(gaps) },
            CpuProfile {
                cpu: CpuId(1),
                quanta: Reading::unavailable("not asked for"),
                gaps: Reading::unavailable("CPU 1 went offline"),
            },
        ],
        weaknesses: vec!["memory could not be locked".to_owned()],
    }
}

fn tauto(folder: &Path, arguments: &[&str]) -> Output {
    common::real::tauto(folder, &[&["noise"], arguments].concat())
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", common::text(&output.stderr));
    common::text(&output.stdout)
}

#[test]
fn sources_have_their_names_as_table_values_and_document() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.noise"), noise::format::encode(&profile(250.0, 1))).unwrap();
    let table = text(&tauto(folder.path(), &["sources", "a.noise"]));
    for expected in
        ["±0.3", "outside this kernel", "LOC Local timer interrupts", "unavailable: CPU 1 went offline"]
    {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    let values = text(&tauto(folder.path(), &["sources", "--csv", "a.noise"]));
    assert_eq!(values.lines().count(), 4, "{values}");
    assert!(values.lines().all(|line| line.split(',').count() == 19), "{values}");
    let document = text(&tauto(folder.path(), &["sources", "--json", "a.noise"]));
    let report: documents::NoiseSourcesReport = documents::from_json(&document).unwrap();
    let found: Vec<_> = report.cpus[0].sources.iter().map(|source| source.origin.status.as_str()).collect();
    assert_eq!(found[..2], ["outside", "explained"], "{document}");
    assert!((report.cpus[0].sources[1].frequency_hz - 250.0).abs() < 0.025, "{document}");
    let calls: Vec<_> =
        report.cpus[0].sources[..2].iter().map(|one| one.in_quanta.as_ref().unwrap()).collect();
    assert!(calls.iter().all(|one| one.status == "seen"), "{calls:?}");
    assert!((calls[1].length_ns.unwrap() / 5_000.0 - 1.0).abs() < 0.2, "{calls:?}");
    assert_eq!(report.cpus[0].quanta.as_ref().unwrap().agreement, "agrees", "{document}");
    assert!(table.contains("in agreement"), "{table}");
    assert_eq!(report.cpus[1].unavailable["share"], "CPU 1 went offline");
    assert_eq!(report.cpus[1].unavailable["quanta"], "not asked for");
}

/// Finds the advice on a source by the beginning of its name.
fn advice<'r>(report: &'r documents::NoiseReport, name: &str) -> &'r documents::NoiseAdvice {
    report.advice.iter().find(|advice| advice.source.starts_with(name)).unwrap()
}

#[test]
fn costs_are_reported_for_the_given_iteration() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.noise"), noise::format::encode(&profile(250.0, 1))).unwrap();
    let document = text(&tauto(folder.path(), &["report", "a.noise", "--tc", "1ms", "--json"]));
    let report: documents::NoiseReport = documents::from_json(&document).unwrap();
    assert_eq!(report.iteration_ns, 1_000_000);
    let one = &report.costs[0].at[0];
    let share = report.sources.cpus[0].share.unwrap();
    // A single process loses T_C nu / (1 - nu), whatever its sources are.
    assert!((one.extra_ns / (1e6 * share / (1.0 - share)) - 1.0).abs() < 0.02, "{one:?}, {share}");
    let short = tauto(folder.path(), &["report", "a.noise", "--tc", "1ns"]);
    failed(&short, 2, "give from 100 ns to 1 min");
}

#[test]
fn a_report_says_what_changed_and_needs_nothing_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.noise"), noise::format::encode(&profile(250.0, 1))).unwrap();
    std::fs::write(folder.path().join("b.noise"), noise::format::encode(&profile(100.0, 2))).unwrap();
    let printed = text(&tauto(folder.path(), &["report", "b.noise", "--before", "a.noise", "--out", "page"]));
    assert!(
        printed.starts_with("- CPU 0 loses ") && printed.ends_with("\n\nreport: page/report.html\n"),
        "{printed}"
    );
    let page = std::fs::read_to_string(folder.path().join("page/report.html")).unwrap();
    for expected in [
        "OS noise of host7",
        "CPU 0: 250.00 Hz x 5.0",
        "has gone.",
        "CPU 0: 100.00 Hz x 5.0",
        "is new.",
        "yes: less",
        "tickless-cpus",
        "no setting of this machine removes them",
        "1d 1,000,000",
        "CPU 0: what cannot be removed here",
        "memory could not be locked",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!elsewhere.contains("http") && !page.contains("NaN"));
    let document = std::fs::read_to_string(folder.path().join("page/report.json")).unwrap();
    let report: documents::NoiseReport = documents::from_json(&document).unwrap();
    assert_eq!(report.iteration_ns, 100_000);
    let (outside, tick) = (advice(&report, "1000."), advice(&report, "100."));
    assert!(!outside.removable && tick.removable, "{document}");
    // With 100 us of computing, 100 Hz hits every hundredth iteration, within the formulas' range; 1000 Hz does not.
    assert!(!outside.is_checked, "{document}");
    let last = report.costs[0].at.last().unwrap();
    assert!(last.not_removable_ns > 0.0 && last.not_removable_ns < last.extra_ns, "{last:?}");
    assert!(report.comparison.unwrap().rows.iter().any(|row| row.what == "taken" && row.significant));
    text(&tauto(folder.path(), &["report", "b.noise", "--before", "a.noise", "--out", "again"]));
    assert_eq!(page, std::fs::read_to_string(folder.path().join("again/report.html")).unwrap());
}

#[test]
fn file_that_is_no_profile_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.noise"), "cpu,what\n").unwrap();
    for command in ["sources", "report"] {
        let output = tauto(folder.path(), &[command, "a.noise"]);
        assert_eq!(output.status.code(), Some(2));
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains("a.noise: this is not a .noise file"), "{printed}");
    }
}

#[test]
fn traces_of_other_programs_are_read_and_one_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.noise"), noise::format::encode(&profile(250.0, 1))).unwrap();
    let exported = tauto(here, &["probe", "--from", "a.noise", "--loggopsim", "trace.txt"]);
    // One of its CPUs was not measured.
    assert_eq!(exported.status.code(), Some(1));
    let trace = std::fs::read_to_string(here.join("trace.txt")).unwrap();
    assert!(trace.contains("\n# Time [ns]\tselfish duration [ns]\n") && !trace.ends_with('\n'), "{trace}");
    let values = text(&tauto(here, &["sources", "--csv", "trace.txt"]));
    assert!(values.contains(",periodic,") && values.lines().count() == 4, "{values}");
    let mut kernel = "# tracer: osnoise\n".to_owned();
    for at in 0..1000 {
        let (second, nanos) = (100 + at / 100, at % 100 * 10_000_000 + at % 7 * 100);
        kernel.push_str(&format!(
            " osnoise/3-961 [003] d.h. {second}.{:06}: irq_noise: local_timer:236 start {second}.{nanos:09} duration {} ns\n",
            nanos / 1000 + 2,
            2000 + at % 11
        ));
    }
    std::fs::write(here.join("osnoise.txt"), &kernel).unwrap();
    let values = text(&tauto(here, &["sources", "--csv", "osnoise.txt"]));
    assert!(values.contains("\n3,periodic,") && values.contains("local_timer"), "{values}");
    std::fs::write(here.join("wrong.txt"), kernel.replace("2003 ns", "2003 us")).unwrap();
    let refused = tauto(here, &["sources", "wrong.txt"]);
    assert_eq!(refused.status.code(), Some(2));
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("wrong.txt: line 5: expected"), "{words}");
    std::fs::write(here.join("fwq_3_times.dat"), "200000\n200100\n220000\n".repeat(500)).unwrap();
    let table = text(&tauto(here, &["sources", "fwq_3_times.dat", "--format", "fwq", "--clock", "2GHz"]));
    assert!(table.contains("CPU 3:"), "{table}");
}
