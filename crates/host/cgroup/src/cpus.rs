//! CPUs that a slot has for itself, in whichever hierarchies assign CPUs.
//!
//! Version 2 has partitions of kind `isolated` (`Documentation/admin-guide/cgroup-v2.rst`, "Cpuset Interface Files"),
//! to which no task of others is balanced. Any other group can make one invalid at any time by listing one of its CPUs;
//! that write succeeds. So the state is read before and after each run, and the kernel's notification shows whether it
//! changed in between. Version 1 binds tasks to CPUs and cannot evict others.

use crate::files::{self, OpenFile};
use crate::{CgroupError, Controller, Home, Layout, group, unified};
use model::{CpuSet, Isolation, IsolationKind};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCpus {
    /// The CPUs, with the SMT siblings that are to stay idle.
    pub cpus: CpuSet,
    /// NUMA nodes whose memory is to be used; empty leaves that to the kernel.
    pub memory_nodes: Vec<u32>,
}

/// The largest weight (cgroup-v2.rst, `cpu.weight`). A real-time class would be stronger, but the kernel's own
/// throttling would cost the run about 50 ms of each second.
const WEIGHT_MAX: &str = "10000";
/// The largest share (`MAX_SHARES` of the scheduler).
const SHARES_MAX: &str = "262144";

#[derive(Debug)]
pub struct CpuGroups {
    partition: Option<Partition>,
    /// Why there is no partition, or why it is not isolated.
    weaker_because: Option<String>,
    kind: IsolationKind,
    /// Version 1 groups, which the slot's launcher enters.
    pub(crate) v1: BTreeMap<Controller, PathBuf>,
    cpus: CpuSet,
}

#[derive(Debug)]
struct Partition {
    path: PathBuf,
    state: OpenFile,
}

impl CpuGroups {
    /// Makes the groups called `name`. What is not available is reported by [`Self::isolation`]; it is not an error.
    pub fn create(
        layout: &Layout,
        name: &str,
        own: &OwnCpus,
        run_controllers: &[Controller],
    ) -> Result<Self, CgroupError> {
        let mut groups = Self {
            partition: None,
            weaker_because: None,
            kind: IsolationKind::Affinity,
            v1: BTreeMap::new(),
            cpus: own.cpus.clone(),
        };
        match layout.home(Controller::CpuSet) {
            Some(Home::V2(root)) => groups.partition(&root, name, own, run_controllers)?,
            Some(Home::V1(root)) => groups.bind_v1(&root, name, own)?,
            None => groups.weaker("no cpuset controller is mounted"),
        }
        if let Some(Home::V1(root)) = layout.home(Controller::Cpu) {
            let path = root.join(name);
            group::make(&path)?;
            files::write(&path.join("cpu.shares"), SHARES_MAX)?;
            groups.v1.insert(Controller::Cpu, path);
        }
        Ok(groups)
    }

    fn weaker(&mut self, why: impl Into<String>) {
        self.weaker_because = Some(model::without_error_numbers(&why.into()));
    }

    fn partition(
        &mut self,
        root: &Path,
        name: &str,
        own: &OwnCpus,
        run_controllers: &[Controller],
    ) -> Result<(), CgroupError> {
        unified::enable(root, run_controllers)?;
        let path = root.join(format!("{name}.cpus"));
        group::make(&path)?;
        files::write(&path.join("cpuset.cpus"), &own.cpus.to_string())?;
        if !own.memory_nodes.is_empty() {
            let nodes: Vec<String> = own.memory_nodes.iter().map(u32::to_string).collect();
            files::write(&path.join("cpuset.mems"), &nodes.join(","))?;
        }
        let weight = path.join("cpu.weight");
        if weight.exists() {
            files::write(&weight, WEIGHT_MAX)?;
        }
        unified::enable(&path, run_controllers)?;
        self.kind = IsolationKind::CpuSet;
        let state = path.join(PARTITION_FILE);
        self.partition = Some(Partition { state: OpenFile::open(state)?, path });
        self.isolate();
        Ok(())
    }

    /// Requests isolation, also again after it was lost; writes `member` first, since Linux 6.1 otherwise leaves an
    /// invalid partition invalid.
    fn isolate(&mut self) {
        let Some(partition) = &self.partition else { return };
        let file = partition.path.join(PARTITION_FILE);
        let asked = fs::write(&file, "member").and_then(|()| fs::write(&file, "isolated"));
        let state = asked.map_err(|error| error.to_string()).and_then(|()| partition.state());
        match state {
            Ok(()) => {
                self.kind = IsolationKind::Partition;
                self.weaker_because = None;
            }
            Err(why) => {
                self.kind = IsolationKind::CpuSet;
                self.weaker(format!("{} cannot be an isolated partition: {why}", self.cpus.named()));
            }
        }
    }

