//! Runs: a ranked list for each query.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::lines::{LineProblem, columns, lines, wrong_columns};

/// One result of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked<'a> {
    /// The document.
    pub document: &'a str,
    /// Its score.
    pub score: f64,
    /// The rank as it is written; lists start at 1 or at 0.
    pub rank: u32,
    /// The line of the file, from 1.
    pub line: u32,
}

/// A run file; ids are slices of its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run<'a> {
    /// By query id.
    lists: Vec<(&'a str, Range<usize>)>,
    rows: Vec<Ranked<'a>>,
}

impl<'a> Run<'a> {
    /// Reads the six columns and puts each list in order. A file without a line is a run that retrieved nothing.
    pub fn parse(text: &'a str) -> Result<Self, LineProblem> {
        let mut run = Self::default();
        // A line of a run has about 40 bytes.
        run.rows.reserve(text.len() / 40);
        for (number, line) in lines(text) {
            let (query, row) = row(line, number).map_err(|message| LineProblem::new(number, message))?;
            run.rows.push(row);
            let end = run.rows.len();
            match run.lists.last_mut() {
                Some((last, range)) if *last == query => range.end = end,
                _ => run.lists.push((query, end - 1..end)),
            }
        }
        run.unite();
        let mut seen = HashMap::default();
        for (query, range) in &run.lists {
            order(&mut run.rows[range.clone()]);
            check(query, &run.rows[range.clone()], &mut seen)?;
        }
        Ok(run)
    }

    /// The ranked lists, in the order of their queries' ids.
    pub fn lists(&self) -> impl Iterator<Item = (&'a str, &[Ranked<'a>])> {
        self.lists.iter().map(|(query, range)| (*query, &self.rows[range.clone()]))
    }

    /// The ranked list of a query.
    pub fn list(&self, query: &str) -> Option<&[Ranked<'a>]> {
        let place = self.lists.binary_search_by_key(&query, |(id, _)| *id).ok()?;
        Some(&self.rows[self.lists[place].1.clone()])
    }

    /// Sorts the lists by id, and unites those whose lines do not stand together.
    fn unite(&mut self) {
        self.lists.sort_by_key(|(query, _)| *query);
        if self.lists.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return;
        }
        let rows = std::mem::take(&mut self.rows);
        for (query, range) in std::mem::take(&mut self.lists) {
            let start = self.rows.len();
            self.rows.extend_from_slice(&rows[range]);
            let end = self.rows.len();
            match self.lists.last_mut() {
                Some((last, united)) if *last == query => united.end = end,
                _ => self.lists.push((query, start..end)),
            }
        }
    }
}

fn row(line: &str, number: usize) -> Result<(&str, Ranked<'_>), String> {
    let [query, _, document, rank, score, _] =
        columns(line).map_err(|count| wrong_columns(line, count, "six (query, Q0, document, rank, score, tag)"))?;
    let rank = rank.parse().map_err(|_| format!("rank {rank:?} is not a whole number; write 1, 2, 3, ... down each list"))?;
    let score = score.parse().ok().filter(|score: &f64| score.is_finite()).ok_or_else(|| {
        format!("score {score:?} is not a finite number; write scores that do not increase down the list, or 0 everywhere")
    })?;
    let line = u32::try_from(number).map_err(|_| "the file has too many lines; split it")?;
    Ok((query, Ranked { document, score, rank, line }))
}

/// By rank; where ranks are equal by score, then by id, both descending, as trec_eval does.
fn order(list: &mut [Ranked]) {
    if !list.is_sorted_by(|a, b| a.rank < b.rank) {
        list.sort_by(|a, b| a.rank.cmp(&b.rank).then_with(|| b.score.total_cmp(&a.score)).then_with(|| b.document.cmp(a.document)));
    }
}

