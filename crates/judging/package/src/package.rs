//! A package as a whole.

mod opened;
mod statements;
mod top;

use crate::error::Complaint;
pub use opened::Package;
pub use statements::Statement;

use crate::compare::CompareOptions;
use crate::ini::{self, DOMJUDGE_INI, DomjudgeIni};
use crate::metadata::Metadata;
use crate::scoring::{ChosenRules, Signs, foreign_to_domjudge, has_counted_case, recognise};
use crate::submission::TaggedScores;
use crate::tree::{MAX_TEXT_BYTES, Tree, io_error, read_limited};
use crate::{
    FileLocation, Format, Group, LimitSource, OutputValidator, PackageError, PackageFile, ProblemLimits,
    Step, TestCase, TimeLimitRule, archive, data, metadata, program, requirements, submission,
};
use model::{Nanos, ScoreRules};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
pub(crate) use top::TIMELIMIT_FILE;
use top::TOP_NAMES;
pub use top::is_part_of_package;

/// A name at the top that differs from a known one by at most this many letters is probably a typing error.
const MAX_MISSPELT_LETTERS: usize = 2;
/// Beyond this number warnings are only counted.
const WARNINGS_MAX: usize = 1000;
/// The file that the legacy formats' groups begin with.
const OUTERMOST_FILE: &str = "data/testdata.yaml";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackageOptions {
    /// The limits where the package sets none.
    pub limits: ProblemLimits,
    /// By which rules points are computed; `None` for those that the files show.
    pub scores: Option<ScoreRules>,
}

impl Package {
    /// Reads the package in a folder, or unpacks an archive into `scratch` and reads it there.
    pub fn open(path: &Path, scratch: &Path) -> Result<Self, PackageError> {
        Self::open_with(path, scratch, &PackageOptions::default(), &|| false)
    }

