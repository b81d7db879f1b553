//! A contest for tests, driven by commands.

pub mod people;
pub mod slow;
pub mod steps;

use contest_rules::view::View;
pub use contest_rules::*;
use model::{Bytes, Nanos, Verdict};

pub struct World {
    pub state: State,
    pub events: Vec<Event>,
    pub notices: Vec<Notice>,
    pub jobs: Vec<JobChange>,
    pub now: Instant,
    sent: u64,
    /// Random steps so far, which are as many in two worlds whose events differ.
    steps: u32,
}

pub fn accepted() -> StoredVerdict {
    StoredVerdict(Verdict::Accepted)
}

pub fn wrong() -> StoredVerdict {
    StoredVerdict(Verdict::WrongAnswer)
}

pub fn contest_id() -> ContestId {
    sample::id("c")
}

pub fn key(submission: u32, number: u32) -> JudgementKey {
    JudgementKey { submission: SubmissionNumber(submission), number }
}

pub fn account(name: &str, role: Role) -> AccountSettings {
    let is_team = role == Role::Team;
    AccountSettings {
        contests: is_team.then(contest_id).into_iter().collect(),
        team: is_team.then(|| sample::id(name)),
        ..AccountSettings::new(sample::id(name), role)
    }
}

pub fn judged(judgement: JudgementKey, verdict: StoredVerdict, time_ms: u64) -> Judged {
    let outcome = Outcome { verdict, score: None };
    Judged { max_run_time: Some(Nanos::from_millis(time_ms)), ..Judged::new(judgement, outcome) }
}

pub fn text(text: &str) -> SendClarification {
    SendClarification { text: text.to_owned(), ..SendClarification::default() }
}

pub fn rejudge(selection: Selection, repeat: u32) -> Action {
    Action::OpenRejudging { selection, repeat, reason: "test".to_owned() }
}

pub fn ignore(submission: u32) -> Action {
    Action::Ignore { submission: SubmissionNumber(submission), is_ignored: true, reason: "test".to_owned() }
}

pub fn set_verdict(submission: u32, verdict: Option<StoredVerdict>) -> Action {
    let outcome = verdict.map(|verdict| Outcome { verdict, score: None });
    Action::Override { submission: SubmissionNumber(submission), outcome, reason: "test".to_owned() }
}

pub fn verify(judgement: JudgementKey) -> Action {
    Action::VerifyJudgement { judgement, comment: String::new() }
}

pub fn finalize() -> Action {
    Action::Finalize { extra_bronze: 0, comment: String::new() }
}

pub fn award(id: &str, citation: &str, teams: &[&str]) -> Action {
    let teams = Some(teams.iter().map(|team| sample::id(team)).collect());
    Action::SetAward { id: id.to_owned(), citation: citation.to_owned(), teams }
}

pub fn measure_ratio(upper_permille: u32) -> Command {
    let (strict, fast, language) = (sample::id("strict"), sample::id("fast"), sample::id("c"));
    Command::MeasurePoolRatio(MeasuredRatio { strict, fast, language, upper_permille, programs: 20 })
}

pub fn issue_token(id: &str, account: &str, hash: &str) -> Command {
    let (id, account) = (sample::id(id), sample::id(account));
    Command::IssueToken(NewToken {
        id,
        account,
        hash: hash.to_owned(),
        note: "test".to_owned(),
        expires: None,
    })
}

pub fn judgehost(name: &str, pool: &str, identity: &str, compiler: &str) -> Command {
    Command::JoinJudgehost(NewJudgehost {
        id: sample::id(name),
        pool: sample::id(pool),
        identity: vec![identity.to_owned()],
        compilers: vec![compiler.to_owned()],
        places: 1,
        awaits_admission: false,
        instance: String::new(),
    })
}

pub fn set_judgehost(name: &str, state: JudgehostState) -> Command {
    Command::SetJudgehost { id: sample::id(name), state, reason: "test".to_owned() }
}

/// The last case of the problems, which is secret.
pub const LAST_CASE: u32 = 10;

pub fn run(ordinal: u32, verdict: StoredVerdict) -> Run {
    Run {
        ordinal,
        verdict,
        cpu_time: Nanos::from_millis(10),
        memory_peak: None,
        at_ms: 100 * ordinal,
        for_jury: false,
    }
}

