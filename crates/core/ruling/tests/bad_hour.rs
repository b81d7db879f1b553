//! The rule in an hour in which others shared the cores of a virtual machine.
//!
//! A program was run 1600 times on a dedicated CPU, while loads computed on the others. This is every sixteenth of its
//! runs, by time: what it took, in thousandths of what it takes undisturbed, and by how many thousandths its core was seen
//! to be slower than at its best; 0 stands for less than 100, which was not kept.

#![expect(clippy::disallowed_macros, reason = "prints a figure for whoever reads the output")]

use model::{Evidence, Nanos, Reading, RunEnd, RunResult, Slowdown, Usage, Verdict};
use ruling::{Ruling, TimeRule};
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

/// How judgements ended.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    accepted: u32,
    over: u32,
    undecided: u32,
    runs: u32,
}

/// Judges a program of a second that needs this many per cent of its limit.
fn judge(needs_percent: u64) -> Outcome {
    let rule = TimeRule::new(Nanos::from_micros(1_000_000 * 100 / needs_percent));
    let mut dice = Dice::new(needs_percent);
    let mut outcome = Outcome::default();
    for _ in 0..JUDGEMENTS {
        let mut runs = Vec::new();
        let end = loop {
            let (permille, slowdown) = HOUR[dice.below(HOUR.len())];
            runs.push(RunResult {
                end: RunEnd::Exited(0),
                usage: Usage { cpu_time: Nanos::from_millis(permille), ..Usage::default() },
                evidence: Evidence {
                    core_slowdown: Reading::Known(Slowdown(slowdown)),
                    ..Evidence::default()
                },
            });
            match rule.rule(&runs, rule.repeats_allowed(1).saturating_sub(runs.len() as u32 - 1)) {
                Ruling::RunAgain { .. } => {}
                end => break end,
            }
        };
        outcome.runs += runs.len() as u32;
        match end {
            Ruling::CheckOutput { .. } => outcome.accepted += 1,
            Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, .. } => outcome.over += 1,
            _ => outcome.undecided += 1,
        }
    }
    outcome
}

#[test]
fn a_bad_hour_makes_few_verdicts_wrong() {
    let percent = |count: u32| f64::from(count) * 100.0 / f64::from(JUDGEMENTS);
    for (needs, wrong_max, undecided_max) in [
        (97, 0.5, 0.5),
        (98, 0.5, 0.5),
        (99, 2.0, 5.0),
        (101, 0.0, 65.0),
        (102, 0.0, 35.0),
        (103, 0.0, 25.0),
        (110, 0.0, 1.0),
    ] {
        let outcome = judge(needs);
        let wrong = if needs < 100 { outcome.over } else { outcome.accepted };
        println!(
            "needs {needs} %: {:.2} % wrong, {:.2} % undecided, {:.1} runs each",
            percent(wrong),
            percent(outcome.undecided),
            f64::from(outcome.runs) / f64::from(JUDGEMENTS)
        );
        assert!(percent(wrong) <= wrong_max, "{needs} %: {outcome:?}");
        assert!(percent(outcome.undecided) <= undecided_max, "{needs} %: {outcome:?}");
    }
}
