//! The language of a text, told by its script and its commonest words.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::fold::fold;
use super::word::is_stop_word;

/// A language that is told from others, and that stemming may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Language {
    /// English (Snowball's Porter 2).
    #[default]
    English,
    /// German.
    German,
    /// Another one: no stemming.
    Other,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
    /// Portuguese.
    Portuguese,
    /// Russian.
    Russian,
    /// Ukrainian.
    Ukrainian,
    /// Greek.
    Greek,
    /// Arabic.
    Arabic,
    /// Hebrew.
    Hebrew,
    /// Japanese.
    Japanese,
    /// Chinese.
    Chinese,
    /// Korean.
    Korean,
    /// Thai.
    Thai,
    /// Hindi.
    Hindi,
}

/// How much of a text is looked at, in characters.
const SAMPLE: usize = 20_000;

/// The fewest letters that say anything.
const FEWEST_LETTERS: usize = 12;

/// The share of a text's words that are among the commonest ones of its language, in percent: running text has 25 to 50, names and code few.
const FEWEST_COMMON: usize = 12;

/// The commonest words that few of the other languages share.
const COMMON: [(Language, &str); 7] = [
    (
        Language::English,
        "the of and to is are that for with it as on by this be was were from at which or have not you your can will if an",
    ),
    (
        Language::German,
        "der die das und ist nicht ein eine einen einer mit von zu auf für den dem des im sich werden wird auch bei oder sind als nach wenn wie zur zum es sie ich wir",
    ),
    (
        Language::French,
        "le la les et est des une du que qui dans pour pas sur au aux avec ce cette sont par ne se il elle nous vous ou être leur plus dont d'un d'une l'on c'est",
    ),
    (
        Language::Spanish,
        "el la los las y es que en un una del por con para no se su al lo como más pero sus son está este esta cuando hay muy también o si",
    ),
    (
        Language::Italian,
        "il lo la gli e è che di un una del della dei delle per con non si nel nella sono come da al alla anche più questo questa essere o se ma i le",
    ),
    (
        Language::Dutch,
        "de het een en van is dat niet op te in zijn met voor worden wordt aan door ook als bij naar uit om maar of deze die er kan u wij hebben",
    ),
    (
        Language::Portuguese,
        "o a os as e é que em um uma do da dos das não por com para se no na nos nas ao mais como são foi ou está este esta pelo pela também",
    ),
];

/// For each of the commonest words: a bit for every place in [`COMMON`] that has it.
static COMMON_BITS: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let mut bits = HashMap::new();
    for (at, (_, words)) in COMMON.iter().enumerate() {
        words.split(' ').for_each(|word| *bits.entry(word).or_default() |= 1 << at);
    }
    bits
});

/// Whether a folded word carries no topic in the language, as far as its commonest words are known.
pub(crate) fn is_function_word(word: &str, language: Language) -> bool {
    if language == Language::English {
        return is_stop_word(word);
    }
    let place = COMMON.iter().position(|(known, _)| *known == language);
    place.is_some_and(|at| COMMON_BITS.get(word).is_some_and(|bits| bits & 1 << at != 0))
}

impl Language {
    /// The language that most of `text` is in; `None` where the text is too short, mixed, or of a language that is not told (Danish, Polish,
    /// code).
    pub fn of(text: &str) -> Option<Self> {
        let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(at, _)| at);
        let text = &text[..end];
        let mut counts = [0_usize; SCRIPTS];
        for character in text.chars().filter(|c| c.is_alphabetic()) {
            counts[Script::of(character) as usize] += 1;
        }
        let letters: usize = counts.iter().sum();
        let count = |script: Script| counts[script as usize];
        // A Chinese, Japanese or Korean character says as much as two or three letters.
        let (kana, han, hangul) = (count(Script::Kana), count(Script::Han), count(Script::Hangul));
        let east = kana + han + hangul;
        if letters + 2 * east < FEWEST_LETTERS {
            return None;
        }
        if east * 3 > letters {
            return Some(match () {
                () if hangul * 2 > east => Self::Korean,
                () if kana * 10 > east => Self::Japanese,
                () => Self::Chinese,
            });
        }
        let most = |script: Script| count(script) * 2 > letters;
        let holds = |characters: [char; 3]| text.chars().any(|c| c.to_lowercase().any(|c| characters.contains(&c)));
        match () {
            () if most(Script::Latin) => of_words(text),
            () if most(Script::Cyrillic) && holds(['ї', 'є', 'ґ']) => Some(Self::Ukrainian),
            () if most(Script::Cyrillic) && holds(['ы', 'э', 'ё']) => Some(Self::Russian),
            () if most(Script::Greek) => Some(Self::Greek),
            () if most(Script::Hebrew) => Some(Self::Hebrew),
            () if most(Script::Arabic) && !holds(['پ', 'چ', 'گ']) => Some(Self::Arabic),
            () if most(Script::Thai) => Some(Self::Thai),
            () if most(Script::Devanagari) => Some(Self::Hindi),
            () => None,
        }
    }
}

