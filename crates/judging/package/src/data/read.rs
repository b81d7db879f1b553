//! Walks `data/` and builds its groups and cases.

use super::case::{self, Settings};
use super::current_config::{self, About, GroupConfig, Level};
use super::folder::{self, Folder};
use super::legacy::has_legacy_keys;
use super::{Group, TestCase, ValidatorCase, inference};
use crate::error::Complaint;
use crate::metadata::Metadata;
use crate::scoring::{AggregateGrading, Aggregation, Grading};
use crate::tree::{Item, Tree};
use crate::{FileLocation, Format, PackageError, requirements};
use model::CaseKind;
use std::collections::BTreeMap;

/// Everything below `data/`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    pub(crate) root: Group,
    pub(crate) invalid_inputs: Vec<ValidatorCase>,
    pub(crate) invalid_outputs: Vec<ValidatorCase>,
    pub(crate) valid_outputs: Vec<ValidatorCase>,
    pub(crate) sample_outputs: Vec<ValidatorCase>,
}

/// Of a text with its constants: a source has far less.
const EXPANDED_BYTES_MAX: usize = 16 << 20;

pub(crate) fn read(tree: &Tree, metadata: &Metadata) -> Result<Data, PackageError> {
    let is_legacy =
        metadata.format.is_legacy() || metadata.format == Format::V2023_07 && has_legacy_keys(tree, "data")?;
    let mut reader =
        Reader { tree, metadata, is_legacy, configs: BTreeMap::new(), sample_outputs: Vec::new() };
    let root = if is_legacy { reader.legacy_root()? } else { reader.current_root()? };
    if root.find("secret").is_none_or(|secret| secret.all_cases().is_empty()) {
        let place = FileLocation::file("data/secret");
        let remedy = "add it with at least one pair of files such as 1.in and 1.ans";
        let problem = match tree.is_folder("data/secret") {
            true => "holds no test case",
            false => "is missing, expected the folder of secret test cases",
        };
        // Only secret cases have points.
        if root.all_cases().is_empty() || metadata.kind.scoring {
            return Err(place.invalid(problem, remedy));
        }
        tree.warnings.push(place.leniency(format!("{problem}; the samples are judged alone"), remedy));
    }
    Ok(Data {
        invalid_inputs: reader.validator_cases("invalid_input", false)?,
        invalid_outputs: reader.validator_cases("invalid_output", true)?,
        valid_outputs: reader.validator_cases("valid_output", true)?,
        sample_outputs: reader.sample_outputs,
        root,
    })
}

/// The folders of `data/` that hold groups of cases to judge by.
pub(super) const TOP_GROUPS: [&str; 2] = ["sample", "secret"];
/// The folders of `data/sample` that `2023-07-draft` has for statements and downloads.
const SAMPLE_FOLDERS: [&str; 2] = ["statement", "download"];

pub(super) struct Reader<'r> {
    pub(super) tree: &'r Tree<'r>,
    pub(super) metadata: &'r Metadata,
    /// Whether groups are graded as in the legacy formats.
    is_legacy: bool,
    /// The configuration of each group of the newer formats.
    configs: BTreeMap<String, GroupConfig>,
    /// The outputs that samples show as correct.
    sample_outputs: Vec<ValidatorCase>,
}

