//! Problems, languages and judgement types.

use contest_rules::view::{ProblemView, View};
use documents::contest as wire;
use languages::{Language, Languages};
use model::Verdict;
use std::sync::LazyLock;

pub static LANGUAGES: LazyLock<Languages> = LazyLock::new(Languages::builtin);

pub fn wire_problem(contest: &str, problem: &ProblemView<'_>) -> wire::Problem {
    let package = problem.jury.as_ref().map(|_| {
        vec![wire::FileReference {
            href: Some(format!("contests/{contest}/problems/{}/package", problem.id)),
            filename: format!("{}.zip", problem.id),
            hash: problem.files.package_md5.clone(),
            mime: "application/zip".to_owned(),
            ..Default::default()
        }]
    });
    let reference = |file: &contest_rules::ProblemFile| wire::FileReference {
        href: Some(format!("contests/{contest}/problems/{}/files/{}", problem.id, file.filename)),
        filename: file.filename.clone(),
        hash: Some(file.md5.clone()),
        mime: crate::package_files::mime_of(&file.filename).to_owned(),
        ..Default::default()
    };
    let references = |files: &[contest_rules::ProblemFile]| {
        (!files.is_empty()).then(|| files.iter().map(reference).collect())
    };
    let page = |file: &contest_rules::ProblemFile| {
        let language = file.language.clone().unwrap_or_default();
        let path = format!("contests/{contest}/problems/{}/statement", problem.id);
        wire::FileReference {
            href: Some(format!("{path}?format=html&language={language}")),
            mime: "text/html".to_owned(),
            tag: vec![language],
            ..reference(file)
        }
    };
    let pages = &problem.files.pages;
    wire::Problem {
        package,
        statement: references(&problem.files.statements),
        statement_pages: (!pages.is_empty()).then(|| pages.iter().map(page).collect()),
        attachments: references(&problem.files.attachments),
        ..problem.object.clone()
    }
}

/// The verdicts that a judgement can have.
pub const VERDICTS: [(Verdict, &str); 9] = [
    (Verdict::Accepted, "Accepted"),
    (Verdict::WrongAnswer, "Wrong Answer"),
    (Verdict::TimeLimitExceeded, "Time Limit Exceeded"),
    (Verdict::RunTimeError, "Run-Time Error"),
    (Verdict::CompileError, "Compile Error"),
    (Verdict::MemoryLimitExceeded, "Memory Limit Exceeded"),
    (Verdict::OutputLimitExceeded, "Output Limit Exceeded"),
    (Verdict::WallTimeLimitExceeded, "Wall Time Limit Exceeded"),
    (Verdict::JudgingError, "Judging Error"),
];

/// Returns the judgement types; with penalties in a contest that has them.
pub fn judgement_types(scoring: contest_rules::Scoring) -> Vec<wire::JudgementType> {
    let types = VERDICTS.iter().map(|(verdict, name)| {
        let penalty = match (scoring, verdict) {
            (contest_rules::Scoring::Points { .. }, _) => None,
            (_, Verdict::Accepted | Verdict::JudgingError) => Some(false),
            (contest_rules::Scoring::PassFail { compile_penalty, .. }, Verdict::CompileError) => {
                Some(compile_penalty)
            }
            _ => Some(true),
        };
        let (id, name) = (verdict.clics_id().to_owned(), (*name).to_owned());
        wire::JudgementType { id, name, penalty, solved: *verdict == Verdict::Accepted }
    });
    types.collect()
}

/// Returns the languages of a contest.
pub fn wire_languages(view: &View<'_>) -> Vec<wire::Language> {
    let languages = view.languages();
    let is_one = |id: &str| languages.as_ref().is_none_or(|ids| ids.contains(id));
    LANGUAGES.iter().filter(|language| is_one(&language.id)).map(wire_language).collect()
}

pub fn wire_language(language: &Language) -> wire::Language {
    let command = |argv: &[String]| {
        argv.split_first().map(|(command, args)| wire::LanguageCommand {
            command: command.clone(),
            args: (!args.is_empty()).then(|| args.join(" ")),
        })
    };
    wire::Language {
        id: language.id.clone(),
        name: language.name.clone(),
        // The judgehost finds the main file or class where a submission does not name it.
        entry_point_required: false,
        entry_point_name: None,
        extensions: language.extensions.clone(),
        compiler: language.compile.first().and_then(|argv| command(argv)),
        runner: command(&language.run),
    }
}
