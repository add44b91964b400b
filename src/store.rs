//! Derived data on disk: built once, checked before every use, rebuilt when damaged.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{CallError, CallErrorKind};
use crate::id::Fingerprint;

/// A folder of derived data (postings, vectors). Everything in it can be deleted at any time; it is built again.
///
/// A file is `<kind>-<key>.bin`: magic, format version, payload length, fingerprint of kind, key and payload, payload. Many processes may
/// ask for the same file at once: one builds, under the lock of `<kind>-<key>.bin.lock`, the others wait and open. A build writes to a file of
/// its own and renames it, so a killed build leaves at most that file, which the next build removes; the next build also says in one line on
/// standard error that the other was stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivedStore {
    /// The folder, made when needed. `None` keeps nothing: everything is built where it is asked for.
    pub folder: Option<PathBuf>,
}

const MAGIC: &[u8; 8] = b"ragindex";
/// Raised when the layout of the file or of a payload changes.
const VERSION: u32 = 1;
const HEADER: usize = 36;

impl DerivedStore {
    /// A store in a folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// The stored value of `kind` and `key`, or the one that `build` makes, stored. `build` is not polled where a sound file exists. The key
    /// must name everything that decides the value. An error of `build` is passed on and stores nothing.
    pub async fn get_or_build<T, B>(&self, kind: &str, key: Fingerprint, build: B) -> Result<T, CallError>
    where
        T: Serialize + DeserializeOwned,
        B: Future<Output = Result<T, CallError>>,
    {
        let Some(folder) = &self.folder else { return build.await };
        let path = folder.join(format!("{kind}-{key}.bin"));
        if let Ok(Some(value)) = read(&path, kind, key) {
            return Ok(value);
        }
        let lock = Lock::of(&path).await?;
        match read(&path, kind, key) {
            Ok(Some(value)) => return Ok(value),
            Ok(None) => {}
            Err(fault) => report(&path, &format!("{fault}; building it again")),
        }
        let _building = lock.start()?;
        let value = build.await?;
        write(&path, kind, key, &value)?;
        Ok(value)
    }
}

/// Writes a file whole or not at all: under a name of its own, then renamed. Folders are made as needed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> crate::error::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(crate::error::Error::io(folder))?;
    }
    let own = with_suffix(path, &format!(".{}.tmp", std::process::id()));
    fs::write(&own, bytes).and_then(|()| fs::rename(&own, path)).map_err(crate::error::Error::io(path))
}

pub(crate) fn failed(action: &str, path: &Path) -> impl FnOnce(io::Error) -> CallError {
    move |cause| CallError::new(CallErrorKind::Other, format!("{action} {}: {cause}", path.display()))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// One line about a derived file: worth knowing, but no reason to stop.
#[expect(clippy::print_stderr, reason = "a file that was damaged is worth a line, but no reason to stop")]
pub(crate) fn report(path: &Path, what: &str) {
    eprintln!("ragtest: {} {what}", path.display());
}

/// The exclusive right to change a derived file, held by the process until it is dropped or the process ends in any way.
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Waits for the right to change `path`, whose folder is made when needed. The wait never holds up the thread of an asynchronous runtime:
    /// the build that is waited for may need it.
    pub(crate) async fn of(path: &Path) -> Result<Self, CallError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed("create", folder))?;
        }
        let beside = with_suffix(path, ".lock");
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&beside).map_err(failed("open", &beside))?;
        let file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::Error(cause)) => return Err(failed("lock", &beside)(cause)),
            Err(TryLockError::WouldBlock) => {
                let wait = move || file.lock().map(|()| file);
                let locked = match tokio::runtime::Handle::try_current() {
                    Ok(runtime) => runtime.spawn_blocking(wait).await.unwrap_or_else(|stopped| Err(io::Error::other(stopped))),
                    Err(_) => wait(),
                };
                locked.map_err(failed("lock", &beside))?
            }
        };
        Ok(Self { path: path.to_owned(), file })
    }

    /// Notes that a build begins, and reports one that never came to its end: its note is still there.
    pub(crate) fn start(&self) -> Result<Building<'_>, CallError> {
        let noted = self.file.metadata().map_err(failed("read the lock of", &self.path))?.len();
        if noted > 0 {
            report(&self.path, "was being built when the process was stopped; building what is missing");
        }
        (&self.file).write_all(b"building").map_err(failed("write the lock of", &self.path))?;
        Ok(Building(self))
    }
}

