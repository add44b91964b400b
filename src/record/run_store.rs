//! The run store: each case and system is executed at most once a run, by whichever thread or process comes first; the others wait and read.
//!
//! Inside a process a memo holds the records. Where a run id came from outside, other processes may take part (nextest runs one process a
//! test), so each key also has a file that is lock and pointer in one: whoever holds its lock either finds where the record stands, or
//! executes, appends the record and writes the pointer. A look-up costs one small read, however many cases the run has.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use super::jsonl::{append_line, parse_record};
use super::{RecordKey, RunId, RunRecord, clock};
use crate::error::{Error, Result};
use crate::id::Fingerprint;

/// Runs that are kept; older ones are removed when a new one starts.
const KEPT_RUNS: usize = 40;

/// `manifest.json`: what a run was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format's version.
    pub format: u32,
    /// The run.
    pub run_id: String,
    /// UTC.
    pub started_at: String,
    /// The release of ragtest.
    pub ragtest: String,
    /// `ragtest.toml` as it is written: variables are not expanded, so no secret can be in it.
    pub config: String,
    /// `RAGTEST_PROFILE`.
    pub profile: Option<String>,
    /// `RAGTEST_RETRIEVAL_ONLY`.
    #[serde(default)]
    pub retrieval_only: bool,
    /// `RAGTEST_ONLY_FAILED`: the earlier run.
    #[serde(default)]
    pub only_failed: Option<String>,
    /// Systems under test.
    pub systems: Vec<String>,
    /// Corpus name to the fingerprint of its files.
    pub corpora: std::collections::BTreeMap<String, Fingerprint>,
    /// Prompt name to hash.
    pub prompts: std::collections::BTreeMap<String, Fingerprint>,
}

type Cell = Arc<OnceCell<Arc<RunRecord>>>;

/// The records of one run.
#[derive(Debug)]
pub struct RunStore {
    run: RunId,
    /// `None` keeps the records in memory only.
    folder: Option<PathBuf>,
    memo: Mutex<HashMap<RecordKey, Cell>>,
    records: Mutex<Option<RecordFile>>,
}

#[derive(Debug)]
struct RecordFile {
    name: String,
    file: File,
    length: u64,
}

impl RunStore {
    /// The store of a run below `base/runs/`. Nothing is written before the first record or manifest.
    pub fn new(base: &Path, run: RunId) -> Self {
        let folder = Some(base.join("runs").join(&run.id));
        Self { run, folder, memo: Mutex::default(), records: Mutex::default() }
    }

    /// A store that writes nothing: questions outside a run leave no run behind.
    pub fn in_memory() -> Self {
        Self { run: RunId::fresh(), folder: None, memo: Mutex::default(), records: Mutex::default() }
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.run.id
    }

    /// The run's folder; `None` where nothing is written.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The record of a case and system: from memory, from another process of this run, or made by `run`. `inputs`, which only a shared run
    /// asks for, is what decides the record: where it differs from that of an earlier process with the same run id, the case is executed again.
    pub async fn get_or_run<F>(
        &self,
        key: &RecordKey,
        inputs: impl FnOnce() -> Fingerprint,
        run: impl FnOnce() -> F,
    ) -> Result<Arc<RunRecord>>
    where
        F: Future<Output = RunRecord>,
    {
        let cell = lock(&self.memo).entry(key.clone()).or_default().clone();
        let made = cell.get_or_try_init(|| async {
            let Some(folder) = self.folder() else { return Ok(Arc::new(run().await)) };
            if !self.run.shared {
                return self.append(folder, run().await).map(|(record, _)| record);
            }
            let path = folder.join("keys").join(Fingerprint::of([key.fingerprint(), inputs()]).to_string());
            let mut pointer = lock_pointer(path.clone()).await?;
            if let Some(record) = follow(folder, &mut pointer) {
                return Ok(Arc::new(record));
            }
            let (record, place) = self.append(folder, run().await)?;
            pointer
                .rewind()
                .and_then(|()| pointer.set_len(0))
                .and_then(|()| pointer.write_all(place.as_bytes()))
                .map_err(Error::io(path))?;
            Ok(record)
        });
        made.await.cloned()
    }

