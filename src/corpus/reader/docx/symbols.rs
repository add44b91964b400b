//! Characters of symbol fonts, which stand in the private use area.

/// What a character of a symbol font shows, as Unicode has it. `None` where there is no such character, or none that is common.
pub(super) fn to_unicode(font: &str, character: char) -> Option<char> {
    let code = u32::from(character);
    let code = u8::try_from(if (0xF000..=0xF0FF).contains(&code) { code - 0xF000 } else { code }).ok()?;
    let font = font.to_lowercase();
    let table: &[(u8, char)] = if font.starts_with("wingdings 2") {
        &WINGDINGS_2
    } else if font.starts_with("wingdings") {
        &WINGDINGS
    } else {
        return symbol(code);
    };
    table.iter().find(|(at, _)| *at == code).map(|(_, character)| *character)
}

fn symbol(code: u8) -> Option<char> {
    const CAPITALS: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
    const SMALL: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    match code {
        b'A'..=b'Z' => CAPITALS.chars().nth(usize::from(code - b'A')),
        b'a'..=b'z' => SMALL.chars().nth(usize::from(code - b'a')),
        b' '..=b'!' | b'#' | b'%'..=b'&' | b'('..=b')' | b'+'..=b',' | b'.'..=b'?' | b'['..=b']' | b'_' | b'{'..=b'}' => {
            Some(char::from(code))
        }
        _ => SYMBOL.iter().find(|(at, _)| *at == code).map(|(_, character)| *character),
    }
}

const SYMBOL: [(u8, char); 44] = [
    (0x22, '∀'),
    (0x24, '∃'),
    (0x27, '∋'),
    (0x2A, '∗'),
    (0x2D, '−'),
    (0x40, '≅'),
    (0x5E, '⊥'),
    (0x7E, '∼'),
    (0xA2, '′'),
    (0xA3, '≤'),
    (0xA5, '∞'),
    (0xAB, '↔'),
    (0xAC, '←'),
    (0xAD, '↑'),
    (0xAE, '→'),
    (0xAF, '↓'),
    (0xB0, '°'),
    (0xB1, '±'),
    (0xB2, '″'),
    (0xB3, '≥'),
    (0xB4, '×'),
    (0xB5, '∝'),
    (0xB6, '∂'),
    (0xB7, '•'),
    (0xB8, '÷'),
    (0xB9, '≠'),
    (0xBA, '≡'),
    (0xBB, '≈'),
    (0xBC, '…'),
    (0xC5, '⊕'),
    (0xC6, '∅'),
    (0xC7, '∩'),
    (0xC8, '∪'),
    (0xC9, '⊃'),
    (0xCC, '⊂'),
    (0xCE, '∈'),
    (0xCF, '∉'),
    (0xD0, '∠'),
    (0xD6, '√'),
    (0xDB, '⇔'),
    (0xDE, '⇒'),
    (0xE5, '∑'),
    (0xF2, '∫'),
    (0xD9, '∧'),
];

const WINGDINGS: [(u8, char); 24] = [
    (0x28, '☎'),
    (0x2A, '✉'),
    (0x4A, '☺'),
    (0x4C, '☹'),
    (0x6C, '●'),
    (0x6E, '■'),
    (0x6F, '□'),
    (0x71, '❑'),
    (0x75, '◆'),
    (0x76, '❖'),
    (0x9F, '•'),
    (0xA7, '▪'),
    (0xA8, '☐'),
    (0xD8, '➢'),
    (0xDF, '←'),
    (0xE0, '→'),
    (0xE1, '↑'),
    (0xE2, '↓'),
    (0xE8, '➔'),
    (0xF0, '⇨'),
    (0xFB, '✗'),
    (0xFC, '✓'),
    (0xFD, '☒'),
    (0xFE, '☑'),
];

const WINGDINGS_2: [(u8, char); 6] = [(0x4F, '✗'), (0x50, '✓'), (0x51, '☒'), (0x52, '☑'), (0x97, '●'), (0xA3, '☐')];
