//! Random steps of a contest, each a command that may be refused.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// One step. Numbers choose among what is there.
#[derive(Clone, Debug)]
pub enum Step {
    Wait(u8),
    Submit { team: u8, problem: u8 },
    Practice,
    Judge { submission: u8, verdict: u8, millis: u16 },
    Begin(u8),
    Runs(u8),
    Return(u8),
    Fail { submission: u8, scope: u8 },
    OnDemand(u8),
    Ignore(u8, bool),
    Override(u8, Option<u8>),
    Verify(u8),
    OpenRejudging { problem: Option<u8>, repeat: u8 },
    EndRejudging { apply: bool },
    Ask { team: u8, problem: Option<u8> },
    Answer { question: u8, to_all: bool },
    Announce { to: u8 },
    Claim(u8),
    Balloon(u8, u8),
    Award(bool),
    HideTeam(u8, bool),
    HideGroup(bool),
    Settings(u8),
    Extend(i8),
    Pause,
    Resume,
    FreezeNow,
    Thaw(Option<u8>),
    Finalize(u8),
    Unfinalize,
    PauseProblem(u8, bool),
    Package(u8),
    ResumeJudging,
    EnableHosts,
    Ratio(u16),
    People(u8, u8),
}

pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..30_u8).prop_map(Step::Wait),
        10 => (0..4_u8, 0..2_u8).prop_map(|(team, problem)| Step::Submit { team, problem }),
        1 => Just(Step::Practice),
        10 => (0..20_u8, 0..8_u8, 0..2000_u16)
            .prop_map(|(submission, verdict, millis)| Step::Judge { submission, verdict, millis }),
        2 => (0..20_u8).prop_map(Step::Begin),
        2 => (0..20_u8).prop_map(Step::Runs),
        1 => (0..20_u8).prop_map(Step::Return),
        1 => (0..20_u8, 0..5_u8).prop_map(|(submission, scope)| Step::Fail { submission, scope }),
        1 => (0..20_u8).prop_map(Step::OnDemand),
        1 => (0..20_u8, any::<bool>()).prop_map(|(submission, ignored)| Step::Ignore(submission, ignored)),
        1 => (0..20_u8, proptest::option::of(0..8_u8)).prop_map(|(submission, verdict)| Step::Override(submission, verdict)),
        2 => (0..20_u8).prop_map(Step::Verify),
        1 => (proptest::option::of(0..2_u8), 1..4_u8)
            .prop_map(|(problem, repeat)| Step::OpenRejudging { problem, repeat }),
        1 => any::<bool>().prop_map(|apply| Step::EndRejudging { apply }),
        1 => (0..4_u8, proptest::option::of(0..2_u8)).prop_map(|(team, problem)| Step::Ask { team, problem }),
        1 => (0..5_u8, any::<bool>()).prop_map(|(question, to_all)| Step::Answer { question, to_all }),
        1 => (0..3_u8).prop_map(|to| Step::Announce { to }),
        1 => (0..5_u8).prop_map(Step::Claim),
        1 => (0..4_u8, 0..2_u8).prop_map(|(team, problem)| Step::Balloon(team, problem)),
        1 => any::<bool>().prop_map(Step::Award),
        1 => (0..4_u8, any::<bool>()).prop_map(|(team, hidden)| Step::HideTeam(team, hidden)),
        1 => any::<bool>().prop_map(Step::HideGroup),
        1 => (0..18_u8).prop_map(Step::Settings),
        1 => (-20..20_i8).prop_map(Step::Extend),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
        1 => Just(Step::FreezeNow),
        1 => proptest::option::of(0..60_u8).prop_map(Step::Thaw),
        1 => (0..3_u8).prop_map(Step::Finalize),
        1 => Just(Step::Unfinalize),
        1 => (0..2_u8, any::<bool>()).prop_map(|(problem, paused)| Step::PauseProblem(problem, paused)),
        1 => (0..2_u8).prop_map(Step::Package),
        1 => Just(Step::ResumeJudging),
        1 => Just(Step::EnableHosts),
        1 => (500..2000_u16).prop_map(Step::Ratio),
        6 => (0..9_u8, 0..12_u8).prop_map(|(what, which)| Step::People(what, which)),
    ]
}

pub const VERDICTS: [Verdict; 8] = [
    Verdict::Accepted,
    Verdict::WrongAnswer,
    Verdict::Accepted,
    Verdict::TimeLimitExceeded,
    Verdict::CompileError,
    Verdict::Accepted,
    Verdict::JudgingError,
    Verdict::RunTimeError,
];

pub fn team_name(team: u8) -> String {
    format!("t{}", team % 4 + 1)
}

