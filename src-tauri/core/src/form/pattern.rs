//! `pattern`: a regular expression of ECMA-262 with the `u` flag (JSON Schema 2020-12 validation, section 6.3.3),
//! run by the `regex` crate where both surely mean the same.
//!
//! Promises: linear time, bounded size; a pattern that is enforced means exactly what ECMA-262 says it means, because
//! it is not handed over but read by the grammar below and written anew. What the grammar does not know is not
//! enforced; the pattern is then only told. Patterns are searches: they need not cover the whole text.
//!
//! Known: literals and their escapes, `.`, `^`, `$`, `\b`, classes with `\d \D \w \W \s \S`, groups (also named ones),
//! alternatives, greedy and lazy repetition.
//!
//! Deliberately absent: look-around and back references (not linear), `\p{…}` (depends on the Unicode version), `\B`
//! (cannot be written in bytes), modifiers, and everything that the `u` flag forbids, though some engines take it.

use crate::text;
use regex::{Regex, RegexBuilder};
use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Chars;

/// Longest pattern that is read, in bytes.
const MAX_PATTERN: usize = 1_000;
/// Largest compiled pattern, in bytes; together with the next bounds what one look at a text costs.
const MAX_COMPILED: usize = 256 * 1024;
/// Longest text that is looked at, in bytes. Beyond, the server checks.
const MAX_TEXT: usize = 1_000;
/// Deepest nesting of groups.
const MAX_NESTING: u32 = 20;

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Regex,
    shown: String,
}

/// The pattern is not one whose meaning is sure.
#[derive(Debug)]
struct Unsure;

type Read<T> = Result<T, Unsure>;

impl Pattern {
    /// Reads a pattern; none if it is not enforced.
    pub(super) fn read(source: &str) -> Option<Self> {
        let written = translate(source).ok()?;
        let regex = RegexBuilder::new(&written)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build()
            .ok()?;
        Some(Self {
            regex,
            shown: text::line(source, text::TITLE),
        })
    }

    pub(super) fn admits(&self, text: &str) -> bool {
        text.len() > MAX_TEXT || self.regex.is_match(text)
    }

    /// For people, filtered.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }
}

