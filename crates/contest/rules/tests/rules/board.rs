//! The order of boards, and what is earned there.

use crate::support::*;
use contest_rules::board::BoardSide;

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

#[test]
fn the_leaders_of_an_organization_win_there() {
    let mut world = World::new(sample::contest());
    for name in ["north", "south"] {
        let organization = OrganizationSettings { name: format!("The {name}"), ..organization(name) };
        world.admin(Action::SetOrganization(organization)).unwrap();
    }
    for (team, organization) in [("t1", "north"), ("t2", "south"), ("t3", "south")] {
        let settings = TeamSettings { organization: Some(sample::id(organization)), ..sample::team(team) };
        world.admin(Action::SetTeam(settings)).unwrap();
    }
    let winners = |world: &World, id: &str| -> Vec<String> {
        let awards = world.view("admin").awards();
        let award = awards.iter().find(|award| award.id == format!("organization-winner-{id}")).unwrap();
        award.teams.iter().flatten().map(ToString::to_string).collect()
    };
    assert_eq!(winners(&world, "north"), Vec::<String>::new(), "nobody has scored");
    for (number, (minute, team)) in [(10, "t1"), (20, "t3"), (20, "t2")].into_iter().enumerate() {
        world.at(minute).submit(team, "a");
        world.judge(number as u32 + 1, accepted());
    }
    assert_eq!(winners(&world, "north"), ["t1"]);
    assert_eq!(winners(&world, "south"), ["t2", "t3"], "as good as each other");
}

fn organization(id: &str) -> OrganizationSettings {
    OrganizationSettings { name: String::new(), ..sample::organization(id) }
}
