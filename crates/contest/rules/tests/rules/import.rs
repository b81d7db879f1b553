//! What is imported counts as if it had been judged here, and nothing is queued.

use crate::support::run;
use contest_rules::board::BoardSide;
use contest_rules::{
    Action, Caller, Command, ContestId, ContestSettings, Imported, ImportedJudgement, ImportedSubmission,
    Instant, Millis, Outcome, State, StoredVerdict, SubmissionNumber, Submitted, sample,
};
use model::{Nanos, Verdict};

const START: Instant = sample::START;

fn act(state: &mut State, now: Instant, command: Command) -> Result<usize, contest_rules::Refusal> {
    let events = contest_rules::decide(state, &Caller::system(), now, command)?;
    let mut jobs = 0;
    for event in events {
        jobs += state.apply(state.seq() + 1, &event).jobs.len();
    }
    Ok(jobs)
}

fn entry(number: u32, minute: i64, verdict: Verdict) -> ImportedSubmission {
    let time = START + Millis::minutes(minute);
    let outcome = Outcome { verdict: StoredVerdict(verdict), score: None };
    ImportedSubmission {
        submitted: Submitted {
            number: SubmissionNumber(number),
            team: Some(sample::id("ants")),
            problem: sample::id("p"),
            language: sample::id("cpp"),
            entry_point: None,
            time: None,
            account: None,
            files: Vec::new(),
        },
        account: None,
        foreign_id: None,
        time,
        ignored: None,
        judgements: vec![
            None,
            Some(ImportedJudgement {
                begun: time,
                end: time + Millis(50),
                outcome,
                max_run_time: Some(Nanos(5)),
                subtasks: Vec::new(),
                runs: vec![run(1, outcome.verdict)],
            }),
        ],
        current: 2,
    }
}

#[test]
fn results_count_and_nothing_is_judged() {
    let contest: ContestId = sample::id("past");
    let within = |action| Command::In(contest.clone(), action);
    let import = |entry| within(Action::Import(Box::new(Imported::Submission(Box::new(entry)))));
    let mut state = State::default();
    let later = START + Millis::minutes(10_000);
    act(&mut state, later, Command::SetPool(sample::pool("strict"))).unwrap();
    let settings = ContestSettings { verification_required: true, ..sample::contest() };
    act(&mut state, later, Command::SetContest(contest.clone(), Box::new(settings))).unwrap();
    act(&mut state, later, within(Action::SetProblem(Box::new(sample::problem("p", 0))))).unwrap();
    act(&mut state, later, within(Action::SetTeam(sample::team("ants")))).unwrap();
    let jobs =
        [(1, 10, Verdict::WrongAnswer), (2, 30, Verdict::Accepted)].map(|(number, minute, verdict)| {
            act(&mut state, later, import(entry(number, minute, verdict))).unwrap()
        });
    assert_eq!(jobs, [0, 0]);

    let view = state.view(&Caller::system(), &contest).unwrap();
    let board = view.board(BoardSide::Jury, None).unwrap();
    assert_eq!((board.rows[0].solved, board.rows[0].total_time), (1, Millis::minutes(50)));
    let key = contest_rules::JudgementKey { submission: SubmissionNumber(2), number: 2 };
    assert_eq!(view.runs(key).unwrap().len(), 1);

    // Times and numbers must be in order, and references resolve.
    let refused = |entry| act(&mut state.clone(), later, import(entry)).unwrap_err().message.text;
    assert!(refused(entry(2, 40, Verdict::Accepted)).contains("of its own"));
    assert!(refused(entry(3, 20, Verdict::Accepted)).contains("order of their times"));
    let mut other = entry(3, 40, Verdict::Accepted);
    other.current = 1;
    assert!(refused(other).contains("does not exist"));
    let mut other = entry(3, 40, Verdict::Accepted);
    other.submitted.problem = sample::id("q");
    assert!(refused(other).contains("no problem 'q'"));
    for score in [i64::MAX, i64::MIN] {
        let mut other = entry(3, 40, Verdict::Accepted);
        other.judgements[1].as_mut().unwrap().outcome.score = Some(contest_rules::Score(score));
        assert!(refused(other).contains("at most a billion points"));
    }

    let finalized =
        Imported::Finalized { time: START + Millis::minutes(310), extra_bronze: 1, comment: String::new() };
    act(&mut state, later, within(Action::Import(Box::new(finalized)))).unwrap();
    let view = state.view(&Caller::system(), &contest).unwrap();
    assert_eq!(view.state().finalized, Some(START + Millis::minutes(310)));
    assert_eq!(State::restore(&state.checkpoint()), Some(state));
}
