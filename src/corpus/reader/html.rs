//! HTML: converted to Markdown, then read as such.

use std::rc::Rc;

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;

use super::{markdown, plain};
use crate::corpus::Document;
use crate::error::ExtractErrorKind;

/// Elements whose content is no text of the page: code, pictures, form controls, and what repeats on every page of a site.
const SKIPPED: [&str; 11] = ["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "select", "nav", "datalist"];

/// Elements whose footer is their own, not the page's.
const WITH_FOOTER: [&str; 5] = ["article", "main", "section", "blockquote", "figure"];

/// A cell that spans more rows or columns than this is a mistake.
const MAX_SPAN: usize = 64;

/// A cell of at most this many bytes is said again in each row that it spans.
const MAX_REPEATED: usize = 200;

/// Deeper nesting than any page has; the conversion recurses.
const MAX_DEPTH: usize = 400;

/// Open elements that the parser is let at: its time grows with the square of the depth.
const MAX_OPEN: usize = 4_000;

/// Elements that never hold each other directly or hold nothing, so that pages may leave them open.
const LEFT_OPEN: [&str; 28] = [
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p", "param", "rp",
    "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Borders inside the intermediate Markdown, where an element's handler cannot see its surroundings. Such characters are taken out of the
/// input first.
const SPAN: char = '\u{19}';
const CODE: char = '\u{1a}';
const TITLE: char = '\u{1c}';
const HEAD_CELL: char = '\u{1d}';
const ROW: char = '\u{1e}';
const CELL: char = '\u{1f}';

/// The encodings that pages declare, by the start of their names; the last ones are ASCII bytes throughout, so that a page in them looks like
/// UTF-8.
const ENCODINGS: [(&str, &str); 16] = [
    ("iso-8859-1", "ISO-8859-1 (Latin 1)"),
    ("latin", "ISO-8859-1 (Latin 1)"),
    ("iso-8859-", "in one of the ISO-8859 encodings"),
    ("windows-1252", "windows-1252"),
    ("windows-125", "in one of the windows-125x encodings"),
    ("koi8", "KOI8"),
    ("macintosh", "Macintosh Roman"),
    ("shift", "Shift_JIS"),
    ("x-sjis", "Shift_JIS"),
    ("euc-jp", "EUC-JP"),
    ("euc-kr", "EUC-KR"),
    ("gb", "in a GB encoding (simplified Chinese)"),
    ("big5", "Big5"),
    ("iso-2022-", "ISO-2022"),
    ("utf-7", "UTF-7"),
    ("hz-gb", "HZ"),
];
const ALL_ASCII: [&str; 3] = ["ISO-2022", "UTF-7", "HZ"];

/// The text of a page. Only UTF-8 is read; another encoding is refused by the name that the page declares. A page that is UTF-8 whatever it
/// declares was converted, and its declaration forgotten.
pub(super) fn decode(bytes: &[u8]) -> Result<String, ExtractErrorKind> {
    let declared = || {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_ascii_lowercase();
        let (_, name) = head.split_once("charset=")?;
        let name = name.trim_start_matches(['"', '\'', ' ']);
        ENCODINGS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, shown)| *shown)
    };
    match plain::decode(bytes) {
        Err(ExtractErrorKind::Encoding(guess)) if !guess.starts_with("UTF-") => {
            Err(ExtractErrorKind::Encoding(declared().unwrap_or(guess)))
        }
        Ok(_) if declared().is_some_and(|name| ALL_ASCII.contains(&name)) => {
            Err(ExtractErrorKind::Encoding(declared().unwrap_or_default()))
        }
        decoded => decoded,
    }
}

/// The document of an HTML page. Its title opens the text as a heading where the page has no `h1` of its own.
pub(super) fn read(html: &str) -> Result<Document, ExtractErrorKind> {
    let (title, body) = to_markdown(html)?;
    let document = markdown::read_converted(&body);
    if title.is_empty() || document.headings.iter().any(|h| h.level == 1) {
        return Ok(document);
    }
    Ok(markdown::read_converted(&format!("# {title}\n\n{body}")))
}

