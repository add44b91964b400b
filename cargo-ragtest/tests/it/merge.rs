//! Shards into one run.

use ragtest::record::{append_line, read_records};
use ragtest::system::System;
use ragtest::verdict::{Origin, Outcome};
use ragtest::{Question, RagSystem, Response, SystemError};
use serde_json::Value;

use crate::package::{CONFIG, Package, block_on, evaluate};

const FIRST: [&str; 2] = ["noise", "warranty"];

/// Two shards, `a` and `b`, of all cases.
fn sharded() -> Package {
    let package = Package::new();
    write_shards(&package);
    package
}

fn write_shards(package: &Package) {
    package.write_run("a", |id| FIRST.contains(&id));
    package.write_run("b", |id| !FIRST.contains(&id));
}

/// Name, value, n and outcome of each gate.
fn gates(json: &Value) -> Vec<(String, Value, Value, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let gates = json["gates"].as_array().expect("gates").iter();
    gates.map(|gate| (text(&gate["name"]), gate["value"].clone(), gate["n"].clone(), text(&gate["outcome"]))).collect()
}

#[test]
fn two_shards_give_what_one_run_gives() {
    let package = Package::new();
    let precision = "[[gate]]\nsuite = \"manual\"\nmetric = \"context_precision@5\"\nmin = 0.1\n";
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}{precision}"));
    write_shards(&package);
    package.write_run("whole", |_| true);
    let whole = package.run(&["merge", "whole", "--json"]).exits(0).json();
    let merged = package.run(&["merge", "a", "b", "--json"]).exits(0).json();
    assert_eq!(gates(&merged), gates(&whole));
    assert_eq!(merged["outcomes"], whole["outcomes"]);
    let expected = [("manual::recall@5", 4), ("manual::pass_rate", 5)];
    for (found, (name, n)) in gates(&merged).iter().zip(expected) {
        assert_eq!((found.0.as_str(), &found.1, &found.2, found.3.as_str()), (name, &1.0.into(), &n.into(), "pass"));
    }
    let precision = merged["gates"][2]["value"].as_f64().expect("value");
    assert!(precision > 0.1 && precision < 0.9, "a mean that no single shard could hit by chance: {precision}");
    assert_eq!(merged["gates"][0]["min"], 0.9);
    assert_eq!(merged["outcomes"]["pass"], 5);
    // The new run is whole: it can be merged again, under its id and as a folder.
    let id = merged["run"].as_str().expect("id");
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(package.derived().join("runs").join(id).join("manifest.json")).expect("manifest"))
            .expect("JSON");
    assert_eq!(manifest["run_id"], id);
    assert_eq!(gates(&package.run(&["merge", id, "--json"]).exits(0).json()), gates(&whole));
    let folder = package.derived().join("runs").join(id);
    let said = package.run(&["merge", folder.to_str().expect("path"), "a"]).exits(0);
    assert!(said.out.contains("manual::recall@5") && said.out.contains("5 records of 2 shards (5 pass)"), "{}", said.out);
}

#[test]
fn a_case_that_no_shard_holds_is_red() {
    let package = sharded();
    let said = package.run(&["merge", "a"]).exits(1);
    assert!(said.out.contains("FAIL  2 of 4 expected cases are missing from the run: volume, crumbs"), "{}", said.out);
    assert!(said.out.contains("case manual::unknown: missing"), "{}", said.out);
    let json = package.run(&["merge", "b", "--json"]).exits(1).json();
    assert_eq!(gates(&json)[0].1, 0.5, "missing cases count 0 in retrieval metrics");
    assert_eq!(json["missing"].as_array().expect("list").len(), 2);
    // A shard that evaluated nothing still is one.
    package.write_run("empty", |_| false);
    package.run(&["merge", "empty"]).exits(1);
    package.run(&["merge", "empty", "a", "b"]).exits(0);
}

#[test]
fn the_baseline_is_compared() {
    let package = sharded();
    let project = package.project("base", Vec::new());
    let suite = project.suite("manual").expect("suite");
    let results = block_on(suite.results(&project, 1)).expect("results");
    let snapshot = |results: &ragtest::baseline::Baseline| format!("---\nsource: rag.rs\n---\n{}", results.render());
    package.write("snapshots/manual/results.snap", snapshot(&results));
    let said = package.run(&["merge", "a", "b"]).exits(0);
    assert!(said.out.contains("baseline manual: no regression"), "{}", said.out);

    let mut better = results;
    let system = better.systems.get_mut("default").expect("system");
    system.cases.insert("gone".into(), system.cases["noise"].clone());
    system.fingerprints.insert("chunking".into(), "0123456789ab".into());
    package.write("snapshots/manual/results.snap", snapshot(&better));
    let json = package.run(&["merge", "a", "b", "--json"]).exits(1).json();
    let lines = json["baseline"]["manual"].to_string();
    assert!(lines.contains("chunking 0123456789ab ->") && lines.contains("missing from the run: gone"), "{lines}");
}

