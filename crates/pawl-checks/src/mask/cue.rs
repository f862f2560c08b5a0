//! Words before a number that say what it is.

use std::sync::LazyLock;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Input, MatchKind};

use super::stretch::Stretch;
use super::words;

/// What a word says about the number that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// A telephone number.
    Phone,
    /// A telephone number, if it is one by its digits: words that mean other things as well.
    Call,
    /// A United States social security number.
    Ssn,
    /// The number of a payment card.
    Card,
    /// A version, or a numbered section.
    Version,
    /// The number of an order, a parcel or any other thing.
    Identifier,
}

/// How far before a number a word may stand, in bytes.
const WINDOW: usize = 56;
/// How far a word may stand that says the number belongs to a thing.
const NEAR: usize = 20;

const WORDS: [(Cue, &str); 6] = [
    (
        Cue::Phone,
        "phone, phones, telephone, tel, mobile, cellphone, my cell, fax, callback, call me, call us, \
         reach me, reach us, text me, text us, contact number, whatsapp, voicemail, hotline, msisdn, \
         landline, handy, mobil, telefon, telefonnummer, rufnummer, rückruf, rückrufnummer, anruf, \
         anrufen, fon, festnetz, telefono, teléfono, móvil, movil, celular, llama, llame, llamar, \
         llámame, téléphone, tél, mon portable, joindre, joignable, appelez, appeler, telefone, \
         telemóvel, telemovel, ligue, ligar, zap, cellulare, chiama, chiamami, chiamare, komórka, \
         komórkowy, dzwonić, zadzwoń, dzwoń, telefoon, mobiel, gsm, telefonnr, puhelin, тел, телефон, \
         телефона, телефону, звоните, позвоните, мобильный, дзвоніть, 電話, 携帯, 电话, 手机, 拨打, \
         致电, 전화, 휴대폰, 핸드폰, 연락처, هاتف, الهاتف, جوال, الجوال, موبايل, اتصل, फ़ोन, फोन, \
         मोबाइल, कॉल, my number, meine nummer, mein nummer, mi número, mi numero, mon numéro, \
         meu número, il mio numero, mój numer, мой номер, 제 번호, 我的号码, 私の番号",
    ),
    (
        Cue::Call,
        "call, called, calling, dial, text, texted, sms, cell, reach, contact",
    ),
    (
        Cue::Ssn,
        "ssn, social security, social sec, seguro social, social",
    ),
    (
        Cue::Card,
        "card, visa, mastercard, amex, pan, credit, debit, kreditkarte, karte, carte, tarjeta, cartão, \
         carta, karta, карта, カード, 卡号, 카드",
    ),
    (
        Cue::Version,
        "v, ver, version, versions, versión, versione, versão, wersja, версия, версии, バージョン, 版本, \
         버전, release, releases, firmware, driver, kernel, build, sdk, runtime, upgrade, upgraded, \
         update, updated, section, sections, clause, chapter, article, paragraph, figure, table, step, \
         abschnitt, kapitel, ziffer, artikel, oid, semver",
    ),
    (
        Cue::Identifier,
        "order, orders, id, ids, uuid, guid, ref, reference, réf, référence, tracking, track, shipment, \
         parcel, invoice, receipt, ticket, case, sku, part, serial, batch, lot, model, asset, tag, \
         quote, booking, account, member, membership, customer, user, purchase, po, rma, isbn, ean, upc, \
         asin, barcode, imei, iccid, vin, timestamp, ts, hash, commit, sha, seq, sequence, trace, span, \
         request, session, channel, snowflake, tweet, steam, routing, patent, lat, lng, lon, latitude, \
         longitude, coordinates, price, amount, total, created, _at, usps, fedex, dhl, ups, bestellung, \
         bestellnummer, rechnung, rechnungsnummer, kundennummer, sendungsnummer, auftrag, aktenzeichen, \
         commande, facture, siret, siren, colis, pedido, factura, envío, protocolo, nota fiscal, cnpj, \
         cpf, ordine, fattura, spedizione, zamówienie, faktura, nip, regon, pesel, przesyłka, заказ, \
         заказа, накладная, инн, кпп, счёт, трек, 注文番号, 受付番号, 伝票番号, 追跡番号, 订单号, 订单, \
         运单, 快递单号, 单号, 주문번호, 운송장, 송장, رقم الطلب, الطلب, فاتورة, ऑर्डर, बिल, sipariş, \
         bestelling, ordernummer",
    ),
];

