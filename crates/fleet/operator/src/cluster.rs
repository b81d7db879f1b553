//! What the API server knows, kept up to date by watches.

use crate::convert;
use futures_util::StreamExt;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::Api;
use kube::runtime::reflector::{self, Store};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Config, ResourceExt};
use pools::{JudgeNode, JudgePool, Machine, PodSeen, Seen};
use std::fmt::Debug;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Notify;

/// The judgehosts' pods, and none of others.
const PODS: &str = "app.kubernetes.io/name=tautochrone,app.kubernetes.io/component=judgehost";
/// The most objects in an answer: with more, several answers are asked for.
const PAGE: u32 = 500;

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("cannot read {path}")]
    Kubeconfig { path: String, source: kube::config::KubeconfigError },
    #[error("no cluster is named: neither a kubeconfig nor a pod's service account is here")]
    NoCluster(#[source] Box<kube::config::InferConfigError>),
    #[error("cannot use the cluster's address or certificate")]
    Client(#[source] Box<kube::Error>),
}

/// Connects to the cluster of a kubeconfig, by default of `KUBECONFIG`, of `~/.kube/config`, or of the pod's service account.
/// Returns also the namespace that is named there.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<(Client, String), ConnectError> {
    // Another crate of this binary may have chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = match kubeconfig {
        Some(path) => {
            let wrong = |source| ConnectError::Kubeconfig { path: path.display().to_string(), source };
            let read = kube::config::Kubeconfig::read_from(path).map_err(wrong)?;
            Config::from_custom_kubeconfig(read, &Default::default()).await.map_err(wrong)?
        }
        None => Config::infer().await.map_err(|error| ConnectError::NoCluster(Box::new(error)))?,
    };
    let namespace = config.default_namespace.clone();
    let client = Client::try_from(config).map_err(|error| ConnectError::Client(Box::new(error)))?;
    Ok((client, namespace))
}

/// What is watched.
pub struct Cluster {
    pools: Store<JudgePool>,
    nodes: Store<JudgeNode>,
    machines: Store<Node>,
    pods: Store<Pod>,
    /// Wakes when something has changed.
    pub changed: Arc<Notify>,
}

impl Cluster {
    /// Starts the watches. Each lists everything again when it was cut, also by an API server that closes slow ones.
    pub fn watch(client: &Client, namespace: &str) -> Self {
        let changed = Arc::new(Notify::new());
        let of = |selector: &str| watcher::Config::default().page_size(PAGE).labels(selector);
        let namespaced = Api::<Pod>::namespaced(client.clone(), namespace);
        Self {
            pools: follow(Api::namespaced(client.clone(), namespace), of(""), &changed, |_| ()),
            nodes: follow(Api::namespaced(client.clone(), namespace), of(""), &changed, |_| ()),
            machines: follow(Api::all(client.clone()), of(""), &changed, convert::lighten_node),
            pods: follow(namespaced, of(PODS), &changed, convert::lighten_pod),
            changed,
        }
    }

    /// Waits until everything was listed once: before that, what is there would look as if it were gone.
    pub async fn wait_until_listed(&self) {
        // A writer that is gone means that the process ends.
        let _ = tokio::join!(
            self.pools.wait_until_ready(),
            self.nodes.wait_until_ready(),
            self.machines.wait_until_ready(),
            self.pods.wait_until_ready(),
        );
    }

    /// Returns what is, without the contest server's part.
    pub fn seen(&self, at_ms: u64) -> Seen {
        let machines = self.machines.state();
        let machines = machines.iter().map(|node| (node.name_any(), convert::machine(node)));
        let pods = self.pods.state();
        Seen {
            at_ms,
            pools: sorted(&self.pools),
            nodes: sorted(&self.nodes),
            machines: machines.collect::<std::collections::BTreeMap<String, Machine>>(),
            pods: pods.iter().map(|pod| convert::pod(pod)).collect::<Vec<PodSeen>>(),
            server: None,
        }
    }
}

/// Returns copies in the order of their names, so that the same things give the same decisions.
fn sorted<K>(store: &Store<K>) -> Vec<K>
where
    K: kube::Resource<DynamicType = ()> + Clone + 'static,
{
    let mut all: Vec<K> = store.state().iter().map(|one| (**one).clone()).collect();
    all.sort_by_key(ResourceExt::name_any);
    all
}

fn follow<K>(api: Api<K>, config: watcher::Config, changed: &Arc<Notify>, lighten: fn(&mut K)) -> Store<K>
where
    K: kube::Resource<DynamicType = ()> + Clone + Debug + Send + Sync + serde::de::DeserializeOwned + 'static,
    K::DynamicType: Hash + Eq,
{
    let (reader, writer) = reflector::store();
    let changed = Arc::clone(changed);
    let lighter = move |object: &mut K| {
        object.managed_fields_mut().clear();
        lighten(object);
    };
    let stream = watcher(api, config).default_backoff().modify(lighter).reflect(writer);
    tokio::spawn(async move {
        let mut stream = std::pin::pin!(stream);
        while let Some(event) = stream.next().await {
            match event {
                Ok(_) => changed.notify_one(),
                Err(error) => {
                    let what = K::kind(&());
                    tracing::warn!(%what, %error, "a watch was cut; everything is listed again");
                }
            }
        }
    });
    reader
}
