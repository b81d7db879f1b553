use std::io::{self, BufRead, Write};

fn main() {
    let stdin = io::stdin();
    let stdout = io::stdout();
    let mut out = io::BufWriter::new(stdout.lock());
    for line in stdin.lock().lines() {
        let line = line.expect("standard input is text");
        let readings: Vec<i64> =
            line.split_whitespace().map(|word| word.parse().expect("a reading is an integer")).collect();
        writeln!(out, "{}", (readings[0] - readings[1]).abs()).expect("standard output is open");
    }
}
