//! A table of commands and views by role.

use crate::support::*;
use std::collections::BTreeSet;

const WHO: [&str; 10] =
    ["admin", "judge", "analyst", "staff", "balloon", "t1", "spectator", "hosts", "operator", "nobody"];

fn caller(world: &World, who: &str) -> Caller {
    if who == "nobody" { Caller::public(None) } else { world.caller(who) }
}

/// Returns who may, with a letter each: `ajnsbtpho-`.
fn letters(may: impl Fn(&str) -> bool) -> String {
    WHO.iter().zip("ajnsbtpho-".chars()).filter(|(who, _)| may(who)).map(|(_, letter)| letter).collect()
}

fn session() -> NewSession {
    NewSession { hash: "s".to_owned(), proof: Proof::Address, expires: sample::START }
}

#[test]
fn commands() {
    let world = World::new(sample::contest());
    let reason = || "test".to_owned();
    let submission = SubmissionNumber(1);
    let rejudging = RejudgingNumber(1);
    let (problem, team): (ProblemId, TeamId) = (sample::id("a"), sample::id("t1"));
    let submit = Submit::new(problem.clone(), sample::id("c"), Vec::new());
    let group = GroupSettings { name: reason(), ..sample::group("g") };
    let actions = [
        (Action::SetProblem(Box::new(sample::problem("a", 0))), "a"),
        (Action::RemoveProblem(problem.clone()), "a"),
        (Action::PauseProblem(problem.clone(), true, None), "aj"),
        (Action::VerifyProblem(problem.clone()), "aj"),
        (Action::SetGroup(group), "a"),
        (Action::SetTeam(sample::team("t1")), "a"),
        (Action::RemoveTeam(team.clone()), "a"),
        (
            Action::Register(Box::new(NewTeam {
                id: team.clone(),
                name: reason(),
                login: NewLogin::Password(reason()),
            })),
            "",
        ),
        (Action::Submit(submit), "ajt"),
        (ignore(1), "aj"),
        (Action::Judge(submission), "aj"),
        (set_verdict(1, None), "aj"),
        (verify(key(1, 1)), "aj"),
        (Action::Begun(key(1, 1)), ""),
        (Action::Returned { judgement: key(1, 1), reason: reason() }, ""),
        (rejudge(Selection::default(), 1), "aj"),
        (Action::ApplyRejudging(rejudging), "aj"),
        (Action::CancelRejudging(rejudging), "aj"),
        (Action::SendClarification(SendClarification::default()), "ajt"),
        (Action::ClaimClarification(ClarificationNumber(1)), "aj"),
        (Action::DeliverBalloon(team, problem), "ajsb"),
        (award("winner", "test", &[]), "a"),
        (Action::Start { at: None, countdown_pause: None }, "a"),
        (Action::StartNow, "a"),
        (Action::Countdown { remaining: None, is_paused: true }, "a"),
        (Action::Extend(Millis(1)), "a"),
        (Action::Pause, "a"),
        (Action::FreezeNow, "a"),
        (Action::Thaw(None), "a"),
        (finalize(), "a"),
        (Action::Unfinalize(reason()), "a"),
    ];
    for (action, expect) in actions {
        let command = Command::In(contest_id(), action);
        let may = letters(|who| roles::may(&world.state, &caller(&world, who), &command).is_ok());
        assert_eq!(may, expect, "{command:?}");
    }
    let own = || account("t1", Role::Admin);
    let id = || sample::id("t1");
    let commands = [
        (Command::SetContest(contest_id(), Box::new(sample::contest())), "a"),
        (Command::RemoveContest(contest_id()), "a"),
        (Command::SetAccount(own()), "a"),
        (Command::RemoveAccount(id()), "a"),
        (Command::EnableAccount(id(), true), "a"),
        (Command::SetPassword { account: id(), hash: reason() }, "at"),
        (issue_token("k", "t1", "hash"), "at"),
        (Command::LogIn(session()), "ajnsbtpho"),
        (Command::LogOut(reason()), "ajnsbtpho"),
        (Command::SetPool(sample::pool("strict")), "a"),
        (set_judgehost("h1", JudgehostState::Enabled), "ajo"),
        (Command::RemoveJudgehost(sample::id("h1")), "ao"),
        (Command::ResumeJudging(PauseScope::Package(BlobHash("0".into()))), "aj"),
        (Command::Note(None, reason()), "ajns"),
        (Command::Tick, ""),
    ];
    for (command, expect) in commands {
        let may = letters(|who| roles::may(&world.state, &caller(&world, who), &command).is_ok());
        assert_eq!(may, expect, "{command:?}");
    }
}

#[test]
fn judgehosts() {
    let mut world = World::new(sample::contest());
    let host = sample::id("h1");
    assert_eq!(letters(|who| roles::as_judgehost(&caller(&world, who), &host).is_ok()), "ah");
    let claimed = roles::as_judgehost(&caller(&world, "hosts"), &host).unwrap();
    assert_eq!(claimed.judgehost, Some(host.clone()));
    world.at(10).submit("t1", "a");
    let (own, other) = (BlobHash(format!("{:064x}", 1).into()), BlobHash(format!("{:064x}", 77).into()));
    let reads = |blob: &BlobHash, was_given: bool| {
        letters(|who| roles::may_read_blob(&world.state, &caller(&world, who), blob, |_| was_given).is_ok())
    };
    assert_eq!(reads(&own, false), "ah", "it is being judged");
    assert_eq!(reads(&other, false), "a");
    assert_eq!(reads(&other, true), "ah", "it was given for judging");
    let refusal = roles::may_read_blob(&world.state, &caller(&world, "hosts"), &other, |_| false);
    assert_eq!(refusal.unwrap_err().kind, RefusalKind::NotFound);
}

