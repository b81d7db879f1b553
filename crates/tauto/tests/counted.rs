//! Real runs by counted instructions. Needs root, `gcc` and `qemu-user`; without them each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/load.rs"]
mod load;

use common::real::{sandbox_folder, tauto};
use common::text;
use documents::{RunReport, RunStatus};
use load::Load;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Makes a folder with the program of `counted/program.c`.
fn folder() -> Option<TempDir> {
    let folder = sandbox_folder()?;
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counted/program.c");
    let emulator = format!("qemu-{}", std::env::consts::ARCH);
    if !test_support::needs_program(&emulator, "qemu-user") || !test_support::needs_program("gcc", "gcc") {
        return None;
    }
    let mut compiler = Command::new("gcc");
    compiler.args(["-O1", "-pthread", "-o"]).arg(folder.path().join("program")).arg(program);
    assert!(compiler.status().unwrap().success());
    Some(folder)
}

/// Runs the program by counted instructions; returns the report and what it wrote.
fn run(folder: &Path, options: &[&str], words: &[&str]) -> (RunReport, String) {
    let counted = ["run", "--json", "--output", "report.json", "--clock", "instructions"];
    let output = tauto(folder, &[&counted, options, &["--", "./program"], words].concat());
    let report = std::fs::read_to_string(folder.join("report.json"));
    let report = report.unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (documents::from_json(&report).unwrap(), text(&output.stdout).to_owned())
}

/// Runs the program to its end, within its limits; returns how many instructions it executed.
fn count(folder: &Path, words: &[&str]) -> u64 {
    let (report, _) = run(folder, &[], words);
    assert_eq!(report.status, RunStatus::Ok, "{words:?}: {report:?}");
    report.usage.instructions.unwrap()
}

#[test]
fn the_same_work_has_the_same_count_under_load() {
    let Some(folder) = folder() else { return };
    let doings = ["loop", "sort", "children", "vfork", "signals", "string", "changed-code", "clock"];
    let alone = doings.map(|doing| count(folder.path(), &[doing, "100000"]));
    let _load = Load::begin();
    for (doing, alone) in doings.iter().zip(alone) {
        for _ in 0..3 {
            assert_eq!(count(folder.path(), &[doing, "100000"]), alone, "{doing}");
        }
    }
}

/// What a program asks for that would differ is the same in every run: clocks, random numbers, addresses.
#[test]
fn a_program_sees_the_same_surroundings_in_every_run() {
    let Some(folder) = folder() else { return };
    let (first, written) = run(folder.path(), &[], &["surroundings", "1"]);
    assert!(!written.contains("LD_PRELOAD") && written.contains("PATH="), "{written}");
    for _ in 0..3 {
        let (again, same) = run(folder.path(), &[], &["surroundings", "1"]);
        assert_eq!(same, written);
        assert_eq!(again.usage.instructions, first.usage.instructions);
    }
}

/// Twice as much work has twice as many instructions, less what starts the program: nothing of it is lost.
#[test]
fn all_that_is_executed_is_counted() {
    let Some(folder) = folder() else { return };
    for (doing, each) in [
        ("loop", 1),
        // Each byte of a string instruction.
        ("string", 1),
        // In four processes, and in four threads, at the same time.
        ("children", 4),
        ("vfork", 4),
        ("threads", 4),
        ("changed-code", 1),
        ("signals", 1),
    ] {
        let [once, twice] =
            [1_000_000, 2_000_000].map(|steps| count(folder.path(), &[doing, &steps.to_string()]));
        let per_step = (twice - once) as f64 / 1e6;
        assert!(per_step >= f64::from(each), "{doing}: {per_step} instructions a step");
    }
    let count = |doing: &str, steps: &str| count(folder.path(), &[doing, steps]) as f64;
    let [once, twice, thrice] = ["1000000", "2000000", "3000000"].map(|steps| count("threads", steps));
    // They wait for each other in no fixed order, but all that they do themselves is there.
    assert!(((thrice - twice) / (twice - once) - 1.0).abs() < 0.001, "{once} {twice} {thrice}");
    // With memory that others may share, the emulator's code is for several threads before there are any.
    for doing in ["shared-memory", "shared-file"] {
        let all = count(doing, "3000000");
        assert!((all / thrice - 1.0).abs() < 0.001, "{doing}: {all} instead of {thrice}");
    }
}

#[test]
fn a_limit_is_exact() {
    let Some(folder) = folder() else { return };
    let all = count(folder.path(), &["sort", "100000"]);
    let limited = |limit: u64| {
        let (report, _) = run(folder.path(), &["--instructions", &limit.to_string()], &["sort", "100000"]);
        (report.status, report.usage.instructions)
    };
    assert_eq!(limited(all), (RunStatus::Ok, Some(all)));
    assert_eq!(limited(all - 1), (RunStatus::TimeLimitExceeded, Some(all - 1)));
    // One that does not end by itself.
    let (report, _) = run(folder.path(), &["--instructions", "100M"], &["forever", "1"]);
    assert_eq!(report.end.limit, Some(model::LimitKind::Instructions));
    assert_eq!(report.usage.instructions, Some(100_000_000));
}

