//! What anybody can ask for, who asks, and how it is refused.

mod caller;
use crate::{
    AccountId, AccountSettings, BlobHash, ClarificationNumber, ContestId, ContestSettings, FailureScope,
    FileEntry, FileOwner, FileProperty, GroupId, GroupSettings, Imported, Instant, Judged, JudgehostId,
    JudgehostState, JudgementKey, LanguageId, Millis, OrganizationId, OrganizationSettings, Outcome,
    PauseScope, PersonId, PersonSettings, PoolId, PoolSettings, ProblemId, ProblemSettings, RejudgingNumber,
    RemovedInterval, Run, StoredVerdict, SubmissionNumber, SubmittedFile, TeamId, TeamSettings, TokenId,
};
pub use caller::{Caller, Refusal, RefusalKind, Standing};
use model::Nanos;
use std::collections::BTreeSet;

/// What somebody asks the server to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// To make or change a contest.
    SetContest(ContestId, Box<ContestSettings>),
    /// To remove a contest, with all that is in it. Refused when it has submissions of teams.
    RemoveContest(ContestId),
    /// To do something in a contest.
    In(ContestId, Action),
    /// To add or change an account.
    SetAccount(AccountSettings),
    /// To remove an account.
    RemoveAccount(AccountId),
    /// To let an account be used, or no more.
    EnableAccount(AccountId, bool),
    /// To give an account a password.
    SetPassword {
        /// Whose.
        account: AccountId,
        /// Its Argon2id hash, in PHC format.
        hash: String,
    },
    /// To give an account a token.
    IssueToken {
        /// Its id.
        id: TokenId,
        /// Whose.
        account: AccountId,
        /// The SHA-256 hash of the secret.
        hash: String,
        /// What it is for.
        note: String,
        /// When it ends.
        expires: Option<Instant>,
    },
    /// To revoke a token.
    RevokeToken(TokenId),
    /// To note that the caller has logged in.
    LogIn,
    /// To add or change a pool.
    SetPool(PoolSettings),
    /// To remove a pool.
    RemovePool(PoolId),
    /// To note the measured ratio of two pools.
    MeasurePoolRatio {
        /// The strict pool.
        strict: PoolId,
        /// The fast pool.
        fast: PoolId,
        /// For which language.
        language: LanguageId,
        /// The upper bound of strict time / fast time, in thousandths.
        upper_permille: u32,
        /// From how many programs.
        programs: u32,
    },
    /// To join a pool as a judgehost, or again after a restart.
    JoinJudgehost {
        /// Its id.
        id: JudgehostId,
        /// Its pool.
        pool: PoolId,
        /// What its machine is, as text lines.
        identity: Vec<String>,
        /// Versions of its compilers, `language: version`.
        compilers: Vec<String>,
        /// How many programs it times at once.
        places: u32,
    },
    /// To let a judgehost take jobs, or no more.
    SetJudgehost {
        /// Which.
        id: JudgehostId,
        /// Whether it takes jobs.
        state: JudgehostState,
        /// Why.
        reason: String,
    },
    /// To remove a judgehost that has no work.
    RemoveJudgehost(JudgehostId),
    /// To judge no more what an error is about.
    PauseJudging(PauseScope, String),
    /// To judge it again.
    ResumeJudging(PauseScope),
    /// To note something for the audit, such as an export.
    Note(Option<ContestId>, String),
    /// To let time go on. The server does it at [`crate::State::next_tick`]; every other command does it by itself.
    Tick,
}

