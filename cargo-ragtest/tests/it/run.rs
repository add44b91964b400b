//! `run`: over a folder without a test target, over a cargo package with one, cut short, resumed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::package::{CONFIG, Package, binary, command};

/// Accepts the baseline, which the first run writes as pending.
fn with_baseline() -> Package {
    let package = Package::new();
    package.run(&["run"]).exits(1);
    let pending = package.root().join("snapshots/manual/results.snap.new");
    std::fs::rename(&pending, pending.with_file_name("results.snap")).expect("accepts");
    package
}

fn read(package: &Package, path: &str) -> String {
    std::fs::read_to_string(package.root().join(path)).expect("reads")
}

#[test]
fn a_folder_without_a_target_runs_and_a_red_case_is_shown() {
    let package = with_baseline();
    let said = package.run(&["run"]).exits(0);
    assert!(said.out.contains("manual::recall@5") && said.out.contains("5 records (5 pass)"), "{}", said.out);
    assert!(!said.out.contains("failures:"), "{}", said.out);

    package.write("golden/manual/kettle.md", "# Kettle\n\nThe kettle holds 1.7 litres of water. The kettle is as loud as 16 decibels.\n");
    let said = package.run(&["run"]).exits(1);
    assert!(said.err.contains("FAILED [positive] manual::kettle-md"), "{}", said.err);
    assert!(
        said.out.contains("stale evidence") && said.out.contains("rerun     cargo ragtest run '[positive]") && said.out.contains("1 error"),
        "{}",
        said.out
    );
}

#[test]
fn outputs_hold_records_summary_curve_and_ranking() {
    let package = with_baseline();
    let at = |name: &str| package.root().join(name).display().to_string();
    let files = [at("out.jsonl"), at("out.json"), at("out.csv"), at("out.trec")];
    let arguments: Vec<&str> = ["run"].into_iter().chain(files.iter().flat_map(|file| ["-o", file])).collect();
    package.run(&arguments).exits(0);

    let records: Vec<Value> = read(&package, "out.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids: Vec<&str> = records.iter().filter_map(|record| record["case_id"].as_str()).collect();
    assert_eq!(ids, ["crumbs", "noise", "unknown", "volume", "warranty"]);

    let summary: Value = serde_json::from_str(&read(&package, "out.json")).expect("JSON");
    assert_eq!(summary["aggregates"]["manual"]["default"]["recall@5"], serde_json::json!({ "value": 1.0, "n": 4, "not_scored": 1 }));
    assert_eq!((&summary["gates"][0]["outcome"], &summary["outcomes"]["pass"]), (&"pass".into(), &5.into()));
    assert_eq!(summary["manifest"]["run_id"], summary["run"]);

    let curve = read(&package, "out.csv");
    let lines: Vec<&str> = curve.lines().collect();
    assert_eq!(lines.len(), 21);
    assert!(lines[0].starts_with("suite,system,k,n,recall,precision") && lines[1].starts_with("manual,default,1,4,"), "{curve}");

    let ranking = read(&package, "out.trec");
    let first: Vec<&str> = ranking.lines().next().expect("a line").split(' ').collect();
    assert_eq!((first.len(), first[1], first[3], first[5]), (6, "Q0", "1", "default"));

    let said = package.run(&["run", "-o", "out.pdf"]).exits(2);
    assert!(said.err.contains(".jsonl"), "{}", said.err);
}

#[test]
fn retrieval_only_asks_for_no_answer_and_judges_nothing() {
    let package = with_baseline();
    let out = package.root().join("out.jsonl").display().to_string();
    let said = package.run(&["run", "--retrieval-only", "-o", &out]).exits(0);
    assert!(said.out.contains("manual::recall@5") && !said.out.contains("pass_rate"), "{}", said.out);
    let text = read(&package, "out.jsonl");
    assert_eq!(text.lines().count(), 4, "the case without evidence is ignored");
    assert!(text.lines().all(|line| line.contains("\"answer\":null") && line.contains("\"verdict\":null")), "{text}");
}

#[test]
fn only_the_failed_cases_run_again() {
    let package = with_baseline();
    package.write("golden/manual/kettle.md", "# Kettle\n\nThe kettle holds 1.7 litres of water. The kettle is as loud as 16 decibels.\n");
    package.run(&["run"]).exits(1);
    let said = package.run(&["run", "--only-failed"]).exits(1);
    assert!(said.out.contains("1 records (1 error)") && !said.out.contains("manual::recall@5"), "{}", said.out);
    let said = package.run(&["run", "--only-failed", "nope"]).exits(2);
    assert!(said.err.contains("find run \"nope\""), "{}", said.err);
}

#[test]
fn a_filter_runs_less_and_one_without_a_match_is_red() {
    let package = with_baseline();
    let said = package.run(&["run", "manual::kettle"]).exits(0);
    assert!(said.out.contains("2 records (2 pass)") && !said.out.contains("missing"), "{}", said.out);
    package.run(&["run", "no such trial"]).exits(1);
}

#[test]
fn a_run_goes_on_where_it_was_cut_short() {
    let package = with_baseline();
    // What an interrupted run leaves: some records, and their pointers.
    let first = package.run(&["run", "manual::kettle"]).exits(0);
    let id = first.out.split("run ").nth(1).and_then(|rest| rest.split(':').next()).expect("an id").to_owned();
    let said = package.run(&["run", "--resume", &id]).exits(0);
    assert!(said.out.contains(&format!("run {id}: 5 records (5 pass)")), "{}", said.out);
    let lines: usize = std::fs::read_dir(package.derived().join("runs").join(&id).join("records"))
        .expect("records")
        .map(|entry| std::fs::read_to_string(entry.expect("entry").path()).expect("reads").lines().count())
        .sum();
    assert_eq!(lines, 5, "the first two were not asked again");
}

#[test]
fn a_configuration_that_cannot_be_read_is_no_red_case() {
    let package = Package::new();
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}\n[suit.x]\n"));
    package.run(&["run"]).exits(2);
}

