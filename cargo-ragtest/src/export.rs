//! `export`: cases become TREC qrels, a BEIR folder, or a CSV file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ragtest::Error;
use ragtest::case::{LoadedCase, TestCase, load_cases};
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::corpus::{Document, SourceFiles};
use ragtest::text::plain;
use ragtest::trec::{QrelsShape, push_label, qrels_header};
use serde_json::json;

use crate::output::Output;

/// Turns case files into TREC qrels, a BEIR folder, or a CSV file
#[derive(Args)]
#[command(long_about = "\
Turns case files into TREC qrels, a BEIR folder (queries.jsonl, qrels/test.tsv, with --documents corpus.jsonl), or a CSV file. What the target
cannot hold is listed.

  cargo ragtest export --to trec rag-tests/cases/handbook.jsonl -o qrels.txt
  cargo ragtest export --to beir rag-tests/cases/*.jsonl --documents golden/handbook -o handbook-beir
  cargo ragtest export --to csv rag-tests/cases/handbook.jsonl -o handbook.csv

A label's item is the evidence's source or document; of several items in one document the highest grade counts.

Exit codes: 0 done; 2 a file cannot be read or written, or nothing can be exported.")]
pub(crate) struct Options {
    /// The shape to write
    #[arg(long, value_name = "SHAPE", env = "RAGTEST_TO", hide_env = true)]
    to: Shape,
    /// The case files
    #[arg(value_name = "CASES", required = true)]
    cases: Vec<PathBuf>,
    /// The documents of corpus.jsonl: a folder, file or glob (beir)
    #[arg(long, value_name = "PLACE", env = "RAGTEST_DOCUMENTS", hide_env = true)]
    documents: Option<PathBuf>,
    /// The file or folder to write
    #[arg(short, long, value_name = "PATH", env = "RAGTEST_OUTPUT", hide_env = true)]
    output: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    Trec,
    Beir,
    Csv,
}

/// What the target cannot hold, with how often it occurs.
type Left = BTreeMap<String, usize>;

pub(crate) fn run(options: &Options) -> Result<Output> {
    let loaded = load_cases(&options.cases, |path| path.display().to_string())
        .map_err(|problems| anyhow!("read the cases:\n{}", problems.join("\n")))?;
    let cases: Vec<&TestCase> = loaded.iter().map(|LoadedCase { case, .. }| case).collect();
    let mut left = Left::new();
    let what = match options.to {
        Shape::Trec => {
            let (text, labels) = qrels(&cases, QrelsShape::Trec, &mut left)?;
            write(&options.output, &text)?;
            for _ in &cases {
                count(&mut left, "query text: qrels hold ids only");
            }
            format!("{labels} labels")
        }
        Shape::Beir => beir(&cases, options, &mut left)?,
        Shape::Csv => {
            write(&options.output, &csv(&cases, &mut left)?)?;
            format!("{} cases", cases.len())
        }
    };
    let mut text = format!("{what} written to {}\n", options.output.display());
    if !left.is_empty() {
        text.push_str("\nnot carried over:\n");
        for (what, count) in &left {
            let _ = writeln!(text, "  {count} x {}", plain(what));
        }
    }
    Ok(Output { text, green: true })
}

fn count(left: &mut Left, what: impl Into<String>) {
    *left.entry(what.into()).or_default() += 1;
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("write {}", path.display()))
}

/// The labels of all cases, and how many there are.
fn qrels(cases: &[&TestCase], shape: QrelsShape, left: &mut Left) -> Result<(String, usize)> {
    let mut text = qrels_header(shape).to_owned();
    let mut labels = 0;
    for case in cases {
        let mut grades: BTreeMap<&str, u8> = BTreeMap::new();
        for item in &case.evidence {
            if let Some(document) = item.source_id.as_ref().or(item.document.as_ref()).or(item.chunk_id.as_ref()) {
                let grade = grades.entry(document).or_default();
                *grade = item.grade().max(*grade);
            }
            if item.quote.is_some() {
                count(left, "quote of evidence: the label names its document");
            }
        }
        if grades.is_empty() {
            count(left, "case without evidence: no label");
        }
        for (document, grade) in grades {
            push_label(&mut text, shape, &case.id, document, grade.into())
                .map_err(|problem| anyhow!("export case {:?}: {problem}", case.id))?;
            labels += 1;
        }
    }
    if labels == 0 {
        bail!("export: no case has evidence, so there is no label");
    }
    Ok((text, labels))
}

fn beir(cases: &[&TestCase], options: &Options, left: &mut Left) -> Result<String> {
    let folder = &options.output;
    let (labels_text, labels) = qrels(cases, QrelsShape::Beir, left)?;
    let mut queries = String::new();
    for case in cases {
        let _ = writeln!(queries, "{}", json!({ "_id": case.id, "text": case.query }));
        if case.reference_answer.is_some() {
            count(left, "reference answer");
        }
    }
    let corpus = options.documents.as_deref().map(corpus).transpose()?;
    write(&folder.join("queries.jsonl"), &queries)?;
    write(&folder.join("qrels/test.tsv"), &labels_text)?;
    if let Some((text, documents)) = corpus {
        write(&folder.join("corpus.jsonl"), &text)?;
        return Ok(format!("{} queries, {labels} labels, {documents} documents", cases.len()));
    }
    count(left, "corpus.jsonl: name the documents with --documents PLACE");
    Ok(format!("{} queries, {labels} labels", cases.len()))
}

/// The documents as `corpus.jsonl`; another `corpus.jsonl` is taken over as it is.
fn corpus(place: &Path) -> Result<(String, usize)> {
    if place.is_file() && place.extension().is_some_and(|extension| extension == "jsonl") {
        let text = ragtest::case::jsonl::read_text(place)?;
        let documents = ragtest::case::jsonl::lines(&text).count();
        return Ok((text, documents));
    }
    let mut files = SourceFiles::default();
    files.list(place, None, &BTreeMap::new())?;
    let reader = Reader::default();
    let mut text = String::new();
    for file in &files.files {
        let bytes = std::fs::read(&file.path).map_err(Error::io(&file.path))?;
        let document = reader.extract(&file.id, &bytes)?;
        let (title, body) = title_and_body(&document);
        let _ = writeln!(text, "{}", json!({ "_id": file.id, "title": title, "text": body }));
    }
    Ok((text, files.files.len()))
}

/// A heading in the first line is the title.
fn title_and_body(document: &Document) -> (&str, &str) {
    let first = document.headings.first().filter(|heading| heading.offset == 0);
    let split = first.and_then(|heading| Some((heading.text.as_str(), document.text.strip_prefix(heading.text.as_str())?)));
    split.map_or(("", document.text.as_str()), |(title, body)| (title, body.trim_start()))
}

const COLUMNS: [&str; 15] = [
    "id",
    "strategy",
    "query",
    "reference_answer",
    "expect",
    "answer_expectation",
    "document",
    "quote",
    "source_id",
    "chunk_id",
    "keywords",
    "required_facts",
    "tags",
    "access_scope",
    "owner",
];

/// The columns that `import --from csv` reads without a mapping.
fn csv(cases: &[&TestCase], left: &mut Left) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for case in cases {
        let ids = |id: fn(&ragtest::case::EvidenceItem) -> Option<&String>| {
            case.evidence.iter().filter_map(id).map(String::as_str).collect::<Vec<_>>()
        };
        let quotes: Vec<_> = case.evidence.iter().filter(|item| item.quote.is_some()).collect();
        let quoted = quotes.first().filter(|item| quotes.len() == 1 && item.document.as_deref() == case.home());
        if quoted.is_none() {
            for _ in &quotes {
                count(left, "quote: a row holds one, of the case's document");
            }
        }
        if case.evidence.iter().any(|item| item.grade.is_some()) {
            count(left, "grades of evidence");
        }
        if !case.forbidden_facts.is_empty() || case.required_facts.iter().any(|fact| matches!(fact, ragtest::case::Fact::Literal(_))) {
            count(left, "forbidden or literal facts");
        }
        if case.review.is_some() || case.origin.is_some() || !case.min.is_empty() || !case.extra.is_empty() {
            count(left, "review, origin, thresholds or keys of other tools");
        }
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let claims: Vec<&str> = case.required_facts.iter().map(ragtest::case::Fact::text).collect();
        writer.write_record([
            case.id.clone(),
            case.strategy().name().to_owned(),
            case.query.clone(),
            text(&case.reference_answer),
            case.expect().name().to_owned(),
            text(&case.answer_expectation),
            case.home().unwrap_or_default().to_owned(),
            quoted.and_then(|item| item.quote.clone()).unwrap_or_default(),
            joined(&ids(|item| item.source_id.as_ref()), left),
            joined(&ids(|item| item.chunk_id.as_ref()), left),
            joined(&case.keywords.iter().map(String::as_str).collect::<Vec<_>>(), left),
            joined(&claims, left),
            joined(&case.tags.iter().map(String::as_str).collect::<Vec<_>>(), left),
            text(&case.access_scope),
            text(&case.owner),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner().map_err(|error| anyhow!("write the CSV file: {error}"))?)?)
}

/// Texts between semicolons.
fn joined(texts: &[&str], left: &mut Left) -> String {
    for _ in texts.iter().filter(|text| text.contains([';', '\n'])) {
        count(left, "text with a semicolon in a list: it comes back as two");
    }
    texts.join("; ")
}
