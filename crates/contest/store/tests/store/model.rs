//! Random histories of jobs, compared with those of a plain list.

use store::{Claim, Fence, JobId, Lease, ListedJob, ListedLease, NewJob};

use crate::Test;
use crate::place::{StoreLocation, transact};
use fastrand::Rng;

pub const TESTS: &[Test] = &[("random_histories_of_jobs", random_histories_of_jobs)];

const STEPS: usize = 400;
const HOSTS: [&str; 3] = ["h1", "h2", "h3"];
const POOLS: [&str; 2] = ["strict", "fast"];
const TAGS: [&str; 3] = ["package:1", "language:c", "not:h1"];

#[derive(Default)]
struct Model {
    jobs: Vec<Row>,
    added: u64,
    last_fence: u64,
}

struct Row {
    number: u64,
    new: NewJob,
    attempts: u32,
    lease: Option<ListedLease>,
    not_before_ms: i64,
}

impl Model {
    fn add(&mut self, new: &NewJob) {
        self.jobs.retain(|row| row.new.id != new.id);
        self.added += 1;
        let row = Row {
            number: self.added,
            new: new.clone(),
            attempts: 0,
            lease: None,
            not_before_ms: new.not_before_ms,
        };
        self.jobs.push(row);
        self.jobs.sort_by_key(|row| (row.new.class, row.new.turn, row.number));
    }

    /// Returns names and attempts.
    fn claim(&mut self, claim: &Claim) -> Vec<(JobId, u32)> {
        let is_free = |row: &&mut Row| {
            row.new.pool == claim.pool
                && row.not_before_ms <= claim.now_ms
                && row.lease.as_ref().is_none_or(|lease| lease.until_ms <= claim.now_ms)
                && !row.new.tags.iter().any(|tag| claim.excluded_tags.contains(tag))
        };
        let mut claimed = Vec::new();
        for row in self.jobs.iter_mut().filter(is_free).take(claim.max) {
            self.last_fence += 1;
            row.attempts += 1;
            let (host, until_ms) = (claim.host.clone(), claim.lease_until_ms);
            row.lease = Some(ListedLease { host, fence: Fence(self.last_fence), until_ms });
            claimed.push((row.new.id.clone(), row.attempts));
        }
        claimed
    }

    fn current(&mut self, lease: &Lease) -> Option<&mut Row> {
        self.jobs.iter_mut().find(|row| {
            row.new.id == lease.job && row.lease.as_ref().is_some_and(|held| held.fence == lease.fence)
        })
    }

    fn listed(&self) -> Vec<ListedJob> {
        let listed = |row: &Row| ListedJob {
            id: row.new.id.clone(),
            pool: row.new.pool.clone(),
            class: row.new.class,
            turn: row.new.turn,
            owner: row.new.owner.clone(),
            not_before_ms: row.not_before_ms,
            attempts: row.attempts,
            lease: row.lease.clone(),
        };
        self.jobs.iter().map(listed).collect()
    }
}

fn pick<'a>(random: &mut Rng, from: &[&'a str]) -> &'a str {
    from[random.u64(..from.len() as u64) as usize]
}

fn new_job(random: &mut Rng, now_ms: i64) -> NewJob {
    NewJob {
        id: JobId(format!("c/{}-1", random.u64(..40))),
        pool: pick(random, &POOLS).to_owned(),
        class: random.u64(..3) as u8,
        turn: random.u64(..5) as i64 - 2,
        owner: "team".to_owned(),
        tags: TAGS.iter().filter(|_| random.u64(..3) == 0).map(|&tag| tag.to_owned()).collect(),
        not_before_ms: now_ms + random.u64(..3) as i64 * 10 - 10,
        body: random.u64(..).to_string(),
    }
}

