//! The letters of a host: which may be shown as themselves, and which are there to be mistaken for others.
//!
//! Follows UTS 39 (restriction level, confusables, identifier status) with the stricter rules that browsers
//! publish for the address bar: one script a label but for Latin with Chinese, Japanese or Korean; no word made
//! wholly of Latin look-alikes; no marks or strokes out of place. A name that breaks a rule is Risky, not refused:
//! it opens after the person typed its technical form.

use super::finding::Findings;
use super::host::{self, Place};
use super::sent::Sent;
use super::{FindingCode, Verdict, names};
use crate::text;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};
use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection};

pub(super) fn judge(place: &Place, sent: &Sent, findings: &mut Findings) {
    as_sent(&sent.host, findings);
    let Some(readable) = &place.readable else { return };
    let name = place.name().unwrap_or(&place.host);
    let tld = match readable.trim_end_matches('.').rsplit('.').next() {
        // An ending that nobody gives out makes no script likely.
        Some(tld) if tld.is_ascii() || host::has_known_ending(name) => tld,
        Some(_) | None => "",
    };
    if tld.is_empty()
        && let Some(ending) = readable.trim_end_matches('.').rsplit('.').next()
        && names::fold(ending).is_ascii()
    {
        findings.readable = false;
        findings.add(
            FindingCode::WholeScript,
            Verdict::Risky,
            "The name ends in foreign letters that only look like an ending of site names.",
        );
    }
    for label in readable.split('.').filter(|label| !label.is_ascii()) {
        if let Some((code, sentence)) = suspicion(label, tld) {
            findings.readable = false;
            findings.add(code, Verdict::Risky, sentence);
        }
        if let Some(slash) = label.chars().find(|c| looks_like_slash(*c)) {
            findings.readable = false;
            findings.add(
                FindingCode::LookalikeSlash,
                Verdict::Risky,
                format!(
                    "“{slash}” in the name only looks like a slash. The site is the end of the name: {}.",
                    place.domain()
                ),
            );
        }
    }
    findings.add(
        FindingCode::Punycode,
        Verdict::Notice,
        if findings.readable {
            format!(
                "The address has letters outside a–z: {}. Its technical form is {}.",
                readable, place.host
            )
        } else {
            format!(
                "The address has letters outside a–z that can be taken for others. Its technical form is {}.",
                place.host
            )
        },
    );
}

/// Whether the character can be taken for a slash.
pub(super) fn looks_like_slash(c: char) -> bool {
    matches!(
        c,
        '\u{2044}'
            | '\u{2215}'
            | '\u{2571}'
            | '\u{27cb}'
            | '\u{29f8}'
            | '\u{2afb}'
            | '\u{2afd}'
            | '\u{3033}'
            | '\u{ff0f}'
            | '\u{1735}'
            | '\u{2cc6}'
            | '\u{31d3}'
    )
}

/// What the host was written with that is gone or changed in what opens.
fn as_sent(host: &str, findings: &mut Findings) {
    if host.is_ascii() {
        return;
    }
    findings.add(
        FindingCode::NonasciiInput,
        Verdict::Plain,
        "The address was sent with letters outside a–z.",
    );
    for c in host.chars().filter(|c| !c.is_ascii()) {
        if matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}') {
            findings.add(
                FindingCode::DotVariant,
                Verdict::Risky,
                "The name was sent with a character that only looks like a dot.",
            );
        } else if is_hidden(c) {
            findings.add(
                FindingCode::Invisible,
                Verdict::Risky,
                format!(
                    "The name was sent with an invisible character in it: {}.",
                    text::marked(c.encode_utf8(&mut [0; 4]))
                ),
            );
        } else if is_compatibility(c) {
            findings.add(
                FindingCode::CompatChars,
                Verdict::Risky,
                "The name was sent in unusual characters that only look like plain letters.",
            );
        }
    }
}

/// Whether the text filter would show the character as a mark.
pub(super) fn is_hidden(c: char) -> bool {
    !text::marked(c.encode_utf8(&mut [0; 4])).starts_with(c)
}

