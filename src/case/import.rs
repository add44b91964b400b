//! Other published shapes of a case: the "RAG evaluation set template" and the diap.dev guide. Both load as they are.

use serde_json::Value;

use super::test_case::{EvidenceItem, TestCase};
use crate::id::normalize_id;

/// Keys of the other shapes; they are known, so a slip of one is refused like any other.
pub(super) const FOREIGN_KEYS: [&str; 7] = [
    "query_id",
    "expected_evidence",
    "relevance_labels",
    "relevant_chunk_ids",
    "expected_chunk_ids",
    "relevance_grades",
    "min_recall_at_5",
];

/// Moves what the other shapes say into our fields. Their keys leave `extra`.
pub(super) fn adopt(case: &mut TestCase) -> Result<(), String> {
    if case.extra.is_empty() {
        return Ok(());
    }
    // As everywhere, `null` is the same as absent.
    case.extra.retain(|key, value| !(value.is_null() && FOREIGN_KEYS.contains(&key.as_str())));
    for key in case.extra.keys() {
        if let Some(meant) = super::object::slip_of(key, &FOREIGN_KEYS).filter(|meant| meant != key) {
            return Err(format!("unknown key `{key}`; did you mean `{meant}`?"));
        }
    }
    if let Some(id) = case.extra.remove("query_id") {
        let id = id.as_str().ok_or("`query_id` must be a string")?;
        if !case.id.is_empty() && normalize_id(&case.id) != normalize_id(id) {
            return Err("`id` and `query_id` differ; keep one".into());
        }
        id.clone_into(&mut case.id);
    }
    if let Some(evidence) = case.extra.remove("expected_evidence") {
        template_evidence(case, evidence)?;
    }
    for key in ["relevant_chunk_ids", "expected_chunk_ids"] {
        if let Some(ids) = case.extra.remove(key) {
            for id in id_list(&ids).ok_or_else(|| format!("`{key}` must be a list of strings"))? {
                chunk_item(case, id);
            }
        }
    }
    for key in ["relevance_labels", "relevance_grades"] {
        if let Some(labels) = case.extra.remove(key) {
            grades(case, &labels).map_err(|problem| format!("`{key}`: {problem}"))?;
        }
    }
    if let Some(min) = case.extra.remove("min_recall_at_5") {
        let min = min.as_f64().ok_or("`min_recall_at_5` must be a number")?;
        case.min.insert("recall@5".into(), min);
    }
    Ok(())
}

/// `expected_evidence`: a list of ids or objects, or one object.
fn template_evidence(case: &mut TestCase, value: Value) -> Result<(), String> {
    let one = |value: Value| -> Result<EvidenceItem, String> {
        if let Value::String(id) = value {
            return Ok(EvidenceItem { chunk_id: Some(id), ..EvidenceItem::default() });
        }
        let mut object = value;
        let fields = object.as_object_mut().ok_or("`expected_evidence` holds neither ids nor objects")?;
        for (from, to) in [("text", "quote"), ("relevance", "grade"), ("source", "source_id")] {
            if let Some(moved) = fields.remove(from) {
                fields.entry(to).or_insert(moved);
            }
        }
        serde_json::from_value(object).map_err(|error| format!("`expected_evidence`: {error}"))
    };
    match value {
        Value::Null => {}
        Value::Array(items) => {
            for item in items {
                case.evidence.push(one(item)?);
            }
        }
        Value::Object(mut fields) if fields.contains_key("chunk_ids") || fields.contains_key("source_ids") => {
            let chunks = fields.remove("chunk_ids").unwrap_or(Value::Array(Vec::new()));
            let sources = fields.remove("source_ids").unwrap_or(Value::Array(Vec::new()));
            for id in id_list(&chunks).ok_or("`chunk_ids` must be a list of strings")? {
                chunk_item(case, id);
            }
            for id in id_list(&sources).ok_or("`source_ids` must be a list of strings")? {
                case.evidence.push(EvidenceItem { source_id: Some(id), ..EvidenceItem::default() });
            }
        }
        object => case.evidence.push(one(object)?),
    }
    Ok(())
}

