//! Random runs in which the command line program is killed and taken up again, against a server that counts what
//! arrives and a browser that counts its launches. The places of death take turns: every named point that the program
//! passes, and kills from outside at a request, a reply, a launch, and at any time.
//!
//! `COUNTERSIGN_CRASH_RUNS` is how many runs, `COUNTERSIGN_CRASH_SEED` brings runs back, `COUNTERSIGN_CRASH_ONLY` is the
//! number of one of them. The last line counts runs, what was lost (no answer may be, unless the person is told), what
//! was doubled (delivered or opened without the person's word) and drafts that are not as they were typed.
#![cfg(test)]

/// Random numbers.
#[cfg(unix)]
mod chance;

/// One life of the program, and its death.
#[cfg(unix)]
mod life;

/// One run, and what it is judged by.
#[cfg(unix)]
mod run;

/// All of them.
#[cfg(unix)]
mod runs;

/// What is asked and answered.
#[cfg(unix)]
mod scenario;

/// The server that counts.
#[cfg(unix)]
mod server;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    runs::play_all()
}

/// Signals are what these tests are about.
#[cfg(not(unix))]
fn main() {}
