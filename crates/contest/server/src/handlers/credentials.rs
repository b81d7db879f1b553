//! Passwords for the teams of a contest, all at once.

use super::InContest;
use super::accounts::{ACCOUNTS_MAX, tokens_of};
use crate::extract::Json;
use crate::{Problem, credentials};
use contest_rules::roles::Resource;
use contest_rules::{AccountId, AccountSettings, Command, Role, Team, order};
use documents::contest::{self as api, Credential, WhichAccounts};
use model::message;

/// Longer ones fit into no QR code that a phone reads from paper.
const ADDRESS_BYTES_MAX: usize = 200;

/// Gives teams accounts with new random passwords. They are in the answer, and nowhere else.
pub async fn make(
    at: InContest,
    Json(wanted): Json<api::NewCredentials>,
) -> Result<Json<api::Credentials>, Problem> {
    // Before passwords are hashed, which costs more than the rest.
    at.auth.may_read(Resource::Accounts)?;
    if !at.auth.caller.contests.is_empty() {
        return Err(Problem::forbidden(message!(
            "passwords-for-admins",
            "only admins of the whole server give passwords"
        )));
    }
    let address = &wanted.address;
    if address.len() > ADDRESS_BYTES_MAX || !(address.is_empty() || address.starts_with("http")) {
        let detail = message!(
            "wrong-address",
            "an address begins with http:// or https://, and has at most {max} bytes",
            max = ADDRESS_BYTES_MAX
        );
        return Err(Problem::invalid_field("address", detail));
    }
    // One at a time: the passwords of the earlier of two would be valid no more.
    let _turn = at.app.credentials.lock().await;
    let (contest, planned) = at.view(|view| Ok((view.contest().object.name, plan(view, &wanted)?)))?;
    if planned.len() > ACCOUNTS_MAX {
        return Err(Problem::invalid(message!(
            "too-many-accounts",
            "at most {max} accounts at once",
            max = ACCOUNTS_MAX
        )));
    }
    let (mut commands, mut accounts, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for Planned { account, is_new, team } in planned {
        let password = credentials::password();
        let hash = at.app.passwords.hash(password.clone()).await?;
        accounts.push(Credential {
            account_id: account.id.to_string(),
            team_id: team.id.to_string(),
            label: team.label.clone(),
            team: team.display_name.unwrap_or(team.name),
            username: account.id.to_string(),
            password,
        });
        let id = account.id.clone();
        if is_new {
            new.push(id.clone());
            commands.push(Command::SetAccount(account));
        }
        commands.push(Command::SetPassword { account: id.clone(), hash });
        commands.extend(tokens_of(&at.app, &at.auth, &id));
    }
    // Before anything changes: passwords that cannot be shown would be lost.
    let csv = credentials::csv(&accounts, address)?;
    let sheets = credentials::sheets(&contest, &accounts, address)?;
    let taken = at.view(|view| Ok(new.iter().find(|id| view.is_account_taken(id)).cloned()))?;
    if let Some(taken) = taken {
        return Err(Problem::conflict(
            "taken",
            message!("account-made-meanwhile", "the account '{taken}' was made meanwhile; try again", taken),
        ));
    }
    if !commands.is_empty() {
        at.app.act_all(&at.auth, commands).await?;
    }
    Ok(Json(api::Credentials { accounts, csv, sheets }))
}

/// An account that gets a password.
struct Planned {
    account: AccountSettings,
    is_new: bool,
    team: Team,
}

/// Returns the accounts that get passwords, in the order of the teams' labels and names.
fn plan(view: &contest_rules::view::View<'_>, wanted: &api::NewCredentials) -> Result<Vec<Planned>, Problem> {
    let known: Vec<&AccountSettings> = view.accounts()?.collect();
    let mut teams = view.teams();
    if let Some(ids) = &wanted.team_ids {
        if let Some(unknown) = ids.iter().find(|id| teams.iter().all(|team| team.id.as_str() != id.as_str()))
        {
            return Err(Problem::not_found("team", unknown));
        }
        teams.retain(|team| ids.iter().any(|id| id == team.id.as_str()));
    }
    let (labels, names) = (order::of_labels(), order::of_names());
    teams.sort_by(|one, other| {
        let label = |team: &Team| team.label.clone().unwrap_or_default();
        labels(&label(one), &label(other)).then_with(|| names(&one.name, &other.name))
    });
    let mut planned: Vec<Planned> = Vec::new();
    for team in teams {
        let own = || {
            known.iter().copied().filter(|one| one.role == Role::Team && one.team.as_ref() == Some(&team.id))
        };
        if wanted.which == WhichAccounts::Missing && own().any(|account| view.can_log_in(account)) {
            continue;
        }
        let usable = own().filter(|account| account.is_enabled);
        let of_team = |account: AccountSettings, is_new| Planned { account, is_new, team: team.clone() };
        let before = planned.len();
        planned.extend(usable.cloned().map(|account| of_team(account, false)));
        if planned.len() == before && own().next().is_none() {
            let is_taken =
                |id: &AccountId| view.is_account_taken(id) || planned.iter().any(|one| one.account.id == *id);
            let name = free_name(view.id().as_str(), team.id.as_str(), is_taken)?;
            let account = AccountSettings {
                team: Some(team.id.clone()),
                contests: [view.id().clone()].into(),
                ..AccountSettings::new(name, Role::Team)
            };
            planned.push(of_team(account, true));
        }
    }
    Ok(planned)
}

/// Returns the team's id, or one made of it that no account of any contest has.
fn free_name(contest: &str, team: &str, is_taken: impl Fn(&AccountId) -> bool) -> Result<AccountId, Problem> {
    let names = [team.to_owned(), format!("team-{team}"), format!("{contest}-{team}")];
    let mut free = names.iter().filter_map(|name| name.parse().ok()).filter(|id| !is_taken(id));
    free.next().ok_or_else(|| {
        let names = names.join(", ");
        Problem::conflict(
            "taken",
            message!(
                "logins-taken",
                "add an account for team '{team}': these logins are taken: {names}",
                team,
                names
            ),
        )
    })
}
