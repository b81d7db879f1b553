//! What an operator does, on values: a pool's life, and bad days.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod world;

use model::Reading;
use pools::*;
use world::{World, machine, measured, pool};

/// Makes something worse.
type Spoil<T> = fn(&mut T);

#[test]
fn a_pool_takes_machines_and_lets_them_in_after_their_calibration() {
    let mut world = World::new(pool(2, 4, 'a'), 3);
    assert_eq!(world.step(), ["make node m1", "make node m2"]);
    assert_eq!(world.step(), ["make pod of m1", "make pod of m2"]);
    assert_eq!(world.step(), [""; 0], "pods are made once");
    assert_eq!(world.states(), ["m1 Pending", "m2 Pending"]);
    world.happen();
    assert_eq!(world.step(), [""; 0]);
    assert_eq!(world.states(), ["m1 Starting", "m2 Starting"]);
    world.happen();
    assert_eq!(world.step(), ["m1 Enabled", "m2 Enabled"]);
    world.settle();
    assert_eq!(world.states(), ["m1 Ready", "m2 Ready"]);
    let status = world.pool_status();
    assert_eq!((status.summary.as_str(), status.calibrated, status.out), ("2/2", 2, 0));
    assert_eq!(status.reason, "2 at least");
    assert!(world.told.contains(&"Admitted m1: it judges".to_owned()), "{:?}", world.told);
    assert_eq!(world.wait(100), [""; 0], "nothing is done when nothing happens");
}

#[test]
fn an_operator_that_was_killed_at_any_step_comes_to_the_same() {
    for killed_at in 0..12 {
        let mut world = World::new(pool(2, 4, 'a'), 3);
        for step in 0..12 {
            if step == killed_at {
                world.memory = Memory::default();
            }
            world.happen();
            world.step();
        }
        assert_eq!(world.states(), ["m1 Ready", "m2 Ready"], "killed before step {killed_at}");
        assert_eq!(world.seen.pods.len(), 2);
    }
}

#[test]
fn a_machine_unlike_its_pool_is_taken_out_and_another_one_takes_its_place() {
    let noisy = |host: &mut HostSeen| host.measured = Some(measured(50_000));
    let slow = |host: &mut HostSeen| host.reference_ns = Some(11_000_000);
    let unknown = |host: &mut HostSeen| {
        host.measured = Some(Measured { lost_ppm: Reading::unavailable("no timed CPU"), ..measured(0) });
    };
    let setting = |host: &mut HostSeen| {
        let mut found = measured(0);
        found.settings.insert("governor".to_owned(), "powersave".to_owned());
        host.measured = Some(found);
    };
    let cases: [(Spoil<HostSeen>, &str); 4] = [
        (noisy, "other work takes 5.00 % of CPU 1, and the pool's budget is 2.00 %"),
        (slow, "its reference program takes 11.00 ms, 10.0 % slower than the pool's 10.00 ms"),
        (unknown, "its noise is not known: no timed CPU"),
        (setting, "its setting 'governor' does not pass: powersave"),
    ];
    for (spoil, why) in cases {
        let mut pool = pool(1, 4, 'a');
        pool.spec.calibration.settings = vec!["governor".to_owned()];
        let mut world = World::new(pool, 3);
        world.settle();
        assert_eq!(world.states(), ["m1 Ready"]);
        world.seen.pools[0].spec.size.min = 2;
        world.step();
        world.step();
        world.happen();
        world.happen();
        spoil(world.host("m2"));
        world.step();
        assert_eq!(world.host("m2").state, HostState::Disabled, "{why}");
        world.settle();
        assert_eq!(world.states(), ["m1 Ready", "m2 Out", "m3 Ready"], "{why}");
        assert_eq!(world.node("m2").status.as_ref().unwrap().reason, why);
        assert!(world.told.contains(&format!("TakenOut m2: {why}")), "{:?}", world.told);
        assert!(world.seen.pods.iter().all(|pod| pod.judge_node != "m2"));
        // It stays out until it is calibrated again.
        assert_eq!(world.wait(1_000), [""; 0]);
        world.node("m2").spec.calibrate = 1;
        world.seen.pools[0].spec.size.min = 3;
        world.settle();
        assert_eq!(world.states(), ["m1 Ready", "m2 Ready", "m3 Ready"], "{why}");
    }
}

#[test]
fn a_machine_that_drifts_is_taken_out_by_the_servers_word() {
    let mut world = World::new(pool(1, 4, 'a'), 2);
    world.settle();
    let host = world.host("m1");
    (host.state, host.reason) = (HostState::Disabled, "its reference program became 9 % slower".to_owned());
    world.settle();
    assert_eq!(world.states(), ["m1 Out", "m2 Ready"]);
    let told = "TakenOut m1: its reference program became 9 % slower".to_owned();
    assert!(world.told.contains(&told), "{:?}", world.told);
}

