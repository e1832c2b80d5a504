//! What a number may be: whole or not, bounds that count or just do not, a step. All of it exact, without a float.
//!
//! A bound that is no number says nothing and is ignored, like a step that is not above zero. A step of more than 18
//! digits is told but not checked. Ranges without a number are refused; where bounds have more than 1,000 digits
//! that is not looked for.

use super::answer::{Wrong, wrong};
use super::number::{Decimal, NoNumber, typed};
use super::schema::{Node, Refused};
use super::undrawable::Reason;
use super::{FieldErrorCode, NumberLimits};
use crate::text;

#[derive(Clone, Debug)]
pub(super) struct Range {
    integer: bool,
    low: Option<Bound>,
    high: Option<Bound>,
    step: Option<Step>,
}

#[derive(Clone, Debug)]
struct Bound {
    number: Decimal,
    /// For people: `0` for `0.0`.
    text: String,
    /// The bound itself does not count.
    open: bool,
}

#[derive(Clone, Debug)]
struct Step {
    text: String,
    /// `digits × 10^scale`; none for too many digits to check.
    exact: Option<(u64, i64)>,
}

impl Range {
    /// Reads `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf`.
    ///
    /// # Errors
    /// A range that no number is in.
    pub(super) fn read(node: &Node<'_>, integer: bool) -> Result<Self, Refused> {
        let bound = |keyword: &str, open: bool| {
            number(node, keyword).map(|(number, text)| Bound { number, text, open })
        };
        let low = match (bound("minimum", false), bound("exclusiveMinimum", true)) {
            (Some(counts), Some(open)) if open.number < counts.number => Some(counts),
            (counts, open) => open.or(counts),
        };
        let high = match (bound("maximum", false), bound("exclusiveMaximum", true)) {
            (Some(counts), Some(open)) if open.number > counts.number => Some(counts),
            (counts, open) => open.or(counts),
        };
        let step = number(node, "multipleOf").filter(|(step, _)| !step.is_zero() && !step.is_negative());
        let range = Self {
            integer,
            low,
            high,
            step: step.map(|(step, text)| Step {
                text,
                exact: step.coefficient().map(|digits| (digits, step.scale())),
            }),
        };
        if range.is_impossible() {
            let what = match (&range.step, integer) {
                (None, true) => "whole number".to_owned(),
                (None, false) => "number".to_owned(),
                (Some(step), true) => format!("whole number that is a multiple of {},", step.text),
                (Some(step), false) => format!("multiple of {}", step.text),
            };
            let rest = format!("asks for a {what} {}; there is none.", range.told());
            return Err(Refused::new(Reason::ImpossibleRange, rest));
        }
        Ok(range)
    }

    /// The JSON number that a typed text stands for.
    pub(super) fn accept(&self, text: &str) -> Result<String, Wrong> {
        let text = typed(text).map_err(|why| {
            let message = match why {
                NoNumber::Comma => {
                    "Write the decimal point as a point and leave out separators: 1.5 or 1000."
                }
                NoNumber::TooLong => "This number is too long.",
                NoNumber::Other if self.integer => "Enter a whole number in digits, such as 12.",
                NoNumber::Other => "Enter a number in digits, such as 12 or 1.5.",
            };
            wrong(FieldErrorCode::NotNumber, message)
        })?;
        let number = Decimal::parse(&text);
        if self.integer && !number.is_integer() {
            return Err(wrong(
                FieldErrorCode::NotInteger,
                "Enter a whole number, without decimals.",
            ));
        }
        if !self.low.as_ref().is_none_or(|low| low.admits_above(&number)) {
            return Err(wrong(FieldErrorCode::TooSmall, self.sentence()));
        }
        if !self.high.as_ref().is_none_or(|high| high.admits_below(&number)) {
            return Err(wrong(FieldErrorCode::TooLarge, self.sentence()));
        }
        if let Some(step) = self.step.as_ref().filter(|step| !step.divides(&number)) {
            let message = format!("Enter a multiple of {}.", step.text);
            return Err(wrong(FieldErrorCode::NotMultiple, message));
        }
        if !self.integer {
            return Ok(text);
        }
        number
            .integer_text()
            .ok_or_else(|| wrong(FieldErrorCode::NotNumber, "This number is too long."))
    }

