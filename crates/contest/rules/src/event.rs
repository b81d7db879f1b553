//! The events of the log. Stored forever: a kind may get new optional fields, and nothing else changes.

mod judging;

pub use judging::*;

use crate::{
    AccountId, AccountSettings, BlobHash, Clarification, ClarificationNumber, Commentary, ContestId,
    ContestSettings, FileEntry, FileOwner, FileProperty, GroupId, GroupSettings, Imported, Instant,
    JudgehostId, JudgementKey, LanguageId, OrganizationId, OrganizationSettings, PersonId, PersonSettings,
    PoolId, PoolSettings, ProblemId, ProblemSettings, RejudgingNumber, SubmissionNumber, TeamId,
    TeamSettings, TokenId,
};
use model::Bytes;
use serde::{Deserialize, Serialize};

/// One event: what happened, when, by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When the server accepted it.
    #[serde(rename = "t")]
    pub time: Instant,
    /// Whose action it was.
    #[serde(rename = "by", default, skip_serializing_if = "Actor::is_system")]
    pub actor: Actor,
    /// In which contest, if in one.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<ContestId>,
    /// What happened.
    #[serde(rename = "e")]
    pub body: Body,
}

/// Whose action an event was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    /// The server itself.
    #[default]
    System,
    /// Somebody with an account, from an address.
    Account(AccountId, Option<String>),
    /// A judgehost.
    Judgehost(JudgehostId),
}

