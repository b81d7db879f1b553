//! Importing the files of a contest package: all of them, or nothing.

use crate::auth::Auth;
use crate::contest_package::{BlobImporter, present, put_placeholder};
use crate::extract::{Json, Later, Query};
use crate::wire::{id, import_message};
use crate::{App, Problem, Shared, attachments, packages};
use axum::extract::State;
use axum::http::StatusCode;
use contest_rules::files::{AccountChanges, ContestFiles, Finding, compare, limit_accounts};
use contest_rules::roles::Resource;
use contest_rules::{Action, BlobHash, Command, ContestId, ProblemEntry, ProblemFile, ProblemSettings};
use documents::contest as api;
use model::{Counted, message};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Files of 5,000 teams, with their accounts.
pub const BODY_BYTES_MAX: usize = 32 << 20;
/// How long an import waits for another one.
const PLACE_WITHIN: Duration = Duration::from_secs(20);
/// More of the same do not help.
pub(super) const MESSAGES_MAX: usize = 200;

#[derive(Deserialize)]
pub struct ImportQuery {
    #[serde(default)]
    dry_run: bool,
}

/// Imports files, or only says what that would do.
pub async fn import(
    State(app): State<Shared>,
    auth: Auth,
    Query(query): Query<ImportQuery>,
    sent: Later<api::ImportFiles>,
) -> Result<Json<api::ImportReport>, Problem> {
    auth.may_read(Resource::Packages)?;
    let sent = sent.read(&app).await?;
    import_files(&app, &auth, sent, Trial { is_dry_run: query.dry_run, ..Trial::default() }).await.map(Json)
}

/// How files are imported.
#[derive(Clone, Copy, Default)]
pub(super) struct Trial {
    pub is_dry_run: bool,
    /// Whether packages of problems may come later: until then these problems are paused.
    pub may_lack_packages: bool,
}

pub(super) async fn import_files(
    app: &Shared,
    auth: &Auth,
    mut sent: api::ImportFiles,
    Trial { is_dry_run, may_lack_packages }: Trial,
) -> Result<api::ImportReport, Problem> {
    let files: BTreeMap<String, Vec<u8>> =
        sent.files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    // The thread that reads has the place too: it goes on when the request is dropped.
    let place = Arc::new(place(app).await?);
    let (held, reader) = (place.clone(), auth.clone());
    let into: Option<ContestId> = sent.contest_id.as_ref().and_then(|id| id.parse().ok());
    let read = app.blocking(move |app| {
        let _held = held;
        Ok(contest_rules::files::read_over(&files, into.as_ref(), &|id| present(app, &reader, id).ok()))
    });
    let (files, findings) = read.await?;
    let (warnings, errors): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| finding.is_warning);
    if !errors.is_empty() {
        let detail = message!(
            "files-have-mistakes",
            "the files have {count}, and nothing was changed",
            count = Counted(errors.len(), "mistake")
        );
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "import", detail);
        return Err(problem.with_errors(errors.into_iter().map(import_message).collect()));
    }
    let contest = match (&files.contest, &sent.contest_id) {
        (Some((own, _)), Some(other)) if own.as_str() != other => {
            let detail = message!(
                "files-of-other-contest",
                "the files are of contest '{own}', not '{other}'",
                own,
                other
            );
            return Err(Problem::conflict("id", detail));
        }
        (Some((own, _)), _) => own.clone(),
        (None, Some(other)) => id("contest_id", other)?,
        (None, None) => {
            return Err(Problem::invalid_field(
                "contest_id",
                message!("files-without-contest", "the files have no contest"),
            ));
        }
    };
    let mut changes = describe(&files);
    let mut without_package = BTreeMap::new();
    if may_lack_packages {
        let is_missing = |problem: &&ProblemEntry| !sent.packages.contains_key(problem.id.as_str());
        let missing: Vec<String> =
            files.problems.iter().filter(is_missing).map(|problem| problem.id.to_string()).collect();
        if !missing.is_empty() {
            let auth = auth.clone();
            let put = app.blocking(move |app| put_placeholder(&BlobImporter::new(app, &auth, is_dry_run)?));
            let placeholder = put.await?;
            sent.packages.extend(missing.iter().map(|id| (id.clone(), placeholder.clone())));
            without_package.extend(missing.into_iter().map(|id| (id, 1)));
        }
    }
    let parts =
        Parts { packages: &sent.packages, statements: BTreeMap::new(), without_package: &without_package };
    let attached = attachments::imported(app, auth, sent.attachments).await?;
    if !attached.is_empty() {
        changes.push(format!("files of objects: {}", attached.len()));
    }
    let Planned { mut commands, accounts, objects } =
        commands(app, auth, &contest, files, parts, is_dry_run).await?;
    commands.extend(attached.into_iter().map(|action| Command::In(contest.clone(), action)));
    if is_dry_run {
        app.try_all(auth, commands).await?;
    } else {
        app.act_all(auth, commands).await?;
    }
    let contest_id = contest.to_string();
    changes.extend(accounts.changes);
    let mut warnings: Vec<_> = warnings.into_iter().map(import_message).collect();
    warnings.extend(accounts.warnings.into_iter().map(of_accounts));
    warnings.truncate(MESSAGES_MAX);
    Ok(api::ImportReport { dry_run: is_dry_run, contest_id, changes, objects, warnings })
}

