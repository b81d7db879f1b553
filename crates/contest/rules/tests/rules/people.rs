//! Persons, files of objects and commentary: refusals and notices.

use crate::support::people::file;
use crate::support::*;
use contest_rules::view::View;
use std::collections::BTreeSet;

fn files(of: FileOwner, property: FileProperty) -> Action {
    Action::SetFiles { of, property, files: vec![file(property, 7)] }
}

fn team(id: &str) -> FileOwner {
    FileOwner::Team(sample::id(id))
}

/// Lets the time of the contest go on.
fn go(world: &mut World, minute: i64) {
    world.at(minute).ask(&Caller::system(), Command::Tick).unwrap();
}

#[test]
fn teams_register_themselves_within_bounds() {
    let mut settings = sample::contest();
    settings.registration = Registration { mode: RegistrationMode::Open, ..Registration::default() };
    let mut world = World::new(settings.clone());
    world.admin(Action::SetGroup(sample::group("guests"))).unwrap();
    let teams = world.view("admin").teams().len() as u32;
    settings.registration.teams_max = teams + 1;
    settings.registration.group_id = Some(sample::id("guests"));
    world.set_contest("c", settings.clone());
    let new = |id: &str, name: &str| {
        let login = NewLogin::Password("$argon2id$v=19$m=1,t=1,p=1$a$b".to_owned());
        Command::In(
            contest_id(),
            Action::Register(Box::new(NewTeam { id: sample::id(id), name: name.to_owned(), login })),
        )
    };
    let ask = |world: &mut World, command| world.ask(&Caller::system(), command);
    assert_eq!(refused(ask(&mut world, new("t1", "New"))).1, "login-taken");
    assert_eq!(refused(ask(&mut world, new("judge", "New"))).1, "login-taken", "an account of others");
    let known = world.view("admin").teams()[0].name.to_uppercase();
    assert_eq!(refused(ask(&mut world, new("new", &known))).1, "name-taken");
    let like = format!("\u{200b}{known}  ");
    assert_eq!(refused(ask(&mut world, new("NEW", &like))).1, "name-taken");
    for (login, name) in [("new", " "), ("new", "\u{3164}"), ("17", "New")] {
        assert_eq!(refused(ask(&mut world, new(login, name))).1, "invalid", "{login} {name:?}");
    }
    assert_eq!(refused(ask(&mut world, new("Judge", "New"))).1, "login-taken", "in any case");
    ask(&mut world, new("new", "New")).unwrap();
    let team = world.view("admin").teams().into_iter().find(|team| team.id.as_str() == "new").unwrap();
    assert_eq!(team.group_ids, [sample::id("guests")]);
    assert_eq!(refused(ask(&mut world, new("other", "Other"))).1, "registration-closed", "enough teams");
    assert_eq!(refused(world.admin(Action::RemoveGroup(sample::id("guests")))).1, "in-use");
    // Only the server itself registers teams.
    for who in ["admin", "t1"] {
        let asked = world.caller(who);
        assert_eq!(refused(world.ask(&asked, new("other", "Other"))).0, RefusalKind::Forbidden);
    }
    settings.registration.teams_max = teams + 9;
    world.set_contest("c", settings);
    world.at(301);
    go(&mut world, 302);
    assert_eq!(
        refused(world.ask(&Caller::system(), new("other", "Other"))).1,
        "registration-closed",
        "it is over"
    );
}

