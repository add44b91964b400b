//! Record files: append-only, one whole line a record, merged on read.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use super::{RECORD_FORMAT, RecordKey, RunRecord};
use crate::error::{Error, Result};

/// Appends one record as one line in one write, and returns its length in bytes.
pub fn append_line(file: &mut impl Write, record: &RunRecord) -> std::io::Result<usize> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    file.write_all(&line)?;
    Ok(line.len())
}

/// All records below `folder`, one a key (the later one of a repeated key), in the order of their keys. A last line that a killed process
/// left without its end is passed over: its case has no pointer and runs again.
pub fn read_records(folder: &Path) -> Result<Vec<RunRecord>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut records: BTreeMap<RecordKey, RunRecord> = BTreeMap::new();
    for path in paths {
        let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
        let end = memchr::memrchr(b'\n', &bytes).unwrap_or(0);
        let whole = std::str::from_utf8(&bytes[..end])
            .map_err(|error| Error::Format { path: path.clone(), message: format!("the records are not UTF-8: {error}") })?;
        for (number, line) in whole.lines().enumerate() {
            let record = parse_record(line)
                .map_err(|message| Error::Format { path: path.clone(), message: format!("line {}: {message}", number + 1) })?;
            records.insert(record.key(), record);
        }
    }
    Ok(records.into_values().collect())
}

/// Reads one line.
pub(super) fn parse_record(line: &str) -> Result<RunRecord, String> {
    let mut record: RunRecord = serde_json::from_str(line).map_err(|error| {
        // A newer release's record may not parse at all; then its version is the better message.
        let version = serde_json::from_str::<serde_json::Value>(line).ok().and_then(|v| v.get("format")?.as_u64());
        match version {
            Some(version) if version > u64::from(RECORD_FORMAT) => newer(version),
            _ => format!("no run record: {error}"),
        }
    })?;
    record.complete_outcome();
    match record.format {
        RECORD_FORMAT => Ok(record),
        0 => Err("record format 0 does not exist".into()),
        newer_format => Err(newer(u64::from(newer_format))),
    }
}

fn newer(version: u64) -> String {
    format!("record format {version} needs a newer ragtest than {}", env!("CARGO_PKG_VERSION"))
}
