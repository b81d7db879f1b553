//! Traces that are made up, to see how fast a simulation is. They are written as they are drawn: memory does not depend on
//! their length.

use super::import::{About, Summary};
use super::{Head, HostRecord, JobRecord, Record, TraceError, Writer};
use placement::{Amount, Level};
use stats::Dice;
use std::io::Write;

/// Jobs arrive within a day.
const DAY_MS: u64 = 24 * 3600 * 1000;
const MINUTE_MS: u64 = 60_000;
/// CPUs of hosts, in turn, and their NUMA nodes.
const HOSTS: [(u32, u32); 3] = [(16, 1), (32, 1), (64, 2)];
const HOST_MIB_PER_CPU: u32 = 4096;
const REQUESTS: [u32; 3] = [1, 2, 4];
const JOB_MIB_PER_CPU: u32 = 2048;
const SERVICES: usize = 1000;
const STRICT_PERCENT: usize = 5;
const BEST_EFFORT_PERCENT: usize = 20;

/// What is made up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub hosts: u32,
    pub jobs: u64,
    pub seed: u64,
    /// How long a job runs on average, as exponentially distributed; at least a minute.
    pub life_minutes: u32,
    /// How often the use of a job changes, its start counted.
    pub uses: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { hosts: 1000, jobs: 100_000, seed: 1, life_minutes: 120, uses: 20 }
    }
}

pub fn generate<W: Write>(options: &Options, about: &About, target: W) -> Result<Summary, TraceError> {
    let About { name, made_by } = about.clone();
    let note = format!("All made up: {options:?}.");
    let mut writer = Writer::create(target, &Head { name, made_by, separate_days: false, note })?;
    for number in 0..options.hosts {
        let (cpus, numa_nodes) = HOSTS[number as usize % HOSTS.len()];
        let capacity = Amount { cpu_milli: cpus * 1000, memory_mib: cpus * HOST_MIB_PER_CPU };
        let host = HostRecord::new(format!("h{number}"), capacity);
        writer.write(&Record::Host(HostRecord { numa_nodes, threads: 2, ..host }))?;
    }
    let mut dice = Dice::new(options.seed);
    for number in 0..options.jobs {
        // A job in each of equal parts of the day: sorted without holding them.
        let part = u128::from(number) * u128::from(DAY_MS) + dice.below(DAY_MS as usize) as u128;
        let at_ms = (part / u128::from(options.jobs)) as u64;
        writer.write(&Record::Job(draw(number, at_ms, options, &mut dice)))?;
    }
    writer.finish()?;
    Ok(Summary { hosts: options.hosts.into(), jobs: options.jobs, remarks: Vec::new() })
}

fn draw(number: u64, at_ms: u64, options: &Options, dice: &mut Dice) -> JobRecord {
    let cpus = REQUESTS[dice.below(REQUESTS.len())];
    let request = Amount { cpu_milli: cpus * 1000, memory_mib: cpus * JOB_MIB_PER_CPU };
    let mut job = JobRecord::new(format!("j{number}"), at_ms, request);
    job.service = Some(format!("s{}", dice.below(SERVICES)));
    (job.level, job.elastic) = match dice.below(100) {
        drawn if drawn < STRICT_PERCENT => (Level::Strict, false),
        drawn if drawn < STRICT_PERCENT + BEST_EFFORT_PERCENT => (Level::BestEffort, true),
        _ => (Level::Standard, false),
    };
    let for_ms = exponential(u64::from(options.life_minutes) * MINUTE_MS, dice).max(MINUTE_MS);
    job.for_ms = Some(for_ms);
    let step = for_ms / u64::from(options.uses.max(1));
    // Too many changes for the time are fewer.
    let uses = if step == 0 { 0 } else { u64::from(options.uses) };
    for change in 0..uses {
        let offset = if change == 0 { 0 } else { change * step + dice.below(step as usize) as u64 };
        let percent = 10 + dice.below(91) as u32;
        job.uses.push((offset, cpus * 10 * percent));
    }
    job
}

/// Draws from the exponential distribution of a mean with comparisons only (von Neumann, "Various Techniques Used in Connection
/// With Random Digits", 1951): a logarithm differs between machines.
fn exponential(mean: u64, dice: &mut Dice) -> u64 {
    const UNIT: usize = 1 << 32;
    let mut whole = 0;
    loop {
        let first = dice.below(UNIT);
        let (mut last, mut falling) = (first, 1);
        loop {
            let next = dice.below(UNIT);
            if next >= last {
                break;
            }
            (last, falling) = (next, falling + 1);
        }
        if falling % 2 == 1 {
            let product = u128::from(mean) * (whole * UNIT as u128 + first as u128);
            return (product >> 32) as u64;
        }
        whole += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Reader;

    fn made(options: Options) -> Vec<u8> {
        let mut bytes = Vec::new();
        let about = About { name: "made".to_owned(), made_by: "test".to_owned() };
        generate(&options, &about, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn generated_shares_follow_the_options() {
        let options = Options { hosts: 9, jobs: 2000, ..Options::default() };
        let bytes = made(options);
        assert!(bytes == made(options) && bytes != made(Options { seed: 2, ..options }));
        let mut reader = Reader::open(&bytes[..]).unwrap();
        let (mut hosts, mut strict, mut best_effort, mut early) = (0, 0, 0, 0);
        while let Some(record) = reader.next().unwrap() {
            let Record::Job(job) = record else {
                hosts += 1;
                continue;
            };
            assert_eq!(job.uses.len(), 20);
            let request = job.cpu_milli;
            assert!(job.uses.iter().all(|(_, cpu)| (request / 10..=request).contains(cpu)), "{job:?}");
            assert_eq!(job.elastic, job.level == Level::BestEffort);
            strict += u32::from(job.level == Level::Strict);
            best_effort += u32::from(job.elastic);
            early += u32::from(job.at_ms < DAY_MS / 2);
        }
        assert_eq!((hosts, early), (9, 1000));
        // Five standard deviations; the seed is fixed, so this holds always or never.
        assert!((52..148).contains(&strict) && (311..489).contains(&best_effort), "{strict} {best_effort}");
    }

    #[test]
    fn extremes_make_traces_too() {
        let none = Options { hosts: 0, jobs: 0, seed: 0, life_minutes: 0, uses: 0 };
        assert_eq!(made(none).iter().filter(|byte| **byte == b'\n').count(), 2);
        let dense = Options { hosts: 1, jobs: 2, life_minutes: 1, uses: 90_000, ..none };
        for options in [dense, Options { uses: 60_000, ..dense }, Options { uses: 1, ..dense }] {
            let bytes = made(options);
            let mut reader = Reader::open(&bytes[..]).unwrap();
            while reader.next().unwrap().is_some() {}
        }
    }

    #[test]
    fn lives_are_exponential() {
        let mut dice = Dice::new(1);
        let mut drawn: Vec<u64> = (0..100_000).map(|_| exponential(1_000_000, &mut dice)).collect();
        drawn.sort_unstable();
        // Five standard errors: of the mean, and of the shares below ln 2 and ln 10, which are 1/2 and 9/10.
        let mean = drawn.iter().sum::<u64>() / 100_000;
        assert!((984_000..1_016_000).contains(&mean), "{mean}");
        for (below, expected) in [(693_147, 50_000), (2_302_585, 90_000)] {
            let count = drawn.partition_point(|value| *value < below);
            assert!(count.abs_diff(expected) < 800, "{count} below {below}");
        }
    }
}
