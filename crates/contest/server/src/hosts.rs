//! What the server knows about judgehosts apart from the log: when each last sent a request, and what they run.

use crate::clock::system_now;
use contest_rules::pools::{Drift, DriftRule, Drifted};
use contest_rules::view::View;
use contest_rules::{Instant, JudgehostId, JudgementKey, LanguageId};
use documents::contest::Obstacle;
use documents::judgehost::{JudgehostMachine, MACHINE_BYTES_MAX, MachineReport, PlaceNow, ReferenceTime};
use model::{Nanos, ScoreRules};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often a judgehost sends a heartbeat.
pub const HEARTBEAT_S: u32 = 5;
/// How long a lease lasts after a heartbeat: five may be lost.
pub const LEASE_S: u32 = 30;
/// After this long without a request a judgehost is shown as away.
const AWAY_MS: i64 = 15_000;
/// After so long without a word, or with a job that it does not take, nothing waits for a judgehost.
const GONE_MS: i64 = 60_000;
/// More than any fleet; then the one whose last request is oldest is forgotten.
const HOSTS_MAX: usize = 10_000;

/// More than any fleet that a page can show: what the machines of others are is not kept.
const SHOWN_MAX: usize = 1_000;
/// A day of times of the reference program, two each minute.
const REFERENCES_MAX: usize = 2_880;
/// The most places, and judgings of a place, that are shown.
const PLACES_MAX: usize = 1_024;
const WORK_MAX: usize = 64;
/// More than there are languages.
const LANGUAGES_MAX: usize = 256;
/// More than a judgehost fetches at once.
const PACKAGES_MAX: usize = 64;

/// How the tags of rules for points begin.
const SCORES: &str = "scores:";
/// How the tags of languages begin.
const LANGUAGE: &str = "language:";

/// Returns the tag of jobs in a language.
pub fn language_tag(language: &str) -> String {
    format!("{LANGUAGE}{language}")
}

/// Returns the tag of jobs whose points are computed by some rules; `None` for those that each judgehost knows.
pub fn scores_tag(rules: ScoreRules) -> Option<String> {
    (rules != ScoreRules::Format).then(|| format!("{SCORES}{rules}"))
}

pub struct Hosts {
    /// Since when requests are noted.
    began: AtomicI64,
    hosts: Mutex<HashMap<JudgehostId, Host>>,
    shown: Mutex<HashMap<JudgehostId, MachineDetails>>,
}

/// What people see of a judgehost's machine. It is large, so it lies apart from what each claim needs.
#[derive(Default)]
struct MachineDetails {
    machine: Option<Box<MachineReport>>,
    /// Whether the judgehost has described its machine, even if nothing is kept of that.
    is_described: bool,
    places: Vec<PlaceNow>,
    references: VecDeque<ReferenceTime>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    pub seen: Instant,
    pub instance: String,
    pub jobs: u32,
    /// The tags of jobs that it does not take at present.
    pub excluded: Vec<String>,
    /// The languages that it has not tested yet.
    pub untested: Vec<String>,
    /// The packages of the jobs that it was given last: one that is replaced meanwhile is still fetched.
    packages: VecDeque<String>,
    drift: Drift,
    last_reference: Option<Nanos>,
}

impl Host {
    /// Returns a judgehost that has just started.
    pub fn started(instance: &str) -> Self {
        Self { instance: instance.to_owned(), ..Self::default() }
    }

    /// Takes the languages that it has not tested yet.
    pub fn not_tested(&mut self, mut languages: Vec<String>) {
        languages.truncate(LANGUAGES_MAX);
        self.untested = languages;
    }

    /// Lists the languages that do not work on it.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        self.excluded.iter().filter_map(|tag| tag.strip_prefix(LANGUAGE))
    }

    /// Lists the rules for points that its version of `tauto` does not know.
    pub fn unknown_scores(&self) -> impl Iterator<Item = &str> {
        self.excluded.iter().filter_map(|tag| tag.strip_prefix(SCORES))
    }

    /// Notes the package of a job that it is given.
    pub fn given(&mut self, package: &str) {
        self.packages.retain(|known| known != package);
        self.packages.truncate(PACKAGES_MAX - 1);
        self.packages.push_front(package.to_owned());
    }

    /// Takes times of the reference program, and returns what was found, if the judgehost has become slower.
    pub fn measured(&mut self, times: &[ReferenceTime]) -> Option<Drifted> {
        let rule = DriftRule::default();
        self.last_reference = times.last().map(|time| Nanos(time.cpu_time_ns)).or(self.last_reference);
        let add = |time: &ReferenceTime| {
            let at = Instant(i64::try_from(time.at_unix_ms).unwrap_or(i64::MAX));
            self.drift.add(&rule, at, Nanos(time.cpu_time_ns))
        };
        // All of them, also after one that reports.
        times.iter().map(add).fold(None, Option::or)
    }

    /// Returns the time of the reference program at first, and the last one.
    pub fn reference(&self) -> (Option<Nanos>, Option<Nanos>) {
        (self.drift.expected(&DriftRule::default()), self.last_reference)
    }
}

