//! What a page draws, as lopdf sees it: whether there is text at all, and the second opinion on its letters.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::fonts::Reading;
use super::letters::Letters;

/// The most bytes that the drawing commands of a page, or one of its forms or character maps, are unpacked to.
const MAX_CONTENT: usize = 64 << 20;
/// The most commands that are looked at on a page: forms that draw forms multiply.
const MAX_OPERATIONS: usize = 2_000_000;
/// How deep forms may lie in forms.
const MAX_DEPTH: usize = 16;

/// What a page draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Letters and digits in fonts of known encoding.
    pub(super) letters: Letters,
    /// Bytes of text in fonts that only their own tables explain.
    pub(super) unknown: usize,
    /// Bytes of text in fonts that nothing explains.
    pub(super) unsaid: usize,
    /// Whether text is drawn, white space aside where that is known.
    pub(super) text: bool,
    /// Whether pictures are drawn.
    pub(super) pictures: bool,
    /// How many lines and areas are drawn.
    pub(super) paths: usize,
    /// Why the commands are not all there.
    pub(super) fault: Option<String>,
}

/// A file's pages, looked at one by one.
pub(super) struct Contents<'a> {
    file: &'a Document,
    /// By the address of the font's dictionary: fonts without an id of their own are cached too.
    readings: RefCell<BTreeMap<usize, Reading<'a>>>,
}

impl<'a> Contents<'a> {
    pub(super) fn new(file: &'a Document) -> Self {
        Self { file, readings: RefCell::default() }
    }

    pub(super) fn of_page(&self, page: ObjectId) -> Drawn {
        let mut walk = Walk { contents: self, drawn: Drawn::default(), left: MAX_OPERATIONS };
        let mut content = Vec::new();
        for id in self.file.get_page_contents(page) {
            match self.file.get_object(id).and_then(Object::as_stream) {
                Ok(stream) => walk.unpack(stream, id, &mut content),
                Err(_) => walk.fault(format!("its content, object {}, is missing", id.0)),
            }
            content.push(b'\n');
        }
        walk.run(&content, &self.page_resources(page), 0);
        walk.drawn
    }

    fn page_resources(&self, page: ObjectId) -> Vec<&'a Dictionary> {
        let Ok((own, others)) = self.file.get_page_resources(page) else { return Vec::new() };
        own.into_iter().chain(others.into_iter().filter_map(|id| self.file.get_dictionary(id).ok())).collect()
    }

    fn resolve(&self, object: &'a Object) -> Option<&'a Object> {
        self.file.dereference(object).ok().map(|(_, object)| object)
    }

    /// The resource of a name, with its id where it has one.
    fn resource(&self, resources: &[&'a Dictionary], kind: &[u8], name: &[u8]) -> Option<(Option<ObjectId>, &'a Object)> {
        resources.iter().find_map(|resources| {
            let all = self.resolve(resources.get(kind).ok()?)?.as_dict().ok()?;
            self.file.dereference(all.get(name).ok()?).ok()
        })
    }

    /// Adds what a string shows in a font.
    fn show(&self, font: &'a Dictionary, bytes: &[u8], drawn: &mut Drawn) {
        let key = std::ptr::from_ref(font).addr();
        let mut readings = self.readings.borrow_mut();
        match readings.entry(key).or_insert_with(|| Reading::of(self.file, font)) {
            Reading::Stated(encoding) => match encoding.bytes_to_string(bytes) {
                Ok(text) => {
                    // Codes without a character are left out, or replaced.
                    let lost = text.matches(char::REPLACEMENT_CHARACTER).count();
                    let found = text.chars().count() - lost;
                    drawn.unknown += if wide(font) { lost * 2 } else { bytes.len().saturating_sub(found) };
                    drawn.text |= lost > 0 || text.is_empty() || text.contains(|c: char| !c.is_whitespace());
                    return drawn.letters.add(&text);
                }
                Err(_) => drawn.unknown += bytes.len(),
            },
            Reading::Inside => drawn.unknown += bytes.len(),
            Reading::Unsaid => drawn.unsaid += bytes.len(),
        }
        drawn.text = true;
    }
}

/// Whether a font's codes have two bytes.
fn wide(font: &Dictionary) -> bool {
    font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|subtype| subtype == b"Type0")
}

/// The walk through a page's commands and its forms.
struct Walk<'c, 'a> {
    contents: &'c Contents<'a>,
    drawn: Drawn,
    /// How many commands may still come.
    left: usize,
}

