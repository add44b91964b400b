//! Which cases count: review state, `RAGTEST_PROFILE`, `RAGTEST_ONLY_FAILED`, `RAGTEST_RETRIEVAL_ONLY`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::case::{ReviewStatus, TestCase};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::metrics::Metric;
use crate::record::read_records;
use crate::verdict::Outcome;

/// A selection of cases, and of what is asked about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    profile: Option<String>,
    include: Vec<(String, String)>,
    retrieval_only: bool,
    only_failed: Option<Failed>,
}

/// The cases that an earlier run left failed or broken.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failed {
    run: String,
    /// Suite and case id.
    cases: BTreeSet<(String, String)>,
}

/// What chooses cases: by variable in the harness, by manifest afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// A profile's name.
    pub profile: Option<&'a str>,
    /// Systems are asked for chunks only.
    pub retrieval_only: bool,
    /// Only the cases that this run left failed or broken.
    pub only_failed: Option<&'a str>,
}

impl Selection {
    /// The selection that `RAGTEST_PROFILE`, `RAGTEST_RETRIEVAL_ONLY` and `RAGTEST_ONLY_FAILED` name; all cases where none is set.
    pub fn from_env(config: &Config, derived: &Path) -> Result<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned());
        let (profile, only_failed) = (set("RAGTEST_PROFILE"), set("RAGTEST_ONLY_FAILED"));
        let retrieval_only = match set("RAGTEST_RETRIEVAL_ONLY").as_deref() {
            None | Some("0" | "false" | "no" | "off") => false,
            Some("1" | "true" | "yes" | "on") => true,
            Some(other) => return Err(Error::Usage(format!("use RAGTEST_RETRIEVAL_ONLY={other:?}: it is 1 or 0"))),
        };
        Self::new(Choice { profile: profile.as_deref(), retrieval_only, only_failed: only_failed.as_deref() }, config, derived)
    }

    /// The selection of a choice. Earlier runs are looked for below `derived`.
    pub fn new(choice: Choice<'_>, config: &Config, derived: &Path) -> Result<Self> {
        let include = choice.profile.map(|name| included(name, config)).transpose()?.unwrap_or_default();
        let only_failed = choice.only_failed.map(|run| Failed::of_run(run, derived)).transpose()?;
        Ok(Self { profile: choice.profile.map(str::to_owned), include, retrieval_only: choice.retrieval_only, only_failed })
    }

    /// What chose it.
    pub fn choice(&self) -> Choice<'_> {
        let only_failed = self.only_failed.as_ref().map(|failed| failed.run.as_str());
        Choice { profile: self.profile.as_deref(), retrieval_only: self.retrieval_only, only_failed }
    }

    /// Whether systems are asked for chunks only: no answer is generated and no judge called.
    pub fn retrieval_only(&self) -> bool {
        self.retrieval_only
    }

    /// Whether this is less than the whole suite with its answers: then it cannot be compared with a table of all of it.
    pub fn is_partial(&self) -> bool {
        self.profile.is_some() || self.retrieval_only || self.only_failed.is_some()
    }

    /// Whether only the failed cases of an earlier run are run.
    pub fn is_rerun(&self) -> bool {
        self.only_failed.is_some()
    }

    /// Whether a gate is decided by this selection: not by the failed cases of an earlier run alone, nor without answers where it is about them.
    pub fn decides(&self, metric: Metric) -> bool {
        !(self.is_rerun() || self.retrieval_only && metric.is_of_answers())
    }

    /// Why a case of a suite is listed as ignored; `None` = it runs and counts.
    pub fn ignored(&self, suite: &str, case: &TestCase) -> Option<String> {
        if case.status() != ReviewStatus::Accepted {
            return Some(format!("review: {}", case.status().name()));
        }
        if self.retrieval_only && case.evidence.is_empty() {
            return Some("no evidence to compare chunks with".into());
        }
        if let Some(failed) = self.only_failed.as_ref().filter(|failed| !failed.has(suite, &case.id)) {
            return Some(format!("not failed in run {}", failed.run));
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

/// The selectors of a profile.
fn included(name: &str, config: &Config) -> Result<Vec<(String, String)>> {
    let Some(profile) = config.profile.get(name) else {
        let known: Vec<_> = config.profile.keys().map(String::as_str).collect();
        return Err(Error::Usage(format!("use RAGTEST_PROFILE={name:?}: no such profile (known: {})", known.join(", "))));
    };
    let pairs = profile.include.iter().filter_map(|selector| selector.split_once(':'));
    Ok(pairs.map(|(kind, value)| (kind.to_owned(), value.to_owned())).collect())
}

impl Failed {
    fn of_run(run: &str, derived: &Path) -> Result<Self> {
        let folder = derived.join("runs").join(run).join("records");
        if !folder.is_dir() {
            return Err(Error::Usage(format!("use RAGTEST_ONLY_FAILED={run:?}: {} does not exist", folder.display())));
        }
        let red = read_records(&folder)?.into_iter().filter(|record| !matches!(record.outcome, Outcome::Pass | Outcome::Skipped(_)));
        Ok(Self { cases: red.map(|record| (record.suite, record.case_id)).collect(), run: run.to_owned() })
    }

    fn has(&self, suite: &str, id: &str) -> bool {
        self.cases.iter().any(|(of, case)| of == suite && case == id)
    }
}
