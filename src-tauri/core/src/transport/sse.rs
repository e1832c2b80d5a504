//! Server-sent events, split as they arrive (HTML standard, 9.2.6). Pure.
//!
//! Of an event only its data counts in this revision of the protocol; `event`, `id` and `retry` are read over.
//! Comments and events without data are nothing.

use super::{Fault, MAX_MESSAGE};

/// Most events in one response.
pub const MAX_EVENTS: usize = 10_000;
/// Most bytes in one response.
pub const MAX_STREAM: usize = 64 * 1024 * 1024;

/// Splits a byte stream into the data of its events.
#[derive(Debug, Default)]
pub struct Splitter {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The last byte was CR, so that a following LF belongs to it.
    after_return: bool,
    begun: bool,
    bytes: usize,
    events: usize,
}

impl Splitter {
    /// The data of the events that `chunk` completes.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] when an event, their number or the stream passes its limit.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Vec<u8>>, Fault> {
        self.bytes = self.bytes.saturating_add(chunk.len());
        if self.bytes > MAX_STREAM {
            return Err(Fault::TooLarge {
                limit: MAX_STREAM,
                what: "bytes in one response",
            });
        }
        let mut events = Vec::new();
        for &byte in chunk {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    if let Some(event) = self.end_line() {
                        self.events += 1;
                        if self.events > MAX_EVENTS {
                            return Err(Fault::TooLarge {
                                limit: MAX_EVENTS,
                                what: "events in one response",
                            });
                        }
                        events.push(event);
                    }
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                    if self.line.len() + self.data.as_ref().map_or(0, Vec::len) > MAX_MESSAGE {
                        return Err(Fault::TooLarge {
                            limit: MAX_MESSAGE,
                            what: "bytes in one event",
                        });
                    }
                }
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let line = if self.begun {
            &line[..]
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line)
        };
        self.begun = true;
        if line.is_empty() {
            return self.data.take().filter(|data| !data.is_empty());
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        if field == b"data" {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stream in one piece and byte by byte gives the same events.
    fn check(stream: &[u8], expected: &[&str]) {
        let text = |events: Vec<Vec<u8>>| {
            events
                .into_iter()
                .map(|event| String::from_utf8(event).expect("UTF-8"))
                .collect::<Vec<_>>()
        };
        assert_eq!(text(Splitter::default().push(stream).expect("events")), expected);
        let mut splitter = Splitter::default();
        let bytewise = stream
            .iter()
            .flat_map(|byte| splitter.push(&[*byte]).expect("events"))
            .collect();
        assert_eq!(text(bytewise), expected, "byte by byte");
    }

    #[test]
    fn all_line_ends_work_mixed_too() {
        check(b"event: message\r\ndata: {\"a\":1}\r\n\r\n", &["{\"a\":1}"]);
        check(b"data: 1\n\ndata: 2\r\rdata: 3\r\n\n", &["1", "2", "3"]);
    }

    #[test]
    fn data_lines_are_joined_and_characters_stay_whole() {
        check("data: {\ndata: \"k\":\"é\"}\n\n".as_bytes(), &["{\n\"k\":\"é\"}"]);
    }

    #[test]
    fn comments_ids_and_empty_data_are_nothing() {
        check(
            b": keep-alive\n\nid: 1\ndata:\n\nretry: 5\n\ndata\n\ndata:x\n\n",
            &["x"],
        );
        check(b"\xef\xbb\xbfdata: bom\n\n", &["bom"]);
        check(b"data: unfinished\n", &[]);
    }

    #[test]
    fn sizes_are_bounded() {
        let mut splitter = Splitter::default();
        let fault = (0..10).find_map(|_| splitter.push(&vec![b'a'; 1024 * 1024]).err());
        assert_eq!(
            fault,
            Some(Fault::TooLarge {
                limit: MAX_MESSAGE,
                what: "bytes in one event"
            })
        );
        let many = "data: x\n\n".repeat(MAX_EVENTS + 1);
        assert!(matches!(
            Splitter::default().push(many.as_bytes()),
            Err(Fault::TooLarge {
                limit: MAX_EVENTS,
                ..
            })
        ));
    }
}
