//! Awards that the jury edits.

use super::Change;
use crate::TeamId;
use crate::board::Award;
use crate::notices::{Audience, Object};
use crate::state::{AwardEdit, Contest};
use std::collections::BTreeSet;

impl Change<'_> {
    /// Sets or removes what the jury edited of an award. Others get a notice only if they see another award than before: in
    /// the freeze, that the jury chose a team is not to be seen.
    pub(super) fn edit_award(&mut self, id: &str, edit: Option<AwardEdit>) {
        let shown = |contest: &Contest| contest.public_awards().into_iter().find(|award| award.id == id);
        let before = shown(self.contest);
        match edit {
            Some(edit) => self.contest.awards.insert(id.to_owned(), edit),
            None => self.contest.awards.remove(id),
        };
        let after = shown(self.contest);
        let object = Object::Awards;
        self.note_jury(object.clone());
        if self.for_public(&before) != self.for_public(&after) {
            return self.note(Audience::Public, object, false);
        }
        // Hidden teams see themselves.
        let teams = |award: &Option<Award>| -> BTreeSet<TeamId> {
            award.iter().flat_map(|award| award.teams.iter().flatten()).cloned().collect()
        };
        for team in teams(&before).symmetric_difference(&teams(&after)) {
            self.note(Audience::Team(team.clone()), object.clone(), false);
        }
    }

    /// Returns an award without the teams that are hidden.
    fn for_public(&self, award: &Option<Award>) -> Option<Award> {
        let mut award = award.clone()?;
        if let Some(teams) = &mut award.teams {
            teams.retain(|team| self.contest.is_public_team_id(team));
        }
        Some(award)
    }
}
