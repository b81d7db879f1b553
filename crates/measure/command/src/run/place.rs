//! What a single run is in: a container, or a virtual machine in one.

use microvm::Machines;
use sandbox::{InitProcess, Ran, Role, RootView, RunIo, RunPlan, SandboxError, SingleRun, Slot, SlotOptions};
use std::sync::Arc;

pub enum Place {
    Container(Box<SingleRun>),
    Machine { slot: Box<Slot>, machines: Arc<Machines>, root: RootView },
}

impl Place {
    pub fn open(
        options: SlotOptions,
        init: Option<InitProcess>,
        machines: Option<Arc<Machines>>,
    ) -> Result<Self, SandboxError> {
        let Some(machines) = machines else {
            return Ok(Self::Container(Box::new(SingleRun::open(options, init)?)));
        };
        drop(init);
        let root = options.root.clone();
        let slot = Slot::open(SlotOptions { root: machines.container(), ..options })?;
        Ok(Self::Machine { slot: Box::new(slot), machines, root })
    }

    pub fn user(&self, role: Role) -> u32 {
        match self {
            Self::Container(run) => run.user(role),
            Self::Machine { slot, .. } => slot.user(role),
        }
    }

    /// Returns the PID of the ancestor of all processes of the run.
    pub fn process(&self) -> u32 {
        match self {
            Self::Container(run) => run.init(),
            Self::Machine { slot, .. } => slot.launcher(),
        }
    }

    pub fn warning(&self) -> Option<String> {
        match self {
            Self::Container(_) => None,
            Self::Machine { machines, .. } => machines.warning(),
        }
    }

    /// Does all that comes before the run, which may take seconds.
    pub fn prepare(self, plan: &RunPlan, io: RunIo) -> Result<Prepared, SandboxError> {
        Ok(match self {
            Self::Container(run) => Prepared::Container(run, io),
            Self::Machine { slot, machines, root } => {
                let machine = machines.prepare(&slot, &root, plan, io)?;
                Prepared::Machine(slot, Box::new(machine))
            }
        })
    }
}

/// A run that can begin.
pub enum Prepared {
    Container(Box<SingleRun>, RunIo),
    Machine(Box<Slot>, Box<microvm::Prepared>),
}

impl Prepared {
    pub fn run(self, plan: &RunPlan) -> Result<Ran, SandboxError> {
        match self {
            Self::Container(run, io) => run.run(plan, io),
            Self::Machine(mut slot, machine) => machine.run(&mut slot),
        }
    }
}
