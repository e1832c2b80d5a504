//! What only the revisions before 2026-07-28 have: a handshake, answers to requests of the server, and pages that
//! must be opened before a call works (2025-11-25, basic/lifecycle and client/elicitation).

use super::Revision;
use super::json::Json;
use super::outcome::{Entry, MAX_ENTRIES, OutcomeFault, parse_entry};
use super::request::{Elicitation, capabilities, client_info};
use super::rpc::{RpcError, code};

/// The first request of a session.
pub fn initialize(id: u64, revision: Revision, elicitation: Elicitation) -> String {
    Json::object([
        ("jsonrpc", Json::string("2.0")),
        ("id", Json::Number(id.to_string())),
        ("method", Json::string("initialize")),
        (
            "params",
            Json::object([
                ("protocolVersion", Json::string(revision.name())),
                ("capabilities", capabilities(elicitation)),
                ("clientInfo", client_info()),
            ]),
        ),
    ])
    .to_string()
}

/// The notification that ends the handshake.
pub fn initialized() -> String {
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()
}

/// The answer to a request of the server. `id` is the server's own.
pub fn response(id: &Json, result: &Json) -> String {
    Json::object([
        ("jsonrpc", Json::string("2.0")),
        ("id", id.clone()),
        ("result", result.clone()),
    ])
    .to_string()
}

/// The refusal of a request of the server.
pub fn refusal(id: &Json, code: i64, message: &str) -> String {
    let error = Json::object([("code", Json::integer(code)), ("message", Json::string(message))]);
    Json::object([
        ("jsonrpc", Json::string("2.0")),
        ("id", id.clone()),
        ("error", error),
    ])
    .to_string()
}

/// What the server said in the handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    pub revision: Revision,
    pub capabilities: Json,
    pub server_info: Json,
}

impl Handshake {
    /// # Errors
    /// The revision that the server wants, where it is not spoken here; empty where it names none.
    pub fn parse(result: &Json) -> Result<Self, String> {
        let name = result
            .get("protocolVersion")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let revision = Revision::of(name)
            .filter(|revision| !revision.is_modern())
            .ok_or_else(|| crate::text::chip(name))?;
        let member = |name: &str| result.get(name).cloned().unwrap_or(Json::Null);
        Ok(Self {
            revision,
            capabilities: member("capabilities"),
            server_info: member("serverInfo"),
        })
    }
}

/// Reads the parameters of `elicitation/create` as a server pushes it.
///
/// # Errors
/// The message of the `-32602` that the client must answer with: a mode that was not declared or does not exist.
pub fn pushed(params: Json, elicitation: Elicitation) -> Result<Entry, String> {
    if elicitation == Elicitation::None {
        return Err("This client did not declare elicitation.".to_owned());
    }
    parse_entry("question", envelope(params)).map_err(|fault| {
        if let OutcomeFault::UnknownMode { mode, .. } = &fault {
            format!("This client did not declare the mode “{mode}”.")
        } else {
            fault.to_string()
        }
    })
}

/// The pages that an error says must be opened first, keyed by their position: servers make new ids each time.
/// `None` where the error is of another kind or holds nothing that can be opened.
pub fn required_links(error: &RpcError) -> Option<Vec<(String, Entry)>> {
    if error.code != code::LINKS_REQUIRED {
        return None;
    }
    let elicitations = error.data.as_ref()?.get("elicitations")?.as_array()?;
    if elicitations.is_empty() || elicitations.len() > MAX_ENTRIES {
        return None;
    }
    let entries = (1..).zip(elicitations).map(|(position, params)| {
        let mut params = params.as_object()?.clone();
        // The code itself says which mode they are.
        params.set("mode", Json::string("url"));
        let key = position.to_string();
        let entry = parse_entry(&key, envelope(Json::Object(params))).ok()?;
        Some((key, entry))
    });
    entries.collect()
}

fn envelope(params: Json) -> Json {
    Json::object([("method", Json::string("elicitation/create")), ("params", params)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect(text)
    }

    #[test]
    fn a_handshake_takes_the_revisions_before_2026_07_28_only() {
        let check = |version: &str, expected: Result<Revision, &str>| {
            let result = json(&format!(
                r#"{{"protocolVersion":"{version}","capabilities":{{}}}}"#
            ));
            let revision = Handshake::parse(&result).map(|handshake| handshake.revision);
            assert_eq!(revision, expected.map_err(str::to_owned), "{version}");
        };
        check("2025-11-25", Ok(Revision::V2025_11_25));
        check("2025-06-18", Ok(Revision::V2025_06_18));
        check("2025-03-26", Ok(Revision::V2025_03_26));
        check("2024-11-05", Ok(Revision::V2024_11_05));
        check("2026-07-28", Err("2026-07-28"));
        check("2031-01-01", Err("2031-01-01"));
        assert_eq!(Handshake::parse(&json("{}")), Err(String::new()));
    }

    #[test]
    fn a_push_is_read_like_an_entry_and_an_undeclared_mode_is_refused() {
        let form = pushed(json(r#"{"message":"m","requestedSchema":{}}"#), Elicitation::Both);
        assert!(matches!(form, Ok(Entry::Form { .. })), "{form:?}");
        let link = pushed(
            json(r#"{"mode":"url","elicitationId":"e-1","url":"https://x.example","message":"m"}"#),
            Elicitation::Both,
        )
        .expect("a link");
        assert_eq!(link.elicitation_id(), Some("e-1"));
        for (params, elicitation) in [
            (r#"{"mode":"voice","message":"m"}"#, Elicitation::Both),
            (r#"{"message":"m"}"#, Elicitation::None),
        ] {
            assert!(pushed(json(params), elicitation).is_err(), "{params}");
        }
    }

    #[test]
    fn links_that_are_required_are_entries_in_their_order() {
        let error = |data: &str| RpcError {
            code: code::LINKS_REQUIRED,
            message: String::new(),
            data: Some(json(data)),
        };
        let two = error(
            r#"{"elicitations":[{"mode":"url","elicitationId":"a","url":"https://a.example","message":"A"},
            {"elicitationId":"b","url":"https://b.example","message":"B"}]}"#,
        );
        let entries = required_links(&two).expect("two links");
        let keys: Vec<_> = entries
            .iter()
            .map(|(key, entry)| (key.as_str(), entry.elicitation_id()))
            .collect();
        assert_eq!(keys, [("1", Some("a")), ("2", Some("b"))]);
        for data in [
            "{}",
            r#"{"elicitations":[]}"#,
            r#"{"elicitations":[1]}"#,
            r#"{"elicitations":{}}"#,
        ] {
            assert_eq!(required_links(&error(data)), None, "{data}");
        }
        let other = RpcError { code: -32602, ..two };
        assert_eq!(required_links(&other), None);
    }
}
