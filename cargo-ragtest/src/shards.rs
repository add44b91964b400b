//! Runs on disk: finding them, making sure that they are shards of one run, uniting their records, writing the united run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ragtest::Error;
use ragtest::config::CONFIG_FILE;
use ragtest::record::{Manifest, RecordKey, RunRecord, append_line, read_records};

/// The manifest format that this release reads and writes.
const MANIFEST_FORMAT: u64 = 1;

/// Records by suite, system and case.
pub(crate) type Records = BTreeMap<RecordKey, Arc<RunRecord>>;

/// One run to merge.
pub(crate) struct Shard {
    /// As it was named on the command line.
    pub(crate) name: String,
    /// What the run was made of.
    pub(crate) manifest: Manifest,
    records: Vec<RunRecord>,
}

impl Shard {
    /// Reads a run that is named by its folder or its id.
    pub(crate) fn read(derived: &Path, name: &str) -> Result<Self> {
        let places = [PathBuf::from(name), derived.join("runs").join(name)];
        let Some(folder) = places.iter().find(|folder| folder.join("manifest.json").is_file()) else {
            bail!("find run {name:?}: it is neither a run folder (with manifest.json) nor a run id; {}", newest(derived));
        };
        let manifest = read_manifest(&folder.join("manifest.json"))?;
        let records = folder.join("records");
        // A shard whose trials needed no question has a manifest alone.
        let records = if records.is_dir() { read_records(&records)? } else { Vec::new() };
        Ok(Self { name: name.to_owned(), manifest, records })
    }
}

fn read_manifest(path: &Path) -> Result<Manifest> {
    let text = std::fs::read(path).map_err(Error::io(path))?;
    let read = || -> Result<Manifest> {
        let value: serde_json::Value = serde_json::from_slice(&text)?;
        // A newer release's manifest may not parse at all; then its version is the better message.
        if let Some(version) = value["format"].as_u64().filter(|version| *version > MANIFEST_FORMAT) {
            bail!("manifest format {version} needs a newer cargo-ragtest than {}", env!("CARGO_PKG_VERSION"));
        }
        Ok(serde_json::from_value(value)?)
    };
    read().with_context(|| format!("read {}", path.display()))
}

/// The ids of finished and unfinished runs, the newest first.
pub(crate) fn newest_first(derived: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(derived.join("runs")).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.path().join("manifest.json").is_file())
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.file_name().to_string_lossy().into_owned())))
        .filter(|(_, name)| !name.starts_with('.'))
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, name)| name).collect()
}

/// A line that lists the newest runs.
pub(crate) fn newest(derived: &Path) -> String {
    const SHOWN: usize = 8;
    let runs = derived.join("runs");
    let mut names = newest_first(derived);
    if names.is_empty() {
        return format!("{} holds no run yet", runs.display());
    }
    names.truncate(SHOWN);
    format!("the newest runs in {}:\n  {}", runs.display(), names.join("\n  "))
}

/// Refuses shards that were not made of the same things.
pub(crate) fn check_alike(shards: &[Shard]) -> Result<()> {
    let Some((first, others)) = shards.split_first() else { return Ok(()) };
    for other in others {
        let differences = differences(&first.manifest, &other.manifest);
        if !differences.is_empty() {
            bail!("merge {} with {}: they are no shards of one run; they differ in {}", first.name, other.name, differences.join(", "));
        }
    }
    Ok(())
}

