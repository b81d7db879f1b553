//! The control plane: etcd, API server, controllers, scheduler; with certificates and rights as in a real cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use serde_json::Value;

use super::daemons::Daemons;
use crate::process;

/// The address of the machine within its namespaces.
pub const NODE_ADDRESS: &str = "192.0.2.2";
/// Addresses of services.
pub const SERVICES: &str = "10.96.0.0/16";
/// The API server's own service: the first of these.
const API_SERVICE: &str = "10.96.0.1";
/// The lowest ephemeral port and a port of the API server.
const API_PORT: u16 = 6443;
const ETCD_PORT: u16 = 2379;
/// A control plane is ready after 3 to 5 s on a quiet machine.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// A control plane that runs.
#[derive(Debug)]
pub struct Control {
    pub folder: PathBuf,
    pub programs: PathBuf,
    pub kubeconfig: PathBuf,
    pub daemons: Daemons,
}

impl Control {
    /// Starts a control plane in a folder that is emptied.
    pub fn start(folder: &Path, programs: &Path) -> Result<Self> {
        super::folder::fresh(folder)?;
        let mut control = Self {
            folder: folder.to_owned(),
            programs: programs.to_owned(),
            kubeconfig: folder.join("kubeconfig"),
            daemons: Daemons::new(&folder.join("logs"))?,
        };
        control.certificates()?;
        control.start_etcd()?;
        control.start_api_server(&[])?;
        control.start_controllers()?;
        control.start_scheduler()?;
        Ok(control)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(&self.folder);
        command
    }

