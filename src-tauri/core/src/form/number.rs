//! Numbers as decimal text: read, compared and written without a float, so that nothing is rounded.
//!
//! What a person may type: an optional `+`, `-` or `−` (U+2212), digits with at most one point (`.5` and `5.` are
//! fine, leading zeros fall away), and an exponent as in JSON (`1e3`). Blanks around it are trimmed. A comma is
//! refused in words, never guessed: `1,5` means two different numbers in two countries.

use std::cmp::Ordering;

/// Most characters that a typed number may have, and most digits that an integer is written out to.
pub(super) const MAX_DIGITS: usize = 1_000;

/// Exponents from here on are not told apart.
const POWER_LIMIT: i64 = i64::MAX / 8;

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
    /// Reads the text of a JSON number. Costs no more than the text is long, whatever the exponent; exponents beyond
    /// about 10^18 are all taken for the same.
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

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn negated(&self) -> Self {
        Self {
            negative: !self.negative && !self.is_zero(),
            ..self.clone()
        }
    }

    /// The power of ten of its last digit: the number is a whole multiple of it.
    pub(super) fn scale(&self) -> i64 {
        self.exponent.saturating_sub(length(&self.digits))
    }

    /// Its significant digits as a number, where they fit 18 digits.
    pub(super) fn coefficient(&self) -> Option<u64> {
        if self.digits.len() > 18 {
            return None;
        }
        self.digits.parse().ok()
    }

    /// The remainder of `|self| / 10^scale` by `modulus`; none where that is no integer, or where the exponent is
    /// beyond what [`Self::parse`] tells apart.
    pub(super) fn remainder(&self, scale: i64, modulus: u64) -> Option<u64> {
        let modulus = u128::from(modulus);
        let zeros = u64::try_from(self.scale().saturating_sub(scale)).ok()?;
        if self.exponent.abs() >= POWER_LIMIT {
            return None;
        }
        let digits = self
            .digits
            .bytes()
            .fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % modulus);
        u64::try_from(digits * power_of_ten(zeros, modulus) % modulus).ok()
    }

    /// The digits of `|self| / 10^scale` before the point (none for zero), and whether nothing stands after it.
    /// None where there are more than [`MAX_DIGITS`].
    pub(super) fn whole_part(&self, scale: i64) -> Option<(String, bool)> {
        let places = self.exponent.saturating_sub(scale);
        let Ok(width) = usize::try_from(places) else {
            return Some((String::new(), self.is_zero()));
        };
        if width > MAX_DIGITS {
            return None;
        }
        let whole = self.digits.get(..width).unwrap_or(&self.digits);
        let exact = self.digits.len() <= width;
        Some(match whole {
            "" => (String::new(), exact),
            digits => (format!("{digits:0<width$}"), exact),
        })
    }

    /// The same for equal numbers however they are written, different for different ones.
    pub(super) fn canonical(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent)
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
        -2 * POWER_LIMIT
    } else {
        2 * POWER_LIMIT
    };
    match text.parse::<i64>() {
        Ok(power) if power.unsigned_abs() <= (2 * POWER_LIMIT).unsigned_abs() => power,
        Ok(_) | Err(_) => limit,
    }
}

/// `10^power` modulo `modulus`, which is below 2^64.
fn power_of_ten(power: u64, modulus: u128) -> u128 {
    let (mut out, mut square, mut left) = (1 % modulus, 10 % modulus, power);
    while left > 0 {
        if left % 2 == 1 {
            out = out * square % modulus;
        }
        square = square * square % modulus;
        left /= 2;
    }
    out
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
}
