//! `tauto submission`: one submission, and what a jury does with it.

use super::operation::Operation;
use super::submissions::{short, verdict};
use super::{names, saved};
use crate::arguments::{
    OverrideArguments, SubmissionCommand, SubmissionNameArguments, SubmissionReasonArguments,
    VerifyJudgementArguments,
};
use crate::client::{Client, segment};
use crate::output::{report, table};
use documents::contest::{IgnoreSubmission, Judgement, JudgementDetails, NewOverride, Submission, Verify};
use serde_json::json;
use std::process::ExitCode;
use terminal::failure::input_with_hint;
use terminal::{Colour, prose, visible};

pub fn run(command: &SubmissionCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        SubmissionCommand::Show(arguments) => show(arguments, json),
        SubmissionCommand::Source(arguments) => {
            let One { client, id, path } = One::of(&arguments.submission)?;
            let name = format!("submission-{id}.zip");
            saved::save(&client, &format!("{path}/files"), arguments.out.as_deref(), &name, json)
        }
        SubmissionCommand::Evidence(arguments) => {
            let one = One::of(&arguments.submission)?;
            let judgement = one.current()?.id;
            let path = one.judgement_path(&judgement, "evidence")?;
            let name = format!("judgement-{judgement}.jsonl");
            saved::save(&one.client, &path, arguments.out.as_deref(), &name, json)
        }
        SubmissionCommand::Debug(arguments) => {
            let One { client, id, path } = One::of(&arguments.submission)?;
            let path = format!("{path}/debug.zip?package={}", arguments.package);
            let name = format!("{}-submission-{id}.zip", client.contest()?);
            saved::save(&client, &path, arguments.out.as_deref(), &name, json)
        }
        SubmissionCommand::Judge(arguments) => {
            let id = &arguments.id;
            let sentence =
                format!("submission {id} is judged; 'tauto submission show {id}' shows how far it is");
            operation(arguments, "judge", sentence).run(&arguments.server, json)
        }
        SubmissionCommand::Ignore(arguments) => ignore(arguments, true, "counts no more", json),
        SubmissionCommand::Count(arguments) => ignore(arguments, false, "counts again", json),
        SubmissionCommand::Override(arguments) => set_verdict(arguments, json),
        SubmissionCommand::Verify(arguments) => verify(arguments, json),
    }
}

struct One<'a> {
    client: Client,
    id: &'a str,
    path: String,
}

impl<'a> One<'a> {
    fn of(arguments: &'a SubmissionNameArguments) -> anyhow::Result<Self> {
        let client = Client::open(&arguments.server)?;
        let path = client.in_contest(&format!("submissions/{}", segment(&arguments.id)))?;
        Ok(Self { client, id: &arguments.id, path })
    }

    fn judgements(&self) -> anyhow::Result<Vec<Judgement>> {
        let path = format!("judgements?submission_id={}", segment(self.id));
        self.client.get(&self.client.in_contest(&path)?)
    }

    fn current(&self) -> anyhow::Result<Judgement> {
        // A submission that does not exist is a better reason than one without judgements.
        let _: Submission = self.client.get(&self.path)?;
        let current = self.judgements()?.into_iter().find(|judgement| judgement.current);
        current.ok_or_else(|| {
            input_with_hint(
                format!("submission {} has no judgement yet", self.id),
                "'tauto submission judge' requests one where submissions are not judged automatically",
            )
        })
    }

    fn judgement_path(&self, id: &str, what: &str) -> anyhow::Result<String> {
        self.client.in_contest(&format!("judgements/{}/{what}", segment(id)))
    }
}

