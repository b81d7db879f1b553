//! `tauto problem new`: the files of a package that can be verified at once.

use crate::arguments::{FirstLanguage, NewProblemArguments};
use crate::output::report;
use anyhow::Context;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{cannot, input, input_with_hint};
use terminal::{prose, visible};

const STATEMENT: &str = "\
Two numbers are given. Print their sum.

## Input

One line has two integers $a$ and $b$ ($1 \\le a, b \\le 10^9$), separated by one space.

## Output

One line with $a + b$.
";

const VALIDATOR: &str = r#"#!/usr/bin/env python3
"""Accepts one line with two integers from 1 to 10^9, without padding and with nothing after it."""
import re
import sys

NUMBER_MAX = 10**9
LINE = re.compile(rb"([1-9][0-9]*) ([1-9][0-9]*)\n")

match = LINE.fullmatch(sys.stdin.buffer.read())
if match is None:
    print("expected two positive integers, one space between them, and nothing else", file=sys.stderr)
    sys.exit(43)
if max(int(match[1]), int(match[2])) > NUMBER_MAX:
    print(f"a number is above {NUMBER_MAX}", file=sys.stderr)
    sys.exit(43)
sys.exit(42)
"#;

const SOLUTION_CPP: &str = "\
#include <iostream>

int main() {
    long long a, b;
    std::cin >> a >> b;
    std::cout << a + b << '\\n';
}
";

const SOLUTION_PYTHON: &str = "a, b = map(int, input().split())\nprint(a + b)\n";

/// Right on small numbers, wrong on large ones.
const WRONG_CPP: &str = "\
#include <cstdint>
#include <iostream>

int main() {
    std::uint32_t a, b;
    std::cin >> a >> b;
    std::cout << (a + b) % (1u << 30) << '\\n';
}
";
const WRONG_PYTHON: &str = "a, b = map(int, input().split())\nprint((a + b) % 2**30)\n";

pub fn run(arguments: &NewProblemArguments, json: bool) -> anyhow::Result<ExitCode> {
    let NewProblemArguments { name, title, language, folder } = arguments;
    // A path is its folder's.
    let (folder, name) = match name.trim_end_matches('/').rsplit_once('/') {
        Some((parent, name)) => (&folder.join(parent), name),
        None => (folder, name.as_str()),
    };
    if !contest_rules::is_id(name) {
        let error = name.parse::<contest_rules::ProblemId>().err().map(|error| error.to_string());
        return Err(input(error.unwrap_or_default()));
    }
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Err(input_with_hint(
            format!("'{name}' is not a name for a package of the format 2025-09"),
            "use small letters a-z and digits only",
        ));
    }
    let root = if folder == Path::new(".") { name.into() } else { folder.join(name) };
    if root.exists() {
        return Err(input_with_hint(
            format!("{} exists", root.display()),
            "choose another name, or remove it",
        ));
    }
    let files = files(title.as_deref().unwrap_or(name), &uuid()?, *language);
    for (path, content) in &files {
        write(&root.join(path), content)?;
    }
    let shown = root.display();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut text = format!("made {}\n", visible(&shown.to_string()));
    for path in &paths {
        text.push_str(&format!("  {path}\n"));
    }
    text.push_str(&prose("next: ", 2, &format!("edit them, then 'tauto problem verify {shown}'")));
    report(&json!({ "package": root, "files": paths }), &text, json)
}

fn files(title: &str, uuid: &str, language: FirstLanguage) -> Vec<(&'static str, String)> {
    // A title is a YAML text; JSON's quotes are YAML's.
    let title = serde_json::Value::from(title);
    let metadata = format!(
        "problem_format_version: 2025-09\ntype: pass-fail\nname:\n  en: {title}\nuuid: {uuid}\nlimits:\n  time_limit: 1\n  memory: 256\n"
    );
    let (solution, wrong) = match language {
        FirstLanguage::Cpp => (
            ("submissions/accepted/solution.cpp", SOLUTION_CPP),
            ("submissions/wrong_answer/overflow.cpp", WRONG_CPP),
        ),
        FirstLanguage::Python => (
            ("submissions/accepted/solution.py", SOLUTION_PYTHON),
            ("submissions/wrong_answer/overflow.py", WRONG_PYTHON),
        ),
    };
    let files = [
        ("statement/problem.en.md", STATEMENT),
        ("input_validators/validate.py", VALIDATOR),
        ("data/sample/1.in", "1 2\n"),
        ("data/sample/1.ans", "3\n"),
        ("data/secret/01-small.in", "17 25\n"),
        ("data/secret/01-small.ans", "42\n"),
        ("data/secret/02-largest.in", "1000000000 1000000000\n"),
        ("data/secret/02-largest.ans", "2000000000\n"),
        ("data/invalid_input/zero.in", "0 1\n"),
        ("data/invalid_input/too-large.in", "1000000001 1\n"),
        solution,
        wrong,
    ];
    let files = files.into_iter().map(|(path, content)| (path, content.to_owned()));
    std::iter::once(("problem.yaml", metadata)).chain(files).collect()
}

/// Makes a random UUID (RFC 9562, version 4).
fn uuid() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system has no random numbers")?;
    let [version, variant] = [bytes[6] & 0x0f | 0x40, bytes[8] & 0x3f | 0x80];
    (bytes[6], bytes[8]) = (version, variant);
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    Ok(parts.join("-"))
}

fn write(path: &Path, content: &str) -> anyhow::Result<()> {
    let failed = || cannot("write", path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    fs::write(path, content).with_context(failed)
}
