//! Collections of objects: filters, and single objects.

use crate::Problem;
use crate::extract::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Filters by properties that are ids, such as `problem_id=a`; an empty value is for `null`.
pub type Filters = BTreeMap<String, String>;

/// Answers with the objects that pass all filters.
pub fn answer<T: Serialize>(objects: Vec<T>, filters: &Filters) -> Result<Response, Problem> {
    if filters.is_empty() {
        return Ok(Json(objects).into_response());
    }
    check(filters)?;
    let values = objects.into_iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(Problem::internal)?;
    let passed: Vec<Value> = values.into_iter().filter(|object| passes(object, filters)).collect();
    Ok(Json(passed).into_response())
}

/// Refuses what is no filter.
pub fn check(filters: &Filters) -> Result<(), Problem> {
    match filters.keys().find(|name| !name.ends_with("_id")) {
        Some(name) => {
            let detail = format!("'{name}' is no filter: only properties that are ids are");
            Err(Problem::invalid_field(name, detail))
        }
        None => Ok(()),
    }
}

/// Adds an object to the inside of an array, if it passes all filters.
pub fn add<T: Serialize>(array: &mut Vec<u8>, object: &T, filters: &Filters) -> Result<(), Problem> {
    if !filters.is_empty() && !passes(&serde_json::to_value(object).map_err(Problem::internal)?, filters) {
        return Ok(());
    }
    serde_json::to_writer(&mut *array, object).map_err(Problem::internal)?;
    array.push(b',');
    Ok(())
}

fn passes(object: &Value, filters: &Filters) -> bool {
    filters.iter().all(|(name, wanted)| match object.get(name) {
        None | Some(Value::Null) => wanted.is_empty(),
        Some(value) => value.as_str() == Some(wanted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn filters_are_joined() {
        let object = json!({"team_id": "t", "problem_id": null});
        let check = |pairs: &[(&str, &str)], expect: bool| {
            let filters =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(passes(&object, &filters), expect, "{pairs:?}");
        };
        check(&[("team_id", "t")], true);
        check(&[("team_id", "t"), ("problem_id", "")], true);
        check(&[("team_id", "u")], false);
        check(&[("other_id", "")], true);
        check(&[("team_id", "t"), ("problem_id", "a")], false);
    }
}
