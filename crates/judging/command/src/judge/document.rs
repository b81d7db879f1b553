//! Makes the document of `tauto judge` from the judgements.

use super::left_out::LeftOut;
use super::{Session, explain};
use host_command::wire::machine_identity;

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
        language: arguments.language.clone(),
        time_limit: time_limit(session),
        memory_limit_bytes: Some(package.limits.memory.0),
        quick: session.rule.quick,
        complete: session.cut_short.is_none(),
        cut_short: session.cut_short.clone(),
        summary: documents::Summary::of(&submissions),
        submissions,
        not_judged: session.left_out.iter().map(LeftOut::document).collect(),
        warnings: session.warnings.clone(),
    })
}

pub fn time_limit(session: &Session<'_>) -> documents::TimeLimit {
    let Session { time_limit, limit_record, rule, .. } = session;
    limit_record.document(time_limit.limit, rule.kill_limit, time_limit.origin.to_string())
}
