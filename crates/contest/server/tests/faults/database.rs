//! A connection to PostgreSQL that is slow, and cut again and again.

use crate::world::{Place, World};
use fastrand::Rng;
use std::time::Duration;
use test_database::{Proxy, Server, url};

pub fn cut_and_slow(cuts: u64) -> Result<(), String> {
    let database = Server::start(&["fsync=off"])?;
    let seed = test_database::seed();
    let mut random = Rng::with_seed(seed);
    let proxy = Proxy::start(database.socket_folder()).unwrap();
    let mut place = Place::folder();
    place.database = url(proxy.folder(), &database.new_database().unwrap());
    let mut world = World::new(place);
    world.start_host("h1");
    world.start_host("h2");
    let mut refused = 0;
    for cut in 0..cuts {
        let context = format!("seed {seed}, cut {cut}");
        proxy.delay(Duration::from_millis(if cut % 5 == 0 { 10 } else { 0 }));
        proxy.cut_after(random.u64(..20_000));
        for _ in 0..4 {
            match world.submit() {
                Ok(201) => {}
                Ok(500..=599) | Err(_) => refused += 1,
                other => panic!("{context}: {other:?}"),
            }
        }
        world.look(&context);
        assert!(!world.server.as_mut().unwrap().has_ended(), "{context}: the server has ended");
    }
    proxy.never_cut();
    proxy.delay(Duration::ZERO);
    world.check(&format!("seed {seed}, after {cuts} cuts"));
    eprintln!("{cuts} cuts: {} submissions were acknowledged, {refused} refused", world.acknowledged.len());
    world.kill_server();
    world.start_server();
    world.check(&format!("seed {seed}, after a start from the log"));
    Ok(())
}
