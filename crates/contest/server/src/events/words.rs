//! Notices as lines of a stream.

use contest_rules::{Notice, Object, ProblemId, TeamId};
use documents::contest::Change;
use std::sync::Arc;

/// Returns a notice as the end of an event, after its id.
pub fn line(notice: &Notice) -> Arc<str> {
    let (kind, id) = name(&notice.object);
    let change = Change { kind: kind.to_owned(), id, is_gone: notice.is_gone };
    format!("data: {}\n\n", serde_json::to_string(&change).unwrap_or_default()).into()
}

/// Returns the id of a balloon, in answers and in events.
pub fn balloon_id(team: &TeamId, problem: &ProblemId) -> String {
    format!("{team}.{problem}")
}

/// Returns the endpoint of an object, and its id.
pub fn name(object: &Object) -> (&'static str, Option<String>) {
    match object {
        Object::Contest => ("contest", None),
        Object::State => ("state", None),
        Object::Problem(id) => ("problems", Some(id.to_string())),
        Object::Group(id) => ("groups", Some(id.to_string())),
        Object::Organization(id) => ("organizations", Some(id.to_string())),
        Object::Team(id) => ("teams", Some(id.to_string())),
        Object::Person(id) => ("persons", Some(id.to_string())),
        Object::Account(id) => ("accounts", Some(id.to_string())),
        Object::Submission(number) => ("submissions", Some(number.to_string())),
        Object::Judgement(key) => ("judgements", Some(key.to_string())),
        Object::Runs { judgement, .. } => ("runs", Some(judgement.to_string())),
        Object::Clarification(number) => ("clarifications", Some(number.to_string())),
        Object::Commentary(number) => ("commentary", Some(number.to_string())),
        Object::Awards => ("awards", None),
        Object::Board => ("scoreboard", None),
        Object::Balloon(team, problem) => ("balloons", Some(balloon_id(team, problem))),
        Object::Rejudging(number) => ("rejudgings", Some(number.to_string())),
        Object::Judging => ("judging", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_rules::Audience;

    #[test]
    fn a_notice_names_what_changed() {
        let notice = |object, is_gone| Notice {
            contest: None,
            audience: Audience::Public,
            number: 1,
            object,
            is_gone,
        };
        let balloon = Object::Balloon("ants".parse().unwrap(), "a".parse().unwrap());
        assert_eq!(&*line(&notice(balloon, false)), "data: {\"type\":\"balloons\",\"id\":\"ants.a\"}\n\n");
        assert_eq!(&*line(&notice(Object::Board, false)), "data: {\"type\":\"scoreboard\"}\n\n");
        assert_eq!(
            &*line(&notice(Object::Problem("a".parse().unwrap()), true)),
            "data: {\"type\":\"problems\",\"id\":\"a\",\"is_gone\":true}\n\n"
        );
    }
}
