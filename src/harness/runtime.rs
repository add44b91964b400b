//! The one runtime of the process, and where panics happened.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};

use crate::error::panic_text;

/// Never dropped: a static runtime ends with the process.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .enable_all()
        .thread_name("ragtest")
        .build()
        .unwrap_or_else(|error| panic!("start the async runtime: {error}"))
});

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether this thread turns panics into failure texts.
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a future to its end.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.block_on(future)
}

/// Keeps the place of every panic for the failure text of its trial.
pub(super) fn catch_locations() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(|at| format!(" at {}:{}:{}", at.file(), at.line(), at.column())).unwrap_or_default();
        LAST_PANIC.with_borrow_mut(|last| *last = Some(place));
        // A panic of the system under test happens on a worker; its message is also in the record, but not its place.
        if !CATCHING.get() {
            default(info);
        }
    }));
}

/// Runs a closure; a panic becomes an error with message and place.
pub(super) fn catching<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(outer);
    result.map_err(|payload| {
        let place = LAST_PANIC.with_borrow_mut(Option::take).unwrap_or_default();
        format!("panicked{place}: {}", panic_text(payload.as_ref()))
    })
}

/// One line for people. Standard output holds nothing but the list that runners parse.
#[expect(clippy::print_stderr, reason = "the harness talks to people on standard error")]
pub(super) fn complain(line: &str) {
    eprintln!("{line}");
}
