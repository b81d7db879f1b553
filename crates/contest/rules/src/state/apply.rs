//! One more event. This is the only place that changes the state.

mod awards;
mod balloons;
mod clarifications;
mod contest;
mod imported;
mod judging;
mod overview;
mod people;
mod server;
mod visibility;

use super::{AuditEntry, Changes, Contest, State};
use crate::notices::{Audience, Notice, Object};
use crate::{Body, ContestId, Event};

impl State {
    /// Takes one more event, and returns what it changed for others. An event that does not fit, which only a damaged log
    /// has, changes nothing.
    pub fn apply(&mut self, seq: u64, event: &Event) -> Changes {
        let mut changes = Changes::default();
        self.seq = seq;
        self.time = self.time.max(event.time);
        let entry = AuditEntry::new(seq, self, event);
        self.audit.extend(entry);
        match (&event.contest, &event.body) {
            (Some(id), Body::ContestSet(settings)) => self.set_contest(id, settings, event, &mut changes),
            (Some(id), Body::ContestRemoved) => self.remove_contest(id, &mut changes),
            (Some(id), body) if !body.is_of_server() && self.contests.contains_key(id) => {
                self.apply_in_contest(id, body, event, &mut changes)
            }
            (_, body) => self.apply_to_server(seq, body, event, &mut changes),
        }
        if let Some(id) = &event.contest {
            self.note_accounts_since_end(id, &mut changes);
        }
        changes
    }

    fn note(&mut self, object: Object, is_gone: bool, changes: &mut Changes) {
        self.staff_notices += 1;
        let number = self.staff_notices;
        changes.notices.push(Notice { contest: None, audience: Audience::Jury, number, object, is_gone });
    }
}

struct Change<'a> {
    id: &'a ContestId,
    contest: &'a mut Contest,
    changes: &'a mut Changes,
}

impl Change<'_> {
    fn note(&mut self, audience: Audience, object: Object, is_gone: bool) {
        let number = self.contest.numbers.next(&audience);
        self.changes.notices.push(Notice {
            contest: Some(self.id.clone()),
            audience,
            number,
            object,
            is_gone,
        });
    }

    fn note_jury(&mut self, object: Object) {
        self.note(Audience::Jury, object, false);
    }

    fn note_all(&mut self, object: Object, is_gone: bool) {
        self.note(Audience::Public, object.clone(), is_gone);
        self.note(Audience::Jury, object, is_gone);
    }
}
