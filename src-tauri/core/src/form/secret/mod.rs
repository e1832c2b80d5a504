//! The guard against secrets in forms.
//!
//! Servers must not ask for passwords, API keys, access tokens or payment credentials in a form (MCP 2026-07-28,
//! client/elicitation, "Security Considerations"). Two looks find those who do: at what a field is called
//! ([`of_label`]) and at what stands in it ([`of_text`]). A finding never changes what would be sent; it decides
//! whether a person is warned, or has to say that this field is to be sent all the same.
//!
//! Pure, and linear in what it reads: no regular expression, nothing is looked up.
//!
//! Deliberately absent: learning, and lists that are fetched. A word list and a few shapes are wrong at times in both
//! directions; how often is measured by `the_rates_hold` on rows that the rules were made with and on rows held out.

mod label;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub(super) use label::{Answers, of_label};
pub(super) use value::of_text;

use serde::{Deserialize, Serialize};

/// What the guard says of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    #[default]
    Ok,
    /// Worth a warning.
    Suspicious(Secret),
    /// Held back until the person says that it is to be sent.
    Secret(Secret),
}

/// How sure the guard is, for the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum GuardLevel {
    Suspicious,
    Secret,
}

/// What kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    Password,
    /// Keys and tokens of programs, cookies and addresses that hold them.
    Key,
    /// One-time codes, PINs, answers to security questions.
    Code,
    Card,
    Bank,
    /// Numbers that identify a person.
    Identity,
    /// Words that restore a wallet.
    Phrase,
    /// Login details as a whole.
    Login,
}

impl Guard {
    /// What an argument of a call holds, for lines in which it is only mentioned.
    pub fn of_argument(name: &str, value: &str) -> Self {
        of_label(name, "", "", Answers::Text).max(of_text(value))
    }

    /// `None` where there is nothing to say.
    pub fn level(self) -> Option<GuardLevel> {
        match self {
            Self::Ok => None,
            Self::Suspicious(_) => Some(GuardLevel::Suspicious),
            Self::Secret(_) => Some(GuardLevel::Secret),
        }
    }

    /// For a person, about what a field asks.
    pub fn about_question(self) -> Option<String> {
        match self {
            Self::Ok => None,
            Self::Suspicious(secret) => Some(format!("This may ask for {}. {RULE}", secret.noun())),
            Self::Secret(secret) => Some(format!("This asks for {}. {RULE}", secret.noun())),
        }
    }

    /// For a person, about what stands in a field.
    pub fn about_value(self) -> Option<String> {
        match self {
            Self::Ok => None,
            Self::Suspicious(secret) => Some(format!("What stands here may be {}. {RULE}", secret.noun())),
            Self::Secret(secret) => Some(format!("What stands here looks like {}. {RULE}", secret.noun())),
        }
    }
}

const RULE: &str = "Servers must not ask for passwords, keys or card numbers in a form.";

impl Secret {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Password => "a password",
            Self::Key => "a secret key or token",
            Self::Code => "a secret code",
            Self::Card => "the details of a payment card",
            Self::Bank => "the details of a bank account",
            Self::Identity => "a number that identifies a person",
            Self::Phrase => "the secret words of a wallet",
            Self::Login => "login details",
        }
    }
}
