//! The board, kept as bytes, so that showing it costs the contest nothing.

use super::clock::{Clock, unix_ns};
use documents::{StreamPhase, to_json_line};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use stream_rules::Contest;
use stream_rules::record::Line;

/// How often the board is made anew while something happens.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

#[derive(Default)]
pub struct BoardBytes {
    /// Changes with each board.
    pub version: u64,
    pub json: Vec<u8>,
    pub text: Vec<u8>,
}

#[derive(Clone, Default)]
pub struct LatestBoard(Arc<RwLock<Arc<BoardBytes>>>);

impl LatestBoard {
    pub fn latest(&self) -> Arc<BoardBytes> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds up lines until there are no more, and makes boards of them.
    pub(super) fn follow(
        &self,
        lines: &Receiver<Line>,
        mut contest: Contest,
        clock: Clock,
        ends_ns: Option<u64>,
    ) {
        let (mut has_changed, mut made) = (true, None::<Instant>);
        loop {
            let is_due = has_changed && made.is_none_or(|made| made.elapsed() >= SHOWN_EVERY);
            if is_due {
                self.set(&contest, phase(clock, ends_ns));
                (has_changed, made) = (false, Some(Instant::now()));
            }
            match lines.recv_timeout(SHOWN_EVERY / 4) {
                Ok(line) => {
                    contest.apply(line);
                    has_changed = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.set(&contest, phase(clock, ends_ns));
    }

    fn set(&self, contest: &Contest, phase: StreamPhase) {
        let board = contest.board(phase);
        // Those of an earlier server are smaller, so that its board is not taken for this one.
        let version = unix_ns().max(self.latest().version + 1);
        let shown = BoardBytes {
            version,
            json: to_json_line(&board).into_bytes(),
            text: contest.text(&board).into_bytes(),
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(shown);
    }
}

fn phase(clock: Clock, ends_ns: Option<u64>) -> StreamPhase {
    if !clock.has_begun() {
        StreamPhase::Before
    } else if ends_ns.is_some_and(|ends_ns| clock.now_ns() >= ends_ns) {
        StreamPhase::Over
    } else {
        StreamPhase::Running
    }
}
