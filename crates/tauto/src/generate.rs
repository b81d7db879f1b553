//! `tauto completions` and `tauto man`, generated from the definitions of the arguments, and `tauto schema`, generated
//! from the types of documents.

use crate::arguments::definitions;
use anyhow::Context;
use documents::{DOCUMENTS, DocumentKind};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{input_with_hint, near};
use terminal::{Align, Colour, Table, print};

pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut definitions(), "tauto", &mut script);
    show(script)
}

/// Writes one manual page for each command into a folder, or prints the main one.
pub fn manual(folder: Option<&Path>) -> anyhow::Result<ExitCode> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(definitions()).render(&mut page).context("cannot make the manual page")?;
        return show(page);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(definitions(), folder)
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

pub fn list_schemas() -> anyhow::Result<ExitCode> {
    let mut table = Table::new(&[("document", Align::Left), ("printed by", Align::Left)]);
    for kind in DOCUMENTS {
        table.row([kind.schema.into(), kind.printed_by.replace('`', "").into()]);
    }
    print(&table.render(Colour::for_stdout()))?;
    Ok(ExitCode::SUCCESS)
}

pub fn print_schema(name: &str) -> anyhow::Result<ExitCode> {
    let kind = DocumentKind::find(name).ok_or_else(|| unknown(name))?;
    print(&schema_text(kind)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the schemas of all documents into a folder.
pub fn write_schemas(folder: &Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for kind in DOCUMENTS {
        let path = folder.join(kind.file_name());
        std::fs::write(&path, schema_text(kind)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn schema_text(kind: &DocumentKind) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&kind.json_schema()).context("cannot make the schema")? + "\n")
}

fn unknown(name: &str) -> anyhow::Error {
    let message = format!("there is no document '{name}'");
    match near(name, DOCUMENTS.iter().map(DocumentKind::base_name)).as_slice() {
        [] => input_with_hint(message, "tauto schema lists them"),
        names => input_with_hint(message, format!("did you mean {}?", names.join(", "))),
    }
}

fn show(bytes: Vec<u8>) -> anyhow::Result<ExitCode> {
    print(&String::from_utf8(bytes).context("the text is not UTF-8")?)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn check(command: &clap::Command, name: &str, folder: &Path) {
        let file: PathBuf = folder.join(format!("{name}.1"));
        let page =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let page = page.replace("\\-", "-");
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let id = argument.get_id();
            for default in argument.get_default_values() {
                let shown = format!("[default: {}]", default.to_string_lossy());
                let is_flag = !argument.get_num_args().is_some_and(|count| count.takes_values());
                assert!(is_flag || page.contains(&shown), "{name}: {id} {shown}");
            }
            let is_flag = !argument.get_num_args().is_some_and(|count| count.takes_values());
            for value in argument.get_possible_values().iter().filter(|_| !is_flag) {
                assert!(page.contains(value.get_name()), "{name}: {id} {}", value.get_name());
            }
        }
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            check(inner, &format!("{name}-{}", inner.get_name()), folder);
        }
    }

    #[test]
    fn pages_have_the_default_and_the_possible_values_of_each_option() {
        let folder = tempfile::tempdir().unwrap();
        manual(Some(folder.path())).unwrap();
        let mut command = definitions().disable_help_subcommand(true);
        command.build();
        check(&command, "tauto", folder.path());
    }
}