/// The same pattern in the syntax of the `regex` crate.
fn translate(source: &str) -> Read<String> {
    if source.len() > MAX_PATTERN {
        return Err(Unsure);
    }
    let mut reader = Reader {
        rest: source.chars().peekable(),
        names: HashSet::new(),
        nesting: 0,
        out: String::new(),
    };
    reader.alternatives()?;
    match reader.rest.next() {
        None => Ok(reader.out),
        Some(_) => Err(Unsure),
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    names: HashSet<String>,
    nesting: u32,
    out: String,
}

/// What a member of a class is.
enum Member {
    One(char),
    /// `\d` and the like, written as a class.
    Many(&'static str),
}

const DIGIT: &str = "[0-9]";
const NO_DIGIT: &str = "[^0-9]";
const WORD: &str = "[0-9A-Za-z_]";
const NO_WORD: &str = "[^0-9A-Za-z_]";
/// White space and line ends of ECMA-262 (sections 12.2 and 12.3).
const SPACE: &str =
    r"[\x09-\x0D\x20\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
const NO_SPACE: &str =
    r"[^\x09-\x0D\x20\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";
const ANY_BUT_LINE_END: &str = r"[^\x0A\x0D\x{2028}\x{2029}]";
const NOTHING: &str = r"[^\x00-\x{10FFFF}]";
const ANYTHING: &str = r"[\x00-\x{10FFFF}]";

impl Reader<'_> {
    /// Disjunction.
    fn alternatives(&mut self) -> Read<()> {
        loop {
            while self.rest.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
                self.term()?;
            }
            if self.rest.next_if_eq(&'|').is_none() {
                return Ok(());
            }
            self.out.push('|');
        }
    }

    /// Term: an assertion, or an atom with its quantifier.
    fn term(&mut self) -> Read<()> {
        match self.rest.next().ok_or(Unsure)? {
            '^' => return self.assertion(r"\A"),
            '$' => return self.assertion(r"\z"),
            '\\' if self.rest.next_if_eq(&'b').is_some() => return self.assertion(r"(?-u:\b)"),
            '.' => self.out.push_str(ANY_BUT_LINE_END),
            '(' => self.group()?,
            '[' => self.class()?,
            '\\' => match self.escape()? {
                Member::One(character) => self.literal(character),
                Member::Many(class) => self.out.push_str(class),
            },
            '*' | '+' | '?' | '{' | '}' | ')' | ']' | '|' => return Err(Unsure),
            character => self.literal(character),
        }
        self.quantifier()
    }

    /// Assertions are not repeated.
    fn assertion(&mut self, written: &str) -> Read<()> {
        self.out.push_str(written);
        match self.rest.peek() {
            Some('*' | '+' | '?' | '{') => Err(Unsure),
            Some(_) | None => Ok(()),
        }
    }

    fn group(&mut self) -> Read<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(Unsure);
        }
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.next() {
                Some(':') => {}
                Some('<') => self.name()?,
                Some(_) | None => return Err(Unsure),
            }
        }
        self.out.push_str("(?:");
        self.alternatives()?;
        self.rest.next_if_eq(&')').ok_or(Unsure)?;
        self.out.push(')');
        self.nesting -= 1;
        Ok(())
    }

    /// The name of a group, which means nothing without references to it. `(?<=` and `(?<!` are none.
    fn name(&mut self) -> Read<()> {
        let mut name = String::new();
        while let Some(character) = self
            .rest
            .next_if(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '$'))
        {
            name.push(character);
        }
        let begins = name.starts_with(|first: char| !first.is_ascii_digit());
        self.rest.next_if_eq(&'>').ok_or(Unsure)?;
        (begins && self.names.insert(name)).then_some(()).ok_or(Unsure)
    }

    fn quantifier(&mut self) -> Read<()> {
        match self.rest.peek() {
            Some('*' | '+' | '?') => self.out.extend(self.rest.next()),
            Some('{') => {
                self.rest.next();
                let least = self.count()?;
                let most = match self.rest.next() {
                    Some('}') => Some(least),
                    Some(',') if self.rest.next_if_eq(&'}').is_some() => None,
                    Some(',') => {
                        let most = self.count()?;
                        self.rest.next_if_eq(&'}').ok_or(Unsure)?;
                        Some(most)
                    }
                    Some(_) | None => return Err(Unsure),
                };
                match most {
                    Some(most) if most < least => return Err(Unsure),
                    Some(most) => self.out.push_str(&format!("{{{least},{most}}}")),
                    None => self.out.push_str(&format!("{{{least},}}")),
                }
            }
            Some(_) | None => return Ok(()),
        }
        // Lazy or not, the same texts match.
        self.rest.next_if_eq(&'?');
        match self.rest.peek() {
            Some('*' | '+' | '?' | '{') => Err(Unsure),
            Some(_) | None => Ok(()),
        }
    }

    fn count(&mut self) -> Read<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().map_err(|_| Unsure)
    }

    fn class(&mut self) -> Read<()> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut members = String::new();
        loop {
            let member = match self.rest.next().ok_or(Unsure)? {
                ']' => break,
                '\\' => self.class_escape()?,
                character => Member::One(character),
            };
            let last = {
                let mut ahead = self.rest.clone();
                (ahead.next() == Some('-')).then(|| ahead.next())
            };
            match (member, last) {
                (Member::Many(class), None | Some(Some(']'))) => members.push_str(class),
                (Member::One(character), None | Some(Some(']'))) => members.push_str(&written(character)),
                (Member::One(low), Some(Some(_))) => {
                    self.rest.next();
                    let high = match self.rest.next().ok_or(Unsure)? {
                        '\\' => self.class_escape()?,
                        character => Member::One(character),
                    };
                    match high {
                        Member::One(high) if low <= high => {
                            members.push_str(&format!("{}-{}", written(low), written(high)));
                        }
                        Member::One(_) | Member::Many(_) => return Err(Unsure),
                    }
                }
                (Member::Many(_), Some(_)) | (Member::One(_), Some(None)) => return Err(Unsure),
            }
        }
        match (negated, members.as_str()) {
            (false, "") => self.out.push_str(NOTHING),
            (true, "") => self.out.push_str(ANYTHING),
            (false, members) => self.out.push_str(&format!("[{members}]")),
            (true, members) => self.out.push_str(&format!("[^{members}]")),
        }
        Ok(())
    }

    fn class_escape(&mut self) -> Read<Member> {
        if self.rest.next_if_eq(&'b').is_some() {
            return Ok(Member::One('\u{8}'));
        }
        if self.rest.next_if_eq(&'-').is_some() {
            return Ok(Member::One('-'));
        }
        self.escape()
    }

    /// What follows a backslash and means a character or a class, in a class and outside.
    fn escape(&mut self) -> Read<Member> {
        let one = |character| Ok(Member::One(character));
        match self.rest.next().ok_or(Unsure)? {
            'd' => Ok(Member::Many(DIGIT)),
            'D' => Ok(Member::Many(NO_DIGIT)),
            'w' => Ok(Member::Many(WORD)),
            'W' => Ok(Member::Many(NO_WORD)),
            's' => Ok(Member::Many(SPACE)),
            'S' => Ok(Member::Many(NO_SPACE)),
            't' => one('\t'),
            'n' => one('\n'),
            'v' => one('\u{b}'),
            'f' => one('\u{c}'),
            'r' => one('\r'),
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => one('\0'),
            'c' => {
                let letter = self.rest.next_if(char::is_ascii_alphabetic).ok_or(Unsure)?;
                one(char::from(letter as u8 % 32))
            }
            'x' => {
                let code = self.hex(2)?;
                char::from_u32(code).ok_or(Unsure).map(Member::One)
            }
            'u' if self.rest.next_if_eq(&'{').is_some() => {
                let mut code = 0_u32;
                let mut digits = 0;
                while let Some(digit) = self.rest.next_if(char::is_ascii_hexdigit) {
                    code = code
                        .checked_mul(16)
                        .and_then(|code| Some(code + digit.to_digit(16)?))
                        .ok_or(Unsure)?;
                    digits += 1;
                }
                self.rest.next_if_eq(&'}').filter(|_| digits > 0).ok_or(Unsure)?;
                char::from_u32(code).ok_or(Unsure).map(Member::One)
            }
            'u' => {
                let code = self.hex(4)?;
                if !(0xD800..0xDC00).contains(&code) {
                    return char::from_u32(code).ok_or(Unsure).map(Member::One);
                }
                // With the u flag two escaped halves are one code point.
                self.rest.next_if_eq(&'\\').ok_or(Unsure)?;
                self.rest.next_if_eq(&'u').ok_or(Unsure)?;
                let low = self.hex(4)?;
                if !(0xDC00..0xE000).contains(&low) {
                    return Err(Unsure);
                }
                let code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                char::from_u32(code).ok_or(Unsure).map(Member::One)
            }
            character if r"^$\.*+?()[]{}|/".contains(character) => one(character),
            _ => Err(Unsure),
        }
    }

    fn hex(&mut self, digits: usize) -> Read<u32> {
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.rest.next().and_then(|digit| digit.to_digit(16));
            code = code * 16 + digit.ok_or(Unsure)?;
        }
        Ok(code)
    }

    fn literal(&mut self, character: char) {
        self.out.push_str(&written(character));
    }
}

