//! Reads policies from a file.

mod contradictions;
mod fields;
mod name;
mod values;

use super::{Candidates, Limits, Policy};
use fields::{FieldOfPolicy, Lines, lines};
use located::{Field, FileLocation, Finding, Node, Object, Report, Reported, Value, did_you_mean, join};
use name::name;
pub use name::{expected_name, is_name};
use std::collections::{BTreeMap, BTreeSet};

/// No comparison needs more; the messages list their names.
const POLICIES_MAX: usize = 100;
/// More would not be read.
const MISTAKES_MAX: usize = 20;
/// How many hosts of each kind are scored by default, as the built-in policies do.
const CANDIDATES_USUAL: u32 = 8;
/// The default fallback: it needs nothing but requests and keeps hosts from getting full.
const FALLBACK_USUAL: &str = "spread";
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policies {
    /// Each with a name of its own; at least one.
    pub all: Vec<Policy>,
    /// What works and may surprise.
    pub warnings: Vec<Finding>,
}

impl Policies {
    /// Returns the policy of this name, or the first.
    pub fn find(&self, name: Option<&str>) -> Option<&Policy> {
        match name {
            Some(name) => self.all.iter().find(|policy| policy.name == name),
            None => self.all.first(),
        }
    }
}

/// A policy whose own keys are not read yet.
struct Unread<'n> {
    name: String,
    map: Object<'n>,
    extends: Option<(&'n str, Field<'n>)>,
}

/// A policy without its fallback, which is looked up when all are read.
#[derive(Clone)]
struct Draft<'n> {
    policy: Policy,
    /// The name of the fallback, and where it is, unless it comes from a built-in policy.
    fallback: Option<(String, Option<Field<'n>>)>,
    /// Its place in the file.
    path: String,
    /// Whether it and those that it extends were read without mistakes, so that contradictions are real.
    is_sound: bool,
}

/// Reads a file with one policy, or with several below the key `policies`.
///
/// # Errors
/// All mistakes, up to the number that anybody would read.
pub fn read(text: &str) -> Result<Policies, Vec<Finding>> {
    let root = located::yaml(text).map_err(|error| {
        let place = FileLocation::default().line(error.line.unwrap_or_default());
        vec![Finding { place, message: error.reason, is_warning: false }]
    })?;
    let report = Report::of_at_most(MISTAKES_MAX);
    let all = documents(&report, &root);
    let (warnings, mistakes): (Vec<_>, Vec<_>) =
        report.into_findings().into_iter().partition(|finding| finding.is_warning);
    if mistakes.is_empty() { Ok(Policies { all, warnings }) } else { Err(mistakes) }
}

fn documents(report: &Report, root: &Node) -> Vec<Policy> {
    let file = Field::document("", root);
    if root.value == Value::Null {
        report.wrong(file.wrong("a policy", "begin with 'policy: NAME'"));
        return Vec::new();
    }
    let Some(mut map) = file.object().reported(report) else { return Vec::new() };
    let mut found = match map.entry("policies") {
        None => vec![file],
        Some(list) => {
            map.refuse_rest(report);
            list.items().reported(report).unwrap_or_default()
        }
    };
    let place = FileLocation::default().line(root.line).field("policies");
    if found.is_empty() {
        report.error(place.clone(), "has no policies, expected at least one; add one");
    }
    if found.len() > POLICIES_MAX {
        let message =
            format!("has {} policies, expected at most {POLICIES_MAX}; use several files", found.len());
        report.error(place, message);
        found.truncate(POLICIES_MAX);
    }
    let mut names = BTreeMap::new();
    let unread = found.iter().filter_map(|field| Unread::of(report, field, &mut names)).collect();
    finish(report, &lines(root), in_order(report, unread))
}

