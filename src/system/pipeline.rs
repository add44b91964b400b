//! The built-in pipeline: extract, chunk, index, search, fuse, prompt, answer.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::documents::Documents;
use super::extractive::Lexicon;
use super::rag_system::RagSystem;
use super::stages::Stages;
use crate::config::{PipelineSpec, RetrieverKind};
use crate::corpus::Chunk;
use crate::error::{CallError, CallErrorKind, SystemError};
use crate::id::Fingerprint;
use crate::index::{Exact, IndexBuilder, Search};
use crate::metrics::ANN_DEPTH;
use crate::question::Question;
use crate::response::{Hit, Response};
use crate::store::DerivedStore;

/// How deep the ranked list goes that a pipeline exposes: the curve of metric@1..20 needs it, the prompt takes fewer.
pub const RETRIEVAL_DEPTH: usize = 20;

/// How deep each index is searched before the lists are fused.
const LIST_DEPTH: usize = 100;

/// The built-in pipeline over one corpus. Nothing is read before the first question.
pub struct Pipeline {
    stages: Stages,
    documents: Arc<Documents>,
    /// The whole corpus goes into the prompt, unranked.
    whole_corpus: bool,
    top_k: usize,
    store: DerivedStore,
    chunks: OnceCell<Chunks>,
    /// Opened indexes: of the corpus (`None`) and of single documents.
    opened: Mutex<HashMap<Option<String>, OpenedOnce>>,
    /// By what is seen: scope and snapshot.
    lexicons: Mutex<HashMap<[Option<String>; 2], LexiconOnce>>,
}

type LexiconOnce = Arc<OnceCell<Arc<Lexicon>>>;

type OpenedOnce = Arc<OnceCell<Arc<Opened>>>;

/// The chunks of the corpus.
struct Chunks {
    all: Arc<[Chunk]>,
    by_id: HashMap<String, usize>,
}

/// Indexes over (some of) the chunks.
struct Opened {
    chunks: Arc<[Chunk]>,
    searches: Vec<Arc<dyn Search>>,
    /// The exact index beside an approximate one, opened when it is compared.
    exact: OnceCell<Arc<dyn Search>>,
}

impl Pipeline {
    /// A pipeline over documents that its own extraction stage reads.
    pub fn new(stages: Stages, documents: &Documents, spec: &PipelineSpec, store: DerivedStore) -> Self {
        let whole_corpus = spec.retriever == RetrieverKind::All;
        let top_k = if whole_corpus { usize::MAX } else { spec.top_k };
        let documents = Arc::new(documents.with_reader(Arc::clone(&stages.extract)));
        Self {
            stages,
            documents,
            whole_corpus,
            top_k,
            store,
            chunks: OnceCell::new(),
            opened: Mutex::default(),
            lexicons: Mutex::default(),
        }
    }

    /// The stages.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// How many hits the prompt may take.
    pub fn top_k(&self) -> usize {
        self.top_k
    }

    /// The documents as this pipeline reads them.
    pub fn documents(&self) -> &Arc<Documents> {
        &self.documents
    }

    /// All chunks, in document order.
    pub async fn chunks(&self) -> Result<&Arc<[Chunk]>, CallError> {
        Ok(&self.cut().await?.all)
    }

    /// The chunk of an id.
    pub async fn chunk(&self, id: &str) -> Result<Option<&Chunk>, CallError> {
        let chunks = self.cut().await?;
        Ok(chunks.by_id.get(id).map(|index| &chunks.all[*index]))
    }

    async fn cut(&self) -> Result<&Chunks, CallError> {
        self.chunks
            .get_or_try_init(|| async {
                let key = Fingerprint::of([self.documents.fingerprint(), self.stages.chunk.fingerprint()]);
                let all: Arc<[Chunk]> = self.store.get_or_build("chunks", key, self.cut_all()).await?.into();
                let by_id = all.iter().enumerate().map(|(index, chunk)| (chunk.id.clone(), index)).collect();
                Ok(Chunks { all, by_id })
            })
            .await
    }

    async fn cut_all(&self) -> Result<Vec<Chunk>, CallError> {
        let mut chunks = Vec::new();
        // The same document in two snapshots needs two ids.
        let several = self.documents.files().files.windows(2).any(|pair| pair[0].snapshot != pair[1].snapshot);
        for (index, file) in self.documents.files().files.iter().enumerate() {
            // A document that cannot be read is a red `[suite] S::cases` with its name; the others are still searched.
            let Ok(document) = self.documents.read(index).await else { continue };
            chunks.extend(self.stages.chunk.chunk(&document).into_iter().map(|mut chunk| {
                chunk.scopes.clone_from(&file.scopes);
                chunk.snapshot.clone_from(&file.snapshot);
                if let Some(snapshot) = file.snapshot.as_ref().filter(|_| several) {
                    chunk.id = format!("{snapshot}/{}", chunk.id);
                }
                chunk
            }));
        }
        Ok(chunks)
    }

    async fn open(&self, within: Option<&str>) -> Result<Arc<Opened>, CallError> {
        let cell = {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(opened.entry(within.map(str::to_owned)).or_default())
        };
        let opened = cell.get_or_try_init(|| async {
            let all = self.chunks().await?;
            let chunks: Arc<[Chunk]> = match within {
                None => Arc::clone(all),
                Some(document) => all.iter().filter(|chunk| chunk.source_id == document).cloned().collect(),
            };
            let mut searches = Vec::with_capacity(self.stages.index.len());
            for index in &self.stages.index {
                searches.push(index.open(Arc::clone(&chunks), Arc::clone(&self.stages.embed)).await?);
            }
            Ok(Arc::new(Opened { chunks, searches, exact: OnceCell::new() }))
        });
        opened.await.cloned()
    }

