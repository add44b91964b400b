//! Load checks: everything that can be said of a case file without a document. Each problem names file, line and remedy.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::jsonl::{self, parse_line};
use super::test_case::TestCase;
use crate::error::Error;
use crate::metrics::Metric;

/// Where a case stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseSource {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

/// A case with its place. Cases with `at` are already one instance a snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedCase {
    /// The case.
    pub case: TestCase,
    /// Its place.
    pub source: CaseSource,
}

/// Reads and checks every case of `paths`, in order. `shown` turns a path into what people see (relative to the package).
/// All problems are returned, not the first.
pub fn load_cases(paths: &[PathBuf], shown: impl Fn(&Path) -> String) -> Result<Vec<LoadedCase>, Vec<String>> {
    let mut problems = Vec::new();
    let mut cases: Vec<LoadedCase> = Vec::new();
    for path in paths {
        let before = cases.len() + problems.len();
        let text = match jsonl::read_text(path) {
            Ok(text) => text,
            Err(Error::Format { message, .. }) => {
                problems.push(format!("{}: {message}", shown(path)));
                continue;
            }
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        for (line, content) in jsonl::lines(&text) {
            match read_line(content) {
                Ok(instances) => {
                    let source = CaseSource { path: path.clone(), line };
                    cases.extend(instances.into_iter().map(|case| LoadedCase { case, source: source.clone() }));
                }
                Err(problem) => problems.push(format!("{}:{line}: {problem}", shown(path))),
            }
        }
        if cases.len() + problems.len() == before {
            problems.push(format!("{}: holds no case; add one line a case, or delete the file", shown(path)));
        }
    }
    problems.extend(duplicates(&cases, &shown));
    if problems.is_empty() { Ok(cases) } else { Err(problems) }
}

/// Reads and checks one line: the case, or one instance a snapshot.
pub fn read_line(line: &str) -> Result<Vec<TestCase>, String> {
    let case = parse_line(line)?;
    if case.id.is_empty() {
        return Err("`id` is missing; give the case a unique id".into());
    }
    // Also where every instance has evidence of its own.
    check_all_evidence(&case)?;
    let instances = case.into_instances();
    instances.iter().try_for_each(|case| check(case, line)).map(|()| instances)
}

fn duplicates(cases: &[LoadedCase], shown: impl Fn(&Path) -> String) -> Vec<String> {
    let mut first: HashMap<&str, &CaseSource> = HashMap::with_capacity(cases.len());
    let mut problems = Vec::new();
    for LoadedCase { case, source } in cases {
        if let Some(other) = first.insert(&case.id, source) {
            let (a, b) = (shown(&other.path), shown(&source.path));
            problems
                .push(format!("{b}:{}: id {:?} is already used at {a}:{}; give one of them another id", source.line, case.id, other.line));
        }
    }
    problems
}

/// What is wrong with one case, apart from its neighbours.
fn check(case: &TestCase, line: &str) -> Result<(), String> {
    if case.query.trim().is_empty() {
        return Err(format!("case {:?}: `query` is missing or blank", case.id));
    }
    if let Some(at) = memchr::memmem::find(line.as_bytes(), b"REPLACE_WITH_") {
        let placeholder: String = line[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        return Err(format!("case {:?}: placeholder {placeholder} is still there; fill it in", case.id));
    }
    let named = [&case.document, &case.owner, &case.access_scope, &case.knowledge_snapshot_id].into_iter().flatten();
    for text in named.chain([&case.id]).chain(&case.tags) {
        if has_control(text, &[]) {
            return Err(format!("case {:?}: {text:?} holds a control character; names are one line of plain text", case.id));
        }
    }
    let spoken = [Some(&case.query), case.reference_answer.as_ref()].into_iter().flatten();
    for text in spoken.chain(&case.keywords) {
        if has_control(text, &['\n', '\t', '\r']) {
            return Err(format!("case {:?}: {text:?} holds a control character", case.id));
        }
    }
    if !has_expectation(case) {
        let remedy = "add `reference_answer`, `evidence`, `keywords`, `required_facts` or `expect`";
        return Err(format!("case {:?} has nothing to check; {remedy}", case.id));
    }
    if let Some(fact) = case.required_facts.iter().chain(&case.forbidden_facts).find(|fact| !fact.text().contains(char::is_alphanumeric)) {
        return Err(format!("case {:?}: fact {:?} is blank", case.id, fact.text()));
    }
    if !case.min.is_empty() && case.evidence.is_empty() {
        return Err(format!("case {:?}: `min` needs `evidence` to measure by", case.id));
    }
    check_all_evidence(case)?;
    for (name, threshold) in &case.min {
        let metric = Metric::parse(name).map_err(|problem| format!("case {:?}: `min`: {problem}", case.id))?;
        if !metric.is_retrieval() {
            return Err(format!("case {:?}: `min`: {name} is not a retrieval metric; gate it for the suite instead", case.id));
        }
        if !threshold.is_finite() || *threshold < 0.0 {
            return Err(format!("case {:?}: `min`: {name} = {threshold} is no threshold", case.id));
        }
    }
    Ok(())
}

fn has_control(text: &str, allowed: &[char]) -> bool {
    // Most texts are plain ASCII, and this is asked of every text of every case.
    let suspicious = !text.is_ascii() || text.bytes().any(|b| b.is_ascii_control());
    suspicious && text.chars().any(|c| c.is_control() && !allowed.contains(&c))
}

fn has_expectation(case: &TestCase) -> bool {
    let filled = |text: &Option<String>| text.as_ref().is_some_and(|t| !t.trim().is_empty());
    filled(&case.reference_answer)
        || filled(&case.answer_expectation)
        || !case.evidence.is_empty()
        || case.keywords.iter().any(|k| !k.trim().is_empty())
        || !case.required_facts.is_empty()
        || !case.forbidden_facts.is_empty()
        || case.expect.is_some_and(|e| e != super::Expect::Answer)
}

fn check_all_evidence(case: &TestCase) -> Result<(), String> {
    let wrong = |(number, item)| check_evidence(item).map_err(|problem| format!("case {:?}: evidence {}: {problem}", case.id, number + 1));
    case.evidence.iter().enumerate().try_for_each(wrong)
}

fn check_evidence(item: &super::EvidenceItem) -> Result<(), String> {
    if let Some(grade) = item.grade.filter(|g| !(1..=3).contains(g)) {
        return Err(format!("grade {grade} is outside 1 to 3"));
    }
    match (&item.quote, &item.document) {
        (Some(quote), _) if !quote.contains(char::is_alphanumeric) => Err("`quote` is blank".into()),
        (Some(_), None) if item.source_id.is_none() => Err("a `quote` needs its `document`".into()),
        (None, _) if item.chunk_id.is_none() && item.source_id.is_none() => {
            Err("needs `document` and `quote`, `chunk_id` or `source_id`".into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn problem(line: &str) -> String {
        read_line(line).expect_err("refused")
    }

    #[rstest]
    #[case::no_id(r#"{"query":"q","keywords":["x"]}"#, "`id` is missing")]
    #[case::no_query(r#"{"id":"a","query":" ","keywords":["x"]}"#, "`query` is missing")]
    #[case::nothing_to_check(r#"{"id":"a","query":"q","expect":"answer","keywords":[" "]}"#, "nothing to check")]
    #[case::placeholder(r#"{"id":"a","query":"REPLACE_WITH_QUERY","keywords":["x"]}"#, "REPLACE_WITH_QUERY")]
    #[case::control(r#"{"id":"a\u001b[31m","query":"q","keywords":["x"]}"#, "control character")]
    #[case::escape_in_query(r#"{"id":"a","query":"q\u001b[2J","keywords":["x"]}"#, "control character")]
    #[case::grade(r#"{"id":"a","query":"q","evidence":[{"document":"d","quote":"x","grade":4}]}"#, "outside 1 to 3")]
    #[case::quote_without_document(r#"{"id":"a","query":"q","evidence":[{"quote":"x"}]}"#, "needs its `document`")]
    #[case::evidence_without_anchor(r#"{"id":"a","query":"q","evidence":[{"document":"d"}]}"#, "needs `document` and `quote`")]
    #[case::min_k0(r#"{"id":"a","query":"q","evidence":[{"chunk_id":"x"}],"min":{"recall@0":1}}"#, "k = 0")]
    #[case::min_unknown(r#"{"id":"a","query":"q","evidence":[{"chunk_id":"x"}],"min":{"recal@5":1}}"#, "recall")]
    #[case::min_answer_metric(r#"{"id":"a","query":"q","evidence":[{"chunk_id":"x"}],"min":{"pass_rate":1}}"#, "not a retrieval metric")]
    #[case::min_without_evidence(r#"{"id":"a","query":"q","keywords":["x"],"min":{"recall@5":1}}"#, "`min` needs `evidence`")]
    #[case::blank_fact(r#"{"id":"a","query":"q","forbidden_facts":[{"literal":""}]}"#, "is blank")]
    #[case::control_in_snapshot("{\"id\":\"a\",\"query\":\"q\",\"keywords\":[\"x\"],\"at\":{\"a\\nb: test\":{}}}", "control character")]
    #[case::nothing_at_a_snapshot(r#"{"id":"a","query":"q","at":{"x":{}}}"#, "nothing to check")]
    fn problems_are_named(#[case] line: &str, #[case] words: &str) {
        let problem = problem(line);
        assert!(problem.contains(words), "{problem}");
    }

    #[test]
    fn all_problems_of_all_files_are_reported_at_once() {
        let folder = tempfile::tempdir().expect("folder");
        let (a, b, c) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"), folder.path().join("c.jsonl"));
        std::fs::write(&a, "{\"id\":\"x\",\"query\":\"q\",\"keywords\":[\"k\"]}\n{oops\n").expect("write");
        std::fs::write(&b, "\n{\"id\":\" x \",\"query\":\"q\",\"keywords\":[\"k\"]}\n").expect("write");
        std::fs::write(&c, "\n \n").expect("write");
        let shown = |p: &Path| p.file_name().expect("name").to_string_lossy().into_owned();
        let problems = load_cases(&[a, b, c], shown).expect_err("problems");
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].starts_with("a.jsonl:2: "), "{problems:?}");
        assert!(problems[1].contains("c.jsonl: holds no case"), "{problems:?}");
        assert!(problems[2].contains("b.jsonl:2") && problems[2].contains("a.jsonl:1"), "{problems:?}");
    }
}