fn check<'a>(query: &str, list: &[Ranked<'a>], seen: &mut HashMap<&'a str, u32, RandomState>) -> Result<(), LineProblem> {
    if let Some([better, worse]) = list.windows(2).find(|pair| pair[1].score > pair[0].score) {
        let message = format!(
            "query {query:?}: rank {} has score {}, but rank {} (line {}) has {}; the list's order is the truth, so correct the ranks, or the scores",
            worse.rank, worse.score, better.rank, better.line, better.score
        );
        return Err(LineProblem::new(worse.line as usize, message));
    }
    seen.clear();
    for row in list {
        if let Some(other) = seen.insert(row.document, row.line) {
            let (first, second) = (other.min(row.line), other.max(row.line));
            let document = row.document;
            let message =
                format!("query {query:?} lists document {document:?} a second time (first in line {first}); keep its better rank");
            return Err(LineProblem::new(second as usize, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn shown(text: &str) -> String {
        let run = Run::parse(text).expect("reads");
        let list = |(query, rows): (&str, &[Ranked])| format!("{query}:{}", rows.iter().map(|r| r.document).collect::<String>());
        run.lists().map(list).collect::<Vec<_>>().join(" ")
    }

    #[rstest]
    #[case::in_order("q Q0 a 1 3 t\nq Q0 b 2 2 t\np Q0 a 1 1 t\n", "p:a q:ab")]
    #[case::lines_in_any_order("q Q0 b 2 2 t\np Q0 a 1 1 t\nq Q0 a 1 3 t", "p:a q:ab")]
    #[case::ranks_from_zero("q Q0 b 1 2 t\nq Q0 a 0 3 t", "q:ab")]
    #[case::tied_scores_keep_the_ranks("q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 1 t", "q:abc")]
    #[case::equal_ranks_are_ordered_as_trec_eval_does("q Q0 a 0 1 t\nq Q0 b 0 1 t\nq Q0 c 0 7 t", "q:cba")]
    #[case::scores_are_double_precision("q Q0 b 0 0.123456788 t\nq Q0 a 0 0.123456789 t", "q:ab")]
    #[case::windows("\u{feff}q\tQ0\ta\t1\t-1e3\tt\r\n\r\n", "q:a")]
    #[case::nothing("", "")]
    fn lists_are_put_in_order(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(shown(text), expected);
    }

    #[rstest]
    #[case::increasing("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t", 2, "rank 2 has score 2, but rank 1 (line 1) has 1")]
    #[case::twice("q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t", 2, "a second time (first in line 1)")]
    #[case::twice_apart("q Q0 a 9 3 t\np Q0 a 1 2 t\nq Q0 a 4 3 t", 3, "a second time (first in line 1)")]
    #[case::nan("q Q0 a 1 NaN t", 1, "\"NaN\" is not a finite number")]
    #[case::infinite("q Q0 a 1 inf t", 1, "not a finite number")]
    #[case::words("q Q0 a 1 high t", 1, "\"high\" is not a finite number")]
    #[case::fractional_rank("\nq Q0 a 1.5 1 t", 2, "rank \"1.5\" is not a whole number")]
    #[case::short("q Q0 a 1 1.0", 1, "5 columns where there must be six")]
    #[case::qrels_file("q 0 a 1", 1, "first argument")]
    #[case::commas("q,Q0,a,1,1.0,t", 1, "not by commas")]
    fn problems_name_line_and_remedy(#[case] text: &str, #[case] line: usize, #[case] words: &str) {
        let problem = Run::parse(text).expect_err("refused");
        assert!(problem.line == line && problem.message.contains(words), "{problem}");
    }

    proptest! {
        #[test]
        fn the_order_of_lines_says_nothing(order in Just((0..24_u32).collect::<Vec<_>>()).prop_shuffle()) {
            let line = |n: &u32| format!("q{} Q0 d{n} {} {} t\n", n % 3, 1 + n / 3, 100 - n);
            let sorted: String = (0..24).map(|n| line(&n)).collect();
            let shuffled: String = order.iter().map(line).collect();
            prop_assert_eq!(shown(&shuffled), shown(&sorted));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "([qp] Q0 [ab] [0-3] [0-3.nNaA-] t\n|[ -~]{0,9}\n|\\PC{0,5}\t){0,8}") {
            if let Err(problem) = Run::parse(&text) {
                prop_assert!(problem.line <= text.split('\n').count());
            }
        }
    }
}
