//! `docs render`: what is rendered is read again by the project's own reader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ragtest::corpus::Document;
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::id::Fingerprint;
use ragtest::text::words;
use tempfile::TempDir;

use crate::package::{Said, command};

/// Two by two pixels.
const PNG: &[u8] = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\x00\x00\x00\x02\x08\x00\x00\x00\x00\x57\xdd\x52\
\xf8\x00\x00\x00\x0e\x49\x44\x41\x54\x78\x9c\x63\x70\x38\xc0\x70\xc0\x01\x00\x06\x06\x02\x01\x75\x02\x15\xcf\x00\x00\x00\x00\x49\x45\x4e\x44\
\xae\x42\x60\x82";

const MANUAL: &str = "---\ntitle: The manual\n---\n# Kettle\n\nIt holds **1.7 litres**, Größe ≤ 2, τιμή, цена.\n\n## Care\n\n\
1. Empty it.\n   - Wait *first*.\n2. Wipe it.\n\n> Never under water.\n\n```\nlet a  = 1;\n```\n\n\
| Part | Price | Note |\n|:--|--:|:-:|\n| Lid | 4.50 | blue |\n| Base | 12.00 | [sold](https://shop.example/base) |\n\n![A plan](img/plan.png)\n";

/// A folder with `manual.md` and its picture.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("folder");
    write(&folder, "manual.md", MANUAL);
    write(&folder, "img/plan.png", PNG);
    folder
}

fn write(folder: &TempDir, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.path().join(path);
    std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
    std::fs::write(path, content).expect("write");
}

fn render(folder: &TempDir, arguments: &[&str]) -> Said {
    command(folder.path(), &[&["docs", "render"], arguments].concat(), &[])
}

fn read(path: &Path) -> Document {
    let bytes = std::fs::read(path).expect("readable");
    Reader::default().extract(&path.to_string_lossy(), &bytes).expect("a document")
}

fn headings(document: &Document) -> Vec<(u8, String)> {
    document.headings.iter().map(|heading| (heading.level, heading.text.clone())).collect()
}

#[test]
fn words_headings_tables_and_pictures_survive() {
    let folder = folder();
    let said = render(&folder, &["manual.md", "--header", "{title}: {page}/{total_pages}", "--footer", "none"]).exits(0);
    assert!(said.out.starts_with("wrote manual.pdf: 1 page(s), "), "{}", said.out);
    let pdf = read(&folder.path().join("manual.pdf"));
    assert_eq!(headings(&pdf), [(1, "Kettle".to_owned()), (2, "Care".to_owned())]);
    for part in ["The manual: 1/1", "Größe ≤ 2, τιμή, цена.", "Never under water.", "let a  = 1;", "A plan", "1. Empty it.", "Wait first."]
    {
        let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined(&pdf.text).contains(&joined(part)), "{part:?} is missing in {}", pdf.text);
    }
    let row = pdf.text.lines().find(|line| line.contains("12.00")).expect("a row");
    assert!(row.contains("Base") && row.contains("sold"), "{row}");
    assert!(!pdf.text.contains("Page 1"), "{}", pdf.text);
    let bytes = std::fs::read(folder.path().join("manual.pdf")).expect("readable");
    let holds = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
    assert!(holds("/Subtype/Image") || holds("/Subtype /Image"));
    assert!(holds("https://shop.example/base"));
}

#[test]
fn the_golden_markdown_survives() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let mut sources = Vec::new();
    collect(&golden, &mut sources);
    assert!(sources.len() > 5, "{sources:?}");
    let folder = tempfile::tempdir().expect("folder");
    for source in sources {
        let target = folder.path().join("out.pdf");
        let said = render(&folder, &[source.to_str().expect("path"), "-o", target.to_str().expect("path"), "--force"]);
        let markdown = read(&source);
        if markdown.language == Some(ragtest::text::Language::Japanese) {
            // The fonts that come along have no Japanese: that is said, and no box is drawn.
            assert!(said.exits(2).err.contains("no font has a glyph"));
            continue;
        }
        said.exits(0);
        let pdf = read(&target);
        let texts = |document: &Document| headings(document).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(&pdf), texts(&markdown), "{}", source.display());
        let (found, wanted) = (counts(&pdf.text), counts(&markdown.text));
        let total: usize = wanted.values().sum();
        let kept: usize = wanted.iter().map(|(word, count)| found.get(word).copied().unwrap_or_default().min(*count)).sum();
        assert!(kept * 100 >= total * 99, "{}: {kept} of {total} words", source.display());
    }
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            sources.push(path);
        }
    }
}

fn counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

