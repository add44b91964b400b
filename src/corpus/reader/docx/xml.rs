//! The XML of the parts: elements by their local names, text with its references resolved.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::malformed;
use crate::error::ExtractErrorKind;

/// What a part is made of. Names are without prefix: Office's own prefixes are a custom, not a rule.
pub(super) enum Node<'a> {
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Text(&'a str),
}

/// Calls `visit` for each node. A document type is refused: office files have none, and entities can be made to grow without end.
pub(super) fn walk(text: &str, mut visit: impl FnMut(Node) -> Result<(), ExtractErrorKind>) -> Result<(), ExtractErrorKind> {
    let mut reader = Reader::from_str(text);
    let mut open = 0_usize;
    loop {
        match reader.read_event().map_err(|error| malformed(format!("its XML is broken: {error}")))? {
            Event::Start(tag) => {
                open += 1;
                visit(Node::Open(tag.local_name().into_inner(), &tag))?;
            }
            Event::Empty(tag) => {
                let name = tag.local_name();
                visit(Node::Open(name.into_inner(), &tag))?;
                visit(Node::Close(name.into_inner()))?;
            }
            Event::End(tag) => {
                open = open.saturating_sub(1);
                visit(Node::Close(tag.local_name().into_inner()))?;
            }
            Event::Text(text) => visit(Node::Text(&text.xml10_content()))?,
            Event::CData(text) => visit(Node::Text(&text.xml10_content()))?,
            Event::GeneralRef(reference) => {
                let mut buffer = [0; 4];
                let name = reference.xml10_content();
                let character = reference.resolve_char_ref().map_err(|error| malformed(format!("its XML is broken: {error}")))?;
                let resolved = match character {
                    Some(character) => &*character.encode_utf8(&mut buffer),
                    None => quick_xml::escape::resolve_predefined_entity(&name)
                        .ok_or_else(|| malformed(format!("its XML uses the entity {name:?}, which only a document type could define")))?,
                };
                visit(Node::Text(resolved))?;
            }
            Event::DocType(_) => return Err(malformed("its XML declares a document type, which no word processor writes")),
            Event::Eof if open > 0 => return Err(malformed("its XML is cut off")),
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}

/// The value of the attribute with this local name.
pub(super) fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes.with_checks(false).flatten().find(|attribute| attribute.key.local_name().into_inner() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}

/// Whether a property without a value, or with a value other than no, is set.
pub(super) fn is_on(tag: &BytesStart) -> bool {
    !attribute(tag, "val").is_some_and(|value| matches!(value.as_str(), "0" | "false" | "off" | "none"))
}