    /// Reads a package as [`open`](Self::open) does, with these options. While it unpacks an archive and lists folders it
    /// asks whether to stop.
    pub fn open_with(
        path: &Path,
        scratch: &Path,
        options: &PackageOptions,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Self, PackageError> {
        // A path such as '.' has no name of its own until it is resolved.
        let path = path.canonicalize().map_err(io_error("open", path))?;
        let is_folder = path.is_dir();
        if !is_folder && !path.is_file() {
            return Err(FileLocation::file(path.display().to_string()).invalid(
                "is neither a folder nor an archive",
                "name the package's folder or its ZIP archive",
            ));
        }
        let name = if is_folder { path.file_name() } else { path.file_stem() };
        let short_name = name.unwrap_or_default().to_string_lossy().into_owned();
        let (root, left_out) =
            if is_folder { (path, Vec::new()) } else { archive::unpack(&path, scratch, is_stopped)? };
        let tree = Tree::open(&root, is_stopped)?;
        tree.warnings.extend(left_out.into_iter().map(|link| {
            FileLocation::file(link).leniency(
                "is a symbolic link that leads out of the archive or nowhere and is left out",
                "link to a file of the package, or pack the file itself",
            )
        }));
        Self::read(&tree, short_name, options)
    }

    fn read(tree: &Tree, short_name: String, options: &PackageOptions) -> Result<Self, PackageError> {
        let mut metadata = metadata::read(tree, &options.limits)?;
        if !metadata.format.is_legacy() {
            tree.require_plain_names();
        }
        let ini = match tree.exists(DOMJUDGE_INI) {
            true => ini::parse(&tree.text(DOMJUDGE_INI)?, &tree.warnings)?,
            false => DomjudgeIni::default(),
        };
        if metadata.validator_flags.is_empty() && metadata.format.is_legacy() {
            metadata.validator_flags.clone_from(&ini.validator_args);
        }
        warn_of_unknown_names(tree)?;
        let before = tree.warnings.take();
        let (submissions, tagged) = submission::read(tree, &metadata)?;
        let about_submissions = tree.warnings.take();
        let mut data = data::read(tree, &metadata)?;
        let mut scores = choose_rules(tree, &metadata, &data.root, tagged, options.scores)?;
        if scores.as_ref().is_some_and(|chosen| chosen.rules == ScoreRules::Domjudge) {
            metadata.score_rules = ScoreRules::Domjudge;
            let about_data = tree.warnings.take();
            let theirs = data::read(tree, &metadata)?;
            if has_counted_case(&theirs.root) {
                data = theirs;
            } else if options.scores.is_some() {
                return Err(FileLocation::file(OUTERMOST_FILE).invalid(
                    "has no case below it whose points count in DOMjudge",
                    "add a testdata.yaml to data/secret and to each folder of cases in it, or name the rules 'format'",
                ));
            } else {
                let reason = "no case is in a folder whose points count in DOMjudge".to_owned();
                scores = Some(ChosenRules { rules: ScoreRules::Format, reason });
                tree.warnings.take();
                tree.warnings.extend(about_data);
            }
        }
        let about_data = tree.warnings.take();
        tree.warnings.extend(before.into_iter().chain(about_data));
        let output_validator = program::read::output_validator(tree, &metadata)?;
        data::check_answers(&data, &output_validator, &tree.warnings)?;
        data::check_byte_order_marks(&data, &tree.warnings)?;
        let input_validators = program::read::input_validators(tree)?;
        if input_validators.is_empty() && !program::read::has_grammar(tree)? {
            tree.warnings.push(
                FileLocation::file("input_validators").leniency(
                    "holds no program",
                    "add one, so that wrong test data are found before a contest",
                ),
            );
        }
        let static_validator = program::read::static_validator(tree)?;
        if static_validator.is_some() && metadata.kind.submit_answer {
            return Err(FileLocation::file("static_validator").invalid(
                "checks sources, but submissions are answers",
                "remove it, or the type submit-answer",
            ));
        }
        let grader = program::read::grader(tree, &metadata, &data.root)?;
        let statements = statements::read(tree, &metadata)?;
        let mut package = Self {
            root: tree.root().to_path_buf(),
            format: metadata.format,
            uuid: metadata.uuid.clone(),
            names: names(tree, &metadata, &ini, &statements, &short_name)?,
            short_name,
            kind: metadata.kind,
            limits: metadata.limits,
            time_limit: time_limit(tree, &metadata, &ini)?,
            time_margins: metadata.time_margins,
            languages: metadata.languages.clone(),
            allow_file_writing: metadata.allow_file_writing,
            colour: ini.colour,
            constants: metadata.constants.clone(),
            data: data.root,
            invalid_inputs: data.invalid_inputs,
            invalid_outputs: data.invalid_outputs,
            valid_outputs: data.valid_outputs,
            sample_outputs: data.sample_outputs,
            output_validator,
            input_validators,
            static_validator,
            grader,
            includes: program::read::includes(tree, &metadata)?,
            submissions,
            statements,
            attachments: tree.files("attachments")?,
            scores,
            warnings: Vec::new(),
        };
        tree.warnings.extend(about_submissions);
        package.check_default_validator_args()?;
        requirements::check(tree, &metadata, &package)?;
        package.warnings = tree.warnings.take();
        if package.format == Format::V2025_09 {
            // A package that claims this format must follow it; those of earlier ones were written by custom.
            package.warnings.iter_mut().for_each(|warning| warning.is_mistake |= warning.is_leniency);
        }
        package.shorten_warnings();
        Ok(package)
    }

    /// Drops warnings beyond a readable number.
    fn shorten_warnings(&mut self) {
        let count = self.warnings.len();
        if count > WARNINGS_MAX {
            // A package with a mistake has one, however much else is odd.
            self.warnings.sort_by_key(|warning| !warning.is_mistake);
            self.warnings.truncate(WARNINGS_MAX);
            let rest = format!("has {} further warnings, which are left out", count - WARNINGS_MAX);
            self.warnings.push(FileLocation::file("the package").warning(rest, "see to the others first"));
        }
    }

    /// Lists all test cases in judging order: samples first.
    pub fn cases(&self) -> Vec<&TestCase> {
        self.data.all_cases()
    }

    /// Lists all items of a submission, in judging order.
    pub fn steps(&self) -> Vec<Step<'_>> {
        self.data.steps()
    }

    /// Reads a file of a program or an include, with the package's constants substituted.
    pub fn source_bytes(&self, file: &PackageFile) -> Result<Vec<u8>, PackageError> {
        let relative = file.path.strip_prefix(&self.root).unwrap_or(&file.path);
        let bytes = read_limited(&file.path, &relative.display().to_string(), MAX_TEXT_BYTES)?;
        self.put_constants_in(&relative.display().to_string(), bytes)
    }

    /// Substitutes the package's constants in a file of a program, an include or a jury submission.
    pub fn put_constants_in(&self, file: &str, bytes: Vec<u8>) -> Result<Vec<u8>, PackageError> {
        if self.constants.is_empty() {
            return Ok(bytes);
        }
        // Binary files such as pictures and archives have no constants.
        match String::from_utf8(bytes) {
            Ok(text) => Ok(data::put_constants_in(file, &text, &self.constants)?.into_bytes()),
            Err(error) => Ok(error.into_bytes()),
        }
    }

    /// Returns the options of the default output validator for a case.
    ///
    /// # Errors
    ///
    /// When an argument is wrong; a package that was opened has none.
    pub fn compare_options(&self, case: &TestCase) -> Result<CompareOptions, PackageError> {
        CompareOptions::from_args(self.format, &case.validator_args).map_err(|error| {
            FileLocation::file(format!("data/{}", case.name))
                .field("the output validator's arguments")
                .invalid(
                    error.to_string(),
                    "fix them in problem.yaml or in the configuration of the group or the case",
                )
        })
    }

    fn check_default_validator_args(&self) -> Result<(), PackageError> {
        if self.output_validator != OutputValidator::Default {
            return Ok(());
        }
        let mut seen = BTreeSet::new();
        let others = self.invalid_outputs.iter().chain(&self.valid_outputs).map(|case| &case.case);
        for case in self.cases().into_iter().chain(others) {
            if seen.insert(&case.validator_args) {
                self.compare_options(case)?;
            }
        }
        Ok(())
    }
}

