//! Thirty statements in the manner of Kattis, Polygon and DOMjudge, in six languages: each has an `expect.txt` of texts
//! that the PDF and the page have to show. All are one problem set, so that TeX starts once.

use crate::support::{Sample, html, make, printed};
use crate::trial;
use libtest_mimic::Trial;
use statement::{Cover, Order, Output, Part, Programs};
use std::fs;
use std::path::Path;

const LEGACY: &str = "name: Chain\nlimits:\n  memory: 256\n";
const PRESENT: &str = "problem_format_version: 2025-09\nname:\n  en: Chain\nuuid: 4f0f6f2e-8c53-4e8c-9a58-2b1f3d7c9e02\n\
                       limits:\n  time_limit: 1\n  memory: 256\nconstants:\n  most: 1000\n";

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("thirty_statements_lose_nothing", thirty_statements_lose_nothing)]
}

/// Makes a package of a folder: its samples, and the rest next to the statement. Returns what has to be shown, too.
fn package(folder: &Path) -> (Sample, Vec<String>) {
    let is_legacy = folder.file_name().unwrap().to_string_lossy().starts_with("domjudge");
    let (metadata, place) = if is_legacy { (LEGACY, "problem_statement") } else { (PRESENT, "statement") };
    let mut files = Vec::new();
    let mut expected = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (name, content) = (entry.as_ref().unwrap().file_name(), fs::read(entry.unwrap().path()).unwrap());
        let name = name.to_string_lossy();
        if name == "expect.txt" {
            let text = String::from_utf8(content).unwrap();
            expected = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        } else if name.starts_with(|c: char| c.is_ascii_digit()) {
            files.push((format!("data/sample/{name}"), content));
        } else {
            files.push((format!("{place}/{name}"), content));
        }
    }
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    (Sample::of(metadata, &files), expected)
}

fn thirty_statements_lose_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/built/statements");
    let mut folders: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert_eq!(folders.len(), 30);
    let samples: Vec<_> = folders.iter().map(|folder| package(folder)).collect();
    let packages: Vec<_> = samples.iter().map(|(sample, _)| sample.open()).collect();
    let part = |(at, package)| Part { package, label: Some(format!("P{at}")), time_limit: None };
    let cover = Cover { title: "Thirty".to_owned(), has_contents: true, ..Cover::default() };
    let mut order = Order {
        parts: packages.iter().enumerate().map(part).collect(),
        language: None,
        output: Output::Pdf,
        cover: Some(cover),
        template: None,
        programs: Programs::ALL,
    };
    for output in [Output::Pdf, Output::Page] {
        order.output = output;
        let built = make(&order, None).unwrap();
        let shown = if output == Output::Pdf { printed(&built) } else { visible(&html(&built)) };
        for (folder, (_, expected)) in folders.iter().zip(&samples) {
            for text in expected {
                assert!(
                    shown.contains(&without_spaces(text)),
                    "{}: no {text} in {output:?}: {shown}",
                    folder.display()
                );
            }
        }
        assert_eq!(built.warnings, Vec::<String>::new(), "{output:?}");
    }
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the text of a page without its elements.
fn visible(page: &str) -> String {
    let parts = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text: String = parts.collect();
    without_spaces(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}
