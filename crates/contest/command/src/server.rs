//! `tauto server`: backups of a contest server.

use crate::arguments::{
    BackupArguments, RestoreBackupArguments, ServerCommand, StoreArguments, VerifyBackupArguments,
};
use crate::client::secret_of;
use crate::output::report;
use anyhow::Context;
use model::Bytes;
use server::backup::{self, BackedUp, Until};
use std::process::ExitCode;
use std::time::UNIX_EPOCH;
use store::StoreAddress;
use terminal::failure;

pub fn run(command: &ServerCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ServerCommand::Backup(arguments) => back_up(arguments, json),
        ServerCommand::VerifyBackup(arguments) => verify(arguments, json),
        ServerCommand::Restore(arguments) => restore(arguments, json),
    }
}

fn address(arguments: &StoreArguments) -> anyhow::Result<StoreAddress> {
    let of_file = arguments.database_file.as_deref().map(secret_of).transpose()?;
    let url = arguments.database.clone().or(of_file);
    Ok(url.map_or_else(|| StoreAddress::Folder(arguments.data.clone()), StoreAddress::Postgres))
}

fn back_up(arguments: &BackupArguments, json: bool) -> anyhow::Result<ExitCode> {
    let address = address(&arguments.store)?;
    if let StoreAddress::Folder(folder) = &address
        && !folder.join("contest.sqlite").exists()
    {
        let message = format!("{} has no data of a server", folder.display());
        return Err(failure::input_with_hint(message, "--data is the folder that 'tauto serve' has"));
    }
    let done = backup::back_up(&address, &arguments.output).context("the backup failed")?;
    let BackedUp { manifest, copied, copied_bytes } = done;
    let size = Bytes(copied_bytes);
    let copied = format!("{copied} of {} contents were copied now ({size})", manifest.blobs);
    report(&manifest, &format!("{} events; {copied}", manifest.events), json)
}

fn verify(arguments: &VerifyBackupArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (manifest, _) = backup::verify(&arguments.backup).context("the backup cannot be used")?;
    let text = format!("complete: {} events, {} contents", manifest.events, manifest.blobs);
    report(&manifest, &text, json)
}

fn restore(arguments: &RestoreBackupArguments, json: bool) -> anyhow::Result<ExitCode> {
    let until = arguments.until.as_deref().map_or(Ok(Until::End), until)?;
    let address = address(&arguments.store)?;
    let state = backup::restore(&arguments.backup, &address, until).context("the backup was not restored")?;
    let events = state.seq();
    report(&serde_json::json!({ "events": events }), &format!("restored up to event {events}"), json)
}

/// Reads the number of an event or a time.
fn until(text: &str) -> anyhow::Result<Until> {
    if let Ok(event) = text.parse() {
        return Ok(Until::Event(event));
    }
    let time = humantime::parse_rfc3339_weak(text).map_err(|_| {
        failure::input("--until takes an event's number or a time such as 2026-11-23T14:00:00Z")
    })?;
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    Ok(Until::Time(contest_rules::Instant(i64::try_from(since).unwrap_or(i64::MAX))))
}
