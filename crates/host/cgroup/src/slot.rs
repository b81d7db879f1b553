//! One slot's groups in all hierarchies, reused from run to run.

mod limits;
use crate::clock::Clock;
use crate::cpus::{CpuGroups, OwnCpus};
use crate::files::{self, OpenFile};
use crate::hardware::HardwareCounters;
use crate::memory::{MemoryV1, page_cache};
use crate::unified::{CpuClock, Leaf, Unified};
use crate::{CgroupError, Controller, GROUP_PREFIX, Home, Layout, group};
pub use limits::GroupLimits;
use model::{Bytes, HardwareCounts, InstructionCount, Isolation, Nanos, Reading};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

const NO_CLOCK: &str = "they were not counted";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupUse {
    pub cpu_time: Nanos,
    pub user_time: Reading<Nanos>,
    /// The most memory held at once, without page cache.
    pub memory_peak: Reading<Bytes>,
    pub oom_kills: u64,
    /// Time for which a CPU quota stopped the run.
    pub throttled: Reading<Nanos>,
    /// Time for which some task was ready and had no CPU.
    pub cpu_pressure: Reading<Nanos>,
    /// How far the run had its CPUs for itself, if that was requested.
    pub isolation: Option<Isolation>,
    pub hardware: Reading<HardwareCounts>,
    /// What the run's clock has counted, with what the setup of the run was.
    pub instructions: Reading<InstructionCount>,
}

/// One slot's groups.
///
/// Version 1 groups are pooled: the slot's launcher stays in them, since
/// entering one costs milliseconds on a busy machine, and what it uses itself is
/// subtracted. The version 2 group is entered by `clone3`; it is pooled where it
/// only counts CPU time and fresh for every run where it limits memory, because
/// `memory.peak` cannot be reset before Linux 6.12.
#[derive(Debug)]
pub struct SlotGroups {
    unified: Option<Unified>,
    v1: BTreeMap<Controller, PathBuf>,
    /// How many processes of ours are in the version 1 groups during a run.
    residents: u32,
    cpus: Option<CpuGroups>,
    memory_v1: Option<MemoryV1>,
    cpuacct_v1: Option<OpenFile>,
    /// Version 1: what the launcher held before the first run.
    launcher_memory: Option<Bytes>,
    hardware: HardwareCounters,
    /// The present run's, or why it has none.
    clock: Result<Clock, String>,
    baseline: Baseline,
}

#[derive(Clone, Debug, Default)]
struct Baseline {
    cpu: CpuClock,
    cpu_pressure: Option<Nanos>,
    oom_kills: u64,
    /// Version 1: what the launcher itself holds, page cache not counted.
    memory_held: Bytes,
    memory_limit: Option<Bytes>,
}

