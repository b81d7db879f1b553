//! `tauto machine allocate` on a synthetic machine. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::tauto;
use common::{document, put, text};
use std::path::Path;
use std::process::Output;

/// Writes the files of a machine of two L3 domains with two cores each and two CPUs a core.
fn machine(folder: &Path) {
    let write = |path: String, text: String| {
        put(&folder.join("machine/sys/devices/system/cpu"), path, text + "\n");
    };
    for list in ["online", "present", "possible"] {
        write(list.to_owned(), "0-7".to_owned());
    }
    for cpu in 0..8 {
        let (core, domain) = (cpu % 4, cpu % 4 / 2);
        let (first, last) = (domain * 2, domain * 2 + 1);
        for (file, text) in [
            ("topology/physical_package_id", "0".to_owned()),
            ("topology/core_id", core.to_string()),
            ("topology/thread_siblings_list", format!("{core},{}", core + 4)),
            ("topology/core_cpus_list", format!("{core},{}", core + 4)),
            ("topology/core_siblings_list", "0-7".to_owned()),
            ("topology/package_cpus_list", "0-7".to_owned()),
            ("cache/index3/level", "3".to_owned()),
            ("cache/index3/type", "Unified".to_owned()),
            ("cache/index3/size", "4096K".to_owned()),
            ("cache/index3/shared_cpu_list", format!("{first}-{last},{}-{}", first + 4, last + 4)),
        ] {
            write(format!("cpu{cpu}/{file}"), text);
        }
    }
}

fn allocate(folder: &Path, arguments: &[&str]) -> Output {
    tauto(folder, &[&["machine", "allocate", "--from", "machine"], arguments].concat())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    machine(folder.path());
    folder
}

