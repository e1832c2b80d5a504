//! Lines from a person at a terminal.
//!
//! A thread of its own waits for each line, so that a call can be stopped meanwhile.

use crate::output::Screen;
use std::io::BufRead;
use std::sync::mpsc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) struct Terminal {
    pub(crate) screen: Screen,
    wanted: mpsc::Sender<()>,
    lines: UnboundedReceiver<Line>,
}

/// Nobody is there (any more): the end of the input, or of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

enum Line {
    Text(String),
    NotText,
    End,
}

impl Terminal {
    /// The terminal of this program, if somebody sits at one.
    pub(crate) fn find(json: bool) -> Option<Self> {
        let screen = Screen::find(json)?;
        let (wanted, wishes) = mpsc::channel();
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || read(&wishes, &sender));
        Some(Self {
            screen,
            wanted,
            lines,
        })
    }

    /// # Errors
    /// [`Gone`].
    pub(crate) fn say(&self, text: &str) -> Result<(), Gone> {
        self.screen.say(text).map_err(|_| Gone)
    }

    /// Asks for one line, without its line break.
    ///
    /// # Errors
    /// [`Gone`].
    pub(crate) async fn ask(&mut self, prompt: &str) -> Result<String, Gone> {
        loop {
            self.screen.prompt(prompt).map_err(|_| Gone)?;
            self.wanted.send(()).map_err(|_| Gone)?;
            match self.lines.recv().await {
                Some(Line::Text(line)) if line.chars().any(|c| c.is_control() && c != '\t') => {
                    self.say("That line holds control characters (arrow keys?). Type it again.")?;
                }
                Some(Line::Text(line)) => return Ok(line),
                Some(Line::NotText) => self.say("That line is not UTF-8 text. Type it again.")?,
                Some(Line::End) | None => {
                    self.say("")?;
                    return Err(Gone);
                }
            }
        }
    }

    /// Asks for one line that the terminal does not show while it is typed, where it can (not on Windows).
    ///
    /// # Errors
    /// [`Gone`].
    pub(crate) async fn ask_unseen(&mut self, prompt: &str) -> Result<String, Gone> {
        let unseen = Unseen::begin();
        let line = self.ask(prompt).await;
        if unseen.is_some() {
            self.say("")?;
        }
        line
    }
}

/// While this lives, the terminal does not show what is typed.
struct Unseen {
    #[cfg(unix)]
    before: rustix::termios::Termios,
}

impl Unseen {
    #[cfg(unix)]
    fn begin() -> Option<Self> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &quiet).ok()?;
        Some(Self { before })
    }

    #[cfg(not(unix))]
    fn begin() -> Option<Self> {
        None
    }
}

#[cfg(unix)]
impl Drop for Unseen {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // Nothing is left to do for a terminal that is gone.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
    }
}

fn read(wishes: &mpsc::Receiver<()>, sender: &UnboundedSender<Line>) {
    while wishes.recv().is_ok() {
        let mut bytes = Vec::new();
        let line = match std::io::stdin().lock().read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => Line::End,
            Ok(_) => {
                if bytes.ends_with(b"\n") {
                    bytes.pop();
                }
                if bytes.ends_with(b"\r") {
                    bytes.pop();
                }
                String::from_utf8(bytes).map_or(Line::NotText, Line::Text)
            }
        };
        if sender.send(line).is_err() {
            return;
        }
    }
}
