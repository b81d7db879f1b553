//! Which statements judgehosts are still to make. It follows from the problems, so that nothing waits that could be lost.

use crate::{BlobHash, ContestId, PoolId, ProblemId, State, StatementForm};

/// A form of a problem's statement that is not there yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WantedStatement {
    pub contest: ContestId,
    pub problem: ProblemId,
    /// Of which it is made.
    pub package: BlobHash,
    pub form: StatementForm,
}

impl State {
    /// Returns what a judgehost of a pool that lacks these programs can make, for contests that the pool judges.
    pub fn wanted_statements<'a>(
        &'a self,
        pool: &'a PoolId,
        lacking: &'a [String],
    ) -> impl Iterator<Item = WantedStatement> + 'a {
        let contests = self.contests.iter().filter(|(_, contest)| {
            contest.settings.has_pool(pool) && contest.happened().end_of_updates.is_none()
        });
        contests.flat_map(move |(id, contest)| {
            contest.problems.values().flat_map(move |problem| {
                let settings = &problem.settings;
                let forms = settings.files.statement_forms();
                forms.filter(move |form| settings.files.wants(form, lacking)).map(move |form| {
                    WantedStatement {
                        contest: id.clone(),
                        problem: settings.id.clone(),
                        package: settings.package.clone(),
                        form,
                    }
                })
            })
        })
    }
}
