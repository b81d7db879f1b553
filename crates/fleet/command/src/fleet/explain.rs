//! `tauto fleet explain`: why a pod is where it is.

use super::meaning::meant;
use crate::arguments::FleetExplainArguments;
use crate::sim::explain::{LEGEND, compared};
use anyhow::Context;
use documents::contest::Time;
use documents::{FleetContainer, FleetExplanation, FleetNodeReport, SimDecision};
use operator::{Pod, View};
use terminal::failure::because;
use terminal::{Align, Cell, Report, Style, Table};

/// A pod's annotation with the decision about it, which the scheduler plugin writes when it binds the pod.
const DECISION: &str = "fleet.tautochrone.dev/decision";

pub async fn of(view: &View, arguments: &FleetExplainArguments) -> anyhow::Result<FleetExplanation> {
    let name = &arguments.pod;
    let pod = view.pod(name).await.map_err(meant)?;
    let spec = pod.spec.clone().unwrap_or_default();
    let node = spec.node_name.filter(|node| !node.is_empty());
    let containers = match &node {
        None => Vec::new(),
        Some(node) => match view.node_report(&arguments.agents, node).await.map_err(meant)? {
            None => Vec::new(),
            Some(text) => containers(&text, &view.namespace, name)
                .with_context(|| because(format!("the report of node {node} is not understood")))?,
        },
    };
    Ok(FleetExplanation {
        namespace: view.namespace.clone(),
        pod: name.clone(),
        scheduler: spec.scheduler_name.unwrap_or_default(),
        decision: decision(&pod)
            .with_context(|| because(format!("annotation {DECISION} is not understood")))?,
        waits_for: node.is_none().then(|| waits_for(&pod)).flatten(),
        node,
        containers,
    })
}

fn decision(pod: &Pod) -> Result<Option<SimDecision>, serde_json::Error> {
    let text = pod.metadata.annotations.as_ref().and_then(|all| all.get(DECISION));
    text.map(|text| serde_json::from_str(text)).transpose()
}

/// Returns what the scheduler says about a pod that it could not place.
fn waits_for(pod: &Pod) -> Option<String> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    conditions.iter().find(|condition| condition.type_ == "PodScheduled")?.message.clone()
}

fn containers(report: &str, namespace: &str, pod: &str) -> Result<Vec<FleetContainer>, serde_json::Error> {
    let FleetNodeReport { mut containers } = serde_json::from_str(report)?;
    containers.retain(|seen| seen.namespace == namespace && seen.pod == pod);
    Ok(containers)
}

pub fn report_of(explained: &FleetExplanation) -> Report {
    let mut report = Report::default();
    let FleetExplanation { pod, scheduler, .. } = explained;
    match (&explained.decision, &explained.node) {
        (Some(decision), node) => {
            let node = node.as_deref().unwrap_or("no node");
            let when = Time(i64::try_from(decision.at_ms).unwrap_or(i64::MAX));
            report.section(&format!("{when}: {pod} went to {node} under {}", decision.policy));
            compared(&mut report, decision);
            if !decision.candidates.is_empty() {
                report.line(LEGEND);
            }
        }
        (None, Some(node)) => {
            report.section(&format!("{pod} is on {node}"));
            report.line(&format!(
                "no decision is recorded: scheduler '{scheduler}' placed it, which does not say why"
            ));
        }
        (None, None) => {
            report.section(&format!("{pod} has no node"));
            let why = explained.waits_for.as_deref();
            report.line(why.unwrap_or("no scheduler has looked at it: is the one that it names running?"));
        }
    }
    if !explained.containers.is_empty() {
        report.table("CPUs", cpus(&explained.containers));
        let better = explained.containers.iter().filter_map(|container| container.better.as_ref());
        report.sentences(better.flat_map(|better| better.reasons.clone()).collect());
    }
    report
}

