//! The whole operator over HTTP: what it does while the API server fails, forgets and is silent.

#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

mod api;

use api::Api;
use axum::http::StatusCode;
use operator::{ContestServer, Options};
use pools::Settings;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Longer than the operator's waits between attempts.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a kubelet of a real node says of it.
const NODE: &str = include_str!("../recorded/node.json");

fn pool(min: u32) -> Value {
    let image = format!("registry.example/tauto@sha256:{}", "a".repeat(64));
    json!({
        "apiVersion": "fleet.tautochrone.dev/v1alpha1", "kind": "JudgePool",
        "metadata": {"name": "default", "namespace": "contest", "generation": min},
        "spec": {"hardware": "this-machine", "helpers": 0, "image": image, "size": {"min": min, "max": min}},
    })
}

fn node(name: &str) -> Value {
    let mut node: Value = serde_json::from_str(NODE).unwrap();
    node["metadata"]["name"] = json!(name);
    node
}

/// Starts an operator; it ends with the test's runtime.
fn start(api: &Api, folder: &Path) {
    let address = format!("http://{}", api.address);
    let kubeconfig = folder.join("kubeconfig");
    let text = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": address}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me", "namespace": "contest"}}],
        "users": [{"name": "me", "user": {"token": "t"}}],
    });
    std::fs::write(&kubeconfig, text.to_string()).unwrap();
    let options = Options {
        kubeconfig: Some(kubeconfig),
        namespace: None,
        settings: Settings { server: address.clone(), ..Settings::default() },
        listener: None,
    };
    let server = ContestServer::new(&address, "t", ureq::tls::TlsConfig::default());
    tokio::spawn(async move { operator::run(options, server, std::future::pending()).await.unwrap() });
}

async fn wait(api: &Api, what: &str, is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .unwrap_or_else(|_| panic!("not within {PATIENCE:?}: {what}; {}", api.described()));
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_and_lost_watches_only_delay() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start();
    api.put("judgepools", pool(1), true);
    api.put("nodes", node("n1"), true);
    // Before anything was listed.
    api.held().refusals = vec![StatusCode::TOO_MANY_REQUESTS, StatusCode::INTERNAL_SERVER_ERROR];
    start(&api, folder.path());
    let has_pod = |name: &'static str| {
        let api = api.clone();
        move || api.get("judgenodes", name).is_some() && api.has_pod(name)
    };
    wait(&api, "the first machine has its judgehost", has_pod("n1")).await;
    assert!(api.held().refusals.is_empty(), "they were used");

    // While it acts: a second machine is wanted, and the next requests fail.
    api.held().refusals = vec![StatusCode::INTERNAL_SERVER_ERROR; 2];
    api.held().refusals.push(StatusCode::TOO_MANY_REQUESTS);
    api.put("nodes", node("n2"), false);
    api.put("judgepools", pool(2), false);
    wait(&api, "the second machine has its judgehost", has_pod("n2")).await;

    // The changes are in no watch, since etcd has forgotten the versions from which they go on.
    api.put("nodes", node("n3"), true);
    api.put("judgepools", pool(3), true);
    let before = api.held().lists.clone();
    api.compact();
    wait(&api, "the third machine has its judgehost", has_pod("n3")).await;
    let after = api.held().lists.clone();
    for kind in ["judgepools", "judgenodes", "nodes", "pods"] {
        assert!(after[kind] > before[kind], "{kind} was not listed again: {before:?}, {after:?}");
    }
    assert!(api.get("judgepools", "default").unwrap()["status"]["conditions"].is_array());
}
