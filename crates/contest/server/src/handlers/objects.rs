//! Groups, organizations, teams and persons one by one, with their files (CLICS POST, PUT, PATCH).

use super::check_id;
use crate::Problem;
use crate::attachments::Received;
use crate::collection::Filters;
use crate::contest_package::BlobImporter;
use crate::extract::{Json, Later, Query};
use crate::handlers::{Id, InContest};
use crate::wire::{from_request, named, wire_organization, wire_person, wire_team};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contest_rules::roles::Resource;
use contest_rules::view::View;
use contest_rules::{
    Action, Command, FileOwner, FileProperty, GroupSettings, OrganizationSettings, PersonSettings,
    TeamSettings,
};
use documents::contest::FileReference;
use model::message;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// More are set in several requests.
const AT_ONCE_MAX: usize = 5000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Group,
    Organization,
    Team,
    Person,
}

impl Kind {
    /// The last part of the path of all objects of the kind.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::Group => "groups",
            Self::Organization => "organizations",
            Self::Team => "teams",
            Self::Person => "persons",
        }
    }

    pub const fn name(self) -> &'static str {
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

    fn set(self, object: &Value) -> Result<Action, Problem> {
        Ok(match self {
            Self::Group => Action::SetGroup(from_request(object, GroupSettings::read)?),
            Self::Organization => Action::SetOrganization(from_request(object, OrganizationSettings::read)?),
            Self::Team => Action::SetTeam(from_request(object, TeamSettings::read)?),
            Self::Person => Action::SetPerson(from_request(object, PersonSettings::read)?),
        })
    }

    fn remove(self, id: &str) -> Result<Action, Problem> {
        let name = self.name();
        Ok(match self {
            Self::Group => Action::RemoveGroup(named(name, id)?),
            Self::Organization => Action::RemoveOrganization(named(name, id)?),
            Self::Team => Action::RemoveTeam(named(name, id)?),
            Self::Person => Action::RemovePerson(named(name, id)?),
        })
    }
}

/// Refuses before megabytes are read.
pub(super) fn may_set(at: &InContest) -> Result<(), Problem> {
    at.view(|_| Ok(()))?;
    at.auth.may_read(Resource::Packages)
}

pub async fn list(kind: Kind, at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    match kind {
        Kind::Group => {
            at.list(&filters, |view| Ok(view.groups().map(|group| group.object(view.is_jury())).collect()))
        }
        Kind::Organization => at.list(&filters, |view| {
            Ok(view.organizations().map(|entry| wire_organization(view, entry)).collect())
        }),
        Kind::Team => {
            at.list(&filters, |view| Ok(view.teams().into_iter().map(|team| wire_team(view, team)).collect()))
        }
        Kind::Person => {
            at.list(&filters, |view| Ok(view.persons().map(|person| wire_person(view, person)).collect()))
        }
    }
}

pub async fn get(kind: Kind, at: InContest, Id(id): Id) -> Result<Json<Value>, Problem> {
    at.view(|view| kind.read(view, &id)).map(Json)
}

/// Adds or replaces objects: all of them, or none.
pub async fn set_all(kind: Kind, at: InContest, objects: Later<Vec<Value>>) -> Result<StatusCode, Problem> {
    may_set(&at)?;
    let objects = objects.read(&at.app).await?;
    if objects.len() > AT_ONCE_MAX {
        return Err(Problem::invalid(message!(
            "too-many-at-once",
            "at most {max} at once",
            max = AT_ONCE_MAX
        )));
    }
    at.act_all(objects.iter().map(|object| kind.set(object)).collect::<Result<_, _>>()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn remove(kind: Kind, at: InContest, Id(id): Id) -> Result<StatusCode, Problem> {
    at.done(kind.remove(&id)?).await
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
    at: &InContest,
    owner: &FileOwner,
    files: Vec<(FileProperty, Vec<FileReference>)>,
) -> Result<Vec<Action>, Problem> {
    let received = at.view(|view| {
        files
            .into_iter()
            .map(|(property, files)| Ok((property, Received::read(view, owner, property, files)?)))
            .collect::<Result<Vec<_>, Problem>>()
    })?;
    let (owner, auth) = (owner.clone(), at.auth.clone());
    at.app
        .blocking(move |app| {
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

async fn write(at: &InContest, kind: Kind, write: Write, body: Later<Object>) -> Result<Response, Problem> {
    may_set(at)?;
    let mut object = body.read(&at.app).await?;
    // Its name in earlier versions, which would stand next to the present one in what is changed.
    if let Some(hidden) = object.remove("is_hidden") {
        object.entry("hidden").or_insert(hidden);
    }
    let is_new = matches!(write, Write::New);
    let id = match &write {
        Write::New if object.contains_key("id") => {
            return Err(Problem::invalid_field(
                "id",
                message!("id-not-wanted", "the server chooses the id; PUT sets one"),
            ));
        }
        Write::New => at.view(|view| Ok(free_id(view, kind)))?,
        Write::Whole(id) | Write::Part(id) => {
            check_id(id, object.get("id").map(|given| given.as_str().unwrap_or_default()))?;
            id.clone()
        }
    };
    let owner = kind.owner(&id)?;
    let files = owner.as_ref().map_or(Ok(Vec::new()), |owner| take_files(owner, &mut object))?;
    object.insert("id".to_owned(), Value::String(id.clone()));
    if matches!(write, Write::Part(_)) {
        let mut whole = match at.view(|view| kind.read(view, &id))? {
            Value::Object(whole) => whole,
            _ => Object::new(),
        };
        if let Some(owner) = &owner {
            take_files(owner, &mut whole)?;
        }
        whole.extend(object);
        object = whole;
    }
    let mut actions = vec![kind.set(&Value::Object(object))?];
    if let Some(owner) = owner.filter(|_| !files.is_empty()) {
        // Refused before anything is kept for it.
        at.app.check_now(&at.auth, &Command::In(at.id()?, actions[0].clone()))?;
        actions.extend(file_actions(at, &owner, files).await?);
    }
    at.act_all(actions).await?;
    let object = at.view(|view| kind.read(view, &id))?;
    if is_new {
        return Ok(at.created(&format!("{}/{id}", kind.endpoint()), object));
    }
    Ok(Json(object).into_response())
}

/// Returns the first number that is no id yet.
fn free_id(view: &View<'_>, kind: Kind) -> String {
    (1..).map(|number: u32| number.to_string()).find(|id| kind.read(view, id).is_err()).unwrap_or_default()
}

/// Adds an object; the server chooses its id.
pub async fn add(kind: Kind, at: InContest, body: Later<Object>) -> Result<Response, Problem> {
    write(&at, kind, Write::New, body).await
}

pub async fn replace(
    kind: Kind,
    at: InContest,
    Id(id): Id,
    body: Later<Object>,
) -> Result<Response, Problem> {
    write(&at, kind, Write::Whole(id), body).await
}

/// Changes what the body has of an object.
pub async fn change(kind: Kind, at: InContest, Id(id): Id, body: Later<Object>) -> Result<Response, Problem> {
    write(&at, kind, Write::Part(id), body).await
}
