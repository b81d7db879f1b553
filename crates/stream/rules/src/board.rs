//! The board as text for people and scripts.

use documents::{StreamBoard, StreamRow};
use std::fmt::Write;

/// Returns the board as text; `points` are those of the rules.
pub fn text(board: &StreamBoard, points: &[u32]) -> String {
    let mut text = format!("N = {}\n", board.digits_max);
    for (at, number) in board.multiples_of.iter().enumerate() {
        let value = match &number.value {
            Some(value) => value.clone(),
            None => format!("hidden, primes {}", number.primes.join(" ")),
        };
        let _ = writeln!(text, "M{} = {value}", at + 1);
    }
    let fairness = &board.fairness;
    let _ = writeln!(
        text,
        "\ntime {} s, {} digits, {} answers, {} missed; {} clients, sent within {} us (median {})\n",
        board.at_ns / 1_000_000_000,
        board.digits,
        board.answers,
        board.missed,
        fairness.clients,
        fairness.last_ns / 1000,
        fairness.p50_ns.map_or("-".to_owned(), |time| micros(time as i64)),
    );
    text += &aligned(&table(board, points));
    for answer in &board.last {
        let numbers: Vec<String> = answer.multiple_of.iter().map(|number| format!("M{number}")).collect();
        let _ = writeln!(text, "\n{}\n{} digits, {}", answer.digits, answer.length, numbers.join(" "));
        for given in &answer.given {
            let _ = writeln!(text, "{:>9} us  {:+}  {}", micros(given.latency_ns), given.points, given.name);
        }
    }
    for refusal in &board.refused {
        let _ = writeln!(text, "\nrefused: {} {}", refusal.count, refusal.reason);
    }
    text
}

fn table(board: &StreamBoard, points: &[u32]) -> Vec<Vec<String>> {
    let mut points = points.to_vec();
    points.sort_unstable();
    points.dedup();
    let mut head: Vec<String> = ["contestant", "score"].map(str::to_owned).to_vec();
    head.extend(points.iter().rev().map(|points| format!("+{points}")));
    let late = format!(">{}s", board.after_ms / 1000);
    let names = ["+0", &late, "wrong", "dup", "bad", "early", "submit"];
    head.extend(names.map(str::to_owned));
    head.extend(["10%", "50%", "90%", "99%", "mean", "std", "ping"].map(str::to_owned));
    std::iter::once(head).chain(board.rows.iter().map(cells)).collect()
}

fn cells(row: &StreamRow) -> Vec<String> {
    let mut cells = vec![row.name.clone(), row.score.to_string()];
    cells.extend(row.by_points.iter().map(|points| points.count.to_string()));
    let counts = [row.beyond, row.late, row.wrong, row.duplicate, row.malformed, row.early, row.submitted];
    cells.extend(counts.map(|count| count.to_string()));
    let unsigned = |time: Option<u64>| time.map(|time| time as i64);
    let times = [row.p10_ns, row.p50_ns, row.p90_ns, row.p99_ns, row.mean_ns];
    let times = times.into_iter().chain([row.deviation_ns, row.ping_ns].map(unsigned));
    cells.extend(times.map(|time| time.map_or("-".to_owned(), micros)));
    cells
}

fn micros(time_ns: i64) -> String {
    (time_ns / 1000).to_string()
}

fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let mut text = String::new();
    for row in table {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
