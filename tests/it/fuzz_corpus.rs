//! What the fuzz targets start from and once stumbled over, through the same checks.

use std::path::Path;

#[expect(unreachable_pub, reason = "a crate of its own for cargo-fuzz")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// A fuzz target's checks on one input.
type Target = fn(&[u8]);

#[test]
#[expect(clippy::print_stdout, reason = "names the input of a failure")]
fn every_input_is_read_soundly_or_refused() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let targets: [(&str, Target); 8] = [
        ("beir", targets::beir),
        ("cases", targets::cases),
        ("chunker", targets::chunker),
        ("docx", targets::docx),
        ("html", targets::html),
        ("markdown", targets::markdown),
        ("pdf", targets::pdf),
        ("plain", targets::plain),
    ];
    for (name, check) in targets {
        let files = std::fs::read_dir(corpus.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut checked = 0;
        for file in files {
            let path = file.expect("listed").path();
            println!("{}", path.display());
            check(&std::fs::read(&path).expect("readable"));
            checked += 1;
        }
        assert!(checked >= 2, "{name} has {checked} inputs");
    }
}
