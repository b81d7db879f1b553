//! What clap says about the arguments: help, the version, mistakes.

use crate::arguments::definitions;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use std::process::ExitCode;
use terminal::failure::{Failure, input, input_with_hint, near};
use terminal::{Colour, Standard, print};

/// More would not be read.
const NAMES_MAX: usize = 3;
/// What the standard library says of a text that is no number, and what it means for people.
const OF_NUMBERS: [(&str, &str); 5] = [
    ("number would be zero for non-zero type", "give at least 1"),
    ("invalid digit found in string", "give a whole number, without a unit"),
    ("cannot parse integer from empty string", "give a whole number"),
    ("number too large to fit in target type", "that is too large"),
    ("number too small to fit in target type", "that is too small"),
];

/// Prints clap's message: help, the version, or the error in the arguments.
pub fn report(error: &Error) -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    // What follows `--` belongs to another command.
    let own: Vec<&str> =
        arguments.iter().map(String::as_str).take_while(|argument| *argument != "--").collect();
    // Clap could not parse the arguments, so search for it.
    let json = own.contains(&"--json");
    let rendered = error.render();
    if !error.use_stderr() {
        let text = match Colour::for_stdout() {
            Colour::On => rendered.ansi().to_string(),
            Colour::Off => rendered.to_string(),
        };
        return match print(&text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::of(&error.into()).print(json),
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // If standard error is closed, the failure cannot be reported.
        let _ = Standard::error().write(&rendered.to_string());
        return ExitCode::from(terminal::failure::USAGE);
    }
    let message = message(&rendered.to_string());
    let failure = match hint(error, &Called::of(&own), &arguments) {
        Some(hint) => input_with_hint(message, hint),
        None => input(message),
    };
    Failure::of(&failure).print(json)
}

/// Returns clap's sentence without what follows it: suggestions and usage.
fn message(rendered: &str) -> String {
    let lines = rendered.lines().take_while(|line| !line.trim().is_empty());
    let mut message = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    for (theirs, ours) in OF_NUMBERS {
        message = message.replace(theirs, ours);
    }
    message.strip_prefix("error: ").unwrap_or(&message).to_owned()
}

/// The command that was called, as far as it is known.
struct Called {
    /// Such as `tauto contest start`.
    name: String,
    command: Command,
    tree: Command,
}

impl Called {
    fn of(arguments: &[&str]) -> Self {
        let mut tree = definitions();
        tree.build();
        let (mut name, mut command) = ("tauto".to_owned(), &tree);
        for argument in arguments.iter().filter(|argument| !argument.starts_with('-')) {
            match command.find_subcommand(argument) {
                Some(inner) if inner.get_name() != "help" => {
                    name.push_str(&format!(" {}", inner.get_name()));
                    command = inner;
                }
                // `tauto help judge` is about the command that follows.
                Some(_) => {}
                None => break,
            }
        }
        Self { name, command: command.clone(), tree }
    }

    fn commands(&self) -> Vec<&str> {
        names(&self.command)
    }

    /// Returns the long options that fit.
    fn options(&self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let all = self.command.get_arguments().filter_map(|argument| argument.get_long());
        all.filter(|name| fits(name)).map(|name| format!("--{name}")).collect()
    }

    /// Returns another command that has an option.
    fn other_with(&self, option: &str) -> Option<String> {
        let name = option.strip_prefix("--")?;
        let has_it =
            |command: &&Command| command.get_arguments().any(|argument| argument.get_long() == Some(name));
        let other = self.tree.get_subcommands().filter(|command| !command.is_hide_set()).find(has_it)?;
        Some(format!("'tauto {}'", other.get_name()))
    }

    /// Returns how it is called: the first of its examples, or its form.
    fn example(&self, error: &Error) -> String {
        let examples = self.command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let is_its = |line: &&str| line.trim_start_matches("sudo ").starts_with(&self.name);
        let its: Vec<&str> = examples.lines().map(str::trim).filter(is_its).collect();
        let missing = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => missing[0].split(' ').next().unwrap_or_default(),
            _ => "",
        };
        let more = format!("'{} --help' explains it", self.name);
        match its.iter().find(|example| example.contains(missing)).or(its.first()) {
            Some(example) => format!("for example: {example} ({more})"),
            None => match error.get(ContextKind::Usage) {
                Some(ContextValue::StyledStr(usage)) => {
                    format!("{} ({more})", usage.to_string().trim_start_matches("Usage: ").trim())
                }
                _ => more,
            },
        }
    }
}