/// A build that goes on. Its end, with or without success, takes the note back; a killed process leaves it.
pub(crate) struct Building<'a>(&'a Lock);

impl Drop for Building<'_> {
    fn drop(&mut self) {
        // Should this fail, the next build says that this one was stopped: untrue, but harmless.
        let _ = self.0.file.set_len(0);
    }
}

/// The stored value; `None` where there is no file; what is wrong with the file otherwise.
fn read<T: DeserializeOwned>(path: &Path, kind: &str, key: Fingerprint) -> Result<Option<T>, String> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(format!("cannot be read ({cause})")),
    };
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or("is cut short")?;
    if header[..8] != MAGIC[..] || header[8..12] != VERSION.to_le_bytes() {
        return Err("is of another format".to_owned());
    }
    if header[12..20] != (payload.len() as u64).to_le_bytes() {
        return Err("has the wrong size".to_owned());
    }
    if header[20..] != seal(kind, key, payload).as_bytes()[..] {
        return Err("has the wrong content".to_owned());
    }
    postcard::from_bytes(payload).map(Some).map_err(|cause| format!("does not decode ({cause})"))
}

/// Kind and key are part of the hash: a file that was copied to another name is not taken for that other value.
fn seal(kind: &str, key: Fingerprint, payload: &[u8]) -> Fingerprint {
    Fingerprint::of([kind.as_bytes(), key.as_bytes(), payload])
}

/// Writes the file. Only the holder of its lock may call this.
fn write<T: Serialize>(path: &Path, kind: &str, key: Fingerprint, value: &T) -> Result<(), CallError> {
    remove_remains(path).map_err(failed("clean up beside", path))?;
    let mut bytes = Vec::from(MAGIC);
    bytes.resize(HEADER, 0);
    let mut bytes = postcard::to_extend(value, bytes)
        .map_err(|cause| CallError::new(CallErrorKind::Other, format!("encode {}: {cause}", path.display())))?;
    let (header, payload) = bytes.split_at_mut(HEADER);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    header[20..].copy_from_slice(seal(kind, key, payload).as_bytes());
    let own = with_suffix(path, &format!(".{}.tmp", std::process::id()));
    fs::write(&own, bytes).map_err(failed("write", &own))?;
    fs::rename(&own, path).map_err(failed("write", path))
}