pub(super) async fn place(app: &Shared) -> Result<OwnedSemaphorePermit, Problem> {
    let place = tokio::time::timeout(PLACE_WITHIN, app.imports.clone().acquire_owned()).await;
    let busy = |_| {
        Problem::unavailable(message!(
            "import-running",
            "another import is running; try again when it has ended"
        ))
    };
    place.map_err(busy)?.map_err(Problem::internal)
}

pub(super) fn of_accounts(message: String) -> api::ImportMessage {
    api::ImportMessage { file: Some("accounts".to_owned()), line: None, message }
}

pub(super) fn describe(files: &ContestFiles) -> Vec<String> {
    let counts = [
        ("problems", files.problems.len()),
        ("groups", files.groups.len()),
        ("organizations", files.organizations.len()),
        ("teams", files.teams.len()),
        ("persons", files.persons.len()),
    ];
    let contest = files.contest.iter().map(|(_, settings)| format!("contest: {}", settings.name));
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    contest.chain(counts.map(|(what, count)| format!("{what}: {count}"))).collect()
}

/// What files refer to.
pub(super) struct Parts<'a> {
    /// The hashes of the problems' packages.
    pub packages: &'a BTreeMap<String, String>,
    /// The statements that were made of them, and whether each is the part of a page.
    pub statements: BTreeMap<String, Vec<(ProblemFile, bool)>>,
    /// Problems that came without one, and how many test cases they have.
    pub without_package: &'a BTreeMap<String, u32>,
}

/// What files do.
pub(super) struct Planned {
    /// In an order in which each refers to what is there.
    pub commands: Vec<Command>,
    pub accounts: AccountChanges,
    pub objects: Vec<api::ImportedObjects>,
}

