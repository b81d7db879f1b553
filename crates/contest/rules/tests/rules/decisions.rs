//! What is decided and refused, one rule a test.

use crate::support::*;
use contest_rules::board::BoardSide;
use model::Verdict;
use std::collections::BTreeSet;

#[test]
fn a_team_cannot_send_too_much_too_fast_or_twice() {
    let mut settings = sample::contest();
    settings.submission_limits.per_minute = 3;
    settings.submission_limits.in_all = 5;
    let mut world = World::new(settings);
    world.at(1);
    let same = world.submission("a");
    assert_eq!(world.by("t1", Action::Submit(same.clone())), Ok(()));
    let twice = world.by("t1", Action::Submit(same.clone())).unwrap_err();
    assert_eq!((twice.code, twice.message.text.as_str()), ("duplicate", "it is the same as submission 1"));
    assert_eq!(world.by("t2", Action::Submit(same)), Ok(()), "another team's program may be the same");
    world.submit("t1", "a");
    world.submit("t1", "a");
    let next = world.submission("a");
    let fast = world.by("t1", Action::Submit(next.clone())).unwrap_err();
    assert_eq!((fast.kind, fast.code), (RefusalKind::TooMany, "too-fast"));
    assert!(fast.message.text.contains("the next in 61 s"), "{}", fast.message);
    world.at(3).submit("t1", "a");
    world.submit("t1", "a");
    assert_eq!(refused(world.by("t1", Action::Submit(next))), (RefusalKind::TooMany, "too-many-submissions"));
}

#[test]
fn a_submission_that_the_contest_does_not_allow_is_refused() {
    let mut settings = sample::contest();
    settings.languages = BTreeSet::from([sample::id("c"), sample::id("cpp")]);
    settings.practice = false;
    let mut world = World::new(settings);
    let check = |world: &mut World, change: &dyn Fn(&mut Submit), expect: &str| {
        let mut submit = world.submission("a");
        change(&mut submit);
        let refusal = world.by("t1", Action::Submit(submit)).unwrap_err();
        let text = format!("{} {}", refusal.field.unwrap_or(refusal.code), refusal.message);
        assert!(text.contains(expect), "{text} lacks {expect}");
    };
    check(&mut world, &|_| (), "not-started");
    world.at(5);
    check(
        &mut world,
        &|submit| submit.language = sample::id("java"),
        "language language 'java' is not allowed; use one of c, cpp",
    );
    check(&mut world, &|submit| submit.problem = sample::id("z"), "there is no problem 'z'");
    check(&mut world, &|submit| submit.files.clear(), "files there is no file");
    for name in ["../a.c", "-o.c", "@a.c"] {
        let expect = format!("files '{name}' is not a plain file name");
        check(&mut world, &|submit| submit.files[0].name = name.to_owned(), &expect);
    }
    check(
        &mut world,
        &|submit| submit.files[0].size.0 = 1 << 20,
        "files the files have 1048576 bytes; at most 65536",
    );
    check(
        &mut world,
        &|submit| submit.files.push(submit.files[0].clone()),
        "files there are two files named 'a.c'",
    );
    check(
        &mut world,
        &|submit| submit.team = Some(sample::id("t2")),
        "forbidden the account submits for team 't1' only",
    );
    world.admin(Action::Pause).unwrap();
    check(&mut world, &|_| (), "paused");
    world.at(10).admin(Action::Resume).unwrap();
    world.submit("t1", "a");
    assert_eq!(world.public().submission(SubmissionNumber(1)).unwrap().contest_time, Millis::minutes(5));
    world.at(306);
    check(&mut world, &|_| (), "ended");
}

#[test]
fn practice_is_outside_the_board() {
    let mut world = World::new(sample::contest());
    world.at(301).submit("t1", "a");
    assert!(
        matches!(world.jobs.last(), Some(JobChange::Add(job)) if job.class == contest_rules::jobs::CLASS_PRACTICE)
    );
    world.judge(1, accepted());
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
    assert_eq!(world.view("admin").board(BoardSide::Jury, None).unwrap().rows[0].solved, 0);
    assert!(world.view("admin").balloons().unwrap().is_empty());
}

