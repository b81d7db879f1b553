//! The statements of a package for a server, made here: for `--publish`, where its judgehosts lack the programs.

use crate::client::{BYTES, Client, segment};
use judging_command::judge::no_package;
use judging_command::scratch::Scratch;
use package::{Package, PackageOptions};
use sandbox::{Slot, SlotOptions};
use statement::{Cache, Order, Output, Part, Programs};
use std::path::Path;
use terminal::interrupt::Interrupt;
use terminal::state;

/// Statements of a package, and what is wrong with others.
#[derive(Debug, Default)]
pub struct Statements {
    made: Vec<BuiltStatement>,
    /// Why there are not more, each in a sentence.
    pub warnings: Vec<String>,
}

#[derive(Debug)]
struct BuiltStatement {
    language: String,
    format: &'static str,
    content: Vec<u8>,
}

/// Makes statements. Where this machine cannot, or a statement has something wrong, that is a warning: a problem can be added without.
#[derive(Debug)]
pub struct Maker {
    interrupt: Interrupt,
    why_not: Option<String>,
    cache: Option<Cache>,
}

impl Maker {
    /// Prepares the sandbox. The process must have one thread.
    pub fn open() -> anyhow::Result<Self> {
        let interrupt = Interrupt::listen()?;
        let why_not = match sandbox::enter_private_mounts() {
            Err(error) => Some(error.to_string()),
            Ok(()) => statement::what_is_missing().map(|missing| missing.to_string()),
        };
        let cache = state::folder().map(|folder| Cache::new(folder.join("statements")));
        Ok(Self { interrupt, why_not, cache })
    }

    /// Makes the statements of a package in all languages.
    pub fn make(&self, path: &Path) -> anyhow::Result<Statements> {
        let is_stopped = || self.interrupt.check().is_err();
        let scratch = Scratch::new(&is_stopped)?;
        let package = Package::open_with(path, scratch.path(), &PackageOptions::default(), &is_stopped)
            .map_err(|error| no_package(path, &error).unwrap_or(error.into()))?;
        let mut all = Statements::default();
        let is_text = |path: &Path| path.extension().is_some_and(|ending| ending != "pdf");
        let texts = package.statements.iter().filter(|statement| is_text(&statement.path));
        let languages = statement::languages(&package);
        let languages: Vec<_> = languages
            .into_iter()
            .filter(|language| texts.clone().any(|statement| statement.language == *language))
            .collect();
        if let (Some(why), false) = (&self.why_not, languages.is_empty()) {
            all.warnings.push(format!("its statements are not made here: {why}"));
            return Ok(all);
        }
        for language in languages {
            for (output, format) in [(Output::Fragment, "html"), (Output::Pdf, "pdf")] {
                let part = Part { package: &package, label: None, time_limit: None };
                let order = Order {
                    parts: vec![part],
                    language: Some(&language),
                    output,
                    cover: None,
                    template: None,
                    programs: Programs::here(),
                };
                match statement::build(&order, || self.slot(), self.cache.as_ref()) {
                    Ok(built) => {
                        all.warnings.extend(built.warnings);
                        all.made.push(BuiltStatement {
                            language: language.clone(),
                            format,
                            content: built.content,
                        });
                    }
                    Err(error) => {
                        self.interrupt.check()?;
                        all.warnings.push(format!("no statement as {format} in '{language}': {error:#}"));
                    }
                }
            }
        }
        Ok(all)
    }

    fn slot(&self) -> anyhow::Result<Slot> {
        Ok(Slot::open(SlotOptions {
            stop: Some(self.interrupt.stop()),
            ..SlotOptions::new(statement::root())
        })?)
    }
}

impl Statements {
    /// Sends them to a problem of a contest on the server. Returns how many.
    pub fn send(self, client: &Client, contest: &str, problem: &str) -> anyhow::Result<usize> {
        let count = self.made.len();
        for BuiltStatement { language, format, content } in self.made {
            let query = format!("language={}&format={format}", segment(&language));
            let (contest, problem) = (segment(contest), segment(problem));
            let path = format!("contests/{contest}/problems/{problem}/statement?{query}");
            client.call("PUT", &path, Some((BYTES, content)))?;
        }
        Ok(count)
    }
}
