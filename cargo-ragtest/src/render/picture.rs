//! Pictures of a Markdown file: PNG and JPEG inside its folder.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use krilla::image::Image;

/// The most bytes of a picture's file.
const MAX_BYTES: u64 = 32 << 20;
/// The most pixels of a picture.
const MAX_PIXELS: u64 = 50_000_000;

/// Opens the picture that a Markdown file in `folder` names. The error fits after the picture's name.
pub(super) fn open(folder: &Path, name: &str) -> Result<Image, String> {
    let path = locate(folder, name)?;
    let length = std::fs::metadata(&path).map_err(|error| error.to_string())?.len();
    if length > MAX_BYTES {
        return Err(format!("it has {length} bytes, the limit is {MAX_BYTES}"));
    }
    let data = Arc::new(std::fs::read(&path).map_err(|error| error.to_string())?);
    let image = if data.starts_with(b"\x89PNG") {
        Image::from_png(data.into(), true)
    } else if data.starts_with(&[0xff, 0xd8]) {
        Image::from_jpeg(data.into(), true)
    } else {
        return Err("it is neither PNG nor JPEG".into());
    };
    let image = image.map_err(|error| format!("it cannot be read: {error}"))?;
    let (width, height) = image.size();
    if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!("it has {width} x {height} pixels, the limit is {MAX_PIXELS}"));
    }
    Ok(image)
}

/// The file of a picture's name: below the folder, links resolved.
fn locate(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let name = decode(name);
    let outside = || "only files in the folder of the Markdown file are drawn".to_owned();
    let below = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !below || name.contains(':') {
        return Err(outside());
    }
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let path = folder.join(&name).canonicalize().map_err(|error| format!("not found: {error}"))?;
    if path.starts_with(&folder) { Ok(path) } else { Err(outside()) }
}

/// Percent signs decoded, as links write spaces.
fn decode(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let coded = (*first == b'%').then(|| tail.get(..2)).flatten().and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = coded.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::above("../a.png", "only files in the folder")]
    #[case::hidden_above("%2e%2e/a.png", "only files in the folder")]
    #[case::root("/etc/passwd", "only files in the folder")]
    #[case::web("https://a.example/a.png", "only files in the folder")]
    #[case::data("data:image/png;base64,AAAA", "only files in the folder")]
    #[case::missing("gone.png", "not found")]
    #[case::text("a.txt", "neither PNG nor JPEG")]
    #[case::broken("a.png", "cannot be read")]
    fn other_pictures_are_refused(#[case] name: &str, #[case] expected: &str) {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("a.txt"), "text").expect("write");
        std::fs::write(folder.path().join("a.png"), b"\x89PNG\r\n").expect("write");
        let error = open(folder.path(), name).expect_err("refused");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn names_are_decoded() {
        assert_eq!(decode("my%20plan%2.png"), "my plan%2.png");
    }
}
