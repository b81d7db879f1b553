//! Jobs and leases.

use store::{CancelledJob, ClaimedJob, JobCount, JobId, Lease, NewJob, Store};

use crate::Test;
use crate::place::{StoreLocation, append, claim, job, transact};

pub const TESTS: &[Test] = &[
    ("jobs_go_by_class_turn_and_age", jobs_go_by_class_turn_and_age),
    ("a_leased_job_is_not_claimed_again", a_leased_job_is_not_claimed_again),
    ("an_ended_lease_can_be_claimed_by_another", an_ended_lease_can_be_claimed_by_another),
    ("a_job_leaves_with_its_result_only", a_job_leaves_with_its_result_only),
    ("excluded_tags_are_passed_over", excluded_tags_are_passed_over),
    ("a_delayed_job_waits", a_delayed_job_waits),
    ("pools_are_apart", pools_are_apart),
    ("a_cancelled_job_is_gone_for_its_judgehost", a_cancelled_job_is_gone_for_its_judgehost),
    ("a_job_added_again_voids_the_lease", a_job_added_again_voids_the_lease),
    ("a_given_back_job_is_claimed_again", a_given_back_job_is_claimed_again),
    ("a_judgehost_extends_only_what_it_has", a_judgehost_extends_only_what_it_has),
    ("jobs_survive_the_writer", jobs_survive_the_writer),
    ("jobs_are_counted_and_listed", jobs_are_counted_and_listed),
    ("many_at_once", many_at_once),
];

fn add(store: &mut dyn Store, jobs: &[NewJob]) {
    transact(store, |transaction| transaction.add_jobs(jobs));
}

fn claimed(store: &mut dyn Store, request: &store::Claim) -> Vec<ClaimedJob> {
    transact(store, |transaction| transaction.claim(request))
}

fn names(jobs: &[ClaimedJob]) -> Vec<&str> {
    jobs.iter().map(|job| job.id.0.as_str()).collect()
}

fn leases(jobs: &[ClaimedJob]) -> Vec<Lease> {
    jobs.iter().map(|job| Lease { job: job.id.clone(), fence: job.fence }).collect()
}

fn jobs_go_by_class_turn_and_age(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("c/10-1", 0, 7), job("c/9-1", 0, 7), job("c/1-2", 1, 0), job("c/3-1", 0, -2)]);
    add(store, &[job("c/2-2", 2, -9), job("c/11-1", 0, 7)]);
    let first = claimed(store, &claim("h1", 3));
    assert_eq!(names(&first), ["c/3-1", "c/10-1", "c/9-1"]);
    assert!(first[0].fence < first[1].fence && first[1].fence < first[2].fence);
    assert_eq!((first[0].attempts, &*first[0].body), (1, "{\"job\":\"c/3-1\"}"));
    assert_eq!(names(&claimed(store, &claim("h1", 9))), ["c/11-1", "c/1-2", "c/2-2"]);
    assert_eq!(claimed(store, &claim("h1", 9)), []);
}

fn a_leased_job_is_not_claimed_again(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0), job("b", 0, 1)]);
    let (first, second) = transact(store, |transaction| {
        Ok((transaction.claim(&claim("h1", 1))?, transaction.claim(&claim("h2", 5))?))
    });
    assert_eq!((names(&first), names(&second)), (vec!["a"], vec!["b"]));
}

fn an_ended_lease_can_be_claimed_by_another(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0)]);
    let first = claimed(store, &claim("h1", 1));
    let at = |now_ms| store::Claim { now_ms, lease_until_ms: now_ms + 60_000, ..claim("h2", 1) };
    assert_eq!(claimed(store, &at(159_999)), []);
    // An ended lease is current until another judgehost claims the job.
    let holds = |store: &mut dyn Store, host: &str, jobs: &[ClaimedJob]| {
        transact(store, |transaction| transaction.holds(host, &leases(jobs)))
    };
    assert_eq!(holds(store, "h1", &first), [true]);
    assert_eq!(holds(store, "h2", &first), [false]);
    let second = claimed(store, &at(160_000));
    assert!(second[0].fence > first[0].fence);
    assert_eq!(second[0].attempts, 2);
    assert_eq!(holds(store, "h1", &first), [false]);
    assert_eq!(holds(store, "h2", &second), [true]);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&first))), [false]);
    assert_eq!(transact(store, |transaction| transaction.give_back(&leases(&first), 0)), [false]);
    assert_eq!(transact(store, |transaction| transaction.extend("h1", &leases(&first), 999_999)), [false]);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&second))), [true]);
}

