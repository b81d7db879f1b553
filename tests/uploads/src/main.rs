//! Changes inputs at random for some time, and says which input took the longest: `uploads SECONDS [TARGET] [SEED]`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool of developers")]

use std::process::ExitCode;
use std::time::{Duration, Instant};
use uploads::{Mutator, TARGETS};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, rest @ ..] = &arguments[..] else {
        eprintln!("usage: uploads SECONDS [TARGET] [SEED]");
        return ExitCode::from(2);
    };
    let seconds: u64 = seconds.parse().unwrap_or(10);
    let seed = rest.get(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let chosen: Vec<_> =
        TARGETS.iter().filter(|target| rest.first().is_none_or(|name| name == target.name)).collect();
    for target in &chosen {
        let mut mutator = Mutator::new((target.seeds)(), seed);
        let (began, mut count, mut slowest) = (Instant::now(), 0, (Duration::ZERO, Vec::new()));
        while began.elapsed() < Duration::from_secs(seconds) / chosen.len() as u32 {
            let input = mutator.next_input();
            let start = Instant::now();
            if std::panic::catch_unwind(|| (target.read)(&input)).is_err() {
                let path = std::env::temp_dir().join(format!("uploads-{}-{seed}-{count}", target.name));
                let kept = std::fs::write(&path, &input);
                eprintln!("{}: panics with input {count}, kept in {}: {kept:?}", target.name, path.display());
                return ExitCode::FAILURE;
            }
            let time = start.elapsed();
            if time > slowest.0 {
                slowest = (time, input);
            }
            count += 1;
        }
        let (time, input) = slowest;
        let path = std::env::temp_dir().join(format!("uploads-{}-slowest", target.name));
        let kept = std::fs::write(&path, &input)
            .map_or_else(|error| error.to_string(), |()| path.display().to_string());
        println!(
            "{}: {count} inputs; the slowest, of {} bytes, took {time:?}: {kept}",
            target.name,
            input.len()
        );
    }
    ExitCode::SUCCESS
}
