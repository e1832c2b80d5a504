//! The JSON-RPC 2.0 envelope (2026-07-28, basic, "Messages").

use super::json::{Json, JsonError};

/// One message of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Response(Response),
    Notification {
        method: String,
        params: Json,
    },
    /// A request of the server. Servers of 2026-07-28 must not send any; there it is never answered.
    Request {
        /// Text or a number, as sent: it is echoed with the answer.
        id: Json,
        method: String,
        params: Json,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Our id; `None` where the server could not tell which request it could not read.
    pub id: Option<u64>,
    pub outcome: Result<Json, RpcError>,
}

/// An error in the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<Json>,
}

/// Codes with a duty for the client (2026-07-28, basic, "Error Codes").
pub mod code {
    pub const METHOD_NOT_FOUND: i64 = -32601;
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL: i64 = -32603;
    pub const HEADER_MISMATCH: i64 = -32020;
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// 2025-11-25 only: pages must be opened first.
    pub const LINKS_REQUIRED: i64 = -32042;
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

impl RpcError {
    /// The error in what a server says to an answer, whichever id it names: its own, ours or none.
    pub fn of_refusal(bytes: &[u8]) -> Option<Self> {
        let json = Json::parse_bytes(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()?;
        let error = json.get("error")?;
        error.as_object().map(|_| rpc_error(error))
    }

    /// A code that only servers of the modern era give meaning to (basic/versioning, "Backward Compatibility").
    pub fn is_modern(&self) -> bool {
        self.refused_before_acting()
    }

    /// The server says that it refused before doing anything.
    pub fn refused_before_acting(&self) -> bool {
        matches!(
            self.code,
            code::HEADER_MISMATCH | code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION
        )
    }
}

/// Why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("{0}")]
    Shape(&'static str),
}

impl Message {
    /// # Errors
    /// [`MessageError`] says what is wrong with the bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, MessageError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self::from_json(Json::parse_bytes(bytes)?)
    }

    /// All messages of a batch, or the one message (2025-03-26, basic, "Batching").
    ///
    /// # Errors
    /// [`MessageError`] where one of them is none.
    pub fn parse_all(bytes: &[u8]) -> Result<Vec<Self>, MessageError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let json = Json::parse_bytes(bytes)?;
        if let Json::Array(messages) = json {
            return messages.into_iter().map(Self::from_json).collect();
        }
        Ok(vec![Self::from_json(json)?])
    }

    /// # Errors
    /// [`MessageError::Shape`] where the value is JSON but no JSON-RPC message.
    pub fn from_json(json: Json) -> Result<Self, MessageError> {
        let Json::Object(mut members) = json else {
            return Err(MessageError::Shape(
                "a message must be an object; batches are not part of this revision",
            ));
        };
        if let Some(Json::String(method)) = members.remove("method") {
            let params = members.remove("params").unwrap_or(Json::Null);
            return Ok(match members.remove("id") {
                None | Some(Json::Null) => Self::Notification { method, params },
                Some(id) => Self::Request { id, method, params },
            });
        }
        let id = match members.get("id") {
            None | Some(Json::Null) => None,
            Some(id) => Some(own_id(id).ok_or(MessageError::Shape("the answer belongs to another request"))?),
        };
        if let Some(result) = members.remove("result") {
            return Ok(Self::Response(Response {
                id,
                outcome: Ok(result),
            }));
        }
        match members.remove("error") {
            Some(error) => Ok(Self::Response(Response {
                id,
                outcome: Err(rpc_error(&error)),
            })),
            None => Err(MessageError::Shape("neither a result, an error nor a method")),
        }
    }
}

/// Our ids are whole numbers; some servers send them back as text or as `1.0`, which is unambiguous.
fn own_id(id: &Json) -> Option<u64> {
    match id {
        Json::Number(_) => u64::try_from(id.as_i64()?).ok(),
        Json::String(text) => text.parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn rpc_error(error: &Json) -> RpcError {
    RpcError {
        code: error.get("code").and_then(Json::as_i64).unwrap_or(0),
        message: error
            .get("message")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned(),
        data: error.get("data").cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &Message) {
        assert_eq!(Message::parse(text.as_bytes()).as_ref(), Ok(expected), "{text}");
    }

    fn response(id: Option<u64>, outcome: Result<Json, RpcError>) -> Message {
        Message::Response(Response { id, outcome })
    }

    #[test]
    fn messages_are_told_apart() {
        let empty = || Ok(Json::object::<String>([]));
        check(
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            &response(Some(1), empty()),
        );
        check(
            r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
            &response(Some(1), empty()),
        );
        check(
            r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#,
            &response(Some(1), empty()),
        );
        check(r#"{"jsonrpc":"2.0","result":{}}"#, &response(None, empty()));
        check("\u{feff}{\"id\":7,\"result\":{}}", &response(Some(7), empty()));
        let refused = RpcError {
            code: -32602,
            message: "Unknown tool: zap".into(),
            data: None,
        };
        check(
            r#"{"id":3,"error":{"code":-32602,"message":"Unknown tool: zap"}}"#,
            &response(Some(3), Err(refused)),
        );
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#,
            &Message::Notification {
                method: "notifications/progress".into(),
                params: Json::object([("progress", Json::integer(1))]),
            },
        );
        check(
            r#"{"id":"s1","method":"roots/list"}"#,
            &Message::Request {
                id: Json::string("s1"),
                method: "roots/list".into(),
                params: Json::Null,
            },
        );
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "[]",
            "1",
            "{}",
            r#"{"id":1}"#,
            "{",
            "[{\"id\":1,\"result\":{}}]",
            r#"{"id":"x","result":{}}"#,
            r#"{"id":-1,"result":{}}"#,
        ] {
            assert!(Message::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
