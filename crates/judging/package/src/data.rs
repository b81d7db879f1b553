//! Test data: groups, cases and the settings inherited between them.

mod case;
mod check;
mod current_config;
mod domjudge_config;
mod folder;
mod inference;
mod legacy;
pub(crate) mod legacy_config;
mod read;

pub(crate) use check::{check_answers, check_byte_order_marks};
pub(crate) use folder::Parts;
pub(crate) use read::{put_constants_in, read};

use crate::PackageFile;
use crate::scoring::Grading;
use model::CaseKind;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A group of test cases: the whole of `data`, `sample`, `secret` or a folder below.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The path below `data/`, such as `secret/group1`; empty for `data` itself.
    pub name: String,
    /// The cases that lie directly in it, in judging order.
    pub cases: Vec<TestCase>,
    /// The groups in it, in judging order.
    pub groups: Vec<Group>,
    /// How results in it become its result.
    pub grading: Grading,
    /// The check of the source files that belongs to the group.
    pub static_validation: Option<StaticValidation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// The path below `data/` without its extension, such as `secret/03`.
    pub name: String,
    /// What the submission reads from standard input, or in an interactive problem the validator.
    pub input: PathBuf,
    /// The answer; `None` only where the format allows that.
    pub answer: Option<PathBuf>,
    pub args: Vec<String>,
    /// Files put into the submission's working directory.
    pub files: Vec<PackageFile>,
    pub validator_args: Vec<String>,
    pub input_validator_args: InputValidatorArgs,
    /// What the case tests, for the jury.
    pub description: Option<String>,
    pub hint: Option<String>,
    /// Whether input, output and answer may be shown to a contestant who failed the case.
    pub full_feedback: bool,
}

/// A case that tests the validators instead of submissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidatorCase {
    /// Input, answer and arguments.
    pub case: TestCase,
    /// The output to check, if the case is about the output validator.
    pub output: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputValidatorArgs {
    /// The same arguments for each validator.
    All(Vec<String>),
    /// By the validator's name; other validators have none.
    Named(BTreeMap<String, Vec<String>>),
}

/// A check of a submission's source files; it counts like a test case of its group.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticValidation {
    /// Its name among the cases, such as `secret/static validation`.
    pub name: String,
    /// Its maximum score; `None` where it only passes or fails.
    pub score: Option<f64>,
    pub args: Vec<String>,
}

/// An item with a result of its own.
#[derive(Clone, Copy, Debug)]
pub enum Step<'g> {
    Static(&'g StaticValidation),
    Case(&'g TestCase),
}

#[derive(Clone, Copy, Debug)]
pub enum Member<'g> {
    Case(&'g TestCase),
    Group(&'g Group),
}

impl Group {
    /// Lists cases and groups together in judging order: by name, `sample` before `secret`.
    pub fn members(&self) -> Vec<Member<'_>> {
        let mut members: Vec<_> =
            self.cases.iter().map(Member::Case).chain(self.groups.iter().map(Member::Group)).collect();
        members.sort_by(|a, b| a.name().cmp(b.name()));
        members
    }

    /// Lists all cases of the group and of the groups in it, in judging order.
    pub fn all_cases(&self) -> Vec<&TestCase> {
        self.members()
            .into_iter()
            .flat_map(|member| match member {
                Member::Case(case) => vec![case],
                Member::Group(group) => group.all_cases(),
            })
            .collect()
    }

    /// Lists all items in judging order: in each group the check of the source files comes first, since it needs no
    /// run.
    pub fn steps(&self) -> Vec<Step<'_>> {
        let mut steps: Vec<_> = self.static_validation.iter().map(Step::Static).collect();
        for member in self.members() {
            match member {
                Member::Case(case) => steps.push(Step::Case(case)),
                Member::Group(group) => steps.extend(group.steps()),
            }
        }
        steps
    }

    /// Finds the group with this name, including this one.
    pub fn find(&self, name: &str) -> Option<&Group> {
        if self.name == name { Some(self) } else { self.groups.iter().find_map(|group| group.find(name)) }
    }
}

impl TestCase {
    /// Returns whether it is a sample.
    pub fn kind(&self) -> CaseKind {
        if self.name.starts_with("sample/") { CaseKind::Sample } else { CaseKind::Secret }
    }
}

impl<'g> Step<'g> {
    pub fn name(self) -> &'g str {
        match self {
            Self::Static(check) => &check.name,
            Self::Case(case) => &case.name,
        }
    }
}

impl StaticValidation {
    /// Names the check of a group; the formats allow no test case with a space in its name.
    pub(crate) fn name_in(group: &str) -> String {
        format!("{group}/static validation")
    }
}

impl<'g> Member<'g> {
    /// Returns the path below `data/`.
    pub fn name(self) -> &'g str {
        match self {
            Self::Case(case) => &case.name,
            Self::Group(group) => &group.name,
        }
    }
}

impl Default for InputValidatorArgs {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl InputValidatorArgs {
    /// Returns the arguments for a validator, which may be named with or without its extension.
    pub fn of(&self, validator: &str) -> &[String] {
        match self {
            Self::All(args) => args,
            Self::Named(by_name) => {
                let by_stem = || by_name.get(validator.rsplit_once('.')?.0);
                by_name.get(validator).or_else(by_stem).map_or(&[], Vec::as_slice)
            }
        }
    }
}

#[cfg(test)]
mod tests;
