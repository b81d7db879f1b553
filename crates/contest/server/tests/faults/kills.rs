//! kill -9 of server, judgehost, or both, at random moments.

use crate::world::{ServerData, World};
use fastrand::Rng;
use std::time::Duration;

const HOSTS: [&str; 2] = ["h1", "h2"];

pub fn killed(kills: usize) -> Result<(), String> {
    let seed = test_database::seed();
    let mut random = Rng::with_seed(seed);
    let mut world = World::new(ServerData::folder());
    HOSTS.iter().for_each(|id| world.start_host(id));
    for kill in 0..kills {
        let context = format!("seed {seed}, kill {kill}");
        for _ in 0..random.u64(..6) {
            let status = world.submit();
            assert_eq!(status, Ok(201), "{context}");
        }
        world.look(&context);
        std::thread::sleep(Duration::from_micros(random.u64(..60_000)));
        let host = HOSTS[random.u64(..2) as usize];
        let what = random.u64(..3);
        if what != 1 {
            world.kill_server();
        }
        if what != 0 {
            world.kill_host(host);
            world.start_host(host);
        }
        if what != 1 {
            world.start_server();
        }
        world.look(&context);
        if kill % 10 == 9 {
            world.check(&context);
        }
    }
    world.check(&format!("seed {seed}, at the end"));
    Ok(())
}