#[test]
fn a_balloon_is_made_once() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.judge(1, accepted());
    world.by("balloon", Action::DeliverBalloon(sample::id("t1"), sample::id("a"))).unwrap();
    assert_eq!(
        refused(world.by("balloon", Action::DeliverBalloon(sample::id("t1"), sample::id("a")))).1,
        "delivered"
    );
    for next in [wrong(), accepted()] {
        let selection =
            Selection { submissions: BTreeSet::from([SubmissionNumber(1)]), ..Selection::default() };
        world.jury(rejudge(selection, 1));
        let number = world.view("judge").rejudgings().unwrap().len() as u32;
        world.judge_on("h1", key(1, number + 1), next, 10);
        world.jury(Action::ApplyRejudging(RejudgingNumber(number)));
    }
    let balloons = world.view("balloon").balloons().unwrap();
    assert_eq!(balloons.len(), 1);
    assert!(balloons[0].delivered.is_some() && balloons[0].is_first);
    world.at(250).submit("t2", "a");
    world.judge(2, accepted());
    assert_eq!(
        (world.view("balloon").balloons().unwrap().len(), world.view("judge").balloons().unwrap().len()),
        (1, 2)
    );
}

#[test]
fn a_balloon_shows_once_the_public_board_has_the_problem_solved() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.judge(1, wrong());
    world.at(250).submit("t1", "a");
    world.judge(2, accepted());
    let shown = |world: &World| world.view("balloon").balloons().unwrap().len();
    assert_eq!((shown(&world), world.view("judge").balloons().unwrap().len()), (0, 1), "frozen");
    let selection = Selection { submissions: BTreeSet::from([SubmissionNumber(1)]), ..Selection::default() };
    world.jury(rejudge(selection, 1));
    world.judge_on("h1", key(1, 2), accepted(), 10);
    world.take_notices(&Audience::Staff);
    world.jury(Action::ApplyRejudging(RejudgingNumber(1)));
    assert_eq!((shown(&world), world.view("judge").balloons().unwrap().len()), (1, 1));
    assert_eq!(world.take_notices(&Audience::Staff).len(), 1);
}

#[test]
fn a_rejudging_counts_as_a_set_or_not_at_all() {
    let mut world = World::new(sample::contest());
    for number in 1..=2 {
        world.at(10 * i64::from(number)).submit("t1", "a");
        world.judge(number, wrong());
    }
    let open = rejudge(Selection::default(), 3);
    world.jury(open.clone());
    assert_eq!(refused(world.by("judge", open)).1, "open");
    let number = RejudgingNumber(1);
    assert_eq!(refused(world.by("judge", Action::ApplyRejudging(number))).1, "not-done");
    let accept = [(1, 2), (1, 3), (2, 2), (2, 3), (2, 4)];
    for (submission, judgement) in accept {
        world.judge_on("h1", key(submission, judgement), accepted(), 20 + u64::from(judgement));
    }
    world.judge_on("h1", key(1, 4), wrong(), 30);
    {
        let view = world.view("judge");
        let preview = view.rejudging(number).unwrap();
        assert_eq!((preview.judgements, preview.done, preview.changed), (6, 6, 2));
        let first = &preview.submissions[0];
        assert_eq!((first.verdicts["AC"], first.verdicts["WA"], first.judgement), (2, 1, Some(key(1, 2))));
        assert_eq!(first.median.unwrap().0, 23_000_000);
        assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::WrongAnswer), "nothing counts yet");
    }
    world.jury(Action::ApplyRejudging(number));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
    assert_eq!(world.team("t1").judgements_of_submission(SubmissionNumber(1)).unwrap()[0].key, key(1, 2));
    assert_eq!(refused(world.by("judge", Action::CancelRejudging(number))).1, "ended");
}

#[test]
fn a_rejudging_does_not_change_a_verdict_set_by_hand() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.judge(1, wrong());
    world.jury(set_verdict(1, Some(wrong())));
    world.jury(rejudge(Selection::default(), 1));
    world.judge_on("h1", key(1, 2), accepted(), 10);
    assert_eq!(world.view("judge").rejudging(RejudgingNumber(1)).unwrap().changed, 0);
    world.jury(Action::ApplyRejudging(RejudgingNumber(1)));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::WrongAnswer));
}

