//! Permissions. The only place where roles are checked.

use crate::state::{Contest, State};
use crate::{
    AccountId, Action, BlobHash, Caller, Command, ContestId, JudgehostId, NewToken, Refusal, Role, Standing,
    TeamId,
};
use model::message;

/// How much of a contest a caller sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// All: admin, judge, analyst.
    All,
    /// The public part and balloons: staff.
    OnSite,
    /// The public part and what is its own.
    Team(TeamId),
    Public,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    Accounts,
    AllTokens,
    /// Pools, judgehosts, the queue, what is paused.
    Judging,
    Audit,
    /// Problem packages that belong to no contest yet.
    Packages,
    /// Contents by their hash, whatever they belong to: packages, sources, records.
    Blobs,
}

/// Returns how much of a contest a caller sees; `None` for nothing at all.
pub(crate) fn sight(caller: &Caller, id: &ContestId, contest: &Contest) -> Option<Sight> {
    let is_in = caller.contests.is_empty() || caller.contests.contains(id);
    let public = contest.settings.is_public.then_some(Sight::Public);
    let Standing::Account(role) = caller.standing else {
        return if caller.standing == Standing::System { Some(Sight::All) } else { public };
    };
    match role {
        Role::Admin | Role::Judge | Role::Analyst if is_in => Some(Sight::All),
        Role::Staff | Role::Balloon if is_in => Some(Sight::OnSite),
        Role::Spectator if is_in => Some(Sight::Public),
        Role::Team if caller.contests.contains(id) => {
            let team = caller.team.as_ref().filter(|team| contest.teams.contains_key(*team))?;
            Some(Sight::Team(team.clone()))
        }
        _ => public,
    }
}

pub fn may_read(caller: &Caller, resource: Resource) -> Result<(), Refusal> {
    let roles: &[Role] = match resource {
        Resource::Accounts | Resource::AllTokens | Resource::Packages => &[Role::Admin],
        Resource::Judging => &[Role::Admin, Role::Judge, Role::Analyst, Role::Operator],
        Resource::Audit => &[Role::Admin, Role::Judge],
        Resource::Blobs => return require_whole(caller, &[Role::Admin, Role::Judgehost]),
    };
    require(caller, roles)
}

/// Returns a caller as the judgehost that it claims to be. Which account may be which judgehost, [`State::joined`] knows.
pub fn as_judgehost(caller: &Caller, id: &JudgehostId) -> Result<Caller, Refusal> {
    require(caller, &[Role::Judgehost, Role::Admin])?;
    Ok(Caller { judgehost: Some(id.clone()), ..caller.clone() })
}

/// Checks whether a caller may read a content by its hash: a judgehost only what is judged, or was given to one of its
/// account for judging.
pub fn may_read_blob(
    state: &State,
    caller: &Caller,
    blob: &BlobHash,
    was_given: impl Fn(&JudgehostId) -> bool,
) -> Result<(), Refusal> {
    may_read(caller, Resource::Blobs)?;
    let none = || Refusal::not_found("blob", &blob.0);
    if !caller.is(Role::Judgehost) {
        return Ok(());
    }
    let account = caller.account.as_ref().ok_or_else(none)?;
    let is_for_judging = state.is_for_judging(account, blob) || state.judgehosts_of(account).any(was_given);
    if is_for_judging { Ok(()) } else { Err(none()) }
}