#[test]
fn sights() {
    let mut world = World::new(sample::contest());
    world.at(250).submit("t2", "a");
    world.judge(1, accepted());
    let sees = |look: &dyn Fn(&contest_rules::view::View<'_>) -> bool| {
        letters(|who| world.state.view(&caller(&world, who), &contest_id()).is_ok_and(|view| look(&view)))
    };
    assert_eq!(sees(&|_| true), "ajnsbtpho-");
    assert_eq!(sees(&|view| view.judgements().next().is_some()), "ajn", "what the freeze hides");
    assert_eq!(sees(&|view| view.source(SubmissionNumber(1)).is_ok()), "ajn", "another team's source");
    assert_eq!(sees(&|view| view.board(contest_rules::board::BoardSide::Jury, None).is_ok()), "ajn");
    assert_eq!(sees(&|view| view.rejudgings().is_ok()), "ajn");
    assert_eq!(sees(&|view| view.balloons().is_ok()), "ajnsb");
    assert_eq!(sees(&|view| view.balloons().is_ok_and(|list| !list.is_empty())), "ajn");
    assert_eq!(sees(&|view| view.contest().jury.is_some()), "ajn");
    assert_eq!(sees(&|view| view.jury().is_ok() && view.require_jury().is_ok()), "ajn");
    assert_eq!(sees(&|view| view.jury_problem(&sample::id("a")).is_ok()), "ajn");
    assert_eq!(sees(&|view| view.side(false) == contest_rules::board::BoardSide::Jury), "ajn");
    assert_eq!(sees(&|view| view.side(true) == contest_rules::board::BoardSide::Jury), "");
    assert_eq!(sees(&|view| view.problems().iter().any(|problem| problem.jury.is_some())), "ajn");
    let serves = |look: &dyn Fn(&contest_rules::view::ServerView<'_>) -> bool| {
        letters(|who| look(&world.state.server(&caller(&world, who))))
    };
    assert_eq!(serves(&|server| server.accounts().is_ok()), "a");
    assert_eq!(serves(&|server| server.pools().is_ok()), "ajno");
    assert_eq!(serves(&|server| server.judgehosts().is_ok()), "ajno");
    assert_eq!(serves(&|server| server.audit(&contest_rules::view::AuditFilter::default()).is_ok()), "aj");
    assert_eq!(serves(&|server| server.account(&sample::id("t1")).is_ok()), "at", "one's own account");
    world.set_contest("c", ContestSettings { is_public: false, ..sample::contest() });
    let sees = letters(|who| world.state.view(&caller(&world, who), &contest_id()).is_ok());
    assert_eq!(sees, "ajnsbtp", "a contest for those with an account");
    let mut elsewhere = account("p2", Role::Spectator);
    elsewhere.contests = BTreeSet::from([sample::id("d")]);
    world.set_contest("d", sample::contest());
    world.set_account(elsewhere);
    assert!(world.state.view(&world.caller("p2"), &contest_id()).is_err());
}

#[test]
fn accounts_of_contests_see_the_accounts_tokens_and_audit_of_these() {
    let mut world = World::new(sample::contest());
    let admin = world.caller("admin");
    world.set_contest("d", sample::contest());
    let accounts = [
        ("orga", Role::Admin, "d"),
        ("chief", Role::Judge, "d"),
        ("guest", Role::Spectator, "d"),
        ("other", Role::Spectator, "c"),
    ];
    for (number, (name, role, of)) in accounts.into_iter().enumerate() {
        let contests = BTreeSet::from([sample::id(of)]);
        let account = AccountSettings { contests, ..account(name, role) };
        world.set_account(account);
        let issue = issue_token(&format!("token-{name}"), name, &format!("{number:064x}"));
        world.ask(&admin, issue).unwrap();
    }
    let extend = |contest: &str| Command::In(sample::id(contest), Action::Extend(Millis::minutes(1)));
    for contest in ["d", "c"] {
        world.ask(&admin, extend(contest)).unwrap();
    }
    let orga = world.caller("orga");
    let server = world.state.server(&orga);
    let names: Vec<&str> = server.accounts().unwrap().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(names, ["chief", "guest", "orga"]);
    let tokens: Vec<&str> = server.tokens().iter().map(|one| one.account.as_str()).collect();
    assert_eq!(tokens, ["chief", "guest", "orga"]);
    assert!(server.account(&sample::id("guest")).is_ok() && server.account(&sample::id("other")).is_err());
    for who in ["orga", "chief"] {
        let caller = world.caller(who);
        let filter = contest_rules::view::AuditFilter { max: 1000, ..Default::default() };
        let server = world.state.server(&caller);
        let lines = server.audit(&filter).unwrap();
        assert!(!lines.is_empty());
        assert!(lines.iter().all(|line| line.contest == Some(sample::id("d"))), "{lines:?}");
    }
}
