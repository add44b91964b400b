//! `import` and `export`: test sets of other tools, there and back.

use std::path::Path;

use serde_json::{Value, json};

use crate::package::{Said, command};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("folder"));
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        std::fs::write(path, text).expect("write");
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn run(&self, arguments: &[&str]) -> Said {
        command(self.path(), arguments, &[])
    }

    /// The cases that an import wrote, without what every case of it has.
    fn cases(&self) -> Vec<Value> {
        let text = self.read("cases.jsonl");
        let mut cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for case in &mut cases {
            let case = case.as_object_mut().expect("object");
            case.remove("origin").expect("origin");
            case.remove("review");
        }
        cases
    }
}

const CORPUS: &str = "{\"_id\":\"d1\",\"title\":\"Kettle\",\"text\":\"It holds 1.7 litres.\"}\n{\"_id\":\"d2\",\"title\":\"\",\"text\":\"It is 61 dB loud.\"}\n";
const QUERIES: &str = "{\"_id\":\"q-1\",\"text\":\"How much?\"}\n{\"_id\":\"q-2\",\"text\":\"How loud?\"}\n";
const QRELS: &str = "query-id\tcorpus-id\tscore\nq-1\td1\t2\nq-2\td1\t1\nq-2\td2\t3\n";

#[test]
fn a_beir_folder_comes_back_as_it_was() {
    let folder = Folder::new(&[("set/corpus.jsonl", CORPUS), ("set/queries.jsonl", QUERIES), ("set/qrels/test.tsv", QRELS)]);
    let said = folder.run(&["import", "--from", "beir", "set", "-o", "cases.jsonl"]).exits(0);
    assert!(said.out.starts_with("2 of 2 rows written to cases.jsonl\n"), "{}", said.out);
    assert!(said.out.contains("[corpus.cases]\ndocuments = \"set/corpus.jsonl\"\n[suite.cases]\ncorpus = \"cases\"\n"), "{}", said.out);
    assert!(!said.out.contains("not carried over"), "{}", said.out);
    let first: Value = serde_json::from_str(folder.read("cases.jsonl").lines().next().expect("line")).expect("JSON");
    let expected = json!({
        "id": "q-1", "strategy": "positive", "query": "How much?", "evidence": [{ "source_id": "d1", "grade": 2 }],
        "origin": { "method": "import:beir" },
        "review": { "status": "accepted", "note": "labelled by the makers of the published set" },
    });
    assert_eq!(first, expected);
    folder.run(&["export", "--to", "beir", "cases.jsonl", "--documents", "set/corpus.jsonl", "-o", "back"]).exits(0);
    let sorted = |text: &str| text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")).collect::<Vec<_>>();
    assert_eq!(folder.read("back/qrels/test.tsv"), QRELS);
    assert_eq!(sorted(&folder.read("back/queries.jsonl")), sorted(QUERIES));
    assert_eq!(folder.read("back/corpus.jsonl"), CORPUS);
}

