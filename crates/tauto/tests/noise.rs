//! `tauto noise` from end to end: a short probe of one CPU, its file, and wrong input. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::{all_refused, refused, tauto, text, words};
use serde_json::Value;
use std::process::Output;

#[track_caller]
fn value(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_probe_is_measured_kept_read_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let cpu = test_support::last_cpu().to_string();
    let on_cpu = format!("--leases leases --cpu-list {cpu}");
    let files = "-o p.noise --csv p.csv --hdr p.hlog --save --json";
    let probe = format!("noise probe {on_cpu} --seconds 3 --calls 2000 --quantum 50us {files}");
    let measured = value(&tauto(here, &words(&probe)));
    assert_eq!(measured["schema"], "tautochrone/noise-probe/1");
    let one = &measured["cpus"][0];
    assert_eq!(one["cpu"].to_string(), cpu);
    assert_eq!(one["calls"]["count"], 2000);
    let detours = &one["detours"];
    assert!(detours["watched_ns"].as_f64().unwrap() > 0.0, "{detours}");
    assert!(detours["threshold_ns"].as_f64().unwrap() >= 100.0);

    // The file contains what was measured.
    let read = value(&tauto(here, &["noise", "probe", "--from", "p.noise", "--json"]));
    assert_eq!(read, measured);
    let lines = std::fs::read_to_string(here.join("p.csv")).unwrap();
    assert_eq!(lines.lines().filter(|line| line.contains(",quantum,")).count(), 2000);
    assert_eq!(
        lines.lines().filter(|line| line.contains(",gap,")).count() as u64,
        detours["count"].as_u64().unwrap()
    );
    let log = std::fs::read_to_string(here.join("p.hlog")).unwrap();
    assert!(log.contains(&format!("Tag=cpu{cpu}-gap,")), "{log}");

    // Compared with itself there is no difference.
    let compared = value(&tauto(here, &["noise", "compare", "p.noise", "p.noise", "--json"]));
    assert!(compared["rows"].as_array().unwrap().iter().all(|row| row["significant"] == false), "{compared}");

    // The baseline is the same measurement, and any machine is within a budget of 100 %.
    let check = format!("noise check {on_cpu} --seconds 1 --budget");
    let checked = value(&tauto(here, &words(&format!("{check} 100% --json"))));
    assert_eq!(checked["cpus"][0]["baseline_share"], detours["share"]);
    let over = tauto(here, &words(&format!("{check} 0.0000001%")));
    // Hardly any machine is that quiet for a second.
    let is_over = text(&over.stdout).contains("the machine is noisier than the budget");
    assert_eq!(over.status.code(), Some(i32::from(is_over)), "{}", text(&over.stderr));

    // An incomplete file is not filled up with invented values.
    let whole = std::fs::read(here.join("p.noise")).unwrap();
    std::fs::write(here.join("half.noise"), &whole[..whole.len() / 2]).unwrap();
    refused(here, &["noise", "probe", "--from", "half.noise"], "half.noise: the file ends in the middle");
    refused(here, &["noise", "compare", "p.noise", "p.csv"], "p.csv: this is not a .noise file");
}

#[test]
fn wrong_usage_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    all_refused(
        folder.path(),
        &[
            ("noise probe --cpu-list 60000", "cannot measure CPU 60000"),
            ("noise probe -o none/p.noise", "cannot write none/p.noise"),
            ("noise probe --quantum 0", "from 1us to 1s"),
            ("noise probe --seconds 0", "0 is not in 1..=3600"),
            ("noise probe --idle --loaded", "cannot be used with"),
            ("noise probe --from p.noise --save", "cannot be used with"),
            ("noise check --budget 150%", "at most 100%"),
            ("noise compare a.noise b.noise", "cannot read a.noise"),
        ],
    );
}

#[test]
fn a_baseline_that_cannot_be_kept_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    // A file blocks the folder of baselines.
    std::fs::write(folder.path().join("state"), "").unwrap();
    // An hour, so that a command that measured first would not end.
    let output = tauto(folder.path(), &["noise", "probe", "--save", "--seconds", "3600"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("for baselines"), "{}", text(&output.stderr));
}

#[test]
fn cpus_that_others_have_are_not_measured_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (here, leases) = (folder.path(), folder.path().join("leases"));
    let cpu = test_support::last_cpu().to_string();
    let held = cpus::Registry::here_in(&leases).unwrap().take_these(&cpu.parse().unwrap()).unwrap();
    let leases = leases.to_str().unwrap();
    let run = |command: &str, more: &[&str]| {
        let usual = ["noise", command, "--leases", leases, "--cpu-list", &cpu, "--seconds", "1"];
        tauto(here, &[&usual[..], more].concat())
    };
    for (command, more) in [("probe", &["--calls", "0"][..]), ("check", &[]), ("check", &["--wait=20ms"])] {
        let refused = run(command, more);
        let stderr = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(3), "{stderr}");
        assert!(stderr.contains(&format!("{}", std::process::id())), "{stderr}");
    }
    let shared = value(&run("probe", &["--calls", "0", "--shared", "--json"]));
    let weaknesses = shared["weaknesses"].as_array().unwrap();
    let marked = |text: &&Value| text.as_str().unwrap().contains("timed runs share CPUs");
    assert_eq!(weaknesses.iter().filter(marked).count(), 1, "{weaknesses:?}");
    drop(held);
    let alone = value(&run("probe", &["--calls", "0", "--json"]));
    assert!(!alone["weaknesses"].as_array().unwrap().iter().any(|text| marked(&text)), "{alone:#}");
}
