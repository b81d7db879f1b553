//! Decisions about statements that judgehosts make.

use super::{InContest, check_hash, check_length};
use crate::{Body, MadeStatement, Refusal, STATEMENTS_MAX};

/// Some warnings, or what TeX prints about a mistake.
const TEXT_LENGTH_MAX: usize = 4096;

impl InContest<'_> {
    /// A result counts only if it is still wanted: not over a newer package's, nor over what a person sent.
    pub(super) fn statement_made(&self, mut made: MadeStatement) -> Result<Vec<Body>, Refusal> {
        if self.contest.happened().end_of_updates.is_some() {
            return Err(Refusal::conflict("final", "the contest is over, and its event feed has ended"));
        }
        if let Some(host) = &self.context.caller.judgehost {
            let pool = self.context.state.judgehosts.get(host).map(|host| &host.pool);
            if !pool.is_some_and(|pool| self.contest.settings.has_pool(pool)) {
                let detail = format!("judgehost '{host}' is in no pool of contest '{}'", self.id);
                return Err(Refusal::forbidden(detail));
            }
        }
        let settings = &self.problem(&made.problem)?.settings;
        let form = &made.report.form;
        made.report.lacking = form.needed(&made.report.lacking);
        if settings.package != made.package || !settings.files.wants(form, &made.report.lacking) {
            let detail = format!("this statement of problem '{}' is not wanted any more", made.problem);
            return Err(Refusal::conflict("stale", detail));
        }
        check_length("text", &made.report.text, TEXT_LENGTH_MAX)?;
        if let Some(file) = &made.file {
            check_hash("file", &file.blob.0)?;
            let others = if form.is_page { &settings.files.pages } else { &settings.files.statements };
            if others.len() >= STATEMENTS_MAX && settings.files.statement(form).is_none() {
                let message = format!("it has statements in {STATEMENTS_MAX} languages already");
                return Err(Refusal::conflict("too-many", message));
            }
        }
        Ok(vec![Body::StatementMade(Box::new(made))])
    }
}
