//! Kubernetes' scheduler with the placement of this project, on a cluster of made-up nodes: how fast it is beside the one
//! that Kubernetes brings, and whether the simulator repeats its decisions.

use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail, ensure};
use placement::policy::Policy;
use serde_json::{Value, json};
use simulator::run::{Run, plain_options};
use simulator::trace::{Reader, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::fleet::{self, Control, wait_for};
use xtask::process;

const NODES: u32 = 1_000;
/// Where the plugin serves its trace, and where each scheduler serves its metrics.
const PLUGIN: &str = "http://127.0.0.1:10270";
const METRICS: &str = "https://127.0.0.1:10259/metrics";
/// Pods that a file for kubectl has.
const CHUNK: u32 = 1_000;
const CREATED_WITHIN: Duration = Duration::from_secs(300);
const BOUND_WITHIN: Duration = Duration::from_secs(600);
/// Where rates are taken: at the beginning a scheduler starts, at the end the queue runs dry.
const RATE: std::ops::Range<f64> = 0.1..0.9;
const LOOK_EVERY: Duration = Duration::from_millis(100);
const RATIO_MIN: f64 = 0.8;
const DECISION_US: f64 = 200.0;
/// The policy without a ConfigMap. Kubernetes' own default is to spread, too.
const POLICY: &str = "spread";

/// What one scheduler did.
struct Outcome {
    pods_a_second: f64,
    /// Where each pod went.
    places: BTreeMap<String, String>,
    /// Its metrics at the end.
    metrics: String,
    trace: Option<String>,
}

pub fn measure(tauto: &Path, pods: u32, rounds: u32) -> Result<Vec<Figure>> {
    let programs = fleet::programs()?;
    for name in ["kube-scheduler", "kube-scheduler-tautochrone"] {
        ensure!(programs.join(name).is_file(), "there is no {name}: run 'tools/install fleet' first");
    }
    fleet::enter_namespaces()?;
    let folder = tempfile::tempdir_in("/var/tmp")?;
    let mut control = Control::start(&folder.path().join("cluster"), &programs)?;
    control.daemons.kill("kube-scheduler");
    fleet::fake_nodes(&mut control, NODES, &json!({}))?;
    let (mut usual, mut own) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        usual.push(schedule(&mut control, tauto, "kube-scheduler", pods, false)?);
        own.push(schedule(&mut control, tauto, "kube-scheduler-tautochrone", pods, true)?);
    }
    let rate = |outcomes: &[Outcome]| {
        let mut rates: Vec<f64> = outcomes.iter().map(|outcome| outcome.pods_a_second).collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let (mut differences, mut decided, mut given) = (0, 0, 0);
    for outcome in &own {
        let trace = outcome.trace.as_deref().context("no trace")?;
        let simulated = simulate(trace)?;
        // What was recorded with its node says nothing about decisions.
        let with_node = with_node(trace)?;
        given += with_node.len();
        for (pod, node) in outcome.places.iter().filter(|(pod, _)| !with_node.contains(*pod)) {
            decided += 1;
            let expected = simulated.get(pod);
            if expected != Some(node) {
                differences += 1;
                eprintln!("{pod} is on {node}; the simulator says {expected:?}");
            }
        }
    }
    let last = own.last().context("no round")?;
    let median = quantile(&last.metrics, "tautochrone_scheduler_decision_seconds", 0.5)? * 1e6;
    let high = quantile(&last.metrics, "tautochrone_scheduler_decision_seconds", 0.99)? * 1e6;
    let (usual_rate, own_rate) = (rate(&usual), rate(&own));
    Ok(vec![
        figure("nodes", "made-up nodes", f64::from(NODES), ""),
        figure("decisions", "recorded decisions", f64::from(decided), "").over(f64::from(pods) * 0.9),
        figure("given", "pods that were recorded with their node", given as f64, ""),
        figure("differences", "of these, other than the simulator's", f64::from(differences), "").under(0.5),
        figure("usual", "pods that Kubernetes' own scheduler binds", usual_rate, "/s"),
        figure("own", "pods that it binds with the plugin", own_rate, "/s"),
        figure("ratio", "the ratio of both", own_rate / usual_rate, "").over(RATIO_MIN),
        figure("median", "a decision inside the plugin, median", median, "us").under(DECISION_US),
        figure("p99", "a decision inside the plugin, 99 of 100", high, "us"),
    ])
}

/// Fills the queue, lets one scheduler empty it, and removes the pods.
fn schedule(control: &mut Control, tauto: &Path, program: &str, pods: u32, is_own: bool) -> Result<Outcome> {
    create(control, pods)?;
    let enabled = json!({"enabled": [{"name": "Tautochrone"}]});
    let config = json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": false},
        "clientConnection": {
            "kubeconfig": control.folder.join("scheduler.kubeconfig"), "qps": 2000, "burst": 2000,
        },
        "profiles": [match is_own {
            false => json!({"schedulerName": "default-scheduler"}),
            true => json!({
                "schedulerName": "default-scheduler",
                "plugins": {
                    "preFilter": enabled, "preScore": enabled, "reserve": enabled,
                    "postFilter": {
                        "enabled": [{"name": "Tautochrone"}, {"name": "DefaultPreemption"}],
                        "disabled": [{"name": "DefaultPreemption"}],
                    },
                    "score": {"enabled": [{"name": "Tautochrone", "weight": 1000}]},
                    "bind": {"enabled": [{"name": "Tautochrone"}], "disabled": [{"name": "DefaultBinder"}]},
                },
                "pluginConfig": [{"name": "Tautochrone", "args": {
                    "listen": {"address": PLUGIN.trim_start_matches("http://")},
                }}],
            }),
        }],
    });
    let file = control.folder.join(format!("{program}.json"));
    std::fs::write(&file, config.to_string())?;
    let mut scheduler = control.program(program);
    scheduler.arg("--config").arg(&file).args(["--cert-dir", "certs", "--authentication-skip-lookup=true"]);
    scheduler.args(["--authorization-always-allow-paths", "/metrics,/healthz,/readyz,/livez"]);
    control.daemons.start(program, &mut scheduler)?;
    let pods_a_second = bound_rate(control, pods)?;
    let places = places(control)?;
    ensure!(places.len() as u32 == pods, "{} of {pods} pods have a node", places.len());
    let metrics = fetch(METRICS)?;
    if is_own {
        explain(control, tauto)?;
    }
    let trace = is_own.then(|| fetch(&format!("{PLUGIN}/trace"))).transpose()?;
    control.daemons.kill(program);
    remove(control)?;
    Ok(Outcome { pods_a_second, places, metrics, trace })
}