    /// How a person would type this JSON number: an integer with all its digits.
    pub(super) fn text_of(&self, number: &str) -> String {
        let whole = Decimal::parse(number).integer_text().filter(|_| self.integer);
        whole.unwrap_or_else(|| number.to_owned())
    }

    pub(super) fn is_integer(&self) -> bool {
        self.integer
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let unchecked = self.step.iter().filter(|step| step.exact.is_none());
        unchecked
            .map(|step| {
                format!(
                    "The server expects a multiple of {}, which is not checked here.",
                    step.text
                )
            })
            .collect()
    }

    pub(super) fn limits(&self) -> NumberLimits {
        let (minimum, above) = told_bound(self.low.as_ref());
        let (maximum, below) = told_bound(self.high.as_ref());
        let step = self.step.as_ref().filter(|step| step.exact.is_some());
        NumberLimits {
            integer: self.integer,
            minimum,
            maximum,
            above,
            below,
            multiple_of: step.map(|step| step.text.clone()),
        }
    }

    fn sentence(&self) -> String {
        match (&self.low, &self.high) {
            (Some(_), Some(_)) => format!("Enter a number {}.", self.told()),
            (_, _) => format!("Enter {}.", self.told()),
        }
    }

    fn told(&self) -> String {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if !low.open && !high.open => {
                format!("from {} to {}", low.text, high.text)
            }
            (Some(low), Some(high)) => {
                let least = if low.open { "more than" } else { "of at least" };
                let most = if high.open { "less than" } else { "at most" };
                format!("{least} {} and {most} {}", low.text, high.text)
            }
            (Some(low), None) if low.open => format!("more than {}", low.text),
            (Some(low), None) => format!("{} or more", low.text),
            (None, Some(high)) if high.open => format!("less than {}", high.text),
            (None, Some(high)) => format!("{} or less", high.text),
            (None, None) => String::new(),
        }
    }

    fn is_impossible(&self) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else {
            return false;
        };
        if low.number > high.number || low.number == high.number && (low.open || high.open) {
            return true;
        }
        let zero = Decimal::parse("0");
        if low.admits_above(&zero) && high.admits_below(&zero) {
            return false;
        }
        let Some((step, scale)) = self.grid() else {
            return false;
        };
        // Both bounds are on one side of zero; the negative side is looked at in a mirror.
        let reached = if high.number.is_negative() || high.number.is_zero() {
            next_multiple(&high.mirrored(), &low.mirrored(), step, scale)
        } else {
            next_multiple(low, high, step, scale)
        };
        reached == Some(false)
    }

    /// What every number of the range is a multiple of, as `digits × 10^scale`.
    fn grid(&self) -> Option<(u64, i64)> {
        let step = self.step.as_ref().and_then(|step| step.exact);
        match (self.integer, step) {
            (false, step) => step,
            (true, None) => Some((1, 0)),
            (true, Some((digits, scale))) if scale >= 0 => Some((digits, scale)),
            // The least common multiple of 1 and digits / 10^places.
            (true, Some((digits, scale))) => Some((without_tens(digits, scale.unsigned_abs()), 0)),
        }
    }
}

impl Bound {
    fn admits_above(&self, number: &Decimal) -> bool {
        *number > self.number || !self.open && *number == self.number
    }

    fn admits_below(&self, number: &Decimal) -> bool {
        *number < self.number || !self.open && *number == self.number
    }

    fn mirrored(&self) -> Self {
        Self {
            number: self.number.negated(),
            ..self.clone()
        }
    }
}

impl Step {
    fn divides(&self, number: &Decimal) -> bool {
        match self.exact {
            // A number whose exponent cannot be told is not known to be a multiple.
            Some((digits, scale)) => number.is_zero() || number.remainder(scale, digits) == Some(0),
            None => true,
        }
    }
}

