//! Options of `tauto noise report`.

use super::predict::compute_time;
use super::trace::TraceArguments;
use ::noise::model::{Scenario, ScenarioError};
use clap::Args;
use model::Nanos;
use std::path::PathBuf;

pub const REPORT_EXAMPLES: &str = "\
The page is report.html in the folder, self-contained; report.json next to it has the numbers. It shows \
the cost of each source for one process and for 100 to 1 000 000 that wait for their neighbours after each T_C of computing, \
which settings of 'tauto machine check' would remove it, and what no setting of this machine removes. With --before, it \
says what has changed since then, and whether chance would explain it.

Exit code: 0; 2 if a file cannot be read or holds no profile; 3 internal or system error.

Examples:
  tauto noise report here.noise
  tauto noise report here.noise --tc 1ms
  tauto noise report tuned.noise --before untuned.noise --out what-tuning-did";

// Options of `tauto noise report`.
#[derive(Debug, Args)]
pub struct NoiseReportArguments {
    /// Profile written by 'tauto noise probe -o', or a trace of osnoise, timerlat, sysjitter, netgauge, FTQ or FWQ
    #[arg(value_name = "P.noise")]
    pub profile: PathBuf,
    /// As for a trace of another program.
    #[command(flatten)]
    pub trace: TraceArguments,
    /// A profile of the same machine from before a change
    #[arg(long, value_name = "Q.noise")]
    pub before: Option<PathBuf>,
    /// How long a process computes between two exchanges with its neighbours
    #[arg(long, value_name = "TIME", default_value = "100us", value_parser = iteration)]
    pub tc: Nanos,
    /// Folder for the page
    #[arg(long, value_name = "DIR", default_value = "noise-report")]
    pub out: PathBuf,
}

fn iteration(text: &str) -> Result<Nanos, String> {
    let time = compute_time(text)?;
    match Scenario::article(time.0 as f64, Vec::new()).check() {
        Err(error @ ScenarioError::Compute(_)) => Err(error.to_string()),
        _ => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_those_that_can_be_predicted() {
        assert_eq!(iteration("75us"), Ok(Nanos::from_micros(75)));
        assert_eq!(
            iteration("1ns"),
            Err("a T_C of 1 ns is out of range; give from 100 ns to 1 min".to_owned())
        );
        assert_eq!(iteration("75"), Err("the T_C '75' has no unit; write 75us (or 75ns, 75ms)".to_owned()));
        assert!(iteration("2min").is_err() && iteration("soon").is_err());
    }
}
