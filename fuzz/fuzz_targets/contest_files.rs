//! Files of a contest package: none panics, and what is read without an error is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

const NAMES: [&str; 9] = [
    "contest.yaml",
    "contest.json",
    "problems.yaml",
    "teams.json",
    "teams.tsv",
    "groups.tsv",
    "organizations.json",
    "accounts.yaml",
    "accounts.tsv",
];

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    let (files, findings) = contest::files::read(&BTreeMap::from([(name.to_owned(), rest.to_vec())]));
    if findings.iter().all(|finding| finding.is_warning) {
        let written = contest::files::write(&files);
        let (again, findings) = contest::files::read(&written);
        assert_eq!(findings, []);
        assert_eq!(contest::files::write(&again), written);
    }
});
