//! Where a client stands: the id of its last event.

use contest_rules::Audience;
use std::fmt::Write;

/// The longest id that is read: two letters and numbers, and a team.
const BYTES_MAX: usize = 96;

fn letter(audience: &Audience) -> char {
    match audience {
        Audience::Public => 'p',
        Audience::Team(_) => 't',
        Audience::Staff => 's',
        Audience::Jury => 'j',
    }
}

/// Returns what follows an audience's number: its team, since another team's numbers mean other notices. No id has an `@`.
fn owner(audience: &Audience) -> Option<&str> {
    match audience {
        Audience::Team(team) => Some(team.as_str()),
        Audience::Public | Audience::Staff | Audience::Jury => None,
    }
}

/// Returns the id of an event: a letter and a number for each audience, and whose it is, such as `p17t3@ants`.
pub fn write<'a>(positions: impl Iterator<Item = (&'a Audience, u64)>) -> String {
    positions.fold(String::new(), |mut text, (audience, position)| {
        let _ = write!(text, "{}{position}", letter(audience));
        if let Some(owner) = owner(audience) {
            let _ = write!(text, "@{owner}");
        }
        text
    })
}

/// Returns the positions in an id; `None` if it is not one of these audiences' events.
pub fn read(id: &str, audiences: &[Audience]) -> Option<Vec<u64>> {
    let mut rest = id.get(..BYTES_MAX.min(id.len()))?;
    let mut positions = Vec::with_capacity(audiences.len());
    for audience in audiences {
        rest = rest.strip_prefix(letter(audience))?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        // Room for one more, which is computed everywhere.
        positions.push(rest[..end].parse().ok().filter(|position| *position < u64::MAX)?);
        rest = &rest[end..];
        if let Some(owner) = owner(audience) {
            rest = rest.strip_prefix('@')?.strip_prefix(owner)?;
        }
    }
    rest.is_empty().then_some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ids_are_read_by_their_audience() {
        let of = |team: &str| [Audience::Public, Audience::Team(team.parse().unwrap())];
        let team = of("ants");
        let id = write(team.iter().zip([17, 3]));
        assert_eq!(id, "p17t3@ants");
        assert_eq!(read(&id, &team), Some(vec![17, 3]));
        for other in ["bees", "ant", "ants2", "t3"] {
            assert_eq!(read(&id, &of(other)), None, "{other}");
        }
        let longest = of(&"x".repeat(36));
        let last = u64::MAX - 1;
        assert_eq!(read(&write(longest.iter().zip([last, last])), &longest), Some(vec![last, last]));
        assert_eq!(read(&id, &team[..1]), None);
        assert_eq!(read("p17", &team), None);
        assert_eq!(read("j5", &[Audience::Jury]), Some(vec![5]));
        for wrong in
            ["", "p", "pp", "p1 ", "p-1", "p18446744073709551615", "p18446744073709551616", "17", "pé1"]
        {
            assert_eq!(read(wrong, &team[..1]), None, "{wrong:?}");
        }
        assert_eq!(read(&"p1".repeat(100), &team[..1]), None);
    }
}