/// Shows why the first pod is where it is, and checks that all pods say so.
fn explain(control: &Control, tauto: &Path) -> Result<()> {
    let path =
        "jsonpath={range .items[*]}{.metadata.annotations.fleet\\.tautochrone\\.dev/decision}{\"\\n\"}{end}";
    let text = process::read(&mut control.kubectl(&["get", "pods", "-n", "default", "-o", path]))?;
    ensure!(text.lines().all(|line| line.starts_with('{')), "a pod has no decision");
    let mut explained = Command::new(tauto);
    explained.args(["fleet", "explain", "p00000", "--namespace", "default", "--kubeconfig"]);
    eprintln!("$ tauto fleet explain p00000\n{}", process::read(explained.arg(&control.kubeconfig))?);
    Ok(())
}

fn create(control: &Control, pods: u32) -> Result<()> {
    let pod = |number: u32| {
        // Sizes that do not divide each other, so that hosts fill differently.
        let cpu_milli = [300, 700, 1100][number as usize % 3];
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("p{number:05}"), "namespace": "default"},
            "spec": {
                "automountServiceAccountToken": false,
                "tolerations": [{"operator": "Exists"}],
                "containers": [{
                    "name": "c", "image": "made-up",
                    "resources": {"requests": {"cpu": format!("{cpu_milli}m"), "memory": "256Mi"}},
                }],
            },
        })
    };
    let mut running = Vec::new();
    for first in (0..pods).step_by(CHUNK as usize) {
        let items: Vec<Value> = (first..pods.min(first + CHUNK)).map(pod).collect();
        let file = control.folder.join(format!("pods-{first}.json"));
        std::fs::write(&file, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string())?;
        let mut kubectl = control.kubectl(&["create", "-f", &file.display().to_string()]);
        running.push(kubectl.stdout(std::process::Stdio::null()).spawn().context("cannot start kubectl")?);
    }
    let until = Instant::now() + CREATED_WITHIN;
    for mut kubectl in running {
        let status = kubectl.wait()?;
        ensure!(status.success() && Instant::now() < until, "kubectl could not create the pods: {status}");
    }
    Ok(())
}

