//! The rule in an hour in which others shared the cores of a virtual machine.
//!
//! A program was run 1600 times on a dedicated CPU, while loads computed on the others. This is every sixteenth of its
//! runs, by time: what it took, in thousandths of what it takes undisturbed, and by how many thousandths its core was seen
//! to be slower than at its best; 0 stands for less than 100, which was not kept.

#![expect(clippy::disallowed_macros, reason = "prints a figure for people who read the output")]

use model::{Evidence, LimitKind, Nanos, Reading, RunEnd, RunResult, Slowdown, Usage, Verdict};
use ruling::{RuleNumbers, Ruling, TimeRule};
use stats::Dice;

const HOUR: [(u64, u32); 100] = [
    (1000, 0),
    (1002, 517),
    (1003, 0),
    (1004, 0),
    (1005, 0),
    (1006, 0),
    (1007, 100),
    (1008, 114),
    (1010, 0),
    (1011, 0),
    (1012, 125),
    (1013, 0),
    (1014, 373),
    (1015, 131),
    (1016, 125),
    (1018, 0),
    (1019, 0),
    (1020, 0),
    (1021, 0),
    (1023, 864),
    (1024, 0),
    (1025, 0),
    (1027, 119),
    (1028, 113),
    (1029, 259),
    (1031, 0),
    (1032, 136),
    (1034, 152),
    (1036, 475),
    (1038, 330),
    (1039, 292),
    (1041, 100),
    (1043, 106),
    (1045, 0),
    (1047, 0),
    (1050, 121),
    (1053, 0),
    (1056, 180),
    (1058, 0),
    (1061, 0),
    (1064, 123),
    (1066, 109),
    (1069, 223),
    (1071, 0),
    (1074, 793),
    (1078, 726),
    (1081, 0),
    (1083, 0),
    (1087, 301),
    (1088, 846),
    (1091, 121),
    (1094, 845),
    (1097, 239),
    (1100, 296),
    (1102, 0),
    (1105, 252),
    (1108, 0),
    (1112, 149),
    (1117, 727),
    (1119, 331),
    (1123, 102),
    (1126, 214),
    (1130, 990),
    (1134, 303),
    (1138, 1673),
    (1143, 373),
    (1149, 1087),
    (1155, 1175),
    (1158, 246),
    (1166, 210),
    (1174, 0),
    (1181, 1098),
    (1191, 539),
    (1196, 845),
    (1203, 0),
    (1211, 688),
    (1217, 495),
    (1226, 0),
    (1235, 165),
    (1238, 775),
    (1244, 826),
    (1249, 394),
    (1261, 835),
    (1267, 813),
    (1276, 577),
    (1284, 996),
    (1294, 718),
    (1301, 815),
    (1313, 1921),
    (1326, 966),
    (1338, 405),
    (1349, 133),
    (1361, 838),
    (1374, 510),
    (1385, 989),
    (1401, 983),
    (1410, 881),
    (1427, 1035),
    (1457, 1145),
    (1499, 1179),
];
const JUDGEMENTS: u32 = 2000;
/// Judgements of a program whose author chooses its times.
const ATTACKS: u32 = 500;

/// How judgements ended.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    judgements: u32,
    accepted: u32,
    /// Accepted by the first run; the others were over the limit before, with another output.
    accepted_at_once: u32,
    over: u32,
    undecided: u32,
    runs: u32,
}

impl Outcome {
    fn percent(&self, count: u32) -> f64 {
        f64::from(count) * 100.0 / f64::from(self.judgements)
    }

    fn runs_each(&self) -> f64 {
        f64::from(self.runs) / f64::from(self.judgements)
    }
}

fn run(cpu_time: Nanos, slowdown: u32) -> RunResult {
    RunResult {
        end: RunEnd::Exited(0),
        usage: Usage { cpu_time, ..Usage::default() },
        evidence: Evidence { core_slowdown: Reading::Known(Slowdown(slowdown)), ..Evidence::default() },
    }
}

/// Judges a submission; `draw` makes its n-th run, from 0.
fn judge(
    rule: TimeRule,
    (seed, judgements): (u64, u32),
    mut draw: impl FnMut(&mut Dice, usize) -> RunResult,
) -> Outcome {
    let mut dice = Dice::new(seed);
    let mut outcome = Outcome { judgements, ..Outcome::default() };
    for _ in 0..judgements {
        let mut runs = Vec::new();
        let end = loop {
            runs.push(draw(&mut dice, runs.len()));
            match rule.rule(&runs, rule.repeats_allowed(1).saturating_sub(runs.len() as u32 - 1)) {
                Ruling::RunAgain { .. } => {}
                end => break end,
            }
        };
        outcome.runs += runs.len() as u32;
        match end {
            Ruling::CheckOutput { run } => {
                outcome.accepted += 1;
                outcome.accepted_at_once += u32::from(run == 0);
            }
            Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, .. } => outcome.over += 1,
            _ => outcome.undecided += 1,
        }
    }
    outcome
}

