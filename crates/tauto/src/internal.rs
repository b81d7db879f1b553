//! `tauto internal`: commands that this program runs itself.

use crate::arguments::InternalCommand;
use anyhow::Context;
use measure_command::arguments::ServerArguments;
use model::Nanos;
use std::process::ExitCode;

pub fn run(what: &InternalCommand) -> anyhow::Result<ExitCode> {
    match what {
        InternalCommand::Load { kind, cpus, floating, folder, parent } => {
            let (questions, answers) = (std::io::stdin().lock(), std::io::stdout().lock());
            labs::load::worker::serve(*kind, cpus, *floating, folder, *parent, questions, answers)
                .with_context(|| format!("the {kind} load cannot go on"))?;
        }
        InternalCommand::Tied { parent, command } => {
            return Err(labs::exchange::become_tied(*parent, command))
                .with_context(|| format!("cannot become {command:?}"));
        }
        InternalCommand::ContestServer => return contest_command::serve::run_server(),
        InternalCommand::Server(server) => {
            labs::throttling::server::serve(workload(server), server.steps_per_ms, server.parent)
                .context("the server cannot go on")?;
        }
        InternalCommand::Peer(peer) => {
            let plan = labs::affinity::peer::Peer {
                port: peer.port,
                cpus: peer.cpus.clone(),
                interval: Nanos(peer.interval_ns),
                intervals: peer.intervals,
            };
            labs::affinity::peer::run(&plan, peer.parent).context("sender or receiver cannot go on")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn workload(server: &ServerArguments) -> labs::throttling::Workload {
    labs::throttling::Workload {
        seed: server.seed,
        time: Nanos(server.time_ns),
        bursts_per_second: server.bursts_per_second,
        requests_per_burst: server.requests_per_burst,
        request: Nanos(server.request_ns),
        parts: server.parts,
        threads: server.threads,
        chores: Nanos(server.chores_ns),
        chores_every: Nanos(server.chores_every_ns),
        chore_threads: server.chore_threads,
    }
}
