use crate::printed;
use documents::{ErrorReport, LeasesFile, from_json};

#[test]
fn a_lease_needs_a_name_and_cpus_only() {
    let text = r#"{ "schema": "tautochrone/leases/1", "leases": [ { "id": "a", "cpus": "1" } ] }"#;
    let file: LeasesFile = from_json(text).unwrap();
    let lease = &file.leases[0];
    assert_eq!(
        (lease.class.as_str(), lease.within.as_str(), lease.neighbours_max),
        ("compute", "machine", 1)
    );
    for wrong in [r#"{ "schema": "tautochrone/leases/1" }"#, &text.replace("cpus", "cpu")] {
        assert!(from_json::<LeasesFile>(wrong).is_err(), "{wrong}");
    }
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