impl Actor {
    /// Returns whether it was the server itself.
    pub fn is_system(&self) -> bool {
        *self == Self::System
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// A contest was made or changed.
    ContestSet(Box<ContestSettings>),
    /// A contest was removed, with all that is in it.
    ContestRemoved,
    /// Time went on: the contest started, froze, ended or thawed. What shows depends on the log alone, never on a clock.
    Ticked,
    /// The result was made final.
    Finalized {
        /// Bronze medals beside the planned ones (the ICPC's B).
        extra_bronze: u32,
        /// What the jury says about it.
        comment: String,
    },
    /// The result is open again.
    Unfinalized {
        /// Why.
        reason: String,
    },
    /// A problem was added or changed.
    ProblemSet(Box<ProblemSettings>),
    /// A problem was removed.
    ProblemRemoved(ProblemId),
    /// A group was added or changed.
    GroupSet(GroupSettings),
    /// A group was removed.
    GroupRemoved(GroupId),
    /// An organization was added or changed.
    OrganizationSet(OrganizationSettings),
    /// An organization was removed.
    OrganizationRemoved(OrganizationId),
    /// A team was added or changed.
    TeamSet(TeamSettings),
    /// A team was removed.
    TeamRemoved(TeamId),
    /// A person was added or changed.
    PersonSet(PersonSettings),
    /// A person was removed.
    PersonRemoved(PersonId),
    /// The files of one property of an object were replaced.
    FilesSet {
        /// Whose.
        of: FileOwner,
        /// Which.
        property: FileProperty,
        /// The files; none to remove them.
        files: Vec<FileEntry>,
    },
    /// An account was added or changed.
    AccountSet(AccountSettings),
    /// An account was removed.
    AccountRemoved(AccountId),
    /// An account got a password. Ends its sessions.
    PasswordSet {
        /// Whose.
        account: AccountId,
        /// Its Argon2id hash, in PHC format.
        hash: String,
    },
    /// An account got a token.
    TokenIssued {
        /// Its id.
        id: TokenId,
        /// Whose.
        account: AccountId,
        /// The SHA-256 hash of the secret; a random secret of 256 bits needs no slower one.
        hash: String,
        /// What it is for.
        note: String,
        /// When it ends.
        expires: Option<Instant>,
    },
    /// A token was revoked.
    TokenRevoked(TokenId),
    /// Somebody logged in.
    LoggedIn,
    /// A submission was accepted for judging.
    Submitted(Box<Submitted>),
    /// A submission no longer counts, or counts again.
    SubmissionIgnored {
        /// Which.
        submission: SubmissionNumber,
        /// Whether it is ignored.
        is_ignored: bool,
        /// Why.
        reason: String,
    },
    /// A judgement began to wait for a judgehost.
    JudgementOpened {
        /// Which.
        judgement: JudgementKey,
        /// Why.
        reason: JudgementReason,
        /// Where it is judged.
        pool: PoolId,
    },
    /// A judgehost has begun with it.
    JudgingBegun {
        /// Which.
        judgement: JudgementKey,
    },
    /// Cases were judged, in order.
    RunsJudged {
        /// Of which judgement.
        judgement: JudgementKey,
        /// The runs.
        runs: Vec<Run>,
    },
    /// A judgement is done.
    Judged(Box<Judged>),
    /// A judgement failed in our way, and waits again.
    JudgingFailed {
        /// Which.
        judgement: JudgementKey,
        /// What the error is about.
        scope: FailureScope,
        /// Why.
        reason: String,
    },
    /// A judgement begins anew: its judgehost gave it back, or is gone.
    JudgingReturned {
        /// Which.
        judgement: JudgementKey,
        /// Why.
        reason: String,
    },
    /// A judgement will not be done.
    JudgementCancelled {
        /// Which.
        judgement: JudgementKey,
        /// Why.
        reason: String,
    },
    /// These judgements count from now on, each in place of its submission's other ones.
    JudgementsCurrent(Vec<JudgementKey>),
    /// A jury set a verdict by hand.
    VerdictOverridden {
        /// Of which submission.
        submission: SubmissionNumber,
        /// The verdict; `None` takes an override back.
        verdict: Option<Outcome>,
        /// Why.
        reason: String,
    },
    /// A second person has verified a judgement.
    Verified {
        /// Which.
        judgement: JudgementKey,
        /// What was noticed.
        comment: String,
    },
    /// A rejudging was opened.
    RejudgingOpened {
        /// Its number.
        number: RejudgingNumber,
        /// Which submissions.
        submissions: Vec<SubmissionNumber>,
        /// How often each.
        repeat: u32,
        /// Why.
        reason: String,
    },
    /// A rejudging's new judgements count.
    RejudgingApplied(RejudgingNumber),
    /// A rejudging's new judgements do not count.
    RejudgingCancelled(RejudgingNumber),
    /// A clarification was sent.
    ClarificationSent(Box<Clarification>),
    /// Somebody answers it; nobody else should until then.
    ClarificationClaimed {
        /// Which.
        number: ClarificationNumber,
        /// Until when; `None` gives it back.
        until: Option<Instant>,
    },
    /// A balloon was brought.
    BalloonDelivered {
        /// To whom.
        team: TeamId,
        /// For what.
        problem: ProblemId,
    },
    /// The awards' wording or members were edited.
    AwardSet {
        /// Its id, such as `gold-medal`.
        id: String,
        /// How it is cited.
        citation: String,
        /// Who gets it; `None` for who earned it.
        teams: Option<Vec<TeamId>>,
    },
    /// An award is no longer edited.
    AwardRemoved(String),
    /// Somebody commented on the contest.
    Commented(Box<Commentary>),
    /// A pool was added or changed.
    PoolSet(PoolSettings),
    /// A pool was removed.
    PoolRemoved(PoolId),
    /// The measured ratio of times of two pools: strict time = fast time x ratio, at most.
    PoolRatioMeasured {
        /// The strict pool.
        strict: PoolId,
        /// The fast pool.
        fast: PoolId,
        /// For programs of which kind: the language.
        language: LanguageId,
        /// The upper bound of the ratio, in thousandths.
        upper_permille: u32,
        /// From how many programs.
        programs: u32,
    },
    /// A judgehost joined a pool.
    JudgehostJoined {
        /// Its id.
        id: JudgehostId,
        /// Its pool.
        pool: PoolId,
        /// What its machine is, as text lines.
        identity: Vec<String>,
        /// Versions of its compilers.
        compilers: Vec<String>,
        /// How many programs it times at once.
        places: u32,
    },
    /// A judgehost takes jobs, or takes none any more.
    JudgehostSet {
        /// Which.
        id: JudgehostId,
        /// Whether it takes jobs.
        state: JudgehostState,
        /// Why.
        reason: String,
    },
    /// A judgehost was removed.
    JudgehostRemoved(JudgehostId),
    /// What an error is about is not judged until somebody has looked at it. The rest of the queue goes on.
    JudgingPaused {
        /// What.
        scope: PauseScope,
        /// Why.
        reason: String,
    },
    /// It is judged again.
    JudgingResumed(PauseScope),
    /// The programs of a judgement and of its twin on another judgehost differ in verdict.
    ReplicasDiffer {
        /// Of which submission.
        submission: SubmissionNumber,
        /// The judgements.
        judgements: Vec<JudgementKey>,
    },
    /// Something that happened elsewhere or earlier was imported. Nothing is judged by it.
    Imported(Box<Imported>),
    /// A member of staff noted or exported something that the audit should have.
    Noted(String),
}

impl Body {
    /// Returns whether it belongs to the server, whatever the contest that it came from.
    pub fn is_of_server(&self) -> bool {
        matches!(
            self,
            Self::AccountSet(_)
                | Self::AccountRemoved(_)
                | Self::PasswordSet { .. }
                | Self::TokenIssued { .. }
                | Self::TokenRevoked(_)
                | Self::LoggedIn
                | Self::PoolSet(_)
                | Self::PoolRemoved(_)
                | Self::PoolRatioMeasured { .. }
                | Self::JudgehostJoined { .. }
                | Self::JudgehostSet { .. }
                | Self::JudgehostRemoved(_)
                | Self::JudgingPaused { .. }
                | Self::JudgingResumed(_)
        )
    }
}

/// A submission, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    /// Its number.
    pub number: SubmissionNumber,
    /// Whose, if a team's.
    pub team: Option<TeamId>,
    /// To which problem.
    pub problem: ProblemId,
    /// In which language.
    pub language: LanguageId,
    /// Its main file or class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_point: Option<String>,
    /// Its files.
    pub files: Vec<SubmittedFile>,
    /// When it was sent, if not when the event was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Instant>,
    /// Which account sent it, if not the event's actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
}

/// A file of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedFile {
    /// Its name, without folders.
    pub name: String,
    /// Its content.
    pub blob: BlobHash,
    /// Its size.
    pub size: Bytes,
}
