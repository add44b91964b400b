//! Corpus checks: everything about a suite that needs the documents.

use std::sync::Arc;

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
        let all = project.cases(&suite.name)?.len();
        report.problems.push(match project.selection.profile() {
            Some(profile) => format!("profile {profile} includes none of the {all} cases; correct its `include`"),
            None => format!("none of the {all} cases is accepted; review them"),
        });
    }
    for loaded in counted {
        check_case(project, suite, &loaded, &mut report).await;
    }
    Ok(report)
}

async fn check_case(project: &Project, suite: &Suite, loaded: &Arc<LoadedCase>, report: &mut CorpusReport) {
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
    report.problems.extend(seen.into_iter().map(|message| format!("{place}: case {:?}: {message}", loaded.case.id)));
}
