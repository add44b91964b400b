//! The verbs of the command, each run as people run it: the binary over a package folder that the test writes.

mod ask;
mod cases;
mod docs;
mod exchange;
mod index;
mod init;
mod merge;
mod metrics;
mod package;
mod render;
mod run;