    /// Appends a record to this process's file; returns it with its place, `<file> <offset> <length>\n`.
    fn append(&self, folder: &Path, record: RunRecord) -> Result<(Arc<RunRecord>, String)> {
        let mut records = lock(&self.records);
        if records.is_none() {
            *records = Some(open_record_file(&folder.join("records"))?);
        }
        let Some(out) = records.as_mut() else { unreachable!("opened above") };
        let length = append_line(&mut out.file, &record).map_err(|error| {
            // A line that was cut, by a full disk for example, must not be the start of the next one.
            let _ = out.file.set_len(out.length);
            Error::io(folder)(error)
        })?;
        let place = format!("{} {} {length}\n", out.name, out.length);
        out.length += length as u64;
        Ok((Arc::new(record), place))
    }

    /// Writes the manifest if this process is the first of the run, and removes runs that are too old.
    pub fn write_manifest(&self, manifest: impl FnOnce() -> Manifest) -> Result<()> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let path = folder.join("manifest.json");
        if path.exists() {
            return Ok(());
        }
        if let Some(runs) = folder.parent() {
            prune(runs);
        }
        let manifest = Manifest { started_at: clock::now(), run_id: self.run.id.clone(), ..manifest() };
        let text = serde_json::to_string_pretty(&manifest).map_err(|error| Error::Usage(error.to_string()))?;
        crate::store::write_whole(&path, text.as_bytes())
    }
}

/// Waits for a key's lock without blocking the runtime's workers. The lock goes with the file handle, also when the process is killed.
async fn lock_pointer(path: PathBuf) -> Result<File> {
    let opened = tokio::task::spawn_blocking(move || {
        let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(Error::io(&path))?;
        file.lock().map_err(Error::io(&path))?;
        Ok(file)
    });
    opened.await.map_err(|error| Error::Usage(format!("wait for a lock: {error}")))?
}

/// The record that a pointer names; `None` when there is none, or when its writer died half-way.
fn follow(folder: &Path, pointer: &mut File) -> Option<RunRecord> {
    let mut text = String::new();
    pointer.read_to_string(&mut text).ok()?;
    let mut parts = text.strip_suffix('\n')?.split(' ');
    let (name, offset, length) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse::<usize>().ok()?);
    let mut file = File::open(folder.join("records").join(name)).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut line = vec![0; length];
    file.read_exact(&mut line).ok()?;
    parse_record(std::str::from_utf8(&line).ok()?).ok()
}

fn open_record_file(folder: &Path) -> Result<RecordFile> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    // A process id can come back within a run; the file must be new, since lengths are counted from 0.
    let name = format!("{}-{}.jsonl", std::process::id(), RunId::fresh().id);
    let path = folder.join(&name);
    let file = OpenOptions::new().append(true).create_new(true).open(&path).map_err(Error::io(&path))?;
    Ok(RecordFile { name, file, length: 0 })
}

/// Removes all but the newest runs. One that was written to within the last day may still be going on.
fn prune(runs: &Path) {
    const LIVE: std::time::Duration = std::time::Duration::from_hours(24);
    let Ok(entries) = std::fs::read_dir(runs) else { return };
    let mut found: Vec<_> = entries.flatten().filter_map(|entry| Some((last_write(&entry.path())?, entry.path()))).collect();
    found.sort();
    let surplus = found.len().saturating_sub(KEPT_RUNS);
    for (_, path) in found[..surplus].iter().filter(|(written, _)| written.elapsed().is_ok_and(|age| age > LIVE)) {
        // Losing a race against another process that removes the same run is fine.
        let _ = std::fs::remove_dir_all(path);
    }
}

/// When anything in a run's folder was last written.
fn last_write(run: &Path) -> Option<std::time::SystemTime> {
    let modified = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let records = std::fs::read_dir(run.join("records")).into_iter().flatten().flatten();
    records.filter_map(|entry| modified(&entry.path())).chain(modified(run)).max()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