/// The title of a page or a part of one, and its body as Markdown.
pub(super) fn to_markdown(html: &str) -> Result<(String, String), ExtractErrorKind> {
    let html = html.replace(|c| ('\u{19}'..='\u{1f}').contains(&c), " ");
    if nesting(&html) > MAX_OPEN {
        return Err(too_deep());
    }
    let converter = converter();
    let tree = converter.html_to_tree(&html)?;
    if depth(&tree) > MAX_DEPTH {
        return Err(too_deep());
    }
    prune(&tree);
    let (title, body) = take_title(&converter.tree_to_markdown(&tree));
    Ok((title, code_spans(&body)))
}

fn converter() -> HtmlToMarkdown {
    let options = Options { bullet_list_marker: BulletListMarker::Dash, ul_bullet_spacing: 1, ol_number_spacing: 1, ..Options::default() };
    HtmlToMarkdown::builder()
        .options(options)
        .skip_tags(SKIPPED.to_vec())
        // Emphasis and link marks could leak where no white space surrounds them.
        .add_handler(vec!["a", "b", "em", "i", "strong", "head", "thead", "tbody", "tfoot"], wrap(|text| text))
        .add_handler(vec!["title"], wrap(|text| format!("{TITLE}{}{TITLE}", one_line(&text))))
        .add_handler(vec!["h1", "h2", "h3", "h4", "h5", "h6"], heading)
        .add_handler(vec!["ol", "ul"], list)
        .add_handler(vec!["img"], picture)
        .add_handler(vec!["code"], wrap(|text| format!("{CODE}{text}{CODE}")))
        .add_handler(vec!["pre"], wrap(|text| fenced(&text.replace(CODE, ""))))
        .add_handler(vec!["td", "th"], cell)
        .add_handler(vec!["caption", "tr"], wrap(|text| format!("{text}{ROW}")))
        .add_handler(vec!["table"], wrap(|text| table(&text)))
        .build()
}

/// A handler that rewrites the Markdown of an element's content.
fn wrap(
    rewrite: impl Fn(String) -> String + Send + Sync + 'static,
) -> impl Fn(&dyn Handlers, Element) -> Option<HandlerResult> + Send + Sync + 'static {
    move |handlers: &dyn Handlers, element: Element| Some(rewrite(handlers.walk_children(element.node).content).into())
}

/// A heading stays on its line whatever is inside it.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "the shape of an htmd handler")]
fn heading(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let level = element.tag.trim_start_matches('h').parse().unwrap_or(1);
    let text = one_line(&handlers.walk_children(element.node).content);
    Some(format!("\n\n{} {text}\n\n", "#".repeat(level)).into())
}

/// A list stands alone: right behind a line of text, Markdown takes only those that start with 1 for a list.
fn list(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let list = handlers.fallback(element)?.content;
    Some(format!("\n\n{}\n\n", list.trim_matches('\n')).into())
}

/// A picture is what it says in words.
#[expect(clippy::needless_pass_by_value, reason = "the shape of an htmd handler")]
fn picture(_: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let alt = element.attrs.iter().find(|attribute| &*attribute.name.local == "alt")?;
    Some(escape(&one_line(&alt.value)).into())
}

/// A cell with what it spans.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "the shape of an htmd handler")]
fn cell(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let span = |name: &str| {
        let value = element.attrs.iter().find(|attribute| &*attribute.name.local == name).map_or("", |attribute| &*attribute.value);
        // `rowspan=0` means the rest of the table.
        value.trim().parse().map_or(1, |span: usize| if span == 0 { MAX_SPAN } else { span.min(MAX_SPAN) })
    };
    let head = if element.tag == "th" { String::from(HEAD_CELL) } else { String::new() };
    let text = handlers.walk_children(element.node).content;
    Some(format!("{text}{SPAN}{}{SPAN}{}{SPAN}{head}{CELL}", span("colspan"), span("rowspan")).into())
}

/// A table's cell as its handler wrote it.
struct Cell<'a> {
    text: &'a str,
    columns: usize,
    rows: usize,
}

impl<'a> Cell<'a> {
    fn read(written: &'a str) -> Self {
        let mut parts = written.split(SPAN);
        let text = parts.next().unwrap_or_default().trim();
        let mut span = || parts.next().and_then(|span| span.parse().ok()).unwrap_or(1);
        Self { text, columns: span(), rows: span() }
    }
}

