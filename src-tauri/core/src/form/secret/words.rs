//! The list in `words.txt`, read once, and the one form in which words are compared.

use super::Secret;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

static LISTED: LazyLock<Words> = LazyLock::new(|| Words::read(include_str!("words.txt")));

/// Every list, made for looking up.
#[derive(Default)]
pub(super) struct Words {
    pub(super) phrases: Vec<Phrase>,
    /// Phrases by their first word, where that has no wildcard.
    first: HashMap<String, Vec<usize>>,
    /// Phrases whose first word is the beginning of a word, by it.
    beginnings: HashMap<String, Vec<usize>>,
    /// Phrases whose first word is the end of a word, by it.
    ends: HashMap<String, Vec<usize>>,
    /// Phrases whose first word may stand anywhere in a word.
    within: Vec<usize>,
    /// Phrases of several words written as one.
    joined: HashMap<String, usize>,
    /// Phrases for secrets by their letters.
    spelled: HashMap<String, usize>,
    /// Phrases of scripts that put no blanks between words.
    pub(super) unspaced: Vec<usize>,
    pub(super) after: WordSet,
    pub(super) about: WordSet,
    pub(super) leading: WordSet,
    pub(super) without: WordSet,
    pub(super) enter: WordSet,
    pub(super) other: WordSet,
    pub(super) of: WordSet,
    pub(super) little: WordSet,
}

/// Words on their own, and for scripts without blanks the same as pieces of text.
#[derive(Default)]
pub(super) struct WordSet {
    words: HashSet<String>,
    pub(super) pieces: Vec<String>,
}

pub(super) struct Phrase {
    pub(super) class: Class,
    pub(super) words: Vec<Pattern>,
    /// Written as one.
    pub(super) joined: String,
    pub(super) whole: bool,
    pub(super) capitals: bool,
    pub(super) last: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Secret(Secret),
    Suspicious(Secret),
    /// No secret, although it holds words of one.
    Fine,
}

pub(super) struct Pattern {
    text: String,
    /// The list writes it with accents, so they count.
    accents: bool,
    starts: bool,
    ends: bool,
}

/// A word of a label in the forms in which it is compared.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// Lower case, composed.
    pub(super) plain: String,
    /// The same without accents.
    pub(super) bare: String,
    pub(super) capitals: bool,
}

pub(super) fn words() -> &'static Words {
    &LISTED
}

impl Words {
    /// The phrases that may begin with this word.
    pub(super) fn beginning_with(&self, word: &Word) -> Vec<usize> {
        let mut found = self.within.clone();
        for spelling in word.spellings() {
            found.extend(self.first.get(spelling).into_iter().flatten());
            for (at, letter) in spelling.char_indices() {
                let (end, start) = (spelling.get(at..), spelling.get(..at + letter.len_utf8()));
                found.extend(end.and_then(|end| self.ends.get(end)).into_iter().flatten());
                found.extend(
                    start
                        .and_then(|start| self.beginnings.get(start))
                        .into_iter()
                        .flatten(),
                );
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The phrase without wildcards that these letters are, blanks and signs aside.
    pub(super) fn spelled(&self, letters: &str) -> Option<&Phrase> {
        self.spelled.get(letters).and_then(|at| self.phrases.get(*at))
    }

    /// The longest phrase of several words that this word is, or ends with, written as one.
    pub(super) fn written_as_one(&self, word: &str) -> Option<usize> {
        const SHORTEST_END: usize = 6;
        let starts = word.char_indices().map(|(at, _)| at);
        starts
            .take_while(|at| *at == 0 || word.len() - at >= SHORTEST_END)
            .find_map(|at| self.joined.get(word.get(at..)?))
            .copied()
    }

    fn read(text: &str) -> Self {
        let mut words = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((class, items)) = line.split_once(':') else {
                continue;
            };
            for item in items.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                words.take(class, item);
            }
        }
        words
    }

    fn take(&mut self, class: &str, item: &str) {
        let class = match class {
            "fine" => Class::Fine,
            "after" => return self.after.take(item),
            "about" => return self.about.take(item),
            "leading" => return self.leading.take(item),
            "without" => return self.without.take(item),
            "enter" => return self.enter.take(item),
            "other" => return self.other.take(item),
            "of" => return self.of.take(item),
            "little" => return self.little.take(item),
            name => match (name.strip_prefix('?'), secret(name.trim_start_matches('?'))) {
                (Some(_), Some(secret)) => Class::Suspicious(secret),
                (None, Some(secret)) => Class::Secret(secret),
                (_, None) => return,
            },
        };
        let phrase = Phrase::read(class, item);
        let at = self.phrases.len();
        if phrase.joined.chars().any(is_unspaced) {
            self.unspaced.push(at);
        } else if let Some(first) = phrase.words.first() {
            if matches!(phrase.class, Class::Secret(_)) {
                self.spelled.insert(phrase.joined.clone(), at);
            }
            let text = first.text.clone();
            match (first.ends, first.starts) {
                (true, true) => self.within.push(at),
                (true, false) => self.ends.entry(text).or_default().push(at),
                (false, true) => self.beginnings.entry(text).or_default().push(at),
                (false, false) => self.first.entry(text).or_default().push(at),
            }
            let plain = phrase
                .words
                .iter()
                .all(|word| !word.starts && !word.ends && !word.accents);
            if phrase.words.len() > 1 && plain {
                self.joined.insert(phrase.joined.clone(), at);
            }
        }
        self.phrases.push(phrase);
    }
}

impl WordSet {
    pub(super) fn has(&self, word: &Word) -> bool {
        word.spellings().any(|spelling| self.words.contains(spelling))
    }

