//! Policies as files: what is read, what is refused, and how they are written and explained.

#![allow(clippy::unwrap_used)]

mod examples;
mod refused;
mod written;

use placement::policy::{Policies, Policy, read};

/// Reads a file without mistakes.
#[track_caller]
fn good(text: &str) -> Policies {
    read(text).unwrap_or_else(|mistakes| panic!("{text}\n{}", lines(&mistakes)))
}

/// Reads a file without mistakes and warnings, and returns its first policy.
#[track_caller]
fn policy(text: &str) -> Policy {
    let policies = good(text);
    assert_eq!(lines(&policies.warnings), "", "{text}");
    policies.all[0].clone()
}

fn lines(mistakes: &[placement::policy::Finding]) -> String {
    mistakes.iter().map(|mistake| format!("FILE{mistake}\n")).collect()
}
