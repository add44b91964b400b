//! The extracted documents of a corpus, each read once and kept.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use crate::corpus::reader::Extract;
use crate::corpus::{Document, SourceFile, SourceFiles};
use crate::error::{CallError, CallErrorKind};
use crate::id::Fingerprint;
use crate::store::DerivedStore;
use crate::text::QuoteFinder;

/// A corpus's files and a reader for them. Extracted texts are stored by reader and content, except those of BEIR lines: these are read as
/// fast as a store is.
pub struct Documents {
    files: Arc<SourceFiles>,
    /// The places of each id, one a snapshot.
    by_id: Arc<HashMap<String, Vec<usize>>>,
    extract: Arc<dyn Extract>,
    store: DerivedStore,
    read: Mutex<HashMap<usize, Arc<Document>>>,
    finders: Mutex<HashMap<usize, Arc<QuoteFinder>>>,
}

impl Documents {
    /// The documents of `files` as `extract` reads them.
    pub fn new(files: SourceFiles, extract: Arc<dyn Extract>, store: DerivedStore) -> Self {
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::with_capacity(files.files.len());
        for (index, file) in files.files.iter().enumerate() {
            by_id.entry(file.id.clone()).or_default().push(index);
        }
        let (files, by_id) = (Arc::new(files), Arc::new(by_id));
        Self { files, by_id, extract, store, read: Mutex::default(), finders: Mutex::default() }
    }

    /// The files.
    pub fn files(&self) -> &SourceFiles {
        &self.files
    }

    /// The same files through another reader.
    #[must_use]
    pub fn with_reader(&self, extract: Arc<dyn Extract>) -> Self {
        let (files, by_id) = (Arc::clone(&self.files), Arc::clone(&self.by_id));
        Self { files, by_id, extract, store: self.store.clone(), read: Mutex::default(), finders: Mutex::default() }
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
        self.by_id.contains_key(id)
    }

    /// The knowledge snapshots of the corpus, sorted.
    pub fn snapshots(&self) -> std::collections::BTreeSet<&str> {
        self.files.files.iter().filter_map(|file| file.snapshot.as_deref()).collect()
    }

    fn position(&self, id: &str, snapshot: Option<&str>) -> Option<usize> {
        let places = self.by_id.get(id)?;
        let of = |snapshot: Option<&str>| places.iter().copied().find(|index| self.files.files[*index].snapshot.as_deref() == snapshot);
        of(snapshot).or_else(|| of(None)).or_else(|| places.last().copied().filter(|_| snapshot.is_none()))
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
        let document = if file.line.is_some() {
            self.extract_file(file)?
        } else {
            let key = Fingerprint::of([self.extract.fingerprint().as_ref(), file.id.as_bytes(), file.hash.as_ref()]);
            self.store.get_or_build("document", key, async { self.extract_file(file) }).await?
        };
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
        let bytes = file_bytes(file).map_err(|error| failed(format!("read document {}: {error}", file.id)))?;
        if file.line.is_none() {
            return self.extract.extract(&file.id, &bytes).map_err(|error| failed(error.to_string()));
        }
        if Fingerprint::of_bytes(&bytes) != file.hash {
            return Err(failed(format!("read document {}: {} changed since it was listed; run again", file.id, file.path.display())));
        }
        // The extension names the format; it is no part of the id.
        let document = self.extract.extract(&format!("{}.jsonl", file.id), &bytes);
        document.map(|document| Document { id: file.id.clone(), ..document }).map_err(|error| failed(error.to_string()))
    }
}

/// The bytes of a file, or of its line.
fn file_bytes(file: &SourceFile) -> std::io::Result<Vec<u8>> {
    let Some(line) = &file.line else { return std::fs::read(&file.path) };
    let mut source = std::fs::File::open(&file.path)?;
    source.seek(SeekFrom::Start(line.start))?;
    let mut bytes = Vec::new();
    source.take(line.end - line.start).read_to_end(&mut bytes)?;
    Ok(bytes)
}
