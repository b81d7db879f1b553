//! The commands that are measured, and what is run around them.

use crate::arguments::BenchArguments;
use anyhow::Context;
use bench::parameters::{COMMANDS_MAX, Parameter, Values, combinations, substitute};
use terminal::failure::{because, input, input_with_hint};

/// A command that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its name; none where it was not given one.
    pub name: Option<String>,
    /// Its command line, which a shell could read.
    pub line: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    pub parameters: Values,
    /// What is run around it.
    pub hooks: Hooks,
}

/// What is run around a command and not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Before the first run.
    pub setup: Option<Hook>,
    pub prepare: Option<Hook>,
    pub conclude: Option<Hook>,
    /// After the last run.
    pub cleanup: Option<Hook>,
}

/// One command line that is run around others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Its option, such as `--prepare`.
    pub option: &'static str,
    /// As it was given.
    pub line: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
}

/// A command line before parameters have values.
enum Template {
    Argv(Vec<String>),
    /// For a shell, as it is.
    Line(String),
}

/// The words of a shell that runs a command line: the line is one more.
struct Shell(Vec<String>);

impl Command {
    /// Returns its name, or its command line.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.line)
    }
}

/// Returns the letter of a command: A to Z, then AA, AB, ...
pub fn letter(at: usize) -> String {
    let last = char::from(b'A' + (at % 26) as u8);
    if at < 26 { last.to_string() } else { format!("{}{last}", letter(at / 26 - 1)) }
}

/// Returns the shell that runs the command lines, unless they are run by themselves.
pub fn shell(arguments: &BenchArguments) -> Option<&str> {
    // As hyperfine has it.
    arguments.shell.as_deref().filter(|shell| *shell != "none")
}

/// Reads the commands, one for each combination of parameters.
pub fn read(arguments: &BenchArguments) -> anyhow::Result<Vec<Command>> {
    let shell = shell(arguments).map(Shell::read).transpose()?;
    let mut templates = vec![first(&arguments.command, shell.is_some())?];
    for text in &arguments.vs {
        templates.push(template("--vs", "'./b.out 7'", text, shell.is_some())?);
    }
    let parameters = parameters(arguments)?;
    check_used(&parameters, &templates, arguments)?;
    let combinations =
        combinations(&parameters, templates.len()).map_err(|error| input(error.to_string()))?;
    if templates.len() > COMMANDS_MAX {
        return Err(input(format!("there are {} commands, more than {COMMANDS_MAX}", templates.len())));
    }
    let all = combinations.len() * templates.len();
    let names = Each::of("--name", &arguments.names, templates.len(), all, false)?;
    let hooks = HookOptions {
        setup: Each::of("--setup", &arguments.setup, templates.len(), all, true)?,
        prepare: Each::of("--prepare", &arguments.prepare, templates.len(), all, true)?,
        conclude: Each::of("--conclude", &arguments.conclude, templates.len(), all, true)?,
        cleanup: Each::of("--cleanup", &arguments.cleanup, templates.len(), all, true)?,
    };
    let mut commands = Vec::with_capacity(all);
    for values in &combinations {
        for (of, template) in templates.iter().enumerate() {
            let at = commands.len();
            let (line, argv) = template.with(values, shell.as_ref());
            commands.push(Command {
                name: names.get(of, at).map(|name| substitute(name, values)),
                line,
                argv,
                parameters: values.clone(),
                hooks: hooks.of(of, at, values, shell.as_ref())?,
            });
        }
    }
    check_different(&commands)?;
    Ok(commands)
}

/// Returns which command the others are compared with.
pub fn reference(arguments: &BenchArguments, commands: &[Command]) -> anyhow::Result<usize> {
    let Some(wanted) = &arguments.reference else { return Ok(0) };
    let named = commands.iter().position(|command| command.name.as_ref() == Some(wanted));
    named.or_else(|| (0..commands.len()).find(|at| letter(*at) == *wanted)).ok_or_else(|| {
        let names = commands.iter().enumerate().map(|(at, command)| match &command.name {
            Some(name) => format!("{} ({name})", letter(at)),
            None => letter(at),
        });
        let names: Vec<_> = names.collect();
        input(format!("--reference {wanted} is none of the commands {}", names.join(", ")))
    })
}

/// Quotes a command so that a shell reads it back.
pub fn quoted(argv: &[String]) -> String {
    shell_words::join(argv)
}

fn first(command: &[String], has_shell: bool) -> anyhow::Result<Template> {
    match command {
        [line] if has_shell => Ok(Template::Line(line.clone())),
        _ if has_shell => Err(input_with_hint(
            "with --shell the command after -- is one string",
            format!("quote it: -- {}", shell_words::quote(&command.join(" "))),
        )),
        argv => Ok(Template::Argv(argv.to_vec())),
    }
}

fn template(option: &str, example: &str, text: &str, has_shell: bool) -> anyhow::Result<Template> {
    let words = shell_words::split(text)
        .map_err(|_| input(format!("{option} {text} has a quote without its partner")))?;
    if words.is_empty() {
        return Err(input(format!("{option} names no command; write for example {option} {example}")));
    }
    Ok(if has_shell { Template::Line(text.to_owned()) } else { Template::Argv(words) })
}

impl Template {
    /// Returns the command line with values, and its arguments.
    fn with(&self, values: &Values, shell: Option<&Shell>) -> (String, Vec<String>) {
        match self {
            Self::Argv(argv) => {
                let argv: Vec<_> = argv.iter().map(|text| substitute(text, values)).collect();
                (quoted(&argv), argv)
            }
            Self::Line(line) => {
                let line = substitute(line, values);
                let words = shell.map_or_else(Vec::new, |shell| shell.0.clone());
                (line.clone(), [words, vec!["-c".to_owned(), line]].concat())
            }
        }
    }

