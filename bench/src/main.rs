//! What `cargo xtask bench` measures inside the product's crates, each as a JSON array on standard output.

#![forbid(unsafe_code)]

mod allocate;
mod audit_cost;
mod noise_grid;
mod noise_model;
mod noise_sources;

use allocate::By;
use clap::{Parser, Subcommand, value_parser};
use serde_json::Value;

#[derive(Parser)]
#[command(name = "tauto-bench", about = "What the project's benchmarks measure inside the product's crates")]
struct Arguments {
    #[command(subcommand)]
    arm: Arm,
}

#[derive(Subcommand)]
enum Arm {
    /// Run a program by turns without an audit and with one; print the times in ns
    AuditCost {
        /// How often
        #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
        count: u32,
        /// The program and its arguments
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<String>,
    },
    /// Take traces of known sources apart; print how well that went
    NoiseSources,
    /// Simulate the propagation of noise on one thread; print node-iterations a second
    NoiseSpeed,
    /// Hold formulas of the propagation of noise to its simulation; print both
    NoiseGrid,
    /// Lease CPUs of a made-up machine of 1024; print the time of each decision in ns
    Allocate {
        /// What decides
        #[arg(long, value_enum)]
        by: By,
        /// How often
        #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000))]
        count: u32,
    },
}

fn main() -> anyhow::Result<()> {
    // The launcher of a sandbox is this very binary.
    sandbox::become_launcher_if_asked();
    let rows: Vec<Value> = match Arguments::parse().arm {
        Arm::AuditCost { count, command } => audit_cost::rounds(count, &command)?,
        Arm::NoiseSources => noise_sources::cases(),
        Arm::NoiseSpeed => noise_model::speed()?,
        Arm::NoiseGrid => noise_grid::grid()?,
        Arm::Allocate { by, count } => allocate::decisions(by, count).into_iter().map(Value::from).collect(),
    };
    println!("{}", Value::Array(rows));
    Ok(())
}
