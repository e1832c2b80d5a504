//! Arguments that HTTP repeats in headers: `x-mcp-header` in a tool's `inputSchema` (2026-07-28,
//! basic/transports/streamable-http, "Custom Headers from Tool Parameters"; server/tools, "x-mcp-header").
//!
//! Promises: a schema with one bad annotation yields no header at all but a fault that names the property, since over
//! HTTP such a tool must not be offered; a value is only repeated where it is what the annotation says it is; what
//! comes out is a valid header name and value. No annotation hides: a place that no list of keywords knows is
//! searched like any other, because a `$ref` could lead there.
//!
//! Deliberately absent: `number`, types given as lists (a value that may be null has no single type), following
//! `$ref`, and any judgement of the arguments: what does not fit its annotation has no header, and the server says
//! what it thinks of it.

use super::decimal::Decimal;
use super::header;
use super::json::Json;

/// What stands before the name in a header's name.
pub const PREFIX: &str = "Mcp-Param-";

const KEYWORD: &str = "x-mcp-header";
/// The largest integer that a header may carry, 2^53 − 1.
const SAFE: u64 = (1 << 53) - 1;
/// Keywords whose value is data; what looks like an annotation there is none.
const DATA: [&str; 6] = [
    "const",
    "enum",
    "default",
    "examples",
    "dependentRequired",
    "$vocabulary",
];
/// Keywords whose members are names of something, each with a schema.
const NAMED: [&str; 6] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "$defs",
    "definitions",
];

/// The arguments of one tool that are repeated in headers, in the order of the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirror {
    marked: Vec<Marked>,
}