/// Returns the output, after the exit code.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = allocate(folder, arguments);
    let code = output.status.code().unwrap();
    format!("exit {code}\n{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn allocation_is_explained() {
    let folder = folder();
    let printed = |arguments: &[&str]| printed(folder.path(), arguments);
    insta::assert_snapshot!(printed(&["--cpus", "2", "--leased", "db=1,5"]), @r"
    exit 0
    machine: 3 of 4 usable cores are free, 1 lease

    granted: CPUs 2-3, with 6-7 idle, memory of NUMA node 0

    - All of it is in L3 domain 1.
    - No other L3 domain had room.

    package 0, NUMA node 0 / L3 domain 0  CPUs 0-1,4-5  .a
    package 0, NUMA node 0 / L3 domain 1  CPUs 2-3,6-7  **

    A sign for each core: * granted . free
      a db: CPUs 1,5
    ");
    insta::assert_snapshot!(printed(&["--cpus", "3", "--within", "l3"]), @r"
    exit 1
    machine: 4 of 4 usable cores are free, 0 leases

    does not fit: 3 CPUs need 3 whole cores with idle siblings in one L3 domain; even if nothing were leased there would not be as many (4 usable cores).
    To fix it: request at most 2 CPUs or allow a wider part of the machine.

    package 0, NUMA node 0 / L3 domain 0  CPUs 0-1,4-5  ..
    package 0, NUMA node 0 / L3 domain 1  CPUs 2-3,6-7  ..

    A sign for each core: . free
    ");
    insta::assert_snapshot!(
        printed(&["--cpus", "2", "--within", "l3", "--leased", "a=0", "--leased", "b=2", "--defragment"]), @r"
    exit 0
    machine: 2 of 4 usable cores are free, 2 leases

    does not fit as things are: 2 CPUs need 2 whole cores with idle siblings in one L3 domain; 2 cores are free, but at most 1 CPU can be had together.
    To fix it: request at most 1 CPU, move leases together (defragment), allow a wider part of the machine or wait until 'b' (1 core) has ended.

    move  lease  from  to  how far         memory left  price
    ─────────────────────────────────────────────────────────
       1  a      0     3   same numa node          0 B      4

    1 move for 4 points; no plan has fewer moves, nor one with as many a lower price.

    granted after the moves: CPUs 0-1, with 4-5 idle, memory of NUMA node 0

    - All of it is in L3 domain 0.
    - No other L3 domain had room.

    package 0, NUMA node 0 / L3 domain 0  CPUs 0-1,4-5  **
    package 0, NUMA node 0 / L3 domain 1  CPUs 2-3,6-7  ab

    A sign for each core: * granted
      a b: CPU 2
      b a: CPU 3
    ");
    insta::assert_snapshot!(printed(&["--defragment", "--leased", "a=0,2"]), @r"
    exit 0
    machine: 2 of 4 usable cores are free, 1 lease

    move  lease  from  to   how far         memory left  price
    ──────────────────────────────────────────────────────────
       1  a      0,2   2-3  same l3 domain          0 B      1

    1 move for 1 point; each move brings a lease closer together.

    package 0, NUMA node 0 / L3 domain 0  CPUs 0-1,4-5  ..
    package 0, NUMA node 0 / L3 domain 1  CPUs 2-3,6-7  aa

    A sign for each core: . free
      a a: CPUs 2-3
    ");
}

#[test]
fn a_shared_set_is_joined() {
    let folder = folder();
    let state = r#"{ "schema": "tautochrone/leases/1", "leases": [ { "id": "pool", "cpus": "2-3",
        "shared": { "promise_percent": 150, "holders": [ { "id": "web", "cpus": 1, "weight": 300 } ] } } ] }"#;
    std::fs::write(folder.path().join("state.json"), state).unwrap();
    let join =
        |cpus: &str| printed(folder.path(), &["--state", "state.json", "--join", "pool", "--cpus", cpus]);
    insta::assert_snapshot!(join("2"), @r"
    exit 0
    machine: 2 of 4 usable cores are free, 1 lease

    granted: CPUs 2-3, with 6-7 idle, memory of NUMA node 0

    - It shares the 2 CPUs of 'pool' with 1 other, and has 0.50 of them by its weight when all want more than there is; 0 CPUs may still be promised.

    package 0, NUMA node 0 / L3 domain 0  CPUs 0-1,4-5  ..
    package 0, NUMA node 0 / L3 domain 1  CPUs 2-3,6-7  aa

    A sign for each core: . free
      a pool: CPUs 2-3
    ");
    insta::assert_snapshot!(join("3"), @r"
    exit 1
    machine: 2 of 4 usable cores are free, 1 lease

    does not fit: 3 CPUs are asked for in the shared set 'pool', and 2 are left to be promised: of its 2 CPUs 150 % may be promised and 1 CPUs are.
    To fix it: request at most 2, wait until another holder ends, or raise promise_percent.

    package 0, NUMA node 0 / L3 domain 0  CPUs 0-1,4-5  ..
    package 0, NUMA node 0 / L3 domain 1  CPUs 2-3,6-7  aa

    A sign for each core: . free
      a pool: CPUs 2-3
    ");
}

#[test]
fn svg_and_json_of_an_allocation_can_be_read() {
    let folder = folder();
    let state = r#"{ "schema": "tautochrone/leases/1", "housekeeping": "0", "leases": [ { "id": "a", "cpus": "1" } ],
        "history": [ { "at_ns": 0, "lease": "a", "cpus": "2" }, { "at_ns": 700, "lease": "a", "cpus": "1" } ] }"#;
    std::fs::write(folder.path().join("state.json"), state).unwrap();
    let output =
        allocate(folder.path(), &["--state", "state.json", "--cpus", "2", "--svg", "a.svg", "--json"]);
    let report: documents::AllocationReport = document(&output);
    assert_eq!((report.usable_cores, report.free_cores), (3, 2));
    assert_eq!(report.granted.unwrap().cpus, "2-3");
    let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    assert!(svg.matches("<title>a: ").count() == 2, "{svg}");
}

#[test]
fn wrong_input_is_reported_with_its_place() {
    let folder = folder();
    let state = |leases: &str| {
        let text = format!(r#"{{ "schema": "tautochrone/leases/1", "leases": [ {leases} ] }}"#);
        std::fs::write(folder.path().join("state.json"), text).unwrap();
        printed(folder.path(), &["--state", "state.json", "--cpus", "1"])
    };
    for (leases, expect) in [
        (r#"{ "id": "a", "cpus": "9" }"#, "leases[0] of the state is wrong: the lease 'a' names CPU 9"),
        (r#"{ "id": "a", "cpus": "x" }"#, "cpus cannot be read: 'x' in the CPU list"),
        (r#"{ "id": "a", "cpus": "1", "class": "fast" }"#, "class is 'fast'"),
        (r#"{ "id": "a", "cpus": "1", "within": "room" }"#, "within is 'room'"),
        (r#"{ "id": "a", "cpus": "1", "color": 1 }"#, "unknown field `color`"),
        (r#"{ "id": "a", "cpus": "1" }, { "id": "b", "cpus": "5" }"#, "both hold the core of CPU 5"),
    ] {
        let printed = state(leases);
        assert!(printed.starts_with("exit 2\nerror: ") && printed.contains(expect), "{leases}: {printed}");
    }
    for (arguments, expect) in [
        (&["--cpus", "1", "--kind", "fast"][..], "no kind of core 'fast'"),
        (&["--cpus", "1", "--numa-node", "4"], "no NUMA node 4"),
        (&["--cpus", "1", "--housekeeping", "8"], "the housekeeping CPU 8 is not online; online are 0-7"),
        (&["--cpus", "0"], "invalid value '0' for '--cpus <N>'"),
        (&[], "--cpus <N>"),
    ] {
        let printed = printed(folder.path(), arguments);
        assert!(
            printed.starts_with("exit 2\nerror: ") && printed.contains(expect),
            "{arguments:?}: {printed}"
        );
    }
}
