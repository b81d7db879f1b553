//! `tauto machine topology` on recorded machines. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::tauto;
use common::{document, put, refused, text};
use documents::TopologyReport;
use std::path::{Path, PathBuf};
use std::process::Output;

const RECORDINGS: [&str; 3] = ["firecracker-2c", "qemu-2p2n2c2t", "qemu-2p2n2c2t-cpuset-offline"];

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/topology").join(format!("{name}.tar.gz"))
}

fn topology(folder: &Path, arguments: &[&str]) -> Output {
    tauto(folder, &[&["machine", "topology"], arguments].concat())
}

/// Copies a recording to a short path, and shows it.
fn shown(name: &str, arguments: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(recording(name), folder.path().join("m.tar.gz")).unwrap();
    let output = topology(folder.path(), &[&["--from", "m.tar.gz"], arguments].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    (folder, text(&output.stdout))
}

#[test]
fn a_small_virtual_machine() {
    insta::assert_snapshot!(shown("firecracker-2c", &[]).1, @r#"
    m.tar.gz: 1 package, 1 NUMA node, 1 L3 cache, 2 cores, 2 CPUs (no SMT)

                   CPUs     memory   L3 cache  cores
    ──────────────────────────────────────────────────
    package 0      0-1
    └ NUMA node 0  0-1   23.59 GiB
      └ L3 0       0-1              300.0 MiB  2 cores
    "#);
}

#[test]
fn two_packages_with_siblings() {
    insta::assert_snapshot!(shown("qemu-2p2n2c2t", &[]).1, @r#"
    m.tar.gz: 2 packages, 2 NUMA nodes, 2 L3 caches, 4 cores, 8 CPUs (SMT 2)

                   CPUs      memory  L3 cache  cores
    ───────────────────────────────────────────────────────────
    package 0      0-3
    └ NUMA node 0  0-3    974.2 MiB
      └ L3 0       0-3               16.0 MiB  2 cores: 0-1 2-3
    package 1      4-7
    └ NUMA node 1  4-7   1006.7 MiB
      └ L3 1       4-7               16.0 MiB  2 cores: 4-5 6-7

    distance between NUMA nodes: 20, where 10 is local
    "#);
}

#[test]
fn a_cpu_is_off_and_a_group_limits() {
    insta::assert_snapshot!(shown("qemu-2p2n2c2t-cpuset-offline", &[]).1, @r#"
    m.tar.gz: 2 packages, 2 NUMA nodes, 2 L3 caches, 4 cores, 7 CPUs (SMT 1 to 2), 1 offline

                   CPUs       memory  L3 cache  cores
    ────────────────────────────────────────────────────────────
    package 0      0-3
    └ NUMA node 0  0-3     974.2 MiB
      └ L3 0       0-3                16.0 MiB  2 cores: 0-1 2-3
    package 1      4,6-7
    └ NUMA node 1  4,6-7  1006.7 MiB
      └ L3 1       4,6-7              16.0 MiB  2 cores: 4 6-7

    offline            CPU 5
    allowed            CPUs 0-3; not 4,6-7
    allowed            memory of every NUMA node but 1

    distance between NUMA nodes: 20, where 10 is local
    "#);
}

#[test]
fn topology_survives_xml_and_a_second_recording() {
    for name in RECORDINGS {
        let arguments = ["--json", "--xml", "m.xml", "--svg", "m.svg", "--capture", "again"];
        let (folder, json) = shown(name, &arguments);
        let first: TopologyReport = documents::from_json(&json).unwrap();
        assert_eq!(first.source, "m.tar.gz");
        for from in ["m.xml", "again"] {
            let output = topology(folder.path(), &["--json", "--from", from]);
            let mut second: TopologyReport = document(&output);
            second.source.clone_from(&first.source);
            assert_eq!(second, first, "{name} by {from}");
        }
        let svg = std::fs::read_to_string(folder.path().join("m.svg")).unwrap();
        for cpu in &first.cpus {
            let number = cpu.os_id;
            let text = match (cpu.online, cpu.allowed) {
                (false, _) => format!(">({number})<"),
                (true, false) => format!(">×{number}<"),
                (true, true) => format!(">{number}<"),
            };
            assert!(svg.contains(&text), "{name}: {text}");
        }
    }
}

/// Firmware without a table of localities, as the kernel shows it.
#[test]
fn a_machine_that_contradicts_itself_is_shown_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        put(&folder.path().join("m/sys/devices/system"), path, text);
    };
    write("cpu/online", "0-1");
    write("node/node0/cpulist", "0-1");
    write("node/node1/cpulist", "0-1");
    let warning = "m/sys/devices/system/node/node1/cpulist names CPUs 0-1, which NUMA node 0 has already; it is left \
                   out";
    for arguments in [["topology"].as_slice(), &["allocate", "--cpus", "1"]] {
        for more in [&[][..], &["--json"]] {
            let output = tauto(folder.path(), &[&["machine"], arguments, &["--from", "m"], more].concat());
            assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
            let text = text(&output.stdout);
            assert_eq!(text.matches(warning).count(), 1, "{arguments:?}: {text}");
        }
    }
}

#[test]
fn this_machine_has_a_topology() {
    let report: TopologyReport = document(&topology(Path::new("."), &["--json"]));
    assert!(!report.cores.is_empty() && !report.packages.is_empty() && !report.numa_nodes.is_empty());
    assert!(report.cpus.iter().filter(|cpu| cpu.online).all(|cpu| cpu.core.is_some()));
}

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("m.xml"), "<topology version=\"2.0\">\n <object type=\"PU\"/>\n</topology>")
        .unwrap();
    std::fs::write(at.join("letter.txt"), "Dear machine").unwrap();
    std::fs::create_dir_all(at.join("tree/sys/devices/system/cpu")).unwrap();
    std::fs::write(at.join("tree/sys/devices/system/cpu/online"), "0-three").unwrap();
    let recorded = recording(RECORDINGS[0]).display().to_string();
    let check = |arguments: &[&str], words: &str| {
        refused(at, &[&["machine", "topology"], arguments].concat(), words);
    };
    check(&["--from", "nowhere"], "cannot read nowhere: No such file");
    check(&["--from", "m.xml"], "m.xml, line 2: PU has no attribute 'os_index'");
    check(&["--from", "letter.txt"], "cannot read letter.txt");
    check(&["--from", "."], ". is not a recorded machine");
    check(&["--from", "tree"], "tree/sys/devices/system/cpu/online holds '0-three', expected a list of CPUs");
    check(&["--from", "tree"], "tree lists no CPU");
    check(&["--from", recorded.as_str(), "--svg", "none/m.svg"], "cannot write none/m.svg");
    check(&["--from", recorded.as_str(), "--capture", "tree"], "cannot write tree");
    std::fs::write(at.join("m.xml"), "<topology><object type=\"PU\" os_index=\"0\"/></topology>").unwrap();
    check(&["--from", "m.xml", "--capture", "copy"], "hwloc's XML does not contain");
}
