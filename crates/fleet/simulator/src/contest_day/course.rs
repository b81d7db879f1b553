//! The course of a day: jobs wait, machines take them, and what a fast pool may not decide goes on to the strict one.

use super::day::{Day, Pool, PoolName, Truth};
use super::noise::Noise;
use super::place::{Follows, Happens, JudgingPlace};
use super::work::{Verdicted, Work};
use contest_rules::jobs::{CLASS_CONTEST, CLASS_PRACTICE, CLASS_REJUDGING};
use contest_rules::pools::needs_strict;
use contest_rules::{PoolId, Turns};
use judging_steps::{OPEN_PER_PLACE_MAX, Order};
use model::{Nanos, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Into how many parts the duration is divided where something is shown over time.
pub const PARTS: u64 = 60;
/// A queue that is longer than ten durations shows nothing more.
const PARTS_MAX: usize = 600;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    StrictOnly,
    /// The fast pool judges first, and what rests on a time that may be over the limit is judged again on the strict pool.
    FastThenStrict,
    /// The fast pool judges everything, with one run for each test, and its word is final. Contests do not allow that.
    FastOnly,
}

impl Policy {
    pub fn id(self) -> &'static str {
        match self {
            Self::StrictOnly => "strict-only",
            Self::FastThenStrict => "fast-then-strict",
            Self::FastOnly => "fast-only",
        }
    }
}

/// What happened on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// How everything ended that was judged, in the order in which it ended.
    pub ended: Vec<Ended>,
    pub pools: BTreeMap<PoolName, PoolCourse>,
    /// When the last verdict was there.
    pub over: Nanos,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub submission: usize,
    /// Whether it was judged again after a rejudging was ordered.
    pub is_rejudging: bool,
    /// How long it took since it arrived, or since the rejudging was ordered.
    pub took: Nanos,
    /// The verdict; a judging error where its time stayed undecided.
    pub verdict: Verdict,
    /// The verdict of a judge that knows the times.
    pub truth: Verdict,
    /// Whether the verdict is another one, and the rule for times cannot tell the test's time from the limit.
    pub is_too_close: bool,
    /// Whether the strict pool decided after the fast one.
    pub went_on: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolCourse {
    pub judgements: u64,
    /// How many of them needed more than one run of a test.
    pub repeated: u64,
    pub undecided: u64,
    pub tests: u64,
    /// How many timed runs it made for them.
    pub runs: u64,
    /// For how long its places were busy, all together.
    pub used: Nanos,
    /// The most judgements at once in each sixtieth of the duration, and after it to the end of the day.
    pub queue: Vec<Queue>,
}

/// How many judgements there were at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    pub unfinished: u32,
    /// Of these, on no machine yet.
    pub waiting: u32,
}

/// A judgement that waits or is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Job {
    submission: usize,
    class: u8,
    since: Nanos,
    pool: PoolName,
    went_on: bool,
}

#[derive(Debug)]
enum Occurs {
    Arrives(Job),
    At { pool: PoolName, place: usize, what: Happens },
}

struct Fleet {
    id: PoolId,
    places: Vec<JudgingPlace>,
    places_each: usize,
    /// By class, turn and number, as the store has them.
    waiting: BTreeSet<(u8, i64, u64)>,
    open: u32,
    /// What was measured last.
    length: Queue,
    course: PoolCourse,
}

struct Simulation<'d> {
    day: &'d Day,
    policy: Policy,
    submissions: &'d [Truth],
    /// What will happen, in order of time, then of number.
    agenda: BTreeMap<(Nanos, u64), Occurs>,
    events: u64,
    turns: Turns,
    jobs: BTreeMap<u64, Job>,
    number: u64,
    fleets: BTreeMap<PoolName, Fleet>,
    ended: Vec<Ended>,
}

