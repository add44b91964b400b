//! `import`: cases of other tools become a case file.

mod beir;
mod contexts;
mod promptfoo;
mod records;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ragtest::case::jsonl::{lines, parse_line, read_text};
use ragtest::case::{CaseOrigin, Review, ReviewStatus, TestCase, read_line};
use ragtest::id::{normalize_id, slug};
use ragtest::text::plain;
use serde_json::{Map, Value};

use crate::output::Output;

/// Turns the test sets of other tools into a case file
#[derive(Args)]
#[command(long_about = "\
Turns the test sets of other tools into a case file. Nothing is lost in silence: what cannot be carried over is listed.

  cargo ragtest import --from beir scifact -o rag-tests/cases/scifact.jsonl
  cargo ragtest import --from trec --queries topics.tsv --qrels qrels.txt -o rag-tests/cases/trec.jsonl
  cargo ragtest import --from csv faq.csv --map query=Question,reference_answer=Answer -o rag-tests/cases/faq.jsonl
  cargo ragtest import --from ragas testset.jsonl --documents golden/handbook -o rag-tests/cases/ragas.jsonl

template and guide are published shapes of cases that load as they are; here they are rewritten in this project's own. Labels of beir and trec
were made by people: their cases are accepted. What a model wrote (ragas, raget) is a draft until a person accepts it.

Exit codes: 0 done; 1 written, but rows were left out; 2 a file cannot be read, or nothing can be imported.")]
pub(crate) struct Options {
    /// The shape of what is imported
    #[arg(long, value_name = "SHAPE", env = "RAGTEST_FROM", hide_env = true)]
    from: Shape,
    /// The file; for beir the folder with queries.jsonl and qrels
    #[arg(value_name = "PATH", required_unless_present = "queries")]
    path: Option<PathBuf>,
    /// The queries: queries.jsonl, or a line `id<tab>text` each (trec, beir)
    #[arg(long, value_name = "FILE", env = "RAGTEST_QUERIES", hide_env = true)]
    queries: Option<PathBuf>,
    /// The labels (trec, beir)
    #[arg(long, value_name = "FILE", env = "RAGTEST_QRELS", hide_env = true)]
    qrels: Option<PathBuf>,
    /// Which column holds which field of a case, for example query=Question
    #[arg(long = "map", value_name = "FIELD=COLUMN", value_delimiter = ',', env = "RAGTEST_MAP", hide_env = true)]
    mapping: Vec<String>,
    /// The documents in which the contexts of ragas and raget are looked up: a folder, file or glob
    #[arg(long, value_name = "PLACE", env = "RAGTEST_DOCUMENTS", hide_env = true)]
    documents: Option<PathBuf>,
    /// The case file to write; it must not exist
    #[arg(short, long, value_name = "FILE", env = "RAGTEST_OUTPUT", hide_env = true)]
    output: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    Beir,
    Trec,
    Csv,
    Ragas,
    Raget,
    Promptfoo,
    Template,
    Guide,
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Self::Beir => "beir",
            Self::Trec => "trec",
            Self::Csv => "csv",
            Self::Ragas => "ragas",
            Self::Raget => "raget",
            Self::Promptfoo => "promptfoo",
            Self::Template => "template",
            Self::Guide => "guide",
        }
    }

    /// Who made the expectation: `None` = people by hand, as in a case without a review.
    fn review(self) -> Option<Review> {
        let (status, note) = match self {
            Self::Beir | Self::Trec => (ReviewStatus::Accepted, "labelled by the makers of the published set"),
            Self::Ragas | Self::Raget => (ReviewStatus::Draft, "generated; nobody looked at it here"),
            Self::Csv | Self::Promptfoo | Self::Template | Self::Guide => return None,
        };
        Some(Review { status: Some(status), note: Some(note.into()), ..Review::default() })
    }
}

/// What an importer found.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    /// What cannot be carried over, one line each.
    left: Vec<String>,
    /// Kinds of things that cannot be carried over, with how often they occur.
    counted: BTreeMap<String, usize>,
    /// The place of the documents, for the configuration.
    documents: Option<String>,
}

/// One case to be.
struct Row {
    /// File and line.
    place: String,
    /// A JSON object that loads as a case; the id may be missing.
    case: Map<String, Value>,
}

impl Found {
    fn count(&mut self, what: impl Into<String>) {
        *self.counted.entry(what.into()).or_default() += 1;
    }
}

