//! Embedded texts on disk, each once: a changed document embeds its own chunks and no others.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::rows::Rows;
use super::vectors::Vectors;
use crate::error::{CallError, CallErrorKind};
use crate::id::Fingerprint;
use crate::model::{Embedder, TextRole};
use crate::store::{DerivedStore, Lock, failed, report};

/// Texts that are embedded and written together: what a killed build loses at most.
const BATCH: usize = 1024;

/// First bytes of the file; the last one is the version of its layout.
const MAGIC: &[u8; 8] = b"ragvecs\x01";

/// The bytes of a [`Segment`]'s numbers and seals.
const HEAD: usize = 40;

/// The vectors of all rows, in their order. Those of equal texts are made once.
///
/// What one embedder made lies in one file `embeddings-<fingerprint>.bin`, for all corpora: segments of at most [`BATCH`] vectors, each found
/// by the hash of its text, with a seal over the vectors and one over everything else. Segments are only ever added at the end, under the lock of
/// the file, so a reader needs none: it takes sound segments up to the first that is not, which may be one that is being written. Whoever holds
/// the lock cuts such an end off. A segment whose texts are not asked for is passed over unread.
pub(super) async fn embed(rows: &Rows, embedder: &dyn Embedder, store: &DerivedStore) -> Result<Vectors, CallError> {
    let mut wanted = Wanted::new(rows);
    if let Some(folder) = &store.folder {
        let print = embedder.fingerprint();
        let path = folder.join(format!("embeddings-{print}.bin"));
        // An unsound end may be one that another process is writing: the holder of the lock can tell.
        let _ = wanted.read(&path, print);
        if !wanted.missing.is_empty() {
            let lock = Lock::of(&path).await?;
            let mut file = wanted.repair(&path, print)?;
            if !wanted.missing.is_empty() {
                let _building = lock.start()?;
                wanted.make(embedder, |segment| file.write_all(segment).map_err(failed("write", &path))).await?;
            }
        }
    } else {
        wanted.make(embedder, |_| Ok(())).await?;
    }
    Ok(wanted.vectors)
}

fn wrong(message: String) -> CallError {
    CallError::new(CallErrorKind::Other, message)
}

/// The hash of a text, or a seal.
type Key = [u8; 16];

fn key(bytes: &[u8]) -> Key {
    *Fingerprint::of_bytes(bytes).as_bytes()
}

/// The rows of an index, while their vectors are gathered.
struct Wanted<'a> {
    rows: &'a Rows,
    /// The rows of each text that has no vector yet.
    missing: HashMap<Key, Vec<usize>>,
    vectors: Vectors,
}

fn unsound(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::UnexpectedEof => "is cut short".to_owned(),
        io::ErrorKind::InvalidData => "has the wrong content".to_owned(),
        _ => format!("cannot be read ({cause})"),
    }
}

/// A stored run of vectors.
struct Segment {
    texts: Vec<Key>,
    dimension: usize,
    /// The seal over the vectors.
    data: Key,
}

/// Where a file stops to be sound, and why.
struct Fault {
    at: u64,
    what: String,
}

impl<'a> Wanted<'a> {
    fn new(rows: &'a Rows) -> Self {
        let mut missing: HashMap<_, Vec<usize>> = HashMap::new();
        for (row, text) in rows.texts().enumerate() {
            missing.entry(key(text.as_bytes())).or_default().push(row);
        }
        Self { rows, missing, vectors: Vectors::default() }
    }

