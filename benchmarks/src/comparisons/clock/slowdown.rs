//! What counting costs: CPU time on the processor, under the emulator, and with the plugin.

use super::counted::report;
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, ensure};
use labs::{PROGRAMS, Size};
use stats::Sample;
use std::path::Path;

/// Starts of a program take a while under the emulator, so only the programs' own work is compared with bars.
const MEDIAN_MAX: f64 = 12.0;
const PLUGIN_MAX: f64 = 1.3;

/// Runs the programs of the ladder in turns, each of the three ways in each round.
pub fn figures(tauto: &Path, folder: &Path, rounds: u32) -> Result<Vec<Figure>> {
    let emulator = format!("qemu-{}", std::env::consts::ARCH);
    let mut figures = Vec::new();
    let (mut slowdowns, mut plugins) = (Vec::new(), Vec::new());
    for program in PROGRAMS {
        let command = super::programs::of_ladder(folder, &program, program.argument(Size::Usual))?;
        let path = xtask::process::find(&command[0]).map(|path| path.to_string_lossy().into_owned());
        let bare =
            [emulator.clone(), "-cpu".into(), "max".into(), path.unwrap_or_else(|| command[0].clone())];
        let bare: Vec<String> = bare.into_iter().chain(command[1..].iter().cloned()).collect();
        let counted = ["--clock", "instructions"].map(str::to_owned);
        let ways: [(&[String], &[String]); 3] = [(&[], &command), (&[], &bare), (&counted, &command)];
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..=rounds {
            for (at, (options, command)) in ways.iter().enumerate() {
                let report = report(tauto, folder, options, None, command)?;
                ensure!(report.end.code == Some(0), "{command:?}: {:?}", report.end);
                // The first round reads everything from disk.
                if round > 0 {
                    times[at].push(report.usage.cpu_time_ns as f64);
                }
            }
        }
        let ratio = |one: &[f64], other: &[f64]| -> Result<f64> {
            let ratios = one.iter().zip(other).map(|(one, other)| one / other).collect();
            Ok(Sample::new(ratios).context("no round")?.median())
        };
        let slowdown = ratio(&times[2], &times[0])?;
        let plugin = ratio(&times[2], &times[1])?;
        eprintln!(
            "bench: {}: {slowdown:.2} times native, {plugin:.2} times the emulator alone",
            program.name
        );
        let what =
            format!("{} ({}): CPU time by counted instructions, times native", program.name, program.what);
        figures.push(figure(format!("slowdown_{}", program.name), what, slowdown, ""));
        let what = format!("{}: of that, times the emulator without the plugin", program.name);
        figures.push(figure(format!("plugin_{}", program.name), what, plugin, ""));
        slowdowns.push(slowdown);
        plugins.push(plugin);
    }
    let median = Sample::new(slowdowns)?.median();
    figures.push(
        figure("slowdown", "CPU time by counted instructions, times native, median", median, "")
            .under(MEDIAN_MAX),
    );
    let worst = plugins.into_iter().fold(0.0, f64::max);
    figures.push(
        figure("plugin", "the plugin, times the emulator without it, worst", worst, "").under(PLUGIN_MAX),
    );
    Ok(figures)
}
