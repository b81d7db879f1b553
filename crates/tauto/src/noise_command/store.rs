//! The stored profile of a machine and its CPUs: the baseline that later measurements are compared with.

use super::file;
use crate::failure::because;
use crate::output::AtomicFile;
use anyhow::Context;
use model::{Baseline, CpuId, CpuSet, Reading};
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

    /// Finds out that something can be kept.
    ///
    /// # Errors
    /// When it cannot.
    pub fn prepare(&self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.0)
            .with_context(|| because(format!("cannot create {} for baselines", self.0.display())))?;
        AtomicFile::prepare(&self.0.join("baseline.noise")).map(drop)
    }

    /// Keeps a profile of each CPU by itself, in the place of what was there. Returns the folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, profile: &Profile) -> anyhow::Result<&Path> {
        self.prepare()?;
        for cpu in &profile.cpus {
            let one = Profile { cpus: vec![cpu.clone()], ..profile.clone() };
            let path = self.path(&profile.machine.identity, profile.load, cpu.cpu);
            AtomicFile::prepare(&path)?.fill(&noise::format::encode(&one))?;
            AtomicFile::prepare(&summary_path(&path))?.fill(summary(&usual(cpu)).to_string().as_bytes())?;
        }
        Ok(&self.0)
    }

    /// Returns what is usual on these CPUs of the machine with this identity, by what is kept of them: measured one by one
    /// or, where that was not done, all at once.
    pub fn usual(&self, identity: &str, cpus: &CpuSet) -> Reading<Baseline> {
        let mut each = Vec::new();
        for cpu in cpus.iter() {
            let paths = [NodeLoad::OneCpu, NodeLoad::AllCpus].map(|load| self.path(identity, load, cpu));
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

    /// Reads what is kept of a CPU of the machine that `like` is of, under the same load.
    ///
    /// # Errors
    /// When there is a file that cannot be read.
    pub fn of(&self, like: &Profile, cpu: CpuId) -> anyhow::Result<Option<(Profile, CpuProfile)>> {
        let path = self.path(&like.machine.identity, like.load, cpu);
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

    fn path(&self, identity: &str, load: NodeLoad, cpu: CpuId) -> PathBuf {
        let load = match load {
            NodeLoad::OneCpu => "idle",
            NodeLoad::AllCpus => "loaded",
        };
        // The identity is 16 hexadecimal digits where it is ours; what is not must not lead elsewhere.
        let identity: String = identity.chars().filter(char::is_ascii_alphanumeric).collect();
        self.0.join(format!("{identity}.cpu{cpu}.{load}.noise"))
    }
}

/// Returns where what is usual stands beside a profile: unpacking that would take longer than a short program runs.
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

/// Returns what is usual on some CPUs of this machine. Where nothing is stored at all, the machine is not even looked at.
pub fn usual_here(cpus: &CpuSet) -> Reading<Baseline> {
    match Baselines::here() {
        Some(baselines) if baselines.0.is_dir() => {
            baselines.usual(&system::Machine::here().identity().hash(), cpus)
        }
        _ => Reading::unavailable("no stored profile: tauto noise probe --save"),
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

    #[test]
    fn what_is_usual_is_what_the_kernel_counted_in_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let baselines = Baselines::at(&folder.path().join("noise"));
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
        baselines.keep(&profile).unwrap();
        let usual = |identity, cpus: &str| baselines.usual(identity, &cpus.parse().unwrap());
        let both = usual("cafe", "0-1").into_known().unwrap();
        assert_eq!((both.interrupts, both.softirqs), (Reading::Known(520.0), Reading::Known(100.0)));
        assert_eq!((both.steal_ns, both.forced_switches.known()), (Reading::Known(1e7), None));
        let why = "no stored profile of CPU 2: tauto noise probe --save";
        assert_eq!(usual("cafe", "1-2"), Reading::unavailable(why));
        assert!(usual("beef", "0").known().is_none());
    }
}