/// Checks whether a caller may ask for something, as far as its role goes.
pub fn may(state: &State, caller: &Caller, command: &Command) -> Result<(), Refusal> {
    use Role::{Admin, Judge, Judgehost, Operator};
    match command {
        Command::In(contest, action) => may_in(state, caller, contest, action),
        Command::SetContest(contest, _) | Command::RemoveContest(contest) => {
            require(caller, &[Admin])?;
            require_in(caller, contest)
        }
        Command::SetAccount(_) | Command::RemoveAccount(_) | Command::EnableAccount(..) => {
            require_whole(caller, &[Admin])
        }
        Command::SetPassword { account, .. } | Command::IssueToken(NewToken { account, .. }) => {
            // Machines' tokens are copied to machines: one that is stolen must not make others that outlive it.
            let is_machine = caller.is(Judgehost) || caller.is(Operator);
            match is_self(caller, account) && !is_machine {
                true => Ok(()),
                false => require_whole(caller, &[Admin]),
            }
        }
        Command::RevokeToken(id) => match state.tokens.get(id) {
            Some(token) if is_self(caller, &token.account) => Ok(()),
            _ => require_whole(caller, &[Admin]),
        },
        Command::LogIn(_) | Command::LogOut(_) if caller.account.is_some() => Ok(()),
        Command::LogIn(_) | Command::LogOut(_) => {
            Err(Refusal::forbidden(message!("login-without-account", "logging in needs an account")))
        }
        Command::SetPool(_) | Command::RemovePool(_) => require_whole(caller, &[Admin]),
        Command::RemoveJudgehost(_) => require_whole(caller, &[Admin, Operator]),
        Command::MeasurePoolRatio(_) | Command::JoinJudgehost(_) => {
            require_whole(caller, &[Admin, Judgehost])
        }
        Command::SetJudgehost { id, .. } if caller.judgehost.as_ref() == Some(id) => {
            require(caller, &[Judgehost])
        }
        Command::SetJudgehost { .. } => require_whole(caller, &[Admin, Judge, Operator]),
        Command::PauseJudging(..) | Command::ResumeJudging(_) => require_whole(caller, &[Admin, Judge]),
        Command::Note(..) => require(caller, &[Admin, Judge, Role::Analyst, Role::Staff]),
        Command::Tick => require(caller, &[]),
    }
}

/// Checks whether a caller may report a live stream contest that is shown in a contest.
pub fn may_report_stream(state: &State, caller: &Caller, id: &ContestId) -> Result<(), Refusal> {
    if state.contests.get(id).and_then(|contest| sight(caller, id, contest)).is_none() {
        return Err(Refusal::not_found("contest", id));
    }
    require(caller, &[Role::Admin])?;
    require_in(caller, id)
}

/// Returns what a caller may do in a contest, whatever its state, by the names that CLICS has for it.
pub fn capabilities(state: &State, caller: &Caller, contest: &ContestId) -> Vec<&'static str> {
    let is_team = caller.is(Role::Team);
    let submit = |time| {
        #[allow(clippy::expect_used, reason = "constants")]
        let (problem, language) = ("a".parse().expect("an id"), "a".parse().expect("an id"));
        Action::Submit(crate::Submit { time, ..crate::Submit::new(problem, language, Vec::new()) })
    };
    let clarify = |time| Action::SendClarification(crate::SendClarification { time, ..Default::default() });
    let past = Some(crate::Instant::default());
    let all = [
        ("contest_start", Action::Start { at: None, countdown_pause: None }),
        ("contest_thaw", Action::Thaw(None)),
        (if is_team { "team_submit" } else { "proxy_submit" }, submit(None)),
        ("admin_submit", submit(past)),
        ("post_clar", clarify(None)),
        (if is_team { "post_clar" } else { "proxy_clar" }, clarify(None)),
        ("admin_clar", clarify(past)),
        ("post_comment", Action::Comment(crate::Comment::default())),
    ];
    let may = |(_, action): &(&str, Action)| may_in(state, caller, contest, action).is_ok();
    let mut names: Vec<&str> = all.iter().filter(|entry| may(entry)).map(|(name, _)| *name).collect();
    names.dedup();
    names
}

