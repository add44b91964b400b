//! Which stage a failure comes from, by evidence: what the text held, what a chunk held, what was retrieved, what entered the prompt.
//!
//! The origins map to the failure points of Barnett et al. (2024), "Seven Failure Points When Engineering a Retrieval Augmented Generation
//! System": `retrieval` = missed the top ranks, `prompt` = not in context, `generation` = not extracted by the model, wrong format, wrong
//! specificity or incomplete.

use crate::case::TestCase;
use crate::corpus::Chunk;
use crate::evidence::{Cover, GoldItem, Located};
use crate::metrics::JudgedList;
use crate::response::Response;
use crate::system::Pipeline;
use crate::verdict::Origin;

/// All that is known of a failed case.
pub struct Scene<'a> {
    /// The case.
    pub case: &'a TestCase,
    /// Its evidence in the documents.
    pub gold: &'a [GoldItem],
    /// What the system returned.
    pub response: &'a Response,
    /// The ranked list, judged.
    pub judged: &'a JudgedList,
    /// Where its hits stand.
    pub located: &'a [Located<'a>],
    /// The built-in pipeline, where it is one.
    pub pipeline: Option<&'a Pipeline>,
}

/// The origin of a failure and the sentence that explains it.
pub async fn localise(scene: &Scene<'_>) -> (Origin, String) {
    if scene.case.expect().allows_refusal() && scene.gold.is_empty() {
        return (Origin::Generation, "no document answers this; the answer should have said so".into());
    }
    if scene.gold.is_empty() {
        return (Origin::Undetermined, "the case names no evidence; add `evidence` to learn which stage lost it".into());
    }
    if scene.response.chunks.is_none() {
        return (Origin::Undetermined, "the system exposes no chunks; return them to learn which stage lost the evidence".into());
    }
    let depth = scene.pipeline.map_or(scene.located.len(), |pipeline| pipeline.top_k().min(scene.located.len()));
    for (number, gold) in scene.gold.iter().enumerate() {
        let number = number + 1;
        let top = cover(gold, scene.located.iter().take(depth));
        if !top.met() {
            if let Some(why) = split_by_chunking(scene, gold, number).await {
                return (Origin::Chunking, why);
            }
            let rank = scene.judged.items.get(number - 1).and_then(|item| item.met_at);
            let found = rank.map_or("is not in the list".to_owned(), |rank| format!("is at rank {rank}"));
            return (Origin::Retrieval, format!("evidence {number} {found}, not in the top {depth}"));
        }
    }
    let Some(context) = &scene.response.context else {
        // All that was retrieved is taken to have entered the prompt.
        return (Origin::Generation, "all evidence was retrieved".into());
    };
    for (number, gold) in scene.gold.iter().enumerate() {
        let used = cover(gold, context.iter().filter_map(|index| scene.located.get(*index)));
        if !used.met() {
            return (
                Origin::Prompt,
                format!("evidence {} was retrieved but did not enter the prompt ({} of {depth} chunks did)", number + 1, context.len()),
            );
        }
    }
    (Origin::Generation, "all evidence was in the prompt".into())
}

fn cover<'a>(gold: &'a GoldItem, hits: impl Iterator<Item = &'a Located<'a>>) -> Cover<'a> {
    let mut cover = Cover::new(gold);
    for hit in hits {
        cover.add(hit);
    }
    cover
}

/// Whether no k chunks hold the evidence, however they are ranked.
async fn split_by_chunking(scene: &Scene<'_>, gold: &GoldItem, number: usize) -> Option<String> {
    let pipeline = scene.pipeline?;
    let k = pipeline.top_k();
    let document = gold.document.as_deref().filter(|_| !gold.places.is_empty())?;
    let chunks = pipeline.chunks().await.ok()?;
    let touching: Vec<&Chunk> = chunks
        .iter()
        .filter(|chunk| chunk.source_id == document)
        .filter(|chunk| {
            chunk.span.as_ref().is_some_and(|span| gold.places.iter().any(|place| span.start < place.end && place.start < span.end))
        })
        .collect();
    // The k chunks that hold most of it: chunks of one document hardly overlap, so the best ones one by one are the best together.
    let mut shares: Vec<(f64, &Chunk)> =
        touching.iter().map(|chunk| (cover(gold, [&located(chunk)].into_iter()).share(), *chunk)).collect();
    shares.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.id.cmp(&y.id)));
    let best: Vec<Located<'_>> = shares.iter().take(k).map(|(_, chunk)| located(chunk)).collect();
    let held = cover(gold, best.iter()).share();
    (held < 0.5)
        .then(|| format!("evidence {number} is spread over {} chunks; the best {k} hold {:.0} % of it", touching.len(), held * 100.0))
}

fn located(chunk: &Chunk) -> Located<'_> {
    Located {
        chunk_id: Some(&chunk.id),
        source_id: Some(&chunk.source_id),
        known_source: true,
        snapshot: chunk.snapshot.clone(),
        span: chunk.span.clone(),
        words: Vec::new(),
        tokens: 0,
    }
}
