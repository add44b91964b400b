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
            // A map that the library cannot read may still be one.
            None if subtype == b"Type0" && !font.has(b"ToUnicode") && !has_tables(file, font) => Self::Unsaid,
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

/// Whether a TrueType or OpenType program has a character table (`cmap`) in a format that is commonly read.
fn has_character_table(program: &[u8]) -> bool {
    let number = |at: usize| Some(usize::from(u16::from_be_bytes(program.get(at..at + 2)?.try_into().ok()?)));
    let offset = |at: usize| usize::try_from(u32::from_be_bytes(program.get(at..at + 4)?.try_into().ok()?)).ok();
    if !matches!(program.get(..4), Some([0, 1, 0, 0] | b"true" | b"OTTO")) {
        return false;
    }
    let entries = (0..number(4).unwrap_or_default()).map(|at| 12 + 16 * at);
    let Some(table) = entries.filter(|at| program.get(*at..at + 4) == Some(b"cmap")).find_map(|at| offset(at + 8)) else { return false };
    let tables = (0..number(table.saturating_add(2)).unwrap_or_default()).filter_map(|at| offset(table + 4 + 8 * at + 4));
    tables.filter_map(|at| number(table.checked_add(at)?)).any(|format| matches!(format, 0 | 4 | 6 | 12))
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
    #[case::segments(b"cmap", 4, true)]
    #[case::rare(b"cmap", 10, false)]
    #[case::none(b"glyf", 4, false)]
    fn character_tables(#[case] tag: &[u8; 4], #[case] format: u8, #[case] expected: bool) {
        let table = [0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12, 0, format];
        let program = [&[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], &tag[..], &[0; 4], &[0, 0, 0, 28], &[0, 0, 0, 14], &table].concat();
        assert_eq!(has_character_table(&program), expected);
        for end in 0..program.len() {
            assert!(!has_character_table(&program[..end]), "{end}");
        }
    }

    #[rstest]
    #[case::named(b"\x01\x00\x04\x01 a dictionary", true)]
    #[case::numbered(b"\x01\x00\x04\x01\x8b\x8b\x8b\x0c\x1e rest", false)]
    #[case::none(b"", false)]
    fn glyph_names(#[case] program: &[u8], #[case] expected: bool) {
        assert_eq!(has_glyph_names(program), expected);
    }
}
