//! Server-sent events, split as they arrive (HTML standard, 9.2.6). Pure.
//!
//! In the modern era only the data of an event counts; the 2025 era also uses its name (HTTP+SSE), the last id and
//! the time to wait before coming back. Comments and events without data are nothing, but their ids count. Messages come
//! in events that are named `message` or not at all; others (`ping`, say) belong to somebody else.

use super::{Fault, MAX_MESSAGE};
use std::time::Duration;

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
    count: usize,
    name: Option<String>,
    id: Option<String>,
    last_id: Option<String>,
    retry: Option<Duration>,
}

/// One event with data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `message` where the stream says none.
    pub name: Option<String>,
    pub data: Vec<u8>,
}

impl Event {
    /// Whether it holds a message of the protocol.
    pub fn is_message(&self) -> bool {
        matches!(self.name.as_deref(), None | Some("" | "message"))
    }
}

/// Longest id of an event that is kept, in bytes.
const MAX_ID: usize = 4096;

impl Splitter {
    /// The id of the last whole event that had one; empty ids forget it.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long to wait before coming back, where the stream said it.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The messages, as text, of the events that `chunk` completes.
    ///
    /// # Errors
    /// As [`Splitter::events`].
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Vec<u8>>, Fault> {
        let messages = self.events(chunk)?.into_iter().filter(Event::is_message);
        Ok(messages.map(|event| event.data).collect())
    }

    /// The events that `chunk` completes, of any name.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] when an event, their number or the stream passes its limit.
    pub fn events(&mut self, chunk: &[u8]) -> Result<Vec<Event>, Fault> {
        self.bytes = self.bytes.saturating_add(chunk.len());
        if self.bytes > MAX_STREAM {
            return Err(Fault::TooLarge {
                limit: MAX_STREAM,
                what: "bytes in one response",
            });
        }
        let mut events = Vec::new();
        let mut rest = chunk;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + self.data.as_ref().map_or(0, Vec::len) + part.len() > MAX_MESSAGE {
                return Err(Fault::TooLarge {
                    limit: MAX_MESSAGE,
                    what: "bytes in one event",
                });
            }
            self.line.extend_from_slice(part);
            let Some((&end, after)) = after.split_first() else {
                break;
            };
            self.after_return = end == b'\r';
            rest = after;
            if let Some(event) = self.end_line() {
                self.count += 1;
                if self.count > MAX_EVENTS {
                    return Err(Fault::TooLarge {
                        limit: MAX_EVENTS,
                        what: "events in one response",
                    });
                }
                events.push(event);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = if self.begun {
            &line[..]
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line)
        };
        self.begun = true;
        if line.is_empty() {
            if let Some(id) = &self.id {
                self.last_id = Some(id.clone()).filter(|id| !id.is_empty());
            }
            let name = self.name.take();
            let data = self.data.take().filter(|data| !data.is_empty())?;
            return Some(Event { name, data });
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = std::str::from_utf8(value).ok();
        match field {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"event" => self.name = text.map(str::to_owned),
            b"id" if value.len() <= MAX_ID && !value.contains(&0) => self.id = text.map(str::to_owned),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let milliseconds = text.and_then(|text| text.parse().ok());
                self.retry = milliseconds.map(Duration::from_millis).or(self.retry);
            }
            _ => {}
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
    fn names_ids_and_the_time_to_wait_are_known() {
        let mut splitter = Splitter::default();
        let events = splitter
            .events(b"event: endpoint\ndata: /m\n\nid: 1\nretry: 500\ndata:\n\nretry: x\nid: 2\ndata: unfinished\n")
            .expect("events");
        let endpoint = Event {
            name: Some("endpoint".to_owned()),
            data: b"/m".to_vec(),
        };
        assert_eq!(events, [endpoint]);
        assert_eq!(splitter.last_id(), Some("1"), "an id counts with its event");
        assert_eq!(splitter.retry(), Some(Duration::from_millis(500)));
        let unnamed = splitter.events(b"\ndata: x\n\n").expect("events");
        assert_eq!(unnamed.last().map(|event| event.name.clone()), Some(None));
        assert_eq!(splitter.last_id(), Some("2"));
    }

    #[test]
    fn an_event_of_another_name_is_no_message() {
        check(
            b"event: ping\ndata: tick\n\nevent: message\ndata: 1\n\nevent\ndata: 2\n\ndata: 3\n\n",
            &["1", "2", "3"],
        );
        check(b"event: ping\nevent:message\ndata: 1\n\n", &["1"]);
        check(b"event: ping\n\ndata: 1\n\n", &["1"]);
        check(b"event:  message\ndata: two blanks\n\n", &[]);
        let named = Splitter::default().events(b"event: endpoint\ndata: /m\n\n");
        let event = Event {
            name: Some("endpoint".to_owned()),
            data: b"/m".to_vec(),
        };
        assert_eq!(named, Ok(vec![event]));
    }

    #[test]
    fn odd_lines_change_nothing() {
        check(b"\xef\xbb\xbf\xef\xbb\xbfdata: two marks\n\ndata: 1\n\n", &["1"]);
        check(b"data: 1\n\xef\xbb\xbfdata: a mark later\n\n", &["1"]);
        check(b"data: a:b\n\n", &["a:b"]);
        check(b"data:  one blank stays\n\n", &[" one blank stays"]);
        check(b"data: 1\ndata\ndata:\n\n", &["1\n\n"]);
        check(b"Data: 1\ndata : 2\n data: 3\nid: \0\nretry: x\n\n", &[]);
        check(b"\r\n\r\r\n\n:\n: data: 1\n\n", &[]);
        check(b"data: 1\r\n\ndata: 2\r\r\ndata: 3\n\r", &["1", "2", "3"]);
    }

    #[test]
    fn http_51_a_line_without_an_end_is_cut_off_at_the_limit() {
        for start in ["data: ", ": ", "event: ", "x"] {
            let mut splitter = Splitter::default();
            splitter.push(start.as_bytes()).expect("a start");
            let block = vec![b'a'; 64 * 1024];
            let pushed = (0..1024).take_while(|_| splitter.push(&block).is_ok()).count();
            assert_eq!(
                pushed,
                MAX_MESSAGE / block.len() - 1,
                "{start:?}: all but the start of the last"
            );
            assert!(splitter.line.capacity() <= 2 * MAX_MESSAGE, "{start:?}");
        }
        let mut splitter = Splitter::default();
        let fault = (0..100).find_map(|_| splitter.push(&b"data\n".repeat(1024 * 1024)).err());
        assert!(
            matches!(fault, Some(Fault::TooLarge { .. })),
            "data lines without data"
        );
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
