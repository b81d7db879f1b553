use crate::printed;
use api::{AllocationReport, Granted, LeasesFile, MovePlan, MoveStep, from_json};

#[test]
fn allocation() {
    let report = AllocationReport {
        machine: "this machine".to_owned(),
        usable_cores: 2,
        free_cores: 1,
        granted: Some(Granted {
            cpus: "1".to_owned(),
            idle_cpus: "3".to_owned(),
            numa_nodes: vec![0],
            part: Some("L3 domain 0".to_owned()),
            span: Some("l3_domain".to_owned()),
            shared_set: None,
            reasons: vec!["All of it is in L3 domain 0.".to_owned()],
        }),
        refused: None,
        plan: Some(MovePlan {
            moves: vec![MoveStep {
                lease: "a".to_owned(),
                from_cpus: "1".to_owned(),
                to_cpus: "0".to_owned(),
                to_idle_cpus: "2".to_owned(),
                distance: "same_l3_domain".to_owned(),
                memory_left_bytes: 0,
                price: 1,
            }],
            price: 1,
            best: true,
            moves_min: 1,
        }),
        plan_refused: None,
        leases: Vec::new(),
        warnings: Vec::new(),
    };
    insta::assert_snapshot!(printed(&report));
}

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
