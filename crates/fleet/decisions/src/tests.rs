//! What desks answer.

use crate::{Desk, Fleet, Node, answer};
use placement::Scheduler;
use placement::policy::Policy;
use proptest::prelude::*;
use serde_json::{Value, json};
use simulator::run::{Run, plain_options};
use simulator::trace::Reader;

fn ask<D: Desk>(desk: &mut D, message: &Value) -> Value {
    serde_json::from_slice(&answer(desk, message.to_string().as_bytes())).unwrap()
}

fn host(name: &str, cpus: u32) -> Value {
    json!({"host": {"host": name, "at_ms": 1, "cpu_milli": cpus * 1000, "memory_mib": cpus * 1024}})
}

fn job(name: &str, at_ms: u64, cpu_milli: u32) -> Value {
    json!({"job": name, "at_ms": at_ms, "cpu_milli": cpu_milli, "memory_mib": 64})
}

fn decide(fleet: &mut Fleet, job: &Value) -> Vec<String> {
    let found = ask(fleet, &json!({"decide": {"job": job, "most": 3}}));
    let hosts = found["decided"]["hosts"].as_array().unwrap().iter();
    hosts.map(|place| place["host"].as_str().unwrap().to_owned()).collect()
}

fn assume(fleet: &mut Fleet, job: &Value, host: &str) {
    assert_eq!(ask(fleet, &json!({"assume": {"job": job, "host": host}})), json!({"done": {}}));
}

/// Returns where the simulator puts each job of a trace.
fn simulated(trace: &str, policy: &str) -> Vec<(String, Option<String>)> {
    let policy = Policy::built_in(policy).unwrap();
    let reader = Reader::open(trace.as_bytes()).unwrap();
    let run = Run::start(reader, policy, plain_options(), "", Vec::new()).unwrap();
    let (_, _, rows) = run.finish().unwrap();
    let rows = String::from_utf8(rows).unwrap();
    let jobs = rows.lines().filter_map(|row| serde_json::from_str::<Value>(row).unwrap().get("job").cloned());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut placed: Vec<_> = jobs.map(|job| (text(&job["name"]).unwrap(), text(&job["host"]))).collect();
    placed.sort();
    placed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The main claim: the simulator decides as the cluster did.
    #[test]
    fn the_simulator_repeats_each_decision(
        policy in prop::sample::select(&Policy::BUILT_IN[..5]),
        hosts in prop::collection::vec(2..9_u32, 2..6),
        steps in prop::collection::vec((0..5_u32, 1..9_u32, 0..40_u64), 1..60),
    ) {
        let mut fleet = Fleet::default();
        ask(&mut fleet, &json!({"policy": {"text": format!("policy: mine\nextends: {policy}\n"), "at_ms": 0}}));
        for (at, cpus) in hosts.iter().enumerate() {
            ask(&mut fleet, &host(&format!("h{at}"), *cpus));
        }
        let (mut now_ms, mut placed, mut expected) = (10, Vec::new(), Vec::new());
        for (at, (what, half_cpus, later_ms)) in steps.into_iter().enumerate() {
            now_ms += later_ms;
            let name = format!("j{at:02}");
            if what == 0 && !placed.is_empty() {
                let gone: String = placed.swap_remove(half_cpus as usize % placed.len());
                ask(&mut fleet, &json!({"forget": {"job": gone, "at_ms": now_ms}}));
                continue;
            }
            let job = job(&name, now_ms, half_cpus * 500);
            let found = decide(&mut fleet, &job);
            // Now and then another part of the scheduler has its own wish.
            let at = usize::from(what == 1).min(found.len().saturating_sub(1));
            let Some(host) = found.get(at) else { continue };
            assume(&mut fleet, &job, host);
            placed.push(name.clone());
            expected.push((name, Some(host.clone())));
        }
        let trace = ask(&mut fleet, &json!({"trace": {"name": "t"}}));
        prop_assert_eq!(simulated(trace["trace"].as_str().unwrap(), policy), expected);
    }

    #[test]
    fn no_message_ends_a_desk(messages in prop::collection::vec(any::<Vec<u8>>(), 1..8)) {
        let (mut fleet, mut node) = (Fleet::default(), Node::default());
        for message in messages {
            let said: Value = serde_json::from_slice(&answer(&mut fleet, &message)).unwrap();
            prop_assert!(said.is_object());
            answer(&mut node, &message);
        }
    }
}

#[test]
fn a_broken_policy_leaves_the_earlier_one() {
    let mut fleet = Fleet::default();
    let set = |fleet: &mut Fleet, text: &str| ask(fleet, &json!({"policy": {"text": text, "at_ms": 5}}));
    let found = set(&mut fleet, "policy: mine\nextends: load-aware\n");
    assert_eq!(found["policy"]["name"], "mine");
    assert_eq!(found["policy"]["window_ms"], 300_000);
    let wrong = set(&mut fleet, "policy: mine\nextends: pack\nprefer: {free: 900}\n");
    assert!(wrong["error"].as_str().unwrap().contains("prefer"), "{wrong}");
    let state = ask(&mut fleet, &json!({"state": {"at_ms": 6}}));
    assert_eq!(state["state"]["policy"], "mine");
}