    /// Builds the indexes over the corpus or one document where the store lacks them, and says how many chunks they hold.
    pub async fn prepare(&self, within: Option<&str>) -> Result<usize, CallError> {
        Ok(self.open(within).await?.chunks.len())
    }

    /// The best `k` chunks, best first, within the corpus or one document.
    pub async fn retrieve_within(&self, question: &Question, k: usize, within: Option<&str>) -> Result<Vec<Hit>, CallError> {
        let opened = self.open(within).await?;
        if self.whole_corpus {
            let visible = opened.chunks.iter().filter(|chunk| visible(chunk, question));
            return Ok(visible.map(|chunk| Hit { score: None, ..hit_of(chunk) }).collect());
        }
        let mut lists = Vec::with_capacity(opened.searches.len());
        for search in &opened.searches {
            lists.push(search.search(question, LIST_DEPTH.max(k)).await?);
        }
        Ok(self.stages.rank.rank(question, lists, k))
    }

    /// How common words are in what the question may see.
    async fn lexicon(&self, question: &Question, all: &[Chunk]) -> Result<Arc<Lexicon>, CallError> {
        let sight = [question.access_scope.clone(), question.knowledge_snapshot_id.clone()];
        let cell = {
            let mut lexicons = self.lexicons.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(lexicons.entry(sight.clone()).or_default())
        };
        let lexicon = cell.get_or_try_init(|| async {
            let sight = Fingerprint::of(sight.map(|part| format!("{part:?}")));
            let key = Fingerprint::of([self.documents.fingerprint(), self.stages.chunk.fingerprint(), sight]);
            let build = async { Ok(Lexicon::of(all.iter().filter(|chunk| visible(chunk, question)).map(Chunk::indexed_text))) };
            self.store.get_or_build("lexicon", key, build).await.map(Arc::new)
        });
        lexicon.await.cloned()
    }

    /// For the first [`ANN_DEPTH`] chunks of the exact index in order: their ranks (from 1) in the list of the approximate index. `None` where no
    /// index of the pipeline is approximate; the first counts where several are.
    pub async fn exact_ranks(&self, question: &Question, within: Option<&str>) -> Result<Option<Vec<Option<usize>>>, CallError> {
        let Some(at) = self.stages.index.iter().position(|index| index.is_approximate()) else { return Ok(None) };
        let opened = self.open(within).await?;
        let exact = opened.exact.get_or_try_init(|| async {
            let builder = Exact { store: self.store.clone() };
            builder.open(Arc::clone(&opened.chunks), Arc::clone(&self.stages.embed)).await
        });
        let exact = exact.await?.search(question, ANN_DEPTH).await?;
        let found = opened.searches[at].search(question, LIST_DEPTH).await?;
        let rank = |hit: &Hit| found.iter().position(|other| other.chunk_id == hit.chunk_id).map(|index| index + 1);
        Ok(Some(exact.iter().map(rank).collect()))
    }

    /// Answers from hits that the caller chose.
    pub async fn generate_from(&self, question: &Question, hits: Vec<Hit>) -> Result<Response, CallError> {
        let mut prompt = self.stages.prompt.build(question, &hits);
        let chunks = self.cut().await?;
        let chunk = |hit: &Hit| hit.chunk_id.as_ref().and_then(|id| chunks.by_id.get(id)).map(|index| &chunks.all[*index]);
        prompt.above = prompt.passages.iter().map(|hit| chunk(hit).map_or_else(Vec::new, above)).collect();
        prompt.lexicon = Some(self.lexicon(question, &chunks.all).await?);
        let mut response = self.stages.answer.answer(question, &prompt).await?;
        response.context = Some(prompt.context);
        response.chunks = Some(hits);
        Ok(response)
    }

    /// Answers a question within the corpus or one document.
    pub async fn ask_within(&self, question: &Question, within: Option<&str>) -> Result<Response, CallError> {
        let hits = self.retrieve_within(question, RETRIEVAL_DEPTH, within).await?;
        let mut response = self.generate_from(question, hits).await?;
        response.snapshot_id.clone_from(&question.knowledge_snapshot_id);
        response.prompt_metadata = BTreeMap::from([("prompt".to_owned(), self.stages.prompt.fingerprint().short(12))]);
        Ok(response)
    }
}

fn visible(chunk: &Chunk, question: &Question) -> bool {
    let snapshot = question.knowledge_snapshot_id.as_ref().zip(chunk.snapshot.as_ref());
    chunk.visible_to(question.access_scope.as_deref()) && snapshot.is_none_or(|(asked, own)| asked == own)
}

/// What stands above a chunk.
fn above(chunk: &Chunk) -> Vec<String> {
    std::iter::once(chunk.source_id.clone()).chain(chunk.headings.iter().cloned()).collect()
}

/// A chunk as a hit.
pub(crate) fn hit_of(chunk: &Chunk) -> Hit {
    Hit::text(chunk.text.clone()).chunk_id(chunk.id.clone()).source_id(chunk.source_id.clone())
}

impl RagSystem for Pipeline {
    async fn ask(&self, question: &Question) -> Result<Response, SystemError> {
        self.ask_within(question, None).await.map_err(|error| SystemError::of_kind(error.kind, error.message))
    }
}

impl super::Retriever for Pipeline {
    async fn retrieve(&self, question: &Question, k: usize) -> Result<Vec<Hit>, SystemError> {
        self.retrieve_within(question, k, None).await.map_err(|error| SystemError::of_kind(CallErrorKind::Other, error.message))
    }
}

impl super::Generator for Pipeline {
    async fn generate(&self, question: &Question, context: &[Hit]) -> Result<Response, SystemError> {
        self.generate_from(question, context.to_vec()).await.map_err(|error| SystemError::of_kind(error.kind, error.message))
    }
}
