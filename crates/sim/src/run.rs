//! A fleet in virtual time: what a policy would have done with a trace.
//!
//! Events happen in the order of their times; at the same time jobs change and end before hosts and jobs come, these before
//! the scheduler looks, and it before figures are taken. The scheduler is `sched`'s; here are only the jobs' real loads, which
//! it sees late, and the hosts, which share their CPUs.

mod explain;
mod failures;
mod names;
mod places;
mod state;
mod steps;
mod summary;
mod task;
mod totals;
mod windows;

pub use explain::{Candidate, Explanation};

use crate::source::Source;
use crate::trace::{Record, TraceError};
use api::{SimLine, SimOptions, SimRun, SimSummary};
use sched::fleet::policy::Policy;
use state::State;
use std::io::Write;

/// The version of a run's file, and of checkpoints.
pub const VERSION: u32 = 1;

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

/// Why a run did not end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The trace is wrong.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A row could not be written.
    #[error("cannot write the run's file")]
    Write(#[source] std::io::Error),
    /// The trace has hosts or jobs that contradict each other.
    #[error("line {line}: {what}")]
    Contradiction {
        /// The trace's line.
        line: u64,
        /// What contradicts what.
        what: String,
    },
    /// A checkpoint is none, or damaged.
    #[error("this is no checkpoint of this version of tauto, or it is damaged")]
    NoCheckpoint,
    /// A checkpoint belongs to another trace.
    #[error("the checkpoint was made with another trace: the first {0} records differ")]
    OtherTrace(u64),
}

impl<S: Source, W: Write> Run<S, W> {
    /// Begins a run. The path is written into its file, so that decisions can be explained later.
    ///
    /// # Errors
    /// When the trace is wrong, or nothing can be written.
    pub fn start(
        mut trace: S,
        policy: Policy,
        options: SimOptions,
        trace_path: &str,
        out: W,
    ) -> Result<Self, RunError> {
        let next = trace.next()?;
        let first = SimRun {
            version: VERSION,
            trace: trace.head().name.clone(),
            trace_path: trace_path.to_owned(),
            policy: sched::fleet::policy::write(&policy),
            options: options.clone(),
        };
        let state = State::new(policy, options);
        let mut run = Self { trace, next, state, out, watched: None, explanations: Vec::new() };
        run.write(&SimLine::Run(Box::new(first)))?;
        Ok(run)
    }

    /// Goes on from a checkpoint. The file must hold what was written before it: its first [`written`](Self::written) bytes.
    ///
    /// # Errors
    /// When the checkpoint is damaged or belongs to another trace.
    pub fn resume(checkpoint: &[u8], mut trace: S, out: W) -> Result<Self, RunError> {
        let (version, state): (u32, State) =
            postcard::from_bytes(checkpoint).map_err(|_| RunError::NoCheckpoint)?;
        if version != VERSION {
            return Err(RunError::NoCheckpoint);
        }
        let mut state = state;
        for _ in 0..state.records {
            if trace.next()?.is_none() {
                return Err(RunError::OtherTrace(state.records));
            }
        }
        let next = trace.next()?;
        if trace.hash() != state.hash {
            return Err(RunError::OtherTrace(state.records));
        }
        state.scheduler.complete();
        Ok(Self { trace, next, state, out, watched: None, explanations: Vec::new() })
    }

    /// Returns the state as bytes, from which [`resume`](Self::resume) goes on.
    ///
    /// # Errors
    /// When the run's file cannot be written to its end.
    pub fn checkpoint(&mut self) -> Result<Vec<u8>, RunError> {
        self.out.flush().map_err(RunError::Write)?;
        self.state.hash = self.trace.hash();
        Ok(postcard::to_allocvec(&(VERSION, &self.state)).expect("the state has no open-ended parts"))
    }

    /// Returns how many bytes of rows were written, in all parts of the run.
    pub fn written(&self) -> u64 {
        self.state.written
    }

    /// Returns the virtual time.
    pub fn now_ms(&self) -> u64 {
        self.state.now_ms
    }

    /// Explains each decision about a job of this name while it runs.
    pub fn watch(&mut self, job: &str) {
        self.watched = Some(job.to_owned());
    }

    /// Returns what was explained.
    pub fn explanations(&self) -> &[Explanation] {
        &self.explanations
    }

    /// Runs to the end, or until `until_ms`; returns whether it has ended.
    ///
    /// # Errors
    /// When the trace is wrong, or nothing can be written.
    pub fn advance(&mut self, until_ms: u64) -> Result<bool, RunError> {
        while self.state.now_ms < until_ms {
            if !self.step()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs to the end and writes the last row.
    ///
    /// # Errors
    /// When the trace is wrong, or nothing can be written.
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
        self.state.written += line.len() as u64;
        self.out.write_all(&line).map_err(RunError::Write)
    }
}
