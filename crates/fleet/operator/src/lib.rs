//! Keeps pools of judgehosts on Kubernetes as their resources say.
//!
//! # Files
//!
//! `run.rs` is the loop: what is, what to do, doing it. `cluster.rs` watches the API server, `convert.rs` takes from its
//! answers what decisions depend on, `server.rs` asks the contest server, `act.rs` does what was decided, `view.rs` is what a person asks and sets, `metrics.rs`
//! answers Prometheus and probes.
//!
//! # Invariants
//!
//! - Each round looks at all that is: a lost watch, a failed call or a restart only delays what is done.
//! - A call that fails is logged, counted and made again in a later round; none ends the operator.
//! - It has no rights on nodes, secrets or pods of others: `kubernetes/` lists what it may.

#![forbid(unsafe_code)]

mod act;
mod cluster;
mod convert;
mod metrics;
mod run;
mod server;
mod view;

pub use cluster::{ConnectError, connect};
pub use convert::{machine, pod};
pub use k8s_openapi::api::core::v1::Pod;
pub use run::{OperatorError, Options, run};
pub use server::{ContestServer, ServerError};
pub use view::{FleetEvent, View, ViewError};
