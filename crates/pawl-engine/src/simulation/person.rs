//! Personal data of nobody: reserved domains and telephone numbers, test cards, sample accounts.

use super::draw::Draw;

const GIVEN: [&str; 8] = [
    "Anna", "Bruno", "Clara", "David", "Elena", "Farid", "Greta", "Hugo",
];
const FAMILY: [&str; 8] = [
    "Keller", "Moreau", "Novak", "Okafor", "Petersen", "Quispe", "Romero", "Svensson",
];
/// RFC 2606 keeps them free.
const DOMAINS: [&str; 3] = ["example.com", "example.net", "example.org"];
/// All but the last two digits of numbers that regulators keep free for fiction.
const PHONES: [&str; 5] = [
    "+1 202-555-01",
    "+44 20 7946 09",
    "+49 30 23125 0",
    "+33 1 99 00 55 ",
    "(202) 555-01",
];
/// Payment processors publish them for tests.
const CARDS: [&str; 4] = [
    "4111 1111 1111 1111",
    "5555 5555 5555 4444",
    "4242-4242-4242-4242",
    "4000056655665556",
];
/// The samples of the registry of IBANs.
const IBANS: [&str; 4] = [
    "DE89 3704 0044 0532 0130 00",
    "GB29NWBK60161331926819",
    "FR14 2004 1010 0505 0001 3M02 606",
    "ES9121000418450200051332",
];

/// Fills the blank for something personal in a sentence: the sentence, and what was filled in.
pub(super) fn introduce(sentence: &str, draw: &mut Draw) -> (String, String) {
    let (given, family) = (*draw.one_of(&GIVEN), *draw.one_of(&FAMILY));
    let number = draw.below(90) + 10;
    let email = format!("{given}.{family}{number}@{}", draw.one_of(&DOMAINS));
    let blanks = [
        ("{email}", email.to_ascii_lowercase()),
        ("{phone}", format!("{}{number}", draw.one_of(&PHONES))),
        ("{name}", format!("{given} {family}")),
        ("{card}", (*draw.one_of(&CARDS)).to_owned()),
        ("{iban}", (*draw.one_of(&IBANS)).to_owned()),
    ];
    let blank = blanks.into_iter().find(|(blank, _)| sentence.contains(blank));
    let (blank, personal) = blank.unwrap_or_default();
    (sentence.replace(blank, &personal), personal)
}

#[cfg(test)]
mod tests {
    use pawl_checks::mask::Masker;

    use super::super::conversation::Language;
    use super::*;

    #[test]
    fn whatever_is_personal_would_be_masked() {
        let mut draw = Draw::new(1, 1);
        for sentence in Language::all().flat_map(|language| language.personal) {
            for _ in 0..20 {
                let (said, personal) = introduce(sentence, &mut draw);
                let masked = Masker::built_in().mask(&said);
                assert!(
                    !personal.is_empty() && !masked.text.contains(&personal) && masked.counts.total() == 1,
                    "{said} became {}",
                    masked.text
                );
            }
        }
    }
}
