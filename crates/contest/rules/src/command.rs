//! Commands, their callers and their refusals.

mod caller;
use crate::{
    AccountId, AccountSettings, BlobHash, ClarificationNumber, ContestId, ContestSettings, FailureScope,
    FileEntry, FileOwner, FileProperty, GroupId, GroupSettings, Imported, Instant, Judged, JudgehostId,
    JudgehostState, JudgementKey, LanguageId, MadeStatement, MeasuredRatio, Millis, NewJudgehost, NewSession,
    NewToken, OrganizationId, OrganizationSettings, Outcome, PauseScope, PersonId, PersonSettings, PoolId,
    PoolSettings, ProblemId, ProblemSettings, RejudgingNumber, RemovedInterval, Run, StoredVerdict,
    SubmissionNumber, SubmittedFile, TeamId, TeamSettings, TokenId,
};
pub use caller::{Caller, Refusal, RefusalKind, Standing};
use model::Nanos;
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    SetContest(ContestId, Box<ContestSettings>),
    /// To remove a contest, with all that is in it. Refused when it has submissions of teams.
    RemoveContest(ContestId),
    In(ContestId, Action),
    SetAccount(AccountSettings),
    RemoveAccount(AccountId),
    EnableAccount(AccountId, bool),
    SetPassword {
        account: AccountId,
        hash: String,
    },
    IssueToken(NewToken),
    RevokeToken(TokenId),
    LogIn(NewSession),
    /// To end a session of one's own, by its hash.
    LogOut(String),
    SetPool(PoolSettings),
    RemovePool(PoolId),
    MeasurePoolRatio(MeasuredRatio),
    /// To join a pool as a judgehost, or again after a restart.
    JoinJudgehost(NewJudgehost),
    SetJudgehost {
        id: JudgehostId,
        state: JudgehostState,
        reason: String,
    },
    /// To remove a judgehost that has no work.
    RemoveJudgehost(JudgehostId),
    PauseJudging(PauseScope, String),
    ResumeJudging(PauseScope),
    /// To note something for the audit, such as an export.
    Note(Option<ContestId>, String),
    /// To let time go on. The server does it at [`crate::State::next_tick`]; every other command does it by itself.
    Tick,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    SetProblem(Box<ProblemSettings>),
    RemoveProblem(ProblemId),
    PauseProblem(ProblemId, bool, Option<String>),
    /// To state that a second person has verified a problem.
    VerifyProblem(ProblemId),
    SetGroup(GroupSettings),
    RemoveGroup(GroupId),
    SetOrganization(OrganizationSettings),
    RemoveOrganization(OrganizationId),
    SetTeam(TeamSettings),
    RemoveTeam(TeamId),
    /// To let somebody without an account add a team with its account: by the server itself, which has checked the code.
    Register(Box<NewTeam>),
    SetPerson(PersonSettings),
    RemovePerson(PersonId),
    SetFiles {
        of: FileOwner,
        property: FileProperty,
        files: Vec<FileEntry>,
    },

    Submit(Submit),
    Ignore {
        submission: SubmissionNumber,
        is_ignored: bool,
        reason: String,
    },
    /// To judge a submission that is not judged by itself.
    Judge(SubmissionNumber),
    /// To set a verdict by hand; `None` takes it back.
    Override {
        submission: SubmissionNumber,
        outcome: Option<Outcome>,
        reason: String,
    },
    /// To state that a second person has verified a judgement.
    VerifyJudgement {
        judgement: JudgementKey,
        comment: String,
    },

    /// A judgehost has made a form of a problem's statement, or could not.
    StatementMade(Box<MadeStatement>),
    Begun(JudgementKey),
    /// A judgehost has derived the time limit of a package that has none.
    DerivedLimit {
        judgement: JudgementKey,
        package: BlobHash,
        limit: Nanos,
    },
    Runs(JudgementKey, Vec<Run>),
    Judged(Box<Judged>),
    /// A judgehost failed in our way.
    Failed {
        judgement: JudgementKey,
        scope: FailureScope,
        reason: String,
    },
    /// A judgehost gives work back, or the server takes it from one that is gone.
    Returned {
        judgement: JudgementKey,
        reason: String,
    },

    /// To judge submissions again; nothing counts before it is applied.
    OpenRejudging {
        selection: Selection,
        repeat: u32,
        reason: String,
    },
    ApplyRejudging(RejudgingNumber),
    CancelRejudging(RejudgingNumber),

    SendClarification(SendClarification),
    ClaimClarification(ClarificationNumber),
    ReleaseClarification(ClarificationNumber),
    DeliverBalloon(TeamId, ProblemId),
    SetAward {
        id: String,
        citation: String,
        /// Who gets it; `None` for who earned it.
        teams: Option<Vec<TeamId>>,
    },

    RemoveAward(String),
    Comment(Comment),

    /// To start the contest at an instant, or to pause the countdown with `at` null.
    Start {
        at: Option<Instant>,
        /// The time left, while paused.
        countdown_pause: Option<Millis>,
    },
    StartNow,
    /// To start the contest a while from now, or to pause the countdown to its start.
    Countdown {
        /// The time left to the start; `None` for what is left now.
        remaining: Option<Millis>,
        is_paused: bool,
    },
    /// To let the contest last longer, or shorter with a negative duration.
    Extend(Millis),
    Pause,
    Resume,
    SetRemoved(Vec<RemovedInterval>),
    FreezeNow,
    /// To thaw the board at an instant; `None` for at once.
    Thaw(Option<Instant>),
    Finalize {
        /// The ICPC's B.
        extra_bronze: u32,
        comment: String,
    },
    Unfinalize(String),
    /// To note what happened elsewhere or earlier, without judging.
    Import(Box<Imported>),
}

