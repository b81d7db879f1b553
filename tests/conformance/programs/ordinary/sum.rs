// The plainest program in Rust.
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("readable input");
    let sum: i64 = text
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse::<i64>().expect("a number"))
        .sum();
    println!("{}", sum);
}
