//! Submissions that are answers instead of programs.

use crate::JudgeError;
use crate::book::Book;
use crate::check::FeedbackFolder;
use crate::judgement::Judgement;
use crate::observer::Observer;
use crate::readable::ReadableCase;
use crate::run::CaseRuns;
use crate::static_check::StaticSubject;
use crate::submission::{Judge, SubmissionSource};
use model::Verdict;
use package::language::{SourceFile, check_names};
use package::{Step, TestCase};

impl Judge<'_> {
    /// Judges answers that were handed in as files: `NAME.out` or `NAME.ans` for the case `.../NAME`.
    pub(crate) fn judge_answers(
        &self,
        source: &SubmissionSource,
        observer: &mut dyn Observer,
    ) -> Result<Judgement, JudgeError> {
        if let Err(error) = check_names(&source.files) {
            return Ok(Judgement::compile_error(source, None, error.to_string()));
        }
        let mut book = Book::open(self, source, observer);
        let steps = self.selected_steps();
        let cases: Vec<&TestCase> = steps
            .iter()
            .filter_map(|step| if let Step::Case(case) = step { Some(*case) } else { None })
            .collect();
        let subject = match self.checker().sees_submission(self.package()) {
            true => Some(StaticSubject::of_files(&source.files)?),
            false => None,
        };
        for case in &cases {
            if !book.needs(&case.name)? {
                continue;
            }
            let answer = answer_for(case, cases.len(), &source.files);
            let feedback = FeedbackFolder::new(self.station(), &self.package().limits)?;
            let verdict = if answer.is_none() { Some(Verdict::WrongAnswer) } else { None };
            let reason = format!("no file is named {}.out", base_name(&case.name));
            let runs = CaseRuns {
                runs: Vec::new(),
                decisive: 0,
                verdict,
                reasons: if answer.is_none() { vec![reason] } else { Vec::new() },
                stdout: answer.map(|file| file.bytes.clone()).unwrap_or_default(),
                stderr: Vec::new(),
                nondeterministic: false,
                undecided: None,
            };
            let readable = ReadableCase::of(case)?;
            let checked = answer.map(|file| {
                let output = (&file.bytes[..], subject.as_ref());
                self.checker().check(self.station(), self.package(), &readable, output, &feedback, 1)
            });
            book.enter(self.case_judgement(case, runs, checked));
        }
        let done = book.done;
        self.total(source, done)
    }
}

fn base_name(case: &str) -> &str {
    case.rsplit('/').next().unwrap_or(case)
}

fn answer_for<'f>(case: &TestCase, cases: usize, files: &'f [SourceFile]) -> Option<&'f SourceFile> {
    let named = |name: &str, extension: &str| {
        files.iter().find(|file| file.name.strip_suffix(extension) == Some(name))
    };
    let base = base_name(&case.name);
    [case.name.as_str(), base]
        .into_iter()
        .find_map(|name| named(name, ".out").or_else(|| named(name, ".ans")))
        .or_else(|| if cases == 1 { files.first().filter(|_| files.len() == 1) } else { None })
}
