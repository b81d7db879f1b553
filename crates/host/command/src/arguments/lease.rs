//! What is done where others have the CPUs.

use clap::Args;
use model::Nanos;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::interrupt::Interrupt;
use terminal::prose::{error_columns, wrap};
use terminal::values::time;
use terminal::visible;
use timing::{IfTaken, PlaceError, Queue};

// Waiting for CPUs.
#[derive(Clone, Debug, Default, Args)]
pub struct WaitArguments {
    /// If other processes have the CPUs, wait in line for them, at most for TIME; without it that is an error
    #[arg(long, value_name = "TIME", value_parser = time, num_args = 0..=1, require_equals = true)]
    pub wait: Option<Option<Nanos>>,
}

// Waiting for CPUs, or sharing them.
#[derive(Clone, Debug, Default, Args)]
pub struct LeaseArguments {
    /// See --wait.
    #[command(flatten)]
    pub wait: WaitArguments,
    /// If other processes have the CPUs, share one of theirs; results that rest on such times say so
    #[arg(long, conflicts_with = "wait")]
    pub shared: bool,
}

// Waiting for CPUs, or sharing them, where their noise is measured.
#[derive(Clone, Debug, Default, Args)]
pub struct NoiseLeaseArguments {
    /// See --wait and --shared.
    #[command(flatten)]
    pub lease: LeaseArguments,
    /// Keep leases in this folder, where no other process sees them: for tests, whose times mean nothing
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub leases: Option<PathBuf>,
}

impl WaitArguments {
    pub fn if_taken(&self, interrupt: &Interrupt) -> IfTaken {
        let Some(patience) = self.wait else { return IfTaken::Refuse };
        let report = move |why: &PlaceError| {
            let most = patience.map_or_else(String::new, |patience| format!(" for {patience} at most"));
            // A failed write is no reason to give up.
            let text = visible(&format!("waiting{most}: {why}"));
            let _ = write!(std::io::stderr(), "{}", wrap("", 2, &text, error_columns()));
        };
        IfTaken::Wait(Queue { patience, stop: Some(interrupt.stop()), report: Arc::new(report) })
    }
}

impl LeaseArguments {
    pub fn if_taken(&self, interrupt: &Interrupt) -> IfTaken {
        if self.shared { IfTaken::Share } else { self.wait.if_taken(interrupt) }
    }
}