impl Reader<'_> {
    pub(super) fn scan(&mut self, name: &str) -> Result<Folder, PackageError> {
        folder::scan(self.tree, self.metadata.format, &place_of(name))
    }

    pub(super) fn case(
        &mut self,
        name: String,
        parts: &folder::Parts,
        settings: &Settings,
    ) -> Result<TestCase, PackageError> {
        case::read(self.tree, self.metadata.format, name, parts, settings)
    }

    pub(super) fn warn_of_loose_cases(&mut self, folder: &Folder) {
        for input in folder.cases.values().filter_map(|parts| parts.input.as_ref()) {
            self.tree.warnings.push(
                FileLocation::file(&input.relative)
                    .leniency("is in neither sample nor secret and is left out", "move it to data/secret"),
            );
        }
    }

    fn current_root(&mut self) -> Result<Group, PackageError> {
        let mut settings = Settings::default();
        let folder = self.scan("")?;
        self.warn_of_loose_cases(&folder);
        if let Some(item) = &folder.config {
            // Some tools hand settings on from here as well; the text of 2025-09 begins one level below.
            self.current_config("", item, Level::Root, &mut settings)?;
            if self.metadata.format == Format::V2025_09 {
                self.tree.warnings.push(FileLocation::file(&item.relative).warning(
                    "stands above sample and secret, where this format has no configuration",
                    "move its keys to data/sample and data/secret",
                ));
            }
        }
        let mut root = Group {
            name: String::new(),
            cases: Vec::new(),
            groups: Vec::new(),
            grading: plain_grading(),
            static_validation: None,
        };
        for name in TOP_GROUPS {
            if self.tree.is_folder(&place_of(name)) {
                let level = if name == "sample" { Level::Sample } else { Level::Secret };
                let top = Settings { full_feedback: level == Level::Sample, ..settings.clone() };
                root.groups.push(self.current_group(name, level, top)?);
            }
        }
        inference::grade(self.metadata.format, self.metadata.kind.scoring, &mut root, &self.configs)?;
        Ok(root)
    }

    fn current_group(
        &mut self,
        name: &str,
        level: Level,
        mut settings: Settings,
    ) -> Result<Group, PackageError> {
        let folder = self.scan(name)?;
        let mut config = GroupConfig { place: FileLocation::file(place_of(name)), ..GroupConfig::default() };
        if let Some(item) = &folder.config {
            config = self.current_config(name, item, level, &mut settings)?;
        }
        let static_validation = config.static_validation.clone();
        self.configs.insert(name.to_owned(), config);
        let mut cases = Vec::new();
        for (stem, parts) in &folder.cases {
            cases.push(self.current_case(name, stem, parts, &settings)?);
        }
        let is_draft = self.metadata.format == Format::V2023_07;
        let has_config = |item: &Item| {
            let mut configs = folder::CURRENT_CONFIGS.iter();
            configs.any(|config| self.tree.exists(&format!("{}/{config}", item.relative)))
        };
        let first_group = folder.folders.iter().find(|item| has_config(item)).cloned();
        let mut groups = Vec::new();
        for item in &folder.folders {
            let inner = format!("{name}/{}", item.name);
            // Files that are shown or handed out instead of the samples do not concern a judge.
            if is_draft && level == Level::Sample && SAMPLE_FOLDERS.contains(&item.name.as_str()) {
                continue;
            }
            let is_plain = !has_config(item);
            if is_plain && is_draft && level == Level::Sample {
                self.tree.warnings.push(FileLocation::file(&item.relative).leniency(
                    format!("is no group of samples, and its cases are read as cases of {name}"),
                    format!("move its files to data/{name}"),
                ));
                self.cases_below(&inner, &settings, &mut cases)?;
            } else if is_plain
                && (level == Level::Sample || level == Level::Secret && !is_draft && first_group.is_none())
            {
                self.cases_below(&inner, &settings, &mut cases)?;
            } else if level == Level::Sample {
                return Err(FileLocation::file(&item.relative).invalid(
                    "is a group, but sample must not have groups",
                    "move its files to data/sample",
                ));
            } else if is_draft || level == Level::Secret {
                if let Some(group) = first_group.as_ref().filter(|_| is_plain && !is_draft) {
                    self.tree.warnings.push(FileLocation::file(&item.relative).leniency(
                        format!(
                            "is no group, but {} is one, and is read as a group without settings",
                            group.relative
                        ),
                        format!(
                            "add {}/{}, or move its cases into a group",
                            item.relative,
                            folder::CURRENT_CONFIGS[0]
                        ),
                    ));
                }
                groups.push(self.current_group(&inner, Level::Inner, settings.clone())?);
            } else {
                self.cases_below(&inner, &settings, &mut cases)?;
            }
        }
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        if self.metadata.format == Format::V2025_09 {
            if level == Level::Secret && !cases.is_empty() && !groups.is_empty() {
                return Err(FileLocation::file(place_of(name)).invalid(
                    format!(
                        "holds both test cases and groups, such as {} and {}",
                        cases[0].name, groups[0].name
                    ),
                    "move the cases into groups or the groups' cases up",
                ));
            }
            if level == Level::Inner && cases.is_empty() && static_validation.is_none() {
                return Err(FileLocation::file(place_of(name))
                    .invalid("is a group without a test case", "add a case or remove the folder"));
            }
        }
        Ok(Group { name: name.to_owned(), cases, groups, grading: plain_grading(), static_validation })
    }

    /// Reads a case of `sample` or `secret`, and stores the output that it shows, which must be correct.
    fn current_case(
        &mut self,
        folder: &str,
        stem: &str,
        parts: &folder::Parts,
        settings: &Settings,
    ) -> Result<TestCase, PackageError> {
        let case = self.case(format!("{folder}/{stem}"), parts, settings)?;
        let kind = self.metadata.kind;
        if self.metadata.format != Format::V2025_09 {
            return Ok(case);
        }
        requirements::cases::check(self.tree, self.metadata, stem, parts)?;
        if kind.interactive || kind.multi_pass.is_some() {
            return Ok(case);
        }
        let is_shown = case.kind() == CaseKind::Sample || case.full_feedback;
        let is_replaced = parts.others.iter().any(|item| {
            [".ans.statement", ".ans.download", ".interaction"]
                .iter()
                .any(|ending| item.name.ends_with(ending))
        });
        let answer = parts.answer.as_ref().filter(|_| is_shown && !is_replaced);
        let output = parts.output.as_ref().or(answer).map(|item| item.path.clone());
        if output.is_some() {
            self.sample_outputs.push(ValidatorCase { case: case.clone(), output });
        }
        Ok(case)
    }

    fn current_config(
        &mut self,
        name: &str,
        item: &Item,
        level: Level,
        settings: &mut Settings,
    ) -> Result<GroupConfig, PackageError> {
        let text = self.tree.text(&item.relative)?;
        let text = put_constants_in(&item.relative, &text, &self.metadata.constants)?;
        let about = About {
            format: self.metadata.format,
            is_scoring: self.metadata.kind.scoring,
            group: name,
            file: &item.relative,
            level,
        };
        let config = current_config::read(&about, &text, settings, &self.tree.warnings)?;
        if config.static_validation.is_some() && !self.tree.exists("static_validator") {
            return Err(config.place.invalid(
                format!("asks for static validation of {name}, but there is no static_validator"),
                "add the program static_validator/ or remove the key",
            ));
        }
        Ok(config)
    }

    /// Reads the cases in folders that are no groups of their own.
    fn cases_below(
        &mut self,
        name: &str,
        settings: &Settings,
        cases: &mut Vec<TestCase>,
    ) -> Result<(), PackageError> {
        let folder = self.scan(name)?;
        if let Some(item) = folder.config {
            return Err(FileLocation::file(item.relative)
                .invalid("is inside a group, but groups cannot contain groups", "move it up or remove it"));
        }
        for (stem, parts) in &folder.cases {
            cases.push(self.current_case(name, stem, parts, settings)?);
        }
        folder
            .folders
            .iter()
            .try_for_each(|item| self.cases_below(&format!("{name}/{}", item.name), settings, cases))
    }

    /// Reads cases that test the validators.
    fn validator_cases(&mut self, name: &str, has_output: bool) -> Result<Vec<ValidatorCase>, PackageError> {
        let mut found = Vec::new();
        if self.tree.is_folder(&place_of(name)) {
            let settings =
                Settings { validator_args: self.metadata.validator_flags.clone(), ..Settings::default() };
            self.validator_cases_in(name, has_output, settings, &mut found)?;
        }
        Ok(found)
    }

    fn validator_cases_in(
        &mut self,
        name: &str,
        has_output: bool,
        mut settings: Settings,
        found: &mut Vec<ValidatorCase>,
    ) -> Result<(), PackageError> {
        let folder = self.scan(name)?;
        if let Some(item) = &folder.config
            && !self.is_legacy
        {
            self.current_config(name, item, Level::Root, &mut settings)?;
        }
        for (stem, parts) in &folder.cases {
            let case = self.case(format!("{name}/{stem}"), parts, &settings)?;
            if self.metadata.format == Format::V2025_09 {
                requirements::cases::check_validator_case(stem, parts, has_output, &self.tree.warnings);
            }
            if has_output && parts.output.is_none() {
                return Err(FileLocation::file(place_of(&case.name))
                    .invalid("has no output to be checked", format!("add data/{}.out", case.name)));
            }
            found.push(ValidatorCase { case, output: parts.output.as_ref().map(|item| item.path.clone()) });
        }
        folder.folders.iter().try_for_each(|item| {
            self.validator_cases_in(&format!("{name}/{}", item.name), has_output, settings.clone(), found)
        })
    }
}

