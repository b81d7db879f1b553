//! Which crate may use which, and each crate's description of itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;
use super::tree::Tree;
use xtask::process;

use crate::vm;

/// The crates that a crate may use, directly and through those.
pub const ALLOWED: &[(&str, &[&str])] = &[
    // core
    ("model", &[]),
    ("stats", &[]),
    ("located", &[]),
    ("plot", &[]),
    ("ruling", &["model", "stats"]),
    ("documents", &["located", "model", "ruling"]),
    ("allocator", &["model"]),
    // host
    ("cgroup", &["model"]),
    ("counter", &["model"]),
    ("system", &["cgroup"]),
    ("topology", &["system"]),
    ("settings", &["system"]),
    ("audit", &["system"]),
    ("cpus", &["topology", "settings", "allocator"]),
    ("sandbox", &["cgroup", "counter"]),
    ("disk", &[]),
    ("microvm", &["disk", "sandbox"]),
    ("timing", &["cpus", "microvm", "ruling"]),
    ("terminal", &["documents", "plot", "sandbox"]),
    ("host-command", &["terminal", "timing", "audit"]),
    // judging
    ("judging-steps", &["ruling", "model"]),
    ("images", &["disk", "model"]),
    ("languages", &["model"]),
    ("package", &["languages", "located"]),
    ("record", &["documents", "package", "ruling"]),
    ("statement", &["package", "sandbox"]),
    ("judge", &["package", "timing", "judging-steps", "ruling", "documents"]),
    ("judging-command", &["host-command", "images", "judge", "record", "statement"]),
    // measure
    ("noise", &["model", "stats"]),
    ("noise-probe", &["noise", "audit"]),
    ("bench", &["ruling"]),
    ("labs", &["bench", "judge", "timing", "allocator", "noise"]),
    ("measure-command", &["host-command", "judging-command", "labs", "noise-probe"]),
    // contest
    ("contest-rules", &["documents", "located", "model"]),
    ("store", &[]),
    ("follower", &[]),
    ("judgehost", &["judge", "record", "statement", "contest-rules"]),
    ("server", &["contest-rules", "documents", "package", "record", "store"]),
    ("contest-command", &["judging-command", "follower", "judgehost", "noise-probe", "server"]),
    // stream
    ("stream-rules", &["documents", "model"]),
    ("arena", &["documents", "stream-rules"]),
    ("stream-command", &["contest-command", "arena"]),
    // fleet
    ("placement", &["allocator", "located"]),
    ("simulator", &["documents", "contest-rules", "judging-steps", "noise", "ruling", "placement"]),
    ("decisions", &["simulator", "topology"]),
    ("c-interface", &["decisions"]),
    ("pools", &["model", "placement"]),
    ("operator", &["documents", "pools"]),
    ("fleet-command", &["contest-command", "operator", "simulator"]),
    // all
    ("tauto", &["measure-command", "contest-command", "stream-command", "fleet-command"]),
    ("conformance", &["tauto", "test-support"]),
    ("benchmarks", &["tauto", "test-database", "test-support", "xtask"]),
    ("test-database", &[]),
    ("test-jobs", &["judgehost"]),
    ("test-support", &[]),
    ("test-tree", &[]),
    ("uploads", &["contest-rules", "decisions", "documents", "package", "test-support"]),
    ("xtask", &["stats"]),
];
/// Pure crates: the same input yields the same bytes, so results can be replayed and simulated. Each is below a
/// `clippy.toml` that bans clocks, files and the environment.
const PURE_CRATES: &[&str] = &[
    "allocator",
    "contest-rules",
    "documents",
    "judging-steps",
    "located",
    "bench",
    "model",
    "noise",
    "placement",
    "plot",
    "pools",
    "ruling",
    "simulator",
    "stats",
    "stream-rules",
];
/// The only crates that may contain `unsafe`: they talk to the kernel, or use vector instructions.
pub const UNSAFE_CRATES: &[&str] =
    &["arena", "c-interface", "cgroup", "disk", "noise", "noise-probe", "sandbox", "stream-rules", "system"];
