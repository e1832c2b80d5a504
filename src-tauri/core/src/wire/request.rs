//! What this client sends: requests, each whole in itself (2026-07-28, basic, "`_meta`").

use super::json::{Json, Members};
use super::{REVISION, header};

/// The methods this client uses. Only `CallTool`, `GetPrompt` and `ReadResource` may come back as `input_required`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Discover,
    /// Of the 2025 era.
    Ping,
    ListTools,
    ListPrompts,
    ListResources,
    ListTemplates,
    CallTool,
    GetPrompt,
    ReadResource,
    Complete,
    Listen,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::Ping => "ping",
            Self::ListTools => "tools/list",
            Self::ListPrompts => "prompts/list",
            Self::ListResources => "resources/list",
            Self::ListTemplates => "resources/templates/list",
            Self::CallTool => "tools/call",
            Self::GetPrompt => "prompts/get",
            Self::ReadResource => "resources/read",
            Self::Complete => "completion/complete",
            Self::Listen => "subscriptions/listen",
        }
    }

    /// The method of this name.
    pub fn of(name: &str) -> Option<Self> {
        const ALL: [Method; 11] = [
            Method::Discover,
            Method::Ping,
            Method::ListTools,
            Method::ListPrompts,
            Method::ListResources,
            Method::ListTemplates,
            Method::CallTool,
            Method::GetPrompt,
            Method::ReadResource,
            Method::Complete,
            Method::Listen,
        ];
        ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether a server may ask the person something before it answers (basic/patterns/mrtr, "Supported Requests").
    pub fn may_ask(self) -> bool {
        match self {
            Self::CallTool | Self::GetPrompt | Self::ReadResource => true,
            Self::Discover
            | Self::Ping
            | Self::ListTools
            | Self::ListPrompts
            | Self::ListResources
            | Self::ListTemplates
            | Self::Complete
            | Self::Listen => false,
        }
    }

    /// Whether asking twice does no more than asking once.
    pub fn may_be_repeated(self) -> bool {
        match self {
            Self::CallTool => false,
            Self::Discover
            | Self::Ping
            | Self::ListTools
            | Self::ListPrompts
            | Self::ListResources
            | Self::ListTemplates
            | Self::GetPrompt
            | Self::Complete
            | Self::Listen
            | Self::ReadResource => true,
        }
    }

    /// The parameter that `Mcp-Name` repeats.
    fn named_by(self) -> Option<&'static str> {
        match self {
            Self::CallTool | Self::GetPrompt => Some("name"),
            Self::ReadResource => Some("uri"),
            Self::Discover
            | Self::Ping
            | Self::ListTools
            | Self::ListPrompts
            | Self::ListResources
            | Self::ListTemplates
            | Self::Complete
            | Self::Listen => None,
        }
    }
}

/// What is declared about asking. A surface that can show nothing must not declare that it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicitation {
    /// Forms and links.
    Both,
    None,
}

/// One request without its id and `_meta`.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// Without `_meta`.
    pub params: Members,
    /// Headers that repeat arguments over HTTP, name and encoded value (`x-mcp-header`).
    pub mirrored: Vec<(String, String)>,
}

/// Arguments, answers and the state stay out of every log, so also out of `{:?}`.
impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("params", &self.params.keys().collect::<Vec<_>>())
            .finish()
    }
}

impl Request {
    pub fn new(method: Method) -> Self {
        Self {
            method,
            params: Members::new(),
            mirrored: Vec::new(),
        }
    }

    pub fn with(mut self, key: &str, value: Json) -> Self {
        self.params.set(key, value);
        self
    }

    /// The one-line message of the 2025-era revisions, which declare nothing in a request.
    pub fn legacy_message(&self, id: u64) -> String {
        let mut params = self.params.clone();
        let token = Json::Number(id.to_string());
        params.set("_meta", Json::object([("progressToken", token.clone())]));
        Json::object([
            ("jsonrpc", Json::string("2.0")),
            ("id", token),
            ("method", Json::string(self.method.name())),
            ("params", Json::Object(params)),
        ])
        .to_string()
    }

