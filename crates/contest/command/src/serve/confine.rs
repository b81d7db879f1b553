//! Gives up all rights of this process, before it has threads and before it reads anything from a network.

use super::owner::Owner;
use anyhow::Context;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::process::{Gid, Resource, Rlimit, Signal, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::path::{Path, PathBuf};

/// The newest rules that are asked for; an older kernel enforces those that it knows.
const RULES: ABI = ABI::V6;
/// As many descriptors as a process may have (`fs.nr_open` of an unchanged system): one for each client.
const DESCRIPTORS_MAX: u64 = 1 << 20;
/// SQLite seeds its generator from `urandom`. In a static program the crate `getrandom` reads it too, and first waits at
/// `random`.
const DEVICES: [&str; 3] = ["/dev/random", "/dev/urandom", "/dev/null"];
/// What finding a host by its name reads, dynamic libraries of the C library included.
const FOR_NAMES: [&str; 10] = [
    "/etc/hosts",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ld.so.cache",
    "/lib",
    "/lib64",
    "/usr/lib",
];
/// Names are also asked for by TCP.
const DNS_PORT: u16 = 53;

#[derive(Debug)]
pub struct Confinement {
    /// The user to become; `None` to stay the same.
    pub owner: Option<Owner>,
    pub data: PathBuf,
    /// The database's ports, if it is on a network.
    pub ports: Vec<u16>,
    pub folders: Vec<PathBuf>,
}

/// Gives up all rights but these for good, and returns what could not be enforced here.
///
/// Fails if anything but Landlock does: going on would be with rights.
pub fn confine(confinement: &Confinement) -> anyhow::Result<Option<String>> {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })
        .context("cannot turn core dumps off")?;
    raise_descriptors();
    if let Some(owner) = confinement.owner {
        become_user(owner).with_context(|| format!("cannot become user {}", owner.uid))?;
    }
    drop_capabilities().context("cannot drop capabilities")?;
    rustix::thread::set_no_new_privs(true).context("cannot set no_new_privs")?;
    anyhow::ensure!(
        confinement.owner.is_none() || rustix::thread::set_thread_uid(Uid::ROOT).is_err(),
        "could become root again"
    );
    restrict_files(confinement)
}

/// Requests that the kernel kills this process when its parent ends. A change of user undoes it.
///
/// Fails if the parent has ended already.
pub fn end_with(parent: u32) -> anyhow::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .context("cannot follow the parent")?;
    let is_there = rustix::process::getppid().is_some_and(|pid| pid.as_raw_nonzero().get() as u32 == parent);
    anyhow::ensure!(is_there, "the parent has ended");
    Ok(())
}

/// As many as possible; more than the hard limit only with the right to it.
fn raise_descriptors() {
    let now = rustix::process::getrlimit(Resource::Nofile);
    for most in [Some(DESCRIPTORS_MAX.max(now.maximum.unwrap_or(0))), now.maximum] {
        if rustix::process::setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).is_ok() {
            return;
        }
    }
}

/// Only the calling thread changes, and there is no other.
fn become_user(owner: Owner) -> Result<(), Errno> {
    // Needs a capability that the change of user drops.
    empty_bounding_set()?;
    let (uid, gid) = (Uid::from_raw(owner.uid), Gid::from_raw(owner.gid));
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)
}

fn empty_bounding_set() -> Result<(), Errno> {
    for bit in 0..u64::BITS {
        match rustix::thread::remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit)) {
            // prctl(2): an unknown capability, so the one before was the last.
            Err(Errno::INVAL) => break,
            other => other?,
        }
    }
    Ok(())
}

fn drop_capabilities() -> Result<(), Errno> {
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )
}

fn restrict_files(confinement: &Confinement) -> anyhow::Result<Option<String>> {
    let write = AccessFs::from_all(RULES) & !AccessFs::Execute;
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let names: &[&str] = if confinement.ports.is_empty() { &[] } else { &FOR_NAMES };
    let ports = confinement.ports.iter().copied().chain((!confinement.ports.is_empty()).then_some(DNS_PORT));
    let ports = ports.map(|port| Ok::<_, RulesetError>(NetPort::new(port, AccessNet::ConnectTcp)));
    let restrict = || -> Result<_, RulesetError> {
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(RULES))?
            .handle_access(AccessNet::from_all(RULES))?
            .scope(Scope::from_all(RULES))?
            .create()?
            .add_rules(path_beneath_rules([&confinement.data], write))?
            .add_rules(path_beneath_rules(DEVICES.map(Path::new), read))?
            .add_rules(path_beneath_rules(names, read))?
            .add_rules(path_beneath_rules(&confinement.folders, read))?
            .add_rules(ports)?;
        rules.restrict_self()
    };
    let status = restrict().context("cannot restrict files by Landlock")?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => None,
        RulesetStatus::PartiallyEnforced => {
            Some("Landlock of this kernel does not restrict everything: network or signals remain".to_owned())
        }
        RulesetStatus::NotEnforced => {
            Some("this kernel has no Landlock: files that everybody can read remain readable".to_owned())
        }
    })
}
