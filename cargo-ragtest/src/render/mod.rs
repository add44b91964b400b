//! `docs render`: Markdown as PDF, the same bytes on every machine.

mod draw;
mod font;
mod layout;
mod markup;
mod picture;
mod table;
mod text;

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ragtest::Error;
use ragtest::text::plain;

use self::draw::{EDGE, EDGE_SIZE, Paper};
use self::font::{Fonts, Style};
use self::layout::{Layout, Sheet, paginate};
use self::text::{Line, Span, set};
use crate::output::{self, Output};

/// The most bytes of a Markdown file.
const MAX_BYTES: usize = 16 << 20;

/// Renders Markdown files as PDF
#[derive(Args)]
#[command(long_about = "\
Renders Markdown files as PDF: headings, lists, tables, code, quotes, links, PNG and JPEG images. The same input gives the same bytes on
every machine: the fonts (DejaVu) are part of this program, and no time is written.

  cargo ragtest docs render golden/handbook/.source/guide.md          writes golden/handbook/guide.pdf
  cargo ragtest docs render manual.md -o out.pdf --paper letter

A file in a folder named .source is rendered into the folder above, any other beside its source. A PDF file of other content is replaced with
--force only. A character that no font shows, or an image that cannot be read, is an error that names its line.")]
pub(crate) struct Options {
    /// The Markdown files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The PDF file, or the folder for several [default: beside the Markdown file, or above its folder .source]
    #[arg(short, long, value_name = "PATH", env = "RAGTEST_OUTPUT", hide_env = true)]
    output: Option<String>,
    #[arg(help = "The line above each page, with the slots {page}, {total_pages}, {title}; none: no line [default: {title}]")]
    #[arg(long, value_name = "TEXT", env = "RAGTEST_HEADER", hide_env = true)]
    header: Option<String>,
    #[arg(help = "The line below each page [default: Page {page} of {total_pages}]")]
    #[arg(long, value_name = "TEXT", env = "RAGTEST_FOOTER", hide_env = true)]
    footer: Option<String>,
    /// a4 or letter [default: a4]
    #[arg(long, value_name = "SIZE", env = "RAGTEST_PAPER", hide_env = true, default_value = "", hide_default_value = true, value_parser = sheet)]
    paper: Sheet,
    /// A font (TrueType or OpenType) for characters that the program's own fonts lack; may be repeated
    #[arg(long, value_name = "FILE", env = "RAGTEST_FONT", hide_env = true)]
    font: Vec<String>,
    /// Replaces a PDF file of other content
    #[arg(long, env = "RAGTEST_FORCE", hide_env = true, value_parser = output::switch)]
    force: bool,
}

/// What was rendered.
struct Rendered {
    source: PathBuf,
    target: PathBuf,
    bytes: Vec<u8>,
    pages: usize,
    remarks: Vec<String>,
}

/// Renders all files before it writes one.
pub(crate) fn run(options: &Options) -> Result<Output> {
    let extra: Vec<&str> = options.font.iter().map(String::as_str).filter(|path| !path.is_empty()).collect();
    let fonts = Fonts::load(&extra)?;
    let mut all: Vec<Rendered> = Vec::new();
    for source in &options.files {
        let target = target(source, output::given(options.output.as_ref()), options.files.len())?;
        if let Some(other) = all.iter().find(|other| other.target == target) {
            bail!("render {} and {} into one file, {}", other.source.display(), source.display(), target.display());
        }
        all.push(render(source, target, options, &fonts)?);
    }
    let known = |rendered: &Rendered| fs::read(&rendered.target).ok();
    if let Some(other) = all.iter().find(|r| !options.force && known(r).is_some_and(|bytes| bytes != r.bytes)) {
        bail!("replace {}, which has other content; --force replaces it", other.target.display());
    }
    let mut text = String::new();
    for rendered in &all {
        let Rendered { source, target, bytes, pages, remarks } = rendered;
        for remark in remarks {
            output::complain(&format!("warning: {}: {}", plain(&source.display().to_string()), plain(remark)));
        }
        let same = known(rendered).is_some_and(|old| old == *bytes);
        if !same {
            write(target, bytes)?;
        }
        let done = if same { "unchanged" } else { "wrote" };
        let _ = writeln!(text, "{done} {}: {pages} page(s), {} kB", plain(&target.display().to_string()), bytes.len().div_ceil(1000));
    }
    Ok(Output { text, green: true })
}

/// The PDF file of a Markdown file.
fn target(source: &Path, output: Option<&str>, files: usize) -> Result<PathBuf> {
    let name = source
        .with_extension("pdf")
        .file_name()
        .map(PathBuf::from)
        .with_context(|| format!("render {}: it names no file", source.display()))?;
    match output.map(Path::new) {
        Some(path) if path.is_dir() => return Ok(path.join(name)),
        Some(path) if files > 1 => bail!("write {files} files to {}: it is no folder", path.display()),
        Some(path) => return Ok(path.to_path_buf()),
        None => {}
    }
    // The source may lie in the working folder, and that in `.source`.
    let in_source = |path: &Path| path.parent().is_some_and(|folder| folder.iter().any(|part| part == ".source"));
    let whole = std::path::absolute(source).with_context(|| format!("find {}", source.display()))?;
    let path = if in_source(&whole) && !in_source(source) { whole } else { source.to_path_buf() };
    let folder: PathBuf = path.parent().into_iter().flat_map(Path::iter).filter(|part| *part != ".source").collect();
    Ok(folder.join(name))
}

