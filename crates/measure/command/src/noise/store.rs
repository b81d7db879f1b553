//! The stored profile of a machine and its CPUs: the baseline that later measurements are compared with.

use super::file;
use host_command::baseline::{Baselines, IDLE, LOADED};
use model::{Baseline, CpuId, Reading};
use noise::{CpuProfile, NodeLoad, Profile};
use std::path::Path;
use terminal::AtomicFile;

/// Where profiles are kept.
#[derive(Debug)]
pub struct Profiles(Baselines);

impl Profiles {
    /// Finds the folder.
    pub fn here() -> Option<Self> {
        Baselines::here().map(Self)
    }

    /// Uses this folder.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Self {
        Self(Baselines::at(folder))
    }

    /// Finds out that something can be kept.
    pub fn prepare(&self) -> anyhow::Result<()> {
        self.0.prepare()
    }

    /// Keeps a profile of each CPU by itself, in the place of what was there. Returns the folder.
    pub fn keep(&self, profile: &Profile) -> anyhow::Result<&Path> {
        self.prepare()?;
        for cpu in &profile.cpus {
            let one = Profile { cpus: vec![cpu.clone()], ..profile.clone() };
            let path = self.0.path(&profile.machine.identity, load(profile), cpu.cpu);
            AtomicFile::prepare(&path)?.fill(&noise::format::encode(&one))?;
            Baselines::keep(&path, &usual(cpu))?;
        }
        Ok(self.0.folder())
    }

    /// Reads what is kept of a CPU of the machine that `like` is of, under the same load.
    pub fn of(&self, like: &Profile, cpu: CpuId) -> anyhow::Result<Option<(Profile, CpuProfile)>> {
        let path = self.0.path(&like.machine.identity, load(like), cpu);
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
}

fn load(profile: &Profile) -> &'static str {
    match profile.load {
        NodeLoad::OneCpu => IDLE,
        NodeLoad::AllCpus => LOADED,
    }
}

/// Returns what the kernel counted while the probe looked, for each second of it.
fn usual(cpu: &CpuProfile) -> Baseline {
    let counts = match &cpu.gaps {
        Reading::Known(gaps) => &gaps.counts,
        Reading::Unavailable(why) => return Baseline::unknown(why),
    };
    let seconds = counts.interval.0 as f64 / 1e9;
    if seconds <= 0.0 {
        return Baseline::unknown("the profile does not say how long it looked");
    }
    let all = |counts: &Vec<(String, u64)>| counts.iter().map(|(_, count)| count).sum::<u64>() as f64;
    Baseline {
        interrupts: each_second(&counts.interrupts, all, seconds),
        softirqs: each_second(&counts.softirqs, all, seconds),
        forced_switches: each_second(&counts.forced_switches, |count| *count as f64, seconds),
        steal_ns: each_second(&counts.steal, |time| time.0 as f64, seconds),
    }
}

fn each_second<T>(counted: &Reading<T>, number: impl Fn(&T) -> f64, seconds: f64) -> Reading<f64> {
    match counted {
        Reading::Known(counted) => Reading::Known(number(counted) / seconds),
        Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use noise::{GapTrace, KernelCounts, MachineLine, TickRate, Ticks};

    #[test]
    fn each_cpu_is_kept_by_machine_and_load() {
        let folder = tempfile::tempdir().unwrap();
        let profiles = Profiles::at(&folder.path().join("noise"));
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
        profiles.keep(&profile).unwrap();
        profiles.keep(&Profile { began_unix_s: 2, cpus: vec![cpu(3)], ..profile.clone() }).unwrap();
        let kept = |like: &Profile, number| profiles.of(like, CpuId(number)).unwrap();
        assert_eq!(kept(&profile, 0).unwrap().1, cpu(0));
        assert_eq!(kept(&profile, 3).unwrap().0.began_unix_s, 2);
        assert!(kept(&profile, 1).is_none());
        assert!(kept(&Profile { load: NodeLoad::AllCpus, ..profile.clone() }, 0).is_none());
        let elsewhere = MachineLine { identity: "../beef".to_owned(), ..MachineLine::default() };
        assert!(kept(&Profile { machine: elsewhere, ..profile }, 0).is_none());
    }

    #[test]
    fn what_is_usual_is_what_the_kernel_counted_in_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let profiles = Profiles::at(&folder.path().join("noise"));
        let counts = KernelCounts {
            interval: Nanos::from_millis(2000),
            interrupts: Reading::Known(vec![("LOC".to_owned(), 500), ("RES".to_owned(), 20)]),
            softirqs: Reading::Known(vec![("TIMER".to_owned(), 100)]),
            steal: Reading::Known(Nanos::from_millis(10)),
            forced_switches: Reading::unavailable("cannot read"),
            ..KernelCounts::default()
        };
        let gaps = GapTrace {
            turn: Ticks(10),
            threshold: Ticks(100),
            bursts: Vec::new(),
            detours: Vec::new(),
            counts,
        };
        let cpu = |number| CpuProfile {
            cpu: CpuId(number),
            quanta: Reading::unavailable("none"),
            gaps: Reading::Known(gaps.clone()),
        };
        let profile = Profile {
            machine: MachineLine { identity: "cafe".to_owned(), ..MachineLine::default() },
            began_unix_s: 1,
            load: NodeLoad::OneCpu,
            rate: TickRate(1e9),
            cpus: vec![cpu(0), cpu(1)],
            weaknesses: Vec::new(),
        };
        profiles.keep(&profile).unwrap();
        let usual = |identity, cpus: &str| profiles.0.usual(identity, &cpus.parse().unwrap());
        let both = usual("cafe", "0-1").into_known().unwrap();
        assert_eq!((both.interrupts, both.softirqs), (Reading::Known(520.0), Reading::Known(100.0)));
        assert_eq!((both.steal_ns, both.forced_switches.known()), (Reading::Known(1e7), None));
        let why = "no stored profile of CPU 2: tauto noise probe --save";
        assert_eq!(usual("cafe", "1-2"), Reading::unavailable(why));
        assert!(usual("beef", "0").known().is_none());
    }
}
