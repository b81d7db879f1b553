//! `tauto judging`: what judges for a server, and what an operator does about it.

use super::answer::{ago, show};
use super::names::refuse_unknown;
use super::operation::Operation;
use crate::arguments::{JudgingCommand, MachineNameArguments, OnServer, ResumeArguments};
use crate::client::{Client, segment};
use crate::output::{report, table};
use documents::contest::{Jobs, Judgehost, NewPool, PausedJudging, Pool, SetJudgehost};
use model::Nanos;
use serde_json::json;
use std::process::ExitCode;
use terminal::{Cell, Colour, Style, prose, visible};

/// As many characters of a package's hash are shown.
const HASH_CHARACTERS: usize = 12;

pub fn run(command: &JudgingCommand, json: bool) -> anyhow::Result<ExitCode> {
    let set = |server: &OnServer, machine: &str, state: &str, reason: &str, sentence: &str| {
        let set = SetJudgehost { state: state.to_owned(), reason: reason.to_owned() };
        let operation = Operation::patch(path_of(machine), format!("{machine} {sentence}"));
        operation.with(&set).send(&with_machine(server, machine)?, json)
    };
    match command {
        JudgingCommand::Status(server) => status(server, json),
        JudgingCommand::Show(arguments) => machine(arguments, json),
        JudgingCommand::TakeOut(arguments) => {
            let (state, sentence) = match arguments.drain {
                true => ("draining", "ends what it judges, and then itself"),
                false => ("disabled", "is out; what it judged is given to others"),
            };
            set(&arguments.server, &arguments.machine, state, &arguments.reason, sentence)
        }
        JudgingCommand::TakeIn(MachineNameArguments { machine, server }) => {
            let sentence = "may judge again; start 'tauto judgehost' on it if it has ended";
            set(server, machine, "enabled", "", sentence)
        }
        JudgingCommand::Remove(MachineNameArguments { machine, server }) => {
            let operation = Operation::delete(path_of(machine), format!("{machine} is removed"));
            operation.send(&with_machine(server, machine)?, json)
        }
        JudgingCommand::Resume(arguments) => resume(arguments, json),
        JudgingCommand::Forget(arguments) => {
            let (client, pool) = (Client::open(&arguments.server)?, &arguments.pool);
            let pools: Vec<Pool> = client.get("pools")?;
            refuse_unknown("the server", "pool", pool, pools.iter().map(|pool| pool.id.as_str()))?;
            let new = NewPool { id: pool.clone(), identity: None, compilers: None };
            let sentence = format!("the next machine that joins {pool} decides what the pool is");
            Operation::post("/pools", sentence).with(&new).send(&client, json)
        }
    }
}

fn path_of(machine: &str) -> String {
    format!("/judgehosts/{}", segment(machine))
}

fn with_machine(server: &OnServer, machine: &str) -> anyhow::Result<Client> {
    let client = Client::open(server)?;
    let hosts: Vec<Judgehost> = client.get("judgehosts")?;
    refuse_unknown("the server", "machine", machine, hosts.iter().map(|host| host.id.as_str()))?;
    Ok(client)
}

/// Shows everything that judges, waits or is paused.
fn status(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let pools: Vec<Pool> = client.get("pools")?;
    let hosts: Vec<Judgehost> = client.get("judgehosts")?;
    let jobs: Jobs = client.get("jobs")?;
    let paused: Vec<PausedJudging> = client.get("pauses")?;
    let all = json!({ "pools": pools, "judgehosts": hosts, "jobs": jobs.pools, "paused": paused });
    report(&all, &status_text(&pools, &hosts, &jobs, &paused, Colour::for_stdout()), json)
}

