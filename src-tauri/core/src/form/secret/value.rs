//! Whether what stands in a field looks like a secret, whatever the field is called.
//!
//! Only shapes that hardly anything else has: beginnings that services give to their keys, private key files, signed
//! tokens, addresses with a password, cards and accounts with the right check digits, the words of a wallet. A long
//! text of random letters is worth a warning only. Linear in the text.
//!
//! Left alone on purpose: UUIDs, hashes in hexadecimal, numbers of orders and telephones, ISBN and EAN, dates and
//! ordinary addresses.

use super::{Guard, Secret};

/// Judges the text of a field.
pub(in crate::form) fn of_text(text: &str) -> Guard {
    let text = text.trim();
    let words = || text.split(separates).filter(|word| !word.is_empty());
    if is_private_key(text) || words().any(|word| is_known_key(word) || is_signed_token(word)) {
        Guard::Secret(Secret::Key)
    } else if words().any(has_password) {
        Guard::Secret(Secret::Login)
    } else if numbers(text).any(is_card) {
        Guard::Secret(Secret::Card)
    } else if is_iban(text) || words().any(is_iban) {
        Guard::Secret(Secret::Bank)
    } else if is_social_security_number(text) {
        Guard::Secret(Secret::Identity)
    } else if is_seed_phrase(text) {
        Guard::Secret(Secret::Phrase)
    } else if is_random(text) {
        Guard::Suspicious(Secret::Key)
    } else {
        Guard::Ok
    }
}

/// What the letters after a known beginning are.
#[derive(Clone, Copy)]
enum Rest {
    /// Letters, digits, `_`, `-` and `.`, a digit among them.
    Mixed,
    /// Capitals and digits, exactly so many.
    Capitals,
}

/// How keys of well-known services begin, and how many letters follow at least. All documented by their services.
const BEGINNINGS: &[(&str, usize, Rest)] = &[
    ("AGE-SECRET-KEY-1", 40, Rest::Mixed),
    ("AIza", 30, Rest::Mixed),
    ("AKIA", 16, Rest::Capitals),
    ("ASIA", 16, Rest::Capitals),
    ("ATATT3", 30, Rest::Mixed),
    ("PMAK-", 24, Rest::Mixed),
    ("SG.", 40, Rest::Mixed),
    ("dckr_pat_", 20, Rest::Mixed),
    ("dop_v1_", 40, Rest::Mixed),
    ("figd_", 30, Rest::Mixed),
    ("gho_", 30, Rest::Mixed),
    ("ghp_", 30, Rest::Mixed),
    ("ghr_", 30, Rest::Mixed),
    ("ghs_", 30, Rest::Mixed),
    ("ghu_", 30, Rest::Mixed),
    ("github_pat_", 30, Rest::Mixed),
    ("gldt-", 16, Rest::Mixed),
    ("glpat-", 16, Rest::Mixed),
    ("glrt-", 16, Rest::Mixed),
    ("glsa_", 30, Rest::Mixed),
    ("gsk_", 40, Rest::Mixed),
    ("hf_", 30, Rest::Mixed),
    ("hvb.", 20, Rest::Mixed),
    ("hvs.", 20, Rest::Mixed),
    ("lin_api_", 20, Rest::Mixed),
    ("npm_", 30, Rest::Mixed),
    ("ntn_", 30, Rest::Mixed),
    ("nvapi-", 40, Rest::Mixed),
    ("pplx-", 40, Rest::Mixed),
    ("pypi-", 40, Rest::Mixed),
    ("r8_", 30, Rest::Mixed),
    ("rk_live_", 16, Rest::Mixed),
    ("sbp_", 30, Rest::Mixed),
    ("secret_", 40, Rest::Mixed),
    ("shpat_", 30, Rest::Mixed),
    ("shpss_", 30, Rest::Mixed),
    ("sk-", 20, Rest::Mixed),
    ("sk_live_", 16, Rest::Mixed),
    ("sk_test_", 16, Rest::Mixed),
    ("sntrys_", 40, Rest::Mixed),
    ("sq0atp-", 20, Rest::Mixed),
    ("tskey-", 20, Rest::Mixed),
    ("whsec_", 24, Rest::Mixed),
    ("xai-", 40, Rest::Mixed),
    ("xapp-", 20, Rest::Mixed),
    ("xoxa-", 16, Rest::Mixed),
    ("xoxb-", 16, Rest::Mixed),
    ("xoxe-", 16, Rest::Mixed),
    ("xoxp-", 16, Rest::Mixed),
    ("xoxr-", 16, Rest::Mixed),
    ("xoxs-", 16, Rest::Mixed),
    ("ya29.", 20, Rest::Mixed),
];

