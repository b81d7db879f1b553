use super::*;
use Action::{Exit, Kill, Report, Start, Terminate};
use Ending::{Code, Signal};
use Event::{Ended, Ready, Stop};
use Part::{Judgehost, Server};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn serving(judgehosts: u32) -> Supervision {
    let (mut supervision, first) = Supervision::start(ms(0), judgehosts);
    assert_eq!(first, Start(Server));
    let started: Vec<Action> = (1..=judgehosts).map(|number| Start(Judgehost(number))).collect();
    assert_eq!(supervision.on(ms(1), Ready), started);
    assert_eq!(supervision.due_at(), None);
    supervision
}

#[test]
fn a_server_that_cannot_start_ends_everything_with_its_code() {
    for (ending, code) in [(Code(2), 2), (Code(3), 3), (Signal(9), 137)] {
        let (mut supervision, _) = Supervision::start(ms(0), 1);
        assert_eq!(supervision.on(ms(5), Ended(Server, ending)), [Exit(code)]);
    }
}

#[test]
fn restarts_wait_longer_each_time() {
    for part in [Server, Judgehost(1)] {
        let mut supervision = serving(1);
        let mut now = ms(10);
        for wait in [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000].map(ms) {
            assert_eq!(supervision.on(now, Ended(part, Signal(9))), [Report(part, Signal(9), Some(wait))]);
            assert_eq!(supervision.due_at(), Some(now + wait));
            assert_eq!(supervision.due(now + wait - ms(1)), []);
            now += wait;
            assert_eq!(supervision.due(now), [Start(part)]);
            assert_eq!(supervision.due(now), []);
        }
        now += STEADY;
        assert_eq!(supervision.on(now, Ended(part, Code(3))), [Report(part, Code(3), Some(WAIT_MIN))]);
        // A server that is there again is nothing new.
        assert_eq!(supervision.on(now, Ready), []);
    }
}

#[test]
fn a_judgehost_that_is_refused_is_left_out() {
    let mut supervision = serving(2);
    assert_eq!(supervision.on(ms(9), Ended(Judgehost(2), Code(2))), [Report(Judgehost(2), Code(2), None)]);
    assert_eq!(supervision.due_at(), None);
    assert_eq!(supervision.on(ms(10), Stop), [Terminate(Judgehost(1))]);
}

#[test]
fn judgehosts_drain_before_the_server_stops() {
    let mut supervision = serving(2);
    assert_eq!(supervision.on(ms(10), Stop), [Terminate(Judgehost(1)), Terminate(Judgehost(2))]);
    assert_eq!(supervision.on(ms(20), Ended(Judgehost(2), Code(0))), []);
    assert_eq!(supervision.on(ms(30), Ended(Judgehost(1), Code(0))), [Terminate(Server)]);
    assert_eq!(supervision.on(ms(40), Ended(Server, Code(0))), [Exit(0)]);
}

#[test]
fn without_judgehosts_the_server_stops_at_once() {
    let mut supervision = serving(0);
    assert_eq!(supervision.on(ms(10), Stop), [Terminate(Server)]);
    assert_eq!(supervision.on(ms(40), Ended(Server, Code(3))), [Exit(1)]);
    let (mut supervision, _) = Supervision::start(ms(0), 1);
    assert_eq!(supervision.on(ms(10), Stop), [Terminate(Server)]);
}

#[test]
fn nothing_waits_for_a_restart_when_a_stop_was_requested() {
    let mut supervision = serving(1);
    supervision.on(ms(5), Ended(Judgehost(1), Signal(9)));
    supervision.on(ms(6), Ended(Server, Signal(9)));
    assert_eq!(supervision.on(ms(10), Stop), [Exit(0)]);
}

#[test]
fn an_impatient_or_late_stop_kills() {
    let mut supervision = serving(1);
    supervision.on(ms(10), Stop);
    assert_eq!(supervision.on(ms(11), Stop), [Kill(Judgehost(1))]);
    assert_eq!(supervision.on(ms(12), Ended(Judgehost(1), Signal(9))), [Terminate(Server)]);
    assert_eq!(supervision.on(ms(13), Stop), [Kill(Server)]);
    assert_eq!(supervision.on(ms(14), Ended(Server, Signal(9))), [Exit(1)]);

    let mut supervision = serving(1);
    supervision.on(ms(0), Stop);
    assert_eq!(supervision.due_at(), Some(DRAIN_MAX));
    assert_eq!(supervision.due(DRAIN_MAX), [Kill(Judgehost(1))]);
    assert_eq!(supervision.on(DRAIN_MAX, Ended(Judgehost(1), Signal(9))), [Terminate(Server)]);
    assert_eq!(supervision.due(DRAIN_MAX + STOP_MAX), [Kill(Server)]);
}

#[test]
fn a_server_that_dies_while_judgehosts_drain_ends_them() {
    let mut supervision = serving(1);
    supervision.on(ms(10), Stop);
    let actions = supervision.on(ms(11), Ended(Server, Signal(11)));
    assert_eq!(actions, [Report(Server, Signal(11), None), Kill(Judgehost(1))]);
    assert_eq!(supervision.on(ms(12), Ended(Judgehost(1), Signal(9))), [Exit(1)]);
}
