//! JSON-RPC and `_meta` as a server reads and writes them (base protocol, "Messages", "`_meta`", "Error Codes").
//!
//! Deliberately absent: batches, responses from the client (the revision has none) and the 2025-era handshake.

use crate::json::json;
use countersign_core::wire::json::{Json, Members};

/// The one revision that the practice servers speak.
pub(crate) const VERSION: &str = "2026-07-28";

pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// One message of a client.
#[derive(Debug)]
pub(crate) enum Message {
    Request(Request),
    Notification { method: String, params: Members },
}

/// A request whose `_meta` is complete. The version in it is not yet known to be ours.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// A string or an integer.
    pub(crate) id: Json,
    pub(crate) method: String,
    pub(crate) params: Members,
    pub(crate) version: String,
    pub(crate) shows: Modes,
    /// A string or an integer; without it no progress is reported.
    pub(crate) progress_token: Option<Json>,
}

/// Kinds of question: those a client can show, or those a call needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modes {
    pub(crate) form: bool,
    pub(crate) link: bool,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotJson(String),
    NotARequest(String),
    UnknownMethod(String),
    /// `_meta` or one of its required members is absent or of the wrong kind.
    Meta(String),
    Params(String),
    Header(String),
    Needs(Modes),
    Version(String),
    Internal(&'static str),
}

/// A message that cannot be answered as a request, with the id as far as it could be read.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) id: Option<Json>,
    pub(crate) fault: Fault,
}

/// Reads one message.
///
/// # Errors
/// [`Fault::NotJson`], [`Fault::NotARequest`] or [`Fault::Meta`].
pub(crate) fn read(bytes: &[u8]) -> Result<Message, Unreadable> {
    let json = Json::parse_bytes(bytes).map_err(|error| Unreadable {
        id: None,
        fault: Fault::NotJson(error.to_string()),
    })?;
    let id = json.get("id").filter(|id| is_id(id)).cloned();
    read_json(&json).map_err(|fault| Unreadable { id, fault })
}

fn read_json(json: &Json) -> Result<Message, Fault> {
    let wrong = |text: &str| Fault::NotARequest(text.to_owned());
    let members = json.as_object().ok_or_else(|| wrong("a message is one object"))?;
    if members.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(wrong("jsonrpc must be \"2.0\""));
    }
    let method = members
        .get("method")
        .and_then(Json::as_str)
        .ok_or_else(|| wrong("method must be a text"))?
        .to_owned();
    let params = match members.get("params") {
        None => Members::new(),
        Some(params) => params
            .as_object()
            .ok_or_else(|| wrong("params must be an object"))?
            .clone(),
    };
    let Some(id) = members.get("id") else {
        return Ok(Message::Notification { method, params });
    };
    if !is_id(id) {
        return Err(wrong("id must be a text or an integer"));
    }
    let meta = params
        .get("_meta")
        .and_then(Json::as_object)
        .ok_or_else(|| Fault::Meta("params._meta is required on every request".to_owned()))?;
    let version = meta
        .get(META_VERSION)
        .and_then(Json::as_str)
        .ok_or_else(|| Fault::Meta(format!("_meta must name {META_VERSION}")))?
        .to_owned();
    let capabilities = meta
        .get(META_CAPABILITIES)
        .and_then(Json::as_object)
        .ok_or_else(|| Fault::Meta(format!("_meta must hold {META_CAPABILITIES}")))?;
    let progress_token = match meta.get("progressToken") {
        None => None,
        Some(token) if is_id(token) => Some(token.clone()),
        Some(_) => {
            return Err(Fault::Meta(
                "progressToken must be a text or an integer".to_owned(),
            ));
        }
    };
    Ok(Message::Request(Request {
        id: id.clone(),
        shows: Modes::declared(capabilities),
        method,
        version,
        progress_token,
        params,
    }))
}

fn is_id(json: &Json) -> bool {
    json.as_str().is_some() || json.as_i64().is_some()
}

