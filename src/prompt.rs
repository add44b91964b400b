//! Prompt templates: text with `{{slots}}`, compiled in and overridden by a file of the same name in the adopter's `prompts/`.

use std::path::Path;

use crate::error::{Error, Result};
use crate::id::Fingerprint;

/// The prompts of this release: name, text, slots.
const BUILT_IN: [(&str, &str, &[&str]); 1] = [("answer", include_str!("../prompts/answer.md"), &["question", "context"])];

/// A checked template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
}

impl Template {
    /// The named prompt: from `folder` where a file of that name is there, else the built-in one. An unknown slot is an error.
    pub fn load(name: &str, folder: &Path) -> Result<Self> {
        let Some((_, built_in, slots)) = BUILT_IN.iter().find(|(known, ..)| *known == name) else {
            return Err(Error::Usage(format!("load prompt {name:?}: no such prompt")));
        };
        let path = folder.join(format!("{name}.md"));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (*built_in).to_owned(),
            Err(error) => return Err(Error::io(&path)(error)),
        };
        Self::parse(&text, slots).map_err(|message| Error::Format { path, message })
    }

    fn parse(text: &str, slots: &[&str]) -> Result<Self, String> {
        let text = strip_comment(text);
        let mut rest = text;
        while let Some((_, after)) = rest.split_once("{{") {
            let (slot, tail) = after.split_once("}}").ok_or("`{{` without `}}`")?;
            if !slots.contains(&slot.trim()) {
                return Err(format!("unknown slot {{{{{}}}}}; the slots are {}", slot.trim(), slots.join(", ")));
            }
            rest = tail;
        }
        Ok(Self { text: text.to_owned() })
    }

    /// Fills the slots in one pass: inserted text is never scanned again, so braces in documents stay as they are.
    pub fn fill(&self, values: &[(&str, &str)]) -> String {
        let mut out = String::with_capacity(self.text.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let Some((slot, tail)) = after.split_once("}}") else { break };
            out.push_str(values.iter().find(|(name, _)| *name == slot.trim()).map_or("", |(_, value)| value));
            rest = tail;
        }
        out.push_str(rest);
        out
    }

    /// What decides the prompt.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_bytes(self.text.as_bytes())
    }
}

/// A leading HTML comment documents the slots; it is not sent.
fn strip_comment(text: &str) -> &str {
    let trimmed = text.trim_start();
    trimmed.strip_prefix("<!--").and_then(|rest| Some(rest.split_once("-->")?.1)).unwrap_or(trimmed).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_braces_arrive_byte_for_byte() {
        let template = Template::parse("Q: {{question}}\nC: {{ context }}!", &["question", "context"]).expect("parses");
        let hostile = "{x} {{question}} %s $1 retry: {max: 3}";
        assert_eq!(
            template.fill(&[("question", "why {{context}}?"), ("context", hostile)]),
            format!("Q: why {{{{context}}}}?\nC: {hostile}!")
        );
    }

    #[test]
    fn unknown_slots_are_named() {
        let problem = Template::parse("{{questoin}}", &["question"]).expect_err("unknown");
        assert!(problem.contains("questoin") && problem.contains("question"), "{problem}");
        assert!(Template::parse("{{question", &["question"]).is_err());
    }

    #[test]
    fn a_file_overrides_the_built_in_prompt() {
        let folder = tempfile::tempdir().expect("folder");
        let built_in = Template::load("answer", folder.path()).expect("built in");
        std::fs::write(folder.path().join("answer.md"), "<!-- slots -->\nAnswer {{question}} from {{context}}").expect("write");
        let own = Template::load("answer", folder.path()).expect("own");
        assert_ne!(own.fingerprint(), built_in.fingerprint());
        assert!(own.fill(&[]).starts_with("Answer"));
        std::fs::write(folder.path().join("answer.md"), "{{oops}}").expect("write");
        assert!(Template::load("answer", folder.path()).expect_err("slot").to_string().contains("answer.md"));
    }
}