/// A keyword's number, and its text for people.
fn number(node: &Node<'_>, keyword: &str) -> Option<(Decimal, String)> {
    let text = node.get(keyword)?.as_number()?;
    let number = Decimal::parse(text);
    let short = number.integer_text().filter(|_| !text.contains(['e', 'E']));
    let text = text::line(short.as_deref().unwrap_or(text), text::CHIP);
    Some((number, text))
}

/// The text of a bound that counts, or of one that just does not.
fn told_bound(bound: Option<&Bound>) -> (Option<String>, Option<String>) {
    match bound {
        None => (None, None),
        Some(bound) if bound.open => (None, Some(bound.text.clone())),
        Some(bound) => (Some(bound.text.clone()), None),
    }
}

/// Whether a multiple of `step × 10^scale` lies between two bounds above zero; none where that is too long to tell.
fn next_multiple(low: &Bound, high: &Bound, step: u64, scale: i64) -> Option<bool> {
    let (below, low_is_one) = quotient(&low.number, step, scale)?;
    let (most, high_is_one) = quotient(&high.number, step, scale)?;
    if low_is_one && !low.open {
        // The lower bound itself; an equal upper bound that does not count was looked at before.
        return Some(true);
    }
    let most = if high_is_one && high.open {
        one_less(&most)
    } else {
        most
    };
    Some((most.len(), most) > (below.len(), below))
}

/// How many whole times `step × 10^scale` goes into a number above zero, without leading zeros, and whether nothing is left.
fn quotient(number: &Decimal, step: u64, scale: i64) -> Option<(String, bool)> {
    let (digits, mut exact) = number.whole_part(scale)?;
    let (mut out, mut rest) = (String::new(), 0_u128);
    for digit in digits.bytes() {
        rest = rest * 10 + u128::from(digit - b'0');
        let times = rest / u128::from(step);
        rest %= u128::from(step);
        if times > 0 || !out.is_empty() {
            out.push_str(&times.to_string());
        }
    }
    exact &= rest == 0;
    Some((out, exact))
}

/// One less than a number above zero, without leading zeros.
fn one_less(digits: &str) -> String {
    let kept = digits.trim_end_matches('0');
    let mut out = kept.to_owned();
    if let Some(last) = out.pop() {
        let less = char::from(last as u8 - 1);
        if less != '0' || !out.is_empty() {
            out.push(less);
        }
    }
    out.push_str(&"9".repeat(digits.len() - kept.len()));
    out
}