impl<'a> Walk<'_, 'a> {
    fn fault(&mut self, message: String) {
        self.drawn.fault.get_or_insert(message);
    }

    /// Adds a stream's commands to `content`.
    fn unpack(&mut self, stream: &Stream, id: ObjectId, content: &mut Vec<u8>) {
        match stream.get_plain_content_with_limit(MAX_CONTENT.saturating_sub(content.len())) {
            Ok(plain) => {
                if !is_whole(stream, &plain) {
                    self.fault(format!("its content, object {}, is damaged", id.0));
                }
                content.extend_from_slice(&plain);
            }
            Err(error) => self.fault(format!("its content, object {}, cannot be unpacked: {error}", id.0)),
        }
    }

    fn run(&mut self, content: &[u8], resources: &[&'a Dictionary], depth: usize) {
        let mut font = None;
        let mut saved = Vec::new();
        for operation in Content::decode_iter(content) {
            let Ok(Operation { operator, operands }) = operation else {
                return self.fault("its drawing commands break off".into());
            };
            if self.left == 0 {
                return self.fault(format!("it draws with more than {MAX_OPERATIONS} commands"));
            }
            self.left -= 1;
            match operator.as_str() {
                "q" => saved.push(font),
                "Q" => font = saved.pop().unwrap_or(font),
                "Tf" => font = operands.first().and_then(|name| self.font(resources, name)),
                "Tj" | "TJ" | "'" | "\"" => operands.iter().for_each(|operand| self.show(font, operand)),
                "Do" => self.draw(operands.first(), resources, depth),
                "BI" | "sh" => self.drawn.pictures = true,
                "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "S" | "s" => self.drawn.paths += 1,
                _ => {}
            }
        }
    }

    fn font(&self, resources: &[&'a Dictionary], name: &Object) -> Option<&'a Dictionary> {
        self.contents.resource(resources, b"Font", name.as_name().ok()?)?.1.as_dict().ok()
    }

    fn show(&mut self, font: Option<&'a Dictionary>, operand: &Object) {
        match operand {
            Object::Array(pieces) => pieces.iter().for_each(|piece| self.show(font, piece)),
            Object::String(bytes, _) if !bytes.is_empty() => {
                if let Some(font) = font {
                    self.contents.show(font, bytes, &mut self.drawn);
                } else {
                    self.drawn.text = true;
                    self.drawn.unknown += bytes.len();
                }
            }
            _ => {}
        }
    }

    /// Draws a picture or a form.
    fn draw(&mut self, name: Option<&Object>, resources: &[&'a Dictionary], depth: usize) {
        let name = name.and_then(|name| name.as_name().ok());
        let found = name.and_then(|name| self.contents.resource(resources, b"XObject", name));
        let Some((id, Object::Stream(form))) = found else { return };
        if form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|subtype| subtype != b"Form") {
            self.drawn.pictures = true;
            return;
        }
        if depth == MAX_DEPTH {
            return self.fault(format!("its forms lie more than {MAX_DEPTH} deep in each other"));
        }
        let mut content = Vec::new();
        self.unpack(form, id.unwrap_or_default(), &mut content);
        let own = form.dict.get(b"Resources").ok().and_then(|own| self.contents.resolve(own)).and_then(|own| own.as_dict().ok());
        match own {
            Some(own) => self.run(&content, &[own], depth + 1),
            None => self.run(&content, resources, depth + 1),
        }
    }
}

/// Whether an unpacked stream is what was packed. Known only for zlib streams, which end in a checksum: it is looked for in the last bytes,
/// since a line end may follow it.
fn is_whole(stream: &Stream, plain: &[u8]) -> bool {
    match stream.filters().as_deref() {
        Ok([b"FlateDecode"]) if !stream.dict.has(b"DecodeParms") => {
            let packed = &stream.content;
            let sum = adler32(plain).to_be_bytes();
            packed[packed.len().saturating_sub(8)..].windows(4).any(|bytes| bytes == sum)
        }
        _ => true,
    }
}

/// The checksum of zlib streams (RFC 1950).
fn adler32(bytes: &[u8]) -> u32 {
    const BASE: u32 = 65_521;
    let (mut low, mut high) = (1, 0);
    // As many as fit into 32 bits before a remainder is due.
    for part in bytes.chunks(5_552) {
        for byte in part {
            low += u32::from(*byte);
            high += low;
        }
        low %= BASE;
        high %= BASE;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_zlib() {
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(b""), 1);
        let mut stream = Stream::new(Dictionary::new(), b"BT (some text, and some text) Tj ET ".repeat(9));
        let plain = stream.content.clone();
        stream.compress().expect("packs");
        assert!(stream.dict.has(b"Filter") && is_whole(&stream, &plain));
        assert!(!is_whole(&stream, &plain[1..]));
        stream.content.push(b'\n');
        assert!(is_whole(&stream, &plain));
        let half = stream.content.len() / 2;
        stream.content.truncate(half);
        assert!(!is_whole(&stream, &plain));
    }
}