fn a_job_leaves_with_its_result_only(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0), job("b", 0, 0)]);
    let jobs = claimed(store, &claim("h1", 2));
    let result = store.transact(&mut |transaction| {
        assert_eq!(transaction.finish(&leases(&jobs))?, [true, true]);
        transaction.append(&["result".to_owned()])?;
        Err(store::StoreError::GivenUp)
    });
    assert!(result.is_err());
    let held = transact(store, |transaction| transaction.holds("h1", &leases(&jobs)));
    assert_eq!(held, [true, true]);
    // Finished twice in one batch: the second is stale.
    let twice = [&leases(&jobs)[..], &leases(&jobs)[..1]].concat();
    assert_eq!(transact(store, |transaction| transaction.finish(&twice)), [true, true, false]);
    assert_eq!(store.jobs(0, 10).unwrap(), []);
}

fn excluded_tags_are_passed_over(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    let tagged = |id, tags: &[&str]| NewJob {
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..job(id, 0, 0)
    };
    add(store, &[tagged("a", &["package:1", "language:c"]), tagged("b", &["package:2", "language:c"])]);
    add(store, &[tagged("c", &["package:2", "language:d"]), tagged("d", &[]), tagged("e", &["not:h1"])]);
    let excluding = |tags: &[&str]| store::Claim {
        excluded_tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..claim("h1", 9)
    };
    let jobs = claimed(store, &excluding(&["package:1", "language:d", "not:h1", "other"]));
    assert_eq!(names(&jobs), ["b", "d"]);
    assert_eq!(names(&claimed(store, &excluding(&["package:1"]))), ["c", "e"]);
    assert_eq!(names(&claimed(store, &excluding(&[]))), ["a"]);
}

fn a_delayed_job_waits(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[NewJob { not_before_ms: 100_001, ..job("a", 0, 0) }]);
    assert_eq!(claimed(store, &claim("h1", 1)), []);
    assert_eq!(names(&claimed(store, &store::Claim { now_ms: 100_001, ..claim("h1", 1) })), ["a"]);
}

fn pools_are_apart(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[NewJob { pool: "fast".to_owned(), ..job("a", 0, 0) }, job("b", 0, 1)]);
    assert_eq!(names(&claimed(store, &claim("h1", 9))), ["b"]);
}

fn a_cancelled_job_is_gone_for_its_judgehost(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0), job("b", 0, 0)]);
    let jobs = claimed(store, &claim("h1", 1));
    let ids: Vec<JobId> = ["b", "nowhere", "a"].map(JobId::from).to_vec();
    let mut cancelled = transact(store, |transaction| transaction.cancel_jobs(&ids));
    cancelled.sort_by(|left, right| left.id.cmp(&right.id));
    let expected =
        |id: &str, host: Option<&str>| CancelledJob { id: id.into(), host: host.map(str::to_owned) };
    assert_eq!(cancelled, [expected("a", Some("h1")), expected("b", None)]);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&jobs))), [false]);
    // Under the same name again: the old lease is not the new one.
    add(store, &[job("a", 0, 0)]);
    let again = claimed(store, &claim("h2", 1));
    assert!(again[0].fence > jobs[0].fence);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&jobs))), [false]);
}

fn a_job_added_again_voids_the_lease(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0)]);
    let jobs = claimed(store, &claim("h1", 1));
    add(store, &[NewJob { body: "other".to_owned(), ..job("a", 1, 5) }]);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&jobs))), [false]);
    let again = claimed(store, &claim("h2", 1));
    assert_eq!((&*again[0].body, again[0].attempts), ("other", 1));
    assert!(again[0].fence > jobs[0].fence);
}