/// A number divided by every 2 and 5 that it has in common with `10^places`.
fn without_tens(mut number: u64, places: u64) -> u64 {
    for prime in [2_u64, 5] {
        let mut left = places;
        while left > 0 && number > 0 && number.is_multiple_of(prime) {
            number /= prime;
            left -= 1;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json::Json;

    fn range(schema: &str, integer: bool) -> Option<Range> {
        let schema = Json::parse(schema).expect(schema);
        Node::open(&schema, &schema)
            .ok()
            .and_then(|node| Range::read(&node, integer).ok())
    }

    #[test]
    fn steps_divide_exactly() {
        for (step, number, divides) in [
            ("0.1", "0.3", true),
            ("0.1", "0.30000000000000004", false),
            ("0.01", "19.99", true),
            ("0.01", "19.999", false),
            ("3", "9007199254740993", true),
            ("3", "9007199254740992", false),
            ("7", "1E400", false),
            ("1E-400", "1e-399", true),
            ("1E-399", "1e-400", false),
            ("8", "1E400", true),
            ("2.5", "1e999999999999999", true),
            ("2.5", "1e-999999999999999", false),
            ("3", "3e999999999999999", true),
            ("3", "1e999999999999999", false),
            ("3", "3e99999999999999999999", false),
            ("1e999999999999999", "3e999999999999999", true),
            ("1e999999999999999", "3", false),
            ("1e999999999999999", "0", true),
            ("999999999999999989", "999999999999999989e7", true),
            ("999999999999999989", "999999999999999988e7", false),
            ("2", "-4", true),
            ("2", "-0", true),
            // Not above zero, or too many digits: not checked.
            ("0", "0.7", true),
            ("-2", "1", true),
            ("1.0000000000000000001", "2", true),
        ] {
            let range = range(&format!(r#"{{"multipleOf":{step}}}"#), false).expect(step);
            assert_eq!(range.accept(number).is_ok(), divides, "{number} by {step}");
        }
    }

    #[test]
    fn ranges_without_a_number_are_found() {
        let (integer, any) = (true, false);
        for (schema, kind, impossible) in [
            (r#"{"minimum":2,"maximum":1}"#, any, true),
            (r#"{"minimum":1,"maximum":1}"#, any, false),
            (r#"{"minimum":1,"exclusiveMaximum":1}"#, any, true),
            (r#"{"exclusiveMinimum":1,"maximum":1.0}"#, any, true),
            (
                r#"{"exclusiveMinimum":1,"exclusiveMaximum":1.0000001}"#,
                any,
                false,
            ),
            (r#"{"exclusiveMinimum":1,"exclusiveMaximum":2}"#, integer, true),
            (r#"{"exclusiveMinimum":1,"maximum":2}"#, integer, false),
            (r#"{"exclusiveMinimum":-2,"exclusiveMaximum":-1}"#, integer, true),
            (r#"{"minimum":-2,"exclusiveMaximum":-1}"#, integer, false),
            (r#"{"exclusiveMinimum":-1,"exclusiveMaximum":1}"#, integer, false),
            (r#"{"exclusiveMinimum":0,"exclusiveMaximum":1}"#, integer, true),
            (r#"{"exclusiveMinimum":-1,"exclusiveMaximum":0}"#, integer, true),
            (r#"{"minimum":1.2,"maximum":1.8}"#, integer, true),
            (r#"{"minimum":-0.8,"maximum":-0.2}"#, integer, true),
            (r#"{"minimum":-0.8,"maximum":0.2}"#, integer, false),
            (r#"{"minimum":9.5,"maximum":10.5}"#, integer, false),
            (r#"{"minimum":99.5,"exclusiveMaximum":100}"#, integer, true),
            (r#"{"minimum":6,"maximum":9,"multipleOf":5}"#, any, true),
            (r#"{"minimum":6,"maximum":10,"multipleOf":5}"#, any, false),
            (r#"{"minimum":6,"exclusiveMaximum":10,"multipleOf":5}"#, any, true),
            (r#"{"minimum":-9,"maximum":-6,"multipleOf":5}"#, any, true),
            (r#"{"minimum":0.1,"maximum":0.9,"multipleOf":0.5}"#, any, false),
            (r#"{"minimum":0.1,"maximum":0.9,"multipleOf":0.5}"#, integer, true),
            (r#"{"minimum":1,"maximum":2,"multipleOf":1.5}"#, integer, true),
            (r#"{"minimum":1,"maximum":3,"multipleOf":1.5}"#, integer, false),
            (r#"{"minimum":1,"maximum":1,"multipleOf":1E-300}"#, integer, false),
            (r#"{"minimum":1E-5,"maximum":9E-1,"multipleOf":1E300}"#, any, true),
            (
                r#"{"minimum":9007199254740993.5,"maximum":9007199254740993.75}"#,
                integer,
                true,
            ),
            (
                r#"{"minimum":1E400,"maximum":1E400,"multipleOf":7}"#,
                integer,
                true,
            ),
            // Too long to tell; the first number typed is told all the same.
            (
                r#"{"minimum":1E9000,"maximum":1E9000,"multipleOf":7}"#,
                integer,
                false,
            ),
            // The tighter of two bounds counts.
            (r#"{"minimum":5,"exclusiveMinimum":1,"maximum":4}"#, any, true),
            (r#"{"minimum":1,"exclusiveMinimum":5,"maximum":5}"#, any, true),
            (
                r#"{"minimum":"9","maximum":4,"exclusiveMaximum":true}"#,
                any,
                false,
            ),
        ] {
            assert_eq!(range(schema, kind).is_none(), impossible, "{schema}");
        }
    }
}