fn may_in(state: &State, caller: &Caller, id: &ContestId, action: &Action) -> Result<(), Refusal> {
    use Role::{Admin, Analyst, Balloon, Judge, Judgehost, Staff, Team};
    let is_report = action.is_report();
    let contest = state.contests.get(id);
    if !is_report && contest.and_then(|contest| sight(caller, id, contest)).is_none() {
        return Err(Refusal::not_found("contest", id));
    }
    let roles: &[Role] = match action {
        Action::SetProblem(_)
        | Action::RemoveProblem(_)
        | Action::SetGroup(_)
        | Action::RemoveGroup(_)
        | Action::SetOrganization(_)
        | Action::RemoveOrganization(_)
        | Action::SetTeam(_)
        | Action::RemoveTeam(_)
        | Action::SetPerson(_)
        | Action::RemovePerson(_)
        | Action::SetFiles { .. }
        | Action::RemoveAward(_)
        | Action::SetAward { .. }
        | Action::Start { .. }
        | Action::StartNow
        | Action::Countdown { .. }
        | Action::Extend(_)
        | Action::Pause
        | Action::Resume
        | Action::SetRemoved(_)
        | Action::FreezeNow
        | Action::Thaw(_)
        | Action::Finalize { .. }
        | Action::Unfinalize(_)
        | Action::Import(_) => &[Admin],
        // Only the server itself.
        Action::Register(_) => &[],
        Action::PauseProblem(..)
        | Action::VerifyProblem(_)
        | Action::Ignore { .. }
        | Action::Judge(_)
        | Action::Override { .. }
        | Action::VerifyJudgement { .. }
        | Action::OpenRejudging { .. }
        | Action::ApplyRejudging(_)
        | Action::CancelRejudging(_)
        | Action::ClaimClarification(_)
        | Action::ReleaseClarification(_) => &[Admin, Judge],
        // Only admins set times and numbers.
        Action::Submit(submit) if submit.time.is_some() || submit.number.is_some() => &[Admin],
        Action::SendClarification(send) if send.time.is_some() || send.number.is_some() => &[Admin],
        Action::Submit(_) | Action::SendClarification(_) => &[Admin, Judge, Team],
        Action::Comment(_) => &[Admin, Judge, Analyst],
        Action::DeliverBalloon(..) => &[Admin, Judge, Balloon, Staff],
        Action::StatementMade(_)
        | Action::Begun(_)
        | Action::DerivedLimit { .. }
        | Action::Runs(..)
        | Action::Judged(_)
        | Action::Failed { .. }
        | Action::Returned { .. } => &[Judgehost],
    };
    require(caller, roles)?;
    if is_report { require_judgehost(caller) } else { require_in(caller, id) }
}

fn is_self(caller: &Caller, account: &AccountId) -> bool {
    caller.account.as_ref() == Some(account)
}

fn require_judgehost(caller: &Caller) -> Result<(), Refusal> {
    if caller.judgehost.is_some() || caller.standing == Standing::System {
        return Ok(());
    }
    Err(Refusal::forbidden(message!("for-joined-judgehosts", "this is for judgehosts that have joined")))
}

/// The server itself may do everything.
fn require(caller: &Caller, roles: &[Role]) -> Result<(), Refusal> {
    match caller.standing {
        Standing::System => Ok(()),
        Standing::Account(role) if roles.contains(&role) => Ok(()),
        _ => {
            let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            let names = if names.is_empty() { "the server itself".to_owned() } else { names.join(", ") };
            Err(Refusal::forbidden(message!("needs-role", "this needs one of these roles: {names}", names)))
        }
    }
}

/// Like [`require`], for the whole server: an account that is bound to contests may not.
fn require_whole(caller: &Caller, roles: &[Role]) -> Result<(), Refusal> {
    require(caller, roles)?;
    if caller.contests.is_empty() {
        return Ok(());
    }
    Err(Refusal::forbidden(message!(
        "account-bound-to-contests",
        "this concerns the whole server, and the account is bound to contests"
    )))
}

fn require_in(caller: &Caller, contest: &ContestId) -> Result<(), Refusal> {
    if caller.contests.is_empty() || caller.contests.contains(contest) {
        return Ok(());
    }
    Err(Refusal::forbidden(message!(
        "account-not-of-contest",
        "the account is not one of contest '{contest}'",
        contest
    )))
}
