//! A contest as a fold over its record. The live board and the one that is recomputed are the same code on the same lines.

use crate::board;
use crate::latency::Latencies;
use crate::record::Line;
use crate::rules::{MultipleOf, Rules};
use crate::solve::{Method, Problem, Solver};
use documents::{
    StreamAnswer, StreamBoard, StreamFairness, StreamGiven, StreamNumber, StreamPhase, StreamPoints,
    StreamRefusal, StreamRow,
};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Lines are written in the order in which they are handled. Answers that were received within this time are put into
/// the order of their receipt, which is what counts.
const REORDERED_NS: u64 = 200_000_000;
/// An answer that comes later than this is wrong rather than late.
const REMEMBERED_NS: u64 = 3_600_000_000_000;
/// Answers that are remembered; then the oldest are forgotten before their time.
const REMEMBERED_MAX: usize = 1_000_000;
const LAST_SHOWN: usize = 10;
/// Longer answers are shown in part, so that the board is no second stream.
const SHOWN_DIGITS: usize = 40;
/// Minutes of growth that the board shows.
const MINUTES: usize = 60;
const MINUTE_NS: u64 = 60_000_000_000;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

pub struct Contest {
    rules: Rules,
    problem: Problem,
    matcher: Box<dyn Solver>,
    names: BTreeMap<String, usize>,
    contestants: Vec<Contestant>,
    /// Chunks that were not sent yet.
    chunks: BTreeMap<u64, String>,
    /// What happened lately, by time and then by line.
    waiting: BTreeMap<(u64, u64), Event>,
    lines: u64,
    newest_ns: u64,
    now_ns: u64,
    /// Answers that can still be given, by their digits.
    open: Map<String, Target>,
    /// When each ceases to be open.
    closing: VecDeque<(u64, String)>,
    /// Multiples that have not appeared, by their digits.
    early: Map<String, Vec<Early>>,
    expiring: VecDeque<(u64, String)>,
    /// When answers appeared last.
    appeared: Map<String, u64>,
    forgetting: VecDeque<(u64, String)>,
    last: VecDeque<Target>,
    refused: BTreeMap<String, u64>,
    digits: u64,
    answers: u64,
    missed: u64,
    spread_ns: u64,
    /// Of all chunks that had two clients or more.
    spreads: Latencies,
    clients: u32,
}

struct Contestant {
    name: String,
    score: i64,
    /// How many counted, by place.
    places: Vec<u64>,
    beyond: u64,
    late: u64,
    wrong: u64,
    duplicate: u64,
    malformed: u64,
    early: u64,
    submitted: u64,
    latencies: Latencies,
    ping_ns: Option<u64>,
    growth: VecDeque<i64>,
}

enum Event {
    Appears(String),
    Answer { who: usize, text: String },
}

/// An answer in its window.
#[derive(Clone)]
struct Target {
    text: String,
    numbers: u8,
    at_ns: u64,
    given: Vec<(usize, u64, u32)>,
}

struct Early {
    who: usize,
    at_ns: u64,
}

impl Contest {
    pub fn new(rules: &Rules) -> Self {
        let problem = Problem::new(rules);
        Self {
            rules: rules.clone(),
            matcher: Method::FixedPoint.solver(&problem),
            problem,
            names: BTreeMap::new(),
            contestants: Vec::new(),
            chunks: BTreeMap::new(),
            waiting: BTreeMap::new(),
            lines: 0,
            newest_ns: 0,
            now_ns: 0,
            open: Map::default(),
            closing: VecDeque::new(),
            early: Map::default(),
            expiring: VecDeque::new(),
            appeared: Map::default(),
            forgetting: VecDeque::new(),
            last: VecDeque::new(),
            refused: BTreeMap::new(),
            digits: 0,
            answers: 0,
            missed: 0,
            spread_ns: 0,
            spreads: Latencies::new(),
            clients: 0,
        }
    }

