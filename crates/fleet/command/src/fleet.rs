//! `tauto fleet`: pools of judgehosts on Kubernetes.

mod explain;
mod meaning;
mod operate;
mod shown;

use crate::arguments::{FleetCommand, FleetTopArguments, OnCluster};
use anyhow::Context;
use documents::FleetReport;
use kube::CustomResourceExt;
use meaning::meant;
use operator::View;
use pools::{JudgeNode, JudgePool};
use std::process::ExitCode;
use std::time::Duration;
use terminal::interrupt::Interrupt;
use terminal::{Colour, print, print_result};

/// How often `top --watch` looks again.
const AGAIN: Duration = Duration::from_secs(2);
/// A terminal begins anew at its top.
const CLEAR: &str = "\x1b[H\x1b[2J";

pub fn run(command: &FleetCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        FleetCommand::Operator(arguments) => return operate::run(arguments),
        FleetCommand::Resources => print(&resources()?)?,
        FleetCommand::Secrets { name } => print(&operate::secrets(name))?,
        FleetCommand::Status(cluster) => {
            let report = block(async {
                let view = open(cluster).await?;
                let events = shown::events(view.events().await.map_err(meant)?);
                Ok(FleetReport { events, ..shown::fleet(&view).await? })
            })?;
            print_result(&report, json, shown::status)?;
        }
        FleetCommand::Pools(cluster) => {
            let report = look(cluster, |report| report.nodes.clear())?;
            print_result(&report, json, shown::pools)?;
        }
        FleetCommand::Nodes(arguments) => {
            let report = look(&arguments.cluster, |report| {
                report.pools.clear();
                if let Some(pool) = &arguments.pool {
                    report.nodes.retain(|node| node.pool == *pool);
                }
            })?;
            print_result(&report, json, shown::nodes)?;
        }
        FleetCommand::Events(cluster) => {
            let report = block(async {
                let view = open(cluster).await?;
                let events = shown::events(view.events().await.map_err(meant)?);
                Ok(FleetReport { namespace: view.namespace.clone(), events, ..FleetReport::default() })
            })?;
            print_result(&report, json, shown::happened)?;
        }
        FleetCommand::Explain(arguments) => {
            let explained = block(async { explain::of(&open(&arguments.cluster).await?, arguments).await })?;
            print_result(&explained, json, explain::report_of)?;
        }
        FleetCommand::Top(arguments) => return top(arguments, json),
        FleetCommand::Drain(arguments) => {
            let drain = !arguments.undo;
            block(async {
                let view = open(&arguments.cluster).await?;
                view.drain(&arguments.node, drain).await.map_err(meant)
            })?;
            let what = if drain { "ends its work, and stays out of its pool" } else { "may judge again" };
            print(&format!("{} {what}\n", arguments.node))?;
        }
        FleetCommand::Calibrate(arguments) => {
            block(async {
                let view = open(&arguments.cluster).await?;
                view.calibrate(&arguments.node).await.map_err(meant)
            })?;
            print(&format!("{} is calibrated again before it judges\n", arguments.node))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn top(arguments: &FleetTopArguments, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    loop {
        let report = look(&arguments.cluster, shown::busiest_first)?;
        if !arguments.watch || json {
            print_result(&report, json, shown::top)?;
        } else {
            print(&format!("{CLEAR}{}", shown::top(&report).text(Colour::for_stdout())))?;
        }
        if !arguments.watch || block(async { Ok(is_stopped(&interrupt).await) })? {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Waits until it is time to look again, and returns whether that is not wanted any more.
async fn is_stopped(interrupt: &Interrupt) -> bool {
    tokio::time::timeout(AGAIN, contest_command::serve::stopped(interrupt.stop())).await.is_ok()
}

/// Returns pools and machines, without what the command does not show.
fn look(cluster: &OnCluster, drop: impl FnOnce(&mut FleetReport)) -> anyhow::Result<FleetReport> {
    let mut report = block(async { shown::fleet(&open(cluster).await?).await })?;
    drop(&mut report);
    Ok(report)
}

async fn open(cluster: &OnCluster) -> anyhow::Result<View> {
    View::open(cluster.kubeconfig.as_deref(), cluster.namespace.as_deref()).await.map_err(meant)
}

fn block<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start a thread")?.block_on(work)
}

/// Returns the definitions of the resources, as `kubernetes/chart/crds` has them.
fn resources() -> anyhow::Result<String> {
    let write = |definition| serde_saphyr::to_string(&definition).context("a definition cannot be written");
    Ok(format!("{}---\n{}", write(JudgePool::crd())?, write(JudgeNode::crd())?))
}
