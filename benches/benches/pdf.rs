//! The PDF reader, file by file: word F1 against poppler's `pdftotext` where that is installed, the pages' states, CPU time and memory.
//!
//! `RAGTEST_PDF_FILES` names folders of files, separated as in `PATH`; without it, only the speed on a generated file is measured. Each file
//! is read in a process of its own, so that its peak memory is its own. Linux only: time and memory come from `/proc`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ragtest::corpus::reader::{Extract, Reader};
use ragtest::corpus::{Chunker, Document, PageState, TextChunker};
use ragtest_benches::{Outcome, Random, Table, data_path, size};
use unicode_normalization::UnicodeNormalization;

/// Tells a process which file it is to read.
const CHILD: &str = "RAGTEST_PDF_CHILD";

fn main() -> Outcome {
    if let Some(file) = std::env::var_os(CHILD) {
        return child(Path::new(&file));
    }
    if let Some(folders) = data_path("RAGTEST_PDF_FILES", "the table by file") {
        table(&files(&folders)?)?;
    }
    speed()
}

/// The PDF files of the folders, sorted.
fn files(folders: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut open: Vec<PathBuf> = std::env::split_paths(folders).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?);
        } else if path.extension().is_some_and(|extension| extension == "pdf") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[expect(clippy::print_stdout, reason = "the table goes to standard output")]
fn table(files: &[PathBuf]) -> Outcome {
    println!("\n| file | pages | F1 | F1 with header and footer | not ok | CPU s | peak MiB |\n|---|---:|---:|---:|---|---:|---:|");
    let mut scores: Vec<[f64; 2]> = Vec::new();
    let (mut pages, mut doubtful) = (0, 0);
    for file in files {
        let output = Command::new(std::env::current_exe()?).env(CHILD, file).output()?;
        let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let cells: Vec<&str> = line.split('\t').collect();
        let [count, doubts, plain, full, states, seconds, memory] = cells[..] else {
            println!("| {name} | - | - | - | {line}{} | - | - |", output.status);
            continue;
        };
        pages += count.parse::<usize>()?;
        doubtful += doubts.parse::<usize>()?;
        scores.extend(plain.parse().and_then(|plain| Ok([plain, full.parse()?])));
        println!("| {name} | {count} | {plain} | {full} | {states} | {seconds} | {memory} |");
    }
    for (at, name) in ["F1", "F1 with header and footer"].iter().enumerate() {
        let values = scores.iter().map(|score| score[at]);
        let mean = values.clone().sum::<f64>() / scores.len().max(1) as f64;
        println!("{name}: mean {mean:.4}, least {:.3} over {} files", values.fold(f64::INFINITY, f64::min), scores.len());
    }
    println!("doubtful: {doubtful} of {pages} pages");
    Ok(())
}

/// Reads one file and prints the cells of its row.
#[expect(clippy::print_stdout, reason = "the row goes to standard output")]
fn child(file: &Path) -> Outcome {
    let bytes = std::fs::read(file)?;
    let before = cpu_seconds()?;
    let document = match Reader::default().extract(&file.to_string_lossy(), &bytes) {
        Ok(document) => document,
        Err(error) => {
            println!("error: {}; ", error.kind);
            return Ok(());
        }
    };
    let seconds = cpu_seconds()? - before;
    let memory = peak_mebibytes()?;
    let reference = Command::new("pdftotext").arg(file).arg("-").output();
    let score = |text: &str| match &reference {
        Ok(reference) => format!("{:.4}", f1(text, &String::from_utf8_lossy(&reference.stdout))),
        Err(_) => "-".into(),
    };
    let furniture: String = document.pages.iter().flat_map(|page| &page.furniture).flat_map(|line| [line, "\n"]).collect();
    let doubts = document.pages.iter().filter(|page| page.state == PageState::Doubtful).count();
    let (plain, full) = (score(&document.text), score(&format!("{}\n{furniture}", document.text)));
    println!("{}\t{doubts}\t{plain}\t{full}\t{}\t{seconds:.2}\t{memory}", document.pages.len(), states(&document));
    Ok(())
}