/// Whether the character is a variant of others (wide, circled, superscript...), beyond upper and lower case.
fn is_compatibility(c: char) -> bool {
    let changed = |mut mapped: std::vec::IntoIter<char>| mapped.next() != Some(c) || mapped.next().is_some();
    let one = || std::iter::once(c);
    let compatible: Vec<char> = one().nfkc().collect();
    // Letters of Armenian, Thai and Lao that every keyboard has.
    if matches!(c, '\u{587}' | '\u{e33}' | '\u{eb3}' | '\u{edc}' | '\u{edd}') {
        return false;
    }
    // Composition exclusions and the like change under NFC too; they are spelling, not disguise.
    changed(compatible.into_iter()) && one().nfc().eq(one())
        || matches!(c, '\u{212a}' | '\u{212b}' | '\u{2126}')
}

/// The first rule that a label breaks.
fn suspicion(label: &str, tld: &str) -> Option<(FindingCode, String)> {
    if label.contains('\u{338}') {
        return Some((
            FindingCode::Idna,
            "A stroke through a letter of the name can be taken for a slash.".into(),
        ));
    }
    if let Some(hidden) = label.chars().find(|c| is_hidden(*c)) {
        return Some((
            FindingCode::Invisible,
            format!(
                "The name contains an invisible character: {}.",
                text::marked(hidden.encode_utf8(&mut [0; 4]))
            ),
        ));
    }
    if let Some(odd) = odd_character(label, tld) {
        return Some((
            FindingCode::RestrictedChar,
            format!("The name contains a character that real site names do not use: “{odd}”."),
        ));
    }
    if mixes_scripts(label) || mixes_digits(label) || mixes_latin(label) || out_of_place(label) {
        return Some((
            FindingCode::MixedScript,
            "The name mixes letters of different alphabets that look alike.".into(),
        ));
    }
    if looks_latin(label, tld) || looks_like_digits(label) && !is_at_home(label, tld) {
        return Some((
            FindingCode::WholeScript,
            "The name is written wholly in foreign letters that look like a–z or like digits.".into(),
        ));
    }
    None
}

/// A character that UTS 39 does not recommend for names, or that browsers leave out of it.
fn odd_character(label: &str, tld: &str) -> Option<char> {
    let letters: Vec<char> = label.chars().collect();
    letters
        .iter()
        .enumerate()
        .find_map(|(at, &c)| {
            let before = at.checked_sub(1).map(|at| letters[at]);
            let after = letters.get(at + 1).copied();
            let odd = match c {
                c if c.is_ascii() => false,
                // Between two l only, and only in Catalan names (RFC 5892, A.3).
                '·' => tld != "cat" || before != Some('l') || after != Some('l'),
                // Real letters of few languages that elsewhere stand in for b, p, o and e.
                'þ' => letters.len() > 1 && tld != "is",
                'ð' => letters.len() > 1 && !matches!(tld, "is" | "fo"),
                'ə' => letters.len() > 1 && tld != "az",
                // Quotes, hyphens and dots that are allowed in words, and historic letters.
                '\u{138}'
                | '\u{58a}'
                | '\u{2010}'
                | '\u{2019}'
                | '\u{2027}'
                | '\u{30a0}'
                | '\u{2b9}'..='\u{2ff}' => true,
                // Extensions for pinyin, old Cyrillic and polytonic Greek; Vietnamese (1EA0..1EF9) stays.
                '\u{1cd}'..='\u{1dc}'
                | '\u{1c80}'..='\u{1c8f}'
                | '\u{1e00}'..='\u{1e9b}'
                | '\u{1f00}'..='\u{1fff}'
                | '\u{a640}'..='\u{a69f}'
                | '\u{a720}'..='\u{a7ff}' => true,
                // Sound marks belong to the kana before them.
                '\u{3099}' | '\u{309a}' => !before.is_some_and(is_kana),
                c if c.script() == Script::Bopomofo => false,
                // Rare letters and digits, where their script is at home.
                c => !(c.identifier_allowed() || c.is_alphanumeric() && at_home(c.script(), tld)),
            };
            odd.then_some(c)
        })
        .or_else(|| {
            // The same mark twice on one letter cannot be seen.
            let spelt: Vec<char> = label.nfd().collect();
            spelt
                .windows(2)
                .find(|pair| pair[0] == pair[1] && is_combining_mark(pair[0]))
                .map(|pair| pair[0])
        })
}

