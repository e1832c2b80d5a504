//! The headers of a POST against its body (streamable HTTP, "Request Headers" and "Value Encoding").

use crate::message::{Fault, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_core::wire::json::Json;
use hyper::HeaderMap;
use std::borrow::Cow;

/// # Errors
/// [`Fault::Header`] when a header is missing, doubled, malformed or says something else than the body.
pub(crate) fn check(headers: &HeaderMap, request: &Request) -> Result<(), Fault> {
    expect(headers, "MCP-Protocol-Version", &request.version, Encoding::Plain)?;
    expect(headers, "Mcp-Method", &request.method, Encoding::Plain)?;
    let named = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    match request.params.get(named).and_then(Json::as_str) {
        Some(name) => expect(headers, "Mcp-Name", name, Encoding::Sentinel),
        // The body is refused for it later.
        None => Ok(()),
    }
}

/// The one value of a header; none when it is absent.
///
/// # Errors
/// [`Fault::Header`] when it is doubled or not visible ASCII.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Fault::Header(format!("{name} is there twice")));
    }
    match value.to_str() {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(Fault::Header(format!(
            "{name} has characters that no header may have"
        ))),
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    Plain,
    /// `=?base64?…?=` stands for the UTF-8 text in it.
    Sentinel,
}

fn expect(headers: &HeaderMap, name: &str, body: &str, encoding: Encoding) -> Result<(), Fault> {
    let value = single(headers, name)?.ok_or_else(|| Fault::Header(format!("{name} is required")))?;
    let said = match encoding {
        Encoding::Plain => Cow::Borrowed(value),
        Encoding::Sentinel => {
            decode(value).ok_or_else(|| Fault::Header(format!("{name} is not well encoded")))?
        }
    };
    if said == body {
        Ok(())
    } else {
        Err(Fault::Header(format!("{name} differs from the body")))
    }
}

fn decode(value: &str) -> Option<Cow<'_, str>> {
    let inner = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match inner {
        None => Some(Cow::Borrowed(value)),
        Some(inner) => {
            let bytes = STANDARD.decode(inner).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Message, read};
    use hyper::header::{HeaderName, HeaderValue};

    fn check_headers(name: &str, lines: &[(&str, &str)], error: Option<&str>) {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name:?},"_meta":{{
                "io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        let Ok(Message::Request(request)) = read(body.as_bytes()) else {
            panic!("{body}");
        };
        let mut headers = HeaderMap::new();
        for (key, value) in lines {
            headers.append(
                HeaderName::from_bytes(key.as_bytes()).expect(key),
                HeaderValue::from_str(value).expect(value),
            );
        }
        let found = check(&headers, &request);
        let wanted = error.map(|why| Fault::Header(why.to_owned()));
        assert_eq!(found.err(), wanted, "{name} with {lines:?}");
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let version = ("MCP-Protocol-Version", "2026-07-28");
        let method = ("Mcp-Method", "tools/call");
        check_headers("busy", &[version, method, ("Mcp-Name", "busy")], None);
        check_headers(
            "busy",
            &[version, method, ("mcp-name", "=?base64?YnVzeQ==?=")],
            None,
        );
        check_headers(
            "Tür öffnen",
            &[version, method, ("Mcp-Name", "=?base64?VMO8ciDDtmZmbmVu?=")],
            None,
        );
        let literal = "=?base64?literal?=";
        check_headers(
            literal,
            &[
                version,
                method,
                ("Mcp-Name", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ],
            None,
        );
        check_headers("", &[version, method, ("Mcp-Name", "")], None);

        check_headers(
            "busy",
            &[method, ("Mcp-Name", "busy")],
            Some("MCP-Protocol-Version is required"),
        );
        check_headers(
            "busy",
            &[version, ("Mcp-Name", "busy")],
            Some("Mcp-Method is required"),
        );
        check_headers("busy", &[version, method], Some("Mcp-Name is required"));
        check_headers(
            "busy",
            &[
                ("MCP-Protocol-Version", "2025-11-25"),
                method,
                ("Mcp-Name", "busy"),
            ],
            Some("MCP-Protocol-Version differs from the body"),
        );
        check_headers(
            "busy",
            &[version, ("Mcp-Method", "Tools/call"), ("Mcp-Name", "busy")],
            Some("Mcp-Method differs from the body"),
        );
        check_headers(
            "busy",
            &[version, method, ("Mcp-Name", "Busy")],
            Some("Mcp-Name differs from the body"),
        );
        check_headers(
            "busy",
            &[version, method, ("Mcp-Name", "busy"), ("Mcp-Name", "busy")],
            Some("Mcp-Name is there twice"),
        );
        for broken in ["=?base64?YnVzeQ?=", "=?base64?_w==?=", "=?base64?/w==?=", literal] {
            check_headers(
                literal,
                &[version, method, ("Mcp-Name", broken)],
                Some("Mcp-Name is not well encoded"),
            );
        }
    }
}
