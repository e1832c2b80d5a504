//! The one place where a link leaves the app: the system browser.
//!
//! What was measured, and what an `Ok` therefore does not mean: `Ok` says that a browser program was started (or
//! handed the address to one that runs). A program that dies at once (`BROWSER=/bin/false`) is `Ok` too, and nobody
//! tells whether a page showed. So say "asked your browser to open", and keep the address at hand.
//!
//! The address travels as one argument, through no shell. In a package (`AppImage`, snap) a second process of this
//! program hands it over, because only there the environment can be cleaned for the browser; it reads the address from
//! its input, which other programs cannot see. Deliberately absent: any window of our own, and any way
//! to open something that is not a parsed http or https address.

use super::bundle;
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::process::{ExitCode, Stdio};
use thiserror::Error;
use url::Url;

/// The hidden first argument with which a program of this workspace does [`hand_over`] and nothing else.
pub const HAND_OVER: &str = "--hand-over";

/// Opens addresses for the person; held by tests.
pub trait Browser: Send + Sync {
    /// Whether an attempt has a chance; asked before Open is offered.
    fn is_available(&self) -> bool;

    /// Asks the browser to open the address. May block (a text browser until it is left): call it off the UI
    /// thread.
    fn open(&self, url: &Url) -> Result<(), OpenError>;
}

/// The browser that the person chose in the system, or names in `BROWSER`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemBrowser;

/// Why nothing was started. None of these is an answer to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    #[error("No web browser was found on this computer. Copy the address and open it yourself.")]
    NoBrowser,
    #[error("Only web addresses (https: or http:) can be opened.")]
    NotAWebAddress,
    #[error("The web browser could not be started. Try again, or copy the address and open it yourself.")]
    NotStarted,
}

impl Browser for SystemBrowser {
    fn is_available(&self) -> bool {
        webbrowser::Browser::is_available()
    }

    fn open(&self, url: &Url) -> Result<(), OpenError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OpenError::NotAWebAddress);
        }
        match bundle::cleaned(std::env::vars_os().collect()) {
            None => open_here(url),
            // Where the second process does not come up, the browser gets the environment as it is.
            Some(environment) => hand_to_second(url, environment).unwrap_or_else(|| open_here(url)),
        }
    }
}

/// Opens the address that comes on stdin: what the second process of a packaged app is for.
pub fn hand_over() -> ExitCode {
    let mut address = String::new();
    let read = std::io::stdin().lock().take(LONGEST).read_to_string(&mut address);
    let url = read.ok().and_then(|_| Url::parse(address.trim_end()).ok());
    let opened = match url.filter(|url| matches!(url.scheme(), "http" | "https")) {
        Some(url) => open_here(&url),
        None => Err(OpenError::NotAWebAddress),
    };
    ExitCode::from(match opened {
        Ok(()) => OPENED,
        Err(OpenError::NoBrowser) => NO_BROWSER,
        Err(OpenError::NotAWebAddress | OpenError::NotStarted) => NOT_STARTED,
    })
}

/// Bytes of an address that are read; a link is never longer.
const LONGEST: u64 = 100_000;
/// Exit codes of [`hand_over`].
const OPENED: u8 = 40;
const NO_BROWSER: u8 = 41;
const NOT_STARTED: u8 = 42;
/// The system could not load the program.
const NOT_LOADED: u8 = 127;

#[expect(clippy::disallowed_methods, reason = "the one place where links are opened")]
fn open_here(url: &Url) -> Result<(), OpenError> {
    webbrowser::open(url.as_str()).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            OpenError::NoBrowser
        } else {
            OpenError::NotStarted
        }
    })
}

/// `None` where the process did not come up to say anything.
#[expect(
    clippy::disallowed_methods,
    reason = "the crate that opens links has no way to give the browser an environment"
)]
fn hand_to_second(
    url: &Url,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Option<Result<(), OpenError>> {
    let mut second = std::process::Command::new(std::env::current_exe().ok()?)
        .arg(HAND_OVER)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    if let Some(mut input) = second.stdin.take() {
        // One that does not read says so by how it ends.
        let _ = input.write_all(url.as_str().as_bytes());
    }
    let ended = second.wait().ok();
    let code = ended.and_then(|status| status.code()).unwrap_or_default();
    match u8::try_from(code) {
        Ok(OPENED) => Some(Ok(())),
        Ok(NO_BROWSER) => Some(Err(OpenError::NoBrowser)),
        Ok(NOT_LOADED) => None,
        // Whatever became of it, a second launch could open the page twice.
        Ok(_) | Err(_) => Some(Err(OpenError::NotStarted)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_reach_the_system() {
        for address in [
            "file:///etc/hosts",
            "javascript:alert(1)",
            "mailto:a@b.example",
            "vscode://x",
        ] {
            let url = Url::parse(address).unwrap();
            assert_eq!(
                SystemBrowser.open(&url),
                Err(OpenError::NotAWebAddress),
                "{address}"
            );
        }
    }
}
