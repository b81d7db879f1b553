//! Hosts that come and go.

use super::state::State;
use sched::fleet::{HostId, Standing};
use stats::Dice;

const MINUTE_MS: u64 = 60_000;

impl State {
    pub(super) fn bring_up(&mut self, host: HostId) {
        self.scheduler.set_standing(host, Standing::Up);
        self.change_place(host, |place| place.is_up = true);
        self.waiting.has_changed = true;
    }

    /// Takes a host down; its jobs wait for another one.
    pub(super) fn take_down(&mut self, host: HostId) {
        self.scheduler.set_standing(host, Standing::Down);
        for job in self.scheduler.jobs_of(host).to_vec() {
            self.settle(job);
            let mut task = self.leave(job);
            task.stop();
            self.wait(task);
        }
        self.change_place(host, |place| place.is_up = false);
    }

    pub(super) fn repair(&mut self) {
        if let Some((_, host)) = self.repairs.pop_first() {
            self.bring_up(host);
        }
    }

    /// Takes down the hosts that fail in this minute, drawn from the seed and the minute alone.
    pub(super) fn fail_some(&mut self) {
        let minute = self.now_ms / MINUTE_MS;
        self.next.failures_ms += MINUTE_MS;
        let mut dice = Dice::new(self.options.seed ^ (minute << 20));
        const MINUTES: usize = 1000 * 24 * 60;
        let rate = self.options.failures_per_1000_host_days as usize * self.places.len();
        let number = rate / MINUTES + usize::from(dice.below(MINUTES) < rate % MINUTES);
        for _ in 0..number {
            let host = dice.below(self.places.len());
            if self.places[host].is_up {
                self.failures += 1;
                self.take_down(host as HostId);
                self.repairs.insert((self.now_ms + self.options.repair_ms, host as HostId));
            }
        }
    }
}
