//! Who runs when.

use super::{Measured, Series};
use std::ops::ControlFlow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Which command, from 0.
    pub command: usize,
    /// Which run of this command, from 0; warm-ups count by themselves.
    pub run: u32,
    /// Whether its result is discarded.
    pub is_warm_up: bool,
}

/// What was done before it stopped.
#[derive(Debug)]
pub struct Stopped<E> {
    /// Every run that was done.
    pub series: Vec<Series>,
    /// Why it stopped before its time; none if it did not.
    pub error: Option<E>,
}

/// Plans the turns: first every command's warm-ups, then the runs.
///
/// Two or more commands take turns forwards and backwards (A B, B A, A B, ...), so that a machine that
/// grows slower or faster all the while is as bad for each, and none always follows the same one.
pub fn turns(commands: usize, warm_ups: u32, runs: u32) -> impl Iterator<Item = Turn> {
    let warm = (0..commands)
        .flat_map(move |command| (0..warm_ups).map(move |run| Turn { command, run, is_warm_up: true }));
    let measured = (0..runs).flat_map(move |run| {
        (0..commands).map(move |place| {
            let command = if run.is_multiple_of(2) { place } else { commands - 1 - place };
            Turn { command, run, is_warm_up: false }
        })
    });
    warm.chain(measured)
}

/// Takes the turns one after the other; `after` hears of each that counts, with all that was done so far, and may end it.
/// The first error ends it, too, and what was done is kept.
pub fn take_turns<E>(
    commands: usize,
    turns: impl IntoIterator<Item = Turn>,
    mut run: impl FnMut(&Turn) -> Result<Measured, E>,
    mut after: impl FnMut(&Turn, &[Series]) -> Result<ControlFlow<()>, E>,
) -> Stopped<E> {
    let mut series = vec![Series::default(); commands];
    for turn in turns {
        let done = run(&turn).and_then(|measured| {
            if turn.is_warm_up {
                return Ok(ControlFlow::Continue(()));
            }
            series[turn.command].runs.push(measured);
            after(&turn, &series)
        });
        match done {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => break,
            Err(error) => return Stopped { series, error: Some(error) },
        }
    }
    Stopped { series, error: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::tests::measured;

    fn order(commands: usize, warm_ups: u32, runs: u32) -> String {
        turns(commands, warm_ups, runs)
            .map(|turn| {
                let letter = [["A", "B", "C"], ["a", "b", "c"]][usize::from(turn.is_warm_up)][turn.command];
                format!("{letter}{}", turn.run)
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn two_commands_run_forwards_and_backwards() {
        assert_eq!(order(1, 1, 3), "a0 A0 A1 A2");
        assert_eq!(order(2, 2, 4), "a0 a1 b0 b1 A0 B0 B1 A1 A2 B2 B3 A3");
        assert_eq!(order(2, 0, 1), "A0 B0");
        assert_eq!(order(3, 0, 2), "A0 B0 C0 C1 B1 A1");
    }

    #[test]
    fn it_may_end_after_any_turn() {
        let enough = |_: &Turn, series: &[Series]| {
            Ok::<_, ()>(if series[1].runs.len() == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        let stopped = take_turns(3, turns(3, 1, 9), |_| Ok(measured(100, 0)), enough);
        let lengths: Vec<_> = stopped.series.iter().map(|series| series.runs.len()).collect();
        assert_eq!((stopped.error, lengths), (None, vec![1, 2, 2]));
    }

    #[test]
    fn what_was_done_before_an_error_is_kept() {
        let mut received = Vec::new();
        let stopped = take_turns(
            2,
            turns(2, 1, 3),
            |turn| if turn.run == 2 { Err("broke") } else { Ok(measured(100 + turn.run as u64, 0)) },
            |turn, series| {
                received.push((turn.command, series[0].runs.len(), series[1].runs.len()));
                Ok(ControlFlow::Continue(()))
            },
        );
        assert_eq!(stopped.error, Some("broke"));
        let lengths: Vec<_> = stopped.series.iter().map(|series| series.runs.len()).collect();
        assert_eq!(lengths, [2, 2]);
        assert_eq!(received, [(0, 1, 0), (1, 1, 1), (1, 1, 2), (0, 2, 2)]);
    }
}
