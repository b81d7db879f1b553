//! `tauto schema`: the schemas in `docs/schemas` are those of the types, and documents of commands conform to them.
//! Tests that make a sandbox need root.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{command, folder, package, sandbox_folder, tauto};
use common::{failed, text};
use documents::{DOCUMENTS, DocumentKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The command that generates `docs/schemas` from the types.
const REMEDY: &str = "cargo run -p tautochrone-tauto -- schema --all docs/schemas";

fn tree(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Returns the names of the files in a folder with their contents.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn errors(document: &Value) -> Vec<String> {
    let name = document["schema"].as_str().expect("a document names its schema");
    let kind = DocumentKind::find(name).unwrap_or_else(|| panic!("{name} is not in DOCUMENTS"));
    let schema = jsonschema::draft202012::new(kind.json_schema().as_value()).unwrap();
    schema.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Checks that a document has this schema and conforms to it.
#[track_caller]
fn follows(name: &str, text: &str) {
    let document: Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
    assert_eq!(document["schema"], DocumentKind::find(name).unwrap().schema, "{text}");
    assert_eq!(errors(&document), [""; 0], "{text}");
}

#[test]
fn the_folder_of_schemas_is_made_from_the_types() {
    let folder = folder();
    let output = tauto(folder.path(), &["schema", "--all", "made"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let made = files(&folder.path().join("made"));
    assert_eq!(made.len(), DOCUMENTS.len());
    let kept = files(&tree("docs/schemas"));
    for (name, content) in &made {
        assert!(
            kept.get(name) == Some(content),
            "docs/schemas/{name} is not made from the types; run: {REMEDY}"
        );
    }
    let old: Vec<_> = kept.keys().filter(|name| !made.contains_key(*name)).collect();
    assert!(old.is_empty(), "docs/schemas has files of documents that no longer exist: {old:?}");
}

#[test]
fn every_document_is_once_in_the_list_and_in_the_index() {
    let listed: BTreeSet<_> = DOCUMENTS.iter().map(|kind| kind.schema.to_owned()).collect();
    assert_eq!(listed.len(), DOCUMENTS.len());
    let guide = fs::read_to_string(tree("docs/json.md")).unwrap();
    for kind in DOCUMENTS {
        let row = format!("| [`{}`](schemas/{}) | {} |", kind.schema, kind.file_name(), kind.printed_by);
        assert!(guide.lines().any(|line| line.starts_with(&row)), "docs/json.md has no row {row}");
    }
}

#[test]
fn schemas_are_listed_and_printed() {
    let here = Path::new(".");
    let list = text(&tauto(here, &["schema"]).stdout);
    assert!(list.contains("tautochrone/judge/1") && list.contains("tauto judge --json\n"), "{list}");
    for name in ["judge", "judge/1", "tautochrone/judge/1"] {
        let schema: Value = serde_json::from_str(&text(&tauto(here, &["schema", name]).stdout)).unwrap();
        assert_eq!(schema["title"], "tautochrone/judge/1");
    }
    let output = tauto(here, &["schema", "juge"]);
    failed(&output, 2, "did you mean judge");
    let output = tauto(here, &["schema", "judge/99"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn schemas_are_schemas_and_refuse_other_documents() {
    let error =
        serde_json::json!({ "schema": "tautochrone/error/1", "message": "", "causes": [], "hint": null });
    for kind in DOCUMENTS {
        let schema = kind.json_schema();
        assert!(jsonschema::meta::is_valid(schema.as_value()), "{}", kind.schema);
        let is_error = jsonschema::draft202012::new(schema.as_value()).unwrap().is_valid(&error);
        assert_eq!(is_error, kind.base_name() == "error", "{}", kind.schema);
    }
    let mut lacking = error;
    lacking.as_object_mut().unwrap().remove("hint");
    assert_eq!(errors(&lacking), [": \"hint\" is a required property"]);
}

#[test]
fn examples_in_the_guide_follow_their_schemas() {
    let mut found = Vec::new();
    for guide in ["docs/json.md", "docs/allocation.md"] {
        let guide = fs::read_to_string(tree(guide)).unwrap();
        for example in guide.split("```json\n").skip(1) {
            let document: Value = serde_json::from_str(example.split("```").next().unwrap()).unwrap();
            assert_eq!(errors(&document), [""; 0], "{document}");
            found.push(document["schema"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(found, ["tautochrone/error/1", "tautochrone/leases/1"]);
}

#[test]
fn documents_of_unprivileged_commands_follow_their_schemas() {
    let folder = folder();
    let recording = tree("fixtures/topology/qemu-2p2n2c2t.tar.gz");
    let recording = recording.to_str().unwrap();
    let printed = |name: &str, arguments: &[&str]| {
        follows(name, &text(&tauto(folder.path(), &[arguments, &["--json"]].concat()).stdout));
    };
    printed("doctor", &["doctor"]);
    printed("languages", &["languages"]);
    printed("topology", &["machine", "topology"]);
    printed("topology", &["machine", "topology", "--from", recording]);
    printed("machine-check", &["machine", "check"]);
    printed("machine-tune", &["machine", "tune", "--dry-run"]);
    printed("allocation", &["machine", "allocate", "--from", recording, "--cpus", "1"]);
    printed("allocation", &["machine", "allocate", "--from", recording, "--cpus", "99"]);
    let few = ["--nodes", "1,3", "--iterations", "20"];
    printed("noise-predict", &[&["noise", "predict", "--preset", "g7"][..], &few].concat());
    printed("policies", &["policy", "list"]);
    let example = tree("docs/examples/policies/web.yaml");
    printed("policy-check", &["policy", "check", example.to_str().unwrap()]);
    fs::write(folder.path().join("wrong.yaml"), "policy: p\ncandidates: 0\n").unwrap();
    printed("policy-check", &["policy", "check", "wrong.yaml"]);
    printed("sim-import", &["sim", "generate", "--hosts", "2", "--jobs", "3", "-o", "made-up.trace"]);
    fs::write(
        folder.path().join("log.swf"),
        "; MaxProcs: 4\n1 5 -1 100 4 -1 -1 -1 960 -1 -1 1 2 -1 -1 1 -1 -1\n",
    )
    .unwrap();
    printed("sim-import", &["sim", "import", "swf", "log.swf", "-o", "log.trace"]);
    fs::write(folder.path().join("speeds.csv"), "vm_id,size,lifespan,metric,value\n1,B,short,s,9\n").unwrap();
    printed("sim-noise", &["sim", "import", "azure-noise", "speeds.csv"]);
    printed("error", &["judge", "nowhere"]);
    printed("error", &["judge"]);
}

#[test]
fn documents_of_runs_follow_their_schemas() {
    let Some(folder) = sandbox_folder() else { return };
    let here = folder.path();
    package(here);
    let output = tauto(here, &["judge", "p", "--json", "--record", "record.jsonl", "--explain", "-q"]);
    follows("judge", &text(&output.stdout));
    for line in fs::read_to_string(here.join("record.jsonl")).unwrap().lines() {
        follows("judge-record", line);
    }
    let verify = ["judge", "--verify", "record.jsonl", "--explain", "--json"];
    follows("judge-verification", &text(&tauto(here, &verify).stdout));
    for program in ["true", "false"] {
        tauto(here, &["run", "--json", "--output", "report.json", "--cpu", "10s", "--", program]);
        follows("run", &fs::read_to_string(here.join("report.json")).unwrap());
    }
    let bench = ["bench", "--wait", "-n", "2", "--vs", "false", "--ignore-failure", "--json", "--", "true"];
    follows("bench", &text(&command(here, &bench).output().unwrap().stdout));
}
