//! The tests of a promptfoo configuration: variables and assertions.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ragtest::case::jsonl::read_text;
use serde_json::{Map, Value, json};

use super::records::texts;
use super::{Found, Row};

/// Variables that hold the question, where `--map query=NAME` does not say.
const QUESTIONS: [&str; 5] = ["question", "query", "input", "prompt", "user_input"];

/// What an assertion becomes.
#[derive(Clone, Copy)]
enum To {
    Keywords,
    Forbidden,
    Reference,
    Rubric,
    Refusal,
}

const ASSERTIONS: [(&str, To); 14] = [
    ("contains", To::Keywords),
    ("icontains", To::Keywords),
    ("contains-all", To::Keywords),
    ("icontains-all", To::Keywords),
    ("not-contains", To::Forbidden),
    ("not-icontains", To::Forbidden),
    ("equals", To::Reference),
    ("similar", To::Reference),
    ("factuality", To::Reference),
    ("model-graded-factuality", To::Reference),
    ("context-recall", To::Reference),
    ("llm-rubric", To::Rubric),
    ("model-graded-closedqa", To::Rubric),
    ("is-refusal", To::Refusal),
];

/// A configuration with `tests`, or a list of tests; YAML or JSON.
pub(super) fn tests(path: &Path, mapping: &BTreeMap<String, String>) -> Result<Found> {
    if let Some(field) = mapping.keys().find(|field| *field != "query") {
        bail!("read --map: {field:?} is not mapped for promptfoo; only query=VARIABLE is");
    }
    let content = read_text(path)?;
    let value: Value = if content.trim_start().starts_with(['{', '[']) {
        serde_json::from_str(&content).map_err(|error| anyhow!("read {}: {error}", path.display()))?
    } else {
        serde_saphyr::from_str(&content).map_err(|error| anyhow!("read {}: {error}", path.display()))?
    };
    let (listed, shared) = match value {
        Value::Array(tests) => (tests, Value::Null),
        Value::Object(mut config) => match config.remove("tests") {
            Some(Value::Array(tests)) => (tests, config.remove("defaultTest").unwrap_or_default()),
            Some(_) => bail!("read {}: `tests` names a file; import that file", path.display()),
            None => bail!("read {}: there is no list `tests`", path.display()),
        },
        _ => bail!("read {}: it is neither a configuration with `tests` nor a list of tests", path.display()),
    };
    let mut found = Found::default();
    for (index, test) in listed.into_iter().enumerate() {
        let place = format!("{}: test {}", path.display(), index + 1);
        let case = case(&test, &shared, mapping.get("query").map(String::as_str), &mut found);
        found.rows.push(Row { place, case });
    }
    Ok(found)
}

fn case(test: &Value, shared: &Value, query: Option<&str>, found: &mut Found) -> Map<String, Value> {
    let mut case = Map::new();
    let variables: Map<String, Value> = [shared, test]
        .into_iter()
        .filter_map(|part| part["vars"].as_object())
        .flatten()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let question = query.or_else(|| QUESTIONS.into_iter().find(|name| variables.contains_key(*name)));
    for (name, value) in variables {
        if Some(name.as_str()) == question {
            case.insert("query".into(), value);
        } else {
            found.count(format!("variable `{name}`: no field of a case"));
        }
    }
    if let Some(description) = test["description"].as_str().filter(|text| !text.trim().is_empty()) {
        case.insert("id".into(), ragtest::id::slug(description).into());
    }
    let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for assertion in [shared, test].into_iter().flat_map(|part| part["assert"].as_array().into_iter().flatten()) {
        let kind = assertion["type"].as_str().unwrap_or_default();
        let value = &assertion["value"];
        match ASSERTIONS.iter().find(|(known, _)| *known == kind).map(|(_, to)| *to) {
            Some(To::Keywords) => lists.entry("keywords").or_default().extend(words(kind, value)),
            Some(To::Forbidden) => {
                let literals = texts(value).into_iter().map(|text| json!({ "literal": text }));
                lists.entry("forbidden_facts").or_default().extend(literals);
            }
            Some(To::Reference) if !case.contains_key("reference_answer") => {
                case.insert("reference_answer".into(), value.clone());
            }
            Some(To::Rubric) if !case.contains_key("answer_expectation") => {
                case.insert("answer_expectation".into(), value.clone());
            }
            Some(To::Refusal) => {
                case.insert("expect".into(), "abstain".into());
            }
            Some(To::Reference | To::Rubric) => found.count(format!("a second assertion like `{kind}` in one test")),
            None => found.count(format!("assertion `{kind}`: no field of a case")),
        }
    }
    for (field, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        case.insert(field.into(), values.into());
    }
    for key in test.as_object().into_iter().flat_map(Map::keys).filter(|key| !["vars", "assert", "description"].contains(&key.as_str())) {
        found.count(format!("key `{key}` of a test"));
    }
    case
}

/// `contains-all` takes a list, or a text with commas.
fn words(kind: &str, value: &Value) -> Vec<Value> {
    let split = |text: String| text.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>();
    let words = if kind.ends_with("-all") && value.is_string() { texts(value).into_iter().flat_map(split).collect() } else { texts(value) };
    words.into_iter().filter(|word| !word.is_empty()).map(Value::from).collect()
}