#[test]
fn refusals_count_what_each_node_lacks() {
    let mut fleet = Fleet::default();
    ["a", "b"].iter().for_each(|name| drop(ask(&mut fleet, &host(name, 2))));
    ask(&mut fleet, &json!({"change": {"change": "b", "at_ms": 3, "to": "drain"}}));
    let refused = ask(&mut fleet, &json!({"decide": {"job": job("j", 9, 4000), "most": 3}}));
    assert_eq!(refused["decided"]["refused"], "of 2 nodes 1 is down or drained; 1 has too few CPUs left");
    let request =
        json!({"decide": {"job": job("j", 9, 1000), "most": 3, "except": ["a"], "explain": "full"}});
    let refused = ask(&mut fleet, &request);
    assert_eq!(
        refused["decided"]["refused"],
        "of 2 nodes 1 is down or drained; 1 is excluded by the job's selectors, or by taints"
    );
    assert_eq!(refused["decided"]["decision"]["failed"], json!({"excluded": 1, "up": 1}));
    let unknown = ask(&mut fleet, &json!({"assume": {"job": job("j", 9, 1), "host": "c"}}));
    assert_eq!(unknown["error"], "there is no node 'c'");
}

#[test]
fn explanations_are_brief_or_full() {
    let mut fleet = Fleet::default();
    (0..40).for_each(|at| drop(ask(&mut fleet, &host(&format!("h{at:02}"), 2))));
    ask(&mut fleet, &json!({"change": {"change": "h39", "at_ms": 3, "to": "drain"}}));
    let mut explained = |how: &str| {
        let request = json!({"decide": {"job": job("j", 9, 1000), "most": 2, "explain": how}});
        ask(&mut fleet, &request)["decided"]["decision"].clone()
    };
    let (brief, full) = (explained("brief"), explained("full"));
    assert_eq!((&brief["host"], &brief["passed"], &brief["failed"]), (&json!("h00"), &json!(2), &json!({})));
    assert_eq!(
        (&full["host"], &full["passed"], &full["failed"]),
        (&json!("h00"), &json!(39), &json!({"up": 1}))
    );
    assert_eq!(brief["candidates"][0], full["candidates"][0]);
    assert_eq!(full["candidates"].as_array().map(Vec::len), Some(8));
}

#[test]
fn a_node_that_came_after_the_decision_is_in_the_trace_before_the_pod() {
    let mut fleet = Fleet::default();
    ask(&mut fleet, &host("a", 2));
    decide(&mut fleet, &job("j", 10, 1000));
    ask(&mut fleet, &host("b", 2));
    assume(&mut fleet, &job("j", 11, 1000), "b");
    let trace = ask(&mut fleet, &json!({"trace": {"name": "t"}}));
    assert_eq!(
        simulated(trace["trace"].as_str().unwrap(), "spread"),
        [("j".to_owned(), Some("b".to_owned()))]
    );
}

#[test]
fn idle_siblings_are_counted() {
    let mut fleet = Fleet::default();
    let node =
        json!({"host": {"host": "a", "at_ms": 1, "cpu_milli": 8000, "memory_mib": 1024, "threads": 2}});
    ask(&mut fleet, &node);
    let strict = |name: &str, idle: bool| json!({"job": name, "at_ms": 2, "cpu_milli": 2000, "memory_mib": 64, "level": "strict", "idle_siblings": idle});
    assume(&mut fleet, &strict("whole", true), "a");
    assert_eq!(decide(&mut fleet, &job("j", 3, 4000)), ["a"], "it has two of four cores");
    assume(&mut fleet, &strict("shared", false), "a");
    assert!(decide(&mut fleet, &job("k", 4, 4000)).is_empty(), "and another one");
}

#[test]
fn a_pod_that_others_placed_counts_even_where_it_does_not_fit() {
    let mut fleet = Fleet::default();
    ["a", "b"].iter().for_each(|name| drop(ask(&mut fleet, &host(name, 2))));
    let large = json!({"job": "large", "at_ms": 2, "cpu_milli": 9000, "memory_mib": 64, "level": "strict"});
    assume(&mut fleet, &large, "a");
    assert_eq!(decide(&mut fleet, &job("j", 3, 1000)), ["b"]);
    // A node with more CPUs keeps its pods.
    ask(&mut fleet, &host("a", 16));
    assert_eq!(decide(&mut fleet, &job("k", 4, 1000)).len(), 2);
    // Once it is down they are gone.
    ask(&mut fleet, &json!({"change": {"change": "a", "at_ms": 5, "to": "down"}}));
    assert_eq!(ask(&mut fleet, &json!({"state": {"at_ms": 6}}))["state"]["jobs"], 0);
}

