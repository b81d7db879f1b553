//! What the operator costs that keeps 1,000 machines, on a cluster of made-up nodes and with a made-up contest server.

use crate::figure::{Figure, figure};
use anyhow::{Context, Result, ensure};
use axum::Json;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::routing::get;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xtask::fleet::{self, Control, wait_for};

const NAMESPACE: &str = "default";
const SERVER: &str = "127.0.0.1:18080";
/// All machines are let in: each pod is bound, said to run, and its node's status written.
const READY_WITHIN: Duration = Duration::from_secs(900);
/// How long nothing happens.
const CALM: Duration = Duration::from_secs(60);
/// A judgehost's first word after its pod was made.
const REGISTERED_AFTER: Duration = Duration::from_secs(3);
const MEMORY_MIB: f64 = 200.0;
const CPU_PERCENT: f64 = 5.0;
const BACK_S: f64 = 30.0;

/// Judgehosts by name, with their states.
type Hosts = Arc<Mutex<BTreeMap<String, String>>>;

pub fn measure(tauto: &Path, machines: u32) -> Result<Vec<Figure>> {
    let programs = fleet::programs()?;
    fleet::enter_namespaces()?;
    let folder = tempfile::tempdir_in("/var/tmp")?;
    let mut control = Control::start(&folder.path().join("cluster"), &programs)?;
    // One more than are wanted, for the one that is lost.
    fleet::fake_nodes(&mut control, machines + 1, &json!({"fleet.tautochrone.dev/hardware": "made-up"}))?;
    let hosts: Hosts = Arc::default();
    serve(Arc::clone(&hosts), machines + 1)?;
    let mut resources = Command::new(tauto);
    let definitions = xtask::process::read(resources.args(["fleet", "resources"]))?;
    control.apply(&definitions)?;
    let token = folder.path().join("token");
    std::fs::write(&token, "secret")?;
    let mut operator = Command::new(tauto);
    operator.args(["fleet", "operator", "--server", &format!("http://{SERVER}"), "--namespace", NAMESPACE]);
    operator.arg("--token").arg(&token).arg("--kubeconfig").arg(&control.kubeconfig);
    control.daemons.start("operator", &mut operator)?;
    let pool = json!({
        "apiVersion": "fleet.tautochrone.dev/v1alpha1", "kind": "JudgePool",
        "metadata": {"name": "made-up"},
        "spec": {
            "hardware": "made-up", "size": {"min": machines, "max": machines},
            "image": format!("registry.example/tauto@sha256:{}", "0".repeat(64)),
        },
    });
    // The definition is served a moment after it was taken.
    wait_for("the pool is taken", Duration::from_secs(30), || control.apply(&pool.to_string()).map(Some))?;
    let ready = || {
        let pool = control.get(&["judgepool", "made-up", "-n", NAMESPACE])?;
        Ok((pool["status"]["ready"].as_u64() == Some(u64::from(machines))).then_some(()))
    };
    let ((), took) = wait_for("all machines are let in", READY_WITHIN, ready)?;
    let id = control.daemons.id("operator").context("the operator does not run")?;
    let before = Usage::of(id)?;
    std::thread::sleep(CALM);
    let after = Usage::of(id)?;
    let percent = (after.cpu_s - before.cpu_s) / CALM.as_secs_f64() * 100.0;
    // One is lost: the server has no word from it any more.
    let lost =
        hosts.lock().unwrap_or_else(PoisonError::into_inner).keys().next().cloned().context("no host")?;
    hosts.lock().unwrap_or_else(PoisonError::into_inner).insert(lost, "away".to_owned());
    let begun = Instant::now();
    wait_for("the pool knows that one is lost", Duration::from_secs(30), || {
        let pool = control.get(&["judgepool", "made-up", "-n", NAMESPACE])?;
        Ok((pool["status"]["ready"].as_u64() == Some(u64::from(machines - 1))).then_some(()))
    })?;
    wait_for("the pool is back to size", Duration::from_secs(120), ready)?;
    let back = begun.elapsed().as_secs_f64();
    control.daemons.check()?;
    ensure!(after.rss_mib > 1.0, "the operator's memory cannot be read");
    Ok(vec![
        figure("machines", "machines that are kept", f64::from(machines), ""),
        figure("start", "until all were let in", took.as_secs_f64(), "s"),
        figure("memory", "the operator's memory", after.peak_mib.max(after.rss_mib), "MiB").under(MEMORY_MIB),
        figure("cpu", "of a core while nothing happens", percent, "%").under(CPU_PERCENT),
        figure("back", "from away to as many as before", back, "s").under(BACK_S),
    ])
}

