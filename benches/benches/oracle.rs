//! The rule judge against labels that `RAGTEST_LABELS` names: JSONL rows with `query`, `context`, `reference_answer`, `answer`, `human_label`
//! (`pass` or `fail`) and `category`. The positive class is `fail`.

use std::collections::BTreeMap;

use ragtest::case::Expect;
use ragtest::oracle::{Exhibit, RULES_VERSION, judge};
use ragtest::verdict::{Rule, Verdict};
use ragtest_benches::{Outcome, Table, data_path, fastest, read};
use serde_json::Value;

fn main() -> Outcome {
    let Some(path) = data_path("RAGTEST_LABELS", "the rule judge on labelled answers") else { return Ok(()) };
    let text = read(&path)?;
    let rows: Vec<Row> = text.lines().filter(|line| !line.trim().is_empty()).map(Row::read).collect::<Result<_, _>>()?;
    let verdicts: Vec<Verdict> = rows.iter().map(Row::judge).collect();
    let seconds = fastest(|| rows.iter().map(Row::judge).collect::<Vec<_>>());

    let mut all = Confusion::default();
    let mut categories: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (row, verdict) in rows.iter().zip(&verdicts) {
        all.add(row.fails, !verdict.passed);
        let (right, n) = categories.entry(&row.category).or_default();
        *right += usize::from(row.fails != verdict.passed);
        *n += 1;
    }
    let mut table = Table::new(format!("The rule judge ({RULES_VERSION}, strict) on {}, n = {}", path.display(), rows.len()));
    all.fill(&mut table);
    table.row("verdicts a second, one thread", format!("{:.0}", rows.len() as f64 / seconds), "-", "-");
    for (category, (right, n)) in categories {
        table.row(format!("right: {category}"), format!("{right} of {n}"), "-", "-");
    }
    table.print();
    Ok(())
}

struct Row {
    query: String,
    context: Option<[String; 1]>,
    reference_answer: Option<String>,
    answer: String,
    fails: bool,
    category: String,
}

impl Row {
    fn read(line: &str) -> Result<Self, String> {
        let row: Value = serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))?;
        let text = |name: &str| row[name].as_str().map(str::to_owned).ok_or_else(|| format!("{name:?} is no text in {line}"));
        let fails = match text("human_label")?.as_str() {
            "fail" => true,
            "pass" => false,
            other => return Err(format!("the label {other:?} is neither pass nor fail")),
        };
        Ok(Self {
            query: text("query")?,
            context: Some(text("context")?).filter(|text| !text.is_empty()).map(|text| [text]),
            reference_answer: Some(text("reference_answer")?).filter(|text| !text.is_empty()),
            answer: text("answer")?,
            fails,
            category: text("category")?,
        })
    }

    fn judge(&self) -> Verdict {
        let exhibit = Exhibit {
            query: &self.query,
            expect: Expect::Answer,
            must_deny: false,
            reference_answer: self.reference_answer.as_deref(),
            evidence: &[],
            context: self.context.as_ref().map(<[String; 1]>::as_slice),
            answer: &self.answer,
            keywords: &[],
            required_facts: &[],
            forbidden_facts: &[],
        };
        judge(&exhibit, Rule::Strict)
    }
}

/// Counts of what the person says and what the judge says.
#[derive(Default)]
struct Confusion {
    hits: f64,
    false_alarms: f64,
    misses: f64,
    right_passes: f64,
}

impl Confusion {
    fn add(&mut self, fails: bool, flagged: bool) {
        *match (fails, flagged) {
            (true, true) => &mut self.hits,
            (false, true) => &mut self.false_alarms,
            (true, false) => &mut self.misses,
            (false, false) => &mut self.right_passes,
        } += 1.0;
    }

    fn fill(&self, table: &mut Table) {
        let Self { hits, false_alarms, misses, right_passes } = self;
        let n = hits + false_alarms + misses + right_passes;
        let (flagged, failing) = (hits + false_alarms, hits + misses);
        let chance = (flagged * failing + (n - flagged) * (n - failing)) / n;
        table.row("precision", share(*hits, flagged), "-", "GPT-4 on NQ301 .809");
        table.row("recall", share(*hits, failing), ">= 0.90", "GPT-4 on NQ301 .867");
        table.row("F1", share(2.0 * hits, flagged + failing), ">= 0.88", "GPT-4 on NQ301 .837");
        table.row("FDR", share(*false_alarms, flagged), "<= 0.15", "GPT-4 on NQ301 .191");
        table.row("kappa", share(hits + right_passes - chance, n - chance), ">= 0.75", "GPT-4 on NQ301 .695, two people .735");
        table.row("TP, FP, FN, TN", format!("{hits}, {false_alarms}, {misses}, {right_passes}"), "-", "-");
    }
}

/// A ratio; a division by 0 is not 0.
fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.3}", part / whole) } else { "undefined".to_owned() }
}