/// Rows become a Markdown table. A table without header cells that holds whole blocks only lays out the page: its cells follow each other.
fn table(content: &str) -> String {
    let mut captions = String::new();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for row in content.split(ROW) {
        match row.rsplit_once(CELL) {
            Some((cells, _)) => rows.push(cells.split(CELL).map(Cell::read).collect()),
            None => captions.push_str(row.trim()),
        }
    }
    let blocks = rows.iter().flatten().any(|cell| cell.text.contains("\n\n") || cell.text.starts_with('|'));
    if blocks && !content.contains(HEAD_CELL) {
        let texts: Vec<&str> = rows.iter().flatten().map(|cell| cell.text).collect();
        return format!("\n\n{captions}\n\n{}\n\n", texts.join("\n\n"));
    }
    let rows = grid(&rows);
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut lines = format!("\n\n{captions}\n\n");
    for (number, row) in rows.iter().enumerate() {
        for column in 0..columns {
            let cell = row.get(column).copied().unwrap_or_default();
            lines.push_str("| ");
            lines.push_str(&one_line(cell).replace('|', "\\|"));
            lines.push(' ');
        }
        lines.push_str("|\n");
        if number == 0 {
            lines.push_str(&"|---".repeat(columns));
            lines.push_str("|\n");
        }
    }
    lines.push('\n');
    lines
}

/// The texts by row and column. What spans columns stands in the first; what spans rows in each, so that every row says all of itself.
fn grid<'a>(rows: &[Vec<Cell<'a>>]) -> Vec<Vec<&'a str>> {
    let mut grid = Vec::with_capacity(rows.len());
    // By column: what spans the rows to come, and how many.
    let mut open: Vec<(usize, &str)> = Vec::new();
    for row in rows {
        let mut texts: Vec<&str> = Vec::new();
        let above = |open: &mut Vec<(usize, &'a str)>, texts: &mut Vec<&'a str>| {
            while let Some((left, text)) = open.get_mut(texts.len()).filter(|(left, _)| *left > 0) {
                *left -= 1;
                texts.push(text);
            }
        };
        for cell in row {
            above(&mut open, &mut texts);
            let start = texts.len();
            texts.push(cell.text);
            texts.resize(start + cell.columns, "");
            open.resize(open.len().max(texts.len()), (0, ""));
            for (offset, column) in open[start..texts.len()].iter_mut().enumerate() {
                let repeated = if offset == 0 && cell.text.len() <= MAX_REPEATED { cell.text } else { "" };
                *column = (cell.rows - 1, repeated);
            }
        }
        above(&mut open, &mut texts);
        grid.push(texts);
    }
    grid
}

fn fenced(code: &str) -> String {
    let fence = "`".repeat(longest_backtick_run(code).max(2) + 1);
    format!("\n\n{fence}\n{}\n{fence}\n\n", code.trim_matches('\n'))
}

/// Splits the title off, wherever the page put it.
fn take_title(markdown: &str) -> (String, String) {
    let mut pieces = markdown.split(TITLE);
    let before = pieces.next().unwrap_or_default();
    let title = pieces.next().unwrap_or_default().to_owned();
    // Further titles are mistakes of the page; a browser shows none of them.
    let rest: String = pieces.step_by(2).collect();
    (title, format!("{before}{rest}"))
}

/// Writes the code spans that did not end in a preformatted block.
fn code_spans(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    for (i, piece) in markdown.split(CODE).enumerate() {
        if i % 2 == 0 || piece.trim().is_empty() {
            out.push_str(piece);
        } else {
            let mark = "`".repeat(longest_backtick_run(piece) + 1);
            // A span may hold backticks at its ends only behind a space, which is not shown.
            out.extend([&mark, " ", &one_line(piece), " ", &mark]);
        }
    }
    out
}

