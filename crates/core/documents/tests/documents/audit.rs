use crate::{printed, result};
use documents::AuditReport;
use model::{
    Advice, Audit, AuditMethod, CpuId, CpuShares, Finding, Nanos, Reading, RunEnd, RunnerKind, ThreadUse,
};

fn audit() -> Audit {
    Audit {
        cpus: "1".parse().expect("a list of CPUs"),
        method: AuditMethod::Events,
        interval: Nanos(1_000),
        shares: Reading::Known(CpuShares { run: Nanos(900), others: Nanos(100), ..CpuShares::default() }),
        findings: vec![Finding {
            kind: RunnerKind::KernelThread,
            name: "kworker/1:0".to_owned(),
            number: Some(24),
            tasks: 1,
            control_group: None,
            made_by: None,
            cpus: "1".parse().expect("a list of CPUs"),
            count: 2,
            total: Reading::Known(Nanos(100)),
            longest: Reading::Known(Nanos(60)),
            taken_from_run: Reading::unavailable("counters do not tell when it ran"),
            advice: Advice { text: "move the work".to_owned(), source: "Documentation/workqueue.rst" },
        }],
        threads: vec![ThreadUse {
            thread: 77,
            name: "a.out".to_owned(),
            cpu_times: [(CpuId(0), Nanos(300)), (CpuId(1), Nanos(600))].into(),
            user_time: Reading::unavailable("events do not tell"),
            system_time: Reading::unavailable("events do not tell"),
            forced_switches: Reading::Known(2),
            voluntary_switches: Reading::Known(1),
            migrations: 1,
        }],
        lost_events: 0,
        blind_spots: vec!["what the hypervisor took cannot be seen".to_owned()],
    }
}

#[test]
fn an_audit_of_a_program() {
    let ran = result(RunEnd::Exited(0), 3);
    let report = AuditReport {
        argv: vec!["./a.out".to_owned()],
        end: Some(ran.end.into()),
        status: Some(ran.end.into()),
        usage: Some((&ran.usage).into()),
        audit: (&audit()).into(),
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn an_estimate_without_a_program() {
    let audit = Audit {
        method: AuditMethod::Estimate { why: "the tracing file system cannot be mounted".to_owned() },
        shares: Reading::unavailable("counters do not tell how the time was divided"),
        findings: vec![],
        threads: vec![],
        ..audit()
    };
    let report = AuditReport { argv: vec![], end: None, status: None, usage: None, audit: (&audit).into() };
    insta::assert_snapshot!(printed(&report));
}
