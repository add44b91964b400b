//! Plain text: the decoding that all text formats share.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::error::ExtractErrorKind;

/// How much of a file is looked at to tell its encoding.
const SAMPLE: usize = 64 << 10;

/// The text of a UTF-8 file: no byte order mark, `\n` line ends, NFC. Other encodings and binary files are refused by name.
pub(super) fn decode(bytes: &[u8]) -> Result<String, ExtractErrorKind> {
    check_encoding(bytes).map(normalize)
}

/// The text of a UTF-8 file as it is, without byte order mark.
pub(super) fn check_encoding(bytes: &[u8]) -> Result<&str, ExtractErrorKind> {
    if let Some(encoding) = wide_encoding(bytes) {
        return Err(ExtractErrorKind::Encoding(encoding));
    }
    if let Some(format) = binary_format(bytes) {
        return Err(ExtractErrorKind::Malformed(format!("the file is {format}, not text")));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|_| ExtractErrorKind::Encoding("in an 8-bit or East Asian encoding"))
}

/// `\n` line ends, NFC.
pub(super) fn normalize(text: &str) -> String {
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() };
    nfc(text)
}

/// The text in NFC, without a copy where it is so already.
pub(super) fn nfc(text: String) -> String {
    if is_nfc(&text) { text } else { text.nfc().collect() }
}

/// UTF-16 and UTF-32, by byte order mark or by the zero bytes that every second Latin character leaves.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Some("UTF-32"),
        [0xFF, 0xFE, ..] => return Some("UTF-16 (little endian)"),
        [0xFE, 0xFF, ..] => return Some("UTF-16 (big endian)"),
        _ => {}
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let zeros = |parity: usize| sample.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), sample.len() / 2);
    // Nearly all of one half zero and none of the other: Latin text. A third: text of several scripts.
    if odd * 3 > half && even == 0 {
        return Some("UTF-16 (little endian)");
    }
    (even * 3 > half && odd == 0).then_some("UTF-16 (big endian)")
}

/// The name of a format that is no text, by its first bytes or by its control characters.
fn binary_format(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 7] = [
        (b"%PDF-", "a PDF"),
        (b"PK\x03\x04", "a ZIP archive (docx, xlsx, epub ...)"),
        (b"\xD0\xCF\x11\xE0", "an old Office file"),
        (b"\x89PNG", "a picture"),
        (b"\xFF\xD8\xFF", "a picture"),
        (b"GIF8", "a picture"),
        (b"\x1F\x8B", "compressed"),
    ];
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(name);
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let controls = sample.iter().filter(|byte| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B)).count();
    (bytes.contains(&0) || controls * 50 > sample.len()).then_some("binary")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[rstest]
    #[case::plain(b"one\ntwo\n", "one\ntwo\n")]
    #[case::mark_and_crlf(b"\xEF\xBB\xBFone\r\ntwo\r\n", "one\ntwo\n")]
    #[case::old_mac(b"one\rtwo", "one\ntwo")]
    #[case::decomposed("cafe\u{301}".as_bytes(), "caf\u{e9}")]
    #[case::form_feed(b"page 1\x0Cpage 2", "page 1\x0Cpage 2")]
    #[case::empty(b"", "")]
    fn reads(#[case] bytes: &[u8], #[case] expected: &str) {
        assert_eq!(decode(bytes).expect("text"), expected);
    }

    #[rstest]
    #[case::little_endian_mark(utf16("\u{feff}Rückgabe", u16::to_le_bytes), "UTF-16 (little endian)")]
    #[case::big_endian_mark(utf16("\u{feff}Rückgabe", u16::to_be_bytes), "UTF-16 (big endian)")]
    #[case::little_endian(utf16("The limit is 30 days.", u16::to_le_bytes), "UTF-16 (little endian)")]
    #[case::big_endian(utf16("The limit is 30 days.", u16::to_be_bytes), "UTF-16 (big endian)")]
    #[case::utf32(vec![0xFF, 0xFE, 0, 0, b'a', 0, 0, 0], "UTF-32")]
    #[case::latin_1(b"R\xFCckgabe".to_vec(), "in an 8-bit or East Asian encoding")]
    fn refuses_other_encodings_by_name(#[case] bytes: Vec<u8>, #[case] name: &str) {
        let error = decode(&bytes).expect_err("not UTF-8");
        assert!(matches!(error, ExtractErrorKind::Encoding(found) if found == name), "{error}");
    }

    #[rstest]
    #[case::pdf(b"%PDF-1.7\n", "a PDF")]
    #[case::docx(b"PK\x03\x04\x14\0", "ZIP")]
    #[case::picture(b"\x89PNG\r\n\x1a\n", "picture")]
    #[case::zero_byte(b"text\0text, and more text", "binary")]
    #[case::controls(b"\x01\x02\x03\x04text", "binary")]
    fn refuses_what_is_no_text(#[case] bytes: &[u8], #[case] name: &str) {
        let error = decode(bytes).expect_err("no text");
        assert!(matches!(&error, ExtractErrorKind::Malformed(message) if message.contains(name)), "{error}");
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_a_text_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = decode(&bytes) {
                prop_assert!(!text.contains('\r'));
                prop_assert_eq!(nfc(text.clone()), text);
            }
        }

        #[test]
        fn text_survives(text in "[^\\p{Cc}]{0,100}") {
            let decoded = decode(text.as_bytes()).expect("UTF-8");
            let expected: String = text.strip_prefix('\u{feff}').unwrap_or(&text).nfc().collect();
            prop_assert_eq!(decoded, expected);
        }
    }
}
