//! Pure crates see no clock, file, environment or outside randomness; `unsafe` stays in its rooms.

use std::collections::BTreeSet;

use super::Finding;
use super::scanner::{self, Token};
use super::tree::Tree;

/// Same input, same bytes: what these crates compute can be replayed and simulated.
pub const PURE_CRATES: &[&str] =
    &["api", "contest", "judging", "model", "noise", "ruling", "sched", "sim", "stats"];
/// The only places that may hold `unsafe`: they talk to the kernel, or use vector instructions.
const UNSAFE_ROOMS: &[&str] = &[
    "crates/cgroup/",
    "crates/sandbox/",
    "crates/probe/",
    "crates/noise/src/simd",
    "crates/stream/src/simd",
];

/// A path that a pure crate may not use, and what it would let in.
const BANNED_PATHS: &[(&[&str], &str)] = &[
    (&["Instant", "now"], "the clock"),
    (&["SystemTime"], "the clock"),
    (&["UNIX_EPOCH"], "the clock"),
    (&["std", "fs"], "files"),
    (&["std", "env"], "the environment"),
    (&["std", "net"], "the network"),
    (&["std", "os"], "the operating system"),
    (&["std", "process"], "other programs"),
    (&["io", "stdin"], "the terminal"),
    (&["io", "stdout"], "the terminal"),
    (&["io", "stderr"], "the terminal"),
    (&["thread", "sleep"], "the clock"),
    (&["thread", "park_timeout"], "the clock"),
    (&["RandomState"], "outside randomness"),
    (&["async"], "an async runtime"),
];
const BANNED_MACROS: &[&str] = &["print", "println", "eprint", "eprintln"];

/// Programs of contestants, which are data to us.
pub fn is_sample_program(path: &str) -> bool {
    ["/programs/", "/submissions/", "/fixtures/", "/packages/"].iter().any(|part| path.contains(part))
        || path.starts_with("problems/")
        || path.starts_with("fixtures/")
}

/// Finds what would let the outside world into a pure crate.
pub fn check_pure_crates(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in PURE_CRATES {
        let sources = format!("crates/{name}/src/");
        let in_crate = |path: &str| path.starts_with(&sources) && path.ends_with(".rs");
        let tests: BTreeSet<String> = tree
            .texts(in_crate)
            .flat_map(|(path, text)| test_files(path, &scanner::code(text).test_modules))
            .collect();
        for (path, text) in tree.texts(in_crate) {
            if tests.iter().any(|test| path == test || path.starts_with(&format!("{test}/"))) {
                continue;
            }
            for (line, what, lets_in) in impurities(&scanner::code(text).tokens) {
                findings.push(Finding::error(
                    path,
                    line,
                    format!("`{what}` lets {lets_in} into the pure crate `{name}`"),
                    "take the value as an argument, and read it in the caller",
                ));
            }
        }
    }
    findings
}

/// Files and directories that the test modules of one file may lie in.
fn test_files(path: &str, modules: &[String]) -> Vec<String> {
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.trim_end_matches(".rs");
    let home = match stem {
        "lib" | "main" | "mod" => directory.to_owned(),
        _ => format!("{directory}/{stem}"),
    };
    modules.iter().flat_map(|module| [format!("{home}/{module}.rs"), format!("{home}/{module}")]).collect()
}

fn impurities(tokens: &[Token]) -> Vec<(usize, String, &'static str)> {
    let mut found = Vec::new();
    for path in scanner::paths(tokens) {
        let segments: Vec<&str> = path.segments.iter().map(String::as_str).collect();
        let banned = BANNED_PATHS
            .iter()
            .find(|(banned, _)| segments.windows(banned.len()).any(|part| part == *banned));
        if let Some((_, lets_in)) = banned {
            found.push((path.line, segments.join("::"), *lets_in));
        }
    }
    for pair in tokens.windows(2) {
        if pair[1].text == "!" && BANNED_MACROS.contains(&pair[0].text.as_str()) {
            found.push((pair[0].line, format!("{}!", pair[0].text), "the terminal"));
        }
    }
    found
}

/// Finds `unsafe` outside the places that may hold it. Tests count: they could do as much harm.
pub fn check_unsafe(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours = |path: &str| {
        path.ends_with(".rs")
            && !is_sample_program(path)
            && !UNSAFE_ROOMS.iter().any(|room| path.starts_with(room))
    };
    for (path, text) in tree.texts(ours) {
        for token in scanner::tokens(text).iter().filter(|token| token.text == "unsafe") {
            findings.push(Finding::error(
                path,
                token.line,
                "`unsafe` outside the places that may hold it",
                format!(
                    "use a safe function of rustix or std, or move the call to one of {}",
                    UNSAFE_ROOMS.join(" ")
                ),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expect: &[(usize, &str)]) {
        let tree =
            Tree::of(&[("crates/model/src/lib.rs", source), ("crates/probe/src/lib.rs", "use std::fs;")]);
        let found = check_pure_crates(&tree);
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for (finding, (line, part)) in found.iter().zip(expect) {
            assert!(finding.line == *line && finding.text.contains(part), "{finding}");
        }
    }

    #[test]
    fn the_outside_world_is_found() {
        check(
            "use std::{fmt, fs};\nfn f() { let t = std::time::Instant::now(); }",
            &[(1, "`std::fs` lets files"), (2, "Instant::now` lets the clock")],
        );
        check(
            "use std::time::{Duration, Instant};\nfn f() -> Duration { Instant::now().elapsed() }",
            &[(2, "Instant::now")],
        );
        check(
            "fn f() { thread::sleep(d); println!(\"x\"); }\nasync fn g() {}",
            &[(1, "thread::sleep"), (2, "async"), (1, "println!")],
        );
    }

    #[test]
    fn what_only_looks_like_it_passes() {
        check(
            "//! std::fs and Instant::now\nuse std::time::{Duration, Instant};\n/* SystemTime */\n\
             const A: &str = \"std::env::var\";\nfn fs(at: Instant) -> Duration { at - at }\n\
             #[cfg(test)]\nmod tests { use std::fs; fn f() { println!(\"x\"); } }",
            &[],
        );
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_tests() {
        let tree = Tree::of(&[
            ("crates/model/src/lib.rs", "#[cfg(test)]\nmod tests;\nmod cpu;"),
            ("crates/model/src/tests.rs", "use std::fs;"),
            ("crates/model/src/tests/more.rs", "use std::fs;"),
            ("crates/model/src/cpu.rs", "#[cfg(test)]\nmod recorded;"),
            ("crates/model/src/cpu/recorded.rs", "use std::fs;"),
            ("crates/model/src/recorded.rs", "use std::fs;"),
        ]);
        let found: Vec<_> = check_pure_crates(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["crates/model/src/recorded.rs"]);
    }

    #[test]
    fn unsafe_stays_in_its_rooms() {
        let block = "fn f() {\n unsafe { g() } }";
        let tree = Tree::of(&[
            ("crates/sandbox/src/spawn.rs", block),
            ("crates/noise/src/simd.rs", block),
            ("crates/noise/src/lib.rs", block),
            ("tests/conformance/programs/rust/peek.rs", block),
            ("problems/p/submissions/accepted/a.rs", block),
            ("crates/judge/src/lib.rs", "#![deny(unsafe_code)] // unsafe\nconst A: &str = \"unsafe\";"),
        ]);
        let found: Vec<_> =
            check_unsafe(&tree).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(found, [("crates/noise/src/lib.rs".to_owned(), 2)]);
    }
}
