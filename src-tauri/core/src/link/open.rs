//! The one place where a link leaves the app: the system browser.
//!
//! What was measured, and what an `Ok` therefore does not mean: `Ok` says that a browser program was started (or
//! handed the address to one that runs). A program that dies at once (`BROWSER=/bin/false`) is `Ok` too, and nobody
//! tells whether a page showed. So say "asked your browser to open", and keep the address at hand.
//!
//! The address travels as one argument, through no shell. Deliberately absent: any window of our own, and any way
//! to open something that is not a parsed http or https address.

use thiserror::Error;
use url::Url;

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

    #[expect(clippy::disallowed_methods, reason = "the one place where links are opened")]
    fn open(&self, url: &Url) -> Result<(), OpenError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OpenError::NotAWebAddress);
        }
        webbrowser::open(url.as_str()).map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                OpenError::NoBrowser
            } else {
                OpenError::NotStarted
            }
        })
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
