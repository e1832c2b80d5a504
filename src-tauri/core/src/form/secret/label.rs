//! Whether a field asks for a secret, from what it is called.
//!
//! A key and a title name what they want, so a listed phrase in them counts unless the words around it say that
//! something about the secret is meant ("password length", "name of the token", "no password"). A description talks,
//! so a phrase in it counts only where the sentence begins with it or asks to fill it in. Only what a person is shown
//! is read: a field cannot ask for what nobody reads, and what is read costs the same for every server.
//!
//! Words are compared without case, accents, compatibility variants and invisible characters; a second look takes
//! letters of other scripts, digits and signs for the letters that they look like.

use super::words::{Class, Phrase, Word, Words, is_unspaced, normal, words};
use super::{Guard, Secret};
use crate::text;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// Words of a title from which it is read as a sentence.
const SENTENCE: usize = 6;
/// Words that may stand between "enter" and what is to be entered.
const REACH: usize = 5;
/// Letters up to which a title or key is also read as one word.
const ONE_WORD: usize = 20;
/// Letters up to which a description in a script without blanks is read like a title.
const SHORT: usize = 12;

/// What a person can put into a field, as far as secrets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::form) enum Answers {
    Text,
    Number,
    Date,
    /// Choices, yes or no, an e-mail address: nothing that could hold a secret.
    NoSecret,
}

/// Judges a field by its key, its title and its description.
pub(in crate::form) fn of_label(key: &str, title: &str, description: &str, answers: Answers) -> Guard {
    if answers == Answers::NoSecret {
        return Guard::Ok;
    }
    let title_says = !title.trim().is_empty();
    let key = cut(key, text::TITLE);
    let title = cut(title, text::TITLE);
    let description = cut(description, text::DESCRIPTION);
    let repeated = letters(&key) == letters(&title);
    [
        judge(
            &key,
            Part::Key {
                alone: !title_says || repeated,
            },
            answers,
        ),
        judge(&title, Part::Title, answers),
        judge(&description, Part::Description, answers),
    ]
    .into_iter()
    .max()
    .unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `alone`: there is no title that says more.
    Key {
        alone: bool,
    },
    Title,
    Description,
}

/// A word of a label that counts.
struct Token {
    word: Word,
    /// Words of one segment have no punctuation between them.
    segment: usize,
    sentence: usize,
    /// A word for "of" stood before it.
    linked: bool,
    /// It only looks like this.
    disguised: bool,
}

/// A listed phrase in a label: the tokens from `start` up to `end`.
struct Match {
    class: Class,
    start: usize,
    end: usize,
}

fn judge(text: &str, part: Part, answers: Answers) -> Guard {
    if text.trim().is_empty() {
        return Guard::Ok;
    }
    let lists = words();
    let tokens = read(text, part, false, lists);
    let mut disguised = read(text, part, true, lists);
    if disguised.iter().all(|token| !token.disguised) {
        disguised.clear();
    }
    let question = part == Part::Title && text.trim_end().ends_with(['?', '？', '؟']);
    [
        judge_words(&tokens, part, question, answers, lists),
        judge_words(&disguised, part, question, answers, lists),
        judge_as_one(&tokens, part, answers, lists),
        judge_unspaced(text, part, answers, lists),
        judge_sample(text, answers),
    ]
    .into_iter()
    .max()
    .unwrap_or_default()
}

fn judge_words(tokens: &[Token], part: Part, question: bool, answers: Answers, lists: &Words) -> Guard {
    let matches = find(tokens, part, lists);
    let is_fine = |found: &Match| {
        matches
            .iter()
            .any(|fine| fine.class == Class::Fine && fine.start <= found.start && fine.end >= found.end)
    };
    let a_sentence = match part {
        Part::Key { .. } => false,
        Part::Title => question || tokens.len() >= SENTENCE,
        Part::Description => true,
    };
    let disguise = tokens.iter().any(|token| token.disguised);
    let counts = |found: &Match| {
        let within = tokens.get(found.start..found.end).unwrap_or_default();
        let disguised = within.iter().any(|token| token.disguised);
        (!disguise || disguised)
            && !is_fine(found)
            && !is_about(tokens, found, lists)
            && (!a_sentence || is_asked(tokens, found, lists))
    };
    let whole = |found: &Match| found.start == 0 && found.end == tokens.len();
    let guards = matches.iter().filter(|found| counts(found));
    let guards = guards.map(|found| guard(found.class, answers, whole(found)));
    guards.max().unwrap_or_default()
}

