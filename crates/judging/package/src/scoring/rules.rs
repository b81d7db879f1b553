//! Chooses by which rules the points of a package are computed.

use super::{Grading, VerdictMode};
use crate::Group;
use crate::submission::TaggedScores;
use model::ScoreRules;

/// What the files of a package show about the rules that its author has in mind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signs {
    /// Whether it is of a legacy format, whose files have two readings.
    pub(crate) is_legacy: bool,
    /// Whether `data/testdata.yaml` exists, without which DOMjudge judges no problem with points.
    pub(crate) has_outermost_file: bool,
    /// What the tags of the jury's submissions say.
    pub(crate) tagged: TaggedScores,
    /// Whether it has DOMjudge's own file.
    pub(crate) has_ini: bool,
    /// What it uses that only the text of the format has.
    pub(crate) foreign: Option<&'static str>,
}

/// The rules by which a package's points are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenRules {
    pub rules: ScoreRules,
    /// Why these: a phrase, such as `submissions/partial/a.py has a tag @EXPECTED_SCORE@`.
    pub reason: String,
}

/// Recognises the rules by the files.
///
/// By the text a rejected submission has no points, so a tag that gives it some is meant for DOMjudge. Older DOMjudge
/// had no points at all, so a package with points and its tags or file was made for the one that has, unless it uses what
/// DOMjudge does not read.
pub(crate) fn recognise(signs: &Signs) -> ChosenRules {
    let Signs { tagged, .. } = signs;
    let by = |rules, reason: String| ChosenRules { rules, reason };
    let format = |reason: &str| by(ScoreRules::Format, reason.to_owned());
    if !signs.is_legacy {
        return format("the format leaves one reading");
    }
    if !signs.has_outermost_file {
        return format("there is no data/testdata.yaml");
    }
    if let Some(name) = &tagged.of_rejected {
        return by(ScoreRules::Domjudge, format!("submissions/{name} is to be rejected and has points"));
    }
    match (signs.foreign, &tagged.any, signs.has_ini) {
        (_, None, false) => format("nothing in it is DOMjudge's"),
        (Some(foreign), ..) => format(&format!("it uses {foreign}, which DOMjudge does not read")),
        (None, Some(name), _) => {
            by(ScoreRules::Domjudge, format!("submissions/{name} has a tag @EXPECTED_SCORE@"))
        }
        (None, None, true) => by(ScoreRules::Domjudge, "it has a domjudge-problem.ini".to_owned()),
    }
}

/// Returns what in the groups only the text of the format has.
pub(crate) fn foreign_to_domjudge(group: &Group) -> Option<&'static str> {
    let Grading::Legacy(grading) = &group.grading else { return None };
    let own = [
        (grading.own_grader.is_some(), "a grader of its own"),
        (grading.verdict_mode == VerdictMode::AlwaysAccept, "the flag always_accept"),
        (grading.verdict_mode == VerdictMode::FirstError, "the flag first_error"),
        (grading.accept_if_any_accepted, "the flag accept_if_any_accepted"),
        (grading.reject_score != 0.0, "reject_score"),
        (grading.minimise, "the objective min"),
    ];
    let own = own.into_iter().find(|(is_used, _)| *is_used).map(|(_, what)| what);
    own.or_else(|| group.groups.iter().find_map(foreign_to_domjudge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_recognised_by_what_only_one_reader_has() {
        let name = || Some("partial/a.py".to_owned());
        let tagged = || TaggedScores { any: name(), of_rejected: None };
        let rejected = || TaggedScores { any: name(), of_rejected: name() };
        let legacy = || Signs { is_legacy: true, has_outermost_file: true, ..Signs::default() };
        let foreign = || Signs { foreign: Some("a grader"), ..legacy() };
        use ScoreRules::{Domjudge, Format};
        for (signs, rules, reason) in [
            (legacy(), Format, "nothing in it"),
            (foreign(), Format, "nothing in it"),
            (Signs { tagged: tagged(), ..legacy() }, Domjudge, "partial/a.py has a tag"),
            (Signs { has_ini: true, ..legacy() }, Domjudge, "domjudge-problem.ini"),
            (Signs { has_ini: true, ..foreign() }, Format, "a grader, which DOMjudge does not read"),
            (Signs { tagged: tagged(), ..foreign() }, Format, "a grader, which"),
            (Signs { tagged: rejected(), ..foreign() }, Domjudge, "partial/a.py is to be rejected"),
            (Signs { tagged: rejected(), has_outermost_file: false, ..legacy() }, Format, "testdata.yaml"),
            (Signs { tagged: rejected(), is_legacy: false, ..legacy() }, Format, "one reading"),
        ] {
            let chosen = recognise(&signs);
            assert_eq!(chosen.rules, rules, "{signs:?}");
            assert!(chosen.reason.contains(reason), "{signs:?}: {}", chosen.reason);
        }
    }
}
