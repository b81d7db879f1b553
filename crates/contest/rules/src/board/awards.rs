//! Awards: what teams have earned on a board.

use super::{Board, BoardRow, BoardSide};
use crate::state::Contest;
use crate::{OrganizationId, Scoring, TeamId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How the ids of computed awards for an object, or a rank, begin.
const KINDS: [&str; 4] = ["rank-", "first-to-solve-", "group-winner-", "organization-winner-"];

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Award {
    /// Its id, such as `gold-medal`.
    pub id: String,
    pub citation: String,
    /// Who has it; `None` while this side must not know.
    pub teams: Option<Vec<TeamId>>,
}

/// Returns the id of the award of a kind for an object, such as `group-winner-north`. An id has at most 36 characters: where
/// both are longer, the end of the object's id is replaced by ten digits that follow from all of it.
pub fn award_id(kind: &str, of: &str) -> String {
    const DIGITS: usize = 10;
    if kind.len() + of.len() <= crate::ID_LENGTH_MAX {
        return format!("{kind}{of}");
    }
    // FNV-1a: the same in every version of the server, since ids never change.
    let hash = of
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let digit = |place: u32| char::from_digit((hash / 36_u64.pow(place) % 36) as u32, 36).unwrap_or('0');
    let digits: String = (0..DIGITS as u32).map(digit).collect();
    let kept = crate::ID_LENGTH_MAX.saturating_sub(kind.len() + 1 + DIGITS);
    format!("{kind}{}-{digits}", &of[..kept.min(of.len())])
}

fn organization_award(organization: &OrganizationId) -> String {
    award_id("organization-winner-", organization.as_str())
}

impl Contest {
    pub(crate) fn awards(&self, side: BoardSide) -> Vec<Award> {
        let board = self.board(side, None);
        let mut awards: BTreeMap<String, Award> = BTreeMap::new();
        for award in self.earned(&board, &|id| self.awards.contains_key(id)) {
            awards.insert(award.id.clone(), award);
        }
        for (id, edit) in &self.awards {
            // The award of an organization that the side must not know of.
            if id.starts_with("organization-winner-") && !awards.contains_key(id) {
                continue;
            }
            let entry = awards.entry(id.clone()).or_insert_with(|| Award {
                id: id.clone(),
                citation: String::new(),
                teams: Some(Vec::new()),
            });
            entry.citation.clone_from(&edit.citation);
            if edit.teams.is_some() {
                // Who was chosen by hand may rest on hidden verdicts.
                if !board.is_frozen {
                    entry.teams.clone_from(&edit.teams);
                } else if !self.is_computed(id) {
                    entry.teams = None;
                }
            }
        }
        awards.into_values().collect()
    }

    /// Returns the awards that those may know of who are not of the jury: they may yet name teams that are hidden.
    pub(crate) fn public_awards(&self) -> Vec<Award> {
        let mut awards = self.awards(BoardSide::Public);
        // Before the start the ids of these awards would name problems.
        if !self.phase().started {
            awards.retain(|award| !award.id.starts_with("first-to-solve-"));
        }
        awards
    }

    /// Returns whether an award is one that the server keeps, but of something that is not there.
    pub(crate) fn keeps_award(&self, id: &str) -> bool {
        self.is_computed(id) && !self.awards(BoardSide::Jury).iter().any(|award| award.id == id) && {
            // Medals and honours that no team has are not there, and can be worded beforehand. The winner of an organization
            // with one team is not there, and can be given.
            let is_organization = |one: &OrganizationId| organization_award(one) == id;
            KINDS.iter().any(|kind| id.starts_with(kind)) && !self.organizations.keys().any(is_organization)
        }
    }

    pub(crate) fn is_computed(&self, id: &str) -> bool {
        let fixed = [
            "winner",
            "gold-medal",
            "silver-medal",
            "bronze-medal",
            "highest-honors",
            "high-honors",
            "honors",
            "honorable-mention",
        ];
        fixed.contains(&id) || KINDS.iter().any(|kind| id.starts_with(kind))
    }

    /// Returns whether an award is there whatever the jury has edited, so that it cannot be removed.
    pub(crate) fn is_always_there(&self, id: &str) -> bool {
        self.earned(&self.board(BoardSide::Jury, None), &|_| false).iter().any(|award| award.id == id)
    }

    /// Returns the computed awards; that of an organization with one team only if it is wanted.
    fn earned(&self, board: &Board<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Award> {
        let ranked: Vec<&BoardRow<'_>> = board.rows.iter().filter(|row| row.rank.is_some()).collect();
        let has_scored = |row: &BoardRow<'_>| row.solved > 0 || row.score.0 > 0;
        let scored: Vec<&BoardRow<'_>> = ranked.iter().copied().filter(|row| has_scored(row)).collect();
        let ranks = |from: u32, to: u32| -> Vec<TeamId> {
            let within = scored.iter().filter(|row| row.rank.is_some_and(|rank| from <= rank && rank <= to));
            within.map(|row| row.team.clone()).collect()
        };
        let award = |id: &str, citation: String, teams: Vec<TeamId>| Award {
            id: id.to_owned(),
            citation,
            teams: Some(teams),
        };
        let medals = self.settings.medals;
        let gold = medals.gold;
        let silver = gold.saturating_add(medals.silver);
        let extra = self.finalized.as_ref().map_or(0, |finalized| finalized.extra_bronze);
        let bronze = silver.saturating_add(medals.bronze).saturating_add(extra);
        let mut awards = vec![award("winner", "Contest winner".to_owned(), ranks(1, 1))];
        for (id, name, from, to) in [
            ("gold-medal", "Gold medal", 1, gold),
            ("silver-medal", "Silver medal", gold.saturating_add(1), silver),
            ("bronze-medal", "Bronze medal", silver.saturating_add(1), bronze),
        ] {
            if to >= from {
                awards.push(award(id, format!("{name} winner"), ranks(from, to)));
            }
        }
        for problem in &board.problems {
            let label = self.problems.get(*problem).map_or("", |entry| entry.settings.label.as_str());
            let first = board
                .rows
                .iter()
                .filter(|row| row.problems.iter().any(|cell| cell.problem == *problem && cell.is_first));
            let teams = first.map(|row| row.team.clone()).collect();
            awards.push(award(
                &award_id("first-to-solve-", problem.as_str()),
                format!("First to solve problem {label}"),
                teams,
            ));
        }
        for group in self.groups.values().filter(|group| !group.is_hidden) {
            let of_group = self.board(board.side, Some(&group.id));
            let best = of_group.rows.iter().filter(|row| row.rank == Some(1) && has_scored(row));
            let teams = best.map(|row| row.team.clone()).collect();
            awards.push(award(
                &award_id("group-winner-", group.id.as_str()),
                format!("Winner of {}", group.name),
                teams,
            ));
        }
        let organization_of =
            |row: &BoardRow<'_>| self.teams.get(row.team).and_then(|team| team.organization.as_ref());
        let mut sizes: BTreeMap<&OrganizationId, usize> = BTreeMap::new();
        for organization in ranked.iter().filter_map(|row| organization_of(row)) {
            *sizes.entry(organization).or_default() += 1;
        }
        let mut leaders: BTreeMap<&OrganizationId, (u32, Vec<TeamId>)> = BTreeMap::new();
        for row in &scored {
            let (Some(organization), Some(rank)) = (organization_of(row), row.rank) else { continue };
            let best = leaders.entry(organization).or_insert((rank, Vec::new()));
            if rank < best.0 {
                *best = (rank, Vec::new());
            }
            if rank == best.0 {
                best.1.push(row.team.clone());
            }
        }
        let is_public = board.side == BoardSide::Public;
        let hidden = if is_public { self.hidden_organizations() } else { BTreeSet::new() };
        for organization in self.organizations.values().filter(|entry| !hidden.contains(&entry.id)) {
            let id = organization_award(&organization.id);
            // A single team has no other one to win against: its award would only stop a ceremony.
            let is_contested = sizes.get(&organization.id).is_some_and(|size| *size >= 2);
            if !is_contested && !is_wanted(&id) {
                continue;
            }
            awards.push(award(
                &id,
                format!("Winner of {}", organization.name),
                leaders.remove(&organization.id).map(|(_, teams)| teams).unwrap_or_default(),
            ));
        }
        if matches!(self.settings.scoring, Scoring::PassFail { .. }) {
            awards.extend(honours(&ranked, bronze));
        }
        awards
    }
}

/// Returns the ICPC's honours. Positions up to the last medal are awarded ranks; below, teams are ranked by what they
/// solved only; those that solved less than the median are not ranked.
fn honours(ranked: &[&BoardRow<'_>], medals: u32) -> Vec<Award> {
    let Some(median) = ranked.get(ranked.len().saturating_sub(1) / 2).map(|row| row.solved) else {
        return Vec::new();
    };
    let last_medal = ranked.iter().rfind(|row| row.rank.is_some_and(|rank| rank <= medals));
    let bound = last_medal.map_or(0, |row| row.solved);
    let mut awards: BTreeMap<&str, (String, Vec<TeamId>)> = BTreeMap::new();
    let mut by_rank: BTreeMap<String, (String, Vec<TeamId>)> = BTreeMap::new();
    for row in ranked {
        let Some(position) = row.rank else { continue };
        let is_ranked = row.solved > 0 && (row.solved >= median || position <= medals);
        let (id, citation) = match row.solved {
            _ if !is_ranked => ("honorable-mention", "Honorable mention"),
            solved if solved >= bound => ("highest-honors", "Highest honors"),
            solved if solved + 1 == bound => ("high-honors", "High honors"),
            _ => ("honors", "Honors"),
        };
        awards.entry(id).or_insert_with(|| (citation.to_owned(), Vec::new())).1.push(row.team.clone());
        if is_ranked && position > medals {
            let better = ranked.iter().filter(|other| other.solved > row.solved).count() as u32;
            let rank = (better + 1).max(medals.min(ranked.len() as u32) + 1).min(position);
            if rank != position {
                let entry = by_rank.entry(format!("rank-{rank}"));
                entry.or_insert_with(|| (format!("Rank {rank}"), Vec::new())).1.push(row.team.clone());
            }
        }
    }
    let honours = awards.into_iter().map(|(id, entry)| (id.to_owned(), entry));
    honours.chain(by_rank).map(|(id, (citation, teams))| Award { id, citation, teams: Some(teams) }).collect()
}
