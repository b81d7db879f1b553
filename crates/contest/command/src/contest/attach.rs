//! `tauto contest attach`.

use super::operation::Operation;
use crate::arguments::AttachArguments;
use crate::client::{BYTES, Client, segment};
use crate::output::done;
use anyhow::Context;
use std::process::ExitCode;
use terminal::failure::input;

/// Sets a file of an object, or removes it.
pub fn run(arguments: &AttachArguments, json: bool) -> anyhow::Result<ExitCode> {
    let AttachArguments { object, property, file, tag, remove, server } = arguments;
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| input(format!("'{}' is not the name of a file", file.display())))?;
    let folder = if object == "contest" {
        String::new()
    } else {
        let (endpoint, id) = object.split_once('/').ok_or_else(|| {
            input(format!("'{object}' is neither 'contest' nor an endpoint and an id, such as teams/t1"))
        })?;
        format!("{}/{}/", segment(endpoint), segment(id))
    };
    let path = format!("{folder}files/{}/{}", segment(property), segment(name));
    if *remove {
        return Operation::delete(path, format!("{name} is removed from {object}")).run(server, json);
    }
    let client = Client::open(server)?;
    let content = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let path = client.in_contest(&format!("{path}?tag={}", segment(&tag.join(","))))?;
    let answer = client.call("PUT", &path, Some((BYTES, content)))?;
    done(&format!("{name} is a {property} of {object}"), &answer, json)
}