    /// Makes the vectors that are missing, in the order of the rows, and gives each batch of them to `keep`.
    async fn make(
        &mut self,
        embedder: &dyn Embedder,
        mut keep: impl FnMut(&[u8]) -> Result<(), CallError> + Send,
    ) -> Result<(), CallError> {
        let mut missing: Vec<(usize, Key)> = self.missing.iter().map(|(text, rows)| (rows[0], *text)).collect();
        missing.sort_unstable();
        let (print, all) = (embedder.fingerprint(), self.rows);
        for batch in missing.chunks(BATCH) {
            let texts: Vec<String> = batch.iter().map(|(row, _)| all.get(*row).indexed_text()).collect();
            let made = embedder.embed(&texts, TextRole::Document).await?;
            if made.len() != texts.len() {
                return Err(wrong(format!("the embedder gave {} vectors for {} chunks", made.len(), texts.len())));
            }
            let mut data = Vec::new();
            for ((row, _), vector) in batch.iter().zip(&made) {
                let fault = |fault: String| wrong(format!("the vector of chunk {} {fault}", all.get(*row).id));
                let unit = Vectors::one(vector).map_err(fault)?;
                let dimension = self.dimension(unit.dimension());
                if unit.dimension() != dimension {
                    return Err(fault(format!("has {} dimensions, not {dimension}", unit.dimension())));
                }
                unit.push_bytes(0, &mut data);
            }
            let texts: Vec<Key> = batch.iter().map(|(_, text)| *text).collect();
            let segment = Segment { texts, dimension: self.vectors.dimension(), data: key(&data) };
            keep(&segment.bytes(print, &data))?;
            self.take(&segment, &data);
        }
        Ok(())
    }

    /// The dimension of the vectors, which the first one decides.
    fn dimension(&mut self, first: usize) -> usize {
        if self.vectors.dimension() == 0 {
            self.vectors = Vectors::new(first, self.rows.len());
        }
        self.vectors.dimension()
    }

    /// Sets the rows that a segment has vectors for.
    fn take(&mut self, segment: &Segment, data: &[u8]) {
        self.dimension(segment.dimension);
        for (text, bytes) in segment.texts.iter().zip(data.chunks_exact(segment.dimension * 4)) {
            for row in self.missing.remove(text).unwrap_or_default() {
                self.vectors.set(row, bytes);
            }
        }
    }

    /// Takes what the file has. An unsound end is an error, which the reader without the lock may take for one that is being written.
    fn read(&mut self, path: &Path, print: Fingerprint) -> Result<(), Fault> {
        match File::open(path) {
            Ok(file) => self.read_file(file, print),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(cause) => Err(Fault { at: 0, what: format!("cannot be read ({cause})") }),
        }
    }

    fn read_file(&mut self, file: File, print: Fingerprint) -> Result<(), Fault> {
        let broken = |at: u64| move |cause: io::Error| Fault { at, what: unsound(&cause) };
        let end = file.metadata().map_err(broken(0))?.len();
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(broken(0))?;
        if magic != *MAGIC {
            return Err(Fault { at: 0, what: "is of another format".to_owned() });
        }
        let mut at = magic.len() as u64;
        while at < end && !self.missing.is_empty() {
            let segment = Segment::read(&mut file, print, end - at).map_err(broken(at))?;
            let size = segment.size();
            if segment.texts.iter().any(|text| self.missing.contains_key(text)) {
                let mut data = vec![0; size];
                file.read_exact(&mut data).map_err(broken(at))?;
                let dimension = self.dimension(segment.dimension);
                if key(&data) != segment.data || segment.dimension != dimension {
                    return Err(Fault { at, what: "has the wrong content".to_owned() });
                }
                self.take(&segment, &data);
            } else {
                file.seek_relative(i64::try_from(size).unwrap_or(i64::MAX)).map_err(broken(at))?;
            }
            at += (HEAD + segment.texts.len() * size_of::<Key>() + size) as u64;
        }
        Ok(())
    }

    /// Takes what the file has, cuts an unsound end off, and opens the file for more. Only the holder of its lock may call this.
    fn repair(&mut self, path: &Path, print: Fingerprint) -> Result<File, CallError> {
        let read = self.read(path, print);
        let opened = File::options().create(true).truncate(false).write(true).open(path);
        let mut file = opened.map_err(failed("open", path))?;
        let mut sound = || {
            if let Err(Fault { at, .. }) = &read {
                file.set_len(*at)?;
            }
            if file.seek(SeekFrom::End(0))? == 0 {
                file.write_all(MAGIC)?;
            }
            Ok(())
        };
        sound().map_err(failed("write", path))?;
        if let Err(Fault { at, what }) = read {
            report(path, &format!("{what} from byte {at}; embedding again what is missing"));
        }
        Ok(file)
    }
}

impl Segment {
    /// The size of the vectors, which lie behind the hashes of their texts.
    fn size(&self) -> usize {
        self.texts.len() * self.dimension * 4
    }

    /// The seal over everything but the vectors, for which their seal stands.
    fn seal(&self, print: Fingerprint) -> Fingerprint {
        let numbers = [self.texts.len(), self.dimension].map(usize::to_le_bytes).concat();
        Fingerprint::of([print.as_ref(), &numbers, &self.data, self.texts.as_flattened()])
    }

