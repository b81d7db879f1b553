//! A log from elsewhere, such as one of a backup: whatever is in it, reading it ends, and the state can be viewed.

use crate::support::World;
use crate::support::steps::{AS_STEPPED, step};
use contest_rules::board::BoardSide;
use contest_rules::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns how many logs are tried: enough for each change, more with `PROPTEST_CASES`.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(16)
}

/// Collects what stands in an event, by where it stands.
fn leaves(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| leaves(value, &format!("{place}/{name}"), found))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| leaves(value, &format!("{place}/{at}"), found))
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => found.push(place.to_owned()),
    }
}

/// A change of one event of a log.
#[derive(Clone, Debug)]
enum Damage {
    Drop(usize),
    Repeat(usize),
    Swap(usize, usize),
    /// A number or a text of an event becomes another one: an extreme number, or what stands somewhere else in the log.
    Replace(usize, usize, Other),
}

#[derive(Clone, Debug)]
enum Other {
    Number(usize),
    OfEvent(usize, usize),
}

const NUMBERS: [i64; 7] = [i64::MIN, -1, 0, 1, u32::MAX as i64 - 1, u32::MAX as i64, i64::MAX];

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<usize>;
    let other = prop_oneof![
        (0..NUMBERS.len()).prop_map(Other::Number),
        (at(), at()).prop_map(|(event, place)| Other::OfEvent(event, place))
    ];
    prop_oneof![
        at().prop_map(Damage::Drop),
        at().prop_map(Damage::Repeat),
        (at(), at()).prop_map(|(one, other)| Damage::Swap(one, other)),
        (at(), at(), other).prop_map(|(event, place, other)| Damage::Replace(event, place, other)),
    ]
}

/// Damages a log. An event that is none any more is left as it is: reading it is refused before anything is applied.
fn apply(damage: &Damage, log: &mut Vec<Value>) {
    let length = log.len().max(1);
    let leaf = |log: &[Value], event: usize, place: usize| {
        let mut places = Vec::new();
        leaves(log.get(event % length)?, "", &mut places);
        places.get(place % places.len().max(1)).cloned()
    };
    match damage {
        Damage::Drop(at) => drop(log.remove(at % length)),
        Damage::Repeat(at) => log.push(log[at % length].clone()),
        Damage::Swap(one, other) => log.swap(one % length, other % length),
        Damage::Replace(event, place, other) => {
            let Some(place) = leaf(log, *event, *place) else { return };
            let value = match other {
                Other::Number(at) => json!(NUMBERS[*at]),
                Other::OfEvent(event, place) => leaf(log, *event, *place)
                    .and_then(|place| log[event % length].pointer(&place).cloned())
                    .unwrap_or_default(),
            };
            let mut changed = log[event % length].clone();
            *changed.pointer_mut(&place).unwrap() = value;
            if serde_json::from_value::<Event>(changed.clone()).is_ok() {
                log[event % length] = changed;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_log_can_be_read_and_viewed(
        steps in proptest::collection::vec(step(), 1..80),
        damages in proptest::collection::vec(damage(), 1..40),
    ) {
        let mut world = World::for_steps(sample::contest());
        for step in &steps {
            world.step(step, AS_STEPPED);
        }
        let mut log: Vec<Value> =
            world.events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        for damage in &damages {
            apply(damage, &mut log);
        }
        let mut state = State::default();
        for (seq, event) in (1..).zip(log) {
            state.apply(seq, &serde_json::from_value(event).unwrap());
        }
        assert!(state.blobs().count() < usize::MAX);
        let restored = State::restore(&state.checkpoint()).unwrap();
        prop_assert!(restored == state);
        for account in ["admin", "t1"] {
            let Some(caller) = state.caller(&sample::id(account), None) else { continue };
            for view in state.views(&caller) {
                let _ = (view.contest(), view.state(), view.problems(), view.teams(), view.awards());
                for side in [BoardSide::Public, BoardSide::Jury] {
                    let _ = view.board(side, None);
                }
                for judgement in view.judgements() {
                    let _ = view.runs(judgement.key);
                }
                view.submissions().count();
                view.clarifications().count();
            }
        }
    }
}