#[test]
fn nothing_is_executed_uncounted() {
    let Some(folder) = folder() else { return };
    let (report, written) = run(folder.path(), &[], &["execute", "1"]);
    assert_eq!(report.status, RunStatus::Ok, "{report:?}");
    for way in ["execve", "execveat", "fexecve", "memory file", "vfork", "posix_spawn"] {
        assert!(written.contains(&format!("{way}: refused\n")), "{way}: {written}");
    }
    assert!(!written.contains("executed"), "{written}");
    // Neither the counts nor the plugin are open.
    assert!(written.contains("open: 0 1 2\n"), "{written}");
}

/// The emulator does not protect its memory, but a count that does not only grow is not believed.
#[test]
fn a_count_that_the_program_lowers_is_not_believed() {
    let Some(folder) = folder() else { return };
    let (report, written) = run(folder.path(), &[], &["lower", "1"]);
    assert_eq!((report.usage.instructions, written.as_str()), (None, ""), "{report:?}");
    let why = &report.usage.unavailable["instructions"];
    assert!(why.starts_with("they fell from "), "{why}");
}

#[test]
fn memory_is_the_programs_own() {
    let Some(folder) = folder() else { return };
    let mib = |report: &RunReport| report.usage.memory_peak_bytes.unwrap() as f64 / f64::from(1 << 20);
    let limit = &["--memory", "64MiB"][..];
    let (within, _) = run(folder.path(), limit, &["memory", "58"]);
    assert_eq!(within.status, RunStatus::Ok, "{within:?}");
    assert!((58.0..62.0).contains(&mib(&within)), "{within:?}");
    let (beyond, _) = run(folder.path(), limit, &["memory", "66"]);
    assert_eq!(beyond.status, RunStatus::MemoryLimitExceeded, "{beyond:?}");
}

#[test]
fn what_cannot_be_counted_is_refused_with_its_reason() {
    let Some(folder) = folder() else { return };
    let refused = |arguments: &[&str]| {
        let output = tauto(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr).to_owned()
    };
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/bin/sh\necho executed\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let words = refused(&["run", "--clock", "instructions", "--", "./script"]);
    assert!(words.contains("'#!'"), "{words}");
    let words = refused(&["run", "--clock", "instructions", "--", "./missing"]);
    assert!(words.contains("cannot execute './missing'"), "{words}");
    let words = refused(&["run", "--instructions", "1G", "--", "./program"]);
    assert!(words.contains("add --clock instructions"), "{words}");
}

/// Makes a package of which every case is the same, for the programs `work` of `tests/languages`.
fn work(folder: &Path, limits: &str) {
    let numbers: String = (0..500).map(|n| format!("{} {}\n", n * 7 % 501, n * n % 499)).collect();
    let mut sums: Vec<u32> = (0..500).map(|n| n * 7 % 501 + n * n % 499).collect();
    sums.sort_unstable();
    sums.dedup();
    let answer: String = sums.iter().map(|sum| format!("{sum}\n")).collect();
    std::fs::create_dir_all(folder.join("work/data/secret")).unwrap();
    std::fs::write(folder.join("work/problem.yaml"), format!("name: Work\nlimits: {{{limits}}}\n")).unwrap();
    for case in ["1", "2", "3"] {
        std::fs::write(folder.join(format!("work/data/secret/{case}.in")), &numbers).unwrap();
        std::fs::write(folder.join(format!("work/data/secret/{case}.ans")), &answer).unwrap();
    }
}

