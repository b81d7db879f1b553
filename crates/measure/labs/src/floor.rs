//! The CPUs of an experiment, used alternately by plain runs and by the judge.

use super::{LabError, Testbed, TestbedOptions};
use judge::{Engine, JudgeError, Station, StationOptions};
use languages::Languages;
use std::num::NonZeroU32;
use timing::{Choice, IfTaken, TimedCpus};

/// CPUs that stay taken all the time: a slot of one user keeps the other from them.
#[derive(Debug)]
pub struct Floor {
    options: TestbedOptions,
    user: Option<User>,
}

#[derive(Debug)]
enum User {
    Testbed(Box<Testbed>),
    Judge(Engine),
}

impl Floor {
    pub fn new(testbed: Testbed) -> Self {
        Self { options: testbed.options().clone(), user: Some(User::Testbed(Box::new(testbed))) }
    }

    /// Returns a testbed on the CPUs.
    pub fn testbed(&mut self) -> Result<&mut Testbed, LabError> {
        if !matches!(self.user, Some(User::Testbed(_))) {
            let cpus = self.leave()?;
            self.user = Some(User::Testbed(Box::new(Testbed::on(cpus, self.options.clone()))));
        }
        match &mut self.user {
            Some(User::Testbed(testbed)) => Ok(testbed),
            _ => unreachable!("it was made just now"),
        }
    }

    /// Returns a new judge, with a place on the experiment's CPUs and this many more, whose CPUs are leased once those
    /// of the previous judge are free; the experiment's place is the last.
    pub fn judge(&mut self, more: u32) -> Result<&Engine, LabError> {
        let own = self.leave()?;
        let host = timing::host_cpus().map_err(timing::PlaceError::from)?;
        let take = |_| TimedCpus::take(host.clone(), &Choice::Leased(NonZeroU32::MIN), &IfTaken::Refuse);
        let others: Vec<TimedCpus> = (0..more).map(take).collect::<Result<_, _>>()?;
        let options = StationOptions { stop: self.options.stop.clone(), ..StationOptions::default() };
        let cpus = others.into_iter().chain([own]).collect();
        let engine = Engine::start(Station::on(cpus, options, Languages::builtin())?)?;
        match self.user.insert(User::Judge(engine)) {
            User::Judge(engine) => Ok(engine),
            User::Testbed(_) => unreachable!("a judge was put there"),
        }
    }

    fn leave(&mut self) -> Result<TimedCpus, LabError> {
        let lost = || LabError::Judge(JudgeError::Bug("the experiment's CPUs are lost".to_owned()));
        match self.user.take().ok_or_else(lost)? {
            User::Testbed(testbed) => Ok(testbed.into_cpus()),
            User::Judge(engine) => engine.into_cpus()?.pop().ok_or_else(lost),
        }
    }
}
