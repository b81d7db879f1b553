//! What the cluster refuses, what the operator may not, an upgrade, and the queries of alerts and dashboards.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use xtask::fleet::{Node, wait_for};
use xtask::process;

use super::{Demo, NAMESPACE};

const OPERATOR: &str = "system:serviceaccount:contest:tautochrone-operator";
/// Prometheus has loaded its rules and asked each target several times.
const QUERIES_WITHIN: Duration = Duration::from_secs(60);
/// Each judgehost ends its work, is calibrated and let in again.
const UPGRADE_WITHIN: Duration = Duration::from_secs(300);

/// A change of something good that must be refused, with a part of the reason.
type Wrong = (&'static str, fn(&mut Value), &'static str);

/// Of the example pool.
const POOLS: [Wrong; 11] = [
    ("min above max", |pool| pool["spec"]["size"] = json!({"min": 3, "max": 2}), "min is above max"),
    (
        "an image without a digest",
        |pool| pool["spec"]["image"] = json!("registry.example/tauto:1"),
        "by its digest",
    ),
    (
        "half a digest",
        |pool| pool["spec"]["image"] = json!("registry.example/tauto@sha256:12"),
        "by its digest",
    ),
    ("toolchains by a tag", |pool| pool["spec"]["toolchains"] = json!("judge/base:1"), "by its digest"),
    (
        "a fast pool that counts instructions",
        |pool| {
            pool["spec"]["service"] = json!("fast");
            pool["spec"]["clock"] = json!("instructions");
        },
        "goes with clock 'cpu-time' alone",
    ),
    (
        "virtual machines of nothing",
        |pool| {
            pool["spec"]["isolation"] = json!("microvm");
            pool["spec"]["toolchains"].take();
        },
        "needs toolchains",
    ),
    (
        "a class that no label can be",
        |pool| pool["spec"]["hardware"] = json!("two words"),
        "use the value of a label",
    ),
    ("memory of no unit", |pool| pool["spec"]["memory"] = json!("much"), "use a quantity of at least 512Mi"),
    ("a long name", |pool| pool["metadata"]["name"] = json!("p".repeat(40)), "at most 36 letters"),
    ("an unknown field", |pool| pool["spec"]["sizes"] = json!(1), "unknown field \"spec.sizes\""),
    ("no places", |pool| pool["spec"]["places"] = json!(0), "greater than or equal to 1"),
];

