//! The check before a contest, and before its result is made final.

use super::{judgehosts, staff};
use crate::Problem;
use crate::extract::Json;
use crate::handlers::InContest;
use crate::preflight::{ContestFacts, checks};
use crate::wire::{texts, wire_contest, wire_organization, wire_problem, wire_team};
use documents::contest as api;
use model::ScoreRules;

/// Returns what was checked, with the outcome.
pub async fn check(at: InContest) -> Result<Json<api::CheckReport>, Problem> {
    let mut facts = at.view(|view| {
        let jury = view.jury()?;
        let settings = jury.settings;
        let (pools, state) = (settings.fast_pool.iter().chain([&settings.strict_pool]), view.state());
        let problems = view.problems();
        let juries = problems.iter().filter_map(|problem| problem.jury.as_ref());
        let statements = juries
            .map(|jury| Ok((jury.settings.label.clone(), super::problems::statements(&at, jury.settings)?)));
        let statements = statements.collect::<Result<_, Problem>>()?;
        let scores = problems.iter().filter_map(|problem| problem.jury.as_ref()?.settings.scores);
        Ok(ContestFacts {
            contest: wire_contest(view),
            problems: problems.iter().map(|problem| wire_problem(&at.contest, problem)).collect(),
            teams: view.teams().into_iter().map(|team| wire_team(view, team)).collect(),
            organizations: view.organizations().map(|entry| wire_organization(view, entry)).collect(),
            can_log_in: view.accounts()?.filter(|account| view.can_log_in(account)).cloned().collect(),
            shows_cases: settings.feedback == contest_rules::Feedback::Cases,
            pools: texts(pools),
            languages: texts(&settings.languages),
            scores: scores.map(ScoreRules::name).collect(),
            statements,
            judgehosts: Vec::new(),
            paused: Vec::new(),
            has_started: state.started.is_some(),
            has_ended: state.ended.is_some(),
            open: jury.open,
        })
    })?;
    facts.judgehosts = judgehosts::read(&at.app, &at.auth)?;
    facts.paused = staff::read_paused(&at.app, &at.auth)?;
    Ok(Json(api::CheckReport { checks: checks(&facts) }))
}
