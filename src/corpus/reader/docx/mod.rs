//! Word files (docx, ECMA-376): a ZIP archive of XML parts, read by hand.
//!
//! The text is that of the finished document: insertions stand, deletions do not, hidden text is hidden. It is written in the form that
//! Markdown and HTML have here. There are no pages: a docx file is laid out by the program that shows it.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use self::body::{Block, Parser};
use self::numbering::Numbering;
use self::styles::Styles;
use crate::corpus::Document;
use crate::error::ExtractErrorKind;

mod body;
mod numbering;
mod styles;
mod symbols;
#[cfg(test)]
mod tests;
mod write;
mod xml;

/// The document of a docx file. What is read of it unpacks to at most `max_bytes`.
pub(super) fn read(bytes: &[u8], max_bytes: usize) -> Result<Document, ExtractErrorKind> {
    let mut package = Package::open(bytes, max_bytes)?;
    let main = package.main_part()?;
    let related = package.related(&main)?;
    let mut part = |kind: &str| related.iter().find(|(found, _)| found == kind).map_or(Ok(None), |(_, name)| package.part(name));
    let styles = part("styles")?.map_or(Ok(Styles::default()), |text| Styles::read(&text))?;
    let numbering = part("numbering")?.map_or(Ok(Numbering::default()), |text| Numbering::read(&text))?;
    let notes = [part("footnotes")?, part("endnotes")?];
    let text = part("")?.unwrap_or_default();
    let mut parser = Parser::new(&styles, numbering);
    let blocks = parser.read_body(&text)?;
    let mut read_notes = |kind: usize| notes[kind].as_ref().map_or(Ok(Vec::new()), |text| parser.read_notes(text));
    let notes: [Vec<(String, Vec<Block>)>; 2] = [read_notes(0)?, read_notes(1)?];
    Ok(write::document(&blocks, &parser, &notes))
}

fn malformed(message: impl std::fmt::Display) -> ExtractErrorKind {
    ExtractErrorKind::Malformed(message.to_string())
}

/// The archive. Its parts are looked up by name and never written anywhere, so names that lead out of it lead nowhere.
struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The bytes that may still be unpacked.
    budget: usize,
    limit: usize,
}

impl<'a> Package<'a> {
    fn open(bytes: &'a [u8], limit: usize) -> Result<Self, ExtractErrorKind> {
        if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
            // Word puts the encrypted archive into a container of the old kind.
            let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
            let encrypted = memchr::memmem::find(bytes, &name).is_some();
            let old = || malformed("the file is an old Word file (doc) under another name; save it as docx");
            return Err(if encrypted { ExtractErrorKind::Encrypted } else { old() });
        }
        let archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| malformed(format!("the file is no docx, or it is cut off: {error}")))?;
        Ok(Self { archive, budget: limit, limit })
    }

    /// The text of a part; `None` where there is none of that name.
    fn part(&mut self, name: &str) -> Result<Option<String>, ExtractErrorKind> {
        let failed = |error: &dyn std::fmt::Display| malformed(format!("its part {name} cannot be unpacked: {error}"));
        let file = match self.archive.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => return Err(ExtractErrorKind::Encrypted),
            Err(error) => return Err(failed(&error)),
        };
        let mut bytes = Vec::new();
        file.take(self.budget as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        self.budget = self
            .budget
            .checked_sub(bytes.len())
            .ok_or_else(|| malformed(format!("the file unpacks to more than {} bytes, which is the limit", self.limit)))?;
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            return Err(malformed(format!("its part {name} is UTF-16; save the file again with a word processor")));
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").map(<[u8]>::to_vec).unwrap_or(bytes);
        String::from_utf8(bytes).map(Some).map_err(|_| malformed(format!("its part {name} is not UTF-8")))
    }

    /// The name of the part that holds the text.
    fn main_part(&mut self) -> Result<String, ExtractErrorKind> {
        let named = self.relations("", "_rels/.rels")?.into_iter().find(|(kind, _)| kind == "officeDocument").map(|(_, name)| name);
        let present = |name: &String| self.archive.index_for_name(name).is_some();
        [named, Some("word/document.xml".into())]
            .into_iter()
            .flatten()
            .find(present)
            .ok_or_else(|| malformed("the file is no Word document: word/document.xml is missing"))
    }

    /// The parts that `main` refers to, by kind, and itself under no kind.
    fn related(&mut self, main: &str) -> Result<Vec<(String, String)>, ExtractErrorKind> {
        let (folder, file) = main.rsplit_once('/').unwrap_or(("", main));
        let mut related = self.relations(folder, &resolve(folder, &format!("_rels/{file}.rels")))?;
        related.push((String::new(), main.to_owned()));
        Ok(related)
    }

    /// Kind (the last word of the type's address) and name of what a relations part lists.
    fn relations(&mut self, folder: &str, name: &str) -> Result<Vec<(String, String)>, ExtractErrorKind> {
        let mut relations = Vec::new();
        let text = self.part(name)?.unwrap_or_default();
        xml::walk(&text, |node| {
            if let xml::Node::Open("Relationship", tag) = node
                && let (Some(kind), Some(target)) = (xml::attribute(tag, "Type"), xml::attribute(tag, "Target"))
            {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                relations.push((kind, resolve(folder, &target)));
            }
            Ok(())
        })?;
        Ok(relations)
    }
}

/// The part that `target` names, seen from `folder`.
fn resolve(folder: &str, target: &str) -> String {
    match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None if folder.is_empty() => target.to_owned(),
        None => format!("{folder}/{target}"),
    }
}
