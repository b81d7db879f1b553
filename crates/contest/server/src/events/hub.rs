//! The latest notices of all contests, and the streams that wait for the next ones.

use super::ring::{Entry, Missed, Ring};
use super::{positions, words};
use contest_rules::{Audience, ContestId, Notice, Object};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::watch;

/// Notices that the public or a jury can catch up on after a cut connection: 15 minutes of ten times the World Finals' load,
/// 200 bytes each.
const SHARED_MAX: usize = 65_536;
/// The same for one team of a thousand.
const TEAM_MAX: usize = 128;
/// The longest piece that a client gets at once. Then others have their turn.
const PIECE_BYTES_MAX: usize = 16 << 10;

#[derive(Default)]
pub struct Hub {
    contests: Mutex<HashMap<ContestId, Arc<Channel>>>,
    stopping: watch::Sender<bool>,
}

/// The notices of one contest.
pub struct Channel {
    rings: RwLock<BTreeMap<Audience, Ring>>,
    /// Changes after each notice.
    version: watch::Sender<u64>,
}

/// A client's position.
pub struct Cursor {
    audiences: Vec<Audience>,
    positions: Vec<u64>,
    must_reset: bool,
}

impl Hub {
    /// Ends all streams: clients connect again to the next server.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Returns whether streams end, as it changes.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Takes notices, and wakes the streams that wait for them.
    pub fn take(&self, batch: &[Notice]) {
        let mut changed: HashMap<&ContestId, Arc<Channel>> = HashMap::new();
        for notice in batch {
            let Some(contest) = &notice.contest else { continue };
            let channel = changed.entry(contest).or_insert_with(|| self.channel(contest));
            channel.push(notice);
        }
        for channel in changed.values() {
            channel.version.send_modify(|version| *version += 1);
        }
    }

    /// Returns the notices of a contest.
    pub fn channel(&self, contest: &ContestId) -> Arc<Channel> {
        let mut contests = self.contests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = contests.get(contest) {
            return channel.clone();
        }
        let channel = Arc::new(Channel { rings: RwLock::default(), version: watch::Sender::new(0) });
        contests.entry(contest.clone()).or_insert(channel).clone()
    }
}

impl Channel {
    fn push(&self, notice: &Notice) {
        let entry = Entry { object: notice.object.clone(), line: words::line(notice) };
        let empty = || Ring::after(notice.number - 1, ring_max(&notice.audience));
        let mut rings = self.write();
        rings.entry(notice.audience.clone()).or_insert_with(empty).push(notice.number, entry);
    }

    /// Returns a count that changes after each notice.
    pub fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Keeps the notices of an audience from now on. `last` is how many it has had.
    pub fn keep(&self, audience: &Audience, last: u64) {
        let empty = || Ring::after(last, ring_max(audience));
        self.write().entry(audience.clone()).or_insert_with(empty);
    }

    /// Returns what an audience was notified of after a position.
    /// Fails when that is not known any more.
    pub fn since(&self, audience: &Audience, position: u64) -> Result<Vec<Object>, Missed> {
        let rings = self.read();
        let objects = rings.get(audience).ok_or(Missed)?.since(position)?;
        Ok(objects.map(|(_, entry)| entry.object.clone()).collect())
    }

    /// Returns the number of an audience's last notice of something that others refer to.
    pub fn last_referred(&self, audience: &Audience) -> u64 {
        self.read().get(audience).map_or(0, Ring::last_referred)
    }

    /// Returns a client's cursor: after the event with this id, or after the latest one. `last` returns how many notices an
    /// audience has had.
    pub fn cursor(
        &self,
        audiences: Vec<Audience>,
        last_id: Option<&str>,
        last: impl Fn(&Audience) -> u64,
    ) -> Cursor {
        for audience in &audiences {
            self.keep(audience, last(audience));
        }
        let wanted = last_id.map(|id| positions::read(id, &audiences));
        let must_reset = wanted == Some(None);
        let positions = wanted.flatten().unwrap_or_else(|| audiences.iter().map(last).collect());
        Cursor { audiences, positions, must_reset }
    }

