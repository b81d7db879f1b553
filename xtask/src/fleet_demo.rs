//! `make fleet-demo`: a cluster on this machine, images built in it, and a contest that is judged in pods while a node is lost.

mod bad_days;
mod checks;
mod times;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use xtask::fleet::{self, Control, Database, Node, PAUSE, Registry, wait_for};
use xtask::process;

use crate::vm;

/// The contest server's address in the cluster: the demo has no names for services.
const SERVER: &str = "http://10.96.0.80:8080";
/// Where all of it is.
const NAMESPACE: &str = "contest";
const CONTEST: &str = "fixtures/demo-contest";
/// A verdict comes within seconds; after a node was lost, a lease has to end first.
const VERDICT_WITHIN: Duration = Duration::from_secs(180);

#[derive(clap::Args)]
pub struct Options {
    /// How many made-up nodes the cluster has apart from the two real ones
    #[arg(long, value_name = "N", default_value_t = 200)]
    fake_nodes: u32,
    /// Compare the time of a program in pods with the machine's own, N times on each CPU, before the contest
    #[arg(long, value_name = "N", default_value_t = 0)]
    times: u32,
    /// Check also what the API server refuses, what the operator may not, an upgrade of the chart, and all queries of alerts
    #[arg(long)]
    checks: bool,
    /// Disturb the contest also by killing the API server, the operator, a kubelet and a containerd, and by evicting a judgehost
    #[arg(long)]
    bad_days: bool,
    /// Keep the cluster until Enter is pressed
    #[arg(long)]
    keep: bool,
    /// The profile whose build of tauto is used: dev, release or dist
    #[arg(long, value_name = "PROFILE", default_value = "release")]
    profile: String,
}

pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let programs = fleet::programs()?;
    let target = vm::target_directory(root)?;
    let folder = if options.profile == "dev" { "debug" } else { &options.profile };
    let tauto = target.join(folder).join("tauto");
    ensure!(tauto.is_file(), "{} is not there: run tools/build", tauto.display());
    let work = target.join("fleet");
    let base = work.join("base");
    if !base.join("rootfs.tar").is_file() {
        // Outside of the namespaces, from which no archive of packages is reached.
        say("Debian's packages of the toolchains: g++ and Python, by mmdebstrap");
        process::run(Command::new(root.join("languages/images/base/make")).arg(&base))?;
    }
    fleet::enter_namespaces()?;
    let mut demo = Demo {
        root,
        work,
        tauto,
        begun: Instant::now(),
        control: Control::start(&target.join("fleet/cluster"), &programs)?,
    };
    demo.said("etcd, API server, controllers and scheduler run");
    demo.hold(options)?;
    if options.keep {
        println!("\nThe cluster runs until Enter is pressed. In another terminal, as root:");
        println!(
            "  nsenter -t {} -a --wd=/ env KUBECONFIG={} PATH=$PATH:{} kubectl get judgepools,judgenodes -n {NAMESPACE}",
            std::process::id(),
            demo.control.kubeconfig.display(),
            programs.display()
        );
        let _ = std::io::stdin().read_line(&mut String::new());
    }
    Ok(ExitCode::SUCCESS)
}

fn say(text: &str) {
    println!("fleet-demo: {text}");
}

struct Demo<'a> {
    root: &'a Path,
    work: PathBuf,
    tauto: PathBuf,
    begun: Instant,
    control: Control,
}

