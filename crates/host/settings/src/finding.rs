//! The finding about one setting.

use super::{Aim, Snapshot};
use crate::snapshot::RawValue;
use model::Reading;
use std::fmt;
use system::Status;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its id on the command line and in documents.
    pub id: &'static str,
    pub name: &'static str,
    pub group: Group,
    pub status: Status,
    /// What was found, or why it could not be determined.
    pub found: String,
    pub raw: Vec<RawValue>,
    pub effect: &'static str,
    pub source: &'static str,
    pub here: Option<String>,
    pub cost: &'static str,
    pub fix: Option<String>,
    pub remedy: Remedy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Processors: frequency, idle states, isolation.
    Cpu,
    Interrupts,
    Memory,
    Scheduler,
    Kernel,
    /// The layer below a virtual machine.
    Hypervisor,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: String,
    pub before: String,
    /// The value that restores the present state.
    pub write_back: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// There is nothing to fix, or no way to fix it.
    Nothing,
    /// Values that can be written now and restored.
    Write(Vec<Change>),
    /// The same, but with a cost, so only on request by name.
    WriteOnRequest(Vec<Change>),
    Boot(Vec<String>),
    /// A command or an action that tauto does not take itself.
    Person(String),
}

pub(super) struct View<'s> {
    pub(super) snapshot: &'s Snapshot,
    pub(super) aim: &'s Reading<Aim>,
}

pub(super) struct Finding {
    pub(super) status: Status,
    pub(super) found: String,
    pub(super) here: Option<String>,
    pub(super) remedy: Remedy,
}

impl Group {
    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Interrupts => "interrupts",
            Self::Memory => "memory",
            Self::Scheduler => "scheduler",
            Self::Kernel => "kernel",
            Self::Hypervisor => "hypervisor",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cpu => "CPU",
            Self::Interrupts => "Interrupts",
            Self::Memory => "Memory",
            Self::Scheduler => "Scheduler",
            Self::Kernel => "Kernel build",
            Self::Hypervisor => "Hypervisor",
        })
    }
}

impl Setting {
    /// Returns how it can be fixed: `now`, `request`, `boot` or `person`; `None` if there is nothing to fix.
    pub fn fixed_by(&self) -> Option<&'static str> {
        match self.remedy {
            Remedy::Nothing => None,
            Remedy::Write(_) => Some("now"),
            Remedy::WriteOnRequest(_) => Some("request"),
            Remedy::Boot(_) => Some("boot"),
            Remedy::Person(_) => Some("person"),
        }
    }
}

impl Finding {
    pub(super) fn new(status: Status, found: impl Into<String>) -> Self {
        Self { status, found: found.into(), here: None, remedy: Remedy::Nothing }
    }

    pub(super) fn pass(found: impl Into<String>) -> Self {
        Self::new(Status::Pass, found)
    }

    pub(super) fn caution(found: impl Into<String>) -> Self {
        Self::new(Status::Caution, found)
    }

    /// Passes if the finding is good.
    pub(super) fn caution_unless(is_good: bool, found: impl Into<String>) -> Self {
        Self::new(if is_good { Status::Pass } else { Status::Caution }, found)
    }

    pub(super) fn fail(found: impl Into<String>) -> Self {
        Self::new(Status::Fail, found)
    }

    pub(super) fn unavailable(why: impl Into<String>) -> Self {
        Self::new(Status::Unavailable, why)
    }

    pub(super) fn here(mut self, here: impl Into<Option<String>>) -> Self {
        self.here = here.into();
        self
    }

    /// Adds the fix, if the setting does not pass.
    pub(super) fn remedy(mut self, remedy: Remedy) -> Self {
        let needs = matches!(self.status, Status::Caution | Status::Fail);
        let empty =
            matches!(&remedy, Remedy::Write(changes) | Remedy::WriteOnRequest(changes) if changes.is_empty());
        if needs && !empty {
            self.remedy = remedy;
        }
        self
    }

    pub(super) fn write(self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.remedy(Remedy::Write(changes.into_iter().collect()))
    }

    pub(super) fn person(self, what: impl Into<String>) -> Self {
        self.remedy(Remedy::Person(what.into()))
    }