fn a_given_back_job_is_claimed_again(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0), job("b", 0, 1), job("c", 0, 2)]);
    let jobs = claimed(store, &claim("h1", 2));
    let back = transact(store, |transaction| transaction.give_back(&leases(&jobs)[..1], 100_001));
    assert_eq!(back, [true]);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&jobs)[..1])), [false]);
    assert_eq!(names(&claimed(store, &claim("h2", 9))), ["c"]);
    let later = store::Claim { now_ms: 100_001, ..claim("h2", 9) };
    let again = claimed(store, &later);
    assert_eq!((names(&again), again[0].attempts), (vec!["a"], 2));
    // A judgehost that starts anew has nothing.
    let mut all = transact(store, |transaction| transaction.give_back_all("h2", 0));
    all.sort();
    assert_eq!(all, [JobId::from("a"), JobId::from("c")]);
    assert_eq!(names(&claimed(store, &later)), ["a", "c"]);
}

fn a_judgehost_extends_only_what_it_has(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    add(store, &[job("a", 0, 0), job("b", 0, 1), job("c", 0, 2)]);
    let mine = claimed(store, &claim("h1", 2));
    let other = claimed(store, &claim("h2", 1));
    let all = [leases(&mine), leases(&other)].concat();
    assert_eq!(transact(store, |transaction| transaction.extend("h1", &all[1..], 500_000)), [true, false]);
    let later = store::Claim { now_ms: 200_000, ..claim("h3", 9) };
    assert_eq!(names(&claimed(store, &later)), ["a", "c"]);
}

fn jobs_survive_the_writer(place: &StoreLocation) {
    let mut opened = place.open();
    add(&mut *opened.store, &[job("a", 0, 0), job("b", 0, 0)]);
    let jobs = claimed(&mut *opened.store, &claim("h1", 1));
    drop(opened);
    let mut opened = place.open();
    let store = &mut *opened.store;
    let next = claimed(store, &claim("h2", 9));
    assert_eq!(names(&next), ["b"]);
    assert!(next[0].fence > jobs[0].fence);
    assert_eq!(transact(store, |transaction| transaction.finish(&leases(&jobs))), [true]);
}

fn jobs_are_counted_and_listed(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    let delayed = NewJob { not_before_ms: 200_000, ..job("d", 0, 9) };
    add(store, &[job("a", 0, 0), job("b", 0, 1), job("c", 1, 0), delayed]);
    let jobs = claimed(store, &claim("h1", 1));
    let count = |class, waiting, delayed, leased| JobCount {
        pool: "strict".to_owned(),
        class,
        waiting,
        delayed,
        leased,
    };
    assert_eq!(store.job_counts(100_000).unwrap(), [count(0, 1, 1, 1), count(1, 1, 0, 0)]);
    assert_eq!(store.job_counts(900_000).unwrap(), [count(0, 3, 0, 0), count(1, 1, 0, 0)]);
    let list = store.jobs(0, 9).unwrap();
    let ids: Vec<&str> = list.iter().map(|job| job.id.0.as_str()).collect();
    assert_eq!(ids, ["a", "b", "d", "c"]);
    let lease = list[0].lease.clone().unwrap();
    assert_eq!((&*lease.host, lease.fence, lease.until_ms), ("h1", jobs[0].fence, 160_000));
    assert_eq!((list[1].lease.clone(), list[2].not_before_ms), (None, 200_000));
    assert_eq!(store.jobs(3, 9).unwrap().len(), 1);
    append(store, &["still open"]);
}

fn many_at_once(place: &StoreLocation) {
    let mut opened = place.open();
    let store = &mut *opened.store;
    let jobs: Vec<NewJob> = (0..1000).map(|number| job(&format!("c/{number}-1"), 0, number / 7)).collect();
    add(store, &jobs);
    let mut taken: Vec<ClaimedJob> = Vec::new();
    while taken.len() < 1000 {
        let host = format!("h{}", taken.len() % 8);
        taken.extend(claimed(store, &claim(&host, 64)));
    }
    let order: Vec<&str> = jobs.iter().map(|job| job.id.0.as_str()).collect();
    assert_eq!(names(&taken), order);
    assert!(taken.is_sorted_by(|left, right| left.fence < right.fence));
    let finished = transact(store, |transaction| transaction.finish(&leases(&taken)));
    assert_eq!(finished, vec![true; 1000]);
}
