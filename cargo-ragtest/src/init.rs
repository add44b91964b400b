//! `init`: the first files of a suite in a project that exists.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ragtest::config::CONFIG_FILE;

use crate::output::{Output, given};

/// Writes the first files of a suite into the working folder's project
#[derive(Args)]
#[command(long_about = "\
Writes the first files of a suite into the working folder's project: the test target, ragtest.toml, two cases over a document of its own, and
the settings of nextest and insta.

No file that exists is changed; what has to be added to one is printed. In a folder without Cargo.toml no test target is written: `cargo
ragtest run` is the harness there.

  cargo ragtest init
  cargo ragtest init --documents docs           tests over your documents: no sample is written, the first case is yours to write
  cargo ragtest init --name support

Then: cargo test --test rag, or cargo ragtest run. The first run shows the baseline to be accepted (`cargo insta review`).")]
pub(crate) struct Options {
    /// The folder of your documents [default: golden/NAME, with a sample]
    #[arg(long, value_name = "DIR", env = "RAGTEST_DOCUMENTS", hide_env = true)]
    documents: Option<String>,
    /// The name of corpus and suite
    #[arg(long, value_name = "NAME", default_value = "handbook", env = "RAGTEST_NAME", hide_env = true)]
    name: String,
}

const TARGET: &str = "use std::process::ExitCode;\n\nfn main() -> ExitCode {\n    // Register a system of your own: ragtest::harness!().system(\"bot\", MyRag).run()\n    ragtest::harness!().run()\n}\n";

const DOCUMENT: &str = "# Opening hours\n\nThe desk is open from 9:00 to 17:30 on working days. It is closed on public holidays.\n";

const CASES: &str = r#"{"id":"hours-001","strategy":"positive","query":"When does the desk close on working days?","reference_answer":"The desk closes at 17:30 on working days.","evidence":[{"document":"hours.md","quote":"The desk is open from 9:00 to 17:30 on working days.","grade":3}],"keywords":["17:30"],"tags":["smoke"]}
{"id":"absent-001","strategy":"negative","query":"What does parking at the desk cost?","expect":"abstain","tags":["smoke"]}
"#;

const NEXTEST: &str = "[profile.default]\n# A judge that flips must not turn green by asking again.\nretries = 0\nfail-fast = false\n\n[profile.ci.junit]\npath = \"junit.xml\"\n";

const INSTA: &str = "# The harness prints differences itself, inside the failure of their own trial.\nbehavior:\n  output: none\n";

const MANIFEST: &str = "\
[dev-dependencies]
ragtest = \"0.1\"

[[test]]
name = \"rag\"
path = \"rag-tests/rag.rs\"
harness = false
";

pub(crate) fn run(options: &Options, folder: Option<&Path>) -> Result<Output> {
    let root = folder.map_or_else(std::env::current_dir, |folder| Ok(folder.to_path_buf())).context("find the working folder")?;
    let name = options.name.as_str();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        bail!("use the name {name:?}: it is part of trial names; use letters, digits, `-` and `_`");
    }
    let documents = given(options.documents.as_ref());
    if let Some(place) = documents.filter(|place| !root.join(place).exists()) {
        bail!("use the documents in {place}: there is no such folder");
    }
    let mut files: Vec<(PathBuf, String)> = vec![
        (CONFIG_FILE.into(), configuration(name, documents)),
        (".config/nextest.toml".into(), NEXTEST.into()),
        (".config/insta.yaml".into(), INSTA.into()),
    ];
    let cases = PathBuf::from(format!("rag-tests/cases/{name}.jsonl"));
    if documents.is_none() {
        files.push((format!("golden/{name}/hours.md").into(), DOCUMENT.into()));
        files.push((cases.clone(), CASES.into()));
    }
    let is_package = root.join("Cargo.toml").is_file();
    if is_package {
        files.push(("rag-tests/rag.rs".into(), TARGET.into()));
    }
    let mut text = String::new();
    for (path, content) in files {
        let place = root.join(&path);
        if place.exists() {
            let _ = writeln!(text, "kept     {}: it exists", path.display());
            continue;
        }
        ragtest::store::write_whole(&place, content.as_bytes()).with_context(|| format!("write {}", place.display()))?;
        let _ = writeln!(text, "written  {}", path.display());
    }
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    if is_package && !manifest.contains("rag-tests/rag.rs") {
        let _ = write!(text, "\nadd to Cargo.toml:\n\n{MANIFEST}");
    }
    if documents.is_some() {
        let _ =
            write!(text, "\nwrite the first case into {}, for example\n\n{}", cases.display(), CASES.lines().next().unwrap_or_default());
        text.push('\n');
    }
    let _ = writeln!(text, "\nthen run  {}", if is_package { "cargo test --test rag" } else { "cargo ragtest run" });
    Ok(Output { text, green: true })
}

fn configuration(name: &str, documents: Option<&str>) -> String {
    let place = documents.map_or_else(|| format!("golden/{name}"), str::to_owned);
    // A TOML string in double quotes and a JSON string are written alike.
    let place = serde_json::Value::from(place);
    format!(
        "version = 1

[corpus.{name}]
documents = {place}

[suite.{name}]
corpus = \"{name}\"
cases = \"rag-tests/cases/{name}*.jsonl\"

# The built-in pipeline; register your own system in rag.rs, or leave this away.
[system.default]
pipeline = {{ llm = \"embedded\", embedding = \"embedded\", retriever = \"hybrid\", top_k = 5 }}

[[gate]]
suite = \"{name}\"
metric = \"recall@5\"
min = 0.9

[[gate]]
suite = \"{name}\"
metric = \"pass_rate\"
min = 0.8

[profile.smoke]
include = [\"tag:smoke\"]
"
    )
}