#[test]
fn a_cancelled_rejudging_leaves_the_queue() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.judge(1, wrong());
    world.jury(rejudge(Selection::default(), 2));
    world.jobs.clear();
    world.jury(Action::CancelRejudging(RejudgingNumber(1)));
    assert_eq!(world.jobs, ["c/1-2", "c/1-3"].map(|id| JobChange::Remove(id.to_owned())));
    assert_eq!(refused(world.by_host("h1", Action::Begun(key(1, 2)))).1, "cancelled");
}

#[test]
fn verification_needs_a_second_account() {
    let mut world = World::new(ContestSettings { verification_required: true, ..sample::contest() });
    let package = BlobHash("f".repeat(64).into());
    let problem = ProblemSettings { package, ..sample::problem("a", 0) };
    world.admin(Action::SetProblem(Box::new(problem))).unwrap();
    assert_eq!(refused(world.admin(Action::VerifyProblem(sample::id("a")))).0, RefusalKind::Forbidden);
    world.jury(Action::VerifyProblem(sample::id("a")));
    assert_eq!(refused(world.by("judge2", Action::VerifyProblem(sample::id("a")))).1, "verified");
    world.at(10).submit("t1", "a");
    world.judge(1, accepted());
    assert_eq!(outcome_for(&world, "t1", 1), None, "it waits for a person");
    assert_eq!(outcome_for(&world, "judge", 1), Some(Verdict::Accepted));
    world.jury(verify(key(1, 1)));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
}

#[test]
fn a_verdict_set_by_hand_is_verified_by_another_account() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.judge(1, wrong());
    world.jury(set_verdict(1, Some(accepted())));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
    assert_eq!(outcome_for(&world, "judge", 1), Some(Verdict::Accepted), "the jury sees what counts");
    let verify = verify(key(1, 1));
    assert_eq!(refused(world.by("judge", verify.clone())).0, RefusalKind::Forbidden);
    world.by("judge2", verify).unwrap();
}

#[test]
fn a_result_is_final_only_when_nothing_is_open() {
    let mut world = World::new(ContestSettings { practice: false, ..sample::contest() });
    world.at(10).submit("t1", "a");
    world.by("t1", Action::SendClarification(text("why?"))).unwrap();
    let finalize = Action::Finalize { extra_bronze: 1, comment: "B".to_owned() };
    let refusal = world.admin(finalize.clone()).unwrap_err();
    assert!(refusal.message.text.contains("the contest has not ended"), "{refusal}");
    world.at(301);
    let refusal = world.admin(finalize.clone()).unwrap_err();
    assert!(
        refusal.message.text.ends_with("1 submission without a verdict; 1 clarification without an answer"),
        "{refusal}"
    );
    world.judge(1, accepted());
    let reply_to = Some(ClarificationNumber(1));
    let answer = SendClarification { reply_to, ..text("so") };
    world.jury(Action::SendClarification(answer));
    world.admin(finalize.clone()).unwrap();
    assert_eq!(refused(world.admin(finalize)).1, "final");
    let ignore = ignore(1);
    assert_eq!(refused(world.by("judge", ignore.clone())).1, "final");
    assert!(world.public().state().finalized.is_some() && world.public().state().end_of_updates.is_none());
    world.admin(Action::Thaw(None)).unwrap();
    assert_eq!(world.public().state().end_of_updates, world.public().state().thawed);
    assert_eq!(refused(world.by("judge", Action::SendClarification(text("thanks")))).1, "final");
    world.admin(Action::Unfinalize("a mistake".to_owned())).unwrap();
    world.jury(ignore);
}

