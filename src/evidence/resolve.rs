//! Finding a case's evidence in the documents.

use std::ops::Range;

use crate::case::{EvidenceItem, TestCase};
use crate::system::{Documents, Pipeline};
use crate::text::{QuoteFinder, excerpt, words};

/// One evidence item, found in the documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoldItem {
    /// 1 to 3.
    pub grade: u8,
    /// The document.
    pub document: Option<String>,
    /// The knowledge snapshot that the document is of.
    pub snapshot: Option<String>,
    /// Every place of the quote in it (byte spans).
    pub places: Vec<Range<usize>>,
    /// The quote's words, for systems whose chunks have no spans.
    pub(super) quote: Vec<String>,
    pub(super) chunk_id: Option<String>,
    pub(super) source_id: Option<String>,
}

/// Why a case's evidence cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceFault {
    /// The label is wrong or old: the case is an `error`.
    Label(String),
    /// The document is the one that was reviewed, but its text lost the quote: a `fail` of origin `extraction`.
    Extraction(String),
}

impl EvidenceFault {
    /// What is wrong and what to do.
    pub fn message(&self) -> &str {
        match self {
            Self::Label(message) | Self::Extraction(message) => message,
        }
    }
}

/// Finds a case's evidence in the documents as the system reads them; `reference` are the same files through the standard reader.
pub async fn resolve(
    case: &TestCase,
    documents: &Documents,
    reference: &Documents,
    pipeline: Option<&Pipeline>,
) -> Result<Vec<GoldItem>, EvidenceFault> {
    check_case(case, documents).map_err(EvidenceFault::Label)?;
    let mut items = Vec::with_capacity(case.evidence.len());
    for (index, item) in case.evidence.iter().enumerate() {
        let number = index + 1;
        let mut gold = GoldItem {
            grade: item.grade(),
            document: item.document.clone().or_else(|| item.source_id.clone().filter(|_| item.quote.is_some())),
            chunk_id: item.chunk_id.clone(),
            source_id: item.source_id.clone(),
            ..GoldItem::default()
        };
        if let (Some(quote), Some(document)) = (&item.quote, gold.document.clone()) {
            gold.places = find_quote(case, number, quote, &document, documents, reference).await?;
            gold.quote = words(quote);
            gold.snapshot = documents.file(&document, case.knowledge_snapshot_id.as_deref()).and_then(|file| file.snapshot.clone());
        } else if let Some(pipeline) = pipeline {
            check_ids(number, item, pipeline).await?;
        }
        items.push(gold);
    }
    Ok(items)
}

/// Names that the corpus does not have make a refusal right by accident, so they are errors.
fn check_case(case: &TestCase, documents: &Documents) -> Result<(), String> {
    let snapshots = documents.snapshots();
    let listed = |names: &std::collections::BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
    match &case.knowledge_snapshot_id {
        Some(asked) if !snapshots.is_empty() && !snapshots.contains(asked.as_str()) => {
            return Err(format!("snapshot {asked:?} is not one of the corpus ({}); correct `knowledge_snapshot_id`", listed(&snapshots)));
        }
        None if snapshots.len() > 1 && !case.evidence.is_empty() => {
            return Err(format!("the corpus has the snapshots {}; name one in `knowledge_snapshot_id`, or use `at`", listed(&snapshots)));
        }
        _ => {}
    }
    let scopes: std::collections::BTreeSet<&str> =
        documents.files().files.iter().flat_map(|file| &file.scopes).map(String::as_str).collect();
    match &case.access_scope {
        Some(scope) if !scopes.is_empty() && !scopes.contains(scope.as_str()) => {
            Err(format!("scope {scope:?} may see nothing that others may not (scopes: {}); correct `access_scope`", listed(&scopes)))
        }
        _ => Ok(()),
    }
}

/// Whether whoever asks the case may see a document of these scopes.
pub fn may_see(case: &TestCase, scopes: &[String]) -> bool {
    scopes.is_empty() || case.access_scope.as_ref().is_some_and(|scope| scopes.contains(scope))
}

async fn find_quote(
    case: &TestCase,
    number: usize,
    quote: &str,
    document: &str,
    documents: &Documents,
    reference: &Documents,
) -> Result<Vec<Range<usize>>, EvidenceFault> {
    let snapshot = case.knowledge_snapshot_id.as_deref();
    let Some(file) = documents.file(document, snapshot) else {
        return Err(EvidenceFault::Label(format!(
            "evidence {number}: document {document} is not in the corpus; restore it, or relabel the case"
        )));
    };
    if !may_see(case, &file.scopes) {
        let who = case.access_scope.as_ref().map_or("a case without `access_scope`".to_owned(), |scope| format!("scope {scope:?}"));
        let allowed = file.scopes.join(", ");
        let message =
            format!("evidence {number}: {who} may not see {document} ({allowed} may); correct `access_scope`, or expect a refusal");
        return Err(EvidenceFault::Label(message));
    }
    let same_document = case.home() == Some(document) && case.reviewed_hash() == Some(file.hash);
    let finder = match documents.finder(document, snapshot).await {
        Ok(finder) => finder,
        Err(error) if same_document => return Err(EvidenceFault::Extraction(format!("evidence {number}: {error}"))),
        Err(error) => return Err(EvidenceFault::Label(format!("evidence {number}: {error}"))),
    };
    let places = places_of(&finder, quote);
    if !places.is_empty() {
        return Ok(places);
    }
    let shown = excerpt(quote, 80);
    let read_otherwise = match reference.finder(document, snapshot).await {
        Ok(other) => !places_of(&other, quote).is_empty(),
        Err(_) => false,
    };
    if same_document || read_otherwise {
        return Err(EvidenceFault::Extraction(format!(
            "evidence {number}: the text of {document} as it was read lacks the quote {shown:?}"
        )));
    }
    let why = if case.reviewed_hash().is_some() {
        "the document changed since the review"
    } else {
        "the document changed, or the quote is not verbatim"
    };
    Err(EvidenceFault::Label(format!("evidence {number}: stale evidence: {document} does not hold {shown:?} ({why}); correct the quote")))
}

/// The quote as it is, else without the marks that a copy from Markdown source brings along.
fn places_of(finder: &QuoteFinder, quote: &str) -> Vec<Range<usize>> {
    let places = finder.find(quote);
    if places.is_empty() { finder.find(&quote.replace(['`', '*'], "").replace("__", "")) } else { places }
}

/// A gold id that the pipeline does not have is an error at once, never a recall of 0.
async fn check_ids(number: usize, item: &EvidenceItem, pipeline: &Pipeline) -> Result<(), EvidenceFault> {
    if let Some(id) = &item.chunk_id {
        let known = pipeline.chunk(id).await.map_err(|error| EvidenceFault::Label(error.to_string()))?;
        if known.is_none() {
            return Err(EvidenceFault::Label(format!(
                "evidence {number}: chunk {id:?} is not in the index (chunks drift; give `document` and `quote` instead)"
            )));
        }
    } else if let Some(id) = item.source_id.as_deref().filter(|id| pipeline.documents().file(id, None).is_none()) {
        return Err(EvidenceFault::Label(format!("evidence {number}: document {id} is not in the corpus")));
    }
    Ok(())
}
