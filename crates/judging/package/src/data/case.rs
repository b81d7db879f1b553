//! One test case: its files, and its own configuration on top of what it inherits.

use super::folder::Parts;
use super::{InputValidatorArgs, TestCase};
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::room::{check_arguments, check_case_files};
use crate::tree::{Item, Tree};
use crate::yaml::Value;
use crate::{FileLocation, Format, PackageError, yaml};
use located::{Field, Object};

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

pub(super) fn read(
    tree: &Tree,
    format: Format,
    name: String,
    parts: &Parts,
    inherited: &Settings,
) -> Result<TestCase, PackageError> {
    let input = parts.input.as_ref().expect("a case is known by its input");
    let mut settings = inherited.clone();
    if let Some(item) = &parts.args {
        settings.args = tree.text(&item.relative)?.split_whitespace().map(str::to_owned).collect();
        check_arguments(|| FileLocation::file(&item.relative), &settings.args)?;
    }
    if let Some(item) = &parts.description {
        settings.description = Some(tree.text(&item.relative)?.trim_end().to_owned());
    }
    if let Some(item) = &parts.hint {
        settings.hint = Some(tree.text(&item.relative)?.trim_end().to_owned());
    }
    if let Some(item) = &parts.config {
        read_config(tree, format, item, &mut settings)?;
    }
    let files = match &parts.files {
        Some(item) => {
            let files = tree.files(&item.relative)?;
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
) -> Result<(), PackageError> {
    let root = yaml::parse(&item.relative, &tree.text(&item.relative)?)?;
    let mut fields = Field::document(&item.relative, &root).fields()?;
    read_settings(&mut fields, format, settings, &tree.warnings)?;
    let unknown = if format.is_legacy() { Unknown::Warn } else { Unknown::Refuse };
    fields.close(unknown, &tree.warnings)
}

/// Reads the keys that a case and a group of the newer formats have in common.
pub(super) fn read_settings(
    fields: &mut Object<'_>,
    format: Format,
    settings: &mut Settings,
    warnings: &Warnings,
) -> Result<(), PackageError> {
    if let Some(field) = fields.take("args") {
        settings.args = field.arguments()?;
    }
    if let Some(field) = fields.take("output_validator_args") {
        settings.validator_args = read_arguments(&field, format, warnings)?;
    }
    if let Some(field) = fields.take("input_validator_args") {
        settings.input_validator_args = read_input_validator_args(&field, format, warnings)?;
    }
    // tauto does not run visualizers.
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

/// Reads arguments of a validator as a list, or as one text, as in the first versions of the draft.
fn read_arguments(
    field: &Field<'_>,
    format: Format,
    warnings: &Warnings,
) -> Result<Vec<String>, PackageError> {
    let Value::Text(_) = field.value() else { return field.arguments() };
    if format != Format::V2023_07 {
        warnings
            .push(field.place().leniency("is one text and is read as words", "write a list, such as [a, b]"));
    }
    super::legacy_config::read_flags(field)
}

fn read_input_validator_args(
    field: &Field<'_>,
    format: Format,
    warnings: &Warnings,
) -> Result<InputValidatorArgs, PackageError> {
    match field.value() {
        Value::Map(_) => field
            .fields()?
            .take_rest()
            .into_iter()
            .map(|(name, args)| Ok((name.to_owned(), read_arguments(&args, format, warnings)?)))
            .collect::<Result<_, PackageError>>()
            .map(InputValidatorArgs::Named),
        _ => read_arguments(field, format, warnings).map(InputValidatorArgs::All),
    }
}
