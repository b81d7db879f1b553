//! A machine with pure cgroup v2, hyperthreads and two NUMA nodes, for tests of mechanisms.
//!
//! It is emulated (no /dev/kvm), so programs run several times slower inside: never measure times there.

mod cpio;
mod initramfs;
mod kernel;
mod qemu;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use xtask::process;

const SUITE_BINARY: &str = "conformance";

#[derive(clap::Args)]
pub struct Options {
    /// A directory that the guest sees as /suite
    #[arg(long, value_name = "DIR")]
    with: Option<PathBuf>,
    /// How long the command may take in the guest
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    time_limit_s: u64,
    /// Shows the guest kernel's messages
    #[arg(long)]
    verbose: bool,
    /// What to run inside; without it the conformance suite's core is built and run
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Boots the machine and returns the exit code of the command inside.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let kernel = kernel::image()?;
    let work = tempfile::tempdir().context("cannot make a temporary directory")?;
    let archive = if options.command.is_empty() {
        if options.with.is_some() {
            bail!("--with DIR needs a command after `--`; the suite brings its own directory");
        }
        let binary = build_suite(root)?;
        let programs = work.path().join("suite");
        std::fs::create_dir(&programs).with_context(|| format!("cannot make {}", programs.display()))?;
        process::run(Command::new(&binary).arg("build-core").arg(&programs).current_dir(root))?;
        let command = [SUITE_BINARY, "run-core", "/suite"].map(str::to_owned);
        initramfs::build(&initramfs::Content {
            suite: Some(&programs),
            binary: Some(&binary),
            command: &command,
        })?
    } else {
        let content =
            initramfs::Content { suite: options.with.as_deref(), binary: None, command: &options.command };
        initramfs::build(&content)?
    };
    let initramfs = work.path().join("initramfs");
    std::fs::write(&initramfs, archive).with_context(|| format!("cannot write {}", initramfs.display()))?;
    eprintln!("vm: booting {}", kernel.display());
    let machine = qemu::Machine {
        kernel: &kernel,
        initramfs: &initramfs,
        run_limit: Duration::from_secs(options.time_limit_s),
        verbose: options.verbose,
    };
    Ok(ExitCode::from(machine.run(&mut std::io::stdout())?))
}

/// Builds the suite's runner as the tests are built, so that after them there is nothing left to build.
fn build_suite(root: &Path) -> Result<PathBuf> {
    let build = ["build", "--workspace", "--all-targets"];
    process::run(Command::new(cargo()).args(build).current_dir(root))?;
    Ok(target_directory(root)?.join("debug").join(SUITE_BINARY))
}

/// Returns where cargo puts what it builds.
pub fn target_directory(root: &Path) -> Result<PathBuf> {
    let metadata = process::read(
        Command::new(cargo()).args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root),
    )?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
    let directory =
        metadata["target_directory"].as_str().context("cargo metadata names no target_directory")?;
    Ok(PathBuf::from(directory))
}

/// Returns the cargo that started this program, so that the pinned toolchain stays pinned.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}
