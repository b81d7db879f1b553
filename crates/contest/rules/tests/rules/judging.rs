//! Rules for judgehosts and pools, one a test.

use crate::support::*;
use contest_rules::board::BoardSide;
use documents::contest::Obstacle;
use documents::objects::RunIsolation;
use model::{Clock, Verdict};

#[test]
fn a_verdict_of_the_fast_pool_is_final_only_if_time_does_not_matter() {
    let mut world = World::new(ContestSettings { fast_pool: Some(sample::id("fast")), ..sample::contest() });
    world.at(10);
    // Each: the verdict and time there, the ratio's upper bound in thousandths, whether the strict pool judges again.
    let cases = [
        (Verdict::Accepted, 100, None, true),
        (Verdict::WrongAnswer, 100, None, true),
        (Verdict::CompileError, 0, None, false),
        (Verdict::Accepted, 600, Some(1600), false),
        (Verdict::Accepted, 700, Some(1600), true),
        (Verdict::WrongAnswer, 700, Some(1600), true),
        (Verdict::WrongAnswer, 600, Some(1600), false),
        (Verdict::TimeLimitExceeded, 1500, Some(1600), true),
        (Verdict::TimeLimitExceeded, 1500, Some(500), true),
        (Verdict::WallTimeLimitExceeded, 100, Some(500), true),
        (Verdict::RunTimeError, 100, Some(1600), false),
    ];
    for (number, (verdict, millis, ratio, is_strict)) in (1..).zip(cases) {
        if let Some(upper_permille) = ratio {
            let hosts = world.caller("hosts");
            world.ask(&hosts, measure_ratio(upper_permille)).unwrap();
        }
        world.at(10 + i64::from(number)).submit("t1", "a");
        world.judge_on("f1", key(number, 1), StoredVerdict(verdict), millis);
        let expect = if is_strict { None } else { Some(verdict) };
        assert_eq!(outcome_for(&world, "t1", number), expect, "{verdict} {millis} {ratio:?}");
        assert_eq!(world.open(number), if is_strict { vec![key(number, 2)] } else { Vec::new() });
    }
    // The fast pool is twice as fast: 0.7 s there are 1.4 s where it counts, over the limit of 1 s.
    world.judge_on("h1", key(5, 2), verdict(Verdict::TimeLimitExceeded), 1400);
    assert_eq!(outcome_for(&world, "t1", 5), Some(Verdict::TimeLimitExceeded), "no false AC");
}

#[test]
fn a_verdict_of_the_fast_pool_that_may_change_is_never_shown() {
    let mut world = World::new(ContestSettings { fast_pool: Some(sample::id("fast")), ..sample::contest() });
    world.at(10).submit("t1", "a");
    let runs = vec![run(LAST_CASE, accepted())];
    world.begin("f1", key(1, 1));
    world.by_host("f1", Action::Runs(key(1, 1), runs)).unwrap();
    assert!(world.public().runs(key(1, 1)).unwrap().is_empty());
    world.by_host("f1", Action::Judged(Box::new(judged(key(1, 1), accepted(), 900)))).unwrap();
    assert_eq!(world.public().judgements().next().unwrap().outcome, None);
    world.judge_on("h1", key(1, 2), verdict(Verdict::TimeLimitExceeded), 1200);
    let shown = world.public().judgements().next().unwrap().outcome.unwrap();
    assert_eq!(shown.verdict.0, Verdict::TimeLimitExceeded);
}

/// Judges the first submission as accepted, with a second case about which the jury decides.
fn judge_for_jury(world: &mut World) {
    world.begin("h1", key(1, 1));
    let for_jury = Run { for_jury: true, ..run(2, accepted()) };
    let runs = vec![run(1, accepted()), for_jury, run(3, accepted())];
    world.by_host("h1", Action::Runs(key(1, 1), runs)).unwrap();
    let done = Judged { for_jury: [2].into(), ..judged(key(1, 1), accepted(), 900) };
    world.by_host("h1", Action::Judged(Box::new(done))).unwrap();
}

