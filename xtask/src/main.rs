//! Development tasks: rules that a compiler does not check (`tidy`), a machine with pure cgroup v2 (`vm`), and toolchain images
//! (`images`). `bench` builds the project's benchmarks, a crate of their own, and hands over to them.

#![forbid(unsafe_code)]

mod fleet_cores;
mod fleet_demo;
mod fleet_manifests;
mod images;
mod tidy;
mod vm;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use xtask::process;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own chores")]
struct CommandLine {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Checks the rules of the tree: crate edges, pure crates, unsafe, links, lengths
    Tidy,
    /// Runs the conformance suite, or any command, in a virtual machine with pure cgroup v2
    Vm(vm::Options),
    /// A contest in pods of a whole cluster on this machine, with a node lost in the middle
    FleetDemo(fleet_demo::Options),
    /// Gives pods whole cores on a real node, restarts what gave them, and looks where their threads are
    FleetCores(fleet_cores::Options),
    /// Writes what is generated below kubernetes/, and lints the chart; needs tools/install fleet
    FleetManifests(fleet_manifests::Options),
    /// Builds toolchain images of recipes twice, and compares their digests, and verdicts with the host's
    Images(images::Options),
    /// Compares start-up and judging costs with other tools
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let root = workspace_root();
    let outcome = match CommandLine::parse().chore {
        Chore::Tidy => tidy::run(&root),
        Chore::Vm(options) => vm::run(&root, &options),
        Chore::FleetCores(options) => fleet_cores::run(&root, &options),
        Chore::FleetDemo(options) => fleet_demo::run(&root, &options),
        Chore::FleetManifests(options) => fleet_manifests::run(&root, &options),
        Chore::Images(options) => images::run(&root, &options),
        Chore::Bench { arguments } => bench(&root, &arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(3)
    })
}

/// Builds the benchmarks as the product is released, and becomes them.
fn bench(root: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    eprintln!("bench: building what is measured as it is released, which takes minutes the first time");
    let build = ["build", "--profile", "dist", "--package", "tautochrone-benchmarks"];
    process::run(Command::new(vm::cargo()).args(build).current_dir(root))?;
    let program = vm::target_directory(root)?.join("dist/tauto-bench");
    let error = Command::new(&program).args(arguments).exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}

/// Returns the directory that holds the workspace's `Cargo.toml`: the parent of this crate's.
fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
