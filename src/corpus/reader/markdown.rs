//! Markdown: the text as a reader sees it, with its headings.

use pulldown_cmark::{BlockQuoteKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use unicode_normalization::is_nfc;

use super::{html, plain};
use crate::corpus::{Document, Heading, Warning};
use crate::text::is_cjk;

/// The document of a Markdown text. GFM tables, strikethrough, alerts and footnotes are understood, HTML blocks read as HTML is; comments and
/// front matter are left out. The title in the front matter opens the text as a heading where the text has none of the first level.
pub(super) fn read(text: &str) -> Document {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM;
    let (front_matter, body) = split_front_matter(text);
    let document = read_with(body, options);
    match front_matter.and_then(title) {
        Some(title) if document.headings.iter().all(|heading| heading.level > 1) => {
            let mut flow = Flow::default();
            flow.event(Event::Start(Tag::Heading { level: HeadingLevel::H1, id: None, classes: Vec::new(), attrs: Vec::new() }));
            flow.push(title);
            flow.event(Event::End(TagEnd::Heading(HeadingLevel::H1)));
            flow.read(body, options);
            flow.finish()
        }
        _ => document,
    }
}

/// The document of Markdown that was made from another format: only marks that the conversion writes are marks.
pub(super) fn read_converted(text: &str) -> Document {
    read_with(text, Options::empty())
}

fn read_with(text: &str, options: Options) -> Document {
    let mut flow = Flow::default();
    flow.read(text, options);
    flow.finish()
}

/// Parts a leading block of YAML or TOML from the text. The first line after a YAML fence must look like YAML, or a page that opens with a
/// rule would lose its start.
fn split_front_matter(text: &str) -> (Option<&str>, &str) {
    let Some((fence, body)) = ["---", "+++"].into_iter().find_map(|fence| Some((fence, text.strip_prefix(fence)?.strip_prefix('\n')?)))
    else {
        return (None, text);
    };
    let yaml = |first: &str| first.contains(':') || first.starts_with('#') || first.trim_end() == "---";
    if fence == "---" && !body.lines().next().is_some_and(yaml) {
        return (None, text);
    }
    let mut offset = 0;
    for line in body.split_inclusive('\n') {
        let end = line.trim_end();
        if end == fence || end == "..." && fence == "---" {
            return (Some(&body[..offset]), &body[offset + line.len()..]);
        }
        offset += line.len();
    }
    (None, text)
}

/// The title that front matter gives, if it stands on one line.
fn title(front_matter: &str) -> Option<&str> {
    let value = front_matter.lines().find_map(|line| line.strip_prefix("title")?.trim_start().strip_prefix([':', '=']))?.trim();
    let quoted = ['"', '\''].iter().find_map(|mark| value.strip_prefix(*mark)?.strip_suffix(*mark));
    Some(quoted.unwrap_or(value)).filter(|title| !title.is_empty() && !title.starts_with(['|', '>', '{', '[']))
}

/// Text in the making: events go in, lines come out.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "what is open is told by the events, in any combination")]
pub(super) struct Flow {
    out: String,
    headings: Vec<Heading>,
    /// The open lists, outermost first: the next number of an ordered one.
    lists: Vec<Option<u64>>,
    /// Line ends due before the next text: 1 = a new line, 2 = a blank line between.
    gap: usize,
    /// A list marker or label was just written: what follows stays on its line.
    after_marker: bool,
    /// Where the open heading's text starts.
    heading: Option<usize>,
    row: Option<Row>,
    code: bool,
    /// A broken line between two pieces of text.
    soft_break: bool,
    /// The open HTML block.
    html: String,
    /// An HTML block is being read.
    in_html: bool,
    /// Words in HTML blocks that were left out.
    html_words: usize,
}

/// An open table row.
#[derive(Default)]
struct Row {
    cells: usize,
    /// The end of the last cell that is not empty.
    end: usize,
}

impl Flow {
    fn read(&mut self, text: &str, options: Options) {
        for event in Parser::new_ext(text, options | Options::ENABLE_TABLES) {
            self.event(event);
        }
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text),
            Event::SoftBreak => self.soft_break = true,
            Event::HardBreak => self.line_break(),
            Event::InlineHtml(tag) if tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br")) => self.line_break(),
            Event::FootnoteReference(label) => self.push(&format!("[{label}]")),
            Event::Html(html) => self.html.push_str(&html),
            Event::Rule => self.want(2),
            Event::InlineHtml(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.want(2);
                self.flush();
                self.heading = Some(self.out.len());
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.want(2);
                } else {
                    self.gap = 1;
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::FootnoteDefinition(label) => {
                self.want(2);
                self.mark(&format!("[{label}] "));
            }
            Tag::BlockQuote(kind) => {
                self.want(2);
                if let Some(kind) = kind {
                    self.mark(alert(kind));
                }
            }
            Tag::CodeBlock(_) => {
                self.want(2);
                self.code = true;
            }
            Tag::TableHead | Tag::TableRow => {
                self.want(1);
                self.flush();
                self.row = Some(Row { cells: 0, end: self.out.len() });
            }
            Tag::TableCell if self.row.as_ref().is_some_and(|row| row.cells > 0) => self.out.push_str(" | "),
            Tag::Paragraph | Tag::Table(_) => self.want(2),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                self.close_heading(level as u8);
                self.want(2);
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.want(if self.lists.is_empty() { 2 } else { 1 });
            }
            TagEnd::Item => {
                self.after_marker = false;
                self.soft_break = false;
                self.gap = 1;
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.want(2);
            }
            TagEnd::TableCell => {
                self.soft_break = false;
                if let Some(row) = &mut self.row {
                    row.cells += 1;
                    if !self.out.ends_with(" | ") {
                        row.end = self.out.len();
                    }
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(row) = self.row.take() {
                    self.out.truncate(row.end);
                }
                self.want(1);
            }
            TagEnd::FootnoteDefinition | TagEnd::BlockQuote(_) => {
                self.after_marker = false;
                self.want(2);
            }
            TagEnd::HtmlBlock => {
                self.html_block();
                self.want(2);
            }
            TagEnd::Paragraph | TagEnd::Table => self.want(2),
            _ => {}
        }
    }

    fn html_block(&mut self) {
        let html = std::mem::take(&mut self.html);
        let words = visible_words(&html);
        if words == 0 {
            return;
        }
        match html::to_markdown(&html) {
            Ok((_, markdown)) if !self.in_html => {
                self.in_html = true;
                self.want(2);
                self.read(&markdown, Options::empty());
                self.in_html = false;
            }
            _ => self.html_words += words,
        }
    }

    /// A list item: one line, whether or not its list is loose.
    fn item(&mut self) {
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        };
        self.mark(&marker);
    }

    /// Writes a label that the following block starts behind.
    fn mark(&mut self, marker: &str) {
        self.flush_indented(self.lists.len().saturating_sub(1));
        self.out.push_str(marker);
        self.after_marker = true;
    }

    /// Asks for line ends before the next text.
    fn want(&mut self, lines: usize) {
        self.soft_break = false;
        if !self.after_marker {
            self.gap = self.gap.max(lines);
        }
    }

    fn flush(&mut self) {
        self.flush_indented(if self.code { 0 } else { self.lists.len() });
    }

    /// Writes the line ends that are due. Trailing spaces show nothing and go.
    fn flush_indented(&mut self, depth: usize) {
        if self.gap == 0 || self.after_marker {
            self.gap = 0;
            return;
        }
        self.out.truncate(self.out.trim_end().len());
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', self.gap));
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
        self.gap = 0;
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.flush();
        self.after_marker = false;
        if std::mem::take(&mut self.soft_break) {
            // Scripts without spaces are broken without one.
            let joined = self.out.ends_with(is_unspaced) && text.starts_with(is_unspaced);
            if !joined {
                self.out.push(' ');
            }
        }
        // `&#13;` writes a carriage return past the decoding.
        self.out.extend(text.split('\r'));
    }

    fn line_break(&mut self) {
        if self.heading.is_some() || self.row.is_some() {
            self.soft_break = true;
        } else if !self.after_marker {
            self.gap = self.gap.max(1);
        }
    }

    fn close_heading(&mut self, level: u8) {
        let Some(start) = self.heading.take() else { return };
        let text = self.out[start..].trim();
        if !text.is_empty() {
            // Inside a list item the line starts with the marker.
            let offset = self.out[..start].rfind('\n').map_or(0, |end| end + 1);
            self.headings.push(Heading { level, text: text.to_owned(), offset });
        }
    }

    pub(super) fn finish(mut self) -> Document {
        self.out.truncate(self.out.trim_end().len());
        let mut document = Document { text: self.out, headings: self.headings, ..Document::default() };
        compose(&mut document);
        if self.html_words > 0 {
            let message = format!("HTML blocks with {} word(s) cannot be read and are left out", self.html_words);
            document.warnings.push(Warning { page: None, message });
        }
        document
    }
}