#[test]
fn an_accepted_output_after_another_one_counts_when_the_jury_has_decided() {
    let runs = |world: &World, name| world.view(name).runs(key(1, 1)).unwrap().len();
    let solved = |world: &World| world.view("admin").board(BoardSide::Jury, None).unwrap().rows[0].solved;
    let open_ends = |world: &World| {
        let why = world.view("admin").contest().jury.unwrap().open;
        why.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    let begin = || {
        let mut world = World::new(sample::contest());
        world.at(10).submit("t1", "a");
        judge_for_jury(&mut world);
        assert_eq!(outcome_for(&world, "t1", 1), None, "pending for its team");
        assert_eq!(world.public().judgements().next().unwrap().outcome, None, "and for all");
        assert_eq!((runs(&world, "t1"), runs(&world, "judge"), solved(&world)), (1, 3, 0));
        let seen = world.view("judge");
        let seen = seen.judgement(key(1, 1)).unwrap();
        assert_eq!(seen.outcome.map(|outcome| outcome.verdict), Some(accepted()));
        let jury = seen.jury.unwrap();
        assert!(jury.waits_for_jury && jury.for_jury == Some(&[2].into()));
        world
    };
    // Accepted by a person.
    let mut world = begin();
    assert_eq!(open_ends(&world), ["jury"]);
    world.jury(verify(key(1, 1)));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
    assert_eq!((runs(&world, "t1"), solved(&world)), (3, 1));
    assert_eq!(open_ends(&world), [""; 0]);
    // Or rejected.
    let mut world = begin();
    world.jury(set_verdict(1, Some(verdict(Verdict::TimeLimitExceeded))));
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::TimeLimitExceeded));
    assert_eq!((solved(&world), open_ends(&world)), (0, Vec::new()));
    assert!(!world.view("judge").judgement(key(1, 1)).unwrap().jury.unwrap().waits_for_jury);
}

#[test]
fn an_acceptance_without_an_accepted_secret_case_is_refused() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.begin("h1", key(1, 1));
    let done = || Action::Judged(Box::new(judged(key(1, 1), accepted(), 800)));
    let mut refused = |runs: Vec<Run>| {
        world.by_host("h1", Action::Runs(key(1, 1), runs)).unwrap();
        world.by_host("h1", done())
    };
    let no_run = refused(Vec::new()).unwrap_err();
    assert_eq!(
        no_run.to_string(),
        "the submission is accepted without an accepted run of a secret case; report the runs before the verdict"
    );
    // The first two cases are samples.
    assert_eq!(refused(vec![run(1, accepted()), run(2, accepted())]), Err(no_run.clone()));
    assert_eq!(refused(vec![run(3, wrong())]), Err(no_run));
    refused(vec![run(4, accepted())]).unwrap();
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
}

#[test]
fn a_sample_is_enough_where_all_cases_are_samples() {
    let mut world = World::new(sample::contest());
    let problem = ProblemSettings { sample_count: 10, ..sample::problem("a", 0) };
    world.admin(Action::SetProblem(Box::new(problem))).unwrap();
    world.at(10).submit("t1", "a");
    world.begin("h1", key(1, 1));
    world.by_host("h1", Action::Runs(key(1, 1), vec![run(1, accepted())])).unwrap();
    world.by_host("h1", Action::Judged(Box::new(judged(key(1, 1), accepted(), 800)))).unwrap();
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
}

#[test]
fn replicas_must_agree() {
    let mut world = World::new(ContestSettings { replicas: 2, ..sample::contest() });
    world.at(10).submit("t1", "a");
    world.judge_on("h1", key(1, 1), accepted(), 800);
    assert!(!world.may_take("h1", "c/1-2"), "its twin goes elsewhere");
    assert!(world.may_take("h2", "c/1-2"));
    assert_eq!(outcome_for(&world, "t1", 1), None);
    world.judge_on("h2", key(1, 2), accepted(), 900);
    assert_eq!(outcome_for(&world, "t1", 1), Some(Verdict::Accepted));
    let replicas = world.view("judge").submission(SubmissionNumber(1)).unwrap().replicas.unwrap();
    assert_eq!((replicas.lowest.unwrap().0, replicas.highest.unwrap().0), (800_000_000, 900_000_000));
    world.submit("t1", "b");
    world.judge_on("h1", key(2, 1), accepted(), 990);
    world.judge_on("h2", key(2, 2), verdict(Verdict::TimeLimitExceeded), 1010);
    assert!(world.events.iter().any(|event| matches!(event.body, Body::ReplicasDiffer { .. })));
    assert_eq!(outcome_for(&world, "t1", 2), None, "they differ, so the jury decides");
    world.jury(verify(key(2, 2)));
    assert_eq!(outcome_for(&world, "t1", 2), Some(Verdict::TimeLimitExceeded));
}