#[test]
fn what_is_assumed_counts_for_the_next_decision() {
    let mut fleet = Fleet::default();
    (0..8).for_each(|at| drop(ask(&mut fleet, &host(&format!("h{at}"), 4))));
    let mut taken = std::collections::BTreeSet::new();
    for at in 0..8 {
        let job = job(&format!("j{at}"), 100, 1000);
        let host = decide(&mut fleet, &job).swap_remove(0);
        assume(&mut fleet, &job, &host);
        taken.insert(host);
    }
    assert_eq!(taken.len(), 8, "decisions of one moment do not herd");
}

fn machine(node: &mut Node, xml: &str, reserved: &str) -> Value {
    ask(node, &json!({"machine": {"hwloc_xml": xml, "reserved": reserved}}))
}

fn xml(packages: u32, numa_nodes: u32, cores: u32, threads: u32) -> String {
    let shape = allocator::Regular { packages, numa_nodes, l3_domains: 1, cores, threads };
    topology::to_xml(&shape.topology()).unwrap()
}

#[test]
fn cores_are_granted_recorded_and_given_back() {
    let mut node = Node::default();
    assert_eq!(machine(&mut node, &xml(1, 2, 4, 2), "0"), json!({"done": {}}));
    let granted = ask(&mut node, &json!({"grant": {"id": "a", "cpus": 2, "within": "numa_node"}}));
    assert_eq!(granted["granted"]["cpus"], "2-3", "{granted}");
    assert_eq!(granted["granted"]["idle"], "10-11");
    let twice = ask(&mut node, &json!({"grant": {"id": "a", "cpus": 1}}));
    assert_eq!(twice["error"], "'a' has cores already");
    let state = ask(&mut node, &json!({"state": {}}));
    assert_eq!(state["state"]["shared"], "0-1,4-9,12-15");
    assert_eq!(state["state"]["reserved"], "0,8");
    let too_many = ask(&mut node, &json!({"grant": {"id": "b", "cpus": 6}}));
    assert!(too_many["error"].as_str().unwrap().contains("6"), "{too_many}");
    let overlap = ask(&mut node, &json!({"record": {"id": "c", "cpus": "2"}}));
    assert!(overlap["error"].as_str().unwrap().contains("both hold the core of CPU 2"), "{overlap}");
    ask(&mut node, &json!({"release": {"id": "a"}}));
    assert_eq!(ask(&mut node, &json!({"record": {"id": "c", "cpus": "2"}})), json!({"done": {}}));
}

#[test]
fn others_move_to_make_room_and_come_together_again() {
    let mut node = Node::default();
    machine(&mut node, &xml(1, 2, 4, 1), "0");
    for (id, cpus) in [("a", "1"), ("b", "4")] {
        ask(&mut node, &json!({"record": {"id": id, "cpus": cpus, "may_move": true}}));
    }
    let wish =
        |moves: u32| json!({"grant": {"id": "c", "cpus": 4, "within": "numa_node", "moves_max": moves}});
    assert!(ask(&mut node, &wish(0))["error"].is_string());
    let granted = ask(&mut node, &wish(2));
    assert_eq!(granted["granted"]["cpus"], "4-7", "{granted}");
    assert_eq!(granted["granted"]["moves"][0]["id"], "b");
    // A container with cores in two nodes would rather be in one.
    ["a", "b", "c"].iter().for_each(|id| drop(ask(&mut node, &json!({"release": {"id": id}}))));
    ask(&mut node, &json!({"record": {"id": "d", "cpus": "3-4", "may_move": true}}));
    let better = ask(&mut node, &json!({"better": {"id": "d"}}));
    assert_eq!(better["better"]["cpus"], "2-3", "{better}");
    let moves = ask(&mut node, &json!({"compact": {"moves_max": 4}}));
    assert_eq!(moves["moves"]["moves"][0]["id"], "d", "{moves}");
    assert_eq!(ask(&mut node, &json!({"better": {"id": "d"}})), json!({"better": null}));
}

#[test]
fn a_node_without_reserved_cpus_is_refused() {
    let mut node = Node::default();
    assert!(
        machine(&mut node, &xml(1, 1, 2, 1), "")["error"].as_str().unwrap().starts_with("reserved: no CPU")
    );
    assert!(
        machine(&mut node, &xml(1, 1, 2, 1), "9")["error"].as_str().unwrap().contains("CPU 9 is not online")
    );
    assert!(machine(&mut node, "<x", "0")["error"].is_string());
}

#[test]
fn a_policy_changes_nothing_but_the_decisions() {
    let policy = |name| Policy::built_in(name).unwrap();
    let mut scheduler = Scheduler::new(policy("spread"));
    assert_eq!(scheduler.own_policy().name, "spread");
    scheduler.set_policy(policy("load-aware"), 1, |_| "default");
    assert_eq!(scheduler.own_policy().name, "load-aware");
}
