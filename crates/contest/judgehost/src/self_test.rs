//! Programs with known verdicts, and one program in each language: what is tested before the first job.

mod verdicts;

use crate::error::{JudgehostError, reason};
use crate::judges::LanguageTested;
use documents::LanguageEntry;
use documents::judgehost::{LanguageTest, SelfTest, SelfTestProgram};
use judge::{
    CountedBy, Engine, JudgeError, JudgeOptions, Judgement, JudgingHandle, JudgingNotice, LimitOrigin,
    Notice, Order, Problem, Quiet, SubmissionSource, TimeLimit,
};
use languages::{Languages, SourceFile};
use model::{Nanos, Verdict};
use package::Package;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use verdicts::{KNOWN, PACKAGE};

const LANGUAGE: &str = "c";
const LIMIT: Nanos = Nanos::from_millis(500);
/// The time limit of one program in each language: start-ups of virtual machines on a busy machine.
const CANARY_LIMIT: Nanos = Nanos::from_millis(10_000);
/// How long a canary's result holds for compile errors.
const HOLDS: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Canaries {
    problem: Arc<Problem>,
    languages: Arc<Languages>,
    /// When each was last found to work.
    tested: Mutex<BTreeMap<String, Instant>>,
    _folder: TempDir,
}

/// Judges programs with known verdicts. `versions` are all languages: the others are tested when they are needed, since
/// some compilers take many seconds.
pub fn run(
    engine: &Engine,
    versions: &[LanguageEntry],
    counted: Option<&CountedBy>,
) -> Result<(SelfTest, Canaries), JudgehostError> {
    let folder = tempfile::Builder::new().prefix("tauto-self-test-").tempdir();
    let folder =
        folder.map_err(|error| JudgehostError::SelfTest(format!("cannot make a folder: {error}")))?;
    let written = write(folder.path());
    written.map_err(|error| JudgehostError::SelfTest(format!("cannot write its files: {error}")))?;
    let package = Package::open(folder.path(), folder.path()).map_err(JudgeError::from)?;
    let options = JudgeOptions {
        quick: true,
        time_limit: Some(CANARY_LIMIT),
        counted: counted.cloned(),
        ..JudgeOptions::default()
    };
    let (problem, _) = Problem::prepare(engine, Arc::new(package), options, &mut Quiet)?;
    let programs = known_verdicts(engine, &problem)?;
    let canaries = Canaries {
        problem,
        languages: Arc::new(engine.station().languages().clone()),
        tested: Mutex::default(),
        _folder: folder,
    };
    let installed = versions.iter().filter(|language| language.installed);
    let languages = installed.map(|entry| LanguageTest {
        id: entry.id.clone(),
        version: entry.version.clone(),
        error: None,
        is_tested: entry.id == LANGUAGE,
    });
    Ok((SelfTest { programs, languages: languages.collect() }, canaries))
}

