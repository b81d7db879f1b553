//! The best reading of each CPU's contention probe, with which later readings are compared.

use cgroup::own_file;
use model::{CpuSet, Nanos, Reading, Slowdown};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A better reading is stored only if it is better by this many thousandths: smaller differences are chance.
const WRITTEN_FROM_PERMILLE: u64 = 5;

/// The best reading of each CPU since boot, shared by all processes of tauto's.
///
/// A file for each set of CPUs in `/run/tauto/pace` holds the nanoseconds. If two processes write at once, both write
/// values that were measured; the better one is stored again with the next calm reading.
#[derive(Debug)]
pub struct BestPace {
    folder: PathBuf,
    known: BTreeMap<String, Nanos>,
}

impl BestPace {
    pub const FOLDER: &str = "/run/tauto/pace";

    /// Takes a folder, which need not exist.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), known: BTreeMap::new() }
    }

    /// Compares a reading with the best so far, and stores it if it is better.
    pub fn compare(&mut self, cpus: &CpuSet, time: Nanos) -> Reading<Slowdown> {
        let name = cpus.to_string();
        let known = self.known.get(&name).copied();
        let best = self.of(cpus).map_or(time, |best| best.min(time));
        if known != Some(best) {
            self.known.insert(name.clone(), best);
            let written = self.read(&name);
            if written.is_none_or(|written| best.0 < written.0 - written.0 * WRITTEN_FROM_PERMILLE / 1000) {
                // Without the file this process still knows its own best.
                let _ = self.write(&name, best);
            }
        }
        match Slowdown::of(time, best) {
            Some(slowdown) => Reading::Known(slowdown),
            None => Reading::unavailable("the loop took no time"),
        }
    }

    pub fn of(&self, cpus: &CpuSet) -> Option<Nanos> {
        let name = cpus.to_string();
        self.known.get(&name).copied().into_iter().chain(self.read(&name)).min()
    }

    fn read(&self, name: &str) -> Option<Nanos> {
        let text = own_file::read(&self.folder.join(name)).ok()?;
        text.trim().parse().ok().filter(|time_ns| *time_ns > 0).map(Nanos)
    }

    fn write(&self, name: &str, best: Nanos) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let new = self.folder.join(format!("{name}.{}", std::process::id()));
        own_file::create(&new)?.write_all(format!("{}\n", best.0).as_bytes())?;
        fs::rename(new, self.folder.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_kept_for_others() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("pace");
        let cpus: CpuSet = "1".parse().unwrap();
        let mut one = BestPace::at(&place);
        assert_eq!(one.compare(&cpus, Nanos(200)), Reading::Known(Slowdown(0)));
        assert_eq!(one.compare(&cpus, Nanos(300)), Reading::Known(Slowdown(500)));
        let mut other = BestPace::at(&place);
        assert_eq!(other.compare(&cpus, Nanos(210)), Reading::Known(Slowdown(50)));
        assert_eq!(other.compare(&cpus, Nanos(100)), Reading::Known(Slowdown(0)));
        assert_eq!(BestPace::at(&place).compare(&cpus, Nanos(110)), Reading::Known(Slowdown(100)));
        assert_eq!(one.compare(&cpus, Nanos(180)), Reading::Known(Slowdown(800)));
        assert_eq!((one.of(&cpus), one.of(&"2".parse().unwrap())), (Some(Nanos(100)), None));
        assert_eq!(one.compare(&"2".parse().unwrap(), Nanos(400)), Reading::Known(Slowdown(0)));
    }

    #[test]
    fn zero_in_a_file_is_no_best() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("1"), "0\n").unwrap();
        let mut pace = BestPace::at(folder.path());
        assert_eq!(pace.compare(&"1".parse().unwrap(), Nanos(100)), Reading::Known(Slowdown(0)));
    }
}
