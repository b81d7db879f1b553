//! What clap says about the arguments: help, the version, mistakes.

use std::process::ExitCode;
use terminal::failure::{Failure, USAGE};
use terminal::{Colour, Standard, print, visible};

/// Prints clap's message: help, the version, or the error in the arguments.
pub fn report(error: &clap::Error) -> ExitCode {
    // Clap could not parse the arguments, so search for it; what follows `--` belongs to another command.
    let json =
        std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json");
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
    if json {
        let rendered = rendered.to_string();
        let message = rendered.lines().next().unwrap_or_default();
        let report = documents::ErrorReport::new(message.strip_prefix("error: ").unwrap_or(message));
        // Standard error has it as well, so nothing is lost if standard output is closed.
        let _ = print(&documents::to_json(&report.with_hint("see 'tauto --help'")));
    }
    let mut text = visible(&rendered.to_string());
    if let Some(hint) = separator_hint() {
        text.push_str(&hint);
    }
    // If standard error is closed, the failure cannot be reported.
    let _ = Standard::error().write(&text);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

/// Returns where `--` belongs, if there is a command without it.
fn separator_hint() -> Option<String> {
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let [_, command, first, ..] = arguments.as_slice() else { return None };
    let takes_one = command == "run" || command == "bench";
    let is_hint = takes_one && !first.starts_with('-') && !arguments.iter().any(|argument| argument == "--");
    let rest = arguments[2..].join(" ");
    is_hint.then(|| visible(&format!("\nhint: put -- before the command: tauto {command} -- {rest}\n")))
}
