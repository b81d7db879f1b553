//! Which node a pod gets.

use crate::recorder::Recorder;
use crate::{Desk, Refusal};
use documents::SimDecision;
use placement::policy::Policy;
use placement::predict::ObservedLoad;
use placement::{Filter, HostId, Job, JobId, Scheduler};
use serde::{Deserialize, Serialize};
use simulator::run::Explanation;
use simulator::trace::{ChangeRecord, HostRecord, JobRecord, Standing, check_host, check_job};
use simulator::vocabulary::Vocabulary;
use std::collections::{BTreeMap, BTreeSet};

/// What happens to a fleet, and what it is asked. Times are in milliseconds since 1970.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Another policy, as the text of its file; of several the first that no other extends. If it cannot be used, the earlier one
    /// stays.
    Policy { text: String, at_ms: u64 },
    /// A node that is there, or has changed. What it has is what pods may use. Labels are not taken: which nodes a
    /// pod's selectors allow is said by `only` of the decision.
    Host(HostRecord),
    /// Whether a node takes pods. The pods of one that goes down end.
    Change(ChangeRecord),
    /// Asks for the best nodes for a pod. Nothing changes until the pod is assumed on one.
    Decide {
        job: JobRecord,
        /// The only nodes that may be chosen; all by default.
        #[serde(default)]
        only: Option<Vec<String>>,
        /// Nodes that may not be chosen.
        #[serde(default)]
        except: Vec<String>,
        /// How many nodes, the best first. 0 for an explanation alone.
        most: usize,
        #[serde(default)]
        explain: Explain,
    },
    /// A pod is on a node, or will be. Of one that is there already the node may change.
    Assume { job: JobRecord, host: String },
    /// A pod has ended, or will not come.
    Forget { job: String, at_ms: u64 },
    /// What a window that has ended showed.
    Observe {
        ended_ms: u64,
        at_ms: u64,
        /// Of each pod that ran in all of it, in thousandths of a CPU.
        jobs: BTreeMap<String, ObservedLoad>,
        /// The highest use of a node's standard pods in it, in thousandths of a CPU.
        hosts: BTreeMap<String, u32>,
    },
    /// Asks which pods should move now. They count where they should go, until they are assumed elsewhere or forgotten.
    Reschedule { at_ms: u64 },
    /// Asks for what happened since the policy came, as a trace.
    Trace { name: String },
    /// Asks for figures about the state.
    State { at_ms: u64 },
}

/// How much is said about a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Explain {
    #[default]
    Nothing,
    /// The nodes that are answered, with their scores. It costs little.
    Brief,
    /// Also how many others fail which condition, for which each is looked at.
    Full,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Done {},
    Policy {
        name: String,
        /// How long a window is in which loads are observed; `null` if the policy predicts nothing.
        window_ms: Option<u64>,
        /// The time between two rounds of moves; `null` for none.
        reschedule_ms: Option<u64>,
    },
    Decided {
        /// The best nodes, the best first.
        hosts: Vec<Place>,
        /// Why there is none, in one sentence; `null` if there is one.
        refused: Option<String>,
        /// The decision, if it was to be explained.
        decision: Option<Box<SimDecision>>,
    },
    Moves(Vec<Step>),
    Trace(String),
    State(Figures),
}

/// A node that takes the pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub host: String,
    /// Its value for the pod, from 0 to 1,000,000.
    pub value: u32,
}

/// A pod that should move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub job: String,
    pub from: String,
    pub to: String,
    /// `drain`, `hot` or `empty`.
    pub reason: &'static str,
}

/// Figures about a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// The policy that decides now, which may be the fallback.
    pub policy: String,
    /// Whether predictions are stale, so that the fallback decides.
    pub is_stale: bool,
    pub hosts: usize,
    pub jobs: usize,
}

/// A fleet, as a scheduler knows it.
pub struct Fleet {
    scheduler: Scheduler,
    names: Vocabulary,
    hosts: BTreeMap<String, Known>,
    jobs: BTreeMap<String, Held>,
    /// When each pod was decided about that is not assumed yet, and the best host then.
    decided: BTreeMap<String, (u64, Option<HostId>)>,
    /// Where times are counted from.
    origin_ms: Option<u64>,
    now_ms: u64,
    recorder: Recorder,
    /// When the trace began, and whether it has to begin anew.
    anew_ms: u64,
    is_anew_due: bool,
}

struct Known {
    id: HostId,
    record: HostRecord,
    standing: Standing,
}

struct Held {
    id: JobId,
    record: JobRecord,
}

/// How often a trace begins anew because nodes change.
const ANEW_EVERY_MS: u64 = 60_000;
/// Decisions whose pods were never assumed are dropped beyond this number.
const DECIDED_MAX: usize = 10_000;