fn separates(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | '=' | ',' | ';' | '<' | '>' | '(' | ')' | '&' | '?' | '{' | '}'
        )
}

fn is_private_key(text: &str) -> bool {
    let armoured = text.split("-----BEGIN ").skip(1).any(|rest| {
        rest.lines()
            .next()
            .is_some_and(|line| line.contains("PRIVATE KEY"))
    });
    armoured || text.starts_with("PuTTY-User-Key-File-")
}

fn is_known_key(word: &str) -> bool {
    BEGINNINGS.iter().any(|(beginning, least, rest)| {
        word.strip_prefix(beginning).is_some_and(|letters| match rest {
            Rest::Mixed => {
                letters.len() >= *least
                    && letters
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
                    && letters.bytes().any(|b| b.is_ascii_digit())
                    && letters.bytes().any(|b| b.is_ascii_alphabetic())
            }
            Rest::Capitals => {
                letters.len() == *least
                    && letters
                        .bytes()
                        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            }
        })
    })
}

/// A JSON Web Token (RFC 7519) with a signature: `eyJ` is `{"` in Base64.
fn is_signed_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    let encoded = |part: &&str| {
        part.len() >= 10
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
    };
    parts.len() == 3 && parts.iter().all(encoded) && parts.iter().take(2).all(|part| part.starts_with("eyJ"))
}

/// An address with a user's name and password before the host (RFC 3986, userinfo).
fn has_password(word: &str) -> bool {
    let Some((scheme, rest)) = word.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '#']).next().unwrap_or_default();
    let user = authority
        .rsplit_once('@')
        .and_then(|(user, _)| user.split_once(':'));
    !scheme.is_empty() && user.is_some_and(|(_, password)| !password.is_empty())
}

/// Runs of digits, in groups or not; nothing that a letter, a point or a plus sign touches.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| {
        !c.is_ascii_digit() && c != ' ' && c != '-' && !c.is_alphanumeric() && !"+._/:#".contains(c)
    })
    .flat_map(runs)
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit() && c != ' ' && c != '-')
        .filter(move |run| {
            let start = run.as_ptr().addr() - text.as_ptr().addr();
            let before = text.get(..start).and_then(|before| before.chars().next_back());
            let after = text
                .get(start + run.len()..)
                .and_then(|after| after.chars().next());
            let touches = |beside: Option<char>, blank: bool| beside.is_some_and(|c| c == '+' || !blank);
            !touches(before, run.starts_with(' ')) && !touches(after, run.ends_with(' '))
        })
        .map(str::trim)
}

/// A number of a payment card (ISO/IEC 7812): the issuer's beginning, its length, the check digit, and groups as on
/// a card.
fn is_card(number: &str) -> bool {
    let groups: Vec<usize> = number.split([' ', '-']).map(str::len).collect();
    let as_on_a_card = match groups.as_slice() {
        [_] | [4, 6, 5] | [4, 6, 4] => true,
        [first @ .., last] => first.iter().all(|length| *length == 4) && (1..=4).contains(last),
        [] => false,
    };
    let digits: Vec<u32> = number.chars().filter_map(|c| c.to_digit(10)).collect();
    as_on_a_card && is_issued(&digits) && has_check_digit(&digits)
}

fn is_issued(digits: &[u32]) -> bool {
    let start = |length: usize| {
        digits
            .iter()
            .take(length)
            .fold(0, |number, digit| number * 10 + digit)
    };
    let (one, two, three, four) = (start(1), start(2), start(3), start(4));
    match digits.len() {
        14 => matches!(two, 36 | 38 | 39) || matches!(three, 300..=305),
        15 => matches!(two, 34 | 37),
        16 => {
            one == 4
                || matches!(two, 51..=55 | 60 | 62 | 65 | 67 | 81)
                || matches!(three, 644..=649)
                || matches!(four, 2200..=2204 | 2221..=2720 | 3528..=3589 | 5018 | 5020 | 5038 | 9792)
        }
        17..=19 => one == 4 || two == 62 || matches!(four, 2200..=2204 | 6304 | 6759 | 6761..=6763),
        _ => false,
    }
}

