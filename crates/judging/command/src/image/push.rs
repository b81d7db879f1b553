//! `tauto image push`: an image to a registry, from which judgehosts fetch it.

use super::entries::{existing, or_signal, report};
use crate::arguments::PushArguments;
use documents::ImageReport;
use images::{Limits, Pushed, Remote, Store};
use std::process::ExitCode;
use terminal::interrupt::Interrupt;
use terminal::{Progress, Report, print_result};

pub fn run(arguments: &PushArguments, json: bool) -> anyhow::Result<ExitCode> {
    let store = existing(&arguments.named.store.folder())?;
    let registry = Remote::named(
        &arguments.to,
        &crate::authority::registries(arguments.secret.as_deref())?,
        Limits::default(),
    )?;
    let pushed = push(&store, &arguments.named.image, registry, &Interrupt::listen()?)?;
    let document = ImageReport { pushed: Some(pushed.name.clone()), ..report(&store, &pushed.image, None) };
    print_result(&document, json, |_| {
        let mut words = Report::default();
        words.facts(facts(&pushed));
        words.line(&format!("judge with it: tauto judgehost --image {}", pushed.name));
        words
    })?;
    Ok(ExitCode::SUCCESS)
}

pub fn push(store: &Store, name: &str, registry: Remote, interrupt: &Interrupt) -> anyhow::Result<Pushed> {
    let progress = Progress::on_stderr(true);
    progress.say(format!("sending {name}"));
    let pushed = store.push(name, registry, &|| interrupt.check().is_err());
    pushed.map_err(|error| or_signal(interrupt, error))
}

pub fn facts(pushed: &Pushed) -> Vec<(&'static str, String)> {
    vec![("pushed", pushed.name.clone()), ("sent", pushed.sent.to_string())]
}
