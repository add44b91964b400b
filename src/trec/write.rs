//! Writing the files that this module reads.

use std::fmt::Write;

/// How labels are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QrelsShape {
    /// Four columns, separated by spaces.
    Trec,
    /// Three columns, separated by tabs, below a header.
    Beir,
}

/// The first line of a qrels file.
pub fn qrels_header(shape: QrelsShape) -> &'static str {
    match shape {
        QrelsShape::Trec => "",
        QrelsShape::Beir => "query-id\tcorpus-id\tscore\n",
    }
}

/// Appends a label. An id that the shape cannot hold is an error.
pub fn push_label(text: &mut String, shape: QrelsShape, query: &str, document: &str, grade: i32) -> Result<(), String> {
    for id in [query, document] {
        writable(id, shape == QrelsShape::Trec)?;
    }
    let _ = match shape {
        QrelsShape::Trec => writeln!(text, "{query} 0 {document} {grade}"),
        QrelsShape::Beir => writeln!(text, "{query}\t{document}\t{grade}"),
    };
    Ok(())
}

/// Appends a ranked list, best first. Scores are written where they follow the order, else the reversed ranks: other tools sort by them.
pub fn push_list<'a>(
    text: &mut String,
    query: &str,
    list: impl IntoIterator<Item = (&'a str, Option<f64>)>,
    tag: &str,
) -> Result<(), String> {
    let list: Vec<(&str, Option<f64>)> = list.into_iter().collect();
    let ids = [query, tag].into_iter().chain(list.iter().map(|(document, _)| *document));
    ids.into_iter().try_for_each(|id| writable(id, true))?;
    let scores: Option<Vec<f64>> = list.iter().map(|(_, score)| score.filter(|score| score.is_finite())).collect();
    // Strictly: tools break ties in their own ways.
    let scores = scores.filter(|scores| scores.is_sorted_by(|a, b| a > b));
    for (index, (document, _)) in list.iter().enumerate() {
        let score = scores.as_ref().map_or((list.len() - index) as f64, |scores| scores[index]);
        let _ = writeln!(text, "{query} Q0 {document} {} {score} {tag}", index + 1);
    }
    Ok(())
}

fn writable(id: &str, by_spaces: bool) -> Result<(), String> {
    if id.trim().is_empty() {
        return Err("an id is empty; give it a name".into());
    }
    if id.contains(['\n', '\r', '\t']) || (by_spaces && id.contains(' ')) {
        return Err(format!("id {id:?} holds white space, which separates the columns; rename it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::trec::{Qrels, Run};

    #[rstest]
    #[case::trec(QrelsShape::Trec)]
    #[case::beir(QrelsShape::Beir)]
    fn labels_are_read_back(#[case] shape: QrelsShape) {
        let mut text = qrels_header(shape).to_owned();
        push_label(&mut text, shape, "q1", "a", 2).expect("writes");
        push_label(&mut text, shape, "q1", "文書", -1).expect("writes");
        let qrels = Qrels::parse(&text).expect("reads");
        let labels: Vec<_> = qrels.queries()[0].labels.iter().map(|label| (label.document, label.grade)).collect();
        assert_eq!(labels, [("a", 2), ("文書", -1)]);
    }

    #[rstest]
    #[case::own_scores(&[("a", Some(0.5)), ("b", Some(0.25))], "a 1 0.5|b 2 0.25")]
    #[case::tied(&[("a", Some(0.5)), ("b", Some(0.5))], "a 1 2|b 2 1")]
    #[case::increasing(&[("a", Some(0.1)), ("b", Some(0.5))], "a 1 2|b 2 1")]
    #[case::missing(&[("a", Some(0.5)), ("b", None)], "a 1 2|b 2 1")]
    #[case::not_finite(&[("a", Some(f64::NAN))], "a 1 1")]
    fn lists_keep_their_order(#[case] list: &[(&str, Option<f64>)], #[case] expected: &str) {
        let mut text = String::new();
        push_list(&mut text, "q", list.iter().copied(), "tag").expect("writes");
        let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches("q Q0 ").trim_end_matches(" tag")).collect();
        assert_eq!(lines.join("|"), expected);
        Run::parse(&text).expect("reads back");
    }

    #[test]
    fn ids_that_would_shift_columns_are_refused() {
        let mut text = String::new();
        assert!(push_label(&mut text, QrelsShape::Trec, "q 1", "a", 1).is_err());
        assert!(push_label(&mut text, QrelsShape::Beir, "q 1", "a\tb", 1).is_err());
        assert!(push_label(&mut text, QrelsShape::Beir, "q 1", "", 1).is_err());
        assert!(push_list(&mut text, "q", [("a b", None)], "t").is_err());
        assert!(text.is_empty());
    }
}