fn longest_backtick_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every Markdown mark is ASCII punctuation, and all of it may be escaped.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// About how deep the elements are nested, told from the tags alone.
fn nesting(html: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    // `i<n` in a script opens nothing.
    let mut script: Option<String> = None;
    for tag in html.split('<').skip(1) {
        let (closing, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let name = tag[..end].to_ascii_lowercase();
        if script.is_some() {
            script = script.filter(|open| !closing || *open != name);
        } else if name == "script" || name == "style" {
            script = Some(name);
        } else if !name.is_empty() && !LEFT_OPEN.contains(&name.as_str()) {
            open = if closing { open.saturating_sub(1) } else { open + 1 };
            deepest = deepest.max(open);
        }
    }
    deepest
}

/// Takes out what a browser does not show, and the footer of the page.
fn prune(root: &Rc<Node>) {
    let mut open = vec![(Rc::clone(root), false)];
    while let Some((node, own_footer)) = open.pop() {
        node.children.borrow_mut().retain(|child| !is_hidden(child) && (own_footer || !is_element(child, &["footer"])));
        open.extend(node.children.borrow().iter().map(|child| (Rc::clone(child), own_footer || is_element(child, &WITH_FOOTER))));
    }
}

fn is_element(node: &Node, names: &[&str]) -> bool {
    matches!(&node.data, NodeData::Element { name, .. } if names.contains(&&*name.local))
}

fn is_hidden(node: &Node) -> bool {
    let NodeData::Element { attrs, .. } = &node.data else { return false };
    attrs.borrow().iter().any(|attribute| match &*attribute.name.local {
        "hidden" => true,
        "style" => {
            let style: String = attribute.value.split_whitespace().collect::<String>().to_ascii_lowercase();
            style.split(';').any(|rule| rule.starts_with("display:none") || rule.starts_with("visibility:hidden"))
        }
        _ => false,
    })
}

fn too_deep() -> ExtractErrorKind {
    ExtractErrorKind::Malformed(format!("its elements are nested more than {MAX_DEPTH} deep"))
}

/// The longest path from the root, level by level: a deep tree must not be walked by recursion.
fn depth(root: &Rc<Node>) -> usize {
    let mut level = vec![Rc::clone(root)];
    let mut depth = 0;
    while !level.is_empty() && depth <= MAX_DEPTH {
        level = level.iter().flat_map(|node| node.children.borrow().clone()).collect();
        depth += 1;
    }
    depth
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn text(html: &str) -> String {
        read(html).expect("readable").text
    }

    #[rstest]
    #[case::script_and_style("<style>p{color:red}</style><script>var secret = 1;</script><p>Seen</p><noscript>no</noscript>", "Seen")]
    #[case::entities("<p>Caf&eacute; &amp; bar &lt;b&gt; &#8364;5</p>", "Café & bar <b> €5")]
    #[case::inline("<p><b>Note:</b>text <i>a</i>b <a href='x (1)'>link</a>, <code>a_b*c</code>.</p>", "Note:text ab link, a_b*c.")]
    #[case::marks_in_text("<p>2 * 3 * 4 _x_ [y] ~~z~~ # no</p>", "2 * 3 * 4 _x_ [y] ~~z~~ # no")]
    #[case::divs("<div>One</div><div>Two</div>", "One\n\nTwo")]
    #[case::line_break("<p>One<br>two</p>", "One\ntwo")]
    #[case::lists("<ul><li>a<ol start=3><li>b</li><li>c</li></ol></li><li>d</li></ul>", "- a\n  3. b\n  4. c\n- d")]
    #[case::picture("<p>See <img src='a b.png' alt='plan [1] *new*'> now</p>", "See plan [1] *new* now")]
    #[case::code("<pre><code>x = 1\n  # y\n</code></pre><p>After</p>", "x = 1\n  # y\n\nAfter")]
    #[case::pre("<pre>$ <code>ls</code>\n```\n&lt;p&gt;</pre>", "$ ls\n```\n<p>")]
    #[case::backticks("<p>Use <code>a `b`</code> and <code></code>.</p>", "Use a `b` and .")]
    #[case::navigation("<nav><a href=/>Home</a></nav><main><p>Main</p></main><footer>(c) 2024</footer>", "Main")]
    #[case::own_footer("<article><p>a</p><footer>Updated in May</footer></article>", "a\n\nUpdated in May")]
    #[case::hidden("<p>a</p><p hidden>b</p><div style='color: red; display : none'><p>c</p></div><p style='display:block'>d</p>", "a\n\nd")]
    #[case::template("<template><p>a</p></template><p>b<style>c{}</style></p>", "b")]
    #[case::comment("<p>a<!-- hidden -->b</p>", "ab")]
    #[case::summary("<details><summary>More</summary>Hidden text</details>", "More\n\nHidden text")]
    #[case::terms("<dl><dt>Fee</dt><dd>3 EUR</dd></dl>", "Fee\n\n3 EUR")]
    #[case::xml_declaration("<?xml version='1.0'?><html><body><p>x</p></body></html>", "x")]
    fn reads_as_seen(#[case] html: &str, #[case] expected: &str) {
        assert_eq!(text(html), expected);
    }

    #[rstest]
    #[case::header("<table><caption>Fees</caption><thead><tr><th>A<th>B</thead><tr><td>1<td>2|3</table>", "Fees\n\nA | B\n1 | 2|3")]
    #[case::row_headers("<table><tr><th>Name</th><td>Lark</td></tr><tr><th>Fee</th><td>3</td></tr></table>", "Name | Lark\nFee | 3")]
    #[case::no_header("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", "a | b\nc | d")]
    #[case::ragged("<table><tr><th>a</th></tr><tr><td>b</td><td>c</td><td>d</td></tr></table>", "a\nb | c | d")]
    #[case::two_header_rows("<table><thead><tr><th>a<tr><th>b</thead><tbody><tr><td>c</table>", "a\nb\nc")]
    #[case::break_in_cell("<table><tr><th>a</th><td>x<br>y</td></tr></table>", "a | x y")]
    #[case::layout("<table><tr><td><h2>One</h2><p>text</p></td><td><p>a</p><p>b</p></td></tr></table>", "One\n\ntext\n\na\n\nb")]
    #[case::row_span("<table><tr><th>A<th>B<tr><td rowspan=2>x<td>1<tr><td>2<tr><td>y<td>3</table>", "A | B\nx | 1\nx | 2\ny | 3")]
    #[case::column_span("<table><tr><th colspan=2>A<th>B<tr><td>1<td>2<td>3</table>", "A |  | B\n1 | 2 | 3")]
    #[case::both_spans("<table><tr><th>A<th>B<th>C<tr><td rowspan=2 colspan=2>x<td>1<tr><td>2</table>", "A | B | C\nx |  | 1\nx |  | 2")]
    #[case::endless_span("<table><tr><th>A<td rowspan=0>x<tr><th>B</table>", "A | x\nB | x")]
    #[case::nested("<table><tr><td><table><tr><td>a<td>b</table></td></tr></table>", "a | b")]
    fn tables_keep_every_cell(#[case] html: &str, #[case] expected: &str) {
        assert_eq!(text(html), expected);
    }

    #[rstest]
    #[case::alone("<head><title>Refund\n rules</title></head><body><p>x</p>", "Refund rules\n\nx", 1)]
    #[case::beside_h1("<head><title>Refunds - Lark</title></head><body><h1>Refunds</h1><h2>C<br># two</h2>", "Refunds\n\nC # two", 2)]
    fn title_is_shown_once(#[case] html: &str, #[case] expected: &str, #[case] headings: usize) {
        let document = read(html).expect("readable");
        assert_eq!(document.text, expected);
        assert_eq!(document.headings.len(), headings);
    }

    #[rstest]
    #[case::latin("<meta charset=iso-8859-1><p>caf\u{e9}", "ISO-8859-1 (Latin 1)")]
    #[case::windows("<meta http-equiv=x content='text/html; charset=Windows-1252'>\u{e9}", "windows-1252")]
    #[case::undeclared("<p>\u{e9}", "in an 8-bit or East Asian encoding")]
    #[case::ascii_bytes("<meta charset='iso-2022-jp'>$B", "ISO-2022")]
    fn other_encodings_are_refused_by_their_declared_name(#[case] html: &str, #[case] name: &str) {
        let bytes: Vec<u8> = html.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin 1")).collect();
        let error = decode(&bytes).expect_err("not UTF-8");
        assert!(matches!(error, ExtractErrorKind::Encoding(found) if found == name), "{error}");
    }

    #[test]
    fn a_converted_page_with_its_old_declaration_is_read() {
        assert!(decode("<meta charset=latin1><p>caf\u{e9}".as_bytes()).is_ok());
    }

    #[rstest]
    #[case::no_end("<div>", 100_000)]
    #[case::just_too_deep("<div>", 500)]
    #[case::lists("<ul><li>", 100_000)]
    fn bottomless_nesting_is_an_error_not_an_abort(#[case] tags: &str, #[case] times: usize) {
        assert!(matches!(read(&(tags.repeat(times) + "x")), Err(ExtractErrorKind::Malformed(_))));
    }

    #[rstest]
    #[case::usual_depth("<div>", 200)]
    #[case::many_left_open("<p>a<br>", 5_000)]
    #[case::comparisons("<script>if (i<n && '<div>') {}</script>", 5_000)]
    fn nesting_of_real_pages_is_read(#[case] tags: &str, #[case] times: usize) {
        assert!(text(&(tags.repeat(times) + "x")).ends_with('x'));
    }
}
