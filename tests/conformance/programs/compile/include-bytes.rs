// Reads secrets and the environment into the program at compile time.
fn main() {
    println!("{:?} {}", include_bytes!("/etc/shadow"), env!("TAUTO_SECRET"));
}