/// A short label whose blanks and signs only break one word apart.
fn judge_as_one(tokens: &[Token], part: Part, answers: Answers, lists: &Words) -> Guard {
    let letters: String = tokens.iter().map(|token| token.word.bare.as_str()).collect();
    if part == Part::Description || tokens.len() < 2 || letters.chars().count() > ONE_WORD {
        return Guard::Ok;
    }
    lists
        .spelled(&letters)
        .map(|phrase| guard(phrase.class, answers, true))
        .unwrap_or_default()
}

/// Scripts that put no blanks between words: a phrase is a piece of the text.
fn judge_unspaced(text: &str, part: Part, answers: Answers, lists: &Words) -> Guard {
    if !text.chars().any(is_unspaced) {
        return Guard::Ok;
    }
    let compact: String = normal(text)
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let has = |pieces: &[String]| pieces.iter().any(|piece| compact.contains(piece.as_str()));
    if has(&lists.without.pieces) {
        return Guard::Ok;
    }
    let spans = lists.unspaced.iter().filter_map(|at| lists.phrases.get(*at));
    let spans: Vec<(Class, usize, usize)> = spans
        .filter(|phrase| !phrase.whole || phrase.joined == compact)
        .flat_map(|phrase| {
            let hits = compact.match_indices(phrase.joined.as_str());
            hits.map(|(at, piece)| (phrase.class, at, at + piece.len()))
        })
        .collect();
    let is_fine = |start: usize, end: usize| {
        spans
            .iter()
            .any(|(class, from, to)| *class == Class::Fine && *from <= start && *to >= end)
    };
    let is_about = |start: usize, end: usize| {
        let rest = compact
            .get(end..)
            .unwrap_or_default()
            .trim_start_matches(['の', '的', '의']);
        let before = compact.get(..start).unwrap_or_default();
        lists.after.pieces.iter().any(|piece| rest.starts_with(piece))
            || lists.leading.pieces.iter().any(|piece| before.ends_with(piece))
    };
    let asked = |start: usize| {
        part != Part::Description
            || start == 0
            || compact.chars().count() <= SHORT
            || has(&lists.enter.pieces)
    };
    let guards = spans
        .iter()
        .filter(|(_, start, end)| !is_fine(*start, *end) && !is_about(*start, *end) && asked(*start))
        .map(|(class, start, end)| guard(*class, answers, *start == 0 && *end == compact.len()));
    guards.max().unwrap_or_default()
}

/// The beginning of a well-known key as an example of what to enter.
fn judge_sample(text: &str, answers: Answers) -> Guard {
    const BEGINNINGS: [&str; 9] = [
        "sk-",
        "pk-",
        "sk_live_",
        "ghp_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "AKIA",
        "AIza",
    ];
    let is_sample = |word: &str| {
        let rest = BEGINNINGS
            .into_iter()
            .find_map(|beginning| word.strip_prefix(beginning));
        rest.is_some_and(|rest| {
            rest.chars()
                .all(|c| matches!(c, '.' | '…' | '*' | 'x' | 'X' | '•'))
        })
    };
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '\'' | '`' | '(' | ')'));
    let shown = words
        .map(|word| word.trim_end_matches([',', ';', ':']))
        .any(is_sample);
    if answers == Answers::Text && (shown || text.contains("-----BEGIN")) {
        Guard::Suspicious(Secret::Key)
    } else {
        Guard::Ok
    }
}

