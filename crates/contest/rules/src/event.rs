//! The events of the log. Stored forever: a kind may get new optional fields, and nothing else changes.

mod judging;

pub use judging::*;

use crate::{
    AccountId, AccountSettings, BlobHash, Clarification, ClarificationNumber, Commentary, ContestId,
    ContestSettings, FileEntry, FileOwner, FileProperty, GroupId, GroupSettings, Imported, Instant,
    JudgehostId, JudgementKey, LanguageId, OrganizationId, OrganizationSettings, PersonId, PersonSettings,
    PoolId, PoolSettings, ProblemFile, ProblemId, ProblemSettings, RejudgingNumber, StatementReport,
    SubmissionNumber, TeamId, TeamSettings, TokenId,
};
use model::Bytes;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When the server accepted it.
    #[serde(rename = "t")]
    pub time: Instant,
    #[serde(rename = "by", default, skip_serializing_if = "Actor::is_system")]
    pub actor: Actor,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<ContestId>,
    #[serde(rename = "e")]
    pub body: Body,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    #[default]
    System,
    /// An account, from an address.
    Account(AccountId, Option<String>),
    Judgehost(JudgehostId),
}

impl Actor {
    pub fn is_system(&self) -> bool {
        *self == Self::System
    }

    pub(crate) fn account(&self) -> Option<AccountId> {
        match self {
            Self::Account(account, _) => Some(account.clone()),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    ContestSet(Box<ContestSettings>),
    ContestRemoved,
    /// Time went on: the contest started, froze, ended or thawed. What shows depends on the log alone, never on a clock.
    Ticked,
    Finalized {
        /// Bronze medals in addition to the planned ones (the ICPC's B).
        extra_bronze: u32,
        comment: String,
    },
    Unfinalized {
        reason: String,
    },
    ProblemSet(Box<ProblemSettings>),
    ProblemRemoved(ProblemId),
    /// A judgehost made a form of a problem's statement, or could not.
    StatementMade(Box<MadeStatement>),
    GroupSet(GroupSettings),
    GroupRemoved(GroupId),
    OrganizationSet(OrganizationSettings),
    OrganizationRemoved(OrganizationId),
    TeamSet(TeamSettings),
    TeamRemoved(TeamId),
    PersonSet(PersonSettings),
    PersonRemoved(PersonId),
    FilesSet {
        of: FileOwner,
        property: FileProperty,
        /// The files; none to remove them.
        files: Vec<FileEntry>,
    },
    AccountSet(AccountSettings),
    AccountRemoved(AccountId),
    /// An account got a password. Ends its sessions.
    PasswordSet {
        account: AccountId,
        /// Its Argon2id hash, in PHC format.
        hash: String,
    },
    TokenIssued(NewToken),
    TokenRevoked(TokenId),
    LoggedIn,
    SessionBegan(NewSession),
    /// A session ended before its time, by its hash.
    SessionEnded(String),
    Submitted(Box<Submitted>),
    SubmissionIgnored {
        submission: SubmissionNumber,
        is_ignored: bool,
        reason: String,
    },
    JudgementOpened {
        judgement: JudgementKey,
        reason: JudgementReason,
        pool: PoolId,
    },
    JudgingBegun {
        judgement: JudgementKey,
    },
    RunsJudged {
        judgement: JudgementKey,
        runs: Vec<Run>,
    },
    Judged(Box<Judged>),
    /// A judgement failed in our way, and waits again.
    JudgingFailed {
        judgement: JudgementKey,
        scope: FailureScope,
        reason: String,
    },
    /// A judgement begins anew: its judgehost gave it back, or is gone.
    JudgingReturned {
        judgement: JudgementKey,
        reason: String,
    },
    JudgementCancelled {
        judgement: JudgementKey,
        reason: String,
    },
    /// These judgements count from now on, each in place of its submission's other ones.
    JudgementsCurrent(Vec<JudgementKey>),
    VerdictOverridden {
        submission: SubmissionNumber,
        /// The verdict; `None` takes an override back.
        verdict: Option<Outcome>,
        reason: String,
    },
    Verified {
        judgement: JudgementKey,
        comment: String,
    },
    RejudgingOpened {
        number: RejudgingNumber,
        submissions: Vec<SubmissionNumber>,
        repeat: u32,
        reason: String,
    },
    RejudgingApplied(RejudgingNumber),
    RejudgingCancelled(RejudgingNumber),
    ClarificationSent(Box<Clarification>),
    /// An account answers it, and others should not until then.
    ClarificationClaimed {
        number: ClarificationNumber,
        /// Until when; `None` gives it back.
        until: Option<Instant>,
    },
    BalloonDelivered {
        team: TeamId,
        problem: ProblemId,
    },
    AwardSet {
        id: String,
        citation: String,
        /// Who gets it; `None` for who earned it.
        teams: Option<Vec<TeamId>>,
    },
    AwardRemoved(String),
    Commented(Box<Commentary>),
    PoolSet(PoolSettings),
    PoolRemoved(PoolId),
    PoolRatioMeasured(MeasuredRatio),
    JudgehostJoined(NewJudgehost),
    JudgehostSet {
        id: JudgehostId,
        state: JudgehostState,
        reason: String,
    },
    JudgehostRemoved(JudgehostId),
    /// What an error is about is not judged until staff resumes it. The rest of the queue goes on.
    JudgingPaused {
        scope: PauseScope,
        reason: String,
    },
    JudgingResumed(PauseScope),
    /// The programs of a judgement and of its twin on another judgehost differ in verdict.
    ReplicasDiffer {
        submission: SubmissionNumber,
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
                | Self::TokenIssued(_)
                | Self::TokenRevoked(_)
                | Self::LoggedIn
                | Self::SessionBegan(_)
                | Self::SessionEnded(_)
                | Self::PoolSet(_)
                | Self::PoolRemoved(_)
                | Self::PoolRatioMeasured(_)
                | Self::JudgehostJoined(_)
                | Self::JudgehostSet { .. }
                | Self::JudgehostRemoved(_)
                | Self::JudgingPaused { .. }
                | Self::JudgingResumed(_)
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeStatement {
    pub problem: ProblemId,
    /// Of which it was made.
    pub package: BlobHash,
    /// What was made: its language and kind, and what is to know about it.
    pub report: StatementReport,
    /// `None` if it could not be made.
    pub file: Option<ProblemFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewToken {
    pub id: TokenId,
    pub account: AccountId,
    /// The SHA-256 hash of the secret; a random secret of 256 bits needs no slower one.
    pub hash: String,
    pub note: String,
    pub expires: Option<Instant>,
}

/// A session of a browser that has logged in, in the log so that another server knows it when it takes over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    /// The SHA-256 hash of its secret.
    pub hash: String,
    pub proof: Proof,
    pub expires: Instant,
}

/// What a login rested on: the session ends with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The password that this event set: another one ends all sessions, and its hash need not be here, too.
    Password(u64),
    /// An address that the account names.
    Address,
    /// The OpenID provider, which knows the account by this subject; and the event of the account's password then.
    Oidc(String, Option<u64>),
}

/// The measured ratio of times of two pools: strict time = fast time x ratio, at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredRatio {
    pub strict: PoolId,
    pub fast: PoolId,
    pub language: LanguageId,
    /// The upper bound of the ratio, in thousandths.
    pub upper_permille: u32,
    pub programs: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewJudgehost {
    pub id: JudgehostId,
    pub pool: PoolId,
    /// What its machine is, as text lines.
    pub identity: Vec<String>,
    /// Versions of its compilers, `language: version`.
    pub compilers: Vec<String>,
    /// How many programs it times at once.
    pub places: u32,
    /// Whether it is given nothing until an operator lets it in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits_admission: bool,
    /// What differs from start to start of it; empty in logs of before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    pub number: SubmissionNumber,
    /// Whose, if a team's.
    pub team: Option<TeamId>,
    pub problem: ProblemId,
    pub language: LanguageId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_point: Option<String>,
    pub files: Vec<SubmittedFile>,
    /// When it was sent, if not when the event was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Instant>,
    /// Which account sent it, if not the event's actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedFile {
    /// Its name, without folders.
    pub name: String,
    pub blob: BlobHash,
    pub size: Bytes,
}
