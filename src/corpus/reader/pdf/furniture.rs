//! What stands around the text of a page: running headers and footers, page numbers.
//!
//! A line at the top or bottom edge is furniture when it stands at the same place on other pages, numbers aside; numbers must be the same
//! or count with the pages. Where a place is taken like that on many pages, what else stands there is furniture as well: the header of a
//! chapter that has one page.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::Line;

/// How many lines from an edge are looked at.
const DEPTH: usize = 3;
/// How far apart the places of two lines may be, in points.
const NEAR: f32 = 2.0;

/// Takes the furniture out of the lines of each page and returns it, in the order of the page. Nothing is taken where nothing would be left.
pub(super) fn take(pages: &mut [&mut Vec<Line>]) -> Vec<Vec<String>> {
    let edges: Vec<Edge> = pages.iter().enumerate().flat_map(|(page, lines)| edges(page, lines)).collect();
    let mut taken: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); pages.len()];
    let repeated = repeated(&edges, pages.len());
    let places = places(&edges, &repeated, pages.len());
    for side in edges.chunk_by(|one, other| (one.page, one.top) == (other.page, other.top)) {
        // Furniture lies outside: the first line of another kind ends it.
        for edge in side {
            if !repeated.contains(&(edge.page, edge.line)) && !places.iter().any(|place| place.holds(edge)) {
                break;
            }
            taken[edge.page].insert(edge.line);
        }
    }
    if pages.iter().zip(&taken).all(|(lines, taken)| lines.len() == taken.len()) {
        return vec![Vec::new(); pages.len()];
    }
    pages.iter_mut().zip(taken).map(|(lines, taken)| extract(lines, &taken)).collect()
}

fn extract(lines: &mut Vec<Line>, taken: &BTreeSet<usize>) -> Vec<String> {
    let mut at = 0;
    let mut furniture: Vec<Line> = lines
        .extract_if(.., |_| {
            at += 1;
            taken.contains(&(at - 1))
        })
        .collect();
    furniture.sort_by(|one, other| other.place.unwrap_or_default().total_cmp(&one.place.unwrap_or_default()));
    furniture.into_iter().map(|line| line.text).collect()
}

/// A line near the top or bottom of its page.
struct Edge {
    page: usize,
    line: usize,
    top: bool,
    /// The base line in points, or a stand-in for the rank where it is not known.
    place: f32,
    size: u32,
    /// The text with `#` for each number.
    pattern: String,
    numbers: Vec<u64>,
}

/// The lines at both edges of a page, the outermost first.
fn edges(page: usize, lines: &[Line]) -> Vec<Edge> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    if let Some(places) = lines.iter().map(|line| line.place).collect::<Option<Vec<f32>>>() {
        order.sort_by(|one, other| places[*other].total_cmp(&places[*one]));
    }
    let edge = |rank: usize, line: usize, top| {
        let Line { text, size, place, .. } = &lines[line];
        let (pattern, numbers) = pattern(text);
        let stand_in = [-1e3, -1.1e3, -1.2e3][rank];
        Edge { page, line, top, place: place.unwrap_or(stand_in), size: *size, pattern, numbers }
    };
    let top = order.iter().take(DEPTH).enumerate().map(|(rank, line)| edge(rank, *line, true));
    let bottom = order.iter().rev().take(DEPTH).enumerate().map(|(rank, line)| edge(rank, *line, false));
    top.chain(bottom).collect()
}

/// A line's text with `#` for each number, and the numbers. A line that is a Roman number is a number.
fn pattern(text: &str) -> (String, Vec<u64>) {
    if let Some(number) = roman(text) {
        return ("#".into(), vec![number]);
    }
    let mut pattern = String::with_capacity(text.len());
    let mut numbers: Vec<u64> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            if !open {
                numbers.push(0);
                pattern.push('#');
            }
            open = true;
            if let Some(number) = numbers.last_mut() {
                *number = number.saturating_mul(10).saturating_add(digit.into());
            }
        } else {
            open = false;
            if !(c.is_whitespace() && pattern.ends_with(' ')) {
                pattern.push(if c.is_whitespace() { ' ' } else { c });
            }
        }
    }
    (pattern, numbers)
}

/// The value of a number in small Roman letters, up to some hundred.
fn roman(text: &str) -> Option<u64> {
    let value = |c| match c {
        'i' => Some(1),
        'v' => Some(5),
        'x' => Some(10),
        'l' => Some(50),
        'c' => Some(100),
        _ => None,
    };
    let values: Vec<u64> = text.trim().chars().map(value).collect::<Option<_>>()?;
    let signed = |at: usize| if values.get(at + 1).is_some_and(|next| *next > values[at]) { (0, values[at]) } else { (values[at], 0) };
    let (plus, minus) = (0..values.len()).map(signed).fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    u64::checked_sub(plus, minus).filter(|number| *number > 0)
}

/// Page and index of the lines that stand on enough pages at the same place.
fn repeated(edges: &[Edge], pages: usize) -> BTreeSet<(usize, usize)> {
    let enough = if pages <= 2 { 2 } else { 3 };
    let mut groups: BTreeMap<(bool, &str), Vec<&Edge>> = BTreeMap::new();
    for edge in edges {
        groups.entry((edge.top, &edge.pattern)).or_default().push(edge);
    }
    let mut found = BTreeSet::new();
    for group in groups.values().filter(|group| group.len() >= enough) {
        for edge in group {
            if group.iter().filter(|other| edge.goes_with(other)).take(enough - 1).count() == enough - 1 {
                found.insert((edge.page, edge.line));
            }
        }
    }
    found
}

