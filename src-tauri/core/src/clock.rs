//! The two clocks, passed in so that tests can hold them. The only place that asks the system for the time.

use std::time::Duration;

/// Monotonic time for guards and pauses, wall time for people.
pub trait Clock: Send + Sync {
    /// Time since an arbitrary start; never goes back.
    fn now(&self) -> Duration;
    /// The date and time of day, RFC 3339 with the local offset.
    fn local_time(&self) -> String;
    /// The name of the local zone in the IANA Time Zone Database, where it has one.
    fn zone(&self) -> Option<String>;
}

/// From one time to a later one, both RFC 3339; `None` where one of them is no time or the clock was set back.
pub fn between(earlier: &str, later: &str) -> Option<Duration> {
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let passed = time(later)?.duration_since(time(earlier)?);
    passed.try_into().ok()
}

/// The computer's clocks.
#[derive(Debug)]
pub struct SystemClock {
    start: std::time::Instant,
}

impl Default for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the monotonic clock"
    )]
    fn default() -> Self {
        Self {
            start: std::time::Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn local_time(&self) -> String {
        let now = jiff::ZonedDateTime::now();
        now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    fn zone(&self) -> Option<String> {
        let zone = jiff::tz::TimeZone::try_system().ok()?;
        zone.iana_name().map(str::to_owned)
    }
}

/// A clock that moves only when it is told to.
#[derive(Debug, Default)]
pub struct HeldClock {
    now: std::sync::Mutex<Duration>,
}

impl HeldClock {
    pub fn advance(&self, by: Duration) {
        *self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += by;
    }
}

impl Clock for HeldClock {
    fn now(&self) -> Duration {
        *self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn local_time(&self) -> String {
        let begun = jiff::civil::datetime(2026, 12, 1, 14, 2, 0, 0);
        let now = jiff::SignedDuration::try_from(self.now()).unwrap_or_default();
        let now = begun.checked_add(now).unwrap_or(begun);
        now.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
    }

    fn zone(&self) -> Option<String> {
        Some("Europe/Berlin".to_owned())
    }
}