    /// The one-line message. The progress token is the id: unique among the requests in flight.
    pub fn message(&self, id: u64, elicitation: Elicitation) -> String {
        let mut params = self.params.clone();
        params.set("_meta", meta(id, elicitation));
        Json::object([
            ("jsonrpc", Json::string("2.0")),
            ("id", Json::Number(id.to_string())),
            ("method", Json::string(self.method.name())),
            ("params", Json::Object(params)),
        ])
        .to_string()
    }

    /// The value of the `Mcp-Name` header, encoded; `None` where the method has none.
    pub fn name_header(&self) -> Option<String> {
        let name = self.params.get(self.method.named_by()?)?.as_str()?;
        Some(header::encode(name))
    }
}

/// `notifications/cancelled`, for stdio and the 2025 era. Over HTTP a modern request is cancelled by closing its
/// response.
pub fn cancelled(id: u64, reason: &str) -> String {
    Json::object([
        ("jsonrpc", Json::string("2.0")),
        ("method", Json::string("notifications/cancelled")),
        (
            "params",
            Json::object([
                ("requestId", Json::Number(id.to_string())),
                ("reason", Json::string(reason)),
            ]),
        ),
    ])
    .to_string()
}

/// What is declared to a server of any revision.
pub(super) fn capabilities(elicitation: Elicitation) -> Json {
    let empty = || Json::Object(Members::new());
    match elicitation {
        Elicitation::Both => {
            Json::object([("elicitation", Json::object([("form", empty()), ("url", empty())]))])
        }
        Elicitation::None => empty(),
    }
}

/// Who we say we are (`Implementation`).
pub(super) fn client_info() -> Json {
    Json::object([
        ("name", Json::string("countersign")),
        ("title", Json::string("Countersign")),
        ("version", Json::string(env!("CARGO_PKG_VERSION"))),
    ])
}

fn meta(id: u64, elicitation: Elicitation) -> Json {
    Json::object([
        ("io.modelcontextprotocol/protocolVersion", Json::string(REVISION)),
        ("io.modelcontextprotocol/clientInfo", client_info()),
        (
            "io.modelcontextprotocol/clientCapabilities",
            capabilities(elicitation),
        ),
        ("progressToken", Json::Number(id.to_string())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_says_version_client_and_capabilities() {
        for method in [
            Method::Discover,
            Method::ListTools,
            Method::CallTool,
            Method::ReadResource,
        ] {
            let message = Json::parse(&Request::new(method).message(41, Elicitation::Both)).expect("JSON");
            assert_eq!(message.get("id"), Some(&Json::integer(41)));
            assert_eq!(message.get("method").and_then(Json::as_str), Some(method.name()));
            let meta = message
                .get("params")
                .and_then(|params| params.get("_meta"))
                .expect("_meta");
            assert_eq!(
                meta.get("io.modelcontextprotocol/protocolVersion")
                    .and_then(Json::as_str),
                Some(REVISION)
            );
            assert_eq!(
                meta.get("io.modelcontextprotocol/clientCapabilities")
                    .map(ToString::to_string)
                    .as_deref(),
                Some(r#"{"elicitation":{"form":{},"url":{}}}"#)
            );
            assert!(meta.get("io.modelcontextprotocol/clientInfo").is_some());
        }
    }

    #[test]
    fn a_surface_that_cannot_ask_declares_nothing() {
        let message = Request::new(Method::CallTool).message(1, Elicitation::None);
        assert!(
            message.contains(r#""io.modelcontextprotocol/clientCapabilities":{}"#),
            "{message}"
        );
    }

    #[test]
    fn the_name_header_repeats_name_or_uri() {
        let check = |method, key: &str, value: &str, header: Option<&str>| {
            let request = Request::new(method).with(key, Json::string(value));
            assert_eq!(request.name_header().as_deref(), header, "{method:?} {value}");
        };
        check(Method::CallTool, "name", "archive_folder", Some("archive_folder"));
        check(
            Method::GetPrompt,
            "name",
            "größe",
            Some("=?base64?Z3LDtsOfZQ==?="),
        );
        check(Method::ReadResource, "uri", "a://b ", Some("=?base64?YTovL2Ig?="));
        check(Method::ListTools, "name", "x", None);
    }

    #[test]
    fn a_message_is_one_line() {
        let request = Request::new(Method::CallTool).with("name", Json::string("a\nb\u{2028}"));
        assert!(!request.message(1, Elicitation::Both).contains('\n'));
    }
}
