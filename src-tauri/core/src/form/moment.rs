//! A date and time as a person enters it, turned into RFC 3339 with an offset.
//!
//! Promises: a text that is RFC 3339 already stays as it is, character by character; an hour that the clock skips is
//! never moved, and of an hour that comes twice none is picked here. Zones come with the app, so that every computer
//! gives the same answer.
//!
//! Deliberately absent: dates in words or in another order, and any guess at a zone that was not named.

use super::TextFormat;
use super::formats;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use serde::Serialize;
use std::sync::LazyLock;

/// What a text means as a point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// One; both where the clock shows the time twice; none where the text is no date and time, or none that exists.
    pub times: Vec<MomentTime>,
    /// The text has no offset of its own: it is read in the zone.
    pub in_zone: bool,
    /// Why there is not one time: a sentence for the person.
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MomentTime {
    /// What is put into the field: RFC 3339 with an offset.
    pub text: String,
    /// The same in the zone, in words: "Friday, 5 March 2027, 14:30 (UTC+01:00)".
    pub told: String,
}

/// The zones that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Zones {
    /// Names of the IANA Time Zone Database, in the order of the alphabet.
    pub names: Vec<String>,
    /// The zone to begin with: this computer's, or UTC where that has no name.
    pub own: String,
}

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
const UTC: &str = "UTC";

/// All zones, and the one to begin with.
pub fn zones(own: Option<String>) -> Zones {
    let mut names: Vec<String> = DATABASE
        .available()
        .map(|name| name.as_str().to_owned())
        // `Etc/GMT+5` is five hours behind UTC, which nobody expects; the others there are UTC.
        .filter(|name| name == UTC || (name.contains('/') && !name.starts_with("Etc/")))
        .collect();
    names.sort_unstable();
    let own = own
        .filter(|own| names.contains(own))
        .unwrap_or_else(|| UTC.to_owned());
    Zones { names, own }
}

/// Reads a text as a date and time. An offset that stands in it counts, unless `replace` says that it gives way to
/// the zone. A zone that is not known is UTC.
pub fn moment(text: &str, zone: &str, replace: bool) -> Moment {
    let zone = DATABASE.get(zone).unwrap_or(TimeZone::UTC);
    if formats::check(TextFormat::DateTime, text).is_ok() && !replace {
        return Moment {
            times: told(text, &zone).into_iter().collect(),
            ..Moment::default()
        };
    }
    match Local::read(text) {
        Some(local) => local.within(&zone).unwrap_or_default(),
        None => Moment::default(),
    }
}

/// A date and time of day without an offset.
struct Local {
    clock: DateTime,
    /// What stands behind the seconds, with its point.
    fraction: String,
}

