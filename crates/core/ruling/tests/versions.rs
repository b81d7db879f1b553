//! What a version of the rule has ruled once, it always rules: records are verified with it.

use model::{Evidence, Isolation, LimitKind, Nanos, Reading, RunEnd, RunResult, Slowdown, Usage};
use ruling::{RuleNumbers, Ruling, TimeRule};
use stats::Dice;

const SEED: u64 = 5;
const CASES: usize = 20_000;

/// Draws a run that lies where the rule has its borders: about the limit of 1 s, and about each number of the evidence.
fn draw(dice: &mut Dice) -> RunResult {
    let ends = [
        RunEnd::Exited(0),
        RunEnd::Exited(0),
        RunEnd::Exited(0),
        RunEnd::Exited(0),
        RunEnd::Exited(3),
        RunEnd::Signaled(11),
        RunEnd::Limit(LimitKind::CpuTime),
        RunEnd::Limit(LimitKind::CpuTime),
        RunEnd::Limit(LimitKind::WallTime),
        RunEnd::Limit(LimitKind::Memory),
        RunEnd::Limit(LimitKind::Output),
    ];
    // Most are over the limit, or nothing would be run again.
    let end = if dice.below(4) > 0 { RunEnd::Exited(0) } else { ends[dice.below(ends.len())] };
    let cpu_ms = match (end, dice.below(8)) {
        (RunEnd::Limit(LimitKind::CpuTime), _) => 2000,
        (RunEnd::Limit(LimitKind::WallTime), _) => 500 + dice.below(1000),
        (_, 0) => 990 + dice.below(21),
        (_, 1) => 1090 + dice.below(21),
        (_, 2) => 1001 + dice.below(999),
        _ => 1001 + dice.below(120),
    };
    let reading = |dice: &mut Dice, from: usize, width: usize| match dice.below(3) {
        0 => Reading::Known(Nanos((from + dice.below(width)) as u64)),
        1 => Reading::Known(Nanos::ZERO),
        _ => Reading::default(),
    };
    let core_slowdown = match dice.below(4) {
        0 => Reading::Known(Slowdown(95 + dice.below(11) as u32)),
        1 => Reading::Known(Slowdown(dice.below(1200) as u32)),
        2 => Reading::Known(Slowdown(0)),
        _ => Reading::default(),
    };
    RunResult {
        end,
        usage: Usage {
            cpu_time: Nanos::from_micros(cpu_ms as u64 * 1000 + dice.below(1000) as u64),
            wall_time: Nanos::from_millis(4000),
            ..Usage::default()
        },
        evidence: Evidence {
            steal: reading(dice, 9_999_998, 4),
            throttled: reading(dice, 0, 3),
            others_cpu_time: reading(dice, 29_999_998, 4),
            heat_throttles: Reading::Known(u64::from(dice.below(20) == 0)),
            core_slowdown,
            isolation: Isolation {
                lost: (dice.below(30) == 0).then(|| "taken away".to_owned()),
                ..Isolation::default()
            },
            ..Evidence::default()
        },
    }
}

/// Runs cases until each has a ruling, as a judge does, and returns a digest (FNV-1a) of all decisions on the way.
fn digest(rule: &TimeRule) -> (u64, [usize; 4]) {
    let mut dice = Dice::new(SEED);
    let (mut hash, mut ends, mut ruled) = (0xcbf2_9ce4_8422_2325_u64, [0; 4], 0);
    while ruled < CASES {
        let mut runs = Vec::new();
        let repeats = dice.below(60) as u32;
        loop {
            runs.push(draw(&mut dice));
            let ruling = rule.rule(&runs, repeats.saturating_sub(runs.len() as u32 - 1));
            ruled += 1;
            // Its words may change.
            let decided = match &ruling {
                Ruling::CheckOutput { run } => format!("check {run}\n"),
                Ruling::Verdict { verdict, run, .. } => format!("{verdict} {run}\n"),
                Ruling::RunAgain { .. } => "again\n".to_owned(),
                Ruling::Undecided { run, .. } => format!("undecided {run}\n"),
            };
            for byte in decided.bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            ends[match ruling {
                Ruling::CheckOutput { .. } => 0,
                Ruling::Verdict { .. } => 1,
                Ruling::RunAgain { .. } => 2,
                Ruling::Undecided { .. } => 3,
            }] += 1;
            if !matches!(ruling, Ruling::RunAgain { .. }) {
                break;
            }
        }
    }
    (hash, ends)
}

