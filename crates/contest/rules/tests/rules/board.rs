//! The order of boards, and what is earned there.

use crate::support::*;
use contest_rules::board::BoardSide;
use contest_rules::view::View;

#[test]
fn equal_teams_are_in_the_order_of_a_dictionary() {
    let mut world = World::new(sample::contest());
    let names = ["zebra", "Ångström", "Äpfel", "apple", "Éclair", "eagle", "Team 10", "Зима", "山"];
    for (number, name) in names.into_iter().enumerate() {
        let team = TeamSettings { name: name.to_owned(), ..sample::team(&format!("x{number}")) };
        world.admin(Action::SetTeam(team)).unwrap();
    }
    let view = world.view("admin");
    let board = view.board(BoardSide::Jury, None).unwrap();
    let shown: Vec<&str> = board.rows.iter().map(|row| row.name).collect();
    let expected = [
        "Ångström",
        "Äpfel",
        "apple",
        "eagle",
        "Éclair",
        "Team 10",
        "Team t1",
        "Team t2",
        "Team t3",
        "zebra",
        "Зима",
        "山",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn awards_of_long_ids_have_ids() {
    let mut world = World::new(sample::contest());
    let long = ["university-of-the-far-north-campus-1", "university-of-the-far-north-campus-2", "south"];
    for id in long {
        let named = OrganizationSettings { name: id.to_owned(), ..organization(id) };
        world.admin(Action::SetOrganization(named)).unwrap();
        let group = GroupSettings { id: sample::id(id), ..sample::group("g") };
        world.admin(Action::SetGroup(group)).unwrap();
        for number in 1..=2 {
            let team = sample::team(&format!("{}-{number}", &id[id.len() - 5..]));
            world
                .admin(Action::SetTeam(TeamSettings { organization: Some(sample::id(id)), ..team }))
                .unwrap();
        }
    }
    let ids: Vec<String> = world.view("admin").awards().into_iter().map(|award| award.id).collect();
    assert!(ids.iter().all(|id| is_id(id)), "{ids:?}");
    assert!(ids.is_sorted_by(|one, next| one < next), "each is there once: {ids:?}");
    for id in [
        "group-winner-south",
        "organization-winner-south",
        "group-winner-university-o-bk84lo0gf0",
        "group-winner-university-o-ukayhs1uf0",
        "organization-winner-unive-bk84lo0gf0",
    ] {
        assert!(ids.iter().any(|other| other == id), "{id} in {ids:?}");
    }
    let award = Action::SetAward { id: ids[1].clone(), citation: "Best".to_owned(), teams: None };
    world.admin(award).unwrap();
}

/// Returns a contest with the organizations north, of t4 and t5, south, of t2 and t3, and lone, of t1.
fn of_organizations() -> World {
    let mut world = World::new(sample::contest());
    for name in ["north", "south", "lone"] {
        let organization = OrganizationSettings { name: format!("The {name}"), ..organization(name) };
        world.admin(Action::SetOrganization(organization)).unwrap();
    }
    let teams = [("t1", "lone"), ("t2", "south"), ("t3", "south"), ("t4", "north"), ("t5", "north")];
    for (team, organization) in teams {
        let settings = TeamSettings { organization: Some(sample::id(organization)), ..sample::team(team) };
        world.admin(Action::SetTeam(settings)).unwrap();
    }
    world
}

/// Returns who wins in an organization; `None` if it has no award.
fn winners(view: View<'_>, organization: &str) -> Option<Vec<String>> {
    let awards = view.awards();
    let award = awards.iter().find(|award| award.id == format!("organization-winner-{organization}"))?;
    Some(award.teams.iter().flatten().map(ToString::to_string).collect())
}

fn list(teams: &[&str]) -> Option<Vec<String>> {
    Some(teams.iter().map(|team| (*team).to_owned()).collect())
}

#[test]
fn the_leaders_of_an_organization_win_there() {
    let mut world = of_organizations();
    assert_eq!(winners(world.view("admin"), "south"), list(&[]), "no team has scored");
    for (number, (minute, team)) in [(10, "t1"), (20, "t3"), (20, "t2")].into_iter().enumerate() {
        world.at(minute).submit(team, "a");
        world.judge(number as u32 + 1, accepted());
    }
    assert_eq!(winners(world.view("admin"), "south"), list(&["t2", "t3"]), "as good as each other");
    world.at(30).submit("t3", "b");
    world.judge(4, accepted());
    assert_eq!(winners(world.view("admin"), "south"), list(&["t3"]));
    assert_eq!(winners(world.view("admin"), "north"), list(&[]));
    assert_eq!(winners(world.view("admin"), "lone"), None, "a single team has no other one to win against");
}

#[test]
fn an_organization_with_one_ranked_team_has_no_award_unless_the_jury_gives_one() {
    let mut world = of_organizations();
    let hidden = |is_hidden| {
        let organization = Some(sample::id("north"));
        Action::SetTeam(TeamSettings { is_hidden, organization, ..sample::team("t4") })
    };
    world.admin(hidden(true)).unwrap();
    assert_eq!(winners(world.view("admin"), "north"), None, "a hidden team is not ranked");
    world.admin(hidden(false)).unwrap();
    assert_eq!(winners(world.public(), "north"), list(&[]));
    let give = |teams| Action::SetAward {
        id: "organization-winner-lone".to_owned(),
        citation: "Best".to_owned(),
        teams,
    };
    world.admin(give(Some(vec![sample::id("t1")]))).unwrap();
    assert_eq!(winners(world.view("admin"), "lone"), list(&["t1"]));
    world.at(10).submit("t1", "a");
    world.judge(1, accepted());
    world.admin(give(None)).unwrap();
    assert_eq!(winners(world.public(), "lone"), list(&["t1"]), "as it is earned, in the jury's words");
    world.admin(Action::RemoveAward("organization-winner-lone".to_owned())).unwrap();
    assert_eq!(winners(world.view("admin"), "lone"), None, "what the jury gave it takes back");
    let computed = Action::RemoveAward("organization-winner-north".to_owned());
    assert_eq!(refused(world.admin(computed)).1, "kept");
    let unknown = award("organization-winner-nowhere", "Best", &["t1"]);
    assert_eq!(refused(world.admin(unknown)).1, "invalid");
}

fn organization(id: &str) -> OrganizationSettings {
    OrganizationSettings { name: String::new(), ..sample::organization(id) }
}
