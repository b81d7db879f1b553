//! Reads `submissions/`.

use super::details::Details;
use super::rules::{self, Section};
use super::tags::{self, Results, Tags, with_score};
use super::{JurySubmission, details};
use crate::error::{Complaint, Warnings};
use crate::expectation::Rule;
use crate::metadata::Metadata;
use crate::program::read::PYTHON_CACHE;
use crate::program::read::files_of;
use crate::tree::{Item, Tree, io_error, read_limited};
use crate::{Expectation, FileLocation, Format, PackageError, PackageFile};
use model::Verdict;

/// How many bytes of a source are searched for a tag; tags are near the top.
const MAX_TAGGED_BYTES: u64 = 1 << 20;
/// In these folders the name decides and tags are ignored, as in DOMjudge.
const FOLDERS_ABOVE_TAGS: [&str; 4] = ["accepted", "wrong_answer", "time_limit_exceeded", "run_time_error"];

/// What the submissions show about the rules of points.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaggedScores {
    /// The first submission whose tag has a score.
    pub(crate) any: Option<String>,
    /// The first submission whose tag has points although it is to be rejected.
    pub(crate) of_rejected: Option<String>,
}

/// Reads all submissions, by name, and what their tags show about the rules of points.
pub(crate) fn read(
    tree: &Tree,
    metadata: &Metadata,
) -> Result<(Vec<JurySubmission>, TaggedScores), PackageError> {
    let sections = if tree.exists(rules::SUBMISSIONS_YAML) {
        rules::read(&tree.text(rules::SUBMISSIONS_YAML)?, metadata, &tree.warnings)?
    } else {
        Vec::new()
    };
    let details = details::read(tree)?;
    let (mut submissions, mut tagged) = (Vec::new(), TaggedScores::default());
    for folder in tree.list("submissions")? {
        if !folder.is_folder {
            if folder.relative != rules::SUBMISSIONS_YAML && !folder.name.ends_with(".md") {
                tree.warnings.push(FileLocation::file(folder.relative).leniency(
                    "is in no folder of submissions and is left out",
                    "move it to the folder of what is expected, such as submissions/accepted",
                ));
            }
            continue;
        }
        warn_of_hidden(&folder, &tree.warnings)?;
        for item in tree.list(&folder.relative)? {
            if !item.is_folder && is_made(&item.name) || item.name == PYTHON_CACHE {
                tree.warnings.push(FileLocation::file(item.relative).warning(
                    "was made by a compiler, and is no submission",
                    "remove it, and keep the source only",
                ));
                continue;
            }
            let notes = SubmissionNotes { sections: &sections, details: &details };
            let read = read_one(tree, metadata, &folder.name, &item, &notes)?;
            let Some((submission, tags)) = read else { continue };
            tagged.note(&submission.name, &tags);
            submissions.push(submission);
        }
    }
    warn_of_idle_sections(&sections, &submissions, &tree.warnings);
    details.warn_of_idle(&submissions, &tree.warnings);
    if !submissions.iter().any(|submission| submission.name.starts_with("accepted/")) {
        tree.warnings.push(FileLocation::file("submissions/accepted").leniency(
            "holds no submission",
            "add one that is right: without it neither the time limit nor the package can be checked",
        ));
    }
    let bounds = submissions.iter().any(|one| one.expectation.bounds_time_limit_from_below());
    if metadata.format == Format::V2025_09 && !submissions.is_empty() && !bounds {
        tree.warnings.push(FileLocation::file("submissions").leniency(
            "has none that bounds the time limit from below",
            "add an accepted one, or leave out 'use_for_time_limit: false' for one",
        ));
    }
    Ok((submissions, tagged))
}

impl TaggedScores {
    fn note(&mut self, name: &str, tags: &Tags) {
        let Some((least, _)) = tags.score else { return };
        self.any.get_or_insert_with(|| name.to_owned());
        let is_rejected =
            matches!(&tags.results, Some(Results::AnyOf(any_of)) if !any_of.contains(&Verdict::Accepted));
        if is_rejected && least > 0.0 {
            self.of_rejected.get_or_insert_with(|| name.to_owned());
        }
    }
}

/// Returns whether compilers make files of this name: they say nothing about what the submission is.
fn is_made(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    base == "a.out" || [".class", ".pyc", ".o", ".exe"].iter().any(|ending| base.ends_with(ending))
}

/// Warns of names that begin with a dot or a dash, which no reader sees; those of version control and file managers are
/// meant to be hidden.
fn warn_of_hidden(folder: &Item, warnings: &Warnings) -> Result<(), PackageError> {
    for entry in std::fs::read_dir(&folder.path).map_err(io_error("list", &folder.path))? {
        let name = entry.map_err(io_error("list", &folder.path))?.file_name().to_string_lossy().into_owned();
        let is_usual = name.starts_with(".git") || name == ".DS_Store" || name == ".directory";
        if name.starts_with(['.', '-']) && !is_usual {
            warnings.push(
                FileLocation::file(format!("{}/{name}", folder.relative))
                    .warning("has a hidden name, and is no submission", "rename it if it should be judged"),
            );
        }
    }
    Ok(())
}

/// What other files state about the submissions.
struct SubmissionNotes<'s> {
    sections: &'s [Section],
    details: &'s Details,
}

