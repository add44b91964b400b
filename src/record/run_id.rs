//! The id of a run: one execution over cases, possibly by many processes.

use crate::error::{Error, Result};
use crate::id::Fingerprint;

/// A run's id and whether other processes may take part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunId {
    /// A folder name.
    pub id: String,
    /// Whether the id came from outside: then other processes may share the run, and every case needs a lock.
    pub shared: bool,
}

impl RunId {
    /// `NEXTEST_RUN_ID`, else `RAGTEST_RUN_ID`, else a new one for this process.
    pub fn from_env() -> Result<Self> {
        for name in ["NEXTEST_RUN_ID", "RAGTEST_RUN_ID"] {
            if let Some(id) = std::env::var_os(name).filter(|value| !value.is_empty()) {
                let id = id.to_string_lossy().into_owned();
                let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                    && !id.starts_with('.')
                    && id.len() <= 100;
                return if plain {
                    Ok(Self { id, shared: true })
                } else {
                    Err(Error::Usage(format!("{name}={id:?} is no run id; use letters, digits, `-`, `_` and `.`")))
                };
            }
        }
        Ok(Self::fresh())
    }

    /// A new id: the UTC time, then six hex digits that keep two runs of one second apart.
    pub fn fresh() -> Self {
        let now = super::clock::now();
        let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let salt = Fingerprint::of([now.as_bytes(), &nanos.to_le_bytes(), &std::process::id().to_le_bytes()]).short(6);
        let compact: String = now.chars().take(19).filter(|c| c.is_ascii_digit() || *c == 'T').collect();
        Self { id: format!("{compact}Z-{salt}"), shared: false }
    }
}
