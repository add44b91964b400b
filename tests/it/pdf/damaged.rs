//! A thousand damaged files: no panic, no hang, no page without text that nobody reports.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use lopdf::{Stream, dictionary};
use ragtest::corpus::{Document, PageState};

use super::extract;
use super::make::{Maker, codes, lines, to_unicode};

const VARIANTS: u64 = 1_000;

/// Random numbers from a seed (`SplitMix64`).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() >> 1).expect("64 bits") % limit.max(1)
    }
}

/// Small files of different makes.
fn bases() -> Vec<Vec<u8>> {
    let plain = || {
        let mut maker = Maker::new();
        for page in 1..=3 {
            maker.page(lines(&["Refund rules", "The limit is 30 days for every order.", &format!("Page {page}")]));
        }
        maker
    };
    let mut packed = plain().document();
    packed.compress();
    let mut objects = Vec::new();
    plain().document().save_modern(&mut objects).expect("saves");
    let mut wide = Maker::new();
    let letters: Vec<String> = (b'A'..=b'z').map(|c| format!("<{:04x}> <{c:04x}>", c - 60)).collect();
    wide.wide_font("F2", "Identity-H", "Identity", Some(&to_unicode(&letters)), None);
    let word = codes("Thelimit".bytes().map(|c| u16::from(c) - 60));
    wide.page(format!("BT /F2 12 Tf 72 700 Td <{word}> Tj ET"));
    let mut drawn = Maker::new();
    let form = dictionary! { "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 595.into(), 842.into()] };
    drawn.drawing("Fm1", Stream::new(form, lines(&["Text in a form, and more of it."]).into_bytes()));
    let picture = dictionary! { "Subtype" => "Image", "Width" => 1, "Height" => 1, "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8 };
    drawn.drawing("Im1", Stream::new(picture, vec![0]));
    drawn.page("/Fm1 Do");
    drawn.page("q 200 0 0 200 72 500 cm /Im1 Do Q");
    vec![plain().bytes(), super::make::save(packed), objects, wide.bytes(), drawn.bytes()]
}

/// One damage: bits, the end, a stream, or a piece in the middle.
fn damaged(base: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = base.to_vec();
    match random.below(4) {
        0 => {
            for _ in 0..=random.below(20) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        1 => bytes.truncate(random.below(bytes.len())),
        2 => {
            let find = |bytes: &[u8], word: &[u8]| -> Vec<usize> {
                bytes.windows(word.len()).enumerate().filter(|(_, found)| *found == word).map(|(at, _)| at).collect()
            };
            let ends = find(&bytes, b"endstream");
            let Some(end) = ends.get(random.below(ends.len())).copied() else { return bytes };
            let start = find(&bytes[..end], b"stream").last().map_or(0, |at| at + b"stream".len());
            bytes.drain(start..end);
        }
        _ => {
            let start = random.below(bytes.len());
            let end = (start + random.below(60)).min(bytes.len());
            bytes.drain(start..end);
        }
    }
    bytes
}

/// Whether a page has text or something is said about it.
fn is_silent(document: &Document) -> bool {
    let blank = document.warnings.iter().find_map(|warning| warning.message.strip_prefix("no text stands on page ")).unwrap_or_default();
    let reported = |number: u32| {
        blank.split(", ").any(|page| page == number.to_string()) || document.warnings.iter().any(|warning| warning.page == Some(number))
    };
    document.pages.iter().any(|page| (page.span.is_empty() || page.state != PageState::Ok) && !reported(page.number))
}

#[test]
fn a_thousand_damaged_files_are_read_or_refused() {
    let bases = bases();
    for (at, base) in bases.iter().enumerate() {
        let document = extract(base).unwrap_or_else(|error| panic!("base {at}: {error}"));
        assert!(!is_silent(&document), "{document:?}");
    }
    let next = AtomicU64::new(0);
    let refused = AtomicUsize::new(0);
    let check = |seed: u64| {
        let mut random = Random(seed);
        let bytes = damaged(&bases[random.below(bases.len())], &mut random);
        let read = catch_unwind(AssertUnwindSafe(|| extract(&bytes)));
        match read.unwrap_or_else(|_| panic!("seed {seed} panics")) {
            Ok(document) => {
                assert!(!is_silent(&document), "seed {seed}: {document:?}");
                assert!(!document.warnings.iter().any(|warning| warning.message.contains("takes longer")), "seed {seed}: {document:?}");
            }
            Err(error) => {
                refused.fetch_add(1, Ordering::Relaxed);
                assert!(error.to_string().starts_with("read document folder/a.pdf"), "seed {seed}: {error}");
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, Into::into) {
            scope.spawn(|| {
                while let seed @ 0..VARIANTS = next.fetch_add(1, Ordering::Relaxed) {
                    check(seed);
                }
            });
        }
    });
    // Both happen, or the damage is none.
    let refused = refused.into_inner();
    assert!((100..900).contains(&refused), "{refused} refused");
}
