//! Decisions about new submissions.

use super::InContest;
use crate::state::Submission;
use crate::{
    AccountId, Body, Instant, JudgementKey, JudgementReason, JudgingMode, LanguageId, Millis, Refusal, Role,
    SubmissionNumber, Submit, Submitted, SubmittedFile, TeamId,
};
use located::NAME_BYTES_MAX;
use model::{Bytes, Counted, Message, Number, message};
use std::collections::BTreeSet;

/// Over which time submissions are counted.
const RATE_WINDOW: Millis = Millis(60_000);
/// For how long the same files again are taken for a mistake, such as a request that was sent twice.
const DUPLICATE_WINDOW: Millis = Millis(120_000);

impl InContest<'_> {
    pub(super) fn submit(&self, submit: Submit) -> Result<Vec<Body>, Refusal> {
        let is_team = self.context.caller.is(Role::Team);
        let team = self.submitting_team(submit.team)?;
        let number = SubmissionNumber(self.contest.submissions.len() as u32 + 1);
        let last = self.contest.submissions.last().map(|entry| entry.time);
        self.check_sent(submit.time, submit.number.map(|asked| (asked.0, number.0)), last)?;
        self.check_open(team.as_ref(), submit.time)?;
        let problem = &self.problem(&submit.problem)?.settings;
        self.check_language(&problem.languages, &submit.language, submit.time.is_some())?;
        self.check_files(&submit.files, problem.code_limit)?;
        if let Some(entry_point) = &submit.entry_point {
            super::check_name("entry_point", entry_point)?;
            if !is_plain_name(entry_point) {
                let message = message!(
                    "wrong-entry-point",
                    "'{entry_point}' is not a plain name of a file or a class",
                    entry_point = entry_point.escape_debug()
                );
                return Err(Refusal::invalid("entry_point", message));
            }
        }
        let account = self.submitting_account(submit.account, team.as_ref())?;
        self.check_contest_time(submit.contest_time, submit.time)?;
        if is_team && let Some(team) = &team {
            self.check_rate(team)?;
        }
        let submitted = Submitted {
            number,
            team,
            problem: submit.problem,
            language: submit.language,
            entry_point: submit.entry_point,
            files: submit.files,
            time: submit.time,
            account,
        };
        if is_team {
            self.check_duplicate(&submitted)?;
        }
        let mut bodies = vec![Body::Submitted(Box::new(submitted))];
        if self.contest.settings.judging != JudgingMode::OnDemand {
            bodies.extend(self.first_judgements(number, 1, JudgementReason::First));
        }
        Ok(bodies)
    }

    /// Returns the events that open a submission's first judgement, with its replicas if the strict pool judges first.
    pub(super) fn first_judgements(
        &self,
        submission: SubmissionNumber,
        first: u32,
        reason: JudgementReason,
    ) -> Vec<Body> {
        let settings = &self.contest.settings;
        match &settings.fast_pool {
            Some(fast) => {
                let judgement = JudgementKey { submission, number: first };
                vec![Body::JudgementOpened { judgement, reason, pool: fast.clone() }]
            }
            None => self.strict_judgements(submission, first, reason),
        }
    }

    /// Returns the events that open a judgement on the strict pool, with its replicas.
    pub(super) fn strict_judgements(
        &self,
        submission: SubmissionNumber,
        first: u32,
        reason: JudgementReason,
    ) -> Vec<Body> {
        let settings = &self.contest.settings;
        (0..settings.replicas.max(1))
            .map(|offset| Body::JudgementOpened {
                judgement: JudgementKey { submission, number: first + offset },
                reason: if offset == 0 { reason } else { JudgementReason::Replica },
                pool: settings.strict_pool.clone(),
            })
            .collect()
    }

    /// Checks a language against those of the problem, or else of the contest, or else those that its pool can compile.
    /// What was sent elsewhere may be judged already.
    fn check_language(
        &self,
        of_problem: &BTreeSet<LanguageId>,
        language: &LanguageId,
        is_of_elsewhere: bool,
    ) -> Result<(), Refusal> {
        let settings = &self.contest.settings;
        let named = if of_problem.is_empty() { &settings.languages } else { of_problem };
        let join = |allowed: BTreeSet<&str>| allowed.into_iter().collect::<Vec<_>>().join(", ");
        if !named.is_empty() {
            return match named.contains(language) {
                true => Ok(()),
                false => {
                    let allowed = join(named.iter().map(LanguageId::as_str).collect());
                    let message = message!(
                        "language-not-allowed",
                        "language '{language}' is not allowed; use one of {allowed}",
                        language,
                        allowed
                    );
                    Err(Refusal::invalid("language", message))
                }
            };
        }
        match self.context.state.languages_of_pool(&settings.strict_pool) {
            Some(installed) if !installed.contains(language.as_str()) && !is_of_elsewhere => {
                let message = message!(
                    "language-without-judgehost",
                    "language '{language}' cannot be judged: no judgehost has a compiler of it; use one of {allowed}",
                    language,
                    allowed = join(installed)
                );
                Err(Refusal::invalid("language", message))
            }
            _ => Ok(()),
        }
    }

    fn submitting_team(&self, asked: Option<TeamId>) -> Result<Option<TeamId>, Refusal> {
        let caller = self.context.caller;
        if !caller.is(Role::Team) {
            self.check_teams("team", &asked)?;
            return Ok(asked);
        }
        let own = caller
            .team
            .clone()
            .ok_or_else(|| Refusal::forbidden(message!("account-without-team", "the account has no team")))?;
        if asked.is_some_and(|asked| asked != own) {
            return Err(Refusal::forbidden(message!(
                "account-submits-for-own-team",
                "the account submits for team '{own}' only",
                own
            )));
        }
        self.check_teams("team", [&own])?;
        Ok(Some(own))
    }

    /// Returns the account that sent a submission, if not the caller's: admins name the one that sent it elsewhere.
    fn submitting_account(
        &self,
        asked: Option<AccountId>,
        team: Option<&TeamId>,
    ) -> Result<Option<AccountId>, Refusal> {
        let caller = self.context.caller;
        let Some(asked) = asked.filter(|asked| caller.account.as_ref() != Some(asked)) else {
            return Ok(None);
        };
        if !caller.is(Role::Admin) {
            return Err(Refusal::forbidden(message!(
                "submitting-for-another",
                "only admins submit for another account"
            )));
        }
        let account = self.context.state.accounts.get(&asked).map(|account| &account.settings);
        let Some(account) = account.filter(|account| account.is_in(self.id)) else {
            return Err(Refusal::invalid("account", Message::none("account", &asked)));
        };
        if account.team.is_some() && account.team.as_ref() != team {
            return Err(Refusal::invalid(
                "account",
                message!("account-of-another-team", "account '{asked}' is of another team", asked),
            ));
        }
        Ok(Some(asked))
    }

    pub(super) fn check_contest_time(
        &self,
        sent: Option<Millis>,
        time: Option<Instant>,
    ) -> Result<(), Refusal> {
        let Some(sent) = sent else { return Ok(()) };
        let Some(time) = time else {
            return Err(Refusal::invalid(
                "contest_time",
                message!("time-missing", "'time' is required with it"),
            ));
        };
        let ours = self.contest.contest_time(time);
        // Clients may write whole seconds.
        if (ours - sent).0.abs() >= 1000 {
            let message = message!(
                "contest-time-differs",
                "at {time} the contest's time is {ours}, not {sent}",
                time,
                ours,
                sent
            );
            return Err(Refusal::invalid("contest_time", message));
        }
        Ok(())
    }

    fn check_open(&self, team: Option<&TeamId>, at: Option<Instant>) -> Result<(), Refusal> {
        let (settings, now) = (&self.contest.settings, at.unwrap_or(self.context.now));
        let phase = settings.phase(now);
        if team.is_none() {
            return Ok(());
        }
        if !phase.started {
            return Err(Refusal::conflict(
                "not-started",
                message!("contest-not-started", "the contest has not started"),
            ));
        }
        if settings.is_paused() && settings.removed.last().is_some_and(|pause| pause.begin <= now) {
            return Err(Refusal::conflict("paused", message!("contest-paused", "the contest is paused")));
        }
        if phase.ended && !settings.practice {
            return Err(Refusal::conflict(
                "ended",
                message!("contest-ended-without-practice", "the contest has ended, and has no practice"),
            ));
        }
        Ok(())
    }

    /// Checks the time at which something was sent, and the requested number against the next one. Times follow the order of
    /// numbers, as boards do.
    pub(super) fn check_sent(
        &self,
        time: Option<Instant>,
        numbers: Option<(u32, u32)>,
        last: Option<Instant>,
    ) -> Result<(), Refusal> {
        let Some(time) = time else {
            return match numbers {
                Some(_) => Err(Refusal::invalid(
                    "time",
                    message!("time-missing-with-id", "'time' is required when 'id' is given"),
                )),
                None => Ok(()),
            };
        };
        if time > self.context.now {
            return Err(Refusal::invalid(
                "time",
                message!("time-in-future", "{time} is in the future", time),
            ));
        }
        if let Some(last) = last.filter(|last| time < *last) {
            let message = message!(
                "time-before-last",
                "{time} is before the last one, of {last}: send them in the order of time",
                time,
                last
            );
            return Err(Refusal::invalid("time", message));
        }
        match numbers {
            Some((asked, next)) if asked < next => Err(Refusal::conflict(
                "taken",
                message!("id-taken", "the id {asked} is taken; the next one is {next}", asked, next),
            )),
            Some((asked, next)) if asked > next => Err(Refusal::invalid(
                "id",
                message!("id-with-gap", "ids are numbers without gaps; the next one is {next}", next),
            )),
            _ => Ok(()),
        }
    }

    fn check_files(&self, files: &[SubmittedFile], code_limit: Bytes) -> Result<(), Refusal> {
        let limits = &self.contest.settings.submission_limits;
        let invalid = |message: Message| Err(Refusal::invalid("files", message));
        if files.is_empty() {
            return invalid(message!("files-missing", "there is no file"));
        }
        if files.len() > limits.files as usize {
            return invalid(message!(
                "too-many-files",
                "there are {count} files; at most {max} are allowed",
                count = Number(files.len()),
                max = limits.files
            ));
        }
        let mut names = BTreeSet::new();
        for SubmittedFile { name, blob, .. } in files {
            if name.is_empty() || name.len() > NAME_BYTES_MAX || !is_plain_name(name) {
                return invalid(message!(
                    "wrong-source-name",
                    "'{name}' is not a plain file name",
                    name = name.escape_debug()
                ));
            }
            if !names.insert(name) {
                return invalid(message!("same-source-name", "there are two files named '{name}'", name));
            }
            super::check_hash("files", &blob.0)?;
        }
        let bytes: u64 = files.iter().map(|file| file.size.0).fold(0, u64::saturating_add);
        let most = limits.bytes.0.min(code_limit.0);
        if bytes > most {
            return invalid(message!(
                "files-too-large",
                "the files have {count} bytes; at most {max} are allowed",
                count = Number(bytes),
                max = most
            ));
        }
        if bytes == 0 {
            return invalid(message!("files-empty", "the files are empty"));
        }
        Ok(())
    }

    /// Returns a team's submissions, the last one first.
    fn of_team(&self, team: &TeamId) -> Vec<(SubmissionNumber, &Submission)> {
        let mut numbers: Vec<SubmissionNumber> = self.contest.boards.of_team(team).collect();
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        numbers.into_iter().filter_map(|number| Some((number, self.contest.submission(number)?))).collect()
    }

    fn check_rate(&self, team: &TeamId) -> Result<(), Refusal> {
        let limits = &self.contest.settings.submission_limits;
        let sent = self.of_team(team);
        let (count, now) = (sent.len(), self.context.now);
        let recent: Vec<_> =
            sent.iter().take_while(|(_, submission)| now - submission.time < RATE_WINDOW).collect();
        if count >= limits.in_all as usize {
            let message = message!(
                "too-many-submissions",
                "the team has sent {count}; at most {max} are allowed",
                count = Counted(count, "submission"),
                max = limits.in_all
            );
            return Err(Refusal::too_many("too-many-submissions", message));
        }
        if recent.len() >= limits.per_minute as usize {
            let oldest =
                recent.get(limits.per_minute as usize - 1).map_or(now, |(_, submission)| submission.time);
            let wait = (oldest + RATE_WINDOW - now).0.max(0) / 1000 + 1;
            let message = message!(
                "too-fast",
                "at most {count} a minute are allowed; the next in {seconds} s",
                count = Counted(limits.per_minute as usize, "submission"),
                seconds = Number(wait)
            );
            return Err(Refusal::too_many("too-fast", message));
        }
        Ok(())
    }

    fn check_duplicate(&self, new: &Submitted) -> Result<(), Refusal> {
        let Some(team) = &new.team else { return Ok(()) };
        let is_recent = |submission: &Submission| self.context.now - submission.time < DUPLICATE_WINDOW;
        let mut recent = self.of_team(team).into_iter().take_while(|(_, submission)| is_recent(submission));
        let same = recent.find(|(_, old)| {
            old.problem == new.problem
                && old.language == new.language
                && old.entry_point == new.entry_point
                && old.files == new.files
        });
        match same {
            Some((number, _)) => Err(Refusal::conflict(
                "duplicate",
                message!("same-as-submission", "it is the same as submission {number}", number),
            )),
            None => Ok(()),
        }
    }
}

/// Returns whether a name can stand for a file of a submission.
fn is_plain_name(name: &str) -> bool {
    !matches!(name, "." | "..")
        // Compilers take the one for an option, and the other for a file of options.
        && !name.starts_with(['-', '@'])
        && !name.contains(['/', '\\'])
        && !name.chars().any(super::texts::hides_in_a_name)
}
