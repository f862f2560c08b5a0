//! Words that announce a name, and words behind them that are none.

/// How a name stands to the words that announce it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// "My name is": the next words, also in lower case.
    Introduction,
    /// "Mr." or "Dear": the next words that begin with a capital, behind further titles.
    Title,
    /// "Liebe": the same, where the word itself has a capital, since in lower case it means other things.
    Salutation,
    /// Chinese: the next ideographs.
    Han,
    /// Japanese: all before the verb.
    Kana,
    /// Korean: the next word without its ending.
    Hangul,
    /// Arabic and Hindi: the next words.
    Spaced,
    /// "と申します", "라고 합니다": the word before.
    Behind,
}

pub(super) const PREFIXES: [(Prefix, &[&str]); 8] = [
    (
        Prefix::Introduction,
        &[
            "my name is",
            "my name's",
            "i am called",
            "my full name is",
            "ich heiße",
            "ich heisse",
            "mein name ist",
            "mein name lautet",
            "me llamo",
            "mi nombre es",
            "je m'appelle",
            "je m’appelle",
            "mon nom est",
            "meu nome é",
            "me chamo",
            "chamo-me",
            "mi chiamo",
            "il mio nome è",
            "nazywam się",
            "mam na imię",
            "mijn naam is",
            "ik heet",
            "jag heter",
            "mitt namn är",
            "jeg hedder",
            "jeg heter",
            "adım",
            "benim adım",
            "меня зовут",
            "Меня зовут",
            "моё имя",
            "Моё имя",
            "мене звати",
            "Мене звати",
        ],
    ),
    (
        Prefix::Title,
        &[
            "mr",
            "mrs",
            "ms",
            "mx",
            "dr",
            "prof",
            "professor",
            "dear",
            "herr",
            "herrn",
            "frau",
            "sr.",
            "sra.",
            "srta.",
            "señor",
            "señora",
            "señorita",
            "mme",
            "mlle",
            "monsieur",
            "madame",
            "mademoiselle",
            "senhor",
            "senhora",
            "dona",
            "sig.",
            "sig.ra",
            "signor",
            "signora",
            "dott.",
            "pani",
            "panie",
            "г-н",
            "г-жа",
            "господин",
            "Господин",
            "госпожа",
            "Госпожа",
            "de heer",
            "mevrouw",
        ],
    ),
    (
        Prefix::Salutation,
        &[
            "miss",
            "lieber",
            "liebe",
            "estimado",
            "estimada",
            "querido",
            "querida",
            "cher",
            "chère",
            "prezado",
            "prezada",
            "caro",
            "cara",
            "gentile",
            "egregio",
            "szanowny",
            "szanowna",
            "drogi",
            "droga",
            "beste",
            "уважаемый",
            "Уважаемый",
            "уважаемая",
            "Уважаемая",
            "дорогой",
            "Дорогой",
            "дорогая",
            "Дорогая",
        ],
    ),
    (
        Prefix::Han,
        &["我叫", "我的名字是", "我的名字叫", "本人姓名", "我名叫"],
    ),
    (Prefix::Kana, &["名前は", "氏名は"]),
    (Prefix::Hangul, &["이름은 ", "성함은 ", "제 이름은 "]),
    (
        Prefix::Spaced,
        &[
            "اسمي",
            "السيد",
            "السيدة",
            "عزيزي",
            "عزيزتي",
            "मेरा नाम",
            "श्री",
            "श्रीमती",
            "सुश्री",
        ],
    ),
    (Prefix::Behind, &["と申します", "라고 합니다", "라고 해요"]),
];

pub(super) fn literals() -> Vec<&'static str> {
    PREFIXES.iter().flat_map(|(_, words)| *words).copied().collect()
}

/// The prefix of the literal of this index.
pub(super) fn prefix(literal: usize) -> Prefix {
    let mut behind = 0;
    let found = PREFIXES.iter().find(|(_, words)| {
        behind += words.len();
        literal < behind
    });
    found.map_or(Prefix::Behind, |(prefix, _)| *prefix)
}

/// Titles that may stand between an announcing word and the name.
const TITLES: [&str; 38] = [
    "mr",
    "mrs",
    "ms",
    "mx",
    "miss",
    "dr",
    "prof",
    "professor",
    "doctor",
    "doktor",
    "herr",
    "herrn",
    "frau",
    "hr",
    "fr",
    "sr",
    "sra",
    "srta",
    "señor",
    "señora",
    "monsieur",
    "madame",
    "mme",
    "mlle",
    "senhor",
    "senhora",
    "dona",
    "sig",
    "sig.ra",
    "signor",
    "signora",
    "dott",
    "dott.ssa",
    "ing",
    "pani",
    "panie",
    "господин",
    "госпожа",
];

