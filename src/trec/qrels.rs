//! Qrels: which documents are relevant to a query, and how much.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::lines::{LineProblem, columns, lines, wrong_columns};

/// One labelled document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// The document.
    pub document: &'a str,
    /// Its grade; 0 and less = judged, and not relevant.
    pub grade: i32,
    /// The line of the file, from 1.
    pub line: usize,
}

/// The labels of one query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels<'a> {
    /// The query.
    pub query: &'a str,
    /// Its labels, in the order of the file.
    pub labels: Vec<Label<'a>>,
}

/// A qrels file; ids are slices of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels<'a> {
    queries: Vec<Labels<'a>>,
}

impl<'a> Qrels<'a> {
    /// Reads TREC's four columns, or BEIR's three below their header.
    pub fn parse(text: &'a str) -> Result<Self, LineProblem> {
        let mut lines = lines(text).peekable();
        let beir = lines.next_if(|(_, line)| columns(line) == Ok(["query-id", "corpus-id", "score"])).is_some();
        let mut places: HashMap<&str, usize, RandomState> = HashMap::default();
        let mut queries: Vec<Labels<'a>> = Vec::new();
        for (number, line) in lines {
            let [query, document, grade] = label(line, beir).map_err(|message| LineProblem::new(number, message))?;
            let label = Label { document, grade: whole_grade(grade).map_err(|m| LineProblem::new(number, m))?, line: number };
            // Lines of one query mostly stand together.
            let place = match queries.last() {
                Some(last) if last.query == query => queries.len() - 1,
                _ => *places.entry(query).or_insert_with(|| {
                    queries.push(Labels { query, labels: Vec::new() });
                    queries.len() - 1
                }),
            };
            queries[place].labels.push(label);
        }
        if queries.is_empty() {
            return Err(LineProblem::new(1, "the file holds no label; write one line for each query and relevant document"));
        }
        queries.sort_unstable_by_key(|labels| labels.query);
        queries.iter().try_for_each(unique)?;
        Ok(Self { queries })
    }

    /// The labels of each query, in the order of their ids.
    pub fn queries(&self) -> &[Labels<'a>] {
        &self.queries
    }

    /// The labels of a query.
    pub fn of(&self, query: &str) -> Option<&Labels<'a>> {
        self.queries.binary_search_by_key(&query, |labels| labels.query).ok().map(|place| &self.queries[place])
    }
}

fn label(line: &str, beir: bool) -> Result<[&str; 3], String> {
    if beir {
        let tabbed: Vec<&str> = line.split('\t').map(str::trim).collect();
        return match tabbed[..] {
            [query, document, grade] if !query.is_empty() && !document.is_empty() => Ok([query, document, grade]),
            _ => Err(wrong_columns(line, tabbed.len(), "the header's three between tabs (query-id, corpus-id, score)")),
        };
    }
    let [query, _, document, grade] =
        columns(line).map_err(|count| wrong_columns(line, count, "four (query, iteration, document, grade)"))?;
    Ok([query, document, grade])
}

fn whole_grade(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("grade {text:?} is not a whole number of at most {}; grades are 0, 1, 2, ...", i32::MAX))
}

fn unique(labels: &Labels) -> Result<(), LineProblem> {
    let mut sorted: Vec<&Label> = labels.labels.iter().collect();
    sorted.sort_by_key(|label| label.document);
    let twice = sorted.windows(2).filter(|pair| pair[0].document == pair[1].document).min_by_key(|pair| pair[1].line);
    let Some([first, second]) = twice else { return Ok(()) };
    let (query, document) = (labels.query, second.document);
    let message = format!("query {query:?} labels document {document:?} a second time (first in line {}); keep one of them", first.line);
    Err(LineProblem::new(second.line, message))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::trec("q2 0 a 1\nq1 0 b -2\nq2\t0\tc\t0\n")]
    #[case::windows("\u{feff}q2 0 a 1\r\n\r\nq1 0 b -2\r\nq2 0 c 0")]
    #[case::beir("query-id\tcorpus-id\tscore\nq2\ta\t1\nq1\tb\t-2\nq2\tc\t0\n")]
    fn both_shapes_are_read(#[case] text: &str) {
        let qrels = Qrels::parse(text).expect("reads");
        let shown: Vec<_> =
            qrels.queries().iter().flat_map(|q| q.labels.iter().map(move |l| format!("{} {} {}", q.query, l.document, l.grade))).collect();
        assert_eq!(shown, ["q1 b -2", "q2 a 1", "q2 c 0"]);
        assert_eq!(qrels.of("q2").expect("labelled").labels.len(), 2);
        assert!(qrels.of("q3").is_none());
    }

    #[test]
    fn ids_of_beir_may_hold_spaces() {
        let qrels = Qrels::parse("query-id\tcorpus-id\tscore\nq 1\ta b\t1").expect("reads");
        assert_eq!((qrels.queries()[0].query, qrels.queries()[0].labels[0].document), ("q 1", "a b"));
    }

    #[rstest]
    #[case::empty("", 1, "holds no label")]
    #[case::header_only("query-id\tcorpus-id\tscore\n", 1, "holds no label")]
    #[case::fraction("q 0 a 1\nq 0 b 0.5", 2, "\"0.5\" is not a whole number")]
    #[case::nan("q 0 a NaN", 1, "\"NaN\" is not a whole number")]
    #[case::huge("q 0 a 9999999999", 1, "at most")]
    #[case::short("q 0 a 1\n\nq 0 b", 3, "3 columns where there must be four")]
    #[case::beir_without_header("q\ta\t1", 1, "need their header line")]
    #[case::commas("q,0,a,1", 1, "not by commas")]
    #[case::run_file("q Q0 a 1 0.5 tag", 1, "second argument")]
    #[case::short_beir("query-id\tcorpus-id\tscore\nq a 1", 2, "between tabs")]
    #[case::twice("q 0 a 1\np 0 a 1\nq 0 a 1", 3, "a second time (first in line 1)")]
    fn problems_name_line_and_remedy(#[case] text: &str, #[case] line: usize, #[case] words: &str) {
        let problem = Qrels::parse(text).expect_err("refused");
        assert!(problem.line == line && problem.message.contains(words), "{problem}");
    }
}
