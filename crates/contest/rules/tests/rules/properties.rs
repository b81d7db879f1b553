//! Properties that hold for random histories of a contest.

use crate::support::slow::{Slow, SlowRow};
use crate::support::steps::{AS_STEPPED, Step, step};
use crate::support::{World, difference};
use contest_rules::board::{Board, BoardSide};
use contest_rules::view::View;
use contest_rules::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Returns how many histories are tried: enough for each change, more with `PROPTEST_CASES`.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(16)
}

fn history(steps: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(step(), 1..steps)
}

fn rows(board: &Board<'_>) -> BTreeMap<String, SlowRow> {
    let row = |row: &contest_rules::board::BoardRow<'_>| SlowRow {
        rank: row.rank,
        solved: row.solved,
        total_time: row.total_time.0,
        score: row.score.0,
        cells: row
            .problems
            .iter()
            .map(|entry| {
                let cell = &entry.cell;
                let time = cell.time.map(|time| time.0);
                (entry.problem.to_string(), (cell.judged, cell.pending, cell.is_solved, time, cell.score.0))
            })
            .collect(),
    };
    board.rows.iter().map(|entry| (entry.team.to_string(), row(entry))).collect()
}

/// Returns all that a viewer can be notified of, by what the notice would name.
fn objects(view: &View<'_>) -> BTreeMap<Object, String> {
    fn json(value: impl serde::Serialize) -> String {
        serde_json::to_string(&value).unwrap()
    }
    let mut objects = BTreeMap::new();
    objects.insert(Object::Contest, json((view.contest(), view.files(&FileOwner::Contest))));
    objects.insert(Object::State, json(view.state()));
    objects.extend(view.problems().iter().map(|entry| (Object::Problem(entry.id.clone()), json(entry))));
    objects.extend(view.teams().iter().map(|entry| {
        (Object::Team(entry.id.clone()), json((entry, view.files(&FileOwner::Team(entry.id.clone())))))
    }));
    objects.extend(view.persons().map(|entry| {
        (Object::Person(entry.id.clone()), json((&entry, view.files(&FileOwner::Person(entry.id.clone())))))
    }));
    objects.extend(view.commentary().map(|entry| (Object::Commentary(entry.number), json(entry))));
    objects.extend(view.organizations().map(|entry| (Object::Organization(entry.id.clone()), json(entry))));
    objects.extend(view.groups().map(|entry| (Object::Group(entry.id.clone()), json(entry))));
    objects.extend(view.submissions().map(|entry| {
        let files = view.files(&FileOwner::Submission(entry.number));
        (Object::Submission(entry.number), json((entry, files)))
    }));
    for entry in view.judgements() {
        let key = entry.key;
        objects.insert(Object::Judgement(key), json(entry));
        for (at, run) in (1..).zip(view.runs(key).unwrap()) {
            objects.insert(Object::Runs { judgement: key, first: at, last: at }, json(run));
        }
    }
    objects.extend(view.clarifications().map(|entry| (Object::Clarification(entry.number), json(entry))));
    objects.insert(Object::Board, json(view.board(BoardSide::Public, None).unwrap()));
    objects.insert(Object::Awards, json(view.awards()));
    objects
}