    pub fn apply(&mut self, line: Line) {
        self.lines += 1;
        match line {
            Line::Contest { .. } => {}
            Line::Contestant { name } => drop(self.who(name)),
            Line::Chunk { number, digits } => drop(self.chunks.insert(number, digits)),
            Line::Sent { number, first_ns, last_ns, clients } => {
                (self.spread_ns, self.clients) = (last_ns.saturating_sub(first_ns), clients);
                if clients > 1 {
                    self.spreads.add(self.spread_ns.min(i64::MAX as u64) as i64);
                }
                if let Some(digits) = self.chunks.remove(&number) {
                    self.wait(first_ns, Event::Appears(digits));
                }
            }
            Line::Answer { at_ns, by, text } => {
                let who = self.who(by);
                self.wait(at_ns, Event::Answer { who, text });
            }
            Line::Ping { by, round_trip_ns } => {
                let who = self.who(by);
                self.contestants[who].ping_ns = Some(round_trip_ns);
            }
            Line::Refused { at_ns, reason, count } => {
                let counted = self.refused.entry(reason).or_default();
                *counted = counted.saturating_add(count);
                self.pass(at_ns);
            }
            Line::Continued { at_ns } => self.pass(at_ns),
        }
    }

    pub(crate) fn contestants(&self) -> usize {
        self.contestants.len()
    }

    fn who(&mut self, name: String) -> usize {
        let next = self.contestants.len();
        let who = *self.names.entry(name.clone()).or_insert(next);
        if who == next {
            self.contestants.push(Contestant::new(name, self.rules.points.len()));
        }
        who
    }

    fn wait(&mut self, at_ns: u64, event: Event) {
        self.waiting.insert((at_ns, self.lines), event);
        self.pass(at_ns);
    }

    /// Handles what is old enough that nothing can come before it.
    fn pass(&mut self, at_ns: u64) {
        self.newest_ns = self.newest_ns.max(at_ns);
        let until = self.newest_ns.saturating_sub(REORDERED_NS);
        while let Some(first) = self.waiting.first_entry().filter(|first| first.key().0 <= until) {
            let ((at_ns, _), event) = first.remove_entry();
            self.handle(at_ns, event);
        }
        self.advance(until);
    }

    fn handle(&mut self, at_ns: u64, event: Event) {
        self.advance(at_ns);
        match event {
            Event::Appears(digits) => self.appears(at_ns, &digits),
            Event::Answer { who, text } => self.answer(at_ns, who, text),
        }
    }

    fn advance(&mut self, to_ns: u64) {
        if to_ns / MINUTE_NS > self.now_ns / MINUTE_NS {
            let minutes = (to_ns / MINUTE_NS - self.now_ns / MINUTE_NS).min(MINUTES as u64);
            (0..minutes).for_each(|_| self.contestants.iter_mut().for_each(Contestant::grow));
        }
        self.now_ns = self.now_ns.max(to_ns);
        while let Some((_, text)) = self.closing.pop_front_if(|(until, _)| *until < to_ns) {
            if let Some(target) = self.open.remove(&text) {
                self.missed += u64::from(target.given.is_empty());
                self.show(target);
            }
        }
        while let Some((until, text)) = self.expiring.pop_front_if(|(until, _)| *until < to_ns) {
            let at_ns = until - self.rules.before_ms * 1_000_000;
            let Some(early) = self.early.get_mut(&text) else { continue };
            let expired = early.iter().position(|early| early.at_ns == at_ns).map(|at| early.remove(at));
            if early.is_empty() {
                self.early.remove(&text);
            }
            let Some(expired) = expired else { continue };
            let was_there = self.appeared.get(&text).is_some_and(|last| *last <= at_ns);
            let contestant = &mut self.contestants[expired.who];
            *if was_there { &mut contestant.late } else { &mut contestant.wrong } += 1;
        }
        let spare = self.forgetting.len().saturating_sub(REMEMBERED_MAX);
        let mut spare = 0..spare;
        while let Some((at_ns, text)) = self
            .forgetting
            .pop_front_if(|(at_ns, _)| spare.next().is_some() || *at_ns + REMEMBERED_NS < to_ns)
        {
            if self.appeared.get(&text) == Some(&at_ns) {
                self.appeared.remove(&text);
            }
        }
    }

