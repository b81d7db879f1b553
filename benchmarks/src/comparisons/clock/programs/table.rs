// Fills a hash map with its random seed, and adds up what is in it.
use std::collections::HashMap;

fn main() {
    let steps: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut table = HashMap::new();
    let mut random = 5_u64;
    for step in 0..steps {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *table.entry(random >> 48).or_insert(0) += step;
    }
    println!("{} {}", table.len(), table.values().sum::<u64>());
}
