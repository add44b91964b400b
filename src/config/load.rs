//! Reading `ragtest.toml`: every error names the line, the key and the remedy.

use std::path::Path;

use serde::Deserialize;
use toml::de::{DeTable, Deserializer};

use super::expand::expand_table;
use super::types::Config;
use crate::error::{Error, Result};

/// Where the configuration stands, from the package root.
pub const CONFIG_FILE: &str = "rag-tests/ragtest.toml";

/// The format's version that this release reads.
pub const CONFIG_VERSION: u64 = 1;

impl Config {
    /// Reads and checks a configuration file.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let message = "the file does not exist; write it (see the README, \"Quick start\")".into();
                Error::Config { path: path.to_path_buf(), line: None, message }
            }
            std::io::ErrorKind::InvalidData => {
                Error::Config { path: path.to_path_buf(), line: None, message: "the file is not UTF-8".into() }
            }
            _ => Error::io(path)(error),
        })?;
        Self::parse(&text, &|name| std::env::var(name).ok()).map_err(|(line, message)| Error::Config {
            path: path.to_path_buf(),
            line,
            message,
        })
    }

    /// Parses a configuration; `lookup` gives the variables. The error is the line (from 1) and the message.
    pub fn parse(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, (Option<usize>, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_of = |offset: usize| Some(1 + text[..text.floor_char_boundary(offset)].matches('\n').count());
        let explain = |error: &toml::de::Error| (error.span().and_then(|span| line_of(span.start)), remedy(error.message()));
        let mut table = DeTable::parse(text).map_err(|error| explain(&error))?;
        expand_table(table.get_mut(), lookup).map_err(|(at, message)| (line_of(at), message))?;
        check_version(table.get_ref()).map_err(|message| (Some(1), message))?;
        let config = Self::deserialize(Deserializer::from(table)).map_err(|error| {
            unexpanded(text, &error).unwrap_or_else(|| {
                // Only the filled-in value is wrong, and it may be a secret.
                (
                    error.span().and_then(|span| line_of(span.start)),
                    "the value has the wrong type once its variables are filled in".to_owned(),
                )
            })
        })?;
        config.validate().map_err(|(header, message)| (header.and_then(|header| header.line_in(text)), message))?;
        Ok(config)
    }
}

/// The error as the file has it, before variables were filled in: a message must not show a key. `None` where the file itself is right.
fn unexpanded(text: &str, error: &toml::de::Error) -> Option<(Option<usize>, String)> {
    let line = |offset: usize| 1 + text[..text.floor_char_boundary(offset)].matches('\n').count();
    let written = toml::from_str::<Config>(text).err()?;
    let place = |error: &toml::de::Error| error.span().map(|span| line(span.start));
    (place(&written) == place(error)).then(|| (place(&written), remedy(written.message())))
}

/// The version is checked before the rest: a newer file may have keys that this release does not know.
fn check_version(table: &DeTable<'_>) -> Result<(), String> {
    let Some(value) = table.get("version") else {
        return Err(format!("`version = {CONFIG_VERSION}` is missing; add it as the first line"));
    };
    let version = value.get_ref().as_integer().and_then(|i| i.as_str().parse::<u64>().ok());
    match version {
        Some(version) if version > CONFIG_VERSION => {
            Err(format!("configuration version {version} needs a newer ragtest than {}", env!("CARGO_PKG_VERSION")))
        }
        Some(CONFIG_VERSION) => Ok(()),
        _ => Err(format!("`version` must be {CONFIG_VERSION}")),
    }
}

/// Serde's list of all known keys, cut down to the nearest one.
fn remedy(message: &str) -> String {
    let Some(rest) = message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `")) else {
        return message.trim_end().to_owned();
    };
    let Some((unknown, expected)) = rest.split_once('`') else { return message.to_owned() };
    let word = if message.starts_with("unknown field") { "key" } else { "value" };
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let nearest = known.iter().min_by_key(|known| strsim::damerau_levenshtein(known, unknown));
    match nearest {
        Some(nearest) => format!("unknown {word} `{unknown}`; the nearest known {word} is `{nearest}` (known: {})", known.join(", ")),
        None => format!("unknown {word} `{unknown}`"),
    }
}

/// The header line of the table that a check is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// `[kind.name]`.
    Named(&'static str, String),
    /// The n-th (from 0) `[[kind]]`.
    Nth(&'static str, usize),
    /// `[kind]`.
    Table(&'static str),
}

impl Header {
    fn line_in(&self, text: &str) -> Option<usize> {
        let mut lines = text.lines().enumerate();
        let compact =
            |line: &str| line.split('#').next().unwrap_or("").chars().filter(|c| !c.is_whitespace() && *c != '"').collect::<String>();
        match self {
            Self::Named(kind, name) => {
                let start = format!("[{kind}.{name}");
                lines.find(|(_, line)| compact(line).starts_with(&start)).map(|(i, _)| i + 1)
            }
            Self::Table(kind) => lines.find(|(_, line)| compact(line) == format!("[{kind}]")).map(|(i, _)| i + 1),
            Self::Nth(kind, n) => {
                let header = format!("[[{kind}]]");
                lines.filter(|(_, line)| compact(line) == header).nth(*n).map(|(i, _)| i + 1)
            }
        }
    }
}