/// A character that is nothing but itself, in a class and outside.
fn written(character: char) -> String {
    if character.is_ascii_alphanumeric() {
        character.to_string()
    } else {
        format!("\\x{{{:X}}}", u32::from(character))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_enforced_means_what_ecma_262_says() {
        for (pattern, texts) in [
            ("b", &[("abc", true), ("ac", false), ("", false)][..]),
            ("", &[("", true), ("x", true)]),
            ("^b", &[("bc", true), ("abc", false), ("a\nb", false)]),
            ("b$", &[("ab", true), ("ab\n", false), ("b\nc", false)]),
            ("^$", &[("", true), ("\n", false)]),
            (
                "^.$",
                &[
                    ("😀", true),
                    ("\n", false),
                    ("\r", false),
                    ("\u{2028}", false),
                    ("\u{85}", true),
                ],
            ),
            (r"^\d+$", &[("12", true), ("٣", false), ("５", false)]),
            (r"^\D$", &[("٣", true), ("1", false)]),
            (r"^\w$", &[("a", true), ("_", true), ("ä", false)]),
            (r"^\W$", &[("ä", true), ("a", false), ("😀", true)]),
            (
                r"^\s$",
                &[
                    (" ", true),
                    ("\u{feff}", true),
                    ("\u{a0}", true),
                    ("\u{b}", true),
                    ("\u{85}", false),
                    ("\u{200b}", false),
                ],
            ),
            (r"^\S$", &[("\u{85}", true), (" ", false)]),
            (r"\bcat\b", &[("a cat.", true), ("cats", false), ("äcatä", true)]),
            (
                r"^[\d\-x]$",
                &[("-", true), ("x", true), ("5", true), ("y", false)],
            ),
            ("^[a-]$", &[("-", true), ("a", true), ("b", false)]),
            ("^[-a]$", &[("-", true), ("a", true)]),
            ("^[^a-c]$", &[("d", true), ("b", false), ("\n", true)]),
            (r"^[^\S]$", &[(" ", true), ("a", false)]),
            (r"^[\D\S]$", &[("1", true), (" ", true), ("a", true)]),
            ("^[&&~~]$", &[("&", true), ("~", true), ("a", false)]),
            ("^[a[:x]$", &[("[", true), (":", true), ("a", true), ("b", false)]),
            (r"^[\b]$", &[("\u{8}", true), ("b", false)]),
            ("[]", &[("", false), ("a", false)]),
            ("^[^]$", &[("\n", true), ("a", true), ("", false)]),
            ("^(?:a|bc)*$", &[("abca", true), ("", true), ("b", false)]),
            ("^(a)(b)$", &[("ab", true)]),
            (
                r"^(?<year>\d{4})-(?<month>\d{2})$",
                &[("2027-03", true), ("27-03", false)],
            ),
            ("^a{2}$", &[("aa", true), ("a", false)]),
            ("^a{2,}?$", &[("aaa", true), ("a", false)]),
            ("^a{1,2}b+?c*$", &[("aab", true), ("ac", false)]),
            (r"^\x41\u0042\u{43}\cA\0$", &[("ABC\u{1}\0", true)]),
            (r"^\ud83d\ude00$", &[("😀", true)]),
            (r"^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$", &[(r"^$\.*+?()[]{}|/", true)]),
            ("^#-~ é/$", &[("#-~ é/", true), ("#-~ e/", false)]),
            (
                "^(a+)+$",
                &[
                    ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false),
                    ("aaa", true),
                ],
            ),
            ("a|", &[("", true), ("b", true)]),
            ("^(?:|a)$", &[("", true), ("a", true), ("b", false)]),
        ] {
            let read = Pattern::read(pattern).unwrap_or_else(|| panic!("{pattern} is not read"));
            for (text, matches) in texts {
                assert_eq!(read.admits(text), *matches, "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn what_may_mean_something_else_is_not_enforced() {
        let long = "a".repeat(MAX_PATTERN + 1);
        let deep = format!("{}a{}", "(".repeat(30), ")".repeat(30));
        for pattern in [
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?<!a)",
            r"(a)\1",
            r"(?<n>a)\k<n>",
            "(?<n>a)(?<n>b)",
            "(?<1>a)",
            "(?<é>a)",
            "(?i:a)",
            "(?i)a",
            "(?P<n>a)",
            "(?>a)",
            "(?#c)",
            r"\p{L}",
            r"\P{L}",
            r"\B",
            r"\A",
            r"\z",
            r"\Z",
            r"\h",
            r"\Qa\E",
            r"\-",
            r"\_",
            r"\a",
            r"\e",
            r"\00",
            r"\01",
            r"\c1",
            r"\x4",
            r"\u12",
            r"\u{}",
            r"\u{110000}",
            r"\u{FFFFFFFFFF}",
            r"\ud83d",
            r"\ude00",
            r"[\ud83d-\udbff]",
            "a**",
            "a*+",
            "a++",
            "a{2}{3}",
            "^*",
            r"\b+",
            "*a",
            "+",
            "?",
            "|*",
            "(*)",
            "a{",
            "a{}",
            "a{,2}",
            "a{x}",
            "a{2",
            "a{3,2}",
            "a{99999999999}",
            "}",
            "]",
            ")",
            "(",
            "(a",
            "[a",
            "[b-a]",
            r"[\d-z]",
            r"[a-\d]",
            r"[\B]",
            "[a-",
            "\\",
            "(?",
            "(?<n",
            "[[:alpha:]]{1,2}{3}",
            // Too large to compile within the bound.
            "(?:[^a]{1000}){1000}",
            long.as_str(),
            deep.as_str(),
        ] {
            assert!(Pattern::read(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn patterns_of_everyday_are_small_enough() {
        for pattern in [
            r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
            r"^.{1,100}$",
            r"^[^<>]{1,100}$",
            r"^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$",
            r"^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$",
            r"^\+?[1-9]\d{1,14}$",
            r"^https?://[^\s/$.?#].[^\s]*$",
            r"^(0[1-9]|1[0-2])/\d{2}$",
            r"\S",
        ] {
            assert!(Pattern::read(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_to_look_at_is_let_through() {
        let pattern = Pattern::read("^b").expect("read");
        assert!(!pattern.admits(&"a".repeat(MAX_TEXT)));
        assert!(pattern.admits(&"a".repeat(MAX_TEXT + 1)));
    }
}
