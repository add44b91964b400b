//! `${NAME}` and `${NAME:-default}` in the strings of the configuration.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where something is wrong (byte offset) and what.
pub(super) type Located = (usize, String);

/// Expands every string value below `table`, in place; spans stay, so later errors still name their line.
pub(super) fn expand_table(table: &mut DeTable<'_>, lookup: &dyn Fn(&str) -> Option<String>) -> Result<(), Located> {
    table.iter_mut().try_for_each(|(_, value)| expand_value(value, lookup))
}

fn expand_value(value: &mut Spanned<DeValue<'_>>, lookup: &dyn Fn(&str) -> Option<String>) -> Result<(), Located> {
    let at = value.span().start;
    match value.get_mut() {
        DeValue::String(text) if text.contains("${") => {
            *text = expand(text, lookup).map_err(|message| (at, message))?.into();
            Ok(())
        }
        DeValue::Array(items) => items.iter_mut().try_for_each(|item| expand_value(item, lookup)),
        DeValue::Table(table) => expand_table(table, lookup),
        _ => Ok(()),
    }
}

/// One pass: what is inserted is never scanned again.
fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let (inside, tail) = after.split_once('}').ok_or("`${` without `}`")?;
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(format!("`${{{inside}}}` names no variable"));
        }
        match (lookup(name).filter(|value| !value.is_empty()), default) {
            (Some(value), _) => out.push_str(&value),
            (None, Some(default)) => out.push_str(default),
            (None, None) => return Err(format!("variable {name} is not set; set it, or write `${{{name}:-default}}`")),
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn lookup(name: &str) -> Option<String> {
        (name == "HOST").then(|| "h${HOST}".into())
    }

    #[rstest]
    #[case("plain $5 {x}", Ok("plain $5 {x}"))]
    #[case("http://${HOST}/a", Ok("http://h${HOST}/a"))]
    #[case("${NONE:-http://x:1}/b", Ok("http://x:1/b"))]
    #[case("${NONE:-}", Ok(""))]
    #[case("${NONE}", Err("NONE is not set"))]
    #[case("${HOST", Err("without"))]
    #[case("${a b}", Err("names no variable"))]
    fn expands_once(#[case] text: &str, #[case] expected: Result<&str, &str>) {
        match (expand(text, &lookup), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(words)) => assert!(found.contains(words), "{found}"),
            (found, _) => panic!("{found:?}"),
        }
    }
}
