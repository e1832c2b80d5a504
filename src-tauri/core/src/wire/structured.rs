//! Whether a tool's `structuredContent` fits its `outputSchema` (2026-07-28, server/tools, "Output Schema"; basic,
//! "JSON Schema Usage").
//!
//! Promises: nothing is ever fetched, whatever a schema refers to; nothing a server sends makes this take long, run
//! out of stack or panic, because what the check would cost is counted before it begins; what cannot be checked is
//! said with the reason and never taken as fitting. Patterns run on an engine of linear time.
//!
//! Dialect: JSON Schema 2020-12, and no other. References reach within the schema itself: by JSON Pointer, by
//! `$anchor`, by `$dynamicAnchor`, and by the schema's own `$id`. `format` and `content*` are annotations, as in the
//! dialect's default.
//!
//! Numbers are compared as 64-bit integers or doubles. A number that is neither exactly one of the former nor the
//! shortest text of one of the latter (30 digits, `1E400`) is not rounded: the result is then not checked.
//!
//! Deliberately absent: schemas with an `$id` inside (a part that is a schema of its own), other dialects, and any
//! repair of what does not fit. A result with `isError` need not fit; whether to ask here is the caller's decision.
//! The work is bounded, yet too much for a thread that draws or serves others.

mod cost;

use super::decimal::Decimal;
use super::json::Json;
use crate::text;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, PatternOptions, ValidationError};
use serde_json::{Number, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Largest schema that is checked against, in bytes.
pub const MAX_SCHEMA: usize = 256 * 1024;
/// Largest structured result that is checked, in bytes.
pub const MAX_INSTANCE: usize = 1024 * 1024;
/// Most parts of a schema that are schemas themselves.
pub const MAX_PARTS: usize = 2_000;
/// Most patterns in a schema.
pub const MAX_PATTERNS: usize = 200;
/// Deepest nesting of schema within schema while one value is checked, references included.
pub const MAX_HEIGHT: u32 = 200;
/// Most steps that a check may take: one for each value that meets a part of the schema, more for long text.
pub const MAX_STEPS: u64 = 250_000;
/// Most findings that are told.
pub const MAX_FINDINGS: usize = 5;
/// Largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 64 * 1024;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What became of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    Fits,
    /// The tool promises structured content and sends none.
    Missing,
    /// At most [`MAX_FINDINGS`], each "place: reason"; the place is a JSON Pointer, foreign words are chips.
    Unfit {
        findings: Vec<String>,
    },
    Unchecked {
        reason: Unchecked,
    },
}

/// Why a result cannot be checked. Foreign words are chips.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    #[error("a part of the schema is {0}, not an object")]
    NoSchema(&'static str),
    #[error("dialect “{0}”; only JSON Schema 2020-12 is known here")]
    Dialect(String),
    #[error("it refers to “{0}”, which is somewhere else; nothing is fetched")]
    External(String),
    #[error("it refers to “{0}”, which is not in it")]
    NoTarget(String),
    #[error("a part of it has an identity of its own, “{0}”")]
    Embedded(String),
    #[error("it refers to itself without end")]
    Endless,
    #[error("the schema has {0} bytes; {MAX_SCHEMA} is the most")]
    SchemaTooLarge(usize),
    #[error("the value has {0} bytes; {MAX_INSTANCE} is the most")]
    ResultTooLarge(usize),
    #[error("the schema has more than {MAX_PARTS} parts")]
    TooManyParts,
    #[error("the schema has more than {MAX_PATTERNS} patterns")]
    TooManyPatterns,
    #[error("the schema is nested deeper than {MAX_HEIGHT} levels")]
    TooDeep,
    #[error("too costly")]
    TooCostly,
    #[error("the number {0} has more digits than can be compared")]
    Number(String),
    #[error("the schema is not valid: {0}")]
    Invalid(String),
    #[error("the check itself failed")]
    Failed,
}

/// Checks what a tool sent as `structuredContent` against the `outputSchema` it has, or arguments against its
/// `inputSchema`.
pub fn check(output_schema: &Json, structured: Option<&Json>) -> Fit {
    let Some(structured) = structured else {
        return Fit::Missing;
    };
    match findings(output_schema, structured) {
        Ok(findings) if findings.is_empty() => Fit::Fits,
        Ok(findings) => Fit::Unfit { findings },
        Err(reason) => Fit::Unchecked { reason },
    }
}

