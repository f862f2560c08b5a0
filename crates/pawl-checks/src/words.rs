//! The words of texts, as searches know them.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a word that count.
const MAX_WORD: usize = 64;

/// Calls `found` with each word of a text: a run of letters and digits in lower case and without accents, as
/// compatibility decomposition (NFKD) writes it. Where a script is written without spaces each of its letters is a word.
/// Of a word longer than 64 bytes the beginning counts.
pub fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        // Most runs are ASCII; their letters are not looked up.
        let ascii = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric());
        let ascii = ascii.unwrap_or(rest.len());
        if rest.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
            word.push_str(&rest[..ascii.min(MAX_WORD)]);
            word.make_ascii_lowercase();
            hand_over(&mut word, &mut found);
            rest = rest.get(ascii + 1..).unwrap_or_default();
        } else {
            let separates = |letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter);
            let (run, after) = rest.split_once(separates).unwrap_or((rest, ""));
            each_word_of_any_script(run, &mut word, &mut found);
            rest = after;
        }
    }
}

fn each_word_of_any_script(run: &str, word: &mut String, found: &mut impl FnMut(&str)) {
    let letters = run.nfkd().filter(|letter| !is_combining_mark(*letter));
    for letter in letters.flat_map(char::to_lowercase) {
        if stands_alone(letter) {
            hand_over(word, found);
        }
        if letter.is_alphanumeric() && word.len() + letter.len_utf8() <= MAX_WORD {
            word.push(letter);
        }
        if stands_alone(letter) || !letter.is_alphanumeric() {
            hand_over(word, found);
        }
    }
    hand_over(word, found);
}

fn hand_over(word: &mut String, found: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        found(word);
        word.clear();
    }
}

/// Whether a letter is of a script that is written without spaces: Thai, Lao, Burmese, Khmer, kana or Han.
const fn stands_alone(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn case_accents_and_forms_do_not_matter() {
        for (text, expected) in [
            ("Order #4711, e.g.", vec!["order", "4711", "e", "g"]),
            ("École e\u{301}cole ECOLE", vec!["ecole"; 3]),
            ("ﬁnd ½ İstanbul ΣΑΣ", vec!["find", "1", "2", "istanbul", "σασ"]),
            ("don't user_id", vec!["don", "t", "user", "id"]),
            ("東京 v2です", vec!["東", "京", "v2", "て", "す"]),
            ("  — \u{301} ", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(words(&"x".repeat(1_000)), ["x".repeat(64)]);
    }

    proptest! {
        #[test]
        fn what_is_ascii_is_read_as_any_other_script(text in "[a-zA-Z0-9 .é—東\\u{301}]{0,200}") {
            let mut expected = Vec::new();
            for run in text.split(|letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter)) {
                each_word_of_any_script(run, &mut String::new(), &mut |word: &str| expected.push(word.to_owned()));
            }
            prop_assert_eq!(words(&text), expected);
        }

        #[test]
        fn a_word_is_its_own_only_word(text in "\\PC{0,40}") {
            for word in words(&text) {
                prop_assert!(word.len() <= MAX_WORD);
                prop_assert!(word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte >= 0x80));
                prop_assert_eq!(words(&word), vec![word.clone()]);
            }
        }
    }
}
