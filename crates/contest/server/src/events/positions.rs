//! Where a client stands: the id of its last event.

use contest::Audience;
use std::fmt::Write;

/// The longest id that is read: four letters and numbers.
const BYTES_MAX: usize = 96;

/// Returns the letter of an audience.
fn letter(audience: &Audience) -> char {
    match audience {
        Audience::Public => 'p',
        Audience::Team(_) => 't',
        Audience::Staff => 's',
        Audience::Jury => 'j',
    }
}

/// Returns the id of an event: a letter and a number for each audience, such as `p17t3`.
pub fn write<'a>(positions: impl Iterator<Item = (&'a Audience, u64)>) -> String {
    positions.fold(String::new(), |mut text, (audience, position)| {
        let _ = write!(text, "{}{position}", letter(audience));
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
    }
    rest.is_empty().then_some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_by_those_whose_it_is() {
        let team = [Audience::Public, Audience::Team("t".parse().unwrap())];
        let id = write(team.iter().zip([17, 3]));
        assert_eq!(id, "p17t3");
        assert_eq!(read(&id, &team), Some(vec![17, 3]));
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