fn findings(schema: &Json, instance: &Json) -> Result<Vec<String>, Unchecked> {
    let bytes = schema.to_string().len();
    if bytes > MAX_SCHEMA {
        return Err(Unchecked::SchemaTooLarge(bytes));
    }
    let bytes = instance.to_string().len();
    if bytes > MAX_INSTANCE {
        return Err(Unchecked::ResultTooLarge(bytes));
    }
    cost::bound(schema, instance)?;
    let (schema, instance) = (exact(schema)?, exact(instance)?);
    // The library asserts what it believes of schemas; a server must not be able to find out where it errs.
    catch_unwind(AssertUnwindSafe(|| validate(&schema, &instance))).unwrap_or(Err(Unchecked::Failed))
}

fn validate(schema: &Value, instance: &Value) -> Result<Vec<String>, Unchecked> {
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(
            PatternOptions::regex()
                .size_limit(MAX_PATTERN)
                .dfa_size_limit(MAX_PATTERN),
        )
        .build(schema)
        .map_err(|error| Unchecked::Invalid(text::chip(&error.masked().to_string())))?;
    if validator.is_valid(instance) {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for error in validator.iter_errors(instance).take(MAX_FINDINGS) {
        let place = match error.instance_path().as_str() {
            "" => "the whole".to_owned(),
            pointer => text::chip(pointer),
        };
        findings.push(format!("{place}: {}", reason(&error)?));
    }
    if findings.is_empty() {
        return Err(Unchecked::Failed);
    }
    Ok(findings)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "another's list of kinds, which may grow"
)]
fn reason(error: &ValidationError<'_>) -> Result<String, Unchecked> {
    use ValidationErrorKind as Kind;
    let chip = |value: &Value| match value {
        Value::String(word) => text::chip(word),
        other => text::chip(&other.to_string()),
    };
    let list = |words: &[String]| text::chip(&words.join(", "));
    Ok(match error.kind() {
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            return Err(Unchecked::TooCostly);
        }
        Kind::Referencing(_) => return Err(Unchecked::Failed),
        Kind::Type {
            kind: TypeKind::Single(kind),
        } => format!("is not of type “{kind}”"),
        Kind::Type {
            kind: TypeKind::Multiple(_),
        } => "is of none of the types that are allowed".to_owned(),
        Kind::Required { property } => format!("“{}” is missing", chip(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("has what is not described: “{}”", list(unexpected))
        }
        Kind::AdditionalItems { limit } => format!("has more than {limit} entries"),
        Kind::UnevaluatedItems { .. } => "has entries that are not described".to_owned(),
        Kind::Enum { .. } => "is none of the values that are allowed".to_owned(),
        Kind::Constant { .. } => "is not the one value that is allowed".to_owned(),
        Kind::Minimum { limit } => format!("is less than {}", chip(limit)),
        Kind::Maximum { limit } => format!("is more than {}", chip(limit)),
        Kind::ExclusiveMinimum { limit } => format!("is not more than {}", chip(limit)),
        Kind::ExclusiveMaximum { limit } => format!("is not less than {}", chip(limit)),
        Kind::MultipleOf { multiple_of } => format!("is no multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("has fewer than {limit} characters"),
        Kind::MaxLength { limit } => format!("has more than {limit} characters"),
        Kind::MinItems { limit } => format!("has fewer than {limit} entries"),
        Kind::MaxItems { limit } => format!("has more than {limit} entries"),
        Kind::MinProperties { limit } => format!("has fewer than {limit} members"),
        Kind::MaxProperties { limit } => format!("has more than {limit} members"),
        Kind::UniqueItems => "has the same entry twice".to_owned(),
        Kind::Contains => "has no entry of the kind that is asked for".to_owned(),
        Kind::Pattern { pattern } => format!("does not match “{}”", text::chip(pattern)),
        Kind::PropertyNames { .. } => "has a member whose name is not allowed".to_owned(),
        Kind::FalseSchema => "must not be there".to_owned(),
        Kind::Not { .. } => "is what it must not be".to_owned(),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "fits none of the alternatives".to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits more than one of the alternatives".to_owned(),
        _ => text::chip(&error.masked().to_string()),
    })
}

/// The value for the library, no number rounded.
fn exact(json: &Json) -> Result<Value, Unchecked> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(text) => Value::Number(exact_number(text)?),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(exact).collect::<Result<_, _>>()?),
        Json::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, value)| Ok((key.to_owned(), exact(value)?)))
                .collect::<Result<_, _>>()?,
        ),
    })
}

fn exact_number(text: &str) -> Result<Number, Unchecked> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = text.parse::<u64>() {
        return Ok(number.into());
    }
    let rounded = text.parse::<f64>().ok().filter(|number| number.is_finite());
    rounded
        .filter(|rounded| {
            let exact = Decimal::parse(text);
            exact.is_some() && exact == Decimal::parse(&format!("{rounded:e}"))
        })
        .and_then(Number::from_f64)
        .ok_or_else(|| Unchecked::Number(text::chip(text)))
}

#[cfg(test)]
mod tests;
