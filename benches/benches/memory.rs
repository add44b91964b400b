//! The memory of exact vector search over 100,000 chunks: each part in a process of its own, whose peak Linux tells.
#![expect(clippy::print_stdout, reason = "a part tells its peak on standard output")]

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ragtest::Question;
use ragtest::index::{Exact, IndexBuilder};
use ragtest::store::DerivedStore;
use ragtest_benches::{Numbered, Outcome, Table, numbered_chunks, size};
use tokio::runtime::Builder;

/// In the process of a part: the folder of its store.
const FOLDER: &str = "RAGTEST_BENCH_FOLDER";

fn main() -> Outcome {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return part(Path::new(&folder));
    }
    let folder = tempfile::tempdir()?;
    let mut table = Table::new("Memory");
    for what in ["embed, store and search", "open the store and search"] {
        let count = size(100_000);
        let run = Command::new(std::env::current_exe()?).args(std::env::args_os().skip(1)).env(FOLDER, folder.path()).output()?;
        let peak = String::from_utf8(run.stdout)?;
        if !run.status.success() {
            return Err(String::from_utf8_lossy(&run.stderr).into());
        }
        table.row(format!("{count} x 384: {what}, peak of the process"), peak.trim(), "<= 300 MiB", "-");
    }
    table.print();
    Ok(())
}

fn part(folder: &Path) -> Outcome {
    let runtime = Builder::new_current_thread().build()?;
    let exact = Exact { store: DerivedStore::in_folder(folder) };
    let index = runtime.block_on(exact.open(numbered_chunks(size(100_000)), Arc::new(Numbered)))?;
    let hits = runtime.block_on(index.search(&Question::new("1000000"), 10))?;
    if hits.len() != 10 {
        return Err(format!("{} hits of 10", hits.len()).into());
    }
    println!("{}", peak().map_or_else(|_| "not told by this system".to_owned(), |kib| format!("{} MiB", kib / 1024)));
    Ok(())
}

/// The greatest memory that this process has held, in KiB.
fn peak() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
