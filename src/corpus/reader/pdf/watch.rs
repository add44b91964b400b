//! Reading in a thread of its own, within limits of time: neither a library that never comes back nor a deep recursion ends the run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Builder;
use std::time::{Duration, Instant};

use crate::error::ExtractErrorKind;

/// A thread's stack. Files nest deeper than the two megabytes that a thread has otherwise, and an exhausted stack cannot be caught.
const STACK: usize = 64 << 20;
/// How many pages of a file may stop its thread before the rest of the file is given up.
const MAX_STOPS: usize = 2;
/// How many threads that do not end there may be in the process.
const MAX_HELD: usize = 8;
const STOPPED: &str = "its content stops the reader";
const STOPS: &str = "pages before it stopped the reader";

/// How long reading may take, by the wall clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) page: Duration,
    pub(super) file: Duration,
}

impl Default for Limits {
    /// Thirty seconds for a page, ten minutes for a file: a page takes milliseconds, and a hundred times as long in an unoptimised build.
    fn default() -> Self {
        Self { page: Duration::from_secs(30), file: Duration::from_mins(10) }
    }
}

/// A file that is opened once in each thread and read page by page.
pub(super) trait Pages: Send + Sync + 'static {
    /// What is read of a page.
    type Page: Send + 'static;

    /// Opens the file and hands over the number of its pages, then each page from `first` (from 0) on. Both calls answer whether to go on.
    fn read(&self, first: usize, reports: &mut dyn Sink<Self::Page>) -> Result<(), ExtractErrorKind>;
}

/// Where a file's pages go.
pub(super) trait Sink<P> {
    fn opened(&mut self, opened: Opened) -> bool;
    fn page(&mut self, page: P) -> bool;
}

/// What opening a file tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) pages: usize,
    /// What to say about the file as a whole.
    pub(super) remarks: Vec<String>,
}

enum Report<P> {
    Opened(Opened),
    Page(P),
    Failed(ExtractErrorKind),
}

impl<P> Sink<P> for SyncSender<Report<P>> {
    fn opened(&mut self, opened: Opened) -> bool {
        self.send(Report::Opened(opened)).is_ok()
    }

    fn page(&mut self, page: P) -> bool {
        self.send(Report::Page(page)).is_ok()
    }
}

/// What came of a file: the remarks on it, and each page or why it is not there.
type Whole<P> = (Vec<String>, Vec<Result<P, String>>);

/// All pages of a file. A page that does not end in time is the error of that page.
pub(super) fn read_all<S: Pages>(source: S, limits: &Limits) -> Result<Whole<S::Page>, ExtractErrorKind> {
    static LEFT_ALONE: LeftAlone = LeftAlone(Mutex::new(Vec::new()));
    read_beside(&LEFT_ALONE, &Arc::new(source), limits, Receiver::recv_timeout)
}

/// `wait` waits for a report, so that tests need no clock.
fn read_beside<S: Pages>(
    left_alone: &LeftAlone,
    source: &Arc<S>,
    limits: &Limits,
    wait: impl Fn(&Receiver<Report<S::Page>>, Duration) -> Result<Report<S::Page>, RecvTimeoutError>,
) -> Result<Whole<S::Page>, ExtractErrorKind> {
    let next = |reports: &_, end: Instant, limit: Duration| wait(reports, limit.min(end.saturating_duration_since(Instant::now())));
    let end = Instant::now() + limits.file;
    let mut pages = Vec::new();
    let mut stops = 0;
    loop {
        if left_alone.count() >= MAX_HELD {
            return Err(malformed(format!("{MAX_HELD} earlier files still hold up their readers, so this one is not read")));
        }
        let (thread, reports) = start(source, pages.len())?;
        let Opened { pages: count, remarks } = match next(&reports, end, limits.file) {
            Ok(Report::Opened(opened)) => opened,
            Ok(Report::Failed(error)) => return Err(error),
            Ok(Report::Page(_)) | Err(RecvTimeoutError::Disconnected) => return Err(malformed(STOPPED)),
            Err(RecvTimeoutError::Timeout) => {
                left_alone.add(thread);
                return Err(malformed(format!("opening it takes longer than {} s", limits.file.as_secs_f32())));
            }
        };
        let stopped = loop {
            if pages.len() >= count {
                return Ok((remarks, pages));
            }
            match next(&reports, end, limits.page) {
                Ok(Report::Page(page)) => pages.push(Ok(page)),
                Ok(Report::Failed(error)) => break error.to_string(),
                Ok(Report::Opened(_)) | Err(RecvTimeoutError::Disconnected) => break STOPPED.to_owned(),
                Err(RecvTimeoutError::Timeout) => {
                    left_alone.add(thread);
                    break format!("reading it takes longer than {} s", limits.page.min(limits.file).as_secs_f32());
                }
            }
        };
        pages.push(Err(stopped));
        stops += 1;
        let late = Instant::now() >= end;
        if late || stops >= MAX_STOPS || pages.len() >= count {
            let why = if late { format!("the file takes longer than {} s", limits.file.as_secs_f32()) } else { STOPS.to_owned() };
            pages.resize_with(count.max(pages.len()), || Err(format!("not read: {why}")));
            return Ok((remarks, pages));
        }
    }
}