#[test]
fn a_compile_error_of_a_suspect_judgehost_is_confirmed_elsewhere() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t3", "a");
    world.judge_on("h1", key(1, 1), verdict(Verdict::CompileError), 0);
    assert_eq!(outcome_for(&world, "t3", 1), Some(Verdict::CompileError), "nothing is wrong with h1");
    world.submit("t1", "a");
    world.submit("t2", "a");
    world.fail("h1", key(3, 1), FailureScope::Judgement, "no room on the disk");
    world.judge_on("h1", key(2, 1), verdict(Verdict::CompileError), 0);
    assert_eq!(outcome_for(&world, "t1", 2), None);
    assert!(!world.may_take("h1", "c/2-2"));
    world.judge_on("h2", key(2, 2), accepted(), 10);
    assert_eq!(outcome_for(&world, "t1", 2), Some(Verdict::Accepted));
    world.submit("t1", "b");
    assert!(!world.may_take("h1", "c/4-1"), "h1 compiles no C while that is paused");
}

#[test]
fn three_failures_in_a_row_disable_a_judgehost() {
    let mut world = World::new(sample::contest());
    world.at(10);
    world.submit("t1", "a");
    world.submit("t2", "a");
    world.submit("t3", "b");
    world.submit("t1", "b");
    world.begin("h1", key(4, 1));
    let fail = |world: &mut World, host: &str, number: u32| {
        world.fail(host, key(number, 1), FailureScope::Judgement, "no room on the disk");
    };
    fail(&mut world, "h1", 1);
    fail(&mut world, "h1", 1);
    fail(&mut world, "h1", 2);
    assert!(!world.may_take("h1", "c/1-1"), "another one tries");
    world.jobs.clear();
    fail(&mut world, "h1", 3);
    let server = world.caller("admin");
    let hosts = world.state.server(&server).judgehosts().unwrap();
    let host = hosts.iter().find(|host| host.id.as_str() == "h1").unwrap();
    assert_eq!(
        (host.host.state, host.host.reason.as_str()),
        (JudgehostState::Disabled, "it failed 3 times in a row, the last time: no room on the disk")
    );
    assert!(
        world.jobs.iter().any(|change| matches!(change, JobChange::GiveBack { id, .. } if id == "c/4-1"))
    );
    world.join("h1", "strict").unwrap();
    assert!(!world.may_take("h1", "c/4-1"), "joining again is not enough");
    fail(&mut world, "h2", 1);
    assert_eq!(outcome_for(&world, "judge", 1), Some(Verdict::JudgingError), "three tries are enough");
    assert_eq!(outcome_for(&world, "t1", 1), None, "a failure of ours is no verdict");
}

/// A submission may choose its times so that the rule has no verdict; it earns no tries by that.
#[test]
fn a_judgement_without_a_verdict_is_for_the_jury_at_once() {
    let mut world = World::new(sample::contest());
    world.at(10);
    for number in 1..=4 {
        world.submit("t1", ["a", "b"][number as usize % 2]);
        world.fail("h1", key(number, 1), FailureScope::Undecided, "40 runs do not show on which side it is");
        assert_eq!(outcome_for(&world, "judge", number), Some(Verdict::JudgingError));
        assert_eq!(outcome_for(&world, "t1", number), None, "a failure of ours is no verdict");
        let again = world.by_host("h2", Action::Begun(key(number, 1)));
        assert!(again.is_err(), "it is not judged again by itself");
    }
    world.submit("t1", "a");
    assert!(world.may_take("h1", "c/5-1"), "the judgehost is not at fault");
}

#[test]
fn submissions_that_make_a_checker_fail_disable_no_judgehost() {
    // Of one team to several problems, and of several teams to one problem.
    for cases in [
        [("t1", "a"), ("t1", "b"), ("t1", "a"), ("t1", "b")],
        [("t1", "a"), ("t2", "a"), ("t3", "a"), ("t2", "a")],
    ] {
        let mut world = World::new(sample::contest());
        world.at(10);
        for (number, (team, problem)) in (1..).zip(cases) {
            world.submit(team, problem);
            for host in ["h1", "h2"] {
                world.fail(host, key(number, 1), FailureScope::Judgement, "the checker crashed");
            }
        }
        world.submit("t3", "b");
        assert!(world.may_take("h1", "c/5-1") && world.may_take("h2", "c/5-1"), "{cases:?}");
    }
}

