//! How much a run can signal to the next by the kernel's counter of inode numbers: a measurement, without a verdict.

use crate::own_cpus;
use anyhow::{Context, Result, ensure};
use model::{Bytes, CpuSet, Nanos, RunEnd};
use sandbox::{Mount, PROGRAM, Ran, RootView, RunIo, RunPlan, SeccompClass, Slot, SlotOptions, Workspace};
use std::fs;
use std::path::Path;

const SYMBOLS: usize = 4;
const MESSAGES: usize = 60;
const PERIODS: [u32; 6] = [64, 256, 512, 1024, 4096, 16384];
/// What a run of 0.1 s can do.
const LONGEST: u32 = 65536;

/// Measures and prints a table: for each period the mutual information of what was sent and received, and the median time to
/// send. The estimate is too high by some 0.1 bits for so few messages.
pub fn measure(suite: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    own_cpus::compile(&suite.join("programs/number_channel.c"), scratch.path())?;
    sandbox::enter_private_mounts()?;
    let place = Workspace::new(Bytes::from_mib(8), 100)?;
    let program = place.folder("program")?;
    fs::copy(scratch.path().join("program"), program.join("program"))?;
    let mut slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    let mut random = 1_u64;
    println!("{:>7}  {:>5}  {:>12}", "period", "bits", "time to send");
    for period in PERIODS.into_iter().chain([LONGEST]) {
        let (mut counts, mut times) = ([[0_u32; SYMBOLS]; SYMBOLS], Vec::new());
        for _ in 0..MESSAGES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let symbol = (random >> 62) as usize;
            times.push(run(&mut slot, &program, period, Some(symbol))?.result.usage.cpu_time);
            let received = String::from_utf8(run(&mut slot, &program, period, None)?.stdout)?;
            counts[symbol][received.trim().parse::<usize>()?] += 1;
        }
        times.sort_unstable();
        let time: Nanos = times[MESSAGES / 2];
        println!("{period:>7}  {:>5.2}  {:>12}", bits(&counts), time.to_string());
    }
    Ok(())
}

fn run(slot: &mut Slot, program: &Path, period: u32, symbol: Option<usize>) -> Result<Ran> {
    let words = [format!("{PROGRAM}/program"), period.to_string(), SYMBOLS.to_string()];
    let mut plan = RunPlan::new(words.into_iter().chain(symbol.map(|symbol| symbol.to_string())).collect());
    plan.seccomp = SeccompClass::Native;
    // The kernel counts for each CPU.
    plan.cpus = Some("0".parse::<CpuSet>()?);
    plan.mounts.push(Mount { source: program.to_owned(), target: PROGRAM.to_owned(), writable: false });
    let ran = slot.run(&plan, RunIo::captured(sandbox::Input::Empty)).context("a run of the channel")?;
    ensure!(ran.result.end == RunEnd::Exited(0), "the program ended with {}", ran.result.end);
    Ok(ran)
}

/// Returns the mutual information of two symbols, by how often each pair was seen.
fn bits(counts: &[[u32; SYMBOLS]; SYMBOLS]) -> f64 {
    let all = f64::from(counts.iter().flatten().sum::<u32>());
    let sent = |at: usize| f64::from(counts[at].iter().sum::<u32>());
    let received = |at: usize| f64::from(counts.iter().map(|row| row[at]).sum::<u32>());
    let pairs = (0..SYMBOLS).flat_map(|one| (0..SYMBOLS).map(move |other| (one, other)));
    let term = |(one, other): (usize, usize)| match f64::from(counts[one][other]) {
        0.0 => 0.0,
        seen => seen / all * (seen * all / (sent(one) * received(other))).log2(),
    };
    pairs.map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_symbols_carry_two_bits_and_others_none() {
        let mut equal = [[0; SYMBOLS]; SYMBOLS];
        (0..SYMBOLS).for_each(|at| equal[at][at] = 15);
        assert!((bits(&equal) - 2.0).abs() < 1e-9);
        assert!(bits(&[[15; SYMBOLS]; SYMBOLS]).abs() < 1e-9);
    }
}
