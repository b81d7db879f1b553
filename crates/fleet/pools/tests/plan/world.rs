//! A cluster of values: what an operator does is done to them at once.

use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use model::Reading;
use pools::*;
use std::collections::{BTreeMap, BTreeSet};

pub const POOL: &str = "strict";

pub struct World {
    pub seen: Seen,
    pub memory: Memory,
    pub settings: Settings,
    /// What was told, as `Reason about: note`.
    pub told: Vec<String>,
    /// Pods whose judgehosts have registered.
    registered: BTreeSet<String>,
}

/// Returns a pool whose image has a digest of this letter.
pub fn pool(min: u32, max: u32, digest: char) -> JudgePool {
    let image = format!("registry.example/tauto@sha256:{}", digest.to_string().repeat(64));
    let spec = serde_json::json!({"hardware": "epyc", "size": {"min": min, "max": max}, "image": image});
    let mut pool = JudgePool::new(POOL, serde_json::from_value(spec).unwrap());
    pool.metadata.uid = Some("u1".to_owned());
    pool
}

pub fn machine() -> Machine {
    Machine {
        labels: BTreeMap::from([(HARDWARE_LABEL.to_owned(), "epyc".to_owned())]),
        taints: vec![TIMING_TAINT.to_owned()],
        is_ready: true,
        is_cordoned: false,
        cpu_milli: 4_000,
        memory_bytes: 16 << 30,
    }
}

pub fn measured(lost_ppm: u32) -> Measured {
    Measured {
        places: vec!["1".to_owned()],
        lost_ppm: Reading::Known(vec![(1, lost_ppm)]),
        settings: BTreeMap::new(),
    }
}

impl World {
    /// Returns one with machines `m1`, `m2` and so on.
    pub fn new(pool: JudgePool, machines: usize) -> Self {
        let machines = (1..=machines).map(|number| (format!("m{number}"), machine())).collect();
        let server = ServerSeen {
            queues: BTreeMap::from([(POOL.to_owned(), QueueSeen::default())]),
            ..ServerSeen::default()
        };
        let seen = Seen { pools: vec![pool], machines, server: Some(server), ..Seen::default() };
        Self {
            seen,
            memory: Memory::default(),
            settings: Settings::default(),
            told: Vec::new(),
            registered: BTreeSet::new(),
        }
    }

    /// Decides, and does it; returns what was done, in words.
    pub fn step(&mut self) -> Vec<String> {
        let actions = plan(&self.seen, &mut self.memory, &self.settings, Timestamp::UNIX_EPOCH);
        let done = actions.iter().map(word).filter(|word| !word.is_empty()).collect();
        actions.into_iter().for_each(|action| self.act(action));
        done
    }

    /// Goes on by some seconds, in steps of one.
    pub fn wait(&mut self, seconds: u64) -> Vec<String> {
        let mut all = Vec::new();
        for _ in 0..seconds {
            self.seen.at_ms += 1_000;
            all.extend(self.step());
        }
        all
    }

