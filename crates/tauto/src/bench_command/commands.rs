//! The commands that are measured: one, or two.

use crate::arguments::BenchArguments;
use crate::failure::{input, input_with_hint};

/// Reads the commands; the second is split as a shell would.
pub fn read(arguments: &BenchArguments) -> anyhow::Result<Vec<Vec<String>>> {
    let mut commands = vec![arguments.command.clone()];
    if let Some(text) = &arguments.vs {
        let second = shell_words::split(text)
            .map_err(|_| input(format!("--vs {text} has a quote without its partner")))?;
        if second.is_empty() {
            return Err(input("--vs names no command; write for example --vs './b.out 7'"));
        }
        if second == arguments.command {
            return Err(input_with_hint(
                "--vs names the same command again, and a command is as fast as itself",
                "leave --vs out to see its spread; to see how well this machine detects that two things are the same, \
                 copy the program under another name",
            ));
        }
        commands.push(second);
    }
    Ok(commands)
}

/// Quotes a command so that a shell reads it back.
pub fn quoted(argv: &[String]) -> String {
    shell_words::join(argv)
}
