//! `ask`.

use crate::package::{CONFIG, Package};

#[test]
fn chunks_prompt_and_answer_are_shown() {
    let package = Package::new();
    let said = package.run(&["ask", "--system", "default", "How loud is the kettle?", "--show-prompt"]).exits(0);
    for words in ["chunks    1p 0.", "kettle.md#0-", "prompt   Answer", "cites    kettle.md#0-", "prompt tokens"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let answer = said.out.lines().find(|line| line.starts_with("answer ")).expect("answer");
    assert!(answer.contains("The kettle is as loud as 61 decibels."), "{answer}");
    assert!(!said.out.contains("verdict"), "{}", said.out);
    assert!(package.runs().is_empty(), "a question is no run");
}

#[test]
fn json_holds_all_of_it() {
    let json = Package::new().run(&["ask", "How loud is the kettle?", "--json"]).exits(0).json();
    assert_eq!(json["chunks"][0]["source_id"], "kettle.md");
    assert_eq!((&json["chunks"][0]["rank"], &json["chunks"][0]["in_prompt"]), (&1.into(), &true.into()));
    assert!(json["answer"].as_str().expect("answer").contains("61 decibels"));
    assert!(json["usage"]["prompt_tokens"].as_u64().expect("tokens") > 0);
    assert!(json["case"].is_null() && json["prompt"].is_null());
}

#[test]
fn a_case_brings_its_query_and_its_verdict() {
    let package = Package::new();
    let said = package.run(&["ask", "--case", "noise"]).exits(0);
    assert!(said.out.contains("query    How loud is the kettle?") && said.out.contains("case     noise: pass"), "{}", said.out);
    assert!(said.out.contains("faithfulness  true"), "{}", said.out);
    // Another question's answer does not pass for this case.
    let json = package.run(&["ask", "How long is the warranty of the toaster?", "--case", "noise", "--json"]).exits(1).json();
    assert_eq!((&json["case"]["id"], &json["case"]["outcome"]), (&"noise".into(), &"fail".into()));
    assert_eq!(json["case"]["verdict"]["passed"], false);
    assert!(package.runs().is_empty());
}

#[test]
fn a_scope_hides_documents() {
    let package = Package::new();
    let scoped = CONFIG.replace("golden/manual\"", "golden/manual\"\nscopes = { \"kettle.md\" = [\"staff\"] }");
    package.write("rag-tests/ragtest.toml", scoped);
    let sources = |scope: &str| {
        let json = package.run(&["ask", "kettle toaster", "--scope", scope, "--json"]).exits(0).json();
        json["chunks"].as_array().expect("chunks").iter().map(|chunk| chunk["source_id"].to_string()).collect::<String>()
    };
    assert!(sources("staff").contains("kettle.md"));
    assert!(!sources("guest").contains("kettle.md"));
}

#[test]
fn what_cannot_be_asked_says_why() {
    let package = Package::new();
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}[system.bot]\n[system.built]\npipeline = {{}}\n"));
    for (arguments, words) in [
        (&["ask", "q", "--system", "bot"][..], "registered in rag.rs; only the harness can reach it"),
        (&["ask", "q", "--system", "nope"], "known: bot, built"),
        (&["ask", "q"], "--system (known: bot, built)"),
        (&["ask", "q", "--system", "built", "--case", "nope"], "find case \"nope\" in suite manual"),
        (&["ask", " ", "--system", "built"], "it is blank"),
        (&["ask", "--system", "built"], "<QUESTION>"),
    ] {
        let said = package.run(arguments).exits(2);
        assert!(said.err.contains(words) && said.out.is_empty(), "{arguments:?}: {}", said.err);
    }
}

#[test]
fn no_document_reaches_the_terminal_raw() {
    let package = Package::new();
    package.write("golden/manual/evil.md", "# Evil\n\nThe evil lamp is \u{1b}[31mred\u{1b}[0m hot.\n");
    let said = package.run(&["ask", "How hot is the evil lamp?", "--show-prompt"]).exits(0);
    assert!(said.out.contains("evil.md") && !said.out.contains('\u{1b}'), "{}", said.out);
}