impl Hosts {
    pub fn new(began: Instant) -> Self {
        Self { began: AtomicI64::new(began.0), hosts: Mutex::default(), shown: Mutex::default() }
    }

    /// Waits for all judgehosts as after a start.
    pub fn begin_again(&self, now: Instant) {
        self.began.store(now.0, Ordering::Relaxed);
    }

    fn began(&self) -> Instant {
        Instant(self.began.load(Ordering::Relaxed))
    }

    /// Returns whether nothing was heard of a judgehost for a while: after a start, or where another server took over, all have as long
    /// again.
    pub fn is_away(&self, id: &JudgehostId, now: Instant) -> bool {
        (now - self.last_seen(self.get(id).as_ref())).0 > AWAY_MS
    }

    fn last_seen(&self, host: Option<&Host>) -> Instant {
        let began = self.began();
        host.map_or(began, |host| host.seen.max(began))
    }

    /// Returns whether a judgehost will take a job with these tags: it has sent a request lately, and does not exclude them.
    pub fn takes(&self, id: &JudgehostId, tags: &[String], now: Instant) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let host = hosts.get(id);
        (now - self.last_seen(host)).0 < GONE_MS
            && host.is_none_or(|host| !tags.iter().any(|tag| host.excluded.contains(tag)))
    }

    /// Returns why no judgehost begins a judgement that waits, other than those before it.
    pub fn obstacle(&self, view: &View<'_>, judgement: JudgementKey) -> Option<Obstacle> {
        let now = system_now();
        let tags = |language: &LanguageId| vec![language_tag(language.as_str())];
        view.obstacle(judgement, &|host, language| {
            self.takes(host, &language.map(tags).unwrap_or_default(), now)
        })
    }

    /// Notes a request of a judgehost, and returns what was known before.
    pub fn update(&self, id: &JudgehostId, change: impl FnOnce(&mut Host)) -> Option<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let before = hosts.get(id).cloned();
        if before.is_none() && hosts.len() >= HOSTS_MAX {
            let oldest = hosts.iter().min_by_key(|(_, host)| host.seen).map(|(id, _)| id.clone());
            oldest.map(|id| hosts.remove(&id));
        }
        change(hosts.entry(id.clone()).or_default());
        before
    }

    /// Returns whether one of these judgehosts was given a job with a package lately.
    pub fn were_given<'a>(&self, mut ids: impl Iterator<Item = &'a JudgehostId>, package: &str) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        ids.any(|id| hosts.get(id).is_some_and(|host| host.packages.iter().any(|known| known == package)))
    }

    /// Changes what is known about a judgehost, and returns something of it.
    pub fn with<T>(&self, id: &JudgehostId, change: impl FnOnce(&mut Host) -> T) -> Option<T> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id).map(change)
    }

    pub fn describe(&self, id: &JudgehostId, machine: Option<Box<MachineReport>>) {
        let is_small = |machine: &MachineReport| {
            serde_json::to_vec(machine).is_ok_and(|bytes| bytes.len() <= MACHINE_BYTES_MAX)
        };
        let machine = machine.filter(|machine| is_small(machine));
        let mut shown = self.lock_shown();
        if shown.len() < SHOWN_MAX || shown.contains_key(id) {
            let entry = shown.entry(id.clone()).or_default();
            (entry.machine, entry.is_described) = (machine, true);
        }
    }

    /// Takes what a heartbeat says, and returns whether the judgehost should describe its machine.
    pub fn show(&self, id: &JudgehostId, references: &[ReferenceTime], mut places: Vec<PlaceNow>) -> bool {
        places.truncate(PLACES_MAX);
        places.iter_mut().for_each(|place| place.work.truncate(WORK_MAX));
        let mut shown = self.lock_shown();
        if shown.len() >= SHOWN_MAX && !shown.contains_key(id) {
            return false;
        }
        let entry = shown.entry(id.clone()).or_default();
        entry.places = places;
        entry.references.extend(references);
        let surplus = entry.references.len().saturating_sub(REFERENCES_MAX);
        entry.references.drain(..surplus);
        !entry.is_described
    }

    /// Returns what people see of a judgehost's machine.
    pub fn shown(&self, id: &JudgehostId) -> JudgehostMachine {
        let shown = self.lock_shown();
        let Some(MachineDetails { machine, places, references, .. }) = shown.get(id) else {
            return JudgehostMachine::default();
        };
        JudgehostMachine {
            machine: machine.as_deref().cloned(),
            places: places.clone(),
            references: references.iter().copied().collect(),
        }
    }

    pub fn hide(&self, id: &JudgehostId) {
        self.lock_shown().remove(id);
    }

    fn lock_shown(&self) -> MutexGuard<'_, HashMap<JudgehostId, MachineDetails>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, id: &JudgehostId) -> Option<Host> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn away_or_unwilling_judgehosts_take_no_job() {
        let minute = |minute: i64| Instant(minute * 60_000);
        let hosts = Hosts::new(minute(10));
        let host: JudgehostId = "h".parse().unwrap();
        let tags = ["language:c".to_owned(), "package:00".to_owned()];
        assert!(hosts.takes(&host, &tags, minute(10)), "no request is known from before the start");
        assert!(!hosts.takes(&host, &tags, minute(11)));
        hosts.update(&host, |entry| entry.seen = minute(11));
        assert!(hosts.takes(&host, &tags, minute(11)));
        hosts.update(&host, |entry| entry.excluded = vec!["package:00".to_owned()]);
        assert!(!hosts.takes(&host, &tags, minute(11)) && hosts.takes(&host, &tags[..1], minute(11)));
        assert!(!hosts.takes(&host, &[], minute(12)));
    }

    #[test]
    fn a_machine_is_asked_for_until_it_is_described_and_nothing_grows_without_end() {
        let hosts = Hosts::new(Instant(0));
        let host: JudgehostId = "h".parse().unwrap();
        let times = |from: u64| -> Vec<_> {
            (from..from + 1_000).map(|at| ReferenceTime { cpu_time_ns: 1, at_unix_ms: at }).collect()
        };
        assert!(hosts.show(&host, &times(0), Vec::new()), "the server was just started");
        let machine = MachineReport { helper_cpus: "0".to_owned(), ..MachineReport::default() };
        hosts.describe(&host, Some(Box::new(machine.clone())));
        let place = PlaceNow { cpus: "1".to_owned(), work: Vec::new() };
        assert!(!hosts.show(&host, &times(1_000), vec![place.clone(); 2 * PLACES_MAX]));
        assert!(!hosts.show(&host, &times(2_000), vec![place.clone()]));
        let shown = hosts.shown(&host);
        assert_eq!((shown.machine.as_ref(), shown.places), (Some(&machine), vec![place]));
        let ends = |at: Option<&ReferenceTime>| at.map(|time| time.at_unix_ms);
        assert_eq!(shown.references.len(), REFERENCES_MAX);
        assert_eq!((ends(shown.references.first()), ends(shown.references.last())), (Some(120), Some(2_999)));
        let large = MachineReport { places: vec!["0".repeat(MACHINE_BYTES_MAX)], ..MachineReport::default() };
        hosts.describe(&host, Some(Box::new(large)));
        assert_eq!(hosts.shown(&host).machine, None);
        assert!(!hosts.show(&host, &[], Vec::new()), "it would say the same again");
        hosts.hide(&host);
        assert_eq!(hosts.shown(&host), JudgehostMachine::default());
    }

    #[test]
    fn a_judgehost_that_became_slower_is_found() {
        let mut host = Host::default();
        let minute = |minute: u64, cpu_time_ns| ReferenceTime { cpu_time_ns, at_unix_ms: minute * 60_000 };
        let usual: Vec<_> = (0..120).map(|at| minute(at, 1_000_000)).collect();
        assert_eq!(host.measured(&usual), None);
        let slow: Vec<_> = (120..180).map(|at| minute(at, 1_100_000)).collect();
        let found = host.measured(&slow).map(|found| (found.expected, found.lowest));
        assert_eq!(found, Some((Nanos(1_000_000), Nanos(1_100_000))));
        assert_eq!(host.reference(), (Some(Nanos(1_000_000)), Some(Nanos(1_100_000))));
    }
}
