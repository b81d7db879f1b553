//! Whether the same program reports the same time, under load: rounds of plain runs, of our rule, and of `runexec`, as raw
//! numbers.

use anyhow::{Context, bail, ensure};
use clap::Args;
use labs::{
    CpuTerms, LoadSet, PROGRAMS, Ready, Size, Testbed, TestbedOptions, Workshop, in_turns, rule_outcome,
};
use languages::Languages;
use model::{Nanos, RunResult};
use ruling::RuleNumbers;
use sandbox::{PROGRAM, RootView};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use timing::IfTaken;

/// How long all runs of our rule in a round may wait for a calm core together.
const PATIENCE: Nanos = Nanos::from_millis(60_000);
const PATIENCE_IN_A_HURRY: Nanos = Nanos::from_millis(5_000);

/// What is measured.
#[derive(Args)]
pub struct TimeRound {
    /// How large the programs are
    #[arg(long)]
    quick: bool,
    /// How many rounds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// The product, which is the load
    #[arg(long, value_name = "FILE")]
    tauto: PathBuf,
    /// Put loads on every CPU, and not just on all but the leased one
    #[arg(long)]
    load_everywhere: bool,
    /// After each round, also time each program by this runexec, under the same load
    #[arg(long, value_name = "FILE")]
    runexec: Option<PathBuf>,
}

/// Measures some rounds under load and prints a line of JSON about the place, and one for each round as soon as it is
/// done.
pub fn rounds(arguments: &TimeRound) -> anyhow::Result<()> {
    let (size, patience) =
        if arguments.quick { (Size::Quick, PATIENCE_IN_A_HURRY) } else { (Size::Usual, PATIENCE) };
    let languages = Languages::builtin();
    let extra = languages.iter().flat_map(|language| language.mounts.iter().cloned()).collect();
    let root = RootView::Host { extra };
    let mut testbed = Testbed::open(TestbedOptions { root, if_taken: IfTaken::Refuse, stop: None })?;
    let mut warnings = testbed.warnings().to_vec();
    cpus::stay_on(testbed.helper_cpus())?;
    let workshop = Workshop::make(&mut testbed, size, &PROGRAMS)?;
    warnings.extend(workshop.left_out.iter().map(|(name, why)| format!("{name} is left out: {why}")));
    let free = testbed.take_neighbours()?;
    ensure!(!free.is_empty(), "there is no CPU for a load: this machine has one, or others hold the rest");
    let everywhere = arguments.load_everywhere;
    let cpus = if everywhere { free.iter().chain(testbed.cpus().iter()).collect() } else { free };
    let mut loads = LoadSet::start(&cpus, everywhere, &arguments.tauto, &["internal", "load"])?;
    loads.work(true)?;
    let cpu = testbed.cpus().to_string();
    println!("{}", json!({ "cpus": cpu, "load": loads.words(), "warnings": warnings }));
    // A virtual machine's memory changes under the first round: the lowest times of `chase` spread by 8.4 % with it and by
    // 3.5 % without.
    let settling = u32::from(!arguments.quick);
    for round in 0..settling + arguments.rounds {
        let samples = samples(&workshop.ready, &mut testbed, patience)?;
        if round < settling {
            continue;
        }
        // Another tool cannot have a CPU that a slot of ours holds.
        testbed.close();
        let programs: Vec<Value> = samples
            .into_iter()
            .zip(&workshop.ready)
            .map(|(mut sampled, ready)| {
                sampled["runexec"] =
                    match arguments.runexec.as_deref().map(|path| peer_time(path, ready, &cpu)) {
                        Some(Ok(time_ns)) => json!({ "cpu_time_ns": time_ns }),
                        Some(Err(error)) => json!({ "failed": format!("{error:#}") }),
                        None => Value::Null,
                    };
                sampled
            })
            .collect();
        println!("{}", json!({ "programs": programs }));
    }
    Ok(())
}

/// Takes one round: each program's time by our rule, and as many plain runs. Runs of our rule wait for an undisturbed core,
/// all together no longer than `patience`.
fn samples(programs: &[Ready], testbed: &mut Testbed, mut patience: Nanos) -> anyhow::Result<Vec<Value>> {
    let mut plain_ns: Vec<Vec<u64>> = vec![Vec::new(); programs.len()];
    // Both arms run equally often and in turns.
    let ruled = in_turns(programs.len(), rule_outcome, |wanted| {
        for at in wanted {
            plain_ns[*at].push(programs[*at].run(testbed, CpuTerms::Anywhere)?.usage.cpu_time.0);
        }
        let ours = wanted.iter().map(|at| {
            let (run, waited) = programs[*at].run_when_calm(testbed, CpuTerms::Own, patience)?;
            patience = patience.saturating_sub(waited);
            Ok(run)
        });
        ours.collect()
    })?;
    let calm = |run: &&RunResult| {
        run.evidence.core_slowdown.known().is_some_and(|slowdown| *slowdown < RuleNumbers::CURRENT.slow_core)
    };
    let each = programs.iter().zip(plain_ns).zip(ruled).map(|((ready, plain_ns), (runs, outcome))| {
        json!({
            "name": ready.program.name,
            "plain_ns": plain_ns,
            "ours_ns": runs.iter().map(|run| run.usage.cpu_time.0).collect::<Vec<_>>(),
            "calm": runs.iter().filter(calm).count(),
            "agreed": outcome.agreed,
        })
    });
    Ok(each.collect())
}

/// Times a program by BenchExec's runner, on the leased CPU; gives the CPU time that it reports.
fn peer_time(runexec: &Path, ready: &Ready, cpu: &str) -> anyhow::Result<u64> {
    let folder = ready
        .plan
        .mounts
        .iter()
        .find(|mount| mount.target == PROGRAM)
        .context("the program has no folder")?;
    let here = folder.source.display().to_string();
    let argv = ready.plan.argv.iter().map(|word| match word.strip_prefix(PROGRAM) {
        Some(rest) => format!("{here}{rest}"),
        None => word.clone(),
    });
    let output = Command::new(runexec)
        .args(["--no-container", "--cores", cpu, "--output", "/dev/null", "--"])
        .args(argv)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", runexec.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    if field("returnvalue") != Some("0") {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}", words.lines().next_back().unwrap_or("it printed no error"));
    }
    let seconds = field("cputime").and_then(|text| text.trim_end_matches('s').parse::<f64>().ok());
    Ok((seconds.context("runexec printed no cputime")? * 1e9) as u64)
}