#[test]
fn a_failed_case_is_red_as_its_trial_would_be() {
    let package = Package::new();
    let failing = r#"{"id":"wrong","query":"How loud is the kettle?","reference_answer":"The kettle is silent.","keywords":["silent"]}"#;
    package.write("rag-tests/cases/wrong.jsonl", failing);
    package.write("rag-tests/ragtest.toml", CONFIG.replace("min = 0.9", "min = 0.5"));
    package.write_run("a", |_| true);
    let said = package.run(&["merge", "a"]).exits(1);
    assert!(said.out.contains("case manual::wrong: fail"), "{}", said.out);
    let by_gates = CONFIG.replace("min = 0.9", "min = 0.5").replace("*.jsonl\"", "*.jsonl\"\nverdict = \"gates\"");
    package.write("rag-tests/ragtest.toml", by_gates);
    package.write_run("b", |_| true);
    package.run(&["merge", "b"]).exits(0);
}

#[test]
fn conflicting_records_are_refused_by_key_and_nothing_is_written() {
    let package = sharded();
    let records = |run: &str| package.derived().join("runs").join(run).join("records");
    let mut record = read_records(&records("a")).expect("records").remove(0);
    let mut file = std::fs::File::create(records("b").join("again.jsonl")).expect("file");
    append_line(&mut file, &record).expect("write");
    package.run(&["merge", "a", "b"]).exits(0);
    record.outcome = Outcome::Fail(Some(Origin::Generation));
    record.origin = Some(Origin::Generation);
    append_line(&mut file, &record).expect("write");
    let before = package.runs();
    let said = package.run(&["merge", "a", "b"]).exits(2);
    assert!(said.err.contains("suite manual, system default, case noise: pass in a, fail (generation) in b"), "{}", said.err);
    assert_eq!((package.runs(), said.out.as_str()), (before, ""));
}

#[test]
fn shards_of_different_runs_are_refused_by_what_differs() {
    let package = sharded();
    let before = package.runs();
    let edit = |part: &str, value: Value| {
        let path = package.derived().join("runs/b/manifest.json");
        let text = std::fs::read(&path).expect("manifest");
        let mut manifest: Value = serde_json::from_slice(&text).expect("JSON");
        *manifest.pointer_mut(part).expect("part") = value;
        std::fs::write(&path, manifest.to_string()).expect("write");
        let said = package.run(&["merge", "a", "b"]).exits(2);
        std::fs::write(&path, text).expect("write");
        said.err
    };
    let print = || Value::from("0".repeat(32));
    for (part, value, words) in [
        ("/config", CONFIG.replace("recall@5", "recall@3").into(), "config (rag-tests/ragtest.toml:9"),
        ("/profile", "smoke".into(), "profile (none and smoke)"),
        ("/corpora/manual", print(), "corpus manual"),
        ("/prompts/default~1answer", print(), "prompt default/answer"),
        ("/format", 9.into(), "manifest format 9 needs a newer"),
    ] {
        let said = edit(part, value);
        assert!(said.contains(words), "{part}: {said}");
    }
    assert_eq!(package.runs(), before);
    // The package itself must be the one that the shards ran in.
    package.write("rag-tests/ragtest.toml", CONFIG.replace("min = 0.9", "min = 0.1"));
    let said = package.run(&["merge", "a", "b"]).exits(2);
    assert!(said.err.contains("this package differ in config"), "{}", said.err);
    assert_eq!(package.runs(), before);
}

#[test]
fn unknown_runs_and_none_at_all_list_the_newest() {
    let package = sharded();
    for arguments in [&["merge"][..], &["merge", "a", "nope"]] {
        let said = package.run(arguments).exits(2);
        assert!(said.err.contains("the newest runs in") && said.err.contains("\n  a"), "{}", said.err);
    }
    assert!(Package::new().run(&["merge"]).exits(2).err.contains("holds no run yet"));
}

struct Bot;

impl RagSystem for Bot {
    async fn ask(&self, question: &Question) -> Result<Response, SystemError> {
        let loud = question.query.contains("loud");
        Ok(Response::answer(if loud { "The kettle is as loud as 61 decibels." } else { "I do not know." }))
    }
}

#[test]
fn systems_of_rag_rs_are_merged_without_being_reached() {
    let package = Package::new();
    // Neither a table nor a gate names the system: only the shards know it.
    package.write("rag-tests/ragtest.toml", CONFIG.replace("recall@5", "error_rate").replace("min = 0.9", "max = 0.9"));
    for (run, first) in [("a", true), ("b", false)] {
        let project = package.project(run, vec![System::new("bot", Bot)]);
        evaluate(&project, |id| FIRST.contains(&id) == first);
    }
    let json = package.run(&["merge", "a", "b", "--json"]).exits(1).json();
    assert_eq!(gates(&json)[0], ("manual::error_rate".into(), 0.0.into(), 5.into(), "pass".into()));
    assert_eq!((&json["outcomes"]["pass"], &json["missing"]), (&2.into(), &Value::Array(Vec::new())));
}