    fn has(&self, placeholder: &str) -> bool {
        match self {
            Self::Argv(argv) => argv.iter().any(|text| text.contains(placeholder)),
            Self::Line(line) => line.contains(placeholder),
        }
    }
}

impl Shell {
    fn read(text: &str) -> anyhow::Result<Self> {
        let words =
            shell_words::split(text).map_err(|_| because(format!("--shell={text} has a quote too many")));
        let words = words.map_err(anyhow::Error::from)?;
        if words.is_empty() { Err(input("--shell= names no shell")) } else { Ok(Self(words)) }
    }
}

/// The values of an option that is given once for all commands, or once for each.
struct Each<'a> {
    given: &'a [String],
    /// Commands before parameters have values.
    templates: usize,
}

impl<'a> Each<'a> {
    fn of(
        option: &str,
        given: &'a [String],
        templates: usize,
        all: usize,
        for_all: bool,
    ) -> anyhow::Result<Self> {
        let fits = match given.len() {
            0 => true,
            1 => for_all || templates == 1,
            count => count == templates || count == all,
        };
        if fits {
            return Ok(Self { given, templates });
        }
        let for_all = if for_all { "1 for all commands or " } else { "" };
        let of_all = if all == templates { String::new() } else { format!(", or {all} with parameters") };
        Err(input(format!(
            "{option} is given {} times; it takes {for_all}{templates}, one for each command{of_all}",
            given.len()
        )))
    }

    /// Returns the value for a command.
    fn get(&self, of_template: usize, at: usize) -> Option<&'a str> {
        let at = match self.given.len() {
            1 => 0,
            count if count == self.templates => of_template,
            _ => at,
        };
        self.given.get(at).map(String::as_str)
    }
}

struct HookOptions<'a> {
    setup: Each<'a>,
    prepare: Each<'a>,
    conclude: Each<'a>,
    cleanup: Each<'a>,
}

impl HookOptions<'_> {
    fn of(&self, of: usize, at: usize, values: &Values, shell: Option<&Shell>) -> anyhow::Result<Hooks> {
        let hook = |option: &'static str, each: &Each<'_>| {
            // Nothing between quotes is how one says that there is none for this command.
            let Some(text) = each.get(of, at).filter(|text| !text.trim().is_empty()) else { return Ok(None) };
            let template = template(option, "'rm -f /box/w/out'", text, shell.is_some())?;
            let (line, argv) = template.with(values, shell);
            anyhow::Ok(Some(Hook { option, line, argv }))
        };
        Ok(Hooks {
            setup: hook("--setup", &self.setup)?,
            prepare: hook("--prepare", &self.prepare)?,
            conclude: hook("--conclude", &self.conclude)?,
            cleanup: hook("--cleanup", &self.cleanup)?,
        })
    }
}

fn parameters(arguments: &BenchArguments) -> anyhow::Result<Vec<Parameter>> {
    let (scans, steps) = (arguments.parameter_scan.chunks_exact(3), &arguments.parameter_step_size);
    if !matches!(steps.len(), 0 | 1) && steps.len() != scans.len() {
        return Err(input(format!(
            "--parameter-step-size is given {} times; give it once for all scans, or once for each of the {}",
            steps.len(),
            scans.len()
        )));
    }
    let mut parameters = Vec::new();
    for (at, scan) in scans.enumerate() {
        let step = steps.get(if steps.len() == 1 { 0 } else { at }).map(String::as_str);
        let scan = Parameter::scan(&scan[0], &scan[1], &scan[2], step);
        parameters.push(scan.context(because("--parameter-scan has no values"))?);
    }
    for list in arguments.parameter_list.chunks_exact(2) {
        let list = Parameter::list(&list[0], &list[1]);
        parameters.push(list.context(because("--parameter-list has no values"))?);
    }
    Ok(parameters)
}

fn check_used(
    parameters: &[Parameter],
    templates: &[Template],
    arguments: &BenchArguments,
) -> anyhow::Result<()> {
    let hooks = [&arguments.setup, &arguments.prepare, &arguments.conclude, &arguments.cleanup];
    for Parameter { name, .. } in parameters {
        let placeholder = format!("{{{name}}}");
        let is_used = templates.iter().any(|template| template.has(&placeholder))
            || hooks.into_iter().flatten().any(|text| text.contains(&placeholder));
        if !is_used {
            return Err(input_with_hint(
                format!("no command has the parameter {name}"),
                format!("write {placeholder} where its value belongs"),
            ));
        }
    }
    Ok(())
}

fn check_different(commands: &[Command]) -> anyhow::Result<()> {
    for (at, command) in commands.iter().enumerate() {
        let before = &commands[..at];
        if before.iter().any(|other| other.argv == command.argv && other.hooks == command.hooks) {
            let (message, hint) = if command.parameters.is_empty() {
                (
                    "--vs names the same command again, and a command is as fast as itself".to_owned(),
                    "leave --vs out to see its spread; to see how well this machine detects that two things are the \
                     same, copy the program under another name",
                )
            } else {
                (
                    format!("{} stands twice among the commands with parameters", command.label()),
                    "each command, or what is run around it, needs a placeholder whose values differ",
                )
            };
            return Err(input_with_hint(message, hint));
        }
        if command.name.is_some() && before.iter().any(|other| other.name == command.name) {
            let name = command.label();
            return Err(input_with_hint(
                format!("two commands have the name {name}"),
                "a name may have placeholders of parameters, such as --name 'with {n}'",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
