//! What it costs to contain /bin/true: whole commands ("cold"), and a run in a sandbox that stands ("warm").

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::json;

use super::arm::Arm;
use super::host::{self, Host};
use super::rounds::{self, Outcome};
use super::summary;
use super::tools::{argument, benchexec};
use xtask::process;

const PROGRAM: &str = "/bin/true";
/// The first runs read everything from disk, which is not what is compared.
const WARM_UPS: usize = 5;
const COLD: &str = "tauto run";
const WARM: &str = "tauto, warm";

#[derive(Serialize)]
struct Report {
    benchmark: &'static str,
    host: Host,
    rounds: usize,
    arms: Vec<Outcome>,
}

pub fn run(tauto: &Path, inner: &Path, rounds: usize, json: bool) -> Result<()> {
    let work = tempfile::tempdir().context("cannot make a temporary directory")?;
    let arms = arms(tauto, inner, work.path())?;
    let host = Host::read();
    let outcomes = rounds::interleave(arms, rounds, WARM_UPS, &mut |round| {
        if round.is_multiple_of(10) {
            eprintln!("bench: round {round} of {rounds}");
        }
    });
    let report = Report { benchmark: "sandbox", host, rounds, arms: outcomes };
    report.host.show(json, &report, || summary::table(&report.arms, COLD))?;
    let ours = report.arms.iter().filter(|outcome| outcome.arm.name.starts_with("tauto"));
    let failures: Vec<&str> = ours.filter_map(|outcome| outcome.failure.as_deref()).collect();
    if !failures.is_empty() {
        bail!("our own part of the comparison: {}", failures.join("; "));
    }
    Ok(())
}

fn arms(tauto: &Path, inner: &Path, work: &Path) -> Result<Vec<Arm>> {
    let (tauto, inner) = (argument(tauto), argument(inner));
    let part = |name, covers, what| Arm::batch(name, covers, &[&inner, what, "--count"]);
    let counted = |name, covers, options: &[&str]| {
        Arm::batch(name, covers, &[&[&*inner, "warm-runs"], options, &["--count"]].concat())
    };
    let mut arms = vec![
        Arm::process("plain spawn", "no sandbox: posix_spawn and wait", &[PROGRAM]),
        Arm::process(
            COLD,
            "command, sandbox, limits, measurement, clean-up",
            &[&tauto, "run", "--", PROGRAM],
        ),
        part(WARM, "one run in a sandbox that stands", "warm-runs"),
        counted(
            "tauto, counted",
            "the same, with four events counted as hardware counters are",
            &["--counted"],
        ),
        counted("tauto, a pipe", "16 MB through a pipe between two processes of a run", &["--piped"]),
        counted("tauto, a pipe, counted", "the same, with four events counted", &["--piped", "--counted"]),
        part(
            "tauto, a slot",
            "what judging builds once: from asking for a slot to its being ready",
            "slot-opens",
        ),
        part(
            "tauto, the filter",
            "the part of each run that installs the filter of system calls",
            "filter-installs",
        ),
        bubblewrap(),
    ];
    arms.extend(runexec());
    arms.extend(crun(work)?);
    arms.push(isolate());
    arms.push(Arm::missing(
        "go-judge",
        "",
        "build it from https://github.com/criyle/go-judge and time its HTTP API by hand; its Go module cannot be \
         fetched everywhere, so this comparison does not drive it",
    ));
    Ok(arms)
}

fn bubblewrap() -> Arm {
    let (name, covers) = ("bubblewrap", "namespaces and mounts; no control group, no limits, no measurement");
    if process::find("bwrap").is_none() {
        return Arm::missing(name, covers, "apt-get install bubblewrap");
    }
    let command = [
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/bin",
        "/bin",
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
        PROGRAM,
    ];
    Arm::process(name, covers, &command)
}

/// BenchExec's runner, contained (its own default) and bare.
fn runexec() -> [Arm; 2] {
    let contained = ("runexec", "command, container, limits, measurement");
    let bare = ("runexec --no-container", "command, control groups, measurement; no container");
    let found = benchexec("runexec").or_else(|| process::find("runexec"));
    let Some(runexec) = found else {
        let fix = "tools/install bench (BenchExec from PyPI)";
        return [contained, bare].map(|(name, covers)| Arm::missing(name, covers, fix));
    };
    let runexec = argument(&runexec);
    // Its default, an overlay over the whole root, fails where the root already is one or lies on an odd file
    // system; read-only views work everywhere and cost no more.
    let container =
        ["--read-only-dir", "/", "--hidden-dir", "/tmp", "--overlay-dir", "/home", "--dir", "/usr"];
    // It exits with 0 even if the program could not be started.
    let proof = "returnvalue=0";
    let rest = ["--output", "/dev/null", "--", PROGRAM];
    [
        Arm::process(contained.0, contained.1, &[&[runexec.as_str()], &container[..], &rest[..]].concat())
            .proven_by(proof),
        Arm::process(bare.0, bare.1, &[&[runexec.as_str(), "--no-container"], &rest[..]].concat())
            .proven_by(proof),
    ]
}

