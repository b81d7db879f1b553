//! `tauto submission`: one submission, and what a jury does with it.

use super::answer::done;
use super::submissions::{short, verdict};
use super::{names, saved};
use crate::arguments::{
    OverrideArguments, SubmissionCommand, SubmissionNameArguments, SubmissionReasonArguments,
    VerifyJudgementArguments,
};
use crate::client::{Client, segment};
use documents::contest::{IgnoreSubmission, Judgement, JudgementDetails, NewOverride, Submission, Verify};
use serde_json::json;
use std::process::ExitCode;
use terminal::failure::input_with_hint;
use terminal::{Align, Colour, Table, print, prose, visible};

/// Runs `tauto submission`.
///
/// # Errors
/// When the server refuses it or cannot be reached, or a file cannot be written.
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
            let One { client, id, path } = One::of(arguments)?;
            let answer = client.send("POST", &format!("{path}/judge"), &json!({}))?;
            done(
                &format!("submission {id} is judged; 'tauto submission show {id}' shows how far it is"),
                &answer,
                json,
            )
        }
        SubmissionCommand::Ignore(arguments) => ignore(arguments, true, json),
        SubmissionCommand::Count(arguments) => ignore(arguments, false, json),
        SubmissionCommand::Override(arguments) => set_verdict(arguments, json),
        SubmissionCommand::Verify(arguments) => verify(arguments, json),
    }
}

/// A submission on its server.
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

    /// Returns the judgement that counts.
    fn current(&self) -> anyhow::Result<Judgement> {
        // A submission that does not exist is a better reason than one without judgements.
        let _: Submission = self.client.get(&self.path)?;
        let current = self.judgements()?.into_iter().find(|judgement| judgement.current);
        current.ok_or_else(|| {
            input_with_hint(
                format!("submission {} has no judgement yet", self.id),
                "'tauto submission judge' has one made where nobody judges by itself",
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
        print(&format!("{all}\n"))?;
        return Ok(ExitCode::SUCCESS);
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
    let columns = [
        ("judgement", Align::Left),
        ("counts", Align::Left),
        ("progress", Align::Left),
        ("verdict", Align::Left),
        ("slowest", Align::Right),
        ("pool", Align::Left),
        ("machine", Align::Left),
        ("verified by", Align::Left),
    ];
    let mut table = Table::new(&columns);
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
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn ignore(arguments: &SubmissionReasonArguments, is_ignored: bool, json: bool) -> anyhow::Result<ExitCode> {
    let One { client, id, path } = One::of(&arguments.submission)?;
    let sent = IgnoreSubmission { is_ignored, reason: arguments.reason.clone() };
    let answer = client.send("POST", &format!("{path}/ignore"), &sent)?;
    let now = if is_ignored { "counts no more" } else { "counts again" };
    done(&format!("submission {id} {now}"), &answer, json)
}

fn set_verdict(arguments: &OverrideArguments, json: bool) -> anyhow::Result<ExitCode> {
    let SubmissionReasonArguments { submission, reason } = &arguments.because;
    let One { client, id, path } = One::of(submission)?;
    let judgement_type_id = arguments.verdict.as_ref().map(|verdict| verdict.to_ascii_uppercase());
    let sentence = match &judgement_type_id {
        Some(verdict) => format!("{verdict} counts for submission {id}"),
        None => format!("what was judged counts for submission {id}"),
    };
    // The login is a token, so the server asks for no password.
    let sent =
        NewOverride { judgement_type_id, score: arguments.score, reason: reason.clone(), password: None };
    done(&sentence, &client.send("POST", &format!("{path}/override"), &sent)?, json)
}

fn verify(arguments: &VerifyJudgementArguments, json: bool) -> anyhow::Result<ExitCode> {
    let one = One::of(&arguments.submission)?;
    let judgement = one.current()?.id;
    let path = one.judgement_path(&judgement, "verify")?;
    let answer = one.client.send("POST", &path, &Verify { comment: arguments.comment.clone() })?;
    done(&format!("judgement {judgement} is verified"), &answer, json)
}
