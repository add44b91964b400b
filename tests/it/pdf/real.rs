//! Manuals as programs write them. They are not part of the repository: `RAGTEST_SHARED_DATA` names the folder whose `pdf` holds some.

use std::path::{Path, PathBuf};

use ragtest::corpus::PageState;
use ragtest::corpus::reader::{Extract, Reader};

fn folder() -> PathBuf {
    let shared = std::env::var_os("RAGTEST_SHARED_DATA").map(PathBuf::from);
    shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data")).join("pdf")
}

#[expect(clippy::print_stderr, reason = "a test that was left out must say so")]
#[test]
fn manuals_yield_every_page() {
    let Ok(files) = std::fs::read_dir(folder()) else {
        eprintln!("skipped: {} is not there; RAGTEST_SHARED_DATA names the folder above `pdf`", folder().display());
        return;
    };
    let mut read = 0;
    // Large ones take long in an unoptimised build; `cargo bench --bench pdf` reads them all.
    let small = |path: &PathBuf| path.extension().is_some_and(|e| e == "pdf") && path.metadata().is_ok_and(|data| data.len() < 320_000);
    for path in files.map(|file| file.expect("listed").path()).filter(small) {
        let name = path.display().to_string();
        let document = Reader::default().extract(&name, &std::fs::read(&path).expect("there")).expect("reads");
        let sound = document.pages.iter().filter(|page| page.state == PageState::Ok && !page.span.is_empty()).count();
        assert!(sound * 20 >= document.pages.len() * 19, "{name}: {:?}", document.warnings);
        assert!(document.pages.iter().all(|page| page.state != PageState::Failed), "{name}: {:?}", document.warnings);
        read += 1;
    }
    assert!(read > 0, "{} holds no small file", folder().display());
}