/// An OCI runtime on the smallest bundle that runs the program.
fn crun(work: &Path) -> Result<Vec<Arm>> {
    let (name, covers) = ("crun run", "OCI bundle: namespaces, mounts, control groups of its own");
    if process::find("crun").is_none() {
        return Ok(vec![Arm::missing(name, covers, "apt-get install crun")]);
    }
    let bundle = work.join("bundle");
    write_bundle(&bundle)?;
    let bundle = argument(&bundle);
    // The id may be used again: crun removes a container once it has run.
    let id = format!("tauto-bench-{}", std::process::id());
    let run = ["crun", "--cgroup-manager=cgroupfs", "run", "--bundle", &bundle, &id];
    if host::control_groups(Path::new("/sys")) != "hybrid" {
        return Ok(vec![Arm::process(name, covers, &run)]);
    }
    // crun refuses a hybrid layout, so its view of the v2 tree is taken away in a mount namespace of its own.
    let hide = "umount /sys/fs/cgroup/unified && exec \"$@\"";
    let wrapper = ["unshare", "--mount", "--", "sh", "-c", hide, "sh"];
    Ok(vec![
        Arm::process(name, &format!("{covers}; with the wrapper below"), &[&wrapper[..], &run[..]].concat()),
        Arm::process(
            "the wrapper of crun alone",
            "hides the v2 tree, which crun does not accept next to v1; subtract it",
            &[&wrapper[..], &[PROGRAM]].concat(),
        ),
    ])
}

fn write_bundle(bundle: &Path) -> Result<()> {
    let rootfs = bundle.join("rootfs");
    for directory in ["usr", "proc", "dev", "tmp"] {
        fs::create_dir_all(rootfs.join(directory))
            .with_context(|| format!("cannot make {}", rootfs.display()))?;
    }
    for link in ["bin", "lib", "lib64"] {
        std::os::unix::fs::symlink(format!("usr/{link}"), rootfs.join(link))
            .with_context(|| format!("cannot make links in {}", rootfs.display()))?;
    }
    let namespaces = ["pid", "network", "ipc", "uts", "mount"].map(|kind| json!({ "type": kind }));
    let mount = |to: &str, kind: &str, options: &[&str]| {
        let source = if kind == "none" { to } else { kind };
        json!({ "destination": to, "type": kind, "source": source, "options": options })
    };
    let config = json!({
        "ociVersion": "1.0.0",
        "process": {
            "terminal": false,
            "user": { "uid": 0, "gid": 0 },
            "args": [PROGRAM],
            "env": ["PATH=/usr/bin:/bin"],
            "cwd": "/",
            "noNewPrivileges": true
        },
        "root": { "path": "rootfs", "readonly": true },
        "mounts": [
            mount("/proc", "proc", &[]),
            mount("/dev", "tmpfs", &["nosuid", "mode=755"]),
            mount("/tmp", "tmpfs", &["nosuid", "nodev"]),
            mount("/usr", "none", &["rbind", "ro"]),
        ],
        "linux": { "namespaces": namespaces }
    });
    let path = bundle.join("config.json");
    fs::write(&path, config.to_string()).with_context(|| format!("cannot write {}", path.display()))
}

/// The contest sandbox's full cycle, as a judge uses it for each submission.
fn isolate() -> Arm {
    let (name, covers) = ("isolate", "--init, --run, --cleanup");
    if process::find("isolate").is_none() {
        return Arm::missing(
            name,
            covers,
            "build it from https://github.com/ioi/isolate, or use its authors' packages",
        );
    }
    let cycle = format!(
        "isolate --init >/dev/null && isolate --run -- {PROGRAM}; code=$?; isolate --cleanup; exit $code"
    );
    Arm::process(name, covers, &["sh", "-c", &cycle])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundle_runs_the_program_on_the_hosts_files() {
        let work = tempfile::tempdir().unwrap();
        let bundle = work.path().join("bundle");
        write_bundle(&bundle).unwrap();
        let config: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(bundle.join("config.json")).unwrap()).unwrap();
        assert_eq!(config["process"]["args"], json!([PROGRAM]));
        assert_eq!(config["mounts"][3]["source"], "/usr");
        assert_eq!(fs::read_link(bundle.join("rootfs/lib64")).unwrap(), Path::new("usr/lib64"));
    }

    #[test]
    fn every_peer_has_an_arm() {
        let work = tempfile::tempdir().unwrap();
        let arms = arms(Path::new("/nonexistent/tauto"), Path::new("/nonexistent/tauto-bench"), work.path())
            .unwrap();
        for name in [
            "plain spawn",
            COLD,
            WARM,
            "tauto, a slot",
            "tauto, the filter",
            "bubblewrap",
            "runexec",
            "crun run",
            "isolate",
            "go-judge",
        ] {
            assert!(arms.iter().any(|arm| arm.name == name), "{name}");
        }
    }
}
