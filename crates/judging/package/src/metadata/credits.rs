//! The parts of `problem.yaml` about the problem's authors; a judge only checks their form.

use crate::PackageError;
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::requirements::natural;
use crate::yaml::Value;
use located::{Field, Object};

const LICENSES: [(&str, ()); 7] = [
    ("unknown", ()),
    ("public domain", ()),
    ("cc0", ()),
    ("cc by", ()),
    ("cc by-sa", ()),
    ("educational", ()),
    ("permission", ()),
];

/// Checks `license` and `rights_owner` against other fields that name an owner.
pub(super) fn check_license(
    license: Option<Field<'_>>,
    owner: Option<Field<'_>>,
    has_other_owner: bool,
    warnings: &Warnings,
) -> Result<(), PackageError> {
    let owner_text = owner.as_ref().map(Field::text).transpose()?;
    let Some(license) = license else { return Ok(()) };
    license.word(&LICENSES)?;
    match (license.text()?, owner_text) {
        ("public domain", Some(_)) => {
            warnings.push(
                license
                    .place()
                    .leniency("is 'public domain', but there is a rights_owner", "remove one of the two"),
            );
        }
        ("unknown" | "public domain", _) | (_, Some(_)) => {}
        _ if has_other_owner => {}
        _ => warnings.push(
            license.place().leniency("has no owner of the rights", "add rights_owner, authors or a source"),
        ),
    }
    Ok(())
}

/// Checks `credits` and returns whether it names an author.
pub(super) fn check_credits(
    field: &Field<'_>,
    is_final: bool,
    warnings: &Warnings,
) -> Result<bool, PackageError> {
    if matches!(field.value(), Value::Text(_)) {
        return Ok(true);
    }
    let mut fields = field.fields()?;
    let authors = fields.take("authors");
    if let Some(authors) = &authors {
        check_people(authors, warnings)?;
    }
    for key in ["contributors", "testers", "packagers", "acknowledgements"] {
        if let Some(people) = fields.take(key) {
            check_people(&people, warnings)?;
        }
    }
    if let Some(translators) = fields.take("translators") {
        for (language, people) in translators.fields()?.take_rest() {
            check_people(&people, warnings)?;
            let wrong = natural::wrong(language).filter(|_| is_final);
            warnings.extend(wrong.map(|(problem, remedy)| people.place().leniency(problem, remedy)));
        }
    }
    fields.close(Unknown::Refuse, warnings)?;
    Ok(authors.is_some())
}

pub(super) fn check_people(field: &Field<'_>, warnings: &Warnings) -> Result<(), PackageError> {
    match field.value() {
        Value::List(people) if people.is_empty() => {
            Err(field.wrong("a person or a list that is not empty", "remove the key or name someone").into())
        }
        Value::List(_) => field.items()?.iter().try_for_each(|person| check_person(person, warnings)),
        _ => check_person(field, warnings),
    }
}

fn check_person(field: &Field<'_>, warnings: &Warnings) -> Result<(), PackageError> {
    match field.value() {
        Value::Map(_) => {
            let mut person = field.fields()?;
            person.demand("name", "add the person's full name")?.text()?;
            take_texts(&mut person, &["email", "orcid", "kattis"])?;
            person.close(Unknown::Refuse, warnings)
        }
        _ => Ok(field.text().map(drop)?),
    }
}

/// Checks `source`: a text, a map of name and url, or a list of them.
pub(super) fn check_source(field: &Field<'_>, warnings: &Warnings) -> Result<(), PackageError> {
    match field.value() {
        Value::List(_) => field.items()?.iter().try_for_each(|source| check_source(source, warnings)),
        Value::Map(_) => {
            let mut source = field.fields()?;
            source.demand("name", "add the name of the contest or course")?.text()?;
            take_texts(&mut source, &["url"])?;
            source.close(Unknown::Refuse, warnings)
        }
        _ => Ok(field.text().map(drop)?),
    }
}

fn take_texts(fields: &mut Object<'_>, keys: &[&'static str]) -> Result<(), PackageError> {
    for key in keys {
        if let Some(field) = fields.take(key) {
            field.text()?;
        }
    }
    Ok(())
}
