//! Hosts that come and go.

use super::places::HostLoad;
use super::state::State;
use placement::{HostId, Standing};
use stats::Dice;

const MINUTE_MS: u64 = 60_000;

impl State {
    /// Changes what is declared of a host, and what follows from it: the jobs of one that goes down wait for another.
    pub(super) fn change_standing(&mut self, host: HostId, change: impl FnOnce(&mut HostLoad)) {
        let mut place = self.places[host as usize].clone();
        let before = place.standing();
        change(&mut place);
        let HostLoad { declared, is_broken, .. } = place;
        let standing = place.standing();
        if standing != before {
            self.scheduler.set_standing(host, standing);
        }
        if standing == Standing::Down {
            for job in self.scheduler.jobs_of(host).to_vec() {
                self.settle(job);
                let mut task = self.leave(job);
                task.stop(self.now_ms);
                self.wait(task);
            }
        }
        self.change_place(host, |place| (place.declared, place.is_broken) = (declared, is_broken));
        if standing != before {
            self.room_changed();
        }
    }

    /// Repairs a host that failed. One that the trace took down or drained meanwhile stays so.
    pub(super) fn repair(&mut self) {
        if let Some((_, host)) = self.repairs.pop_first() {
            self.change_standing(host, |place| place.is_broken = false);
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
            if self.places[host].standing() != Standing::Down {
                self.failures += 1;
                self.change_standing(host as HostId, |place| place.is_broken = true);
                self.repairs.insert((self.now_ms + self.options.repair_ms, host as HostId));
            }
        }
    }
}