impl SlotGroups {
    /// Makes the groups of the slot with this number, after removing what an earlier owner left. In
    /// version 1 they will hold as many as `residents` processes of ours in addition to the run's.
    ///
    /// They lie at the hierarchies' roots: a common parent would stay behind, or vanish under the feet of
    /// another slot that is just being made.
    ///
    /// # Errors
    /// When the memory or pids controller is missing or the tree cannot be written. That CPUs cannot be had for
    /// itself is no error: [`GroupUse::isolation`] has it.
    pub fn create(
        layout: &Layout,
        slot: u32,
        residents: u32,
        own: Option<&OwnCpus>,
    ) -> Result<Self, CgroupError> {
        let name = format!("{GROUP_PREFIX}{slot}");
        let mut v1 = BTreeMap::new();
        let mut add = |controller, root: PathBuf| {
            let path = root.join(&name);
            group::make(&path)?;
            v1.insert(controller, path);
            Ok(())
        };
        let mut v2_controllers = Vec::new();
        for controller in [Controller::Memory, Controller::Pids] {
            match layout.home(controller) {
                Some(Home::V2(_)) => v2_controllers.push(controller),
                Some(Home::V1(root)) => {
                    add(controller, root)?;
                }
                None => return Err(CgroupError::NoController(controller)),
            }
        }
        if layout.unified.is_none() {
            let Some(Home::V1(root)) = layout.home(Controller::CpuAcct) else {
                return Err(CgroupError::NoController(Controller::CpuAcct));
            };
            add(Controller::CpuAcct, root)?;
        }
        for controller in [Controller::Cpu, Controller::CpuSet] {
            if let Some(Home::V2(_)) = layout.home(controller) {
                v2_controllers.push(controller);
            }
        }
        // An owner that was killed may have left one, and would keep its CPUs from others.
        if own.is_none()
            && let Some(Home::V1(root)) = layout.home(Controller::CpuSet)
        {
            let _ = std::fs::remove_dir(root.join(&name));
        }
        // Where sessions have weights of their own (`sched_autogroup_enabled`), a run that makes many would have as many
        // times our weight.
        if own.is_none()
            && let Some(Home::V1(root)) = layout.home(Controller::Cpu)
        {
            let path = root.join(&name);
            group::make(&path)?;
            v1.insert(Controller::Cpu, path);
        }
        let cpus = own.map(|own| CpuGroups::create(layout, &name, own, &v2_controllers)).transpose()?;
        let unified = match &layout.unified {
            Some((root, _)) => {
                let inside = cpus.as_ref().and_then(CpuGroups::run_group);
                Some(Unified::create(root, inside.unwrap_or_else(|| root.join(&name)), v2_controllers)?)
            }
            None => None,
        };
        let memory_v1 = v1.get(&Controller::Memory).map(|path| MemoryV1::open(path)).transpose()?;
        let cpuacct_v1 = v1
            .get(&Controller::CpuAcct)
            .map(|path| OpenFile::open(path.join("cpuacct.usage")))
            .transpose()?;
        Ok(Self {
            unified,
            v1,
            residents,
            cpus,
            memory_v1,
            cpuacct_v1,
            launcher_memory: None,
            hardware: HardwareCounters::default(),
            clock: Err(NO_CLOCK.to_owned()),
            baseline: Baseline::default(),
        })
    }

    /// Opens the pooled version 1 groups for a slot's launcher to enter; its children inherit them
    /// for nothing.
    pub fn entrances(&self) -> Result<Vec<File>, CgroupError> {
        let mut entrances: Vec<File> =
            self.v1.values().map(|path| group::entrance(path)).collect::<Result<_, _>>()?;
        if let Some(cpus) = &self.cpus {
            entrances.extend(cpus.entrances()?);
        }
        Ok(entrances)
    }

    /// Opens the group in which a guard may be on the slot's own CPUs without being counted as the run; none is needed
    /// where it has none.
    pub fn guard_entrance(&self) -> Result<Option<File>, CgroupError> {
        self.cpus.as_ref().map_or(Ok(None), CpuGroups::guard_entrance)
    }