/// Removes what killed builds of this file left behind. Under the lock no other build of it is alive.
fn remove_remains(path: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else { return Ok(()) };
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().and_then(|found| found.strip_prefix(name)?.strip_suffix(".tmp")).is_some() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use rstest::rstest;

    use super::*;

    /// A folder that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("ragtest-store-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn files(&self, suffix: &str) -> Vec<PathBuf> {
            let entries = fs::read_dir(&self.0).expect("works").map(|entry| entry.expect("works").path());
            entries.filter(|path| path.to_str().expect("works").ends_with(suffix)).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("works").block_on(future)
    }

    fn key() -> Fingerprint {
        Fingerprint::of(["key"])
    }

    /// The value, and whether it was built.
    fn ask(store: &DerivedStore, kind: &str, key: Fingerprint) -> (String, bool) {
        let mut built = false;
        let value = block_on(store.get_or_build(kind, key, async {
            built = true;
            Ok(format!("{kind} {key}"))
        }));
        (value.expect("works"), built)
    }

    #[test]
    fn opens_what_was_built_for_the_same_kind_and_key() {
        let folder = Folder::new("reopen");
        let store = DerivedStore::in_folder(&folder.0);
        let other = Fingerprint::of(["other"]);
        for (kind, key) in [("a", key()), ("a", other), ("b", key())] {
            assert_eq!(ask(&store, kind, key), (format!("{kind} {key}"), true));
            assert_eq!(ask(&store, kind, key), (format!("{kind} {key}"), false));
        }
        assert_eq!(folder.files(".bin").len(), 3);
        assert!(ask(&DerivedStore::default(), "a", key()).1, "no folder, no memory");
    }

    #[rstest]
    #[case::empty("empty", |bytes: &mut Vec<u8>| bytes.clear())]
    #[case::cut("cut", |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 1))]
    #[case::cut_in_the_header("header", |bytes: &mut Vec<u8>| bytes.truncate(20))]
    #[case::longer("longer", |bytes: &mut Vec<u8>| bytes.push(0))]
    #[case::flipped("flipped", |bytes: &mut Vec<u8>| bytes[HEADER + 2] ^= 1)]
    #[case::newer("newer", |bytes: &mut Vec<u8>| bytes[8] += 1)]
    #[case::foreign("foreign", |bytes: &mut Vec<u8>| bytes[..3].copy_from_slice(b"PNG"))]
    fn rebuilds_a_damaged_file(#[case] name: &str, #[case] damage: fn(&mut Vec<u8>)) {
        let folder = Folder::new(name);
        let store = DerivedStore::in_folder(&folder.0);
        let sound = ask(&store, "a", key()).0;
        let path = folder.files(".bin").remove(0);
        let mut bytes = fs::read(&path).expect("works");
        damage(&mut bytes);
        fs::write(&path, bytes).expect("works");
        assert!(read::<String>(&path, "a", key()).is_err());
        assert_eq!(ask(&store, "a", key()), (sound.clone(), true));
        assert_eq!(ask(&store, "a", key()), (sound, false));
    }

    #[test]
    fn a_file_under_another_name_or_of_another_type_is_not_taken() {
        let folder = Folder::new("renamed");
        let store = DerivedStore::in_folder(&folder.0);
        ask(&store, "a", key());
        let path = folder.files(".bin").remove(0);
        let other = Fingerprint::of(["other"]);
        fs::copy(&path, folder.0.join(format!("a-{other}.bin"))).expect("works");
        assert_eq!(ask(&store, "a", other), (format!("a {other}"), true));
        assert!(read::<Vec<(u64, String)>>(&path, "a", key()).is_err());
    }

    #[test]
    fn a_failed_build_stores_nothing() {
        let folder = Folder::new("failed");
        let store = DerivedStore::in_folder(&folder.0);
        let fault = CallError::new(CallErrorKind::Provider, "no model");
        let failed: Result<String, _> = block_on(store.get_or_build("a", key(), async { Err(fault.clone()) }));
        assert_eq!(failed, Err(fault));
        assert!(folder.files(".bin").is_empty() && ask(&store, "a", key()).1);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_with_its_path() {
        let folder = Folder::new("blocked");
        fs::write(&folder.0, "a file").expect("works");
        let store = DerivedStore::in_folder(folder.0.join("sub"));
        let error = block_on(store.get_or_build("a", key(), async { Ok(1_u8) })).expect_err("must fail");
        assert!(error.message.contains("ragtest-store-blocked"), "{error}");
        fs::remove_file(&folder.0).expect("works");
    }

    #[test]
    fn remains_of_killed_builds_go_with_the_next_build() {
        let folder = Folder::new("remains");
        let store = DerivedStore::in_folder(&folder.0);
        fs::create_dir_all(&folder.0).expect("works");
        let others = folder.0.join(format!("b-{}.bin.7.tmp", key()));
        for path in [&folder.0.join(format!("a-{}.bin.7.tmp", key())), &others] {
            fs::write(path, "half").expect("works");
        }
        ask(&store, "a", key());
        assert_eq!(folder.files(".tmp"), [others], "another file's build may be alive");
    }

    #[test]
    fn racing_threads_build_once() {
        let folder = Folder::new("threads");
        let store = DerivedStore::in_folder(&folder.0);
        let builds = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let build = async {
                        builds.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(30));
                        Ok(42_u32)
                    };
                    assert_eq!(block_on(store.get_or_build("a", key(), build)), Ok(42));
                });
            }
        });
        assert_eq!(builds.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn waiting_tasks_leave_their_thread_to_the_build() {
        let folder = Folder::new("tasks");
        let store = DerivedStore::in_folder(&folder.0);
        let builds = std::sync::Arc::new(AtomicUsize::new(0));
        block_on(async {
            let tasks: Vec<_> = (0..4)
                .map(|_| {
                    let (store, builds) = (store.clone(), builds.clone());
                    tokio::spawn(async move {
                        let build = async {
                            builds.fetch_add(1, Ordering::SeqCst);
                            tokio::time::sleep(Duration::from_millis(20)).await;
                            Ok(42_u32)
                        };
                        store.get_or_build("a", key(), build).await
                    })
                })
                .collect();
            for task in tasks {
                assert_eq!(task.await.expect("works"), Ok(42));
            }
        });
        assert_eq!(builds.load(Ordering::SeqCst), 1);
    }

    const FOLDER: &str = "RAGTEST_TEST_STORE_FOLDER";

    /// Starts this test binary again with one test; there the variable holds the folder.
    fn start(test: &str, folder: &Path) -> Command {
        let test = format!("{}::{test}", module_path!().split_once("::").expect("works").1);
        let mut command = Command::new(std::env::current_exe().expect("works"));
        command.args([&test, "--exact", "--nocapture"]).env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[test]
    fn forty_processes_build_once() {
        if let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) {
            let build = async {
                fs::write(folder.join(format!("{}.built", std::process::id())), "").expect("works");
                Ok("x".repeat(100_000))
            };
            let value = block_on(DerivedStore::in_folder(&folder).get_or_build("a", key(), build));
            assert_eq!(value.expect("works").len(), 100_000);
            return;
        }
        let folder = Folder::new("processes");
        fs::create_dir_all(&folder.0).expect("works");
        let children: Vec<_> = (0..40).map(|_| start("forty_processes_build_once", &folder.0).spawn().expect("works")).collect();
        for child in children {
            let ended = child.wait_with_output().expect("works");
            assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
        }
        assert_eq!(folder.files(".built").len(), 1);
        assert_eq!((folder.files(".bin").len(), folder.files(".tmp").len()), (1, 0));
    }

    #[test]
    fn a_killed_build_leaves_nothing_but_a_line() {
        const TEST: &str = "a_killed_build_leaves_nothing_but_a_line";
        if let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) {
            let build = async {
                if !folder.join("half").exists() {
                    fs::write(folder.join("half"), "").expect("works");
                    fs::write(folder.join(format!("a-{}.bin.7.tmp", key())), "half").expect("works");
                    io::stdout().write_all(b"half\n").and_then(|()| io::stdout().flush()).expect("works");
                    std::thread::park();
                }
                Ok("whole".to_owned())
            };
            let value = block_on(DerivedStore::in_folder(&folder).get_or_build("a", key(), build));
            assert_eq!(value.expect("works"), "whole");
            return;
        }
        let folder = Folder::new("killed");
        fs::create_dir_all(&folder.0).expect("works");
        let mut stopped = start(TEST, &folder.0).spawn().expect("works");
        let lines = io::BufRead::lines(io::BufReader::new(stopped.stdout.take().expect("works")));
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("half")), "the build never began");
        stopped.kill().expect("works");
        stopped.wait().expect("works");
        let said = || {
            let ended = start(TEST, &folder.0).output().expect("works");
            assert!(ended.status.success(), "{ended:?}");
            String::from_utf8(ended.stderr).expect("works").lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let lines = said();
        assert!(lines.len() == 1 && lines[0].contains("was being built when the process was stopped"), "{lines:?}");
        assert_eq!(said(), Vec::<String>::new());
        assert_eq!((folder.files(".bin").len(), folder.files(".tmp").len()), (1, 0));
    }
}