#[test]
fn a_calibration_that_never_ends_and_a_pod_that_never_starts_end_at_the_limit() {
    let mut world = World::new(pool(1, 1, 'a'), 1);
    world.step();
    world.step();
    world.happen();
    world.happen();
    world.host("m1").reference_ns = None;
    world.wait(250);
    assert_eq!(world.states(), ["m1 Calibrating"]);
    world.wait(60);
    assert_eq!(world.states(), ["m1 Out"]);
    let reason = &world.node("m1").status.as_ref().unwrap().reason;
    assert_eq!(reason, "its calibration did not end within 300 s: its reference program has not run yet");

    let mut world = World::new(pool(1, 1, 'a'), 1);
    world.step();
    world.step();
    world.seen.pods[0].problem = Some("ErrImagePull no such image".to_owned());
    world.wait(310);
    let reason = &world.node("m1").status.as_ref().unwrap().reason;
    assert_eq!(reason, "its pod did not start within 300 s: ErrImagePull no such image");
}

#[test]
fn a_machine_ends_its_work_before_it_leaves_but_not_for_ever() {
    let mut world = World::new(pool(2, 2, 'a'), 2);
    world.settle();
    world.host("m1").jobs = 3;
    world.node("m1").spec.drain = true;
    world.wait(5);
    assert_eq!((world.host("m1").state, world.seen.pods.len()), (HostState::Draining, 2));
    assert_eq!(world.node("m1").status.as_ref().unwrap().reason, "it was asked to drain; it judges 3 more");
    world.host("m1").jobs = 0;
    world.settle();
    assert_eq!(world.states(), ["m1 Drained", "m2 Ready"]);
    world.node("m1").spec.drain = false;
    world.settle();
    assert_eq!(world.states(), ["m1 Ready", "m2 Ready"]);
    // Work that does not end is given to others.
    world.host("m1").jobs = 3;
    world.node("m1").spec.drain = true;
    world.wait(130);
    assert_eq!(world.host("m1").state, HostState::Disabled);
    world.host("m1").jobs = 0;
    world.settle();
    assert_eq!(world.states(), ["m1 Drained", "m2 Ready"]);
}

#[test]
fn images_roll_one_by_one() {
    let mut world = World::new(pool(3, 3, 'a'), 3);
    world.settle();
    world.seen.pools[0].spec.image = pool(1, 1, 'b').spec.image;
    let mut fewest = 3;
    let mut changed = 0;
    for _ in 0..60 {
        world.happen();
        let done = world.wait(1);
        changed += done.iter().filter(|word| word.starts_with("make pod")).count();
        let ready = world.states().iter().filter(|state| state.ends_with("Ready")).count();
        fewest = fewest.min(ready);
    }
    assert_eq!((fewest, changed), (2, 3), "{:?}", world.states());
    assert_eq!(world.states(), ["m1 Ready", "m2 Ready", "m3 Ready"]);
}

#[test]
fn a_change_stops_at_the_first_machine_that_fails_with_it() {
    let mut world = World::new(pool(2, 4, 'a'), 4);
    world.settle();
    world.seen.pools[0].spec.image = pool(1, 1, 'b').spec.image;
    // With the new image nothing is measured.
    for _ in 0..400 {
        world.happen();
        for host in world.seen.server.as_mut().unwrap().hosts.values_mut() {
            if host.state == HostState::Waiting {
                host.measured = Some(measured(500_000));
            }
        }
        world.wait(1);
        let ready = world.states().iter().filter(|state| state.ends_with("Ready")).count();
        assert!(ready >= 1, "{:?}", world.states());
    }
    // The third one took the place of the first one while that changed; the fourth one is spared.
    assert_eq!(world.states(), ["m1 Out", "m2 Ready", "m3 Out"]);
    let why = "the change to its present image and settings stopped, since m1 was taken out with them";
    assert_eq!(world.pool_status().reason, why);
    // A better image goes on, and takes another machine in place of those that are out.
    world.seen.pools[0].spec.image = pool(1, 1, 'c').spec.image;
    for _ in 0..60 {
        world.happen();
        world.wait(1);
    }
    assert_eq!(world.states(), ["m1 Out", "m2 Ready", "m3 Out", "m4 Ready"]);
}

#[test]
fn a_pool_grows_at_once_and_shrinks_after_a_while() {
    let mut world = World::new(pool(1, 4, 'a'), 4);
    world.settle();
    let queue = QueueSeen { waiting: 90, judging: 2, judging_mean_ms: Some(1_000), ..QueueSeen::default() };
    *world.queue() = queue;
    // 92 submissions of a second, in 30 s.
    world.settle();
    assert_eq!(world.states().len(), 4, "{:?}", world.states());
    assert_eq!(world.pool_status().reason, "90 wait and 2 are judged");
    *world.queue() = QueueSeen::default();
    world.host("m2").jobs = 1;
    world.wait(300);
    assert_eq!(world.states().len(), 4, "fewer are enough, but not for long");
    *world.queue() = queue;
    world.wait(1);
    *world.queue() = QueueSeen::default();
    world.wait(500);
    assert_eq!(world.states().len(), 4, "the wait began again");
    for _ in 0..2_400 {
        world.happen();
        world.wait(1);
    }
    assert_eq!(world.states(), ["m2 Ready"], "the one with work stays");
}