/// Of a judgehost's pod, made with the operator's rights.
const PODS: [Wrong; 32] = [
    ("the node's network", |pod| pod["spec"]["hostNetwork"] = json!(true), "namespaces of its own"),
    ("the node's processes", |pod| pod["spec"]["hostPID"] = json!(true), "namespaces of its own"),
    (
        "all of the node's files",
        |pod| volume(pod, json!({"hostPath": {"path": "/"}})),
        "its own cache of a node",
    ),
    (
        "the database's address",
        |pod| volume(pod, json!({"secret": {"secretName": "tautochrone-database"}})),
        "no other secret",
    ),
    (
        "a token of the cluster",
        |pod| {
            volume(
                pod,
                json!({"projected": {"sources": [
                    {"serviceAccountToken": {"path": "token"}}
                ]}}),
            )
        },
        "no other secret",
    ),
    (
        "a secret as a variable",
        |pod| {
            container(pod)["env"] = json!([
                {"name": "X", "valueFrom": {"secretKeyRef": {"name": "tautochrone-database", "key": "url"}}}
            ])
        },
        "no other secret",
    ),
    (
        "the operator's account",
        |pod| {
            pod["spec"]["serviceAccountName"] = json!("tautochrone-operator");
            pod["spec"]["serviceAccount"] = json!("tautochrone-operator");
        },
        "no account of the cluster",
    ),
    (
        "a mounted token",
        |pod| pod["spec"]["automountServiceAccountToken"] = json!(true),
        "no rights in the cluster",
    ),
    ("another program", |pod| container(pod)["command"] = json!(["/bin/sh"]), "runs 'judgehost'"),
    (
        "another command of ours",
        |pod| container(pod)["args"] = json!(["run", "--", "id"]),
        "runs 'judgehost'",
    ),
    (
        "another image",
        |pod| container(pod)["image"] = json!(format!("evil.example/x@sha256:{}", "a".repeat(64))),
        "runs 'judgehost'",
    ),
    (
        "all capabilities",
        |pod| container(pod)["securityContext"]["capabilities"]["add"] = json!(["ALL"]),
        "capabilities of the sandbox",
    ),
    (
        "another capability",
        |pod| container(pod)["securityContext"]["capabilities"]["add"] = json!(["NET_ADMIN"]),
        "capabilities of the sandbox",
    ),
    (
        "a second container",
        |pod| {
            let mut second = pod["spec"]["containers"][0].clone();
            second["name"] = json!("second");
            if let Some(all) = pod["spec"]["containers"].as_array_mut() {
                all.push(second);
            }
        },
        "one container",
    ),
    (
        "a container before",
        |pod| {
            let mut first = pod["spec"]["containers"][0].clone();
            first["name"] = json!("first");
            pod["spec"]["initContainers"] = json!([first]);
        },
        "one container",
    ),
    (
        "a command as a probe",
        |pod| container(pod)["livenessProbe"] = json!({"exec": {"command": ["/bin/sh"]}}),
        "runs nothing else",
    ),
    (
        "a command at the end",
        |pod| container(pod)["lifecycle"] = json!({"preStop": {"exec": {"command": ["/bin/sh"]}}}),
        "runs nothing else",
    ),
    (
        "a variable",
        |pod| container(pod)["env"] = json!([{"name": "PATH", "value": "/tmp"}]),
        "runs nothing else",
    ),
    ("a port of the node", |pod| container(pod)["ports"][0]["hostPort"] = json!(443), "runs nothing else"),
    ("the server's port", |pod| container(pod)["ports"][0]["name"] = json!("http"), "runs nothing else"),
    (
        "a part of a volume",
        |pod| container(pod)["volumeMounts"][3]["subPath"] = json!("x"),
        "where they belong",
    ),
    (
        "a volume over the program",
        |pod| container(pod)["volumeMounts"][3]["mountPath"] = json!("/usr/bin"),
        "where they belong",
    ),
    ("another server", |pod| container(pod)["args"][4] = json!("http://evil.example"), "for its server"),
    (
        "a second server",
        |pod| {
            if let Some(words) = container(pod)["args"].as_array_mut() {
                words.push(json!("--server=http://evil.example"));
            }
        },
        "for its server",
    ),
    ("a node of its choice", |pod| pod["spec"]["nodeName"] = json!("vm0"), "where the scheduler puts it"),
    (
        "all taints",
        |pod| pod["spec"]["tolerations"] = json!([{"operator": "Exists"}]),
        "where the scheduler puts it",
    ),
    (
        "the system's priority",
        |pod| {
            pod["spec"]["priorityClassName"] = json!("system-node-critical");
            drop(pod["spec"].as_object_mut().map(|spec| spec.remove("priority")));
        },
        "where the scheduler puts it",
    ),
    (
        "the server's labels",
        |pod| {
            pod["metadata"]["labels"]["app.kubernetes.io/component"] = json!("server");
            pod["metadata"]["labels"]["app.kubernetes.io/instance"] = json!("tautochrone");
        },
        "a judgehost's labels",
    ),
    (
        "names of its own",
        |pod| pod["spec"]["hostAliases"] = json!([{"ip": "192.0.2.9", "hostnames": ["server"]}]),
        "the cluster's names",
    ),
    (
        "a setting of the kernel",
        |pod| {
            pod["spec"]["securityContext"] =
                json!({"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}]})
        },
        "settings of the kernel",
    ),
    (
        "another label of SELinux",
        |pod| container(pod)["securityContext"]["seLinuxOptions"] = json!({"type": "spc_t"}),
        "capabilities of the sandbox",
    ),
    (
        "another ConfigMap",
        |pod| volume(pod, json!({"configMap": {"name": "kube-root-ca.crt"}})),
        "no other secret",
    ),
];

/// What the operator's account may not do.
const FORBIDDEN: [&[&str]; 9] = [
    &["get", "secrets"],
    &["create", "pods", "--subresource=exec"],
    &["get", "pods", "--subresource=log"],
    &["patch", "nodes"],
    &["create", "deployments.apps"],
    &["update", "judgepools.fleet.tautochrone.dev"],
    &["create", "rolebindings.rbac.authorization.k8s.io"],
    &["create", "serviceaccounts", "--subresource=token"],
    &["impersonate", "users"],
];

fn container(pod: &mut Value) -> &mut Value {
    &mut pod["spec"]["containers"][0]
}

fn volume(pod: &mut Value, of: Value) {
    let mut volume = of;
    volume["name"] = json!("more");
    if let Some(all) = pod["spec"]["volumes"].as_array_mut() {
        all.push(volume);
    }
}

impl Demo<'_> {
    /// What is refused and why, by the running API server.
    pub(super) fn check_refusals(&self) -> Result<()> {
        let mut pool = self.control.get(&["judgepool", "default", "-n", NAMESPACE])?;
        pool["metadata"] = json!({"name": "another", "namespace": NAMESPACE});
        if let Some(fields) = pool.as_object_mut() {
            fields.remove("status");
        }
        self.refuses("a pool", &pool, &POOLS, &[])?;
        let pods =
            self.control.get(&["pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/component=judgehost"])?;
        let mut pod = pods["items"][0].clone();
        pod["metadata"] =
            json!({"name": "another", "namespace": NAMESPACE, "labels": pod["metadata"]["labels"]});
        if let Some(fields) = pod["spec"].as_object_mut() {
            fields.remove("nodeName");
        }
        self.refuses("a pod of the operator", &pod, &PODS, &["--as", OPERATOR])?;
        let servers = ["pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/component=server"];
        let mut delete = self.control.kubectl(&["delete", "--dry-run=server", "--as", OPERATOR]);
        let answer = process::capture(delete.args(servers))?;
        let said = process::tail(&answer.stderr);
        ensure!(
            !answer.status.success() && said.contains("and no others"),
            "the operator deletes servers: {said}"
        );
        for words in FORBIDDEN {
            let mut ask = self.control.kubectl(&["auth", "can-i", "--as", OPERATOR, "-n", NAMESPACE]);
            let answer = process::capture(ask.args(words))?;
            let answer = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
            ensure!(answer == "no", "the operator may {}: {answer:?}", words.join(" "));
        }
        self.said(&format!("the operator may not: {}", FORBIDDEN.map(|words| words.join(" ")).join(", ")));
        Ok(())
    }

    fn refuses(&self, what: &str, good: &Value, wrongs: &[Wrong], more: &[&str]) -> Result<()> {
        let file = self.work.join("dry-run.json");
        let name = file.display().to_string();
        let ask = |value: &Value| -> Result<Output> {
            fs::write(&file, value.to_string())?;
            let mut create =
                self.control.kubectl(&["create", "--dry-run=server", "--validate=strict", "-f", &name]);
            process::capture(create.args(more))
        };
        let taken = ask(good)?;
        ensure!(taken.status.success(), "{what} as it is: {}", process::tail(&taken.stderr));
        println!("\n{what} that the API server refuses:");
        for (wrong, change, reason) in wrongs {
            let mut changed = good.clone();
            change(&mut changed);
            let answer = ask(&changed)?;
            let said = process::tail(&answer.stderr);
            ensure!(
                !answer.status.success() && said.contains(reason),
                "{what} with {wrong}: {said:?}, expected {reason:?}"
            );
            println!("  {wrong:<40} ... {reason} ...");
        }
        Ok(())
    }

    /// The manifests without helm are taken as they are, where nothing is installed yet.
    pub(super) fn check_manifests(&self) -> Result<()> {
        // Without the definitions there would be no pool to look at.
        let definitions = self.root.join("kubernetes/chart/crds").display().to_string();
        self.kubectl(&["apply", "--server-side", "-f", &definitions])?;
        let folder = self.root.join("kubernetes/config").display().to_string();
        let mut apply = self.control.kubectl(&["apply", "--server-side", "--dry-run=server", "-k", &folder]);
        let taken = process::read(&mut apply)?;
        self.said(&format!(
            "the API server takes the {} manifests of kubernetes/config",
            taken.lines().count()
        ));
        Ok(())
    }

    /// The next release of the chart changes the pods of server and operator, and the judgehosts one by one.
    pub(super) fn check_upgrade(&self) -> Result<()> {
        let chart = self.work.join("chart");
        let _ = fs::remove_dir_all(&chart);
        process::run(Command::new("cp").arg("-r").arg(self.root.join("kubernetes/chart")).arg(&chart))?;
        let file = chart.join("Chart.yaml");
        let text = fs::read_to_string(&file)?;
        let text: Vec<String> = text
            .lines()
            .map(|line| match line.split_once(": ") {
                Some((key @ ("version" | "appVersion"), _)) => format!("{key}: 9.9.9"),
                _ => line.to_owned(),
            })
            .collect();
        fs::write(&file, text.join("\n"))?;
        let pods = || -> Result<BTreeSet<String>> {
            let pods =
                self.control.get(&["pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=tautochrone"])?;
            let names = pods["items"].as_array().into_iter().flatten();
            Ok(names.filter_map(|pod| Some(pod["metadata"]["name"].as_str()?.to_owned())).collect())
        };
        let before = pods()?;
        let mut helm = self.control.program("helm");
        helm.args(["upgrade", "tautochrone"]).arg(&chart).args(["--namespace", NAMESPACE, "--values"]);
        helm.arg(self.work.join("values.json")).env("KUBECONFIG", &self.control.kubeconfig);
        // Other settings of the judgehosts, so that they are changed, too.
        helm.args(["--set", "pools.default.policy.drainSeconds=11"]);
        process::read(&mut helm)?;
        let mut seen: Vec<String> = Vec::new();
        let mut least_ready = u64::MAX;
        let upgraded = wait_for("all pods are of the next release", UPGRADE_WITHIN, || {
            self.calibrate_again()?;
            let all = self.control.get(&["judgepools,judgenodes", "-n", NAMESPACE])?;
            let mut ready = 0;
            let mut states = Vec::new();
            for one in all["items"].as_array().into_iter().flatten() {
                let status = &one["status"];
                match one["kind"].as_str() {
                    Some("JudgePool") => ready = status["ready"].as_u64().unwrap_or_default(),
                    _ => states.push(format!(
                        "{} {} {}",
                        one["metadata"]["name"], status["state"], status["reason"]
                    )),
                }
            }
            least_ready = least_ready.min(ready);
            let states = format!("{ready} ready: {}", states.join(", "));
            if seen.last() != Some(&states) {
                seen.push(states);
            }
            let now = pods()?;
            let is_changed = now.is_disjoint(&before) && now.len() == before.len();
            Ok((is_changed && ready == 2).then_some(()))
        });
        let (_, took) =
            upgraded.with_context(|| format!("seen: {seen:#?}")).inspect_err(|_| self.explain())?;
        ensure!(least_ready >= 1, "no judgehost was ready during the upgrade: {seen:#?}");
        self.said(&format!(
            "the chart's next release runs after {:.0} s, with {least_ready} of 2 judgehosts ready at least",
            took.as_secs_f64()
        ));
        Ok(())
    }

    /// Runs every expression of alerts and dashboards on a Prometheus that has this fleet's metrics.
    pub(super) fn check_queries(&mut self, node: &Node) -> Result<()> {
        let pods =
            self.control.get(&["pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=tautochrone"])?;
        let mut targets = Vec::new();
        // The other node is lost, and its pods with it.
        let is_there = |pod: &&Value| {
            let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
            pod["spec"]["nodeName"] == node.name
                && conditions.into_iter().any(|one| one["type"] == "Ready" && one["status"] == "True")
        };
        for pod in pods["items"].as_array().into_iter().flatten().filter(is_there) {
            let port = match pod["metadata"]["labels"]["app.kubernetes.io/component"].as_str() {
                Some("server") => 9280,
                Some("operator") => 9282,
                _ => 9281,
            };
            targets.push(format!(
                "{}:{port}",
                pod["status"]["podIP"].as_str().context("a pod without an address")?
            ));
        }
        let folder = self.work.join("prometheus");
        xtask::fleet::fresh(&folder)?;
        let rules = self.root.join("deploy/prometheus");
        let config = json!({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [rules.join("alerts.yaml"), rules.join("fleet.yaml")],
            "scrape_configs": [{"job_name": "tautochrone", "static_configs": [{"targets": targets}]}],
        });
        fs::write(folder.join("prometheus.yml"), config.to_string())?;
        let mut prometheus = Command::new("prometheus");
        prometheus
            .arg("--config.file")
            .arg(folder.join("prometheus.yml"))
            .arg("--storage.tsdb.path")
            .arg(&folder);
        prometheus.args(["--web.listen-address", "127.0.0.1:9090"]);
        self.control.daemons.start("prometheus", &mut prometheus)?;
        let query = |expression: &str| -> Result<Value> {
            let mut ask = Command::new("promtool");
            ask.args(["query", "instant", "-o", "json", "http://127.0.0.1:9090", expression]);
            serde_json::from_str(&process::read(&mut ask)?).context("promtool printed no JSON")
        };
        wait_for("all targets are asked", QUERIES_WITHIN, || {
            let up = query("sum(up)")?;
            Ok((up[0]["value"][1] == json!(targets.len().to_string())).then_some(()))
        })?;
        let (mut count, mut empty) = (0, Vec::new());
        for (name, expression) in self.expressions()? {
            // As Grafana replaces it.
            let found = query(&expression.replace("$__rate_interval", "1m"))
                .with_context(|| format!("{name}: {expression}"))?;
            count += 1;
            // An alert that has nothing to say is empty.
            if found.as_array().is_some_and(Vec::is_empty) && name.contains("dashboard") {
                empty.push(expression);
            }
        }
        self.control.daemons.kill("prometheus");
        self.said(&format!("{count} queries of alerts and dashboards ran on {} targets", targets.len()));
        for expression in empty {
            println!("  without data yet: {expression}");
        }
        Ok(())
    }

    /// Returns expressions of alerts and dashboards with where they are.
    fn expressions(&self) -> Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for name in ["tautochrone-fleet.json", "tautochrone.json"] {
            let dashboard = fs::read_to_string(self.root.join("deploy/grafana").join(name))?;
            collect(&serde_json::from_str(&dashboard)?, &format!("dashboard {name}"), &mut found);
        }
        let mut ask = Command::new("busybox");
        ask.args(["wget", "-q", "-O", "-", "http://127.0.0.1:9090/api/v1/rules"]);
        let rules: Value = serde_json::from_str(&process::read(&mut ask)?)?;
        for rule in rules["data"]["groups"].as_array().into_iter().flatten() {
            for rule in rule["rules"].as_array().into_iter().flatten() {
                let health = rule["health"].as_str().unwrap_or_default();
                ensure!(health == "ok" || health == "unknown", "{}: {}", rule["name"], rule["lastError"]);
                let text = |field: &str| rule[field].as_str().unwrap_or_default().to_owned();
                found.push((format!("alert {}", text("name")), text("query")));
            }
        }
        Ok(found)
    }
}

/// Finds the values of `expr` in a dashboard.
fn collect(value: &Value, name: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value.as_str()) {
                    ("expr", Some(text)) => found.push((name.to_owned(), text.to_owned())),
                    _ => collect(value, name, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, name, found)),
        _ => {}
    }
}
