//! Readability against another program's scores: a file of lines `id<TAB>score<TAB>paragraph` that `RAGTEST_PARAGRAPHS` names.

use ragtest::text::{Language, readability};
use ragtest_benches::{Outcome, Random, Table, data_path, fastest, read, size};

fn main() -> Outcome {
    let mut table = Table::new("Readability");
    if let Some(path) = data_path("RAGTEST_PARAGRAPHS", "the order of Flesch scores on real paragraphs") {
        let text = read(&path)?;
        let rows = text.lines().map(|line| {
            let (score, paragraph) = line.split_once('\t').and_then(|(_, rest)| rest.split_once('\t')).ok_or("three columns, by tabs")?;
            let own = readability(paragraph, Language::English).ok_or("a paragraph without words")?;
            Ok((score.parse::<f64>()?, own.score))
        });
        let rows = rows.collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
        let part = format!("Spearman with the scores of {} paragraphs", rows.len());
        let (theirs, own): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        table.row(part, format!("{:.3}", spearman(&theirs, &own)), ">= 0.93", "crate textstat 0.1.1: 0.91 with PyPI textstat 0.7.4");
    }
    let text = Random::new(1).text(size(200_000));
    let seconds = fastest(|| readability(&text, Language::English));
    let part = format!("readability, {} kB", text.len() / 1000);
    table.row(part, format!("{:.1} ms", seconds * 1e3), "-", "-");
    table.print();
    Ok(())
}

/// Spearman's rank correlation; equal values share their mean rank.
fn spearman(left: &[f64], right: &[f64]) -> f64 {
    let (left, right) = (ranks(left), ranks(right));
    let mean = f64::midpoint(left.len() as f64, 1.0);
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    product(&left, &right) / (product(&left, &left) * product(&right, &right)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        below as f64 + f64::midpoint(equal as f64, 1.0)
    };
    values.iter().map(rank).collect()
}
