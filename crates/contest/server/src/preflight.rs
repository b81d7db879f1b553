//! Whether a contest can begin, and once it has, whether its result can be made final.

use contest_rules::AccountSettings;
use documents::contest::{
    AccountType, Check, CheckState, Contest, Judgehost, Organization, PausedJudging, Problem,
    StatementProgress, StatementState, Team,
};
use model::counted;
use std::collections::{BTreeMap, BTreeSet};

/// More names would not be read.
const NAMES_MAX: usize = 5;
/// Characters of a package's hash that tell it from others.
const HASH_CHARACTERS: usize = 12;

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
    pub open: Vec<(&'static str, String)>,
}

pub fn checks(facts: &ContestFacts) -> Vec<Check> {
    let mut checks = if facts.has_started { end(facts) } else { before(facts) };
    if !facts.has_ended {
        checks.extend(statements(facts));
    }
    // After the end it matters only if something waits.
    if !facts.has_ended || !facts.open.is_empty() {
        checks.extend(
            [judgehosts(facts), languages(facts), untested(facts), too_old(facts), paused(facts)]
                .into_iter()
                .flatten(),
        );
    }
    checks
}

fn check(id: &str, state: CheckState, text: impl Into<String>, remedy: &str) -> Check {
    let remedy = Some(remedy.to_owned()).filter(|remedy| !remedy.is_empty());
    Check { id: id.to_owned(), state, text: text.into(), remedy }
}

fn pass(id: &str, text: impl Into<String>) -> Check {
    check(id, CheckState::Pass, text, "")
}

/// Returns the problems that teams cannot read, or only plainly.
fn statements(facts: &ContestFacts) -> Vec<Check> {
    use StatementProgress::{Making, Plain, Ready, Waiting};
    const ID: &str = "statements";
    const INSTALL: &str = "install what is missing on a judgehost of the pool, and start it again";
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
            let remedy = if is_lacking { INSTALL } else { "correct it, and add the package again" };
            let text = format!("the statement of problem {label} could not be made: {why}");
            checks.push(check(ID, CheckState::Caution, text, remedy));
        }
    }
    let mut add = |names: &[&str], wrong: &str, remedy: &str| {
        if !names.is_empty() {
            checks.push(check(
                ID,
                CheckState::Caution,
                format!("{wrong} {}", some("problem", names)),
                remedy,
            ));
        }
    };
    let remedy = "put one into the package, such as statement/problem.en.md, and add it again";
    add(&absent, "there is no statement in the package of", remedy);
    let remedy = "it is made once a judgehost of the contest's pool has nothing to judge";
    add(&waiting, "no judgehost has made the statement yet of", remedy);
    add(&plain, "pandoc is missing on a judgehost, which rendered plainly the statement of", INSTALL);
    if checks.is_empty() && !facts.statements.is_empty() {
        checks.push(pass(ID, "each problem has a statement"));
    }
    checks
}

/// Returns a check that nothing of a kind is amiss: the names of those that are, or a text for none.
fn none(
    id: &str,
    state: CheckState,
    (what, names): (&str, &[&str]),
    wrong: &str,
    remedy: &str,
    right: &str,
) -> Check {
    match names {
        [] => pass(id, right),
        names => check(id, state, format!("{wrong} {}", some(what, names)), remedy),
    }
}

