//! What an operator does.

use crate::{HostState, JudgeNode, JudgeNodeStatus, JudgePoolStatus};
use k8s_openapi::api::core::v1::Pod;

/// What an operator does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Makes a JudgeNode.
    MakeNode(Box<JudgeNode>),
    /// Deletes one: it goes when its judgehost has ended its work.
    DeleteNode(String),
    /// Lets a deleted one go.
    ReleaseNode(String),
    MakePod(Box<Pod>),
    /// Deletes a pod: its judgehost is asked to end. `at_once` where its machine is gone, so that no kubelet answers.
    DeletePod {
        name: String,
        at_once: bool,
    },
    /// Lets a judgehost in, lets it end its work, or takes it out, on the contest server.
    SetHost {
        host: String,
        state: HostState,
        reason: String,
    },
    /// Lets the contest server forget a judgehost.
    RemoveHost(String),
    NodeStatus {
        node: String,
        status: Box<JudgeNodeStatus>,
    },
    PoolStatus {
        pool: String,
        status: Box<JudgePoolStatus>,
    },
    /// Writes an event about a resource.
    Tell {
        about: About,
        tone: Tone,
        reason: &'static str,
        note: String,
    },
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    Pool(String),
    Node(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Normal,
    Warning,
}