/// More than one script, but for Latin with Chinese, Japanese or Korean (UTS 39, Highly Restrictive).
fn mixes_scripts(label: &str) -> bool {
    // The table calls a name with rare letters unrestricted; those that got here are at home, if they are alone.
    let rare = |c: char| !c.is_ascii() && !c.identifier_allowed() && c.script() != Script::Bopomofo;
    if label.chars().any(rare) {
        let common = |script: Script| matches!(script, Script::Common | Script::Inherited);
        let home = label
            .chars()
            .filter(|c| rare(*c))
            .map(|c| c.script())
            .find(|script| !common(*script));
        let strange = |c: char| !common(c.script()) && home.is_some_and(|home| c.script() != home);
        return label.chars().any(strange) || mixes_scripts(&label.replace(rare, ""));
    }
    let bopomofo = |c: char| c.script() == Script::Bopomofo;
    let level = if label.chars().any(bopomofo) {
        // The table lists Bopomofo as limited use; in names it goes with Chinese.
        if label
            .chars()
            .any(|c| matches!(c.script(), Script::Hiragana | Script::Katakana | Script::Hangul))
        {
            return true;
        }
        label.replace(bopomofo, "中").as_str().detect_restriction_level()
    } else {
        label.detect_restriction_level()
    };
    level > RestrictionLevel::HighlyRestrictive
}

/// Digits of two number systems in one label.
fn mixes_digits(label: &str) -> bool {
    const ZEROS: [u32; 26] = [
        0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
        0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0xa8d0, 0xaa50, 0xabf0,
    ];
    let mut systems = label.chars().filter_map(|c| {
        let c = u32::from(c);
        ZEROS.into_iter().find(|zero| (*zero..zero + 10).contains(&c))
    });
    match systems.next() {
        Some(first) => systems.any(|other| other != first),
        None => false,
    }
}

/// Latin letters beyond a–z beside another script.
fn mixes_latin(label: &str) -> bool {
    let latin = |c: char| c.script() == Script::Latin;
    let other = |c: char| !matches!(c.script(), Script::Latin | Script::Common | Script::Inherited);
    label.chars().any(|c| latin(c) && !c.is_ascii()) && label.chars().any(other)
}

/// Marks on letters that do not carry them, and East Asian strokes that outside their script look like Latin
/// letters or punctuation.
fn out_of_place(label: &str) -> bool {
    let letters: Vec<char> = label.chars().collect();
    let east_asian = |c: Option<char>| {
        c.is_none_or(|c| {
            matches!(
                c.script(),
                Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo
            ) || c == 'ー'
        })
    };
    let kana = |c: Option<char>| c.is_some_and(is_kana);
    let latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    let marks = |c: char| matches!(c, '\u{300}'..='\u{339}');
    let all_but = |script: Script, odd: std::ops::RangeInclusive<char>| {
        letters.len() > 1
            && letters.iter().any(|c| odd.contains(c))
            && letters
                .iter()
                .all(|c| odd.contains(c) || *c == 'ー' || c.script() == script)
            && letters.iter().any(|c| !odd.contains(c))
    };
    letters.iter().enumerate().any(|(at, &c)| {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1).copied();
        match c {
            '\u{307}' if matches!(before, Some('i' | 'j' | 'l' | 'ı')) => true,
            c if marks(c) => {
                !before.is_some_and(|c| {
                    marks(c) || matches!(c.script(), Script::Latin | Script::Greek | Script::Cyrillic)
                }) || before == Some('ı')
            }
            'ー' => !kana(before),
            'ヽ' | 'ヾ' => !before.is_some_and(|c| c.script() == Script::Katakana),
            '・' => latin(before) || latin(after),
            // Strokes and radicals that are no words of their own.
            '丶' | '乀' | '乁' | '丿' | '亅' | '亠' | '二' | '冖' | '冂' | '凵' | '匚' | '厶' | '宀'
            | '巛' | '彳' | '丩' | '乚' | '亻' | '儿'
                if latin(before) || latin(after) =>
            {
                true
            }
            'ノ' | 'ン' | 'ソ' | 'ゾ' | '丶' | '乀' | '乁' | '丿' => {
                !east_asian(before) && !east_asian(after)
            }
            // As a number it stands before digits.
            '一' => !east_asian(before) || !east_asian(after) && !after.is_some_and(|c| c.is_ascii_digit()),
            'ㄧ' | '丨' | '乛' | '七' | '丅' | '十' | '〇' | 'ㄒ' | 'ㄚ' | 'ㄟ' | 'ㄨ' | 'ㄩ' | 'ㄈ'
            | 'ㆺ' | 'ㆳ' | '工' | 'ㆲ' | '讠' | '丁' | '口' | '丫' | '了' | '丆' | '乂' => {
                !east_asian(before) || !east_asian(after)
            }
            _ => false,
        }
    }) || all_but(Script::Katakana, 'へ'..='ぺ')
        || all_but(Script::Hiragana, 'ヘ'..='ペ')
}

