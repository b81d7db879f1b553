//! All endpoints.

mod contest;
mod domjudge;
mod files;
mod judgehosts;
mod judging;
mod people;
mod server;

use crate::routes::Routes;
use crate::{Shared, cors, etag, guard, names, ops, replica};
use axum::{Router, middleware};

pub fn document() -> serde_json::Value {
    routes().document()
}

pub fn router(app: Shared) -> Router {
    let router = routes().into_router().merge(ops::public_routes(&app));
    let router = router.layer(middleware::from_fn(etag::tags));
    let router = router.layer(middleware::from_fn_with_state(app.clone(), guard::limit_responses));
    let router = router.layer(middleware::from_fn(cors::allow_origins));
    let router = router.layer(middleware::from_fn_with_state(app.clone(), names::check));
    let router = router.layer(middleware::from_fn(guard::headers));
    let router = router.layer(middleware::from_fn_with_state(app.clone(), replica::route));
    router.layer(middleware::from_fn_with_state(app.clone(), ops::observe)).with_state(app)
}

fn routes() -> Routes {
    let routes = server::add(Routes::default());
    let routes = contest::add(routes);
    let routes = people::add(routes);
    let routes = files::add(routes);
    let routes = judging::add(routes);
    let routes = judgehosts::add(routes);
    domjudge::add(routes)
}
