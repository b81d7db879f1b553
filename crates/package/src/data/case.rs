//! One test case: its files and its own configuration over what it inherits.

use super::folder::Parts;
use super::{InputValidatorArgs, TestCase};
use crate::fields::{Field, Fields, Unknown};
use crate::room::{check_arguments, check_case_files};
use crate::tree::{Item, Tree};
use crate::yaml::Value;
use crate::{Format, PackageError, Place, Warning, yaml};

/// What cases inherit from the groups around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings {
    pub(super) args: Vec<String>,
    pub(super) validator_args: Vec<String>,
    pub(super) input_validator_args: InputValidatorArgs,
    pub(super) full_feedback: bool,
    pub(super) hint: Option<String>,
    pub(super) description: Option<String>,
}

/// Whether cases of a folder need an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Needed,
    /// Inputs that are to be refused have nothing to answer.
    Absent,
}

pub(super) fn read(
    tree: &Tree,
    format: Format,
    name: String,
    parts: &Parts,
    inherited: &Settings,
    answer: Answer,
    warnings: &mut Vec<Warning>,
) -> Result<TestCase, PackageError> {
    let input = parts.input.as_ref().expect("a case is known by its input");
    if answer == Answer::Needed && parts.answer.is_none() {
        return Err(Place::file(&input.relative).invalid(
            format!("has no answer, expected data/{name}.ans beside it"),
            "add the answer; it may be empty if the output validator does not read it",
        ));
    }
    let mut settings = inherited.clone();
    if let Some(item) = &parts.args {
        settings.args = tree.text(&item.relative)?.split_whitespace().map(str::to_owned).collect();
        check_arguments(|| Place::file(&item.relative), &settings.args)?;
    }
    if let Some(item) = &parts.description {
        settings.description = Some(tree.text(&item.relative)?.trim_end().to_owned());
    }
    if let Some(item) = &parts.hint {
        settings.hint = Some(tree.text(&item.relative)?.trim_end().to_owned());
    }
    if let Some(item) = &parts.config {
        read_config(tree, format, item, &mut settings, warnings)?;
    }
    let files = match &parts.files {
        Some(item) => {
            let files = tree.files(&item.relative, warnings)?;
            check_case_files(&item.relative, &files)?;
            files
        }
        None => Vec::new(),
    };
    let path = |item: &Option<Item>| item.as_ref().map(|item| item.path.clone());
    Ok(TestCase {
        name,
        input: input.path.clone(),
        answer: path(&parts.answer),
        args: settings.args,
        files,
        validator_args: settings.validator_args,
        input_validator_args: settings.input_validator_args,
        description: settings.description,
        hint: settings.hint,
        full_feedback: settings.full_feedback,
    })
}

fn read_config(
    tree: &Tree,
    format: Format,
    item: &Item,
    settings: &mut Settings,
    warnings: &mut Vec<Warning>,
) -> Result<(), PackageError> {
    let root = yaml::parse(&item.relative, &tree.text(&item.relative)?)?;
    let mut fields = Fields::of_document(&item.relative, &root)?;
    read_settings(&mut fields, settings)?;
    let unknown = if format.is_legacy() { Unknown::Warn } else { Unknown::Refuse };
    fields.finish(unknown, warnings)
}

/// Reads the keys that a case and a group of the newer formats have in common.
pub(super) fn read_settings(fields: &mut Fields<'_>, settings: &mut Settings) -> Result<(), PackageError> {
    if let Some(field) = fields.take("args") {
        settings.args = field.arguments()?;
    }
    if let Some(field) = fields.take("output_validator_args") {
        settings.validator_args = field.arguments()?;
    }
    if let Some(field) = fields.take("input_validator_args") {
        settings.input_validator_args = read_input_validator_args(&field)?;
    }
    // Visualizers are not run here.
    for key in ["input_visualizer_args", "output_visualizer_args"] {
        if let Some(field) = fields.take(key) {
            field.texts()?;
        }
    }
    if let Some(field) = fields.take("full_feedback") {
        settings.full_feedback = field.boolean()?;
    }
    if let Some(field) = fields.take("hint") {
        settings.hint = Some(field.text()?.to_owned());
    }
    if let Some(field) = fields.take("description") {
        settings.description = Some(field.text()?.to_owned());
    }
    Ok(())
}

fn read_input_validator_args(field: &Field<'_>) -> Result<InputValidatorArgs, PackageError> {
    match field.value() {
        Value::Map(_) => field
            .fields()?
            .take_rest()
            .into_iter()
            .map(|(name, args)| Ok((name.to_owned(), args.arguments()?)))
            .collect::<Result<_, PackageError>>()
            .map(InputValidatorArgs::Named),
        _ => field.arguments().map(InputValidatorArgs::All),
    }
}