impl<'n> Unread<'n> {
    fn of(report: &Report, field: &Field<'n>, names: &mut BTreeMap<String, u64>) -> Option<Self> {
        let mut map = field.object().reported(report)?;
        let mut named = String::new();
        match map.entry("policy") {
            None => {
                let message = "is missing, expected the policy's name; add 'policy: NAME'";
                map.error(report, "policy", message);
            }
            Some(field) => {
                if let Some(name) = field.text().reported(report).and_then(|text| name(report, &field, text))
                {
                    if let Some(line) = names.insert(name.to_owned(), field.line) {
                        let message = format!(
                            "is '{name}', which line {line} has too, expected a new name; rename one of them"
                        );
                        field.error(report, message);
                    }
                    named = name.to_owned();
                }
            }
        }
        let extends = map.entry("extends").filter(|field| !field.is_none()).and_then(|field| {
            let text = field.text().reported(report)?;
            Some((text, field))
        });
        Some(Self { name: named, map, extends })
    }
}

/// Reads the policies, each after the one that it extends, and returns them in the order of the file.
fn in_order<'n>(report: &Report, unread: Vec<Unread<'n>>) -> Vec<Draft<'n>> {
    let names: Vec<String> = unread.iter().map(|one| one.name.clone()).collect();
    let parents: Vec<Option<usize>> = unread.iter().map(|one| parent(report, one, &names)).collect();
    let in_cycle = cycles(report, &unread, &parents);
    let mut waiting: Vec<Option<Unread<'n>>> = unread.into_iter().map(Some).collect();
    let mut drafts: Vec<Option<Draft<'n>>> = vec![None; waiting.len()];
    for start in 0..waiting.len() {
        // From the one that extends nothing of this file to the one that is wanted.
        let mut chain = vec![start];
        while let Some(next) = parents[chain[chain.len() - 1]].filter(|next| !chain.contains(next)) {
            chain.push(next);
        }
        for index in chain.into_iter().rev() {
            let Some(one) = waiting[index].take() else { continue };
            let parent = parents[index].and_then(|parent| drafts[parent].clone());
            drafts[index] = Some(one.read(report, parent, !in_cycle.contains(&index)));
        }
    }
    drafts.into_iter().flatten().collect()
}

/// Returns the policy of this file that one extends. What is neither in the file nor built in is reported.
fn parent(report: &Report, one: &Unread<'_>, names: &[String]) -> Option<usize> {
    let (name, field) = one.extends.as_ref()?;
    let found = names.iter().position(|known| known == name);
    if Policy::BUILT_IN.contains(name) {
        return None;
    }
    if found.is_none() {
        unknown_policy(report, field, name, names);
    }
    found
}

fn unknown_policy(report: &Report, field: &Field<'_>, name: &str, names: &[String]) {
    let expected = format!("a policy of this file or one of {}", Policy::BUILT_IN.join(", "));
    let known: Vec<&str> = names.iter().map(String::as_str).chain(Policy::BUILT_IN).collect();
    let remedy = did_you_mean(name, &known).unwrap_or_else(|| "use one of them".to_owned());
    report.wrong(field.wrong(expected, remedy));
}

