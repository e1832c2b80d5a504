//! The one filter that every text from a server passes before a person sees it.
//!
//! Promises: no control, bidirectional or invisible character reaches the screen or a terminal as itself; each is
//! shown as a mark such as `⟦U+202E⟧`. Line breaks of every kind become `\n`, runs of blank lines shrink to one,
//! stacks of combining marks are cut, and the length is bounded. Joiners stay where writing needs them
//! (between letters of joining scripts, in emoji).
//!
//! Deliberately absent: any mark-up. What comes out is plain text and is rendered as a text node.

use unicode_normalization::char::is_combining_mark;

/// Longest message of a server that is shown at once, in code points; the rest is behind "show all".
pub const MESSAGE: usize = 4_000;
/// Longest text that "show all" shows, in code points.
pub const WHOLE: usize = 100_000;
/// Longest JSON that is shown, in code points.
pub const SOURCE: usize = 400_000;
/// Longest title of a field or option, in code points.
pub const TITLE: usize = 120;
/// Longest description, in code points.
pub const DESCRIPTION: usize = 1_000;
/// Longest quoted chip outside the server's frame, in code points.
pub const CHIP: usize = 40;
/// Combining marks that one letter may carry; Hebrew and Vietnamese need fewer.
const MARKS: usize = 4;

/// Text that is safe to show, and how many code points of it were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filtered {
    pub text: String,
    pub left_out: usize,
}

/// The first line that says something, as it stands; empty where none does.
pub fn first_line(text: &str) -> &str {
    let mut lines = text.lines();
    lines.find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Filters a text of several lines and cuts it after `limit` code points.
pub fn block(text: &str, limit: usize) -> Filtered {
    let mut out = String::with_capacity(text.len().min(limit * 4));
    let (mut taken, mut left_out, mut marks, mut breaks) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut previous = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let character = match character {
            '\r' if characters.peek() == Some(&'\n') => continue,
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            other => other,
        };
        marks = if is_combining_mark(character) {
            marks + 1
        } else {
            0
        };
        breaks = match character {
            '\n' => breaks + 1,
            ' ' | '\t' if breaks > 0 => breaks,
            _ => 0,
        };
        if marks > MARKS || (character == '\n' && breaks > 2) {
            continue;
        }
        if taken == limit {
            left_out += 1;
            continue;
        }
        taken += 1;
        if stays(character, previous, characters.peek().copied()) {
            out.push(character);
        } else {
            out.push_str(&mark(character));
        }
        previous = Some(character);
    }
    Filtered {
        text: out.trim_end_matches('\n').to_owned(),
        left_out,
    }
}

/// Filters a text that must stay on one line; line breaks become blanks and a cut is shown as `…`.
pub fn line(text: &str, limit: usize) -> String {
    let Filtered { text, left_out } = block(text, limit);
    let mut text = text.replace(['\n', '\t'], " ");
    if left_out > 0 {
        text.push('…');
    }
    text
}

/// A long text for looking at, such as JSON: filtered, and cut with a word after [`SOURCE`] code points.
pub fn source(text: &str) -> String {
    let Filtered { mut text, left_out } = block(text, SOURCE);
    if left_out > 0 {
        text.push_str(&format!("\n… ({left_out} more characters)"));
    }
    text
}

/// The same JSON, in which what a screen would hide or act upon is written as an escape. Such characters can only be
/// inside its strings.
pub fn legible(json: &str) -> String {
    escaped(json, |character| {
        character == '\n' || marked(character.encode_utf8(&mut [0; 4])).chars().eq([character])
    })
}

/// The same JSON in ASCII letters only.
pub fn ascii(json: &str) -> String {
    escaped(json, |character| character.is_ascii())
}

fn escaped(json: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        // What is seen as it is stands first, because that is nearly everything.
        if character.is_ascii_graphic() || stays(character) {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// A sentence with a capital at its beginning.
pub fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + characters.as_str())
        .unwrap_or_default()
}

/// A foreign word outside the server's frame: one line, at most [`CHIP`] code points, the cut shown.
pub fn chip(text: &str) -> String {
    line(text, CHIP - 1)
}

/// The text with every character that must not reach a screen or a log shown as a mark, line breaks among them;
/// nothing is cut.
pub fn marked(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_control() || invisible(character) || matches!(character, '\u{2028}' | '\u{2029}')
            {
                mark(character)
            } else {
                character.to_string()
            }
        })
        .collect()
}

fn mark(character: char) -> String {
    format!("⟦U+{:04X}⟧", u32::from(character))
}

fn stays(character: char, previous: Option<char>, next: Option<char>) -> bool {
    match character {
        '\n' | '\t' => true,
        // Joiners shape words of joining scripts and emoji; beside anything else they only hide.
        '\u{200c}' | '\u{200d}' => [previous, next].into_iter().all(|neighbour| {
            neighbour.is_some_and(|c| !c.is_ascii() && !c.is_whitespace() && !invisible(c) || c == '\u{fe0f}')
        }),
        '\u{fe0e}' | '\u{fe0f}' => previous.is_some_and(|c| !c.is_whitespace() && !c.is_ascii_alphabetic()),
        other => !other.is_control() && !invisible(other),
    }
}