#[test]
fn ctrl_c_ends_both_programs_with_130() {
    let package = with_baseline();
    // A prompt that is a pipe blocks the harness for ever: no time is guessed.
    package.write("prompts/.keep", "");
    let fifo = package.root().join("prompts/answer.md");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    let mut child = binary()
        .args(["run", "--manifest-dir"])
        .arg(package.root())
        .env_remove("NEXTEST_RUN_ID")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // Opening the pipe for writing returns when the harness has opened it for reading: it is running now.
    let writer = std::fs::OpenOptions::new().write(true).open(&fifo).expect("opens");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    let lines: Vec<String> = BufReader::new(child.stderr.take().expect("stderr")).lines().map(|line| line.expect("UTF-8")).collect();
    assert_eq!(child.wait().expect("ends").code(), Some(130), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("interrupted: finished records are kept")), "{lines:?}");
    drop(writer);
}

/// The example project is a member of this workspace: cargo builds little or nothing here.
#[test]
fn a_cargo_package_is_built_and_driven() {
    let adopter = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("examples/adopter");
    let derived = tempfile::tempdir().expect("folder");
    let place = derived.path().to_str().expect("path");
    let said = command(&adopter, &["ragtest", "run"], &[("RAGTEST_TARGET_DIR", place)]).exits(0);
    assert!(said.out.contains("trains::recall@3"), "{}", said.out);
    assert!(derived.path().join("runs").is_dir());
}

#[test]
fn a_target_that_does_not_compile_is_no_red_case() {
    let package = Package::new();
    let manifest = "[package]\nname = \"bot\"\nedition = \"2024\"\n[workspace]\n[[test]]\nname = \"checks\"\npath = \"rag-tests/rag.rs\"\nharness = false\n";
    package.write("Cargo.toml", manifest);
    package.write("src/lib.rs", "");
    package.write("rag-tests/rag.rs", "fn main() { nonsense }\n");
    let said = package.run(&["run"]).exits(2);
    assert!(said.err.contains("nonsense") && said.err.contains("build the test target \"checks\""), "{}", said.err);
}
