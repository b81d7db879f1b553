//! Programs that run until the end, each with a log.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::tail;

/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Programs that run, by name. They are killed when this is dropped.
#[derive(Debug)]
pub struct Daemons {
    logs: PathBuf,
    running: BTreeMap<String, Child>,
}

impl Daemons {
    pub fn new(logs: &Path) -> Result<Self> {
        std::fs::create_dir_all(logs).with_context(|| format!("cannot make {}", logs.display()))?;
        Ok(Self { logs: logs.to_owned(), running: BTreeMap::new() })
    }

    pub fn log(&self, name: &str) -> PathBuf {
        self.logs.join(format!("{name}.log"))
    }

    /// Starts a program; what it writes goes to the end of its log.
    pub fn start(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let path = self.log(name);
        let log = File::options().create(true).append(true).open(&path);
        let log = log.with_context(|| format!("cannot write {}", path.display()))?;
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone().context("cannot use a log")?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        self.running.insert(name.to_owned(), child);
        Ok(())
    }

    /// Kills a program, if it runs.
    pub fn kill(&mut self, name: &str) {
        if let Some(mut child) = self.running.remove(name) {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub fn id(&self, name: &str) -> Option<u32> {
        self.running.get(name).map(Child::id)
    }

    /// Fails if a program has ended.
    pub fn check(&mut self) -> Result<()> {
        for (name, child) in &mut self.running {
            if let Some(status) = child.try_wait().with_context(|| format!("cannot wait for {name}"))? {
                let log = std::fs::read(self.logs.join(format!("{name}.log"))).unwrap_or_default();
                bail!("{name} ended with {status}: {}", tail(&log));
            }
        }
        Ok(())
    }

    /// Waits until something is so, as long as all programs run.
    pub fn wait_until(
        &mut self,
        what: &str,
        within: Duration,
        mut is_so: impl FnMut() -> bool,
    ) -> Result<Duration> {
        let begun = Instant::now();
        while !is_so() {
            self.check()?;
            if begun.elapsed() > within {
                bail!("{what}: not within {} s; logs are in {}", within.as_secs(), self.logs.display());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(begun.elapsed())
    }
}

impl Drop for Daemons {
    fn drop(&mut self) {
        let names: Vec<String> = self.running.keys().cloned().collect();
        names.iter().for_each(|name| self.kill(name));
    }
}

/// Waits until something is there.
pub fn wait_for<T>(
    what: &str,
    within: Duration,
    mut look: impl FnMut() -> Result<Option<T>>,
) -> Result<(T, Duration)> {
    let begun = Instant::now();
    loop {
        let found = look();
        if let Ok(Some(found)) = found {
            return Ok((found, begun.elapsed()));
        }
        if begun.elapsed() > within {
            let why = found.err().map(|error| format!(": {error:#}")).unwrap_or_default();
            bail!("{what}: not within {} s{why}", within.as_secs());
        }
        std::thread::sleep(LOOK_EVERY * 4);
    }
}