impl Local {
    /// `2027-03-05 14:30`, with `T` or a blank, perhaps with seconds, a fraction and an offset, which is dropped.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (day, rest) = text.split_at_checked(10)?;
        let date = formats::date(day)?;
        let time = rest.strip_prefix(['T', 't', ' '])?.trim_start();
        let (hour, minute) = (formats::number(time, 0, 2)?, formats::number(time, 3, 2)?);
        if time.as_bytes().get(2) != Some(&b':') {
            return None;
        }
        let rest = time.get(5..)?;
        let (second, rest) = match rest.strip_prefix(':') {
            Some(after) => (formats::number(after, 0, 2)?, after.get(2..)?),
            None => (0, rest),
        };
        let digits = match rest.strip_prefix('.') {
            Some(after) => 1 + after.bytes().take_while(u8::is_ascii_digit).count(),
            None => 0,
        };
        let (fraction, offset) = rest.split_at_checked(digits)?;
        let offset = offset.trim_start();
        if digits == 1 || !(offset.is_empty() || formats::offset_minutes(offset).is_some()) {
            return None;
        }
        let part = |number: i16| i8::try_from(number).ok();
        let time = jiff::civil::Time::new(part(hour)?, part(minute)?, part(second)?, 0).ok()?;
        Some(Self {
            clock: date.to_datetime(time),
            fraction: fraction.to_owned(),
        })
    }

    /// None at the ends of the calendar.
    fn within(&self, zone: &TimeZone) -> Option<Moment> {
        let offsets = match zone.to_ambiguous_timestamp(self.clock).offset() {
            AmbiguousOffset::Unambiguous { offset } => vec![offset],
            AmbiguousOffset::Fold { before, after } => vec![before, after],
            AmbiguousOffset::Gap { .. } => Vec::new(),
        };
        let note = match zone.to_ambiguous_timestamp(self.clock).offset() {
            AmbiguousOffset::Unambiguous { .. } => None,
            AmbiguousOffset::Gap { before, after } => {
                let change = change(zone, after.to_timestamp(self.clock).ok()?, before, after)?;
                Some(format!(
                    "{} does not exist in {}: the clock goes forward {change}. Choose another time.",
                    self.told(),
                    name(zone)
                ))
            }
            AmbiguousOffset::Fold { before, after } => {
                let change = change(zone, before.to_timestamp(self.clock).ok()?, before, after)?;
                Some(format!(
                    "{} comes twice in {}: the clock goes back {change}. Choose which one is meant.",
                    self.told(),
                    name(zone)
                ))
            }
        };
        if offsets.iter().any(|offset| offset.seconds() % 60 != 0) {
            return Some(Moment {
                note: Some(format!(
                    "At that time {} was not whole minutes from UTC. Write the time with Z, in UTC.",
                    name(zone)
                )),
                in_zone: true,
                ..Moment::default()
            });
        }
        let times = offsets
            .iter()
            .map(|offset| {
                let clock = self.clock.strftime("%Y-%m-%dT%H:%M:%S");
                let text = format!("{clock}{}{}", self.fraction, written(*offset));
                told(&text, zone)
            })
            .collect::<Option<_>>()?;
        Some(Moment {
            times,
            in_zone: true,
            note,
        })
    }

    fn told(&self) -> String {
        self.clock.strftime("%H:%M on %-d %B %Y").to_string()
    }
}

/// A text that is RFC 3339, in the zone and in words. None for a leap second, which no clock here shows, and beyond the
/// calendar.
fn told(text: &str, zone: &TimeZone) -> Option<MomentTime> {
    let at: Timestamp = text.to_ascii_uppercase().parse().ok()?;
    let there = at.to_zoned_datetime(zone.clone());
    let seconds = if there.second() == 0 { "" } else { ":%S" };
    let words = there
        .strftime(&format!("%A, %-d %B %Y, %H:%M{seconds}"))
        .to_string();
    Some(MomentTime {
        text: text.to_owned(),
        told: format!("{words} (UTC{})", written(there.offset())),
    })
}

/// "from 02:00 to 03:00", with the days where they differ.
fn change(zone: &TimeZone, shortly_before: Timestamp, before: Offset, after: Offset) -> Option<String> {
    let at = zone.following(shortly_before).next()?.timestamp();
    let (from, to) = (before.to_datetime(at), after.to_datetime(at));
    let how = if from.date() == to.date() {
        "%H:%M"
    } else {
        "%H:%M on %-d %B"
    };
    Some(format!("from {} to {}", from.strftime(how), to.strftime(how)))
}

