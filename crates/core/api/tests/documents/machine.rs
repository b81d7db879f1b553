use crate::{machine, printed};
use api::{DoctorCheck, DoctorReport, ErrorReport, Fact, LanguageEntry, LanguagesReport};
use model::Reading;

#[test]
fn languages() {
    let report = LanguagesReport {
        languages: vec![
            LanguageEntry {
                id: "c".to_owned(),
                name: "C".to_owned(),
                extensions: vec!["c".to_owned()],
                installed: true,
                version: Some("12.2.0".to_owned()),
                version_unavailable: None,
                missing_program: None,
                install: None,
                compile: vec![vec!["/usr/bin/gcc".to_owned(), "{files}".to_owned()]],
                run: vec!["{binary}".to_owned()],
            },
            LanguageEntry {
                id: "lua".to_owned(),
                name: "Lua".to_owned(),
                extensions: vec!["lua".to_owned()],
                installed: false,
                version: None,
                version_unavailable: Some("it is not installed".to_owned()),
                missing_program: Some("/usr/bin/lua5.4".to_owned()),
                install: Some("apt-get install lua5.4".to_owned()),
                compile: Vec::new(),
                run: vec!["/usr/bin/lua5.4".to_owned(), "{mainfile}".to_owned()],
            },
        ],
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn doctor() {
    let report = DoctorReport {
        status: "caution".to_owned(),
        machine: machine(),
        checks: vec![DoctorCheck {
            name: "swap".to_owned(),
            area: "consistency".to_owned(),
            status: "caution".to_owned(),
            what: "1.00 GiB".to_owned(),
            why: "a program that is swapped waits for the disk".to_owned(),
            mend: Some("swapoff -a".to_owned()),
        }],
        facts: vec![
            Fact::new("kernel", Reading::Known("6.1.0".to_owned())),
            Fact::new("turbo", Reading::unavailable("the hypervisor decides")),
        ],
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn error() {
    #[derive(Debug, thiserror::Error)]
    #[error("cannot read problem.yaml")]
    struct Outer(#[source] std::io::Error);

    let cause = std::io::Error::other("it is a directory");
    let report = ErrorReport::from_error(&Outer(cause)).with_hint("give the package's folder");
    insta::assert_snapshot!(printed(&report));
}