/// A team that registers itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTeam {
    pub id: TeamId,
    pub name: String,
    /// How it logs in.
    pub login: NewLogin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewLogin {
    /// By a password with this hash.
    Password(String),
    /// At the OpenID provider, which knows it by this subject.
    Oidc(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submit {
    /// For which team, if by staff; teams submit for themselves.
    pub team: Option<TeamId>,
    pub problem: ProblemId,
    pub language: LanguageId,
    pub entry_point: Option<String>,
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

impl Submit {
    pub fn new(problem: ProblemId, language: LanguageId, files: Vec<SubmittedFile>) -> Self {
        Self {
            team: None,
            problem,
            language,
            entry_point: None,
            files,
            number: None,
            time: None,
            contest_time: None,
            account: None,
        }
    }
}

impl Action {
    pub(crate) fn is_report(&self) -> bool {
        matches!(
            self,
            Self::StatementMade(_)
                | Self::Begun(_)
                | Self::DerivedLimit { .. }
                | Self::Runs(..)
                | Self::Judged(_)
                | Self::Failed { .. }
                | Self::Returned { .. }
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendClarification {
    /// From which team, if staff passes it on; teams send for themselves.
    pub from_team: Option<TeamId>,
    pub to_teams: BTreeSet<TeamId>,
    pub to_groups: BTreeSet<GroupId>,
    pub reply_to: Option<ClarificationNumber>,
    pub problem: Option<ProblemId>,
    /// About which category, if about no problem.
    pub category: Option<String>,
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    pub message: String,
    pub tags: BTreeSet<String>,
    pub teams: BTreeSet<TeamId>,
    pub problems: BTreeSet<ProblemId>,
    pub submissions: BTreeSet<SubmissionNumber>,
}

/// Which submissions are judged again: those that all conditions hold for. Empty sets and `None` hold for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub submissions: BTreeSet<SubmissionNumber>,
    pub problems: BTreeSet<ProblemId>,
    pub teams: BTreeSet<TeamId>,
    pub languages: BTreeSet<LanguageId>,
    pub verdicts: Vec<StoredVerdict>,
    pub judgehosts: BTreeSet<JudgehostId>,
    /// Not before this time of the contest.
    pub from: Option<Millis>,
    /// Before this time of the contest.
    pub until: Option<Millis>,
}