fn organization_of(team: &str) -> Option<OrganizationId> {
    matches!(team, "t3" | "t4").then(|| sample::id("o"))
}

fn problem_name(problem: u8) -> &'static str {
    ["a", "b"][problem as usize % 2]
}

/// Which verdict a judgement gets: from its step's number, and where it is.
pub type Choice<'a> = &'a dyn Fn(&World, JudgementKey, u8) -> u8;

/// What a step may depend on: the step's own number.
pub const AS_STEPPED: Choice<'static> = &|_, _, verdict| verdict;

impl World {
    /// Returns a world for random steps: a fourth, hidden team, two groups, one of which can be hidden.
    pub fn for_steps(settings: ContestSettings) -> Self {
        let mut world = Self::new(settings);
        for name in ["g", "h"] {
            let group = sample::group(name);
            world.admin(Action::SetGroup(group)).unwrap();
        }
        world.admin(Action::SetOrganization(sample::organization("o"))).unwrap();
        for (name, group) in [("t1", "g"), ("t2", "g"), ("t3", "h"), ("t4", "h")] {
            let groups = BTreeSet::from([sample::id(group)]);
            let organization = organization_of(name);
            let team = TeamSettings { groups, organization, is_hidden: name == "t4", ..sample::team(name) };
            world.admin(Action::SetTeam(team)).unwrap();
        }
        let admin = world.caller("admin");
        world.ask(&admin, Command::SetAccount(account("t4", Role::Team))).unwrap();
        world.at(0);
        world
    }

    fn count(&self) -> u32 {
        self.events.iter().filter(|event| matches!(event.body, Body::Submitted(_))).count() as u32
    }

    fn chosen(&self, submission: u8) -> u32 {
        u32::from(submission) % self.count().max(1) + 1
    }

