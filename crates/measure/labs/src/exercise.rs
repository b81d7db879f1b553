//! A program of the experiments as a problem and as an accepted submission, judged by the real engine.

use super::{LabError, Ready};
use judge::{
    Engine, JudgeError, JudgeOptions, Judgement, JudgingHandle, JudgingNotice, Notice, Order, Problem, Quiet,
    SubmissionSource,
};
use languages::SourceFile;
use model::{Bytes, Nanos, Verdict};
use package::Package;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often a caller that waits for judgings is asked whether to continue.
const ASK_EVERY: Duration = Duration::from_millis(100);
/// The time limit for runs that should be within it.
const AMPLE: Nanos = Nanos::from_millis(60_000);

/// A program as a problem and as a submission.
#[derive(Debug)]
pub struct Exercise {
    name: &'static str,
    package: Arc<Package>,
    source: SubmissionSource,
    _folder: tempfile::TempDir,
}

/// A submission and the problem that it is judged by.
#[derive(Clone, Debug)]
pub struct Entry {
    problem: Arc<Problem>,
    source: SubmissionSource,
}

impl Exercise {
    /// Writes a package of this many equal cases, each of which is one run of the program.
    pub fn make(ready: &Ready, cases: u32) -> Result<Self, LabError> {
        let program = &ready.program;
        let folder = tempfile::Builder::new().prefix("tauto-lab-problem-").tempdir();
        let folder = folder.map_err(|source| LabError::File { path: std::env::temp_dir(), source })?;
        let write = |name: &str, text: &[u8]| {
            let path = folder.path().join("problem").join(name);
            let folders = fs::create_dir_all(path.parent().unwrap_or(Path::new("/")));
            folders.and_then(|()| fs::write(&path, text)).map_err(|source| LabError::File { path, source })
        };
        let memory = ready.plan.limits.memory.unwrap_or(Bytes::from_mib(1024)).0 >> 20;
        let head = format!(
            "problem_format_version: 2025-09\ntype: pass-fail\nname: {name}\n\
             uuid: 00000000-0000-4000-8000-000000000000\n\
             limits:\n  time_limit: 60\n  memory: {memory}\n",
            name = program.name
        );
        write("problem.yaml", head.as_bytes())?;
        for case in 1..=cases {
            write(&format!("data/secret/{case:03}.in"), b"")?;
            write(&format!("data/secret/{case:03}.ans"), &ready.output)?;
            write(&format!("data/secret/{case:03}.args"), ready.argument.to_string().as_bytes())?;
        }
        let package = Package::open(&folder.path().join("problem"), folder.path());
        let file = SourceFile { name: program.file().to_owned(), bytes: program.source.into() };
        Ok(Self {
            name: program.name,
            package: Arc::new(package.map_err(JudgeError::from)?),
            source: SubmissionSource {
                name: program.name.to_owned(),
                files: vec![file],
                ..Default::default()
            },
            _folder: folder,
        })
    }

    /// Prepares it with a limit, or with a generous one if there is none.
    pub fn entry(&self, engine: &Engine, limit: Option<Nanos>) -> Result<Entry, LabError> {
        let options = JudgeOptions { time_limit: Some(limit.unwrap_or(AMPLE)), ..JudgeOptions::default() };
        let (problem, _) = Problem::prepare(engine, Arc::clone(&self.package), options, &mut Quiet)?;
        Ok(Entry { problem, source: self.source.clone() })
    }

    /// Returns the program's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// Submissions at an engine: some that are waited for, and neighbours that are submitted again whenever they are done.
#[derive(Debug)]
pub struct Submissions<'e> {
    engine: &'e Engine,
    notify: Sender<JudgingNotice>,
    received: Receiver<JudgingNotice>,
    neighbours: Vec<Entry>,
    /// Open neighbours, by the number of their judging.
    open: BTreeMap<u64, (usize, JudgingHandle)>,
}

impl<'e> Submissions<'e> {
    /// Submits the neighbours.
    pub fn among(engine: &'e Engine, neighbours: Vec<Entry>) -> Result<Self, LabError> {
        let (notify, received) = channel();
        let count = neighbours.len();
        let mut submissions = Self { engine, notify, received, neighbours, open: BTreeMap::new() };
        (0..count).try_for_each(|at| submissions.hand_in(at))?;
        Ok(submissions)
    }

    fn hand_in(&mut self, at: usize) -> Result<(), LabError> {
        let handle = self.judge_one(&self.neighbours[at], &format!("neighbour {at}"))?;
        self.open.insert(handle.number, (at, handle));
        Ok(())
    }

    fn judge_one(&self, entry: &Entry, owner: &str) -> Result<JudgingHandle, LabError> {
        let order = Order { owner: owner.to_owned(), ..Order::default() };
        Ok(self.engine.judge(&entry.problem, entry.source.clone(), order, self.notify.clone())?)
    }

    /// Judges entries at the same time, and returns their judgements in order.
    pub fn judge(
        &mut self,
        entries: &[Entry],
        go_on: &mut dyn FnMut() -> Result<(), LabError>,
    ) -> Result<Vec<Judgement>, LabError> {
        let mut waited_for = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let handle = self.judge_one(entry, &format!("entry {at}"))?;
            waited_for.insert(handle.number, (at, handle));
        }
        let mut done = BTreeMap::new();
        while !waited_for.is_empty() {
            let ended = go_on().and_then(|()| self.next_end());
            let (judging, judgement) = match ended {
                Ok(None) => continue,
                Ok(Some(ended)) => ended,
                Err(error) => {
                    waited_for.values().for_each(|(_, handle)| handle.cancel());
                    return Err(error);
                }
            };
            if let Some((at, _)) = waited_for.remove(&judging) {
                done.insert(at, judgement?);
            } else if let Some((at, _)) = self.open.remove(&judging) {
                solved(&judgement?)?;
                self.hand_in(at)?;
            }
        }
        Ok(done.into_values().collect())
    }

    /// Waits a short time for a judging to end.
    #[allow(clippy::type_complexity)]
    fn next_end(&self) -> Result<Option<(u64, Result<Judgement, JudgeError>)>, LabError> {
        match self.received.recv_timeout(ASK_EVERY) {
            Ok(JudgingNotice { judging, notice: Notice::Done(result) }) => Ok(Some((judging, *result))),
            Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender ourselves"),
        }
    }
}

impl Drop for Submissions<'_> {
    fn drop(&mut self) {
        self.open.values().for_each(|(_, handle)| handle.cancel());
    }
}

/// Checks that a submission was accepted.
pub fn solved(judgement: &Judgement) -> Result<(), LabError> {
    if judgement.verdict == Verdict::Accepted {
        return Ok(());
    }
    let compiler = judgement.compilation.as_ref().and_then(|compilation| compilation.failure.clone());
    let reasons = judgement.cases.iter().flat_map(|case| case.reasons.iter().cloned()).collect::<Vec<_>>();
    let why = judgement.judging_error.clone().or(compiler).unwrap_or_else(|| reasons.join("; "));
    Err(LabError::NotSolved { program: judgement.name.clone(), verdict: judgement.verdict, why })
}
