//! The stored profile of a machine and its CPUs: the baseline that later measurements are compared with.

use super::file::{self, Place};
use anyhow::Context;
use model::CpuId;
use noise::{CpuProfile, NodeLoad, Profile};
use std::fs;
use std::path::{Path, PathBuf};

/// Where baselines are.
#[derive(Debug)]
pub struct Baselines(PathBuf);

impl Baselines {
    /// Finds the folder: the user's by the XDG base directory specification, or the system's for root.
    pub fn here() -> Option<Self> {
        crate::state::folder().map(|state| Self(state.join("noise")))
    }

    #[cfg(test)]
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Keeps a profile of each CPU by itself, in the place of what was there. Gives the folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, profile: &Profile) -> anyhow::Result<&Path> {
        fs::create_dir_all(&self.0).with_context(|| format!("cannot create {}", self.0.display()))?;
        for cpu in &profile.cpus {
            let one = Profile { cpus: vec![cpu.clone()], ..profile.clone() };
            Place::prepare(&self.path(profile, cpu.cpu))?.fill(&noise::format::encode(&one))?;
        }
        Ok(&self.0)
    }

    /// Reads what is kept of a CPU of the machine that `like` is of, under the same load.
    ///
    /// # Errors
    /// When there is a file that cannot be read.
    pub fn of(&self, like: &Profile, cpu: CpuId) -> anyhow::Result<Option<(Profile, CpuProfile)>> {
        let path = self.path(like, cpu);
        if !path.exists() {
            return Ok(None);
        }
        let mut kept = file::read(&path)?;
        let at = kept.cpus.iter().position(|kept| kept.cpu == cpu);
        Ok(at.map(|at| {
            let cpu = kept.cpus.swap_remove(at);
            (kept, cpu)
        }))
    }

    fn path(&self, profile: &Profile, cpu: CpuId) -> PathBuf {
        let load = match profile.load {
            NodeLoad::OneCpu => "idle",
            NodeLoad::AllCpus => "loaded",
        };
        // The identity is 16 hexadecimal digits where it is ours; what is not must not lead elsewhere.
        let identity: String = profile.machine.identity.chars().filter(char::is_ascii_alphanumeric).collect();
        self.0.join(format!("{identity}.cpu{cpu}.{load}.noise"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Reading;
    use noise::{MachineLine, TickRate};

    #[test]
    fn each_cpu_is_kept_by_machine_and_load() {
        let folder = tempfile::tempdir().unwrap();
        let baselines = Baselines::at(&folder.path().join("noise"));
        let cpu = |number| CpuProfile {
            cpu: CpuId(number),
            quanta: Reading::unavailable("none"),
            gaps: Reading::unavailable(format!("of {number}")),
        };
        let profile = Profile {
            machine: MachineLine { identity: "cafe".to_owned(), ..MachineLine::default() },
            began_unix_s: 1,
            load: NodeLoad::OneCpu,
            rate: TickRate(1e9),
            cpus: vec![cpu(0), cpu(3)],
            weaknesses: Vec::new(),
        };
        baselines.keep(&profile).unwrap();
        baselines.keep(&Profile { began_unix_s: 2, cpus: vec![cpu(3)], ..profile.clone() }).unwrap();
        let kept = |like: &Profile, number| baselines.of(like, CpuId(number)).unwrap();
        assert_eq!(kept(&profile, 0).unwrap().1, cpu(0));
        assert_eq!(kept(&profile, 3).unwrap().0.began_unix_s, 2);
        assert!(kept(&profile, 1).is_none());
        assert!(kept(&Profile { load: NodeLoad::AllCpus, ..profile.clone() }, 0).is_none());
        let elsewhere = MachineLine { identity: "../beef".to_owned(), ..MachineLine::default() };
        assert!(kept(&Profile { machine: elsewhere, ..profile }, 0).is_none());
    }
}
