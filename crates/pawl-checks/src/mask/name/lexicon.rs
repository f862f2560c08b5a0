//! Words that announce a name, and words behind them that are none.

use std::sync::LazyLock;

use crate::mask::words;

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

const PREFIXES: [(Prefix, &str); 8] = [
    (
        Prefix::Introduction,
        "my name is, my name's, i am called, my full name is, ich heiße, ich heisse, mein name ist, \
         mein name lautet, me llamo, mi nombre es, je m'appelle, je m’appelle, mon nom est, meu nome é, \
         me chamo, chamo-me, mi chiamo, il mio nome è, nazywam się, mam na imię, mijn naam is, ik heet, \
         jag heter, mitt namn är, jeg hedder, jeg heter, adım, benim adım, меня зовут, Меня зовут, \
         моё имя, Моё имя, мене звати, Мене звати",
    ),
    (
        Prefix::Title,
        "mr, mrs, ms, mx, dr, prof, professor, dear, herr, herrn, frau, sr., sra., srta., señor, señora, \
         señorita, mme, mlle, monsieur, madame, mademoiselle, senhor, senhora, dona, sig., sig.ra, \
         signor, signora, dott., pani, panie, г-н, г-жа, господин, Господин, госпожа, Госпожа, de heer, \
         mevrouw",
    ),
    (
        Prefix::Salutation,
        "miss, lieber, liebe, estimado, estimada, querido, querida, cher, chère, prezado, prezada, caro, \
         cara, gentile, egregio, szanowny, szanowna, drogi, droga, beste, уважаемый, Уважаемый, \
         уважаемая, Уважаемая, дорогой, Дорогой, дорогая, Дорогая",
    ),
    (Prefix::Han, "我叫, 我的名字是, 我的名字叫, 本人姓名, 我名叫"),
    (Prefix::Kana, "名前は, 氏名は"),
    (Prefix::Hangul, "제 이름은, 내 이름은, 고객 이름은, 성함은"),
    (
        Prefix::Spaced,
        "اسمي, السيد, السيدة, عزيزي, عزيزتي, मेरा नाम, श्री, श्रीमती, सुश्री",
    ),
    (Prefix::Behind, "と申します, 라고 합니다, 라고 해요"),
];

static ENTRIES: LazyLock<Vec<(Prefix, &str)>> = LazyLock::new(|| words::entries(&PREFIXES));

pub(super) fn literals() -> Vec<&'static str> {
    ENTRIES.iter().map(|(_, word)| *word).collect()
}

/// The prefix of the literal of this index.
pub(super) fn prefix(literal: usize) -> Prefix {
    ENTRIES[literal].0
}

/// Titles that may stand between an announcing word and the name.
const TITLES: &str = "mr, mrs, ms, mx, miss, dr, prof, professor, doctor, doktor, herr, herrn, frau, hr, fr, sr, sra, srta, \
 señor, señora, monsieur, madame, mme, mlle, senhor, senhora, dona, sig, sig.ra, signor, signora, dott, \
 dott.ssa, ing, pani, panie, господин, госпожа";

/// Words with a capital that are not the name of a person.
const NO_NAMES: &str = "none, null, true, false, string, sir, sirs, madam, ma'am, customer, customers, client, clients, team, \
 all, everyone, everybody, friend, friends, colleague, colleagues, hiring, recruiting, recruiter, \
 manager, support, user, users, reader, readers, editor, valued, guest, guests, member, members, parent, \
 parents, student, students, applicant, candidate, partner, partners, investor, shareholders, resident, \
 residents, neighbor, neighbour, santa, diary, god, lord, president, chairman, minister, ambassador, \
 judge, senator, mayor, speaker, committee, board, sales, service, admin, administrator, subscriber, \
 traveler, traveller, the, and, or, i, a, in, on, of, for, we, our, your, this, you, it, is, has, damen, \
 herren, kunde, kundin, kunden, kollege, kollegin, kollegen, kolleginnen, freunde, gäste, leser, eltern, \
 mitglieder, grüße, grüsse, gruß, präsident, kanzler, gott, leute, cliente, clientes, señores, amigos, \
 amigo, amiga, collègues, amis, mesdames, messieurs, colegas, amici, signori, państwo, \
 клиент, клиенты, коллеги, друзья, господа, пользователь, покупатель, президент";

/// Words in lower case that stand inside names.
const PARTICLES: &str = "van, von, de, der, den, da, das, do, dos, di, del, della, du, la, le, los, las, ter, ten, zu, zur, al, \
 el, bin, ibn, af";

/// Particles with which a name begins.
const FIRST_PARTICLES: &str = "van, von, de, da, di, del, della, du, al, bin";

/// Words in lower case behind "my name is" that are no names.
const NO_INTRODUCTIONS: &str = "not, on, in, the, a, an, wrong, misspelled, missing, unknown, incorrect, spelled, spelt, listed, \
 already, still, also, always, never, mud, private, confidential, irrelevant, unimportant, secret, hard, \
 written, changed, common, rare, no, nicht, kein, egal, souvent, pas, falso, falsch, errato, here";

/// Words that go on with a sentence behind a name.
const CONJUNCTIONS: &str =
    "and, but, from, with, i, und, aus, y, e, et, de, soy, oraz, и, а, z, en, och, og, ve, я, ich";

fn has(words: &'static str, word: &str) -> bool {
    let lower = word.to_lowercase();
    words::split(words).any(|known| known == lower)
}

pub(super) fn is_title(word: &str) -> bool {
    has(TITLES, word)
}

pub(super) fn is_no_name(word: &str) -> bool {
    has(NO_NAMES, word) || is_title(word)
}

/// Whether a word, as it is written, is a particle.
pub(super) fn is_particle(word: &str) -> bool {
    words::split(PARTICLES).any(|known| known == word)
}

pub(super) fn is_first_particle(word: &str) -> bool {
    words::split(FIRST_PARTICLES).any(|known| known == word)
}

pub(super) fn is_no_introduction(word: &str) -> bool {
    has(NO_INTRODUCTIONS, word)
}

pub(super) fn is_conjunction(word: &str) -> bool {
    has(CONJUNCTIONS, word)
}
