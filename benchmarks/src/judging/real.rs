//! One judgehost that compiles and runs programs in its sandbox.

use super::load::Load;
use super::site::{Site, TRIVIAL};
use crate::child::KilledOnDrop;
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use stats::Sample;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Submissions one after the other on an idle machine.
const SINGLE: usize = 30;
/// Programs of a second that wait together.
const LONG: usize = 100;
/// What a submission may take at most before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(300);
const SUBMIT_TO_VERDICT_S: f64 = 1.0;
const ALL_ELSE_MS: f64 = 50.0;
const BUSY_PERCENT: f64 = 80.0;
/// From submission to first verdict at the World Finals 2024: 1,606 submissions of 130 teams.
const FINALS_P99_S: f64 = 22.0;

pub struct Host {
    _child: KilledOnDrop,
    events: Receiver<(Instant, Value)>,
}

impl Host {
    pub fn start(tauto: &Path, site: &Site, folder: &tempfile::TempDir, more: &[&str]) -> Result<Self> {
        let mut command = Command::new(tauto);
        command.args(["judgehost", "--json", "--server", &site.url, "--token"]).arg(site.token_in(folder)?);
        command.arg("--cache").arg(folder.path().join("cache")).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().context("start tauto judgehost")?;
        let output = child.stdout.take().context("no output")?;
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or(Value::Null);
                if sender.send((Instant::now(), event)).is_err() {
                    return;
                }
            }
        });
        let mut host = Self { _child: KilledOnDrop(child), events };
        host.wait_for("registered")?;
        Ok(host)
    }

    fn wait_for(&mut self, kind: &str) -> Result<(Instant, Value)> {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let (at, event) = self.events.recv_timeout(left).with_context(|| format!("no event {kind}"))?;
            match event["kind"].as_str() {
                Some(found) if found == kind => return Ok((at, event)),
                Some("failed" | "warning" | "lost") => eprintln!("{event}"),
                _ => {}
            }
        }
    }

    /// Returns the next `count` jobs whose results the server has.
    fn results(&mut self, count: usize) -> Result<HashMap<String, JudgedJob>> {
        let mut judged: HashMap<String, Value> = HashMap::new();
        let mut done = HashMap::new();
        let end = Instant::now() + PATIENCE;
        while done.len() < count {
            let left = end.saturating_duration_since(Instant::now());
            let (at, event) = self.events.recv_timeout(left).context("a result is missing")?;
            let job = event["job"].as_str().unwrap_or_default().to_owned();
            match event["kind"].as_str() {
                Some("judged") => {
                    judged.insert(job, event);
                }
                Some("delivered") => {
                    let event = judged.remove(&job).context("delivered before it was judged")?;
                    let ms = |name: &str| event["spent"][name].as_f64().unwrap_or(0.0) / 1000.0;
                    let (compiling_ms, running_ms) = (ms("compiling_us"), ms("running_us"));
                    let verdict = event["verdict"].as_str().unwrap_or_default().to_owned();
                    done.insert(job, JudgedJob { at, verdict, compiling_ms, running_ms });
                }
                Some("failed" | "dropped" | "returned") => bail!("{event}"),
                _ => {}
            }
        }
        Ok(done)
    }
}

struct JudgedJob {
    at: Instant,
    verdict: String,
    compiling_ms: f64,
    running_ms: f64,
}

/// Measures single submissions, the load of the World Finals, and a queue of long programs.
pub fn one_host(tauto: &Path) -> Result<Vec<Figure>> {
    let site = Site::start()?;
    site.contest("default", None)?;
    let folder = tempfile::tempdir()?;
    let mut host = Host::start(tauto, &site, &folder, &["--places", "1"])?;
    // The package is fetched and made ready.
    site.submit(0, TRIVIAL)?;
    host.results(1)?;
    let mut rows = single(&site, &mut host)?;
    rows.extend(finals(&site, &mut host)?);
    rows.extend(long(&site, &mut host)?);
    Ok(rows)
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn single(site: &Site, host: &mut Host) -> Result<Vec<Figure>> {
    let (mut all, mut compiling, mut running, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..SINGLE {
        let asked = Instant::now();
        site.submit(number, TRIVIAL)?;
        for done in host.results(1)?.into_values() {
            let took = ms(done.at.saturating_duration_since(asked));
            all.push(took / 1000.0);
            compiling.push(done.compiling_ms);
            running.push(done.running_ms);
            rest.push(took - done.compiling_ms - done.running_ms);
        }
    }
    let [all, compiling, running, rest] = [all, compiling, running, rest].map(Sample::new);
    let (all, compiling, running, rest) = (all?, compiling?, running?, rest?);
    let what = |what: &str| format!("a trivial C program on an idle machine: {what}");
    Ok(vec![
        figure("single_p50", what("submit to verdict, p50"), all.median(), "s").under(SUBMIT_TO_VERDICT_S),
        figure("single_compile_p50", what("of which compiling"), compiling.median(), "ms"),
        figure("single_run_p50", what("of which its runs"), running.median(), "ms"),
        figure("single_rest_p50", what("all else"), rest.median(), "ms").under(ALL_ELSE_MS),
        figure("single_rest_p90", what("all else, p90"), rest.quantile(0.9), "ms"),
    ])
}

fn finals(site: &Site, host: &mut Host) -> Result<Vec<Figure>> {
    let load = Load::finals(1);
    let begin = Instant::now();
    let mut sent = HashMap::new();
    for (number, at) in load.at.iter().enumerate() {
        std::thread::sleep(at.saturating_sub(begin.elapsed()));
        let asked = Instant::now();
        let id = site.submit(number, TRIVIAL)?;
        sent.insert(format!("load/{id}-1"), asked);
    }
    let done = host.results(sent.len())?;
    let accepted = done.values().filter(|done| done.verdict == "AC").count();
    let waits = sent
        .iter()
        .filter_map(|(job, asked)| Some(done.get(job)?.at.saturating_duration_since(*asked).as_secs_f64()))
        .collect();
    let waits = Sample::new(waits)?;
    let what = |what: &str| format!("World Finals' load (80 a minute, 23 in 10 s), one place: {what}");
    let lost = sent.len() - accepted;
    Ok(vec![
        figure("finals_lost", what("lost"), lost as f64, "").under(0.5),
        figure("finals_p50", what("submit to verdict, p50 (theirs: 5.7 s)"), waits.median(), "s"),
        figure("finals_p99", what("p99 (theirs: 22 s)"), waits.quantile(0.99), "s").under(FINALS_P99_S),
    ])
}

fn long(site: &Site, host: &mut Host) -> Result<Vec<Figure>> {
    let begin = Instant::now();
    for number in 0..LONG {
        site.submit(number, ONE_SECOND)?;
    }
    let done = host.results(LONG)?;
    let end = done.values().map(|done| done.at).max().unwrap_or(begin);
    let busy_ms: f64 = done.values().map(|done| done.running_ms).sum();
    let percent = busy_ms / ms(end.saturating_duration_since(begin)) * 100.0;
    let what = "100 programs of 1 s wait: share of the time in which the timed core runs one";
    Ok(vec![figure("long_busy", what, percent, "%").over(BUSY_PERCENT)])
}

/// Computes for a second of CPU time before it answers the first case it is given; others at once.
const ONE_SECOND: &str = "\
#include <stdio.h>
#include <time.h>
int main(void) {
  int n;
  scanf(\"%d\", &n);
  if (n == 2)
    while (clock() < CLOCKS_PER_SEC) {}
  printf(\"%d\\n\", n + 1);
}
";
