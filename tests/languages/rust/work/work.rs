use std::collections::{BTreeSet, HashSet};
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<i32> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let seen: HashSet<i32> = numbers.chunks(2).map(|pair| pair[0] + pair[1]).collect();
    for sum in seen.into_iter().collect::<BTreeSet<_>>() {
        println!("{sum}");
    }
}
