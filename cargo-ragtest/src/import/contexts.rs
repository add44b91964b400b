//! Contexts without a document: the documents in which they stand are looked up.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use ragtest::Error;
use ragtest::corpus::SourceFiles;
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::text::QuoteFinder;
use serde_json::{Value, json};

/// Documents ready for search.
pub(super) struct Contexts {
    documents: Vec<(String, QuoteFinder)>,
}

impl Contexts {
    /// Reads the documents of a folder, file or glob.
    pub(super) fn open(place: &Path) -> Result<Self> {
        let mut files = SourceFiles::default();
        files.list(place, None, &BTreeMap::new())?;
        let reader = Reader::default();
        let mut documents = Vec::with_capacity(files.files.len());
        for file in files.files {
            let bytes = std::fs::read(&file.path).map_err(Error::io(&file.path))?;
            documents.push((file.id.clone(), QuoteFinder::new(&reader.extract(&file.id, &bytes)?.text)));
        }
        Ok(Self { documents })
    }

    /// The evidence that a context is: the first document that holds it word by word.
    pub(super) fn evidence(&self, context: &str) -> Option<Value> {
        let holds = |(_, finder): &&(String, QuoteFinder)| !finder.find(context).is_empty();
        let (document, _) = self.documents.iter().find(holds)?;
        Some(json!({ "document": document, "quote": context }))
    }
}
