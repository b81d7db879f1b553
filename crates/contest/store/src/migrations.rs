//! The steps from one schema to the next. A released step never changes: stores that have it are not changed again.

use crate::StoreError;

/// The steps of SQLite: the first makes schema 1.
pub const SQLITE: &[&str] =
    &[include_str!("migrations/sqlite/1.sql"), include_str!("migrations/sqlite/2.sql")];
/// The schema of SQLite in which events have hashes: the step to it chains those that are there.
pub const SQLITE_CHAINED: u32 = 2;
pub const POSTGRES: &[&str] = &[
    include_str!("migrations/postgres/1.sql"),
    include_str!("migrations/postgres/2.sql"),
    include_str!("migrations/postgres/3.sql"),
    include_str!("migrations/postgres/4.sql"),
];
/// The same schema of PostgreSQL.
pub const POSTGRES_CHAINED: u32 = 3;

/// Returns the steps that a store lacks, each with the version that it makes.
pub fn missing<'a>(
    steps: &'a [&'a str],
    found: u32,
) -> Result<impl Iterator<Item = (u32, &'a str)>, StoreError> {
    let known = steps.len() as u32;
    if found > known {
        return Err(StoreError::TooNew { found, known });
    }
    Ok((1..).zip(steps.iter().copied()).skip(found as usize))
}

#[cfg(test)]
mod tests {
    use super::missing;
    use crate::StoreError;

    #[test]
    fn only_later_steps_are_missing() {
        let steps = ["one", "two", "three"];
        let check = |found, expect: &[(u32, &str)]| {
            assert_eq!(missing(&steps, found).unwrap().collect::<Vec<_>>(), expect);
        };
        check(0, &[(1, "one"), (2, "two"), (3, "three")]);
        check(2, &[(3, "three")]);
        check(3, &[]);
        assert!(matches!(missing(&steps, 4).err(), Some(StoreError::TooNew { found: 4, known: 3 })));
    }
}
