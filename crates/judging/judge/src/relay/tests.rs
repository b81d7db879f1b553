use super::*;
use model::{Evidence, Reading, Usage, Verdict};
use ruling::{Ruling, TimeRule};
use std::cell::Cell;
use std::sync::mpsc::channel;

/// Makes a relay between two sides, and returns their ends of the pipes: those they write to, and the one from which the
/// interactor reads, which does not block.
fn relay(output_limit: u64) -> (Relay, [OwnedFd; 2], OwnedFd) {
    let [from_submission, to_interactor, from_interactor, to_submission] = [(); 4].map(|()| pipe().unwrap());
    let submission = Direction::new(from_submission.read, to_interactor.write, true);
    let interactor = Direction::new(from_interactor.read, to_submission.write, false);
    rustix::io::ioctl_fionbio(&to_interactor.read, true).unwrap();
    let relay = Relay::new(submission, interactor, output_limit);
    (relay, [from_submission.write, from_interactor.write], to_interactor.read)
}

fn is_signalled(event: &OwnedFd) -> bool {
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut [PollFd::new(event, PollFlags::IN)], Some(&at_once)) == Ok(1)
}

/// What an interactor does each time the relay asks whether it waits for more.
#[derive(Clone, Copy, Debug)]
enum Act {
    Works,
    Waits,
    Ends(Reply),
}

/// How a conversation goes on after a submission has written some bytes.
#[derive(Clone, Copy)]
struct Script {
    written: usize,
    output_limit: u64,
    /// Whether the interactor decides after the submission's end, which otherwise is a failure.
    decides: bool,
    acts: &'static [Act],
}

impl Script {
    /// Returns whether each side was stopped, whether the interactor saw the end, and how many bytes it got. It takes
    /// them one after the other, each time the relay has nothing else to do.
    fn play(self) -> (bool, bool, bool, usize) {
        let (mut relay, [from_submission, from_interactor], from_relay) = relay(self.output_limit);
        let stop = Stop::new().unwrap();
        rustix::io::write(&from_submission, &vec![b'x'; self.written]).unwrap();
        let (notify, received) = channel();
        let run =
            RunResult { end: RunEnd::Exited(0), usage: Usage::default(), evidence: Evidence::default() };
        notify.send(End::Submission(Some(Box::new(run)))).unwrap();
        drop((from_submission, from_interactor));
        let got = Cell::new(0);
        let has_ended = Cell::new(false);
        let acts = Cell::new(self.acts);
        let end = |reply| {
            if !has_ended.replace(true) {
                notify.send(End::Interactor(reply)).unwrap();
            }
        };
        let sides = Sides {
            decides: &|_| self.decides,
            waits: &|_| match acts.take() {
                [] => false,
                [act, rest @ ..] => {
                    acts.set(rest);
                    if let Act::Ends(reply) = act {
                        end(*reply);
                    }
                    matches!(act, Act::Waits)
                }
            },
            patience: Duration::from_secs(3600),
            // It is asked for each time.
            is_cancelled: &|| {
                let mut byte = [0];
                match rustix::io::read(&from_relay, &mut byte) {
                    Ok(0) => end(Reply::Accepted),
                    Ok(_) => got.set(got.get() + 1),
                    Err(_) => {}
                }
                if is_signalled(&stop.interactor) {
                    end(Reply::Other);
                }
                false
            },
        };
        relay.run(&received, &stop, &sides).unwrap();
        (is_signalled(&stop.submission), is_signalled(&stop.interactor), relay.saw_end, got.get())
    }
}

#[test]
fn slow_and_fast_interactors_decide_alike() {
    use Act::{Ends, Waits, Works};
    let fails = Script { written: 10, output_limit: 10, decides: false, acts: &[] };
    for (acts, saw_end) in [
        (&[Ends(Reply::Other)][..], false),
        (&[Works, Works, Works, Ends(Reply::Other)], false),
        (&[Works, Ends(Reply::Accepted)], false),
        (&[Waits], true),
        (&[Works, Works, Works, Waits], true),
        // It neither ends nor waits in all the time it has.
        (&[Works, Ends(Reply::OverLimit)], true),
    ] {
        let (_, stopped, saw, got) = Script { acts, ..fails }.play();
        assert_eq!((saw, stopped, got), (saw_end, matches!(acts.last(), Some(Waits)), 10), "{acts:?}");
    }
}

