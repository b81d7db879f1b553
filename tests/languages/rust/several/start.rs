mod adding;

use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).expect("standard input is text");
    let mut numbers = input.split_whitespace().map(|word| word.parse::<i64>().expect("a number"));
    let mut next = || numbers.next().expect("two numbers");
    println!("{}", adding::add(next(), next()));
}
