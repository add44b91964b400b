//! Text for people: short, on one line, and harmless in a terminal.

/// At most `limit` characters of a text, on one line.
pub fn excerpt(text: &str, limit: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= limit {
        return line;
    }
    let mut cut: String = line.chars().take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Control and direction characters made visible, line breaks and tabs kept: no text of a document or model moves the cursor, colours the
/// terminal or reorders what people read.
pub fn plain(text: &str) -> String {
    let hostile = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(hostile) {
        return text.to_owned();
    }
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if hostile(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(excerpt("a  b\n c", 10), "a b c");
        assert_eq!(excerpt("äöüäöü", 3), "äö…");
        assert_eq!(excerpt("", 3), "");
    }

    #[test]
    fn escapes_become_visible() {
        assert_eq!(plain("ok\n\tfine"), "ok\n\tfine");
        assert_eq!(plain("\u{1b}[2Jx\u{202e}y\r"), "\\u{1b}[2Jx\\u{202e}y\\u{d}");
    }
}
