//! Names in scripts without capitals. What ends a name there are punctuation, particles and verbs.

use std::ops::Range;

use super::is_letter;
use crate::mask::stretch::Stretch;

/// The most frequent surnames of China, which nine tenths of its people bear, and those of Taiwan in their own form.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝陳張劉楊黃趙吳孫馬許鄭謝羅蕭葉蔡鄧盧蘇韓馮鄒賴莊詹龔嚴湯溫龐顏紀藍遊閻談";
/// What goes on behind a name in Chinese.
const BEHIND_HAN: [char; 16] = [
    '是', '在', '来', '的', '住', '想', '要', '今', '我', '和', '也', '有', '从', '，', '先', '女',
];

/// What goes on behind a name in Japanese.
const BEHIND_KANA: [&str; 6] = ["です", "でした", "だ", "と", "で、", "。"];
/// What a name in Korean ends in when it is told.
const KOREAN_ENDINGS: [&str; 14] = [
    "이라고",
    "입니다",
    "이에요",
    "이예요",
    "이고요",
    "이고",
    "이며",
    "인데",
    "이야",
    "예요",
    "에요",
    "라고",
    "님",
    "씨",
];
/// Words of Arabic and Hindi behind a name.
const BEHIND_SPACED: [&str; 20] = [
    "है",
    "हैं",
    "ने",
    "को",
    "का",
    "की",
    "के",
    "से",
    "जी",
    "और",
    "में",
    "हूँ",
    "من",
    "في",
    "أنا",
    "على",
    "هو",
    "هي",
    "و",
    "لديه",
];

/// Words of Arabic that do not end a name.
const ARABIC_PARTICLES: [&str; 5] = ["آل", "عبد", "بن", "بنت", "أبو"];

/// A letter of a script in which words stand without spaces.
pub(super) const fn is_without_spaces(c: char) -> bool {
    is_han(c) || is_kana(c) || is_hangul(c)
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '々')
}

const fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30fa}' | 'ー')
}

const fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// A run that begins at a place, up to what stands behind names, of so many characters.
fn run(
    stretch: Stretch<'_>,
    from: usize,
    belongs: impl Fn(usize, char) -> bool,
    (fewest, most): (usize, usize),
) -> Option<Range<usize>> {
    let rest = stretch.rest(from);
    let mut length = 0;
    let mut end = 0;
    for c in rest.chars().take(most + 1) {
        if !belongs(length, c) {
            break;
        }
        length += 1;
        end += c.len_utf8();
    }
    (fewest..=most).contains(&length).then_some(from..from + end)
}

/// A surname of Chinese and one or two ideographs more.
pub(super) fn han(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let begins = stretch.char_at(from).is_some_and(|c| SURNAMES.contains(c));
    begins.then(|| ideographs(stretch, from))?
}

/// Two to four ideographs, from the third on none that goes on behind a name.
pub(super) fn ideographs(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    run(
        stretch,
        from,
        |place, c| is_han(c) && (place < 2 || !BEHIND_HAN.contains(&c)),
        (2, 4),
    )
}

/// Whatever stands before the verb.
pub(super) fn japanese(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let rest = stretch.rest(from);
    let near = rest.char_indices().nth(12).map_or(rest, |(end, _)| &rest[..end]);
    let end = BEHIND_KANA
        .iter()
        .filter_map(|word| near.find(word))
        .min()
        .unwrap_or(near.len());
    let name = &near[..end];
    let length = name.chars().count();
    let is_name = name
        .chars()
        .all(|c| is_han(c) || is_kana(c) || matches!(c, ' ' | '\u{3000}' | '・'));
    let is_question = name.contains(['何', '誰']);
    ((2..=10).contains(&length) && is_name && !is_question).then_some(from..from + end)
}

/// A word of Korean without its ending.
pub(super) fn korean(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let word = run(stretch, from, |_, c| is_hangul(c), (2, 10))?;
    let text = &stretch.text[word];
    let name = KOREAN_ENDINGS
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
        .unwrap_or(text);
    let is_name = (2..=4).contains(&name.chars().count());
    is_name.then_some(from..from + name.len())
}

/// Up to two words of Arabic or Hindi, beside particles.
pub(super) fn spaced(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let mut end = None;
    let mut at = from;
    let mut words = 0;
    while words < 2 {
        let rest = stretch.rest(at);
        let word = &rest[..rest.find(|c| !is_letter(c)).unwrap_or(rest.len())];
        // In Arabic "and" is a letter before the next word.
        let is_next = at > from && word.starts_with('و');
        if word.is_empty() || is_next || BEHIND_SPACED.contains(&word) || word.is_ascii() {
            break;
        }
        words += usize::from(!ARABIC_PARTICLES.contains(&word));
        at += word.len();
        end = Some(at);
        if stretch.byte(at) != Some(b' ') {
            break;
        }
        at += 1;
    }
    Some(from..end?)
}

/// The word before "と申します" or "라고 합니다".
pub(super) fn before(stretch: Stretch<'_>, end: usize) -> Option<Range<usize>> {
    let before = &stretch.text[stretch.floor..end];
    let is_korean = before.ends_with(is_hangul);
    let belongs = |c: char| {
        if is_korean {
            is_hangul(c)
        } else {
            is_han(c) || matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー' | '・')
        }
    };
    let length: usize = before
        .chars()
        .rev()
        .take_while(|c| belongs(*c))
        .map(char::len_utf8)
        .sum();
    let mut name = &before[before.len() - length..];
    // "이라고" behind a consonant.
    if is_korean && name.chars().count() > 3 {
        name = name.strip_suffix('이').unwrap_or(name);
    }
    let start = end - length;
    (2..=6)
        .contains(&name.chars().count())
        .then_some(start..start + name.len())
}