/// Simulates a day. Submissions come from [`Day::submissions`]; the seed decides the disturbances.
pub fn simulate(day: &Day, submissions: &[Truth], policy: Policy, seed: u64) -> Course {
    let mut simulation = Simulation {
        day,
        policy,
        submissions,
        agenda: BTreeMap::new(),
        events: 0,
        turns: Turns::default(),
        jobs: BTreeMap::new(),
        number: 0,
        fleets: BTreeMap::new(),
        ended: Vec::new(),
    };
    for name in [PoolName::Fast, PoolName::Strict] {
        if let Some(pool) = pool(day, name) {
            simulation.fleets.insert(name, Fleet::new(pool, name, seed));
        }
    }
    let first = match policy {
        Policy::StrictOnly => PoolName::Strict,
        _ if day.fast.is_none() => PoolName::Strict,
        Policy::FastThenStrict | Policy::FastOnly => PoolName::Fast,
    };
    let class = if day.is_practice { CLASS_PRACTICE } else { CLASS_CONTEST };
    for (submission, truth) in submissions.iter().enumerate() {
        let job = Job { submission, class, since: truth.at, pool: first, went_on: false };
        simulation.happens(truth.at, Occurs::Arrives(job));
    }
    // A rejudging goes to the strict pool at once, as the contest has it; where there is only the fast one, to that.
    let again = if policy == Policy::FastOnly { first } else { PoolName::Strict };
    for rejudging in &day.rejudgings {
        let is_of = |truth: &Truth| truth.problem == rejudging.problem && truth.at <= rejudging.at;
        for (submission, _) in submissions.iter().enumerate().filter(|(_, truth)| is_of(truth)) {
            let since = rejudging.at;
            let job = Job { submission, class: CLASS_REJUDGING, since, pool: again, went_on: false };
            simulation.happens(since, Occurs::Arrives(job));
        }
    }
    simulation.run()
}

fn pool(day: &Day, name: PoolName) -> Option<&Pool> {
    match name {
        PoolName::Strict => Some(&day.strict),
        PoolName::Fast => day.fast.as_ref(),
    }
}

/// Returns the seed of a place's disturbances. What is a machine's own is the same on all its places.
pub(super) fn seed_of(noise: &Noise, seed: u64, machine: u64, place: u64) -> u64 {
    /// Knuth's multiplier for linear congruential generators: the generator itself mixes further.
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    let place = if noise.lasts.is_some() { place + 1 } else { 0 };
    [machine, place].iter().fold(seed, |seed, part| seed.wrapping_mul(MULTIPLIER).wrapping_add(part + 1))
}

impl Fleet {
    fn new(pool: &Pool, name: PoolName, seed: u64) -> Self {
        let id = match name {
            PoolName::Fast => "fast",
            PoolName::Strict => "strict",
        };
        let place = |at: u64| {
            let each = u64::from(pool.places);
            let seed = seed.wrapping_add(name as u64);
            JudgingPlace::new(pool, seed_of(&pool.noise, seed, at / each, at % each))
        };
        Self {
            id: id.parse().expect("both are ids"),
            places: (0..u64::from(pool.machines) * u64::from(pool.places)).map(place).collect(),
            places_each: pool.places as usize,
            waiting: BTreeSet::new(),
            open: 0,
            length: Queue::default(),
            course: PoolCourse { queue: vec![Queue::default()], ..PoolCourse::default() },
        }
    }

    /// Returns the place that takes the next job: on the machine with the fewest open judgings, the place with the fewest.
    fn free(&self) -> Option<usize> {
        let machines = self.places.chunks(self.places_each).enumerate();
        let open = |places: &[JudgingPlace]| places.iter().map(|place| place.open).sum::<usize>();
        let (machine, places) = machines.min_by_key(|(_, places)| open(places))?;
        let (place, least) = places.iter().enumerate().min_by_key(|(_, place)| place.open)?;
        (least.open < OPEN_PER_PLACE_MAX).then_some(machine * self.places_each + place)
    }

    /// Notes how long the queue is from now on.
    fn measure(&mut self, now: Nanos, width: u64) {
        let part = usize::try_from(now.0 / width).unwrap_or(usize::MAX).min(PARTS_MAX - 1);
        while self.course.queue.len() <= part {
            self.course.queue.push(self.length);
        }
        let waiting = self.waiting.len() as u32;
        self.length = Queue { unfinished: waiting + self.open, waiting };
        let most = &mut self.course.queue[part];
        most.unfinished = most.unfinished.max(self.length.unfinished);
        most.waiting = most.waiting.max(self.length.waiting);
    }
}