fn status_text(
    pools: &[Pool],
    hosts: &[Judgehost],
    jobs: &Jobs,
    paused: &[PausedJudging],
    colour: Colour,
) -> String {
    let mut rows = table(&["pool", ">machines", ">waiting", ">judging", "slower at most"]);
    let mut names: Vec<&str> = pools.iter().map(|pool| pool.id.as_str()).collect();
    names.extend(
        jobs.pools
            .iter()
            .map(|jobs| jobs.pool.as_str())
            .filter(|name| pools.iter().all(|pool| pool.id != **name)),
    );
    for name in names {
        let can_judge = |host: &&Judgehost| host.pool == name && host.state == "enabled";
        let machines = hosts.iter().filter(can_judge).count();
        let counts = jobs.pools.iter().find(|jobs| jobs.pool == name);
        let (waiting, judging) = counts.map_or((0, 0), |counts| (counts.waiting, counts.claimed));
        let ratios = pools.iter().find(|pool| pool.id == name).map_or(&[][..], |pool| &pool.ratios);
        let ratios = ratios.iter().map(|ratio| {
            let upper = f64::from(ratio.upper_permille) / 1e3;
            format!("{} on {}: {upper:.3}", ratio.language, ratio.strict)
        });
        let count = match machines == 0 && waiting > 0 {
            true => Cell::styled(Style::Bad, "0"),
            false => machines.to_string().into(),
        };
        let ratios = ratios.collect::<Vec<_>>().join(", ");
        rows.row([name.into(), count, waiting.to_string().into(), judging.to_string().into(), ratios.into()]);
    }
    let mut text = rows.render(colour);
    text.push('\n');
    text.push_str(&machines(hosts, colour));
    if !paused.is_empty() {
        let mut table = table(&["not judged for now", "why"]);
        for one in paused {
            table.row([paused_words(one).into(), one.reason.as_str().into()]);
        }
        text.push('\n');
        text.push_str(&table.render(colour));
    }
    text
}

fn paused_words(paused: &PausedJudging) -> String {
    match (&paused.package, &paused.language, &paused.judgehost) {
        (Some(package), _, _) => format!("package {}", &package[..package.len().min(HASH_CHARACTERS)]),
        (None, Some(language), Some(host)) => format!("{language} on {host}"),
        _ => "-".to_owned(),
    }
}

/// Returns the table of machines; why one does not judge stands below it.
pub fn machines(hosts: &[Judgehost], colour: Colour) -> String {
    if hosts.is_empty() {
        return "no machine has joined\n".to_owned();
    }
    let columns = ["machine", "pool", "state", ">places", ">jobs", ">reference", "last seen"];
    let mut table = table(&columns);
    for host in hosts {
        let style = if host.state == "enabled" { Style::Good } else { Style::Caution };
        table.row([
            host.id.as_str().into(),
            host.pool.as_str().into(),
            Cell::styled(style, host.state.as_str()),
            host.places.to_string().into(),
            host.jobs.to_string().into(),
            host.last_reference_ns.map_or_else(|| "-".to_owned(), |time| Nanos(time).to_string()).into(),
            host.last_seen.map_or_else(|| "never".to_owned(), ago).into(),
        ]);
        if !host.reason.is_empty() {
            table.note(None, &host.reason);
        }
        let languages = |is: &str, languages: &[String]| format!("{is}: {}", languages.join(", "));
        if !host.untested_languages.is_empty() {
            table.note(None, &languages("languages not tested yet", &host.untested_languages));
        }
        if !host.broken_languages.is_empty() {
            table.note(None, &languages("languages that do not work", &host.broken_languages));
        }
        if !host.unknown_scores.is_empty() {
            table.note(None, &too_old(&host.unknown_scores));
        }
    }
    table.render(colour)
}

/// Returns which problems a machine leaves to others until `tauto` is updated there.
fn too_old(unknown_scores: &[String]) -> String {
    let rules = unknown_scores.join(", ");
    format!("takes no problems with 'scores: {rules}', which its tauto does not know: update tauto there")
}

fn machine(arguments: &MachineNameArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = with_machine(&arguments.server, &arguments.machine)?;
    let path = format!("judgehosts/{}", segment(&arguments.machine));
    show(&client, &path, json, |host: Judgehost| {
        let state = match host.reason.as_str() {
            "" => host.state.clone(),
            reason => format!("{}: {reason}", host.state),
        };
        let time = |time: Option<u64>| {
            time.map_or_else(|| "not known yet".to_owned(), |time| Nanos(time).to_string())
        };
        let mut lines = vec![
            ("machine", host.id),
            ("pool", host.pool),
            ("state", state),
            ("places", host.places.to_string()),
            ("jobs", host.jobs.to_string()),
            ("last seen", host.last_seen.map_or_else(|| "never".to_owned(), ago)),
            (
                "reference program",
                format!("{}, at first {}", time(host.last_reference_ns), time(host.reference_ns)),
            ),
        ];
        if !host.unknown_scores.is_empty() {
            lines.push(("too old", too_old(&host.unknown_scores)));
        }
        lines.extend(host.identity.into_iter().map(|line| ("machine is", line)));
        lines.extend(host.compilers.into_iter().map(|line| ("compiler", line)));
        lines.extend(host.untested_languages.into_iter().map(|language| ("not tested yet", language)));
        lines.extend(host.broken_languages.into_iter().map(|language| ("does not work", language)));
        let mut last = "";
        let mut text = String::new();
        for (name, value) in lines {
            let shown = if name == last { "" } else { name };
            last = name;
            text.push_str(&prose(&format!("{shown:<18} "), 19, &visible(&value)));
        }
        Ok(text)
    })
}