#[test]
fn objects_that_are_referred_to_cannot_be_removed() {
    let mut world = World::new(sample::contest());
    world.admin(Action::SetPerson(sample::person("p", "t1"))).unwrap();
    assert_eq!(refused(world.admin(Action::RemoveTeam(sample::id("t1")))).1, "in-use");
    let comment =
        |message: &str| Action::Comment(Comment { message: message.to_owned(), ..Comment::default() });
    assert_eq!(refused(world.by("analyst", comment("{teams:nobody} leads"))).1, "invalid");
    assert_eq!(refused(world.by("t1", comment("we lead"))).0, RefusalKind::Forbidden);
    let teams = BTreeSet::from([sample::id("t3")]);
    world
        .by("analyst", Action::Comment(Comment { message: "a".to_owned(), teams, ..Comment::default() }))
        .unwrap();
    world.admin(award("best-shirt", "Shirt", &["t2"])).unwrap();
    assert_eq!(refused(world.admin(award("best-shirt", "Shirt", &["t2", "t1", "t2"]))).1, "invalid");
    let shown = |world: &World| {
        let best = |view: View<'_>| view.awards().into_iter().find(|award| award.id == "best-shirt").unwrap();
        [best(world.public()), best(world.view("admin"))].map(|award| award.teams)
    };
    let chosen = Some(vec![sample::id("t2")]);
    assert_eq!(shown(&world), [chosen.clone(), chosen.clone()]);
    go(&mut world, 250);
    assert_eq!(shown(&world), [None, chosen.clone()], "it may rest on hidden verdicts");
    assert_eq!(refused(world.admin(award("first-to-solve-nothing", "First", &["t2"]))).1, "invalid");
    assert_eq!(refused(world.admin(Action::RemoveAward("winner".to_owned()))).1, "kept");
    world.admin(Action::RemoveAward("best-shirt".to_owned())).unwrap();
    assert_eq!(refused(world.admin(Action::RemoveAward("best-shirt".to_owned()))).1, "not-found");
    let lonely = PersonSettings { teams: BTreeSet::new(), ..sample::person("q", "t1") };
    assert_eq!(refused(world.admin(Action::SetPerson(lonely))).1, "invalid");
    world.admin(Action::RemovePerson(sample::id("p"))).unwrap();
}

#[test]
fn awards_edited_in_the_freeze_are_noticed_by_the_jury_alone() {
    let mut world = World::for_steps(sample::contest());
    let edit = |world: &mut World, id: &str, citation: &str, team: &str| {
        world.notices.clear();
        world.admin(award(id, citation, &[team])).unwrap();
        let of_awards = world.notices.iter().filter(|notice| notice.object == Object::Awards);
        of_awards.map(|notice| notice.audience.clone()).collect::<Vec<_>>()
    };
    go(&mut world, 10);
    let (all, jury) = (vec![Audience::Jury, Audience::Public], vec![Audience::Jury]);
    let own = vec![Audience::Jury, Audience::Team(sample::id("t4"))];
    assert_eq!(edit(&mut world, "best-shirt", "Shirt", "t1"), all);
    assert_eq!(edit(&mut world, "best-shirt", "Shirt", "t1"), jury, "nothing is different");
    assert_eq!(edit(&mut world, "best-hat", "Hat", "t3"), all);
    assert_eq!(edit(&mut world, "worst-hat", "Hat", "t4"), all);
    assert_eq!(edit(&mut world, "worst-hat", "Hat", "t3"), all);
    assert_eq!(edit(&mut world, "first-to-solve-a", "First", "t4"), all, "its words");
    assert_eq!(edit(&mut world, "gold-medal", "Gold medal winner", "t4"), own, "a hidden team");
    go(&mut world, 250);
    for id in ["best-shirt", "winner", "group-winner-g"] {
        let citation = world.public().awards().iter().find(|award| award.id == id).unwrap().citation.clone();
        for team in ["t2", "t4", "t1"] {
            assert_eq!(edit(&mut world, id, &citation, team), jury, "{id} of {team}");
        }
    }
    assert_eq!(edit(&mut world, "winner", "The winner", "t1"), all, "everybody sees the words");
    world.notices.clear();
    world.admin(Action::RemoveAward("best-shirt".to_owned())).unwrap();
    assert!(world.notices.iter().any(|notice| notice.audience == Audience::Public), "it is gone");
}

#[test]
fn organizations_of_hidden_teams_are_hidden() {
    let mut world = World::for_steps(sample::contest());
    world.admin(Action::SetTeam(sample::team("t3"))).unwrap();
    world.admin(award("organization-winner-o", "Best of O", &["t4"])).unwrap();
    let shown = |view: View<'_>| view.organizations().map(|one| one.id.to_string()).collect::<Vec<_>>();
    let has_award = |view: View<'_>| view.awards().iter().any(|award| award.id == "organization-winner-o");
    assert!(shown(world.public()).is_empty() && !has_award(world.public()), "only a hidden team has it");
    assert!(shown(world.view("t1")).is_empty());
    assert_eq!((shown(world.view("t4")), shown(world.view("admin"))), (vec!["o".into()], vec!["o".into()]));
    assert!(has_award(world.view("admin")));
    let before = world.notices.len();
    let hidden = TeamSettings { organization: None, is_hidden: true, ..sample::team("t4") };
    world.admin(Action::SetTeam(hidden)).unwrap();
    assert_eq!(shown(world.public()), ["o"], "no team has it");
    let object = Object::Organization(sample::id("o"));
    let noted = world.notices[before..].iter().filter(|notice| notice.object == object);
    assert_eq!(
        noted.map(|one| (&one.audience, one.is_gone)).collect::<Vec<_>>(),
        [(&Audience::Public, false)]
    );
}

