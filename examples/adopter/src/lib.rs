//! A tiny travel desk for train passengers: it answers with the paragraph that shares most words with the question.

use std::collections::HashSet;
use std::path::Path;

/// The travel desk and the paragraphs it knows.
pub struct TravelDesk {
    paragraphs: Vec<(String, String)>,
}

impl TravelDesk {
    /// Reads every Markdown file of a folder.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        let mut paragraphs = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path)?;
            paragraphs.extend(text.split("\n\n").map(|paragraph| (name.clone(), paragraph.replace('\n', " "))));
        }
        paragraphs.sort();
        Ok(Self { paragraphs })
    }

    /// The file and text of the best paragraphs, best first, with the share of the question's words in each.
    pub fn search(&self, question: &str) -> Vec<(&str, &str, f64)> {
        let asked = words(question);
        let share = |text: &str| asked.intersection(&words(text)).count() as f64 / asked.len().max(1) as f64;
        let mut found: Vec<_> = self.paragraphs.iter().map(|(file, text)| (file.as_str(), text.as_str(), share(text))).collect();
        found.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.1.cmp(b.1)));
        found.truncate(3);
        found
    }
}

fn words(text: &str) -> HashSet<String> {
    let long = |word: &&str| word.len() > 3;
    text.split(|c: char| !c.is_alphanumeric()).filter(long).map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
}
