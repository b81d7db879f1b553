//! What one client has been sent, and what comes next.
//!
//! References resolve at every moment in what a client has. So of the changes that are sent together, objects come before
//! those that refer to them, and go after them:
//!
//! 1. runs and judgements that are gone (of a submission at most one judgement counts at a time),
//! 2. groups, organizations, languages, judgement types, the contest, teams, persons, accounts, problems,
//! 3. submissions, judgements, runs,
//! 4. clarifications, commentary, awards,
//! 5. what else is gone, in the opposite order,
//! 6. the state with the end of updates, so that this is the last thing of all; any other state comes first.
//!
//! All of it may be megabytes long and is read from the state as the client takes it, so that a client costs little memory and
//! keeps no other client waiting. What a submission refers to never changes; and whenever something that others refer to has changed,
//! that is sent first.

use super::lines::Lines;
use super::objects::{self, Collection};
use crate::Problem;
use crate::events::{Channel, Source, name, read_positions, write_positions};
use axum::body::Bytes;
use contest_rules::view::View;
use contest_rules::{Audience, ENDPOINTS, JudgementKey, Object, SubmissionNumber};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// The length of a piece, after which others have their turn.
const PIECE_BYTES: usize = 64 << 10;
/// A client that has more to come is too slow: it reads everything again.
const WAITING_MAX: usize = 4 * 65_536;

/// One client of a feed.
pub struct Reader {
    channel: Arc<Channel>,
    audiences: Vec<Audience>,
    /// The last notices that are sent, or wait to be.
    positions: Vec<u64>,
    begins: Option<Begin>,
    replaced: VecDeque<Object>,
    first: Lines,
    /// What others refer to, in the order in which it is sent.
    objects: BTreeSet<Placed>,
    /// Submissions that are sent with their judgements and runs.
    history: Range<u32>,
    judging: VecDeque<Object>,
    /// Clarifications and commentary.
    texts: BTreeSet<Placed>,
    awards_are_due: bool,
    last: Lines,
    gone: BTreeSet<Reverse<Placed>>,
    state: Lines,
    sent: BTreeMap<Collection, BTreeMap<String, serde_json::Value>>,
    /// By which clock the contest times were computed that the client has.
    clock: Option<u64>,
    token_is_due: bool,
    ends: bool,
}

/// An object and its place among others.
type Placed = (u8, Object);

/// How a client begins that is not sent changes alone.
#[derive(Clone, Copy, PartialEq)]
enum Begin {
    New,
    /// It has something unknown.
    Again,
}

impl Reader {
    /// Makes one: after a token, or from the beginning; it can end when it has sent everything.
    /// Fails when the token is none of this feed's.
    pub fn new(
        channel: Arc<Channel>,
        view: &View<'_>,
        token: Option<&str>,
        ends: bool,
    ) -> Result<Self, Problem> {
        let audiences = view.audiences();
        let now: Vec<u64> = audiences.iter().map(|audience| view.last_notice(audience)).collect();
        for (audience, last) in audiences.iter().zip(&now) {
            channel.keep(audience, *last);
        }
        let after = token.map(|token| {
            let positions = read_positions(token, &audiences);
            let positions = positions
                .filter(|positions| positions.iter().zip(&now).all(|(position, now)| position <= now));
            positions.ok_or_else(|| {
                let detail = "'since_token' is none that this feed gave you; connect without one";
                Problem::invalid_field("since_token", detail)
            })
        });
        let after = after.transpose()?;
        Ok(Self {
            begins: after.is_none().then_some(Begin::New),
            positions: after.unwrap_or(now),
            channel,
            audiences,
            replaced: VecDeque::new(),
            first: Lines::default(),
            objects: BTreeSet::new(),
            history: 0..0,
            judging: VecDeque::new(),
            texts: BTreeSet::new(),
            awards_are_due: false,
            last: Lines::default(),
            gone: BTreeSet::new(),
            state: Lines::default(),
            sent: BTreeMap::new(),
            clock: None,
            token_is_due: false,
            ends,
        })
    }