fn read_one(
    tree: &Tree,
    metadata: &Metadata,
    folder: &str,
    item: &Item,
    &SubmissionNotes { sections, details }: &SubmissionNotes<'_>,
) -> Result<Option<(JurySubmission, Tags)>, PackageError> {
    let mut files = files_of(tree, item)?;
    let made: Vec<String> = files
        .extract_if(.., |file| is_made(&file.name.to_string_lossy()))
        .map(|file| file.name.display().to_string())
        .collect();
    if let Some(first) = made.first() {
        tree.warnings.push(FileLocation::file(format!("{}/{first}", item.relative)).warning(
            format!(
                "was made by a compiler, as {} of the submission's files were, and is left out",
                made.len()
            ),
            "remove what is not source",
        ));
    }
    if files.is_empty() {
        tree.warnings.push(
            FileLocation::file(&item.relative)
                .warning("is an empty submission", "remove the folder or fill it"),
        );
        return Ok(None);
    }
    let name = format!("{folder}/{}", item.name);
    let matching: Vec<_> = sections.iter().filter(|section| section.pattern.matches(&name)).collect();
    let tags = find_tags(&files, item, metadata, &tree.warnings)?;
    let by_rules = if metadata.format.is_legacy() && matching.is_empty() {
        rules::legacy_folder(folder)
    } else {
        combine(folder, &matching)
    };
    let expectation = match (tags.results.clone().map(Results::expectation), by_rules) {
        (Some(tag), Some(rules)) if FOLDERS_ABOVE_TAGS.contains(&folder) || !matching.is_empty() => {
            if tag != rules {
                tree.warnings.push(FileLocation::file(&item.relative).warning(
                    format!("has a tag @EXPECTED_RESULTS@ that is ignored in {folder}"),
                    "remove the tag, or move the submission to submissions/mixed",
                ));
            }
            Some(rules)
        }
        (Some(tag), _) => Some(tag),
        (None, rules) => rules,
    };
    let expectation = match tags.score {
        Some(score) => Some(with_score(score, expectation)),
        None => expectation,
    };
    let expectation = expectation.unwrap_or_else(|| {
        tree.warnings.push(FileLocation::file(&item.relative).warning(
            "has no expected result",
            "add a tag @EXPECTED_RESULTS@:, or name its folder accepted, wrong_answer or the like",
        ));
        Expectation::Manual
    });
    // By convention the last matching pattern is the most specific.
    let last =
        |get: fn(&Section) -> &Option<String>| matching.iter().rev().find_map(|section| get(section).clone());
    let submission = JurySubmission {
        path: item.path.clone(),
        files,
        language_hint: last(|section| &section.language).or_else(|| details.language(&name)),
        entry_point_hint: last(|section| &section.entry_point).or_else(|| details.entry_point(&name)),
        expectation,
        name,
    };
    Ok(Some((submission, tags)))
}

/// Combines the rule of the folder with those of `submissions.yaml`; a section named like the folder replaces its keys.
fn combine(folder: &str, matching: &[&Section]) -> Option<Expectation> {
    let mut all = Vec::new();
    let mut folder_rule = rules::current_folder(folder);
    for section in matching {
        let mut section_rules = section.rules.iter().cloned();
        if section.pattern.is_exactly(folder)
            && let Some(default) = folder_rule.take()
            && let Some(own) = section_rules.next()
        {
            folder_rule = Some(Rule {
                permitted: own.permitted.or(default.permitted),
                required: own.required.or(default.required),
                ..own
            });
        }
        all.extend(section_rules);
    }
    all.splice(0..0, folder_rule);
    all.retain(|rule| *rule != Rule { cases: rule.cases.clone(), ..Rule::default() });
    if all.is_empty() {
        // Not part of these formats, but the name is unambiguous.
        return match folder {
            "compile_error" | "compiler_error" | "partially_accepted" => rules::legacy_folder(folder),
            _ => None,
        };
    }
    // Applied once here, so that the derivation of a limit need not know the formats' rule for it.
    for rule in &mut all {
        rule.time_bound = Some(rule.implied_time_bound());
    }
    Some(Expectation::Rules(all))
}

fn find_tags(
    files: &[PackageFile],
    item: &Item,
    metadata: &Metadata,
    warnings: &Warnings,
) -> Result<Tags, PackageError> {
    for file in files {
        let relative = if item.is_folder {
            format!("{}/{}", item.relative, file.name.display())
        } else {
            item.relative.clone()
        };
        let Ok(source) = read_limited(&file.path, &relative, MAX_TAGGED_BYTES) else { continue };
        let place = FileLocation::file(relative);
        match tags::read(&source) {
            Ok(tags) if tags == Tags::default() => {}
            Ok(tags) if tags.score.is_some() && !metadata.kind.scoring => {
                warnings.push(
                    place
                        .field("@EXPECTED_SCORE@")
                        .warning("is given, but the problem is pass-fail", "remove the tag"),
                );
                return Ok(Tags { score: None, ..tags });
            }
            Ok(tags) => return Ok(tags),
            Err(wrong) => {
                warnings.push(place.line(wrong.line).field(wrong.tag).warning(wrong.problem, wrong.remedy));
                return Ok(Tags { results: Some(Results::Manual), score: None });
            }
        }
    }
    Ok(Tags::default())
}

fn warn_of_idle_sections(sections: &[Section], submissions: &[JurySubmission], warnings: &Warnings) {
    for section in sections {
        let is_default =
            ["accepted", "rejected", "wrong_answer", "time_limit_exceeded", "run_time_error", "brute_force"]
                .iter()
                .any(|folder| section.pattern.is_exactly(folder));
        if !is_default && !submissions.iter().any(|submission| section.pattern.matches(&submission.name)) {
            warnings.push(FileLocation::file(rules::SUBMISSIONS_YAML).field(section.pattern.text()).warning(
                "matches no submission",
                "fix the pattern: it is compared with paths such as accepted/a.py",
            ));
        }
    }
}