const FORBIDS_UNSAFE: &str = "#![forbid(unsafe_code)]";
/// External crates without IO and clock, which a pure crate may use. `rand_pcg` depends only on its seed; it cannot ask
/// the system for one. `flate2` and `minicbor` convert bytes to bytes; readers and writers come from the caller.
/// `csv` splits lines of such readers. `k8s-openapi` and `kube` have the types of Kubernetes alone, without the feature `client`. `schemars` converts types to JSON Schemas. `jiff` is there without time zones, for arithmetic with given instants.
const PURE_DEPENDENCIES: &[&str] = &[
    "crc32fast",
    "csv",
    "flate2",
    "hdrhistogram",
    "icu_collator",
    "indexmap",
    "jiff",
    "k8s-openapi",
    "kube",
    "maud",
    "minicbor",
    "num-bigint",
    "num-integer",
    "num-traits",
    "postcard",
    "rand_core",
    "rand_pcg",
    "rayon",
    "schemars",
    "serde",
    "serde-saphyr",
    "serde_json",
    "serde_path_to_error",
    "sha2",
    "smol_str",
    "statrs",
    "strsim",
    "thiserror",
    "unicode-width",
    "utoipa",
];
const PACKAGE_PREFIX: &str = "tautochrone-";

/// A crate of the workspace, as far as the rules are concerned.
#[derive(Debug, Deserialize)]
pub struct Member {
    #[serde(rename = "name")]
    package: String,
    description: Option<String>,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
    manifest_path: String,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `None`, `dev` or `build`.
    kind: Option<String>,
    /// The name in the crate, if another.
    rename: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Member>,
}

/// Reads the workspace's crates from cargo, with paths from the root of the tree.
pub fn members(root: &Path) -> Result<Vec<Member>> {
    let text = process::read(
        Command::new(vm::cargo()).args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root),
    )?;
    let metadata: Metadata = serde_json::from_str(&text).context("cargo metadata has an unknown form")?;
    let prefix = format!("{}/", root.display());
    let relative = |path: &str| path.strip_prefix(&prefix).unwrap_or(path).to_owned();
    let mut members = metadata.packages;
    for member in &mut members {
        member.manifest_path = relative(&member.manifest_path);
        for target in &mut member.targets {
            target.src_path = relative(&target.src_path);
        }
    }
    Ok(members)
}

pub fn roots(members: &[Member]) -> impl Iterator<Item = &str> {
    let is_root = |target: &&Target| target.kind.iter().any(|kind| matches!(kind.as_str(), "lib" | "bin"));
    members
        .iter()
        .flat_map(move |member| member.targets.iter().filter(is_root))
        .map(|target| target.src_path.as_str())
}

impl Member {
    fn name(&self) -> &str {
        short(&self.package)
    }
}

fn short(package: &str) -> &str {
    package.strip_prefix(PACKAGE_PREFIX).unwrap_or(package)
}

pub fn check_edges(tree: &Tree, members: &[Member]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours: BTreeSet<&str> = members.iter().map(|member| member.package.as_str()).collect();
    for member in members {
        let (name, manifest) = (member.name(), member.manifest_path.as_str());
        let Some(allowed) = may_use(name) else {
            findings.push(Finding::error(
                manifest,
                1,
                format!("the crate `{name}` is not in the table of crates"),
                "add it to ALLOWED in xtask/src/tidy/crates.rs with what it may use, and to the architecture page",
            ));
            continue;
        };
        // Tests may use any crate: they are not part of what depends on this one.
        for dependency in
            member.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev"))
        {
            let used = short(&dependency.name);
            let line = manifest_line(tree, manifest, &dependency.name);
            if ours.contains(dependency.name.as_str()) {
                if !allowed.contains(used) {
                    findings.push(Finding::error(
                        manifest,
                        line,
                        format!("`{name}` may not use `{used}`"),
                        format!(
                            "move the shared part to a crate that both may use; `{name}` may use: {}",
                            list(&allowed)
                        ),
                    ));
                }
            } else if PURE_CRATES.contains(&name) && !PURE_DEPENDENCIES.contains(&used) {
                findings.push(Finding::error(
                    manifest,
                    line,
                    format!("the pure crate `{name}` uses `{used}`, which is not known to be pure"),
                    "do without it, or add it to PURE_DEPENDENCIES in xtask/src/tidy/crates.rs if it does no IO",
                ));
            }
        }
    }
    findings
}

/// Returns the table's entry with everything that follows from it; `None` for a crate that is not in the table.
fn may_use(name: &str) -> Option<BTreeSet<&'static str>> {
    let direct = |name: &str| ALLOWED.iter().find(|(known, _)| *known == name).map(|(_, allowed)| *allowed);
    let mut open: Vec<&str> = direct(name)?.to_vec();
    let mut allowed = BTreeSet::new();
    while let Some(next) = open.pop() {
        if allowed.insert(next) {
            open.extend(direct(next).unwrap_or_default());
        }
    }
    Some(allowed)
}

