//! Organizations.

use super::{Location, LocationSettings, OrganizationId};
use crate::contest::FileReference;
use located::{Field, Report, Reported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An organization, such as a university, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationSettings {
    pub id: OrganizationId,
    pub name: String,
    pub formal_name: Option<String>,
    /// Its country: ISO 3166-1 alpha-3.
    pub country: Option<String>,
    /// Its part of the country: ISO 3166-2.
    pub country_subdivision: Option<String>,
    /// Its id in the ICPC's system.
    pub icpc_id: Option<String>,
    pub url: Option<String>,
    pub twitter_hashtag: Option<String>,
    pub twitter_account: Option<String>,
    pub location: Option<LocationSettings>,
}

/// An organization, such as a university.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Organization {
    pub id: OrganizationId,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formal_name: Option<String>,
    /// Its country: ISO 3166-1 alpha-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_flag: Option<Vec<FileReference>>,
    /// Its part of the country: ISO 3166-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_subdivision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_subdivision_flag: Option<Vec<FileReference>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twitter_hashtag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twitter_account: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Its logo, in one or several sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<Vec<FileReference>>,
}

impl Organization {
    pub const OF_ALL: &[&str] = &[
        "id",
        "icpc_id",
        "name",
        "formal_name",
        "country",
        "country_flag",
        "country_subdivision",
        "country_subdivision_flag",
        "url",
        "twitter_hashtag",
        "twitter_account",
        "location",
        "logo",
    ];
}

impl OrganizationSettings {
    pub const FILES: &[&str] = &["logo", "country_flag", "country_subdivision_flag"];

    pub fn new(id: OrganizationId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            formal_name: None,
            country: None,
            country_subdivision: None,
            icpc_id: None,
            url: None,
            twitter_hashtag: None,
            twitter_account: None,
            location: None,
        }
    }

    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let id = object.require(report, &["id"]).and_then(|field| field.parse(report));
        let short = object.name(report, &["name", "shortname", "short_name", "short-name"]);
        let formal_name = object.name(report, &["formal_name", "formal-name"]);
        if short.is_none() && formal_name.is_none() {
            object.error(report, "name", "is missing");
        }
        let mut part = |name: &'static str, is_right: fn(&str) -> bool, expected: &str| {
            let field = object.take_any(&[name])?;
            let text = field.trimmed().reported(report)?;
            if !is_right(&text) {
                field.reject(report, expected);
            }
            is_right(&text).then_some(text)
        };
        let country = part("country", is_country, "three capitals of ISO 3166-1, such as DEU");
        let country_subdivision =
            part("country_subdivision", is_subdivision, "a code of ISO 3166-2, such as DE-BY");
        let icpc_id = object.name(report, &["icpc_id"]);
        let url = object.take_any(&["url"]).and_then(|field| {
            let text = field.name().reported(report)?;
            let is_web = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
            if !is_web {
                field.leave_out(report, "a URL that begins with 'https://' or 'http://'");
            }
            is_web.then_some(text)
        });
        let twitter_hashtag = object.name(report, &["twitter_hashtag"]);
        let twitter_account = object.name(report, &["twitter_account"]);
        let location =
            object.take_any(&["location"]).and_then(|field| LocationSettings::read(report, &field));
        object.finish_with_files(report, Self::FILES);
        Some(Self {
            id: id?,
            name: short.or_else(|| formal_name.clone())?,
            formal_name,
            country,
            country_subdivision,
            icpc_id,
            url,
            twitter_hashtag,
            twitter_account,
            location,
        })
    }

    pub fn object(&self) -> Organization {
        Organization {
            id: self.id.clone(),
            icpc_id: self.icpc_id.clone(),
            name: self.name.clone(),
            formal_name: self.formal_name.clone(),
            country: self.country.clone(),
            country_flag: None,
            country_subdivision: self.country_subdivision.clone(),
            country_subdivision_flag: None,
            url: self.url.clone(),
            twitter_hashtag: self.twitter_hashtag.clone(),
            twitter_account: self.twitter_account.clone(),
            location: self.location.as_ref().map(LocationSettings::object),
            logo: None,
        }
    }
}

/// Returns whether a text is a country's code.
pub fn is_country(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns whether a text is the code of a part of a country.
pub fn is_subdivision(code: &str) -> bool {
    let part = |text: &str| text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    code.split_once('-').is_some_and(|(country, of)| {
        country.len() == 2
            && country.bytes().all(|byte| byte.is_ascii_uppercase())
            && (1..=3).contains(&of.len())
            && part(of)
    })
}

#[cfg(test)]
pub(super) const EXAMPLE: &str = "{id: o, icpc_id: 7, name: O, formal_name: Of, country: DEU, country_subdivision: DE-BY, url: 'https://o', \
     twitter_hashtag: '#o', twitter_account: o, location: {latitude: 1, longitude: -2.5}}";