    pub fn open(&self, submission: u32) -> Vec<JudgementKey> {
        let view = self.view("admin");
        let Ok(judgements) = view.judgements_of_submission(SubmissionNumber(submission)) else {
            return Vec::new();
        };
        let is_open = |entry: &&contest_rules::view::JudgementView<'_>| {
            entry.jury.as_ref().is_some_and(|jury| !jury.is_done && jury.cancelled.is_none())
        };
        judgements.iter().filter(is_open).map(|entry| entry.key).collect()
    }

    /// Returns a judgehost that may take a judgement.
    pub fn taker(&self, key: JudgementKey) -> Option<&'static str> {
        let job = contest_rules::jobs::job_id(&contest_id(), key);
        ["h1", "h2", "f1"].into_iter().find(|host| self.may_take(host, &job))
    }

    pub fn judge_open(&mut self, submission: u32, verdict: u8, millis: u16, choice: Choice<'_>) {
        for _ in 0..4 {
            for key in self.open(submission) {
                let Some(host) = self.taker(key) else { continue };
                let verdict = choice(self, key, verdict);
                let mut done = judged(key, StoredVerdict(VERDICTS[verdict as usize % 8]), u64::from(millis));
                done.max_run_time = Some(Nanos::from_millis(u64::from(millis)));
                done.outcome.score = Some(Score(i64::from(verdict) * 14_000_000));
                if done.outcome.verdict.0 == Verdict::Accepted && millis.is_multiple_of(4) {
                    done.for_jury.insert(3);
                }
                done.subtasks = vec![
                    Score(i64::from(verdict % 3) * 10_000_000),
                    Score(i64::from(verdict / 3) * 5_000_000),
                ];
                let _ = self.by_host(host, Action::Begun(key));
                if done.outcome.verdict.0 == Verdict::Accepted {
                    // It may have been reported before.
                    let _ = self.by_host(host, Action::Runs(key, vec![run(LAST_CASE, done.outcome.verdict)]));
                }
                let _ = self.by_host(host, Action::Judged(Box::new(done)));
            }
        }
    }

    pub fn step(&mut self, step: &Step, choice: Choice<'_>) {
        self.steps += 1;
        let submission_of = |world: &Self, number: u8| SubmissionNumber(world.chosen(number));
        let _ = match step.clone() {
            Step::Wait(minutes) => {
                self.now = self.now + Millis(i64::from(minutes) * 61_234);
                self.ask(&Caller::system(), Command::Tick)
            }
            Step::Submit { team, problem } => {
                let submit = self.submission(problem_name(problem));
                self.by(&team_name(team), Action::Submit(submit))
            }
            Step::Practice => {
                let submit = self.submission("a");
                self.by("judge", Action::Submit(submit))
            }
            Step::Judge { submission, verdict, millis } => {
                let number = self.chosen(submission);
                self.judge_open(number, verdict, millis, choice);
                Ok(())
            }
            Step::Begin(submission) => self.report(submission, Action::Begun),
            Step::Runs(submission) => {
                let number = self.chosen(submission);
                let reported = self.steps;
                self.report(submission, move |key| {
                    let verdict = StoredVerdict(Verdict::Accepted);
                    let cpu_time = Nanos::from_millis(number.into());
                    let run =
                        |ordinal: u32| Run { cpu_time, for_jury: ordinal == 3, ..run(ordinal, verdict) };
                    Action::Runs(key, vec![run(reported % 9 + 1), run(10)])
                })
            }
            Step::Return(submission) => self
                .report(submission, |judgement| Action::Returned { judgement, reason: "drained".to_owned() }),
            Step::Fail { submission, scope } => {
                let scope = match scope {
                    0 => FailureScope::Judgement,
                    1 => FailureScope::Machine,
                    4 => FailureScope::Undecided,
                    2 => FailureScope::Language(sample::id("c")),
                    _ => FailureScope::Package(sample::problem("a", 0).package),
                };
                self.report(submission, move |judgement| Action::Failed {
                    judgement,
                    scope: scope.clone(),
                    reason: "disk full".to_owned(),
                })
            }
            Step::OnDemand(number) => {
                let number = submission_of(self, number);
                self.by("judge", Action::Judge(number))
            }
            Step::Ignore(number, is_ignored) => {
                let submission = submission_of(self, number);
                self.by("judge", Action::Ignore { submission, is_ignored, reason: "test".to_owned() })
            }
            Step::Override(number, verdict) => {
                let submission = submission_of(self, number);
                let outcome = verdict.map(|verdict| Outcome {
                    verdict: StoredVerdict(VERDICTS[verdict as usize % 8]),
                    score: Some(Score(i64::from(verdict) * 1_000_000)),
                });
                self.by("judge", Action::Override { submission, outcome, reason: "test".to_owned() })
            }
            Step::Verify(number) => {
                let number = self.chosen(number);
                let judgements = self.view("admin").judgements_of_submission(SubmissionNumber(number));
                let current =
                    judgements.ok().and_then(|list| list.into_iter().find(|entry| entry.is_current));
                let judgement = current.map_or(key(number, 1), |entry| entry.key);
                self.by("judge2", verify(judgement))
            }
            Step::OpenRejudging { problem, repeat } => {
                let problems = problem.map(|problem| sample::id(problem_name(problem))).into_iter().collect();
                let selection = Selection { problems, ..Selection::default() };
                self.by("judge", rejudge(selection, repeat.into()))
            }
            Step::EndRejudging { apply } => {
                let open = self.view("admin").rejudgings().ok().and_then(|list| {
                    list.iter().find(|entry| entry.status == RejudgingStatus::Open).map(|entry| entry.number)
                });
                let number = open.unwrap_or(RejudgingNumber(1));
                let action =
                    if apply { Action::ApplyRejudging(number) } else { Action::CancelRejudging(number) };
                self.by("judge", action)
            }
            Step::Ask { team, problem } => {
                let content = SendClarification {
                    problem: problem.map(|problem| sample::id(problem_name(problem))),
                    ..text("why?")
                };
                self.by(&team_name(team), Action::SendClarification(content))
            }
            Step::Answer { question, to_all } => {
                let number = ClarificationNumber(u32::from(question) + 1);
                let asker =
                    self.view("admin").clarification(number).ok().and_then(|entry| entry.from_team.cloned());
                let content = SendClarification {
                    to_teams: asker.into_iter().filter(|_| !to_all).collect(),
                    reply_to: Some(number),
                    ..text("because")
                };
                self.by("judge", Action::SendClarification(content))
            }
            Step::Announce { to } => {
                let content = SendClarification {
                    to_groups: (to == 1).then(|| sample::id("g")).into_iter().collect(),
                    to_teams: (to == 2).then(|| sample::id("t4")).into_iter().collect(),
                    ..text("note")
                };
                self.by("judge", Action::SendClarification(content))
            }
            Step::Claim(number) => {
                self.by("judge", Action::ClaimClarification(ClarificationNumber(u32::from(number) + 1)))
            }
            Step::Balloon(team, problem) => {
                let action =
                    Action::DeliverBalloon(sample::id(&team_name(team)), sample::id(problem_name(problem)));
                self.by("balloon", action)
            }
            Step::Award(is_known) => {
                let id = if is_known { "winner" } else { "best-shirt" };
                self.admin(award(id, "A prize", &["t2"]))
            }
            Step::HideTeam(team, is_hidden) => {
                let name = team_name(team);
                let group = if matches!(name.as_str(), "t1" | "t2") { "g" } else { "h" };
                let groups = BTreeSet::from([sample::id(group)]);
                let organization = organization_of(&name);
                let team = TeamSettings { groups, organization, is_hidden, ..sample::team(&name) };
                self.admin(Action::SetTeam(team))
            }
            Step::HideGroup(is_hidden) => {
                let id = sample::id("h");
                self.admin(Action::SetGroup(GroupSettings { id, is_hidden, ..sample::group("h") }))
            }
            Step::Settings(flavour) => self.change_settings(flavour),
            Step::Extend(minutes) => self.admin(Action::Extend(Millis::minutes(minutes.into()))),
            Step::Pause => self.admin(Action::Pause),
            Step::Resume => self.admin(Action::Resume),
            Step::FreezeNow => self.admin(Action::FreezeNow),
            Step::Thaw(after) => {
                let at = after.map(|minutes| self.now + Millis::minutes(minutes.into()));
                self.admin(Action::Thaw(at))
            }
            Step::Finalize(extra_bronze) => {
                self.admin(Action::Finalize { extra_bronze: extra_bronze.into(), comment: String::new() })
            }
            Step::Unfinalize => self.admin(Action::Unfinalize("test".to_owned())),
            Step::PauseProblem(problem, is_paused) => {
                self.by("judge", Action::PauseProblem(sample::id(problem_name(problem)), is_paused, None))
            }
            Step::Package(problem) => {
                let mut settings = sample::problem(problem_name(problem), u32::from(problem % 2));
                settings.package = BlobHash(format!("{:064x}", self.events.len() + 1000).into());
                self.admin(Action::SetProblem(Box::new(settings)))
            }
            Step::ResumeJudging => {
                let admin = self.caller("admin");
                let paused: Vec<PauseScope> = self
                    .state
                    .server(&admin)
                    .paused()
                    .unwrap()
                    .into_iter()
                    .map(|(scope, _)| scope.clone())
                    .collect();
                paused.into_iter().try_for_each(|scope| self.ask(&admin, Command::ResumeJudging(scope)))
            }
            Step::EnableHosts => {
                let admin = self.caller("admin");
                ["h1", "h2", "f1"]
                    .into_iter()
                    .try_for_each(|host| self.ask(&admin, set_judgehost(host, JudgehostState::Enabled)))
            }
            Step::People(what, which) => self.change_people(what, which),
            Step::Ratio(upper) => {
                let admin = self.caller("admin");
                self.ask(&admin, measure_ratio(upper.into()))
            }
        };
    }

    fn report(&mut self, submission: u8, action: impl Fn(JudgementKey) -> Action) -> Result<(), Refusal> {
        let number = self.chosen(submission);
        let Some(key) = self.open(number).first().copied() else { return Ok(()) };
        let Some(host) = self.taker(key) else { return Ok(()) };
        self.by_host(host, action(key))
    }

    fn change_settings(&mut self, flavour: u8) -> Result<(), Refusal> {
        let admin = self.caller("admin");
        let view = self.state.view(&admin, &contest_id())?;
        let mut settings =
            view.contest().jury.map(|jury| jury.settings.clone()).unwrap_or_else(sample::contest);
        match flavour {
            0 => settings.scoring = Scoring::PassFail { penalty: Millis::minutes(20), compile_penalty: true },
            1 => {
                settings.scoring = Scoring::PassFail { penalty: Millis::minutes(20), compile_penalty: false }
            }
            2 => settings.scoring = Scoring::Points { counted: CountedScore::Best },
            3 => settings.scoring = Scoring::Points { counted: CountedScore::Last },
            4 => settings.scoring = Scoring::Points { counted: CountedScore::BestOfSubtasks },
            5 => settings.freeze = None,
            6 => settings.freeze = Some(Millis::minutes(120)),
            7 => settings.verification_required = !settings.verification_required,
            8 => settings.replicas = 3 - settings.replicas,
            9 => settings.fast_pool = Some(sample::id("fast")),
            10 => settings.fast_pool = None,
            11 => settings.main_group = Some(sample::id("g")),
            12 => settings.main_group = None,
            13 => settings.judging = JudgingMode::OnDemand,
            14 => settings.judging = JudgingMode::Lazy,
            15 => {
                let is_by_case = settings.feedback == Feedback::Cases;
                settings.feedback = if is_by_case { Feedback::Verdict } else { Feedback::Cases };
            }
            16 => settings.shows_compiler_output = !settings.shows_compiler_output,
            _ => settings.practice = !settings.practice,
        }
        self.ask(&admin, Command::SetContest(contest_id(), Box::new(settings)))
    }
}
