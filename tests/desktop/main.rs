//! The real window, driven through WebKitWebDriver: what a person does, against practice servers and servers on the
//! official SDKs. Needs a display and `tests/interop/servers/setup.sh`; `make test` brings both.

#![expect(clippy::expect_used, clippy::panic, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests start programs and wait for them")]

/// Starts the app, the driver and the servers.
mod harness;

/// What the system is asked to show while nobody looks.
mod arrivals;
/// Every form of the field cases and of the protocol's vectors, filled in and sent.
mod cases;
/// Consent to a link against haste, floods, dead browsers and curious pages.
mod consents;
/// Killed at random, and taken up again.
mod crashes;
/// Adding servers, settings, results, keyboard.
mod everyday;
/// Forms: accept, decline, dismiss, and exactly what reaches the server.
mod forms;
/// What a hostile server cannot do.
mod hostile;
/// What is there after the app was killed.
mod kept;
/// Links: consent, one launch, the waiting card.
mod links;
/// A server of the 2025 era.
mod older;
/// The pictures of the README and of `make demo`.
mod pictures;
/// Several rounds, and several questions in one.
mod rounds;