/// The threads that were given up and have not ended.
struct LeftAlone(Mutex<Vec<Weak<()>>>);

impl LeftAlone {
    fn threads(&self) -> MutexGuard<'_, Vec<Weak<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, thread: Weak<()>) {
        self.threads().push(thread);
    }

    fn count(&self) -> usize {
        let mut threads = self.threads();
        threads.retain(|thread| thread.strong_count() > 0);
        threads.len()
    }
}

fn malformed(message: impl Into<String>) -> ExtractErrorKind {
    ExtractErrorKind::Malformed(message.into())
}

/// A sign of a thread's life, and its reports.
type Started<P> = (Weak<()>, Receiver<Report<P>>);

/// A thread that reads from page `first` on, with a sign of its life. Left alone, it ends with the page that it is at.
fn start<S: Pages>(source: &Arc<S>, first: usize) -> Result<Started<S::Page>, ExtractErrorKind> {
    let (mut sender, reports) = sync_channel(4);
    let source = Arc::clone(source);
    let alive = Arc::new(());
    let thread = Arc::downgrade(&alive);
    let work = move || {
        let read = catch_unwind(AssertUnwindSafe(|| source.read(first, &mut sender)));
        let failed = match read {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error),
            Err(_) => Some(malformed(STOPPED)),
        };
        // Nobody listens to a thread that was left alone.
        failed.map(|failed| sender.send(Report::Failed(failed)));
        drop((source, alive));
    };
    Builder::new().name("ragtest-pdf".into()).stack_size(STACK).spawn(work).map_err(ExtractErrorKind::Io)?;
    Ok((thread, reports))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{TryRecvError, channel};

    use super::*;

    /// Pages of which some never come, until the gate opens.
    struct Stuck {
        pages: usize,
        at: Vec<usize>,
        /// How many threads came to such a page.
        held: AtomicUsize,
        gate: Mutex<Receiver<()>>,
    }

    impl Pages for Stuck {
        type Page = usize;

        fn read(&self, first: usize, reports: &mut dyn Sink<usize>) -> Result<(), ExtractErrorKind> {
            reports.opened(Opened { pages: self.pages, remarks: vec!["a remark".into()] });
            for page in first..self.pages {
                if self.at.contains(&page) {
                    self.held.fetch_add(1, Ordering::SeqCst);
                    // Ends when the sender is dropped.
                    let _ = self.gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
                }
                if !reports.page(page) {
                    break;
                }
            }
            Ok(())
        }
    }

    /// A file, and what keeps its pages from coming.
    fn stuck(pages: usize, at: &[usize]) -> (std::sync::mpsc::Sender<()>, Arc<Stuck>) {
        let (sender, gate) = channel();
        (sender, Arc::new(Stuck { pages, at: at.to_vec(), held: AtomicUsize::new(0), gate: Mutex::new(gate) }))
    }

    /// Reads with a clock that runs out exactly where a page does not come.
    fn read(left_alone: &LeftAlone, source: &Arc<Stuck>) -> Result<Whole<usize>, ExtractErrorKind> {
        let late = AtomicUsize::new(0);
        read_beside(left_alone, source, &Limits::default(), |reports, _| {
            loop {
                // Asked first: what was sent before the thread was held is then there.
                let held = source.held.load(Ordering::SeqCst) > late.load(Ordering::SeqCst);
                match reports.try_recv() {
                    Ok(report) => return Ok(report),
                    Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                    Err(TryRecvError::Empty) if held => {
                        late.fetch_add(1, Ordering::SeqCst);
                        return Err(RecvTimeoutError::Timeout);
                    }
                    Err(TryRecvError::Empty) => std::thread::yield_now(),
                }
            }
        })
    }

    #[test]
    fn a_page_that_never_comes_fails_alone() {
        let left_alone = LeftAlone(Mutex::default());
        let (gate, source) = stuck(4, &[1]);
        let (remarks, pages) = read(&left_alone, &source).expect("opens");
        let shown: Vec<_> = pages.iter().map(|page| page.as_ref().map_err(String::as_str)).collect();
        assert_eq!(shown, [Ok(&0), Err("reading it takes longer than 30 s"), Ok(&2), Ok(&3)]);
        assert_eq!((remarks.join(""), left_alone.count()), ("a remark".to_owned(), 1));
        drop(gate);
        // The thread ends with its page.
        while left_alone.count() > 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_file_of_such_pages_is_given_up() {
        let left_alone = LeftAlone(Mutex::default());
        let (_gate, source) = stuck(5, &[0, 1, 2, 3, 4]);
        let (_, pages) = read(&left_alone, &source).expect("opens");
        assert_eq!((pages.len(), left_alone.count()), (5, MAX_STOPS));
        assert!(pages.iter().all(Result::is_err));
        assert_eq!(pages[4], Err(format!("not read: {STOPS}")));
    }

    #[test]
    fn held_up_threads_are_limited() {
        let left_alone = LeftAlone(Mutex::default());
        let alive = Arc::new(());
        (0..MAX_HELD).for_each(|_| left_alone.add(Arc::downgrade(&alive)));
        let (_gate, source) = stuck(1, &[]);
        let refused = read(&left_alone, &source).expect_err("refused");
        assert!(refused.to_string().contains("earlier files"), "{refused}");
        drop(alive);
        assert_eq!(read(&left_alone, &source).expect("opens").1, [Ok(0)]);
    }

    #[test]
    fn a_file_past_its_time_is_given_up() {
        let limits = Limits { file: Duration::ZERO, ..Limits::default() };
        let (_gate, source) = stuck(1, &[]);
        let late = |_: &Receiver<_>, limit: Duration| if limit.is_zero() { Err(RecvTimeoutError::Timeout) } else { panic!("{limit:?}") };
        let error = read_beside(&LeftAlone(Mutex::default()), &source, &limits, late).expect_err("late");
        assert_eq!(error.to_string(), "opening it takes longer than 0 s");
    }

    /// A reader that recurses deeply, and panics afterwards.
    struct Deep(u32);

    impl Pages for Deep {
        type Page = u32;

        fn read(&self, _: usize, reports: &mut dyn Sink<u32>) -> Result<(), ExtractErrorKind> {
            fn down(left: u32) -> u32 {
                let filler = std::hint::black_box([left; 256]);
                if left == 0 { filler[0] } else { down(left - 1) + filler[1] - left }
            }
            reports.opened(Opened { pages: 3, ..Opened::default() });
            reports.page(down(self.0));
            panic!("after a page");
        }
    }

    #[test]
    fn deep_recursion_and_panics_end_no_run() {
        // Twenty megabytes of stack: ten times that of a usual thread.
        let (_, pages) = read_all(Deep(20_000), &Limits::default()).expect("opens");
        assert_eq!(pages, [Ok(0), Err(STOPPED.to_owned()), Ok(0)]);
    }
}
