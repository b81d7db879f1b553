//! Time limits that were derived on this machine, kept so that none is derived silently again.

use crate::arguments::JudgeArguments;
use crate::output::wire::machine_identity;
use anyhow::Context;
use judge::{LimitOrigin, TimeLimit};
use model::Nanos;
use package::limits::Rounding;
use package::{Package, TimeLimitRule};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A record has about one KiB; what is much larger is none.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// The record of one package on one machine.
#[derive(Debug)]
pub struct LimitStore {
    path: PathBuf,
    machine: api::MachineIdentity,
    package: api::Package,
    rule: package::TimeMargins,
    /// What is stored for this package on this machine.
    stored: Option<api::StoredLimit>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// What is told of a derived limit.
#[derive(Clone, Debug, Default)]
pub struct LimitRecord {
    /// What it follows from; none if it was not derived.
    pub derivation: Option<api::Derivation>,
    /// Whether it was derived earlier.
    pub reused: bool,
    /// The file that holds it.
    pub stored_in: Option<PathBuf>,
}

impl LimitStore {
    /// Looks for the record, if the package asks for a derived limit and `arguments` leave it to that.
    ///
    /// A limit that follows from other toolchains than the machine's own is not for other calls.
    pub fn open(
        arguments: &JudgeArguments,
        package: &Package,
        description: api::Package,
        machine: &probe::MachineIdentity,
    ) -> Option<Self> {
        let TimeLimitRule::Derive { margins } = package.time_limit else { return None };
        let is_for_this_call = arguments.root.is_some() || arguments.languages.is_some();
        if arguments.time_limit.is_some() || is_for_this_call {
            return None;
        }
        let folder = crate::state::folder()?.join("limits");
        let mut store = Self::at(&folder, description, machine_identity(machine), margins)?;
        if arguments.derive
            && let Some(before) = store.stored.take()
        {
            store.warnings.push(format!(
                "--derive replaces the limit {} that was derived at {}",
                Nanos(before.limit_ns),
                before.derivation.derived_at
            ));
        }
        Some(store)
    }

    fn at(
        folder: &Path,
        package: api::Package,
        machine: api::MachineIdentity,
        rule: package::TimeMargins,
    ) -> Option<Self> {
        let hash = package.hash.clone()?;
        let path = folder.join(format!("{hash}.{}.json", machine.hash));
        let mut store = Self { path, machine, package, rule, stored: None, warnings: Vec::new() };
        match read(&store.path) {
            Ok(stored) => store.stored = stored,
            Err(error) => {
                store.warnings.push(format!("the stored time limit is not used and derived anew: {error:#}"));
            }
        }
        if store.stored.is_none()
            && let Some(other) = of_another_machine(folder, &hash)
        {
            let kind = other.machine.cpu_model.as_deref().unwrap_or("of an unknown model");
            let kernel = other.machine.kernel.as_deref().unwrap_or("unknown");
            store.warnings.push(format!(
                "the stored time limit {} was derived on another machine ({kind}, kernel {kernel}), so it is derived \
                 anew on this one",
                Nanos(other.limit_ns)
            ));
        }
        Some(store)
    }

    /// Gives the stored limit.
    pub fn limit(&self) -> Option<TimeLimit> {
        let api::StoredLimit { limit_ns, derivation, .. } = self.stored.as_ref()?;
        let origin = LimitOrigin::Stored {
            submission: derivation.slowest_submission.clone(),
            time: Nanos(derivation.slowest_cpu_time_ns),
            when: format!("at {}", derivation.derived_at),
        };
        Some(TimeLimit { limit: Nanos(*limit_ns), origin })
    }

