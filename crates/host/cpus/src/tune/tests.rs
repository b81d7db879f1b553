//! Tunes and restores a synthetic machine, with a crash at every possible place.

use super::*;
use crate::tune::record::FILE_NAME;
use model::Reading;
use proptest::prelude::*;
use settings::{Aim, Setting, Snapshot, Timing, examine};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fs, io};

const BOOT_ID: &str = "proc/sys/kernel/random/boot_id";
const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const PREFERENCE: &str = "sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference";
const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const LOWEST: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq";
const HIGHEST: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq";
const COMPACTION: &str = "proc/sys/vm/compaction_proactiveness";
const MANAGED: &str = "proc/irq/9/smp_affinity_list";
const CONTENT: &[(&str, &str)] = &[
    (BOOT_ID, "6e0d3f2c-0000-4000-8000-000000000001\n"),
    ("proc/sys/kernel/osrelease", "6.1.0\n"),
    (
        "proc/interrupts",
        "   CPU0   CPU1\n 5:  7  9  IO-APIC  5-edge  disk\n 9:  1  1  IO-APIC  9-edge  managed\n",
    ),
    ("proc/irq/default_smp_affinity", "00000000,00000003\n"),
    ("proc/irq/5/smp_affinity_list", "0-1\n"),
    (MANAGED, "0-1\n"),
    ("proc/sys/vm/stat_interval", "1\n"),
    (COMPACTION, "20\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/sys/kernel/core_pattern", "|/usr/share/apport %p\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/isolated", "\n"),
    (NO_TURBO, "0\n"),
    (LOWEST, "800000\n"),
    (HIGHEST, "3500000\n"),
    (GOVERNOR, "powersave\n"),
    (PREFERENCE, "balance_power\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
];

/// A machine made of files, and after how many writes it crashes.
struct Machine {
    top: tempfile::TempDir,
}

/// Ends a test's process, so to speak.
struct Crash;

impl Machine {
    fn new() -> Self {
        let machine = Self { top: tempfile::tempdir().unwrap() };
        for (path, content) in CONTENT {
            let place = machine.place(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, content).unwrap();
        }
        machine
    }

    fn place(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    fn roots(&self) -> Roots {
        Roots::under(self.top.path())
    }

    fn state(&self) -> PathBuf {
        self.place("run/tauto")
    }

    fn record(&self) -> PathBuf {
        self.state().join(FILE_NAME)
    }

    fn write(&self, path: &str, content: &str) {
        fs::write(self.place(path), content).unwrap();
    }

    fn content(&self) -> BTreeMap<&'static str, String> {
        let read = |path: &str| fs::read_to_string(self.place(path)).unwrap();
        CONTENT.iter().map(|(path, _)| (*path, read(path))).collect()
    }

    /// Opens the machine with a kernel that crashes before (`false`) or after its N-th write takes effect.
    fn tuner(&self, crash: Option<(usize, bool)>) -> Tuner<'_> {
        let writes = RefCell::new(0);
        let writer = move |place: &Path, value: &str| {
            *writes.borrow_mut() += 1;
            let dies = crash.filter(|(at, _)| *at == *writes.borrow());
            if dies.is_some_and(|(_, after)| !after) {
                std::panic::panic_any(Crash);
            }
            let result = self.kernel(place, value);
            if dies.is_some() {
                std::panic::panic_any(Crash);
            }
            result
        };
        Tuner::with_writer(&self.roots(), &self.state(), Box::new(writer)).unwrap()
    }

    fn kernel(&self, place: &Path, value: &str) -> io::Result<()> {
        let before = fs::read_to_string(place)?;
        let preference = self.place(PREFERENCE);
        let content = if place == self.place(MANAGED) {
            return Err(io::Error::from_raw_os_error(5));
        } else if place == preference && fs::read_to_string(self.place(GOVERNOR))?.trim() == "performance" {
            return Err(io::Error::from_raw_os_error(16));
        } else if before.contains('[') {
            let plain = before.replace(['[', ']'], "");
            if !plain.split_whitespace().any(|word| word == value) {
                return Err(io::Error::from_raw_os_error(22));
            }
            plain
                .split_whitespace()
                .map(|word| if word == value { format!("[{word}]") } else { word.to_owned() })
                .collect::<Vec<_>>()
                .join(" ")
        } else if before.contains(',') {
            format!("00000000,{:0>8}", value.rsplit(',').next().unwrap())
        } else {
            value.to_owned()
        };
        fs::write(place, content + "\n")?;
        // Like intel_pstate: without turbo the maximum frequency is lower, and no other can exceed it.
        let highest = self.place(HIGHEST);
        if place == self.place(NO_TURBO) {
            fs::write(&highest, if value == "1" { "2500000\n" } else { "3500000\n" })?;
        }
        if place == self.place(LOWEST) && value.parse::<u32>().unwrap() > 2_500_000 {
            fs::copy(&highest, place)?;
        }
        // Also like intel_pstate: this governor fixes the preference, and the other one restores it.
        if place == self.place(GOVERNOR) {
            let fixed = if value == "performance" { "performance\n" } else { "balance_power\n" };
            fs::write(preference, fixed)?;
        }
        Ok(())
    }

    fn settings(&self) -> Vec<Setting> {
        let snapshot = Snapshot::read(&self.roots(), Timing::unmeasured("a test"));
        examine(&snapshot, &Aim::choose(&snapshot, None).unwrap())
    }

    fn plan(&self) -> Plan {
        Plan::of(&self.settings(), &Selection::default()).unwrap()
    }

    fn restore(&self) -> Vec<Restoration> {
        self.tuner(None).restore(false).unwrap()
    }

    /// Applies a plan and crashes at the given place; returns whether it crashed.
    fn apply_until(&self, plan: &Plan, crash: (usize, bool)) -> bool {
        let died = catch_unwind(AssertUnwindSafe(|| self.tuner(Some(crash)).apply(plan).unwrap()));
        died.is_err_and(|cause| cause.is::<Crash>())
    }
}