fn render(source: &Path, target: PathBuf, options: &Options, fonts: &Fonts) -> Result<Rendered> {
    let shown = source.display();
    let bytes = fs::read(source).map_err(Error::io(source))?;
    if bytes.len() > MAX_BYTES {
        bail!("render {shown}: it has {} bytes, the limit is {MAX_BYTES}", bytes.len());
    }
    let Ok(text) = String::from_utf8(bytes) else { bail!("render {shown}: it is not UTF-8") };
    let mut problems = Problems::default();
    let markup = markup::parse(&text, &mut problems);
    let folder = source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let sheet = options.paper;
    let strips = Layout { fonts, sheet, folder, problems: &mut problems }.strips(&markup.blocks);
    let pages = paginate(strips, sheet.text_height());
    let title = markup.title.unwrap_or_else(|| source.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let header = output::given(options.header.as_ref()).unwrap_or("{title}");
    let footer = output::given(options.footer.as_ref()).unwrap_or("Page {page} of {total_pages}");
    let mut edges = Vec::new();
    for page in 1..=pages.len() {
        let mut edge = |template: &str| -> Result<Line> {
            let text = fill(template, page, pages.len(), &title)?;
            let span = Span { text, style: Style::default(), link: None, line: 0 };
            Ok(set(&[span], fonts, EDGE_SIZE, sheet.text_width(), &mut problems).swap_remove(0))
        };
        edges.push([edge(header)?, edge(footer)?]);
    }
    if !problems.is_empty() {
        bail!("render {shown}:\n{problems}");
    }
    let count = pages.len();
    let bytes = draw::draw(Paper { title, sheet, pages, edges }, fonts).with_context(|| format!("render {shown}"))?;
    Ok(Rendered { source: source.to_path_buf(), target, bytes, pages: count, remarks: markup.remarks })
}

/// A header or footer with its slots filled.
fn fill(template: &str, page: usize, total: usize, title: &str) -> Result<String> {
    let mut text = String::new();
    let mut rest = if template == "none" { "" } else { template };
    while let Some((before, slot)) = rest.split_once('{') {
        let (name, after) = slot.split_once('}').with_context(|| format!("read {template:?}: a brace is not closed"))?;
        text += before;
        match name {
            "page" => text += &page.to_string(),
            "total_pages" => text += &total.to_string(),
            "title" => text += title,
            _ => bail!("read {template:?}: the slot {{{name}}} is not known; known are {{page}}, {{total_pages}}, {{title}}"),
        }
        rest = after;
    }
    Ok(text + rest)
}

fn sheet(name: &str) -> Result<Sheet, String> {
    let (width, height) = match name.to_ascii_lowercase().as_str() {
        "" | "a4" => (595.28, 841.89),
        "letter" => (612.0, 792.0),
        _ => return Err("it is a4 or letter".into()),
    };
    Ok(Sheet { width, height, side: 62.0, edge: EDGE })
}

/// Writes a file whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = folder.join(format!(".{name}.{}.part", std::process::id()));
    let written = File::create(&part)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    Ok(written.map_err(Error::io(path))?)
}

/// What keeps a file from being rendered, by line.
#[derive(Debug, Default)]
struct Problems(BTreeSet<(usize, String)>);

impl Problems {
    /// `line` 0 is the header or footer.
    fn add(&mut self, line: usize, message: String) {
        self.0.insert((line, message));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        for (at, (line, message)) in self.0.iter().take(SHOWN).enumerate() {
            let end = if at > 0 { "\n" } else { "" };
            let place = if *line == 0 { "header or footer".to_owned() } else { format!("line {line}") };
            write!(f, "{end}  {place}: {message}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::beside("a/b.md", "a/b.pdf")]
    #[case::source("golden/x/.source/b.md", "golden/x/b.pdf")]
    #[case::below_source("golden/x/.source/api/b.md", "golden/x/api/b.pdf")]
    fn a_pdf_stands_above_its_source(#[case] source: &str, #[case] expected: &str) {
        assert_eq!(target(Path::new(source), None, 1).expect("target"), Path::new(expected));
    }

    #[rstest]
    #[case::all("{title}: {page}/{total_pages}", Ok("T: 2/3"))]
    #[case::plain("draft", Ok("draft"))]
    #[case::off("none", Ok(""))]
    #[case::unknown("{date}", Err("the slot {date} is not known"))]
    #[case::open("{page", Err("not closed"))]
    fn slots_are_filled(#[case] template: &str, #[case] expected: Result<&str, &str>) {
        match (fill(template, 2, 3, "T"), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (found, _) => panic!("{found:?}"),
        }
    }
}
