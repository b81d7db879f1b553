//! What a person asks a cluster, and sets there.

use crate::cluster::{ConnectError, connect};
use k8s_openapi::api::core::v1::{ConfigMap, Event, Pod};
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::{Client, ResourceExt};
use pools::{JudgeNode, JudgePool};
use serde_json::{Value, json};
use std::path::Path;

/// Events that are asked for at once.
const PAGE: u32 = 500;
/// The name of the ConfigMap with what a node's agent saw begins so; the node's name follows.
const NODE_REPORT: &str = "tauto-node-";
/// Kinds that `tauto fleet` is about.
const KINDS: [&str; 2] = ["JudgePool", "JudgeNode"];

#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("the cluster has no resource {resource}: its definition is not installed")]
    NotInstalled { resource: &'static str },
    #[error("namespace '{namespace}' has no JudgeNode '{name}'")]
    NoNode { namespace: String, name: String, known: Vec<String> },
    #[error("namespace '{namespace}' has no pod '{name}'")]
    NoPod { namespace: String, name: String },
    #[error("the cluster refuses: {0}")]
    Refused(String),
    #[error("the cluster cannot be reached")]
    Unreachable(#[source] Box<kube::Error>),
}

/// What happened to a pool or a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetEvent {
    pub at_unix_ms: i64,
    pub is_warning: bool,
    pub about: String,
    pub reason: String,
    pub note: String,
}

/// A cluster's fleet, in one namespace.
pub struct View {
    client: Client,
    pub namespace: String,
}

impl View {
    /// Connects as [`connect`] does.
    pub async fn open(kubeconfig: Option<&Path>, namespace: Option<&str>) -> Result<Self, ViewError> {
        let (client, of_config) = connect(kubeconfig).await?;
        Ok(Self { client, namespace: namespace.map_or(of_config, str::to_owned) })
    }

    pub async fn pools(&self) -> Result<Vec<JudgePool>, ViewError> {
        let pools: Api<JudgePool> = Api::namespaced(self.client.clone(), &self.namespace);
        let list = pools.list(&ListParams::default()).await.map_err(|error| of("judgepools", error))?;
        Ok(list.items)
    }

    pub async fn nodes(&self) -> Result<Vec<JudgeNode>, ViewError> {
        let list = self.api().list(&ListParams::default()).await.map_err(|error| of("judgenodes", error))?;
        Ok(list.items)
    }

    /// Returns what happened, the oldest first. A cluster keeps events for an hour.
    pub async fn events(&self) -> Result<Vec<FleetEvent>, ViewError> {
        let api: Api<Event> = Api::namespaced(self.client.clone(), &self.namespace);
        let (mut events, mut page) = (Vec::new(), ListParams::default().limit(PAGE));
        loop {
            let list = api.list(&page).await.map_err(|error| of("events", error))?;
            events.extend(list.items.into_iter().filter_map(event));
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = page.continue_token(&token),
                None => break,
            }
        }
        events.sort_by_key(|event| event.at_unix_ms);
        Ok(events)
    }

    pub async fn pod(&self, name: &str) -> Result<Pod, ViewError> {
        let api: Api<Pod> = Api::namespaced(self.client.clone(), &self.namespace);
        let found = api.get_opt(name).await.map_err(|error| of("pods", error))?;
        found.ok_or_else(|| ViewError::NoPod { namespace: self.namespace.clone(), name: name.to_owned() })
    }

    /// Returns what the agent of a node saw last, as the agent wrote it; `None` without an agent in that namespace. Others could
    /// write a map of this name elsewhere.
    pub async fn node_report(&self, agents: &str, node: &str) -> Result<Option<String>, ViewError> {
        let api: Api<ConfigMap> = Api::namespaced(self.client.clone(), agents);
        let map =
            api.get_opt(&format!("{NODE_REPORT}{node}")).await.map_err(|error| of("configmaps", error))?;
        Ok(map.and_then(|map| map.data?.remove("report.json")))
    }

    /// Sets whether a machine is drained.
    pub async fn drain(&self, node: &str, drain: bool) -> Result<(), ViewError> {
        self.set(node, json!({"drain": drain})).await
    }

    /// Asks for another calibration; this lets a machine back in that was taken out.
    pub async fn calibrate(&self, node: &str) -> Result<(), ViewError> {
        let known = self.api().get_opt(node).await.map_err(|error| of("judgenodes", error))?;
        let times = known.map_or(0, |node| node.spec.calibrate);
        self.set(node, json!({"calibrate": times.saturating_add(1)})).await
    }

    async fn set(&self, node: &str, spec: Value) -> Result<(), ViewError> {
        let patch = json!({"spec": spec});
        match self.api().patch(node, &PatchParams::default(), &Patch::Merge(&patch)).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 => {
                let known = self.nodes().await?.iter().map(ResourceExt::name_any).collect();
                Err(ViewError::NoNode { namespace: self.namespace.clone(), name: node.to_owned(), known })
            }
            Err(error) => Err(of("judgenodes", error)),
        }
    }

    fn api(&self) -> Api<JudgeNode> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

fn of(resource: &'static str, error: kube::Error) -> ViewError {
    match error {
        kube::Error::Api(status) if status.code == 404 => ViewError::NotInstalled { resource },
        kube::Error::Api(status) => ViewError::Refused(status.message.clone()),
        other => ViewError::Unreachable(Box::new(other)),
    }
}

fn event(event: Event) -> Option<FleetEvent> {
    let about = event.involved_object;
    if !about.kind.as_ref().is_some_and(|kind| KINDS.contains(&kind.as_str())) {
        return None;
    }
    let series = event.series.and_then(|series| series.last_observed_time).map(|time| time.0);
    let time = series.or(event.event_time.map(|time| time.0)).or(event.last_timestamp.map(|time| time.0));
    Some(FleetEvent {
        at_unix_ms: time.map_or(0, |time| time.as_millisecond()),
        is_warning: event.type_.as_deref() == Some("Warning"),
        about: about.name.unwrap_or_default(),
        reason: event.reason.unwrap_or_default(),
        note: event.message.unwrap_or_default(),
    })
}