/// Prevents the crashes of these tests from being printed as panics.
fn quiet_crashes() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<Crash>() {
                usual(info);
            }
        }));
    });
}

#[test]
fn the_plan_is_in_the_order_in_which_the_kernel_takes_it() {
    let machine = Machine::new();
    let changed: Vec<_> = machine
        .plan()
        .steps
        .iter()
        .map(|step| format!("{} {} -> {}", step.id, step.change.write_back, step.change.value))
        .collect();
    assert_eq!(
        changed,
        [
            "turbo 0 -> 1",
            "governor powersave -> performance",
            "energy-preference balance_power -> performance",
            "frequency-range 800000 -> 3500000",
            "irq-default-affinity 00000000,00000003 -> 1",
            "irq-affinity 0-1 -> 0",
            "irq-affinity 0-1 -> 0",
            "huge-pages always -> madvise",
            "compaction 20 -> 0",
            "statistics-interval 1 -> 10",
            "crash-helper |/usr/share/apport %p -> core",
        ]
    );
}

#[test]
fn selection_names_existing_settings() {
    let machine = Machine::new();
    let plan = |only: &[&str], except: &[&str]| {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Plan::of(&machine.settings(), &Selection { only: owned(only), except: owned(except) })
            .map(|plan| plan.steps.iter().map(|step| step.id.clone()).collect::<Vec<_>>().join(" "))
            .map_err(|error| error.to_string())
    };
    assert_eq!(plan(&["turbo", "huge-pages"], &["turbo"]).unwrap(), "huge-pages");
    assert_eq!(plan(&["address-randomisation"], &[]).unwrap(), "address-randomisation");
    assert_eq!(plan(&["swappiness"], &[]).unwrap(), "");
    assert_eq!(plan(&["turbos"], &[]).unwrap_err(), "there is no setting 'turbos'");
    assert_eq!(
        plan(&["isolated-cpus"], &[]).unwrap_err(),
        "the setting 'isolated-cpus' cannot be changed while the machine runs: boot with: \
         isolcpus=managed_irq,domain,1"
    );
}