pub(crate) fn run(options: &Options) -> Result<Output> {
    let mapping = mapping(&options.mapping)?;
    let path = || options.path.as_deref().context("import: name the file to import");
    let documents = || options.documents.as_deref();
    let mut found = match options.from {
        Shape::Beir => beir::folder(path()?, options.queries.as_deref(), options.qrels.as_deref())?,
        Shape::Trec => {
            let (Some(queries), Some(qrels)) = (&options.queries, &options.qrels) else {
                bail!("import: --from trec needs --queries FILE and --qrels FILE");
            };
            beir::files(queries, qrels)?
        }
        Shape::Csv => tables::csv(path()?, &mapping)?,
        Shape::Ragas => tables::generated(path()?, tables::RAGAS, &mapping, documents())?,
        Shape::Raget => tables::generated(path()?, tables::RAGET, &mapping, documents())?,
        Shape::Promptfoo => promptfoo::tests(path()?, &mapping)?,
        Shape::Template | Shape::Guide => published(path()?)?,
    };
    let rows = std::mem::take(&mut found.rows);
    let total = rows.len();
    let cases = finish(rows, options.from, &mut found);
    if cases.is_empty() {
        bail!("import: no case came out of {total} rows\n{}", left_lines(&found));
    }
    write(&options.output, &cases)?;
    Ok(Output { text: report(&cases, total, options, &found), green: cases.len() == total })
}

/// `FIELD=COLUMN` pairs.
fn mapping(pairs: &[String]) -> Result<BTreeMap<String, String>> {
    let mut mapping = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| !pair.is_empty()) {
        let Some((field, column)) = pair.split_once('=').filter(|(field, column)| !field.is_empty() && !column.is_empty()) else {
            bail!("read --map {pair:?}: write FIELD=COLUMN, for example query=Question");
        };
        if mapping.insert(field.trim().to_owned(), column.trim().to_owned()).is_some() {
            bail!("read --map: field {field:?} stands twice");
        }
    }
    Ok(mapping)
}

/// Shapes that load as they are.
fn published(path: &Path) -> Result<Found> {
    let text = read_text(path)?;
    let mut found = Found::default();
    for (line, content) in lines(&text) {
        let place = format!("{}:{line}", path.display());
        let case = serde_json::from_str(content).with_context(|| format!("read {place}"))?;
        found.rows.push(Row { place, case });
    }
    Ok(found)
}

/// Checks every row as the loader will, gives ids where there are none, and keeps them apart.
fn finish(rows: Vec<Row>, from: Shape, found: &mut Found) -> Vec<TestCase> {
    let mut taken = BTreeSet::new();
    // Where the search for a free id goes on.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases = Vec::with_capacity(rows.len());
    for Row { place, mut case } in rows {
        // `query_id` is the id of a published shape.
        if !case.contains_key("id") && !case.contains_key("query_id") {
            let words: String = case.get("query").and_then(Value::as_str).unwrap_or_default().chars().take(40).collect();
            case.insert("id".into(), slug(&words).into());
        }
        let line = Value::Object(case).to_string();
        let mut case = match read_line(&line).and_then(|_| parse_line(&line)) {
            Ok(case) => case,
            Err(problem) => {
                found.left.push(format!("{place}: left out: {problem}"));
                continue;
            }
        };
        let mut id = case.id.clone();
        let number = numbers.entry(id.clone()).or_insert(1_usize);
        while taken.contains(&id) {
            *number += 1;
            id = format!("{}-{number}", case.id);
        }
        if id != case.id {
            found.left.push(format!("{place}: id {:?} is taken by a row before; this one is {id:?}", case.id));
            case.id = normalize_id(&id);
        }
        taken.insert(case.id.clone());
        case.origin.get_or_insert_with(|| CaseOrigin { method: Some(format!("import:{}", from.name())), ..CaseOrigin::default() });
        case.review = case.review.or_else(|| from.review());
        cases.push(case);
    }
    cases
}

fn write(path: &Path, cases: &[TestCase]) -> Result<()> {
    let mut text = String::new();
    for case in cases {
        let _ = writeln!(text, "{}", serde_json::to_string(case)?);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .with_context(|| format!("create {}; an existing file is never overwritten, so remove it or name another", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("write {}", path.display()))
}

fn report(cases: &[TestCase], total: usize, options: &Options, found: &Found) -> String {
    let mut text = format!("{} of {total} rows written to {}\n", cases.len(), options.output.display());
    let left = left_lines(found);
    if !left.is_empty() {
        let _ = write!(text, "\nnot carried over as it was:\n{left}");
    }
    let name = options.output.file_stem().map_or_else(|| "imported".into(), |stem| slug(&stem.to_string_lossy()));
    let cases = options.output.display().to_string().replace('\\', "/");
    let _ = write!(text, "\nfor rag-tests/ragtest.toml, with paths from the package's folder:\n");
    if let Some(documents) = &found.documents {
        let _ = writeln!(text, "[corpus.{name}]\ndocuments = {documents:?}");
    }
    let corpus = if found.documents.is_some() { name.as_str() } else { "..." };
    let _ = writeln!(text, "[suite.{name}]\ncorpus = {corpus:?}\ncases = {cases:?}");
    text
}

fn left_lines(found: &Found) -> String {
    let counted = found.counted.iter().map(|(what, count)| format!("{count} x {what}"));
    let mut text = String::new();
    for line in counted.chain(found.left.iter().cloned()) {
        let _ = writeln!(text, "  {}", plain(&line));
    }
    text
}