    pub(super) fn boot(self, parameters: impl IntoIterator<Item = String>) -> Self {
        self.remedy(Remedy::Boot(parameters.into_iter().collect()))
    }
}

impl Change {
    /// Makes the change of a file that is read as it is written.
    pub(super) fn new(path: impl Into<String>, before: &str, value: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            before: before.to_owned(),
            write_back: before.to_owned(),
            value: value.into(),
        }
    }

    /// Makes the change of a file that shows all values, with the present one in brackets.
    pub(super) fn of_choice(path: &str, before: &str, present: &str, value: &str) -> Self {
        Self { write_back: present.to_owned(), ..Self::new(path, before, value) }
    }
}

impl View<'_> {
    pub(super) fn file(&self, path: &str) -> Result<&str, Finding> {
        match self.snapshot.file(path) {
            Reading::Known(text) => Ok(text),
            Reading::Unavailable(why) => Err(Finding::unavailable(why)),
        }
    }

    pub(super) fn known(&self, path: &str) -> Option<&str> {
        self.snapshot.file(path).known().copied()
    }

    /// Returns one file's content. If the kernel is readable and the file is missing, the feature does not exist, and
    /// the setting passes.
    pub(super) fn feature(&self, path: &str) -> Result<&str, Finding> {
        /// Every kernel has it: if it can be read, a missing file means a missing feature.
        const ALWAYS_THERE: &str = "/proc/sys/kernel/osrelease";
        self.file(path).map_err(|unavailable| {
            let readable = self.snapshot.file(ALWAYS_THERE).known().is_some();
            if readable && self.snapshot.is_absent(path) {
                Finding::pass("not in this kernel")
            } else {
                unavailable
            }
        })
    }

    pub(super) fn aim(&self) -> Result<&Aim, Finding> {
        known(self.aim)
    }
}

/// Returns a value, or the finding with the reason why it is not known.
pub(super) fn known<T>(reading: &Reading<T>) -> Result<&T, Finding> {
    match reading {
        Reading::Known(value) => Ok(value),
        Reading::Unavailable(why) => Err(Finding::unavailable(why)),
    }
}

pub(super) fn command(id: &str, reads: &[&str], remedy: &Remedy) -> Option<String> {
    match remedy {
        Remedy::Nothing => None,
        Remedy::Person(what) => Some(what.clone()),
        Remedy::Boot(parameters) => Some(format!("boot with: {}", parameters.join(" "))),
        Remedy::Write(changes) | Remedy::WriteOnRequest(changes) => Some(match &changes[..] {
            [change] => echo(change),
            changes => loop_over(reads, changes)
                .unwrap_or_else(|| format!("tauto machine tune --only {id}  ({} files)", changes.len())),
        }),
    }
}

fn echo(change: &Change) -> String {
    match change.path.strip_prefix("/proc/sys/") {
        Some(name) => format!("sysctl -w {}={}", name.replace('/', "."), change.value),
        None => format!("echo {} > {}", change.value, change.path),
    }
}

/// Makes a loop if all files get the same value and one pattern names them all.
fn loop_over(reads: &[&str], changes: &[Change]) -> Option<String> {
    let value = &changes.first()?.value;
    let pattern = reads.iter().find(|pattern| {
        changes
            .iter()
            .all(|change| change.value == *value && super::text::path_matches(pattern, &change.path))
    })?;
    let glob = pattern.replace('#', "[0-9]*");
    Some(format!("for f in {glob}; do echo {value} > $f; done"))
}

pub(crate) struct Entry {
    /// Its id on the command line and in documents; it does not change between versions.
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) effect: &'static str,
    /// The source: a page of the kernel's documentation, or a measurement.
    pub(crate) source: &'static str,
    pub(crate) cost: &'static str,
    /// The files on which the decision depends; `#` stands for a number, `*` for any part of a name.
    pub(crate) reads: &'static [&'static str],
    /// The decision; an error is a decision that was reached early.
    pub(crate) judge: fn(&View<'_>) -> Result<Finding, Finding>,
}

/// Reads a number from a file, or returns the finding that it is not one.
pub(super) fn number(path: &str, text: &str) -> Result<i64, Finding> {
    text.parse().map_err(|_| {
        Finding::unavailable(format!("{path} holds '{}', not a number", system::files::cut(text)))
    })
}