fn id_list(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|id| Some(id.as_str()?.to_owned())).collect()
}

fn chunk_item(case: &mut TestCase, id: String) {
    if !case.evidence.iter().any(|item| item.chunk_id.as_deref() == Some(&id)) {
        case.evidence.push(EvidenceItem { chunk_id: Some(id), ..EvidenceItem::default() });
    }
}

/// Grades by id: an object `id -> grade`, or a list of objects. Grade 0 and less = not relevant, no item.
fn grades(case: &mut TestCase, labels: &Value) -> Result<(), String> {
    let mut pairs: Vec<(String, &Value)> = Vec::new();
    match labels {
        Value::Null => {}
        Value::Object(map) => pairs.extend(map.iter().map(|(id, grade)| (id.clone(), grade))),
        Value::Array(list) => {
            for label in list {
                let text = |key: &str| label.get(key).and_then(Value::as_str);
                let id = text("chunk_id").or_else(|| text("source_id")).ok_or("a label without `chunk_id`")?;
                let grade = ["grade", "relevance", "label"].iter().find_map(|key| label.get(key)).ok_or("a label without `grade`")?;
                pairs.push((id.to_owned(), grade));
            }
        }
        _ => return Err("neither an object nor a list".into()),
    }
    for (id, grade) in pairs {
        let grade = grade.as_i64().ok_or_else(|| format!("grade of {id:?} is not a whole number"))?;
        let Ok(grade) = u8::try_from(grade.max(0)) else { return Err(format!("grade of {id:?} is over 3")) };
        let named = |item: &&mut EvidenceItem| item.chunk_id.as_deref() == Some(&id) || item.source_id.as_deref() == Some(&id);
        match case.evidence.iter_mut().find(named) {
            Some(item) if grade > 0 => item.grade = Some(grade),
            None if grade > 0 => {
                case.evidence.push(EvidenceItem { chunk_id: Some(id), grade: Some(grade), ..EvidenceItem::default() });
            }
            Some(_) => case.evidence.retain(|item| item.chunk_id.as_deref() != Some(&id)),
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::guide(
        r#"{"query_id":"q1","query":"q","relevant_chunk_ids":["a","b"],"relevance_grades":{"a":3,"c":1},"min_recall_at_5":0.8}"#,
        "a3 b1 c1"
    )]
    #[case::template_list(r#"{"id":"q1","query":"q","expected_evidence":[{"source_id":"s","chunk_id":"a","relevance":2},"b"]}"#, "a2 b1")]
    #[case::template_object(r#"{"id":"q1","query":"q","expected_evidence":{"chunk_ids":["a"],"source_ids":["s"]}}"#, "a1 s1")]
    #[case::labels(
        r#"{"id":"q1","query":"q","expected_evidence":["a"],"relevance_labels":[{"chunk_id":"a","grade":3},{"chunk_id":"z","grade":0}]}"#,
        "a3"
    )]
    fn other_shapes_become_evidence(#[case] line: &str, #[case] expected: &str) {
        let mut case: TestCase = serde_json::from_str(line).expect("parses");
        adopt(&mut case).expect("adopts");
        assert_eq!(case.id, "q1");
        let shown: Vec<_> =
            case.evidence.iter().map(|e| format!("{}{}", e.chunk_id.as_ref().or(e.source_id.as_ref()).expect("id"), e.grade())).collect();
        assert_eq!(shown.join(" "), expected);
        assert!(case.extra.is_empty());
    }

    #[rstest]
    #[case::grade(r#"{"query_id":"q","query":"q","relevance_grades":{"a":0.5}}"#, "whole number")]
    #[case::slip(r#"{"query_id":"q","query":"q","relevant_chunk_idz":["a"]}"#, "relevant_chunk_ids")]
    #[case::two_ids(r#"{"id":"x","query_id":"q","query":"q"}"#, "differ")]
    fn wrong_ones_are_refused(#[case] line: &str, #[case] words: &str) {
        let mut case: TestCase = serde_json::from_str(line).expect("parses");
        let problem = adopt(&mut case).expect_err("refused");
        assert!(problem.contains(words), "{problem}");
    }
}
