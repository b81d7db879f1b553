//! Groups, organizations, teams and persons one by one, with their files (CLICS POST, PUT, PATCH).

use super::people::may_set;
use super::{check_id, created};
use crate::attachments::Received;
use crate::auth::Auth;
use crate::contest_package::BlobImporter;
use crate::extract::{Json, Later, Path};
use crate::wire::{from_request, named, wire_organization, wire_person, wire_team};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use contest_rules::view::View;
use contest_rules::{
    Action, Command, ContestId, FileOwner, FileProperty, GroupSettings, OrganizationSettings, PersonSettings,
    TeamSettings,
};
use documents::contest::FileReference;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A group.
    Group,
    /// An organization.
    Organization,
    /// A team.
    Team,
    /// A person.
    Person,
}

impl Kind {
    const fn endpoint(self) -> &'static str {
        match self {
            Self::Group => "groups",
            Self::Organization => "organizations",
            Self::Team => "teams",
            Self::Person => "persons",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Organization => "organization",
            Self::Team => "team",
            Self::Person => "person",
        }
    }

    /// Returns the owner of its files; groups have none.
    fn owner(self, id: &str) -> Result<Option<FileOwner>, Problem> {
        let name = self.name();
        Ok(match self {
            Self::Group => None,
            Self::Organization => Some(FileOwner::Organization(named(name, id)?)),
            Self::Team => Some(FileOwner::Team(named(name, id)?)),
            Self::Person => Some(FileOwner::Person(named(name, id)?)),
        })
    }

    /// Returns an object as the viewer sees it.
    fn read(self, view: &View<'_>, id: &str) -> Result<Value, Problem> {
        let none = || Problem::not_found(self.name(), id);
        let value = match self {
            Self::Group => {
                let id = named(self.name(), id)?;
                let found = view.groups().find(|group| group.id == id).ok_or_else(none)?;
                serde_json::to_value(found.object(view.is_jury()))
            }
            Self::Organization => {
                let id = named(self.name(), id)?;
                let found = view.organization(&id).ok_or_else(none)?;
                serde_json::to_value(wire_organization(view, found))
            }
            Self::Team => serde_json::to_value(wire_team(view, view.team(&named(self.name(), id)?)?)),
            Self::Person => serde_json::to_value(wire_person(view, view.person(&named(self.name(), id)?)?)),
        };
        value.map_err(Problem::internal)
    }

    fn action(self, object: Object) -> Result<Action, Problem> {
        let object = Value::Object(object);
        Ok(match self {
            Self::Group => Action::SetGroup(from_request(&object, GroupSettings::read)?),
            Self::Organization => Action::SetOrganization(from_request(&object, OrganizationSettings::read)?),
            Self::Team => Action::SetTeam(from_request(&object, TeamSettings::read)?),
            Self::Person => Action::SetPerson(from_request(&object, PersonSettings::read)?),
        })
    }
}

/// Takes the files out of an object, by property. A property that is absent stays as it is.
pub(super) fn take_files(
    owner: &FileOwner,
    object: &mut Object,
) -> Result<Vec<(FileProperty, Vec<FileReference>)>, Problem> {
    let mut taken = Vec::new();
    for property in owner.properties() {
        let Some(value) = object.remove(property.name()) else { continue };
        let files: Option<Vec<FileReference>> = serde_json::from_value(value).map_err(|error| {
            Problem::invalid_field(property.name(), format!("a list of files was expected: {error}"))
        })?;
        taken.push((*property, files.unwrap_or_default()));
    }
    Ok(taken)
}

/// Stores files, and returns what sets them.
pub(super) async fn file_actions(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    owner: &FileOwner,
    files: Vec<(FileProperty, Vec<FileReference>)>,
) -> Result<Vec<Action>, Problem> {
    let received = app.view(auth, contest, |view| {
        files
            .into_iter()
            .map(|(property, files)| Ok((property, Received::read(view, owner, property, files)?)))
            .collect::<Result<Vec<_>, Problem>>()
    })?;
    let (owner, auth) = (owner.clone(), auth.clone());
    app.blocking(move |app| {
        let importer = BlobImporter::new(app, &auth, false)?;
        received
            .into_iter()
            .map(|(property, received)| {
                Ok(Action::SetFiles { of: owner.clone(), property, files: received.store(&importer)? })
            })
            .collect()
    })
    .await
}