/// Returns a group's folder for messages.
pub(super) fn place_of(name: &str) -> String {
    if name.is_empty() { "data".to_owned() } else { format!("data/{name}") }
}

/// Returns the grading of groups that do not score.
fn plain_grading() -> Grading {
    Grading::Aggregate(AggregateGrading {
        max_score: None,
        case_max_score: None,
        aggregation: Aggregation::PassFail,
        require_pass: Vec::new(),
    })
}

/// Replaces each `{{name}}` of a known constant by its value. Fails where that makes too long a text: a value may be long, and be
/// named often.
pub(crate) fn put_constants_in(
    file: &str,
    text: &str,
    constants: &BTreeMap<String, String>,
) -> Result<String, PackageError> {
    if constants.is_empty() {
        return Ok(text.to_owned());
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        if result.len() > EXPANDED_BYTES_MAX {
            return Err(FileLocation::file(file)
                .invalid("has more than 16 MiB with its constants", "make the constants shorter"));
        }
        let (before, at) = rest.split_at(start);
        result.push_str(before);
        let value = at[2..].find("}}").and_then(|end| Some((constants.get(&at[2..2 + end])?, end + 4)));
        match value {
            Some((value, length)) => {
                result.push_str(value);
                rest = &at[length..];
            }
            None => {
                // One brace only: the second may begin a constant, as in `{{{name}}}`.
                result.push('{');
                rest = &at[1..];
            }
        }
    }
    result.push_str(rest);
    Ok(result)
}
