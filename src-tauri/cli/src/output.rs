//! Everything that is written: results to stdout, the rest to stderr.
//!
//! Promises: text for people passes the core's filter, so nothing reaches a terminal that it would act upon; a
//! closed pipe ends the writing, not the program.

use countersign_core::text;
use countersign_core::wire::json::Json;
use std::io::{IsTerminal, Write};

/// Where a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    Stdout,
    Stderr,
}

impl Screen {
    /// The terminal that questions are shown on, if somebody sits at one. With `json`, stdout is kept for the
    /// object.
    pub(crate) fn find(json: bool) -> Option<Self> {
        if !std::io::stdin().is_terminal() {
            None
        } else if std::io::stderr().is_terminal() {
            Some(Self::Stderr)
        } else if std::io::stdout().is_terminal() && !json {
            Some(Self::Stdout)
        } else {
            None
        }
    }

    /// Writes lines for a person.
    ///
    /// # Errors
    /// Nobody can see it.
    pub(crate) fn say(self, text: &str) -> std::io::Result<()> {
        self.write(&format!("{}\n", text::source(text)))
    }

    /// Writes without a line break after it.
    ///
    /// # Errors
    /// Nobody can see it.
    pub(crate) fn prompt(self, text: &str) -> std::io::Result<()> {
        self.write(&text::source(text))
    }

    fn write(self, text: &str) -> std::io::Result<()> {
        match self {
            Self::Stdout => write(std::io::stdout().lock(), text),
            Self::Stderr => write(std::io::stderr().lock(), text),
        }
    }
}

/// A result for people, to stdout.
pub(crate) fn result(text: &str) {
    // Who closed the pipe has seen enough.
    let _ = write(std::io::stdout().lock(), &format!("{}\n", text::source(text)));
}

/// The one object of `--json`, to stdout: exactly as it is, but that a terminal gets what it would act upon as
/// JSON escapes.
pub(crate) fn object(json: &Json) {
    let mut out = json.to_string();
    if std::io::stdout().is_terminal() {
        out = text::legible(&out);
    }
    let _ = write(std::io::stdout().lock(), &format!("{out}\n"));
}

/// Anything else that a person may want to know, to stderr.
pub(crate) fn note(text: &str) {
    let _ = write(std::io::stderr().lock(), &format!("{}\n", text::source(text)));
}

fn write(mut to: impl Write, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_for_a_terminal_is_the_same_json_without_what_a_terminal_acts_upon() {
        let json = Json::parse("{\"a\":\"\u{9b}31m é \u{202e}\u{7f} \u{e0041}\",\"b\":1E400}").expect("JSON");
        let shown = text::legible(&json.to_string());
        assert_eq!(
            shown,
            r#"{"a":"\u009b31m é \u202e\u007f \udb40\udc41","b":1E400}"#
        );
        assert_eq!(Json::parse(&shown), Ok(json));
    }
}
