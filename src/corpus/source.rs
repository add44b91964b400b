//! The files of a corpus: which there are, in which knowledge snapshot, and who may see them. A BEIR `corpus.jsonl` counts as as many files as
//! it has lines.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use glob::Pattern;
use serde::{Deserialize, Serialize};

use super::reader::{is_beir, list_beir, supported};
use crate::error::{Error, ExtractError, Result};
use crate::id::Fingerprint;

/// One file of a corpus, or one line of a BEIR file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The document's id: the path inside its corpus, with `/`; of a BEIR line its `_id`.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// The bytes of its line, where the file holds a document a line.
    pub line: Option<Range<u64>>,
    /// The knowledge snapshot it belongs to.
    pub snapshot: Option<String>,
    /// Who may see it; empty = everyone.
    pub scopes: Vec<String>,
    /// The hash of its bytes (of its line).
    pub hash: Fingerprint,
}

/// The files of a corpus, in the order of their ids, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFiles {
    /// Files with text.
    pub files: Vec<SourceFile>,
    /// What is there and was not read, and why: links, files of a kind that no reader knows (pictures and style sheets apart).
    pub left_out: Vec<String>,
}

/// Files that belong to documents without being any.
const ASSETS: [&str; 12] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "js", "woff", "woff2", "lock"];

impl SourceFiles {
    /// Lists and hashes the files of a folder, a single file or a glob. Folders named `.source` and hidden files are not part of a corpus.
    ///
    /// A `.jsonl` file is a BEIR corpus: each line is a document, and one that cannot be read is an error with its number. In a folder this
    /// is told by the file's first line; the questions beside a `corpus.jsonl` are no documents.
    pub fn list(&mut self, place: &Path, snapshot: Option<&str>, scopes: &BTreeMap<String, Vec<String>>) -> Result<()> {
        let (base, paths) = find(place, &mut self.left_out)?;
        // A pattern that is none was refused when the configuration was read.
        let scopes: Vec<(Pattern, &Vec<String>)> =
            scopes.iter().filter_map(|(pattern, names)| Some((Pattern::new(pattern).ok()?, names))).collect();
        let first = self.files.len();
        for path in paths {
            let Some(id) = document_id(&base, &path) else { continue };
            let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            if belongs_to_beir(&path, &extension) {
                continue;
            }
            if !supported(&path) {
                if !ASSETS.contains(&extension.as_str()) {
                    self.left_out.push(format!("{id}: no reader for this type of file; convert it, or leave it out with a glob"));
                }
                continue;
            }
            let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
            if extension != "jsonl" {
                self.push(id, path, None, snapshot, &scopes, &bytes);
            } else if place.is_dir() && !is_beir(&bytes) {
                self.left_out
                    .push(format!("{id}: its first line is no BEIR document ({{\"_id\", \"text\"}}); leave the file out with a glob"));
            } else {
                let lines = list_beir(&bytes).map_err(|kind| ExtractError::new(path.display().to_string(), kind))?;
                for line in lines {
                    let span = line.span.start as u64..line.span.end as u64;
                    self.push(line.id, path.clone(), Some(span), snapshot, &scopes, &bytes[line.span]);
                }
            }
        }
        self.files.sort_by(|a, b| (&a.id, &a.snapshot).cmp(&(&b.id, &b.snapshot)));
        let twice = self.files.windows(2).find(|pair| (&pair[0].id, &pair[0].snapshot) == (&pair[1].id, &pair[1].snapshot));
        match twice {
            Some([one, other]) if self.files.len() > first => {
                let (one, other) = (shown(one), shown(other));
                Err(Error::Usage(format!("find the documents {}: two have one id, {one} and {other}", place.display())))
            }
            _ => Ok(()),
        }
    }

    fn push(
        &mut self,
        id: String,
        path: PathBuf,
        line: Option<Range<u64>>,
        snapshot: Option<&str>,
        scopes: &[(Pattern, &Vec<String>)],
        bytes: &[u8],
    ) {
        let allowed = scopes.iter().filter(|(pattern, _)| pattern.matches(&id)).flat_map(|(_, names)| names.iter().cloned()).collect();
        let snapshot = snapshot.map(str::to_owned);
        self.files.push(SourceFile { id, path, line, snapshot, scopes: allowed, hash: Fingerprint::of_bytes(bytes) });
    }