    /// Returns the next piece of a client's stream, empty if there is nothing new, and moves its cursor.
    pub fn next(&self, cursor: &mut Cursor) -> String {
        let rings = self.read();
        let mut piece = String::new();
        let is_lost = |(audience, position): (&Audience, &u64)| {
            rings.get(audience).is_some_and(|ring| ring.since(*position).is_err())
        };
        let must_reset = std::mem::take(&mut cursor.must_reset);
        if must_reset || cursor.audiences.iter().zip(&cursor.positions).any(is_lost) {
            for (audience, position) in cursor.audiences.iter().zip(&mut cursor.positions) {
                *position = rings.get(audience).map_or(*position, Ring::last);
            }
            return format!("id: {}\nevent: reset\ndata:\n\n", cursor.id());
        }
        for index in 0..cursor.audiences.len() {
            let Some(ring) = rings.get(&cursor.audiences[index]) else { continue };
            let Ok(entries) = ring.since(cursor.positions[index]) else { continue };
            for (number, entry) in entries {
                if piece.len() >= PIECE_BYTES_MAX {
                    return piece;
                }
                cursor.positions[index] = number;
                piece.push_str("id: ");
                piece.push_str(&cursor.id());
                piece.push('\n');
                piece.push_str(&entry.line);
            }
        }
        piece
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<Audience, Ring>> {
        self.rings.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<Audience, Ring>> {
        self.rings.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cursor {
    pub fn id(&self) -> String {
        positions::write(self.audiences.iter().zip(self.positions.iter().copied()))
    }

    /// Returns whose events the client gets.
    pub fn audiences(&self) -> &[Audience] {
        &self.audiences
    }
}

fn ring_max(audience: &Audience) -> usize {
    if matches!(audience, Audience::Team(_)) { TEAM_MAX } else { SHARED_MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> ContestId {
        "c".parse().unwrap()
    }

    fn notice(audience: &Audience, number: u64) -> Notice {
        let (contest, audience) = (Some(id()), audience.clone());
        Notice { contest, audience, number, object: Object::Board, is_gone: false }
    }

    fn team() -> Audience {
        Audience::Team("t".parse().unwrap())
    }

    const LINE: &str = "data: {\"type\":\"scoreboard\"}\n\n";

    #[test]
    fn a_client_gets_what_is_new_and_goes_on_after_a_cut() {
        let hub = Hub::default();
        let channel = hub.channel(&id());
        let both = vec![Audience::Public, team()];
        let mut cursor = channel.cursor(both.clone(), None, |_| 4);
        assert_eq!(channel.next(&mut cursor), "");
        hub.take(&[notice(&Audience::Public, 5), notice(&team(), 5), notice(&Audience::Jury, 9)]);
        assert_eq!(channel.next(&mut cursor), format!("id: p5t4@t\n{LINE}id: p5t5@t\n{LINE}"));
        assert_eq!(channel.next(&mut cursor), "");
        hub.take(&[notice(&Audience::Public, 6)]);
        let mut again = channel.cursor(both.clone(), Some("p5t5@t"), |_| 0);
        assert_eq!(channel.next(&mut again), format!("id: p6t5@t\n{LINE}"));
        let mut stranger = channel.cursor(vec![Audience::Public], Some("p5t5@t"), |_| 0);
        assert_eq!(channel.next(&mut stranger), "id: p6\nevent: reset\ndata:\n\n");
        assert_eq!(channel.next(&mut stranger), "");
    }

    #[test]
    fn a_client_that_missed_notices_gets_an_error() {
        let hub = Hub::default();
        let channel = hub.channel(&id());
        let mut cursor = channel.cursor(vec![team()], None, |_| 0);
        let many = TEAM_MAX as u64 + 1;
        hub.take(&(1..=many).map(|number| notice(&team(), number)).collect::<Vec<_>>());
        assert_eq!(channel.next(&mut cursor), format!("id: t{many}@t\nevent: reset\ndata:\n\n"));
        assert_eq!(channel.next(&mut cursor), "");
        // Nothing was missed while the server was down.
        let restarted = Hub::default().channel(&id());
        let mut cursor = restarted.cursor(vec![team()], Some("t7@t"), |_| 7);
        assert_eq!(restarted.next(&mut cursor), "");
        let mut cursor = restarted.cursor(vec![team()], Some("t6@t"), |_| 7);
        assert!(restarted.next(&mut cursor).contains("event: reset"));
    }

    #[test]
    fn a_long_piece_is_cut() {
        let hub = Hub::default();
        let channel = hub.channel(&id());
        let mut cursor = channel.cursor(vec![Audience::Jury], None, |_| 0);
        hub.take(&(1..=2000).map(|number| notice(&Audience::Jury, number)).collect::<Vec<_>>());
        let (mut pieces, mut events) = (0, 0);
        loop {
            let piece = channel.next(&mut cursor);
            if piece.is_empty() {
                break;
            }
            assert!(piece.len() <= PIECE_BYTES_MAX + 100);
            (pieces, events) = (pieces + 1, events + piece.matches("data:").count());
        }
        assert_eq!(events, 2000);
        assert!(pieces > 2);
    }
}
