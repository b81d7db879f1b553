//! Time limits that were derived on this machine, stored so that none is silently derived again.

use model::Nanos;
use ruling::TimeRule;
use std::fmt::Display;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A stored limit has about one KiB; a much larger file is not one.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The stored limit of one package on one machine.
#[derive(Debug)]
pub struct LimitStore {
    path: PathBuf,
    machine: documents::MachineIdentity,
    package: documents::Package,
    /// The stored limit of this package on this machine.
    stored: Option<documents::StoredLimit>,
    pub warnings: Vec<String>,
}

/// What is reported about a derived limit.
#[derive(Clone, Debug, Default)]
pub struct LimitRecord {
    /// The derivation; `None` if it was not derived.
    pub derivation: Option<documents::Derivation>,
    /// Whether it was derived by an earlier judging.
    pub reused: bool,
    /// The file that holds it.
    pub stored_in: Option<PathBuf>,
}

impl LimitRecord {
    /// Makes the document of a limit; `source` is a phrase with its origin.
    pub fn document(&self, rule: &TimeRule, source: String, counter: Option<String>) -> documents::TimeLimit {
        documents::TimeLimit {
            value_ns: Some(rule.limit.0),
            kill_limit_ns: Some(rule.kill_limit.0),
            clock: rule.clock,
            counter,
            source,
            derivation: self.derivation.clone(),
            reused: self.reused,
            stored_in: self.stored_in.as_ref().map(|path| path.display().to_string()),
        }
    }
}

