//! Groups, organizations, teams, clarifications, balloons.

use crate::handlers::{clarifications, people, persons, staff};
use crate::routes::{Routes, delete, get, post, put};
use ::documents::contest as api;

/// More than 5,000 teams or accounts.
const BULK_BYTES_MAX: usize = 8 << 20;

/// Adds them.
pub fn add(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/contests/{contest}/groups", "The groups.").returns::<Vec<api::Group>>(),
            people::groups,
        )
        .add(
            put("/api/contests/{contest}/groups", "Adds or replaces groups: all of them, or none.")
                .takes::<Vec<api::Group>>()
                .at_most(BULK_BYTES_MAX),
            people::set_groups,
        )
        .add(get("/api/contests/{contest}/groups/{group}", "A group.").returns::<api::Group>(), people::group)
        .add(delete("/api/contests/{contest}/groups/{group}", "Removes a group."), people::remove_group)
        .add(
            get("/api/contests/{contest}/organizations", "The organizations.")
                .returns::<Vec<api::Organization>>(),
            people::organizations,
        )
        .add(
            put(
                "/api/contests/{contest}/organizations",
                "Adds or replaces organizations: all of them, or none.",
            )
            .takes::<Vec<api::Organization>>()
            .at_most(BULK_BYTES_MAX),
            people::set_organizations,
        )
        .add(
            get("/api/contests/{contest}/organizations/{organization}", "An organization.")
                .returns::<api::Organization>(),
            people::organization,
        )
        .add(
            delete("/api/contests/{contest}/organizations/{organization}", "Removes an organization."),
            people::remove_organization,
        )
        .add(get("/api/contests/{contest}/teams", "The teams.").returns::<Vec<api::Team>>(), people::teams)
        .add(
            put("/api/contests/{contest}/teams", "Adds or replaces teams: all of them, or none.")
                .takes::<Vec<api::Team>>()
                .at_most(BULK_BYTES_MAX),
            people::set_teams,
        )
        .add(get("/api/contests/{contest}/teams/{team}", "A team.").returns::<api::Team>(), people::team)
        .add(delete("/api/contests/{contest}/teams/{team}", "Removes a team."), people::remove_team)
        .add(
            get("/api/contests/{contest}/persons", "The persons.").returns::<Vec<api::Person>>(),
            persons::list,
        )
        .add(
            put("/api/contests/{contest}/persons", "Adds or replaces persons: all of them, or none.")
                .takes::<Vec<api::Person>>()
                .at_most(BULK_BYTES_MAX),
            persons::set_all,
        )
        .add(
            get("/api/contests/{contest}/persons/{person}", "A person.").returns::<api::Person>(),
            persons::get,
        )
        .add(delete("/api/contests/{contest}/persons/{person}", "Removes a person."), persons::remove)
        .add(
            get("/api/contests/{contest}/commentary", "The commentary.").returns::<Vec<api::Commentary>>(),
            persons::commentary,
        )
        .add(
            post("/api/contests/{contest}/commentary", "Comments on the contest.")
                .takes::<api::NewCommentary>()
                .creates::<api::Commentary>(),
            persons::comment,
        )
        .add(
            get("/api/contests/{contest}/commentary/{commentary}", "One commentary.")
                .returns::<api::Commentary>(),
            persons::one_commentary,
        )
        .add(
            get("/api/contests/{contest}/clarifications", "The clarifications.")
                .returns::<Vec<api::Clarification>>(),
            clarifications::list,
        )
        .add(
            post("/api/contests/{contest}/clarifications", "Sends a question, an answer or an announcement.")
                .takes::<api::NewClarification>()
                .creates::<api::Clarification>(),
            clarifications::send,
        )
        .add(
            put(
                "/api/contests/{contest}/clarifications/{clarification}",
                "Sends one with the next number as its id; for admins, with `time`.",
            )
            .takes::<api::NewClarification>()
            .creates::<api::Clarification>(),
            clarifications::put,
        )
        .add(
            get("/api/contests/{contest}/clarifications/{clarification}", "A clarification.")
                .returns::<api::Clarification>(),
            clarifications::get,
        )
        .add(
            post(
                "/api/contests/{contest}/clarifications/{clarification}/claim",
                "Claims a question, or gives it back.",
            )
            .takes::<api::ClaimClarification>(),
            clarifications::claim,
        )
        .add(
            get("/api/contests/{contest}/balloons", "The balloons.").returns::<Vec<api::Balloon>>(),
            staff::balloons,
        )
        .add(
            post("/api/contests/{contest}/balloons", "Notes that a balloon was brought.")
                .takes::<api::DeliverBalloon>(),
            staff::deliver,
        )
}
