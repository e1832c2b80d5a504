//! What a server offers: tools, prompts, resources, resource templates (2026-07-28, server/*).
//!
//! One odd entry does not sink the page: it is left out and named in `problems`.

use super::json::Json;
use super::mirror::{Mirror, MirrorFault};

/// Why a list method exists once and four kinds of entries fit it: they differ in two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl ListKind {
    /// The member of the result that holds the entries.
    fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The member of an entry that identifies it.
    fn identity(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
        }
    }
}

/// One thing that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub kind: ListKind,
    /// The tool's or prompt's name, the resource's address or template: what is sent.
    pub name: String,
    /// For people; of a resource its name where it has no title.
    pub title: Option<String>,
    pub description: Option<String>,
    /// A JSON Schema object for the arguments: a tool's own, a prompt's or template's made from its parameters.
    pub arguments: Json,
    /// The JSON Schema of a tool's structured result, as sent and unchecked. Its `annotations` are not read but for a
    /// title: they are claims.
    pub output_schema: Option<Json>,
    /// The arguments of a tool that HTTP repeats in headers. A tool whose annotations break a rule stays in the list
    /// with the fault, because only over HTTP it must be left out: see [`Offer::refused_over_http`].
    pub mirror: Result<Mirror, MirrorFault>,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub offers: Vec<Offer>,
    /// In words, for the server's page.
    pub problems: Vec<String>,
    /// `""` is a cursor too; only a missing one ends the list.
    pub next: Option<String>,
}

impl Page {
    /// Reads one page. A result without the list is an empty page with a problem.
    pub fn parse(kind: ListKind, result: &Json) -> Self {
        let mut page = Self {
            offers: Vec::new(),
            problems: Vec::new(),
            next: None,
        };
        page.next = result.get("nextCursor").and_then(Json::as_str).map(str::to_owned);
        let Some(entries) = result.get(kind.member()).and_then(Json::as_array) else {
            page.problems
                .push(format!("The list of {} holds no list.", kind.member()));
            return page;
        };
        for entry in entries {
            match Offer::parse(kind, entry) {
                Ok(offer) => page.offers.push(offer),
                Err(problem) => page.problems.push(problem),
            }
        }
        page
    }
}

impl Offer {
    /// Why this tool must not be offered over HTTP, in a sentence that names it; over stdio it can be used.
    pub fn refused_over_http(&self) -> Option<String> {
        let fault = self.mirror.as_ref().err()?;
        let name = crate::text::chip(&self.name);
        Some(format!("The tool “{name}” cannot be used over HTTP: {fault}."))
    }

    fn parse(kind: ListKind, entry: &Json) -> Result<Self, String> {
        let text = |key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
        let Some(name) = text(kind.identity()) else {
            return Err(format!(
                "An entry of {} has no {}; it is left out.",
                kind.member(),
                kind.identity()
            ));
        };
        let (title, arguments) = match kind {
            ListKind::Tools => {
                let annotated = entry
                    .get("annotations")
                    .and_then(|a| a.get("title"))
                    .and_then(Json::as_str);
                let schema = entry
                    .get("inputSchema")
                    .filter(|schema| schema.as_object().is_some());
                let Some(schema) = schema else {
                    return Err(format!(
                        "The tool “{}” does not say what it takes (inputSchema); it is left out.",
                        crate::text::chip(&name)
                    ));
                };
                (
                    text("title").or_else(|| annotated.map(str::to_owned)),
                    schema.clone(),
                )
            }
            ListKind::Prompts => (text("title"), prompt_schema(entry)),
            ListKind::Resources => (text("title").or_else(|| text("name")), object_schema([], [])),
            ListKind::Templates => {
                let variables = variables(&name)?;
                let properties = variables
                    .iter()
                    .map(|variable| (variable.clone(), text_schema(None, None)));
                (
                    text("title").or_else(|| text("name")),
                    object_schema(properties.collect::<Vec<_>>(), variables.clone()),
                )
            }
        };
        let (output_schema, mirror) = match kind {
            ListKind::Tools => (
                entry
                    .get("outputSchema")
                    .filter(|schema| **schema != Json::Null)
                    .cloned(),
                Mirror::parse(&arguments),
            ),
            ListKind::Prompts | ListKind::Resources | ListKind::Templates => (None, Ok(Mirror::default())),
        };
        Ok(Self {
            kind,
            name,
            title,
            description: text("description"),
            arguments,
            output_schema,
            mirror,
        })
    }
}