    fn show(&mut self, target: Target) {
        self.last.push_back(target);
        if self.last.len() > LAST_SHOWN {
            self.last.pop_front();
        }
    }

    fn appears(&mut self, at_ns: u64, digits: &str) {
        self.digits += digits.len() as u64;
        let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
        let mut texts: Vec<((u64, u16), String, u8)> = Vec::new();
        if is_plain {
            self.matcher.prepare();
            self.matcher.take(digits.as_bytes(), &mut |found, text| {
                let text = String::from_utf8_lossy(text).into_owned();
                texts.push(((found.end, found.length), text, 1 << found.number));
            });
        }
        texts.sort();
        texts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.2 |= if same { next.2 } else { 0 };
            same
        });
        for (_, text, numbers) in texts {
            self.appeared.insert(text.clone(), at_ns);
            self.forgetting.push_back((at_ns, text.clone()));
            if self.open.contains_key(&text) {
                continue;
            }
            self.answers += 1;
            let mut target = Target { text: text.clone(), numbers, at_ns, given: Vec::new() };
            for early in self.early.remove(&text).unwrap_or_default() {
                // Where the chunk's line came too late for the order, not all of these were predicted.
                if self.rules.prediction || early.at_ns >= at_ns {
                    self.count(&mut target, early.who, early.at_ns);
                } else {
                    self.contestants[early.who].early += 1;
                }
            }
            self.closing.push_back((at_ns + self.rules.after_ms * 1_000_000, text.clone()));
            self.open.insert(text, target);
        }
    }

    fn answer(&mut self, at_ns: u64, who: usize, text: String) {
        let contestant = &mut self.contestants[who];
        contestant.submitted += 1;
        contestant.score -= i64::from(self.rules.cost);
        if !self.problem.is_answer(&text) {
            contestant.malformed += 1;
        } else if let Some(mut target) = self.open.remove(&text) {
            self.count(&mut target, who, at_ns);
            self.open.insert(text, target);
        } else if self.problem.is_multiple(text.as_bytes()) {
            self.expiring.push_back((at_ns + self.rules.before_ms * 1_000_000, text.clone()));
            self.early.entry(text).or_default().push(Early { who, at_ns });
        } else {
            contestant.wrong += 1;
        }
    }

    fn count(&mut self, target: &mut Target, who: usize, at_ns: u64) {
        let contestant = &mut self.contestants[who];
        if target.given.iter().any(|(other, ..)| *other == who) {
            contestant.duplicate += 1;
            return;
        }
        let place = target.given.len();
        let points =
            self.rules.points.get(place).map_or(0, |points| points * self.rules.factor_at(target.at_ns));
        match contestant.places.get_mut(place) {
            Some(count) => *count += 1,
            None => contestant.beyond += 1,
        }
        contestant.score += i64::from(points);
        contestant.latencies.add(at_ns as i64 - target.at_ns as i64);
        target.given.push((who, at_ns, points));
    }

    /// Returns the board as of now, without hidden numbers.
    pub fn board(&self, phase: StreamPhase) -> StreamBoard {
        let rules = self.rules.published();
        let mut rows: Vec<StreamRow> = self.contestants.iter().map(|one| one.row(&rules)).collect();
        rows.sort_by(|one, other| other.score.cmp(&one.score).then_with(|| one.name.cmp(&other.name)));
        // Answers that still count are not shown: readers of the board could give them.
        let mut last: Vec<&Target> = self.last.iter().collect();
        last.sort_by(|one, other| other.at_ns.cmp(&one.at_ns).then_with(|| one.text.cmp(&other.text)));
        let [_, p50_ns, p90_ns, p99_ns] = self.spreads.percentiles().map(|time| time.map(i64::unsigned_abs));
        let number = |number: MultipleOf| StreamNumber {
            value: (!number.hidden).then_some(number.value),
            primes: number.primes,
        };
        let refusal =
            |(reason, count): (&String, &u64)| StreamRefusal { reason: reason.clone(), count: *count };
        StreamBoard {
            at_ns: self.now_ns,
            phase,
            digits_max: rules.digits_max,
            before_ms: rules.prediction.then_some(rules.before_ms),
            after_ms: rules.after_ms,
            cost: rules.cost,
            factor: rules.factor_at(self.now_ns),
            multiples_of: rules.multiples_of.into_iter().map(number).collect(),
            rows,
            last: last.into_iter().map(|target| self.past(target)).collect(),
            digits: self.digits,
            answers: self.answers,
            missed: self.missed,
            fairness: StreamFairness {
                clients: self.clients,
                last_ns: self.spread_ns,
                p50_ns,
                p90_ns,
                p99_ns,
            },
            refused: self.refused.iter().map(refusal).collect(),
        }
    }

    /// Returns a board of this contest as text for people and scripts.
    pub fn text(&self, board: &StreamBoard) -> String {
        board::text(board, &self.rules.points)
    }

    /// Returns an answer whose time is over.
    fn past(&self, target: &Target) -> StreamAnswer {
        let given = target.given.iter().map(|(who, at_ns, points)| StreamGiven {
            name: self.contestants[*who].name.clone(),
            latency_ns: *at_ns as i64 - target.at_ns as i64,
            points: *points,
        });
        StreamAnswer {
            digits: shortened(&target.text),
            length: target.text.len() as u16,
            multiple_of: (1..=8).filter(|number| target.numbers >> (number - 1) & 1 == 1).collect(),
            at_ns: target.at_ns,
            given: given.collect(),
        }
    }
}

