//! Which statements judgehosts make, and which of their results count.

use crate::support::{World, contest_id, finalize, refused};
use contest_rules::{
    Action, Audience, BlobHash, Caller, Command, ContestSettings, MadeStatement, Object, ProblemFile,
    RefusalKind, StatementForm, StatementReport, sample,
};

/// Returns a contest whose problem a has texts in these languages, and b none.
fn world(languages: &[&str]) -> World {
    let mut world = World::new(sample::contest());
    let mut problem = sample::problem("a", 0);
    problem.files.texts = languages.iter().map(|language| (*language).to_owned()).collect();
    world.admin(Action::SetProblem(Box::new(problem))).unwrap();
    world
}

fn programs(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns what a judgehost of a pool that lacks these programs is to make, as `en.html`.
fn wanted(world: &World, pool: &str, lacking: &[&str]) -> Vec<String> {
    let name =
        |form: StatementForm| format!("{}.{}", form.language, if form.is_page { "html" } else { "pdf" });
    let (pool, lacking) = (sample::id(pool), programs(lacking));
    world.state.wanted_statements(&pool, &lacking).map(|wanted| name(wanted.form)).collect()
}

fn file(form: &StatementForm, letter: &str) -> ProblemFile {
    ProblemFile {
        filename: format!("a.{}", form.language),
        blob: BlobHash(letter.repeat(64).into()),
        size: model::Bytes(8),
        md5: String::new(),
        language: Some(form.language.clone()),
    }
}

fn made(form: StatementForm, lacking: &[&str]) -> MadeStatement {
    MadeStatement {
        problem: sample::id("a"),
        package: sample::problem("a", 0).package,
        file: Some(file(&form, "c")),
        report: StatementReport { form, text: String::new(), lacking: programs(lacking) },
    }
}

fn impossible(form: StatementForm, text: &str, lacking: &[&str]) -> MadeStatement {
    let mut made = MadeStatement { file: None, ..made(form, lacking) };
    made.report.text = text.to_owned();
    made
}

fn take(world: &mut World, host: &str, made: MadeStatement) -> Result<(), contest_rules::Refusal> {
    world.by_host(host, Action::StatementMade(Box::new(made)))
}

fn settings(world: &World) -> contest_rules::ProblemSettings {
    world.view("admin").jury_problem(&sample::id("a")).unwrap().settings.clone()
}

#[test]
fn each_form_is_wanted_until_it_is_made_or_impossible() {
    let mut world = world(&["en", "ru"]);
    assert_eq!(wanted(&world, "strict", &[]), ["en.html", "en.pdf", "ru.html", "ru.pdf"]);
    assert_eq!(wanted(&world, "other", &[]), [""; 0], "the contest is judged by others");
    world.take_notices(&Audience::Jury);
    take(&mut world, "h1", made(StatementForm::page("en"), &[])).unwrap();
    let notices = world.take_notices(&Audience::Jury);
    assert!(notices.iter().any(|notice| notice.object == Object::Problem(sample::id("a"))), "{notices:?}");
    take(&mut world, "h2", impossible(StatementForm::pdf("en"), "a.tex:1: no", &[])).unwrap();
    assert_eq!(wanted(&world, "strict", &[]), ["ru.html", "ru.pdf"]);
    let files = settings(&world).files;
    assert_eq!(files.pages, [file(&StatementForm::page("en"), "c")]);
    let report = files.statement_report(&StatementForm::pdf("en")).unwrap();
    assert_eq!(report.text, "a.tex:1: no");
    let again = take(&mut world, "h1", made(StatementForm::page("en"), &[]));
    assert_eq!(refused(again), (RefusalKind::Conflict, "stale"));
}

#[test]
fn the_whole_follows_from_the_log() {
    let mut world = world(&["en"]);
    take(&mut world, "h1", made(StatementForm::page("en"), &["pandoc"])).unwrap();
    let restored = contest_rules::State::restore(&world.state.checkpoint()).unwrap();
    assert_eq!(restored, world.state);
    assert_eq!(wanted(&world, "strict", &[]), ["en.html", "en.pdf"]);
}

#[test]
fn a_judgehost_with_more_programs_makes_it_anew() {
    let mut world = world(&["en"]);
    let (page, pdf) = (StatementForm::page("en"), StatementForm::pdf("en"));
    take(&mut world, "h1", made(page.clone(), &["pandoc", "xelatex"])).unwrap();
    take(&mut world, "h1", impossible(pdf.clone(), "pandoc is not installed", &["pandoc"])).unwrap();
    assert_eq!(wanted(&world, "strict", &["pandoc", "xelatex"]), [""; 0]);
    assert_eq!(wanted(&world, "strict", &["pandoc"]), [""; 0]);
    assert_eq!(wanted(&world, "strict", &["xelatex"]), ["en.html"], "a page needs pandoc only");
    assert_eq!(wanted(&world, "strict", &[]), ["en.html", "en.pdf"]);
    take(&mut world, "h2", made(page, &[])).unwrap();
    take(&mut world, "h2", made(pdf, &[])).unwrap();
    assert_eq!(wanted(&world, "strict", &[]), [""; 0]);
    assert_eq!(settings(&world).files.statement_reports, []);
}

#[test]
fn a_new_package_and_a_person_decide() {
    let mut world = world(&["en"]);
    let page = StatementForm::page("en");
    take(&mut world, "h1", made(page.clone(), &["pandoc"])).unwrap();
    // A person's file stays, even where a judgehost could do better than the one before.
    let mut sent = settings(&world);
    sent.files.set_statement(file(&page, "d"), true);
    world.admin(Action::SetProblem(Box::new(sent))).unwrap();
    assert_eq!(wanted(&world, "strict", &[]), ["en.pdf"]);
    assert_eq!(refused(take(&mut world, "h1", made(page.clone(), &[]))), (RefusalKind::Conflict, "stale"));
    assert_eq!(settings(&world).files.pages, [file(&page, "d")]);
    // A newer package is what counts.
    let mut newer = sample::problem("a", 0);
    newer.package = BlobHash("e".repeat(64).into());
    newer.files.texts = vec!["en".to_owned()];
    world.admin(Action::SetProblem(Box::new(newer))).unwrap();
    assert_eq!(wanted(&world, "strict", &[]), ["en.html", "en.pdf"]);
    assert_eq!(refused(take(&mut world, "h1", made(page, &[]))), (RefusalKind::Conflict, "stale"));
}

#[test]
fn only_judgehosts_of_the_contest_may_send_it() {
    let mut world = world(&["en"]);
    let result = || Action::StatementMade(Box::new(made(StatementForm::page("en"), &[])));
    for account in ["admin", "judge", "t1", "spectator", "hosts"] {
        assert_eq!(refused(world.by(account, result())).0, RefusalKind::Forbidden, "{account}");
    }
    world.ask(&Caller::system(), Command::SetPool(sample::pool("other"))).unwrap();
    world.join("o1", "other").unwrap();
    assert_eq!(refused(world.by_host("o1", result())).0, RefusalKind::Forbidden);
    // Practice would go on.
    world.set_contest(contest_id().as_str(), ContestSettings { practice: false, ..sample::contest() });
    world.at(310);
    world.admin(Action::Thaw(None)).unwrap();
    world.admin(finalize()).unwrap();
    assert_eq!(wanted(&world, "strict", &[]), [""; 0], "nothing changes after the end of updates");
    assert_eq!(refused(world.by_host("h1", result())), (RefusalKind::Conflict, "final"));
    let text = "x".repeat(5000);
    let mut open = self::world(&["en"]);
    let long = impossible(StatementForm::page("en"), &text, &[]);
    assert_eq!(refused(take(&mut open, "h1", long)).0, RefusalKind::Invalid);
    let none = Command::In(contest_id(), result());
    assert_eq!(open.ask(&Caller::system(), none), Ok(()));
}
