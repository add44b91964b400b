//! What the benches share: the table, the clock, and text that is the same on every machine.
#![expect(clippy::print_stdout, reason = "the tables go to standard output")]

mod beir;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use beir::Beir;
use ragtest::corpus::Chunk;
use ragtest::id::{Fingerprint, Stage};
use ragtest::model::{Embedder, Reply, TextRole};
use ragtest::text::STOP_WORDS;

/// What a bench's main returns.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;

const ROUNDS: usize = 3;

/// Whether this is `cargo bench` and not a trial run: `cargo bench -- --test`, `cargo test --benches`.
pub fn is_measured() -> bool {
    let given = |name: &str| std::env::args().any(|arg| arg == name);
    given("--bench") && !given("--test")
}

/// The size of generated data: a hundredth in a trial run.
pub fn size(full: usize) -> usize {
    if is_measured() { full } else { full.div_ceil(100) }
}

/// The path that a variable gives. Without it, a line says what is left out.
pub fn data_path(variable: &str, what: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).filter(|path| !path.is_empty());
    if path.is_none() {
        println!("\nleft out: {what}; {variable} is not set");
    }
    path.map(Into::into)
}

/// The text of a file; the error names it.
pub fn read(path: &Path) -> ragtest::Result<String> {
    std::fs::read_to_string(path).map_err(ragtest::Error::io(path))
}

/// The seconds of the fastest of three rounds of this thread: of the processor on Linux, by the wall clock elsewhere. Other work on the machine
/// only ever adds.
pub fn fastest<T>(mut work: impl FnMut() -> T) -> f64 {
    std::iter::repeat_with(|| once(&mut work)).take(ROUNDS).fold(f64::INFINITY, f64::min)
}

/// The seconds of one round, for work that is too long for three.
pub fn once<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Start::now();
    let value = black_box(work());
    let seconds = start.seconds();
    // Freeing the result is not part of the work.
    drop(value);
    seconds
}

/// A moment of this thread.
struct Start {
    wall: Instant,
    processor: Option<u64>,
}

impl Start {
    fn now() -> Self {
        Self { processor: processor_time(), wall: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        let processor = self.processor.zip(processor_time()).map(|(before, now)| Duration::from_nanos(now - before));
        processor.unwrap_or_else(|| self.wall.elapsed()).as_secs_f64()
    }
}

/// The nanoseconds that this thread has had a processor, up to the last tick of the scheduler; only Linux tells.
fn processor_time() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Measured values with targets and the peers' figures.
#[derive(Debug)]
pub struct Table {
    title: String,
    rows: Vec<[String; 4]>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: vec![["part", "measured", "target", "peers"].map(str::to_owned)] }
    }

    /// Adds a row. Where there is no target or no peer: `-`.
    pub fn row(&mut self, part: impl Into<String>, measured: impl Into<String>, target: &str, peers: &str) {
        self.rows.push([part.into(), measured.into(), target.to_owned(), peers.to_owned()]);
    }

    /// Prints the table and how its figures came to be.
    pub fn print(&self) {
        let mut widths = [0; 3];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        println!("\n{}", self.title);
        for [part, measured, target, peers] in &self.rows {
            println!("  {part:<0$}  {measured:>1$}  {target:>2$}  {peers}", widths[0], widths[1], widths[2]);
        }
        let clock = if processor_time().is_some() { "processor time" } else { "wall clock" };
        println!(
            "  Time: {clock} of one thread, the fastest of {ROUNDS} rounds. Peers: measured on another machine's 2 idle cores, not on this data unless said."
        );
        if !is_measured() {
            println!("  A trial run: generated data has a hundredth of its size, so the times say nothing. `cargo bench` measures.");
        }
    }
}

/// Random numbers from a seed (`SplitMix64`; Steele, Lea and Flood 2014).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is above 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() >> 33).unwrap_or_default() % limit
    }

    /// `count` words in sentences of twelve. Words follow Zipf's law, as those of natural texts do: each doubling of the rank is equally
    /// frequent. The first hundred ranks are the English stop words, the last is about 65,000.
    pub fn text(&mut self, count: usize) -> String {
        let mut text = String::with_capacity(count * 7);
        for at in 1..=count {
            let least = 1 << self.below(16);
            push_word(least + self.below(least) - 1, &mut text);
            text.push_str(if at % 12 == 0 { ". " } else { " " });
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// The word of a rank (from 0): a stop word, else two syllables and more, with an ending that a stemmer cuts or not.
fn push_word(rank: usize, text: &mut String) {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    if let Some(word) = STOP_WORDS.get(rank) {
        return text.push_str(word);
    }
    let mut rest = rank;
    while rest > 0 {
        text.push(char::from(CONSONANTS[rest % CONSONANTS.len()]));
        rest /= CONSONANTS.len();
        text.push(char::from(VOWELS[rest % VOWELS.len()]));
        rest /= VOWELS.len();
    }
    text.push_str(["n", "s", "ing", "ed", "l", "ation"][rank % 6]);
}

/// Chunks whose texts are the numbers from 0.
pub fn numbered_chunks(count: usize) -> Arc<[Chunk]> {
    (0..count).map(|number| Chunk { id: format!("{number:06}"), text: number.to_string(), ..Chunk::default() }).collect()
}

/// Makes a vector of the number that the text is.
#[derive(Debug)]
pub struct Numbered;

impl Stage for Numbered {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(["numbered"])
    }
}

impl Embedder for Numbered {
    fn embed<'a>(&'a self, texts: &'a [String], _: TextRole) -> Reply<'a, Vec<Vec<f32>>> {
        Box::pin(async move { Ok(texts.iter().map(|text| vector(text.parse().unwrap_or_default())).collect()) })
    }
}

fn vector(seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let four = |bits: u64| bits.to_le_bytes().as_chunks().0.iter().map(|pair| f32::from(i16::from_le_bytes(*pair))).collect::<Vec<_>>();
    (0..384 / 4).flat_map(|_| four(random.bits())).collect()
}