/// Returns what files do.
pub(super) async fn commands(
    app: &Shared,
    auth: &Auth,
    contest: &ContestId,
    mut files: ContestFiles,
    mut parts: Parts<'_>,
    is_dry_run: bool,
) -> Result<Planned, Problem> {
    let accounts = match files.accounts.is_empty() {
        true => AccountChanges::default(),
        false => {
            let state = app.published.state();
            let known = state.server(&auth.caller).accounts()?;
            limit_accounts(&mut files, contest, known)
        }
    };
    let objects = compare(&present(app, auth, contest).unwrap_or_default(), &files);
    let mut commands = Vec::new();
    let mut whole = None;
    if let Some((id, mut settings)) = files.contest {
        let names_groups = settings.main_group.is_some() || settings.registration.group_id.is_some();
        whole = names_groups.then(|| Command::SetContest(id.clone(), Box::new(settings.clone())));
        // Its groups may not be there yet.
        settings.main_group = None;
        settings.registration.group_id = None;
        commands.push(Command::SetContest(id, Box::new(settings)));
    }
    let mut actions: Vec<Action> = Vec::new();
    actions.extend(files.groups.into_iter().map(Action::SetGroup));
    actions.extend(files.organizations.into_iter().map(Action::SetOrganization));
    actions.extend(files.teams.into_iter().map(Action::SetTeam));
    actions.extend(files.persons.into_iter().map(Action::SetPerson));
    for problem in files.problems {
        let known = known(app, auth, contest, &problem);
        let package = parts.packages.get(problem.id.as_str());
        let cases = parts.without_package.get(problem.id.as_str());
        let statements = parts.statements.remove(problem.id.as_str()).unwrap_or_default();
        // A trial without the packages can check less.
        let is_there = match package {
            Some(package) if is_dry_run => super::blobs::stored(app, auth, "packages", package).await.is_ok(),
            _ => true,
        };
        let mut settings = match (package, known, is_there) {
            (Some(package), None, _) if cases.is_some() => ProblemSettings {
                test_data_count: cases.copied().unwrap_or(1),
                ..problem.clone().over(unread(&problem, package))
            },
            (Some(_), Some(known), _) if cases.is_some() => problem.over(known),
            (Some(package), known, true) => {
                let stored = super::blobs::stored(app, auth, "packages", package).await?;
                let (name, how) = (problem.id.to_string(), (is_dry_run, problem.scores));
                let package = packages::read_and_store(app, auth, stored, name, how).await?;
                let package = package.settings(&problem)?;
                with_package(problem, package, known.as_ref())
            }
            (Some(package), known, false) => {
                let package = unread(&problem, package);
                with_package(problem, package, known.as_ref())
            }
            (None, Some(known), _) => problem.over(known),
            (None, None, _) => {
                let detail = message!(
                    "problem-without-package",
                    "problem '{problem}' has no package",
                    problem = problem.id
                );
                return Err(Problem::invalid_field("packages", detail));
            }
        };
        for (file, is_page) in statements {
            settings.files.set_statement(file, is_page);
        }
        actions.push(Action::SetProblem(Box::new(settings)));
    }
    commands.extend(actions.into_iter().map(|action| Command::In(contest.clone(), action)));
    commands.extend(whole);
    for account in files.accounts {
        let id = account.settings.id.clone();
        commands.push(Command::SetAccount(account.settings));
        if let Some(password) = account.password.filter(|_| !is_dry_run) {
            let hash = app.passwords.hash(password).await?;
            commands.push(Command::SetPassword { account: id, hash });
        }
    }
    Ok(Planned { commands, accounts, objects })
}

fn known(app: &App, auth: &Auth, contest: &ContestId, problem: &ProblemEntry) -> Option<ProblemSettings> {
    let known = app.view(auth, contest.as_str(), |view| {
        Ok(view.problem(&problem.id)?.jury.map(|jury| jury.settings.clone()))
    });
    known.ok().flatten()
}

/// Returns a problem whose package comes; its settings of before still count.
pub(super) fn with_package(
    entry: ProblemEntry,
    package: ProblemSettings,
    old: Option<&ProblemSettings>,
) -> ProblemSettings {
    let Some(waiting) = old.filter(|old| old.waits_for_package()) else {
        return entry.over_package(package, old);
    };
    let pause_reason = waiting.pause_reason.clone();
    entry.or(ProblemEntry::of_waiting(waiting)).over(ProblemSettings { pause_reason, ..package })
}

fn unread(entry: &ProblemEntry, package: &str) -> ProblemSettings {
    ProblemSettings::new(entry.id.clone(), entry.label.clone(), entry.ordinal, BlobHash(package.into()))
}