impl Default for Fleet {
    /// Makes a fleet without hosts, with the policy `spread`.
    fn default() -> Self {
        let policy = Policy::built_in("spread").expect("it is built in");
        Self {
            scheduler: Scheduler::new(policy),
            names: Vocabulary::default(),
            hosts: BTreeMap::new(),
            jobs: BTreeMap::new(),
            decided: BTreeMap::new(),
            origin_ms: None,
            now_ms: 0,
            recorder: Recorder::default(),
            anew_ms: 0,
            is_anew_due: false,
        }
    }
}

impl Desk for Fleet {
    type Request = Request;
    type Answer = Answer;

    fn answer(&mut self, request: Request) -> Result<Answer, Refusal> {
        // Not at each change of a node, which could change again and again.
        let is_due = self.is_anew_due && self.now_ms >= self.anew_ms + ANEW_EVERY_MS;
        if self.recorder.is_full() || is_due || (self.is_anew_due && matches!(request, Request::Trace { .. }))
        {
            self.record_anew();
        }
        match request {
            Request::Policy { text, at_ms } => self.set_policy(&text, at_ms),
            Request::Host(record) => self.enter_host(record),
            Request::Change(record) => self.change(&record),
            Request::Decide { job, only, except, most, explain } => {
                self.decide(job, only.as_deref(), &except, most, explain)
            }
            Request::Assume { job, host } => self.assume(job, &host),
            Request::Forget { job, at_ms } => {
                let at_ms = self.tick(at_ms);
                self.forget(&job, at_ms);
                Ok(Answer::Done {})
            }
            Request::Observe { ended_ms, at_ms, jobs, hosts } => {
                let at_ms = self.tick(at_ms);
                let ended_ms = ended_ms.saturating_sub(self.origin_ms.unwrap_or(0)).min(at_ms);
                self.observe(ended_ms, at_ms, &jobs, &hosts);
                Ok(Answer::Done {})
            }
            Request::Reschedule { at_ms } => Ok(self.reschedule(at_ms)),
            Request::Trace { name } => match self.recorder.text(&name) {
                Ok(text) => Ok(Answer::Trace(text)),
                Err(error) => Err(format!("the trace cannot be written: {error}").into()),
            },
            Request::State { at_ms } => {
                let at_ms = self.tick(at_ms);
                self.scheduler.check_freshness(at_ms);
                Ok(Answer::State(Figures {
                    policy: self.scheduler.policy().name.clone(),
                    is_stale: self.scheduler.is_degraded(),
                    hosts: self.hosts.values().filter(|host| host.standing == Standing::Up).count(),
                    jobs: self.jobs.len(),
                }))
            }
        }
    }
}

impl Fleet {
    /// Returns a time after all others, counted from the beginning of the first one's day.
    fn tick(&mut self, at_ms: u64) -> u64 {
        let origin_ms = *self.origin_ms.get_or_insert(at_ms - at_ms % DAY_MS);
        let at_ms = at_ms.saturating_sub(origin_ms).min(TIME_MS_MAX);
        self.now_ms = at_ms.max(self.now_ms + 1);
        self.now_ms
    }

    /// Returns a time after all others where no new one is known.
    fn next_tick(&mut self) -> u64 {
        self.now_ms += 1;
        self.now_ms
    }

    fn set_policy(&mut self, text: &str, at_ms: u64) -> Result<Answer, Refusal> {
        let policy = first_policy(text)?;
        let at_ms = self.tick(at_ms);
        let answer = Answer::Policy {
            name: policy.name.clone(),
            window_ms: policy.prediction.map(|prediction| prediction.window_ms),
            reschedule_ms: policy.rescheduling.map(|rules| rules.every_ms),
        };
        let names = &self.names;
        self.scheduler.set_policy(policy, at_ms, |pool| names.pools.name(pool));
        self.record_anew();
        Ok(answer)
    }

    fn enter_host(&mut self, mut record: HostRecord) -> Result<Answer, Refusal> {
        let at_ms = self.tick(std::mem::take(&mut record.at_ms));
        check_host(&record)
            .map_err(|wrong| Refusal(format!("the node '{}' is not taken: {wrong}", record.name)))?;
        if !record.labels.is_empty() {
            return Err(format!(
                "the node '{}' has labels; say by `only` which nodes a pod may use",
                record.name
            )
            .into());
        }
        let (id, host) = self.names.host(&record);
        match self.hosts.get_mut(&record.name) {
            None => {
                let added = self.scheduler.add_host(host, &record.pool);
                assert_eq!(id, added, "hosts have the same number everywhere");
                self.recorder.host(at_ms, record.clone());
                let name = record.name.clone();
                self.hosts.insert(name, Known { id, record, standing: Standing::Up });
            }
            Some(known) if known.record == record => {}
            Some(known) => {
                self.scheduler.change_host(id, host, &record.pool);
                known.record = record;
                // A trace has no word for it.
                self.is_anew_due = true;
            }
        }
        Ok(Answer::Done {})
    }