fn cpus(containers: &[FleetContainer]) -> Table {
    let columns = [
        ("container", Align::Left),
        ("CPUs", Align::Left),
        ("by", Align::Left),
        ("better", Align::Left),
        ("as it should be", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for container in containers {
        let standing = match container.problems.as_slice() {
            [] => Cell::styled(Style::Good, "yes"),
            problems => Cell::styled(Style::Bad, format!("no: {}", problems.join("; "))),
        };
        table.row([
            container.container.as_str().into(),
            container.cpus.as_str().into(),
            container.way.as_str().into(),
            container.better.as_ref().map_or("-", |better| better.cpus.as_str()).into(),
            standing,
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the agent of a node writes it.
    const REPORT: &str = r#"{"schema":"tautochrone/node-report/1","node":"n1","at_ms":1,"kubelet_policy":"none","online":"0-7",
        "shared":"0-3","containers":[
        {"namespace":"shop","pod":"web","pod_uid":"u","container":"main","id":"c1","way":"nri","expected_cpus":"4-5","cpus":"4-5",
         "control_group_version":2,"thread_cpus":["4-5"],"siblings":"","l3_domains":"1","numa_nodes":"0","shared_with":[],
         "siblings_used_by":[],"host_processes":3,"better":{"cpus":"6-7","memory_nodes":"0","reasons":["All of it is in L3 domain 1."]},
         "problems":[]},
        {"namespace":"other","pod":"web","pod_uid":"v","container":"main","id":"c2","way":"shared","expected_cpus":"0-3","cpus":"0-7",
         "control_group_version":2,"thread_cpus":["0-7"],"siblings":"","l3_domains":"0-1","numa_nodes":"0","shared_with":[],
         "siblings_used_by":[],"host_processes":3,"better":null,"problems":["it may run on 0-7; expected 0-3"]}],
        "host_processes":3,"problems":[]}"#;

    fn pod(annotations: &str, node: &str) -> Pod {
        let message = "0/3 nodes are available: of 3 nodes 3: each has too few CPUs left";
        serde_json::from_str(&format!(
            r#"{{"metadata":{{"name":"web","annotations":{{{annotations}}}}},"spec":{{"containers":[],"nodeName":"{node}"}},
            "status":{{"conditions":[{{"type":"PodScheduled","status":"False","message":"{message}"}}]}}}}"#
        ))
        .expect("a pod")
    }

    fn text(explained: &FleetExplanation) -> String {
        report_of(explained).text(terminal::Colour::Off)
    }

    #[test]
    fn a_decision_is_shown_with_the_cpus_that_the_agent_saw() {
        let decision_text = r#"{"at_ms":1764489600000,"times":1,"last_ms":1764489600000,"policy":"spread","host":"n1","failed":{},
            "passed":2,"rearranged":0,"candidates":[{"host":"n1","total":900000,"scores":{"free":{"value":900000,"weight":1}}},
            {"host":"n2","total":1,"scores":{}}]}"#;
        let quoted = serde_json::to_string(decision_text).expect("a text");
        let pod = pod(&format!("\"{DECISION}\":{quoted}"), "n1");
        let explained = FleetExplanation {
            namespace: "shop".to_owned(),
            pod: "web".to_owned(),
            node: Some("n1".to_owned()),
            scheduler: "default-scheduler".to_owned(),
            decision: decision(&pod).expect("it is understood"),
            waits_for: None,
            containers: containers(REPORT, "shop", "web").expect("it is understood"),
        };
        let shown = text(&explained);
        for part in [
            "web went to n1 under spread",
            "900.0",
            "n1 *",
            "4-5",
            "6-7",
            "All of it is in L3 domain 1.",
            "yes",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
        assert!(!shown.contains("0-7"), "another namespace's pod is shown in\n{shown}");
    }

    #[test]
    fn a_pod_without_a_node_says_what_it_waits_for() {
        let explained = FleetExplanation {
            namespace: "shop".to_owned(),
            pod: "web".to_owned(),
            node: None,
            scheduler: "default-scheduler".to_owned(),
            decision: None,
            waits_for: waits_for(&pod("", "")),
            containers: Vec::new(),
        };
        assert!(text(&explained).contains("3: each has too few CPUs left"));
    }
}
