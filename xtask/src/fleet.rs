//! A whole Kubernetes cluster on one machine, for the demo and for benchmarks of fleets: a control plane, one real node, and
//! as many made-up ones as are wanted.
//!
//! All of it is in network, mount and process namespaces of its own: nothing is reached from outside, and all ends with the
//! process that began it.

mod control;
mod daemons;
mod database;
mod images;
mod node;

pub use control::{Control, NODE_ADDRESS, SERVICES, random};
pub use daemons::{Daemons, wait_for};
pub use database::Database;
pub use images::{Registry, archive, layout};
pub use node::{Node, PAUSE, fake_nodes, start_proxy};

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// Starts this program again with the same arguments in namespaces of its own, unless it is there already.
pub fn enter_namespaces() -> Result<()> {
    if std::env::var_os(INSIDE).is_some() {
        // The first process of a namespace takes no signal that it does not ask for, and all others end with it.
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::new(AtomicBool::new(true)))
                .context("cannot take signals")?;
        }
        return prepare();
    }
    let ourselves = std::env::current_exe().context("this program's file is not known")?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let error = Command::new("unshare")
        .args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"])
        .arg(ourselves)
        .args(arguments)
        .env(INSIDE, "1")
        .exec();
    Err(error).context("cannot start unshare (package util-linux)")
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

/// Makes a folder that is empty.
pub fn fresh(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}
