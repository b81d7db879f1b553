//! How well the instructions of a language's programs can be counted, and what holds only where they are.

use super::template;
use super::{Language, LanguageError};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A spread of more is no measurement.
const SPREAD_PERCENT_MAX: f64 = 50.0;

/// How well a program's instructions can be counted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    /// The same program with the same input has the same count.
    Exact,
    /// By how much the highest of several counts was above the lowest.
    SpreadPercent(f64),
    /// They cannot be counted, for this reason.
    None(String),
}

/// What differs in a run whose instructions are counted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Counted {
    /// Replaces the run command.
    run: Vec<String>,
    /// Options between the program and the other arguments of the run command.
    pub(super) options: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
}

impl Counted {
    /// Returns its run command, if it has one of its own.
    pub(super) fn run(&self) -> Option<&Vec<String>> {
        Some(&self.run).filter(|run| !run.is_empty())
    }
}

impl Language {
    /// Returns the language as its programs run where their instructions are counted.
    pub fn counted(&self) -> Result<Self, LanguageError> {
        if let Some(Counts::None(why)) = &self.counts {
            return Err(LanguageError::NotCounted {
                language: self.name.clone(),
                why: why.trim().to_owned(),
            });
        }
        let mut language = self.clone();
        let Counted { options, environment, .. } = &self.counted;
        if let Some(run) = self.counted.run() {
            language.run.clone_from(run);
        }
        let variants = language.variants.iter_mut().map(|variant| &mut variant.run);
        for run in std::iter::once(&mut language.run).chain(variants) {
            run.splice(1..1, options.iter().cloned());
        }
        language.environment.extend(environment.clone());
        Ok(language)
    }

    /// Returns by how many per cent counts of the same program differ, if they do.
    pub fn count_spread_percent(&self) -> Option<f64> {
        match self.counts {
            Some(Counts::SpreadPercent(percent)) => Some(percent),
            _ => None,
        }
    }

    pub(super) fn counts_problem(&self) -> Option<(String, String)> {
        let found = |field: &str, problem: &str| Some((field.to_owned(), problem.to_owned()));
        match &self.counts {
            Some(Counts::SpreadPercent(percent)) if !(*percent > 0.0 && *percent <= SPREAD_PERCENT_MAX) => {
                return found(
                    "counts.spread_percent",
                    "must be above 0 and at most 50; counts that are the same are 'counts: exact'",
                );
            }
            Some(Counts::None(why)) if why.trim().is_empty() => {
                return found(
                    "counts.none",
                    "is empty; say in a few words why instructions cannot be counted",
                );
            }
            _ => {}
        }
        for option in &self.counted.options {
            if let Err(problem) = template::check(option, self.heap.is_some()) {
                return found("counted.options", &problem);
            }
        }
        None
    }
}