impl Edge {
    /// Whether another page has this line too.
    fn goes_with(&self, other: &Self) -> bool {
        let letters = self.pattern.chars().any(char::is_alphabetic);
        // Rows of figures look alike, so a line without letters must count the pages.
        let counted = self.numbers.len() <= 2 && self.numbers.iter().zip(&other.numbers).any(|(own, other)| own != other);
        self.page != other.page && self.is_near(other.place) && (letters || counted) && self.numbers_agree(other)
    }

    fn is_near(&self, place: f32) -> bool {
        (self.place - place).abs() <= NEAR
    }

    /// Each number is the same on both pages, or differs as the pages do.
    fn numbers_agree(&self, other: &Self) -> bool {
        let moved = |number: u64, page: usize| i128::from(number) - page as i128;
        let agree = |(own, others): (&u64, &u64)| own == others || moved(*own, self.page) == moved(*others, other.page);
        self.numbers.iter().zip(&other.numbers).all(agree)
    }
}

/// A place that furniture has on many pages.
struct Place {
    top: bool,
    height: f32,
    size: u32,
}

impl Place {
    fn holds(&self, edge: &Edge) -> bool {
        (self.top, self.size) == (edge.top, edge.size) && edge.size > 0 && edge.is_near(self.height)
    }
}

/// The places that furniture has on a quarter of the pages.
fn places(edges: &[Edge], repeated: &BTreeSet<(usize, usize)>, pages: usize) -> Vec<Place> {
    let mut taken: BTreeMap<(bool, u32, i64), (BTreeSet<usize>, f32)> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| repeated.contains(&(edge.page, edge.line))) {
        #[expect(clippy::cast_possible_truncation, reason = "points of a page; the cast saturates")]
        let bucket = edge.place.round() as i64;
        taken.entry((edge.top, edge.size, bucket)).or_insert_with(|| (BTreeSet::new(), edge.place)).0.insert(edge.page);
    }
    let many = taken.into_iter().filter(|(_, (on, _))| on.len() >= 4 && on.len() * 4 >= pages);
    many.map(|((top, size, _), (_, height))| Place { top, height, size }).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Pages of lines from the top down, 12 points apart; `~` is a space, and a body line starts with `=`.
    fn taken(pages: &[Vec<&str>]) -> Vec<Vec<String>> {
        let page = |lines: &Vec<&str>| -> Vec<Line> {
            let line = |(at, text): (usize, &&str)| Line {
                text: text.replace('~', " "),
                size: 20,
                place: Some(700.0 - 12.0 * f32::from(u16::try_from(at).expect("few"))),
                ..Line::default()
            };
            lines.iter().enumerate().map(line).collect()
        };
        let mut pages: Vec<_> = pages.iter().map(page).collect();
        let furniture = take(&mut pages.iter_mut().collect::<Vec<_>>());
        let body = pages.iter().flatten().map(|line| &line.text);
        assert!(body.clone().all(|text| text.starts_with('=')), "left: {:?}", body.collect::<Vec<_>>());
        assert!(furniture.iter().flatten().all(|text| !text.starts_with('=')), "{furniture:?}");
        furniture
    }

    #[rstest]
    #[case::header("Guide =a =b | Guide =c =d | Guide =e =f", 3)]
    #[case::counted("Guide~4 =a =b | Guide~5 =c =d | Guide~6 =e =f", 3)]
    #[case::number("=a =b 1 | =c =d 2 | =e =f 3", 3)]
    #[case::roman("=a =b iii | =c =d iv | =e =f v", 3)]
    #[case::two_lines("G v1 =a | G v1 =c | G v1 =e", 6)]
    #[case::two_pages("Guide =a =b | Guide =c =d", 2)]
    #[case::items("=a =Item~3 | =b =Item~6 | =c =Item~9", 0)]
    #[case::rows("=a =3\t7\t9 | =b =3\t7\t9 | =c =3\t7\t9", 0)]
    #[case::same_number("=a =0 | =b =0 | =c =0", 0)]
    #[case::too_few("=Note =a | =Note =b | =c =d", 0)]
    #[case::nothing_left("=Text. | =Text. | =Text.", 0)]
    #[case::other_place("=a =x =b | =x =c =d | =e =f =x", 0)]
    #[case::inside("=a =Note =b =c =d | =e =Note =g =h =i | =j =Note =l =m =n", 0)]
    fn edges_that_repeat_are_taken(#[case] pages: &str, #[case] expected: usize) {
        let pages: Vec<Vec<&str>> = pages.split(" | ").map(|page| page.split(' ').collect()).collect();
        assert_eq!(taken(&pages).iter().map(Vec::len).sum::<usize>(), expected);
    }

    #[test]
    fn a_place_that_is_taken_holds_the_header_of_a_short_chapter() {
        let pages = ["One~1 =a", "One~2 =b", "One~3 =c", "Two~4 =d", "Three~5 =e", "Three~6 =f", "Three~7 =g"];
        let furniture = taken(&pages.map(|page| page.split(' ').collect()));
        assert_eq!(furniture[3], ["Two 4"]);
    }

    #[rstest]
    #[case("Page 12 of 40", "Page # of #", &[12, 40])]
    #[case("  A\t 7", " A #", &[7])]
    #[case("xiv", "#", &[14])]
    #[case("mix", "mix", &[])]
    #[case("99999999999999999999999", "#", &[u64::MAX])]
    fn patterns(#[case] text: &str, #[case] shape: &str, #[case] numbers: &[u64]) {
        assert_eq!(pattern(text), (shape.to_owned(), numbers.to_vec()));
    }
}
