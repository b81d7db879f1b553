//! Rulings that follow from the runs of a record, and those that cannot.

use super::*;

#[test]
fn a_conversation_needs_no_certain_time_to_be_rejected() {
    let mut lines = written();
    lines[0] = lines[0].replace("\"has_checks_between_runs\":false", "\"has_checks_between_runs\":true");
    let interactor = Some(RunResult { end: DONE, usage: Usage::default(), evidence: Evidence::default() });
    let slow = CaseJudgement { interactor, ..case("secret/1", Verdict::WrongAnswer, 0, &[(DONE, 1200)]) };
    let slow = slow.recorded(&rule(), "b.c");
    assert_eq!(slow.ruling.as_ref().unwrap().decision, documents::RulingDecision::Interactor);
    let line = |case: documents::RecordCase| {
        let entry = RecordEntry::Case(Box::new(case));
        documents::to_json_line(&RecordLine { sequence: 0, previous: String::new(), entry })
    };
    lines[4] = line(slow.clone());
    lines[5] = lines[5].replace("\"TLE\"", "\"WA\"");
    assert_eq!(findings(&rechained(&lines)), [""; 0]);
    assert_eq!(verify(rechained(&lines).as_slice(), "r").unwrap().decided_with_interactor, 1);
    let mut accepted = slow;
    accepted.case.verdict = Verdict::Accepted.into();
    lines[4] = line(accepted);
    lines[5] = lines[5].replace("\"WA\"", "\"AC\"");
    insta::assert_snapshot!(
        findings(&rechained(&lines)).join("\n"),
        @"5: secret/1 of b.c: it is accepted, which does not follow from 'the interactor decides'"
    );
}

#[test]
fn an_interactor_that_fails_makes_a_judging_error_of_any_run() {
    let begin = RecordBegin { has_checks_between_runs: true, ..begin() };
    let mut judging = Judging::begin(&begin).unwrap();
    let mut failed = case("1", Verdict::JudgingError, 0, &[(RunEnd::Signaled(11), 300)]);
    failed.judging_error = Some("the interactor crashed".to_owned());
    let mut recorded = failed.recorded(&rule(), "a");
    assert_eq!(recorded.ruling.as_ref().unwrap().decision, documents::RulingDecision::Verdict);
    assert_eq!(judging.case(2, &recorded).findings, [""; 0]);
    recorded.judging_error = None;
    let found = judging.case(3, &recorded).findings;
    assert_eq!(found, ["1 of a: it is judging error, which does not follow from 'run-time error'"]);
}

#[test]
fn a_run_killed_at_its_limit_decides_alone() {
    let killed = RunEnd::Limit(LimitKind::CpuTime);
    let case = case("1", Verdict::TimeLimitExceeded, 0, &[(killed, 2000)]).recorded(&rule(), "a");
    let mut judging = Judging::begin(&begin()).unwrap();
    assert_eq!(judging.case(2, &case).findings, [""; 0]);
    // Disturbed, it had to be run again.
    let mut disturbed = case;
    disturbed.runs[0].evidence.steal_ns = Some(50_000_000);
    disturbed.case.evidence = disturbed.runs[0].evidence.clone();
    assert!(judging.case(3, &disturbed).findings[0].contains("had to be run again"));
}

#[test]
fn contradictory_cases_are_reported() {
    let lines = written();
    let changed = |at: usize, change: &dyn Fn(&mut documents::RecordCase)| {
        let mut changed = lines.clone();
        let mut line: RecordLine = documents::from_json(&changed[at]).unwrap();
        let RecordEntry::Case(case) = &mut line.entry else { panic!("line {at} is no case") };
        change(case);
        changed[at] = documents::to_json_line(&line);
        findings(&rechained(&changed)).join("\n")
    };
    insta::assert_snapshot!(
        changed(2, &|case| case.case.case = "secret/1".to_owned()),
        @"4: a.c: secret/1 is in line 2 and again in line 3"
    );
    insta::assert_snapshot!(
        changed(4, &|case| case.submission = "a.c".to_owned()),
        @r"
    6: b.c: it is time limit exceeded, but none of its recorded cases is
    7: the judging ends, but a.c of line 5 has no verdict
    "
    );
    insta::assert_snapshot!(
        changed(1, &|case| case.judging_error = Some("no disk".to_owned())),
        @"2: secret/1 of a.c: it is accepted, although there was an internal error"
    );
    insta::assert_snapshot!(
        changed(2, &|case| case.run_again = vec!["a".to_owned(), "b".to_owned()]),
        @"3: secret/2 of a.c: it has 2 runs, but it was run again 2 times"
    );
    assert_eq!(changed(2, &|case| case.run_again.clear()), "", "it was made before that was recorded");
    let mut more = lines.clone();
    more.insert(3, lines[2].replace("secret/2", "secret/3"));
    more[7] = more[7].replace("\"cases\":3", "\"cases\":4");
    insta::assert_snapshot!(
        findings(&rechained(&more)).join("\n"),
        @"5: a.c: it has 3 cases, but there are 2"
    );
}