struct Usage {
    rss_mib: f64,
    peak_mib: f64,
    cpu_s: f64,
}

impl Usage {
    fn of(id: u32) -> Result<Self> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let kib = |name: &str| -> Option<f64> {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        // The first field is the CPU time of the whole process on run queues, in ns (proc_pid_schedstat(5)), of each thread.
        let mut cpu_ns = 0.0;
        for task in std::fs::read_dir(format!("/proc/{id}/task"))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat")).unwrap_or_default();
            cpu_ns += text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0);
        }
        Ok(Self {
            rss_mib: kib("VmRSS:").unwrap_or(0.0) / 1024.0,
            peak_mib: kib("VmHWM:").unwrap_or(0.0) / 1024.0,
            cpu_s: cpu_ns / 1e9,
        })
    }
}

/// Serves what the operator asks: judgehosts are there as soon as they are asked about.
fn serve(hosts: Hosts, count: u32) -> Result<()> {
    let listener = std::net::TcpListener::bind(SERVER)?;
    listener.set_nonblocking(true)?;
    let names = Arc::clone(&hosts);
    // Which pods there are, this server does not know: all made-up nodes have a judgehost.
    for number in 0..count {
        names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(format!("fake-{number:04}"), "waiting".to_owned());
    }
    let router = axum::Router::new()
        .route("/api/judgehosts", get(list))
        .route("/api/judgehosts/{host}", axum::routing::patch(set).delete(remove))
        .route("/api/judgehosts/{host}/machine", get(machine))
        .route(
            "/api/jobs",
            get(|| async { Json(json!({"pools": [{"pool": "made-up", "waiting": 0, "claimed": 0}]})) }),
        )
        .with_state(hosts);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, router).await
        })
    });
    Ok(())
}

async fn list(State(hosts): State<Hosts>) -> Json<Vec<Value>> {
    let hosts = hosts.lock().unwrap_or_else(PoisonError::into_inner);
    let identity =
        ["processor: made up", "cores: 1 packages, 8 of 1 CPUs", "memory: 32768 MiB", "kernel: 6.1"];
    let host = |(id, state): (&String, &String)| {
        json!({
            "id": id, "pool": "made-up", "state": state, "reason": "", "places": 1, "identity": identity,
            "compilers": ["cpp: 12"], "last_seen": null, "jobs": 0,
            "reference_ns": 11_000_000, "last_reference_ns": 11_000_000,
        })
    };
    Json(hosts.iter().map(host).collect())
}

async fn set(
    State(hosts): State<Hosts>,
    UrlPath(host): UrlPath<String>,
    Json(body): Json<Value>,
) -> StatusCode {
    let state = body["state"].as_str().unwrap_or_default().to_owned();
    hosts.lock().unwrap_or_else(PoisonError::into_inner).insert(host, state);
    StatusCode::NO_CONTENT
}

async fn remove(State(hosts): State<Hosts>, UrlPath(host): UrlPath<String>) -> StatusCode {
    hosts.lock().unwrap_or_else(PoisonError::into_inner).remove(&host);
    // The operator forgets what was there before a pod; the pod's judgehost then registers.
    tokio::spawn(async move {
        tokio::time::sleep(REGISTERED_AFTER).await;
        hosts.lock().unwrap_or_else(PoisonError::into_inner).insert(host, "waiting".to_owned());
    });
    StatusCode::NO_CONTENT
}

async fn machine() -> Json<Value> {
    let noise = json!([{"cpu": 1, "watched_ns": 1_000_000_000, "lost_ppm": 900, "gaps_per_second": 250, "longest_gap_ns": 9_000}]);
    Json(json!({
        "machine": {
            "tauto_version": "0.1.0", "self_test": {"programs": [], "languages": []}, "topology": null, "places": ["1"],
            "helper_cpus": "0", "check": null, "settings_passed": 0, "noise": noise, "unavailable": {},
        },
        "places": [], "references": [{"cpu_time_ns": 11_000_000, "at_unix_ms": 0}],
    }))
}