impl Modes {
    pub(crate) const FORM: Self = Self {
        form: true,
        link: false,
    };

    /// `elicitation: {}` means forms alone (elicitation page, "Capabilities").
    fn declared(capabilities: &Members) -> Self {
        match capabilities.get("elicitation").and_then(Json::as_object) {
            None => Self::default(),
            Some(modes) => Self {
                form: modes.is_empty() || modes.contains_key("form"),
                link: modes.contains_key("url"),
            },
        }
    }

    /// A server must not ask what the client cannot show (elicitation page, "Capabilities").
    ///
    /// # Errors
    /// [`Fault::Needs`] with the modes that are missing.
    pub(crate) fn shown_by(self, client: Self) -> Result<(), Fault> {
        let missing = Self {
            form: self.form && !client.form,
            link: self.link && !client.link,
        };
        if missing == Self::default() {
            Ok(())
        } else {
            Err(Fault::Needs(missing))
        }
    }
}

impl Fault {
    /// The JSON-RPC error code.
    pub(crate) fn code(&self) -> i64 {
        match self {
            Self::NotJson(_) => -32700,
            Self::NotARequest(_) => -32600,
            Self::UnknownMethod(_) => -32601,
            Self::Meta(_) | Self::Params(_) => -32602,
            Self::Internal(_) => -32603,
            Self::Header(_) => -32020,
            Self::Needs(_) => -32021,
            Self::Version(_) => -32022,
        }
    }

    /// The status that carries it over HTTP.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Params(_) => 200,
            Self::UnknownMethod(_) => 404,
            Self::Internal(_) => 500,
            Self::NotJson(_)
            | Self::NotARequest(_)
            | Self::Meta(_)
            | Self::Header(_)
            | Self::Needs(_)
            | Self::Version(_) => 400,
        }
    }

    /// The response that says so. Without an id when none could be read.
    pub(crate) fn response(&self, id: Option<Json>) -> Json {
        let mut error = Members::new();
        error.set("code", Json::integer(self.code()));
        error.set("message", Json::String(self.message()));
        if let Some(data) = self.data() {
            error.set("data", data);
        }
        let mut response = Members::new();
        response.set("jsonrpc", Json::string("2.0"));
        if let Some(id) = id {
            response.set("id", id);
        }
        response.set("error", Json::Object(error));
        Json::Object(response)
    }

    fn message(&self) -> String {
        match self {
            Self::NotJson(why) => format!("Not JSON: {why}"),
            Self::NotARequest(why) => format!("Not a request: {why}"),
            Self::UnknownMethod(method) => format!("The practice server has no method {method}"),
            Self::Meta(why) | Self::Params(why) => format!("Invalid params: {why}"),
            Self::Header(why) => format!("Header mismatch: {why}"),
            Self::Needs(Modes {
                form: true,
                link: true,
            }) => "This needs a client that can show forms and links".to_owned(),
            Self::Needs(Modes { link: true, .. }) => "This needs a client that can show links".to_owned(),
            Self::Needs(Modes { .. }) => "This needs a client that can show forms".to_owned(),
            Self::Version(_) => format!("Unsupported protocol version; this server speaks {VERSION}"),
            Self::Internal(why) => format!("Internal error: {why}"),
        }
    }

    fn data(&self) -> Option<Json> {
        match self {
            Self::Needs(modes) => {
                let mut wanted = Members::new();
                if modes.form {
                    wanted.set("form", json!({}));
                }
                if modes.link {
                    wanted.set("url", json!({}));
                }
                Some(json!({"requiredCapabilities": {"elicitation": (Json::Object(wanted))}}))
            }
            Self::Version(requested) => Some(json!({
                "supported": [VERSION],
                "requested": (requested.as_str()),
            })),
            Self::NotJson(_)
            | Self::NotARequest(_)
            | Self::UnknownMethod(_)
            | Self::Meta(_)
            | Self::Params(_)
            | Self::Header(_)
            | Self::Internal(_) => None,
        }
    }
}
