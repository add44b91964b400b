//! Recorded exchanges with models: replayed without key or network.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ChatModel, ChatReply, ChatRequest, Reply};
use crate::error::{CallError, CallErrorKind, Error, Result};
use crate::id::{Fingerprint, Stage};
use crate::store::write_whole;

/// The recording format's version.
const FORMAT: u32 = 1;

/// What a missing or present recording means (`RAGTEST_RECORD`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordMode {
    /// Replay; a missing exchange is an error. Nothing is ever spent.
    #[default]
    Replay,
    /// Replay what is there, call and record the rest.
    Auto,
    /// Call everything and rewrite.
    Record,
    /// Call everything and store nothing.
    Off,
}

impl RecordMode {
    /// Reads a mode's name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "" | "replay" => Ok(Self::Replay),
            "auto" => Ok(Self::Auto),
            "record" => Ok(Self::Record),
            "off" => Ok(Self::Off),
            other => Err(Error::Usage(format!("use RAGTEST_RECORD={other:?}: it is replay, auto, record or off"))),
        }
    }
}

/// One file of recorded exchanges, sorted by key: `rag-tests/recordings/<suite>/<system>/<case>.json`.
#[derive(Debug)]
pub struct ExchangeStore {
    path: PathBuf,
    mode: RecordMode,
    exchanges: Mutex<BTreeMap<Fingerprint, serde_json::Value>>,
}

#[derive(Serialize, Deserialize)]
struct Recording {
    format: u32,
    exchanges: BTreeMap<Fingerprint, serde_json::Value>,
}

impl ExchangeStore {
    /// Opens a file of exchanges; a missing file is an empty one.
    pub fn open(path: impl Into<PathBuf>, mode: RecordMode) -> Result<Self> {
        let path = path.into();
        let exchanges = match std::fs::read(&path) {
            Ok(bytes) => read(&path, &bytes)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(Error::io(&path)(error)),
        };
        Ok(Self { path, mode, exchanges: Mutex::new(exchanges) })
    }

    /// The recorded reply of a key, or the reply of `call`, recorded as the mode says. Errors are never recorded.
    pub async fn get_or_call<T, F>(&self, key: Fingerprint, call: impl FnOnce() -> F) -> std::result::Result<T, CallError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = std::result::Result<T, CallError>>,
    {
        let known = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        match (self.mode, known) {
            (RecordMode::Replay | RecordMode::Auto, Some(reply)) => {
                let damaged =
                    |error| CallError::new(CallErrorKind::Parse, format!("read recording {} of {}: {error}", key, self.path.display()));
                serde_json::from_value(reply).map_err(damaged)
            }
            (RecordMode::Replay, None) => {
                let message = format!(
                    "no recording {} in {}; record it with RAGTEST_RECORD=auto cargo test --test rag",
                    key.short(12),
                    self.path.display()
                );
                Err(CallError::new(CallErrorKind::NotRecorded, message))
            }
            (RecordMode::Off, _) => call().await,
            (RecordMode::Auto | RecordMode::Record, _) => {
                let reply = call().await?;
                self.keep(key, &reply)?;
                Ok(reply)
            }
        }
    }

    /// Adds an exchange to the file. Other processes may add theirs meanwhile, so the file is read again under its lock.
    fn keep<T: Serialize>(&self, key: Fingerprint, reply: &T) -> std::result::Result<(), CallError> {
        let failed = |error: Error| CallError::new(CallErrorKind::Other, format!("record an exchange: {error}"));
        let value = serde_json::to_value(reply).map_err(|error| failed(Error::Usage(error.to_string())))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| failed(Error::io(folder)(error)))?;
        // The lock lies outside the folder: recordings are committed, locks are not.
        let place = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let name = std::env::temp_dir().join(format!("ragtest-{}.lock", Fingerprint::of_bytes(place.as_os_str().as_encoded_bytes())));
        let lock = std::fs::File::create(&name).map_err(|error| failed(Error::io(&name)(error)))?;
        lock.lock().map_err(|error| failed(Error::io(&name)(error)))?;
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(bytes) = std::fs::read(&self.path) {
            let mut stored = read(&self.path, &bytes).map_err(failed)?;
            stored.append(&mut exchanges);
            *exchanges = stored;
        }
        exchanges.insert(key, value);
        let recording = Recording { format: FORMAT, exchanges: exchanges.clone() };
        let mut text = serde_json::to_vec_pretty(&recording).map_err(|error| failed(Error::Usage(error.to_string())))?;
        text.push(b'\n');
        write_whole(&self.path, &text).map_err(failed)
    }
}

fn read(path: &Path, bytes: &[u8]) -> Result<BTreeMap<Fingerprint, serde_json::Value>> {
    let format = |message: String| Error::Format { path: path.to_path_buf(), message };
    let recording: Recording = serde_json::from_slice(bytes).map_err(|error| format(format!("no recording: {error}")))?;
    if recording.format > FORMAT {
        return Err(format(format!("recording format {} needs a newer ragtest than {}", recording.format, env!("CARGO_PKG_VERSION"))));
    }
    Ok(recording.exchanges)
}

