//! Toolchain images: importing one, compared with unpacking its layer by tar, in turns.

use super::host::Host;
use crate::figure::{Figure, figure, table};
use anyhow::{Context, Result, ensure};
use stats::Sample;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use test_support::oci::{Layer, Layout, digest, stored};
use xtask::process;

/// As many files and bytes as a C++ compiler with what it needs.
const FILES: usize = 9_000;
const FILE_BYTES: usize = 28_000;
/// Times of tar for which an import may take.
const RATIO_MAX: f64 = 1.5;

/// Measures and prints; returns whether the bar is reached.
pub fn run(tauto: &Path, rounds: usize, json: bool) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let layer = stored(layer());
    let blob = digest(&layer.0);
    let layout = Layout::new().image(Some("bench/image:1"), &[layer]);
    let layer = layout.blob_path(&blob);
    let (tree, images) = (folder.path().join("tree"), folder.path().join("images"));
    let tar = || -> Result<f64> {
        fresh(&tree)?;
        timed(Command::new("tar").arg("-xzf").arg(&layer).arg("-C").arg(&tree))
    };
    let import = || {
        let source = format!("oci:{}", layout.path().display());
        let mut import = Command::new(tauto);
        timed(import.args(["image", "import", &source, "--json", "--store"]).arg(&images))
    };
    let (mut ratios, mut again) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        if images.exists() {
            fs::remove_dir_all(&images)?;
        }
        // The one that comes second finds other free memory.
        let (ours, theirs) = if round % 2 == 0 {
            let ours = import()?;
            (ours, tar()?)
        } else {
            let theirs = tar()?;
            (import()?, theirs)
        };
        again.push(import()? * 1e3);
        ratios.push(ours / theirs);
        eprintln!("bench: import {ours:.2} s, tar {theirs:.2} s");
    }
    let ratios = Sample::new(ratios).context("no round")?;
    let what = format!("an image of {FILES} files: its import, times tar -xzf of its layer, median");
    let figures: Vec<Figure> = vec![
        figure("import", what, ratios.median(), "").under(RATIO_MAX),
        figure("import_again", "the same image again, median", Sample::new(again)?.median(), "ms"),
    ];
    let host = Host::read();
    host.show(json, &figures, || table(&figures))?;
    Ok(figures.iter().all(|figure| figure.is_reached))
}

/// Content that a third of its bytes can be made of.
fn layer() -> Layer {
    let mut random = fastrand::Rng::with_seed(1);
    let mut content = vec![b' '; FILE_BYTES];
    (0..FILES).fold(Layer::new().folder("usr"), |layer, at| {
        for chunk in content.chunks_mut(9) {
            chunk.iter_mut().take(3).for_each(|byte| *byte = random.alphanumeric() as u8);
        }
        layer.program(&format!("usr/{at:04}"), &content)
    })
}

fn fresh(folder: &PathBuf) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir(folder)?)
}

fn timed(command: &mut Command) -> Result<f64> {
    let begin = Instant::now();
    let output = command.output()?;
    let took = begin.elapsed().as_secs_f64();
    ensure!(output.status.success(), "{command:?}: {}", process::tail(&output.stderr));
    Ok(took)
}