impl Demo<'_> {
    fn said(&self, text: &str) {
        println!("fleet-demo: {:>5.1} s  {text}", self.begun.elapsed().as_secs_f64());
    }

    fn hold(&mut self, options: &Options) -> Result<()> {
        let cpus = u32::try_from(std::thread::available_parallelism()?.get())?;
        let nodes = Node::both(cpus.max(2));
        self.start_nodes(&nodes)?;
        let digest = self.build_image(&nodes)?;
        let toolchains = self.push_toolchains()?;
        let database = Database::start(&mut self.control)?;
        self.said("PostgreSQL runs");
        self.label(&nodes)?;
        fleet::fake_nodes(
            &mut self.control,
            options.fake_nodes,
            &json!({"fleet.tautochrone.dev/hardware": "made-up"}),
        )?;
        self.said(&format!("{} made-up nodes are there", options.fake_nodes));
        self.make_namespace(&database)?;
        if options.checks {
            self.check_manifests()?;
        }
        self.install(&digest, &toolchains)?;
        self.shows(&["get", "judgepools,judgenodes", "-n", NAMESPACE])?;
        if options.checks {
            self.check_refusals()?;
            self.check_upgrade()?;
        }
        let admin = self.login("admin", &self.password()?)?;
        admin.run(&["contest", "import", CONTEST, "--outside"])?;
        admin.run(&["contest", "start"])?;
        if options.times > 0 {
            self.compare_times(&admin, &nodes, options.times)?;
        }
        self.contest(&admin, &nodes, options.bad_days)?;
        if options.checks {
            self.check_queries(&nodes[0])?;
        }
        self.shows(&["get", "judgepools,judgenodes", "-n", NAMESPACE])?;
        self.fleet(&["fleet", "status"])?;
        self.fleet(&["fleet", "events"])?;
        self.said("done");
        Ok(())
    }

    fn start_nodes(&mut self, nodes: &[Node]) -> Result<()> {
        Registry::start(&mut self.control)?;
        let pause = self.work.join("pause.tar");
        fleet::archive(&pause, &["bin"], &[("bin/busybox", Path::new("/bin/busybox"))])?;
        let pause = fleet::layout(
            &self.work.join("pause"),
            &format!("docker.io/{PAUSE}"),
            &pause,
            &["/bin/busybox", "sleep", "2147483647"],
        )?;
        for node in nodes {
            node.start_containerd(&mut self.control)?;
            node.import(&self.control, &pause)?;
            node.start_kubelet(&mut self.control)?;
        }
        fleet::start_proxy(&mut self.control)?;
        for node in nodes {
            node.wait_until_ready(&mut self.control)?;
        }
        self.said("two real nodes are ready");
        Ok(())
    }

    /// Builds the image of server, operator and judgehost in a pod by kaniko, and returns its name with the digest.
    fn build_image(&mut self, nodes: &[Node]) -> Result<String> {
        let kaniko = self.work.join("kaniko.tar");
        let executor = self.control.programs.join("kaniko");
        fleet::archive(
            &kaniko,
            &["kaniko", "kaniko/.docker", "workspace", "tmp"],
            &[("kaniko/executor", &executor)],
        )?;
        let kaniko = fleet::layout(
            &self.work.join("kaniko"),
            "docker.io/fleet/kaniko:1",
            &kaniko,
            &["/kaniko/executor"],
        )?;
        let builder = &nodes[0];
        builder.import(&self.control, &kaniko)?;
        let context = self.work.join("context");
        fleet::fresh(&context)?;
        fs::copy(&self.tauto, context.join("tauto")).context("cannot copy tauto")?;
        fs::copy(self.root.join("deploy/oci/Containerfile.static"), context.join("Dockerfile"))?;
        fs::copy(self.control.folder.join("ca.crt"), context.join("ca.crt"))?;
        self.kubectl(&["create", "namespace", "build"])?;
        self.kubectl(&["label", "node", builder.name, "fleet.tautochrone.dev/build=yes"])?;
        let to = format!("{}/tautochrone", Registry::address());
        let job = fs::read_to_string(self.root.join("kubernetes/examples/build.yaml"))?
            .replace("DESTINATION", &to)
            .replace("CONTEXT", &context.display().to_string());
        self.control.apply(&job)?;
        let what = ["pod", "-n", "build", "-l", "job-name=build-tautochrone"];
        let look = || {
            let pods = self.control.get(&what)?;
            let ended = &pods["items"][0]["status"]["containerStatuses"][0]["state"]["terminated"];
            match ended["exitCode"].as_i64() {
                Some(0) => Ok(ended["message"].as_str().map(str::to_owned)),
                Some(_) => {
                    let log = process::read(&mut self.control.kubectl(&[
                        "logs",
                        "-n",
                        "build",
                        "job/build-tautochrone",
                    ]));
                    Ok(Some(format!("failed: {ended}: {}", log.unwrap_or_default())))
                }
                None => Ok(None),
            }
        };
        let (digest, took) = wait_for("the image is built", Duration::from_secs(600), look)?;
        ensure!(digest.starts_with("sha256:"), "kaniko: {digest}");
        self.kubectl(&["label", "node", builder.name, "fleet.tautochrone.dev/build-"])?;
        self.said(&format!("kaniko built the image in a pod in {:.1} s: {digest}", took.as_secs_f64()));
        Ok(digest)
    }

    /// Sends the image of compilers to the registry, and returns its name with the digest.
    fn push_toolchains(&self) -> Result<String> {
        let name = format!("{}/judge/base", Registry::address());
        let store = self.work.join("store");
        let tauto = |arguments: &[&str]| {
            let mut tauto = Command::new(&self.tauto);
            tauto.args(arguments).arg("--json").env("TAUTO_IMAGES", &store);
            tauto.env("SSL_CERT_FILE", self.control.folder.join("ca.crt")).current_dir(self.root);
            let text = process::read(&mut tauto)?;
            serde_json::from_str::<serde_json::Value>(&text).context("tauto printed no JSON")
        };
        let base = self.work.join("base").display().to_string();
        tauto(&["image", "build", &base, "-t", "judge/base:bookworm"])?;
        let pushed = tauto(&["image", "push", "judge/base:bookworm", &format!("{name}:bookworm")])?;
        let digest = find_digest(&pushed).with_context(|| format!("no digest in {pushed}"))?;
        self.said(&format!("toolchains are in the registry: {digest}"));
        Ok(format!("{name}@{digest}"))
    }

    /// Gives the real nodes to judging.
    fn label(&self, nodes: &[Node]) -> Result<()> {
        for node in nodes {
            self.kubectl(&["label", "node", node.name, "fleet.tautochrone.dev/hardware=this-machine"])?;
        }
        Ok(())
    }

    fn make_namespace(&self, database: &Database) -> Result<()> {
        self.kubectl(&["create", "namespace", NAMESPACE])?;
        let authorities = format!("--from-file=ca.crt={}", self.control.folder.join("ca.crt").display());
        self.kubectl(&["create", "configmap", "authorities", "-n", NAMESPACE, &authorities])?;
        let url = format!("--from-literal=url={}", database.url());
        self.kubectl(&["create", "secret", "generic", "tautochrone-database", "-n", NAMESPACE, &url])
    }

    /// Installs the chart.
    fn install(&mut self, digest: &str, toolchains: &str) -> Result<()> {
        let values = json!({
            "image": {"repository": format!("{}/tautochrone", Registry::address()), "digest": digest},
            "server": {
                "service": {"clusterIP": "10.96.0.80"},
                "resources": {"requests": {"cpu": "0", "memory": "128Mi"}},
            },
            "operator": {"resources": {"requests": {"cpu": "0", "memory": "32Mi"}}},
            "judgehosts": {
                "server": SERVER, "authorities": "authorities",
                "cache": self.work.join("cluster/judgehosts"),
            },
            "pools": {"default": {
                "hardware": "this-machine", "helpers": 0, "memory": "2Gi", "size": {"min": 2, "max": 2},
                "toolchains": toolchains,
                // Control plane, database and kubelets share these CPUs.
                "calibration": {"lostPpmMax": 900_000, "referencePermilleMax": 1000},
                "policy": {"drainSeconds": 10},
            }},
        });
        let file = self.work.join("values.json");
        fs::write(&file, values.to_string())?;
        let mut helm = self.control.program("helm");
        helm.args(["install", "tautochrone"]).arg(self.root.join("kubernetes/chart"));
        helm.args(["--namespace", NAMESPACE, "--values"])
            .arg(&file)
            .env("KUBECONFIG", &self.control.kubeconfig);
        process::read(&mut helm)?;
        self.said("helm installed the chart");
        let (_, took) = wait_for("the pool is ready", Duration::from_secs(300), || {
            let pool = self.control.get(&["judgepool", "default", "-n", NAMESPACE])?;
            let ready = pool["status"]["ready"].as_u64() == Some(2);
            self.calibrate_again()?;
            Ok(ready.then_some(()))
        })
        .inspect_err(|_| self.explain())?;
        self.said(&format!("two judgehosts were calibrated and let in after {:.1} s", took.as_secs_f64()));
        Ok(())
    }

    /// Calibrates machines again that were taken out, as people do: two nodes on a busy machine differ more than a pool may.
    fn calibrate_again(&self) -> Result<()> {
        let nodes = self.control.get(&["judgenodes", "-n", NAMESPACE])?;
        for node in nodes["items"].as_array().into_iter().flatten() {
            let name = node["metadata"]["name"].as_str().unwrap_or_default();
            if node["status"]["state"] == "Out" {
                self.said(&format!("{name} is calibrated again: {}", node["status"]["reason"]));
                process::read(&mut self.tauto_fleet(&["fleet", "calibrate", name]))?;
            }
        }
        Ok(())
    }

    /// Shows what may be the cause of what did not happen.
    fn explain(&self) {
        for what in [
            &["get", "pods,judgepools,judgenodes", "-A", "-o", "wide"][..],
            &["get", "events", "-n", NAMESPACE],
            &["logs", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=tautochrone", "--tail=20", "--prefix"],
        ] {
            let _ = process::run(&mut self.control.kubectl(what));
        }
    }

    fn contest(&mut self, admin: &Person, nodes: &[Node], has_bad_days: bool) -> Result<()> {
        let accounts = fs::read_to_string(self.root.join(CONTEST).join("accounts.yaml"))?;
        let submissions = fs::read_to_string(self.root.join(CONTEST).join("submissions.txt"))?;
        let lines: Vec<Vec<&str>> = submissions
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
            .map(|line| line.split_whitespace().collect())
            .collect();
        let mut teams = BTreeMap::new();
        let mut expected = BTreeMap::new();
        let begun = Instant::now();
        for (number, line) in lines.iter().enumerate() {
            let [account, problem, verdict, files @ ..] = line.as_slice() else {
                bail!("a line of submissions.txt is short")
            };
            if !teams.contains_key(account) {
                let password = password_of(&accounts, account).context("an account has no password")?;
                teams.insert(*account, self.login(account, &password)?);
            }
            let paths: Vec<String> = files.iter().map(|file| format!("problems/{file}")).collect();
            let mut arguments = vec!["submit", "--problem", problem];
            arguments.extend(paths.iter().map(String::as_str));
            let id = teams[account].submit(&arguments)?;
            expected.insert(id, (*verdict, paths));
            if has_bad_days {
                self.disturb(number, &nodes[0])?;
            }
            if number == lines.len() / 2 {
                nodes[1].lose(&mut self.control)?;
                self.said(&format!(
                    "{} is lost: its kubelet, its containerd and its pods are killed",
                    nodes[1].name
                ));
            }
        }
        let (mut judged, mut missing) = (BTreeMap::new(), String::new());
        let waited = wait_for("all is judged", VERDICT_WITHIN, || {
            for id in expected.keys() {
                if !judged.contains_key(id)
                    && let Some(verdict) = admin.verdict(id)?
                {
                    judged.insert(id.clone(), verdict);
                }
            }
            let lacking = expected.keys().filter(|id| !judged.contains_key(*id));
            missing = lacking.map(String::as_str).collect::<Vec<_>>().join(", ");
            Ok((judged.len() == expected.len()).then_some(()))
        });
        let waited = waited.with_context(|| format!("without a verdict: {missing}"));
        let ((), took) = waited.inspect_err(|_| {
            let _ = admin.run(&["submissions"]);
            self.explain();
        })?;
        let wrong: Vec<String> = expected
            .iter()
            .filter(|(id, (verdict, _))| judged.get(*id).map(String::as_str) != Some(*verdict))
            .map(|(id, (verdict, paths))| {
                format!("{id} ({}): {:?}, expected {verdict}", paths.join(" "), judged.get(id))
            })
            .collect();
        ensure!(wrong.is_empty(), "verdicts differ: {}", wrong.join("; "));
        self.said(&format!(
            "{} submissions have their verdicts {:.1} s after the first, {:.1} s after the last",
            judged.len(),
            begun.elapsed().as_secs_f64(),
            took.as_secs_f64()
        ));
        admin.run(&["contest", "scoreboard", "--jury"])
    }

    fn password(&self) -> Result<String> {
        let path = "jsonpath={.data.admin-password}";
        let coded = process::read(&mut self.control.kubectl(&[
            "get",
            "secret",
            "tautochrone",
            "-n",
            NAMESPACE,
            "-o",
            path,
        ]))?;
        let file = self.work.join("coded");
        fs::write(&file, coded)?;
        process::read(Command::new("base64").arg("-d").arg(&file))
    }

    fn login(&self, user: &str, password: &str) -> Result<Person> {
        let home = self.work.join("logins").join(user);
        fleet::fresh(&home)?;
        let file = home.join("password");
        fs::write(&file, password)?;
        let person = Person { tauto: self.tauto.clone(), home, root: self.root.to_owned() };
        process::read(person.command(&["login", SERVER, "--user", user, "--password-file"]).arg(&file))?;
        Ok(person)
    }

    fn kubectl(&self, arguments: &[&str]) -> Result<()> {
        process::read(&mut self.control.kubectl(arguments)).map(drop)
    }

    fn shows(&self, arguments: &[&str]) -> Result<()> {
        println!("\n$ kubectl {}", arguments.join(" "));
        process::run(&mut self.control.kubectl(arguments))
    }

    fn fleet(&self, arguments: &[&str]) -> Result<()> {
        println!("\n$ tauto {}", arguments.join(" "));
        process::run(&mut self.tauto_fleet(arguments))
    }

    fn tauto_fleet(&self, arguments: &[&str]) -> Command {
        let mut tauto = Command::new(&self.tauto);
        tauto.args(arguments).args(["--namespace", NAMESPACE]).env("KUBECONFIG", &self.control.kubeconfig);
        tauto
    }
}