#[test]
fn changes_of_accounts_after_the_end_get_notices_when_the_result_is_reopened() {
    let mut world = World::new(ContestSettings { practice: false, ..sample::contest() });
    let ids = ["leaves", "stays", "goes"];
    world.set_contest("elsewhere", sample::contest());
    for id in ids {
        world.set_account(account(id, Role::Analyst));
    }
    world.at(301).admin(finalize()).unwrap();
    world.admin(Action::Thaw(None)).unwrap();
    world.take_notices(&Audience::Jury);
    let contests = [sample::id("elsewhere")].into();
    world.set_account(AccountSettings { contests, ..account("leaves", Role::Analyst) });
    world.set_account(AccountSettings { name: Some("N".to_owned()), ..account("stays", Role::Analyst) });
    world.ask(&world.caller("admin"), Command::RemoveAccount("goes".parse().unwrap())).unwrap();
    let of_contest = |world: &mut World| -> Vec<(Object, bool)> {
        let notices = world.take_notices(&Audience::Jury).into_iter();
        let ours = notices.filter(|notice| notice.contest == Some(contest_id()));
        ours.map(|notice| (notice.object, notice.is_gone)).collect()
    };
    assert_eq!(of_contest(&mut world), [], "the feed has ended");
    world.admin(Action::Unfinalize("a mistake".to_owned())).unwrap();
    let noted = of_contest(&mut world);
    for (id, is_gone) in [("leaves", true), ("stays", false), ("goes", true)] {
        assert!(noted.contains(&(Object::Account(id.parse().unwrap()), is_gone)), "{id}: {noted:?}");
    }
}

#[test]
fn judgements_that_change_nothing_do_not_keep_the_result_open() {
    let mut world = World::new(ContestSettings { practice: false, ..sample::contest() });
    world.at(10).submit("t1", "a");
    world.at(11).submit("t2", "a");
    world.jury(set_verdict(1, Some(accepted())));
    world.at(301);
    let finalize = finalize();
    let refusal = world.admin(finalize.clone()).unwrap_err();
    assert!(refusal.message.text.ends_with("final: 1 submission without a verdict"), "{refusal}");
    world.jury(ignore(2));
    world.admin(finalize).unwrap();
}

#[test]
fn updates_do_not_end_where_practice_goes_on() {
    let mut world = World::new(sample::contest());
    world.at(301).admin(finalize()).unwrap();
    world.admin(Action::Thaw(None)).unwrap();
    let state = world.public().state();
    assert!(state.finalized.is_some() && state.thawed.is_some() && state.end_of_updates.is_none());
}

#[test]
fn before_the_freeze_it_moves_with_the_end() {
    let mut world = World::new(sample::contest());
    world.at(10).admin(Action::Extend(Millis::minutes(30))).unwrap();
    world.at(269).submit("t1", "a");
    world.at(270).submit("t2", "a");
    world.judge(1, accepted());
    world.judge(2, accepted());
    let board = world.public().board(BoardSide::Public, None).unwrap();
    assert_eq!(board.rows.iter().map(|row| row.solved).collect::<Vec<_>>(), [1, 0, 0]);
}

#[test]
fn a_verdict_set_by_hand_needs_a_second_person_too() {
    let mut world = World::new(ContestSettings { verification_required: true, ..sample::contest() });
    world.at(10).submit("t1", "a");
    world.judge(1, wrong());
    let verify = verify(key(1, 1));
    world.by("judge2", verify.clone()).unwrap();
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::WrongAnswer));
    world.jury(set_verdict(1, Some(accepted())));
    assert_eq!(outcome_for(&world, "t1", 1), None, "it waits for a person again");
    assert_eq!(refused(world.by("judge", verify.clone())).0, RefusalKind::Forbidden);
    world.by("judge2", verify.clone()).unwrap();
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
    assert_eq!(refused(world.by("judge2", verify)).1, "verified");
    world.jury(set_verdict(1, None));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::WrongAnswer), "which was verified before");
}

#[test]
fn a_final_result_fixes_the_teams_of_the_board() {
    let mut world = World::for_steps(sample::contest());
    world.at(301).admin(finalize()).unwrap();
    let team = |name: &str, group: &str, is_hidden| {
        Action::SetTeam(TeamSettings {
            groups: BTreeSet::from([sample::id(group)]),
            is_hidden,
            ..sample::team(name)
        })
    };
    for action in [
        team("t1", "g", true),
        team("t1", "h", false),
        team("t9", "g", false),
        Action::RemoveTeam(sample::id("t1")),
        Action::SetGroup(GroupSettings { is_hidden: true, ..sample::group("g") }),
    ] {
        assert_eq!(refused(world.admin(action.clone())).1, "final", "{action:?}");
    }
    world.admin(team("t1", "g", false)).unwrap();
    world.admin(team("t9", "g", true)).unwrap();
}