    /// Returns the file whose first line changes when the present run has used CPU time.
    pub fn cpu_counter(&self) -> Result<BorrowedFd<'_>, CgroupError> {
        let pooled = self.cpuacct_v1.as_ref().map(AsFd::as_fd);
        let counter = self.leaf().map(Leaf::cpu_counter).or(pooled);
        counter.ok_or(CgroupError::NoController(Controller::CpuAcct))
    }

    /// Sets the limits of the next run and takes the counters' starting values. Earlier runs may have
    /// left as much as `retained` in files that still exist.
    ///
    /// # Errors
    /// When a control file cannot be read or written, or memory of an earlier run is still charged;
    /// then [`Self::reclaim`] may help.
    pub fn begin(&mut self, limits: &GroupLimits, retained: Bytes) -> Result<(), CgroupError> {
        self.baseline = Baseline { memory_limit: limits.memory, ..Baseline::default() };
        if let Some(cpus) = &mut self.cpus {
            cpus.begin()?;
        }
        if let Some(unified) = &mut self.unified {
            unified.begin(limits)?;
        }
        if let Some(path) = self.v1.get(&Controller::Pids) {
            let max = match limits.processes {
                Some(processes) => (u64::from(processes) + u64::from(self.residents)).to_string(),
                None => "max".to_owned(),
            };
            files::write(&path.join("pids.max"), &max)?;
        }
        if let (Some(memory), Some(path)) = (&self.memory_v1, self.v1.get(&Controller::Memory)) {
            self.baseline.memory_held = memory.held(&mut self.launcher_memory, retained, path)?;
            self.baseline.oom_kills = memory.oom_kills()?;
            memory.forget_events();
            let limit = match limits.memory {
                Some(limit) => limit.0.saturating_add(self.baseline.memory_held.0).to_string(),
                None => "-1".to_owned(),
            };
            files::write(&path.join("memory.limit_in_bytes"), &limit)?;
            files::write(&path.join("memory.max_usage_in_bytes"), "0")?;
        }
        let folder = self.unified.as_ref().and_then(Unified::leaf).map(Leaf::folder);
        self.hardware.begin(limits.counting, folder, limits.cpus.as_ref());
        let open = |plan| Clock::open(plan, folder, limits.cpus.as_ref());
        self.clock = limits.clock.map_or_else(|| Err(NO_CLOCK.to_owned()), open);
        self.baseline.cpu = self.cpu_clock()?;
        self.baseline.cpu_pressure = self.cpu_pressure()?;
        Ok(())
    }

    /// Frees what the pooled groups hold and need not.
    pub fn reclaim(&self) {
        if let Some(path) = self.v1.get(&Controller::Memory) {
            // It fails where something is in use, and gives back the rest.
            let _ = fs::write(path.join("memory.force_empty"), "0");
        }
    }

    pub fn clone_target(&self) -> Option<BorrowedFd<'_>> {
        self.leaf().map(Leaf::clone_target)
    }

    pub fn run_group(&self) -> Option<&Path> {
        self.leaf().map(Leaf::path)
    }

    /// Returns the folder of the group that lists the run's processes; in version 1 also the residents.
    pub fn members(&self) -> Option<&Path> {
        self.run_group().or_else(|| self.v1.get(&Controller::Pids).map(PathBuf::as_path))
    }

    pub fn cpu_time(&self) -> Result<Nanos, CgroupError> {
        Ok(self.cpu_clock()?.total - self.baseline.cpu.total)
    }

    /// Returns the counter that is the present run's clock, if one is, and it could be opened.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref().ok()
    }

    pub fn oom_kills(&self) -> Result<u64, CgroupError> {
        if let Some(memory) = &self.memory_v1 {
            return Ok(memory.oom_kills()?.saturating_sub(self.baseline.oom_kills));
        }
        let Some(leaf) = self.leaf() else { return Ok(0) };
        let path = leaf.path().join("memory.events");
        let [kills] = files::required(&path, &files::read(&path)?, ["oom_kill"])?;
        Ok(kills)
    }

    /// Returns what becomes readable when the run is out of memory and its processes are killed one by
    /// one (version 1); in version 2 the kernel kills them all.
    pub fn out_of_memory_event(&self) -> Option<BorrowedFd<'_>> {
        self.memory_v1.as_ref().map(|memory| memory.oom_event())
    }

    /// Kills every process of the run at once; returns whether the kernel could (version 2, Linux 5.14).
    pub fn kill(&self) -> bool {
        self.leaf().is_some_and(Leaf::kill)
    }

    /// Kills each process of the run as a whole, one after the other, where it has a group of its own; also one whose first
    /// thread has ended, and one that was frozen with the group.
    pub fn kill_each(&self) {
        if let Some(leaf) = self.leaf() {
            leaf.kill_each();
        }
    }

    pub fn processes(&self) -> Vec<u32> {
        self.leaf().map(|leaf| group::members(leaf.path())).unwrap_or_default()
    }

    /// Reads what the run used, after its last process was reaped, and gives back what is not pooled.
    ///
    /// # Errors
    /// When a counter cannot be read or a process is left.
    pub fn finish(&mut self) -> Result<GroupUse, CgroupError> {
        let (before, clock) = (self.baseline.cpu, self.cpu_clock()?);
        let pressure = match (self.cpu_pressure()?, self.baseline.cpu_pressure) {
            (Some(end), Some(start)) => Reading::Known(end - start),
            _ => Reading::unavailable("this kernel has no cpu.pressure for groups"),
        };
        let throttled = match &self.unified {
            Some(unified) if unified.has(Controller::Cpu) => match (before.throttled, clock.throttled) {
                (Some(start), Some(end)) => Reading::Known(end - start),
                _ => Reading::unavailable("this kernel's cpu.stat does not show it"),
            },
            _ => Reading::unavailable("the cpu controller is not in cgroup v2; no quota of ours is set"),
        };
        let used = GroupUse {
            hardware: self.hardware.end(),
            instructions: match self.clock.as_ref().map_err(Clone::clone).and_then(Clock::count) {
                Ok(count) => Reading::Known(count),
                Err(why) => Reading::Unavailable(why),
            },
            cpu_time: clock.total - before.total,
            user_time: match (before.user, clock.user) {
                (Some(start), Some(end)) => Reading::Known(end - start),
                _ => Reading::unavailable("without cgroup v2 user and system time are counted together"),
            },
            memory_peak: self.memory_peak()?,
            oom_kills: self.oom_kills()?,
            throttled,
            cpu_pressure: pressure,
            isolation: self.cpus.as_ref().map(CpuGroups::isolation),
        };
        self.clock = Err(NO_CLOCK.to_owned());
        if let Some(unified) = &mut self.unified {
            unified.finish()?;
        }
        Ok(used)
    }

    /// Lets others have the CPUs that this slot had for itself, though its groups stay.
    pub fn release_cpus(&self) {
        if let Some(cpus) = &self.cpus {
            cpus.release();
        }
    }

    /// Removes the groups; the launcher and the guard must have ended.
    ///
    /// # Errors
    /// When processes are left in them.
    pub fn remove(&mut self) -> Result<(), CgroupError> {
        if let Some(unified) = &mut self.unified {
            unified.remove_leaf()?;
        }
        if let Some(cpus) = &mut self.cpus {
            cpus.remove()?;
        }
        for path in std::mem::take(&mut self.v1).values() {
            group::remove(path)?;
        }
        Ok(())
    }

    fn leaf(&self) -> Option<&Leaf> {
        self.unified.as_ref()?.leaf()
    }

    fn cpu_clock(&self) -> Result<CpuClock, CgroupError> {
        if let Some(leaf) = self.leaf() {
            return leaf.cpu_clock();
        }
        match &self.cpuacct_v1 {
            Some(usage) => Ok(CpuClock { total: Nanos(usage.number()?), ..CpuClock::default() }),
            None => Err(CgroupError::NoController(Controller::CpuAcct)),
        }
    }

    fn cpu_pressure(&self) -> Result<Option<Nanos>, CgroupError> {
        self.leaf().map_or(Ok(None), Leaf::cpu_pressure)
    }

    fn memory_peak(&self) -> Result<Reading<Bytes>, CgroupError> {
        // Page cache that a run fills depends on what was cached before, so it is no use of the
        // run's own. Cache only grows below the limit, and what a program reads it reads early.
        let peak = if let Some(memory) = &self.memory_v1 {
            let peak = memory.usage_max()?;
            peak.saturating_sub(self.baseline.memory_held).saturating_sub(memory.page_cache()?)
        } else if let Some(leaf) = self.leaf() {
            let path = leaf.path().join("memory.peak");
            let Ok(content) = fs::read_to_string(&path) else {
                return Ok(Reading::unavailable("memory.peak needs Linux 5.19"));
            };
            let peak = Bytes(files::parse_number(&path, &content)?);
            let path = leaf.path().join("memory.stat");
            peak.saturating_sub(page_cache(&path, &files::read(&path)?, "file")?)
        } else {
            return Ok(Reading::unavailable("no memory controller"));
        };
        Ok(Reading::Known(self.baseline.memory_limit.map_or(peak, |limit| peak.min(limit))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// However many sessions it makes, its weight is that of one group.
    #[test]
    fn a_run_without_cpus_of_its_own_is_in_a_cpu_group_of_version_1() {
        let tree = tempfile::tempdir().unwrap();
        let (v1, v2) = (tree.path().join("v1"), tree.path().join("v2"));
        fs::create_dir(&v1).unwrap();
        fs::create_dir(&v2).unwrap();
        fs::write(v2.join("cgroup.subtree_control"), "memory pids\n").unwrap();
        let layout = Layout {
            unified: Some((v2, vec![Controller::Memory, Controller::Pids])),
            v1: [(Controller::Cpu, v1.clone())].into(),
        };
        let mut groups = SlotGroups::create(&layout, 7, 1, None).unwrap();
        let group = v1.join("tauto-slot-7");
        let tasks = group.join("tasks");
        fs::write(&tasks, "").unwrap();
        let [mut entrance] = <[File; 1]>::try_from(groups.entrances().unwrap()).unwrap();
        entrance.write_all(b"0").unwrap();
        assert_eq!(fs::read(&tasks).unwrap(), b"0");
        // The kernel's files go with the group.
        fs::remove_file(tasks).unwrap();
        groups.remove().unwrap();
        assert!(!group.exists());
    }
}