/// Default_Ignorable_Code_Point and Bidi_Control (Unicode 16, DerivedCoreProperties and PropList), less what only
/// pads a line.
fn invisible(character: char) -> bool {
    matches!(u32::from(character),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
        | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sent: &str, shown: &str) {
        assert_eq!(block(sent, 1_000).text, shown, "{sent:?}");
    }

    /// Every code point of the ranges, between letters, is shown as a mark and not as itself.
    fn check_marked(ranges: &[(u32, u32)]) {
        for character in ranges
            .iter()
            .flat_map(|(from, to)| *from..=*to)
            .filter_map(char::from_u32)
        {
            let code = u32::from(character);
            check(&format!("a{character}b"), &format!("a⟦U+{code:04X}⟧b"));
            assert_eq!(chip(&format!("a{character}b")), format!("a⟦U+{code:04X}⟧b"));
        }
    }

    #[test]
    fn text_17_blank_lines_do_not_push_the_rest_away() {
        check(
            "ok\n\n\n\n\n\n--- System ---\nVerified by App",
            "ok\n\n--- System ---\nVerified by App",
        );
        check("ok\n\n\n\n \n\n--- System ---", "ok\n\n --- System ---");
    }

    /// Bidi_Control of PropList.txt.
    #[test]
    fn text_19_no_character_turns_the_direction_of_writing() {
        check(
            "Open \u{202e}moc.elgoog\u{202c}",
            "Open ⟦U+202E⟧moc.elgoog⟦U+202C⟧",
        );
        check_marked(&[
            (0x61c, 0x61c),
            (0x200e, 0x200f),
            (0x202a, 0x202e),
            (0x2066, 0x2069),
        ]);
    }

    /// Default_Ignorable_Code_Point of DerivedCoreProperties.txt, less the joiners and the emoji selectors, which have
    /// tests of their own.
    #[test]
    fn text_20_nothing_invisible_passes_as_itself() {
        check("pass\u{200b}word, \u{e0041}", "pass⟦U+200B⟧word, ⟦U+E0041⟧");
        check("a\u{200d}b", "a⟦U+200D⟧b");
        check("a\u{fe0f}b", "a⟦U+FE0F⟧b");
        check_marked(&[
            (0xad, 0xad),
            (0x34f, 0x34f),
            (0x61c, 0x61c),
            (0x115f, 0x1160),
            (0x17b4, 0x17b5),
            (0x180b, 0x180f),
            (0x200b, 0x200b),
            (0x200e, 0x200f),
            (0x202a, 0x202e),
            (0x2060, 0x206f),
            (0x3164, 0x3164),
            (0xfe00, 0xfe0d),
            (0xfeff, 0xfeff),
            (0xffa0, 0xffa0),
            (0xfff0, 0xfff8),
            (0x1bca0, 0x1bca3),
            (0x1d173, 0x1d17a),
            (0xe0000, 0xe0fff),
        ]);
    }

    #[test]
    fn text_20_writing_that_needs_joiners_stays_whole() {
        check("👩\u{200d}🚀 ok", "👩\u{200d}🚀 ok");
        check("می\u{200c}خواهم", "می\u{200c}خواهم");
        check("क्\u{200d}ष", "क्\u{200d}ष");
        check("❤\u{fe0f}", "❤\u{fe0f}");
    }

    #[test]
    fn text_21_nothing_steers_a_terminal() {
        check(
            "\u{1b}]8;;https://evil\u{7}x, \u{1b}[2J",
            "⟦U+001B⟧]8;;https://evil⟦U+0007⟧x, ⟦U+001B⟧[2J",
        );
        check_marked(&[(0, 8), (0xb, 0xc), (0xe, 0x1f), (0x7f, 0x84), (0x86, 0x9f)]);
    }

    #[test]
    fn text_22_stacks_of_marks_are_cut_and_writing_stays_whole() {
        check(
            &format!("a{}b", "\u{301}".repeat(200)),
            &format!("a{}b", "\u{301}".repeat(4)),
        );
        check("שָׁלוֹם", "שָׁלוֹם");
        check("Vie\u{302}\u{323}t", "Vie\u{302}\u{323}t");
    }

    #[test]
    fn text_24_line_breaks_of_every_kind_are_line_breaks() {
        check(
            "Step 1\nStep 2\r\nStep 3\u{2028}x\u{85}y\rz\u{2029}end",
            "Step 1\nStep 2\nStep 3\nx\ny\nz\nend",
        );
    }

    #[test]
    fn what_is_marked_stays_on_its_line() {
        assert_eq!(
            marked("a\nb\r\u{85}\u{2028}c\u{2029}"),
            "a⟦U+000A⟧b⟦U+000D⟧⟦U+0085⟧⟦U+2028⟧c⟦U+2029⟧"
        );
    }

    #[test]
    fn text_23_length_is_bounded_and_said() {
        let long = block(&"x".repeat(1_000_000), MESSAGE);
        assert_eq!((long.text.len(), long.left_out), (MESSAGE, 1_000_000 - MESSAGE));
        assert_eq!(chip(&"é".repeat(90)).chars().count(), CHIP);
        assert_eq!(chip("two\nlines"), "two lines");
    }
}
