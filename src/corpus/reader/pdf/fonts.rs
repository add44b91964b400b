//! What a font says about its codes.

use lopdf::{Dictionary, Document, Encoding, Object};

/// The most bytes that a map or a font program is unpacked to.
const MAX_UNPACKED: usize = 64 << 20;

/// Who knows what a font's codes show.
pub(super) enum Reading<'a> {
    /// The file states it.
    Stated(Encoding<'a>),
    /// The font's own tables, or a standard.
    Inside,
    /// Nobody: what a reader makes of the codes is a guess.
    Unsaid,
}

impl<'a> Reading<'a> {
    pub(super) fn of(file: &'a Document, font: &'a Dictionary) -> Self {
        let subtype = font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        let stated = if font.has(b"ToUnicode") {
            mapped(file, font)
        } else if matches!(subtype, b"Type1" | b"TrueType") && font.has(b"Encoding") {
            font.get_font_encoding_with_limit(file, MAX_UNPACKED).ok()
        } else {
            None
        };
        match stated {
            Some(encoding) => Self::Stated(encoding),
            None if subtype == b"Type0" && !has_tables(file, font) => Self::Unsaid,
            None => Self::Inside,
        }
    }
}

/// The encoding by the font's `ToUnicode`. The library prefers `Encoding`, which says less.
fn mapped<'a>(file: &Document, font: &Dictionary) -> Option<Encoding<'a>> {
    let mut mapped = font.clone();
    mapped.remove(b"Encoding");
    mapped.set("Type", "Font");
    match mapped.get_font_encoding_with_limit(file, MAX_UNPACKED) {
        Ok(Encoding::UnicodeMapEncoding(map)) => Some(Encoding::UnicodeMapEncoding(map)),
        _ => None,
    }
}

/// Whether a font of two-byte codes has a character table, or is in an encoding that is published.
fn has_tables(file: &Document, font: &Dictionary) -> bool {
    let Ok(Ok(encoding)) = font.get_deref(b"Encoding", file).map(Object::as_name) else { return true };
    if !matches!(encoding, b"Identity-H" | b"Identity-V") {
        return true;
    }
    let descendants = font.get_deref(b"DescendantFonts", file).and_then(Object::as_array);
    let Some(descendant) = descendants.ok().and_then(|all| file.dereference(all.first()?).ok()?.1.as_dict().ok()) else { return false };
    let dictionary = |key: &[u8]| descendant.get_deref(key, file).and_then(Object::as_dict).ok();
    let ordering = dictionary(b"CIDSystemInfo").and_then(|system| system.get_deref(b"Ordering", file).and_then(Object::as_str).ok());
    if matches!(ordering, Some(b"GB1" | b"CNS1" | b"Japan1" | b"Korea1" | b"KR")) {
        return true;
    }
    let Some(descriptor) = dictionary(b"FontDescriptor") else { return false };
    let program =
        |key: &[u8]| descriptor.get_deref(key, file).and_then(Object::as_stream).ok()?.get_plain_content_with_limit(MAX_UNPACKED).ok();
    match (program(b"FontFile2"), program(b"FontFile3")) {
        (Some(program), _) => has_character_table(&program),
        (_, Some(program)) => has_character_table(&program) || has_glyph_names(&program),
        _ => false,
    }
}

/// Whether a TrueType or OpenType program has the table `cmap`.
fn has_character_table(program: &[u8]) -> bool {
    let count = program.get(4..6).map_or(0, |bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]])));
    let directory = program.get(12..).unwrap_or_default().chunks_exact(16).take(count);
    matches!(program.get(..4), Some([0, 1, 0, 0] | b"true" | b"OTTO")) && directory.into_iter().any(|entry| entry.starts_with(b"cmap"))
}

/// Whether a program in the Compact Font Format names its glyphs: those of numbered glyphs have the operator `ROS` in their first
/// dictionary.
fn has_glyph_names(program: &[u8]) -> bool {
    let start = &program[..program.len().min(512)];
    start.first() == Some(&1) && !start.windows(2).any(|pair| pair == [12, 30])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::true_type(b"\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00cmap\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", true)]
    #[case::without(b"\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00glyf\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", false)]
    #[case::cut(b"\x00\x01\x00\x00\x00\x09\x00", false)]
    #[case::none(b"", false)]
    fn character_tables(#[case] program: &[u8], #[case] expected: bool) {
        assert_eq!(has_character_table(program), expected);
    }

    #[rstest]
    #[case::named(b"\x01\x00\x04\x01 a dictionary", true)]
    #[case::numbered(b"\x01\x00\x04\x01\x8b\x8b\x8b\x0c\x1e rest", false)]
    #[case::none(b"", false)]
    fn glyph_names(#[case] program: &[u8], #[case] expected: bool) {
        assert_eq!(has_glyph_names(program), expected);
    }
}
