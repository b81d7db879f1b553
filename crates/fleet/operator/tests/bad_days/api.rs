//! An API server and a contest server that fail when they are asked to. Objects are kept as they are sent.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// Collections by the last part of their path, each with its kind.
const KINDS: [(&str, &str, &str); 4] = [
    ("judgepools", "fleet.tautochrone.dev/v1alpha1", "JudgePool"),
    ("judgenodes", "fleet.tautochrone.dev/v1alpha1", "JudgeNode"),
    ("nodes", "v1", "Node"),
    ("pods", "v1", "Pod"),
];

#[derive(Default)]
pub struct Held {
    objects: BTreeMap<(&'static str, String), Value>,
    version: u64,
    /// What the next requests get instead of an answer.
    pub refusals: Vec<StatusCode>,
    /// Each request that was refused.
    pub refused: Vec<(Method, StatusCode)>,
    /// How often each collection was listed.
    pub lists: BTreeMap<&'static str, u32>,
}

#[derive(Clone)]
pub struct Api {
    pub address: SocketAddr,
    held: Arc<Mutex<Held>>,
    events: broadcast::Sender<(&'static str, String)>,
}

impl Api {
    /// Serves until the process ends.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let api = Self {
            address: listener.local_addr().unwrap(),
            held: Arc::default(),
            events: broadcast::channel(1_000).0,
        };
        let router = Router::new().fallback(answer).with_state(api.clone());
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        api
    }

    pub fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds or changes an object; watches have it unless it is done in silence.
    pub fn put(&self, kind: &'static str, mut object: Value, in_silence: bool) -> Value {
        let mut held = self.held();
        held.version += 1;
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        object["metadata"]["resourceVersion"] = json!(held.version.to_string());
        object["metadata"]["uid"] = json!(format!("{kind}-{name}"));
        let word = match held.objects.insert((kind, name), object.clone()) {
            Some(_) => "MODIFIED",
            None => "ADDED",
        };
        drop(held);
        if !in_silence {
            self.tell(kind, &json!({"type": word, "object": object}));
        }
        object
    }

    pub fn get(&self, kind: &'static str, name: &str) -> Option<Value> {
        self.held().objects.get(&(kind, name.to_owned())).cloned()
    }

    /// Returns whether a judgehost's pod is on a machine.
    pub fn has_pod(&self, machine: &str) -> bool {
        let held = self.held();
        held.objects.iter().any(|((kind, _), pod)| {
            *kind == "pods" && pod["metadata"]["annotations"][pools::NODE_LABEL] == machine
        })
    }

    /// Says what is there, for a test that failed.
    pub fn described(&self) -> String {
        let held = self.held();
        let status = |((kind, name), object): (&(&str, String), &Value)| {
            format!("{kind}/{name}: {}", object["status"])
        };
        let all: Vec<String> = held.objects.iter().map(status).collect();
        format!("lists {:?}, refused {:?}, {}", held.lists, held.refused, all.join("\n"))
    }

    /// What a watch gets whose version etcd has compacted away.
    pub fn compact(&self) {
        for (kind, _, _) in KINDS {
            let gone = json!({"type": "ERROR", "object": {
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Expired", "code": 410,
                "message": "The resourceVersion for the provided watch is too old.",
            }});
            self.tell(kind, &gone);
        }
    }

    fn tell(&self, kind: &'static str, event: &Value) {
        // Without a watch there is no receiver.
        let _ = self.events.send((kind, format!("{event}\n")));
    }

    fn list(&self, kind: &'static str, version: &str, word: &str) -> Value {
        let mut held = self.held();
        *held.lists.entry(kind).or_default() += 1;
        let items: Vec<&Value> =
            held.objects.iter().filter(|((one, _), _)| *one == kind).map(|(_, object)| object).collect();
        json!({
            "kind": format!("{word}List"), "apiVersion": version,
            "metadata": {"resourceVersion": held.version.to_string()}, "items": items,
        })
    }
}

async fn answer(State(api): State<Api>, method: Method, uri: Uri, body: Bytes) -> Response {
    let path: Vec<&str> = uri.path().split('/').filter(|part| !part.is_empty()).collect();
    // The contest server, which never fails here.
    match path.as_slice() {
        ["api", "judgehosts"] => return axum::Json(json!([])).into_response(),
        ["api", "jobs"] => return axum::Json(json!({"pools": []})).into_response(),
        _ => {}
    }
    let refusal = api.held().refusals.pop();
    if let Some(status) = refusal {
        api.held().refused.push((method, status));
        let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "not now", "code": status.as_u16()});
        return (status, [("retry-after", "1")], axum::Json(body)).into_response();
    }
    let of = KINDS.iter().position(|(kind, ..)| path.contains(kind));
    let Some((kind, version, word)) = of.map(|at| KINDS[at]) else {
        // Events and the like.
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        return axum::Json(sent).into_response();
    };
    let name = path.iter().skip_while(|part| **part != kind).nth(1).map(|name| (*name).to_owned());
    let is_watch = uri.query().is_some_and(|query| query.contains("watch=true"));
    match (method, name) {
        (Method::GET, None) if is_watch => watch(&api, kind),
        (Method::GET, None) => axum::Json(api.list(kind, version, word)).into_response(),
        (Method::POST, None) => {
            let object: Value = serde_json::from_slice(&body).unwrap();
            axum::Json(api.put(kind, object, false)).into_response()
        }
        (Method::PATCH, Some(name)) => {
            let patch: Value = serde_json::from_slice(&body).unwrap();
            let mut object =
                api.get(kind, &name).unwrap_or_else(|| json!({"apiVersion": version, "kind": word}));
            merge(&mut object, &patch);
            axum::Json(api.put(kind, object, false)).into_response()
        }
        (Method::GET, Some(name)) => match api.get(kind, &name) {
            Some(object) => axum::Json(object).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// A JSON merge patch (RFC 7386).
fn merge(object: &mut Value, patch: &Value) {
    let (Some(fields), true) = (patch.as_object(), object.is_object() || patch.is_object()) else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (name, value) in fields {
        match value {
            Value::Null => drop(object.as_object_mut().unwrap().remove(name)),
            value => merge(&mut object[name], value),
        }
    }
}

fn watch(api: &Api, kind: &'static str) -> Response {
    let events = api.events.subscribe();
    let lines = futures_util::stream::unfold(events, |mut events| async {
        let event = events.recv().await.ok()?;
        Some((event, events))
    });
    let lines = lines
        .filter(move |(of, _)| std::future::ready(*of == kind))
        .map(|(_, line)| Ok::<_, std::convert::Infallible>(line));
    Response::new(Body::from_stream(lines))
}
