//! `cargo xtask fleet-manifests`: what is generated below `kubernetes/`: definitions of resources from their types, and the
//! manifests without helm from the chart.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use xtask::{fleet, process};

use crate::vm;

/// The namespace of the manifests; people change it in kustomization.yaml.
const NAMESPACE: &str = "contest";

#[derive(clap::Args)]
pub struct Options {
    /// Only compare: exit code 1 if something differs
    #[arg(long)]
    check: bool,
}

pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let build = ["build", "--workspace", "--bin", "tauto"];
    process::run(Command::new(vm::cargo()).args(build).current_dir(root))?;
    let tauto = vm::target_directory(root)?.join("debug/tauto");
    let definitions = process::read(Command::new(tauto).args(["fleet", "resources"]))?;
    let (pools, nodes) = definitions.split_once("---\n").context("two definitions were expected")?;
    let chart = root.join("kubernetes/chart");
    let mut is_same = true;
    for (name, text) in [("judgepools", pools), ("judgenodes", nodes)] {
        is_same &= keep(&chart.join("crds").join(format!("{name}.yaml")), text, options)?;
    }
    let helm = || Command::new(fleet::programs().unwrap_or_default().join("helm"));
    let example = root.join("kubernetes/examples/values.yaml");
    process::run(helm().arg("lint").arg(&chart).arg("--strict").arg("--values").arg(&example))?;
    let mut template = helm();
    template.args(["template", "tautochrone"]).arg(&chart).args([
        "--namespace",
        NAMESPACE,
        "--include-crds",
        "--kube-version",
        "1.34.0",
    ]);
    template.args(["--set", "secrets.create=false"]).arg("--values").arg(&example);
    let text = process::read(&mut template)?;
    let head =
        "# Made by 'cargo xtask fleet-manifests' from the chart with kubernetes/examples/values.yaml.\n";
    is_same &= keep(&root.join("kubernetes/config/tautochrone.yaml"), &format!("{head}{text}"), options)?;
    Ok(ExitCode::from(u8::from(!is_same)))
}

/// Writes a file, or compares it; returns whether it is as it should be.
fn keep(path: &Path, text: &str, options: &Options) -> Result<bool> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(true);
    }
    if options.check {
        eprintln!("{} differs: run 'cargo xtask fleet-manifests'", path.display());
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(true)
}
