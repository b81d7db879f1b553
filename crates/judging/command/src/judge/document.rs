//! Makes the document of `tauto judge` from the judgements, and the first line of its record.

use super::{Session, explain};
use documents::RecordBegin;
use host_command::wire::machine_identity;
use judge::Station;
use record::{Circumstances, JudgingMachine, KERNEL_OPTIONS};
use settings::kernel_options;
use system::Roots;

pub fn report(session: &Session<'_>) -> anyhow::Result<documents::JudgeReport> {
    let Session { arguments, package, judged, .. } = session;
    let mut submissions = Vec::with_capacity(judged.len());
    for one in judged {
        let explained = arguments.explain.then(|| explain::of(session, one)).transpose()?;
        submissions.push(documents::Submission {
            explanation: explained.map_or_else(Vec::new, |explanation| explanation.sentences()),
            ..one.document(one.judgement.group_documents(package))
        });
    }
    Ok(documents::JudgeReport {
        package: session.description.clone(),
        machine: machine_identity(&session.machine),
        image: session.image.clone(),
        language: arguments.language.clone(),
        time_limit: time_limit(session),
        memory_limit_bytes: Some(package.limits.memory.0),
        quick: session.rule.quick,
        complete: session.cut_short.is_none(),
        cut_short: session.cut_short.clone(),
        summary: documents::Summary::of(&submissions),
        submissions,
        not_judged: session.left_out.clone(),
        warnings: session.warnings.clone(),
    })
}

pub fn time_limit(session: &Session<'_>) -> documents::TimeLimit {
    let Session { time_limit, limit_record, rule, counter, .. } = session;
    limit_record.document(rule, time_limit.origin.to_string(), counter.clone())
}

/// Records the basis of all verdicts of a judging.
pub fn begin(session: &Session<'_>, station: &Station) -> RecordBegin {
    let around = Circumstances {
        arguments: std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect(),
        package: session.description.clone(),
        machine: JudgingMachine {
            identity: machine_identity(&session.machine),
            kernel_options: kernel_options(&Roots::host(), &KERNEL_OPTIONS),
            timed_cpus: station.timed_cpus(),
            helper_cpus: station.helper_cpus(),
            image: session.image.clone(),
        },
        time_limit: time_limit(session),
        not_judged: session.left_out.clone(),
    };
    session.basis().begin(session.package, around)
}