    fn bind_v1(&mut self, root: &Path, name: &str, own: &OwnCpus) -> Result<(), CgroupError> {
        let path = root.join(name);
        group::make(&path)?;
        let nodes = match own.memory_nodes.as_slice() {
            // A version 1 group accepts no process before it has memory nodes.
            [] => files::read(&root.join("cpuset.effective_mems"))?.trim().to_owned(),
            nodes => nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        };
        files::write(&path.join("cpuset.mems"), &nodes)?;
        if let Err(error) = files::write(&path.join("cpuset.cpus"), &own.cpus.to_string()) {
            // cpusets.rst, 1.4: siblings of an exclusive set may not overlap it. The other group keeps its CPUs.
            group::remove(&path)?;
            self.weaker(format!(
                "another group of cgroup v1 has some of {} for itself: {error}",
                self.cpus.named()
            ));
            return Ok(());
        }
        self.kind = IsolationKind::CpuSet;
        self.v1.insert(Controller::CpuSet, path.clone());
        let exclusive = fs::write(path.join("cpuset.cpu_exclusive"), "1");
        self.weaker(match exclusive {
            Ok(()) => format!(
                "cgroup v1 keeps other groups off {}, but not the processes at its root; boot with \
                 systemd.unified_cgroup_hierarchy=1 for isolated partitions",
                self.cpus.named()
            ),
            Err(_) => format!("another group of cgroup v1 has some of {} too", self.cpus.named()),
        });
        Ok(())
    }

    /// Returns the folder for groups of runs, and their name there, if they have to be inside.
    pub fn run_group(&self) -> Option<PathBuf> {
        self.partition.as_ref().map(|partition| partition.path.join(RUN_GROUP))
    }

    /// Returns the isolation before a run; requests it again if it was lost.
    pub fn begin(&mut self) -> Result<(), CgroupError> {
        if let Some(partition) = &self.partition {
            // Discards earlier notifications.
            partition.changed();
            if partition.state().is_err() {
                self.isolate();
            }
        }
        Ok(())
    }

    /// Returns how far the run that is ending had the CPUs for itself.
    pub fn isolation(&self) -> Isolation {
        let lost = match &self.partition {
            Some(partition) if self.kind == IsolationKind::Partition => match partition.state() {
                Err(why) => Some(why),
                Ok(()) if partition.changed() => {
                    Some("the partition was changed and restored meanwhile".to_owned())
                }
                Ok(()) => None,
            },
            _ => None,
        };
        Isolation { kind: self.kind, weaker_because: self.weaker_because.clone(), lost }
    }

    /// Opens the group, if one is needed, that lets a guard use the CPUs without counting it as part of the run.
    pub fn guard_entrance(&self) -> Result<Option<File>, CgroupError> {
        if let Some(partition) = &self.partition {
            let path = partition.path.join(GUARD_GROUP);
            group::make(&path)?;
            let path = path.join("cgroup.procs");
            let file = File::options().write(true).open(&path);
            return file.map(Some).map_err(|source| CgroupError::Read { path, source });
        }
        self.v1.get(&Controller::CpuSet).map(|path| group::entrance(path)).transpose()
    }

    /// Lets others use the CPUs although the groups stay, because processes in them do not end.
    pub fn release(&self) {
        // If a write fails, the next slot reports weaker isolation.
        if let Some(partition) = &self.partition {
            let _ = fs::write(partition.path.join(PARTITION_FILE), "member");
        }
        if let Some(path) = self.v1.get(&Controller::CpuSet) {
            let _ = fs::write(path.join("cpuset.cpu_exclusive"), "0");
        }
    }

    /// Removes the groups; the run's group must be gone, and launcher and guard must have ended.
    pub fn remove(&mut self) -> Result<(), CgroupError> {
        if let Some(partition) = self.partition.take() {
            // Otherwise its CPUs become available only when the kernel frees the group.
            let _ = fs::write(partition.path.join(PARTITION_FILE), "member");
            group::remove(&partition.path.join(GUARD_GROUP))?;
            group::remove(&partition.path)?;
        }
        for path in std::mem::take(&mut self.v1).values() {
            group::remove(path)?;
        }
        Ok(())
    }

    pub fn entrances(&self) -> Result<Vec<File>, CgroupError> {
        self.v1.values().map(|path| group::entrance(path)).collect()
    }
}

const PARTITION_FILE: &str = "cpuset.cpus.partition";
const RUN_GROUP: &str = "run";
const GUARD_GROUP: &str = "guard";

impl Partition {
    /// Reads whether it is isolated, or why not.
    fn state(&self) -> Result<(), String> {
        let text = self.state.read().map_err(|error| error.to_string())?;
        match text.trim() {
            "isolated" => Ok(()),
            other => Err(format!("the kernel reports '{other}'")),
        }
    }

    /// Returns whether the kernel has notified a change since the last reading.
    fn changed(&self) -> bool {
        let mut polled = [PollFd::new(&self.state, PollFlags::PRI)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let changed = rustix::event::poll(&mut polled, Some(&at_once)).is_ok_and(|count| count > 0);
        if changed {
            // Reading clears the notification.
            let _ = self.state.read();
        }
        changed
    }
}
