//! What a record says of its package, compared with that.

use super::*;
use crate::{PackageContent, PackageFacts, compare_packages};

fn facts() -> PackageFacts {
    PackageFacts {
        is_graded: false,
        has_checks_between_runs: false,
        cases: ["secret/1", "secret/2"].map(str::to_owned).into(),
        checks: ["secret/static validation".to_owned()].into(),
    }
}

/// Compares a record, bound again after these changes, with a package.
fn compared(changes: &[(&str, &str)], content: Result<PackageContent, String>) -> Vec<String> {
    let mut lines = written();
    for (from, to) in changes {
        assert!(lines.iter().any(|line| line.contains(from)), "{from}");
        lines.iter_mut().for_each(|line| *line = line.replace(from, to));
    }
    let bytes = rechained(&lines);
    let mut told = verify(bytes.as_slice(), "r.jsonl").unwrap();
    assert!(told.holds, "{:?}", told.findings);
    compare_packages(&mut told, bytes.as_slice(), |_| content.clone()).unwrap();
    assert_eq!(told.holds, told.findings.is_empty());
    told.findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
}

fn content(hash: char, facts: PackageFacts) -> Result<PackageContent, String> {
    Ok(PackageContent { place: "p".to_owned(), hash: hash.to_string().repeat(64), facts })
}

#[test]
fn what_a_record_says_of_its_package_is_compared_with_it() {
    assert_eq!(compared(&[], content('0', facts())), [""; 0]);
    for name in ["is_graded", "has_checks_between_runs"] {
        let flag = (&*format!("\"{name}\":false"), &*format!("\"{name}\":true"));
        assert_eq!(
            compared(&[flag], content('0', facts())),
            [format!("1: recorded is {name}: true, but of the package it is false")]
        );
    }
    let other = [("secret/2", "secret/3")];
    assert_eq!(
        compared(&other, content('0', facts())),
        [
            "3: secret/3 of a.c is no case of the package",
            "4: a.c: it is accepted, but its run of secret/2 is not recorded"
        ]
    );
    let check = [("secret/2", "secret/static validation")];
    assert_eq!(
        compared(&check, content('0', facts())),
        ["4: a.c: it is accepted, but its run of secret/2 is not recorded"]
    );
    // A selection has not all, points may do without, and a team's record does not name them.
    let selection = [other[0], ("\"is_selection\":false", "\"is_selection\":true")];
    assert_eq!(compared(&selection, content('0', facts())), ["3: secret/3 of a.c is no case of the package"]);
    let of_a_team = [other[0], ("\"name\":\"p\"", "\"name\":\"\"")];
    assert_eq!(compared(&of_a_team, content('0', facts())), [""; 0]);
    // Nothing is known of a package that has changed, or is not there.
    assert_eq!(
        compared(&other, content('1', facts())),
        ["1: the package p has another content than when it was judged"]
    );
    assert_eq!(compared(&other, Err("it is not there".to_owned())), [""; 0]);
}
