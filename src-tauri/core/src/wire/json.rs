//! JSON with what the promises need: members in the order they were sent, numbers as their text, depth bounded.
//!
//! `serde_json::Value` would turn `1E400` or an integer of 30 digits into something else. [`Json`] keeps every
//! number as the characters that came, so that what is echoed is what was received. Parsing and string escaping
//! are `serde_json`'s. Of a member that is sent twice the last one counts, at the place of the first
//! (as `serde_json::Value` does).
//!
//! Deliberately absent: any arithmetic on numbers, and comparison of numbers by value.

use crate::text;
use serde_json::value::RawValue;
use std::fmt;

/// Deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: usize = 128;

/// One JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    Null,
    Bool(bool),
    /// The text of the number as it was sent or typed; always valid JSON number syntax.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Members),
}

/// The members of an object, in order, each key once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members(Vec<(String, Json)>);

/// Why a text is no JSON that we read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("not JSON: {0}")]
    Syntax(String),
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

/// Where a person's text stops being JSON, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// From 1.
    pub line: usize,
    /// In code points, from 1.
    pub column: usize,
    /// A sentence that says what would be right.
    pub why: String,
}

impl Json {
    /// Reads one JSON text. White space around it is allowed, anything else is not.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] with line and column, or [`JsonError::TooDeep`].
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        if deeper_than(text, MAX_DEPTH).is_some() {
            return Err(JsonError::TooDeep);
        }
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| JsonError::Syntax(error.to_string()))?;
        Walk { rest: raw.get() }.value()
    }

    /// Reads one JSON text that a person wrote.
    ///
    /// # Errors
    /// The place of the first thing that is wrong.
    pub fn parse_typed(text: &str) -> Result<Self, Misread> {
        Self::parse(text).map_err(|error| misread(text, &error))
    }

    /// Reads one JSON text from bytes that should be UTF-8.
    ///
    /// # Errors
    /// As [`Json::parse`]; bytes that are not UTF-8 are a syntax error.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => Err(JsonError::Syntax(format!("not UTF-8: {error}"))),
        }
    }

    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    pub fn integer(number: i64) -> Self {
        Self::Number(number.to_string())
    }

    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self {
            Some(*value)
        } else {
            None
        }
    }

    pub fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(items) = self {
            Some(items)
        } else {
            None
        }
    }

    pub fn as_object(&self) -> Option<&Members> {
        if let Self::Object(members) = self {
            Some(members)
        } else {
            None
        }
    }

    /// The text of a number.
    pub fn as_number(&self) -> Option<&str> {
        if let Self::Number(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// A number that is an integer and fits; `3.0` is the integer 3 (JSON Schema 2020-12).
    pub fn as_i64(&self) -> Option<i64> {
        let text = self.as_number()?;
        let whole = match text.split_once('.') {
            Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0') => whole,
            Some(_) => return None,
            None => text,
        };
        whole.parse().ok()
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// The word for the kind of value, for messages to people.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::String(_) => "text",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The value over several lines, two blanks a level, for people.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        write_pretty(self, 0, &mut out);
        out
    }

    /// For libraries that want it (JSON Schema in tests and for tool arguments). Numbers may lose exactness.
    pub fn to_value(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => serde_json::Value::Bool(*value),
            Self::Number(text) => serde_json::from_str(text).unwrap_or(serde_json::Value::Null),
            Self::String(text) => serde_json::Value::String(text.clone()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => serde_json::Value::Object(
                members
                    .iter()
                    .map(|(key, value)| (key.to_owned(), value.to_value()))
                    .collect(),
            ),
        }
    }
}

/// Compact, with no line break: one message is one line.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(text) => f.write_str(text),
            Self::String(text) => f.write_str(&quoted(text)),
            Self::Array(items) => {
                f.write_str("[")?;
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (position, (key, value)) in members.iter().enumerate() {
                    if position > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{}:{value}", quoted(key))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Members {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `key`; a key that is there keeps its place.
    pub fn set(&mut self, key: impl Into<String>, value: Json) {
        let key = key.into();
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let position = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(position).1)
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Json)> for Members {
    fn from_iter<T: IntoIterator<Item = (String, Json)>>(pairs: T) -> Self {
        let mut seen = std::collections::HashMap::new();
        let mut members: Vec<(String, Json)> = Vec::new();
        for (key, value) in pairs {
            match seen.get(&key) {
                Some(&position) => {
                    let (_, old): &mut (String, Json) = &mut members[position];
                    *old = value;
                }
                None => {
                    seen.insert(key.clone(), members.len());
                    members.push((key, value));
                }
            }
        }
        Self(members)
    }
}

impl IntoIterator for Members {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

/// Levels that are set off by blanks. Deeper ones line up: else a long list in the depth would grow a hundredfold.
const INDENTED: usize = 8;

fn write_pretty(value: &Json, level: usize, out: &mut String) {
    let indent = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level.min(INDENTED)));
    };
    match value {
        Json::Array(items) if !items.is_empty() => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                indent(out, level + 1);
                write_pretty(item, level + 1, out);
            }
            indent(out, level);
            out.push(']');
        }
        Json::Object(members) if !members.is_empty() => {
            out.push('{');
            for (position, (key, item)) in members.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                indent(out, level + 1);
                out.push_str(&quoted(key));
                out.push_str(": ");
                write_pretty(item, level + 1, out);
            }
            indent(out, level);
            out.push('}');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            out.push_str(&value.to_string());
        }
    }
}

