use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("standard input is text");
    let mut with_last = 0u64;
    let mut without_last = 0u64;
    for word in input.split_whitespace().skip(1) {
        let weight: u64 = word.parse().expect("a weight is a number");
        let taken = without_last + weight;
        without_last = with_last.max(without_last);
        with_last = taken;
    }
    println!("{}", with_last.max(without_last));
}
