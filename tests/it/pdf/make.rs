//! Minimal PDF files, made piece by piece.

use std::fmt::Write as _;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// A file in the making: fonts first, then pages.
pub(super) struct Maker {
    pub(super) file: Document,
    tree: ObjectId,
    fonts: Dictionary,
    drawings: Dictionary,
    kids: Vec<Object>,
}

impl Maker {
    /// A file with the font `/F1`: Helvetica in the encoding of Windows.
    pub(super) fn new() -> Self {
        let mut file = Document::with_version("1.5");
        let tree = file.new_object_id();
        let mut maker = Self { file, tree, fonts: Dictionary::new(), drawings: Dictionary::new(), kids: Vec::new() };
        maker.font("F1", dictionary! { "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding" });
        maker
    }

    pub(super) fn font(&mut self, name: &str, mut font: Dictionary) {
        font.set("Type", "Font");
        let id = self.file.add_object(font);
        self.fonts.set(name, id);
    }

    /// A font of two-byte codes. What they show stands in `unicode`, in `program`, or nowhere.
    pub(super) fn wide_font(&mut self, name: &str, encoding: &str, ordering: &str, unicode: Option<&str>, program: Option<Vec<u8>>) {
        let mut descriptor = dictionary! {
            "Type" => "FontDescriptor", "FontName" => "Own", "Flags" => 4, "ItalicAngle" => 0, "Ascent" => 800, "Descent" => -200,
            "FontBBox" => vec![0.into(), 0.into(), 1000.into(), 1000.into()],
        };
        if let Some(program) = program {
            descriptor.set("FontFile2", self.file.add_object(Stream::new(dictionary! { "Length1" => 1 }, program)));
        }
        let descriptor = self.file.add_object(descriptor);
        let system = dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal(ordering), "Supplement" => 0,
        };
        let descendant = self.file.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "Own", "CIDSystemInfo" => system, "DW" => 500,
            "FontDescriptor" => descriptor, "CIDToGIDMap" => "Identity",
        });
        let mut font = dictionary! {
            "Subtype" => "Type0", "BaseFont" => "Own", "Encoding" => encoding, "DescendantFonts" => vec![descendant.into()],
        };
        if let Some(unicode) = unicode {
            font.set("ToUnicode", self.file.add_object(Stream::new(Dictionary::new(), unicode.as_bytes().to_vec())));
        }
        self.font(name, font);
    }

    /// A form or picture that pages draw by its name.
    pub(super) fn drawing(&mut self, name: &str, drawing: Stream) -> ObjectId {
        let id = self.file.add_object(drawing);
        self.drawings.set(name, id);
        id
    }

    /// A page of drawing commands.
    pub(super) fn page(&mut self, content: impl Into<Vec<u8>>) -> ObjectId {
        let content = self.file.add_object(Stream::new(Dictionary::new(), content.into()));
        self.page_of(content.into())
    }

    /// A page with any object for its content.
    pub(super) fn page_of(&mut self, content: Object) -> ObjectId {
        let resources = dictionary! { "Font" => self.fonts.clone(), "XObject" => self.drawings.clone() };
        let page = self.file.add_object(dictionary! {
            "Type" => "Page", "Parent" => self.tree, "Contents" => content, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        });
        self.kids.push(page.into());
        page
    }

    /// The file as lopdf has it.
    pub(super) fn document(mut self) -> Document {
        let count = i64::try_from(self.kids.len()).expect("few");
        self.file.objects.insert(self.tree, dictionary! { "Type" => "Pages", "Kids" => self.kids, "Count" => count }.into());
        let catalog = self.file.add_object(dictionary! { "Type" => "Catalog", "Pages" => self.tree });
        self.file.trailer.set("Root", catalog);
        self.file.trailer.set("ID", vec![Object::string_literal("one"), Object::string_literal("two")]);
        self.file
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        save(self.document())
    }
}

pub(super) fn save(mut file: Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.save_to(&mut bytes).expect("saves");
    bytes
}

/// Drawing commands for lines in `/F1` of 12 points, downwards from the top.
pub(super) fn lines(lines: &[&str]) -> String {
    let mut content = String::new();
    for (at, line) in lines.iter().enumerate() {
        writeln!(content, "BT /F1 12 Tf 72 {} Td ({line}) Tj ET", 780 - 15 * at).expect("a string takes all");
    }
    content
}

/// The codes of glyphs in hexadecimal, two bytes each.
pub(super) fn codes(glyphs: impl IntoIterator<Item = u16>) -> String {
    glyphs.into_iter().fold(String::new(), |mut codes, glyph| {
        write!(codes, "{glyph:04x}").expect("a string takes all");
        codes
    })
}

/// A character map with the lines of its `bfchar` section.
pub(super) fn to_unicode(entries: &[String]) -> String {
    format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n1 begincodespacerange <0000> \
         <ffff> endcodespacerange\n{} beginbfchar\n{}\nendbfchar\nendcmap end end",
        entries.len(),
        entries.join("\n")
    )
}

/// A TrueType font program of empty glyphs with one table of characters.
pub(super) fn true_type(platform: u16, encoding: u16, characters: &[u8], glyphs: u16) -> Vec<u8> {
    let mut head = vec![0; 54];
    head[..4].copy_from_slice(&[0, 1, 0, 0]);
    head[12..16].copy_from_slice(&0x5f0f_3cf5_u32.to_be_bytes());
    head[18..20].copy_from_slice(&1000_u16.to_be_bytes());
    let mut hhea = vec![0; 36];
    hhea[..4].copy_from_slice(&[0, 1, 0, 0]);
    hhea[34..].copy_from_slice(&glyphs.to_be_bytes());
    let mut maxp = vec![0; 32];
    maxp[..4].copy_from_slice(&[0, 1, 0, 0]);
    maxp[4..6].copy_from_slice(&glyphs.to_be_bytes());
    let hmtx = [1, 244, 0, 0].repeat(usize::from(glyphs));
    let mut cmap = [0, 1, platform, encoding].iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
    cmap.extend(12_u32.to_be_bytes());
    cmap.extend(characters);
    let loca = vec![0; 2 * (usize::from(glyphs) + 1)];
    let tables: [(&[u8; 4], Vec<u8>); 7] =
        [(b"cmap", cmap), (b"glyf", vec![0; 4]), (b"head", head), (b"hhea", hhea), (b"hmtx", hmtx), (b"loca", loca), (b"maxp", maxp)];
    let mut program = vec![0, 1, 0, 0, 0, 7, 0, 64, 0, 2, 0, 48];
    let mut data = Vec::new();
    for (tag, table) in tables {
        program.extend(tag);
        program.extend([0; 4]);
        program.extend(u32::try_from(12 + 7 * 16 + data.len()).expect("small").to_be_bytes());
        program.extend(u32::try_from(table.len()).expect("small").to_be_bytes());
        data.extend(&table);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    program.extend(data);
    program
}
