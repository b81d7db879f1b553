// Finds the shortest ways in a random graph with a priority queue.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

fn main() {
    let nodes: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut random = 11_u64;
    let mut next = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize
    };
    let edges: Vec<Vec<(usize, usize)>> =
        (0..nodes).map(|_| (0..5).map(|_| (next() % nodes, next() % 100 + 1)).collect()).collect();
    let mut far = vec![usize::MAX; nodes];
    let mut queue = BinaryHeap::from([Reverse((0, 0))]);
    while let Some(Reverse((length, at))) = queue.pop() {
        if length < far[at] {
            far[at] = length;
            queue.extend(edges[at].iter().map(|(to, more)| Reverse((length + more, *to))));
        }
    }
    println!("{}", far.iter().filter(|length| **length != usize::MAX).max().unwrap());
}