/// The address that a template with these values stands for. Values are percent-encoded but for unreserved
/// characters (RFC 6570, level 1); `{+name}` and `{/name}` are not read.
pub fn expand(template: &str, values: &Json) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        for byte in values
            .get(name)
            .and_then(Json::as_str)
            .unwrap_or_default()
            .bytes()
        {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn variables(template: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for part in template.split('{').skip(1) {
        let name = part.split_once('}').map(|(name, _)| name).unwrap_or_default();
        if name.is_empty()
            || !name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
        {
            return Err(format!(
                "The document template “{}” uses a form of placeholder that cannot be filled in here.",
                crate::text::chip(template)
            ));
        }
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

fn prompt_schema(entry: &Json) -> Json {
    let arguments = entry
        .get("arguments")
        .and_then(Json::as_array)
        .unwrap_or_default();
    let name = |argument: &Json| argument.get("name").and_then(Json::as_str).map(str::to_owned);
    let text = |argument: &Json, key: &str| argument.get(key).and_then(Json::as_str).map(Json::string);
    object_schema(
        arguments
            .iter()
            .filter_map(|a| Some((name(a)?, text_schema(text(a, "title"), text(a, "description")))))
            .collect::<Vec<_>>(),
        arguments
            .iter()
            .filter(|a| a.get("required").and_then(Json::as_bool) == Some(true))
            .filter_map(name),
    )
}

fn text_schema(title: Option<Json>, description: Option<Json>) -> Json {
    let mut members = vec![("type", Json::string("string"))];
    members.extend(title.map(|title| ("title", title)));
    members.extend(description.map(|description| ("description", description)));
    Json::object(members)
}

fn object_schema(
    properties: impl IntoIterator<Item = (String, Json)>,
    required: impl IntoIterator<Item = String>,
) -> Json {
    Json::object([
        ("type", Json::string("object")),
        ("properties", Json::object(properties)),
        (
            "required",
            Json::Array(required.into_iter().map(Json::String).collect()),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_odd_entry_does_not_sink_the_page() {
        let result = Json::parse(
            r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"title":"nameless"},{"name":"b"},
            {"name":"c","title":"See","annotations":{"title":"no"},"inputSchema":{}}],"nextCursor":""}"#,
        )
        .expect("JSON");
        let page = Page::parse(ListKind::Tools, &result);
        assert_eq!(
            page.offers.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(),
            ["a", "c"]
        );
        assert_eq!(page.offers[1].title.as_deref(), Some("See"));
        assert_eq!(page.problems.len(), 2);
        assert_eq!(page.next.as_deref(), Some(""), "an empty cursor is a cursor");
        let last = Page::parse(
            ListKind::Prompts,
            &Json::parse(r#"{"prompts":[],"nextCursor":null}"#).expect("JSON"),
        );
        assert_eq!(last.next, None);
    }

    #[test]
    fn what_a_tool_says_of_its_harmlessness_and_its_icons_are_not_read() {
        let read = |more: &str| {
            let result = format!(r#"{{"tools":[{{"name":"a","title":"A","inputSchema":{{}}{more}}}]}}"#);
            format!(
                "{:?}",
                Page::parse(ListKind::Tools, &Json::parse(&result).expect("JSON"))
            )
        };
        for more in [
            r#","annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#,
            r#","annotations":"safe""#,
            r#","icons":[{"src":"https://icons.example/a.svg","mimeType":"image/svg+xml","sizes":["any"]}]"#,
            r#","icons":[{"src":"javascript:alert(1)"}]"#,
        ] {
            assert_eq!(read(more), read(""), "{more}");
        }
    }

    #[test]
    fn a_tool_keeps_the_schema_of_its_result() {
        let result = Json::parse(
            r#"{"tools":[{"name":"a","inputSchema":{},"outputSchema":{"type":"object"}},
            {"name":"b","inputSchema":{},"outputSchema":null},{"name":"c","inputSchema":{}}]}"#,
        )
        .expect("JSON");
        let schemas: Vec<_> = Page::parse(ListKind::Tools, &result)
            .offers
            .into_iter()
            .map(|offer| offer.output_schema.map(|schema| schema.to_string()))
            .collect();
        assert_eq!(schemas, [Some(r#"{"type":"object"}"#.to_owned()), None, None]);
    }

    #[test]
    fn prompts_and_templates_have_arguments_like_tools() {
        let prompts = Json::parse(
            r#"{"prompts":[{"name":"p","arguments":[{"name":"topic","required":true},{"name":"tone"}]}]}"#,
        )
        .expect("JSON");
        assert_eq!(
            Page::parse(ListKind::Prompts, &prompts).offers[0]
                .arguments
                .to_string(),
            r#"{"type":"object","properties":{"topic":{"type":"string"},"tone":{"type":"string"}},"required":["topic"]}"#
        );
        let templates = Json::parse(
            r#"{"resourceTemplates":[{"uriTemplate":"notes://{name}/{name}","name":"Note"},{"uriTemplate":"x://{+path}"}]}"#,
        )
        .expect("JSON");
        let page = Page::parse(ListKind::Templates, &templates);
        assert_eq!(page.offers.len(), 1);
        assert_eq!(page.problems.len(), 1);
        assert_eq!(
            expand(
                &page.offers[0].name,
                &Json::object([("name", Json::string("a b/ü"))])
            ),
            "notes://a%20b%2F%C3%BC/a%20b%2F%C3%BC"
        );
    }
}