/// Chooses by which rules points are computed: those that the caller names, or those that the files show.
fn choose_rules(
    tree: &Tree,
    metadata: &Metadata,
    data: &Group,
    tagged: TaggedScores,
    named: Option<ScoreRules>,
) -> Result<Option<ChosenRules>, PackageError> {
    let is_legacy = metadata.format.is_legacy();
    let has_outermost_file = tree.exists(OUTERMOST_FILE);
    let place = || FileLocation::file(metadata::PROBLEM_YAML);
    match named {
        Some(rules @ ScoreRules::Domjudge) if !metadata.kind.scoring => {
            return Err(place().invalid(
                format!("is of a pass-fail problem, which has no points by the rules '{rules}'"),
                "name no rules for points, or set 'type: scoring'",
            ));
        }
        Some(ScoreRules::Domjudge) if !is_legacy => {
            return Err(place().invalid(
                format!("is of the format {}, for whose points DOMjudge has no rules", metadata.format),
                "name the rules 'format', or none",
            ));
        }
        Some(ScoreRules::Domjudge) if !has_outermost_file => {
            return Err(FileLocation::file(OUTERMOST_FILE).invalid(
                "is missing, and without it DOMjudge judges no problem with points",
                "add it with 'on_reject: continue', or name the rules 'format'",
            ));
        }
        Some(ScoreRules::Format) | None if !metadata.kind.scoring => return Ok(None),
        Some(rules) => return Ok(Some(ChosenRules { rules, reason: "as asked".to_owned() })),
        None => {}
    }
    let foreign = foreign_to_domjudge(data)
        .or_else(|| tree.is_folder("submissions/partially_accepted").then_some("partially_accepted"));
    let has_ini = tree.exists(DOMJUDGE_INI);
    Ok(Some(recognise(&Signs { is_legacy, has_outermost_file, tagged, has_ini, foreign })))
}

/// Warns of names at the top that resemble a known one, and of folders that are not used.
fn warn_of_unknown_names(tree: &Tree) -> Result<(), PackageError> {
    for item in tree.list("")? {
        let name = item.name.as_str();
        if TOP_NAMES.contains(&name) {
            continue;
        }
        let likeness =
            TOP_NAMES.iter().find(|known| strsim::osa_distance(known, name) <= MAX_MISSPELT_LETTERS);
        let place = FileLocation::file(name);
        match likeness {
            Some(known) => tree
                .warnings
                .push(place.warning("is not read by this format", format!("did you mean '{known}'?"))),
            None if item.is_folder => tree.warnings.push(place.warning(
                "is a folder that this format does not have",
                "remove it, or begin its name with '.'",
            )),
            None => {}
        }
    }
    Ok(())
}

/// Finds the time limit: a file of its own, then DOMjudge's file, then `problem.yaml`.
fn time_limit(tree: &Tree, metadata: &Metadata, ini: &DomjudgeIni) -> Result<TimeLimitRule, PackageError> {
    let mut given: Vec<(Nanos, LimitSource)> = Vec::new();
    if tree.exists(TIMELIMIT_FILE) {
        let limit = ini::read_seconds(&tree.text(TIMELIMIT_FILE)?, FileLocation::file(TIMELIMIT_FILE))?;
        given.push((limit, LimitSource { file: TIMELIMIT_FILE.to_owned(), field: None }));
    }
    if let Some(limit) = ini.time_limit {
        given.push((
            limit,
            LimitSource { file: DOMJUDGE_INI.to_owned(), field: Some("timelimit".to_owned()) },
        ));
    }
    given.extend(metadata.time_limit.clone());
    let mut given = given.into_iter();
    let Some((limit, source)) = given.next() else {
        return Ok(TimeLimitRule::Derive { margins: metadata.time_margins });
    };
    for (other, ignored) in given {
        if other != limit {
            let mut place = FileLocation::file(ignored.file);
            place.field = ignored.field;
            tree.warnings.push(place.warning(
                format!("is {other}, but {source} has {limit}, which counts"),
                "remove one of the two or make them agree",
            ));
        }
    }
    Ok(TimeLimitRule::Given { limit, source })
}

/// Finds the problem's names; if `problem.yaml` has none, other files are used.
fn names(
    tree: &Tree,
    metadata: &Metadata,
    ini: &DomjudgeIni,
    statements: &[Statement],
    short_name: &str,
) -> Result<BTreeMap<String, String>, PackageError> {
    if !metadata.names.is_empty() {
        return Ok(metadata.names.clone());
    }
    let mut names = statements::names(tree, statements)?;
    if names.is_empty() {
        names.insert("en".to_owned(), ini.name.clone().unwrap_or_else(|| short_name.to_owned()));
    }
    Ok(names)
}

#[cfg(test)]
mod tests;
