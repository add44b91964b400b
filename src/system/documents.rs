//! The extracted documents of a corpus, each read once and kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::corpus::reader::Extract;
use crate::corpus::{Document, SourceFile, SourceFiles};
use crate::error::{CallError, CallErrorKind};
use crate::id::Fingerprint;
use crate::store::DerivedStore;
use crate::text::QuoteFinder;

type Key = (String, Option<String>);

/// A corpus's files and a reader for them. Extracted texts are stored by reader and content.
pub struct Documents {
    files: SourceFiles,
    by_key: HashMap<Key, usize>,
    extract: Arc<dyn Extract>,
    store: DerivedStore,
    read: Mutex<HashMap<usize, Arc<Document>>>,
    finders: Mutex<HashMap<usize, Arc<QuoteFinder>>>,
}

impl Documents {
    /// The documents of `files` as `extract` reads them.
    pub fn new(files: SourceFiles, extract: Arc<dyn Extract>, store: DerivedStore) -> Self {
        let by_key = files.files.iter().enumerate().map(|(index, file)| ((file.id.clone(), file.snapshot.clone()), index)).collect();
        Self { files, by_key, extract, store, read: Mutex::default(), finders: Mutex::default() }
    }

    /// The files.
    pub fn files(&self) -> &SourceFiles {
        &self.files
    }

    /// The same files through another reader.
    #[must_use]
    pub fn with_reader(&self, extract: Arc<dyn Extract>) -> Self {
        Self::new(self.files.clone(), extract, self.store.clone())
    }

    /// What decides the texts.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of([self.extract.fingerprint(), self.files.fingerprint()])
    }

    /// The file of a document. Where the corpus has several snapshots and none is named, the last one counts.
    pub fn file(&self, id: &str, snapshot: Option<&str>) -> Option<&SourceFile> {
        self.position(id, snapshot).map(|index| &self.files.files[index])
    }

    /// Whether the corpus has a document of this id, in any snapshot.
    pub fn knows(&self, id: &str) -> bool {
        self.files.files.iter().any(|file| file.id == id)
    }

    /// The knowledge snapshots of the corpus, sorted.
    pub fn snapshots(&self) -> std::collections::BTreeSet<&str> {
        self.files.files.iter().filter_map(|file| file.snapshot.as_deref()).collect()
    }

    fn position(&self, id: &str, snapshot: Option<&str>) -> Option<usize> {
        let exact = |snapshot: Option<&str>| self.by_key.get(&(id.to_owned(), snapshot.map(str::to_owned))).copied();
        exact(snapshot).or_else(|| exact(None)).or_else(|| self.files.files.iter().rposition(|file| file.id == id && (snapshot.is_none())))
    }

    /// The text of a document.
    pub async fn document(&self, id: &str, snapshot: Option<&str>) -> Result<Arc<Document>, CallError> {
        let index = self
            .position(id, snapshot)
            .ok_or_else(|| CallError::new(CallErrorKind::Case, format!("document {id} is not in the corpus")))?;
        self.read(index).await
    }

    /// The text of the file at `index`.
    pub async fn read(&self, index: usize) -> Result<Arc<Document>, CallError> {
        if let Some(document) = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(&index) {
            return Ok(Arc::clone(document));
        }
        let file = &self.files.files[index];
        let key = Fingerprint::of([self.extract.fingerprint().as_ref(), file.id.as_bytes(), file.hash.as_ref()]);
        let document = self.store.get_or_build("document", key, async { self.extract_file(file) }).await?;
        let document = Arc::new(document);
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(index, Arc::clone(&document));
        Ok(document)
    }

    /// The text of a document, prepared once for finding quotes.
    pub async fn finder(&self, id: &str, snapshot: Option<&str>) -> Result<Arc<QuoteFinder>, CallError> {
        let document = self.document(id, snapshot).await?;
        let Some(index) = self.position(id, snapshot) else { return Ok(Arc::default()) };
        let mut finders = self.finders.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(finders.entry(index).or_insert_with(|| Arc::new(QuoteFinder::new(&document.text)))))
    }

    fn extract_file(&self, file: &SourceFile) -> Result<Document, CallError> {
        let failed = |message: String| CallError::new(CallErrorKind::Case, message);
        let bytes = std::fs::read(&file.path).map_err(|error| failed(format!("read document {}: {error}", file.id)))?;
        self.extract.extract(&file.id, &bytes).map_err(|error| failed(error.to_string()))
    }
}