#[test]
fn a_replica_does_not_wait_for_a_judgehost_that_is_away() {
    let mut world = World::new(ContestSettings { replicas: 2, ..sample::contest() });
    world.at(10).submit("t1", "a");
    world.judge_on("h1", key(1, 1), accepted(), 800);
    let is_h1_to_take = |world: &World, away: &str| {
        let away: JudgehostId = sample::id(away);
        world.state.may_take(&sample::id("h1"), "c/1-2", &|other| *other != away)
    };
    assert!(!is_h1_to_take(&world, "f1"), "h2 is there");
    assert!(is_h1_to_take(&world, "h2"));
}

#[test]
fn a_package_that_fails_again_where_it_failed_waits() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    let package = sample::problem("a", 0).package;
    let fail = |world: &mut World| {
        world.jobs.clear();
        world.fail("h1", key(1, 1), FailureScope::Package(package.clone()), "no validator");
        matches!(world.jobs[..], [.., JobChange::Remove(_)])
    };
    assert!(!fail(&mut world), "h2 may be able to");
    assert!(fail(&mut world), "h2 was away, or h1 would not have got it again");
}

#[test]
fn a_package_without_points_is_worth_all_or_nothing() {
    let mut world = World::new(sample::points(CountedScore::Best));
    let mut score = |number: u32, verdict: StoredVerdict| {
        world.at(10 * i64::from(number)).submit("t1", "a");
        world.judge(number, verdict);
        let judgement = world.team("t1").judgement(key(number, 1)).unwrap();
        judgement.outcome.unwrap().score
    };
    assert_eq!(score(1, wrong()), Some(Score(0)));
    assert_eq!(score(2, accepted()), Some(Score(100_000_000)));
    assert_eq!(score(3, verdict(Verdict::CompileError)), None);
}

#[test]
fn a_failing_package_waits_and_the_queue_goes_on() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.submit("t2", "a");
    world.submit("t3", "b");
    let package = sample::problem("a", 0).package;
    for host in ["h1", "h2"] {
        world.jobs.clear();
        world.fail(host, key(1, 1), FailureScope::Package(package.clone()), "the validator does not compile");
    }
    let removed: Vec<_> = world.jobs.iter().filter(|change| matches!(change, JobChange::Remove(_))).collect();
    assert_eq!(
        removed,
        ["c/1-1", "c/2-1"].map(|id| JobChange::Remove(id.to_owned())).iter().collect::<Vec<_>>()
    );
    world.judge(3, accepted());
    world.jobs.clear();
    let judge = world.caller("judge");
    world.ask(&judge, Command::ResumeJudging(PauseScope::Package(package))).unwrap();
    assert_eq!(world.jobs.len(), 2, "both are queued again");
    world.judge(1, accepted());
}

#[test]
fn many_submissions_of_a_team_wait_for_each_other() {
    let mut world = World::new(sample::contest());
    world.at(10);
    for _ in 0..8 {
        world.submit("t1", "a");
    }
    world.submit("t2", "a");
    world.judge(1, wrong());
    world.submit("t3", "a");
    let turns: Vec<(String, i64)> =
        world
            .jobs
            .iter()
            .filter_map(|change| {
                if let JobChange::Add(job) = change { Some((job.owner.clone(), job.turn)) } else { None }
            })
            .collect();
    let of = |owner: &str| {
        turns.iter().filter(|(name, _)| name == owner).map(|(_, turn)| *turn).collect::<Vec<_>>()
    };
    assert_eq!((of("c/t1"), of("c/t2"), of("c/t3")), ((1..=8).collect(), vec![1], vec![2]));
}

#[test]
fn another_machine_or_compiler_is_refused_by_a_pool() {
    let mut world = World::new(sample::contest());
    let hosts = world.caller("hosts");
    let other = judgehost("h3", "strict", "cpu: another", "c: gcc 13");
    let refusal = world.ask(&hosts, other).unwrap_err();
    assert_eq!(refusal.code, "not-of-pool");
    let expect =
        "the machine is not of pool 'strict':\n- cpu: of strict\n+ cpu: another\n- c: gcc 14\n+ c: gcc 13";
    assert_eq!(refusal.message.text, expect);
}

