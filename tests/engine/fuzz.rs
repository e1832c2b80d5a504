//! The fuzz targets without a fuzzer: every file of a corpus, and changes of it with a fixed seed.

#[expect(unreachable_pub, reason = "a library where the fuzzer runs it")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use targets::{Dice, TARGETS, Target};

/// Changed cases of each target.
const CHANGES: usize = 2_000;
/// Larger ones cost more time than they show.
const LARGEST: usize = 8 * 1024;

fn check(name: &str) {
    let (_, target) = *TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a target");
    let corpus: Vec<Vec<u8>> = files(&folder().join("corpus").join(name))
        .iter()
        .map(|file| {
            let bytes = std::fs::read(file).expect("a readable file");
            run(target, &bytes, &file.display().to_string());
            bytes
        })
        .collect();
    let words = words();
    let mut dice = Dice::of(name.as_bytes());
    for count in 0..CHANGES {
        let mut case = corpus[dice.below(corpus.len())].clone();
        for _ in 0..=dice.below(4) {
            change(&mut case, &corpus, &words, &mut dice);
        }
        case.truncate(LARGEST);
        run(target, &case, &format!("change {count}"));
    }
}

fn run(target: Target, bytes: &[u8], what: &str) {
    let ended = catch_unwind(AssertUnwindSafe(|| target(bytes)));
    assert!(ended.is_ok(), "{what}: {}", bytes.escape_ascii());
}

/// One change as a fuzzer would make it: a byte, a word, a piece left out, doubled or taken from another case.
fn change(case: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[Vec<u8>], dice: &mut Dice) {
    let at = dice.below(case.len() + 1);
    let end = at + dice.below((case.len() - at).min(64) + 1);
    let byte = u8::try_from(dice.below(256)).unwrap_or(0);
    match dice.below(6) {
        0 => drop(case.splice(at..end.min(at + 1), [byte])),
        1 => case.insert(at, byte),
        2 => drop(case.drain(at..end)),
        3 => {
            let piece = case[at..end].to_vec();
            case.splice(end..end, piece);
        }
        4 => {
            let other = &corpus[dice.below(corpus.len())];
            let from = dice.below(other.len() + 1);
            case.splice(at..end, other[from..].iter().copied());
        }
        _ => {
            let word = &words[dice.below(words.len())];
            case.splice(at..end, word.iter().copied());
        }
    }
}

/// The fuzzer's dictionary: one quoted word a line, `\"`, `\\` and `\xNN` escaped.
fn words() -> Vec<Vec<u8>> {
    let file = std::fs::read_to_string(folder().join("words.dict")).expect("a dictionary");
    let quoted = |line: &str| Some(unescaped(line.strip_prefix('"')?.strip_suffix('"')?.as_bytes()));
    file.lines().filter_map(quoted).collect()
}

fn unescaped(mut escaped: &[u8]) -> Vec<u8> {
    let mut word = Vec::new();
    while let [first, rest @ ..] = escaped {
        let (byte, rest) = match (first, rest) {
            (b'\\', [b'x', high, low, rest @ ..]) => {
                let digits = [*high, *low];
                let hexadecimal = std::str::from_utf8(&digits).expect("ASCII");
                (u8::from_str_radix(hexadecimal, 16).expect("two digits"), rest)
            }
            (b'\\', [plain, rest @ ..]) => (*plain, rest),
            _ => (*first, rest),
        };
        word.push(byte);
        escaped = rest;
    }
    word
}

/// In the order of their names, so that every run is the same.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz")
}

#[test]
fn a_stream_of_events_is_the_same_however_it_is_cut() {
    check("sse");
}

#[test]
fn lines_are_the_same_however_they_are_cut() {
    check("stdio");
}

#[test]
fn what_parses_prints_and_parses_to_the_same() {
    check("rpc");
}

#[test]
fn every_question_is_drawn_and_answered_or_refused() {
    check("input_required");
}

#[test]
fn every_schema_is_drawn_and_answered_or_refused() {
    check("arguments");
}

#[test]
fn every_schema_of_results_is_checked_or_said_to_be_unchecked() {
    check("structured");
}

#[test]
fn every_text_as_a_link_has_a_verdict() {
    check("link");
}

#[test]
fn every_text_travels_in_a_header() {
    check("header");
}

#[test]
fn no_text_reaches_a_screen_unfiltered() {
    check("text");
}

#[test]
fn every_target_has_a_corpus_and_a_binary() {
    let names = |folder: &str| -> Vec<String> {
        let stem = |file: PathBuf| file.file_stem().expect("a name").to_string_lossy().into_owned();
        files(&self::folder().join(folder))
            .into_iter()
            .map(stem)
            .collect()
    };
    let mut known = TARGETS.map(|(name, _)| name);
    known.sort_unstable();
    assert_eq!(names("corpus"), known);
    assert_eq!(names("targets"), known);
}
