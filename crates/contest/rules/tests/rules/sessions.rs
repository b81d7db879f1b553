//! Sessions: they are in the log, so they outlive a server.

use crate::support::*;

fn session(hash: &str, expires: Instant) -> Command {
    let proof = Proof::Address;
    Command::LogIn(NewSession { hash: hash.to_owned(), proof, expires })
}

#[test]
fn a_session_lasts_until_its_time_its_end_or_its_account() {
    let mut world = World::new(sample::contest());
    let (team, other) = (world.caller("t1"), world.caller("t2"));
    let expires = world.now + Millis::minutes(10);
    world.ask(&team, session("first", expires)).unwrap();
    let found = world.state.session("first", world.now).unwrap();
    assert_eq!((found.account.as_str(), found.age(world.now)), ("t1", Millis::ZERO));
    assert!(world.state.session("first", expires).is_none(), "its time is over");
    assert!(world.state.session("second", world.now).is_none());
    let end = || Command::LogOut("first".to_owned());
    world.ask(&other, end()).unwrap();
    assert!(world.state.session("first", world.now).is_some(), "it is another one's session");
    world.ask(&team, end()).unwrap();
    assert!(world.state.session("first", world.now).is_none());
    world.ask(&team, end()).unwrap();
    world.ask(&team, session("second", expires)).unwrap();
    let restored = State::restore(&world.state.checkpoint()).unwrap();
    assert!(restored.session("second", world.now).is_some());
    world.ask(&world.caller("admin"), Command::RemoveAccount(sample::id("t1"))).unwrap();
    assert!(world.state.session("second", world.now).is_none());
}

#[test]
fn an_account_has_a_limited_number_of_sessions() {
    let mut world = World::new(sample::contest());
    let (team, other) = (world.caller("t1"), world.caller("t2"));
    let expires = |minutes| sample::START + Millis::minutes(minutes);
    world.ask(&other, session("other", expires(1))).unwrap();
    for number in 0..21 {
        world.ask(&team, session(&format!("s{number}"), expires(100 + number))).unwrap();
    }
    let is_there = |hash: &str| world.state.session(hash, world.now).is_some();
    assert!(!is_there("s0") && is_there("s1") && is_there("s20") && is_there("other"));
}
