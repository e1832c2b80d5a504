//! The desktop shell: one window, commands of a few lines each, two events. All that can be true without a window is
//! in `countersign-core`.
//!
//! Promises: the window shows the app's own page and nothing else (no navigation, no new window, no download); a
//! release build does not start under WebDriver automation; one app for each data folder ([`instance`]).

mod arrivals;
pub mod closing;
pub mod commands;
mod instance;
mod page;
mod practice;
mod window;

use countersign_core::app::{Countersign, Parts};
use countersign_core::clock::SystemClock;
use countersign_core::inbox::guard::Guard;
use countersign_core::link::open::{HAND_OVER, SystemBrowser, hand_over};
use countersign_core::mrtr::machine::Word;
use countersign_core::settings::Settings;
use countersign_core::store::place;
use countersign_core::wire::request::Elicitation;
use instance::Start;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// The hidden first argument with which the program serves as its own practice server over stdio.
pub const PRACTICE_ARGUMENT: &str = "--practice-workshop";
const DATA_DIR: &str = "--data-dir";
const USAGE: &str = "Usage: countersign [--data-dir FOLDER]";

/// Runs the app, or the practice server that it starts itself as.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (settings, folder) = match (arguments.next().as_deref(), arguments.next()) {
        (Some(PRACTICE_ARGUMENT), None) => return practice::workshop(),
        (Some(HAND_OVER), None) => return hand_over(),
        (None, _) => (Settings::usual().unwrap_or(Settings::Memory), place::usual()),
        (Some(DATA_DIR), Some(folder)) if arguments.next().is_none() => {
            let folder = std::path::absolute(&folder).unwrap_or_else(|_| PathBuf::from(folder));
            (Settings::Folder(folder.clone()), Some(folder))
        }
        (Some(_), _) => return complain(USAGE),
    };
    if !may_start(cfg!(debug_assertions), automated()) {
        return complain("Countersign does not start under automation (TAURI_WEBVIEW_AUTOMATION is set).");
    }
    let kept = match folder {
        None => None,
        Some(folder) => match instance::start(&folder) {
            Start::First(taken) => Some((folder, taken)),
            Start::Shown => {
                say("Countersign is running already; its window was brought to the front.");
                return ExitCode::SUCCESS;
            }
            Start::Refused(error) => return complain(&error.to_string()),
        },
    };
    match window::run(settings, kept) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&format!("Countersign cannot start: {error}")),
    }
}

/// Countersign with a window's parts.
pub fn countersign(settings: Settings) -> Countersign {
    Countersign::new(Parts {
        clock: Arc::new(SystemClock::default()),
        browser: Arc::new(SystemBrowser),
        settings,
        guard: Guard::Window,
        word: Word::Person,
        elicitation: Elicitation::Both,
    })
}

/// A release build is not driven by other programs: whoever drives the window answers for the person.
fn may_start(debug: bool, automated: bool) -> bool {
    debug || !automated
}

fn automated() -> bool {
    std::env::var_os("TAURI_WEBVIEW_AUTOMATION").is_some() || std::env::var_os("TAURI_AUTOMATION").is_some()
}

fn complain(words: &str) -> ExitCode {
    say(words);
    ExitCode::FAILURE
}

#[expect(
    clippy::print_stderr,
    reason = "before there is a window, stderr is the only place to say it"
)]
fn say(words: &str) {
    eprintln!("{words}");
}

#[cfg(test)]
mod tests {
    use super::may_start;

    #[test]
    fn a_release_build_does_not_start_under_automation() {
        assert!(!may_start(false, true));
        assert!(may_start(false, false));
        assert!(may_start(true, true), "the window tests drive a debug build");
    }
}
