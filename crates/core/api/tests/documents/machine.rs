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
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/languages/1",
      "languages": [
        {
          "id": "c",
          "name": "C",
          "extensions": [
            "c"
          ],
          "installed": true,
          "version": "12.2.0",
          "version_unavailable": null,
          "missing_program": null,
          "install": null,
          "compile": [
            [
              "/usr/bin/gcc",
              "{files}"
            ]
          ],
          "run": [
            "{binary}"
          ]
        },
        {
          "id": "lua",
          "name": "Lua",
          "extensions": [
            "lua"
          ],
          "installed": false,
          "version": null,
          "version_unavailable": "it is not installed",
          "missing_program": "/usr/bin/lua5.4",
          "install": "apt-get install lua5.4",
          "compile": [],
          "run": [
            "/usr/bin/lua5.4",
            "{mainfile}"
          ]
        }
      ]
    }
    "#);
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
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/doctor/1",
      "status": "caution",
      "machine": {
        "cpu_model": "Fast CPU",
        "core_count": 2,
        "memory_bytes": 1073741824,
        "kernel": "6.1.0",
        "hypervisor": null,
        "hash": "0123456789abcdef",
        "unavailable": {
          "hypervisor": "the firmware names no product"
        }
      },
      "checks": [
        {
          "name": "swap",
          "area": "consistency",
          "status": "caution",
          "what": "1.00 GiB",
          "why": "a program that is swapped waits for the disk",
          "mend": "swapoff -a"
        }
      ],
      "facts": [
        {
          "name": "kernel",
          "value": "6.1.0",
          "unavailable": null
        },
        {
          "name": "turbo",
          "value": null,
          "unavailable": "the hypervisor decides"
        }
      ]
    }
    "#);
}

#[test]
fn error() {
    #[derive(Debug, thiserror::Error)]
    #[error("cannot read problem.yaml")]
    struct Outer(#[source] std::io::Error);

    let cause = std::io::Error::other("it is a directory");
    let report = ErrorReport::from_error(&Outer(cause)).with_hint("give the package's folder");
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/error/1",
      "message": "cannot read problem.yaml",
      "causes": [
        "it is a directory"
      ],
      "hint": "give the package's folder"
    }
    "#);
}
