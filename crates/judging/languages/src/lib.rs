//! Languages: how each is recognised, compiled and run.
//!
//! A language is a YAML file (docs/languages.md explains the fields). [`Languages::detect`] finds a submission's
//! language, [`Language::prepare`] turns its files into commands. Neither depends on the machine: the same files lead
//! to the same plan everywhere.
//!
//! # Files
//!
//! The languages as data, `languages/*.yaml`, and the plans to build and run a program in one of them. The folder of a
//! caller's own languages is an argument.

#![forbid(unsafe_code)]

mod builtin;
mod counts;
mod detect;
mod error;
mod jvm;
mod language;
mod plan;
mod source;
mod template;
mod version;
mod words;

pub use counts::Counts;
pub use error::{FILES_MAX, LanguageError};
pub use language::{Language, SeccompClass};
pub use plan::{BuildPlan, Entry};
pub use source::{DEPTH_MAX, SourceFile, check_names};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The languages of submissions, by id.
#[derive(Clone, Debug)]
pub struct Languages {
    by_id: BTreeMap<String, Language>,
}

/// The part of a language that is not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub program: PathBuf,
    pub install_hint: String,
}

impl Languages {
    /// Returns the built-in languages.
    ///
    /// # Panics
    ///
    /// When an embedded definition is invalid, which a test excludes.
    pub fn builtin() -> Self {
        Self::shared().clone()
    }

    /// Returns the built-in languages, without a copy.
    pub fn shared() -> &'static Self {
        builtin::languages()
    }

    /// Returns the built-in languages, overridden by the `*.yaml` files of a folder: a file with a known id replaces
    /// that language, any other adds one.
    pub fn with_overrides(folder: &Path) -> Result<Self, LanguageError> {
        let cannot_read = |path: &Path| {
            let path = path.to_owned();
            move |source| LanguageError::Read { path, source }
        };
        let mut paths = Vec::new();
        for found in std::fs::read_dir(folder).map_err(cannot_read(folder))? {
            let path = found.map_err(cannot_read(folder))?.path();
            // Reading a pipe would block for ever.
            if !path.is_file() {
                continue;
            }
            if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
                paths.push(path);
            }
        }
        paths.sort();
        let mut languages = Self::builtin();
        let mut file_of_id = BTreeMap::new();
        for path in paths {
            let yaml = std::fs::read_to_string(&path).map_err(cannot_read(&path))?;
            let file = path.display().to_string();
            let language = Language::parse(&file, &yaml)?;
            if let Some(other) = file_of_id.insert(language.id.clone(), file.clone()) {
                return Err(LanguageError::Definition {
                    field: "id".to_owned(),
                    problem: format!("'{}' is defined in '{other}' too; remove one", language.id),
                    file,
                });
            }
            languages.put(&file, language)?;
        }
        Ok(languages)
    }

    fn from_yaml<'y>(files: impl Iterator<Item = (&'y str, &'y str)>) -> Result<Self, LanguageError> {
        let mut languages = Self { by_id: BTreeMap::new() };
        for (file, yaml) in files {
            let language = Language::parse(file, yaml)?;
            languages.put(file, language)?;
        }
        Ok(languages)
    }

    /// Adds or replaces one; two languages must not own the same extension, since files could be in either.
    fn put(&mut self, file: &str, language: Language) -> Result<(), LanguageError> {
        for other in self.by_id.values().filter(|other| other.id != language.id) {
            let known = |alias: &&String| other.aliases.contains(alias) || other.id == **alias;
            if let Some(alias) = language.aliases.iter().find(known) {
                return Err(LanguageError::Definition {
                    file: file.to_owned(),
                    field: "aliases".to_owned(),
                    problem: format!("'{alias}' is {} already; give another one", other.name),
                });
            }
            if let Some(extension) = language.extensions.iter().find(|own| other.extensions.contains(own)) {
                return Err(LanguageError::Definition {
                    file: file.to_owned(),
                    field: "extensions".to_owned(),
                    problem: format!(
                        "'{extension}' belongs to {} already; give it under 'shared', with how to tell them apart",
                        other.name
                    ),
                });
            }
        }
        self.by_id.insert(language.id.clone(), language);
        Ok(())
    }

    /// Returns the language with this id, or else the one with this alias.
    pub fn get(&self, id: &str) -> Option<&Language> {
        let by_alias =
            || self.by_id.values().find(|language| language.aliases.iter().any(|alias| alias == id));
        self.by_id.get(id).or_else(by_alias)
    }

    pub fn named(&self, id: &str) -> Result<&Language, LanguageError> {
        let Some(language) = self.get(id) else {
            // Users may write the name, as in c++, or an extension.
            let meant = self.iter().find(|language| {
                let is_same = |word: &str| word.eq_ignore_ascii_case(id);
                is_same(&language.name) || language.extensions.iter().any(|extension| is_same(extension))
            });
            let near =
                self.iter().map(|language| (strsim::damerau_levenshtein(&language.id, id), &language.id));
            let near = near.min().filter(|(distance, _)| *distance <= 2 && id.len() > *distance);
            let suggestion = meant.map(|language| &language.id).or(near.map(|(_, near)| near)).cloned();
            return Err(LanguageError::UnknownLanguage { id: id.to_owned(), suggestion });
        };
        language.not_gone()
    }

    /// Iterates over the languages that are judged, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Language> {
        self.by_id.values().filter(|language| language.gone.is_none())
    }
}

impl Language {
    /// Returns the code to which rules for a language apply: its own, or that of the language of which it is a variant.
    pub fn family(&self) -> &str {
        self.variant_of.as_deref().unwrap_or(&self.id)
    }

    /// Returns itself, or an error if tauto no longer judges it.
    fn not_gone(&self) -> Result<&Self, LanguageError> {
        match &self.gone {
            None => Ok(self),
            Some(why) => Err(LanguageError::Gone { language: self.name.clone(), why: why.trim().to_owned() }),
        }
    }

    /// Returns the command that prints the installed version.
    pub fn probe_argv(&self) -> &[String] {
        &self.version.command
    }

    /// Finds the version in the output of [`probe_argv`](Self::probe_argv), on either stream.
    pub fn parse_version(&self, output: &str) -> Option<String> {
        version::find(output, &self.version.after)
    }

    /// Returns a program that prints `Hello`, if the definition has one: it shows whether the language works.
    pub fn hello(&self) -> Option<SourceFile> {
        let hello = self.hello.as_ref()?;
        Some(SourceFile { name: hello.file.clone(), bytes: hello.source.clone().into_bytes() })
    }

    /// Returns what is not installed; `exists` returns whether a path exists.
    pub fn missing(&self, exists: impl Fn(&Path) -> bool) -> Option<Missing> {
        let mut requirements = self.requirements();
        let program =
            requirements.find(|one_of| !one_of.iter().any(|path| exists(path)))?.into_iter().next()?;
        let install_hint = format!("apt-get install {}", self.debian.join(" "));
        Some(Missing { program, install_hint })
    }
}

#[cfg(test)]
mod tests;
