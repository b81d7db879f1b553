use crate::{machine, printed};
use api::{
    BootAdvice, MachineCheckReport, MachineRestoreReport, MachineTuneReport, RestoredFile, SettingEntry,
    SettingFile, TuneStep, Unavailable,
};

fn boot() -> BootAdvice {
    BootAdvice {
        parameters: "nohz_full=1".to_owned(),
        grub: vec!["update-grub".to_owned()],
        systemd_boot: vec!["kernel-install add".to_owned()],
    }
}

#[test]
fn check() {
    let report = MachineCheckReport {
        status: "caution".to_owned(),
        machine: machine(),
        timed_cpus: Some("1".to_owned()),
        housekeeping_cpus: None,
        settings: vec![SettingEntry {
            id: "autogroup".to_owned(),
            name: "autogroup".to_owned(),
            group: "scheduler".to_owned(),
            status: "caution".to_owned(),
            found: "on".to_owned(),
            effect: "sessions share".to_owned(),
            source: "sched(7)".to_owned(),
            here: None,
            cost: "none".to_owned(),
            mend: Some("sysctl -w kernel.sched_autogroup_enabled=0".to_owned()),
            mended_by: Some("now".to_owned()),
            files: vec![SettingFile {
                path: "/proc/sys/kernel/sched_autogroup_enabled".to_owned(),
                value: Some("1".to_owned()),
                unavailable: None,
            }],
        }],
        boot: Some(boot()),
        firmware: vec!["turbo: off".to_owned()],
        unavailable: Unavailable::from([("housekeeping_cpus".to_owned(), "one core".to_owned())]),
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn tune() {
    let step = |outcome: Option<&str>, detail: Option<&str>| TuneStep {
        setting: "autogroup".to_owned(),
        path: "/proc/sys/kernel/sched_autogroup_enabled".to_owned(),
        before: "1".to_owned(),
        value: "0".to_owned(),
        why: "sessions share".to_owned(),
        outcome: outcome.map(str::to_owned),
        detail: detail.map(str::to_owned),
    };
    let report = MachineTuneReport {
        dry_run: false,
        steps: vec![
            step(Some("applied"), None),
            step(Some("refused"), Some("Invalid argument")),
            step(None, None),
        ],
        boot: None,
        firmware: Vec::new(),
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn restore() {
    let report = MachineRestoreReport {
        complete: false,
        files: vec![RestoredFile {
            setting: "autogroup".to_owned(),
            path: "/proc/sys/kernel/sched_autogroup_enabled".to_owned(),
            before: "1".to_owned(),
            outcome: "changed_by_others".to_owned(),
            detail: Some("0".to_owned()),
        }],
    };
    insta::assert_snapshot!(printed(&report));
}
