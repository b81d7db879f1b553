//! The time of one program in pods and on the machine itself, in turns on each CPU.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use stats::{Sample, median_ratio_interval};
use xtask::fleet::{Node, wait_for};
use xtask::process;

use super::{Demo, NAMESPACE, Person};

/// Most of its time is computing.
const PROBLEM: &str = "problems/sieve";
const PROGRAM: &str = "problems/sieve/submissions/accepted/sieve.c";
/// A judgehost ends its work, or tests itself and is let in.
const TURN_WITHIN: Duration = Duration::from_secs(180);

/// CPU times in milliseconds.
#[derive(Default)]
struct Times {
    in_pod: Vec<f64>,
    on_host: Vec<f64>,
}

impl Demo<'_> {
    /// While one node's judgehost is drained, its CPU is the machine's own; then the other one's.
    pub(super) fn compare_times(&self, admin: &Person, nodes: &[Node], rounds: u32) -> Result<()> {
        let mut times = Times::default();
        for (judging, drained) in [(&nodes[0], &nodes[1]), (&nodes[1], &nodes[0])] {
            self.set_state(&["drain", drained.name], drained, "Drained")?;
            for _ in 0..rounds {
                times.in_pod.push(self.in_pod(admin, judging)?);
                times.on_host.push(self.on_host()?);
            }
            self.set_state(&["drain", drained.name, "--undo"], drained, "Ready")?;
        }
        let Times { in_pod, on_host } = times;
        let (in_pod, on_host) = (Sample::new(in_pod)?, Sample::new(on_host)?);
        println!("\nCPU time of {PROGRAM}, the slowest case, in turns, {} times each:", in_pod.count());
        for (place, times) in [("in a pod", &in_pod), ("on the machine", &on_host)] {
            let [low, median, high] = [0.25, 0.5, 0.75].map(|part| times.quantile(part));
            println!("  {place:<15} median {median:.3} ms, middle half {low:.3} to {high:.3} ms");
        }
        let ratio = median_ratio_interval(&on_host, &in_pod, 0.95, 1);
        let median = in_pod.median() / on_host.median();
        println!("  pod / machine   {median:.4}, 95 % interval {:.4} to {:.4}", ratio.low, ratio.high);
        Ok(())
    }

    fn set_state(&self, arguments: &[&str], node: &Node, state: &str) -> Result<()> {
        process::read(&mut self.tauto_fleet(&[&["fleet"], arguments].concat()))?;
        let is_so = || {
            self.calibrate_again()?;
            let found = self.control.get(&["judgenode", node.name, "-n", NAMESPACE])?;
            Ok((found["status"]["state"] == state).then_some(()))
        };
        wait_for(&format!("{} is {state}", node.name), TURN_WITHIN, is_so).inspect_err(|_| self.explain())?;
        Ok(())
    }

    /// Returns the CPU time of the slowest case in milliseconds, judged for the contest.
    fn in_pod(&self, admin: &Person, node: &Node) -> Result<f64> {
        let sent = admin.json(&["submit", "--problem", "E", PROGRAM])?;
        let id = sent["id"].as_str().context("a submission without an id")?.to_owned();
        let find = || {
            let shown = admin.json(&["submission", "show", &id])?;
            Ok(Some(shown).filter(|shown| shown["judgements"][0]["judgement_type_id"].is_string()))
        };
        let (shown, _) = wait_for("the program is judged", TURN_WITHIN, find)?;
        let judgehost = &shown["details"][0]["judgehost"];
        ensure!(*judgehost == node.name, "{judgehost} judged, not {}", node.name);
        Ok(shown["judgements"][0]["max_run_time"].as_f64().context("no time")? * 1e3)
    }

    /// Returns the same by the command line, outside of all pods.
    fn on_host(&self) -> Result<f64> {
        let mut tauto = Command::new(&self.tauto);
        tauto.args(["judge", PROBLEM, PROGRAM, "--all", "--json", "--image", "judge/base:bookworm"]);
        tauto.env("TAUTO_IMAGES", self.work.join("store")).current_dir(self.root);
        let judged: Value = serde_json::from_str(&process::read(&mut tauto)?)?;
        let ns = judged["submissions"][0]["slowest"]["cpu_time_ns"].as_f64().context("no time")?;
        Ok(ns / 1e6)
    }
}
