//! Shows something again whenever it changes.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::IsTerminal;
use std::time::Duration;
use terminal::interrupt::Interrupt;
use terminal::print;

/// Moves to the top and clears the screen (ECMA-48: CUP, ED).
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Waits for this time, or until a stop is requested, which is an error.
pub fn pause(interrupt: &Interrupt, time: Duration) -> anyhow::Result<()> {
    let stop = interrupt.stop();
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    let mut polled = [PollFd::new(&*stop, PollFlags::IN)];
    // A signal ends it early, which makes the descriptor readable.
    let _ = poll(&mut polled, Some(&time));
    Ok(interrupt.check()?)
}

/// Prints a text, and again whenever it is another one, until a stop: on a terminal in its place, elsewhere below.
pub fn watch(every: Duration, mut text: impl FnMut() -> anyhow::Result<String>) -> anyhow::Result<()> {
    let interrupt = Interrupt::listen()?;
    let is_terminal = std::io::stdout().is_terminal();
    let mut last = String::new();
    loop {
        let now = text()?;
        if now != last {
            let separator = if is_terminal {
                CLEAR
            } else if last.is_empty() {
                ""
            } else {
                "\n"
            };
            print(&format!("{separator}{now}"))?;
            last = now;
        }
        if pause(&interrupt, every).is_err() {
            return Ok(());
        }
    }
}