/// NFC: entities can bring combining marks past the decoding. Done heading by heading, so that the offsets follow.
fn compose(document: &mut Document) {
    if is_nfc(&document.text) {
        return;
    }
    let mut composed = String::with_capacity(document.text.len());
    let mut done = 0;
    for heading in &mut document.headings {
        composed.push_str(&plain::nfc(document.text[done..heading.offset].to_owned()));
        done = heading.offset;
        heading.offset = composed.len();
        heading.text = plain::nfc(std::mem::take(&mut heading.text));
    }
    composed.push_str(&plain::nfc(document.text[done..].to_owned()));
    document.text = composed;
}

fn alert(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note: ",
        BlockQuoteKind::Tip => "Tip: ",
        BlockQuoteKind::Important => "Important: ",
        BlockQuoteKind::Warning => "Warning: ",
        BlockQuoteKind::Caution => "Caution: ",
    }
}

/// Han, Kana and their punctuation. Hangul is written with spaces.
fn is_unspaced(c: char) -> bool {
    let hangul = matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}');
    is_cjk(c) && !hangul || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff60}')
}

/// The words between the tags of an HTML block.
fn visible_words(html: &str) -> usize {
    let hidden = ["<!", "<?", "<script", "<style", "<template"];
    let opening = html.trim_start().get(..9).unwrap_or(html).to_ascii_lowercase();
    if hidden.iter().any(|tag| opening.starts_with(tag)) {
        return 0;
    }
    let outside =
        html.split('<').enumerate().filter_map(|(i, piece)| if i == 0 { Some(piece) } else { piece.split_once('>').map(|p| p.1) });
    outside.flat_map(str::split_whitespace).filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    #[rstest]
    #[case::paragraphs("One\ntwo.\n\n\nThree.", "One two.\n\nThree.")]
    #[case::inline("A **bold** _and_ `code_x` [link](http://x.y) ~~old~~ \\*star", "A bold and code_x link old *star")]
    #[case::image("See ![the plan](a.png) here", "See the plan here")]
    #[case::autolink("at <https://a.b/c>", "at https://a.b/c")]
    #[case::hard_break("One  \ntwo<br/>three", "One\ntwo\nthree")]
    #[case::japanese_break("次の\n規則。\n続き", "次の規則。続き")]
    #[case::korean_break("다음\n규칙", "다음 규칙")]
    #[case::list("Do:\n\n- first\n- second\n  more\n\nEnd", "Do:\n\n- first\n- second more\n\nEnd")]
    #[case::ordered("3. three\n4. four", "3. three\n4. four")]
    #[case::nested("- a\n  - b\n    1. c\n- d", "- a\n  - b\n    1. c\n- d")]
    #[case::loose("- a\n\n  more\n\n- b\n\nEnd", "- a\n\n  more\n- b\n\nEnd")]
    #[case::list_in_list("- - a\n- b", "- - a\n- b")]
    #[case::code_in_list("1. run\n   ```\n   x = 1\n     y\n   ```\n   then", "1. run\n\nx = 1\n  y\n\n  then")]
    #[case::table("| A | B |\n|---|:-:|\n| 1 | **2** |\n| a\\|b |  |", "A | B\n1 | 2\na|b")]
    #[case::table_gaps("| A | B | C |\n|---|---|---|\n|  | 2 | 3 |\n| x<br>y | | z |", "A | B | C\n | 2 | 3\nx y |  | z")]
    #[case::code("```rust\nlet a  = 1;\n\n    b\n```\nAfter", "let a  = 1;\n\n    b\n\nAfter")]
    #[case::quote("> said\n> he\n\nEnd", "said he\n\nEnd")]
    #[case::alert("> [!WARNING]\n> Do not.", "Warning: Do not.")]
    #[case::footnote("It is 3 %[^a].\n\n[^a]: Since May.", "It is 3 %[a].\n\n[a] Since May.")]
    #[case::comment("A<!-- hidden --> b\n\n<!-- gone\n\nstill -->\n\nc", "A b\n\nc")]
    #[case::inline_html("Press <kbd>Esc</kbd> &amp; go", "Press Esc & go")]
    #[case::front_matter("---\nlayout: x\n---\n\nText", "Text")]
    #[case::front_matter_title("---\nlayout: page\ntitle: \"Fees: all\"\n---\n## One\n\nText", "Fees: all\n\nOne\n\nText")]
    #[case::front_matter_beside_a_heading("---\ntitle: x\n---\n# Fees", "Fees")]
    #[case::toml("+++\ntitle = 'Fees'\n+++\nText", "Fees\n\nText")]
    #[case::html_table("A\n\n<table>\n<tr><th>B<th>C</tr>\n<tr><td>1<td>2</tr>\n</table>\n\nD", "A\n\nB | C\n1 | 2\n\nD")]
    #[case::details("<details>\n<summary>More</summary>\n\nInside *it*\n\n</details>\n\nAfter", "More\n\nInside it\n\nAfter")]
    #[case::reference("See [the plan][p] and [p].\n\n[p]: http://x.y \"title\"", "See the plan and p.")]
    #[case::setext("Title\n===\n\nSub\n---\ntext", "Title\n\nSub\n\ntext")]
    #[case::tildes("~~~\n```\n~~~", "```")]
    #[case::rule_first("---\n\nText\n\n---\n\nmore", "Text\n\nmore")]
    #[case::rule_pair_inside("One\n\n---\nkey: kept\n\n---\n\nTwo", "One\n\nkey: kept\n\nTwo")]
    #[case::entity("e&#x301;t&#13;", "\u{e9}t")]
    #[case::empty_heading("#\n\nText", "Text")]
    fn reads_as_seen(#[case] markdown: &str, #[case] expected: &str) {
        assert_eq!(read(markdown).text, expected);
    }

    #[test]
    fn headings_stand_where_they_say() {
        let document = read("# The *Guide*\n\nText\n\nSet up\nit\n---\n- # In a list\n\n> ## Quoted\n\n#### e&#x301;\n\n## Last `x`");
        let found: Vec<_> = document.headings.iter().map(|h| (h.level, h.text.as_str())).collect();
        assert_eq!(found, [(1, "The Guide"), (2, "Set up it"), (1, "In a list"), (2, "Quoted"), (4, "\u{e9}"), (2, "Last x")]);
        for heading in &document.headings {
            let line = document.text[heading.offset..].lines().next().expect("a line");
            assert_eq!(line.trim_start_matches("- "), heading.text);
            assert!(heading.offset == 0 || document.text[..heading.offset].ends_with('\n'));
        }
    }

    #[test]
    fn an_html_block_that_cannot_be_read_is_reported() {
        let document = read(&format!("Text\n\n{}Lost fee: 3 EUR\n\n<!-- a comment of five words -->\n", "<div>".repeat(1_000)));
        assert_eq!(document.text, "Text");
        assert_eq!(document.warnings.len(), 1);
        assert!(document.warnings[0].message.contains("4 word(s)"), "{:?}", document.warnings);
    }

    #[rstest]
    #[case::quotes("> ", 10_000)]
    #[case::lists("- ", 10_000)]
    #[case::emphasis("*a **b ", 5_000)]
    #[case::links("[", 20_000)]
    fn deep_nesting_ends(#[case] mark: &str, #[case] times: usize) {
        assert!(read(&(mark.repeat(times) + "x")).text.ends_with('x'));
    }

    proptest! {
        #[test]
        fn any_text_gives_sound_headings(text in "([-#>*|`~ \\[\\]\\n_0-9.:<&;]{0,4}\\PC{0,5}){0,30}") {
            let document = read(&text);
            for heading in &document.headings {
                prop_assert!(document.text.is_char_boundary(heading.offset));
                let line = document.text[heading.offset..].lines().next().unwrap_or_default();
                prop_assert!(line.contains(&heading.text), "{line:?} {heading:?}");
            }
            prop_assert!(document.headings.is_sorted_by_key(|h| h.offset));
            prop_assert_eq!(document.text.nfc().collect::<String>(), document.text);
        }
    }
}