/// Judges a language's program.
fn judged(folder: &Path, id: &str, options: &[&str]) -> documents::JudgeReport {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/languages").join(id).join("work");
    let program = program.display().to_string();
    let output = tauto(folder, &[&["judge", "--json"], options, &["work", &program]].concat());
    let report = documents::from_json(&text(&output.stdout));
    report.unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// What a language's definition says about its counts holds, and a spread is shown.
#[test]
fn languages_count_as_their_definitions_say() {
    let Some(folder) = folder() else { return };
    work(folder.path(), "time_limit: 60");
    let _load = Load::begin();
    for (id, program, most) in [("python3", "python3", 0.0), ("haskell", "ghc", 0.0), ("go", "go", 1.5)] {
        if !test_support::needs_program(program, program) {
            continue;
        }
        let report = judged(folder.path(), id, &["--clock", "instructions"]);
        let judged = &report.submissions[0];
        assert_eq!(judged.verdict.0, model::Verdict::Accepted, "{id}");
        let counts: Vec<u64> = judged.runs.iter().filter_map(|run| run.instructions).collect();
        let (lowest, highest) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        let spread = (highest - lowest) as f64 / *lowest as f64 * 100.0;
        assert!(counts.len() == 3 && spread <= most, "{id}: {counts:?} are {spread} % apart");
        assert_eq!(judged.count_spread_percent, (most > 0.0).then_some(most), "{id}");
        let warned = report.warnings.iter().any(|warning| warning.contains("differ from run to run"));
        assert_eq!(warned, most > 0.0, "{id}: {:?}", report.warnings);
    }
}

/// A package's limit on instructions is exact, counts before its time limit, and means nothing by CPU time.
#[test]
fn a_package_limits_instructions() {
    let Some(folder) = folder() else { return };
    let of = |limits: &str, options: &[&str]| {
        work(folder.path(), limits);
        let report = judged(folder.path(), "c", options);
        let judged = &report.submissions[0];
        let count = judged.runs[0].instructions;
        (judged.verdict.0, count, report.time_limit.value_ns, report.time_limit.source.clone())
    };
    let counted = ["--clock", "instructions"];
    let (_, count, ..) = of("time_limit: 5", &counted);
    let count = count.unwrap();
    let source = "problem.yaml: limits.instructions";
    for (limit, verdict) in
        [(count, model::Verdict::Accepted), (count - 1, model::Verdict::TimeLimitExceeded)]
    {
        let (found, _, limit_ns, origin) = of(&format!("time_limit: 5, instructions: {limit}"), &counted);
        assert_eq!((found, limit_ns, origin.as_str()), (verdict, Some(limit), source));
    }
    let (found, _, limit_ns, _) = of("time_limit: 5, instructions: 1", &[]);
    assert_eq!((found, limit_ns), (model::Verdict::Accepted, Some(5_000_000_000)));
}

fn bench(folder: &Path, arguments: &[&str]) -> std::process::Output {
    tauto(folder, &[&["bench", "--clock"], arguments].concat())
}

#[test]
fn commands_are_compared_exactly_and_function_by_function() {
    let Some(folder) = folder() else { return };
    let export =
        ["instructions", "--show-output", "--vs", "./program sort 20000", "--export-json", "two.json"];
    let output = bench(folder.path(), &[&export[..], &["--", "./program", "sort", "10000"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = std::fs::read_to_string(folder.path().join("two.json")).unwrap();
    let report: documents::BenchCountsReport = documents::from_json(&report).unwrap();
    let counts = [0, 1].map(|at| report.results[at].count);
    for (result, words) in report.results.iter().zip(["10000", "20000"]) {
        assert_eq!(result.runs, [result.count; 2], "{result:?}");
        let all: u64 = result.functions.iter().map(|function| function.count).sum();
        assert_eq!(all, result.count, "each instruction is of a function");
        let (run, _) = run(folder.path(), &[], &["sort", words]);
        assert_eq!(run.usage.instructions, Some(result.count), "'run' counts the same");
    }
    let [found] = report.comparisons.as_slice() else { panic!("{report:?}") };
    assert_eq!((found.exact, found.ratio), (true, counts[1] as f64 / counts[0] as f64));
    // What sorts is a function of the C library or of the program, and by far the most.
    assert!(found.functions[0].after > 2 * found.functions[0].before, "{found:?}");
    // The stored file is compared with itself, and with a limit.
    let compare = |more: &[&str]| {
        tauto(folder.path(), &[&["bench", "--compare", "two.json", "two.json"], more].concat())
    };
    assert!(text(&compare(&["--fail-above", "0%"]).stdout).contains("counts as many instructions"));
    let failed = bench(
        folder.path(),
        &[
            "instructions",
            "--fail-above",
            "5%",
            "--vs",
            "./program sort 20000",
            "--",
            "./program",
            "sort",
            "10000",
        ],
    );
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
}

/// Twice as much memory misses more, and the same number of times in each run.
#[test]
fn simulated_caches_are_the_same_in_every_run() {
    let Some(folder) = folder() else { return };
    let _load = Load::begin();
    let output = bench(
        folder.path(),
        &["model", "--json", "--vs", "./program memory 2", "--", "./program", "memory", "1"],
    );
    let report: documents::BenchCountsReport = documents::from_json(&text(&output.stdout)).unwrap();
    let misses = report.results.iter().map(|result| {
        assert_eq!(result.runs, [result.count; 2], "{result:?}");
        result.misses.unwrap()
    });
    let misses: Vec<_> = misses.collect();
    let pages = |mib: u64| mib * 256;
    assert!(misses[1].last >= misses[0].last + pages(1), "{misses:?}");
    assert!(misses.iter().all(|misses| misses.last <= misses.first_data + misses.first_instructions));
}

#[test]
fn counts_and_times_are_not_compared() {
    let Some(folder) = folder() else { return };
    let measured = |clock: &str, file: &str| {
        let output = bench(
            folder.path(),
            &[clock, "-n", "2", "--export-json", file, "--", "./program", "sort", "100"],
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    measured("instructions", "counts.json");
    measured("model", "model.json");
    measured("cpu", "times.json");
    for (files, why) in [
        (["counts.json", "times.json"], "one has times and one has counts"),
        (["counts.json", "model.json"], "their counts mean different things"),
    ] {
        let output = tauto(folder.path(), &["bench", "--compare", files[0], files[1]]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}