/// How an object is written.
enum Write {
    /// By POST: the server chooses the id.
    New,
    /// By PUT: as a whole.
    Whole(String),
    /// By PATCH: what the body has.
    Part(String),
}

async fn write(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    kind: Kind,
    write: Write,
    body: Later<Object>,
) -> Result<Response, Problem> {
    may_set(app, auth, contest)?;
    let mut object = body.read(app).await?;
    // Its name in earlier versions, which would stand next to the present one in what is changed.
    if let Some(hidden) = object.remove("is_hidden") {
        object.entry("hidden").or_insert(hidden);
    }
    let is_new = matches!(write, Write::New);
    let id = match &write {
        Write::New if object.contains_key("id") => {
            return Err(Problem::invalid_field("id", "the server chooses the id; PUT sets one"));
        }
        Write::New => app.view(auth, contest, |view| Ok(free_id(view, kind)))?,
        Write::Whole(id) | Write::Part(id) => {
            check_id(id, object.get("id").map(|given| given.as_str().unwrap_or_default()))?;
            id.clone()
        }
    };
    let owner = kind.owner(&id)?;
    let files = owner.as_ref().map_or(Ok(Vec::new()), |owner| take_files(owner, &mut object))?;
    object.insert("id".to_owned(), Value::String(id.clone()));
    if matches!(write, Write::Part(_)) {
        let mut whole = match app.view(auth, contest, |view| kind.read(view, &id))? {
            Value::Object(whole) => whole,
            _ => Object::new(),
        };
        if let Some(owner) = &owner {
            take_files(owner, &mut whole)?;
        }
        whole.extend(object);
        object = whole;
    }
    let mut actions = vec![kind.action(object)?];
    if let Some(owner) = owner.filter(|_| !files.is_empty()) {
        // Refused before anything is kept for it.
        let contest_id: ContestId = named("contest", contest)?;
        app.check_now(auth, &Command::In(contest_id, actions[0].clone()))?;
        actions.extend(file_actions(app, auth, contest, &owner, files).await?);
    }
    let contest_id: ContestId = named("contest", contest)?;
    let commands = actions.into_iter().map(|action| Command::In(contest_id.clone(), action)).collect();
    app.act_all(auth, commands).await?;
    let object = read_now(app, auth, contest, kind, &id)?;
    if is_new {
        return Ok(created(&format!("/api/contests/{contest}/{}/{id}", kind.endpoint()), object));
    }
    Ok(Json(object).into_response())
}

fn read_now(app: &App, auth: &Auth, contest: &str, kind: Kind, id: &str) -> Result<Value, Problem> {
    app.view(auth, contest, |view| kind.read(view, id))
}

/// Returns the first number that is no id yet.
fn free_id(view: &View<'_>, kind: Kind) -> String {
    (1..).map(|number: u32| number.to_string()).find(|id| kind.read(view, id).is_err()).unwrap_or_default()
}

macro_rules! endpoints {
    ($($kind:ident: $add:ident, $replace:ident, $change:ident;)*) => {$(
        /// Adds one; the server chooses its id.
        pub async fn $add(
            State(app): State<Shared>,
            auth: Auth,
            Path(contest): Path<String>,
            body: Later<Object>,
        ) -> Result<Response, Problem> {
            write(&app, &auth, &contest, Kind::$kind, Write::New, body).await
        }

        /// Adds or replaces one.
        pub async fn $replace(
            State(app): State<Shared>,
            auth: Auth,
            Path((contest, id)): Path<(String, String)>,
            body: Later<Object>,
        ) -> Result<Response, Problem> {
            write(&app, &auth, &contest, Kind::$kind, Write::Whole(id), body).await
        }

        /// Changes what the body has of one.
        pub async fn $change(
            State(app): State<Shared>,
            auth: Auth,
            Path((contest, id)): Path<(String, String)>,
            body: Later<Object>,
        ) -> Result<Response, Problem> {
            write(&app, &auth, &contest, Kind::$kind, Write::Part(id), body).await
        }
    )*};
}

endpoints! {
    Group: add_group, replace_group, change_group;
    Organization: add_organization, replace_organization, change_organization;
    Team: add_team, replace_team, change_team;
    Person: add_person, replace_person, change_person;
}