/// Luhn (ISO/IEC 7812-1, annex B); one digit repeated is no card.
fn has_check_digit(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) => double / 10 + double % 10,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| Some(digit) != digits.first())
}

/// Countries of the IBAN registry (ISO 13616) and the length of theirs.
const IBANS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
    ("YE", 30),
];

fn is_iban(text: &str) -> bool {
    const LONGEST: usize = 60;
    if text.len() > LONGEST {
        return false;
    }
    let letters: Vec<u8> = text
        .bytes()
        .filter(|b| *b != b' ' && *b != b'-')
        .map(|b| b.to_ascii_uppercase())
        .collect();
    let fits = |(country, length): &(&str, usize)| {
        letters.starts_with(country.as_bytes()) && letters.len() == *length
    };
    let checked = letters
        .get(2..4)
        .is_some_and(|digits| digits.iter().all(u8::is_ascii_digit));
    if !checked || !IBANS.iter().any(fits) || !letters.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (head, tail) = letters.split_at(4);
    let remainder = tail
        .iter()
        .chain(head)
        .fold(0_u32, |remainder, letter| match letter {
            b'0'..=b'9' => (remainder * 10 + u32::from(letter - b'0')) % 97,
            _ => (remainder * 100 + u32::from(letter - b'A') + 10) % 97,
        });
    remainder == 1
}

/// Three, two and four digits, none of the numbers that are never given out.
fn is_social_security_number(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['-', ' ']).collect();
    let [area, group, serial] = parts.as_slice() else {
        return false;
    };
    let digits = |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    digits(area, 3)
        && digits(group, 2)
        && digits(serial, 4)
        && !matches!(*area, "000" | "666")
        && !area.starts_with('9')
        && *group != "00"
        && *serial != "0000"
}

/// As many words as a wallet has (BIP 39), short and in small letters, nothing between them, and none of the little
/// words that sentences have and the list of BIP 39 has not.
fn is_seed_phrase(text: &str) -> bool {
    const LONGEST: usize = 400;
    const OF_SENTENCES: [&str; 24] = [
        "the", "and", "for", "are", "was", "not", "but", "with", "from", "has", "his", "her", "our", "its",
        "were", "been", "their", "your", "which", "should", "please", "who", "how", "than",
    ];
    if text.len() > LONGEST {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let listed = |word: &&str| {
        (3..=8).contains(&word.len())
            && word.bytes().all(|b| b.is_ascii_lowercase())
            && !OF_SENTENCES.contains(word)
    };
    let different: std::collections::HashSet<&&str> = words.iter().collect();
    matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words.iter().all(listed)
        && different.len() + 2 >= words.len()
}

/// One long piece of capitals, small letters and digits without a pattern, as generated keys are.
fn is_random(text: &str) -> bool {
    const SHORTEST: usize = 32;
    const LONGEST: usize = 128;
    // Documents in a well-known drive have names like this.
    let document = text.len() == 44 && text.starts_with('1');
    let checksum = ["sha256-", "sha384-", "sha512-"]
        .iter()
        .any(|kind| text.starts_with(kind));
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b);
    if !(SHORTEST..=LONGEST).contains(&text.len()) || document || checksum || !text.bytes().all(fits) {
        return false;
    }
    let longest = text
        .split(['_', '-', '/'])
        .max_by_key(|piece| piece.len())
        .unwrap_or_default();
    let kinds = |kind: fn(&u8) -> bool| longest.bytes().filter(kind).count();
    let mixed = kinds(u8::is_ascii_uppercase) >= 4
        && kinds(u8::is_ascii_lowercase) >= 4
        && kinds(u8::is_ascii_digit) >= 3;
    mixed
        && longest.len() >= SHORTEST / 2
        && bits_per_letter(text) >= 4.0
        && changes(longest) * 3 >= longest.len()
}

/// Shannon entropy of the letters.
fn bits_per_letter(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / length;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| -share(count) * share(count).log2())
        .sum()
}

/// How often capitals, small letters and digits follow one another.
fn changes(text: &str) -> usize {
    let kind = |b: &u8| (b.is_ascii_uppercase(), b.is_ascii_digit());
    let bytes = text.as_bytes();
    bytes
        .iter()
        .zip(bytes.iter().skip(1))
        .filter(|(one, next)| kind(one) != kind(next))
        .count()
}