fn show(arguments: &SubmissionNameArguments, json: bool) -> anyhow::Result<ExitCode> {
    let one = One::of(arguments)?;
    let submission: Submission = one.client.get(&one.path)?;
    let judgements = one.judgements()?;
    let details = judgements
        .iter()
        .map(|judgement| one.client.get(&one.judgement_path(&judgement.id, "details")?))
        .collect::<anyhow::Result<Vec<JudgementDetails>>>()?;
    if json {
        let all = json!({ "submission": submission, "judgements": judgements, "details": details });
        return report(&all, "", json);
    }
    let problems = names::Problems::of(&one.client)?;
    let team = submission.team_id.as_ref().map_or_else(|| "the jury".to_owned(), |id| format!("team {id}"));
    let mut text = format!(
        "submission {}: {} in {}, at {} by {team}\n\n",
        submission.id,
        problems.label(&submission.problem_id),
        submission.language_id,
        short(submission.contest_time),
    );
    let columns =
        ["judgement", "counts", "progress", "verdict", ">slowest", "pool", "machine", "verified by"];
    let mut table = table(&columns);
    for (judgement, details) in judgements.iter().zip(&details) {
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let slowest = judgement.max_run_time.map_or_else(|| "-".to_owned(), |time| format!("{time:.3} s"));
        table.row([
            judgement.id.as_str().into(),
            if judgement.current { "yes" } else { "no" }.into(),
            details.progress.as_str().into(),
            verdict(judgement.judgement_type_id.as_deref()),
            slowest.into(),
            or_none(&details.pool).into(),
            or_none(&details.judgehost).into(),
            or_none(&details.verified_by).into(),
        ]);
    }
    text.push_str(&table.render(Colour::for_stdout()));
    for details in &details {
        if !details.for_jury.is_empty() && details.verified_by.is_none() {
            let cases: Vec<String> = details.for_jury.iter().map(ToString::to_string).collect();
            let words = format!(
                "for the jury to decide: in case {} a run over the limit wrote something else than the accepted run; \
                 verify the judgement, or set a verdict",
                cases.join(", ")
            );
            text.push_str(&prose(&format!("{}: ", details.id), 2, &words));
        }
        for failure in &details.failures {
            text.push_str(&prose(&format!("{}: ", details.id), 2, &visible(failure)));
        }
    }
    let output = judgements.iter().zip(&details).filter(|(judgement, _)| judgement.current);
    for output in output.filter_map(|(_, details)| details.compile_output.as_deref()) {
        let lines = output.lines().map(|line| format!("  {}\n", visible(line)));
        text.push_str(&format!("\nthe compiler printed\n{}", lines.collect::<String>()));
    }
    report(&(), &text, false)
}

/// Returns what a jury does with a submission, such as `judge`.
fn operation(submission: &SubmissionNameArguments, what: &str, sentence: String) -> Operation {
    Operation::post(format!("submissions/{}/{what}", segment(&submission.id)), sentence)
}

fn ignore(
    arguments: &SubmissionReasonArguments,
    is_ignored: bool,
    sentence: &str,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let SubmissionReasonArguments { submission, reason } = arguments;
    let ignore = IgnoreSubmission { is_ignored, reason: reason.clone() };
    let operation = operation(submission, "ignore", format!("submission {} {sentence}", submission.id));
    operation.with(&ignore).run(&submission.server, json)
}

fn set_verdict(arguments: &OverrideArguments, json: bool) -> anyhow::Result<ExitCode> {
    let SubmissionReasonArguments { submission, reason } = &arguments.because;
    let judgement_type_id = arguments.verdict.as_ref().map(|verdict| verdict.to_ascii_uppercase());
    let verdict = judgement_type_id.as_deref().unwrap_or("what was judged");
    let operation =
        operation(submission, "override", format!("{verdict} counts for submission {}", submission.id));
    // The login is a token, so the server asks for no password.
    let verdict =
        NewOverride { judgement_type_id, score: arguments.score, reason: reason.clone(), password: None };
    operation.with(&verdict).run(&submission.server, json)
}

fn verify(arguments: &VerifyJudgementArguments, json: bool) -> anyhow::Result<ExitCode> {
    let one = One::of(&arguments.submission)?;
    let judgement = one.current()?.id;
    let path = format!("judgements/{}/verify", segment(&judgement));
    let operation = Operation::post(path, format!("judgement {judgement} is verified"));
    operation.with(&Verify { comment: arguments.comment.clone() }).send(&one.client, json)
}
