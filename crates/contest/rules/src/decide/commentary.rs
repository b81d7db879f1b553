//! Decisions about commentary.

use super::{InContest, check_name, check_text};
use crate::{Body, Comment, Commentary, CommentaryNumber, Refusal, SubmissionNumber};
use model::message;

/// The most commentary of a contest: some for each submission of a large one.
const COMMENTARY_MAX: usize = 100_000;
/// The most tags, and the most objects of a kind that one names.
const LIST_MAX: usize = 1000;

impl InContest<'_> {
    pub(super) fn comment(&self, comment: Comment) -> Result<Vec<Body>, Refusal> {
        let Comment { message, tags, teams, problems, submissions } = comment;
        check_text("message", &message)?;
        tags.iter().try_for_each(|tag| check_name("tags", tag))?;
        if [tags.len(), teams.len(), problems.len(), submissions.len()].iter().any(|count| *count > LIST_MAX)
        {
            return Err(Refusal::invalid(
                "message",
                message!(
                    "too-many-objects-named",
                    "it names more than {max} objects of one type",
                    max = LIST_MAX
                ),
            ));
        }
        if self.contest.commentary.len() >= COMMENTARY_MAX {
            return Err(Refusal::conflict(
                "too-many",
                message!("too-much-commentary", "the contest has {max} already", max = COMMENTARY_MAX),
            ));
        }
        self.check_teams("team_ids", &teams)?;
        for problem in &problems {
            self.problem(problem).map_err(|none| Refusal::invalid("problem_ids", none.message))?;
        }
        for number in &submissions {
            self.submission(*number).map_err(|none| Refusal::invalid("submission_ids", none.message))?;
        }
        for (endpoint, id) in crate::named_in(&message) {
            let is_known = match endpoint {
                "teams" => id.parse().is_ok_and(|id| self.contest.teams.contains_key(&id)),
                "problems" => id.parse().is_ok_and(|id| self.contest.problems.contains_key(&id)),
                "submissions" => {
                    id.parse().is_ok_and(|number| self.contest.submission(SubmissionNumber(number)).is_some())
                }
                _ => true,
            };
            if !is_known {
                return Err(Refusal::invalid("message", format!("'{{{endpoint}:{id}}}' does not exist")));
            }
        }
        let caller = self.context.caller;
        let account = caller.account.as_ref().and_then(|id| self.context.state.accounts.get(id));
        let source = account.and_then(|account| account.settings.person.clone());
        let number = CommentaryNumber(self.contest.commentary.len() as u32 + 1);
        Ok(vec![Body::Commented(Box::new(Commentary {
            number,
            message,
            tags,
            source: source.filter(|person| self.contest.persons.contains_key(person)),
            by: caller.account.clone(),
            teams,
            problems,
            submissions,
        }))])
    }
}