#[test]
fn a_pool_says_why_it_has_too_few_machines() {
    let reasons: [(Spoil<World>, &str); 6] = [
        (|world| world.seen.machines.clear(), "no node has that label"),
        (
            |world| {
                drop(
                    world
                        .seen
                        .machines
                        .get_mut("m1")
                        .unwrap()
                        .labels
                        .insert(HARDWARE_LABEL.to_owned(), "xeon".to_owned()),
                )
            },
            "no node is labelled fleet.tautochrone.dev/hardware=epyc: nodes have xeon",
        ),
        (
            |world| world.seen.machines.get_mut("m1").unwrap().cpu_milli = 1_000,
            "m1: pods may have 1 CPUs and 16384 MiB of it, and a judgehost needs 2 CPUs and 4Gi",
        ),
        (
            |world| world.seen.machines.get_mut("m1").unwrap().taints.push("gpu".to_owned()),
            "m1: it has the taint gpu",
        ),
        (|world| world.seen.machines.get_mut("m1").unwrap().is_cordoned = true, "m1: it is cordoned"),
        (
            |world| {
                drop(
                    world
                        .seen
                        .machines
                        .get_mut("m1")
                        .unwrap()
                        .labels
                        .insert(BUILD_LABEL.to_owned(), "yes".to_owned()),
                )
            },
            "m1: it builds images, which executes what others wrote",
        ),
    ];
    for (spoil, why) in reasons {
        let mut world = World::new(pool(1, 1, 'a'), 1);
        spoil(&mut world);
        assert_eq!(world.step(), [""; 0]);
        let status = world.pool_status();
        assert!(
            status.reason.starts_with("1 more machine is needed") && status.reason.ends_with(why),
            "{}",
            status.reason
        );
        let condition = status.conditions.iter().find(|one| one.type_ == "Machines").unwrap();
        assert_eq!(condition.status, "False");
    }
}

#[test]
fn nothing_is_let_in_or_out_while_the_server_is_silent() {
    let mut world = World::new(pool(2, 4, 'a'), 3);
    world.settle();
    world.seen.server = None;
    assert_eq!(world.wait(600), [""; 0]);
    assert_eq!(world.pool_status().size, 2);
    let condition = world.pool_status().conditions.iter().find(|one| one.type_ == "Server").unwrap();
    assert_eq!(condition.status, "False");
}

#[test]
fn a_change_waits_while_the_server_is_silent() {
    for silent_from in 0..12 {
        let mut world = World::new(pool(2, 4, 'a'), 2);
        world.settle();
        world.seen.pools[0].spec.image = pool(1, 1, 'b').spec.image;
        for second in 0..120 {
            let server = world.seen.server.take_if(|_| (silent_from..silent_from + 30).contains(&second));
            if server.is_none() {
                world.happen();
            }
            world.wait(1);
            let ready = world.states().iter().filter(|state| state.ends_with("Ready")).count();
            assert!(ready >= 1, "silent from {silent_from}, second {second}: {:?}", world.states());
            world.seen.server = world.seen.server.take().or(server);
        }
        assert_eq!(world.states(), ["m1 Ready", "m2 Ready"], "silent from {silent_from}");
        assert_eq!(world.seen.pods.len(), 2);
    }
}

#[test]
fn a_lost_machine_is_replaced_and_comes_back() {
    let mut world = World::new(pool(2, 2, 'a'), 3);
    world.settle();
    world.host("m1").state = HostState::Away;
    world.wait(1);
    world.settle();
    assert_eq!(world.states(), ["m1 Away", "m2 Ready", "m3 Ready"]);
    assert!(world.told.iter().any(|line| line.starts_with("Away m1")), "{:?}", world.told);
    // Its Kubernetes node is removed for good: no kubelet confirms that its pod has ended.
    world.seen.machines.remove("m1");
    world.settle();
    assert_eq!(world.states(), ["m2 Ready", "m3 Ready"]);
    world.seen.machines.insert("m1".to_owned(), machine());
    assert_eq!(world.wait(5), [""; 0], "the pool has enough");
}

#[test]
fn a_pool_that_is_removed_leaves_nothing() {
    let mut world = World::new(pool(2, 2, 'a'), 2);
    world.settle();
    world.seen.pools.clear();
    world.settle();
    assert!(world.seen.nodes.is_empty() && world.seen.pods.is_empty());
    assert!(world.seen.server.unwrap().hosts.is_empty());
}

#[test]
fn the_number_of_jobs_is_written_now_and_then() {
    let mut world = World::new(pool(1, 1, 'a'), 1);
    world.settle();
    let mut writes = 0;
    for second in 0..60 {
        world.host("m1").jobs = second;
        world.seen.at_ms += 1_000;
        let shown = |world: &mut World| world.node("m1").status.as_ref().unwrap().jobs;
        let before = shown(&mut world);
        world.step();
        writes += usize::from(shown(&mut world) != before);
    }
    assert_eq!(writes, 6);
}
