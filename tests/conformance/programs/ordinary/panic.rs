// An index out of range panics; the process exits 101.
fn main() {
    let values = vec![1, 2, 3];
    let index = std::env::args().count() + 2;
    println!("{}", values[index]);
}
