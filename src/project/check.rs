//! Corpus checks: everything about a suite that needs the documents.

use std::collections::BTreeSet;

use super::{Project, Suite};
use crate::case::LoadedCase;
use crate::config::UnreadablePages;
use crate::corpus::PageState;
use crate::error::Result;
use crate::evidence::resolve;

/// What the corpus checks found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorpusReport {
    /// What makes `[suite] S::cases` red.
    pub problems: Vec<String>,
    /// What is only printed.
    pub warnings: Vec<String>,
}

/// Checks documents and evidence of a suite.
pub async fn check_corpus(project: &Project, suite: &Suite) -> Result<CorpusReport> {
    let mut report = CorpusReport::default();
    let corpus = &project.config.corpus[&project.config.suite[&suite.name].corpus];
    let documents = &suite.evaluator.documents;
    let files = documents.files();
    if files.files.is_empty() {
        report.problems.push("the corpus holds no document".into());
    }
    report.problems.extend(files.left_out.iter().cloned());
    for (index, file) in files.files.iter().enumerate() {
        let document = match documents.read(index).await {
            Ok(document) => document,
            Err(error) => {
                report.problems.push(error.message);
                continue;
            }
        };
        for page in document.pages.iter().filter(|page| page.state != PageState::Ok) {
            let name = match page.state {
                PageState::ImageOnly => "image-only: it has no text; add a text layer with OCR",
                PageState::Doubtful => "doubtful: its text looks wrong",
                _ => "unreadable",
            };
            let line = format!("{}, page {}: {name}", file.id, page.number);
            if corpus.unreadable_pages == UnreadablePages::Error { &mut report.problems } else { &mut report.warnings }.push(line);
        }
        let remarks = document
            .warnings
            .iter()
            .map(|w| format!("{}{}: {}", file.id, w.page.map(|p| format!(", page {p}")).unwrap_or_default(), w.message));
        report.warnings.extend(remarks);
    }
    if let Some(foreign) = &project.config.suite[&suite.name].foreign
        && !project.root.join(foreign).is_dir()
    {
        report.problems.push(format!("`foreign = {foreign:?}` is no folder"));
    }
    let counted = project.counted(&suite.name)?;
    if counted.is_empty() {
        let all = project.cases(&suite.name)?;
        let reasons: BTreeSet<String> = all.iter().filter_map(|loaded| project.selection.ignored(&suite.name, &loaded.case)).collect();
        let reasons: Vec<String> = reasons.into_iter().collect();
        let line = format!("none of the {} cases counts ({}); review cases, or choose others", all.len(), reasons.join("; "));
        // An earlier run may have left nothing failed.
        if project.selection.is_rerun() { &mut report.warnings } else { &mut report.problems }.push(line);
    }
    for loaded in counted {
        report.problems.extend(case_problems(project, suite, &loaded).await);
    }
    Ok(report)
}

/// What is wrong with a case's evidence, each problem with file and line.
pub async fn case_problems(project: &Project, suite: &Suite, loaded: &LoadedCase) -> Vec<String> {
    let reference = &suite.evaluator.documents;
    let mut seen: Vec<String> = Vec::new();
    // Where no system can be reached from here, the documents are still compared with the evidence.
    let alone = suite.systems.is_empty().then_some(None);
    let pipelines = suite.systems.iter().map(|system| system.pipeline.as_deref()).chain(alone);
    for pipeline in pipelines {
        let documents = pipeline.map_or(reference, |pipeline| pipeline.documents());
        if let Err(fault) = resolve(&loaded.case, documents, reference, pipeline).await
            && !seen.iter().any(|message| message == fault.message())
        {
            seen.push(fault.message().to_owned());
        }
    }
    let place = format!("{}:{}", project.shown(&loaded.source.path), loaded.source.line);
    seen.into_iter().map(|message| format!("{place}: case {:?}: {message}", loaded.case.id)).collect()
}