    fn bytes(&self, print: Fingerprint, data: &[u8]) -> Vec<u8> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let (rows, dimension, seal) = (number(self.texts.len()), number(self.dimension), self.seal(print));
        [&rows[..], &dimension, &self.data, seal.as_ref(), self.texts.as_flattened(), data].concat()
    }

    /// Reads all but the vectors, of a segment that lies within the next `rest` bytes.
    fn read(file: &mut impl io::Read, print: Fingerprint, rest: u64) -> io::Result<Self> {
        let mut numbers = [[0; 4]; 2];
        file.read_exact(numbers.as_flattened_mut())?;
        let [rows, dimension] = numbers.map(|number| u32::from_le_bytes(number) as usize);
        let (mut data, mut seal) = (Key::default(), Key::default());
        file.read_exact(&mut data)?;
        file.read_exact(&mut seal)?;
        let whole = HEAD as u128 + rows as u128 * (size_of::<Key>() as u128 + dimension as u128 * 4);
        if whole > u128::from(rest) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut texts = vec![Key::default(); rows];
        file.read_exact(texts.as_flattened_mut())?;
        let segment = Self { texts, dimension, data };
        if segment.seal(print).as_bytes() != &seal || dimension == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(segment)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Stdio;
    use std::sync::Mutex;

    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::corpus::Chunk;
    use crate::id::Stage;
    use crate::index::tests::ready;
    use crate::model::Reply;

    /// Makes a vector of a text's length, and remembers the texts.
    #[derive(Default)]
    struct Lengths {
        asked: Mutex<Vec<String>>,
        /// Fails on this text.
        fails: Option<&'static str>,
        name: &'static str,
    }

    impl Stage for Lengths {
        fn fingerprint(&self) -> Fingerprint {
            Fingerprint::of([self.name])
        }
    }

    impl Embedder for Lengths {
        fn embed<'a>(&'a self, texts: &'a [String], _: TextRole) -> Reply<'a, Vec<Vec<f32>>> {
            self.asked.lock().expect("works").extend(texts.iter().cloned());
            let failed = texts.iter().any(|text| Some(text.as_str()) == self.fails);
            let made = texts.iter().map(|text| vec![text.len() as f32, 1.0, -2.0]).collect();
            Box::pin(std::future::ready(if failed { Err(wrong("no model".into())) } else { Ok(made) }))
        }
    }

    fn rows(texts: &[&str]) -> Rows {
        let chunk = |(at, text): (usize, &&str)| Chunk { id: format!("{at:04}"), text: (*text).into(), ..Chunk::default() };
        Rows::new(texts.iter().enumerate().map(chunk).collect())
    }

    /// The vectors, and the texts that were embedded for them.
    fn embedded(texts: &[&str], name: &'static str, store: &DerivedStore) -> (Vectors, Vec<String>) {
        let embedder = Lengths { name, ..Lengths::default() };
        let vectors = ready(embed(&rows(texts), &embedder, store)).expect("embeds");
        (vectors, embedder.asked.into_inner().expect("works"))
    }

    fn folder() -> (tempfile::TempDir, DerivedStore) {
        let folder = tempfile::tempdir().expect("works");
        let store = DerivedStore::in_folder(folder.path());
        (folder, store)
    }

    fn file(folder: &tempfile::TempDir) -> std::path::PathBuf {
        folder.path().join(format!("embeddings-{}.bin", Fingerprint::of(["m"])))
    }

    #[test]
    fn each_text_is_embedded_once_whatever_corpus_it_is_in() {
        let (_folder, store) = folder();
        let fresh = |texts: &[&str]| embedded(texts, "m", &DerivedStore::default()).0;
        assert_eq!(embedded(&["one", "three", "one"], "m", &store), (fresh(&["one", "three", "one"]), vec!["one".into(), "three".into()]));
        assert_eq!(embedded(&["one", "three", "one"], "m", &store).1, Vec::<String>::new());
        // A changed chunk, a new one, another order.
        assert_eq!(embedded(&["fourth", "three", "one"], "m", &store), (fresh(&["fourth", "three", "one"]), vec!["fourth".into()]));
        assert_eq!(embedded(&["fourth"], "m", &store).1, Vec::<String>::new());
        assert_eq!(embedded(&["one"], "another model", &store).1, ["one"]);
    }

    #[test]
    fn batches_that_were_written_survive_a_failure() {
        let (_folder, store) = folder();
        let texts: Vec<String> = (0..BATCH + 2).map(|at| format!("text {at}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder = Lengths { name: "m", fails: Some("text 1024"), ..Lengths::default() };
        assert_eq!(ready(embed(&rows(&texts), &embedder, &store)), Err(wrong("no model".into())));
        let (vectors, asked) = embedded(&texts, "m", &store);
        assert_eq!(asked, ["text 1024", "text 1025"]);
        assert_eq!(vectors, embedded(&texts, "m", &DerivedStore::default()).0);
    }

    #[rstest]
    #[case::empty(|bytes: &mut Vec<u8>, _| bytes.clear(), 3)]
    #[case::foreign(|bytes: &mut Vec<u8>, _| bytes[0] ^= 1, 3)]
    #[case::newer(|bytes: &mut Vec<u8>, _| bytes[7] += 1, 3)]
    #[case::cut_in_the_vectors(|bytes: &mut Vec<u8>, _| bytes.truncate(bytes.len() - 1), 1)]
    #[case::cut_in_the_head(|bytes: &mut Vec<u8>, second| bytes.truncate(second + 10), 1)]
    #[case::cut_between_segments(|bytes: &mut Vec<u8>, second| bytes.truncate(second), 1)]
    #[case::flipped_vector(|bytes: &mut Vec<u8>, _| *bytes.last_mut().expect("is there") ^= 1, 1)]
    #[case::flipped_text(|bytes: &mut Vec<u8>, second| bytes[second + HEAD] ^= 1, 1)]
    #[case::flipped_count(|bytes: &mut Vec<u8>, second| bytes[second + 3] ^= 0x70, 1)]
    #[case::first_segment(|bytes: &mut Vec<u8>, second| bytes[second - 1] ^= 1, 3)]
    fn embeds_again_from_where_the_file_is_unsound(#[case] damage: fn(&mut Vec<u8>, usize), #[case] again: usize) {
        let (folder, store) = folder();
        embedded(&["one", "three"], "m", &store);
        let second = fs::read(file(&folder)).expect("works").len();
        let (sound, _) = embedded(&["one", "three", "fourth"], "m", &store);
        let whole = fs::read(file(&folder)).expect("works");
        let mut bytes = whole.clone();
        damage(&mut bytes, second);
        fs::write(file(&folder), &bytes).expect("works");
        let (vectors, asked) = embedded(&["one", "three", "fourth"], "m", &store);
        assert_eq!((vectors, asked.len()), (sound.clone(), again));
        assert_eq!(embedded(&["one", "three", "fourth"], "m", &store), (sound, Vec::new()));
    }

    #[test]
    fn a_file_under_another_name_is_not_taken() {
        let (folder, store) = folder();
        embedded(&["one"], "m", &store);
        fs::rename(file(&folder), folder.path().join(format!("embeddings-{}.bin", Fingerprint::of(["n"])))).expect("works");
        assert_eq!(embedded(&["one"], "n", &store).1, ["one"]);
    }

    #[test]
    fn segments_of_other_texts_are_passed_over_unread() {
        let (folder, store) = folder();
        embedded(&["one"], "m", &store);
        let first = fs::read(file(&folder)).expect("works").len();
        embedded(&["three"], "m", &store);
        let mut bytes = fs::read(file(&folder)).expect("works");
        bytes[first - 1] ^= 1;
        fs::write(file(&folder), &bytes).expect("works");
        assert_eq!(embedded(&["three"], "m", &store).1, Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn no_bytes_end_the_process(mut bytes in prop::collection::vec(any::<u8>(), 0..200), starts_right in any::<bool>()) {
            if starts_right {
                bytes.splice(0..0, *MAGIC);
            }
            let (folder, store) = folder();
            fs::write(file(&folder), &bytes).expect("works");
            prop_assert_eq!(embedded(&["one"], "m", &store).1, ["one"]);
            prop_assert_eq!(embedded(&["one"], "m", &store).1, Vec::<String>::new());
        }
    }

    /// In a process that a test starts: the folder of its store.
    const FOLDER: &str = "RAGTEST_TEST_EMBEDDINGS_FOLDER";

    /// Starts this test binary again with one test.
    fn start(test: &str, folder: &Path, stops: bool) -> std::process::Child {
        let test = format!("{}::{test}", module_path!().split_once("::").expect("works").1);
        let mut command = std::process::Command::new(std::env::current_exe().expect("works"));
        command.args([&test, "--exact", "--nocapture"]).env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(stops.then_some(("RAGTEST_TEST_STOPS", "1"))).spawn().expect("works")
    }

    /// Writes down each text that it embeds, and stops for good after the first batch where it is told to.
    struct Noting {
        folder: std::path::PathBuf,
        asked: Mutex<usize>,
    }

    impl Stage for Noting {
        fn fingerprint(&self) -> Fingerprint {
            Fingerprint::of(["m"])
        }
    }

    impl Embedder for Noting {
        fn embed<'a>(&'a self, texts: &'a [String], role: TextRole) -> Reply<'a, Vec<Vec<f32>>> {
            let mut asked = self.asked.lock().expect("works");
            if *asked > 0 && std::env::var_os("RAGTEST_TEST_STOPS").is_some() {
                io::stdout().write_all(b"half\n").and_then(|()| io::stdout().flush()).expect("works");
                std::thread::park();
            }
            *asked += texts.len();
            let note = self.folder.join(format!("{}-{asked}.embedded", std::process::id()));
            fs::write(note, texts.join("\n")).expect("works");
            let made = ready(Lengths::default().embed(texts, role));
            Box::pin(std::future::ready(made))
        }
    }

    /// What a started process does.
    fn embed_all(folder: &Path) {
        let texts: Vec<String> = (0..BATCH + 40).map(|at| format!("text {at}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder = Noting { folder: folder.to_owned(), asked: Mutex::default() };
        let store = DerivedStore::in_folder(folder.join("stores"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("works");
        let vectors = runtime.block_on(embed(&rows(&texts), &embedder, &store)).expect("embeds");
        assert_eq!(vectors, embedded(&texts, "m", &DerivedStore::default()).0);
    }

    /// All texts that were embedded by any process.
    fn notes(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).expect("works").map(|entry| entry.expect("works").path());
        let notes = files.filter(|path| path.extension().is_some_and(|end| end == "embedded"));
        notes.flat_map(|path| fs::read_to_string(path).expect("works").lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn forty_processes_embed_each_text_once() {
        if let Some(folder) = std::env::var_os(FOLDER) {
            return embed_all(Path::new(&folder));
        }
        let folder = tempfile::tempdir().expect("works");
        let children: Vec<_> = (0..40).map(|_| start("forty_processes_embed_each_text_once", folder.path(), false)).collect();
        for child in children {
            let ended = child.wait_with_output().expect("works");
            assert!(ended.status.success() && ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
        }
        let mut texts = notes(folder.path());
        texts.sort();
        texts.dedup();
        assert_eq!((texts.len(), notes(folder.path()).len()), (BATCH + 40, BATCH + 40));
    }

    #[test]
    fn a_killed_build_is_taken_up_where_it_was_and_said_in_one_line() {
        const TEST: &str = "a_killed_build_is_taken_up_where_it_was_and_said_in_one_line";
        if let Some(folder) = std::env::var_os(FOLDER) {
            return embed_all(Path::new(&folder));
        }
        let folder = tempfile::tempdir().expect("works");
        let mut stopped = start(TEST, folder.path(), true);
        let lines = io::BufRead::lines(BufReader::new(stopped.stdout.take().expect("works")));
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("half")), "the first batch is never done");
        stopped.kill().expect("works");
        stopped.wait().expect("works");
        let said = |child: std::process::Child| {
            let ended = child.wait_with_output().expect("works");
            assert!(ended.status.success(), "{ended:?}");
            String::from_utf8(ended.stderr).expect("works").lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let lines = said(start(TEST, folder.path(), false));
        assert!(
            lines.len() == 1 && lines[0].ends_with("was being built when the process was stopped; building what is missing"),
            "{lines:?}"
        );
        assert_eq!(notes(folder.path()).len(), BATCH + 40);
        assert_eq!(said(start(TEST, folder.path(), false)), Vec::<String>::new());
    }
}
