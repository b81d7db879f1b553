//! Development tasks: rules that a compiler does not check (`tidy`), a machine with pure cgroup v2 (`vm`), and
//! comparisons with other tools (`bench`).

#![forbid(unsafe_code)]

mod bench;
mod process;
mod tidy;
mod vm;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    /// Compares start-up and judging costs with other tools
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let root = workspace_root();
    let outcome = match CommandLine::parse().chore {
        Chore::Tidy => tidy::run(&root),
        Chore::Vm(options) => vm::run(&root, &options),
        Chore::Bench(options) => bench::run(&root, &options),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(3)
    })
}

/// Returns the directory that holds the workspace's `Cargo.toml`: the parent of this crate's.
fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