#[test]
fn one_person_answers_a_question() {
    let mut world = World::new(sample::contest());
    world.at(10);
    world.by("t1", Action::SendClarification(text("why?"))).unwrap();
    let number = ClarificationNumber(1);
    world.jury(Action::ClaimClarification(number));
    assert_eq!(refused(world.by("judge2", Action::ClaimClarification(number))).1, "claimed");
    let reply_to = Some(number);
    let to_teams = BTreeSet::from([sample::id("t1")]);
    let answer = SendClarification { reply_to, to_teams, ..text("so") };
    assert_eq!(refused(world.by("judge2", Action::SendClarification(answer.clone()))).1, "claimed");
    world.at(21).by("judge2", Action::SendClarification(answer.clone())).unwrap();
    assert_eq!(refused(world.by("judge", Action::SendClarification(answer.clone()))).1, "answered");
    world.jury(Action::SendClarification(SendClarification { again: true, ..answer }));
    assert_eq!(world.team("t1").clarifications().count(), 3);
    assert_eq!(world.team("t2").clarifications().count(), 0);
    assert_eq!(world.public().clarifications().count(), 0);
    let all = SendClarification { reply_to, ..text("to all") };
    world.jury(Action::SendClarification(SendClarification { again: true, ..all }));
    let seen: Vec<_> = world.team("t2").clarifications().map(|entry| entry.reply_to).collect();
    assert_eq!(seen, [None], "a reply to a question that one cannot see has no parent");
}

#[test]
fn the_last_admin_cannot_be_removed_or_disabled() {
    let mut world = World::new(sample::contest());
    let admin = world.caller("admin");
    assert_eq!(refused(world.ask(&admin, Command::RemoveAccount(sample::id("admin")))).1, "last-admin");
    assert_eq!(
        refused(world.ask(&admin, Command::EnableAccount(sample::id("admin"), false))).1,
        "last-admin"
    );
    world.set_account(account("admin2", Role::Admin));
    world.ask(&admin, Command::RemoveAccount(sample::id("admin"))).unwrap();
}

#[test]
fn the_board_can_freeze_early_and_the_contest_last_longer() {
    let mut world = World::new(sample::contest());
    world.at(100).submit("t1", "a");
    world.judge(1, accepted());
    world.at(200).admin(Action::FreezeNow).unwrap();
    world.submit("t2", "a");
    world.judge(2, accepted());
    let solved = |world: &World| -> Vec<u32> {
        world.public().board(BoardSide::Public, None).unwrap().rows.iter().map(|row| row.solved).collect()
    };
    assert_eq!(solved(&world), [1, 0, 0]);
    assert_eq!(refused(world.admin(Action::Thaw(None))).1, "not-ended");
    world.at(210).admin(Action::Extend(Millis::minutes(30))).unwrap();
    assert_eq!(solved(&world), [1, 0, 0], "more time shows nothing that was hidden");
    world.admin(Action::Extend(Millis::minutes(-10))).unwrap();
    world.admin(Action::Extend(Millis::minutes(10))).unwrap();
    assert_eq!(solved(&world), [1, 0, 0]);
    assert_eq!(world.public().contest().end, Some(sample::START + Millis::minutes(330)));
    world.at(331).admin(Action::Thaw(None)).unwrap();
    assert!(world.public().phase().thawed);
}

#[test]
fn accounts_of_one_contest_have_no_access_to_another() {
    let mut world = World::new(sample::contest());
    let second: ContestId = sample::id("d");
    world.set_contest("d", ContestSettings { is_public: false, ..sample::contest() });
    world.at(10);
    let team = world.caller("t1");
    let submit = world.submission("a");
    let refusal = world.ask(&team, Command::In(second.clone(), Action::Submit(submit))).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::NotFound, "a team does not even know of another contest");
    assert!(world.state.view(&Caller::public(None), &second).is_err());
    let mut judge = account("judge3", Role::Judge);
    judge.contests = BTreeSet::from([second.clone()]);
    world.set_account(judge);
    assert!(world.view("judge3").rejudgings().is_err(), "a judge of one contest is the public in another");
    assert!(world.state.view(&world.caller("judge3"), &second).unwrap().is_jury());
    let bound = world.caller("judge3");
    let rejudge = Command::In(contest_id(), rejudge(Selection::default(), 1));
    assert_eq!(refused(world.ask(&bound, rejudge)).0, RefusalKind::Forbidden);
}
