//! A whole Kubernetes cluster on one machine, for the demo and for benchmarks of fleets: a control plane, one real node, and
//! as many made-up ones as are wanted.
//!
//! All of it is in network, mount and process namespaces of its own: nothing is reached from outside, and all ends with the
//! process that began it.

mod control;
mod daemons;
mod database;
mod folder;
mod images;
mod node;

pub use control::{Control, NODE_ADDRESS, SERVICES, random};
pub use daemons::{Daemons, wait_for};
pub use database::Database;
pub use folder::fresh;
pub use images::{Registry, archive, layout};
pub use node::{Cores, Node, PAUSE, fake_nodes, start_proxy};

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::process;

/// Where the cluster's programs are, if `TAUTO_KUBERNETES_BIN` does not say otherwise: as `tools/kubernetes` makes them.
const VERSION: &str = "1.36.3";
/// Set where the namespaces are there already.
const INSIDE: &str = "TAUTO_FLEET_INSIDE";

/// Returns the folder with the cluster's programs.
pub fn programs() -> Result<PathBuf> {
    let of_user = || {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        cache.map(|cache| cache.join("tautochrone/kubernetes").join(VERSION))
    };
    let folder = std::env::var_os("TAUTO_KUBERNETES_BIN").map(PathBuf::from).or_else(of_user);
    let folder = folder.context("neither TAUTO_KUBERNETES_BIN nor HOME is set")?;
    if !folder.join("kube-apiserver").is_file() {
        bail!("{} has no Kubernetes: run 'tools/install fleet' first", folder.display());
    }
    Ok(folder)
}

/// Starts this program again with the same arguments in namespaces of its own, waits, puts back what a cluster changes
/// outside of them, and ends with the same exit code. Within the namespaces it returns.
pub fn enter_namespaces() -> Result<()> {
    if std::env::var_os(INSIDE).is_some() {
        // The first process of a namespace takes no signal that it does not ask for, and all others end with it.
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::new(AtomicBool::new(true)))
                .context("cannot take signals")?;
        }
        return prepare();
    }
    let is_asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&is_asked)).context("cannot take signals")?;
    }
    let outside = Outside::note()?;
    let ourselves = std::env::current_exe().context("this program's file is not known")?;
    // If this process is killed, so are they.
    let mut inside = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child"])
        .args(["--mount-proc", "--"])
        .arg(ourselves)
        .args(std::env::args_os().skip(1))
        .env(INSIDE, "1")
        .spawn()
        .context("cannot start setpriv and unshare (package util-linux)")?;
    let status = loop {
        if let Some(status) = inside.try_wait().context("cannot wait for the cluster")? {
            break status;
        }
        if is_asked.load(Ordering::SeqCst) {
            inside.kill().context("cannot end the cluster")?;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    outside.restore();
    std::process::exit(status.code().unwrap_or(130))
}

/// What a cluster changes outside of its namespaces.
struct Outside {
    /// Settings of the kernel that a kubelet sets, with what they were.
    settings: Vec<(&'static str, String)>,
}

/// A kubelet sets these at its start (`setupKernelTunables`).
const KUBELETS_SETTINGS: [&str; 4] = [
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/panic_on_oom",
    "/proc/sys/kernel/panic",
    "/proc/sys/kernel/panic_on_oops",
];
/// Where pods' control groups may need a moment until they are empty.
const EMPTY_WITHIN: Duration = Duration::from_secs(5);

impl Outside {
    fn note() -> Result<Self> {
        let read =
            |path| Ok((path, std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?));
        Ok(Self { settings: KUBELETS_SETTINGS.into_iter().map(read).collect::<Result<_>>()? })
    }

    fn restore(&self) {
        for (path, text) in &self.settings {
            if let Err(error) = std::fs::write(path, text) {
                eprintln!("fleet: {path} is not as it was: {error}");
            }
        }
        let until = Instant::now() + EMPTY_WITHIN;
        while !node::remove_groups() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(100));
        }
        for folder in [node::RUN, "/var/log/pods", "/var/log/containers"] {
            // The last two are others', too, where a kubelet runs on this machine.
            let _ = match folder == node::RUN {
                true => std::fs::remove_dir_all(folder),
                false => std::fs::remove_dir(folder),
            };
        }
    }
}

/// Gives the network of the namespaces an address that nodes can have: a kubelet refuses that of loopback.
fn prepare() -> Result<()> {
    let commands: [&[&str]; 6] = [
        &["link", "set", "lo", "up"],
        &["link", "add", "node0", "type", "veth", "peer", "name", "nowhere"],
        &["link", "set", "nowhere", "up"],
        &["addr", "add", &format!("{NODE_ADDRESS}/24"), "dev", "node0"],
        &["link", "set", "node0", "up"],
        // Without a way out, services cannot be reached either.
        &["route", "add", "default", "dev", "node0"],
    ];
    for command in commands {
        process::read(Command::new("ip").args(command))?;
    }
    std::fs::write("/proc/sys/net/ipv4/ip_forward", "1").context("cannot forward packets")
}