fn before(facts: &ContestFacts) -> Vec<Check> {
    let ContestFacts { contest, problems, teams, can_log_in, organizations, .. } = facts;
    let mut checks = vec![match contest.start_time {
        Some(time) => pass("start", format!("the contest starts at {time}")),
        None => check(
            "start",
            CheckState::Caution,
            "the start is not set",
            "set it: 'tauto contest start --at TIME'",
        ),
    }];
    if problems.is_empty() {
        let remedy = "add them: 'tauto problem add' or 'tauto contest import'";
        checks.push(check("problems", CheckState::Fail, "there is no problem", remedy));
    } else {
        checks.push(pass("problems", counted(problems.len(), "problem")));
        let labels = |is: fn(&Problem) -> bool| -> Vec<&str> {
            problems.iter().filter(|problem| is(problem)).map(|problem| problem.label.as_str()).collect()
        };
        checks.push(none(
            "test-data",
            CheckState::Fail,
            ("problem", &labels(|problem| problem.test_data_count == 0)),
            "there is no test data in",
            "add a package that has some: 'tauto problem add'",
            "each problem has test data",
        ));
        checks.push(none(
            "time-limits",
            CheckState::Caution,
            ("problem", &labels(|problem| problem.time_limit.is_none())),
            "the time limit is not derived yet for",
            "submit a solution as a test: the first judging derives it",
            "each problem has a time limit",
        ));
        checks.extend(colours(problems));
    }
    checks.push(if facts.shows_cases {
        check(
            "feedback",
            CheckState::Caution,
            "everybody sees the verdict and the time of each case, with which a program can pass on secret test data",
            "if that is not wanted, set 'feedback: verdict'",
        )
    } else {
        pass("feedback", "teams see verdicts, not each case")
    });
    if teams.is_empty() {
        checks.push(check("teams", CheckState::Fail, "there is no team", "add them: 'tauto team import'"));
        return checks;
    }
    checks.push(pass("teams", counted(teams.len(), "team")));
    let of_teams = can_log_in.iter().filter(|one| one.role == AccountType::Team);
    let with_account: BTreeSet<&str> =
        of_teams.filter_map(|one| one.team.as_ref().map(|id| id.as_str())).collect();
    let without = teams.iter().map(|team| team.id.as_str()).filter(|team| !with_account.contains(team));
    checks.push(none(
        "accounts",
        CheckState::Caution,
        ("team", &without.collect::<Vec<_>>()),
        "no account can log in for",
        "make accounts with passwords: 'tauto user passwords', or import them: 'tauto contest import'",
        "each team has an account with which it can log in",
    ));
    if !organizations.is_empty() {
        let without = organizations.iter().filter(|one| one.logo.is_none()).map(|one| one.id.as_str());
        checks.push(none(
            "logos",
            CheckState::Caution,
            ("organization", &without.collect::<Vec<_>>()),
            "there is no logo of",
            "add them to the contest's package, or attach them: 'tauto contest attach'",
            "each organization has a logo",
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
        let text = format!("the balloons of {} have the same colour", some("problem", &labels));
        check("colours", CheckState::Caution, text, "give each problem a colour of its own")
    });
    same.collect()
}

fn end(facts: &ContestFacts) -> Vec<Check> {
    if facts.open.is_empty() {
        let text = match facts.has_ended {
            true => "nothing stands against a final result",
            false => "nothing stands against a final result once the contest has ended",
        };
        return vec![pass("final", text)];
    }
    let open = facts.open.iter().map(|(id, text)| {
        let remedy = match *id {
            "verification" => "look at them and verify them: 'tauto submission verify'",
            "clarifications" => "answer them: 'tauto clarification answer'",
            "rejudgings" => "apply or cancel them: 'tauto rejudge'",
            _ => "wait, and see which judgehosts work: 'tauto judging status'",
        };
        check(id, CheckState::Fail, text, remedy)
    });
    open.collect()
}

/// Returns for each pool whether a judgehost works in it, and if not, why.
fn judgehosts(facts: &ContestFacts) -> Vec<Check> {
    let check_pool = |pool: &String| {
        let of_pool = || facts.judgehosts.iter().filter(|host| host.pool == *pool);
        let manned = of_pool().filter(|host| host.state == "enabled").count();
        if manned > 0 {
            return pass("judgehosts", format!("{} in the pool '{pool}'", counted(manned, "judgehost")));
        }
        let why = of_pool().map(|host| match host.reason.as_str() {
            "" => format!("{} is {}", host.id, host.state),
            reason => format!("{} is {}: {reason}", host.id, host.state),
        });
        let why: Vec<String> = why.collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
        let text = format!("no machine judges in the pool '{pool}'{why}");
        let remedy = match of_pool().any(|host| host.state == "disabled") {
            true => "fix the cause, and take it back in: 'tauto judging take-in'",
            false => "start one: 'tauto judgehost'",
        };
        check("judgehosts", CheckState::Fail, text, remedy)
    };
    facts.pools.iter().map(check_pool).collect()
}

/// Returns for each pool with a judgehost that works whether it has all languages that teams may use: those that the contest
/// names, or else all that are installed.
fn languages(facts: &ContestFacts) -> Vec<Check> {
    let check_pool = |pool: &String| {
        let hosts = || facts.judgehosts.iter().filter(|host| host.pool == *pool && host.state == "enabled");
        hosts().next()?;
        let installed: BTreeSet<&str> = hosts().flat_map(working).collect();
        let offered: BTreeSet<&str> = match facts.languages.is_empty() {
            true => hosts().flat_map(installed_on).collect(),
            false => facts.languages.iter().map(String::as_str).collect(),
        };
        if offered.is_empty() {
            let text = format!("no machine of the pool '{pool}' has named a compiler");
            let remedy = "install compilers there and start its judgehost again, see 'tauto languages'";
            return Some(check("languages", CheckState::Fail, text, remedy));
        }
        let missing = offered.into_iter().filter(|language| !installed.contains(language));
        Some(none(
            "languages",
            CheckState::Fail,
            ("language", &missing.collect::<Vec<_>>()),
            &format!("no machine of the pool '{pool}' has a working compiler of"),
            "install their compilers there and start its judgehost again, see 'tauto languages', or change the contest's languages",
            &format!("the pool '{pool}' has the contest's languages"),
        ))
    };
    facts.pools.iter().filter_map(check_pool).collect()
}

/// Returns the languages that are installed on a judgehost, less those whose test failed.
fn working(host: &Judgehost) -> impl Iterator<Item = &str> {
    installed_on(host).filter(|language| host.broken_languages.iter().all(|broken| broken != language))
}

fn installed_on(host: &Judgehost) -> impl Iterator<Item = &str> {
    host.compilers.iter().filter_map(|line| Some(line.split_once(':')?.0))
}

/// Returns for each judgehost of the contest which of its languages are not tested yet.
fn untested(facts: &ContestFacts) -> Vec<Check> {
    let counts =
        |language: &&str| facts.languages.is_empty() || facts.languages.iter().any(|facts| facts == language);
    let check_host = |host: &Judgehost| {
        let languages = host.untested_languages.iter().map(String::as_str).filter(counts);
        let languages: Vec<&str> = languages.collect();
        let text = format!("{} has not tested {} yet", host.id, some("language", &languages));
        let remedy = "wait: it tests them while it has nothing to judge, see 'tauto judging status'";
        (!languages.is_empty()).then(|| check("languages-tested", CheckState::Caution, text, remedy))
    };
    judging(facts).filter_map(check_host).collect()
}

/// Returns for each judgehost of the contest whether problems have rules for points that it does not know.
fn too_old(facts: &ContestFacts) -> Vec<Check> {
    let check_host = |host: &Judgehost| {
        let unknown = host.unknown_scores.iter().map(String::as_str);
        let unknown: Vec<&str> = unknown.filter(|rules| facts.scores.contains(rules)).collect();
        let rules = unknown.join(", ");
        let text =
            format!("{} takes no problems with 'scores: {rules}', which its tauto does not know", host.id);
        (!unknown.is_empty()).then(|| check("scores", CheckState::Fail, text, "update tauto there"))
    };
    judging(facts).filter_map(check_host).collect()
}

/// Returns the judgehosts that judge for the contest.
fn judging(facts: &ContestFacts) -> impl Iterator<Item = &Judgehost> {
    facts.judgehosts.iter().filter(|host| host.state == "enabled" && facts.pools.contains(&host.pool))
}

fn paused(facts: &ContestFacts) -> Vec<Check> {
    let sentence = |paused: &PausedJudging| {
        let what = match (&paused.package, &paused.language, &paused.judgehost) {
            (Some(package), _, _) => format!("package {}", &package[..package.len().min(HASH_CHARACTERS)]),
            (None, Some(language), Some(host)) => format!("{language} on {host}"),
            _ => "something".to_owned(),
        };
        let text = format!("{what} is not judged: {}", paused.reason);
        check("paused", CheckState::Caution, text, "fix the cause, and let it go on: 'tauto judging resume'")
    };
    facts.paused.iter().map(sentence).collect()
}

fn some(what: &str, names: &[&str]) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    let rest = if names.len() > NAMES_MAX {
        format!(" and {} more", names.len() - NAMES_MAX)
    } else {
        String::new()
    };
    format!("{what}{plural} {}{rest}", names[..names.len().min(NAMES_MAX)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
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
        facts.open = vec![("pending", "2 submissions without a verdict".to_owned())];
        assert_amiss(&facts, &[(Fail, "2 submissions without a verdict"), unmanned[0], unmanned[1]]);
    }
}