/// Where brackets outside strings nest deeper than `limit`, in bytes. Looks at the bytes alone, before any parsing.
fn deeper_than(text: &str, limit: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (position, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > limit {
                    return Some(position);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn misread(text: &str, error: &JsonError) -> Misread {
    if let Some(position) = deeper_than(text, MAX_DEPTH) {
        let before = &text[..position];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        return Misread {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            why: format!("This is {error}."),
        };
    }
    // Half a pair of surrogates is found by reading the texts too.
    let found = serde_json::from_str::<&RawValue>(text)
        .err()
        .or_else(|| serde_json::from_str::<serde_json::Value>(text).err());
    let Some(found) = found else {
        return Misread {
            line: 1,
            column: 1,
            why: text::capitalised(&format!("{error}.")),
        };
    };
    let line = found.line().max(1);
    let written = text.split('\n').nth(line - 1).unwrap_or_default();
    let column = found.column().saturating_sub(1);
    let bytes = (0..=column.min(written.len()))
        .rev()
        .find(|at| written.is_char_boundary(*at))
        .unwrap_or_default();
    let closes = written[bytes..].starts_with(['}', ']']);
    let lines: String = text.split_inclusive('\n').take(line - 1).collect();
    let before = format!("{lines}{}", &written[..bytes]);
    Misread {
        line,
        column: 1 + written[..bytes].chars().count(),
        why: if closes && before.trim_end().ends_with(',') {
            told("trailing comma")
        } else {
            told(&found.to_string())
        },
    }
}

/// The library's words for what is wrong, in ours.
fn told(words: &str) -> String {
    let words = words.split(" at line ").next().unwrap_or(words);
    let own = match words {
        "EOF while parsing a list" => "It ends in the middle of a list: a ] is missing.",
        "EOF while parsing an object" => "It ends in the middle of an object: a } is missing.",
        "EOF while parsing a string" => "It ends in the middle of a text: a quotation mark is missing.",
        "EOF while parsing a value" => "It ends where a value must stand.",
        "expected `:`" => "A colon must stand here.",
        "expected `,` or `]`" => "A comma or ] must stand here.",
        "expected `,` or `}`" => "A comma or } must stand here.",
        "expected ident" => "The only words without quotation marks are true, false and null.",
        "expected value" => {
            "A value must stand here: a text in quotation marks, a number, true, false, null, [ or {."
        }
        "key must be a string" => "A name in quotation marks must stand here.",
        "trailing comma" => "No comma may stand before this.",
        "trailing characters" => "Nothing may follow the end.",
        "invalid escape" => "A backslash cannot be followed by this; write \\\\ for a backslash.",
        "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
            "This is half of a character: \\ud800 to \\udfff come in pairs."
        }
        "invalid number" => "This is no number as JSON writes it.",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "A text must be on one line; write a line break as \\n and a tab as \\t."
        }
        other => return text::capitalised(&format!("{other}.")),
    };
    own.to_owned()
}

/// Walks once over a text that is known to be valid JSON, so that depth costs no time.
struct Walk<'a> {
    rest: &'a str,
}