fn write(folder: &Path) -> std::io::Result<()> {
    for (name, text) in PACKAGE {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Judges each program with a known verdict on every place, in the slots that judge. A program's entry is that of the
/// first place where it got another verdict, if there is one.
fn known_verdicts(engine: &Engine, problem: &Problem) -> Result<Vec<SelfTestProgram>, JudgehostError> {
    let limit = TimeLimit { limit: LIMIT, origin: LimitOrigin::Asked };
    let problem = Arc::new(problem.with_time_limit(limit));
    let places = engine.station().places();
    let (sender, received) = channel();
    let mut open = BTreeMap::new();
    let mut judged = BTreeMap::new();
    for place in 0..places.len() {
        for (at, known) in KNOWN.iter().enumerate() {
            let files =
                vec![SourceFile { name: "test.c".to_owned(), bytes: known.source.as_bytes().to_vec() }];
            let language = Some(LANGUAGE.to_owned());
            let source = SubmissionSource {
                name: known.name.to_owned(),
                files,
                language,
                ..SubmissionSource::default()
            };
            let handle = engine.judge_at(place, &problem, source, Order::default(), sender.clone())?;
            open.insert(handle.number, (at, place));
            let (name, expected) = (known.name.to_owned(), known.verdict.into());
            let error = Some("its judging has ended without a result".to_owned());
            judged.insert((at, place), SelfTestProgram { name, expected, verdict: None, error });
        }
    }
    drop(sender);
    while !open.is_empty() {
        // If a place's thread ends, its entries keep their error.
        let Ok(JudgingNotice { judging, notice }) = received.recv() else { break };
        let Notice::Done(result) = notice else { continue };
        let Some(key) = open.remove(&judging) else { continue };
        let Some(entry) = judged.get_mut(&key) else { continue };
        entry.verdict = result.as_ref().as_ref().ok().map(|judgement| judgement.verdict.into());
        let error = match *result {
            Ok(judgement) => judgement.judging_error,
            Err(error) => Some(reason(&error)),
        };
        entry.error = match places.len() {
            1 => error,
            _ => error.map(|error| format!("on {}: {error}", places[key.1].cpus().named())),
        };
    }
    Ok(worst_of(judged, KNOWN.len()))
}

/// Chooses the entry of each program: the first that is wrong, or any. One without entries is left out.
fn worst_of(mut judged: BTreeMap<(usize, usize), SelfTestProgram>, programs: usize) -> Vec<SelfTestProgram> {
    let choose = |program: usize| {
        let entries = judged.range((program, 0)..(program + 1, 0));
        let wrong = entries.clone().find(|(_, entry)| entry.verdict != Some(entry.expected));
        let (key, _) = wrong.or_else(|| entries.clone().next())?;
        let key = *key;
        judged.remove(&key)
    };
    (0..programs).filter_map(choose).collect()
}

/// Returns why the result of a self-test does not allow judging; `None` if it does.
pub fn objection(test: &SelfTest) -> Option<String> {
    let wrong = test.programs.iter().find(|one| one.verdict != Some(one.expected))?;
    let got = match (&wrong.error, wrong.verdict) {
        (Some(error), _) => error.clone(),
        (None, verdict) => verdict.map_or_else(|| "no verdict".to_owned(), |got| got.0.to_string()),
    };
    Some(format!("program '{}': expected {}, got {got}", wrong.name, wrong.expected.0))
}

impl Canaries {
    fn source(&self, id: &str) -> Option<SubmissionSource> {
        let hello = self.languages.get(id)?.hello()?;
        let language = Some(id.to_owned());
        Some(SubmissionSource {
            name: format!("hello in {id}"),
            files: vec![hello],
            language,
            ..SubmissionSource::default()
        })
    }

    /// Judges the program of a language; one without a program counts as working.
    fn test(&self, engine: &Engine, id: &str, begun: impl FnOnce(JudgingHandle)) -> LanguageTested {
        let Some(source) = self.source(id) else { return LanguageTested::Works };
        let (sender, received) = channel();
        match engine.judge(&self.problem, source, Order::default(), sender) {
            Ok(handle) => begun(handle),
            Err(error) => return LanguageTested::Broken(reason(&error)),
        }
        let done = received.iter().find_map(|JudgingNotice { notice, .. }| match notice {
            Notice::Done(result) => Some(*result),
            _ => None,
        });
        done.map_or(LanguageTested::Dropped, outcome)
    }

    /// Tests a language, unless it was found to work a moment ago. `begun` gets what can end the test.
    pub fn still_works(
        &self,
        engine: &Engine,
        id: &str,
        begun: impl FnOnce(JudgingHandle),
    ) -> LanguageTested {
        if self.lock().get(id).is_some_and(|worked| worked.elapsed() < HOLDS) {
            return LanguageTested::Works;
        }
        let tested = self.test(engine, id, begun);
        if tested == LanguageTested::Works {
            self.lock().insert(id.to_owned(), Instant::now());
        }
        tested
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        self.tested.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outcome(judged: Result<Judgement, JudgeError>) -> LanguageTested {
    match judged {
        Ok(judgement) if judgement.verdict == Verdict::Accepted => LanguageTested::Works,
        Ok(judgement) => {
            let output = judgement.compilation.map(|compilation| compilation.document().output);
            let output = output.filter(|_| judgement.verdict == Verdict::CompileError);
            let why = judgement.judging_error.or(output).unwrap_or_default();
            let verdict = judgement.verdict;
            LanguageTested::Broken(format!("the test program got {verdict}: {}", why.trim()))
        }
        Err(JudgeError::Cancelled) => LanguageTested::Dropped,
        Err(error) if error.is_interruption() => LanguageTested::Dropped,
        Err(error) => LanguageTested::Broken(reason(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(verdict: Option<Verdict>, error: Option<&str>) -> SelfTest {
        let program = SelfTestProgram {
            name: "accepted".to_owned(),
            expected: Verdict::Accepted.into(),
            verdict: verdict.map(Into::into),
            error: error.map(str::to_owned),
        };
        SelfTest { programs: vec![program], languages: Vec::new() }
    }

    /// A place whose slot does not work is not hidden by others.
    #[test]
    fn the_worst_place_decides_about_a_program() {
        let [accepted, failed] =
            [program(Some(Verdict::Accepted), None), program(None, Some("on CPU 3: no rights"))]
                .map(|test| test.programs[0].clone());
        let judged = [((0, 0), &accepted), ((0, 1), &accepted), ((1, 0), &accepted), ((1, 1), &failed)];
        let judged = judged.map(|(key, entry)| (key, entry.clone()));
        assert_eq!(worst_of(judged.into(), 2), [accepted, failed]);
    }

    #[test]
    fn one_wrong_verdict_is_an_objection() {
        assert_eq!(objection(&program(Some(Verdict::Accepted), None)), None);
        let wrong = objection(&program(Some(Verdict::WrongAnswer), None)).unwrap();
        assert_eq!(wrong, "program 'accepted': expected AC, got WA");
        let failed = objection(&program(None, Some("no rights"))).unwrap();
        assert!(failed.ends_with("got no rights"), "{failed}");
    }

    #[test]
    fn an_interrupted_test_has_no_result() {
        let interrupted = || JudgeError::from(sandbox::SandboxError::Interrupted);
        for error in [JudgeError::Cancelled, interrupted()] {
            assert_eq!(outcome(Err(error)), LanguageTested::Dropped);
        }
        let failed = JudgeError::Bug("it panicked".to_owned());
        assert!(matches!(outcome(Err(failed)), LanguageTested::Broken(_)));
    }

    #[test]
    fn the_package_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let package = Package::open(folder.path(), folder.path()).unwrap();
        assert_eq!(package.steps().len(), 1);
    }
}