fn resume(arguments: &ResumeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let mut paused: Vec<PausedJudging> = client.get("pauses")?;
    let is_all = arguments.package.is_none() && arguments.machine.is_none();
    paused.retain(|one| {
        let of_package = arguments.package.as_deref().zip(one.package.as_deref());
        is_all
            || of_package.is_some_and(|(wanted, package)| package.starts_with(wanted))
            || arguments.machine.is_some() && arguments.machine == one.judgehost
    });
    for one in &paused {
        client.send("POST", "pauses/resume", one)?;
    }
    let text = match paused.is_empty() {
        true => "nothing matching is paused".to_owned(),
        false => paused.iter().map(|one| format!("{} is judged again\n", paused_words(one))).collect(),
    };
    report(&json!({ "resumed": paused }), &text, json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::from_value;

    #[test]
    fn status_names_what_an_operator_has_to_do() {
        let host = |id: &str, pool: &str, state: &str, reason: &str| {
            json!({"id": id, "pool": pool, "state": state, "reason": reason, "places": 1, "identity": [], "compilers": [],
                   "last_seen": null, "jobs": 0, "reference_ns": null, "last_reference_ns": 12_345_678})
        };
        let mut hosts: Vec<Judgehost> = from_value(json!([
            host("strict1", "strict", "disabled", "the reference program takes 13.00 ms"),
            host("fast1", "fast", "enabled", ""),
        ]))
        .unwrap();
        hosts[1].untested_languages = vec!["java".to_owned(), "kotlin".to_owned()];
        hosts[1].broken_languages = vec!["scala".to_owned()];
        hosts[1].unknown_scores = vec!["domjudge".to_owned()];
        let pools: Vec<Pool> = from_value(json!([
            {"id": "strict", "identity": null, "compilers": null, "judgehosts": ["strict1"], "ratios": []},
            {"id": "fast", "identity": null, "compilers": null, "judgehosts": ["fast1"], "ratios": [
                {"strict": "strict", "language": "cpp", "upper_permille": 1023, "programs": 10}]},
        ]))
        .unwrap();
        let jobs = from_value(json!({"pools": [
            {"pool": "strict", "waiting": 2, "claimed": 0}, {"pool": "other", "waiting": 1, "claimed": 0}]}))
        .unwrap();
        let paused: Vec<PausedJudging> = from_value(json!([
            {"package": "0123456789abcdef", "language": null, "judgehost": null, "reason": "a validator does not compile"},
            {"package": null, "language": "kotlin", "judgehost": "fast1", "reason": "it prints nothing"}]))
        .unwrap();
        let text = status_text(&pools, &hosts, &jobs, &paused, Colour::Off);
        insta::assert_snapshot!(text, @r"
        pool    machines  waiting  judging  slower at most
        ────────────────────────────────────────────────────────
        strict         0        2        0
        fast           1        0        0  cpp on strict: 1.023
        other          0        1        0

        machine  pool    state     places  jobs  reference  last seen
        ─────────────────────────────────────────────────────────────
        strict1  strict  disabled       1     0    12.3 ms  never
            the reference program takes 13.00 ms
        fast1    fast    enabled        1     0    12.3 ms  never
            languages not tested yet: java, kotlin
            languages that do not work: scala
            takes no problems with 'scores: domjudge', which its tauto does not know: update tauto there

        not judged for now    why
        ──────────────────────────────────────────────────
        package 0123456789ab  a validator does not compile
        kotlin on fast1       it prints nothing
        ");
        assert_eq!(machines(&[], Colour::Off), "no machine has joined\n");
    }
}