impl World {
    /// Returns a contest with problems a and b, teams t1 to t3, an account of each role, and the judgehosts h1 and h2 in
    /// the pool `strict`, f1 in the pool `fast`.
    pub fn new(settings: ContestSettings) -> Self {
        let mut world = Self {
            state: State::default(),
            events: Vec::new(),
            notices: Vec::new(),
            jobs: Vec::new(),
            now: sample::START + Millis::minutes(-60),
            sent: 0,
            steps: 0,
        };
        let system = Caller::system();
        let mut set = |command| world.ask(&system, command).unwrap();
        set(Command::SetAccount(account("admin", Role::Admin)));
        set(Command::SetContest(contest_id(), Box::new(settings)));
        for (name, role) in [
            ("judge", Role::Judge),
            ("judge2", Role::Judge),
            ("analyst", Role::Analyst),
            ("staff", Role::Staff),
            ("balloon", Role::Balloon),
            ("spectator", Role::Spectator),
            ("hosts", Role::Judgehost),
            ("operator", Role::Operator),
        ] {
            set(Command::SetAccount(account(name, role)));
        }
        for (ordinal, name) in ["a", "b"].into_iter().enumerate() {
            let problem = sample::problem(name, ordinal as u32);
            set(Command::In(contest_id(), Action::SetProblem(Box::new(problem))));
        }
        for name in ["t1", "t2", "t3"] {
            set(Command::In(contest_id(), Action::SetTeam(sample::team(name))));
            set(Command::SetAccount(account(name, Role::Team)));
        }
        for (name, pool) in [("h1", "strict"), ("h2", "strict"), ("f1", "fast")] {
            world.join(name, pool).unwrap();
        }
        world
    }

    pub fn join(&mut self, name: &str, pool: &str) -> Result<(), Refusal> {
        let caller = self.caller("hosts");
        self.ask(&caller, judgehost(name, pool, &format!("cpu: of {pool}"), "c: gcc 14"))
    }

    pub fn caller(&self, name: &str) -> Caller {
        self.state.caller(&sample::id(name), Some("10.0.0.1".to_owned())).unwrap()
    }

    pub fn host(&self, name: &str) -> Caller {
        Caller { judgehost: Some(sample::id(name)), ..self.caller("hosts") }
    }

    /// Sets the clock to a minute of the contest.
    pub fn at(&mut self, minute: i64) -> &mut Self {
        self.now = sample::START + Millis::minutes(minute);
        self
    }

    pub fn ask(&mut self, caller: &Caller, command: Command) -> Result<(), Refusal> {
        let mut events = decide(&self.state, &Caller::system(), self.now, Command::Tick)?;
        for event in events.drain(..) {
            self.apply(event);
        }
        for event in decide(&self.state, caller, self.now, command)? {
            self.apply(event);
        }
        Ok(())
    }

    pub fn apply(&mut self, event: Event) {
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        let changes = self.state.apply(self.events.len() as u64 + 1, &event);
        self.events.push(event);
        self.notices.extend(changes.notices);
        self.jobs.extend(changes.jobs);
    }

    pub fn by(&mut self, name: &str, action: Action) -> Result<(), Refusal> {
        let caller = self.caller(name);
        self.ask(&caller, Command::In(contest_id(), action))
    }

    pub fn admin(&mut self, action: Action) -> Result<(), Refusal> {
        self.by("admin", action)
    }

    pub fn jury(&mut self, action: Action) {
        self.by("judge", action).unwrap();
    }

    pub fn set_contest(&mut self, id: &str, settings: ContestSettings) {
        let admin = self.caller("admin");
        self.ask(&admin, Command::SetContest(sample::id(id), Box::new(settings))).unwrap();
    }

    pub fn set_account(&mut self, settings: AccountSettings) {
        let admin = self.caller("admin");
        self.ask(&admin, Command::SetAccount(settings)).unwrap();
    }

    pub fn begin(&mut self, host: &str, key: JudgementKey) {
        self.by_host(host, Action::Begun(key)).unwrap();
    }

    /// Begins a judgement on a judgehost that fails with it.
    pub fn fail(&mut self, host: &str, judgement: JudgementKey, scope: FailureScope, reason: &str) {
        self.begin(host, judgement);
        self.by_host(host, Action::Failed { judgement, scope, reason: reason.to_owned() }).unwrap();
    }

    pub fn by_host(&mut self, name: &str, action: Action) -> Result<(), Refusal> {
        let caller = self.host(name);
        self.ask(&caller, Command::In(contest_id(), action))
    }

    pub fn submission(&mut self, problem: &str) -> Submit {
        self.sent += 1;
        let blob = BlobHash(format!("{:064x}", self.sent).into());
        let file = SubmittedFile { name: "a.c".to_owned(), blob, size: Bytes(100) };
        Submit::new(sample::id(problem), sample::id("c"), vec![file])
    }