/// Somebody who has logged in.
struct Person {
    tauto: PathBuf,
    home: PathBuf,
    root: PathBuf,
}

impl Person {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut tauto = Command::new(&self.tauto);
        tauto.args(arguments).env("XDG_CONFIG_HOME", &self.home).current_dir(&self.root);
        tauto
    }

    fn run(&self, arguments: &[&str]) -> Result<()> {
        println!("\n$ tauto {}", arguments.join(" "));
        process::run(&mut self.command(arguments))
    }

    /// Submits, again where no server answered: one of them is lost, and the cluster sends requests to it for a while.
    fn submit(&self, arguments: &[&str]) -> Result<String> {
        let begun = Instant::now();
        loop {
            let error = match self.json(arguments) {
                Ok(answer) => {
                    return answer["id"].as_str().map(str::to_owned).context("a submission without an id");
                }
                Err(error) => error,
            };
            let said = format!("{error:#}");
            // It was stored, and only the answer was lost.
            if let Some((_, id)) = said.split_once("the same as submission ") {
                return Ok(id.chars().take_while(char::is_ascii_digit).collect());
            }
            // The server, or the way to it.
            ensure!(said.contains("exit status: 3"), "{said}");
            ensure!(begun.elapsed() < VERDICT_WITHIN, "no server takes it: {said}");
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Returns the verdict of a submission, if it has one.
    fn verdict(&self, id: &str) -> Result<Option<String>> {
        let shown = self.json(&["submission", "show", id])?;
        let current =
            shown["judgements"].as_array().into_iter().flatten().rfind(|one| one["current"] != false);
        Ok(current.and_then(|one| one["judgement_type_id"].as_str().map(str::to_owned)))
    }

    fn json(&self, arguments: &[&str]) -> Result<serde_json::Value> {
        let text = process::read(self.command(arguments).arg("--json"))?;
        serde_json::from_str(&text).context("tauto printed no JSON")
    }
}

/// Returns the first digest in a document.
fn find_digest(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) if text.starts_with("sha256:") => Some(text.clone()),
        serde_json::Value::Object(fields) => {
            fields.get("digest").and_then(find_digest).or_else(|| fields.values().find_map(find_digest))
        }
        serde_json::Value::Array(items) => items.iter().find_map(find_digest),
        _ => None,
    }
}

/// Returns the password of an account, of which each has a line.
fn password_of(accounts: &str, user: &str) -> Option<String> {
    let line = accounts.lines().find(|line| line.contains(&format!("username: {user},")))?;
    let (_, rest) = line.split_once("password: ")?;
    Some(rest.split(['}', ',']).next()?.trim().to_owned())
}
