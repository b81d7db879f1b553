//! How slow a client may be. Without a limit on the average, one that sends or takes a byte now and then keeps its place for
//! ever.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// Less on average than the slowest network on which anybody takes part.
const BYTES_PER_S: u32 = 8 << 10;
/// How long a client may keep the server waiting before the average counts, and at once.
const CREDIT_MAX: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("less than {} KiB were sent or taken each second", BYTES_PER_S >> 10)]
pub struct TooSlow;

/// How long a client may still keep the server waiting: bytes earn time, and waiting for it costs time.
struct Credit(Duration);

impl Credit {
    fn change(&mut self, waited: Duration, bytes: usize) {
        let earned = Duration::from_secs_f64(bytes as f64 / f64::from(BYTES_PER_S));
        self.0 = (self.0.saturating_sub(waited) + earned).min(CREDIT_MAX);
    }
}

/// Watches one direction of one client.
pub struct Pace {
    credit: Credit,
    /// Since when the server waits for the client, and until when it does.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { credit: Credit(CREDIT_MAX), waiting: None }
    }
}

impl Pace {
    /// Notes that bytes moved.
    pub fn moved(&mut self, bytes: usize) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
        self.credit.change(waited, bytes);
    }

    /// Notes that the client keeps the server waiting; is ready when it has done so for too long.
    pub fn poll_waited(&mut self, context: &mut Context<'_>) -> Poll<TooSlow> {
        let until = |now: Instant| (now, Box::pin(sleep_until(now + self.credit.0)));
        let (_, timer) = self.waiting.get_or_insert_with(|| until(Instant::now()));
        timer.as_mut().poll(context).map(|()| TooSlow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `bytes` after each wait, and returns after how many of 1000 waits there is no credit left.
    fn ends_after(bytes: usize, wait: Duration) -> Option<usize> {
        let mut credit = Credit(CREDIT_MAX);
        (1..=1000).find(|_| {
            let is_over = credit.0 < wait;
            credit.change(wait, bytes);
            is_over
        })
    }

    #[test]
    fn pace_is_measured_on_average() {
        let second = Duration::from_secs(1);
        assert_eq!(ends_after(BYTES_PER_S as usize, second), None, "just fast enough");
        assert_eq!(ends_after(BYTES_PER_S as usize / 2, second), Some(60));
        assert_eq!(ends_after(1, second), Some(31), "a byte a second");
        assert_eq!(ends_after(BYTES_PER_S as usize * 20, second * 20), None, "in bursts");
        assert_eq!(
            ends_after(1 << 30, CREDIT_MAX + second),
            Some(1),
            "what came before allows no longer silence"
        );
    }

    #[tokio::test]
    async fn waiting_logins_end() {
        let credit = Duration::from_millis(20);
        let mut pace = Pace { credit: Credit(credit), waiting: None };
        let begin = Instant::now();
        let waited = std::future::poll_fn(|context| pace.poll_waited(context)).await;
        assert_eq!(waited, TooSlow);
        assert!(begin.elapsed() >= credit);
    }
}