    fn is_idle(&self) -> bool {
        self.replaced.is_empty()
            && self.first.is_empty()
            && self.objects.is_empty()
            && self.history.is_empty()
            && self.judging.is_empty()
            && self.texts.is_empty()
            && !self.awards_are_due
            && self.last.is_empty()
            && self.gone.is_empty()
            && self.state.is_empty()
    }

    /// Returns whether something changed that is not gathered yet.
    fn is_behind(&self, view: &View<'_>) -> bool {
        self.audiences
            .iter()
            .zip(&self.positions)
            .any(|(audience, position)| view.last_notice(audience) != *position)
    }

    fn gather(&mut self, view: &View<'_>) -> Result<(), Problem> {
        if let Some(begin) = self.begins.take() {
            return self.begin(view, begin);
        }
        let mut noted = BTreeSet::new();
        for (audience, position) in self.audiences.iter().zip(&self.positions) {
            match self.channel.since(audience, *position) {
                Ok(objects) => noted.extend(objects),
                Err(_) => return self.begin(view, Begin::Again),
            }
        }
        if self.judging.len() + self.replaced.len() + self.gone.len() + noted.len() > WAITING_MAX {
            return self.begin(view, Begin::Again);
        }
        self.move_on(view);
        self.changes(view, noted)
    }

    fn move_on(&mut self, view: &View<'_>) {
        for (audience, position) in self.audiences.iter().zip(&mut self.positions) {
            let last = view.last_notice(audience);
            self.token_is_due |= last != *position;
            *position = last;
        }
    }

    /// Lets everything come.
    fn begin(&mut self, view: &View<'_>, begin: Begin) -> Result<(), Problem> {
        self.move_on(view);
        self.token_is_due = true;
        self.clock = Some(view.clock_digest());
        self.replaced.clear();
        self.judging.clear();
        self.gone.clear();
        self.texts.clear();
        for lines in [&mut self.first, &mut self.last, &mut self.state] {
            *lines = Lines::default();
        }
        self.sent.clear();
        if begin == Begin::Again {
            // Each after those that refer to it.
            ENDPOINTS.iter().rev().for_each(|kind| self.first.clear(kind));
        }
        for collection in [Collection::Languages, Collection::JudgementTypes] {
            self.sent.insert(collection, BTreeMap::new());
            self.difference(view, collection)?;
        }
        let mut all = vec![Object::Contest];
        all.extend(view.groups().map(|group| Object::Group(group.id.clone())));
        all.extend(view.organizations().map(|entry| Object::Organization(entry.id.clone())));
        all.extend(view.teams().into_iter().map(|team| Object::Team(team.id.clone())));
        all.extend(view.persons().map(|person| Object::Person(person.id.clone())));
        all.extend(view.accounts().into_iter().flatten().map(|account| Object::Account(account.id.clone())));
        all.extend(view.problems().into_iter().map(|problem| Object::Problem(problem.id.clone())));
        self.objects = all.into_iter().map(placed).collect();
        self.all_with_times(view);
        self.sent.insert(Collection::Awards, BTreeMap::new());
        self.awards_are_due = true;
        objects::put(&mut self.state, view, &Object::State)?;
        Ok(())
    }

    /// Lets everything come that has contest times.
    fn all_with_times(&mut self, view: &View<'_>) {
        self.history = 1..view.last_submission().0 + 1;
        let clarifications = view.clarifications().map(|entry| Object::Clarification(entry.number));
        let commentary = view.commentary().map(|entry| Object::Commentary(entry.number));
        self.texts.extend(clarifications.chain(commentary).map(placed));
    }

    fn is_in_new_language(&self, view: &View<'_>, number: SubmissionNumber) -> bool {
        let known = self.sent.get(&Collection::Languages);
        view.submission(number)
            .is_ok_and(|one| known.is_none_or(|sent| !sent.contains_key(one.language.as_str())))
    }

