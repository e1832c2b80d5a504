//! Suggestions while a person fills in a prompt or a document's address: `completion/complete` (2026-07-28 and
//! 2025-11-25, server/utilities/completion; the same in both eras, `context` from 2025-06-18 on).
//!
//! Promises: what is asked is one argument, with the others that are filled in and not with itself; what comes back is
//! read leniently, and no more is taken of it than the protocol allows. Pure.
//!
//! Deliberately absent: when to ask (a pause after typing, not at every key) and keeping what came. The values are what
//! is sent if one is chosen, so they are not filtered here; whoever shows them filters.

use super::json::Json;
use super::request::{Method, Request};

/// Most suggestions of one answer.
pub const MAX_VALUES: usize = 100;

/// What is being filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource template, by the template itself.
    Template(&'a str),
}

/// Suggestions, the best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// At most [`MAX_VALUES`], unfiltered.
    pub values: Vec<String>,
    /// How many there are in all, where the server knows; never fewer than `values`.
    pub total: Option<u64>,
    /// There are more than `values`.
    pub more: bool,
}

/// The request for suggestions for `argument`, of which `value` is entered so far. `entered` is what all the arguments
/// hold; the argument itself and empty ones are left out of the context, and a context of nothing is not sent.
pub fn request<'a>(
    subject: Subject<'_>,
    argument: &str,
    value: &str,
    entered: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Request {
    let (kind, member, name) = match subject {
        Subject::Prompt(name) => ("ref/prompt", "name", name),
        Subject::Template(template) => ("ref/resource", "uri", template),
    };
    let others: Vec<_> = entered
        .into_iter()
        .filter(|(name, text)| *name != argument && !text.is_empty())
        .map(|(name, text)| (name, Json::string(text)))
        .collect();
    let request = Request::new(Method::Complete)
        .with(
            "ref",
            Json::object([("type", Json::string(kind)), (member, Json::string(name))]),
        )
        .with(
            "argument",
            Json::object([("name", Json::string(argument)), ("value", Json::string(value))]),
        );
    if others.is_empty() {
        return request;
    }
    request.with("context", Json::object([("arguments", Json::object(others))]))
}

impl Completion {
    /// Reads a complete result. What is no text among the values is skipped; a result without values suggests nothing.
    pub fn parse(result: &Json) -> Self {
        let completion = result.get("completion");
        let member = |name: &str| completion.and_then(|completion| completion.get(name));
        let sent = member("values").and_then(Json::as_array).unwrap_or_default();
        let mut texts = sent.iter().filter_map(Json::as_str);
        let values: Vec<_> = texts.by_ref().take(MAX_VALUES).map(str::to_owned).collect();
        let cut = texts.next().is_some();
        let count = values.len() as u64;
        let total = member("total")
            .and_then(Json::as_i64)
            .and_then(|total| u64::try_from(total).ok())
            .filter(|total| *total >= count);
        let more = match member("hasMore").and_then(Json::as_bool) {
            Some(more) => more || cut,
            None => cut || total.is_some_and(|total| total > count),
        };
        Self { values, total, more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_request(subject: Subject<'_>, entered: &[(&str, &str)], params: &str) {
        let request = request(subject, "framework", "fla", entered.iter().copied());
        assert_eq!(Json::Object(request.params.clone()).to_string(), params);
        assert_eq!(request.method.name(), "completion/complete");
        assert!(!request.method.may_ask());
        assert_eq!(request.name_header(), None);
    }

    #[test]
    fn a_request_names_what_is_filled_in_and_what_the_others_hold() {
        check_request(
            Subject::Prompt("code_review"),
            &[],
            r#"{"ref":{"type":"ref/prompt","name":"code_review"},"argument":{"name":"framework","value":"fla"}}"#,
        );
        check_request(
            Subject::Template("file:///{framework}/{language}"),
            &[("language", "python"), ("framework", "fl"), ("region", "")],
            r#"{"ref":{"type":"ref/resource","uri":"file:///{framework}/{language}"},"argument":{"name":"framework","value":"fla"},"context":{"arguments":{"language":"python"}}}"#,
        );
        check_request(
            Subject::Prompt(""),
            &[("framework", "fla"), ("a", "")],
            r#"{"ref":{"type":"ref/prompt","name":""},"argument":{"name":"framework","value":"fla"}}"#,
        );
    }

    fn check(result: &str, values: &[&str], total: Option<u64>, more: bool) {
        let expected = Completion {
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            total,
            more,
        };
        let result = Json::parse(result).expect(result);
        assert_eq!(Completion::parse(&result), expected, "{result:.200}");
    }

    #[test]
    fn suggestions_are_read_leniently() {
        check(
            r#"{"resultType":"complete","completion":{"values":["python","pytorch"],"total":10,"hasMore":true}}"#,
            &["python", "pytorch"],
            Some(10),
            true,
        );
        check(
            r#"{"completion":{"values":["flask"],"total":1,"hasMore":false}}"#,
            &["flask"],
            Some(1),
            false,
        );
        check(
            r#"{"completion":{"values":["a",1,null,["b"],"","c"]}}"#,
            &["a", "", "c"],
            None,
            false,
        );
        check(
            r#"{"completion":{"values":["a"],"total":3}}"#,
            &["a"],
            Some(3),
            true,
        );
        check(
            r#"{"completion":{"values":["a"],"total":3,"hasMore":false}}"#,
            &["a"],
            Some(3),
            false,
        );
        for odd in ["0", "-1", "1.5", "\"3\"", "null", "1e400"] {
            let result = format!(r#"{{"completion":{{"values":["a"],"total":{odd},"hasMore":"yes"}}}}"#);
            check(&result, &["a"], None, false);
        }
    }

    #[test]
    fn a_result_without_values_suggests_nothing() {
        for result in [
            "{}",
            "[]",
            "null",
            r#"{"completion":7}"#,
            r#"{"completion":{"values":"a"}}"#,
        ] {
            check(result, &[], None, false);
        }
        check(
            r#"{"completion":{"values":[],"total":5,"hasMore":true}}"#,
            &[],
            Some(5),
            true,
        );
    }

    #[test]
    fn no_more_than_a_hundred_suggestions_are_taken() {
        let result = |count: usize| {
            let values: Vec<_> = (0..count).map(|n| format!("\"{n}\"")).collect();
            let result = format!(
                r#"{{"completion":{{"values":[{}],"hasMore":false}}}}"#,
                values.join(",")
            );
            Completion::parse(&Json::parse(&result).expect("JSON"))
        };
        for (sent, taken, more) in [(100, 100, false), (101, 100, true), (5_000, 100, true)] {
            let completion = result(sent);
            assert_eq!(
                (completion.values.len(), completion.more),
                (taken, more),
                "{sent}"
            );
        }
    }
}