fn guard(class: Class, answers: Answers, whole: bool) -> Guard {
    let fits = |secret: Secret| match answers {
        Answers::Text => true,
        Answers::NoSecret => false,
        Answers::Date => secret == Secret::Card,
        Answers::Number => match secret {
            Secret::Code | Secret::Card | Secret::Bank | Secret::Identity => true,
            Secret::Password => whole,
            Secret::Key | Secret::Phrase | Secret::Login => false,
        },
    };
    match class {
        Class::Secret(secret) if fits(secret) => Guard::Secret(secret),
        Class::Suspicious(secret) if fits(secret) => Guard::Suspicious(secret),
        Class::Secret(_) | Class::Suspicious(_) | Class::Fine => Guard::Ok,
    }
}

fn find(tokens: &[Token], part: Part, lists: &Words) -> Vec<Match> {
    let mut matches = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        for at in lists.beginning_with(&token.word) {
            let Some(phrase) = lists.phrases.get(at) else {
                continue;
            };
            let end = start + phrase.words.len();
            let Some(within) = tokens.get(start..end) else {
                continue;
            };
            let fits = within.iter().all(|other| other.segment == token.segment)
                && phrase
                    .words
                    .iter()
                    .zip(within)
                    .all(|(word, other)| word.fits(&other.word));
            if fits && suits(phrase, tokens, start, end, part, lists) {
                let class = in_part(phrase, part);
                matches.push(Match { class, start, end });
            }
        }
        let as_one = lists.written_as_one(&token.word.bare);
        if let Some(phrase) = as_one.and_then(|at| lists.phrases.get(at))
            && suits(phrase, tokens, start, start + 1, part, lists)
        {
            let class = phrase.class;
            matches.push(Match {
                class,
                start,
                end: start + 1,
            });
        }
    }
    matches
}

/// Programs name what they want at the end of a key (`plaid_secret`); a title may talk of any token.
fn in_part(phrase: &Phrase, part: Part) -> Class {
    match (phrase.class, part) {
        (Class::Suspicious(secret), Part::Key { .. }) if phrase.last => Class::Secret(secret),
        (class, Part::Key { .. } | Part::Title | Part::Description) => class,
    }
}

/// Whether the phrase stands as the list wants it.
fn suits(phrase: &Phrase, tokens: &[Token], start: usize, end: usize, part: Part, lists: &Words) -> bool {
    let in_segment = |at: usize| {
        let segment = tokens.get(start).map(|token| token.segment);
        tokens.get(at).filter(|token| Some(token.segment) == segment)
    };
    let first_word = start == 0
        || tokens.get(..start).is_some_and(|before| {
            let before: Vec<&Token> = before
                .iter()
                .filter(|token| {
                    tokens
                        .get(start)
                        .is_some_and(|first| first.segment == token.segment)
                })
                .collect();
            before.iter().all(|token| lists.enter.has(&token.word))
                && tokens.get(start).is_some_and(|first| first.segment == 0)
        });
    let whole = || part != Part::Key { alone: false } && first_word && in_segment(end).is_none();
    let last = || {
        let next = in_segment(end);
        next.is_none_or(|next| next.linked || lists.other.has(&next.word))
    };
    let capitals = || {
        let within = tokens.get(start..end).unwrap_or_default();
        within.iter().all(|token| token.word.capitals)
    };
    (!phrase.whole || whole()) && (!phrase.last || last()) && (!phrase.capitals || capitals())
}

/// Whether the words around say that something about the secret is meant, or none at all.
fn is_about(tokens: &[Token], found: &Match, lists: &Words) -> bool {
    let Some(first) = tokens.get(found.start) else {
        return false;
    };
    let segment = |token: &&Token| token.segment == first.segment;
    let before: Vec<&Token> = tokens.iter().take(found.start).collect();
    let near: Vec<&Token> = before.iter().rev().copied().take_while(segment).collect();
    let mut sentence = before.iter().filter(|token| token.sentence == first.sentence);
    if sentence.any(|token| lists.without.has(&token.word)) {
        return true;
    }
    let led = near.first().is_some_and(|token| lists.leading.has(&token.word));
    let of = |token: &&Token| lists.about.has(&token.word) || lists.leading.has(&token.word);
    if led || first.linked && near.iter().take(2).any(of) {
        return true;
    }
    let follows: Vec<&Token> = tokens.iter().skip(found.end).take_while(segment).collect();
    let stop = |token: &&&Token| !token.linked && !lists.other.has(&token.word);
    let follows: Vec<&Token> = follows.iter().take_while(stop).copied().collect();
    let next = follows.first().is_some_and(|token| lists.after.has(&token.word));
    let last = follows.last().is_some_and(|token| lists.after.has(&token.word));
    next || last && follows.len() <= 3
}

