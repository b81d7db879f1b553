//! `tauto audit`: the log of a server's operations.

use super::answer::{second, show};
use crate::arguments::AuditLogArguments;
use crate::client::{Client, segment};
use crate::output::table;
use documents::contest::AuditPage;
use std::process::ExitCode;
use terminal::Colour;

/// Lists entries of the audit log, the newest first.
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
    show(&client, &format!("audit?{}", query.join("&")), json, |page: AuditPage| {
        if page.entries.is_empty() {
            return Ok("no entries match\n".to_owned());
        }
        let mut table = table(&["time", "who", "from", "contest", "kind", "what"]);
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
        Ok(table.render(Colour::for_stdout()))
    })
}
