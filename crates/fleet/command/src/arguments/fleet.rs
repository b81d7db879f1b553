//! Arguments of `tauto fleet`.

use clap::{Args, Subcommand};
use contest_command::arguments::LogFormat;
use std::path::PathBuf;

const STATUS_EXAMPLES: &str = "\
Exit code: 0, 2 wrong usage or a name that is not there, 3 if the cluster cannot be reached or refuses.

Examples:
  tauto fleet status
  tauto fleet nodes --namespace contest --json | jq '.nodes[] | select(.state != \"Ready\")'
  tauto fleet top --watch";

const EXPLAIN_EXAMPLES: &str = "\
The decision is the one that the scheduler plugin recorded when it placed the pod; the CPUs are those that the node's agent \
saw last (docs/kubernetes-placement.md).

Exit code: 0, 2 wrong usage or a pod that is not there, 3 if the cluster cannot be reached or refuses.

Example: tauto fleet explain web-5d9c7-x2x4q --namespace shop";

const OPERATOR_EXAMPLES: &str = "\
It keeps the JudgePools of one namespace, until it is asked to end (SIGTERM, SIGINT). It may be killed at any moment, and \
several may run at once: each decides from what is.

Exit code: 0 after a request to end, 2 wrong usage, 3 if the cluster is not named or its address cannot be used.

Example:
  tauto fleet operator --server http://tautochrone-server:8080 --token /etc/tautochrone/operator";

const SECRETS_EXAMPLES: &str = "\
Prints a Secret with new random tokens, for 'tauto serve --judgehost-token' and '--operator-token', and the first password \
of 'admin'. They are nowhere else: to run it again replaces them.

Example: tauto fleet secrets | kubectl apply -f -";

// What to do with a fleet.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum FleetCommand {
    /// Show pools, machines that are not ready, and the last warnings
    #[command(after_help = STATUS_EXAMPLES)]
    Status(OnCluster),
    /// Show the pools: ready, calibrated, queue, time to verdict
    Pools(OnCluster),
    /// Show the machines of the pools: state, calibration, reason
    Nodes(FleetNodesArguments),
    /// Show what each machine judges and what waits, the busiest first
    Top(FleetTopArguments),
    /// Let a machine end its work, and keep it out of its pool
    Drain(FleetDrainArguments),
    /// Calibrate a machine again; this lets one back in that was taken out
    Calibrate(FleetNodeArguments),
    /// Show why a pod is on its node, and on its CPUs
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(FleetExplainArguments),
    /// Show what happened to pools and machines in the last hour
    Events(OnCluster),
    /// Keep the pools of a namespace as their resources say
    #[command(after_help = OPERATOR_EXAMPLES)]
    Operator(Box<OperatorArguments>),
    /// Print the definitions of the resources JudgePool and JudgeNode, for 'kubectl apply'
    Resources,
    /// Print a Secret with new tokens for a server, its judgehosts and the operator
    #[command(after_help = SECRETS_EXAMPLES)]
    Secrets {
        /// Its name
        #[arg(long, value_name = "NAME", default_value = "tautochrone")]
        name: String,
    },
}

// Which cluster.
#[derive(Clone, Debug, Args)]
pub struct OnCluster {
    /// File that names the cluster; by default KUBECONFIG, else ~/.kube/config, else the service account of a pod
    #[arg(long, value_name = "FILE", help_heading = "Cluster")]
    pub kubeconfig: Option<PathBuf>,
    /// Namespace of the fleet; by default the one that the kubeconfig names
    #[arg(long, short, value_name = "NAME", help_heading = "Cluster")]
    pub namespace: Option<String>,
}

// Options of `tauto fleet nodes`.
#[derive(Debug, Args)]
pub struct FleetNodesArguments {
    /// Only of this pool
    #[arg(long, value_name = "NAME")]
    pub pool: Option<String>,
    /// The cluster.
    #[command(flatten)]
    pub cluster: OnCluster,
}

// Options of `tauto fleet explain`.
#[derive(Debug, Args)]
pub struct FleetExplainArguments {
    /// The pod
    #[arg(value_name = "POD")]
    pub pod: String,
    /// Namespace of the nodes' agents, which say which CPUs its containers have
    #[arg(long, value_name = "NAME", default_value = "tautochrone-nodes")]
    pub agents: String,
    /// The cluster.
    #[command(flatten)]
    pub cluster: OnCluster,
}

// Options of `tauto fleet top`.
#[derive(Debug, Args)]
pub struct FleetTopArguments {
    /// Show it again every 2 s, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// The cluster.
    #[command(flatten)]
    pub cluster: OnCluster,
}

// Options of `tauto fleet drain`.
#[derive(Debug, Args)]
pub struct FleetDrainArguments {
    /// The machine: the name of its Kubernetes node
    #[arg(value_name = "NODE")]
    pub node: String,
    /// Let it judge again
    #[arg(long)]
    pub undo: bool,
    /// The cluster.
    #[command(flatten)]
    pub cluster: OnCluster,
}

// Options of commands about one machine.
#[derive(Debug, Args)]
pub struct FleetNodeArguments {
    /// The machine: the name of its Kubernetes node
    #[arg(value_name = "NODE")]
    pub node: String,
    /// The cluster.
    #[command(flatten)]
    pub cluster: OnCluster,
}

// Options of `tauto fleet operator`.
#[derive(Debug, Args)]
pub struct OperatorArguments {
    /// The contest server, such as http://tautochrone-server:8080
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// File with the operator's token (see 'tauto serve --operator-token')
    #[arg(long, value_name = "FILE")]
    pub token: PathBuf,
    /// File with the certificates of the authorities that may certify the server, in PEM format
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// The contest server as judgehosts reach it; by default --server
    #[arg(long, value_name = "URL")]
    pub judgehost_server: Option<String>,
    /// Secret with the judgehosts' token, under the key 'token'
    #[arg(long, value_name = "NAME", default_value = "tautochrone-judgehost")]
    pub token_secret: String,
    /// Secret for the registry of images
    #[arg(long, value_name = "NAME")]
    pub pull_secret: Option<String>,
    /// ConfigMap with the authorities that certify registry and server, under the key 'ca.crt'; by default public ones
    #[arg(long, value_name = "NAME")]
    pub authorities: Option<String>,
    /// Priority class of judgehosts' pods
    #[arg(long, value_name = "NAME")]
    pub priority_class: Option<String>,
    /// Folder of the machines for packages and images of toolchains
    #[arg(long, value_name = "DIR", default_value = "/var/lib/tautochrone")]
    pub cache: String,
    /// Where metrics and probes are answered, such as 0.0.0.0:9282
    #[arg(long, value_name = "ADDRESS", value_parser = contest_command::serve::address)]
    pub metrics: Option<String>,
    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// The cluster.
    #[command(flatten)]
    pub cluster: OnCluster,
}
