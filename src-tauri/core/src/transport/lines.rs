//! Lines, split as they arrive. Pure.
//!
//! Promises: the same bytes give the same lines however they are cut into chunks; of a line that is too long nothing
//! is kept, and the next one is whole again. A carriage return or byte order mark stays in its line; both are read
//! over where a message is parsed.

/// One line without its `\n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Whole(Vec<u8>),
    /// It was longer than the limit and is left out.
    TooLong,
}

/// Splits a byte stream into lines of at most `limit` bytes.
#[derive(Debug)]
pub struct Lines {
    limit: usize,
    line: Vec<u8>,
    too_long: bool,
}

impl Lines {
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            too_long: false,
        }
    }

    /// The lines that `chunk` completes.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<Line> {
        let mut parts = chunk.split(|&byte| byte == b'\n');
        let unfinished = parts.next_back().unwrap_or_default();
        let complete = parts
            .map(|part| {
                self.append(part);
                self.take()
            })
            .collect();
        self.append(unfinished);
        complete
    }

    /// What the stream ended in the middle of.
    pub fn end(&mut self) -> Option<Line> {
        (self.too_long || !self.line.is_empty()).then(|| self.take())
    }

    fn append(&mut self, part: &[u8]) {
        if self.line.len() + part.len() > self.limit {
            self.too_long = true;
            self.line = Vec::new();
        } else if !self.too_long {
            self.line.extend_from_slice(part);
        }
    }

    fn take(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            Line::TooLong
        } else {
            Line::Whole(line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stream in one piece and byte by byte gives the same lines, at most five bytes long; `…` is one too long.
    fn check(stream: &str, expected: &[&str]) {
        let text = |line: Line| match line {
            Line::Whole(line) => String::from_utf8(line).expect("UTF-8"),
            Line::TooLong => "…".to_owned(),
        };
        let split = |size: usize| {
            let mut lines = Lines::new(5);
            let mut split: Vec<Line> = stream
                .as_bytes()
                .chunks(size)
                .flat_map(|chunk| lines.push(chunk))
                .collect();
            split.extend(lines.end());
            split.into_iter().map(text).collect::<Vec<_>>()
        };
        for size in [usize::MAX, 3, 1] {
            assert_eq!(split(size), expected, "{stream:?} in pieces of {size}");
        }
    }

    #[test]
    fn a_line_ends_with_a_line_feed_or_with_the_stream() {
        check("", &[]);
        check("a\nb\n", &["a", "b"]);
        check("a\r\n\nb", &["a\r", "", "b"]);
        check("\u{feff}a\n", &["\u{feff}a"]);
    }

    #[test]
    fn a_line_that_is_too_long_does_not_spoil_the_next() {
        check("12345\n", &["12345"]);
        check("123456\nab\n", &["…", "ab"]);
        check("12345678901234\n\nab", &["…", "", "ab"]);
        check("ab\n1234567", &["ab", "…"]);
    }
}