#[test]
fn some_cases_of_a_scoring_problem_decide_like_those_of_any_other() {
    let mut lines = written();
    lines[0] = lines[0].replace("\"is_graded\":false", "\"is_graded\":true");
    lines[5] = lines[5].replace("\"verdict\":\"TLE\"", "\"verdict\":\"AC\"");
    assert_eq!(findings(&rechained(&lines)), [""; 0], "scores may make it so");
    lines[0] = lines[0].replace("\"is_selection\":false", "\"is_selection\":true");
    assert_eq!(
        findings(&rechained(&lines)),
        ["6: b.c: it is accepted, although line 5 is time limit exceeded"]
    );
}

#[test]
fn undecidable_times_are_judging_errors_at_any_limit_of_runs() {
    let mut judging = Judging::begin(&begin()).unwrap();
    for count in [RuleNumbers::VERSION_5.runs_max as usize, 7] {
        let mut runs = runs(&vec![(DONE, 1300); count]);
        for run in &mut runs {
            run.evidence.core_slowdown = model::Reading::Known(model::Slowdown(400));
        }
        let mut undecided = case_of("1", Verdict::JudgingError, 0, runs);
        undecided.judging_error = Some("its time is not known".to_owned());
        let recorded = undecided.recorded(&rule(), "a");
        assert_eq!(recorded.ruling.as_ref().unwrap().decision, documents::RulingDecision::Undecided);
        assert_eq!(judging.case(2, &recorded).findings, [""; 0]);
        let mut accepted = recorded;
        (accepted.judging_error, accepted.case.verdict) = (None, Verdict::Accepted.into());
        let found = judging.case(3, &accepted).findings;
        assert_eq!(found, ["1 of a: it is accepted, which does not follow from 'undecided'"]);
    }
}

#[test]
fn another_output_before_the_accepted_one_is_for_the_jury() {
    let written = |text: &str| judge::Written {
        bytes: text.len() as u64,
        sha256: [7; 32],
        start: text.as_bytes().to_vec(),
    };
    let other = |run, end| judge::OtherOutput {
        pass: 1,
        run,
        is_other: true,
        cpu_time: Nanos::ZERO,
        end,
        written: written("sorry"),
    };
    let case = |other_outputs, verdict, of: &[(RunEnd, u64)]| CaseJudgement {
        other_outputs,
        accepted_output: Some(written("1")),
        ..case("secret/1", verdict, of.len() - 1, of)
    };
    let lucky = [(DONE, 1200), (DONE, 900)];
    let judged = |case: &CaseJudgement| {
        let judgement =
            Judgement { verdict: case.verdict, judging_error: None, ..Judgement::failed("a", String::new()) };
        Judged::new(Judgement { cases: vec![case.clone()], ..judgement }, None).recorded(Vec::new())
    };
    let found = |case: &CaseJudgement, submission: &documents::RecordSubmission| {
        let mut judging =
            Judging::begin(&RecordBegin { case_count: 1, rule: recorded_rule(&rule(), 1), ..begin() })
                .unwrap();
        let mut found = judging.case(2, &case.recorded(&rule(), "a")).findings;
        found.extend(judging.submission(submission));
        found
    };
    let right = case(vec![other(1, DONE)], Verdict::Accepted, &lucky);
    let submission = judged(&right);
    assert_eq!(submission.submission.jury_decides, ["secret/1"]);
    assert_eq!(found(&right, &submission), [""; 0]);
    // It is hidden from the submission, or there is no such run.
    let mut hidden = submission.clone();
    hidden.submission.jury_decides.clear();
    let words = "a: the cases for the jury to decide about are not those that it names";
    assert_eq!(found(&right, &hidden), [words]);
    for (run, end) in [(2, DONE), (0, DONE), (1, RunEnd::Exited(1))] {
        let wrong = case(vec![other(run, end)], Verdict::Accepted, &lucky);
        let words = format!("secret/1 of a: run {run} is named, but is no such run before the accepted one");
        assert_eq!(found(&wrong, &submission), [words]);
    }
    // Of the time alone it is a matter of luck only if nothing explains it.
    let time = |run, end| judge::OtherOutput { is_other: false, ..other(run, end) };
    let wrong = case(vec![time(1, DONE)], Verdict::Accepted, &lucky);
    assert_eq!(
        found(&wrong, &submission),
        ["secret/1 of a: run 1 is named, but is no such run before the accepted one"]
    );
    let much = [(DONE, 1500), (DONE, 900)];
    let right = case(vec![time(1, DONE)], Verdict::Accepted, &much);
    assert_eq!(found(&right, &judged(&right)), [""; 0]);
    let hidden = case(Vec::new(), Verdict::Accepted, &much);
    assert_eq!(
        found(&hidden, &judged(&hidden)),
        ["secret/1 of a: run 1 took 1.500 s, so the jury decides, but it is not named"]
    );
    let talked = RecordBegin { has_checks_between_runs: true, ..begin() };
    let of_conversation = |passes| {
        let hidden = CaseJudgement { passes, ..hidden.clone() };
        Judging::begin(&talked).unwrap().case(2, &hidden.recorded(&rule(), "a")).findings
    };
    assert_eq!(
        of_conversation(1),
        ["secret/1 of a: run 1 took 1.500 s, so the jury decides, but it is not named"]
    );
    assert_eq!(of_conversation(2), [""; 0], "the first may have ended in another pass");
    let rejected = case(vec![other(1, DONE)], Verdict::WrongAnswer, &lucky);
    assert_eq!(
        found(&rejected, &judged(&rejected)),
        ["secret/1 of a: run 1 wrote something else, but nothing is accepted"]
    );
}