#[test]
fn a_contest_has_no_pool_with_another_image_or_isolation() {
    let digest = |digit: &str| format!("sha256:{}", digit.repeat(64));
    let image = Some(digest("a"));
    let in_machines = Some(RunIsolation::Microvm);
    let mut world = World::new(sample::contest());
    let (admin, hosts) = (world.caller("admin"), world.caller("hosts"));
    let set = |world: &mut World, pool: &str, image: &Option<String>, isolation| {
        let image = image.clone();
        let settings =
            ContestSettings { strict_pool: sample::id(pool), image, isolation, ..sample::contest() };
        world.ask(&admin, Command::SetContest(sample::id("c"), Box::new(settings)))
    };
    let refusal = set(&mut world, "strict", &image, None).unwrap_err();
    assert_eq!(refusal.code, "other-image");
    let begin = format!("pool 'strict' judges with no image, contest 'c' with {}: ", digest("a"));
    assert!(refusal.message.text.starts_with(&begin), "{}", refusal.message.text);
    let refusal = set(&mut world, "strict", &None, in_machines).unwrap_err();
    assert_eq!(refusal.code, "other-isolation");
    let begin = "pool 'strict' judges in a container, contest 'c' in a microvm: ";
    assert!(refusal.message.text.starts_with(begin), "{}", refusal.message.text);
    set(&mut world, "strict", &None, Some(RunIsolation::Container)).unwrap();
    // The first judgehost of a pool settles what it has.
    set(&mut world, "machines", &image, in_machines).unwrap();
    let join = |lines: &[String]| {
        Command::JoinJudgehost(NewJudgehost {
            id: sample::id("h3"),
            pool: sample::id("machines"),
            identity: lines.to_vec(),
            compilers: vec!["c: gcc 14".to_owned()],
            places: 1,
            awaits_admission: false,
            instance: String::new(),
        })
    };
    let line = documents::judgehost::isolation_line(RunIsolation::Microvm, "kvm, kernel 6.1");
    let image_line = |digit| documents::judgehost::image_line(&digest(digit));
    assert_eq!(world.ask(&hosts, join(&[image_line("b"), line.clone()])).unwrap_err().code, "other-image");
    assert_eq!(world.ask(&hosts, join(&[image_line("a")])).unwrap_err().code, "other-isolation");
    world.ask(&hosts, join(&[image_line("a"), line])).unwrap();
    assert_eq!(set(&mut world, "machines", &Some(digest("b")), None).unwrap_err().code, "other-image");
}

#[test]
fn a_contest_with_a_clock_has_no_pool_with_another_one() {
    let counts = |per_nanosecond| Some(Clock::Instructions { per_nanosecond });
    let of_pool =
        |pool: &str, clock| ContestSettings { strict_pool: sample::id(pool), clock, ..sample::contest() };
    let mut world = World::new(sample::contest());
    let (admin, hosts) = (world.caller("admin"), world.caller("hosts"));
    let set = |world: &mut World, settings| {
        world.ask(&admin, Command::SetContest(sample::id("c"), Box::new(settings)))
    };
    let refusal = set(&mut world, of_pool("strict", counts(1))).unwrap_err();
    assert_eq!(refusal.code, "other-clock");
    let expect = "pool 'strict' judges by CPU time, contest 'c' by instructions, 1 in a nanosecond: let the contest have \
                  another pool, or start the judgehosts of this one with that clock";
    assert_eq!(refusal.message.text, expect);
    set(&mut world, of_pool("strict", Some(Clock::CpuTime))).unwrap();
    set(&mut world, of_pool("strict", None)).unwrap();
    // The first judgehost of a pool settles its clock.
    set(&mut world, of_pool("counted", counts(2))).unwrap();
    let join = |clock: &str| judgehost("h3", "counted", clock, "c: gcc 14");
    for other in ["cpu: any", "clock: instructions, 1 in a nanosecond"] {
        assert_eq!(world.ask(&hosts, join(other)).unwrap_err().code, "other-clock", "{other}");
    }
    let lines = |line: &str| Some(vec![line.to_owned()]);
    let pool = |identity| Command::SetPool(PoolSettings { identity, ..sample::pool("counted") });
    assert_eq!(world.ask(&admin, pool(lines("cpu: any"))).unwrap_err().code, "other-clock");
    world.ask(&admin, pool(None)).unwrap();
    world.ask(&hosts, join("clock: instructions, 2 in a nanosecond")).unwrap();
    assert_eq!(set(&mut world, of_pool("counted", counts(1))).unwrap_err().code, "other-clock");
    // One that is not known here is another one.
    let newer = Command::SetPool(PoolSettings { identity: lines("clock: atomic"), ..sample::pool("newer") });
    world.ask(&admin, newer).unwrap();
    let refusal = set(&mut world, of_pool("newer", counts(1))).unwrap_err();
    assert!(refusal.message.text.starts_with("pool 'newer' judges by atomic"), "{}", refusal.message.text);
    set(&mut world, of_pool("counted", counts(2))).unwrap();
    assert_eq!(world.public().contest().object.clock, counts(2), "teams know which times are nominal");
    // While the result is final, a pool may change, and then it is not opened again.
    world.at(1_000_000);
    world.admin(Action::Finalize { extra_bronze: 0, comment: "C".to_owned() }).unwrap();
    world.ask(&admin, pool(lines("cpu: any"))).unwrap();
    let open = |world: &mut World| world.admin(Action::Unfinalize("a mistake".to_owned()));
    assert_eq!(open(&mut world).unwrap_err().code, "other-clock");
    world.ask(&admin, pool(lines("clock: instructions, 2 in a nanosecond"))).unwrap();
    open(&mut world).unwrap();
}