/// Whether a sentence asks to fill it in: it begins with it, or with a word such as "enter" shortly before.
fn is_asked(tokens: &[Token], found: &Match, lists: &Words) -> bool {
    let Some(first) = tokens.get(found.start) else {
        return false;
    };
    let before: Vec<&Token> = tokens
        .iter()
        .take(found.start)
        .rev()
        .take_while(|token| token.sentence == first.sentence)
        .collect();
    let next = tokens.get(found.end).filter(|next| next.segment == first.segment);
    let ends = next.is_none_or(|next| next.linked || lists.other.has(&next.word));
    let begins = before.is_empty() || before.len() == 1 && first.sentence == 0 && ends;
    let reached = before
        .iter()
        .take(REACH)
        .take_while(|token| !lists.other.has(&token.word))
        .any(|token| lists.enter.has(&token.word));
    begins || reached
}

/// The words of a text that count. `disguise`: each as what it looks like.
fn read(text: &str, part: Part, disguise: bool, lists: &Words) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut segment, mut sentence, mut linked) = (0, 0, false);
    for piece in pieces(text, disguise) {
        let spelled = match piece {
            Piece::Word(word) => word,
            Piece::Break { ends } => {
                if part != (Part::Key { alone: true }) && part != (Part::Key { alone: false }) {
                    segment += 1;
                    sentence += usize::from(ends);
                    linked = false;
                }
                continue;
            }
        };
        let seen = disguise.then(|| seen_as(&spelled)).flatten();
        let disguised = seen.is_some();
        let word = Word::of(&seen.unwrap_or(spelled));
        if lists.little.has_exactly(&word) {
            linked |= lists.of.has_exactly(&word);
            continue;
        }
        tokens.push(Token {
            word,
            segment,
            sentence,
            linked,
            disguised,
        });
        linked = false;
    }
    let first = tokens.first().map_or(0, |token| token.segment);
    tokens.iter_mut().for_each(|token| token.segment -= first);
    tokens
}

enum Piece {
    Word(String),
    /// Punctuation; `ends`: of a sentence.
    Break {
        ends: bool,
    },
}

/// Words, split at signs, at a capital within a word and where the kind of script changes; letters that stand alone
/// three times or more are one word (A.P.I.).
fn pieces(text: &str, disguise: bool) -> Vec<Piece> {
    let letters: Vec<char> = normal(text).chars().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut word = String::new();
    let mut previous: Option<char> = None;
    for (at, c) in letters.iter().copied().enumerate() {
        let next = letters.get(at + 1).copied();
        let sign = disguise && is_sign(c) && previous.is_some_and(is_wordy) && next.is_some_and(is_wordy);
        if c.is_alphanumeric() || is_combining_mark(c) || sign {
            if starts_word(previous, c, next, sign) {
                push(&mut pieces, &mut word);
            }
            word.push(c);
        } else {
            let short = word.chars().count() <= 1;
            push(&mut pieces, &mut word);
            if let Some(ends) = breaks(c, previous, next, short) {
                pieces.push(Piece::Break { ends });
            }
        }
        previous = Some(c);
    }
    push(&mut pieces, &mut word);
    spelled_out(pieces)
}

fn push(pieces: &mut Vec<Piece>, word: &mut String) {
    if !word.is_empty() {
        pieces.push(Piece::Word(std::mem::take(word)));
    }
}

fn starts_word(previous: Option<char>, c: char, next: Option<char>, sign: bool) -> bool {
    let Some(previous) = previous.filter(|c| c.is_alphanumeric()) else {
        return false;
    };
    if sign || is_combining_mark(c) {
        return false;
    }
    let hump = c.is_uppercase()
        && (previous.is_lowercase() || previous.is_uppercase() && next.is_some_and(char::is_lowercase));
    hump || is_unspaced(previous) != is_unspaced(c) && !previous.is_numeric() && !c.is_numeric()
}