/// What somebody asks for in a contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// To add or change a problem.
    SetProblem(Box<ProblemSettings>),
    /// To remove a problem without submissions.
    RemoveProblem(ProblemId),
    /// To let the judging of a problem wait, or go on.
    PauseProblem(ProblemId, bool, Option<String>),
    /// To state that a second person has verified a problem.
    VerifyProblem(ProblemId),
    /// To add or change a group.
    SetGroup(GroupSettings),
    /// To remove a group without teams.
    RemoveGroup(GroupId),
    /// To add or change an organization.
    SetOrganization(OrganizationSettings),
    /// To remove an organization without teams.
    RemoveOrganization(OrganizationId),
    /// To add or change a team.
    SetTeam(TeamSettings),
    /// To remove a team without submissions.
    RemoveTeam(TeamId),
    /// To add or change a person.
    SetPerson(PersonSettings),
    /// To remove a person.
    RemovePerson(PersonId),
    /// To replace the files of one property of an object.
    SetFiles {
        /// Whose.
        of: FileOwner,
        /// Which.
        property: FileProperty,
        /// The files; none to remove them.
        files: Vec<FileEntry>,
    },

    /// To submit a program.
    Submit(Submit),
    /// To let a submission count no more, or again.
    Ignore {
        /// Which.
        submission: SubmissionNumber,
        /// Whether it is ignored.
        is_ignored: bool,
        /// Why.
        reason: String,
    },
    /// To judge a submission that nobody judges by itself.
    Judge(SubmissionNumber),
    /// To set a verdict by hand; `None` takes it back.
    Override {
        /// Of which submission.
        submission: SubmissionNumber,
        /// The verdict.
        outcome: Option<Outcome>,
        /// Why.
        reason: String,
    },
    /// To state that a second person has verified a judgement.
    VerifyJudgement {
        /// Which.
        judgement: JudgementKey,
        /// What was noticed.
        comment: String,
    },

    /// A judgehost has begun.
    Begun(JudgementKey),
    /// A judgehost has derived the time limit of a package that has none.
    DerivedLimit {
        /// For which judgement.
        judgement: JudgementKey,
        /// Of which package.
        package: BlobHash,
        /// The limit.
        limit: Nanos,
    },
    /// A judgehost has judged cases.
    Runs(JudgementKey, Vec<Run>),
    /// A judgehost has judged a submission.
    Judged(Box<Judged>),
    /// A judgehost failed in our way.
    Failed {
        /// With which judgement.
        judgement: JudgementKey,
        /// What the error is about.
        scope: FailureScope,
        /// Why.
        reason: String,
    },
    /// A judgehost gives work back, or the server takes it from one that is gone.
    Returned {
        /// Which judgement.
        judgement: JudgementKey,
        /// Why.
        reason: String,
    },

    /// To judge submissions again; nothing counts before it is applied.
    OpenRejudging {
        /// Which.
        selection: Selection,
        /// How often each.
        repeat: u32,
        /// Why.
        reason: String,
    },
    /// To let a rejudging count.
    ApplyRejudging(RejudgingNumber),
    /// To drop a rejudging.
    CancelRejudging(RejudgingNumber),

    /// To send a question, an answer or an announcement.
    SendClarification(SendClarification),
    /// To say that one is answering it.
    ClaimClarification(ClarificationNumber),
    /// To give it back.
    ReleaseClarification(ClarificationNumber),
    /// To note that a balloon was brought.
    DeliverBalloon(TeamId, ProblemId),
    /// To edit an award.
    SetAward {
        /// Its id.
        id: String,
        /// How it is cited.
        citation: String,
        /// Who gets it; `None` for who earned it.
        teams: Option<Vec<TeamId>>,
    },

    /// To let an award that was added be no more.
    RemoveAward(String),
    /// To comment on the contest.
    Comment(Comment),

    /// To start the contest at an instant, or to pause the countdown with `at` null.
    Start {
        /// When.
        at: Option<Instant>,
        /// The time left, while paused.
        countdown_pause: Option<Millis>,
    },
    /// To start the contest now.
    StartNow,
    /// To start the contest a while from now, or to pause the countdown to its start.
    Countdown {
        /// The time left to the start; `None` for what is left now.
        remaining: Option<Millis>,
        /// Whether the countdown stands still.
        is_paused: bool,
    },
    /// To let the contest last longer, or shorter with a negative duration.
    Extend(Millis),
    /// To pause the contest: its time stands still.
    Pause,
    /// To go on.
    Resume,
    /// To replace the removed intervals.
    SetRemoved(Vec<RemovedInterval>),
    /// To freeze the public board at once.
    FreezeNow,
    /// To thaw the board at an instant; `None` for at once.
    Thaw(Option<Instant>),
    /// To make the result final.
    Finalize {
        /// The ICPC's B.
        extra_bronze: u32,
        /// What the jury says.
        comment: String,
    },
    /// To open the result again.
    Unfinalize(String),
    /// To note what happened elsewhere or earlier, without judging.
    Import(Box<Imported>),
}

/// A program for judging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submit {
    /// For which team, if by staff; teams submit for themselves.
    pub team: Option<TeamId>,
    /// To which problem.
    pub problem: ProblemId,
    /// In which language.
    pub language: LanguageId,
    /// Its main file or class.
    pub entry_point: Option<String>,
    /// Its files.
    pub files: Vec<SubmittedFile>,
    /// The number that it shall have: the next one. Only by admins, with `time`.
    pub number: Option<SubmissionNumber>,
    /// When it was sent, if not now. Only by admins.
    pub time: Option<Instant>,
    /// The contest's time then, which is only checked.
    pub contest_time: Option<Millis>,
    /// Which account sent it, if not the caller's. Only by admins.
    pub account: Option<AccountId>,
}

/// A question, an answer or an announcement to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendClarification {
    /// From which team, if staff passes it on; teams send for themselves.
    pub from_team: Option<TeamId>,
    /// To which teams.
    pub to_teams: BTreeSet<TeamId>,
    /// To which groups.
    pub to_groups: BTreeSet<GroupId>,
    /// What it answers.
    pub reply_to: Option<ClarificationNumber>,
    /// About which problem.
    pub problem: Option<ProblemId>,
    /// About which category, if about no problem.
    pub category: Option<String>,
    /// The text.
    pub text: String,
    /// Whether to answer although it has been answered.
    pub again: bool,
    /// The number that it shall have: the next one. Only by admins, with `time`.
    pub number: Option<ClarificationNumber>,
    /// When it was sent, if not now. Only by admins.
    pub time: Option<Instant>,
    /// The contest's time then, which is only checked.
    pub contest_time: Option<Millis>,
}

/// A remark about the contest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// Its text.
    pub message: String,
    /// What it is about.
    pub tags: BTreeSet<String>,
    /// About which teams.
    pub teams: BTreeSet<TeamId>,
    /// About which problems.
    pub problems: BTreeSet<ProblemId>,
    /// About which submissions.
    pub submissions: BTreeSet<SubmissionNumber>,
}

/// Which submissions are judged again: those that all conditions hold for. Empty sets and `None` hold for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// These.
    pub submissions: BTreeSet<SubmissionNumber>,
    /// To these problems.
    pub problems: BTreeSet<ProblemId>,
    /// Of these teams.
    pub teams: BTreeSet<TeamId>,
    /// In these languages.
    pub languages: BTreeSet<LanguageId>,
    /// With these verdicts.
    pub verdicts: Vec<StoredVerdict>,
    /// Judged by these judgehosts.
    pub judgehosts: BTreeSet<JudgehostId>,
    /// Not before this time of the contest.
    pub from: Option<Millis>,
    /// Before this time of the contest.
    pub until: Option<Millis>,
}
