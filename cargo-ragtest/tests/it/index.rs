//! `index`.

use crate::package::{CONFIG, Package};

#[test]
fn stores_are_built_for_every_system() {
    let package = Package::new();
    let said = package.run(&["index"]).exits(0);
    assert!(said.out.starts_with("manual: 2 documents, 2 chunks, "), "{}", said.out);
    assert!(said.err.is_empty(), "no progress where nobody looks: {}", said.err);
    let stores = |kind: &str| {
        let paths = std::fs::read_dir(package.derived().join("stores")).expect("stores").map(|entry| entry.expect("entry").path());
        let built = paths.filter(|path| path.extension().is_some_and(|extension| extension == "bin"));
        built.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(kind))).count()
    };
    assert_eq!((stores("document"), stores("chunks")), (2, 1));
    assert!(package.runs().is_empty(), "nothing was run");
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}[chunking.small]\nmax_tokens = 8\noverlap_tokens = 0\n[system.a]\npipeline = {{}}\n[system.b]\npipeline = {{ chunking = \"small\" }}\n"));
    let said = package.run(&["index", "--suite", "manual"]).exits(0);
    assert!(said.out.contains("(system a)\nmanual: 2 documents, ") && said.out.contains("(system b)"), "{}", said.out);
    assert_eq!(stores("chunks"), 2);
}

#[test]
fn documents_that_cannot_be_read_are_named_and_the_others_indexed() {
    let package = Package::new();
    package.write("golden/manual/empty.md", "");
    let said = package.run(&["index"]).exits(0);
    assert!(said.out.starts_with("manual: 3 documents, 2 chunks"), "{}", said.out);
    assert!(said.err.contains("warning: failed to read document empty.md"), "{}", said.err);
}

#[test]
fn without_documents_or_reachable_systems_it_says_so() {
    let package = Package::new();
    package.write("rag-tests/ragtest.toml", format!("{CONFIG}[system.bot]\n"));
    let said = package.run(&["index"]).exits(0);
    assert_eq!(said.out, "manual: 2 documents; 1 system(s) of rag.rs have no store here\n");
    package.write("rag-tests/ragtest.toml", CONFIG.replace("golden/manual", "golden/none"));
    let said = package.run(&["index"]).exits(2);
    assert!(said.err.contains("golden/none"), "{}", said.err);
}
