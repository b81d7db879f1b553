//! Does what was decided.

use crate::server::{ContestServer, ServerError};
use k8s_openapi::api::core::v1::{ObjectReference, Pod};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Client, Resource};
use pools::{About, Action, FINALIZER, JudgeNode, JudgePool, Seen, Tone};
use serde_json::json;
use std::sync::Arc;

/// The owner of the fields that are applied.
const MANAGER: &str = "tautochrone-operator";
/// The longest note of an event that the API server takes, in bytes.
const NOTE_BYTES_MAX: usize = 1000;

#[derive(Debug, thiserror::Error)]
pub enum ActError {
    #[error(transparent)]
    Cluster(#[from] kube::Error),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("a thread ended: {0}")]
    Thread(#[from] tokio::task::JoinError),
    #[error("it cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

pub struct Hands {
    pools: Api<JudgePool>,
    nodes: Api<JudgeNode>,
    pods: Api<Pod>,
    recorder: Recorder,
    server: Arc<ContestServer>,
}

impl Hands {
    pub fn new(client: &Client, namespace: &str, server: Arc<ContestServer>) -> Self {
        let reporter = Reporter { controller: MANAGER.to_owned(), instance: None };
        Self {
            pools: Api::namespaced(client.clone(), namespace),
            nodes: Api::namespaced(client.clone(), namespace),
            pods: Api::namespaced(client.clone(), namespace),
            recorder: Recorder::new(client.clone(), reporter),
            server,
        }
    }

    /// Does one thing. What is done already, or gone already, is no failure.
    pub async fn act(&self, action: Action, seen: &Seen) -> Result<(), ActError> {
        match action {
            Action::MakeNode(node) => {
                let made = self
                    .nodes
                    .create(
                        &PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() },
                        &node,
                    )
                    .await;
                unless(409, made.map(drop))
            }
            Action::DeleteNode(name) => {
                unless(404, self.nodes.delete(&name, &DeleteParams::default()).await.map(drop))
            }
            Action::ReleaseNode(name) => self.release(&name).await,
            Action::MakePod(pod) => {
                let name = pod.metadata.name.clone().unwrap_or_default();
                let apply = PatchParams::apply(MANAGER).force();
                self.pods.patch(&name, &apply, &Patch::Apply(&*pod)).await?;
                Ok(())
            }
            Action::DeletePod { name, at_once } => {
                let how =
                    DeleteParams { grace_period_seconds: at_once.then_some(0), ..DeleteParams::default() };
                unless(404, self.pods.delete(&name, &how).await.map(drop))
            }
            Action::SetHost { host, state, reason } => {
                self.ask(move |server| server.set(&host, state, &reason)).await
            }
            Action::RemoveHost(host) => self.ask(move |server| server.remove(&host)).await,
            Action::NodeStatus { node, status } => {
                let status = json!({"status": status});
                let patched = self.nodes.patch_status(&node, &by_us(), &Patch::Merge(&status)).await;
                unless(404, patched.map(drop))
            }
            Action::PoolStatus { pool, status } => {
                let status = json!({"status": status});
                let patched = self.pools.patch_status(&pool, &by_us(), &Patch::Merge(&status)).await;
                unless(404, patched.map(drop))
            }
            Action::Tell { about, tone, reason, note } => self.tell(about, tone, reason, note, seen).await,
        }
    }

    /// Removes our finalizer alone: others may have their own.
    async fn release(&self, name: &str) -> Result<(), ActError> {
        let Some(node) = self.nodes.get_opt(name).await? else { return Ok(()) };
        let others: Vec<&String> =
            node.metadata.finalizers.iter().flatten().filter(|one| *one != FINALIZER).collect();
        // With the version that was read: another writer's change is not lost.
        let patch =
            json!({"metadata": {"finalizers": others, "resourceVersion": node.metadata.resource_version}});
        unless(404, self.nodes.patch(name, &by_us(), &Patch::Merge(&patch)).await.map(drop))
    }

    async fn ask(
        &self,
        question: impl FnOnce(&ContestServer) -> Result<(), ServerError> + Send + 'static,
    ) -> Result<(), ActError> {
        let server = Arc::clone(&self.server);
        tokio::task::spawn_blocking(move || question(&server)).await??;
        Ok(())
    }

    async fn tell(
        &self,
        about: About,
        tone: Tone,
        reason: &str,
        note: String,
        seen: &Seen,
    ) -> Result<(), ActError> {
        let reference: Option<ObjectReference> = match &about {
            About::Pool(name) => seen
                .pools
                .iter()
                .find(|pool| pool.metadata.name.as_ref() == Some(name))
                .map(|pool| pool.object_ref(&())),
            About::Node(name) => seen
                .nodes
                .iter()
                .find(|node| node.metadata.name.as_ref() == Some(name))
                .map(|node| node.object_ref(&())),
        };
        let Some(reference) = reference else { return Ok(()) };
        let mut note = note;
        note.truncate(note.floor_char_boundary(NOTE_BYTES_MAX));
        let event = Event {
            type_: match tone {
                Tone::Normal => EventType::Normal,
                Tone::Warning => EventType::Warning,
            },
            reason: reason.to_owned(),
            note: Some(note),
            action: reason.to_owned(),
            secondary: None,
        };
        self.recorder.publish(&event, &reference).await?;
        Ok(())
    }
}

fn by_us() -> PatchParams {
    PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() }
}

/// Takes an answer that means that it is done already.
fn unless(status: u16, result: Result<(), kube::Error>) -> Result<(), ActError> {
    match result {
        Err(kube::Error::Api(answer)) if answer.code == status => Ok(()),
        other => Ok(other?),
    }
}
