//! The misclick guard: nothing is accepted on a card that was not on the screen long enough, and one gesture never
//! answers two questions. Pure; the monotonic time is passed in.

use std::time::Duration;

/// How long a card must have been on the screen, unchanged, before anything on it can be accepted.
pub const LOOK: Duration = Duration::from_millis(700);
/// After an answer nothing answers for this long.
pub const REST: Duration = Duration::from_millis(300);

/// Whether answers come from a surface where one can misclick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// A window: the guard holds.
    Window,
    /// A terminal or a script: every answer is spelled out.
    Spelled,
}

/// Since when one card is on the screen as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    since: Option<Duration>,
}

impl Look {
    /// The card is on the screen now.
    pub fn shown(&mut self, now: Duration) {
        self.since = Some(now);
    }

    /// The card changed: it must be shown anew.
    pub fn changed(&mut self) {
        self.since = None;
    }

    /// The window was moved, resized or came to the front: a card that is on the screen starts over.
    pub fn rearm(&mut self, now: Duration) {
        self.since = self.since.map(|_| now);
    }

    /// How long accepting must still wait; `None` when the card was never shown as it is.
    pub fn remaining(&self, now: Duration) -> Option<Duration> {
        Some(LOOK.saturating_sub(now.saturating_sub(self.since?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_must_be_looked_at() {
        let ms = Duration::from_millis;
        let mut look = Look::default();
        assert_eq!(look.remaining(ms(5_000)), None, "never shown");
        look.rearm(ms(5_000));
        assert_eq!(look.remaining(ms(5_000)), None, "a resize shows nothing");
        look.shown(ms(1_000));
        assert_eq!(look.remaining(ms(1_000)), Some(ms(700)));
        assert_eq!(look.remaining(ms(1_699)), Some(ms(1)));
        assert_eq!(look.remaining(ms(1_700)), Some(ms(0)));
        look.rearm(ms(1_700));
        assert_eq!(look.remaining(ms(1_700)), Some(ms(700)));
        look.changed();
        assert_eq!(look.remaining(ms(9_000)), None);
    }
}
