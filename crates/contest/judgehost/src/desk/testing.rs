//! When languages are tested, and what becomes of the jobs that wait for that.

use super::languages::Test;
use super::{Action, Desk, Phase, warning};
use crate::error::Failure;
use crate::judges::LanguageTested;
use documents::judgehost::FailureScopeId;
use std::time::Duration;

impl<P: Clone> Desk<P> {
    /// Takes the result of a test of a language.
    pub fn tested(&mut self, now: Duration, language: &str, result: LanguageTested) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        self.idle_test.take_if(|idle| idle == language);
        let why = match result {
            LanguageTested::Works => {
                self.languages.put(language, Test::Works);
                self.judge_ready(now, &mut actions);
                return actions;
            }
            LanguageTested::Dropped => {
                let is_needed = self.jobs.values().any(|held| held.job.language.as_deref() == Some(language));
                self.languages.put(language, if is_needed { Test::Testing } else { Test::Untested });
                actions.extend(is_needed.then(|| Action::Test(language.to_owned())));
                return actions;
            }
            LanguageTested::Broken(why) => why,
        };
        self.languages.put(language, Test::Broken);
        let failure = Failure::new(FailureScopeId::Language, format!("{language}: {why}"));
        actions.push(Action::Say(warning(failure.reason.clone())));
        let waiting = self.jobs.iter().filter(|(_, held)| {
            held.job.language.as_deref() == Some(language) && matches!(held.phase, Phase::Gathering(_))
        });
        for ticket in waiting.map(|(ticket, _)| *ticket).collect::<Vec<_>>() {
            self.fail(now, ticket, failure.clone(), &mut actions);
        }
        actions
    }

    /// Lists the languages that are not tested yet.
    pub fn untested(&self) -> Vec<String> {
        self.languages.waiting().cloned().collect()
    }

    /// Returns a test for which there is time while there are no jobs.
    pub fn idle(&mut self) -> Option<Action<P>> {
        if !self.is_empty() || self.is_draining {
            return None;
        }
        let language = self.languages.next_untested()?;
        self.idle_test = Some(language.clone());
        Some(Action::Test(language))
    }
}