/// `None`: a sign within a name, such as a hyphen. A point between single letters spells a word.
fn breaks(c: char, previous: Option<char>, next: Option<char>, short: bool) -> Option<bool> {
    let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    match c {
        '.' if short => None,
        '.' => blank(next).then_some(true),
        '!' | '?' | ';' | '\n' | '。' | '؟' | '।' => Some(true),
        '(' | ')' | '[' | ']' | '{' | '}' | ':' | ',' | '/' | '|' | '"' | '“' | '”' | '„' | '«' | '»'
        | '、' | '–' | '—' | '•' | '·' | '،' | '=' => Some(false),
        '-' => (blank(previous) && blank(next)).then_some(false),
        _ => None,
    }
}

/// Single letters in a row as the word that they spell.
fn spelled_out(pieces: Vec<Piece>) -> Vec<Piece> {
    const FEWEST: usize = 3;
    let mut out = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let flush = |run: &mut Vec<String>, out: &mut Vec<Piece>| {
        if run.len() >= FEWEST {
            out.push(Piece::Word(run.concat()));
        } else {
            out.extend(run.iter().cloned().map(Piece::Word));
        }
        run.clear();
    };
    for piece in pieces {
        match piece {
            Piece::Word(word) if word.chars().count() == 1 => run.push(word),
            other @ (Piece::Word(_) | Piece::Break { .. }) => {
                flush(&mut run, &mut out);
                out.push(other);
            }
        }
    }
    flush(&mut run, &mut out);
    out
}

/// The word that this one looks like, if that is another.
fn seen_as(word: &str) -> Option<String> {
    let lettered = word.chars().any(char::is_alphabetic);
    let seen: String = word
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '0' if lettered => 'o',
            '1' | '!' if lettered => 'i',
            '3' if lettered => 'e',
            '4' | '@' if lettered => 'a',
            '5' | '$' if lettered => 's',
            '7' if lettered => 't',
            c if c.is_ascii() => c,
            c => latin(c).unwrap_or(c),
        })
        .collect();
    (seen != word.to_lowercase()).then_some(seen)
}

/// The Latin letter that another letter looks like (UTS 39, and small capitals and Cyrillic that it tells apart).
fn latin(c: char) -> Option<char> {
    const ALIKE: [(char, char); 30] = [
        ('ᴀ', 'a'),
        ('ʙ', 'b'),
        ('ᴄ', 'c'),
        ('ᴅ', 'd'),
        ('ᴇ', 'e'),
        ('ꜰ', 'f'),
        ('ɢ', 'g'),
        ('ʜ', 'h'),
        ('ɪ', 'i'),
        ('ᴊ', 'j'),
        ('ᴋ', 'k'),
        ('ʟ', 'l'),
        ('ᴍ', 'm'),
        ('ɴ', 'n'),
        ('ᴏ', 'o'),
        ('ᴘ', 'p'),
        ('ʀ', 'r'),
        ('ꜱ', 's'),
        ('ᴛ', 't'),
        ('ᴜ', 'u'),
        ('ᴠ', 'v'),
        ('ᴡ', 'w'),
        ('ʏ', 'y'),
        ('ᴢ', 'z'),
        ('к', 'k'),
        ('м', 'm'),
        ('т', 't'),
        ('в', 'b'),
        ('κ', 'k'),
        ('τ', 't'),
    ];
    if let Some((_, letter)) = ALIKE.iter().find(|(alike, _)| *alike == c) {
        return Some(*letter);
    }
    let mut buffer = [0; 4];
    let mut seen = skeleton(c.encode_utf8(&mut buffer));
    match (seen.next(), seen.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => Some(letter.to_ascii_lowercase()),
        (Some(_) | None, _) => None,
    }
}

fn is_sign(c: char) -> bool {
    matches!(c, '@' | '$' | '!')
}

fn is_wordy(c: char) -> bool {
    c.is_alphanumeric() || is_sign(c)
}

/// What a person sees of it, less what is invisible anyway.
fn cut(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