/// Words with a capital that are not the name of a person.
const NO_NAMES: [&str; 123] = [
    "none",
    "null",
    "true",
    "false",
    "string",
    "sir",
    "sirs",
    "madam",
    "ma'am",
    "customer",
    "customers",
    "client",
    "clients",
    "team",
    "all",
    "everyone",
    "everybody",
    "friend",
    "friends",
    "colleague",
    "colleagues",
    "hiring",
    "recruiting",
    "recruiter",
    "manager",
    "support",
    "user",
    "users",
    "reader",
    "readers",
    "editor",
    "valued",
    "guest",
    "guests",
    "member",
    "members",
    "parent",
    "parents",
    "student",
    "students",
    "applicant",
    "candidate",
    "partner",
    "partners",
    "investor",
    "shareholders",
    "resident",
    "residents",
    "neighbor",
    "neighbour",
    "santa",
    "diary",
    "god",
    "lord",
    "president",
    "chairman",
    "minister",
    "ambassador",
    "judge",
    "senator",
    "mayor",
    "speaker",
    "committee",
    "board",
    "sales",
    "service",
    "admin",
    "administrator",
    "subscriber",
    "traveler",
    "traveller",
    "the",
    "and",
    "or",
    "i",
    "a",
    "in",
    "on",
    "of",
    "for",
    "we",
    "our",
    "your",
    "this",
    "you",
    "it",
    "is",
    "has",
    "damen",
    "herren",
    "kunde",
    "kundin",
    "kunden",
    "kollege",
    "kollegin",
    "kollegen",
    "kolleginnen",
    "freunde",
    "gäste",
    "leser",
    "eltern",
    "mitglieder",
    "grüße",
    "grüsse",
    "gruß",
    "präsident",
    "kanzler",
    "gott",
    "leute",
    "cliente",
    "clientes",
    "señores",
    "amigos",
    "amigo",
    "amiga",
    "collègues",
    "amis",
    "mesdames",
    "messieurs",
    "colegas",
    "amici",
    "signori",
    "państwo",
];

/// Words of Russian that are not the name of a person.
const NO_NAMES_RUSSIAN: [&str; 8] = [
    "клиент",
    "клиенты",
    "коллеги",
    "друзья",
    "господа",
    "пользователь",
    "покупатель",
    "президент",
];

/// Words in lower case that stand inside names.
const PARTICLES: [&str; 26] = [
    "van", "von", "de", "der", "den", "da", "das", "do", "dos", "di", "del", "della", "du", "la", "le",
    "los", "las", "ter", "ten", "zu", "zur", "al", "el", "bin", "ibn", "af",
];

/// Particles with which a name begins.
const FIRST_PARTICLES: [&str; 10] = ["van", "von", "de", "da", "di", "del", "della", "du", "al", "bin"];

/// Words in lower case behind "my name is" that are no names.
const NO_INTRODUCTIONS: [&str; 40] = [
    "not",
    "on",
    "in",
    "the",
    "a",
    "an",
    "wrong",
    "misspelled",
    "missing",
    "unknown",
    "incorrect",
    "spelled",
    "spelt",
    "listed",
    "already",
    "still",
    "also",
    "always",
    "never",
    "mud",
    "private",
    "confidential",
    "irrelevant",
    "unimportant",
    "secret",
    "hard",
    "written",
    "changed",
    "common",
    "rare",
    "no",
    "nicht",
    "kein",
    "egal",
    "souvent",
    "pas",
    "falso",
    "falsch",
    "errato",
    "here",
];

/// Words that go on with a sentence behind a name.
const CONJUNCTIONS: [&str; 22] = [
    "and", "but", "from", "with", "i", "und", "aus", "y", "e", "et", "de", "soy", "oraz", "и", "а", "z",
    "en", "och", "og", "ve", "я", "ich",
];

fn has(words: &[&str], word: &str) -> bool {
    let lower = word.to_lowercase();
    words.contains(&&*lower)
}

pub(super) fn is_title(word: &str) -> bool {
    has(&TITLES, word)
}

pub(super) fn is_no_name(word: &str) -> bool {
    has(&NO_NAMES, word) || has(&NO_NAMES_RUSSIAN, word) || is_title(word)
}

pub(super) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word)
}

pub(super) fn is_first_particle(word: &str) -> bool {
    FIRST_PARTICLES.contains(&word)
}

pub(super) fn is_no_introduction(word: &str) -> bool {
    has(&NO_INTRODUCTIONS, word)
}

pub(super) fn is_conjunction(word: &str) -> bool {
    has(&CONJUNCTIONS, word)
}