fn list(names: &BTreeSet<&str>) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.iter().copied().collect::<Vec<_>>().join(", ") }
}

/// Where a manifest names a dependency.
fn manifest_line(tree: &Tree, manifest: &str, dependency: &str) -> usize {
    let names = |line: &str| {
        let line = line.trim_start();
        let quoted = line.contains(&format!("\"{dependency}\""));
        quoted || line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    let text = tree.text(manifest).unwrap_or_default();
    let dependencies = text.lines().position(|line| line.contains("dependencies")).unwrap_or(0);
    text.lines().skip(dependencies).position(names).map_or(1, |offset| dependencies + offset + 1)
}

/// Names in code that are not their package's.
const OTHER_NAMES: &[(&str, &str)] = &[("md-5", "md5"), ("perf-event2", "perf_event")];

/// Checks that the code of a crate names what its manifest does. `cargo-machete` finds the same, but takes two minutes to
/// build on each new machine.
pub fn check_unused(tree: &Tree, members: &[Member]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members {
        let folder = member.manifest_path.strip_suffix("Cargo.toml").unwrap_or_default();
        let is_ours = |path: &str| {
            path.strip_prefix(folder).is_some_and(|rest| {
                let first = rest.split('/').next().unwrap_or_default();
                rest.ends_with(".rs")
                    && matches!(first, "src" | "tests" | "benches" | "examples" | "build.rs")
            })
        };
        let texts: Vec<&str> = tree.texts(is_ours).map(|(_, text)| text).collect();
        for dependency in &member.dependencies {
            let other = OTHER_NAMES.iter().find(|(package, _)| *package == dependency.name);
            let name = dependency.rename.as_deref().or(other.map(|(_, name)| *name));
            let name = name.unwrap_or(short(&dependency.name)).replace('-', "_");
            if !texts.iter().any(|text| has_word(text, &name)) {
                findings.push(Finding::error(
                    &member.manifest_path,
                    manifest_line(tree, &member.manifest_path, &dependency.name),
                    format!("nothing of `{}` uses `{name}`", member.name()),
                    "remove the dependency, or add its name in code to OTHER_NAMES in xtask/src/tidy/crates.rs",
                ));
            }
        }
    }
    findings
}

fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// Checks that every crate has a description in its manifest and at its top.
pub fn check_descriptions(tree: &Tree, members: &[Member]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members {
        if member.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
            findings.push(Finding::error(
                &member.manifest_path,
                1,
                format!("the crate `{}` has no description", member.name()),
                "add `description = \"...\"`, one sentence, to [package]",
            ));
        }
        let rooms = member
            .targets
            .iter()
            .filter(|target| target.kind.iter().any(|kind| kind == "lib" || kind == "bin"));
        for target in rooms {
            let text = tree.text(&target.src_path).unwrap_or_default();
            let documented =
                text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//!"));
            if !documented {
                findings.push(Finding::error(
                    &target.src_path,
                    1,
                    "the crate does not say what it is",
                    "start the file with `//! ` and a sentence",
                ));
            }
        }
    }
    findings
}

