//! Whether a contest can begin, and once it has, whether its result can be made final.

mod judging;

use contest_rules::AccountSettings;
use documents::contest::{
    AccountType, Check, CheckState, Contest, Judgehost, Organization, PausedJudging, Problem, Sentence,
    StatementProgress, StatementState, Team,
};
use judging::{clocks, judgehosts, languages, paused, too_old, untested};
use model::{Counted, Message, Names, message};
use std::collections::{BTreeMap, BTreeSet};

pub struct ContestFacts {
    pub contest: Contest,
    pub problems: Vec<Problem>,
    pub teams: Vec<Team>,
    pub organizations: Vec<Organization>,
    /// The accounts with which somebody can log in.
    pub can_log_in: Vec<AccountSettings>,
    pub judgehosts: Vec<Judgehost>,
    /// Whether teams see each case of a judgement.
    pub shows_cases: bool,
    /// The pool whose verdicts count, and the one that judges first.
    pub pools: Vec<String>,
    /// The languages that teams may use; none for all.
    pub languages: Vec<String>,
    /// The rules by which points of its problems are computed.
    pub scores: BTreeSet<&'static str>,
    pub paused: Vec<PausedJudging>,
    /// The forms of each problem's statement, with its label.
    pub statements: Vec<(String, Vec<StatementState>)>,
    pub has_started: bool,
    pub has_ended: bool,
    /// What stands against a final result.
    pub open: Vec<(&'static str, Message)>,
}

pub fn checks(facts: &ContestFacts) -> Vec<Check> {
    let mut checks = if facts.has_started { end(facts) } else { before(facts) };
    if !facts.has_ended {
        checks.extend(statements(facts));
    }
    // After the end it matters only if something waits.
    if !facts.has_ended || !facts.open.is_empty() {
        checks.extend(
            [
                judgehosts(facts),
                clocks(facts),
                languages(facts),
                untested(facts),
                too_old(facts),
                paused(facts),
            ]
            .into_iter()
            .flatten(),
        );
    }
    checks
}

fn check(id: &str, state: CheckState, text: Message, remedy: impl Into<Option<Message>>) -> Check {
    let remedy = remedy.into();
    Check {
        id: id.to_owned(),
        state,
        sentence: Sentence::of(&text),
        text: text.text,
        remedy_sentence: remedy.as_ref().and_then(Sentence::of),
        remedy: remedy.map(|remedy| remedy.text),
    }
}

fn pass(id: &str, text: Message) -> Check {
    check(id, CheckState::Pass, text, None)
}

/// Returns the problems that teams cannot read, or only plainly.
fn statements(facts: &ContestFacts) -> Vec<Check> {
    use StatementProgress::{Making, Plain, Ready, Waiting};
    const ID: &str = "statements";
    let install = || {
        message!("do-install-tools", "install what is missing on a judgehost of the pool, and start it again")
    };
    let (mut absent, mut waiting, mut plain, mut checks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (label, forms) in &facts.statements {
        let has = |wanted: &[StatementProgress]| forms.iter().any(|form| wanted.contains(&form.state));
        if has(&[Plain]) {
            plain.push(label.as_str());
        } else if has(&[Ready]) {
        } else if forms.is_empty() {
            absent.push(label.as_str());
        } else if has(&[Waiting, Making]) {
            waiting.push(label.as_str());
        } else {
            let why = forms.iter().find_map(|form| form.text.as_deref()).unwrap_or_default();
            let is_lacking = forms.iter().any(|form| !form.lacking.is_empty());
            let correct = || message!("do-correct-statement", "correct it, and add the package again");
            let text = message!(
                "statement-not-made",
                "the statement of problem {problem} could not be made: {why}",
                problem = label,
                why
            );
            let remedy = if is_lacking { install() } else { correct() };
            checks.push(check(ID, CheckState::Caution, text, remedy));
        }
    }
    let mut caution = |names: &[&str], text: Message, remedy: Message| {
        if !names.is_empty() {
            checks.push(check(ID, CheckState::Caution, text, remedy));
        }
    };
    caution(
        &absent,
        message!(
            "statements-absent",
            "there is no statement in the package of {problems}",
            problems = Names("problem", &absent)
        ),
        message!(
            "do-add-statement",
            "put one into the package, such as statement/problem.en.md, and add it again"
        ),
    );
    caution(
        &waiting,
        message!(
            "statements-waiting",
            "no judgehost has made the statement yet of {problems}",
            problems = Names("problem", &waiting)
        ),
        message!(
            "do-wait-for-judgehost",
            "it is made once a judgehost of the contest's pool has nothing to judge"
        ),
    );
    caution(
        &plain,
        message!(
            "statements-plain",
            "pandoc is missing on a judgehost, which rendered plainly the statement of {problems}",
            problems = Names("problem", &plain)
        ),
        install(),
    );
    if checks.is_empty() && !facts.statements.is_empty() {
        checks.push(pass(ID, message!("statements-pass", "each problem has a statement")));
    }
    checks
}

/// Returns a check that nothing of a kind is amiss: a sentence with the names of those that are, or one for none.
fn none(
    id: &str,
    state: CheckState,
    names: &[&str],
    wrong: impl FnOnce(&[&str]) -> Message,
    remedy: Message,
    right: Message,
) -> Check {
    if names.is_empty() { pass(id, right) } else { check(id, state, wrong(names), remedy) }
}

fn before(facts: &ContestFacts) -> Vec<Check> {
    let ContestFacts { contest, problems, teams, can_log_in, organizations, .. } = facts;
    let mut checks = vec![match contest.start_time {
        Some(time) => pass("start", message!("contest-starts-at", "the contest starts at {time}", time)),
        None => check(
            "start",
            CheckState::Caution,
            message!("start-not-set", "the start is not set"),
            message!("set-start", "set it: 'tauto contest start --at TIME'"),
        ),
    }];
    if problems.is_empty() {
        let remedy = message!("add-problems", "add them: 'tauto problem add' or 'tauto contest import'");
        let text = message!("problems-missing", "there is no problem");
        checks.push(check("problems", CheckState::Fail, text, remedy));
    } else {
        checks.push(pass(
            "problems",
            message!("problems-counted", "{count}", count = Counted(problems.len(), "problem")),
        ));
        let labels = |is: fn(&Problem) -> bool| -> Vec<&str> {
            problems.iter().filter(|problem| is(problem)).map(|problem| problem.label.as_str()).collect()
        };
        checks.push(none(
            "test-data",
            CheckState::Fail,
            &labels(|problem| problem.test_data_count == 0),
            |names| {
                message!(
                    "no-test-data",
                    "there is no test data in {problems}",
                    problems = Names("problem", names)
                )
            },
            message!("add-test-data", "add a package that has some: 'tauto problem add'"),
            message!("all-have-test-data", "each problem has test data"),
        ));
        checks.push(none(
            "time-limits",
            CheckState::Caution,
            &labels(|problem| problem.time_limit.is_none()),
            |names| {
                message!(
                    "no-time-limit",
                    "the time limit is not derived yet for {problems}",
                    problems = Names("problem", names)
                )
            },
            message!("derive-time-limit", "submit a solution as a test: the first judging derives it"),
            message!("all-have-time-limits", "each problem has a time limit"),
        ));
        checks.extend(colours(problems));
    }
    checks.push(if facts.shows_cases {
        check(
            "feedback",
            CheckState::Caution,
            message!(
                "cases-shown",
                "everybody sees the verdict and the time of each case, with which a program can pass on secret test data"
            ),
            message!("hide-cases", "if that is not wanted, set 'feedback: verdict'"),
        )
    } else {
        pass("feedback", message!("cases-hidden", "teams see verdicts, not each case"))
    });
    if teams.is_empty() {
        let remedy = message!("add-teams", "add them: 'tauto team import'");
        checks.push(check("teams", CheckState::Fail, message!("teams-missing", "there is no team"), remedy));
        return checks;
    }
    checks.push(pass("teams", message!("teams-counted", "{count}", count = Counted(teams.len(), "team"))));
    let of_teams = can_log_in.iter().filter(|one| one.role == AccountType::Team);
    let with_account: BTreeSet<&str> =
        of_teams.filter_map(|one| one.team.as_ref().map(|id| id.as_str())).collect();
    let without = teams.iter().map(|team| team.id.as_str()).filter(|team| !with_account.contains(team));
    checks.push(none(
        "accounts",
        CheckState::Caution,
        &without.collect::<Vec<_>>(),
        |names| {
            message!(
                "no-account-for-teams",
                "no account can log in for {teams}",
                teams = Names("team", names)
            )
        },
        message!(
            "make-accounts",
            "make accounts with passwords: 'tauto user passwords', or import them: 'tauto contest import'"
        ),
        message!("all-have-accounts", "each team has an account with which it can log in"),
    ));
    if !organizations.is_empty() {
        let without = organizations.iter().filter(|one| one.logo.is_none()).map(|one| one.id.as_str());
        checks.push(none(
            "logos",
            CheckState::Caution,
            &without.collect::<Vec<_>>(),
            |names| {
                message!(
                    "no-logo-of",
                    "there is no logo of {organizations}",
                    organizations = Names("organization", names)
                )
            },
            message!(
                "add-logos",
                "add them to the contest's package, or attach them: 'tauto contest attach'"
            ),
            message!("all-have-logos", "each organization has a logo"),
        ));
    }
    checks
}

fn colours(problems: &[Problem]) -> Vec<Check> {
    let mut colours: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for problem in problems {
        if let Some(rgb) = &problem.rgb {
            colours.entry(rgb).or_default().push(&problem.label);
        }
    }
    let same = colours.into_values().filter(|labels| labels.len() > 1).map(|labels| {
        let text = message!(
            "same-colour",
            "the balloons of {problems} have the same colour",
            problems = Names("problem", &labels)
        );
        let remedy = message!("choose-colours", "give each problem a colour of its own");
        check("colours", CheckState::Caution, text, remedy)
    });
    same.collect()
}

fn end(facts: &ContestFacts) -> Vec<Check> {
    if facts.open.is_empty() {
        let text = match facts.has_ended {
            true => message!("may-be-final", "nothing stands against a final result"),
            false => message!(
                "may-be-final-after-end",
                "nothing stands against a final result once the contest has ended"
            ),
        };
        return vec![pass("final", text)];
    }
    let open = facts.open.iter().map(|(id, text)| {
        let remedy = match *id {
            "verification" => {
                message!("verify", "look at them and verify them: 'tauto submission verify'")
            }
            "clarifications" => {
                message!("answer-clarifications", "answer them: 'tauto clarification answer'")
            }
            "rejudgings" => message!("end-rejudgings", "apply or cancel them: 'tauto rejudge'"),
            _ => message!("wait-for-judging", "wait, and see which judgehosts work: 'tauto judging status'"),
        };
        check(id, CheckState::Fail, text.clone(), remedy)
    });
    open.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Clock;
    use serde_json::{from_value, json};

    fn facts() -> ContestFacts {
        let problem = |label: &str| {
            json!({"id": label, "label": label, "name": label, "ordinal": 1, "rgb": "#fff", "time_limit": 1.0,
                   "memory_limit": 1, "output_limit": 1, "code_limit": 1, "test_data_count": 1})
        };
        ContestFacts {
            contest: from_value(json!({"id": "c", "name": "C", "start_time": "2026-11-23T09:00:00.000Z",
                "duration": "5:00:00.000", "scoreboard_type": "pass-fail"}))
            .unwrap(),
            problems: from_value(json!([problem("A")])).unwrap(),
            teams: from_value(json!([{"id": "1", "name": "Ada"}])).unwrap(),
            organizations: Vec::new(),
            can_log_in: vec![AccountSettings {
                team: Some("1".parse().unwrap()),
                ..AccountSettings::new("ada".parse().unwrap(), AccountType::Team)
            }],
            judgehosts: from_value(
                json!([{"id": "h", "pool": "default", "state": "enabled", "reason": "", "places": 1,
                "identity": [], "compilers": ["cpp: g++ 12"], "last_seen": null, "jobs": 0}]),
            )
            .unwrap(),
            shows_cases: false,
            pools: vec!["default".to_owned()],
            languages: vec!["cpp".to_owned()],
            scores: BTreeSet::from(["domjudge"]),
            paused: Vec::new(),
            statements: vec![("A".to_owned(), vec![form("html", StatementProgress::Ready)])],
            has_started: false,
            has_ended: false,
            open: Vec::new(),
        }
    }

    fn form(format: &str, state: StatementProgress) -> StatementState {
        let format = from_value(json!(format)).unwrap();
        StatementState { language: "en".to_owned(), format, state, lacking: Vec::new(), text: None }
    }

    #[test]
    fn problems_that_teams_cannot_read_are_reported() {
        use StatementProgress::{Impossible, Plain, Ready, Waiting};
        let wrong = StatementState { text: Some("a.tex:1: no".to_owned()), ..form("pdf", Impossible) };
        let forms = [
            vec![],
            vec![form("html", Waiting), form("pdf", Waiting)],
            vec![form("html", Impossible), wrong],
            vec![form("html", Plain), form("pdf", Impossible)],
            vec![form("html", Ready), form("pdf", Waiting)],
        ];
        let statements = ["A", "B", "C", "D", "E"].map(str::to_owned).into_iter().zip(forms).collect();
        let caution = |text| (CheckState::Caution, text);
        assert_amiss(
            &ContestFacts { statements, ..facts() },
            &[
                caution("the statement of problem C could not be made: a.tex:1: no"),
                caution("there is no statement in the package of problem A"),
                caution("no judgehost has made the statement yet of problem B"),
                caution(
                    "pandoc is missing on a judgehost, which rendered plainly the statement of problem D",
                ),
            ],
        );
    }

    /// Compares what is amiss.
    #[track_caller]
    fn assert_amiss(facts: &ContestFacts, expect: &[(CheckState, &str)]) {
        let checks = checks(facts);
        let amiss = checks.iter().filter(|one| one.state != CheckState::Pass);
        assert!(amiss.clone().all(|one| one.remedy.is_some()));
        assert_eq!(amiss.map(|one| (one.state, one.text.as_str())).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn missing_parts_are_reported_before_the_start() {
        use CheckState::{Caution, Fail};
        let facts = facts();
        assert_amiss(&facts, &[]);
        assert_eq!(checks(&facts).len(), 10);
        let by_case = ContestFacts { shows_cases: true, ..facts };
        let text = "everybody sees the verdict and the time of each case, with which a program can pass on secret test data";
        assert_amiss(&by_case, &[(Caution, text)]);
        let mut facts = ContestFacts { shows_cases: false, ..by_case };
        facts.problems.push(Problem { label: "B".to_owned(), time_limit: None, ..facts.problems[0].clone() });
        facts.can_log_in.clear();
        facts.contest.start_time = None;
        facts.languages.push("kotlin".to_owned());
        facts.paused =
            from_value(json!([{"language": "cpp", "judgehost": "h", "reason": "it does not compile"}]))
                .unwrap();
        facts.organizations = from_value(json!([{"id": "uni", "name": "Uni"}])).unwrap();
        facts.judgehosts[0].untested_languages = vec!["cpp".to_owned(), "java".to_owned()];
        facts.judgehosts[0].unknown_scores = vec!["domjudge".to_owned()];
        assert_amiss(
            &facts,
            &[
                (Caution, "the start is not set"),
                (Caution, "the time limit is not derived yet for problem B"),
                (Caution, "the balloons of problems A, B have the same colour"),
                (Caution, "no account can log in for team 1"),
                (Caution, "there is no logo of organization uni"),
                (Fail, "no machine of the pool 'default' has a working compiler of language kotlin"),
                (Caution, "h has not tested language cpp yet"),
                (Fail, "h takes no problems with 'scores: domjudge', which its tauto does not know"),
                (Caution, "cpp on h is not judged: it does not compile"),
            ],
        );
        facts.judgehosts[0].untested_languages.clear();
        facts.scores = BTreeSet::from(["format"]);
        assert!(too_old(&facts).is_empty(), "no problem has the rules that it does not know");
        facts.judgehosts[0].broken_languages = vec!["cpp".to_owned()];
        let languages: Vec<Check> = languages(&facts);
        assert_eq!(
            languages[0].text,
            "no machine of the pool 'default' has a working compiler of languages cpp, kotlin"
        );
        facts.judgehosts[0].broken_languages.clear();
        let (problems, teams) = (Vec::new(), Vec::new());
        let nothing = ContestFacts { problems, teams, paused: Vec::new(), languages: Vec::new(), ..facts };
        let start = (Caution, "the start is not set");
        assert_amiss(&nothing, &[start, (Fail, "there is no problem"), (Fail, "there is no team")]);
    }

    #[test]
    fn pools_with_different_clocks_are_reported() {
        let mut facts = facts();
        let other =
            Judgehost { id: "i".to_owned(), pool: "counted".to_owned(), ..facts.judgehosts[0].clone() };
        facts.judgehosts.push(other);
        facts.pools.push("counted".to_owned());
        assert_amiss(&facts, &[]);
        let counted = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        facts.judgehosts[1].identity = counted(&["clock: instructions, 1 in a nanosecond", "counter: x"]);
        let text = "times of the contest's pools cannot be compared: the pool 'counted' judges by instructions, 1 in a nanosecond; \
                    the pool 'default' judges by CPU time";
        assert_amiss(&facts, &[(CheckState::Fail, text)]);
        facts.judgehosts[0].identity = counted(&["clock: instructions, 1 in a nanosecond", "counter: y"]);
        let text = "the pool 'counted' judges by instructions, 1 in a nanosecond";
        assert_amiss(&facts, &[(CheckState::Caution, text)]);
        facts.contest.clock = Some(Clock::CpuTime);
        assert_amiss(&facts, &[(CheckState::Fail, text)]);
        facts.contest.clock = Some(Clock::Instructions { per_nanosecond: 1 });
        assert_amiss(&facts, &[]);
        facts.contest.clock = None;
        facts.judgehosts[0].identity = counted(&["clock: instructions, 2 in a nanosecond"]);
        assert_eq!(clocks(&facts).len(), 1, "another rate is another clock");
        facts.judgehosts[1].state = "disabled".to_owned();
        facts.contest.clock = Some(Clock::Instructions { per_nanosecond: 2 });
        assert!(clocks(&facts).is_empty(), "one that does not judge does not count");
    }

    #[test]
    fn idle_judgehosts_are_reported_until_the_end() {
        use CheckState::Fail;
        let mut facts = ContestFacts { has_started: true, ..facts() };
        facts.judgehosts[0].state = "disabled".to_owned();
        facts.judgehosts[0].reason = "three failures in a row".to_owned();
        facts.pools.push("fast".to_owned());
        let unmanned = [
            (Fail, "no machine judges in the pool 'default' (h is disabled: three failures in a row)"),
            (Fail, "no machine judges in the pool 'fast'"),
        ];
        assert_amiss(&facts, &unmanned);
        let first_text = |facts: &ContestFacts| checks(facts)[0].text.clone();
        assert_eq!(first_text(&facts), "nothing stands against a final result once the contest has ended");
        facts.has_ended = true;
        assert_amiss(&facts, &[]);
        assert_eq!(first_text(&facts), "nothing stands against a final result");
        facts.open = vec![("pending", "2 submissions without a verdict".into())];
        assert_amiss(&facts, &[(Fail, "2 submissions without a verdict"), unmanned[0], unmanned[1]]);
    }
}