#[test]
fn what_a_case_cannot_hold_is_listed() {
    let qrels = "query-id\tcorpus-id\tscore\nq-1\td1\t5\nq-1\td2\t0\nq-1\tgone\t1\nq-9\td1\t1\nq-2\td1\t0\n";
    let folder = Folder::new(&[("set/corpus.jsonl", CORPUS), ("set/queries.jsonl", QUERIES), ("set/qrels.tsv", qrels)]);
    let said = folder.run(&["import", "--from", "beir", "set", "-o", "cases.jsonl"]).exits(0);
    for words in [
        "1 x grade 5, written as 3",
        "2 x a label of grade 0 or less",
        "document \"gone\" has a label and is missing",
        "query \"q-9\" has labels and no text",
        "query \"q-2\" has no relevant document",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    assert_eq!(folder.cases().len(), 1);
    let said = folder.run(&["import", "--from", "beir", "set", "-o", "cases.jsonl"]).exits(2);
    assert!(said.err.contains("never overwritten"), "{}", said.err);
}

#[test]
fn trec_queries_and_qrels_become_cases_and_qrels_again() {
    let qrels = "q1 0 d1 1\nq2 0 d2 2\n";
    let folder = Folder::new(&[("topics.tsv", "q1\tHow much?\nq2\tHow loud?\n"), ("qrels.txt", qrels)]);
    folder.run(&["import", "--from", "trec", "--queries", "topics.tsv", "--qrels", "qrels.txt", "-o", "cases.jsonl"]).exits(0);
    let said = folder.run(&["export", "--to", "trec", "cases.jsonl", "-o", "out/qrels.txt"]).exits(0);
    assert!(said.out.contains("2 labels written") && said.out.contains("2 x query text"), "{}", said.out);
    assert_eq!(folder.read("out/qrels.txt"), qrels);
    let said = folder.run(&["import", "--from", "trec", "--queries", "topics.tsv", "-o", "x.jsonl"]).exits(2);
    assert!(said.err.contains("--qrels FILE"), "{}", said.err);
}

#[test]
fn csv_columns_are_mapped_and_come_back() {
    let csv = "\u{feff}Question;Answer;Words;Note\r\n\"How; much?\";1.7 litres;1.7 litres;x\r\nHow loud?;61 dB;61; \r\nHow loud?;loud;;\r\n;none;;\r\n";
    let folder = Folder::new(&[("faq.csv", csv)]);
    let mapping = "query=Question,reference_answer=Answer,keywords=Words";
    let said = folder.run(&["import", "--from", "csv", "faq.csv", "--map", mapping, "-o", "cases.jsonl"]).exits(1);
    assert!(said.out.contains("3 of 4 rows") && said.out.contains("1 x column `Note`"), "{}", said.out);
    assert!(said.out.contains("faq.csv:5: left out") && said.out.contains("`query` is missing"), "{}", said.out);
    let cases = folder.cases();
    assert_eq!((&cases[0]["query"], &cases[0]["keywords"]), (&json!("How; much?"), &json!(["1.7 litres"])));
    let ids: Vec<&str> = cases.iter().map(|case| case["id"].as_str().expect("id")).collect();
    assert_eq!(ids[2], format!("{}-2", ids[1]));
    folder.run(&["export", "--to", "csv", "cases.jsonl", "-o", "back.csv"]).exits(0);
    folder.run(&["import", "--from", "csv", "back.csv", "-o", "again.jsonl"]).exits(0);
    let texts = |file: &str| -> Vec<Value> {
        let cases = folder.read(file);
        let case = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
        cases.lines().map(case).map(|case| json!([case["id"], case["query"], case["reference_answer"], case["keywords"]])).collect()
    };
    assert_eq!(texts("again.jsonl"), texts("cases.jsonl"));
}

#[test]
fn generated_sets_are_drafts_with_evidence_in_documents() {
    let folder = Folder::new(&[("golden/kettle.md", "# Kettle\n\nThe kettle holds 1.7 litres.\n\nIt is loud.\n")]);
    let ragas = r#"{"user_input":"How much?","reference":"1.7 litres","reference_contexts":["The kettle  holds 1.7 litres.","Not there."],"response":"r","synthesizer_name":"single hop"}"#;
    folder.write("ragas.jsonl", ragas);
    let said = folder.run(&["import", "--from", "ragas", "ragas.jsonl", "--documents", "golden", "-o", "cases.jsonl"]).exits(0);
    assert!(said.out.contains("no document holds the context \"Not there.\""), "{}", said.out);
    assert!(said.out.contains("1 x column `response`: results are no part of a case"), "{}", said.out);
    assert!(folder.read("cases.jsonl").contains(r#""status":"draft""#));
    let case = &folder.cases()[0];
    assert_eq!(case["evidence"], json!([{ "document": "kettle.md", "quote": "The kettle  holds 1.7 litres." }]));
    assert_eq!(case["tags"], json!(["single hop"]));

    std::fs::remove_file(folder.path().join("cases.jsonl")).expect("remove");
    let raget = r#"{"id":"8f","question":"How loud?","reference_answer":"Loud.","reference_context":"Document 0: It is loud.\n\nDocument 1: The kettle holds 1.7 litres.","conversation_history":[],"metadata":{"question_type":"simple"}}"#;
    folder.write("raget.jsonl", raget);
    let said = folder.run(&["import", "--from", "raget", "raget.jsonl", "--documents", "golden", "-o", "cases.jsonl"]).exits(0);
    assert!(said.out.contains("1 x column `metadata`") && !said.out.contains("conversation_history"), "{}", said.out);
    assert_eq!(folder.cases()[0]["evidence"].as_array().expect("list").len(), 2);
}

#[test]
fn promptfoo_s_tests_become_cases() {
    let yaml = "
prompts: [p]
defaultTest:
  assert:
    - type: latency
      threshold: 100
tests:
  - description: Volume
    vars: { question: How much?, tone: dry }
    assert:
      - { type: icontains, value: 1.7 litres }
      - { type: not-contains, value: gallons }
      - { type: llm-rubric, value: names the volume }
  - vars: { question: Who won? }
    assert: [{ type: is-refusal }]
";
    let folder = Folder::new(&[("promptfooconfig.yaml", yaml)]);
    let said = folder.run(&["import", "--from", "promptfoo", "promptfooconfig.yaml", "-o", "cases.jsonl"]).exits(0);
    assert!(said.out.contains("2 x assertion `latency`") && said.out.contains("1 x variable `tone`"), "{}", said.out);
    let cases = folder.cases();
    assert_eq!(cases[0]["query"], "How much?");
    assert_eq!((&cases[0]["keywords"], &cases[0]["forbidden_facts"]), (&json!(["1.7 litres"]), &json!([{ "literal": "gallons" }])));
    assert_eq!((&cases[0]["answer_expectation"], &cases[1]["expect"]), (&json!("names the volume"), &json!("abstain")));
}

#[test]
fn published_shapes_are_rewritten() {
    let guide = r#"{"query_id":"g1","query":"How much?","relevant_chunk_ids":["a","b"],"relevance_grades":{"a":3}}"#;
    let folder = Folder::new(&[("guide.jsonl", guide)]);
    folder.run(&["import", "--from", "guide", "guide.jsonl", "-o", "cases.jsonl"]).exits(0);
    let expected = json!({ "id": "g1", "query": "How much?", "evidence": [{ "chunk_id": "a", "grade": 3 }, { "chunk_id": "b" }] });
    assert_eq!(folder.cases(), [expected]);
}

#[test]
fn hostile_files_are_refused_by_place() {
    let folder = Folder::new(&[
        ("bad.jsonl", "{\"user_input\":\"q\"\n"),
        ("empty.csv", "a,b\n"),
        ("twice.csv", "a,a\n1,2\n"),
        ("ragged.csv", "query,b\n1,2\n3\n"),
        ("other.csv", "x,y\n1,2\n"),
        ("none.yaml", "prompts: [a]\n"),
        ("topics.tsv", "q1\tone\nq1\ttwo\n"),
        ("spaces.tsv", "q1 one\n"),
        ("qrels.txt", "q1 0 d 1\n"),
    ]);
    std::fs::write(folder.path().join("latin.csv"), b"query\ncaf\xe9\n").expect("write");
    let cases: [(&[&str], &str); 11] = [
        (&["--from", "ragas", "bad.jsonl"], "bad.jsonl:1"),
        (&["--from", "csv", "empty.csv"], "holds no row"),
        (&["--from", "csv", "twice.csv"], "column \"a\" stands twice"),
        (&["--from", "csv", "ragged.csv"], "line: 3"),
        (&["--from", "csv", "other.csv"], "--map query=x"),
        (&["--from", "csv", "other.csv", "--map", "qury=x"], "known: id, query"),
        (&["--from", "csv", "other.csv", "--map", "query=z"], "columns: x, y"),
        (&["--from", "csv", "latin.csv"], "line 2 is not UTF-8"),
        (&["--from", "promptfoo", "none.yaml"], "no list `tests`"),
        (&["--from", "trec", "--queries", "topics.tsv", "--qrels", "qrels.txt"], "topics.tsv:2: query \"q1\" stands twice"),
        (&["--from", "trec", "--queries", "spaces.tsv", "--qrels", "qrels.txt"], "spaces.tsv:1"),
    ];
    for (arguments, words) in cases {
        let arguments: Vec<&str> = ["import"].iter().chain(arguments).chain(&["-o", "out.jsonl"]).copied().collect();
        let said = folder.run(&arguments).exits(2);
        assert!(said.err.contains(words), "{words}: {}", said.err);
        assert!(!folder.path().join("out.jsonl").exists());
    }
}