    /// What decides the corpus: ids, snapshots, scopes and contents. Paths do not.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.files.iter().map(|file| {
            let scopes = Fingerprint::of(&file.scopes);
            Fingerprint::of([file.id.as_bytes(), file.snapshot.as_deref().unwrap_or("").as_bytes(), scopes.as_ref(), file.hash.as_ref()])
        }))
    }
}

/// Whether a file is one of the questions and judgements that BEIR puts beside its `corpus.jsonl`.
fn belongs_to_beir(path: &Path, extension: &str) -> bool {
    let folder = match extension {
        "jsonl" if path.file_stem().is_some_and(|stem| stem == "queries") => path.parent(),
        "tsv" => path.parent().map(|folder| if folder.ends_with("qrels") { folder.parent().unwrap_or(folder) } else { folder }),
        _ => None,
    };
    folder.is_some_and(|folder| folder.join("corpus.jsonl").is_file())
}

fn shown(file: &SourceFile) -> String {
    let line = file.line.as_ref().map(|line| format!(" (byte {})", line.start)).unwrap_or_default();
    format!("{:?} of {}{line}", file.id, file.path.display())
}

/// The folder that ids are relative to, and the files in it.
fn find(place: &Path, left_out: &mut Vec<String>) -> Result<(PathBuf, Vec<PathBuf>)> {
    if place.is_dir() {
        let mut paths = Vec::new();
        walk(place, &mut paths, left_out)?;
        return Ok((place.to_path_buf(), paths));
    }
    let text = place.to_string_lossy();
    if !text.contains(['*', '?', '[']) {
        if place.is_file() {
            return Ok((place.parent().unwrap_or(Path::new("")).to_path_buf(), vec![place.to_path_buf()]));
        }
        return Err(Error::Usage(format!("find the documents {}: no such file or folder", place.display())));
    }
    // Ids start below the last folder without a wildcard.
    let base: PathBuf = place.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect();
    let matches = glob::glob(&text).map_err(|error| Error::Usage(format!("find the documents {text}: {error}")))?;
    let mut paths = Vec::new();
    for entry in matches {
        match entry {
            Ok(path) if path.is_file() => paths.push(path),
            Ok(path) if path.is_dir() => {}
            Ok(path) => left_out.push(format!("{}: the link leads nowhere", path.display())),
            Err(error) => left_out.push(format!("{}: {}", error.path().display(), error.error())),
        }
    }
    Ok((base, paths))
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>, left_out: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let entry = entry.map_err(Error::io(folder))?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        // A linked folder could lead round in a circle; a linked file is a file.
        let kind = entry.file_type().map_err(Error::io(entry.path()))?;
        if kind.is_dir() {
            walk(&entry.path(), paths, left_out)?;
        } else if entry.path().is_file() {
            paths.push(entry.path());
        } else {
            left_out.push(format!("{}: a link to a folder, or to nowhere, is not followed; copy what it leads to", entry.path().display()));
        }
    }
    Ok(())
}