    fn change(&mut self, record: &ChangeRecord) -> Result<Answer, Refusal> {
        let at_ms = self.tick(record.at_ms);
        let Some(known) = self.hosts.get(&record.host) else { return Err(no_host(&record.host)) };
        if known.standing == record.to {
            return Ok(Answer::Done {});
        }
        let id = known.id;
        if record.to == Standing::Down {
            let numbers: BTreeSet<JobId> = self.scheduler.jobs_of(id).iter().copied().collect();
            let of_host = self.jobs.iter().filter(|(_, held)| numbers.contains(&held.id));
            let gone: Vec<String> = of_host.map(|(name, _)| name.clone()).collect();
            gone.iter().for_each(|name| self.forget(name, at_ms));
        }
        self.scheduler.set_standing(
            id,
            match record.to {
                Standing::Up => placement::Standing::Up,
                Standing::Drain => placement::Standing::Draining,
                Standing::Down => placement::Standing::Down,
            },
        );
        if let Some(known) = self.hosts.get_mut(&record.host) {
            known.standing = record.to;
        }
        let at_ms = self.next_tick();
        self.recorder.change(at_ms, record.clone());
        Ok(Answer::Done {})
    }

    fn job_of(&mut self, record: &JobRecord) -> Result<Job, Refusal> {
        let of = |wrong: String| Refusal(format!("the pod '{}' is not taken: {wrong}", record.name));
        check_job(record).map_err(of)?;
        if !record.needs.is_empty() {
            return Err(of("it needs labels; say by `only` which nodes it may use".to_owned()));
        }
        self.names.job(record).map_err(of)
    }

    fn decide(
        &mut self,
        mut record: JobRecord,
        only: Option<&[String]>,
        except: &[String],
        most: usize,
        explain: Explain,
    ) -> Result<Answer, Refusal> {
        let asked_ms = std::mem::take(&mut record.at_ms);
        let at_ms = self.tick(asked_ms);
        let job = self.job_of(&record)?;
        let number = |name: &String| self.hosts.get(name).map(|known| known.id);
        let except: BTreeSet<HostId> = except.iter().filter_map(number).collect();
        let only: Option<BTreeSet<HostId>> = only.map(|names| names.iter().filter_map(number).collect());
        let admits = |id: &HostId| !except.contains(id) && only.as_ref().is_none_or(|only| only.contains(id));
        let found = match most {
            0 => Vec::new(),
            most => self.scheduler.candidates(&job, at_ms, most, |id| admits(&id)),
        };
        let refused = (most > 0 && found.is_empty()).then(|| self.reasons(&job, at_ms, admits));
        let decision = (explain != Explain::Nothing).then(|| {
            if explain == Explain::Brief && refused.is_none() {
                let mut brief =
                    Explanation::of_these(&self.scheduler, &self.names, &job, at_ms, &found).document();
                (brief.at_ms, brief.last_ms) = (asked_ms, asked_ms);
                return Box::new(brief);
            }
            let mut decision =
                Explanation::of(&self.scheduler, &self.names, &job, at_ms, |id| admits(&id)).document();
            decision.host = found.first().map(|(host, _)| self.names.hosts.name(*host).to_owned());
            (decision.at_ms, decision.last_ms) = (asked_ms, asked_ms);
            Box::new(decision)
        });
        if most > 0 {
            // Only without other wishes is the first what the policy alone would choose.
            let is_free = except.is_empty() && only.is_none();
            let best = found.first().map(|(host, _)| *host).filter(|_| is_free);
            if self.decided.len() >= DECIDED_MAX {
                self.decided.pop_first();
            }
            self.decided.insert(record.name, (at_ms, best));
        }
        let place =
            |(host, value): (HostId, u32)| Place { host: self.names.hosts.name(host).to_owned(), value };
        Ok(Answer::Decided { hosts: found.into_iter().map(place).collect(), refused, decision })
    }

    /// Says why no node takes a pod.
    fn reasons(&self, job: &Job, at_ms: u64, admits: impl Fn(&HostId) -> bool) -> String {
        let mut failed: BTreeMap<Filter, u64> = BTreeMap::new();
        for (host, look) in (0..).zip(self.scheduler.look_at_all(job, at_ms)) {
            match look {
                Err(filter) => *failed.entry(filter).or_default() += 1,
                Ok(_) if !admits(&host) => *failed.entry(Filter::Excluded).or_default() += 1,
                Ok(_) => {}
            }
        }
        let each = |(filter, count): (&Filter, &u64)| match count {
            1 => format!("1 {}", filter.failed()),
            count => format!("{count}: each {}", filter.failed()),
        };
        let parts: Vec<String> = failed.iter().map(each).collect();
        match parts.is_empty() {
            true => "there is no node".to_owned(),
            false => format!("of {} nodes {}", self.scheduler.host_count(), parts.join("; ")),
        }
    }