    fn changes(&mut self, view: &View<'_>, noted: BTreeSet<Object>) -> Result<(), Problem> {
        let mut noted: Vec<Object> = noted.into_iter().collect();
        noted.sort_by_key(order);
        let has = |object: &Object| noted.contains(object);
        let (is_ranked, has_state) = (has(&Object::Board) || has(&Object::Awards), has(&Object::State));
        let is_over = view.state().end_of_updates.is_some();
        if has_state && !is_over {
            // Before all else: it may take the end of updates back.
            self.state = Lines::default();
            objects::put(&mut self.first, view, &Object::State)?;
        }
        // A submission may be the first one in its language.
        let names_languages = |object: &Object| match object {
            Object::Contest => true,
            Object::Submission(number) => self.is_in_new_language(view, *number),
            _ => false,
        };
        if noted.iter().any(names_languages) {
            self.difference(view, Collection::Languages)?;
        }
        if noted.contains(&Object::Contest) {
            self.difference(view, Collection::JudgementTypes)?;
            if self.clock.replace(view.clock_digest()) != Some(view.clock_digest()) {
                self.all_with_times(view);
            }
        }
        for object in noted {
            match object {
                Object::Board | Object::Awards | Object::State => {}
                // They are none of the standard's.
                Object::Balloon(..) | Object::Rejudging(_) | Object::Judging => {}
                Object::Submission(number) if view.submission(number).is_ok() => {
                    self.judging.push_back(object);
                }
                Object::Judgement(key) => match view.judgement(key) {
                    Ok(_) => self.judging.push_back(object),
                    Err(_) => self.replaced.push_back(object),
                },
                Object::Runs { judgement, first, .. } => match view.runs(judgement) {
                    Ok(runs) if runs.iter().any(|run| run.ordinal >= first) => self.judging.push_back(object),
                    _ => self.replaced.push_back(object),
                },
                Object::Submission(_) => self.gone.extend([Reverse(placed(object))]),
                Object::Clarification(_) | Object::Commentary(_) => self.texts.extend([placed(object)]),
                _ => self.objects.extend([placed(object)]),
            }
        }
        // Runs go before their judgements.
        self.replaced.make_contiguous().sort_by_key(|object| Reverse(order(object)));
        self.awards_are_due |= is_ranked;
        if is_over && (has_state || !self.is_idle()) {
            self.state = Lines::default();
            objects::put(&mut self.state, view, &Object::State)?;
        }
        Ok(())
    }

    /// Notes what is other in a collection than what the client has; all of it, if that is unknown.
    fn difference(&mut self, view: &View<'_>, collection: Collection) -> Result<(), Problem> {
        let kind = collection.kind();
        let now = collection.objects(view)?;
        let lines = if collection == Collection::Awards { &mut self.last } else { &mut self.first };
        match self.sent.get(&collection) {
            None => {
                let all: Vec<&serde_json::Value> = now.iter().map(|(_, object)| object).collect();
                lines.put(kind, None, &all)?;
            }
            Some(sent) => {
                for (id, object) in now.iter().filter(|(id, object)| sent.get(id) != Some(object)) {
                    lines.put(kind, Some(id), object)?;
                }
                let is_gone = |id: &&String| !now.iter().any(|(other, _)| other == *id);
                sent.keys().filter(is_gone).for_each(|id| lines.delete(kind, id));
            }
        }
        self.sent.insert(collection, now.into_iter().collect());
        Ok(())
    }

