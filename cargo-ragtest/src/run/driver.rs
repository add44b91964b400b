//! Starts the harness and follows it by what it prints: a bar on a terminal, each failure at once, the failure texts at the end.

use std::process::Stdio;
use std::task::Poll;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ragtest::text::plain;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader, Lines};
use tokio::process::Command;

use crate::output::complain;

/// How the harness ended.
pub(super) struct Ended {
    /// Its exit code; `None` where a signal ended it.
    pub(super) code: Option<i32>,
    /// Whether the user interrupted it.
    pub(super) interrupted: bool,
    /// The texts of the failed trials, as the harness prints them.
    pub(super) failures: String,
}

/// What the lines said so far.
struct Follower {
    bar: ProgressBar,
    failed: usize,
    /// The harness's closing part, from `failures:` to its list of names.
    failures: String,
    in_failures: bool,
}

/// Runs the harness to its end, or until Ctrl-C.
pub(super) async fn drive(mut harness: Command) -> Result<Ended> {
    harness.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
    // The first poll registers it: from before the harness starts, Ctrl-C is an interruption and not the end of this process.
    std::future::poll_fn(|context| Poll::Ready(interrupt.as_mut().poll(context).is_ready())).await;
    let mut child = harness.spawn().context("start the harness")?;
    let mut out = lines(child.stdout.take());
    let mut err = lines(child.stderr.take());
    let mut follower = Follower::new();
    let mut interrupted = false;
    loop {
        tokio::select! {
            line = next(&mut out) => match line? {
                Some(line) => follower.line(&line),
                None => out = None,
            },
            line = next(&mut err) => match line? {
                Some(line) => follower.say(&plain(&line)),
                None => err = None,
            },
            signal = &mut interrupt, if !interrupted => {
                signal.context("wait for Ctrl-C")?;
                interrupted = true;
                // On a terminal the harness got the signal too. Its run store loses nothing either way.
                let _ = child.start_kill();
            }
            status = child.wait(), if out.is_none() && err.is_none() => {
                follower.bar.finish_and_clear();
                let code = status.context("wait for the harness")?.code();
                return Ok(Ended { code, interrupted, failures: follower.failures });
            }
        }
    }
}

type Reader<R> = Option<Lines<BufReader<R>>>;

fn lines<R: AsyncRead>(pipe: Option<R>) -> Reader<R> {
    pipe.map(|pipe| BufReader::new(pipe).lines())
}

/// The next line; waits for ever on a pipe that is closed.
async fn next<R: AsyncRead + Unpin>(pipe: &mut Reader<R>) -> Result<Option<String>> {
    match pipe {
        Some(lines) => lines.next_line().await.context("read what the harness prints"),
        None => std::future::pending().await,
    }
}

impl Follower {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {elapsed} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        Self { bar, failed: 0, failures: String::new(), in_failures: false }
    }

    /// A line above the bar.
    fn say(&self, line: &str) {
        self.bar.suspend(|| complain(line));
    }

    fn line(&mut self, line: &str) {
        if self.in_failures {
            self.failures.push_str(line);
            self.failures.push('\n');
            return;
        }
        if let Some(count) = line.strip_prefix("running ").and_then(|rest| rest.split(' ').next()?.parse().ok()) {
            self.bar.set_length(count);
        } else if line == "failures:" {
            self.in_failures = true;
        } else if let Some((name, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) {
            self.bar.inc(1);
            if outcome == "FAILED" {
                self.failed += 1;
                self.bar.set_message(format!("{} failed", self.failed));
                self.say(&format!("FAILED {}", plain(name.trim_end())));
            }
        }
    }
}