static ENTRIES: LazyLock<Vec<(Cue, &str)>> = LazyLock::new(|| words::entries(&WORDS));

static AUTOMATON: LazyLock<DFA> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "constants that the tests build")]
    DFA::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .prefilter(false)
        .build(ENTRIES.iter().map(|(_, word)| word))
        .expect("words fit into an automaton")
});

impl Cue {
    /// What the nearest word before a place says, on the same line; else what the key says under which the text stands.
    pub(super) fn before(stretch: Stretch<'_>, at: usize) -> Option<Self> {
        let from = stretch.text.ceil_char_boundary(at.saturating_sub(WINDOW));
        let line = stretch.text[from..at]
            .rfind('\n')
            .map_or(from, |newline| from + newline + 1);
        let window = &stretch.text[line..at];
        match last(window) {
            Some((Self::Identifier | Self::Version, end)) if !is_near(&window[end..]) => None,
            Some((cue, _)) => Some(cue),
            None => last(stretch.key).map(|(cue, _)| cue),
        }
    }
}

/// The last word of a text that says something, and where it ends.
fn last(text: &str) -> Option<(Cue, usize)> {
    let hits = AUTOMATON.try_find_iter(Input::new(text)).ok()?;
    let words = hits.filter(|found| is_whole(text, found.start(), found.end()));
    let found = words.last()?;
    Some((ENTRIES[found.pattern().as_usize()].0, found.end()))
}

/// Whether a word is not a part of a longer one. `orderId` and `order_id` are two words; scripts without spaces have none.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
    let (first, last) = (text[start..].chars().next(), text[..end].chars().next_back());
    let starts = match (before, first) {
        (Some(before), Some(first)) if has_case(first) => {
            !has_case(before) || before.is_lowercase() && first.is_uppercase()
        }
        _ => true,
    };
    let ends = match (last, after) {
        (Some(last), Some(after)) if has_case(last) => {
            !has_case(after) || last.is_lowercase() && after.is_uppercase()
        }
        _ => true,
    };
    starts && ends
}

fn has_case(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Whether what stands between a word and a number leaves them together: a word or two, and no end of a sentence.
fn is_near(between: &str) -> bool {
    let ends_sentence = |pair: &[u8]| matches!(pair, [b'.' | b',' | b';' | b'!' | b'?', b' ']);
    // "No. 12" is an abbreviation.
    let abbreviates = [" no. ", " nr. ", " n. "]
        .iter()
        .any(|short| between.starts_with(short));
    between.len() <= NEAR && (abbreviates || !between.as_bytes().windows(2).any(ends_sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(text: &str) -> Option<Cue> {
        let stretch = Stretch {
            text,
            floor: 0,
            key: "",
        };
        Cue::before(stretch, text.len())
    }

    #[test]
    fn the_nearest_word_decides() {
        for (text, cue) in [
            ("Call me at ", Some(Cue::Phone)),
            ("call about order number ", Some(Cue::Identifier)),
            ("my order is late, call ", Some(Cue::Call)),
            ("my order is late. ", None),
            ("order ", Some(Cue::Identifier)),
            ("invoice no. ", Some(Cue::Identifier)),
            ("{\"customerPhone\": \"", Some(Cue::Phone)),
            ("{\"phone_id\": \"", Some(Cue::Identifier)),
            ("border ", None),
            ("phone\n", None),
            ("我的手机号是", Some(Cue::Phone)),
            ("version: ", Some(Cue::Version)),
        ] {
            assert_eq!(before(text), cue, "before {text:?}");
        }
    }
}