/// The path below `base` with `/`; `None` for hidden files and what lies in hidden folders.
fn document_id(base: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(base).ok()?;
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    (!parts.iter().any(|part| part.starts_with('.'))).then(|| crate::id::normalize_id(&parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("folder");
        for (path, text) in
            [("a.md", "# A"), ("internal/b.txt", "B"), (".source/c.md", "C"), (".hidden.md", "H"), ("logo.png", "x"), ("deck.pptx", "x")]
        {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
            std::fs::write(path, text).expect("write");
        }
        folder
    }

    #[test]
    fn a_folder_gives_its_documents_with_scopes() {
        let folder = corpus();
        let scopes = BTreeMap::from([("internal/**".to_owned(), vec!["staff".to_owned()])]);
        let mut found = SourceFiles::default();
        found.list(folder.path(), Some("2026-11"), &scopes).expect("lists");
        let ids: Vec<_> = found.files.iter().map(|f| (f.id.as_str(), f.scopes.len())).collect();
        assert_eq!(ids, [("a.md", 0), ("internal/b.txt", 1)]);
        assert!(found.left_out.len() == 1 && found.left_out[0].starts_with("deck.pptx: no reader"), "{:?}", found.left_out);
    }

    #[test]
    fn a_glob_and_a_file_work_and_a_missing_place_is_named() {
        let folder = corpus();
        let mut found = SourceFiles::default();
        found.list(&folder.path().join("**/*.txt"), None, &BTreeMap::new()).expect("lists");
        assert_eq!(found.files[0].id, "internal/b.txt");
        let mut found = SourceFiles::default();
        found.list(&folder.path().join("a.md"), None, &BTreeMap::new()).expect("lists");
        assert_eq!(found.files[0].id, "a.md");
        let error = SourceFiles::default().list(&folder.path().join("none"), None, &BTreeMap::new()).expect_err("missing");
        assert!(error.to_string().contains("none"), "{error}");
    }

    const BEIR: &str = "{\"_id\": \"b/2\", \"text\": \"two\"}\n\n{\"_id\": \"a-1\", \"title\": \"One\", \"text\": \"one\"}\n";

    fn beir(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
            std::fs::write(path, text).expect("write");
        }
        folder
    }

    #[test]
    fn every_line_of_a_beir_file_is_a_document() {
        let queries = "{\"_id\": \"q1\", \"text\": \"which?\"}\n";
        let folder = beir(&[("corpus.jsonl", BEIR), ("queries.jsonl", queries), ("qrels/test.tsv", "q1\ta-1\t1"), ("c.md", "# C")]);
        let scopes = BTreeMap::from([("b/*".to_owned(), vec!["staff".to_owned()])]);
        for place in ["", "*.jsonl", "corpus.jsonl"] {
            let mut found = SourceFiles::default();
            found.list(&folder.path().join(place), None, &scopes).expect("lists");
            let ids: Vec<_> = found.files.iter().map(|f| (f.id.as_str(), f.scopes.len())).collect();
            assert_eq!(ids[..2], [("a-1", 0), ("b/2", 1)], "{place}");
            assert_eq!(ids.len(), if place.is_empty() { 3 } else { 2 });
            assert!(found.left_out.is_empty(), "{:?}", found.left_out);
            let line = found.files[0].line.clone().expect("a line");
            let line = &BEIR.as_bytes()[usize::try_from(line.start).expect("small")..usize::try_from(line.end).expect("small")];
            assert!(line.starts_with(b"{\"_id\": \"a-1\"") && line.ends_with(b"}"));
            assert_eq!(found.files[0].hash, Fingerprint::of_bytes(line));
        }
    }

    #[test]
    fn a_wrong_line_and_a_repeated_id_name_their_file() {
        let list = |files: &[(&str, &str)], place: &str| {
            let folder = beir(files);
            let mut found = SourceFiles::default();
            found.list(&folder.path().join(place), None, &BTreeMap::new()).map(|()| found.left_out).map_err(|error| error.to_string())
        };
        let error = list(&[("corpus.jsonl", "{\"_id\": \"a\", \"text\": \"x\"}\n{\"_id\": \"b\"}")], "").expect_err("line 2");
        assert!(error.contains("corpus.jsonl: line 2: missing field `text`"), "{error}");
        let error = list(&[("a.jsonl", BEIR), ("b.jsonl", BEIR)], "").expect_err("twice");
        assert!(error.contains("a.jsonl") && error.contains("b.jsonl") && error.contains("\"a-1\""), "{error}");
        // Lines of another kind: a document fewer is said, not hidden; where the file was named, it is an error.
        let cases = [("cases.jsonl", "{\"id\": \"c\"}")];
        let left_out = list(&cases, "").expect("lists");
        assert!(left_out.len() == 1 && left_out[0].starts_with("cases.jsonl: its first line"), "{left_out:?}");
        assert!(list(&cases, "cases.jsonl").expect_err("named").contains("line 1"));
    }

    #[test]
    fn the_fingerprint_follows_content_and_scopes_not_place() {
        let print = |folder: &Path, scopes: &BTreeMap<String, Vec<String>>| {
            let mut found = SourceFiles::default();
            found.list(folder, None, scopes).expect("lists");
            found.fingerprint()
        };
        let (one, two) = (corpus(), corpus());
        let none = BTreeMap::new();
        assert_eq!(print(one.path(), &none), print(two.path(), &none));
        let scopes = BTreeMap::from([("*.md".to_owned(), vec!["staff".to_owned()])]);
        assert_ne!(print(one.path(), &none), print(one.path(), &scopes));
        std::fs::write(two.path().join("a.md"), "# B").expect("write");
        assert_ne!(print(one.path(), &none), print(two.path(), &none));
    }
}
