//! A contest as an archive: the same contest is the same bytes.

use super::extra::Extra;
use super::{EXTRA, PROBLEMS};
use crate::feed::Lines;
use crate::handlers::{awards, board};
use crate::wire::{
    LANGUAGES, judgement_types, wire_clarification, wire_commentary, wire_contest, wire_judgement,
    wire_language, wire_organization, wire_person, wire_problem, wire_run, wire_state, wire_submission,
    wire_team,
};
use crate::zips::Zip;
use crate::{App, Problem, handlers::root, sources};
use contest_rules::board::{BoardSide, award_id};
use contest_rules::files::{AccountEntry, ContestFiles};
use contest_rules::view::{ClarificationView, StateView, SubmissionView, View};
use contest_rules::{
    BlobHash, FileContent, FileOwner, GroupId, Instant, PersonId, ProblemEntry, SubmissionNumber, TeamId,
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Says that the board has thawed and nothing changes any more, which the ICPC resolver waits for; without submissions
    /// that do not count, which it would count, and without hidden teams and what is theirs, which it would show.
    pub for_resolver: bool,
}

/// An object of an endpoint, as the package has it.
struct Object {
    id: String,
    value: Value,
}

struct Attached {
    path: String,
    content: Content,
}

enum Content {
    Blob(BlobHash),
    /// The source of a submission, as a zip.
    Source(SubmissionNumber),
}

/// Writes a contest as its jury sees it.
pub fn write(app: &App, zip: &mut Zip, view: &View<'_>, options: Options) -> Result<(), Problem> {
    let mut package = Package { view, options, attached: Vec::new() };
    let before = package.before()?;
    let state = wire_state(&package.state());
    zip.json("api.json", &root::api_information())?;
    for (endpoint, objects) in &before {
        match (*endpoint, &objects[..]) {
            ("contest", [contest]) => zip.json("contest.json", &contest.value)?,
            _ => zip.json(&format!("{endpoint}.json"), &values(objects))?,
        }
    }
    zip.json("state.json", &state)?;
    let submissions = view.submissions().filter(|submission| package.has(submission));
    let numbers: Vec<SubmissionNumber> = submissions.map(|submission| submission.number).collect();
    // One by one: a large contest has a million of runs.
    list(zip, "submissions.json", &mut numbers.iter().map(|number| Ok(vec![package.submission(*number)?])))?;
    let (mut judgements, mut runs) = (
        numbers.iter().map(|number| Ok(judgements_of(view, *number))),
        numbers.iter().map(|number| Ok(runs_of(view, *number))),
    );
    list(zip, "judgements.json", &mut judgements)?;
    list(zip, "runs.json", &mut runs)?;
    let after = package.after()?;
    for (endpoint, objects) in &after {
        zip.json(&format!("{endpoint}.json"), &values(objects))?;
    }
    let scoreboard = board::build(view, BoardSide::Jury, None)?;
    let mut scoreboard: Value = serde_json::from_slice(&scoreboard).map_err(Problem::internal)?;
    let mut extra = Extra::of(view)?;
    if options.for_resolver {
        if let Some(rows) = scoreboard["rows"].as_array_mut() {
            rows.retain(|row| row["is_hidden"] != true);
        }
        extra.keep(
            |number| numbers.binary_search(&number).is_ok(),
            |team| package.shows_team_id(team),
            &package.hidden_awards(),
        );
    }
    zip.json("scoreboard.json", &scoreboard)?;
    zip.json(EXTRA, &extra)?;
    package.feed(zip, &before, &numbers, &after)?;
    // Submissions were walked through twice.
    package.attached.sort_by(|one, other| one.path.cmp(&other.path));
    package.attached.dedup_by(|one, other| one.path == other.path);
    for Attached { path, content } in &package.attached {
        match content {
            Content::Blob(hash) => zip.blob(app, path, hash)?,
            Content::Source(number) => zip.bytes(path, &sources::zip(app, view.source(*number)?)?)?,
        }
    }
    Ok(())
}

fn values(objects: &[Object]) -> Vec<&Value> {
    objects.iter().map(|object| &object.value).collect()
}