fn is_kana(c: char) -> bool {
    matches!(c.script(), Script::Hiragana | Script::Katakana) || c == 'ー'
}

/// A word of another script in which every letter could pass for a–z, where the country or the ending does not
/// make that script likely.
fn looks_latin(label: &str, tld: &str) -> bool {
    let script_of = |c: char| {
        let script = c.script();
        (!matches!(
            script,
            Script::Common
                | Script::Inherited
                | Script::Latin
                | Script::Han
                | Script::Hiragana
                | Script::Katakana
                | Script::Hangul
                | Script::Bopomofo
        ))
        .then_some(script)
    };
    let Some(script) = label.chars().find_map(script_of) else {
        return false;
    };
    !at_home(script, tld)
        && !PLAIN_WORDS.contains(&label)
        && label.chars().filter(|c| script_of(*c) == Some(script)).all(|c| {
            EXTRA_LATIN_SHAPES.contains(c)
                || unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).all(|c| c.is_ascii_alphanumeric())
        })
}

/// Whether words of the script are expected under this ending.
fn at_home(script: Script, tld: &str) -> bool {
    HOME_ENDINGS
        .iter()
        .any(|(home, tlds)| *home == script && tlds.contains(&tld))
        || script != Script::Common && tld.chars().any(|c| !c.is_ascii() && c.script() == script)
}

fn is_at_home(label: &str, tld: &str) -> bool {
    label.chars().all(|c| c.is_ascii() || at_home(c.script(), tld))
}

/// Everyday words all of whose letters have a Latin shape, and which read as nothing in it.
const PLAIN_WORDS: &[&str] = &[
    "авто",
    "карта",
    "курс",
    "парк",
    "порт",
    "рост",
    "спорт",
    "театр",
    "тест",
    "торт",
    "хор",
];

/// Country endings under which words of a script are expected.
const HOME_ENDINGS: &[(Script, &[&str])] = &[
    (
        Script::Cyrillic,
        &[
            "bg", "by", "kg", "kz", "mk", "mn", "pyc", "rs", "ru", "su", "tj", "ua", "uz",
        ],
    ),
    (Script::Greek, &["gr", "cy"]),
    (Script::Armenian, &["am"]),
    (Script::Hebrew, &["il"]),
    (Script::Georgian, &["ge"]),
    (Script::Thai, &["th"]),
    (Script::Lao, &["la"]),
    (Script::Ethiopic, &["er", "et"]),
    (Script::Myanmar, &["mm"]),
];

/// Letters with a Latin shape in common fonts that the Unicode table of confusables does not (or not simply) map.
const EXTRA_LATIN_SHAPES: &str = "ыюъьҽпгѵѡктԗԛԝԍхһӏ\
    ագզէլհյսօ\
    ικνρυωηοτα\
    დოყძხჽჿიი\
    דוחיןסװײ\
    ሀሠሰስበነተከዐዕዘጠፐꬅ\
    ০৭ऽ०ॱડટ૦૧੦੧ಽ೦೧ടഠധനറ൦ଠ୦୮டப௦౦౧\
    ခဂငထပဝ၀၂ၔၜ႐႑႕႖႗\
    กทนบพรหเแ๐ดลปฟม\
    ຟພຣບຮ໐";

/// Digits and characters that look like digits, and at least one of those.
fn looks_like_digits(label: &str) -> bool {
    let digit_shaped = |c: char| {
        "θзҙӡвუვპკੜ丩ㄐճշउওਤဒ੫৭৪୨୭".contains(c)
            || c.is_numeric() && c.script() != Script::Han
            || unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).all(|c| c.is_ascii_digit())
    };
    label
        .chars()
        .all(|c| c.is_ascii_digit() || (!c.is_ascii() && digit_shaped(c)))
}
