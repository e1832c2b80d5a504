//! Numbers as decimal text: read, compared and written without a float, so that nothing is rounded.
//!
//! What a person may type: an optional `+`, `-` or `−` (U+2212), digits with at most one point (`.5` and `5.` are
//! fine, leading zeros fall away), and an exponent as in JSON (`1e3`). Blanks around it are trimmed. A comma is
//! refused in words, never guessed: `1,5` means two different numbers in two countries.

use std::cmp::Ordering;

/// Most characters that a typed number may have, and most digits that an integer is written out to.
pub(super) const MAX_DIGITS: usize = 1_000;

/// An exact decimal number: `0.digits × 10^exponent`. `digits` neither begins nor ends with 0; none for zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Why a typed text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoNumber {
    Comma,
    TooLong,
    Other,
}

/// What was typed as the text of a JSON number.
pub(super) fn typed(text: &str) -> Result<String, NoNumber> {
    let text = text.trim();
    if text.len() > MAX_DIGITS {
        return Err(NoNumber::TooLong);
    }
    let (sign, rest) = match text.strip_prefix(['-', '−']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if rest.contains(',') && rest.chars().all(|c| c.is_ascii_digit() || ",. '".contains(c)) {
        return Err(NoNumber::Comma);
    }
    let (mantissa, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return Err(NoNumber::Other);
    }
    if !exponent.is_empty() {
        let power = exponent.get(1..).unwrap_or_default();
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        if power.is_empty() || !all_digits(power) {
            return Err(NoNumber::Other);
        }
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    Ok(format!("{sign}{whole}{point}{fraction}{exponent}"))
}

impl Decimal {
    /// Reads the text of a JSON number. An exponent beyond 64 bits counts as the largest that fits.
    pub(super) fn parse(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match text.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, read_power(power)),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Self {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        let zeros = all.len() - significant.len();
        let exponent = power
            .saturating_add(length(whole))
            .saturating_sub(length(&all[..zeros]));
        Self {
            negative,
            digits,
            exponent,
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= length(&self.digits)
    }

    /// The integer with all its digits; none if it is no integer or has more than [`MAX_DIGITS`] digits.
    pub(super) fn integer_text(&self) -> Option<String> {
        let width = usize::try_from(self.exponent).ok()?;
        if !self.is_integer() || width > MAX_DIGITS {
            return None;
        }
        let sign = if self.negative { "-" } else { "" };
        Some(match self.digits.as_str() {
            "" => "0".to_owned(),
            digits => format!("{sign}{digits:0<width$}"),
        })
    }

    /// Whether no integer lies between two bounds of which the first is not the larger.
    pub(super) fn no_integer_between(low: &Self, high: &Self) -> bool {
        !low.is_integer()
            && !high.is_integer()
            && low.negative == high.negative
            && low.whole_digits() == high.whole_digits()
    }

    /// The same for equal numbers however they are written, different for different ones.
    pub(super) fn canonical(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent)
    }

    /// The digits before the point of a number that is no integer.
    fn whole_digits(&self) -> &str {
        let width = usize::try_from(self.exponent).unwrap_or(0);
        self.digits.get(..width).unwrap_or(&self.digits)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || (self.exponent, &self.digits).cmp(&(other.exponent, &other.digits));
        rank(self)
            .cmp(&rank(other))
            .then_with(|| if self.negative { size().reverse() } else { size() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn read_power(text: &str) -> i64 {
    let limit = if text.starts_with('-') {
        i64::MIN / 4
    } else {
        i64::MAX / 4
    };
    match text.parse::<i64>() {
        Ok(power) if power.abs() <= i64::MAX / 4 => power,
        Ok(_) | Err(_) => limit,
    }
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value_not_by_float() {
        let ascending = [
            "-1e99999999999999999999",
            "-9007199254740993",
            "-9007199254740992.5",
            "-1.5",
            "-1.25",
            "-0.001",
            "-0",
            "1E-400",
            "0.1",
            "0.3",
            "0.30000000000000004",
            "1",
            "1.5",
            "9.99",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1E400",
            "1e401",
        ];
        for (left, low) in ascending.iter().enumerate() {
            for (right, high) in ascending.iter().enumerate() {
                assert_eq!(
                    Decimal::parse(low).cmp(&Decimal::parse(high)),
                    left.cmp(&right),
                    "{low} {high}"
                );
            }
        }
    }

    #[test]
    fn equal_numbers_are_equal_however_written() {
        for group in [
            &["0", "-0", "0.0", "0e5", "-0.000E-9"][..],
            &["100", "100.00", "1e2", "0.1E+3", "1000e-1"],
            &["-0.5", "-5e-1", "-0.50"],
        ] {
            for text in group {
                assert_eq!(Decimal::parse(text), Decimal::parse(group[0]), "{text}");
                assert_eq!(
                    Decimal::parse(text).canonical(),
                    Decimal::parse(group[0]).canonical(),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn integers_are_written_out() {
        for (text, written) in [
            ("0", Some("0")),
            ("-0.0", Some("0")),
            ("3.0", Some("3")),
            ("1e3", Some("1000")),
            ("-12.50e1", Some("-125")),
            (
                "123456789012345678901234567890",
                Some("123456789012345678901234567890"),
            ),
            ("1.5", None),
            ("1e-1", None),
            ("1e1001", None),
            ("1e99999999999999999999", None),
        ] {
            assert_eq!(Decimal::parse(text).integer_text().as_deref(), written, "{text}");
        }
    }

    #[test]
    fn a_gap_between_integers_is_seen() {
        for (low, high, none) in [
            ("1.2", "1.8", true),
            ("0.2", "0.8", true),
            ("-0.8", "-0.2", true),
            ("-0.5", "0.5", false),
            ("1.2", "2.1", false),
            ("9.5", "10.5", false),
            ("1", "1", false),
        ] {
            let (low_, high_) = (Decimal::parse(low), Decimal::parse(high));
            assert_eq!(Decimal::no_integer_between(&low_, &high_), none, "{low} {high}");
        }
    }
}
