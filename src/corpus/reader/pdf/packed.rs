//! Streams that unpack to far more than they should.

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{DecompressError, Document, Error, Object, ObjectId, Stream};

/// The most bytes that a stream may unpack to, pictures apart: these are not unpacked.
const MAX_UNPACKED: usize = 64 << 20;
/// The most that one filter can make of a byte.
const MAX_RATIO: usize = 1_032;

/// The streams of a file that are too large, by the number of the object that holds them.
pub(super) struct Packed {
    large: BTreeMap<ObjectId, String>,
}

impl Packed {
    pub(super) fn of(file: &Document) -> Self {
        let streams = file.objects.iter().filter_map(|(id, object)| Some((*id, object.as_stream().ok()?)));
        let large = streams.filter(|(_, stream)| may_be_large(stream) && is_large(stream));
        let remark = |id: ObjectId| format!("it uses object {}, which unpacks to more than {} MiB", id.0, MAX_UNPACKED >> 20);
        Self { large: large.map(|(id, _)| (id, remark(id))).collect() }
    }

    /// Why a page cannot be read, where it uses such a stream.
    pub(super) fn too_large(&self, file: &Document, page: ObjectId) -> Option<String> {
        if self.large.is_empty() {
            return None;
        }
        let mut seen = BTreeSet::from([page]);
        let mut open = vec![page];
        while let Some(id) = open.pop() {
            if let Some(remark) = self.large.get(&id) {
                return Some(remark.clone());
            }
            let below = file.objects.get(&id).map(references).unwrap_or_default();
            open.extend(below.into_iter().filter(|id| seen.insert(*id)));
        }
        None
    }
}

fn may_be_large(stream: &Stream) -> bool {
    let filters = stream.filters().map_or(0, |filters| filters.len());
    let picture = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|subtype| subtype == b"Image");
    filters > 0 && !picture && (filters > 1 || stream.content.len() > MAX_UNPACKED / MAX_RATIO)
}

fn is_large(stream: &Stream) -> bool {
    let unpacked = stream.decompressed_content_with_limit(MAX_UNPACKED);
    matches!(unpacked, Err(Error::Decompress(DecompressError::MemoryLimitExceeded { .. })))
}

/// All references in an object, those to other pages left out.
fn references(object: &Object) -> Vec<ObjectId> {
    const ELSEWHERE: [&[u8]; 5] = [b"Parent", b"P", b"Dest", b"A", b"Popup"];
    let mut found = Vec::new();
    let mut open = vec![object];
    while let Some(object) = open.pop() {
        let entries = match object {
            Object::Reference(id) => {
                found.push(*id);
                continue;
            }
            Object::Array(items) => {
                open.extend(items);
                continue;
            }
            Object::Dictionary(entries) => entries,
            Object::Stream(stream) => &stream.dict,
            _ => continue,
        };
        open.extend(entries.iter().filter(|(key, _)| !ELSEWHERE.contains(&key.as_slice())).map(|(_, value)| value));
    }
    found
}
