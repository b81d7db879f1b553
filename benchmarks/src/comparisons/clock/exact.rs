//! Whether counts and limits are exact while all CPUs are busy.

use super::counted::run;
use super::programs::Program;
use crate::child::Busy;
use crate::figure::{Figure, figure};
use anyhow::{Result, ensure};
use documents::RunStatus;
use std::path::Path;

/// Counts each program again and again, and runs it as often with limits slightly above and below its count.
pub fn figures(tauto: &Path, folder: &Path, programs: &[Program], rounds: u32) -> Result<Vec<Figure>> {
    let _busy = Busy::begin(cpus::allowed_cpus()?.len())?;
    let mut figures = Vec::new();
    let (mut within, mut beyond, mut of) = (0, 0, 0);
    for program in programs {
        let counts: Vec<u64> =
            (0..rounds).map(|_| Ok(run(tauto, folder, None, &program.command)?.1)).collect::<Result<_>>()?;
        let (lowest, highest) = (counts.iter().min().copied(), counts.iter().max().copied());
        let (lowest, highest) = (lowest.unwrap_or(0), highest.unwrap_or(0));
        ensure!(lowest > 0, "{} executed no instruction", program.name);
        let what = format!("{}, {lowest} instructions: highest less lowest of {rounds} counts", program.name);
        figures
            .push(figure(format!("spread_{}", program.name), what, (highest - lowest) as f64, "").under(0.5));
        // 99.9 % of this limit, and 100.1 % of that one.
        let (above, below) = (lowest * 1000 / 999 + 1, lowest * 1000 / 1001);
        for _ in 0..rounds {
            of += 1;
            within += u32::from(run(tauto, folder, Some(above), &program.command)?.0 == RunStatus::Ok);
            let ended = run(tauto, folder, Some(below), &program.command)?.0;
            beyond += u32::from(ended == RunStatus::TimeLimitExceeded);
        }
        eprintln!("bench: {}: {lowest} to {highest}; within {within}, beyond {beyond} of {of}", program.name);
    }
    let all = f64::from(of);
    figures.push(
        figure("accepted", format!("at 99.9 % of the limit, accepted of {of}"), f64::from(within), "")
            .over(all - 0.5),
    );
    figures.push(
        figure("over", format!("at 100.1 % of the limit, TLE of {of}"), f64::from(beyond), "")
            .over(all - 0.5),
    );
    Ok(figures)
}
