//! What the server answered, as text.

use crate::client::Client;
use contest_rules::Instant;
use documents::contest::Time;
use serde::de::DeserializeOwned;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use terminal::print;

/// Returns a time to the second, such as `2026-11-23 09:00:00Z`: a column has no room for more.
pub fn second(time: Time) -> String {
    let text = time.to_string();
    let seconds = text.split_once('.').map_or(text.as_str(), |(seconds, _)| seconds);
    format!("{}Z", seconds.trim_end_matches('Z').replacen('T', " ", 1))
}

/// Returns a time to the minute, such as `2026-11-23 09:00Z`.
pub fn minute(time: Time) -> String {
    let text = second(time);
    format!("{}Z", text.rsplit_once(':').map_or(text.as_str(), |(minute, _)| minute))
}

/// Returns how long ago something was, such as `3 s ago`.
pub fn ago(time: Time) -> String {
    let seconds = (now().0 - time.0).max(0) / 1000;
    match seconds {
        0..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        _ => second(time),
    }
}

/// Prints a document of the server: as it came for `--json`, else as text.
pub fn show<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    json: bool,
    text: impl FnOnce(T) -> anyhow::Result<String>,
) -> anyhow::Result<ExitCode> {
    if json {
        print(&client.get_text(path)?)?;
    } else {
        print(&text(client.get(path)?)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