#[test]
fn the_ratio_of_two_pools_is_measured_with_programs_that_both_judge() {
    let mut world = World::new(ContestSettings { fast_pool: Some(sample::id("fast")), ..sample::contest() });
    let ratio = |world: &World| -> Option<(u32, u32)> {
        let admin = world.caller("admin");
        let pools = world.state.server(&admin).pools().unwrap();
        let fast = pools.iter().find(|pool| pool.settings.id.as_str() == "fast").unwrap();
        fast.ratios.first().map(|ratio| (ratio.upper_permille, ratio.programs))
    };
    for number in 1..=10 {
        assert_eq!(ratio(&world), None, "after {} programs", number - 1);
        world.at(i64::from(number)).submit("t1", "a");
        world.judge_on("f1", key(number, 1), accepted(), 100);
        world.judge_on("h1", key(number, 2), accepted(), 120 + u64::from(number));
    }
    assert_eq!(ratio(&world), Some((2000, 10)), "one team's programs say little about another's");
    world.submit("t2", "a");
    world.judge_on("f1", key(11, 1), accepted(), 450);
    assert_eq!(outcome_for(&world, "t2", 11), Some(Verdict::Accepted), "0.45 s x 2 is within 1 s");
    world.submit("t3", "a");
    world.judge_on("f1", key(12, 1), accepted(), 600);
    assert_eq!(outcome_for(&world, "t3", 12), None, "0.6 s x 2 is not");
    world.judge_on("h1", key(12, 2), accepted(), 1500);
    assert_eq!(ratio(&world), Some((2550, 11)), "2 % above a program that was slower");
}

#[test]
fn a_judgement_that_loses_ten_judgehosts_is_a_judging_error() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    let verdict = |world: &World| {
        let judgement = world.view("judge").judgements().next().unwrap();
        judgement.outcome.map(|outcome| outcome.verdict.0)
    };
    for lost in 0..10 {
        assert_eq!(verdict(&world), None, "lost {lost} times");
        world.by_host(if lost % 2 == 0 { "h1" } else { "h2" }, Action::Begun(key(1, 1))).unwrap();
    }
    world.begin("h1", key(1, 1));
    assert_eq!(verdict(&world), Some(Verdict::JudgingError));
}

