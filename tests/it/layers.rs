//! The layers of ARCHITECTURE.md hold: outside tests, a module uses lower layers only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Module to layer, as the table says.
fn layers() -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut layers = BTreeMap::new();
    for line in text.lines() {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let Some(layer) = cells.next().and_then(|cell| cell.parse::<usize>().ok()) else { continue };
        let names = cells.next().unwrap_or_default().split('`').skip(1).step_by(2);
        layers.extend(names.map(|name| (name.to_owned(), layer)));
    }
    layers
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn a_module_uses_lower_layers_only() {
    let layers = layers();
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files {
        let relative = file.strip_prefix(root().join("src")).expect("below src");
        let module = relative.components().next().expect("a name").as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "macros" {
            continue;
        }
        let Some(own) = layers.get(&module) else { panic!("module `{module}` is missing from the table of layers in ARCHITECTURE.md") };
        let text = std::fs::read_to_string(&file).expect("source");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(&text);
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for (_, rest) in line.match_indices("crate::").map(|(at, found)| (at, &line[at + found.len()..])) {
                let used: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                if let Some(layer) = layers.get(&used).filter(|_| used != module) {
                    seen += 1;
                    if layer >= own {
                        wrong.push(format!("{}: {} (layer {own}) uses {used} (layer {layer})", relative.display(), module));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 100, "only {seen} uses were found: the scan is broken");
}