/// Returns the first and the last digits of a long answer.
fn shortened(digits: &str) -> String {
    let half = SHOWN_DIGITS / 2;
    match digits.len() {
        length if length <= SHOWN_DIGITS => digits.to_owned(),
        length => format!("{}.....{}", &digits[..half], &digits[length - half..]),
    }
}

impl Contestant {
    fn new(name: String, places: usize) -> Self {
        Self {
            name,
            score: 0,
            places: vec![0; places],
            beyond: 0,
            late: 0,
            wrong: 0,
            duplicate: 0,
            malformed: 0,
            early: 0,
            submitted: 0,
            latencies: Latencies::new(),
            ping_ns: None,
            growth: VecDeque::new(),
        }
    }

    fn grow(&mut self) {
        self.growth.push_back(self.score);
        if self.growth.len() > MINUTES {
            self.growth.pop_front();
        }
    }

    fn row(&self, rules: &Rules) -> StreamRow {
        let mut by_points: BTreeMap<u32, u64> = rules.points.iter().map(|points| (*points, 0)).collect();
        for (points, count) in rules.points.iter().zip(&self.places) {
            *by_points.entry(*points).or_default() += count;
        }
        let [p10_ns, p50_ns, p90_ns, p99_ns] = self.latencies.percentiles();
        let by_points = by_points.into_iter().rev();
        StreamRow {
            name: self.name.clone(),
            score: self.score,
            by_points: by_points.map(|(points, count)| StreamPoints { points, count }).collect(),
            beyond: self.beyond,
            late: self.late,
            wrong: self.wrong,
            duplicate: self.duplicate,
            malformed: self.malformed,
            early: self.early,
            submitted: self.submitted,
            p10_ns,
            p50_ns,
            p90_ns,
            p99_ns,
            mean_ns: self.latencies.mean(),
            deviation_ns: self.latencies.deviation(),
            ping_ns: self.ping_ns,
            growth: self.growth.iter().copied().collect(),
            latency_curve_ns: self.latencies.curve(),
        }
    }
}
