//! From made-up runs to what people read.

use super::commands::{Command, Hooks, quoted};
use super::document::Done;
use super::measuring::Setting;
use super::{document, export, text};
use bench::{LoadShare, Measured, Metric, Series, StopReason, StopRule};
use labs::load::{LoadKind, LoadPlan};
use model::{
    Bytes, Evidence, HardwareCounts, Nanos, Reading, RunEnd, RunResult, Unusual, UnusualKind, Usage,
};
use sandbox::ReferenceTime;
use terminal::Colour;

pub(super) fn setting(commands: &[&[&str]]) -> Setting {
    let none = Reading::unavailable("a test");
    let command = |argv: &&[&str]| {
        let argv: Vec<String> = argv.iter().map(ToString::to_string).collect();
        Command { name: None, line: quoted(&argv), argv, parameters: Vec::new(), hooks: Hooks::default() }
    };
    Setting {
        commands: commands.iter().map(command).collect(),
        shell: None,
        metric: Metric::Cpu,
        reference: 0,
        stop: None,
        machine: documents::MachineIdentity::new(
            &Reading::Known("Fast CPU".to_owned()),
            &Reading::Known(2),
            &Reading::Known(Bytes::from_mib(1024)),
            &none,
            &Reading::Known("none".to_owned()),
            "0".to_owned(),
        ),
        cpus: "1".parse().unwrap(),
        is_shared: false,
        warm_ups: 1,
        runs: 8,
        load: None,
        warnings: Vec::new(),
    }
}

/// Runs of these microseconds of CPU time; one that took a tenth longer lost that to the hypervisor.
pub(super) fn series(cpu_us: &[u64]) -> Series {
    let lowest = cpu_us.iter().min().copied().unwrap_or(0);
    let steal = Unusual { what: UnusualKind::Steal, seen: 2e8, usual: 1e6 };
    let run = |us: &u64| Measured {
        result: RunResult {
            end: RunEnd::Exited(0),
            usage: Usage {
                cpu_time: Nanos::from_micros(*us),
                user_time: Reading::Known(Nanos::from_micros(us - 500)),
                system_time: Reading::Known(Nanos::from_micros(500)),
                wall_time: Nanos::from_micros(us + 250),
                instructions: Reading::default(),
                memory_peak: Reading::Known(Bytes::from_kib(740)),
                forced_switches: Reading::Known(4),
                voluntary_switches: Reading::Known(1),
                ..Usage::default()
            },
            evidence: Evidence {
                cpus: "1".parse().unwrap(),
                steal: Reading::Known(Nanos::from_millis(if *us > lowest * 11 / 10 { 20 } else { 0 })),
                interrupts: Reading::Known(25),
                unusual: Reading::Known(if *us > lowest * 11 / 10 { vec![steal] } else { Vec::new() }),
                ..Evidence::default()
            },
        },
        load: None,
    };
    Series { runs: cpu_us.iter().map(run).collect() }
}

const A: [u64; 8] = [101_000, 100_200, 100_300, 100_400, 100_100, 100_250, 125_000, 100_150];

pub(super) fn made(
    setting: &Setting,
    series: &[Series],
    reference: &[ReferenceTime],
) -> documents::BenchReport {
    document::make(setting, &Done { series, reference, stopped: None }).unwrap()
}

fn shown(setting: &Setting, series: &[Series], each: bool) -> String {
    let shown = text::TextOptions { each, by_time: false };
    text::report(&made(setting, series, &[]), shown).text(Colour::Off)
}

