//! Moves between hosts, and of cores within one.

use super::super::reschedule::MoveReason;
use super::*;

#[test]
fn jobs_leave_a_hot_host_until_it_is_cool_and_then_rest() {
    let mut scheduler = fleet("load-aware", &[8, 8]);
    let jobs: Vec<JobId> =
        (0..4).map(|_| scheduler.place(&standard(2), 0).expect("there is room").job).collect();
    let on = |scheduler: &Scheduler, host| scheduler.jobs_of(host).len();
    assert_eq!((on(&scheduler, 0), on(&scheduler, 1)), (2, 2));
    let mut at_ms = 0;
    let mut see = |scheduler: &mut Scheduler, heavy: &[JobId]| {
        for _ in 0..30 {
            at_ms += WINDOW_MS;
            let seen = |job: &JobId| {
                let milli = if heavy.contains(job) { 3800 } else { 200 };
                (*job, ObservedLoad { mean_milli: milli, peak_milli: milli })
            };
            scheduler.observe(at_ms, at_ms, jobs.iter().map(seen), std::iter::empty());
        }
        at_ms
    };
    let heavy = scheduler.jobs_of(0).to_vec();
    let now_ms = see(&mut scheduler, &heavy);
    let moves = scheduler.reschedule(now_ms);
    assert_eq!(moves.len(), 1, "one move cools the host: {moves:?}");
    assert_eq!((moves[0].from, moves[0].to), (0, 1));
    assert!(scheduler.reschedule(now_ms).is_empty(), "nothing moves back");
}

/// A fleet with one host of two NUMA nodes, under a policy that lets jobs rest for an hour.
fn two_nodes(cpus: u32, memory_mib: u32) -> (Scheduler, impl Fn(u32) -> Job) {
    let mut policy = Policy::built_in("load-aware").expect("it is built in");
    policy.rescheduling.as_mut().expect("it moves").pause_max_ms = 400;
    let mut scheduler = Scheduler::new(policy);
    scheduler.add_host(Host { numa_nodes: 2, noise_permille: Some(1), ..host(cpus) }, "default");
    let strict = move |cpus| {
        let request = Amount { cpu_milli: cpus * 1000, memory_mib };
        Job { level: Level::Strict, request, ..standard(cpus) }
    };
    (scheduler, strict)
}

#[test]
fn strict_jobs_change_their_cores_for_one_that_needs_a_numa_node() {
    let (mut scheduler, strict) = two_nodes(8, 1024);
    let jobs: Vec<JobId> =
        [2, 2, 2, 2].map(|cpus| scheduler.place(&strict(cpus), 0).expect("it fits").job).to_vec();
    // One job stays in each node.
    scheduler.release(jobs[0]);
    scheduler.release(jobs[2]);
    let hour_ms = 3_600_000;
    let mut later = scheduler.clone();
    later.observe(hour_ms, hour_ms, std::iter::empty(), std::iter::empty());
    assert_eq!(later.look_at_all(&strict(3), hour_ms), [Err(Filter::NumaNode)]);
    let made = later.place(&strict(3), hour_ms).expect("one job goes to the other node");
    assert_eq!(made.moves.len(), 1);
    assert_eq!((made.moves[0].reason, made.moves[0].pause_ms), (MoveReason::Cores, 100));
    later.assert_consistent();
    assert_eq!(scheduler.place(&strict(3), hour_ms - 1), None, "before, both rest");
}

#[test]
fn cores_stay_where_they_are_if_the_job_cannot_come_all_the_same() {
    let (mut scheduler, strict) = two_nodes(8, 1024);
    let of_service = |cpus| Job { service: Some(0), apart: true, ..strict(cpus) };
    let jobs = [of_service(2), strict(2), strict(2), strict(2)]
        .map(|job| scheduler.place(&job, 0).expect("it fits").job);
    scheduler.release(jobs[1]);
    scheduler.release(jobs[3]);
    let hour_ms = 3_600_000;
    scheduler.observe(hour_ms, hour_ms, std::iter::empty(), std::iter::empty());
    let before = scheduler.free_cores(0);
    assert_eq!(scheduler.place(&of_service(3), hour_ms), None, "another of its service is there");
    assert_eq!(scheduler.free_cores(0), before);
    scheduler.assert_consistent();
    assert!(scheduler.place(&strict(3), hour_ms).is_some());
}

#[test]
fn timed_jobs_and_large_ones_keep_their_cores() {
    let changes = |job: &dyn Fn(&Job) -> Job, memory_mib| {
        let (mut scheduler, strict) = two_nodes(8, memory_mib);
        let jobs = [2, 2, 2, 2].map(|cpus| scheduler.place(&job(&strict(cpus)), 0).expect("it fits").job);
        scheduler.release(jobs[0]);
        scheduler.release(jobs[2]);
        scheduler.observe(3_600_000, 3_600_000, std::iter::empty(), std::iter::empty());
        scheduler.place(&strict(3), 3_600_000).is_some()
    };
    assert!(changes(&Job::clone, 1024));
    assert!(!changes(&|job| Job { noise_max_permille: Some(5), ..job.clone() }, 1024), "they are timed");
    assert!(!changes(&Job::clone, 5 * 1024), "to move 5 GiB takes half a second");
}

#[test]
fn jobs_rest_before_their_host_is_emptied() {
    let mut policy = Policy::built_in("load-aware").expect("it is built in");
    policy.rescheduling.as_mut().expect("it moves").empty_below_permille = Some(300);
    let mut scheduler = Scheduler::new(policy);
    (0..2).for_each(|_| {
        scheduler.add_host(host(8), "default");
    });
    (0..2).for_each(|_| assert!(scheduler.place(&standard(1), 0).is_some()));
    let observe = |scheduler: &mut Scheduler, at_ms| {
        scheduler.observe(at_ms, at_ms, std::iter::empty(), std::iter::empty());
    };
    observe(&mut scheduler, 3_599_999);
    assert_eq!(scheduler.reschedule(3_599_999), [], "they came less than an hour ago");
    observe(&mut scheduler, 3_600_000);
    assert_eq!(scheduler.reschedule(3_600_000).len(), 1);
    assert_eq!(scheduler.reschedule(3_600_000), [], "what moved rests");
}

#[test]
fn jobs_move_to_another_cluster_only_where_the_policy_lets_them() {
    let moved = |between_clusters| {
        let mut policy = Policy::built_in("load-aware").expect("it is built in");
        policy.rescheduling.as_mut().expect("it moves").between_clusters = between_clusters;
        let mut scheduler = Scheduler::new(policy);
        scheduler.add_host(host(8), "default");
        scheduler.add_host(Host { cluster: 1, ..host(8) }, "default");
        let job = scheduler.place(&standard(1), 0).expect("it fits");
        scheduler.set_standing(job.host, Standing::Draining);
        let moves = scheduler.reschedule(1);
        moves.iter().map(|step| (step.from, step.to)).collect::<Vec<_>>()
    };
    assert_eq!(moved(false), []);
    assert_eq!(moved(true), [(0, 1)]);
}