/// Writes a list whose entries are made one by one, each on a line of its own.
fn list(
    zip: &mut Zip,
    name: &str,
    parts: &mut dyn Iterator<Item = Result<Vec<Object>, Problem>>,
) -> Result<(), Problem> {
    let lines = zip.lines(name)?;
    let mut separator = "[\n";
    for part in parts {
        for object in part? {
            write!(lines, "{separator}{}", object.value).map_err(Problem::internal)?;
            separator = ",\n";
        }
    }
    let end = if separator == "[\n" { "[]\n" } else { "\n]\n" };
    lines.write_all(end.as_bytes()).map_err(Problem::internal)
}

fn judgements_of(view: &View<'_>, number: SubmissionNumber) -> Vec<Object> {
    view.recorded_of(number).iter().map(|judgement| object(&wire_judgement(judgement))).collect()
}

fn runs_of(view: &View<'_>, number: SubmissionNumber) -> Vec<Object> {
    let judgements = view.recorded_of(number);
    let runs = judgements.iter().flat_map(|judgement| view.runs(judgement.key).unwrap_or_default());
    runs.map(|run| object(&wire_run(&run))).collect()
}

/// Returns an object as the API has it.
fn object(document: &impl Serialize) -> Object {
    let value = serde_json::to_value(document).unwrap_or_default();
    Object { id: value["id"].as_str().unwrap_or_default().to_owned(), value }
}

struct Package<'a> {
    view: &'a View<'a>,
    options: Options,
    attached: Vec<Attached>,
}