#[test]
fn everything_is_changed_and_restored() {
    let machine = Machine::new();
    let before = machine.content();
    let plan = machine.plan();
    let outcomes = machine.tuner(None).apply(&plan).unwrap();
    for (step, outcome) in plan.steps.iter().zip(&outcomes) {
        let expected = match &step.change.path[1..] {
            PREFERENCE => Outcome::AlreadyThere,
            LOWEST => Outcome::Adjusted("2500000".to_owned()),
            MANAGED => Outcome::Refused("Input/output error".to_owned()),
            _ => Outcome::Applied,
        };
        assert_eq!(outcome, &expected, "{step:?}");
    }
    // Only refused steps remain, and repeating them changes neither the machine nor the record.
    let tuned = machine.content();
    let again = machine.plan();
    assert_eq!(again.steps.iter().map(|step| &step.change.path[1..]).collect::<Vec<_>>(), [MANAGED]);
    machine.tuner(None).apply(&again).unwrap();
    assert_eq!(machine.content(), tuned);
    let restorations = machine.restore();
    assert_eq!(restorations.len(), plan.steps.len() - 1, "{restorations:#?}");
    assert!(
        restorations.iter().all(|restoration| restoration.outcome == Restored::Back),
        "{restorations:#?}"
    );
    assert_eq!(machine.content(), before);
    assert!(!machine.record().exists());
    assert_eq!(machine.restore(), []);
}

#[test]
fn a_crash_at_any_write_is_undone() {
    quiet_crashes();
    let steps = Machine::new().plan().steps.len();
    // The preference is not written, since the governor has set it.
    for crash in (1..steps).flat_map(|at| [(at, false), (at, true)]) {
        let machine = Machine::new();
        let before = machine.content();
        assert!(machine.apply_until(&machine.plan(), crash), "{crash:?}");
        // A restoration may crash as well; the next one continues.
        for at in 1..steps {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                machine.tuner(Some((at, at % 2 == 0))).restore(false).map(|_| ())
            }));
        }
        let left: Vec<_> = machine.restore().into_iter().filter(|left| !left.outcome.is_done()).collect();
        assert!(left.is_empty(), "{crash:?}: {left:#?}");
        assert_eq!(machine.content(), before, "{crash:?}");
        assert!(!machine.record().exists(), "{crash:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Runs that crash, one after the other, with a record that each time may have lost what was not on disk.
    #[test]
    fn any_series_of_crashes_is_undone(crashes in prop::collection::vec((1usize..9, any::<bool>(), 0usize..200), 1..5)) {
        quiet_crashes();
        let machine = Machine::new();
        let before = machine.content();
        for (at, after, torn) in crashes {
            let plan = machine.plan();
            machine.apply_until(&plan, (at, after));
            // A line that was being written at the crash.
            let line = "{\"Done\":{\"path\":\"/proc/sys/vm/stat_interval\",\"holds\":\"10\"}}";
            let record = fs::OpenOptions::new().append(true).open(machine.record());
            if let Ok(mut record) = record {
                io::Write::write_all(&mut record, &line.as_bytes()[..torn.min(line.len())]).unwrap();
            }
        }
        machine.restore();
        prop_assert_eq!(machine.content(), before);
    }
}