impl LimitStore {
    /// Looks for a stored limit in the folder; `None` for a package whose content was not hashed.
    pub fn open(
        folder: &Path,
        package: documents::Package,
        machine: documents::MachineIdentity,
    ) -> Option<Self> {
        let hash = package.hash.clone()?;
        let path = folder.join(format!("{hash}.{}.json", machine.hash));
        let mut store = Self { path, machine, package, stored: None, warnings: Vec::new() };
        match read(&store.path) {
            Ok(stored) => store.stored = stored,
            Err(error) => {
                store.warnings.push(format!("the stored time limit is not used and derived anew: {error}"));
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

    pub fn stored(&self) -> Option<&documents::StoredLimit> {
        self.stored.as_ref()
    }

    /// Removes the stored limit, which is to be derived again, and returns it.
    pub fn forget(&mut self) -> Option<documents::StoredLimit> {
        self.stored.take()
    }

    /// Returns the origin of the stored limit.
    pub fn reused(&self) -> LimitRecord {
        match &self.stored {
            Some(stored) => LimitRecord {
                derivation: Some(stored.derivation.clone()),
                reused: true,
                stored_in: Some(self.path.clone()),
            },
            None => LimitRecord::default(),
        }
    }

    /// Stores a limit that was just derived; a failure to do so does not stop the judging.
    pub fn keep(&mut self, limit: Nanos, derivation: documents::Derivation) -> LimitRecord {
        let stored = documents::StoredLimit {
            package: self.package.clone(),
            machine: self.machine.clone(),
            limit_ns: limit.0,
            derivation: derivation.clone(),
        };
        let stored_in = match write(&self.path, &documents::to_json(&stored)) {
            Ok(()) => Some(self.path.clone()),
            Err(error) => {
                self.warnings.push(format!("the derived time limit is not stored: {error}"));
                None
            }
        };
        LimitRecord { derivation: Some(derivation), reused: false, stored_in }
    }
}

fn read(path: &Path) -> Result<Option<documents::StoredLimit>, String> {
    let failed = |error: &dyn Display| format!("cannot read {}: {error}", path.display());
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| failed(&error))?,
    };
    let mut text = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(|error| failed(&error))?;
    let stored: documents::StoredLimit = documents::from_json(&text).map_err(|error| {
        let cause = std::error::Error::source(&error).map_or_else(String::new, |cause| format!(": {cause}"));
        failed(&format!("{error}{cause}"))
    })?;
    if stored.limit_ns == 0 {
        return Err(format!("{}: limit_ns is 0, expected a time", path.display()));
    }
    Ok(Some(stored))
}

/// Finds a limit of the same package from another machine, for example from this one before a kernel update.
fn of_another_machine(folder: &Path, hash: &str) -> Option<documents::StoredLimit> {
    let entries = fs::read_dir(folder).ok()?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_of_package = |path: &&PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.strip_prefix(hash).is_some_and(|rest| rest.starts_with('.')))
    };
    paths.iter().filter(is_of_package).find_map(|path| read(path).ok().flatten())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let written = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|error| error.error)
    };
    written().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::TimeLimit;

    fn store(folder: &Path, machine: &str) -> LimitStore {
        let package = documents::Package {
            name: "sum".to_owned(),
            title: None,
            format: "2025-09".to_owned(),
            path: "sum".to_owned(),
            hash: Some("cafe".to_owned()),
            scores: None,
        };
        let machine = documents::MachineIdentity {
            cpu_model: Some(format!("CPU {machine}")),
            core_count: Some(2),
            memory_bytes: None,
            kernel: Some("6.1".to_owned()),
            hypervisor: None,
            hash: machine.to_owned(),
            unavailable: Default::default(),
        };
        LimitStore::open(folder, package, machine).unwrap()
    }

    /// Stores the derivation from one submission.
    fn keep(store: &mut LimitStore, left_out: &[String]) -> LimitRecord {
        let derivation = documents::Derivation {
            slowest_submission: "accepted/a.c".to_owned(),
            slowest_cpu_time_ns: Nanos::from_millis(600).0,
            accepted_to_limit: 2.0,
            resolution_ns: Nanos::from_millis(1000).0,
            rounding: "nearest".to_owned(),
            left_out: left_out.to_vec(),
            derived_at: "2026-01-02T03:04:05Z".to_owned(),
            tauto_version: "1.0.0".to_owned(),
        };
        store.keep(Nanos::from_millis(2000), derivation)
    }

    #[test]
    fn a_limit_is_derived_once_for_each_machine() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("limits");
        let mut first = store(&folder, "one");
        assert_eq!((first.stored(), first.warnings.len()), (None, 0));
        let record = keep(&mut first, &["without b.py".to_owned()]);
        assert!(!record.reused && record.stored_in.is_some());

        let again = store(&folder, "one");
        let limit = TimeLimit::from(again.stored().unwrap());
        assert_eq!(limit.limit, Nanos::from_millis(2000));
        assert!(limit.origin.to_string().ends_with("Z: accepted/a.c took 600.0 ms"), "{}", limit.origin);
        let record = again.reused();
        assert!(record.reused);
        assert_eq!(record.derivation.unwrap().left_out, ["without b.py"]);

        let other = store(&folder, "two");
        assert_eq!(other.stored(), None);
        assert_eq!(
            other.warnings,
            [
                "the stored time limit 2.000 s was derived on another machine (CPU one, kernel 6.1), so it is derived \
              anew on this one"
            ]
        );
    }

    #[test]
    fn malformed_stored_limits_are_reported_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cafe.one.json"), "{").unwrap();
        let mut broken = store(folder.path(), "one");
        assert_eq!(broken.stored(), None);
        let (start, end) = (
            "the stored time limit is not used and derived anew: cannot read ",
            "cafe.one.json: the document does not have the shape of tautochrone/time-limit/1: EOF while parsing an \
             object at line 1 column 1",
        );
        assert!(
            broken.warnings[0].starts_with(start) && broken.warnings[0].ends_with(end),
            "{:?}",
            broken.warnings
        );
        keep(&mut broken, &[]);
        assert!(store(folder.path(), "one").stored().is_some());
    }

    #[test]
    fn unwritable_limit_stores_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let mut store = store(&file.join("limits"), "one");
        let record = keep(&mut store, &[]);
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
