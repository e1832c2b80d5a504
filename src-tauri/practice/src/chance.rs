//! Where unguessable tokens come from. Passed in, so that tests hold them.

use crate::message::Fault;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

/// A source of tokens of 32 hexadecimal digits.
#[derive(Debug)]
pub(crate) enum Chance {
    /// The operating system's randomness.
    System,
    /// 1, 2, 3…, for tests alone.
    #[cfg(test)]
    Counting(AtomicU64),
}

impl Chance {
    pub(crate) fn token(&self) -> Result<String, Fault> {
        let number = match self {
            Self::System => {
                let mut bytes = [0; 16];
                getrandom::fill(&mut bytes)
                    .map_err(|_| Fault::Internal("the system has no randomness to give"))?;
                u128::from_be_bytes(bytes)
            }
            #[cfg(test)]
            Self::Counting(count) => u128::from(count.fetch_add(1, Ordering::Relaxed) + 1),
        };
        Ok(format!("{number:032x}"))
    }
}
