// Threads and a channel.
use std::sync::mpsc::channel;
use std::thread;

fn main() {
    let (sender, receiver) = channel();
    let threads: Vec<_> = (0..8)
        .map(|part: i64| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(part * part).expect("an open channel"))
        })
        .collect();
    drop(sender);
    for thread in threads {
        thread.join().expect("no panic");
    }
    println!("{}", receiver.iter().sum::<i64>());
}