#[test]
fn an_interactor_sees_the_end_of_a_submission_that_may_be_right_at_once() {
    let ends = Script { written: 10, output_limit: 10, decides: true, acts: &[] };
    assert_eq!(ends.play(), (false, false, true, 10));
}

#[test]
fn output_over_the_limit_is_not_relayed() {
    let floods = Script { written: 13, output_limit: 10, decides: true, acts: &[Act::Works, Act::Waits] };
    assert_eq!(floods.play(), (true, true, true, 10));
    let rejected = Script { acts: &[Act::Works, Act::Ends(Reply::Other)], ..floods };
    assert_eq!(rejected.play(), (true, false, false, 10));
}

#[test]
fn an_interactor_that_does_not_react_is_not_waited_for_without_end() {
    let (mut relay, [from_submission, from_interactor], _from_relay) = relay(10);
    let stop = Stop::new().unwrap();
    rustix::io::write(&from_submission, b"never read").unwrap();
    let (notify, received) = channel();
    notify
        .send(End::Submission(Some(Box::new(RunResult {
            end: RunEnd::Exited(1),
            usage: Usage::default(),
            evidence: Evidence::default(),
        }))))
        .unwrap();
    drop((from_submission, from_interactor));
    let sides = Sides {
        decides: &|_| false,
        waits: &|_| panic!("not everything was taken"),
        patience: Duration::ZERO,
        is_cancelled: &|| {
            if is_signalled(&stop.interactor) {
                // It may have ended before, and then does not listen.
                let _ = notify.send(End::Interactor(Reply::Other));
            }
            false
        },
    };
    relay.run(&received, &stop, &sides).unwrap();
    assert!(relay.saw_end);
}

#[test]
fn a_conversation_is_over_though_something_holds_its_pipes() {
    let (mut relay, _held_by_a_socket, _from_relay) = relay(10);
    let stop = Stop::new().unwrap();
    let (notify, received) = channel();
    notify.send(End::Submission(None)).unwrap();
    notify.send(End::Interactor(Reply::Other)).unwrap();
    let sides = Sides {
        decides: &|_| true,
        waits: &|_| false,
        patience: Duration::from_secs(3600),
        is_cancelled: &|| false,
    };
    relay.run(&received, &stop, &sides).unwrap();
}

#[test]
fn too_much_output_stands_in_the_run_itself() {
    let noted = |end, stated: &[u8]| {
        let (mut relay, [from_submission, _interactor], _listener) = relay(3);
        rustix::io::write(&from_submission, stated).unwrap();
        relay.pass().unwrap();
        relay.over_limit = relay.submission.passed > relay.output_limit;
        let usage = Usage { output: Reading::Known(Bytes(1)), ..Usage::default() };
        let mut run = RunResult { end, usage, evidence: Evidence::default() };
        relay.note_output(&mut run);
        run
    };
    let run = noted(RunEnd::Signaled(9), b"1234");
    assert_eq!(run.end, RunEnd::Limit(LimitKind::Output));
    assert_eq!(run.usage.output, Reading::Known(Bytes(5)));
    let rule = TimeRule::new(Nanos::from_millis(1000));
    let Ruling::Verdict { verdict, .. } = rule.rule(&[run], 0) else { panic!("it is certain") };
    assert_eq!(verdict, Verdict::OutputLimitExceeded);
    assert_eq!(noted(RunEnd::Signaled(9), b"123").end, RunEnd::Signaled(9));
    let memory = RunEnd::Limit(LimitKind::Memory);
    assert_eq!(noted(memory, b"1234").end, memory);
}
