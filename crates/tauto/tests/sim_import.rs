//! `tauto sim import` with files of other commands. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::{refused, tauto, text, words};
use std::fs;
use std::io::Read;
use std::path::Path;

const LOG: &str = "1 5 -1 100 4 -1 -1 -1 960 -1 -1 1 2 -1 -1 1 -1 -1\n";

/// Returns the noise of a CPU from the table of a profile: the 99th of a hundred lengths against the middle one.
fn noise_permille(table: &str) -> u64 {
    let lengths = table.lines().filter(|line| line.contains(",quantum,"));
    let mut lengths: Vec<f64> =
        lengths.map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    lengths.sort_by(f64::total_cmp);
    let half = lengths.len() / 2;
    let median = f64::midpoint(lengths[half - 1], lengths[half]);
    let high = lengths[(lengths.len() * 99).div_ceil(100) - 1];
    ((high / median - 1.0) * 1000.0).round() as u64
}

fn unpacked(path: &Path) -> String {
    let mut content = String::new();
    flate2::read::GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut content).unwrap();
    content
}

#[test]
fn hosts_get_the_noise_of_a_profile_that_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let cpu = test_support::last_cpu().to_string();
    let line = format!(
        "noise probe --leases leases --cpu-list {cpu} --seconds 1 --calls 1000 --quantum 50us -o p.noise"
    );
    let output = tauto(here, &words(&format!("{line} --csv p.csv")));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let noise = noise_permille(&fs::read_to_string(here.join("p.csv")).unwrap());

    fs::write(here.join("log.swf"), LOG).unwrap();
    let import = ["sim", "import", "swf", "log.swf", "--hosts", "5", "--noise", "p.noise", "-o", "log.trace"];
    let output = tauto(here, &import);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let trace = unpacked(&here.join("log.trace"));
    let hosts: Vec<&str> = trace.lines().filter(|line| line.starts_with("{\"host\"")).collect();
    assert_eq!(hosts.len(), 5, "{trace}");
    // The table has lengths in nanoseconds with a fraction, the profile has ticks of the processor's counter.
    let is_near = |host: &&str| {
        let figure = host.split("\"noise_permille\":").nth(1).unwrap().split(['}', ',']).next().unwrap();
        figure.parse::<u64>().unwrap().abs_diff(noise) <= 1
    };
    assert!(hosts.iter().all(is_near), "{noise}: {trace}");
}

#[test]
fn import_without_noise_or_with_too_few_nodes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("log.swf"), LOG).unwrap();
    let import = ["sim", "import", "swf", "log.swf", "--hosts", "5", "--noise", "log.swf", "-o", "log.trace"];
    refused(
        here,
        &import,
        "expected a profile as 'tauto noise probe -o FILE' writes it, or a table with the columns vm_id",
    );
    fs::write(here.join("nodes.csv"), "sn,cpu_milli,memory_mib,gpu,model\nn1,1000,1024,0,\n").unwrap();
    let columns = "name,cpu_milli,memory_mib,qos,creation_time,deletion_time,scheduled_time\n";
    fs::write(here.join("pods.csv"), columns).unwrap();
    let import = ["sim", "import", "openb", "nodes.csv", "pods.csv", "--hosts", "2", "-o", "openb.trace"];
    refused(
        here,
        &import,
        "option 'hosts': '2' nodes cannot be taken; expected 1 to 1, as many as there are",
    );
    assert!(!here.join("openb.trace").exists() && !here.join("log.trace").exists());
}

#[test]
fn folders_of_planetlab_have_a_file_for_each_day_or_for_each_machine() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let row = format!("m1{}\nm2{}\n", ",5".repeat(288), ",7".repeat(288));
    fs::create_dir(here.join("tables")).unwrap();
    for day in ["1.csv", "2.csv"] {
        fs::write(here.join("tables").join(day), &row).unwrap();
    }
    for (machine, line) in [("m1", "5\n"), ("m2", "7\n")] {
        for day in ["20110303", "20110306"] {
            fs::create_dir_all(here.join("days").join(day)).unwrap();
            fs::write(here.join("days").join(day).join(machine), line.repeat(288)).unwrap();
        }
    }
    let trace = |source: &str| {
        let output = tauto(here, &["sim", "import", "planetlab", source, "--name", "t", "-o", "a.trace"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        unpacked(&here.join("a.trace"))
    };
    let expect = trace("tables");
    assert_eq!(expect.lines().filter(|line| line.starts_with("{\"job\"")).count(), 4, "{expect}");
    assert_eq!(trace("days"), expect, "a folder of folders");
    let days = trace("days/20110303");
    assert_eq!(days.lines().filter(|line| line.starts_with("{\"job\"")).count(), 2, "{days}");
    fs::create_dir(here.join("empty")).unwrap();
    let import = ["sim", "import", "planetlab", "empty", "-o", "b.trace"];
    refused(here, &import, "'0' days cannot be used; expected 1 to 366");
}
