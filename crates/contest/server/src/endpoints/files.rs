//! Objects one by one, and their files.

use crate::attachments::{FILE_BYTES_MAX, JSON_BYTES_MAX};
use crate::handlers::{files, objects};
use crate::routes::{Routes, delete, get, patch, post, put};
use ::documents::contest as api;
use serde_json::{Map, Value};

const OF_OBJECT: &str = "/api/contests/{contest}/{endpoint}/{id}/files/{property}/{filename}";
const OF_CONTEST: &str = "/api/contests/{contest}/files/{property}/{filename}";

/// Adds the four endpoints' POST, PUT and PATCH.
macro_rules! objects {
    ($routes:ident, $collection:literal, $object:literal, $type:ty, $add:path, $replace:path, $change:path) => {
        $routes
            .add(
                post($collection, "Adds one; the server chooses its id.")
                    .takes::<$type>()
                    .at_most(JSON_BYTES_MAX)
                    .creates::<$type>(),
                $add,
            )
            .add(
                put($object, "Adds or replaces one; files that the body does not name stay.")
                    .takes::<$type>()
                    .at_most(JSON_BYTES_MAX)
                    .returns::<$type>(),
                $replace,
            )
            .add(
                patch($object, "Changes what the body has.")
                    .takes::<Map<String, Value>>()
                    .at_most(JSON_BYTES_MAX)
                    .returns::<$type>(),
                $change,
            )
    };
}

/// Adds them.
pub fn add(routes: Routes) -> Routes {
    let routes = objects!(
        routes,
        "/api/contests/{contest}/groups",
        "/api/contests/{contest}/groups/{group}",
        api::Group,
        objects::add_group,
        objects::replace_group,
        objects::change_group
    );
    let routes = objects!(
        routes,
        "/api/contests/{contest}/organizations",
        "/api/contests/{contest}/organizations/{organization}",
        api::Organization,
        objects::add_organization,
        objects::replace_organization,
        objects::change_organization
    );
    let routes = objects!(
        routes,
        "/api/contests/{contest}/teams",
        "/api/contests/{contest}/teams/{team}",
        api::Team,
        objects::add_team,
        objects::replace_team,
        objects::change_team
    );
    let routes = objects!(
        routes,
        "/api/contests/{contest}/persons",
        "/api/contests/{contest}/persons/{person}",
        api::Person,
        objects::add_person,
        objects::replace_person,
        objects::change_person
    );
    let max = usize::try_from(FILE_BYTES_MAX).unwrap_or(usize::MAX);
    routes
        .add(
            get(OF_OBJECT, "A file of an organization, a team, a person or a submission.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            files::get,
        )
        .add(
            put(OF_OBJECT, "Sets a file of such an object.")
                .query("tag", "What it is good for, such as `light,dark`.")
                .takes_bytes("application/octet-stream", max)
                .unlimited_time(),
            files::put,
        )
        .add(delete(OF_OBJECT, "Removes a file of such an object."), files::remove)
        .add(
            get(OF_CONTEST, "A file of the contest.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            files::get_of_contest,
        )
        .add(
            put(OF_CONTEST, "Sets a file of the contest.")
                .query("tag", "What it is good for, such as `light,dark`.")
                .takes_bytes("application/octet-stream", max)
                .unlimited_time(),
            files::put_of_contest,
        )
        .add(delete(OF_CONTEST, "Removes a file of the contest."), files::remove_of_contest)
}
