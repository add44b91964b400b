//! `docs show`.

use crate::package::{Package, command};

#[test]
fn json_has_the_shape_of_the_contract() {
    let package = Package::new();
    let json = package.run(&["docs", "show", "golden/manual/kettle.md", "--json"]).exits(0).json();
    assert_eq!(json["document"], "golden/manual/kettle.md");
    let page = &json["pages"][0];
    assert_eq!((&page["number"], &page["state"]), (&1.into(), &"ok".into()));
    assert_eq!(page["headings"], serde_json::json!(["Kettle"]));
    assert_eq!(page["warnings"], serde_json::json!([]));
    assert!(page["text"].as_str().expect("text").contains("1.7 litres of water"));
    assert_eq!(json["pages"].as_array().expect("pages").len(), 1);
}

#[test]
fn text_is_shown_without_a_package_and_without_control_characters() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("a.txt"), "Red \u{1b}[31malert\r\nsecond line\n").expect("write");
    let said = command(folder.path(), &["docs", "show", "a.txt"], &[]).exits(0);
    assert_eq!(said.out, "a.txt\n\nRed \\u{1b}[31malert\nsecond line\n");
}

#[test]
fn what_cannot_be_read_says_why() {
    let package = Package::new();
    package.write("latin.txt", b"caf\xe9 au lait");
    package.write("wide.md", b"\xff\xfeh\0i\0");
    package.write("empty.md", "");
    package.write("deck.pptx", "x");
    for (file, words) in [
        ("none.md", "none.md"),
        ("latin.txt", "not UTF-8"),
        ("wide.md", "UTF-16"),
        ("empty.md", "no text"),
        ("deck.pptx", "\"pptx\" are not read"),
        ("golden", "it is a folder"),
    ] {
        for arguments in [&["docs", "show", file][..], &["docs", "show", file, "--json"]] {
            let said = package.run(arguments).exits(2);
            assert!(said.err.starts_with("error: failed to ") && said.err.contains(words) && said.out.is_empty(), "{}", said.err);
        }
    }
}

#[test]
fn sections_are_listed_with_length_and_readability() {
    let folder = tempfile::tempdir().expect("folder");
    let text =
        "# Fees\n\nThe fee is three percent of the sum that is paid.\n\n# Terms\n\nThe refund is paid to the card that was charged.\n";
    std::fs::write(folder.path().join("a.md"), text).expect("write");
    let said = command(folder.path(), &["docs", "show", "--sections=14", "a.md"], &[]).exits(0);
    let lines: Vec<_> = said.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", said.out);
    assert!(lines[0].starts_with("a.md#1: 14 tokens, flesch/1 ") && lines[0].contains("[Fees] Fees The fee is"), "{}", lines[0]);
    let json = command(folder.path(), &["docs", "show", "--sections", "--json", "a.md"], &[]).exits(0).json();
    assert_eq!(json["sections"].as_array().map(Vec::len), Some(1));
    assert_eq!((&json["sections"][0]["span"][0], &json["sections"][0]["readability"]["formula"]), (&0.into(), &"flesch/1".into()));
    command(folder.path(), &["docs", "show", "--sections=many", "a.md"], &[]).exits(2);
}