    /// Only as it is written, accents and all.
    pub(super) fn has_exactly(&self, word: &Word) -> bool {
        self.words.contains(&word.plain)
    }

    fn take(&mut self, item: &str) {
        let word = Word::of(&normal(item));
        if word.plain.chars().any(is_unspaced) {
            self.pieces.push(word.plain.replace(' ', ""));
        }
        self.words.insert(word.plain);
    }
}

impl Phrase {
    fn read(class: Class, item: &str) -> Self {
        let flags = item.trim_start_matches(['=', '^', '$']);
        let flag = |flag| {
            item.get(..item.len() - flags.len())
                .is_some_and(|set| set.contains(flag))
        };
        let words: Vec<Pattern> = flags
            .split([' ', '-', '_'])
            .filter(|word| !word.is_empty())
            .map(Pattern::read)
            .collect();
        Self {
            class,
            joined: words.iter().map(|word| word.text.as_str()).collect(),
            whole: flag('='),
            capitals: flag('^'),
            last: flag('$'),
            words,
        }
    }
}

impl Pattern {
    fn read(word: &str) -> Self {
        let stem = word.trim_matches('*');
        let read = Word::of(&normal(stem));
        let accents = read
            .plain
            .chars()
            .any(|c| !c.is_ascii() && c.script() == Script::Latin);
        Self {
            text: if accents { read.plain } else { read.bare },
            accents,
            starts: word.ends_with('*'),
            ends: word.starts_with('*') && word.len() > 1,
        }
    }

    pub(super) fn fits(&self, word: &Word) -> bool {
        let fits = |spelling: &str| match (self.ends, self.starts) {
            (false, false) => spelling == self.text,
            (false, true) => spelling.starts_with(&self.text),
            (true, false) => spelling.ends_with(&self.text),
            (true, true) => spelling.contains(&self.text),
        };
        if self.accents {
            fits(&word.plain) || word.plain_alternatives().any(fits)
        } else {
            word.spellings().any(fits)
        }
    }
}

impl Word {
    /// `text` as [`normal`] makes it, capitals kept.
    pub(super) fn of(text: &str) -> Self {
        let plain = without_article(&text.to_lowercase());
        Self {
            bare: bare(&plain),
            plain,
            capitals: text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase),
        }
    }

    /// What may be looked up: as it is, without accents, without a number at the end, without a Hebrew prefix.
    fn spellings(&self) -> impl Iterator<Item = &str> {
        let bare = self.bare.as_str();
        let unnumbered = bare.trim_end_matches(|c: char| c.is_ascii_digit());
        let unnumbered = (!unnumbered.is_empty() && unnumbered != bare).then_some(unnumbered);
        let plain = (self.plain != bare).then_some(self.plain.as_str());
        [Some(bare), plain, unnumbered]
            .into_iter()
            .flatten()
            .chain(self.plain_alternatives())
    }

    fn plain_alternatives(&self) -> impl Iterator<Item = &str> {
        let rest = self.plain.strip_prefix(['ה', 'ב', 'ל', 'ו', 'ש', 'כ', 'מ']);
        rest.filter(|rest| rest.chars().count() >= 3).into_iter()
    }
}

fn secret(name: &str) -> Option<Secret> {
    Some(match name {
        "password" => Secret::Password,
        "key" => Secret::Key,
        "code" => Secret::Code,
        "card" => Secret::Card,
        "bank" => Secret::Bank,
        "identity" => Secret::Identity,
        "phrase" => Secret::Phrase,
        "login" => Secret::Login,
        _ => return None,
    })
}

/// Compatibility variants as themselves (NFKC), nothing invisible; case as it is.
pub(super) fn normal(text: &str) -> String {
    text.chars()
        .filter(|c| !hidden(*c))
        .nfkc()
        .filter(|c| !hidden(*c))
        .collect()
}

/// Whether words of this script stand without blanks between them, or may.
pub(super) fn is_unspaced(c: char) -> bool {
    const UNSPACED: [Script; 8] = [
        Script::Han,
        Script::Hiragana,
        Script::Katakana,
        Script::Hangul,
        Script::Thai,
        Script::Lao,
        Script::Khmer,
        Script::Myanmar,
    ];
    c == 'ー' || !c.is_ascii() && UNSPACED.contains(&c.script())
}

fn hidden(c: char) -> bool {
    !c.is_whitespace() && crate::text::marked(c.encode_utf8(&mut [0; 4])).starts_with('⟦') && c != '⟦'
}

/// Without accents and with letters that people leave out or exchange as one: ł as l, ß as ss, ة as ه.
fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|c| !is_accent(*c)) {
        match c {
            'ł' => out.push('l'),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ı' => out.push('i'),
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ς' => out.push('σ'),
            'أ' | 'إ' | 'آ' | 'ٱ' => out.push('ا'),
            'ة' => out.push('ه'),
            'ى' | 'ی' => out.push('ي'),
            'ک' => out.push('ك'),
            'ё' => out.push('е'),
            c => out.push(c),
        }
    }
    out.nfc().collect()
}

/// Marks that a word is recognised without: of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels.
fn is_accent(c: char) -> bool {
    is_combining_mark(c)
        && matches!(u32::from(c), 0x300..=0x36f | 0x591..=0x5c7 | 0x610..=0x61a | 0x64b..=0x65f | 0x670)
}

/// Without the Arabic article, also behind "and", "with" and "for".
fn without_article(word: &str) -> String {
    const SHORTEST: usize = 2;
    let rest = ["وال", "بال", "لل", "ال"]
        .into_iter()
        .find_map(|article| word.strip_prefix(article))
        .filter(|rest| rest.chars().count() >= SHORTEST);
    rest.unwrap_or(word).to_owned()
}