/// Checks that the compiler refuses `unsafe` in every crate that needs none.
pub fn check_unsafe(tree: &Tree, members: &[Member]) -> Vec<Finding> {
    let roots = members.iter().filter(|member| !UNSAFE_CRATES.contains(&member.name())).flat_map(|member| {
        member.targets.iter().filter(|target| target.kind.iter().any(|kind| kind == "lib" || kind == "bin"))
    });
    roots
        .filter(|root| !tree.text(&root.src_path).unwrap_or_default().contains(FORBIDS_UNSAFE))
        .map(|root| {
            Finding::error(
                &root.src_path,
                1,
                "the crate may hold `unsafe`",
                format!("add `{FORBIDS_UNSAFE}`, and use a safe function of rustix or std"),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(package: &str, dependencies: &[(&str, Option<&str>)]) -> Member {
        let name = short(package);
        Member {
            package: package.to_owned(),
            description: Some("What it is.".to_owned()),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    kind: kind.map(str::to_owned),
                    rename: None,
                })
                .collect(),
            targets: vec![Target {
                kind: vec!["lib".to_owned()],
                src_path: format!("crates/{name}/src/lib.rs"),
            }],
            manifest_path: format!("crates/{name}/Cargo.toml"),
        }
    }

    fn check(dependent: Member, expect: &[&str]) {
        let others = ["model", "sandbox", "judge", "system", "allocator"];
        let mut members: Vec<Member> =
            others.iter().map(|name| member(&format!("tautochrone-{name}"), &[])).collect();
        members.push(dependent);
        let found: Vec<String> =
            check_edges(&Tree::default(), &members).into_iter().map(|finding| finding.text).collect();
        assert_eq!(found.len(), expect.len(), "{found:?}");
        assert!(found.iter().zip(expect).all(|(text, part)| text.contains(part)), "{found:?}");
    }

    #[test]
    fn edges_follow_the_table() {
        check(member("tautochrone-labs", &[("tautochrone-judge", None), ("tokio", None)]), &[]);
        check(member("tautochrone-labs", &[("tautochrone-system", None)]), &[]);
        check(
            member("tautochrone-package", &[("tautochrone-judge", None)]),
            &["`package` may not use `judge`"],
        );
        check(member("tautochrone-package", &[("tautochrone-judge", Some("dev"))]), &[]);
        check(member("tautochrone-package", &[("tautochrone-judge", Some("build"))]), &["may not use"]);
        check(member("tautochrone-unknown", &[]), &["not in the table"]);
    }

    #[test]
    fn pure_crates_use_pure_crates_only() {
        check(member("tautochrone-stats", &[("serde", None), ("proptest", Some("dev"))]), &[]);
        check(member("tautochrone-stats", &[("rustix", None)]), &["not known to be pure"]);
    }

    #[test]
    fn the_table_names_only_crates_in_it_and_has_no_circle() {
        for (name, allowed) in ALLOWED {
            assert!(allowed.iter().all(|used| may_use(used).is_some()), "{name}");
            assert!(!may_use(name).unwrap().contains(name), "{name} may use itself");
        }
        for name in PURE_CRATES {
            let allowed = may_use(name).unwrap();
            assert!(
                allowed.iter().all(|used| PURE_CRATES.contains(used)),
                "{name} is pure but uses {allowed:?}"
            );
        }
    }

    #[test]
    fn only_listed_crates_allow_unsafe() {
        let tree = Tree::of(&[
            ("crates/allocator/src/lib.rs", "//! Safe.\n\n#![forbid(unsafe_code)]\n"),
            ("crates/model/src/lib.rs", "//! Not said.\n"),
            ("crates/system/src/lib.rs", "//! Talks to the kernel.\n"),
        ]);
        let members =
            ["allocator", "model", "system"].map(|name| member(&format!("tautochrone-{name}"), &[]));
        let found: Vec<_> = check_unsafe(&tree, &members).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["crates/model/src/lib.rs"]);
    }

    #[test]
    fn the_line_is_the_dependencys() {
        let manifest = "[package]\nname = \"tautochrone-a\"\nserde = 1\n[dependencies]\nserde_json = \"1\"\n\
                        serde.workspace = true\nmodel = { package = \"tautochrone-model\" }\n";
        let tree = Tree::of(&[("Cargo.toml", manifest)]);
        assert_eq!(manifest_line(&tree, "Cargo.toml", "serde"), 6);
        assert_eq!(manifest_line(&tree, "Cargo.toml", "tautochrone-model"), 7);
        assert_eq!(manifest_line(&tree, "Cargo.toml", "gone"), 1);
    }

    #[test]
    fn dependencies_of_a_manifest_are_used() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "use serde::Serialize;\nuse my_rustix::a;\n"),
            ("crates/a/tests/one.rs", "fn main() { md5::compute(1); tautochrone::no(); }"),
            ("crates/b/src/lib.rs", "use tokio::net;"),
        ]);
        let one = member(
            "tautochrone-a",
            &[("serde", None), ("rustix", None), ("md-5", Some("dev")), ("tokio", None)],
        );
        let found: Vec<_> = check_unused(&tree, &[one]).into_iter().map(|finding| finding.text).collect();
        assert_eq!(found, ["nothing of `a` uses `rustix`", "nothing of `a` uses `tokio`"]);
    }

    #[test]
    fn crates_have_descriptions() {
        let mut silent = member("tautochrone-silent", &[]);
        silent.description = Some(" ".to_owned());
        let tree = Tree::of(&[
            ("crates/silent/src/lib.rs", "use a;\n//! late"),
            ("crates/model/src/lib.rs", "\n//! The words."),
        ]);
        let found = check_descriptions(&tree, &[silent, member("tautochrone-model", &[])]);
        let places: Vec<_> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(places, ["crates/silent/Cargo.toml", "crates/silent/src/lib.rs"]);
    }
}
