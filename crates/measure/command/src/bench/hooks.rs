//! What is run around the commands, in the same sandbox, and is not measured.

use super::commands::{Command, Hook};
use super::failed::end_words;
use model::{Bytes, RunEnd};
use sandbox::{Input, Output, Ran, RunIo, RunPlan};
use terminal::failure::NegativeAnswer;
use timing::TimedPlace;

/// What is kept of a hook's output, to be shown if it fails.
const OUTPUT_KEPT: Bytes = Bytes::from_kib(64);

/// Runs one, as the command would be: with its mounts, limits and CPUs.
pub fn run(place: &mut TimedPlace, plan: &RunPlan, hook: &Hook, command: &Command) -> anyhow::Result<()> {
    let mut plan = RunPlan { argv: hook.argv.clone(), ..plan.clone() };
    // Output beyond that is thrown away and ends nothing.
    plan.limits.output = Some(OUTPUT_KEPT);
    let io = RunIo {
        stdin: Input::Empty,
        stdout: Output::Cut { fails: false },
        stderr: Output::Capture,
        end_when: None,
    };
    let Ran { result, stdout, stderr, .. } = place.slot().run(&plan, io)?;
    if result.end == RunEnd::Exited(0) {
        return Ok(());
    }
    let output = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
    let message =
        format!("{} '{}' of {} {}", hook.option, hook.line, command.label(), end_words(result.end, &output));
    let hint = "it runs in the sandbox of the command: there is no network, and of the host's files it can write only \
                those of --mount ...:rw";
    Err(NegativeAnswer { message, hint: Some(hint.to_owned()) }.into())
}
