//! The value of a JSON number, exact, without a float.

/// `digits × 10^scale`. The digits neither begin nor end with 0; there are none for zero, which has no sign.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: String,
    pub(super) scale: i64,
}

impl Decimal {
    /// Reads the text of a JSON number; `None` where the exponent does not fit 64 bits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self {
                negative: false,
                digits: String::new(),
                scale: 0,
            });
        }
        let zeros = i64::try_from(significant.len() - digits.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let scale = power
            .parse::<i64>()
            .ok()?
            .checked_add(zeros)?
            .checked_sub(places)?;
        Some(Self {
            negative,
            digits: digits.to_owned(),
            scale,
        })
    }

    /// Its magnitude, if it is whole and fits.
    pub(super) fn whole(&self) -> Option<u64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let scale = u32::try_from(self.scale).ok()?;
        let digits = self.digits.parse::<u64>().ok()?;
        digits.checked_mul(10_u64.checked_pow(scale)?)
    }
}