    /// Adds what comes next, and returns whether there was something.
    fn advance(&mut self, view: &View<'_>, lines: &mut Lines) -> Result<bool, Problem> {
        if let Some(object) = self.replaced.pop_front() {
            delete(lines, view, &object);
        } else if !self.first.is_empty() {
            lines.take_from(&mut self.first, PIECE_BYTES);
        } else if let Some((place, object)) = self.objects.pop_first() {
            if !objects::put(lines, view, &object)? {
                self.gone.insert(Reverse((place, object)));
            }
        } else if let Some(number) = self.history.next() {
            objects::put_history(lines, view, SubmissionNumber(number))?;
        } else if let Some(object) = self.judging.pop_front() {
            self.judging_of(view, lines, object)?;
        } else if let Some((place, object)) = self.texts.pop_first() {
            if !objects::put(lines, view, &object)? {
                self.gone.insert(Reverse((place, object)));
            }
        } else if std::mem::take(&mut self.awards_are_due) {
            self.difference(view, Collection::Awards)?;
        } else if !self.last.is_empty() {
            lines.take_from(&mut self.last, PIECE_BYTES);
        } else if let Some(Reverse((_, object))) = self.gone.pop_first() {
            delete(lines, view, &object);
        } else if !self.state.is_empty() {
            lines.take_from(&mut self.state, PIECE_BYTES);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn judging_of(&mut self, view: &View<'_>, lines: &mut Lines, object: Object) -> Result<(), Problem> {
        match object {
            Object::Judgement(first) => {
                let mut keys: Vec<JudgementKey> = vec![first];
                while let Some(Object::Judgement(key)) = self.judging.front()
                    && key.submission == first.submission
                {
                    keys.push(*key);
                    self.judging.pop_front();
                }
                objects::put_judgements(lines, view, &keys)
            }
            // Where the judgement is gone meanwhile, so are its runs, and a notice of that waits.
            Object::Runs { judgement, first, last } if view.judgement(judgement).is_ok() => {
                objects::put_runs(lines, view, judgement, first..=last)
            }
            Object::Runs { .. } => Ok(()),
            object => objects::put(lines, view, &object).map(|_| ()),
        }
    }
}

/// Adds that an object is gone, unless it is there again: then a notice of that waits.
fn delete(lines: &mut Lines, view: &View<'_>, object: &Object) {
    let is_there = match object {
        Object::Runs { judgement, first, last } => {
            let runs = view.runs(*judgement).unwrap_or_default();
            for ordinal in *first..=*last {
                if !runs.iter().any(|run| run.ordinal == ordinal) {
                    lines.delete("runs", &format!("{judgement}-{ordinal}"));
                }
            }
            return;
        }
        _ => objects::put(&mut Lines::default(), view, object).unwrap_or(false),
    };
    if let ((kind, Some(id)), false) = (name(object), is_there) {
        lines.delete(kind, &id);
    }
}

/// Returns the place of an object among those that are sent together.
fn order(object: &Object) -> (u8, Option<SubmissionNumber>) {
    let place = match object {
        Object::Group(_) => 0,
        Object::Organization(_) => 1,
        Object::Contest => 2,
        Object::Team(_) => 3,
        Object::Person(_) => 4,
        Object::Account(_) => 5,
        Object::Problem(_) => 6,
        Object::Submission(_) => 7,
        Object::Judgement(key) => return (8, Some(key.submission)),
        Object::Runs { .. } => 9,
        Object::Clarification(_) => 10,
        Object::Commentary(_) => 11,
        _ => 12,
    };
    (place, None)
}

fn placed(object: Object) -> Placed {
    (order(&object).0, object)
}

impl Source for Reader {
    const IS_LONG: bool = true;
    const PING: &'static str = "\n";

    fn audiences(&self) -> &[Audience] {
        &self.audiences
    }

    fn next(&mut self, view: &View<'_>) -> Result<Bytes, Problem> {
        let referred =
            |(audience, position): (&Audience, &u64)| self.channel.last_referred(audience) > *position;
        if self.is_idle() || self.audiences.iter().zip(&self.positions).any(referred) {
            self.gather(view)?;
        }
        let mut lines = Lines::default();
        loop {
            // Answers refer to questions, and commentary to submissions, which may be new.
            let texts_are_next = self.first.is_empty() && self.history.is_empty() && self.judging.is_empty();
            if texts_are_next && !self.texts.is_empty() && self.is_behind(view) {
                self.gather(view)?;
            }
            if lines.len() >= PIECE_BYTES || !self.advance(view, &mut lines)? {
                break;
            }
        }
        if self.is_idle() && self.token_is_due && !lines.is_empty() {
            lines.set_token(&write_positions(self.audiences.iter().zip(self.positions.iter().copied())));
            self.token_is_due = false;
        }
        Ok(lines.into_bytes().into())
    }

    fn has_more(&self) -> bool {
        !self.is_idle()
    }

    fn ends(&self) -> bool {
        self.ends
    }
}