fn random_histories_of_jobs(place: &StoreLocation) {
    let seed = test_database::seed();
    let (mut random, mut model) = (Rng::with_seed(seed), Model::default());
    let mut opened = place.open();
    let store = &mut *opened.store;
    let (mut now_ms, mut known): (i64, Vec<Lease>) = (1_000, Vec::new());
    for step in 0..STEPS {
        now_ms += random.u64(..8) as i64;
        let host = pick(&mut random, &HOSTS);
        let some: Vec<Lease> = known.iter().filter(|_| random.u64(..4) == 0).cloned().collect();
        let context = format!("seed {seed}, step {step}");
        match random.u64(..9) {
            0 | 1 => {
                let jobs: Vec<NewJob> = (0..random.u64(..6)).map(|_| new_job(&mut random, now_ms)).collect();
                transact(store, |transaction| transaction.add_jobs(&jobs));
                jobs.iter().for_each(|job| model.add(job));
            }
            2 => {
                let id = JobId(format!("c/{}-1", random.u64(..40)));
                let cancelled =
                    transact(store, |transaction| transaction.cancel_jobs(std::slice::from_ref(&id)));
                let expected: Vec<Option<String>> = model
                    .jobs
                    .extract_if(.., |row| row.new.id == id)
                    .map(|row| row.lease.map(|lease| lease.host))
                    .collect();
                assert_eq!(
                    cancelled.into_iter().map(|job| job.host).collect::<Vec<_>>(),
                    expected,
                    "{context}"
                );
            }
            3 | 4 => {
                let claim = Claim {
                    host: host.to_owned(),
                    pool: pick(&mut random, &POOLS).to_owned(),
                    max: random.u64(..4) as usize,
                    now_ms,
                    lease_until_ms: now_ms + random.u64(..60) as i64,
                    excluded_tags: TAGS
                        .iter()
                        .filter(|_| random.u64(..4) == 0)
                        .map(|&tag| tag.to_owned())
                        .collect(),
                };
                let claimed = transact(store, |transaction| transaction.claim(&claim));
                let found: Vec<(JobId, u32)> =
                    claimed.iter().map(|job| (job.id.clone(), job.attempts)).collect();
                assert_eq!(found, model.claim(&claim), "{context}");
                known.extend(claimed.into_iter().map(|job| Lease { job: job.id, fence: job.fence }));
            }
            5 => {
                let done = transact(store, |transaction| transaction.finish(&some));
                let expected = |lease: &Lease| {
                    let number = model.current(lease).map(|row| row.number);
                    model.jobs.retain(|row| Some(row.number) != number);
                    number.is_some()
                };
                assert_eq!(done, some.iter().map(expected).collect::<Vec<_>>(), "{context}");
            }
            6 => {
                let back = transact(store, |transaction| transaction.give_back(&some, now_ms + 5));
                let expected = |lease: &Lease| {
                    model
                        .current(lease)
                        .map(|row| (row.lease, row.not_before_ms) = (None, now_ms + 5))
                        .is_some()
                };
                assert_eq!(back, some.iter().map(expected).collect::<Vec<_>>(), "{context}");
            }
            7 => {
                let mut of_host = |lease: &Lease, until_ms: Option<i64>| {
                    let held = model.current(lease).and_then(|row| row.lease.as_mut());
                    held.filter(|held| held.host == host)
                        .map(|held| held.until_ms = until_ms.unwrap_or(held.until_ms))
                        .is_some()
                };
                let holds = transact(store, |transaction| transaction.holds(host, &some));
                assert_eq!(
                    holds,
                    some.iter().map(|lease| of_host(lease, None)).collect::<Vec<_>>(),
                    "{context}"
                );
                let extended = transact(store, |transaction| transaction.extend(host, &some, now_ms + 70));
                let expected: Vec<bool> =
                    some.iter().map(|lease| of_host(lease, Some(now_ms + 70))).collect();
                assert_eq!(extended, expected, "{context}");
            }
            _ if random.u64(..4) == 0 => {
                let mut back = transact(store, |transaction| transaction.give_back_all(host, now_ms));
                let mut expected = Vec::new();
                for row in &mut model.jobs {
                    if row.lease.take_if(|lease| lease.host == host).is_some() {
                        row.not_before_ms = now_ms;
                        expected.push(row.new.id.clone());
                    }
                }
                back.sort();
                expected.sort();
                assert_eq!(back, expected, "{context}");
            }
            _ => {}
        }
        assert_eq!(store.jobs(0, 1_000).unwrap(), model.listed(), "{context}");
    }
}