/// Reports each circle of policies that extend each other, at its first policy in the file, and returns their members.
fn cycles(report: &Report, unread: &[Unread<'_>], parents: &[Option<usize>]) -> BTreeSet<usize> {
    let mut members = BTreeSet::new();
    for start in 0..unread.len() {
        let mut chain = vec![start];
        let mut next = parents[start];
        while let Some(index) = next.filter(|index| !chain.contains(index)) {
            chain.push(index);
            next = parents[index];
        }
        // Other chains end, or lead into the circle of others.
        if next != Some(start) || members.contains(&start) {
            continue;
        }
        let names: Vec<&str> = chain.iter().chain([&start]).map(|index| &*unread[*index].name).collect();
        if let Some((_, field)) = &unread[start].extends {
            let message = format!(
                "makes the circle {}, expected an end; let one of them extend a built-in policy or nothing",
                names.join(" -> ")
            );
            field.error(report, message);
        }
        members.extend(chain);
    }
    members
}

impl<'n> Unread<'n> {
    /// Reads the keys on top of what it extends.
    fn read(mut self, report: &Report, parent: Option<Draft<'n>>, is_good: bool) -> Draft<'n> {
        let before = report.errors();
        let built_in = self.extends.as_ref().map(|(name, _)| Policy::built_in(name));
        let mut draft = match (parent, built_in) {
            (Some(parent), _) => parent,
            (None, Some(Some(built_in))) => Draft::new(built_in, true),
            (None, missing) => Draft::new(plain(), missing.is_none()),
        };
        draft.is_sound &= is_good && !self.name.is_empty();
        draft.policy.name = self.name;
        draft.path = self.map.path().to_owned();
        values::read(report, &mut self.map, &mut draft.policy);
        if let Some(field) = self.map.entry("fallback") {
            let name = field.text().reported(report).map(str::to_owned);
            draft.fallback = name.map(|name| (name, Some(field)));
        }
        self.map.refuse_rest(report);
        draft.is_sound &= report.errors() == before;
        draft
    }
}

/// Returns the policy that others begin with if they extend nothing.
fn plain() -> Policy {
    Policy {
        name: String::new(),
        pools: BTreeMap::new(),
        limits: Limits::default(),
        prefer: BTreeMap::new(),
        candidates: Candidates::First(CANDIDATES_USUAL),
        prediction: None,
        rescheduling: None,
        fallback: None,
    }
}

impl<'n> Draft<'n> {
    fn new(mut policy: Policy, is_sound: bool) -> Self {
        let fallback = policy.fallback.take().map(|fallback| (fallback.name, None));
        Self { policy, fallback, path: String::new(), is_sound }
    }

    fn fallback(&self, report: &Report, all: &[Self]) -> Option<Box<Policy>> {
        let (name, field) = self.fallback.clone().unwrap_or_else(|| (FALLBACK_USUAL.to_owned(), None));
        // Of others it was reported there.
        let field = field.filter(|field| field.path == join(&self.path, "fallback"));
        let wrong = |message: String| {
            field.iter().for_each(|field| field.error(report, message.clone()));
            None
        };
        if self.policy.prediction.is_none() {
            return match &field {
                Some(field) if !field.is_none() => wrong(
                    "is given, but there is no prediction that could be stale; remove it, or add 'prediction'".to_owned(),
                ),
                _ => None,
            };
        }
        if name == self.policy.name {
            return wrong(format!("is '{name}' itself, expected another policy; use {FALLBACK_USUAL}"));
        }
        let own = all.iter().find(|draft| draft.policy.name == name).map(|draft| draft.policy.clone());
        let Some(fallback) = Policy::built_in(&name).or(own) else {
            let names: Vec<String> = all.iter().map(|draft| draft.policy.name.clone()).collect();
            field.iter().for_each(|field| unknown_policy(report, field, &name, &names));
            return None;
        };
        if fallback.prediction.is_some() {
            return wrong(format!(
                "is '{name}', which uses predictions itself, expected a policy that uses requests alone; use \
                 {FALLBACK_USUAL}, or write 'prediction: none' there"
            ));
        }
        if let (Some(field), false) =
            (&field, fallback.pools.is_empty() || fallback.pools == self.policy.pools)
        {
            let message = format!(
                "is '{name}', whose pools are not used: what the pools of '{}' promise holds also while predictions are stale",
                self.policy.name
            );
            field.warning(report, message);
        }
        Some(Box::new(Policy { pools: self.policy.pools.clone(), ..fallback }))
    }
}

/// Looks up the fallbacks and reports what does not go together.
fn finish(report: &Report, lines: &Lines, drafts: Vec<Draft<'_>>) -> Vec<Policy> {
    let finished = drafts.iter().map(|draft| {
        let mut policy = draft.policy.clone();
        let before = report.errors();
        policy.fallback = draft.fallback(report, &drafts);
        if draft.is_sound {
            contradictions::report(report, lines, &draft.path, &policy);
        }
        let is_sound = draft.is_sound && report.errors() == before;
        if is_sound && Policy::built_in(&policy.name).is_some_and(|built_in| built_in != policy) {
            let message =
                format!("is '{}', which is another policy and built in; choose another name", policy.name);
            let path = join(&draft.path, "policy");
            let line = lines.get(&path).copied().unwrap_or_default();
            report.error(FileLocation::default().line(line).field(path), message);
        }
        policy
    });
    finished.collect()
}
