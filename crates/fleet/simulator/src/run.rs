//! A fleet in virtual time: what a policy would have done with a trace.
//!
//! Events happen in the order of their times; at the same time jobs change and end before hosts and jobs come, these before
//! the scheduler looks, and it before figures are taken. The scheduler is `sched`'s; here are only the jobs' real loads, which
//! it sees late, and the hosts, which share their CPUs.

mod checkpoint;
mod error;
mod explain;
mod failures;
mod places;
mod queue;
mod samples;
mod state;
mod steps;
mod summary;
mod task;
mod totals;

pub use checkpoint::Checkpoint;
pub use error::{RunError, VERSION};
pub use explain::{Candidate, Explanation};
pub use state::Written;
pub use steps::LENGTH_MAX_MS;

use crate::source::Source;
use crate::trace::Record;
use documents::{SimLine, SimOptions, SimRun, SimSummary};
use placement::policy::Policy;
use state::State;
use std::io::Write;

/// A run that has not ended.
pub struct Run<S: Source, W: Write> {
    trace: S,
    /// The next record, and whether there was one at all.
    next: Option<Record>,
    state: State,
    out: W,
    watched: Option<String>,
    explanations: Vec<Explanation>,
}

/// Returns the options of a run without failures, delays or an end.
pub fn plain_options() -> SimOptions {
    SimOptions {
        seed: 1,
        until_ms: None,
        decision_us: 0,
        stale_ms: 0,
        outages_ms: Vec::new(),
        retry_ms: 10_000,
        sample_ms: 60_000,
        failures_per_1000_host_days: 0,
        repair_ms: 30 * 60_000,
    }
}

/// Checks that times add up without overflow, and that time goes on.
pub fn check(options: &SimOptions) -> Result<(), RunError> {
    let times = [
        ("stale", options.stale_ms),
        ("repair", options.repair_ms),
        ("decision-time", options.decision_us / 1000),
        ("sample", options.sample_ms),
        ("retry", options.retry_ms),
        ("until", options.until_ms.unwrap_or(0)),
    ];
    if let Some((what, ms)) = times.into_iter().find(|(_, ms)| *ms > LENGTH_MAX_MS) {
        return Err(RunError::Option { what, ms, expected: "at most 11 years" });
    }
    let repeated = [("sample", options.sample_ms), ("retry", options.retry_ms)];
    match repeated.into_iter().find(|(_, ms)| *ms == 0) {
        Some((what, ms)) => Err(RunError::Option { what, ms, expected: "at least 1 ms" }),
        None => Ok(()),
    }
}

impl<S: Source, W: Write> Run<S, W> {
    /// Begins a run. The path is written into its file, so that decisions can be explained later.
    pub fn start(
        mut trace: S,
        policy: Policy,
        options: SimOptions,
        trace_path: &str,
        out: W,
    ) -> Result<Self, RunError> {
        check(&options)?;
        let next = trace.next()?;
        let first = SimRun {
            version: VERSION,
            trace: trace.head().name.clone(),
            trace_path: trace_path.to_owned(),
            policy: placement::policy::write(&policy),
            options: options.clone(),
        };
        let state = State::new(policy, options);
        let mut run = Self { trace, next, state, out, watched: None, explanations: Vec::new() };
        run.write(&SimLine::Run(Box::new(first)))?;
        Ok(run)
    }

    /// Goes on from a checkpoint. What was written before it is [`Checkpoint::written`].
    ///
    /// # Errors
    /// When the checkpoint belongs to another trace, policy or options.
    pub fn resume(
        checkpoint: Checkpoint,
        mut trace: S,
        policy: &Policy,
        options: &SimOptions,
        out: W,
    ) -> Result<Self, RunError> {
        let mut state = checkpoint.0;
        if state.scheduler.own_policy() != policy {
            return Err(RunError::OtherRun("policy"));
        }
        if state.options != *options {
            return Err(RunError::OtherRun("option, or another seed"));
        }
        for _ in 0..state.records {
            if trace.next()?.is_none() {
                return Err(RunError::OtherRun("trace"));
            }
        }
        let next = trace.next()?;
        if trace.hash() != state.hash {
            return Err(RunError::OtherRun("trace"));
        }
        state.scheduler.complete();
        Ok(Self { trace, next, state, out, watched: None, explanations: Vec::new() })
    }

    /// Returns the state as bytes, from which [`resume`](Self::resume) goes on.
    pub fn checkpoint(&mut self) -> Result<Vec<u8>, RunError> {
        self.out.flush().map_err(RunError::Write)?;
        self.state.hash = self.trace.hash();
        Ok(checkpoint::write(&self.state))
    }

    pub fn now_ms(&self) -> u64 {
        self.state.now_ms
    }

    /// Explains each decision about a job of this name while it runs.
    pub fn watch(&mut self, job: &str) {
        self.watched = Some(job.to_owned());
    }

    pub fn explanations(&self) -> &[Explanation] {
        &self.explanations
    }

    /// Runs to the end, or until `until_ms`; returns whether it has ended.
    pub fn advance(&mut self, until_ms: u64) -> Result<bool, RunError> {
        while self.state.now_ms < until_ms {
            if !self.step()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs to the end and writes the last row.
    pub fn finish(mut self) -> Result<(SimSummary, Vec<Explanation>, W), RunError> {
        while self.step()? {}
        for row in self.state.unfinished_rows() {
            self.write(&row)?;
        }
        let summary = self.state.summary();
        self.write(&SimLine::Summary(Box::new(summary.clone())))?;
        self.out.flush().map_err(RunError::Write)?;
        Ok((summary, self.explanations, self.out))
    }

    fn write(&mut self, row: &SimLine) -> Result<(), RunError> {
        let mut line = serde_json::to_vec(row).expect("a row has texts for keys");
        line.push(b'\n');
        self.state.written.add(&line);
        self.out.write_all(&line).map_err(RunError::Write)
    }
}