/// Waits until all pods are bound; returns how many were bound a second in the middle.
fn bound_rate(control: &mut Control, pods: u32) -> Result<f64> {
    let begun = Instant::now();
    let (mut first, mut last) = (None, None);
    let at = |part: f64| f64::from(pods) * part;
    loop {
        control.daemons.check()?;
        let bound = fetch(METRICS).ok().and_then(|text| {
            let lines = text.lines().filter(|line| line.starts_with("scheduler_schedule_attempts_total{"));
            let scheduled = lines.filter(|line| line.contains("result=\"scheduled\""));
            scheduled.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).reduce(|a, b| a + b)
        });
        let bound = bound.unwrap_or(0.0);
        let now = begun.elapsed().as_secs_f64();
        if bound >= at(RATE.start) && first.is_none() {
            first = Some((now, bound));
        }
        if bound <= at(RATE.end) {
            last = Some((now, bound));
        }
        if bound >= f64::from(pods) {
            break;
        }
        if begun.elapsed() > BOUND_WITHIN {
            bail!("{bound} of {pods} pods were bound within {} s", BOUND_WITHIN.as_secs());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    match (first, last) {
        (Some((begin_s, begin)), Some((end_s, end))) if end_s > begin_s => {
            Ok((end - begin) / (end_s - begin_s))
        }
        _ => bail!("all was bound between two looks: use more pods"),
    }
}

fn places(control: &Control) -> Result<BTreeMap<String, String>> {
    let columns = "custom-columns=:.metadata.name,:.spec.nodeName";
    let mut kubectl = control.kubectl(&["get", "pods", "-n", "default", "--no-headers", "-o", columns]);
    let text = process::read(&mut kubectl)?;
    let place = |line: &str| {
        let (pod, node) = line.split_once(char::is_whitespace)?;
        Some((format!("default/{pod}"), node.trim().to_owned())).filter(|(_, node)| node != "<none>")
    };
    Ok(text.lines().filter_map(place).collect())
}

fn remove(control: &Control) -> Result<()> {
    let all = ["delete", "pods", "--all", "-n", "default", "--grace-period=0", "--force", "--wait=false"];
    process::read(&mut control.kubectl(&all))?;
    let left = || Ok(places_left(control)?.then_some(()));
    wait_for("the pods are gone", CREATED_WITHIN, left).map(drop)
}

fn places_left(control: &Control) -> Result<bool> {
    let mut kubectl = control.kubectl(&["get", "pods", "-n", "default", "--no-headers", "-o", "name"]);
    Ok(process::read(&mut kubectl)?.trim().is_empty())
}

fn fetch(url: &str) -> Result<String> {
    // The certificate of a scheduler's own port is its own.
    process::read(Command::new("curl").args(["--silent", "--fail", "--insecure", "--max-time", "60", url]))
}

/// Returns where the simulator puts each job of a trace.
fn simulate(trace: &str) -> Result<BTreeMap<String, String>> {
    let policy = Policy::built_in(POLICY).context("no such policy")?;
    let reader = Reader::open(trace.as_bytes())?;
    let (_, _, rows) = Run::start(reader, policy, plain_options(), "", Vec::new())?.finish()?;
    let mut placed = BTreeMap::new();
    for row in String::from_utf8(rows)?.lines() {
        let row: Value = serde_json::from_str(row)?;
        if let (Some(name), Some(host)) = (row["job"]["name"].as_str(), row["job"]["host"].as_str()) {
            placed.insert(name.to_owned(), host.to_owned());
        }
    }
    Ok(placed)
}

/// Returns the jobs of a trace that may run on one host alone.
fn with_node(trace: &str) -> Result<BTreeSet<String>> {
    let mut reader = Reader::open(trace.as_bytes())?;
    let mut found = BTreeSet::new();
    while let Some(record) = reader.next()? {
        if let Record::Job(job) = record
            && job.host.is_some()
        {
            found.insert(job.name);
        }
    }
    Ok(found)
}

/// Returns a quantile of a histogram in Prometheus' format, between its buckets as Prometheus does.
fn quantile(metrics: &str, name: &str, quantile: f64) -> Result<f64> {
    let prefix = format!("{name}_bucket{{le=\"");
    let bucket = |line: &str| {
        let (le, count) = line.strip_prefix(&prefix)?.split_once("\"} ")?;
        let le = if le == "+Inf" { f64::INFINITY } else { le.parse().ok()? };
        Some((le, count.trim().parse::<f64>().ok()?))
    };
    let buckets: Vec<(f64, f64)> = metrics.lines().filter_map(bucket).collect();
    let all = buckets.last().with_context(|| format!("no histogram {name}"))?.1;
    ensure!(all > 0.0, "the histogram {name} is empty");
    let (mut below, mut before) = (0.0, 0.0);
    for (le, count) in buckets {
        if count >= all * quantile {
            return Ok(match le.is_finite() {
                true => below + (le - below) * (all * quantile - before) / (count - before),
                false => below,
            });
        }
        (below, before) = (le, count);
    }
    bail!("the histogram {name} has no end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_lies_between_buckets() {
        let metrics = "x_bucket{le=\"0.1\"} 0\nx_bucket{le=\"0.2\"} 10\nx_bucket{le=\"+Inf\"} 20\n";
        let of = |part| quantile(metrics, "x", part).unwrap();
        assert!((of(0.25) - 0.15).abs() < 1e-9);
        assert!((of(0.99) - 0.2).abs() < 1e-9);
        assert!(quantile(metrics, "y", 0.5).is_err());
    }
}