impl Package<'_> {
    fn has(&self, submission: &SubmissionView<'_>) -> bool {
        !self.options.for_resolver
            || (submission.ignored.is_none() && submission.team.is_some_and(|team| self.shows_team(team)))
    }

    fn shows_team(&self, id: &TeamId) -> bool {
        !self.options.for_resolver || self.view.is_public_team(id)
    }

    fn shows_team_id(&self, id: &str) -> bool {
        id.parse().is_ok_and(|id| self.shows_team(&id))
    }

    /// Returns the ids of awards whose name reveals an organization or a group that is not shown.
    fn hidden_awards(&self) -> BTreeSet<String> {
        if !self.options.for_resolver {
            return BTreeSet::new();
        }
        let organizations = self.view.organizations();
        let organizations = organizations.filter(|one| !self.view.is_public_organization(&one.id));
        let organizations = organizations.map(|one| award_id("organization-winner-", one.id.as_str()));
        let groups = self.view.groups().filter(|one| one.is_hidden);
        organizations.chain(groups.map(|one| award_id("group-winner-", one.id.as_str()))).collect()
    }

    /// Returns whether a text may name an object: it would lead nowhere, and tell of it.
    fn shows_named(&self, kind: &str, id: &str) -> bool {
        match kind {
            "teams" => self.shows_team_id(id),
            "submissions" => {
                let number = id.parse().map(SubmissionNumber);
                number.is_ok_and(|number| self.view.submission(number).is_ok_and(|one| self.has(&one)))
            }
            "persons" => id.parse().is_ok_and(|id| self.shows_person(&id)),
            "organizations" => {
                !self.options.for_resolver || id.parse().is_ok_and(|id| self.view.is_public_organization(&id))
            }
            _ => true,
        }
    }

    fn shows_group(&self, id: &GroupId) -> bool {
        !self.options.for_resolver || self.view.groups().any(|group| group.id == *id && !group.is_hidden)
    }

    fn shows_person(&self, id: &PersonId) -> bool {
        !self.options.for_resolver || self.view.is_public_person(id)
    }

    fn state(&self) -> StateView {
        let state = self.view.state();
        if !self.options.for_resolver {
            return state;
        }
        let thawed = state.thawed.or(state.frozen.and(state.finalized));
        StateView { thawed, end_of_updates: state.finalized.max(thawed), ..state }
    }

    /// Returns what is there before the first submission: targets first, then what refers to them.
    fn before(&mut self) -> Result<Vec<(&'static str, Vec<Object>)>, Problem> {
        let view = self.view;
        let own = self.own()?;
        let contest = object(&wire_contest(view));
        let mut contest = Object { value: merged(contest.value, own.get("contest.json")), ..contest };
        let main = view.jury()?.settings.main_group.as_ref();
        if let Some(values) =
            contest.value.as_object_mut().filter(|_| main.is_some_and(|id| !self.shows_group(id)))
        {
            values.remove("main_scoreboard_group_id");
        }
        let contest = vec![self.local("contest", FileOwner::Contest, contest)];
        // Whatever a pool can compile: a package is the same on each server.
        let languages = &view.contest().languages;
        let is_allowed = |id: &str| languages.is_empty() || languages.iter().any(|one| one.as_str() == id);
        let languages = LANGUAGES.iter().filter(|language| is_allowed(&language.id));
        let languages = languages.map(|language| object(&wire_language(language))).collect();
        let types = judgement_types(view.contest().scoring).iter().map(object).collect();
        let groups = view.groups().filter(|group| self.shows_group(&group.id));
        let groups = groups.map(|group| object(&group.object(true))).collect();
        let mut organizations = Vec::new();
        let is_for_all = !self.options.for_resolver;
        for entry in view.organizations().filter(|entry| is_for_all || view.is_public_organization(&entry.id))
        {
            let owner = FileOwner::Organization(entry.id.clone());
            organizations.push(self.local("organizations", owner, object(&wire_organization(view, entry))));
        }
        let mut teams = Vec::new();
        for team in view.teams() {
            if !self.shows_team(&team.id) {
                continue;
            }
            let owner = FileOwner::Team(team.id.clone());
            teams.push(self.local("teams", owner, object(&wire_team(view, team))));
        }
        let mut persons = Vec::new();
        for mut person in view.persons() {
            if !self.shows_person(&person.id) {
                continue;
            }
            person.team_ids.iter_mut().for_each(|teams| teams.retain(|team| self.shows_team(team)));
            let owner = FileOwner::Person(person.id.clone());
            persons.push(self.local("persons", owner, object(&wire_person(view, person))));
        }
        let accounts = own.get("accounts.json").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut all = vec![
            ("languages", languages),
            ("judgement-types", types),
            ("groups", groups),
            ("organizations", organizations),
            ("contest", contest),
            ("teams", teams),
            ("persons", persons),
            ("accounts", accounts.iter().map(object).collect()),
            ("problems", self.problems(own.get("problems.json"))),
        ];
        for (endpoint, objects) in &mut all {
            // Problems have an order of their own.
            if *endpoint != "problems" {
                objects.sort_by(|one, other| one.id.cmp(&other.id));
            }
        }
        Ok(all)
    }

    /// Returns the files with our own settings, which an import reads.
    fn own(&self) -> Result<BTreeMap<String, Value>, Problem> {
        let view = self.view;
        let settings = view.contest().jury.map(|jury| jury.settings.clone());
        let referred: BTreeSet<_> = view.submissions().filter_map(|submission| submission.account).collect();
        let accounts = view
            .accounts()?
            .filter(|account| account.contests.contains(view.id()) || referred.contains(&account.id))
            .filter(|account| account.team.as_ref().is_none_or(|team| self.shows_team(team)))
            .filter(|account| account.person.as_ref().is_none_or(|person| self.shows_person(person)));
        let problems = view.problems();
        let problems = problems.iter().filter_map(|problem| problem.jury.as_ref());
        let files = ContestFiles {
            contest: settings.map(|settings| (view.id().clone(), settings)),
            problems: problems.map(|jury| ProblemEntry::of(jury.settings)).collect(),
            accounts: accounts
                .map(|settings| AccountEntry { settings: settings.clone(), password: None })
                .collect(),
            ..ContestFiles::default()
        };
        let texts = contest_rules::files::write(&files).into_iter();
        texts
            .map(|(name, bytes)| Ok((name, serde_json::from_slice(&bytes).map_err(Problem::internal)?)))
            .collect()
    }

    fn problems(&mut self, own: Option<&Value>) -> Vec<Object> {
        let mut objects = Vec::new();
        for problem in self.view.problems() {
            let own = own.and_then(Value::as_array);
            let own = own.and_then(|all| all.iter().find(|one| one["id"] == problem.id.as_str()));
            let wire = object(&wire_problem(self.view.id().as_str(), &problem));
            let mut found = Object { value: merged(wire.value, own), ..wire };
            for property in ["package", "statement", "statement_pages", "attachments"] {
                for file in found.value[property].as_array_mut().into_iter().flatten() {
                    let name = file["filename"].as_str().unwrap_or_default().to_owned();
                    let content = self.view.problem_file(problem.id, &name);
                    self.attach(
                        file,
                        format!("{PROBLEMS}/{}/{name}", problem.id),
                        content.cloned().map(Content::Blob),
                    );
                }
            }
            objects.push(found);
        }
        objects
    }

    fn submission(&mut self, number: SubmissionNumber) -> Result<Object, Problem> {
        let shown: SubmissionView<'_> = self.view.submission(number)?;
        let found = object(&wire_submission(self.view, &shown));
        let mut found = self.local("submissions", FileOwner::Submission(number), found);
        for file in found.value["files"].as_array_mut().into_iter().flatten() {
            let path = format!("submissions/{number}/{}", file["filename"].as_str().unwrap_or_default());
            self.attach(file, path, Some(Content::Source(number)));
        }
        Ok(found)
    }

    /// Lets an object's files be those of the package, except for those that are elsewhere.
    fn local(&mut self, folder: &str, owner: FileOwner, mut object: Object) -> Object {
        let files = self.view.files(&owner);
        for (property, entries) in files {
            let listed = object.value[property.name()].as_array_mut();
            for (file, entry) in listed.into_iter().flatten().zip(entries) {
                let FileContent::Stored { blob, .. } = &entry.content else { continue };
                let path = match owner {
                    FileOwner::Contest => format!("{folder}/{}", entry.filename),
                    _ => format!("{folder}/{}/{}", object.id, entry.filename),
                };
                self.attach(file, path, Some(Content::Blob(blob.clone())));
            }
        }
        object
    }

    fn attach(&mut self, file: &mut Value, path: String, content: Option<Content>) {
        let Some(content) = content else { return };
        file.as_object_mut().map(|file| file.shift_remove("href"));
        self.attached.push(Attached { path, content });
    }

    /// Returns what comes after the submissions.
    fn after(&mut self) -> Result<Vec<(&'static str, Vec<Object>)>, Problem> {
        let view = self.view;
        let shown: Vec<_> = view.clarifications().filter(|one| self.shows_clarification(one)).collect();
        let numbers: BTreeSet<_> = shown.iter().map(|one| one.number).collect();
        let clarifications = shown.into_iter().map(|mut one| {
            one.to_teams.retain(|team| self.shows_team(team));
            one.to_groups.retain(|group| self.shows_group(group));
            one.reply_to = one.reply_to.filter(|number| numbers.contains(number));
            object(&recorded(&one))
        });
        let clarifications: Vec<_> = clarifications.collect();
        let hidden = self.hidden_awards();
        let awards =
            view.awards().into_iter().filter(|award| !hidden.contains(&award.id)).map(|mut award| {
                award.teams.iter_mut().for_each(|teams| teams.retain(|team| self.shows_team(team)));
                object(&awards::wire_award(&award))
            });
        let awards = awards.collect();
        let remarks = view.commentary().filter(|one| {
            let named = contest_rules::named_in(one.message);
            one.teams.iter().all(|team| self.shows_team(team))
                && one.source.is_none_or(|person| self.shows_person(person))
                && named.iter().all(|(kind, id)| self.shows_named(kind, id))
        });
        let commentary = remarks.map(|one| {
            let mut wire = wire_commentary(&one);
            let has = |number: &SubmissionNumber| view.submission(*number).is_ok_and(|one| self.has(&one));
            if let Some(ids) = &mut wire.submission_ids {
                ids.retain(|id| id.parse().is_ok_and(|number| has(&SubmissionNumber(number))));
            }
            object(&wire)
        });
        let commentary = commentary.collect();
        Ok(vec![("clarifications", clarifications), ("commentary", commentary), ("awards", awards)])
    }

    /// Returns whether a clarification is from, or to, anybody who is shown.
    fn shows_clarification(&self, one: &ClarificationView<'_>) -> bool {
        let is_to_some = one.to_teams.iter().any(|team| self.shows_team(team))
            || one.to_groups.iter().any(|group| self.shows_group(group));
        one.from_team.is_none_or(|team| self.shows_team(team))
            && (is_to_some || (one.to_teams.is_empty() && one.to_groups.is_empty()))
    }

    /// Writes what a feed of the contest would have sent, in the feed's order: what refers to something comes after it. The
    /// state is as it went on, its last change at the end.
    fn feed(
        &mut self,
        zip: &mut Zip,
        before: &[(&'static str, Vec<Object>)],
        numbers: &[SubmissionNumber],
        after: &[(&'static str, Vec<Object>)],
    ) -> Result<(), Problem> {
        let mut changes = states(&self.state()).into_iter().peekable();
        let file = zip.lines("event-feed.ndjson")?;
        let mut feed = Feed::default();
        feed.collections(before)?;
        for number in numbers {
            let time = self.view.submission(*number)?.time;
            while let Some((_, state)) = changes.next_if(|(at, _)| *at <= time) {
                feed.put("state", None, &state)?;
            }
            feed.object("submissions", &self.submission(*number)?)?;
            for judgement in judgements_of(self.view, *number) {
                feed.object("judgements", &judgement)?;
            }
            for run in runs_of(self.view, *number) {
                feed.object("runs", &run)?;
            }
            feed.send(file)?;
        }
        feed.collections(after)?;
        changes.try_for_each(|(_, state)| feed.put("state", None, &state))?;
        feed.send(file)
    }
}

/// Lines of the feed, each with its number as its token, which some readers want.
#[derive(Default)]
struct Feed {
    lines: Lines,
    count: u64,
}

impl Feed {
    fn put(&mut self, endpoint: &str, id: Option<&str>, value: &Value) -> Result<(), Problem> {
        self.lines.put(endpoint, id, value)?;
        self.count += 1;
        self.lines.set_token(&self.count.to_string());
        Ok(())
    }

    fn object(&mut self, endpoint: &str, object: &Object) -> Result<(), Problem> {
        self.put(endpoint, Some(&*object.id).filter(|_| endpoint != "contest"), &object.value)
    }

    fn collections(&mut self, all: &[(&'static str, Vec<Object>)]) -> Result<(), Problem> {
        for (endpoint, objects) in all {
            objects.iter().try_for_each(|object| self.object(endpoint, object))?;
        }
        Ok(())
    }

    fn send(&mut self, file: &mut impl Write) -> Result<(), Problem> {
        let lines = std::mem::take(&mut self.lines);
        file.write_all(&lines.into_bytes()).map_err(Problem::internal)
    }
}

/// Returns a clarification without its present claim.
fn recorded(clarification: &ClarificationView<'_>) -> documents::contest::Clarification {
    documents::contest::Clarification {
        claimed_by: None,
        claimed_until: None,
        ..wire_clarification(clarification, true)
    }
}

/// Returns the states that there were, each with its time; of a contest that has not started, the only one.
fn states(state: &StateView) -> Vec<(Instant, Value)> {
    type Set = fn(&mut StateView, Instant);
    let set: [(Set, Option<Instant>); 6] = [
        (|state, at| state.started = Some(at), state.started),
        (|state, at| state.frozen = Some(at), state.frozen),
        (|state, at| state.ended = Some(at), state.ended),
        (|state, at| state.finalized = Some(at), state.finalized),
        (|state, at| state.thawed = Some(at), state.thawed),
        (|state, at| state.end_of_updates = Some(at), state.end_of_updates),
    ];
    let mut changes: Vec<_> = set.into_iter().filter_map(|(set, at)| Some((at?, set))).collect();
    changes.sort_by_key(|(at, _)| *at);
    let mut now = StateView::default();
    if changes.is_empty() {
        return vec![(Instant::default(), serde_json::to_value(wire_state(&now)).unwrap_or_default())];
    }
    let apply = |(at, set): (Instant, Set)| {
        set(&mut now, at);
        (at, serde_json::to_value(wire_state(&now)).unwrap_or_default())
    };
    changes.into_iter().map(apply).collect()
}

/// Returns an object with the members that only another one has.
fn merged(mut value: Value, other: Option<&Value>) -> Value {
    let nothing = Map::new();
    let other = other.and_then(Value::as_object).unwrap_or(&nothing);
    if let Some(members) = value.as_object_mut() {
        for (name, value) in other {
            members.entry(name).or_insert_with(|| value.clone());
        }
    }
    value
}