#[test]
fn one_command() {
    insta::assert_snapshot!(shown(&setting(&[&["./a.out", "a b"]]), &[series(&A)], true), @r"
    ./a.out 'a b'
                     mean  deviation      median      lowest     highest      CV
    ────────────────────────────────────────────────────────────────────────────
    CPU time   103.425 ms   8.722 ms  100.275 ms  100.100 ms  125.000 ms  8.43 %
    wall time  103.675 ms   8.722 ms  100.525 ms  100.350 ms  125.250 ms  8.41 %

    two lowest         100.200 ms: after 3 runs the two lowest agree within 1 %
    median within      100.150 ms to 101.000 ms, with 95 % confidence
    spread             24.900 ms, 24.88 % of the lowest
    made of            user 102.925 ms, system 500.0 us; 740.0 KiB of memory at most
    around it          4.0 involuntary and 1.0 voluntary context switches, 25.0 interrupts, steal 2.500 ms, others' CPU time unknown: means of a run
    disturbed runs     1 of 8
    outliers           run 1, 101.000 ms (+0.7 %): no disturbance seen
                       run 7, 125.000 ms (+24.7 %): the hypervisor took 20.0 ms; the hypervisor took 200.0 ms a second, 1.0 ms are usual
    runs needed        10 for 1 % at power 0.8: 2 more than there are, of this and another command

    run    CPU time   wall time     memory  involuntary  voluntary    steal  interrupts  disturbance
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      1  101.000 ms  101.250 ms  740.0 KiB            4          1      0 s          25  none seen
      2  100.200 ms  100.450 ms  740.0 KiB            4          1      0 s          25  none seen
      3  100.300 ms  100.550 ms  740.0 KiB            4          1      0 s          25  none seen
      4  100.400 ms  100.650 ms  740.0 KiB            4          1      0 s          25  none seen
      5  100.100 ms  100.350 ms  740.0 KiB            4          1      0 s          25  none seen
      6  100.250 ms  100.500 ms  740.0 KiB            4          1      0 s          25  none seen
      7  125.000 ms  125.250 ms  740.0 KiB            4          1  20.0 ms          25  the hypervisor took 20.0 ms; the hypervisor took 200.0 ms a second, 1.0 ms
                                                                                         are usual
      8  100.150 ms  100.400 ms  740.0 KiB            4          1      0 s          25  none seen

    runs               8 after 1 warm-up, on CPU 1, no load
    machine            Fast CPU, 2 cores, 1.00 GiB, kernel unknown, hypervisor none
    ");
}

#[test]
fn two_commands_under_a_load() {
    let with_load =
        LoadPlan { kind: LoadKind::Memory, cpus: "0".parse().unwrap(), floating: false, folder: "/".into() };
    let setting = Setting {
        load: Some(with_load),
        warnings: vec!["mind the gap".to_owned()],
        ..setting(&[&["./a.out"], &["./b.out"]])
    };
    let b = A.map(|us| us * 102 / 100 + us % 7 * 100);
    let mut both = [series(&A), series(&b)];
    for (of, mib) in both.iter_mut().zip([1000, 1010]) {
        for run in &mut of.runs {
            run.load = Some(LoadShare { work: Bytes::from_mib(mib).0 / 10, during: Nanos::from_millis(100) });
        }
    }
    insta::assert_snapshot!(shown(&setting, &both, false), @r"
    B takes 1.0225 times the CPU time of A, 95 % confidence 1.0208 to 1.0245: slower

    p-values           0.0078 (Wilcoxon signed-rank), 0.0078 (sign test), 0.0078 (permutation test): CPU time of 8 pairs in turns
    wall time          1.0224 times that of A, 1.0208 to 1.0244: slower
    pairs needed       11 for 1 % at power 0.8: 3 more than there are
    load               did 1.010 times as much during B as during A

    A  ./a.out
                     mean  deviation      median      lowest     highest      CV
    ────────────────────────────────────────────────────────────────────────────
    CPU time   103.425 ms   8.722 ms  100.275 ms  100.100 ms  125.000 ms  8.43 %
    wall time  103.675 ms   8.722 ms  100.525 ms  100.350 ms  125.250 ms  8.41 %

    two lowest         100.200 ms: after 3 runs the two lowest agree within 1 %
    median within      100.150 ms to 101.000 ms, with 95 % confidence
    spread             24.900 ms, 24.88 % of the lowest
    made of            user 102.925 ms, system 500.0 us; 740.0 KiB of memory at most
    around it          4.0 involuntary and 1.0 voluntary context switches, 25.0 interrupts, steal 2.500 ms, others' CPU time unknown: means of a run
    disturbed runs     1 of 8
    outliers           run 1, 101.000 ms (+0.7 %): no disturbance seen
                       run 7, 125.000 ms (+24.7 %): the hypervisor took 20.0 ms; the hypervisor took 200.0 ms a second, 1.0 ms are usual
    load did           1000.0 MiB in a second

    B  ./b.out
                     mean  deviation      median      lowest     highest      CV
    ────────────────────────────────────────────────────────────────────────────
    CPU time   105.756 ms   8.836 ms  102.630 ms  102.102 ms  127.600 ms  8.36 %
    wall time  106.006 ms   8.836 ms  102.880 ms  102.352 ms  127.850 ms  8.34 %

    two lowest         102.404 ms: after 3 runs the two lowest agree within 1 %
    median within      102.253 ms to 103.420 ms, with 95 % confidence
    spread             25.498 ms, 24.97 % of the lowest
    made of            user 105.256 ms, system 500.0 us; 740.0 KiB of memory at most
    around it          4.0 involuntary and 1.0 voluntary context switches, 25.0 interrupts, steal 2.500 ms, others' CPU time unknown: means of a run
    disturbed runs     1 of 8
    outliers           run 7, 127.600 ms (+24.3 %): the hypervisor took 20.0 ms; the hypervisor took 200.0 ms a second, 1.0 ms are usual
    load did           1010.0 MiB in a second

    runs               8 of each, in turns (A B, B A, ...) after 1 warm-up, on CPU 1, load memory on CPU 0
    machine            Fast CPU, 2 cores, 1.00 GiB, kernel unknown, hypervisor none
    warning            mind the gap
    ");
}

#[test]
fn few_runs_say_what_they_cannot() {
    let setting = setting(&[&["./a.out"], &["./b.out"]]);
    let text = shown(&setting, &[series(&[100_000, 90_000]), series(&[80_000])], false);
    for words in [
        "90.000 ms is the lowest of 2 runs, but the second is 11.11 % above it",
        "80.000 ms is the only one",
        "; 6 pairs are needed for an interval",
        "1 of 8 wanted of each, in turns",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let half = [series(&[1_000]), Series::default()];
    assert!(document::make(&setting, &Done { series: &half, reference: &[], stopped: None }).is_none());
}

#[test]
fn a_lower_time_after_the_agreement_is_reported() {
    let text = shown(&setting(&[&["./a.out"]]), &[series(&[100_000, 100_100, 100_000, 80_000])], false);
    assert!(
        text.contains("100.000 ms after 3 runs, which agreed within 1 %; but a later run was 20.00 % lower"),
        "{text}"
    );
}

#[test]
fn what_is_not_known_of_a_run_is_in_no_mean() {
    let mut series = series(&[100_000, 100_100, 100_200]);
    let usage = &mut series.runs[1].result.usage;
    *usage = Usage::of_times(usage.cpu_time, usage.wall_time, "not measured");
    let text = shown(&setting(&[&["./a.out"]]), &[series], true);
    for words in [
        "made of            user unknown, system unknown; memory unknown",
        "around it          unknown involuntary and unknown voluntary context switches, 25.0 interrupts",
        "2  100.100 ms  100.350 ms          ?            ?          ?    0 s",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Four commands: one is slower, one is the same, and one waits.
fn four() -> (Setting, Vec<Series>) {
    let mut setting = setting(&[&["./a"], &["./b", "1|2"], &["./c"], &["./d"]]);
    for (command, (name, n)) in setting.commands.iter_mut().zip([("a", 1), ("b", 2), ("c", 3), ("d", 4)]) {
        command.name = (name == "c").then(|| "the third".to_owned());
        command.parameters = vec![("n".to_owned(), n.to_string())];
    }
    let slower = A.map(|us| us * 102 / 100);
    let same = A.map(|us| us + us % 3 * 10);
    let mut all = vec![series(&slower), series(&A), series(&same), series(&A)];
    for run in &mut all[3].runs {
        run.result.usage.wall_time = Nanos(run.result.usage.wall_time.0 * 3);
    }
    (setting, all)
}

#[test]
fn four_commands_stand_in_a_table() {
    let (mut setting, series) = four();
    setting.reference = 1;
    let times = ReferenceTime {
        compute: Nanos(2_000_000),
        cache: Nanos(1_000_000),
        memory: Nanos(3_000_000),
        wall: Nanos(6_000_000),
    };
    let report = made(&setting, &series, &[times; 8]);
    let shown = text::TextOptions { each: false, by_time: true };
    insta::assert_snapshot!(text::report(&report, shown).text(Colour::Off));
    let by_wall = made(&Setting { metric: Metric::Both, ..setting }, &series, &[]);
    insta::assert_snapshot!(text::report(&by_wall, text::TextOptions::default()).text(Colour::Off));
}

#[test]
fn nothing_is_faster_if_runs_failed() {
    let setting = setting(&[&["./a.out"], &["false"]]);
    let mut both = [series(&A), series(&A.map(|us| us / 2))];
    assert!(shown(&setting, &both, false).contains(": faster"), "without failures");
    both[1].runs.iter_mut().for_each(|run| run.result.end = RunEnd::Exited(3));
    let report = made(&setting, &both, &[]);
    let ratio = &report.tautochrone.comparisons[0].comparison.cpu_time;
    let why = "of B, 8 of 8 runs failed (exit code 3)";
    assert_eq!((ratio.verdict.as_str(), ratio.undecided_because.as_deref()), ("undecided", Some(why)));
    assert_eq!(report.tautochrone.comparison.as_ref().unwrap().cpu_time.verdict, "undecided");
    let warning = format!("{why}: their times count all the same, as --ignore-failure asks");
    assert_eq!(report.tautochrone.warnings, [warning]);
    let text = shown(&setting, &both, false);
    assert!(text.contains(why) && !text.contains("faster"), "{text}");
    let table = export::markdown(&report);
    assert!(table.ends_with("| 8 of 8 runs failed (exit code 3) |\n"), "{table}");
    // Runs of the reference count as well, and ends are counted apart.
    both[0].runs[1].result.end = RunEnd::Exited(1);
    both[0].runs[2].result.end = RunEnd::Signaled(11);
    both[1].runs.iter_mut().for_each(|run| run.result.end = RunEnd::Exited(0));
    let text = shown(&setting, &both, false);
    let why = "of A, 2 of 8 runs failed (a signal or a limit: 1, exit code 1: 1)";
    assert!(text.contains(why) && !text.contains("faster"), "{text}");
}

#[test]
fn exports_have_hyperfines_columns() {
    let (setting, series) = four();
    let report = made(&setting, &series, &[]);
    insta::assert_snapshot!(export::csv(&report));
    insta::assert_snapshot!(export::markdown(&report));
}

#[test]
fn the_metric_decides_what_two_commands_are_compared_by() {
    let mut setting = setting(&[&["sleep", "0.1"], &["sleep", "0.2"]]);
    let mut both = [series(&A), series(&A)];
    for run in &mut both[1].runs {
        run.result.usage.wall_time = Nanos(run.result.usage.wall_time.0 * 2);
    }
    let text = shown(&setting, &both, false);
    assert!(
        text.contains("times the CPU time of A, 95 % confidence 1.0000 to 1.0000: no difference detected"),
        "{text}"
    );
    let hint = "CPU times do not show by how much B and A differ: --metric wall";
    let wall = "B takes 2.0000 times the wall time of A, 95 % confidence 2.0000 to 2.0000: slower";
    assert!(text.contains(hint) && text.contains(wall), "{text}");
    setting.metric = Metric::Wall;
    let text = shown(&setting, &both, false);
    assert!(text.contains(wall), "{text}");
    assert!(text.contains("CPU time           1.0000 times that of A") && !text.contains("hint"), "{text}");
    assert!(text.contains("two lowest         100.450 ms: after 3 runs"), "{text}");
}

#[test]
fn an_automatic_number_says_why_it_was_enough() {
    let rule = StopRule {
        metric: Metric::Cpu,
        reference: 0,
        runs_min: 5,
        runs_max: 90,
        precision: 0.005,
        time_max: Nanos::from_millis(90_000),
    };
    let setting = Setting { runs: rule.runs_max, stop: Some(rule), ..setting(&[&["./a"]]) };
    let series = [series(&A)];
    for (stopped, words) in [
        (
            Some(StopReason::Precise),
            "8 after 1 warm-up|enough because     the two lowest agree, and there is a 95 % interval of 0.5 % or less",
        ),
        (
            Some(StopReason::RunsMax),
            "enough because     90 runs are the most, without a 95 % interval of 0.5 % (--max-runs, --precision)",
        ),
        (
            Some(StopReason::TimeMax),
            "enough because     90.000 s are over, without a 95 % interval of 0.5 % (--max-time, --precision)",
        ),
        (None, "8 of 90 wanted after 1 warm-up"),
    ] {
        let report = document::make(&setting, &Done { series: &series, reference: &[], stopped }).unwrap();
        let text = text::report(&report, text::TextOptions::default()).text(Colour::Off);
        assert!(words.split('|').all(|words| text.contains(words)), "{words}: {text}");
    }
}

#[test]
fn counters_say_whether_the_program_or_the_machine_made_the_difference() {
    let counted = |cpu_us: &[u64], cycles| {
        let mut series = series(cpu_us);
        for run in &mut series.runs {
            let counts = HardwareCounts { instructions: 1_000_000_000, cycles, ..HardwareCounts::default() };
            run.result.evidence.hardware = Reading::Known(counts);
        }
        series
    };
    let both = [counted(&A, 2_000_000_000), counted(&A.map(|us| us * 114 / 100), 2_280_000_000)];
    let text = shown(&setting(&[&["./a.out"], &["./b.out"]]), &both, false);
    for words in [
        "counted            1.0000 G instructions, 2.2800 G cycles, 0.44 instructions per cycle: medians of the runs",
        "counted            the same instructions, 14.0 % more cycles: the machine, not the program",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