    /// Stores a limit that has just been derived; that this fails is no reason not to judge.
    pub fn keep(&mut self, limit: &TimeLimit, left_out: &[String]) -> LimitRecord {
        let record = |derivation: &api::Derivation, reused, path| LimitRecord {
            derivation: Some(derivation.clone()),
            reused,
            stored_in: path,
        };
        let (submission, time) = match &limit.origin {
            LimitOrigin::Derived { submission, time } => (submission, time),
            _ => match &self.stored {
                Some(stored) => return record(&stored.derivation, true, Some(self.path.clone())),
                None => return LimitRecord::default(),
            },
        };
        let derivation = derivation(&self.rule, submission, *time, left_out);
        let stored = api::StoredLimit {
            package: self.package.clone(),
            machine: self.machine.clone(),
            limit_ns: limit.limit.0,
            derivation: derivation.clone(),
        };
        match write(&self.path, &api::to_json(&stored)) {
            Ok(()) => record(&derivation, false, Some(self.path.clone())),
            Err(error) => {
                self.warnings.push(format!("the derived time limit is not stored: {error:#}"));
                record(&derivation, false, None)
            }
        }
    }
}

/// Says what a limit that has just been derived follows from.
pub fn derivation(
    rule: &package::TimeMargins,
    submission: &str,
    time: Nanos,
    left_out: &[String],
) -> api::Derivation {
    api::Derivation {
        slowest_submission: submission.to_owned(),
        slowest_cpu_time_ns: time.0,
        accepted_to_limit: rule.accepted_to_limit,
        resolution_ns: rule.resolution.0,
        rounding: match rule.rounding {
            Rounding::Up => "up",
            Rounding::Nearest => "nearest",
        }
        .to_owned(),
        left_out: left_out.to_vec(),
        derived_at: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
        tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

fn read(path: &Path) -> anyhow::Result<Option<api::StoredLimit>> {
    let failed = || format!("cannot read {}", path.display());
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.with_context(failed)?,
    };
    let mut text = String::new();
    file.take(RECORD_BYTES_MAX).read_to_string(&mut text).with_context(failed)?;
    let stored: api::StoredLimit = api::from_json(&text).with_context(failed)?;
    anyhow::ensure!(stored.limit_ns > 0, "{}: limit_ns is 0, expected a time", path.display());
    Ok(Some(stored))
}

/// Finds a record of the same package from elsewhere, such as this machine before it got another kernel.
fn of_another_machine(folder: &Path, hash: &str) -> Option<api::StoredLimit> {
    let entries = fs::read_dir(folder).ok()?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_of_package = |path: &&PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.strip_prefix(hash).is_some_and(|rest| rest.starts_with('.')))
    };
    paths.iter().filter(is_of_package).find_map(|path| read(path).ok().flatten())
}

/// Writes the whole file or nothing.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().context("the state folder has no name")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let failed = || format!("cannot write {}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)?;
    file.as_file().sync_all().with_context(failed)?;
    file.persist(path).with_context(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use package::TimeMargins;

    fn store(folder: &Path, machine: &str) -> LimitStore {
        let package = api::Package {
            name: "sum".to_owned(),
            title: None,
            format: "2025-09".to_owned(),
            path: "sum".to_owned(),
            hash: Some("cafe".to_owned()),
        };
        let machine = api::MachineIdentity {
            cpu_model: Some(format!("CPU {machine}")),
            core_count: Some(2),
            memory_bytes: None,
            kernel: Some("6.1".to_owned()),
            hypervisor: None,
            hash: machine.to_owned(),
            unavailable: Default::default(),
        };
        LimitStore::at(folder, package, machine, TimeMargins::CURRENT).unwrap()
    }

    fn derived() -> TimeLimit {
        let origin =
            LimitOrigin::Derived { submission: "accepted/a.c".to_owned(), time: Nanos::from_millis(600) };
        TimeLimit { limit: Nanos::from_millis(2000), origin }
    }

    #[test]
    fn a_limit_is_derived_once_for_each_machine() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("limits");
        let mut first = store(&folder, "one");
        assert_eq!((first.limit(), first.warnings.len()), (None, 0));
        let record = first.keep(&derived(), &["without b.py".to_owned()]);
        assert!(!record.reused && record.stored_in.is_some());

        let mut again = store(&folder, "one");
        let limit = again.limit().unwrap();
        assert_eq!(limit.limit, Nanos::from_millis(2000));
        assert!(limit.origin.to_string().ends_with("Z: accepted/a.c took 600.0 ms"), "{}", limit.origin);
        let record = again.keep(&limit, &[]);
        assert!(record.reused);
        assert_eq!(record.derivation.unwrap().left_out, ["without b.py"]);

        let other = store(&folder, "two");
        assert_eq!(other.limit(), None);
        assert_eq!(
            other.warnings,
            [
                "the stored time limit 2.000 s was derived on another machine (CPU one, kernel 6.1), so it is derived \
              anew on this one"
            ]
        );
    }

    #[test]
    fn what_is_no_record_is_told_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cafe.one.json"), "{").unwrap();
        let mut broken = store(folder.path(), "one");
        assert_eq!(broken.limit(), None);
        assert!(
            broken.warnings[0]
                .starts_with("the stored time limit is not used and derived anew: cannot read ")
        );
        broken.keep(&derived(), &[]);
        assert!(store(folder.path(), "one").limit().is_some());
    }

    #[test]
    fn a_store_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let mut store = store(&file.join("limits"), "one");
        let record = store.keep(&derived(), &[]);
        assert_eq!(record.stored_in, None);
        assert!(record.derivation.is_some());
        assert!(
            store
                .warnings
                .last()
                .unwrap()
                .starts_with("the derived time limit is not stored: cannot create ")
        );
    }
}
