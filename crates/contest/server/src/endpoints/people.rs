//! Groups, organizations, teams, clarifications, balloons.

use crate::attachments::JSON_BYTES_MAX;
use crate::handlers::objects::{self, Kind};
use crate::handlers::{clarifications, commentary, staff};
use crate::routes::{Routes, delete, get, patch, post, put};
use ::documents::contest as api;
use schemars::JsonSchema;
use serde_json::{Map, Value};

/// More than 5,000 teams or accounts.
const BULK_BYTES_MAX: usize = 8 << 20;

pub fn add(routes: Routes) -> Routes {
    let routes = routes.below("/api/contests/{contest}");
    let routes = objects::<api::Group>(routes, Kind::Group, "A group");
    let routes = objects::<api::Organization>(routes, Kind::Organization, "An organization");
    let routes = objects::<api::Team>(routes, Kind::Team, "A team");
    objects::<api::Person>(routes, Kind::Person, "A person")
        .add(get("/commentary", "The commentary.").returns::<Vec<api::Commentary>>(), commentary::list)
        .add(
            post("/commentary", "Comments on the contest.")
                .takes::<api::NewCommentary>()
                .creates::<api::Commentary>(),
            commentary::send,
        )
        .add(get("/commentary/{commentary}", "One commentary.").returns::<api::Commentary>(), commentary::get)
        .add(
            get("/clarifications", "The clarifications.").returns::<Vec<api::Clarification>>(),
            clarifications::list,
        )
        .add(
            post("/clarifications", "Sends a question, an answer or an announcement.")
                .takes::<api::NewClarification>()
                .creates::<api::Clarification>(),
            clarifications::send,
        )
        .add(
            put(
                "/clarifications/{clarification}",
                "Sends one with the next number as its id; for admins, with `time`.",
            )
            .takes::<api::NewClarification>()
            .creates::<api::Clarification>(),
            clarifications::put,
        )
        .add(
            get("/clarifications/{clarification}", "A clarification.").returns::<api::Clarification>(),
            clarifications::get,
        )
        .add(
            post("/clarifications/{clarification}/claim", "Claims a question, or gives it back.")
                .takes::<api::ClaimClarification>(),
            clarifications::claim,
        )
        .add(get("/balloons", "The balloons.").returns::<Vec<api::Balloon>>(), staff::balloons)
        .add(
            post("/balloons", "Notes that a balloon was brought.").takes::<api::DeliverBalloon>(),
            staff::deliver,
        )
}

/// Adds the endpoints of a kind of objects.
fn objects<T: JsonSchema>(routes: Routes, kind: Kind, one: &str) -> Routes {
    let (all, name) = (kind.endpoint(), kind.name());
    let (of_all, of_one) = (format!("/{all}"), format!("/{all}/{{{name}}}"));
    let of_all = of_all.as_str();
    let of_one = of_one.as_str();
    routes
        .add(get(of_all, format!("The {all}.")).returns::<Vec<T>>(), move |at, filters| {
            objects::list(kind, at, filters)
        })
        .add(
            put(of_all, format!("Adds or replaces {all}: all of them, or none."))
                .takes::<Vec<T>>()
                .at_most(BULK_BYTES_MAX),
            move |at, sent| objects::set_all(kind, at, sent),
        )
        .add(get(of_one, format!("{one}.")).returns::<T>(), move |at, id| objects::get(kind, at, id))
        .add(delete(of_one, format!("Removes {}.", one.to_lowercase())), move |at, id| {
            objects::remove(kind, at, id)
        })
        .add(
            post(of_all, "Adds one; the server chooses its id.")
                .takes::<T>()
                .at_most(JSON_BYTES_MAX)
                .creates::<T>(),
            move |at, sent| objects::add(kind, at, sent),
        )
        .add(
            put(of_one, "Adds or replaces one; files that the body does not name stay.")
                .takes::<T>()
                .at_most(JSON_BYTES_MAX)
                .returns::<T>(),
            move |at, id, sent| objects::replace(kind, at, id, sent),
        )
        .add(
            patch(of_one, "Changes what the body has.")
                .takes::<Map<String, Value>>()
                .at_most(JSON_BYTES_MAX)
                .returns::<T>(),
            move |at, id, sent| objects::change(kind, at, id, sent),
        )
}
