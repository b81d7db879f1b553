//! Arbitrary plans and events.

use super::{CLOCK, DONE, Groups, KILLED, Said, World, checked, ms, next_pass, plan, run};
use judging_steps::{Item, Kind, Plan};
use model::{Guard, Reading, RunEnd, RunResult, Slowdown, Verdict};
use proptest::prelude::*;

fn any_run() -> impl Strategy<Value = RunResult> {
    let end = prop_oneof![
        12 => Just(DONE),
        1 => Just(RunEnd::Signaled(11)),
        1 => Just(KILLED),
        1 => Just(CLOCK),
    ];
    let cpu = prop_oneof![2 => 1_u64..1000, 3 => 1001_u64..1150, 2 => 1150_u64..2000];
    let slowdown = prop_oneof![Just(None), Just(Some(0)), (90_u32..500).prop_map(Some)];
    (end, cpu, prop_oneof![Just(0_u64), Just(50)], slowdown, prop_oneof![Just(0_u64), 0_u64..2000]).prop_map(
        |(end, cpu, steal, slowdown, held)| {
            let mut run = run(end, if end == KILLED { 2000 } else { cpu }, steal);
            run.evidence.core_slowdown =
                slowdown.map_or_else(Reading::default, |of| Reading::Known(Slowdown(of)));
            run.evidence.guard = Reading::Known(Guard { held: ms(held), ..Guard::default() });
            run
        },
    )
}

fn any_check() -> impl Strategy<Value = Said> {
    let stated = prop_oneof![
        6 => Just(Ok(checked(Verdict::Accepted))),
        2 => Just(Ok(checked(Verdict::WrongAnswer))),
        2 => Just(Ok(next_pass())),
        1 => Just(Err("no answer".to_owned())),
    ];
    (stated, any::<bool>())
}

/// Kinds, groups and what happens on each item.
pub fn any_judging() -> impl Strategy<Value = (Plan, Groups, World)> {
    let item = prop_oneof![6 => Just(Item::Case), 1 => Just(Item::Sources)];
    let kind = prop_oneof![3 => Just(Kind::Simple), 1 => Just(Kind::Passes), 1 => Just(Kind::Conversation)];
    let items = proptest::collection::vec(
        (
            item,
            proptest::collection::vec(any_run(), 0..45),
            proptest::collection::vec(any_check(), 0..6),
            0_usize..3,
        ),
        0..6,
    );
    let times = (1_u64..3000, 1_u64..3000, 0_u64..12_000, 0_u64..2000);
    (kind, items, any::<bool>(), any::<(bool, bool)>(), 0_u32..60, times).prop_map(
        |(kind, items, overlaps, (is_scored, in_turn), repeats, (run_time, check_time, calm_after, hold))| {
            let kinds: Vec<Item> = items.iter().map(|(item, ..)| *item).collect();
            let mut of: Vec<usize> = items.iter().map(|(.., group)| *group).collect();
            of.sort_unstable();
            let mut world = World {
                run_time: ms(run_time),
                check_time: ms(check_time),
                calm_after: ms(calm_after),
                hold: ms(hold),
                ..World::default()
            };
            for (at, (_, runs, stated, _)) in items.into_iter().enumerate() {
                world.runs.insert(at, runs.into());
                world.stated.insert(at, stated.into());
            }
            let plan = Plan { repeats, ..plan(kind, &kinds, overlaps) };
            (plan, Groups { of, is_scored, in_turn, ..Groups::default() }, world)
        },
    )
}