    pub fn submit(&mut self, team: &str, problem: &str) {
        let submit = self.submission(problem);
        self.by(team, Action::Submit(submit)).unwrap();
    }

    /// Judges the first judgement of a submission on h1.
    pub fn judge(&mut self, submission: u32, verdict: StoredVerdict) {
        self.judge_on("h1", key(submission, 1), verdict, 10);
    }

    pub fn judge_on(&mut self, host: &str, key: JudgementKey, verdict: StoredVerdict, time_ms: u64) {
        self.begin(host, key);
        if verdict.0 == Verdict::Accepted {
            self.by_host(host, Action::Runs(key, vec![run(LAST_CASE, verdict)])).unwrap();
        }
        self.by_host(host, Action::Judged(Box::new(judged(key, verdict, time_ms)))).unwrap();
    }

    pub fn may_take(&self, host: &str, job: &str) -> bool {
        self.state.may_take(&sample::id(host), job, &|_| true)
    }

    pub fn public(&self) -> View<'_> {
        self.state.view(&Caller::public(None), &contest_id()).unwrap()
    }

    pub fn view(&self, name: &str) -> View<'_> {
        self.state.view(&self.caller(name), &contest_id()).unwrap()
    }

    pub fn team(&self, name: &str) -> View<'_> {
        self.view(name)
    }

    pub fn take_notices(&mut self, audience: &Audience) -> Vec<Notice> {
        std::mem::take(&mut self.notices).into_iter().filter(|notice| notice.audience == *audience).collect()
    }

    pub fn public_bytes(&self) -> String {
        self.all_of(&self.public())
    }

    pub fn public_bytes_of_team(&self, name: &str) -> String {
        self.all_of(&self.team(name))
    }

    /// Returns all that a view shows, with the notices that its viewer got so far.
    pub fn all_of(&self, view: &View<'_>) -> String {
        use contest_rules::board::BoardSide::{Jury, Public};
        fn json(value: impl serde::Serialize) -> String {
            serde_json::to_string(&value).unwrap()
        }
        let refused = |refusal: Refusal| refusal.message.text;
        let mut parts = vec![
            json(view.contest()),
            json(view.state()),
            json(view.problems()),
            json(view.teams()),
            json(view.groups().collect::<Vec<_>>()),
            json(view.organizations().collect::<Vec<_>>()),
            json(view.persons().collect::<Vec<_>>()),
            json(view.commentary().collect::<Vec<_>>()),
            json(
                view.teams()
                    .iter()
                    .map(|team| view.files(&FileOwner::Team(team.id.clone())))
                    .collect::<Vec<_>>(),
            ),
            json(view.submissions().collect::<Vec<_>>()),
            json(view.judgements().collect::<Vec<_>>()),
            json(view.clarifications().collect::<Vec<_>>()),
            json(view.awards()),
            view.board(Public, None).map_or_else(refused, json),
            view.board(Jury, None).map_or_else(refused, json),
            view.balloons().map_or_else(refused, json),
            view.rejudgings().map_or_else(refused, json),
        ];
        for number in 1..=40 {
            let submission = SubmissionNumber(number);
            parts.push(view.source(submission).map_or_else(refused, json));
            for judgement in 1..=4 {
                parts.push(view.runs(key(number, judgement)).map_or_else(refused, json));
            }
        }
        let audiences = view.audiences();
        parts.extend(audiences.iter().map(|audience| view.last_notice(audience).to_string()));
        parts.push(json(
            self.notices.iter().filter(|entry| audiences.contains(&entry.audience)).collect::<Vec<_>>(),
        ));
        parts.join("\n")
    }
}

/// Compares two texts, and returns the first line that differs.
pub fn difference(one: &str, other: &str) -> Option<String> {
    let lines = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    let count = (one.lines().count(), other.lines().count());
    let by_count = (count.0 != count.1).then(|| format!("{} and {} lines", count.0, count.1));
    lines.map(|(one, other)| format!("{one}\n{other}")).or(by_count)
}

pub fn refused(result: Result<(), Refusal>) -> (RefusalKind, &'static str) {
    let refusal = result.unwrap_err();
    assert!(!refusal.message.text.is_empty());
    (refusal.kind, refusal.code)
}

pub fn verdict(verdict: Verdict) -> StoredVerdict {
    StoredVerdict(verdict)
}

pub fn outcome_for(world: &World, viewer: &str, submission: u32) -> Option<Verdict> {
    let judgements = world.view(viewer).judgements_of_submission(SubmissionNumber(submission)).unwrap();
    judgements.iter().find(|entry| entry.is_current)?.outcome.map(|outcome| outcome.verdict.0)
}
