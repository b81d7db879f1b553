//! What an account can ever see of a contest, whatever its state: CLICS `access`.

use Scores::{Any, PassFail, Points};
use Viewers::{All, Jury, Teams};
use contest_rules::Scoring;
use contest_rules::view::View;
use documents::contest::{
    Access, AccessEndpoint, Account, Contest, Group, Organization, Person, Problem, Team,
};

#[derive(Clone, Copy, PartialEq)]
enum Viewers {
    /// Everybody who sees the contest.
    All,
    Teams,
    Jury,
}

/// In which contests there is a property.
#[derive(Clone, Copy, PartialEq)]
enum Scores {
    Any,
    PassFail,
    Points,
}

type Properties = &'static [(Viewers, Scores, &'static [&'static str])];

/// The properties of each endpoint that has objects: the standard's types of notifications. `scoreboard` and `event-feed` are
/// none of them; a client that reads all that is listed would wait for the end of the feed. A property that names an object is only here if the object's endpoint is.
const ENDPOINTS: [(&str, Properties); 16] = [
    ("contest", &[(All, Any, Contest::OF_ALL), (All, PassFail, Contest::OF_PASS_FAIL)]),
    ("judgement-types", &[(All, Any, &["id", "name", "solved"]), (All, PassFail, &["penalty"])]),
    (
        "languages",
        &[
            (All, Any, &["id", "name", "entry_point_required", "extensions"]),
            (All, Any, &["compiler.command", "compiler.args", "runner.command", "runner.args"]),
        ],
    ),
    (
        "problems",
        &[(All, Any, Problem::OF_ALL), (All, Points, Problem::OF_POINTS), (Jury, Any, Problem::OF_JURY)],
    ),
    ("groups", &[(All, Any, Group::OF_ALL), (Jury, Any, Group::OF_JURY)]),
    ("organizations", &[(All, Any, Organization::OF_ALL)]),
    ("teams", &[(All, Any, Team::OF_ALL), (Jury, Any, Team::OF_JURY)]),
    ("persons", &[(All, Any, Person::OF_ALL), (Jury, Any, Person::OF_JURY)]),
    ("accounts", &[(Jury, Any, Account::OF_JURY)]),
    ("state", &[(All, Any, &["started", "frozen", "ended", "thawed", "finalized", "end_of_updates"])]),
    (
        "submissions",
        &[
            (All, Any, &["id", "language_id", "problem_id", "team_id", "time", "contest_time", "reaction"]),
            (Jury, Any, &["account_id", "entry_point", "files"]),
        ],
    ),
    (
        "judgements",
        &[
            (All, Any, &["id", "submission_id", "judgement_type_id", "current", "start_time"]),
            (All, Any, &["start_contest_time", "end_time", "end_contest_time", "max_run_time"]),
            (All, Points, &["score"]),
        ],
    ),
    (
        "runs",
        &[
            (All, Any, &["id", "judgement_id", "ordinal", "judgement_type_id", "time", "contest_time"]),
            (All, Any, &["run_time"]),
        ],
    ),
    (
        "clarifications",
        &[
            (All, Any, &["id", "reply_to_id", "problem_id", "text", "time", "contest_time", "category"]),
            (Teams, Any, &["from_team_id", "to_team_ids", "to_group_ids"]),
            (Jury, Any, &["claimed_by", "claimed_until", "is_answered"]),
        ],
    ),
    ("awards", &[(All, Any, &["id", "citation", "team_ids"])]),
    (
        "commentary",
        &[
            (All, Any, &["id", "time", "contest_time", "message", "tags", "source_id", "team_ids"]),
            (All, Any, &["problem_ids", "submission_ids"]),
        ],
    ),
];

/// Returns what a viewer can ever see, given what it may do.
pub fn access(view: &View<'_>, capabilities: &[&str]) -> Access {
    let scores = match view.contest().scoring {
        Scoring::PassFail { .. } => PassFail,
        Scoring::Points { .. } => Points,
    };
    let sees = |who: Viewers| match who {
        All => true,
        Teams => view.is_jury() || view.own_team().is_some(),
        Jury => view.is_jury(),
    };
    let shows_cases = view.contest().shows_cases;
    let endpoint = |(kind, properties): &(&str, Properties)| {
        if *kind == "runs" && !shows_cases {
            return None;
        }
        let seen = properties.iter().filter(|(who, when, _)| sees(*who) && (*when == Any || *when == scores));
        let properties: Vec<String> =
            seen.flat_map(|(_, _, names)| *names).map(|name| (*name).to_owned()).collect();
        (!properties.is_empty()).then(|| AccessEndpoint { kind: (*kind).to_owned(), properties })
    };
    Access {
        capabilities: capabilities.iter().map(|name| (*name).to_owned()).collect(),
        endpoints: ENDPOINTS.iter().filter_map(endpoint).collect(),
    }
}