/// The language whose common words make up most of a text in Latin letters.
fn of_words(text: &str) -> Option<Language> {
    let folded = fold(text);
    let (mut count, mut scores) = (0, COMMON.map(|(language, _)| (0_usize, language)));
    for word in folded.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty()) {
        let bits = COMMON_BITS.get(word).copied().unwrap_or_default();
        scores.iter_mut().enumerate().for_each(|(at, (score, _))| *score += usize::from(bits >> at & 1));
        count += 1;
    }
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let (best, language) = scores[0];
    let clear = best * 4 >= scores[1].0 * 5 && best >= 2;
    (clear && best * 100 >= count * FEWEST_COMMON).then_some(language)
}

const SCRIPTS: usize = 11;

#[derive(Clone, Copy)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Kana,
    Han,
    Hangul,
    Other,
}

impl Script {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{400}'..='\u{52f}' => Self::Cyrillic,
            '\u{590}'..='\u{5ff}' => Self::Hebrew,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' => Self::Arabic,
            '\u{900}'..='\u{97f}' => Self::Devanagari,
            '\u{e00}'..='\u{e7f}' => Self::Thai,
            '\u{3040}'..='\u{30ff}' => Self::Kana,
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' => Self::Han,
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Self::Hangul,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("Refunds are paid within 30 days of the request, and the fee is kept.", Language::English)]
    #[case::german("Erstattungen werden innerhalb von 30 Tagen gezahlt, und die Gebühr wird nicht erstattet.", Language::German)]
    #[case::french("Les remboursements sont versés dans les 30 jours, et les frais ne sont pas rendus.", Language::French)]
    #[case::spanish("Los reembolsos se pagan en un plazo de 30 días y la comisión no se devuelve al cliente.", Language::Spanish)]
    #[case::italian("I rimborsi sono pagati entro 30 giorni dalla richiesta e la commissione non è restituita.", Language::Italian)]
    #[case::dutch("Terugbetalingen worden binnen 30 dagen na het verzoek gedaan en de kosten zijn niet terug te krijgen.", Language::Dutch)]
    #[case::portuguese("Os reembolsos são pagos em 30 dias após o pedido e a taxa não é devolvida ao cliente.", Language::Portuguese)]
    #[case::japanese("返金は申請から三十日以内に行われます。", Language::Japanese)]
    #[case::japanese_with_names("LarkPay の API は GET と POST を受け付けます。", Language::Japanese)]
    #[case::chinese("退款将在申请后三十天内支付，手续费不予退还。", Language::Chinese)]
    #[case::korean("환불은 요청 후 30일 이내에 지급됩니다.", Language::Korean)]
    #[case::russian("Возврат выплачивается в течение тридцати дней, комиссия не возвращается, это важно.", Language::Russian)]
    #[case::ukrainian("Кошти повертаються протягом тридцяти днів, комісія не є частиною її суми.", Language::Ukrainian)]
    #[case::greek("Η επιστροφή χρημάτων γίνεται εντός τριάντα ημερών.", Language::Greek)]
    #[case::arabic("يتم رد المبلغ خلال ثلاثين يوما من الطلب.", Language::Arabic)]
    #[case::hebrew("ההחזר משולם בתוך שלושים יום מהבקשה.", Language::Hebrew)]
    #[case::thai("การคืนเงินจะดำเนินการภายในสามสิบวัน", Language::Thai)]
    #[case::hindi("धनवापसी अनुरोध के तीस दिनों के भीतर की जाती है।", Language::Hindi)]
    fn languages_are_told(#[case] text: &str, #[case] expected: Language) {
        assert_eq!(Language::of(text), Some(expected));
    }

    #[rstest]
    #[case::empty("")]
    #[case::short("OK")]
    #[case::numbers("1 234.50 / 99 %")]
    #[case::code("let retry_count = config.get(\"retry\").unwrap_or(3);")]
    #[case::names("LarkPay Acme GmbH Contoso Ltd Fernvault")]
    #[case::polish("Zwroty są wypłacane w ciągu 30 dni od złożenia wniosku, a opłata nie podlega zwrotowi.")]
    #[case::swedish("Återbetalningar görs inom 30 dagar efter begäran och avgiften återbetalas inte.")]
    #[case::finnish("Palautukset maksetaan 30 päivän kuluessa pyynnöstä, eikä maksua palauteta.")]
    fn what_cannot_be_told_is_left_open(#[case] text: &str) {
        assert_eq!(Language::of(text), None);
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(text in "\\PC{0,200}") {
            let _ = Language::of(&text);
        }
    }
}