#[test]
fn the_address_of_an_organization_is_one_of_the_web() {
    let mut world = World::new(sample::contest());
    let mut set = |url: &str| {
        let settings = OrganizationSettings { url: Some(url.to_owned()), ..sample::organization("uni") };
        world.admin(Action::SetOrganization(settings)).is_ok()
    };
    assert!(set("https://uni.example") && set("http://uni.example"));
    assert!(!set("javascript:alert(1)") && !set("data:text/html,x") && !set("//uni.example"));
}

#[test]
fn files_are_of_the_right_kind() {
    let mut world = World::new(sample::contest());
    world.admin(files(team("t1"), FileProperty::Photo)).unwrap();
    assert_eq!(refused(world.admin(files(team("t1"), FileProperty::Logo))).1, "invalid");
    assert_eq!(refused(world.admin(files(team("nobody"), FileProperty::Photo))).1, "not-found");
    let with = |change: &dyn Fn(&mut FileEntry)| {
        let mut entry = file(FileProperty::Webcam, 1);
        change(&mut entry);
        Action::SetFiles { of: team("t1"), property: FileProperty::Webcam, files: vec![entry] }
    };
    assert_eq!(refused(world.admin(with(&|file| file.filename = "photo.bin".to_owned()))).1, "invalid");
    assert_eq!(refused(world.admin(with(&|file| file.filename = "../x".to_owned()))).1, "invalid");
    assert_eq!(refused(world.admin(with(&|file| file.mime = "text/html".to_owned()))).1, "invalid");
    let external = |href: &str| FileContent::External { href: href.to_owned() };
    assert_eq!(
        refused(world.admin(with(&|file| file.content = external("javascript:alert(1)")))).1,
        "invalid"
    );
    world.admin(with(&|file| file.content = external("https://camera.example.org/t1"))).unwrap();
    // What is stored is not collected as long as something refers to it.
    let photo = BlobHash(format!("{:064x}", 7).into());
    assert!(world.state.blobs().any(|blob| *blob == photo));
    let nothing = Action::SetFiles { of: team("t1"), property: FileProperty::Photo, files: Vec::new() };
    world.admin(nothing).unwrap();
    assert!(!world.state.blobs().any(|blob| *blob == photo));
}

#[test]
fn cameras_vanish_at_the_freeze_and_come_back() {
    let mut world = World::new(sample::contest());
    for property in [FileProperty::Webcam, FileProperty::Photo, FileProperty::Backup] {
        world.admin(files(team("t1"), property)).unwrap();
    }
    let seen =
        |world: &World| -> Vec<FileProperty> { world.public().files(&team("t1")).into_keys().collect() };
    let noted = |world: &World| {
        let is_team = |notice: &&Notice| {
            notice.audience == Audience::Public && notice.object == Object::Team(sample::id("t1"))
        };
        world.notices.iter().filter(is_team).count()
    };
    go(&mut world, 10);
    assert_eq!(seen(&world), [FileProperty::Photo, FileProperty::Webcam]);
    assert_eq!(world.view("admin").files(&team("t1")).len(), 3);
    let before = noted(&world);
    go(&mut world, 250);
    assert_eq!((seen(&world), noted(&world)), (vec![FileProperty::Photo], before + 1));
    go(&mut world, 310);
    world.admin(Action::Thaw(None)).unwrap();
    assert_eq!((seen(&world).len(), noted(&world)), (2, before + 2));
}

#[test]
fn commentary_in_the_freeze_waits_for_the_thaw() {
    let mut world = World::new(sample::contest());
    let comment = |world: &mut World| {
        let comment = Comment { message: "{problems:a} is next".to_owned(), ..Comment::default() };
        world.by("analyst", Action::Comment(comment)).unwrap();
    };
    comment(&mut world);
    assert_eq!(world.public().commentary().count(), 0, "problems are not public yet");
    go(&mut world, 10);
    assert_eq!(world.public().commentary().count(), 1);
    go(&mut world, 250);
    comment(&mut world);
    assert_eq!((world.public().commentary().count(), world.view("analyst").commentary().count()), (1, 2));
    go(&mut world, 310);
    world.admin(Action::Thaw(None)).unwrap();
    assert_eq!(world.public().commentary().count(), 2);
}