/// A chat model whose replies are recorded.
pub struct RecordedChat {
    model: Arc<dyn ChatModel>,
    store: Arc<ExchangeStore>,
}

impl RecordedChat {
    /// Decorates a model.
    pub fn new(model: Arc<dyn ChatModel>, store: Arc<ExchangeStore>) -> Self {
        Self { model, store }
    }
}

impl Stage for RecordedChat {
    fn fingerprint(&self) -> Fingerprint {
        self.model.fingerprint()
    }
}

impl ChatModel for RecordedChat {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> Reply<'a, ChatReply> {
        Box::pin(self.store.get_or_call(request.key(self.model.fingerprint()), || self.model.chat(request)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::Message;
    use super::*;

    /// Says the last message back and counts its calls.
    struct Echo(AtomicUsize);

    impl Stage for Echo {
        fn fingerprint(&self) -> Fingerprint {
            Fingerprint::of(["echo"])
        }
    }

    impl ChatModel for Echo {
        fn chat<'a>(&'a self, request: &'a ChatRequest) -> Reply<'a, ChatReply> {
            self.0.fetch_add(1, Ordering::SeqCst);
            let content = request.messages.last().map(|message| message.content.clone()).unwrap_or_default();
            Box::pin(std::future::ready(match content.as_str() {
                "boom" => Err(CallError::new(CallErrorKind::Provider, "boom")),
                _ => Ok(ChatReply { content, ..ChatReply::default() }),
            }))
        }
    }

    fn ask(path: &Path, mode: RecordMode, model: &Arc<Echo>, request: &ChatRequest) -> std::result::Result<ChatReply, CallError> {
        let store = Arc::new(ExchangeStore::open(path, mode).expect("opens"));
        let recorded = RecordedChat::new(Arc::clone(model) as Arc<dyn ChatModel>, store);
        tokio::runtime::Builder::new_current_thread().build().expect("runtime").block_on(recorded.chat(request))
    }

    #[test]
    fn an_exchange_is_replayed_without_a_call_and_any_change_misses() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("suite/system/case.json");
        let model = Arc::new(Echo(AtomicUsize::new(0)));
        let request = ChatRequest::user("hello");
        let error = ask(&path, RecordMode::Replay, &model, &request).expect_err("nothing recorded");
        assert_eq!(error.kind, CallErrorKind::NotRecorded);
        assert!(error.message.contains("RAGTEST_RECORD=auto"), "{error}");
        assert_eq!(model.0.load(Ordering::SeqCst), 0);
        assert_eq!(ask(&path, RecordMode::Auto, &model, &request).expect("called").content, "hello");
        assert_eq!(ask(&path, RecordMode::Replay, &model, &request).expect("replayed").content, "hello");
        assert_eq!(model.0.load(Ordering::SeqCst), 1);
        let changes: [fn(&mut ChatRequest); 5] = [
            |r| r.temperature = Some(0.0),
            |r| r.max_tokens = Some(9),
            |r| r.schema = Some(serde_json::json!({})),
            |r| r.messages.insert(0, Message { role: "system".into(), content: "German".into() }),
            |r| r.repeat = 1,
        ];
        for change in changes {
            let mut changed = request.clone();
            change(&mut changed);
            assert_eq!(ask(&path, RecordMode::Replay, &model, &changed).expect_err("missed").kind, CallErrorKind::NotRecorded);
        }
    }

    #[test]
    fn errors_are_never_recorded_and_off_stores_nothing() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("case.json");
        let model = Arc::new(Echo(AtomicUsize::new(0)));
        ask(&path, RecordMode::Auto, &model, &ChatRequest::user("boom")).expect_err("fails");
        ask(&path, RecordMode::Off, &model, &ChatRequest::user("hello")).expect("called");
        assert!(!path.exists());
    }

    #[test]
    fn two_writers_keep_each_others_exchanges() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("case.json");
        let (one, two) =
            (ExchangeStore::open(&path, RecordMode::Auto).expect("opens"), ExchangeStore::open(&path, RecordMode::Auto).expect("opens"));
        one.keep(Fingerprint::of(["1"]), &"a").expect("kept");
        two.keep(Fingerprint::of(["2"]), &"b").expect("kept");
        let bytes = std::fs::read(&path).expect("file");
        assert_eq!(read(&path, &bytes).expect("whole").len(), 2);
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("cut");
        assert!(ExchangeStore::open(&path, RecordMode::Replay).expect_err("damaged").to_string().contains("case.json"));
        std::fs::write(&path, "{\"format\":2,\"exchanges\":{}}").expect("newer");
        assert!(ExchangeStore::open(&path, RecordMode::Replay).expect_err("newer").to_string().contains("newer ragtest"));
    }
}