    /// Lets everything happen that a cluster and judgehosts do by themselves, until nothing more is done.
    pub fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..40 {
            self.happen();
            self.seen.at_ms += 1_000;
            quiet = if self.step().is_empty() { quiet + 1 } else { 0 };
            if quiet == 3 {
                return;
            }
        }
        panic!("it does not come to rest: {:?}", self.states());
    }

    /// Pods begin to run and their judgehosts register; what was deleted ends.
    pub fn happen(&mut self) {
        let ending: Vec<String> =
            self.seen.pods.iter().filter(|pod| pod.is_ending).map(|pod| pod.judge_node.clone()).collect();
        self.seen.pods.retain(|pod| !pod.is_ending);
        let there: Vec<&String> = self.seen.pods.iter().map(|pod| &pod.name).collect();
        self.registered.retain(|name| there.contains(&name));
        let hosts = &mut self.seen.server.as_mut().unwrap().hosts;
        for host in ending {
            if let Some(host) = hosts.get_mut(&host)
                && host.state != HostState::Disabled
            {
                host.state = HostState::Away;
            }
        }
        for pod in &mut self.seen.pods {
            // A judgehost tests itself before it registers: what the server knew before is of another one.
            if pod.is_running && self.registered.insert(pod.name.clone()) {
                let host = HostSeen {
                    pool: POOL.to_owned(),
                    state: HostState::Waiting,
                    reference_ns: Some(10_000_000),
                    measured: Some(measured(1_000)),
                    ..HostSeen::default()
                };
                hosts.insert(pod.judge_node.clone(), host);
            }
            pod.is_running = true;
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::MakeNode(node) => self.seen.nodes.push(*node),
            Action::DeleteNode(name) => {
                self.node(&name).metadata.deletion_timestamp =
                    Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(Timestamp::UNIX_EPOCH));
            }
            Action::ReleaseNode(name) => self.seen.nodes.retain(|node| node.name_any() != name),
            Action::MakePod(pod) => self.seen.pods.push(PodSeen {
                name: pod.name_any(),
                judge_node: pod.annotations()[NODE_LABEL].clone(),
                hash: pod.labels()[HASH_LABEL].clone(),
                ..PodSeen::default()
            }),
            Action::DeletePod { name, at_once: true } => self.seen.pods.retain(|pod| pod.name != name),
            Action::DeletePod { name, at_once: false } => {
                self.seen.pods.iter_mut().filter(|pod| pod.name == name).for_each(|pod| pod.is_ending = true);
            }
            Action::SetHost { host, state, reason } => {
                let host = self.host(&host);
                (host.state, host.reason) = (state, reason);
            }
            Action::RemoveHost(host) => drop(self.seen.server.as_mut().unwrap().hosts.remove(&host)),
            Action::NodeStatus { node, status } => {
                // One that was just released is gone.
                let found = self.seen.nodes.iter_mut().find(|one| one.name_any() == node);
                found.into_iter().for_each(|node| node.status = Some((*status).clone()));
            }
            Action::PoolStatus { status, .. } => self.seen.pools[0].status = Some(*status),
            Action::Tell { about, reason, note, .. } => {
                let (About::Pool(about) | About::Node(about)) = about;
                self.told.push(format!("{reason} {about}: {note}"));
            }
        }
    }

    pub fn node(&mut self, name: &str) -> &mut JudgeNode {
        self.seen.nodes.iter_mut().find(|node| node.name_any() == name).unwrap()
    }

    pub fn host(&mut self, name: &str) -> &mut HostSeen {
        self.seen.server.as_mut().unwrap().hosts.get_mut(name).unwrap()
    }

    pub fn queue(&mut self) -> &mut QueueSeen {
        self.seen.server.as_mut().unwrap().queues.get_mut(POOL).unwrap()
    }

    /// Returns what each machine does, such as `m1 Ready`.
    pub fn states(&self) -> Vec<String> {
        let mut states: Vec<String> = self
            .seen
            .nodes
            .iter()
            .map(|node| {
                let state = node.status.as_ref().map_or("-", |status| status.state.word());
                format!("{} {state}", node.name_any())
            })
            .collect();
        states.sort();
        states
    }

    pub fn pool_status(&self) -> &JudgePoolStatus {
        self.seen.pools[0].status.as_ref().unwrap()
    }
}

/// Returns an action in words; nothing for what only shows.
fn word(action: &Action) -> String {
    match action {
        Action::MakeNode(node) => format!("make node {}", node.name_any()),
        Action::DeleteNode(name) => format!("delete node {name}"),
        Action::ReleaseNode(name) => format!("release {name}"),
        Action::MakePod(pod) => format!("make pod of {}", pod.annotations()[NODE_LABEL]),
        Action::DeletePod { at_once, .. } => format!("delete pod{}", if *at_once { " at once" } else { "" }),
        Action::SetHost { host, state, .. } => format!("{host} {state:?}"),
        Action::RemoveHost(host) => format!("forget {host}"),
        Action::NodeStatus { .. } | Action::PoolStatus { .. } | Action::Tell { .. } => String::new(),
    }
}
