//! Answers about a machine as a table: status, name and finding, with the reason and the fix of those that do not pass.

use system::Status;
use terminal::{Align, Cell, Style, Table};

/// The note that contains a command, which users can copy.
pub const FIX: &str = "fix";

pub struct StatusRow<'a> {
    pub heading: String,
    pub status: Status,
    pub name: &'a str,
    pub found: &'a str,
    pub notes: Vec<(&'static str, &'a str)>,
}

/// Makes the table; `named` is the heading of the names.
pub fn table<'a>(named: &str, rows: impl IntoIterator<Item = StatusRow<'a>>) -> Table {
    let mut table = Table::new(&[("status", Align::Left), (named, Align::Left), ("found", Align::Left)]);
    let mut heading = String::new();
    for row in rows {
        if heading != row.heading {
            table.heading(row.heading.clone());
            heading = row.heading;
        }
        let status = Cell::styled(style(row.status), row.status.to_string());
        table.row([status, row.name.into(), row.found.into()]);
        for (what, text) in row.notes {
            match what {
                FIX => table.command(FIX, text),
                _ => table.note(None, &format!("{what}: {text}")),
            }
        }
    }
    table
}

/// Counts the answers of each status, as a line of a report.
pub fn summary(all: impl Iterator<Item = Status> + Clone) -> Vec<Cell> {
    let mut line = Vec::new();
    for status in Status::ALL {
        let count = all.clone().filter(|other| *other == status).count();
        if count > 0 {
            let separator = if line.is_empty() { "" } else { ", " };
            line.push(format!("{separator}{count} ").into());
            line.push(Cell::styled(style(status), status.to_string()));
        }
    }
    line
}

fn style(status: Status) -> Style {
    match status {
        Status::Pass => Style::Good,
        Status::Caution => Style::Caution,
        Status::Fail => Style::Bad,
        Status::Unavailable => Style::Faint,
    }
}