fn differences(a: &Manifest, b: &Manifest) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(difference) = config_difference(&a.config, &b.config) {
        found.push(difference);
    }
    let text = |profile: &Option<String>| profile.clone().unwrap_or_else(|| "none".into());
    let plain = [
        ("profile", text(&a.profile), text(&b.profile)),
        ("retrieval only", a.retrieval_only.to_string(), b.retrieval_only.to_string()),
        ("the run whose failures are run again", text(&a.only_failed), text(&b.only_failed)),
        ("systems", a.systems.join(" "), b.systems.join(" ")),
        ("ragtest version", a.ragtest.clone(), b.ragtest.clone()),
    ];
    found.extend(plain.into_iter().filter(|(_, a, b)| a != b).map(|(what, a, b)| format!("{what} ({a} and {b})")));
    // A run names the corpora and prompts of the suites that it opened first; only what both name can differ.
    for (kind, a, b) in [("corpus", &a.corpora, &b.corpora), ("prompt", &a.prompts, &b.prompts)] {
        let differing = a.iter().filter(|(name, print)| b.get(*name).is_some_and(|other| other != *print));
        found.extend(differing.map(|(name, _)| format!("{kind} {name}")));
    }
    found
}

/// The first line in which two configurations differ; line ends do not count.
pub(crate) fn config_difference(a: &str, b: &str) -> Option<String> {
    let (mut a, mut b) = (a.lines(), b.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (a.next(), b.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or_default().trim(), b.unwrap_or_default().trim());
                return Some(format!("config ({CONFIG_FILE}:{line}: {a:?} and {b:?})"));
            }
        }
    }
}

/// The manifest of the united run.
pub(crate) fn unite_manifests(shards: &[Shard], run_id: &str) -> Manifest {
    let mut united = shards.first().map(|shard| shard.manifest.clone()).unwrap_or_default();
    run_id.clone_into(&mut united.run_id);
    for shard in shards {
        united.corpora.extend(shard.manifest.corpora.clone());
        united.prompts.extend(shard.manifest.prompts.clone());
    }
    united
}

/// All records by key. The same case twice is fine as long as both say the same; the first one is kept.
pub(crate) fn unite_records(shards: &[Shard]) -> Result<Records> {
    let mut united: BTreeMap<RecordKey, (&str, &RunRecord)> = BTreeMap::new();
    for shard in shards {
        for record in &shard.records {
            let key = record.key();
            let Some((name, other)) = united.get(&key) else {
                united.insert(key, (&shard.name, record));
                continue;
            };
            let (before, now) = (described(other), described(record));
            if before != now {
                let place = format!("suite {}, system {}, case {}", key.suite, key.system, key.case_id);
                bail!("merge the records of {place}: {before} in {name}, {now} in {}", shard.name);
            }
        }
    }
    Ok(united.into_iter().map(|(key, (_, record))| (key, Arc::new(record.clone()))).collect())
}

fn described(record: &RunRecord) -> String {
    let origin = record.origin.map(|origin| format!(" ({})", origin.name())).unwrap_or_default();
    format!("{}{origin}", record.outcome.name())
}

/// Writes a run whole or not at all: into a hidden folder, then renamed.
pub(crate) fn write(derived: &Path, manifest: &Manifest, records: &Records) -> Result<()> {
    let runs = derived.join("runs");
    let staging = runs.join(format!(".{}.tmp", manifest.run_id));
    let target = runs.join(&manifest.run_id);
    let written = fill(&staging, manifest, records).and_then(|()| Ok(std::fs::rename(&staging, &target)?));
    if written.is_err() {
        // What matters is the error that came first.
        let _ = std::fs::remove_dir_all(&staging);
    }
    written.with_context(|| format!("write {}", target.display()))
}

fn fill(folder: &Path, manifest: &Manifest, records: &Records) -> Result<()> {
    std::fs::create_dir_all(folder.join("records"))?;
    let mut file = std::fs::File::create_new(folder.join("records").join("merged.jsonl"))?;
    for record in records.values() {
        append_line(&mut file, record)?;
    }
    std::fs::write(folder.join("manifest.json"), serde_json::to_string_pretty(manifest)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_differing_line_is_named() {
        assert_eq!(config_difference("a\r\nb\r\n", "a\nb"), None);
        let difference = config_difference("a\nmin = 1", "a\nmin = 2\nc").expect("differs");
        assert_eq!(difference, "config (rag-tests/ragtest.toml:2: \"min = 1\" and \"min = 2\")");
        assert!(config_difference("a", "a\nb").expect("longer").contains(":2: \"\" and \"b\""));
    }
}
