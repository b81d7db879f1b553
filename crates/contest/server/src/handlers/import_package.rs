//! Importing a contest package as one archive: all of it, or nothing.

use super::import::{MESSAGES_MAX, Parts, Planned, commands, of_accounts, place};
use crate::auth::Auth;
use crate::contest_package::{self, BlobImporter, UnpackedContest, total_time};
use crate::extract::{Json, Query};
use crate::wire::id;
use crate::{App, Problem, Shared, clock};
use ::documents::contest::{ImportMessage, ImportReport};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use contest_rules::board::BoardSide;
use contest_rules::roles::Resource;
use contest_rules::view::View;
use contest_rules::{Action, Caller, Command, ContestId};
use model::{Counted, message};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PackageQuery {
    dry_run: bool,
    /// The hash of one that was uploaded before.
    uploaded: Option<String>,
}

/// Imports a contest package, or only says what that would do.
pub async fn import(
    State(app): State<Shared>,
    auth: Auth,
    Query(query): Query<PackageQuery>,
    request: Request,
) -> Result<Json<ImportReport>, Problem> {
    auth.may_read(Resource::Packages)?;
    let limit = app.config.limits.contest_package_bytes;
    let file = match &query.uploaded {
        Some(hash) => {
            let stored = super::blobs::stored(&app, &auth, "uploaded", hash).await?;
            app.blocking(move |app| copy(app, &mut app.blobs.get(&stored.hash, None)?, limit)).await?
        }
        None => super::blobs::with_body(&app, request, move |app, content| copy(app, content, limit)).await?,
    };
    // Both go to the threads that do the work: they have them until they end, and end early when the request does.
    let place = Arc::new(place(&app).await?);
    let request = UntilDropped::default();
    let (auth, held, is_over) = (Arc::new(auth), place.clone(), request.0.clone());
    let sender = auth.clone();
    let taken = app.blocking(move |app| {
        let _held = held;
        contest_package::unpack(&BlobImporter::new(app, &sender, query.dry_run)?, file, is_over)
    });
    let taken = taken.await?;
    refuse_errors(&taken.errors)?;
    let Some((contest, _)) = &taken.files.contest else {
        return Err(Problem::invalid(message!("package-without-contest", "the package has no contest")));
    };
    let contest = contest.clone();
    let UnpackedContest {
        files,
        packages,
        statements,
        without_package,
        after,
        awards,
        scoreboard,
        changes,
        warnings,
        ..
    } = taken;
    let mut warnings = warnings;
    let mut described = super::import::describe(&files);
    described.extend(changes);
    let parts = Parts { packages: &packages, statements, without_package: &without_package };
    let Planned { commands: mut all, accounts, objects } =
        commands(&app, &auth, &contest, files, parts, query.dry_run).await?;
    described.extend(accounts.changes);
    warnings.extend(accounts.warnings.into_iter().map(of_accounts));
    all.extend(after.into_iter().map(|action| Command::In(contest.clone(), action)));
    // Decided on a copy first: what differs from the other system's board and awards is known before anything is changed.
    let caller = auth.caller.clone();
    let (all, more) = app
        .blocking(move |app| {
            let _held = place;
            rehearse(app, &caller, &contest, all, awards, scoreboard.as_ref())
                .map(|(all, more)| (all, (contest, more)))
        })
        .await
        .map_err(|problem| auth.explain(problem))?;
    let (contest, differences) = more;
    warnings.extend(differences);
    warnings.truncate(MESSAGES_MAX);
    if !query.dry_run {
        app.act_all(&auth, all).await?;
    }
    let contest_id = contest.to_string();
    Ok(Json(ImportReport { dry_run: query.dry_run, contest_id, changes: described, objects, warnings }))
}

/// A flag that is set when this is dropped, as a request is when its client goes.
#[derive(Default)]
struct UntilDropped(Arc<AtomicBool>);

impl Drop for UntilDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns a file on the disk with a content, since a zip is read from its end.
fn copy(app: &App, content: &mut dyn Read, limit: u64) -> Result<File, Problem> {
    let mut file = tempfile::tempfile_in(&app.config.temporary).map_err(Problem::internal)?;
    let copied = std::io::copy(&mut content.take(limit + 1), &mut file);
    let copied = copied.map_err(|error| Problem::invalid(format!("the package cannot be read: {error}")))?;
    if copied > limit {
        return Err(crate::extract::too_large());
    }
    file.rewind().map_err(Problem::internal)?;
    Ok(file)
}

fn refuse_errors(errors: &[ImportMessage]) -> Result<(), Problem> {
    if errors.is_empty() {
        return Ok(());
    }
    let detail = message!(
        "package-has-mistakes",
        "the package has {count}, and nothing was changed",
        count = Counted(errors.len(), "mistake")
    );
    let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "import", detail);
    Err(problem.with_errors(errors.iter().take(MESSAGES_MAX).cloned().collect()))
}