impl Simulation<'_> {
    fn happens(&mut self, at: Nanos, what: Occurs) {
        self.events += 1;
        self.agenda.insert((at, self.events), what);
    }

    fn run(mut self) -> Course {
        let (mut over, mut ended) = (Nanos::ZERO, 0);
        while let Some(((now, _), what)) = self.agenda.pop_first() {
            match what {
                Occurs::Arrives(job) => self.queue(job),
                Occurs::At { pool, place, what } => {
                    let fleet = self.fleets.get_mut(&pool).expect("only places of a fleet have events");
                    fleet.places[place].happened(now, what);
                    self.go_on(now, pool, place);
                }
            }
            self.hand_out(now);
            if self.ended.len() > ended {
                (over, ended) = (now, self.ended.len());
            }
        }
        let pools = self.fleets.into_iter().map(|(name, fleet)| {
            let used = fleet.places.iter().fold(Nanos::ZERO, |sum, place| sum + place.used);
            (name, PoolCourse { used, ..fleet.course })
        });
        let pools = pools.filter(|(_, course)| course.judgements > 0).collect();
        Course { ended: self.ended, pools, over }
    }

    fn width(&self) -> u64 {
        (self.day.duration.0 / PARTS).max(1)
    }

    fn queue(&mut self, job: Job) {
        let owner = format!("day/{}", self.submissions[job.submission].team);
        let fleet = self.fleets.get_mut(&job.pool).expect("a job is for a pool that there is");
        self.number += 1;
        let turn = self.turns.next(&fleet.id, job.class, &owner);
        self.jobs.insert(self.number, job);
        fleet.waiting.insert((job.class, turn, self.number));
    }

    /// Gives what waits to places with room.
    fn hand_out(&mut self, now: Nanos) {
        for name in [PoolName::Fast, PoolName::Strict] {
            while let Some(fleet) = self.fleets.get_mut(&name)
                && let Some(&next) = fleet.waiting.first()
                && let Some(place) = fleet.free()
            {
                fleet.waiting.remove(&next);
                fleet.open += 1;
                let (class, turn, number) = next;
                self.turns.begin(&fleet.id, class, turn);
                let job = self.jobs[&number];
                let truth = &self.submissions[job.submission];
                let one = pool(self.day, name).expect("its fleet is there");
                let work = Work::open(self.day, (job.submission, truth), one, name);
                fleet.places[place].open(number, Order::default(), work);
                self.go_on(now, name, place);
            }
        }
        let width = self.width();
        self.fleets.values_mut().for_each(|fleet| fleet.measure(now, width));
    }

    fn go_on(&mut self, now: Nanos, pool: PoolName, place: usize) {
        let mut follows = Follows::default();
        let fleet = self.fleets.get_mut(&pool).expect("only places of a fleet go on");
        fleet.places[place].go_on(self.day, now, &mut follows);
        for (at, what) in follows.happens {
            self.happens(at, Occurs::At { pool, place, what });
        }
        for (number, verdicted) in follows.done {
            self.judged(now, pool, number, &verdicted);
        }
    }

    fn judged(&mut self, now: Nanos, name: PoolName, number: u64, verdicted: &Verdicted) {
        let job = self.jobs.remove(&number).expect("what is judged was a job");
        let truth = &self.submissions[verdicted.submission];
        let verdict = verdicted.judged.outcome.verdict.0;
        let fleet = self.fleets.get_mut(&name).expect("it has judged");
        fleet.open -= 1;
        let course = &mut fleet.course;
        course.judgements += 1;
        course.repeated += u64::from(verdicted.repeats > 0);
        course.undecided += u64::from(verdict == Verdict::JudgingError);
        course.tests += verdicted.tests;
        course.runs += verdicted.runs;
        if let (Policy::FastThenStrict, Some(pool), PoolName::Fast) = (self.policy, &self.day.fast, name) {
            let limit = self.day.problems[truth.problem].time_limit;
            if needs_strict(&verdicted.judged, Some(limit), Some(pool.bound_permille)) {
                return self.queue(Job { pool: PoolName::Strict, went_on: true, ..job });
            }
        }
        self.ended.push(Ended {
            submission: job.submission,
            is_rejudging: job.class == CLASS_REJUDGING,
            took: now - job.since,
            verdict,
            truth: verdicted.truth,
            is_too_close: verdicted.is_too_close,
            went_on: job.went_on,
        });
    }
}