/// The pages that are not ok, with the reason of the first.
fn states(document: &Document) -> String {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for page in document.pages.iter().filter(|page| page.state != PageState::Ok) {
        let why = document.warnings.iter().find(|warning| warning.page == Some(page.number)).map(|warning| warning.message.as_str());
        // Numbers aside, pages have the same reason.
        let why: String = why.unwrap_or_default().chars().filter(|c| !c.is_ascii_digit() && *c != '|').collect();
        *states.entry(format!("{:?}: {why}", page.state)).or_default() += 1;
    }
    states.iter().map(|(state, count)| format!("{count} {state}")).collect::<Vec<_>>().join("; ")
}

/// F1 of the multisets of words: NFKC, words joined over line-end hyphens, Chinese and Japanese by character.
fn f1(text: &str, reference: &str) -> f64 {
    let (got, wanted) = (words(text), words(reference));
    let both: usize = got.iter().map(|(word, count)| wanted.get(word).copied().unwrap_or_default().min(*count)).sum();
    let total = got.values().sum::<usize>() + wanted.values().sum::<usize>();
    2.0 * both as f64 / total.max(1) as f64
}

fn words(text: &str) -> BTreeMap<String, usize> {
    let text: String = text.nfkc().collect();
    let text = text.replace("-\n", "").replace("\u{2010}\n", "");
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        for c in run.chars() {
            if matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}') {
                *words.entry(c.into()).or_default() += 1;
            } else {
                word.push(c);
            }
        }
        if !word.is_empty() {
            *words.entry(word).or_default() += 1;
        }
    }
    words
}

/// The CPU time of this process, in seconds: hundredths of a second, all threads.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    Ok(fields.map(str::parse::<f64>).sum::<Result<f64, _>>()? / 100.0)
}

/// The most memory that this process had, in MiB.
fn peak_mebibytes() -> Result<usize, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    Ok(peak.trim().trim_end_matches(" kB").parse::<usize>()? / 1024)
}

/// From a file of fifty pages to chunks.
fn speed() -> Outcome {
    let pages = size(5_000) / 100;
    let bytes = generated(pages.max(1));
    let chunks = || -> Result<usize, Box<dyn std::error::Error>> {
        let document = Reader::default().extract("generated.pdf", &bytes)?;
        Ok(TextChunker { max_tokens: 256, overlap_tokens: 32, ..TextChunker::default() }.chunk(&document).len())
    };
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let before = cpu_seconds()?;
        chunks()?;
        least = least.min(cpu_seconds()? - before);
    }
    let mut table = Table::new("PDF to chunks on generated data (CPU time of all threads)");
    table.row(format!("{pages} pages of 45 lines"), format!("{least:.2} s"), "<= 0.3 s", "-");
    table.print();
    Ok(())
}

/// A file of pages with 45 lines of text, a header and a page number.
fn generated(pages: usize) -> Vec<u8> {
    let mut random = Random::new(9);
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned()];
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    objects.push(format!("<< /Type /Pages /Count {pages} /Kids [{}] >>", kids.join(" ")));
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".into());
    for page in 0..pages {
        let content = 5 + 2 * page;
        let resources = "/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 595 842]";
        objects.push(format!("<< /Type /Page /Parent 2 0 R {resources} /Contents {content} 0 R >>"));
        let mut commands = format!("BT /F1 9 Tf 72 800 Td (Generated text) Tj 0 -760 Td ({}) Tj ET\n", page + 1);
        for line in 0..45 {
            // As typesetters do: words in pieces, with the gaps between them as numbers.
            let words = random.text(13).replace(' ', ") -278 (");
            writeln!(commands, "BT /F1 10 Tf 72 {} Td [({words})] TJ ET", 770 - 15 * line).unwrap_or_default();
        }
        objects.push(format!("<< /Length {} >>\nstream\n{commands}endstream", commands.len()));
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    file.extend(format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1).bytes());
    file
}
