//! `cases lint`.

use crate::package::{CONFIG, Package};

#[test]
fn a_sound_package_has_no_problem() {
    let package = Package::new();
    let said = package.run(&["cases", "lint"]).exits(0);
    assert_eq!(said.out, "suite manual: 5 cases, 0 problem(s), 0 warning(s)\n");
    assert!(package.runs().is_empty(), "a check is no run");
}

#[test]
fn load_problems_are_named_by_file_and_line() {
    let package = Package::new();
    package.write("rag-tests/cases/more.jsonl", "\n{\"id\":\"noise\",\"query\":\"q\",\"keywords\":[\"k\"]}\n{\"id\":\n");
    let said = package.run(&["cases", "lint"]).exits(1);
    assert!(
        said.out.contains("rag-tests/cases/more.jsonl:2: id \"noise\" is already used at rag-tests/cases/manual.jsonl:1"),
        "{}",
        said.out
    );
    assert!(said.out.contains("rag-tests/cases/more.jsonl:3: the JSON object is cut off"), "{}", said.out);
    assert!(said.out.contains("suite manual: unread cases, 2 problem(s)"), "{}", said.out);
}

#[test]
fn evidence_is_compared_with_the_documents() {
    let package = Package::new();
    let cases = r#"{"id":"lost","query":"q","evidence":[{"document":"kettle.md","quote":"never written"}]}
{"id":"gone","query":"q","evidence":[{"document":"fridge.md","quote":"cold"}]}
"#;
    package.write("rag-tests/cases/more.jsonl", cases);
    let json = package.run(&["cases", "lint", "--json"]).exits(1).json();
    let suite = &json["suites"][0];
    assert_eq!((&suite["suite"], &suite["cases"]), (&"manual".into(), &7.into()));
    let problems: Vec<&str> = suite["problems"].as_array().expect("list").iter().map(|p| p.as_str().expect("text")).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].starts_with("rag-tests/cases/more.jsonl:1: case \"lost\"") && problems[0].contains("never written"),
        "{problems:?}"
    );
    assert!(problems[1].starts_with("rag-tests/cases/more.jsonl:2: case \"gone\"") && problems[1].contains("fridge.md"), "{problems:?}");
}

#[test]
fn systems_of_rag_rs_do_not_stand_in_the_way() {
    let package = Package::new();
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}[system.bot]\noptional = true\n"));
    package.run(&["cases", "lint"]).exits(0);
    package.write("golden/manual/kettle.md", "# Kettle\n\nAll new.\n");
    let said = package.run(&["cases", "lint"]).exits(1);
    assert!(said.out.contains("rag-tests/cases/manual.jsonl:1: case \"noise\""), "{}", said.out);
}

#[test]
fn one_suite_s_trouble_does_not_hide_another_s() {
    let package = Package::new();
    let more = "[suite.empty]\ncorpus = \"manual\"\ncases = \"rag-tests/none/*.jsonl\"\n[suite.lost]\ncorpus = \"lost\"\ncases = \"rag-tests/cases/*.jsonl\"\n[corpus.lost]\ndocuments = \"golden/lost\"\n";
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}{more}"));
    let said = package.run(&["cases", "lint"]).exits(1);
    assert!(said.out.contains("no file matches") && said.out.contains("suite manual: 5 cases, 0 problem(s)"), "{}", said.out);
    assert!(said.out.contains("failed to find the documents"), "{}", said.out);
    package.run(&["cases", "lint", "--suite", "manual"]).exits(0);
    let said = package.run(&["cases", "lint", "--suite", "manuel"]).exits(2);
    assert!(said.err.contains("known: empty, lost, manual"), "{}", said.err);
}

const DRAFTS: &str = "{\"id\":\"power\",\"query\":\"What does the kettle hold?\",\"tags\":[\"new\"],\"document\":\"kettle.md\",\"evidence\":[{\"document\":\"kettle.md\",\"quote\":\"The kettle holds 1.7 litres of water.\"}],\"x_team\":[1],\"review\":{\"status\":\"draft\"}}\r\n\n{\"id\":\"gone\",\"query\":\"q\",\"tags\":[\"old\"],\"evidence\":[{\"document\":\"kettle.md\",\"quote\":\"no such words\"}],\"review\":{\"status\":\"draft\"}}\n";

#[test]
fn accepted_lines_carry_who_when_and_the_documents_hash() {
    let package = Package::new();
    package.write("rag-tests/cases/new.jsonl", DRAFTS);
    let said = package.run(&["cases", "accept", "--tag", "new", "--by", "docs-team"]).exits(0);
    assert_eq!(said.out, "rag-tests/cases/new.jsonl: 1 case(s) accepted by docs-team\n");
    let text = std::fs::read_to_string(package.root().join("rag-tests/cases/new.jsonl")).expect("reads");
    let (first, rest) = text.split_once("\r\n").expect("the line end stays");
    assert_eq!(rest, DRAFTS.split_once("\r\n").expect("two").1, "other lines stay as they are");
    let case: serde_json::Value = serde_json::from_str(first).expect("JSON");
    let hash = ragtest::id::Fingerprint::of_bytes(&std::fs::read(package.root().join("golden/manual/kettle.md")).expect("reads"));
    assert_eq!((&case["review"]["status"], &case["review"]["by"]), (&"accepted".into(), &"docs-team".into()));
    assert_eq!((&case["review"]["document_hash"], &case["x_team"][0]), (&hash.to_string().into(), &1.into()));
    // Said once more, by somebody else: who accepted it first stays.
    package.run(&["cases", "accept", "power", "--by", "others"]).exits(0);
    assert_eq!(std::fs::read_to_string(package.root().join("rag-tests/cases/new.jsonl")).expect("reads"), text);
}

#[test]
fn a_case_without_its_evidence_is_not_accepted() {
    let package = Package::new();
    package.write("rag-tests/cases/new.jsonl", DRAFTS);
    let said = package.run(&["cases", "accept", "--all", "--by", "docs-team"]).exits(1);
    assert!(said.out.contains("rag-tests/cases/new.jsonl:3: case \"gone\"") && said.out.contains("nothing was accepted"), "{}", said.out);
    assert_eq!(std::fs::read_to_string(package.root().join("rag-tests/cases/new.jsonl")).expect("reads"), DRAFTS);
    package.run(&["cases", "accept"]).exits(2);
    package.run(&["cases", "accept", "nope", "--by", "x"]).exits(2);
}