fn check(rule: &TimeRule, rulings: (u64, [usize; 4])) {
    assert_eq!(
        digest(rule),
        rulings,
        "the same runs got another ruling by rule {}, so records by it would not verify: let that version rule as it \
         did, and make the change a new version (RuleNumbers::VERSIONS)",
        rule.numbers.version
    );
}

#[test]
fn version_5_rules_as_it_always_did() {
    let limit = Nanos::from_millis(1000);
    check(&TimeRule::of(RuleNumbers::VERSION_5, limit), (0xaf819540711924ad, [989, 1159, 17_508, 346]));
}

#[test]
fn version_6_rules_as_it_always_did() {
    let limit = Nanos::from_millis(1000);
    check(&TimeRule::of(RuleNumbers::VERSION_6, limit), (0x1936145283396897, [1011, 1748, 16_942, 300]));
}

#[test]
fn version_7_rules_on_cpu_time_as_version_6() {
    let limit = Nanos::from_millis(1000);
    check(&TimeRule::of(RuleNumbers::VERSION_7, limit), (0x1936145283396897, [1011, 1748, 16_942, 300]));
}

#[test]
fn a_time_is_measured_as_it_always_was() {
    check(&TimeRule::without_limit(Nanos::from_millis(2000)), (0x5042db2ffaa0befe, [0, 1279, 18_039, 696]));
}

/// Returns every number of a version as text in which any change is visible.
fn written(numbers: &RuleNumbers) -> String {
    numbers.named().iter().map(|(name, value)| format!("{name} {value}\n")).collect()
}

#[test]
fn the_numbers_of_a_version_never_change() {
    const VERSION_5: &str = "\
kill_permille 2000
idle_permille 500
idle_min_ns 2000000000
agreement_permille 10
agreement_floor_ns 1000000
margin_parts 4
runs_min 3
runs_in_doubt 6
near_permille 100
floor_witnesses 4
runs_at_once 10
runs_max 40
spacing_ns 2000000000
later_ns 20000000000
patience_ns 10000000000
repeats_base 40
steal_from_ns 10000000
throttled_from_ns 1
others_from_ns 30000000
heat_from 1
slow_core_permille 100
measuring_agreement_permille 5
measuring_runs_min 5
measuring_runs_max 20
";
    let version_6 =
        format!("{VERSION_5}unseen_permille 600\nunexplained_max 10\njury_decides_other_output 1\n");
    let version_7 = format!(
        "{version_6}counted_slowness_max 10\ncounted_unbelieved_slowness 40\ncounted_start_ns 5000000000\n"
    );
    let snapshots = [(5, VERSION_5), (6, version_6.as_str()), (7, version_7.as_str())];
    let known: Vec<u32> = RuleNumbers::VERSIONS.iter().map(|numbers| numbers.version).collect();
    assert_eq!(snapshots.map(|(version, _)| version)[..], known, "each version has a snapshot here");
    for (version, snapshot) in snapshots {
        let numbers = RuleNumbers::of_version(version).expect("a version with a snapshot is known");
        assert_eq!(
            written(&numbers),
            snapshot,
            "a number of rule {version} changed, by which there are records: put it back, and make a new version \
             with the other number (a constant next to VERSION_{version}, named in VERSIONS and CURRENT, and a \
             snapshot here)"
        );
    }
}
