//! What happens to a cluster on bad days, while a contest is judged: no verdict may change by it.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use xtask::fleet::Node;
use xtask::process;

use super::{Demo, NAMESPACE};

/// Submissions go on meanwhile.
const API_SERVER_AWAY: Duration = Duration::from_secs(5);

impl Demo<'_> {
    /// After some of the submissions something breaks.
    pub(super) fn disturb(&mut self, submission: usize, node: &Node) -> Result<()> {
        match submission {
            1 => {
                self.control.daemons.kill("kube-apiserver");
                std::thread::sleep(API_SERVER_AWAY);
                self.control.start_api_server(&[])?;
                self.said(&format!(
                    "the API server was killed, and away for {} s",
                    API_SERVER_AWAY.as_secs()
                ));
            }
            3 => {
                let operator = "app.kubernetes.io/component=operator";
                let now = "--grace-period=0";
                self.kubectl(&["delete", "pod", "-n", NAMESPACE, "-l", operator, now, "--force"])?;
                self.said("the operator was killed");
            }
            5 => {
                node.kill(&mut self.control, "kubelet");
                node.start_kubelet(&mut self.control)?;
                self.said(&format!("the kubelet of {} was killed and started again", node.name));
            }
            7 => {
                node.kill(&mut self.control, "containerd");
                node.start_containerd(&mut self.control)?;
                self.said(&format!("the containerd of {} was killed and started again", node.name));
            }
            9 => self.evict(node)?,
            _ => {}
        }
        Ok(())
    }

    /// Asks the Eviction API to remove a judgehost, as a drain of its node does.
    fn evict(&self, node: &Node) -> Result<()> {
        let judgehosts = "app.kubernetes.io/component=judgehost";
        let on_node = format!("spec.nodeName={}", node.name);
        let pods =
            self.control.get(&["pods", "-n", NAMESPACE, "-l", judgehosts, "--field-selector", &on_node])?;
        let name = pods["items"][0]["metadata"]["name"].as_str().context("there is no judgehost")?;
        let eviction = json!({
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": NAMESPACE},
        });
        let file = self.work.join("eviction.json");
        fs::write(&file, eviction.to_string())?;
        let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}/eviction");
        let mut create = self.control.kubectl(&["create", "--raw", &path, "-f"]);
        process::read(create.arg(&file))?;
        self.said(&format!("the judgehost of {} was evicted", node.name));
        Ok(())
    }
}
