//! Values of `Mcp-Name` and `Mcp-Param-*` (2026-07-28, basic/transports/streamable-http, "Value Encoding").

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

/// The header value for `text`: itself where it is visible ASCII with inner blanks, else the Base64 form. A text
/// that looks like the Base64 form is encoded too, so that decoding is unambiguous.
pub fn encode(text: &str) -> String {
    let visible = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let edges = text.starts_with(' ') || text.ends_with(' ');
    let sentinel = text.starts_with(OPEN) && text.ends_with(CLOSE);
    if visible && !edges && !sentinel {
        return text.to_owned();
    }
    format!("{OPEN}{}{CLOSE}", STANDARD.encode(text))
}

/// The inverse of [`encode`], as servers do it; `None` where the Base64 form is broken.
pub fn decode(value: &str) -> Option<String> {
    match value.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: &str) {
        assert_eq!(encode(text), value, "{text:?}");
        assert_eq!(decode(value).as_deref(), Some(text), "{value:?} back");
    }

    #[test]
    fn values_are_encoded_as_the_specification_shows() {
        check("us-west1", "us-west1");
        check("us west 1", "us west 1");
        check("Tür öffnen", "=?base64?VMO8ciDDtmZmbmVu?=");
        check("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?=");
        check(" padded ", "=?base64?IHBhZGRlZCA=?=");
        check("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=");
        check("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?=");
        check("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
        check("\tindented", "=?base64?CWluZGVudGVk?=");
        check("", "");
        check("größe", "=?base64?Z3LDtsOfZQ==?=");
        check("ask://a?id=1&x=%20", "ask://a?id=1&x=%20");
    }
}