    /// Makes an authority and the API server's certificate, tokens, and the files by which clients connect.
    fn certificates(&self) -> Result<()> {
        let authority_key = KeyPair::generate()?;
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "fleet");
        let certificate = authority.self_signed(&authority_key)?;
        fs::write(self.path("ca.crt"), certificate.pem())?;
        let names = ["127.0.0.1", NODE_ADDRESS, API_SERVICE, "localhost", "kubernetes.default.svc"];
        let server_key = KeyPair::generate()?;
        let server = CertificateParams::new(names.map(str::to_owned).to_vec())?;
        let issuer = Issuer::new(authority, authority_key);
        // The registry has it, too.
        fs::write(self.path("api.crt"), server.signed_by(&server_key, &issuer)?.pem())?;
        write_secret(&self.folder.join("api.key"), &server_key.serialize_pem())?;
        // By it the API server asks kubelets for logs.
        let client_key = KeyPair::generate()?;
        let mut client = CertificateParams::default();
        client.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        client.distinguished_name.push(DnType::OrganizationName, "system:masters");
        client.extended_key_usages.push(ExtendedKeyUsagePurpose::ClientAuth);
        fs::write(self.path("client.crt"), client.signed_by(&client_key, &issuer)?.pem())?;
        write_secret(&self.folder.join("client.key"), &client_key.serialize_pem())?;
        let accounts = KeyPair::generate()?;
        write_secret(&self.folder.join("accounts.key"), &accounts.serialize_pem())?;
        fs::write(self.path("accounts.pub"), accounts.public_key_pem())?;
        let mut tokens = String::new();
        // The node's name is its identity: it may change what is its own alone.
        let users = [
            ("admin", "admin", "system:masters"),
            ("controllers", "system:kube-controller-manager", ""),
            ("scheduler", "system:kube-scheduler", ""),
            ("vm0", "system:node:vm0", "system:nodes"),
            ("vm1", "system:node:vm1", "system:nodes"),
            ("proxy", "system:kube-proxy", ""),
        ];
        for (file, user, group) in users {
            let token = random()?;
            tokens.push_str(&format!("{token},{user},{user},\"{group}\"\n"));
            self.write_kubeconfig(file, &token)?;
        }
        write_secret(&self.folder.join("tokens.csv"), &tokens)
    }

    fn write_kubeconfig(&self, user: &str, token: &str) -> Result<()> {
        let name = if user == "admin" { "kubeconfig".to_owned() } else { format!("{user}.kubeconfig") };
        let text = format!(
            "apiVersion: v1
kind: Config
clusters: [{{name: fleet, cluster: {{server: 'https://{NODE_ADDRESS}:{API_PORT}', certificate-authority: {}}}}}]
users: [{{name: {user}, user: {{token: {token}}}}}]
contexts: [{{name: fleet, context: {{cluster: fleet, user: {user}, namespace: default}}}}]
current-context: fleet
",
            self.path("ca.crt")
        );
        write_secret(&self.folder.join(name), &text)
    }

    pub fn start_etcd(&mut self) -> Result<()> {
        let (client, peer) =
            (format!("http://127.0.0.1:{ETCD_PORT}"), format!("http://127.0.0.1:{}", ETCD_PORT + 1));
        let mut etcd = self.program("etcd");
        etcd.arg("--data-dir").arg(self.folder.join("etcd"));
        etcd.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        etcd.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        etcd.args(["--initial-cluster", &format!("default={peer}"), "--log-level", "warn"]);
        self.daemons.start("etcd", &mut etcd)
    }

    /// Starts the API server, with further options, and waits until it is ready.
    pub fn start_api_server(&mut self, options: &[&str]) -> Result<()> {
        let mut api = self.program("kube-apiserver");
        api.args(["--etcd-servers", &format!("http://127.0.0.1:{ETCD_PORT}")]);
        api.args(["--bind-address", "0.0.0.0", "--advertise-address", NODE_ADDRESS]);
        api.args(["--secure-port", &API_PORT.to_string(), "--service-cluster-ip-range", SERVICES]);
        api.args(["--tls-cert-file", "api.crt", "--tls-private-key-file", "api.key"]);
        api.args(["--service-account-issuer", "https://kubernetes.default.svc"]);
        api.args([
            "--service-account-key-file",
            "accounts.pub",
            "--service-account-signing-key-file",
            "accounts.key",
        ]);
        api.args(["--authorization-mode", "Node,RBAC", "--token-auth-file", "tokens.csv"]);
        api.args(["--kubelet-client-certificate", "client.crt", "--kubelet-client-key", "client.key"]);
        api.args(["--kubelet-preferred-address-types", "InternalIP"]);
        api.args(["--enable-admission-plugins", "NodeRestriction", "--allow-privileged=false"]);
        api.args(options);
        self.daemons.start("kube-apiserver", &mut api)?;
        let kubectl = self.kubectl(&["get", "--raw", "/readyz"]);
        let mut ask = kubectl;
        self.daemons.wait_until("the API server is ready", READY_WITHIN, || {
            process::capture(&mut ask).is_ok_and(|output| output.status.success())
        })?;
        Ok(())
    }

    pub fn start_controllers(&mut self) -> Result<()> {
        let mut controllers = self.program("kube-controller-manager");
        controllers.args(["--kubeconfig", "controllers.kubeconfig", "--leader-elect=false"]);
        controllers.args(["--service-account-private-key-file", "accounts.key", "--root-ca-file", "ca.crt"]);
        controllers.args(["--use-service-account-credentials=true", "--cert-dir", "certs"]);
        // A node that is lost is noticed after a time that a demo can wait for.
        controllers.args(["--node-monitor-grace-period=40s", "--node-monitor-period=2s"]);
        self.daemons.start("kube-controller-manager", &mut controllers)
    }

    pub fn start_scheduler(&mut self) -> Result<()> {
        let file = self.folder.join("scheduler.yaml");
        let kubeconfig = self.path("scheduler.kubeconfig");
        let text = format!(
            "apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: 2000, burst: 2000}}
"
        );
        fs::write(&file, text)?;
        let mut scheduler = self.program("kube-scheduler");
        scheduler.arg("--config").arg(file).args(["--cert-dir", "certs"]);
        self.daemons.start("kube-scheduler", &mut scheduler)
    }

    /// Returns `kubectl` as the cluster's admin.
    pub fn kubectl(&self, arguments: &[&str]) -> Command {
        let mut kubectl = self.program("kubectl");
        kubectl.env("KUBECONFIG", &self.kubeconfig).args(arguments);
        kubectl
    }

    /// Returns a resource, or a list, as JSON.
    pub fn get(&self, what: &[&str]) -> Result<Value> {
        let arguments = [&["get", "-o", "json"], what].concat();
        let text = process::read(&mut self.kubectl(&arguments))?;
        serde_json::from_str(&text).context("kubectl printed no JSON")
    }

    /// Applies manifests, as the server takes them.
    pub fn apply(&self, manifests: &str) -> Result<()> {
        let file = self.folder.join("apply.yaml");
        write_secret(&file, manifests)?;
        let name = file.display().to_string();
        process::read(&mut self.kubectl(&["apply", "--server-side", "-f", &name])).map(drop)
    }
}

/// Writes what others may not read.
fn write_secret(path: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(())
}

/// Returns 32 random digits.
pub fn random() -> Result<String> {
    let mut bytes = [0; 16];
    std::io::Read::read_exact(&mut fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