/// Judges a program of a second that needs this many per cent of its limit.
fn honest(numbers: RuleNumbers, needs_percent: u64) -> Outcome {
    let rule = TimeRule::of(numbers, Nanos::from_micros(1_000_000 * 100 / needs_percent));
    judge(rule, (needs_percent, JUDGEMENTS), |dice, _| {
        let (permille, slowdown) = HOUR[dice.below(HOUR.len())];
        run(Nanos::from_millis(permille), slowdown)
    })
}

#[test]
fn a_bad_hour_makes_few_verdicts_wrong() {
    for (needs, wrong_max, undecided_max) in [
        (97, 0.5, 0.5),
        (98, 0.5, 0.5),
        (99, 2.0, 5.0),
        (101, 0.0, 65.0),
        (102, 0.0, 35.0),
        (103, 0.0, 25.0),
        (110, 0.0, 1.0),
    ] {
        let mut before: Option<(u32, u32)> = None;
        for numbers in RuleNumbers::VERSIONS {
            let outcome = honest(*numbers, needs);
            let wrong = if needs < 100 { outcome.over } else { outcome.accepted };
            println!(
                "needs {needs} %, version {}: {:.2} % wrong, {:.2} % undecided, {:.1} runs each",
                numbers.version,
                outcome.percent(wrong),
                outcome.percent(outcome.undecided),
                outcome.runs_each()
            );
            assert!(outcome.percent(wrong) <= wrong_max, "{needs} %: {outcome:?}");
            assert!(outcome.percent(outcome.undecided) <= undecided_max, "{needs} %: {outcome:?}");
            if let Some((wrong_before, undecided_before)) = before {
                assert!(
                    wrong <= wrong_before && outcome.undecided <= undecided_before,
                    "{needs} %: {outcome:?}"
                );
            }
            before = Some((wrong, outcome.undecided));
        }
    }
}

/// A program that is over its limit by a time of its own choosing, unless it is lucky: once in ten runs.
type Choice = fn(&mut Dice, usize) -> usize;

#[test]
fn chosen_times_earn_few_tries() {
    let one_then_longer: Choice = |_, at| if at == 0 { 1150 } else { 1800 };
    let never_agreeing: Choice = |dice, at| if at == 0 { 1020 } else { 1060 + dice.below(530) };
    let killed: Choice = |_, _| 2000;
    for (name, choose, accepted_max, runs_max) in [
        ("1.15 L, then 1.8 L", one_then_longer, 35.0, 3.0),
        ("1.02 L, then between 1.06 and 1.59 L", never_agreeing, 72.0, 10.0),
        ("killed at 2 L", killed, 16.0, 1.0),
    ] {
        for is_bad in [false, true] {
            for numbers in RuleNumbers::VERSIONS {
                let rule = TimeRule::of(*numbers, Nanos::from_millis(1000));
                let outcome = judge(rule, (7, ATTACKS), |dice, at| {
                    // It measures its own CPU time, so a disturbance shows only in the evidence.
                    let slowdown = if is_bad { HOUR[dice.below(HOUR.len())].1 } else { 0 };
                    let chosen = if dice.below(10) == 0 { 100 } else { choose(dice, at) };
                    let mut run = run(Nanos::from_millis(chosen as u64), slowdown);
                    if run.usage.cpu_time >= rule.kill_limit {
                        run.end = RunEnd::Limit(LimitKind::CpuTime);
                    }
                    run
                });
                println!(
                    "{name}, {} hour, version {}: {:.1} % within the limit at last, {:.1} % in the first run, {:.1} % \
                     undecided, {:.1} runs each",
                    if is_bad { "bad" } else { "calm" },
                    numbers.version,
                    outcome.percent(outcome.accepted),
                    outcome.percent(outcome.accepted_at_once),
                    outcome.percent(outcome.undecided),
                    outcome.runs_each()
                );
                if numbers.version >= 6 && !is_bad {
                    assert!(outcome.percent(outcome.accepted) <= accepted_max, "{name}: {outcome:?}");
                    assert!(outcome.runs_each() <= runs_max, "{name}: {outcome:?}");
                    assert_eq!(outcome.undecided, 0, "{name}: {outcome:?}");
                }
            }
        }
    }
}