#[test]
fn a_slower_judgehost_is_disabled_if_another_one_takes_its_jobs() {
    let drifted = pools::Drifted {
        expected: model::Nanos::from_millis(100),
        lowest: model::Nanos::from_millis(110),
        since: sample::START,
    };
    let found = |world: &World, host: &str, there: &[&str]| {
        let takes = |other: &JudgehostId| there.contains(&other.as_str());
        match world.state.on_drift(&sample::id(host), &drifted, takes) {
            Some(Command::SetJudgehost { id, state, reason }) => Some((id.to_string(), state, reason)),
            _ => None,
        }
    };
    let mut world = World::new(sample::contest());
    let why = "the reference program takes 110.00 ms at least, 10.0 % more than 100.00 ms at first";
    let alone = format!("{why}; still enabled: it is the only machine of its pool");
    let out = ("h1".to_owned(), JudgehostState::Disabled, why.to_owned());
    assert_eq!(found(&world, "h1", &["h2"]), Some(out));
    let stays = |host: &str| Some((host.to_owned(), JudgehostState::Enabled, alone.clone()));
    assert_eq!(found(&world, "h1", &["h1", "f1"]), stays("h1"), "f1 is of another pool, h2 is away");
    assert_eq!(found(&world, "f1", &["h1", "h2"]), stays("f1"));
    let admin = world.caller("admin");
    world.ask(&admin, set_judgehost("h2", JudgehostState::Draining)).unwrap();
    assert_eq!(found(&world, "h1", &["h2"]), stays("h1"), "h2 takes no jobs");
    for state in [JudgehostState::Draining, JudgehostState::Disabled] {
        world.ask(&admin, set_judgehost("h1", state)).unwrap();
        assert!(world.state.on_drift(&sample::id("h1"), &drifted, |_| true).is_none(), "it is out already");
    }
    assert!(world.state.on_drift(&sample::id("unknown"), &drifted, |_| true).is_none());
}

#[test]
fn only_what_the_pool_can_compile_is_offered_and_taken() {
    let mut world = World::new(sample::contest());
    let languages =
        |world: &World| world.public().languages().map(|ids| ids.into_iter().collect::<Vec<_>>().join(" "));
    assert_eq!(languages(&world).as_deref(), Some("c"));
    world.at(1);
    let mut ada = world.submission("a");
    ada.language = sample::id("ada");
    let refused = world.by("t1", Action::Submit(ada.clone())).unwrap_err();
    assert_eq!(
        refused.message.text,
        "language 'ada' cannot be judged: no judgehost has a compiler of it; use one of c"
    );
    world.take_notices(&Audience::Public);
    let admin = world.caller("admin");
    let compilers = Some(vec!["ada: gnat 12".to_owned(), "c: gcc 14".to_owned()]);
    let strict = PoolSettings { compilers, ..sample::pool("strict") };
    world.ask(&admin, Command::SetPool(strict)).unwrap();
    assert_eq!(languages(&world).as_deref(), Some("ada c"));
    let noted = world.take_notices(&Audience::Public);
    assert!(noted.iter().any(|notice| notice.object == Object::Contest), "{noted:?}");
    world.by("t1", Action::Submit(ada)).unwrap();
    // What the contest names counts, and what was sent stays.
    world
        .set_contest("contest", ContestSettings { languages: [sample::id("c")].into(), ..sample::contest() });
    assert_eq!(languages(&world).as_deref(), Some("ada c"));
    // What a hidden team sends is seen by the jury alone.
    world.admin(Action::SetTeam(TeamSettings { is_hidden: true, ..sample::team("t3") })).unwrap();
    let mut hidden = world.submission("a");
    (hidden.language, hidden.team, hidden.time) =
        (sample::id("java"), Some(sample::id("t3")), Some(world.now));
    world.set_contest("c", sample::contest());
    world.admin(Action::Submit(hidden)).unwrap();
    assert_eq!(languages(&world).as_deref(), Some("ada c"));
    assert!(world.view("judge").languages().unwrap().contains("java"));
    // A pool that no machine has joined may have any.
    world.set_contest("c", ContestSettings { strict_pool: sample::id("new"), ..sample::contest() });
    assert_eq!(languages(&world), None);
}