/// RFC 3339 `time-numoffset`.
fn written(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn name(zone: &TimeZone) -> &str {
    zone.iana_name().unwrap_or(UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERLIN: &str = "Europe/Berlin";

    fn check(text: &str, zone: &str, times: &[&str], note: &[&str]) {
        let found = moment(text, zone, false);
        let texts: Vec<_> = found.times.iter().map(|time| time.text.as_str()).collect();
        assert_eq!(texts, times, "{text} in {zone}");
        assert_eq!(found.note.is_some(), !note.is_empty(), "{text}: {:?}", found.note);
        for words in note {
            assert!(
                found.note.as_ref().is_some_and(|note| note.contains(words)),
                "{:?}",
                found.note
            );
        }
        for time in &found.times {
            assert_eq!(
                formats::check(TextFormat::DateTime, &time.text),
                Ok(()),
                "{}",
                time.text
            );
        }
    }

    #[test]
    fn case_026_a_local_time_gets_the_offset_of_its_zone_on_that_day() {
        check("2027-03-05T14:30", BERLIN, &["2027-03-05T14:30:00+01:00"], &[]);
        check("2027-07-05 14:30", BERLIN, &["2027-07-05T14:30:00+02:00"], &[]);
        check(
            "2027-03-05T14:30:15.250",
            "America/St_Johns",
            &["2027-03-05T14:30:15.250-03:30"],
            &[],
        );
        check(" 2027-03-05 14:30 ", "UTC", &["2027-03-05T14:30:00+00:00"], &[]);
        check(
            "2027-03-05 14:30",
            "Asia/Kathmandu",
            &["2027-03-05T14:30:00+05:45"],
            &[],
        );
    }

    #[test]
    fn case_026_what_is_rfc_3339_already_stays_as_it_is() {
        for text in [
            "2027-03-05T13:30:00Z",
            "2027-03-05t13:30:00.10z",
            "2027-03-05T13:30:00-00:00",
        ] {
            check(text, BERLIN, &[text], &[]);
        }
        let told = &moment("2027-03-05T13:30:00Z", BERLIN, false).times[0].told;
        assert_eq!(told, "Friday, 5 March 2027, 14:30 (UTC+01:00)");
        let leap = moment("2016-12-31T23:59:60Z", BERLIN, false);
        assert!(leap.note.is_none(), "it is sent as it stands, without words");
    }

    #[test]
    fn an_hour_that_the_clock_skips_is_explained_and_not_moved() {
        check(
            "2027-03-28 02:30",
            BERLIN,
            &[],
            &[
                "02:30 on 28 March 2027 does not exist in Europe/Berlin",
                "from 02:00 to 03:00",
            ],
        );
        check(
            "2011-12-30 12:00",
            "Pacific/Apia",
            &[],
            &["from 00:00 on 30 December to 00:00 on 31 December"],
        );
    }

    #[test]
    fn an_hour_that_comes_twice_is_offered_twice() {
        check(
            "2027-10-31 02:30",
            BERLIN,
            &["2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"],
            &["comes twice in Europe/Berlin", "from 03:00 to 02:00"],
        );
    }

    #[test]
    fn another_zone_keeps_what_the_clock_shows() {
        let moved = moment("2027-03-05T13:30:00Z", BERLIN, true);
        assert_eq!(moved.times[0].text, "2027-03-05T13:30:00+01:00");
        assert!(moved.in_zone);
    }

    #[test]
    fn what_is_no_date_and_time_has_none() {
        for text in [
            "",
            "2027-03-05",
            "2027-02-29 10:00",
            "2027-03-05 24:00",
            "2027-03-05 1:30",
            "2027-03-05 10:00:",
            "2027-03-05 10:00:00.",
            "2027-03-05 10:00 CET",
            "5 March 2027 14:30",
            "2027-03-05é10:00",
            "２０２７-03-05 10:00",
            "1890-01-01 10é00",
        ] {
            check(text, BERLIN, &[], &[]);
        }
        check("1890-01-01 10:00", BERLIN, &[], &["not whole minutes from UTC"]);
        check("9999-12-31 23:59", "America/New_York", &[], &[]);
    }

    #[test]
    fn zones_have_names_and_a_beginning() {
        let all = zones(Some(BERLIN.to_owned()));
        assert!(all.names.len() > 400, "{}", all.names.len());
        assert!(all.names.is_sorted());
        assert_eq!(all.own, BERLIN);
        assert_eq!(zones(None).own, UTC);
        assert_eq!(zones(Some("Mars/Olympus".to_owned())).own, UTC);
        for name in &all.names {
            assert!(DATABASE.get(name).is_ok(), "{name}");
        }
    }
}