/// Returns whether a notice speaks of an object.
fn names(notice: &Notice, object: &Object) -> bool {
    match (&notice.object, object) {
        (Object::Runs { judgement, first, last }, Object::Runs { judgement: of, first: at, .. }) => {
            judgement == of && (first..=last).contains(&at)
        }
        // Awards follow from the board.
        (Object::Board, Object::Awards) => true,
        // A new time of the contest concerns everything that has one; what is in another contest time changes with it.
        (Object::Contest, Object::Submission(_) | Object::Judgement(_) | Object::Runs { .. }) => true,
        (Object::Contest, Object::Clarification(_) | Object::Commentary(_)) => true,
        (Object::Contest, Object::State | Object::Board) => true,
        (one, other) => one == other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boards_equal_those_of_a_slow_reading_of_the_log(steps in history(60)) {
        let mut world = World::for_steps(sample::contest());
        for step in &steps {
            world.step(step, AS_STEPPED);
        }
        let slow = Slow::new(&world.events);
        let view = world.view("admin");
        for side in [BoardSide::Public, BoardSide::Jury] {
            prop_assert_eq!(rows(&view.board(side, None).unwrap()), slow.board(side), "{:?}", side);
        }
        for judgement in view.judgements().filter(|entry| entry.is_current) {
            let team = view.submission(judgement.key.submission).unwrap().team.cloned();
            let Some(team) = team else { continue };
            let own = world.view(team.as_str());
            let of_own = own.judgements_of_submission(judgement.key.submission).unwrap();
            prop_assert_eq!(of_own.len(), 1);
            let seen = of_own[0].outcome;
            prop_assert_eq!(seen, slow.outcome(judgement.key.submission), "{}", judgement.key);
        }
    }

    #[test]
    fn a_restored_checkpoint_takes_the_same_events(steps in history(60), cut in 0..60_usize) {
        let mut world = World::for_steps(sample::contest());
        for step in steps.iter().take(cut) {
            world.step(step, AS_STEPPED);
        }
        let from = world.events.len();
        let mut restored = State::restore(&world.state.checkpoint()).unwrap();
        prop_assert!(restored == world.state, "the checkpoint lost something");
        for step in steps.iter().skip(cut) {
            world.step(step, AS_STEPPED);
        }
        let mut again = State::default();
        for (seq, event) in (1..).zip(&world.events) {
            let changes = again.apply(seq, event);
            if seq as usize > from {
                prop_assert_eq!(restored.apply(seq, event), changes);
            }
        }
        prop_assert!(restored == world.state && again == world.state);
    }

    #[test]
    fn each_change_of_a_view_has_a_notice(steps in history(50)) {
        for viewer in [None, Some("t1"), Some("t4")] {
            let mut world = World::for_steps(sample::contest());
            let look = |world: &World| match viewer {
                None => objects(&world.public()),
                Some(team) => objects(&world.team(team)),
            };
            let mut before = look(&world);
            for step in &steps {
                world.notices.clear();
                world.step(step, AS_STEPPED);
                let after = look(&world);
                let audiences = match viewer {
                    None => world.public().audiences(),
                    Some(team) => world.team(team).audiences(),
                };
                let noticed: Vec<&Notice> =
                    world.notices.iter().filter(|notice| audiences.contains(&notice.audience)).collect();
                let keys: BTreeSet<&Object> = before.keys().chain(after.keys()).collect();
                for object in keys {
                    if before.get(object) != after.get(object) {
                        prop_assert!(
                            noticed.iter().any(|notice| names(notice, object)),
                            "{:?}: {:?} changed unnoticed for {:?}:\n{:?}\n{:?}",
                            step, object, viewer, before.get(object), after.get(object)
                        );
                    }
                }
                before = after;
            }
        }
    }

    #[test]
    fn notices_are_numbered_without_gaps(steps in history(60)) {
        let mut world = World::for_steps(sample::contest());
        for step in &steps {
            world.step(step, AS_STEPPED);
        }
        let mut numbers: BTreeMap<(Option<ContestId>, Audience), u64> = BTreeMap::new();
        for notice in &world.notices {
            let key = (notice.contest.clone(), notice.audience.clone());
            let last = numbers.entry(key).or_insert(notice.number.wrapping_sub(1));
            *last += 1;
            prop_assert_eq!(notice.number, *last);
        }
    }

    #[test]
    fn the_queue_has_the_judgements_that_wait(steps in history(60)) {
        let mut world = World::for_steps(sample::contest());
        for step in &steps {
            world.step(step, AS_STEPPED);
        }
        let mut queue: BTreeSet<String> = BTreeSet::new();
        for change in &world.jobs {
            match change {
                JobChange::Add(job) => prop_assert!(queue.insert(job.id.clone()), "{} was added twice", job.id),
                JobChange::Remove(id) => prop_assert!(queue.remove(id), "{id} was not there"),
                JobChange::GiveBack { id, .. } => prop_assert!(queue.contains(id), "{id} was not there"),
            }
        }
        let submissions = world.view("admin").submissions().count() as u32;
        let open: BTreeSet<String> = (1..=submissions)
            .flat_map(|number| world.open(number))
            .map(|key| contest_rules::jobs::job_id(&crate::support::contest_id(), key))
            .collect();
        prop_assert!(queue.is_subset(&open), "{:?} beside {:?}", queue, open);
        // What is open and not queued waits for a person to check the problem.
        let paused = world.view("admin").problems().iter().any(|problem| {
            problem.is_paused || problem.jury.as_ref().is_some_and(|jury| jury.paused_because.is_some())
        });
        prop_assert!(paused || queue == open, "{:?} beside {:?}", queue, open);
    }

    #[test]
    fn hidden_verdicts_change_nothing_that_others_see(steps in history(70), salt in 1..8_u8) {
        // Not: what shows hidden verdicts, and what the jury can do or cannot because of them.
        let is_kept = |step: &&Step| !matches!(
            step,
            Step::Thaw(_) | Step::Extend(_) | Step::Settings(0..=6 | 13 | 14 | 17..) | Step::HideTeam(..) | Step::HideGroup(_)
                | Step::Finalize(_) | Step::OpenRejudging { .. } | Step::EndRejudging { .. } | Step::Fail { .. }
                | Step::OnDemand(_)
        );
        let is_hidden = |world: &World, key: JudgementKey| {
            let public = world.public();
            public.submission(key.submission).is_err() || public.judgement(key).is_err()
        };
        let is_of_t3 = |world: &World, key: JudgementKey| {
            world.view("admin").submission(key.submission).unwrap().team.is_some_and(|team| team.as_str() == "t3")
        };
        let mut one = World::for_steps(sample::contest());
        let mut other = World::for_steps(sample::contest());
        for world in [&mut one, &mut other] {
            world.admin(Action::FreezeNow).unwrap_or(());
            world.at(130);
        }
        for step in steps.iter().filter(is_kept) {
            one.step(step, AS_STEPPED);
            other.step(step, &|world, key, verdict| {
                let is_changed = is_hidden(world, key) && !is_of_t3(world, key);
                if is_changed { verdict + salt } else { verdict }
            });
            for (what, viewer) in [("public", None), ("t3", Some("t3")), ("balloon", Some("balloon"))] {
                let all = |world: &World| match viewer {
                    None => world.public_bytes(),
                    Some(name) => world.all_of(&world.view(name)),
                };
                prop_assert_eq!(difference(&all(&one), &all(&other)), None, "{}", what);
            }
        }
    }
}
