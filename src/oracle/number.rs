//! Numbers: digits, small number words, scale words, units.

/// Number words that equal digits. `one` is left out: it is mostly a pronoun.
const WORDS: [&str; 21] = [
    "zero",
    "",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
const ORDINALS: [&str; 21] = [
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
];
const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ROMAN: [&str; 13] = ["", "", "ii", "iii", "iv", "", "vi", "vii", "viii", "ix", "", "xi", "xii"];

/// Spellings of units. Only units of one dimension are ever compared by name, nothing is converted.
const UNITS: [(&str, &str); 54] = [
    ("percent", "%"),
    ("%", "%"),
    ("$", "$"),
    ("dollar", "$"),
    ("dollars", "$"),
    ("usd", "$"),
    ("\u{20ac}", "\u{20ac}"),
    ("euro", "\u{20ac}"),
    ("euros", "\u{20ac}"),
    ("eur", "\u{20ac}"),
    ("\u{a3}", "\u{a3}"),
    ("gbp", "\u{a3}"),
    ("ms", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("sec", "s"),
    ("seconds", "s"),
    ("min", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hour", "h"),
    ("hours", "h"),
    ("hr", "h"),
    ("hrs", "h"),
    ("day", "d"),
    ("days", "d"),
    ("week", "w"),
    ("weeks", "w"),
    ("month", "mo"),
    ("months", "mo"),
    ("year", "y"),
    ("years", "y"),
    ("km", "km"),
    ("kilometers", "km"),
    ("kilometres", "km"),
    ("cm", "cm"),
    ("mm", "mm"),
    ("meter", "m"),
    ("meters", "m"),
    ("metres", "m"),
    ("mile", "mi"),
    ("miles", "mi"),
    ("ft", "ft"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("kg", "kg"),
    ("lb", "lb"),
    ("lbs", "lb"),
    ("kb", "kb"),
    ("mb", "mb"),
    ("gb", "gb"),
    ("tb", "tb"),
    ("am", "am"),
    ("pm", "pm"),
];

/// The unit that a folded word names.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(spelling, _)| *spelling == word).map(|(_, unit)| *unit)
}

/// The number of a number word or ordinal up to ninety.
pub(super) fn of_word(word: &str) -> Option<usize> {
    let place = |table: &[&str]| table.iter().position(|w| *w == word && !w.is_empty());
    place(&WORDS).or_else(|| place(&ORDINALS)).or_else(|| place(&TENS).map(|tens| tens * 10))
}

/// The tens of a word that goes on (`twenty` in `twenty-one`).
pub(super) fn tens(word: &str) -> Option<usize> {
    TENS.iter().position(|w| *w == word && !w.is_empty()).map(|tens| tens * 10)
}

/// The ones of a word that follows tens; there `one` counts.
pub(super) fn ones(word: &str) -> Option<usize> {
    match word {
        "one" | "first" => Some(1),
        "second" => Some(2),
        _ => of_word(word).filter(|n| *n < 10),
    }
}

/// A Roman numeral in capitals, folded.
pub(super) fn of_roman(word: &str) -> Option<usize> {
    ROMAN.iter().position(|w| *w == word && !w.is_empty())
}

/// The power of ten of a scale word.
pub(super) fn scale(word: &str) -> Option<usize> {
    match word {
        "thousand" => Some(3),
        "million" => Some(6),
        "billion" => Some(9),
        "trillion" => Some(12),
        _ => None,
    }
}

/// A folded token as a number: its canonical digits and a glued unit (`40kg`, `9pm`); ordinals and decades (`19th`, `1960s`) count as numbers.
pub(super) fn parse(token: &str) -> Option<(String, Option<&'static str>)> {
    let digits = token.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')).count();
    let (number, rest) = token.split_at(digits);
    if !number.starts_with(|c: char| c.is_ascii_digit()) || number.matches('.').count() > 1 {
        return None;
    }
    let glued = match rest {
        "" | "st" | "nd" | "rd" | "th" | "s" => None,
        rest => Some(unit(rest)?),
    };
    Some((canonical(&number.replace(',', "")), glued))
}

/// Without leading zeros and empty decimals.
fn canonical(number: &str) -> String {
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    let whole = number.trim_start_matches('0');
    if whole.is_empty() || whole.starts_with('.') { format!("0{whole}") } else { whole.to_owned() }
}

/// Canonical digits times a power of ten.
pub(super) fn shift(number: &str, zeros: usize) -> String {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let moved = decimals.len().min(zeros);
    let shifted = format!("{whole}{}{}", &decimals[..moved], "0".repeat(zeros - moved));
    let rest = &decimals[moved..];
    canonical(&if rest.is_empty() { shifted } else { format!("{shifted}.{rest}") })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::thousands("10,000", Some(("10000", None)))]
    #[case::decimal("3.50", Some(("3.5", None)))]
    #[case::ordinal("19th", Some(("19", None)))]
    #[case::decade("1960s", Some(("1960", None)))]
    #[case::glued("9pm", Some(("9", Some("pm"))))]
    #[case::zeros("007", Some(("7", None)))]
    #[case::zero("0.0", Some(("0", None)))]
    #[case::version("2.4.1", None)]
    #[case::identifier("300a", None)]
    #[case::word("mp3", None)]
    fn parses(#[case] token: &str, #[case] expected: Option<(&str, Option<&str>)>) {
        let found = parse(token);
        assert_eq!(found.as_ref().map(|(digits, unit)| (digits.as_str(), *unit)), expected);
    }

    #[rstest]
    #[case::whole("5", 6, "5000000")]
    #[case::decimal("1.5", 6, "1500000")]
    #[case::rest("1.2345", 3, "1234.5")]
    fn shifts(#[case] number: &str, #[case] zeros: usize, #[case] expected: &str) {
        assert_eq!(shift(number, zeros), expected);
    }
}