#[test]
fn changes_by_others_are_reported_and_kept() {
    let machine = Machine::new();
    let before = machine.content();
    machine.tuner(None).apply(&machine.plan()).unwrap();
    machine.write(COMPACTION, "50\n");
    for _ in 0..2 {
        let left: Vec<_> = machine.restore().into_iter().filter(|file| !file.outcome.is_done()).collect();
        let [left] = &left[..] else { panic!("{left:?}") };
        assert_eq!(left.outcome, Restored::ChangedByOthers { now: "50".to_owned() });
        assert_eq!(fs::read_to_string(machine.place(COMPACTION)).unwrap(), "50\n");
    }
    // Tuned again and restored, the machine is as it was at first.
    machine.tuner(None).apply(&machine.plan()).unwrap();
    assert!(machine.restore().iter().all(|file| file.outcome.is_done()));
    assert_eq!(machine.content(), before);
    machine.tuner(None).apply(&machine.plan()).unwrap();
    machine.write(COMPACTION, "50\n");
    assert!(machine.tuner(None).restore(true).unwrap().iter().all(|file| file.outcome.is_done()));
    assert_eq!(machine.content(), before);
}

#[test]
fn a_device_that_is_gone_is_no_failure() {
    let machine = Machine::new();
    machine.tuner(None).apply(&machine.plan()).unwrap();
    fs::remove_file(machine.place("proc/irq/5/smp_affinity_list")).unwrap();
    let gone: Vec<_> = machine.restore().into_iter().filter(|file| file.outcome == Restored::Gone).collect();
    assert_eq!(gone.len(), 1);
    assert!(!machine.record().exists());
}

#[test]
fn record_of_an_earlier_boot_is_ignored() {
    let machine = Machine::new();
    machine.tuner(None).apply(&machine.plan()).unwrap();
    let tuned = machine.content();
    machine.write(BOOT_ID, "6e0d3f2c-0000-4000-8000-000000000002\n");
    assert_eq!(machine.restore(), []);
    assert_eq!(machine.content()[COMPACTION], tuned[COMPACTION], "nothing was written");
    assert!(!machine.record().exists());
}

#[test]
fn foreign_record_is_refused() {
    let machine = Machine::new();
    fs::create_dir_all(machine.state()).unwrap();
    let head = format!("{{\"Head\":{{\"version\":1,\"boot_id\":\"{}\"}}}}\n", CONTENT[0].1.trim());
    let step = |path: &str| {
        format!(
            "{{\"Step\":{{\"id\":\"x\",\"path\":\"{path}\",\"before\":\"0\",\"write_back\":\"0\",\"value\":\"1\"}}}}\n"
        )
    };
    for (record, expected) in [
        ("nonsense\n".to_owned(), "line 1 of the record "),
        (step("/proc/sys/vm/stat_interval"), "comes before the head"),
        (head.clone() + &step("/etc/shadow"), "names /etc/shadow, which is no setting"),
        (head.clone() + &step("/proc/sys/../../etc/shadow"), "which is no setting"),
        (head.clone() + "{\"Begun\":{\"path\":\"/sys/x\"}}\n", "names /sys/x, which no earlier line plans"),
        (head.replace("\"version\":1", "\"version\":7"), "is of version 7, this tauto knows 1"),
    ] {
        fs::write(machine.record(), &record).unwrap();
        let error = machine.tuner(None).restore(false).unwrap_err().to_string();
        assert!(error.contains(expected), "{record}: {error}");
    }
}

#[test]
fn second_tuner_is_refused() {
    let machine = Machine::new();
    let first = machine.tuner(None);
    let second = Tuner::open(&machine.roots(), &machine.state());
    assert!(matches!(second, Err(TuneError::Busy { .. })));
    drop(first);
    assert!(Tuner::open(&machine.roots(), &machine.state()).is_ok());
}

#[test]
fn without_a_boot_there_is_no_record() {
    let machine = Machine::new();
    fs::remove_file(machine.place(BOOT_ID)).unwrap();
    assert!(matches!(Tuner::open(&machine.roots(), &machine.state()), Err(TuneError::BootId { .. })));
}

#[test]
fn a_machine_that_cannot_be_read_has_an_empty_plan() {
    let top = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::read(&Roots::under(top.path()), Timing::unmeasured("a test"));
    let settings = examine(&snapshot, &Reading::unavailable("a test"));
    assert_eq!(Plan::of(&settings, &Selection::default()).unwrap(), Plan::default());
}
