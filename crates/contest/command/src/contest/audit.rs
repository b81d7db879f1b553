//! What was done on a server, and by whom.

use super::answer::second;
use crate::arguments::AuditLogArguments;
use crate::client::{Client, segment};
use std::process::ExitCode;
use terminal::{Align, Colour, Table, print};

/// Lists entries of the audit log, the newest first.
///
/// # Errors
/// When the server refuses it or cannot be reached.
pub fn run(arguments: &AuditLogArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let mut query = vec![format!("max={}", arguments.max)];
    let contest = arguments.server.contest.is_some().then(|| client.contest()).transpose()?;
    let wanted = [
        ("account_id", &arguments.actor),
        ("kind", &arguments.kind),
        ("text", &arguments.text),
        ("contest_id", &contest),
    ];
    for (name, value) in wanted {
        query.extend(value.as_ref().map(|value| format!("{name}={}", segment(value))));
    }
    let path = format!("audit?{}", query.join("&"));
    if json {
        print(&client.get_text(&path)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let page: documents::contest::AuditPage = client.get(&path)?;
    let columns = [
        ("time", Align::Left),
        ("who", Align::Left),
        ("from", Align::Left),
        ("contest", Align::Left),
        ("kind", Align::Left),
        ("what", Align::Left),
    ];
    if page.entries.is_empty() {
        print("nothing was done that fits\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&columns);
    for entry in page.entries {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        table.row([
            second(entry.time).into(),
            entry.actor.into(),
            or_dash(entry.address).into(),
            or_dash(entry.contest_id).into(),
            entry.kind.into(),
            entry.text.into(),
        ]);
    }
    print(&table.render(Colour::for_stdout()))?;
    Ok(ExitCode::SUCCESS)
}
