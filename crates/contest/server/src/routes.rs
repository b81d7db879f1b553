//! The table of endpoints: from it come the router and the OpenAPI document.

use crate::extract::BodyLimit;
use crate::handlers::domjudge;
use crate::{Problem, Shared, openapi, page};
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::{Extension, Router};
use model::message;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::time::Duration;

/// More than any JSON but a submission and an import.
const JSON_BYTES_MAX: usize = 256 << 10;
/// Long enough for a claim that waits 30 s.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy)]
pub enum Content {
    Json(fn(&mut SchemaGenerator) -> Schema),
    Bytes(&'static str),
}

/// An endpoint, as the OpenAPI document describes it.
#[derive(Clone)]
pub struct Operation {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) query: Vec<(&'static str, &'static str)>,
    pub(crate) takes: Option<Content>,
    pub(crate) status: u16,
    pub(crate) returns: Option<Content>,
    body_bytes_max: usize,
    is_unlimited: bool,
}

impl Operation {
    /// Returns an endpoint that takes nothing and answers nothing.
    fn new(method: Method, path: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            summary: summary.into(),
            query: Vec::new(),
            takes: None,
            status: 204,
            returns: None,
            body_bytes_max: JSON_BYTES_MAX,
            is_unlimited: false,
        }
    }

    pub fn query(mut self, name: &'static str, description: &'static str) -> Self {
        self.query.push((name, description));
        self
    }

    pub fn takes<T: JsonSchema>(self) -> Self {
        Self { takes: Some(Content::Json(SchemaGenerator::subschema_for::<T>)), ..self }
    }

    /// Sets the media type that it takes, and how much of it.
    pub fn takes_bytes(self, media_type: &'static str, max: usize) -> Self {
        Self { takes: Some(Content::Bytes(media_type)), body_bytes_max: max, ..self }
    }

    /// Sets how much it takes.
    pub fn at_most(self, body_bytes_max: usize) -> Self {
        Self { body_bytes_max, ..self }
    }

    pub fn returns<T: JsonSchema>(self) -> Self {
        Self { status: 200, returns: Some(Content::Json(SchemaGenerator::subschema_for::<T>)), ..self }
    }

    /// Sets the type that it returns as JSON, once it has made something.
    pub fn creates<T: JsonSchema>(self) -> Self {
        Self { status: 201, ..self.returns::<T>() }
    }

    /// It sends the browser on.
    pub fn redirects(self) -> Self {
        Self { status: 303, ..self }
    }

    pub fn returns_bytes(self, media_type: &'static str) -> Self {
        Self { status: 200, returns: Some(Content::Bytes(media_type)), ..self }
    }

    /// Lets it take as long as bytes come fast enough.
    pub fn unlimited_time(self) -> Self {
        Self { is_unlimited: true, ..self }
    }
}

pub fn get(path: impl Into<String>, summary: impl Into<String>) -> Operation {
    Operation::new(Method::GET, path, summary)
}

pub fn post(path: impl Into<String>, summary: impl Into<String>) -> Operation {
    Operation::new(Method::POST, path, summary)
}

pub fn put(path: impl Into<String>, summary: impl Into<String>) -> Operation {
    Operation::new(Method::PUT, path, summary)
}

pub fn patch(path: impl Into<String>, summary: impl Into<String>) -> Operation {
    Operation::new(Method::PATCH, path, summary)
}

pub fn delete(path: impl Into<String>, summary: impl Into<String>) -> Operation {
    Operation::new(Method::DELETE, path, summary)
}

#[derive(Default)]
pub struct Routes {
    /// The beginning of the path of endpoints that are added.
    prefix: &'static str,
    endpoints: Vec<(Operation, MethodRouter<Shared>)>,
}

impl Routes {
    /// Lets the paths of the endpoints that are added next begin so.
    pub fn below(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    pub fn add<H, T>(mut self, operation: Operation, handler: H) -> Self
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(operation.method.clone()).expect("a method of HTTP");
        let mut route = on(filter, handler).layer(Extension(BodyLimit(operation.body_bytes_max)));
        if !operation.is_unlimited {
            route = route.layer(middleware::from_fn(limit_time));
        }
        let path = format!("{}{}", self.prefix, operation.path);
        self.endpoints.push((Operation { path, ..operation }, route));
        self
    }

    /// Adds endpoints that are there already at other paths as well, which begin with `to` in place of `from`.
    pub fn add_again(mut self, method: &Method, from: &str, to: &str, paths: &[&str]) -> Self {
        for path in paths {
            let is_same = |operation: &Operation| {
                operation.method == *method && operation.path.strip_prefix(from) == Some(path)
            };
            let known = self.endpoints.iter().find(|(operation, _)| is_same(operation));
            let (operation, route) = known.expect("an endpoint that was added").clone();
            self.endpoints.push((Operation { path: format!("{to}{path}"), ..operation }, route));
        }
        self
    }

    pub fn document(&self) -> serde_json::Value {
        openapi::document(self.endpoints.iter().map(|(operation, _)| operation))
    }

    /// Returns the router, with answers for what it does not have.
    pub fn into_router(self) -> Router<Shared> {
        let page = axum::routing::get(domjudge::page_of_submission);
        let mut router = Router::new();
        for (operation, mut route) in self.endpoints {
            if let Some(path) = domjudge::path_of_submit(&operation.path) {
                route = route.layer(middleware::from_fn(domjudge::without_strict));
                router = router.route(&path, route.clone());
            }
            router = router.route(&operation.path, route);
        }
        // Not an endpoint: people open it, not programs.
        let router = router.route(&format!("{}/team/submission/{{number}}", domjudge::BASE), page);
        router.fallback(page::answer).method_not_allowed_fallback(|request: Request| async move {
            let detail = format!("{} is not possible here", request.method());
            Problem::new(axum::http::StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", detail)
        })
    }
}

async fn limit_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::unavailable(message!("request-took-too-long", "the request took too long"))
            .into_response(),
    }
}