    fn assume(&mut self, mut record: JobRecord, host: &str) -> Result<Answer, Refusal> {
        let now_ms = self.tick(std::mem::take(&mut record.at_ms));
        let Some(id) = self.hosts.get(host).map(|known| known.id) else { return Err(no_host(host)) };
        if let Some(held) = self.jobs.get(&record.name) {
            if self.scheduler.place_of(held.id) == id {
                return Ok(Answer::Done {});
            }
            let name = record.name.clone();
            self.forget(&name, now_ms);
        }
        let job = self.job_of(&record)?;
        // It comes when it was decided about: what happened since did not change the decision.
        let (at_ms, best) = match self.decided.remove(&record.name) {
            Some((at_ms, Some(best))) if best == id => (at_ms, Some(best)),
            _ => (self.next_tick(), None),
        };
        let number = self.scheduler.assume(&job, id, at_ms);
        let mut recorded = record.clone();
        if best != Some(id) {
            recorded.host = Some(host.to_owned());
        }
        self.recorder.job(at_ms, recorded);
        self.jobs.insert(record.name.clone(), Held { id: number, record });
        Ok(Answer::Done {})
    }

    fn forget(&mut self, name: &str, at_ms: u64) {
        self.decided.remove(name);
        if let Some(held) = self.jobs.remove(name) {
            self.scheduler.release(held.id);
            self.recorder.end(at_ms, name);
        }
    }

    fn observe(
        &mut self,
        ended_ms: u64,
        at_ms: u64,
        jobs: &BTreeMap<String, ObservedLoad>,
        hosts: &BTreeMap<String, u32>,
    ) {
        let number = |(name, milli): (&String, &u32)| Some((self.hosts.get(name)?.id, *milli));
        let peaks = self.scheduler.end_window(hosts.iter().filter_map(number));
        let seen = |(name, load): (&String, &ObservedLoad)| Some((self.jobs.get(name)?.id, *load));
        self.scheduler.observe(ended_ms, at_ms, jobs.iter().filter_map(seen), peaks.into_iter());
        self.scheduler.begin_window();
    }

    fn reschedule(&mut self, at_ms: u64) -> Answer {
        let at_ms = self.tick(at_ms);
        let moves = self.scheduler.reschedule(at_ms);
        let names: BTreeMap<JobId, &String> = self.jobs.iter().map(|(name, held)| (held.id, name)).collect();
        let step = |step: &placement::Move| {
            Some(Step {
                job: (*names.get(&step.job)?).clone(),
                from: self.names.hosts.name(step.from).to_owned(),
                to: self.names.hosts.name(step.to).to_owned(),
                reason: step.reason.id(),
            })
        };
        Answer::Moves(moves.iter().filter_map(step).collect())
    }

    /// Begins the trace anew, with what is there.
    fn record_anew(&mut self) {
        self.recorder = Recorder::default();
        let mut hosts: Vec<&Known> = self.hosts.values().collect();
        hosts.sort_by_key(|known| known.id);
        let mut at_ms = self.now_ms;
        let mut next = || {
            at_ms += 1;
            at_ms
        };
        for known in &hosts {
            self.recorder.host(next(), known.record.clone());
        }
        for (name, held) in &self.jobs {
            let host = self.names.hosts.name(self.scheduler.place_of(held.id)).to_owned();
            self.recorder
                .job(next(), JobRecord { name: name.clone(), host: Some(host), ..held.record.clone() });
        }
        for known in hosts.iter().filter(|known| known.standing != Standing::Up) {
            let (host, to) = (known.record.name.clone(), known.standing);
            let at_ms = next();
            self.recorder.change(at_ms, ChangeRecord { host, at_ms, to });
        }
        self.now_ms = at_ms;
        (self.anew_ms, self.is_anew_due) = (at_ms, false);
        self.decided.clear();
    }
}

const DAY_MS: u64 = 86_400_000;
/// Ten years, as long as a trace may be: beyond it sums of times could overflow.
const TIME_MS_MAX: u64 = 3650 * DAY_MS;

fn no_host(name: &str) -> Refusal {
    Refusal(format!("there is no node '{name}'"))
}

/// Reads the policy that a file is about.
fn first_policy(text: &str) -> Result<Policy, Refusal> {
    match placement::policy::read(text) {
        Ok(mut policies) if !policies.all.is_empty() => Ok(policies.all.remove(0)),
        Ok(_) => Err("the text has no policy".into()),
        Err(findings) => {
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            Err(lines.join("; ").into())
        }
    }
}
