//! `tauto problem statement`: PDF and HTML of packages, or a PDF that a server has.

use super::publish::Maker;
use crate::arguments::{ProblemFileArguments, SavedArguments, StatementArguments};
use crate::client::{Client, segment};
use crate::contest::{Problems, save_of_problem};
use crate::output::report;
use anyhow::Context;
use judging_command::judge::no_package;
use judging_command::scratch::Scratch;
use package::{Package, PackageOptions};
use sandbox::{Slot, SlotOptions};
use serde_json::json;
use statement::{Cache, Cover, Order, Output, Part, Programs, Template};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use terminal::failure::{input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::{Standard, state, visible};

/// The name of a template next to the packages, without its ending.
const TEMPLATE: &str = "statement-template";

pub fn run(arguments: &StatementArguments, json: bool) -> anyhow::Result<ExitCode> {
    if let Some(problem) = &arguments.publish {
        return publish_all(arguments, problem, json);
    }
    if let [problem] = arguments.problems.as_slice()
        && !problem.exists()
        && !problem.to_string_lossy().contains(['/', '.'])
    {
        return from_server(arguments, problem, json);
    }
    // Before there is a second thread.
    let interrupt = Interrupt::listen()?;
    let is_stopped = || interrupt.check().is_err();
    let scratch = Scratch::new(&is_stopped)?;
    let mut packages = Vec::with_capacity(arguments.problems.len());
    for (at, path) in arguments.problems.iter().enumerate() {
        let scratch = scratch.path().join(at.to_string());
        fs::create_dir(&scratch).context("cannot make a temporary folder")?;
        packages.push(
            Package::open_with(path, &scratch, &PackageOptions::default(), &is_stopped)
                .map_err(|error| no_package(path, &error).unwrap_or(error.into()))?,
        );
    }
    let order = order(arguments, &packages)?;
    let cache = state::folder().map(|folder| Cache::new(folder.join("statements")));
    let open = || -> anyhow::Result<Slot> {
        sandbox::enter_private_mounts()?;
        let options = SlotOptions { stop: Some(interrupt.stop()), ..SlotOptions::new(statement::root()) };
        Ok(Slot::open(options)?)
    };
    let built = match statement::build(&order, open, cache.as_ref()) {
        Ok(built) => built,
        Err(error) => {
            interrupt.check()?;
            return Err(error);
        }
    };
    let out = arguments.out.clone().unwrap_or_else(|| name(arguments, &packages, order.output));
    fs::write(&out, &built.content).with_context(|| format!("cannot write {}", out.display()))?;
    for warning in &built.warnings {
        Standard::error().write(&visible(&format!("warning: {warning}\n")))?;
    }
    let (bytes, is_old) = (built.content.len(), built.is_from_cache);
    let note = if is_old { ", made before" } else { "" };
    let text = format!("wrote {}: {bytes} bytes{note}", out.display());
    let document =
        json!({ "path": out, "bytes": bytes, "warnings": built.warnings, "is_from_cache": is_old });
    report(&document, &text, json)
}

/// Gives all statements of a package to a problem of the server.
fn publish_all(arguments: &StatementArguments, problem: &str, json: bool) -> anyhow::Result<ExitCode> {
    let [package] = arguments.problems.as_slice() else {
        return Err(input("--publish takes one package"));
    };
    let mut statements = Maker::open()?.make(package)?;
    let client = Client::open(&arguments.server)?;
    let id = Problems::of(&client)?.require(problem)?.id.clone();
    let warnings = std::mem::take(&mut statements.warnings);
    for warning in &warnings {
        Standard::error().write(&visible(&format!("warning: {warning}\n")))?;
    }
    let count = statements.send(&client, &client.contest()?, &id)?;
    let text = format!("problem {id} has {count} statements of {}", package.display());
    report(&json!({ "problem": id, "statements": count, "warnings": warnings }), &text, json)?;
    Ok(if count == 0 && !warnings.is_empty() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn from_server(arguments: &StatementArguments, problem: &Path, json: bool) -> anyhow::Result<ExitCode> {
    if arguments.html || arguments.fragment || arguments.set || arguments.template.is_some() {
        return Err(input_with_hint(
            format!("there is no package {}", problem.display()),
            "name the folder or the ZIP archive of a package",
        ));
    }
    let saved = SavedArguments { out: arguments.out.clone(), server: arguments.server.clone() };
    let problem = problem.to_string_lossy().into_owned();
    let (what, ending) = match &arguments.language {
        Some(language) => (format!("statement?language={}", segment(language)), format!(".{language}.pdf")),
        None => ("statement".to_owned(), ".pdf".to_owned()),
    };
    save_of_problem(&ProblemFileArguments { problem, saved }, &what, &ending, json)
}

fn order<'p>(arguments: &'p StatementArguments, packages: &'p [Package]) -> anyhow::Result<Order<'p>> {
    let is_set = arguments.set || packages.len() > 1;
    let cover_options = [&arguments.title, &arguments.subtitle, &arguments.date];
    if !is_set && cover_options.iter().any(|option| option.is_some()) {
        return Err(input_with_hint("a cover is that of a problem set", "add --set"));
    }
    let output = match (arguments.html, arguments.fragment) {
        (true, _) => Output::Page,
        (_, true) => Output::Fragment,
        _ => Output::Pdf,
    };
    let first = arguments.label.clone().or_else(|| is_set.then(|| "A".to_owned()));
    let labels = std::iter::successors(first, |label| Some(next_label(label)));
    let labels = labels.map(Some).chain(std::iter::repeat(None));
    let parts = packages.iter().zip(labels).map(|(package, label)| Part { package, label, time_limit: None });
    let cover = is_set.then(|| Cover {
        title: arguments.title.clone().unwrap_or_default(),
        subtitle: arguments.subtitle.clone(),
        date: arguments.date.clone(),
        has_contents: !arguments.no_contents,
    });
    let language = arguments.language.as_deref();
    let template = template(arguments, output)?;
    Ok(Order { parts: parts.collect(), language, output, cover, template, programs: Programs::here() })
}

/// Returns the label after another: `B` after `A`, `AA` after `Z`, `P2` after `P1`.
fn next_label(label: &str) -> String {
    let stem = label.trim_end_matches(|c: char| c.is_ascii_digit());
    if let Ok(number) = label[stem.len()..].parse::<u64>() {
        return format!("{stem}{}", number.saturating_add(1));
    }
    let mut letters: Vec<char> = label.chars().collect();
    for letter in letters.iter_mut().rev() {
        match letter {
            'Z' => *letter = 'A',
            letter if letter.is_ascii_alphabetic() && *letter != 'z' => {
                *letter = char::from_u32(*letter as u32 + 1).unwrap_or('A');
                return letters.into_iter().collect();
            }
            _ => return format!("{label}2"),
        }
    }
    format!("A{}", letters.into_iter().collect::<String>())
}

fn template(arguments: &StatementArguments, output: Output) -> anyhow::Result<Option<Template>> {
    let path = match &arguments.template {
        Some(path) => path.clone(),
        None => {
            let ending = if output == Output::Pdf { "tex" } else { "html" };
            let around = arguments
                .problems
                .first()
                .and_then(|package| Some(package.canonicalize().ok()?.parent()?.to_owned()));
            let default = around.map(|folder| folder.join(format!("{TEMPLATE}.{ending}")));
            match default.filter(|path| output != Output::Fragment && path.is_file()) {
                Some(path) => path,
                None => return Ok(None),
            }
        }
    };
    let text = fs::read_to_string(&path);
    let text =
        text.map_err(|error| input(format!("cannot read the template {}: {error}", path.display())))?;
    Ok(Some(Template { name: path.display().to_string(), text }))
}

fn name(arguments: &StatementArguments, packages: &[Package], output: Output) -> PathBuf {
    let ending = if output == Output::Pdf { "pdf" } else { "html" };
    let stem = match packages {
        [only] => only.short_name.as_str(),
        _ => "problems",
    };
    match &arguments.language {
        Some(language) => format!("{stem}.{language}.{ending}").into(),
        None => format!("{stem}.{ending}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::next_label;

    #[test]
    fn labels_go_on() {
        for (label, next) in [("A", "B"), ("Z", "AA"), ("AZ", "BA"), ("P9", "P10"), ("a", "b"), ("1", "2")] {
            assert_eq!(next_label(label), next);
        }
    }
}