fn names(command: &Command) -> Vec<&str> {
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    shown.map(Command::get_name).filter(|name| *name != "help").collect()
}

/// Returns how to fix it; `None` if the message says it.
fn hint(error: &Error, called: &Called, arguments: &[String]) -> Option<String> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            Some(of_command(called, context(ContextKind::InvalidSubcommand).unwrap_or_default()))
        }
        ErrorKind::UnknownArgument => {
            let written = context(ContextKind::InvalidArg).unwrap_or_default();
            Some(match context(ContextKind::SuggestedArg) {
                Some(option) => match called.other_with(written) {
                    Some(other) => format!("did you mean {option}? {written} is an option of {other}"),
                    None => format!("did you mean {option}?"),
                },
                None => of_argument(error, called, (written, arguments)),
            })
        }
        ErrorKind::InvalidValue => match context(ContextKind::SuggestedValue) {
            Some(value) => Some(format!("did you mean {value}?")),
            None => (context(ContextKind::InvalidValue) == Some("")).then(|| called.example(error)),
        },
        ErrorKind::ArgumentConflict if error.to_string().contains("multiple times") => {
            Some("give it once".to_owned())
        }
        ErrorKind::ArgumentConflict => Some("leave one of them out".to_owned()),
        ErrorKind::ValueValidation => None,
        _ => Some(called.example(error)),
    }
}

/// Returns what is meant by a command that does not exist here.
fn of_command(called: &Called, written: &str) -> String {
    if written == "version" {
        return "did you mean 'tauto --version'?".to_owned();
    }
    // Such as `tauto start`, which is in a group.
    let groups =
        called.tree.get_subcommands().filter(|group| !group.is_hide_set() && group.get_name() != "help");
    let of_groups = groups.filter(|group| names(group).contains(&written));
    let found: Vec<String> =
        of_groups.map(|group| format!("tauto {} {written}", group.get_name())).take(NAMES_MAX).collect();
    if called.name == "tauto" && !found.is_empty() {
        return format!("did you mean {}?", found.join(", or "));
    }
    match near(written, called.commands()).get(..1) {
        Some([name]) => format!("did you mean {name}?"),
        _ => format!("'{} --help' lists the commands", called.name),
    }
}

/// Returns what is meant by an argument that the command does not take.
fn of_argument(error: &Error, called: &Called, (written, arguments): (&str, &[String])) -> String {
    if let Some(hint) = separator(arguments) {
        return hint;
    }
    if called.command.has_subcommands() && called.name != "tauto" {
        let other = called.name.split(' ').nth(1).filter(|name| *name == "server");
        let other = other.map_or("", |_| "; a server is started by 'tauto serve'");
        return format!("first name what to do: {}{other}", called.commands().join(", "));
    }
    let options = match written.strip_prefix('-') {
        Some(letter) if letter.chars().count() == 1 => called.options(|name| name.starts_with(letter)),
        _ => called.options(|name| name == written),
    };
    match options.get(..NAMES_MAX.min(options.len())) {
        Some(options @ [_, ..]) => format!("did you mean {}?", options.join(" or ")),
        _ if !written.starts_with('-') && !called.options(|name| name == "contest").is_empty() => {
            format!("a contest is named by an option: --contest {written}")
        }
        _ => called.example(error),
    }
}

/// Returns where `--` belongs, if there is a command without it.
fn separator(arguments: &[String]) -> Option<String> {
    let [command, first, ..] = arguments else { return None };
    let takes_one = command == "run" || command == "bench";
    let is_hint = takes_one && !first.starts_with('-') && !arguments.iter().any(|argument| argument == "--");
    is_hint.then(|| format!("put -- before the command: tauto {command} -- {}", arguments[1..].join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_sentence() {
        let rendered =
            "error: invalid value 'x' for '--type <TYPE>'\n  [possible values: a, b]\n\n  tip: 'a'\n";
        assert_eq!(message(rendered), "invalid value 'x' for '--type <TYPE>' [possible values: a, b]");
        let rendered = "error: invalid value '0' for '--cpus <N>': number would be zero for non-zero type\n";
        assert_eq!(message(rendered), "invalid value '0' for '--cpus <N>': give at least 1");
    }
}
