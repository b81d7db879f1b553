//! What is to be built, and how the programs that build are started.

use crate::arguments::BuildArguments;
use anyhow::Context;
use images::Digest;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use terminal::failure::because;
use terminal::interrupt::Interrupt;

/// How often it is looked whether what builds has ended.
const LOOK: Duration = Duration::from_millis(20);

/// What is to be built.
pub struct Job<'a> {
    pub arguments: &'a BuildArguments,
    pub file: &'a Path,
    /// The time of all files, in seconds since 1970.
    pub epoch: u64,
    /// What the Dockerfile names as images, as far as that is plain.
    pub named: BTreeSet<&'a str>,
    /// The images of the store, all of which it may name.
    pub bases: Vec<(String, Digest)>,
    /// A folder for what the next build can use.
    pub cache: &'a Path,
    /// Where the image goes, as an OCI image layout.
    pub stage: &'a Path,
    pub interrupt: &'a Interrupt,
}

/// Where an image is that was built.
pub enum Built {
    /// In the store, under these names: it is as the last time.
    Known(BTreeSet<String>),
    Staged {
        /// A file that gets its digest once it is in the store.
        note: Option<PathBuf>,
    },
}

/// Returns the path that a file has for programs in other folders.
pub fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| because(format!("cannot open {}", path.display())))
}

pub fn clear(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// What builds has failed, and has said why.
#[derive(Debug, thiserror::Error)]
#[error("the image was not built, and what builds it says why above")]
pub struct NotBuilt;

/// Runs a command whose progress and errors people see.
pub fn go_through(command: &mut Command, interrupt: &Interrupt) -> anyhow::Result<()> {
    let program = Path::new(command.get_program()).to_owned();
    // The standard output is for the result.
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for what builds")? {
            break status;
        }
        if interrupt.check().is_err() {
            // Its processes go with it. It may have ended by itself.
            let _ = child.kill();
        }
        std::thread::sleep(LOOK);
    };
    interrupt.check()?;
    if status.success() { Ok(()) } else { Err(NotBuilt.into()) }
}

/// Begins a command in whose place a program has mounts and processes of its own, which are gone when it ends, or when this process does.
/// Their addresses are the same each time, since what they write may depend on them.
pub fn alone() -> Command {
    let mut alone = Command::new("setpriv");
    alone.args(["--pdeathsig", "KILL", "setarch", "--addr-no-randomize", "unshare"]);
    alone.args(["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=KILL"]);
    alone
}