#[test]
fn the_bytes_depend_on_the_input_alone() {
    let folder = folder();
    let arguments = |target| ["docs", "render", "manual.md", "-o", target];
    command(folder.path(), &arguments("a.pdf"), &[("HOME", "/nowhere"), ("TZ", "Asia/Tokyo"), ("FONTCONFIG_PATH", "/nowhere")]).exits(0);
    command(folder.path(), &arguments("b.pdf"), &[("SOURCE_DATE_EPOCH", "1"), ("LANG", "ja_JP.UTF-8"), ("TZ", "UTC")]).exits(0);
    let [a, b] = ["a.pdf", "b.pdf"].map(|name| std::fs::read(folder.path().join(name)).expect("readable"));
    assert_eq!(a, b);
    // The hash of one machine. It changes with the layout, the fonts, and the crates that write and compress.
    assert_eq!(Fingerprint::of_bytes(&a).to_string(), "9b6b943967765f8d3648654350daffec");
}

#[test]
fn sources_render_above_their_folder_and_other_content_is_kept() {
    let folder = tempfile::tempdir().expect("folder");
    write(&folder, "golden/x/.source/a.md", "# A\n\nText.");
    write(&folder, "golden/x/.source/b.md", "# B\n\nText.");
    let both = ["golden/x/.source/a.md", "golden/x/.source/b.md"];
    render(&folder, &both).exits(0);
    assert!(folder.path().join("golden/x/a.pdf").is_file() && folder.path().join("golden/x/b.pdf").is_file());
    let said = render(&folder, &both).exits(0);
    assert_eq!(said.out.matches("unchanged ").count(), 2, "{}", said.out);

    write(&folder, "golden/x/.source/b.md", "# B\n\nOther text.");
    let before = std::fs::read(folder.path().join("golden/x/b.pdf")).expect("readable");
    let said = render(&folder, &both).exits(2);
    assert!(said.err.contains("replace golden/x/b.pdf, which has other content; --force replaces it"), "{}", said.err);
    assert_eq!(std::fs::read(folder.path().join("golden/x/b.pdf")).expect("readable"), before);
    render(&folder, &[both[1], "--force"]).exits(0);
    assert_ne!(std::fs::read(folder.path().join("golden/x/b.pdf")).expect("readable"), before);
    let left = std::fs::read_dir(folder.path().join("golden/x")).expect("readable").count();
    assert_eq!(left, 3, "a.pdf, b.pdf and .source");

    write(&folder, "other/a.md", "Text.");
    let said = render(&folder, &["other/a.md", both[0], "-o", "other"]).exits(2);
    assert!(said.err.contains("into one file"), "{}", said.err);
}

#[test]
fn what_cannot_be_drawn_is_named_with_its_line() {
    for (text, words) in [
        ("Text\n\n![x](gone.png)", "line 3: image \"gone.png\": not found"),
        ("![x](../secret.png)", "line 1: image \"../secret.png\": only files in the folder"),
        ("![x](%2Fetc%2Fpasswd)", "only files in the folder"),
        ("![x](https://a.example/b.png)", "only files in the folder"),
        ("Fine.\n\nThe 漢字.", "line 3: no font has a glyph for '字' (U+5B57); name one with --font FILE"),
        ("Red \u{1b}[31malert", "line 1: no font has a glyph for U+001B"),
        ("שלום", "right-to-left"),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        write(&folder, "inner/a.md", text);
        write(&folder, "secret.png", PNG);
        let said = render(&folder, &["inner/a.md"]).exits(2);
        assert!(said.err.starts_with("error: failed to render inner/a.md:\n") && said.err.contains(words), "{}", said.err);
        assert!(!said.err.contains('\u{1b}') && !folder.path().join("inner/a.pdf").exists());
    }
}

#[test]
fn hostile_markdown_is_text_at_most() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "long line ".repeat(100_000);
    let deep = "> ".repeat(20);
    let text = format!(
        "<script>alert(1)</script>\n\nA <b onclick=x>bold</b> [link](javascript:alert(1)) and [file](file:///etc/passwd).\n\n{deep}deep\n\n{line}\n\n{}\n",
        "x".repeat(100_000)
    );
    write(&folder, "a.md", text);
    let said = render(&folder, &["a.md"]).exits(0);
    assert!(said.err.contains("line 1: HTML is left out") && said.err.contains("a javascript: link is text only"), "{}", said.err);
    let bytes = std::fs::read(folder.path().join("a.pdf")).expect("readable");
    let holds = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
    assert!(!holds("/URI") && !holds("/JavaScript") && !holds("etc/passwd"));

    write(&folder, "b.md", format!("{}deep", "> ".repeat(500)));
    let said = render(&folder, &["b.md"]).exits(2);
    assert!(said.err.contains("lists and quotes inside each other"), "{}", said.err);
}

#[test]
fn wrong_options_say_what_is_right() {
    let folder = folder();
    for (arguments, words) in [
        (&["manual.md", "--header", "{date}"][..], "the slot {date} is not known"),
        (&["manual.md", "--paper", "a5"], "it is a4 or letter"),
        (&["manual.md", "--font", "manual.md"], "no TrueType or OpenType font"),
        (&["gone.md"], "gone.md"),
        (&["manual.md", "manual.md", "-o", "x.pdf"], "it is no folder"),
    ] {
        let said = render(&folder, arguments).exits(2);
        assert!(said.err.contains(words), "{}", said.err);
    }
}