/// Why the annotations of a tool cannot be followed. Foreign words in it are chips.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MirrorFault {
    #[error("the header name of “{property}” is {kind}, not text")]
    NotText { property: String, kind: &'static str },
    #[error("the header name of “{property}” is empty")]
    Empty { property: String },
    #[error("the header name of “{property}”, “{header}”, has characters that no header name may have")]
    NoToken { property: String, header: String },
    #[error("the header name of “{property}”, “{header}”, is already that of “{first}”")]
    Twice {
        property: String,
        header: String,
        first: String,
    },
    #[error("“{property}” is {found}; only text, a whole number or true-or-false can go into a header")]
    NoHeaderType { property: String, found: String },
    #[error("a header name stands at “{place}”, which is not a plain property of the arguments")]
    OutOfReach { place: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Marked {
    /// Names of properties, from the root.
    path: Vec<String>,
    header: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Boolean,
}

impl Mirror {
    /// Reads the annotations of an `inputSchema`. Recursion is bounded by the depth of [`Json`].
    ///
    /// # Errors
    /// [`MirrorFault`] names the first annotation that breaks a rule.
    pub fn parse(input_schema: &Json) -> Result<Self, MirrorFault> {
        let mut mirror = Self::default();
        mirror.read(input_schema, &mut Vec::new())?;
        Ok(mirror)
    }

    /// Whether no argument is repeated.
    pub fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    /// Names and values of the headers for these arguments. Text goes as it is, a whole number as its decimal digits
    /// (`3.0` and `3e0` are 3), a boolean as its word, each encoded by [`header::encode`]. There is no header for
    /// what is absent, null, of another type than the annotation says, or a whole number beyond ±(2^53 − 1).
    pub fn headers(&self, arguments: &Json) -> Vec<(String, String)> {
        self.marked
            .iter()
            .filter_map(|marked| {
                let value = marked
                    .path
                    .iter()
                    .try_fold(arguments, |value, key| value.get(key))?;
                let text = marked.kind.text(value)?;
                Some((format!("{PREFIX}{}", marked.header), header::encode(&text)))
            })
            .collect()
    }

    /// A schema that only `properties` lead to.
    fn read(&mut self, schema: &Json, path: &mut Vec<String>) -> Result<(), MirrorFault> {
        let Some(members) = schema.as_object() else {
            return Ok(());
        };
        if let Some(name) = members.get(KEYWORD) {
            self.mark(name, schema, path)?;
        }
        for (keyword, value) in members.iter() {
            match (keyword, value) {
                ("properties", Json::Object(properties)) => {
                    for (name, property) in properties.iter() {
                        path.push(name.to_owned());
                        self.read(property, path)?;
                        path.pop();
                    }
                }
                (KEYWORD, _) => {}
                _ => search_keyword(keyword, value, path)?,
            }
        }
        Ok(())
    }

    fn mark(&mut self, name: &Json, schema: &Json, path: &[String]) -> Result<(), MirrorFault> {
        if path.is_empty() {
            return Err(out_of_reach(path, ""));
        }
        let property = place(path);
        let header = match name {
            Json::String(header) => header,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                let kind = name.kind();
                return Err(MirrorFault::NotText { property, kind });
            }
        };
        if header.is_empty() {
            return Err(MirrorFault::Empty { property });
        }
        if !header.bytes().all(is_tchar) {
            let header = crate::text::chip(header);
            return Err(MirrorFault::NoToken { property, header });
        }
        let kind = Kind::parse(schema.get("type")).map_err(|found| MirrorFault::NoHeaderType {
            property: property.clone(),
            found,
        })?;
        let known = self
            .marked
            .iter()
            .find(|known| known.header.eq_ignore_ascii_case(header));
        if let Some(first) = known {
            return Err(MirrorFault::Twice {
                property,
                header: crate::text::chip(header),
                first: place(&first.path),
            });
        }
        self.marked.push(Marked {
            path: path.to_vec(),
            header: header.clone(),
            kind,
        });
        Ok(())
    }
}

impl Kind {
    /// The type that a schema names; else in words what stands there.
    fn parse(kind: Option<&Json>) -> Result<Self, String> {
        match kind {
            None => Err("of no stated type".to_owned()),
            Some(Json::String(word)) => match word.as_str() {
                "string" => Ok(Self::Text),
                "integer" => Ok(Self::Integer),
                "boolean" => Ok(Self::Boolean),
                other => Err(format!("of type “{}”", crate::text::chip(other))),
            },
            Some(Json::Array(_)) => Err("of several types".to_owned()),
            Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {
                Err("of no known type".to_owned())
            }
        }
    }

    fn text(self, value: &Json) -> Option<String> {
        match self {
            Self::Text => value.as_str().map(str::to_owned),
            Self::Integer => decimal(value.as_number()?),
            Self::Boolean => value.as_bool().map(|value| value.to_string()),
        }
    }
}

/// The digits of a number that is whole and within ±(2^53 − 1), however it is written.
fn decimal(text: &str) -> Option<String> {
    let number = Decimal::parse(text)?;
    let magnitude = number.whole().filter(|magnitude| *magnitude <= SAFE)?;
    let sign = if number.negative { "-" } else { "" };
    Some(format!("{sign}{magnitude}"))
}

/// Looks for annotations in the value of a keyword that no annotation may be reached through.
fn search_keyword(keyword: &str, value: &Json, path: &[String]) -> Result<(), MirrorFault> {
    if DATA.contains(&keyword) {
        return Ok(());
    }
    match value {
        Json::Object(named) if NAMED.contains(&keyword) => named
            .iter()
            .try_for_each(|(_, schema)| search(keyword, schema, path)),
        Json::Object(_) | Json::Array(_) => search(keyword, value, path),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
    }
}

fn search(below: &str, schema: &Json, path: &[String]) -> Result<(), MirrorFault> {
    match schema {
        Json::Array(schemas) => schemas.iter().try_for_each(|schema| search(below, schema, path)),
        Json::Object(members) if members.contains_key(KEYWORD) => Err(out_of_reach(path, below)),
        Json::Object(members) => members.iter().try_for_each(|(keyword, value)| {
            // The place is named by the keyword nearest to the properties that lead there.
            search_keyword(keyword, value, path).map_err(|_| out_of_reach(path, below))
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
    }
}

fn out_of_reach(path: &[String], keyword: &str) -> MirrorFault {
    let names = path.iter().map(String::as_str);
    let names: Vec<_> = names.chain((!keyword.is_empty()).then_some(keyword)).collect();
    MirrorFault::OutOfReach {
        place: match names.as_slice() {
            [] => "the whole".to_owned(),
            names => crate::text::chip(&names.join(".")),
        },
    }
}

fn place(path: &[String]) -> String {
    crate::text::chip(&path.join("."))
}

/// RFC 9110, section 5.6.2.
fn is_tchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::lists::{ListKind, Page};

    /// Each case: a `tool`, and either its `fault` (the sentence) or `calls`: arguments and headers.
    fn fixture(name: &str) -> Json {
        let all = Json::parse(include_str!("../../../../tests/fixtures/wire/mirror.json")).expect("JSON");
        all.get(name).cloned().expect(name)
    }

    fn check(case: &Json) {
        let tool = case.get("tool").expect("a tool");
        let name = tool.get("name").and_then(Json::as_str).expect("a name");
        let mirror = Mirror::parse(tool.get("inputSchema").expect("inputSchema"));
        if let Some(fault) = case.get("fault") {
            let found = mirror.expect_err(name).to_string();
            assert_eq!(Some(found.as_str()), fault.as_str(), "{name}");
            return;
        }
        let mirror = mirror.expect(name);
        for call in case.get("calls").and_then(Json::as_array).expect("calls") {
            let headers = mirror.headers(call.get("arguments").expect("arguments"));
            let headers = headers
                .into_iter()
                .map(|(name, value)| (name, Json::string(value)));
            assert_eq!(
                Json::object(headers).to_string(),
                call.get("headers").expect("headers").to_string(),
                "{name} {call}"
            );
        }
    }

    fn check_all(name: &str) -> usize {
        let cases = fixture(name);
        let cases = cases.as_array().expect("cases");
        cases.iter().for_each(check);
        cases.len()
    }

    #[test]
    fn vectors_a_4_arguments_are_repeated_as_the_protocol_says() {
        check_all("mirrored");
    }

    #[test]
    fn vectors_a_4_each_of_the_ten_bad_tools_is_refused_with_its_reason() {
        assert_eq!(check_all("refused"), 10);
    }

    #[test]
    fn an_annotation_out_of_reach_is_found_wherever_it_hides() {
        check_all("out_of_reach");
    }

    #[test]
    fn data_and_names_that_look_like_an_annotation_are_none() {
        check_all("no_annotation");
    }

    #[test]
    fn case_098_a_value_that_looks_encoded_is_encoded_and_no_line_break_passes() {
        check_all("case_098");
    }

    #[test]
    fn case_099_a_number_with_a_header_leaves_out_that_tool_over_http_and_the_others_work() {
        let page = Page::parse(ListKind::Tools, &fixture("case_099"));
        assert_eq!(page.problems, Vec::<String>::new());
        let refused: Vec<_> = page
            .offers
            .iter()
            .map(|offer| offer.refused_over_http())
            .collect();
        assert_eq!(
            refused,
            [
                None,
                Some(
                    "The tool “rate” cannot be used over HTTP: “score” is of type “number”; only text, a whole \
                     number or true-or-false can go into a header."
                        .to_owned()
                ),
                None,
            ]
        );
    }

    #[test]
    fn http_66_no_header_name_can_carry_a_control_character() {
        for byte in 0..=u8::MAX {
            let name = char::from(byte).to_string();
            let schema = Json::object([(
                "properties",
                Json::object([(
                    "a",
                    Json::object([("type", Json::string("string")), (KEYWORD, Json::string(&name))]),
                )]),
            )]);
            let visible = byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
            assert_eq!(Mirror::parse(&schema).is_ok(), visible, "{name:?}");
        }
    }

    #[test]
    fn the_deepest_schema_is_read_without_harm() {
        let levels = 60;
        let text = format!(
            "{}{}{}",
            r#"{"properties":{"a":"#.repeat(levels),
            r#"{"type":"string","x-mcp-header":"Deep"}"#,
            "}}".repeat(levels)
        );
        let mirror = Mirror::parse(&Json::parse(&text).expect("JSON")).expect("valid");
        let value = format!("{}\"x\"{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        let arguments = Json::parse(&value).expect("JSON");
        assert_eq!(
            mirror.headers(&arguments),
            [("Mcp-Param-Deep".to_owned(), "x".to_owned())]
        );
    }

    #[test]
    fn whole_numbers_are_decimal_digits_and_others_have_no_header() {
        for (text, digits) in [
            ("42", Some("42")),
            ("-7", Some("-7")),
            ("0", Some("0")),
            ("-0", Some("0")),
            ("0.000", Some("0")),
            ("0e999999999999999999999", Some("0")),
            ("3.0", Some("3")),
            ("1e2", Some("100")),
            ("1.50E+1", Some("15")),
            ("1200e-2", Some("12")),
            ("9007199254740991", Some("9007199254740991")),
            ("-9007199254740991.0", Some("-9007199254740991")),
            ("9007199254740992", None),
            ("1e16", None),
            ("1e400", None),
            ("1e99999999999999999999", None),
            ("1e-99999999999999999999", None),
            ("3.5", None),
            ("5e-1", None),
        ] {
            assert_eq!(decimal(text).as_deref(), digits, "{text}");
        }
    }
}