#[test]
fn a_judgement_that_nothing_judges_says_why() {
    let mut world = World::new(ContestSettings {
        languages: [sample::id("ada"), sample::id("c")].into(),
        ..sample::contest()
    });
    world.at(1).submit("t1", "a");
    let mut ada = world.submission("a");
    ada.language = sample::id("ada");
    world.by("t1", Action::Submit(ada)).unwrap();
    let obstacle = |world: &World, name: &str, number: u32, hosts_are_there: bool| {
        world.view(name).obstacle(key(number, 1), &|_, _| hosts_are_there)
    };
    assert_eq!(obstacle(&world, "t1", 1, true), None, "it only waits for those before it");
    assert_eq!(obstacle(&world, "t1", 2, true), Some(Obstacle::NoCompiler));
    assert_eq!(obstacle(&world, "judge", 2, false), Some(Obstacle::NoJudgehost));
    assert_eq!(obstacle(&world, "t2", 2, true), None, "another team's");
    let broken = world.view("t1").obstacle(key(1, 1), &|_, language| language.is_none());
    assert_eq!(broken, Some(Obstacle::NoCompiler), "its compiler is there and does not work");
    let admin = world.caller("admin");
    for host in ["h1", "h2"] {
        world.ask(&admin, set_judgehost(host, JudgehostState::Disabled)).unwrap();
    }
    assert_eq!(obstacle(&world, "t1", 1, true), Some(Obstacle::NoJudgehost), "f1 is of another pool");
    world.ask(&admin, set_judgehost("h1", JudgehostState::Enabled)).unwrap();
    world.begin("h1", key(1, 1));
    assert_eq!(obstacle(&world, "t1", 1, false), None, "it is judged");
    world.jury(Action::PauseProblem(sample::id("a"), true, None));
    assert_eq!(obstacle(&world, "t1", 2, true), Some(Obstacle::Paused));
}

#[test]
fn a_judgehost_that_awaits_admission_is_given_nothing_until_it_is_let_in() {
    let mut world = World::new(sample::contest());
    let await_admission = |world: &mut World, start: &str| {
        let mut join = judgehost("h3", "strict", "cpu: of strict", "c: gcc 14");
        if let Command::JoinJudgehost(host) = &mut join {
            host.awaits_admission = true;
            host.instance = start.to_owned();
        }
        world.ask(&world.caller("hosts"), join)
    };
    let state = |world: &World| world.state.joined(&Caller::system(), &sample::id("h3")).unwrap().1;
    await_admission(&mut world, "first").unwrap();
    assert_eq!(state(&world), JudgehostState::Waiting);
    world.at(1).submit("t1", "a");
    assert!(!world.may_take("h3", "c/1-1") && world.may_take("h1", "c/1-1"));
    let admit = || set_judgehost("h3", JudgehostState::Enabled);
    assert!(world.ask(&world.host("h3"), admit()).is_err(), "it does not let itself in");
    world.ask(&world.caller("operator"), admit()).unwrap();
    assert!(world.may_take("h3", "c/1-1"));
    // One that starts again waits again, and one that waits or was taken out does not change that by saying otherwise.
    await_admission(&mut world, "first").unwrap();
    assert_eq!(state(&world), JudgehostState::Enabled, "a server that took over asked it to register again");
    await_admission(&mut world, "second").unwrap();
    assert_eq!(state(&world), JudgehostState::Waiting);
    let join = |world: &mut World| {
        world.ask(&world.caller("hosts"), judgehost("h3", "strict", "cpu: of strict", "c: gcc 14"))
    };
    join(&mut world).unwrap();
    assert_eq!(state(&world), JudgehostState::Waiting);
    world.ask(&world.caller("judge"), set_judgehost("h3", JudgehostState::Disabled)).unwrap();
    await_admission(&mut world, "third").unwrap();
    assert_eq!(state(&world), JudgehostState::Disabled);
    join(&mut world).unwrap();
    assert_eq!(state(&world), JudgehostState::Disabled);
    assert!(world.ask(&world.caller("operator"), admit()).is_err(), "staff has taken it out");
    world.ask(&world.caller("judge"), admit()).unwrap();
    assert_eq!(state(&world), JudgehostState::Enabled);
}

#[test]
fn a_machines_token_makes_no_other_token_and_no_password() {
    let mut world = World::new(sample::contest());
    for (name, digit) in [("hosts", "a"), ("operator", "b")] {
        let token = || issue_token(&format!("of-{name}"), name, &digit.repeat(64));
        let caller = world.caller(name);
        let id = caller.account.clone().unwrap();
        assert!(world.ask(&caller, token()).is_err(), "{name}");
        let hash = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA".to_owned();
        assert!(world.ask(&caller, Command::SetPassword { account: id, hash }).is_err(), "{name}");
        world.ask(&world.caller("admin"), token()).unwrap();
    }
}
