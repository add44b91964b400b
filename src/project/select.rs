//! Which cases count: review state and `RAGTEST_PROFILE`.

use crate::case::{ReviewStatus, TestCase};
use crate::config::Config;
use crate::error::{Error, Result};

/// A profile's selection of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    profile: Option<String>,
    include: Vec<(String, String)>,
}

impl Selection {
    /// The selection that `RAGTEST_PROFILE` names; all cases where it is not set.
    pub fn from_env(config: &Config) -> Result<Self> {
        let Some(name) = std::env::var_os("RAGTEST_PROFILE").filter(|name| !name.is_empty()) else { return Ok(Self::default()) };
        Self::named(&name.to_string_lossy(), config)
    }

    /// The selection of a profile.
    pub fn named(name: &str, config: &Config) -> Result<Self> {
        let Some(profile) = config.profile.get(name) else {
            let known: Vec<_> = config.profile.keys().map(String::as_str).collect();
            return Err(Error::Usage(format!("use RAGTEST_PROFILE={name:?}: no such profile (known: {})", known.join(", "))));
        };
        let pairs = profile.include.iter().filter_map(|selector| selector.split_once(':'));
        Ok(Self { profile: Some(name.to_owned()), include: pairs.map(|(kind, value)| (kind.to_owned(), value.to_owned())).collect() })
    }

    /// The profile's name.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// Why a case is listed as ignored; `None` = it runs and counts.
    pub fn ignored(&self, case: &TestCase) -> Option<String> {
        if case.status() != ReviewStatus::Accepted {
            return Some(format!("review: {}", case.status().name()));
        }
        let matches = |(kind, value): &(String, String)| match kind.as_str() {
            "tag" => case.has_tag(value),
            "strategy" => case.strategy().name() == value,
            "document" => case.home() == Some(value),
            "id" => case.id == *value,
            "owner" => case.owner.as_ref() == Some(value),
            _ => false,
        };
        let profile = self.profile.as_ref()?;
        (!self.include.iter().any(matches)).then(|| format!("not in profile {profile}"))
    }
}