impl Walk<'_> {
    fn value(&mut self) -> Result<Json, JsonError> {
        self.skip_separators();
        match self.rest.as_bytes().first() {
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b'[') => {
                self.take(1);
                let mut items = Vec::new();
                while !self.closes() {
                    items.push(self.value()?);
                }
                Ok(Json::Array(items))
            }
            Some(b'{') => {
                self.take(1);
                let mut members = Vec::new();
                while !self.closes() {
                    let key = self.string()?;
                    members.push((key, self.value()?));
                }
                Ok(Json::Object(members.into_iter().collect()))
            }
            Some(_) | None => self.bare(),
        }
    }

    /// Reads over the end of a list or object, if it is there.
    fn closes(&mut self) -> bool {
        self.skip_separators();
        let closes = matches!(self.rest.as_bytes().first(), Some(b']' | b'}') | None);
        if closes {
            self.take(1);
        }
        closes
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let mut escaped = false;
        let inside = self.rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let quoted = self.take(inside.map_or(self.rest.len(), |inside| inside + 2));
        serde_json::from_str(quoted).map_err(|error| JsonError::Syntax(error.to_string()))
    }

    /// A number or one of the three words.
    fn bare(&mut self) -> Result<Json, JsonError> {
        let end = self.rest.find([',', ']', '}', ' ', '\t', '\n', '\r']);
        match self.take(end.unwrap_or(self.rest.len())) {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            "" => Err(JsonError::Syntax("a value was expected".to_owned())),
            number => Ok(Json::Number(number.to_owned())),
        }
    }

    fn skip_separators(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':']);
    }

    /// The next `bytes`, or what is left.
    fn take(&mut self, bytes: usize) -> &str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, written: &str) {
        let json = Json::parse(text).expect(text);
        assert_eq!(json.to_string(), written, "{text}");
        assert_eq!(
            Json::parse(&json.to_string()).expect(written),
            json,
            "{text} read again"
        );
        assert_eq!(Json::parse(&json.pretty()).expect(written), json, "{text} pretty");
    }

    #[test]
    fn a_nested_text_does_not_grow_out_of_bounds_when_it_is_laid_out() {
        let depth = MAX_DEPTH - 1;
        let text = format!(
            "{}[{}0]{}",
            "[".repeat(depth),
            "0,".repeat(10_000),
            "]".repeat(depth)
        );
        let pretty = Json::parse(&text).expect("JSON").pretty();
        assert!(
            pretty.len() < 25 * text.len(),
            "{} of {}",
            pretty.len(),
            text.len()
        );
    }

    #[test]
    fn what_is_read_is_written_again() {
        check(
            " {\"b\": 1, \"a\": [true, null, {}] } ",
            r#"{"b":1,"a":[true,null,{}]}"#,
        );
        check("1E400", "1E400");
        check("-0", "-0");
        check(
            "123456789012345678901234567890.50",
            "123456789012345678901234567890.50",
        );
        check(r#""a\u00e9\u2028=+/ ""#, "\"aé\u{2028}=+/ \"");
        check(r#""\ud83d\ude00""#, "\"😀\"");
        check(r#"{"":1,"__proto__":2}"#, r#"{"":1,"__proto__":2}"#);
        check("[]", "[]");
    }

    #[test]
    fn of_a_repeated_member_the_last_counts() {
        check(
            r#"{"url":"https://a","x":1,"url":"https://b"}"#,
            r#"{"url":"https://b","x":1}"#,
        );
    }

    #[test]
    fn broken_text_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\"}",
            "01",
            "1.",
            "nul",
            "\"\u{1}\"",
            "{} {}",
            "\"\\ud800\"",
            "NaN",
        ] {
            assert!(matches!(Json::parse(text), Err(JsonError::Syntax(_))), "{text}");
        }
        assert!(Json::parse_bytes(b"\"\xff\"").is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Json::parse(&nest(MAX_DEPTH)).is_ok());
        assert_eq!(Json::parse(&nest(MAX_DEPTH + 1)), Err(JsonError::TooDeep));
        assert_eq!(Json::parse(&"[".repeat(200_000)), Err(JsonError::TooDeep));
        assert!(
            Json::parse(&format!("{:?}", "[".repeat(500))).is_ok(),
            "brackets in a text do not count"
        );
    }

    fn check_misread(text: &str, line: usize, column: usize, why: &str) {
        let misread = Json::parse_typed(text).expect_err(text);
        assert_eq!(
            (misread.line, misread.column),
            (line, column),
            "{text}: {misread:?}"
        );
        assert!(misread.why.contains(why), "{text}: {}", misread.why);
    }

    #[test]
    fn what_a_person_mistyped_has_a_place_and_a_reason() {
        check_misread("{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7, "A colon");
        check_misread("{\"a\": 1\n \"b\": 2}", 2, 2, "A comma or }");
        check_misread("{\"ä😀\": nul}", 1, 11, "words without quotation marks");
        check_misread("{\"a\": 1,}", 1, 9, "No comma");
        check_misread("{'a': 1}", 1, 2, "A name in quotation marks");
        check_misread("{\"a\": [1, 2}", 1, 12, "A comma or ]");
        check_misread("{\"a\": \"x\n\"}", 1, 8, "on one line");
        check_misread("{\"a\": \"\\q\"}", 1, 9, "backslash");
        check_misread("{\"a\": 01}", 1, 8, "no number");
        check_misread("{} {}", 1, 4, "Nothing may follow");
        check_misread("", 1, 1, "It ends where a value");
        check_misread("{\"a\":\n", 2, 1, "It ends where a value");
        check_misread("{\"a\": \"\\ud800\"}", 1, 14, "half of a character");
        check_misread(
            &format!("[\n{}", "[".repeat(MAX_DEPTH)),
            2,
            MAX_DEPTH,
            "nested deeper",
        );
    }

    #[test]
    fn integers_are_integers_however_written() {
        for (text, value) in [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("-3.00", Some(-3)),
            ("3.5", None),
            ("1e3", None),
            ("9e99", None),
        ] {
            assert_eq!(Json::parse(text).expect(text).as_i64(), value, "{text}");
        }
    }
}
