//! What is usual on the CPUs of this machine, which later measurements are compared with. `tauto noise probe --save` keeps
//! it, together with the whole profile.

use anyhow::Context;
use model::{Baseline, CpuId, CpuSet, Reading};
use std::fs;
use std::path::{Path, PathBuf};
use terminal::AtomicFile;
use terminal::failure::because;

/// One CPU was measured while the others did nothing.
pub const IDLE: &str = "idle";
/// All CPUs were measured at the same time.
pub const LOADED: &str = "loaded";

#[derive(Debug)]
pub struct Baselines(PathBuf);

impl Baselines {
    /// Finds the folder: the user's by the XDG base directory specification, or the system's for root.
    pub fn here() -> Option<Self> {
        terminal::state::folder().map(|state| Self(state.join("noise")))
    }

    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }

    pub fn prepare(&self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.0)
            .with_context(|| because(format!("cannot create {} for baselines", self.0.display())))?;
        AtomicFile::prepare(&self.0.join("baseline.noise")).map(drop)
    }

    /// Returns where the profile of a CPU is, measured with the others idle or loaded.
    pub fn path(&self, identity: &str, load: &str, cpu: CpuId) -> PathBuf {
        // The identity is 16 hexadecimal digits where it is ours; what is not must not lead elsewhere.
        let identity: String = identity.chars().filter(char::is_ascii_alphanumeric).collect();
        self.0.join(format!("{identity}.cpu{cpu}.{load}.noise"))
    }

    pub fn keep(profile: &Path, usual: &Baseline) -> anyhow::Result<()> {
        AtomicFile::prepare(&summary_path(profile))?.fill(summary(usual).to_string().as_bytes())
    }

    /// Returns what is usual on these CPUs of the machine with this identity, by what is kept of them: measured one by one
    /// or, where that was not done, all at once.
    pub fn usual(&self, identity: &str, cpus: &CpuSet) -> Reading<Baseline> {
        let mut each = Vec::new();
        for cpu in cpus.iter() {
            let paths = [IDLE, LOADED].map(|load| self.path(identity, load, cpu));
            let Some(path) = paths.iter().find(|path| path.exists()) else {
                return Reading::unavailable(format!(
                    "no stored profile of CPU {cpu}: tauto noise probe --save"
                ));
            };
            match read_summary(&summary_path(path)) {
                Some(usual) => each.push(usual),
                None => {
                    return Reading::unavailable(format!("{} has no summary: save it anew", path.display()));
                }
            }
        }
        Baseline::of_all(each)
            .map_or_else(|| Reading::unavailable("there is no CPU to compare"), Reading::Known)
    }
}

/// Returns where what is usual is stored next to a profile: unpacking that would take longer than a short program runs.
fn summary_path(profile: &Path) -> PathBuf {
    profile.with_extension("usual.json")
}

fn summary(usual: &Baseline) -> serde_json::Value {
    serde_json::json!({
        "interrupts": usual.interrupts.known(),
        "softirqs": usual.softirqs.known(),
        "forced_switches": usual.forced_switches.known(),
        "steal_ns": usual.steal_ns.known(),
    })
}

fn read_summary(path: &Path) -> Option<Baseline> {
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let number = |name: &str| match kept[name].as_f64() {
        Some(number) => Reading::Known(number),
        None => Reading::unavailable("the stored profile does not have it"),
    };
    kept.is_object().then(|| Baseline {
        interrupts: number("interrupts"),
        softirqs: number("softirqs"),
        forced_switches: number("forced_switches"),
        steal_ns: number("steal_ns"),
    })
}

/// Returns what is usual on some CPUs of this machine. Where nothing is stored at all, the machine is not read either.
pub fn usual_here(cpus: &CpuSet) -> Reading<Baseline> {
    match Baselines::here() {
        Some(baselines) if baselines.folder().is_dir() => {
            baselines.usual(&system::Machine::here().identity().hash(), cpus)
        }
        _ => Reading::unavailable("no stored profile: tauto noise probe --save"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_identity_stays_in_the_folder() {
        let baselines = Baselines::at(Path::new("/var/lib/tauto/noise"));
        let path = baselines.path("../../beef", IDLE, CpuId(3));
        assert_eq!(path, Path::new("/var/lib/tauto/noise/beef.cpu3.idle.noise"));
    }
}
