//! The order of texts for people: the root collation of the Unicode Collation Algorithm.

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{Collator, CollatorPreferences};
use std::cmp::Ordering;

/// Returns the order of names.
pub fn of_names() -> impl Fn(&str, &str) -> Ordering {
    collation(CollatorPreferences::default())
}

/// Returns the order of labels, such as seats, by the numbers in them: A2 is before A10.
pub fn of_labels() -> impl Fn(&str, &str) -> Ordering {
    let mut preferences = CollatorPreferences::default();
    preferences.numeric_ordering = Some(CollationNumericOrdering::True);
    collation(preferences)
}

fn collation(preferences: CollatorPreferences) -> impl Fn(&str, &str) -> Ordering {
    let collator = Collator::try_new(preferences, CollatorOptions::default());
    move |a, b| match &collator {
        Ok(collator) => collator.compare(a, b),
        // The data of the root collation is compiled in, so this does not happen.
        Err(_) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_ordered_by_their_numbers() {
        let mut labels = ["B1", "A10", "a9", "12", "A2", "2", "", "A02-10", "A02-9"];
        labels.sort_by(|a, b| of_labels()(a, b));
        assert_eq!(labels, ["", "2", "12", "A2", "A02-9", "A02-10", "a9", "A10", "B1"]);
    }
}
