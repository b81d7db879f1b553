//! The API itself, logging in, accounts, packages, the audit.

use crate::guard::IsShared;
use crate::handlers::{accounts, login, oidc, problems, root, staff, uploads};
use crate::routes::{Routes, delete, get, patch, post, put};
use ::documents::contest as api;
use axum::Extension;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;

/// More than 5,000 teams or accounts.
const BULK_BYTES_MAX: usize = 8 << 20;

pub fn add(routes: Routes) -> Routes {
    routes
        .below("/api")
        .add(get("/", "What this API is.").returns::<api::ApiInformation>(), root::information)
        .add(get("/openapi.json", "This document.").returns_bytes("application/json"), openapi)
        .add(
            post("/login", "Logs in by password, or by address without one; sets a cookie.")
                .takes::<api::Login>()
                .returns::<api::Session>(),
            login::login,
        )
        .add(
            get("/oidc", "The OpenID provider; without content where there is none.")
                .returns::<api::OidcProvider>(),
            oidc::about,
        )
        .add(
            get("/oidc/login", "Sends the browser to the OpenID provider.")
                .query("contest", "In which contest to go on, or to register a team.")
                .redirects(),
            oidc::begin,
        )
        .add(
            get("/oidc/callback", "Takes the browser back from the OpenID provider.")
                .query("code", "The provider's code.")
                .query("state", "What the login began with.")
                .query("error", "Why the provider refuses.")
                .redirects(),
            oidc::end,
        )
        .add(post("/logout", "Ends the session."), login::logout)
        .add(
            get("/account", "The caller's own account; without content for who is not logged in.")
                .returns::<api::Account>(),
            login::own_account,
        )
        .add(get("/accounts", "All accounts.").returns::<Vec<api::Account>>(), accounts::list)
        .add(
            post("/accounts", "Makes an account, or replaces its settings.")
                .takes::<api::NewAccount>()
                .creates::<api::Account>(),
            accounts::set,
        )
        .add(
            put("/accounts", "Makes or replaces many accounts: all of them, or none.")
                .takes::<Vec<api::NewAccount>>()
                .at_most(BULK_BYTES_MAX)
                .unlimited_time(),
            accounts::set_all,
        )
        .add(get("/accounts/{account}", "An account.").returns::<api::Account>(), accounts::get)
        .add(
            patch("/accounts/{account}", "Changes an account.")
                .takes::<api::AccountPatch>()
                .returns::<api::Account>(),
            accounts::change,
        )
        .add(delete("/accounts/{account}", "Removes an account."), accounts::remove)
        .add(
            get("/tokens", "The caller's tokens; all of them for admins.").returns::<Vec<api::Token>>(),
            accounts::tokens,
        )
        .add(
            post("/tokens", "Makes a token. Its secret is shown once.")
                .takes::<api::NewToken>()
                .creates::<api::IssuedToken>(),
            accounts::issue_token,
        )
        .add(delete("/tokens/{token}", "Revokes a token."), accounts::revoke_token)
        .add(
            post("/packages", "Stores and reads a problem package; problems name it by its hash.")
                .query("name", "The name of its file, which suggests an id.")
                .query(
                    "uploaded",
                    "The SHA-256 hash of a package that was uploaded in parts; then there is no body.",
                )
                .takes_bytes("application/zip", usize::MAX)
                .creates::<api::PackageReport>()
                .unlimited_time(),
            problems::package,
        )
        .add(
            post("/uploads", "Begins an upload in parts, which can go on after a cut.")
                .takes::<api::NewUpload>()
                .creates::<api::Upload>(),
            uploads::begin,
        )
        .add(get("/uploads/{upload}", "How far an upload is.").returns::<api::Upload>(), uploads::get)
        .add(
            patch("/uploads/{upload}", "Adds a part to an upload.")
                .query(
                    "offset_bytes",
                    "Where the part belongs: how much was received; 409 for another place.",
                )
                .takes_bytes("application/octet-stream", usize::MAX)
                .returns::<api::Upload>()
                .unlimited_time(),
            uploads::append,
        )
        .add(delete("/uploads/{upload}", "Deletes an upload that is not complete."), uploads::abandon)
        .add(
            get("/audit", "A page of the audit log, the newest first.")
                .query("contest_id", "Only in this contest.")
                .query("account_id", "Only by this account.")
                .query("kind", "Only of this kind.")
                .query("from", "Not before this time.")
                .query("until", "Before this time.")
                .query("text", "Only with this text, in any case.")
                .query("before", "Only entries before this number: the next page.")
                .query("max", "How many entries, at most 1000; 100 if absent.")
                .returns::<api::AuditPage>(),
            staff::audit,
        )
}

pub async fn openapi() -> Response {
    // Made once: it takes longer than any other answer, and everybody may ask for it.
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| crate::document().to_string());
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, Extension(IsShared), DOCUMENT.as_str()).into_response()
}
