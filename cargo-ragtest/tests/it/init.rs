//! `init`.

use crate::package::command;

#[test]
fn a_new_folder_has_a_suite_that_is_green_once_accepted() {
    let folder = tempfile::tempdir().expect("folder");
    let said = command(folder.path(), &["init"], &[]).exits(0);
    assert!(said.out.contains("written  rag-tests/ragtest.toml") && said.out.contains("then run  cargo ragtest run"), "{}", said.out);
    assert!(!folder.path().join("rag-tests/rag.rs").exists(), "without Cargo.toml there is no target");
    let said = command(folder.path(), &["run"], &[]).exits(1);
    assert!(said.err.contains("FAILED [snapshot] handbook::results") && said.out.contains("2 records (2 pass)"), "{}", said.out);
    let pending = folder.path().join("snapshots/handbook/results.snap.new");
    std::fs::rename(&pending, pending.with_file_name("results.snap")).expect("accepts");
    command(folder.path(), &["run"], &[]).exits(0);
}

#[test]
fn what_exists_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("rag-tests")).expect("folder");
    std::fs::create_dir_all(path("docs")).expect("folder");
    std::fs::write(path("rag-tests/ragtest.toml"), "mine").expect("writes");
    std::fs::write(path("Cargo.toml"), "[package]\nname = \"bot\"\n").expect("writes");
    let said = command(folder.path(), &["init", "--documents", "docs"], &[]).exits(0);
    assert!(said.out.contains("kept     rag-tests/ragtest.toml: it exists") && said.out.contains("add to Cargo.toml:"), "{}", said.out);
    assert_eq!(std::fs::read_to_string(path("rag-tests/ragtest.toml")).expect("reads"), "mine");
    assert_eq!(std::fs::read_to_string(path("Cargo.toml")).expect("reads"), "[package]\nname = \"bot\"\n");
    assert!(path("rag-tests/rag.rs").exists() && !path("golden").exists());
    command(folder.path(), &["init", "--documents", "nowhere"], &[]).exits(2);
    command(folder.path(), &["init", "--name", "a b"], &[]).exits(2);
}