/// Decides commands on a copy of the state. Returns them with the awards that our rules would not give, and what differs.
fn rehearse(
    app: &App,
    caller: &Caller,
    contest: &ContestId,
    mut commands: Vec<Command>,
    awards: Vec<(String, String, Vec<String>)>,
    scoreboard: Option<&Value>,
) -> Result<(Vec<Command>, Vec<ImportMessage>), Problem> {
    let mut state = app.published.state().clone();
    let now = clock::system_now();
    let mut differences = Vec::new();
    let act = |state: &mut contest_rules::State, command: Command| -> Result<(), Problem> {
        let what = about(&command);
        for event in
            contest_rules::decide(state, caller, now, command).map_err(|refusal| what(refusal.into()))?
        {
            state.apply(state.seq() + 1, &event);
        }
        Ok(())
    };
    // What makes the result final comes last.
    let last = commands.pop_if(|command| {
        matches!(command, Command::In(_, Action::Import(imported)) if matches!(**imported, contest_rules::Imported::Finalized { .. }))
    });
    for command in &commands {
        act(&mut state, command.clone())?;
    }
    // Awards are set before the result is final, and compared with those of the final result.
    let mut at_end = state.clone();
    last.iter().try_for_each(|command| act(&mut at_end, command.clone()))?;
    // Once: there may be as many awards as teams.
    let all_earned = at_end.view(caller, contest)?.awards();
    for (award, citation, teams) in awards {
        let earned = all_earned.iter().find(|one| one.id == award);
        let is_same = earned.is_some_and(|earned| {
            let mut ours: Vec<&str> = earned.teams.iter().flatten().map(|team| team.as_str()).collect();
            let mut theirs: Vec<&str> = teams.iter().map(String::as_str).collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            ours == theirs
        });
        if is_same {
            continue;
        }
        let ids = teams.iter().map(|team| id("team_ids", team)).collect::<Result<_, _>>()?;
        let command =
            Command::In(contest.clone(), Action::SetAward { id: award.clone(), citation, teams: Some(ids) });
        let text = match act(&mut state, command.clone()) {
            Ok(()) => {
                commands.push(command);
                format!("award '{award}' is kept as it was given there; our rules give it otherwise")
            }
            Err(problem) => format!("award '{award}' is left out: {}", problem.detail()),
        };
        differences.push(ImportMessage { file: Some("awards".to_owned()), line: None, message: text });
    }
    commands.extend(last);
    if let Some(theirs) = scoreboard {
        compare(&at_end.view(caller, contest)?, theirs, &mut differences)?;
    }
    Ok((commands, differences))
}

/// Returns what adds to a refusal which object it is about.
fn about(command: &Command) -> impl Fn(Problem) -> Problem + use<> {
    let what = match command {
        Command::In(_, Action::Import(imported)) => match &**imported {
            contest_rules::Imported::Submission(entry) => {
                let number = entry.submitted.number.to_string();
                format!("submission '{}': ", entry.foreign_id.as_ref().unwrap_or(&number))
            }
            contest_rules::Imported::Clarification { content, .. } => {
                format!("clarification {}: ", content.number)
            }
            contest_rules::Imported::Commentary { content, .. } => format!("commentary {}: ", content.number),
            contest_rules::Imported::Finalized { .. } => String::new(),
        },
        Command::In(_, Action::SetProblem(settings)) => format!("problem '{}': ", settings.id),
        Command::In(_, Action::SetTeam(settings)) => format!("team '{}': ", settings.id),
        Command::In(_, Action::SetPerson(settings)) => format!("person '{}': ", settings.id),
        Command::In(_, Action::SetFiles { of, .. }) => format!("files of {of}: "),
        Command::SetAccount(settings) => format!("account '{}': ", settings.id),
        _ => String::new(),
    };
    move |problem| match what.as_str() {
        "" => problem,
        what => Problem::new(problem.status(), problem.kind(), format!("{what}{}", problem.detail())),
    }
}

/// Notes where our board differs from the other system's.
fn compare(view: &View<'_>, theirs: &Value, differences: &mut Vec<ImportMessage>) -> Result<(), Problem> {
    let ours = super::board::build(view, BoardSide::Jury, None)?;
    let ours: Value = serde_json::from_slice(&ours).map_err(Problem::internal)?;
    let rows = |board: &Value| -> BTreeMap<String, Value> {
        let rows = board["rows"].as_array().cloned().unwrap_or_default();
        rows.into_iter().map(|row| (row["team_id"].as_str().unwrap_or_default().to_owned(), row)).collect()
    };
    let (ours, theirs) = (rows(&ours), rows(theirs));
    for (team, row) in &theirs {
        let Some(own) = ours.get(team) else { continue };
        let differs = |name: &str| {
            let (a, b) = (&row["score"][name], &own["score"][name]);
            let is_same = match name {
                "total_time" => total_time(a).is_none_or(|time| total_time(b) == Some(time)),
                _ => a.is_null() || a.as_f64() == b.as_f64(),
            };
            !is_same
        };
        let score = ["num_solved", "total_time", "score"].into_iter().find(|name| differs(name));
        let what = score.or_else(|| (row["rank"].as_u64() != own["rank"].as_u64()).then_some("rank"));
        if let Some(what) = what {
            let (there, here) = match what {
                "rank" => (&row["rank"], &own["rank"]),
                name => (&row["score"][name], &own["score"][name]),
            };
            let message = format!("team '{team}': {what} is {there} there and {here} here");
            differences.push(ImportMessage { file: Some("scoreboard".to_owned()), line: None, message });
        }
    }
    Ok(())
}
