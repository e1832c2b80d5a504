//! A finished call as parts to look at (2026-07-28, server/tools "Tool Result", server/prompts, server/resources).
//!
//! Promises: every text is filtered; an image or sound is passed on only when its first bytes are what its type says,
//! and never larger than [`MAX_MEDIA`]; a link is text; what cannot be shown is named, not dropped.

use crate::text;
use crate::view::{OfferKind, ResultPart, ServerText, StructuredRow};
use crate::wire::json::Json;
use crate::wire::structured::Fit;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Largest image or sound, in bytes of Base64.
pub const MAX_MEDIA: usize = 3 * 1024 * 1024;
const MAX_ROWS: usize = 2_000;
const MAX_PARTS: usize = 500;

/// The parts of a complete result.
pub fn parts(kind: OfferKind, result: &Json) -> Vec<ResultPart> {
    let mut parts = Vec::new();
    let list = |key: &str| result.get(key).and_then(Json::as_array).unwrap_or_default();
    match kind {
        OfferKind::Action => {
            parts.extend(list("content").iter().map(|block| content(None, block)));
            if let Some(data) = result.get("structuredContent") {
                parts.push(structured(data));
            }
            if result.get("content").is_none() && parts.is_empty() {
                parts.push(other("The result has no content."));
            }
        }
        OfferKind::Starter => {
            parts.extend(
                result
                    .get("description")
                    .and_then(Json::as_str)
                    .map(|words| ResultPart::Text {
                        role: None,
                        text: ServerText::of(words),
                    }),
            );
            for message in list("messages") {
                let role = message
                    .get("role")
                    .and_then(Json::as_str)
                    .map(|role| text::line(role, 20));
                match message.get("content") {
                    Some(Json::Array(blocks)) => {
                        parts.extend(blocks.iter().map(|block| content(role.clone(), block)));
                    }
                    Some(block) => parts.push(content(role, block)),
                    None => parts.push(other("A message without content.")),
                }
            }
        }
        OfferKind::Document => parts.extend(list("contents").iter().map(document)),
        OfferKind::Question => {}
    }
    if parts.is_empty() {
        parts.push(other("The server answered with nothing to show."));
    }
    if parts.len() > MAX_PARTS {
        let more = parts.len() - MAX_PARTS;
        parts.truncate(MAX_PARTS);
        parts.push(other(&format!("{more} more parts are not shown.")));
    }
    parts
}

/// What is said of a structured result beside it; nothing where it fits.
pub(super) fn notices(fit: Fit) -> Vec<String> {
    match fit {
        Fit::Fits => Vec::new(),
        Fit::Missing => {
            vec!["The tool promises a structured result (outputSchema), but sent none.".to_owned()]
        }
        Fit::Unfit { findings } => std::iter::once(
            "The structured result is not what the tool says it is (outputSchema):".to_owned(),
        )
        .chain(findings)
        .collect(),
        Fit::Unchecked { reason } => vec![format!(
            "Whether the structured result is what the tool says it is (outputSchema) cannot be checked: {reason}."
        )],
    }
}

fn content(role: Option<String>, block: &Json) -> ResultPart {
    let string = |key: &str| block.get(key).and_then(Json::as_str);
    match string("type") {
        Some("text") => ResultPart::Text {
            role,
            text: ServerText::of(string("text").unwrap_or_default()),
        },
        Some("image") => media(role, string("mimeType"), string("data"), true),
        Some("audio") => media(role, string("mimeType"), string("data"), false),
        Some("resource_link") => ResultPart::Link {
            uri: text::line(string("uri").unwrap_or_default(), text::MESSAGE),
            title: string("title")
                .or(string("name"))
                .map(|title| text::line(title, text::TITLE)),
            description: string("description").map(|words| text::line(words, text::DESCRIPTION)),
        },
        Some("resource") => block
            .get("resource")
            .map_or_else(|| other("An empty document."), document),
        Some(unknown) => other(&format!(
            "A part of a kind that cannot be shown here: “{}”.",
            text::chip(unknown)
        )),
        None => other("A part that does not say what it is."),
    }
}

fn document(resource: &Json) -> ResultPart {
    let string = |key: &str| resource.get(key).and_then(Json::as_str);
    let media_type = string("mimeType").map(|kind| text::line(kind, 80));
    if let (Some(kind), Some(blob)) = (string("mimeType"), string("blob"))
        && kind.starts_with("image/")
        && let image @ ResultPart::Image { .. } = media(None, Some(kind), Some(blob), true)
    {
        return image;
    }
    ResultPart::Document {
        uri: text::line(string("uri").unwrap_or_default(), text::MESSAGE),
        media_type,
        text: string("text").map(ServerText::of),
        bytes: string("blob").map(|blob| u32::try_from(blob.len() / 4 * 3).unwrap_or(u32::MAX)),
    }
}

fn media(role: Option<String>, kind: Option<&str>, data: Option<&str>, image: bool) -> ResultPart {
    let (word, signatures) = if image {
        ("image", IMAGES.as_slice())
    } else {
        ("sound", SOUNDS.as_slice())
    };
    let kind = kind
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let data: String = data
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .collect();
    if data.len() > MAX_MEDIA {
        return other(&format!(
            "An {word} of more than {} MiB is not shown.",
            MAX_MEDIA / 1024 / 1024
        ));
    }
    let Some((media_type, _, start)) = signatures
        .iter()
        .find(|(known, alias, _)| kind == *known || kind == *alias)
    else {
        return other(&format!(
            "An {word} of the kind “{}” is not shown.",
            text::chip(&kind)
        ));
    };
    let decoded = STANDARD.decode(&data).unwrap_or_default();
    if !start.iter().any(|start| decoded.starts_with(start)) {
        return other(&format!(
            "What is said to be {media_type} is something else and is not shown."
        ));
    }
    let media_type = (*media_type).to_owned();
    if image {
        ResultPart::Image {
            role,
            media_type,
            data,
        }
    } else {
        ResultPart::Audio {
            role,
            media_type,
            data,
        }
    }
}

/// Type, another name of it, and how such data begins.
type Signature = (&'static str, &'static str, &'static [&'static [u8]]);

const IMAGES: [Signature; 4] = [
    ("image/png", "image/x-png", &[b"\x89PNG\r\n\x1a\n"]),
    ("image/jpeg", "image/jpg", &[b"\xff\xd8\xff"]),
    ("image/gif", "image/gif", &[b"GIF87a", b"GIF89a"]),
    ("image/webp", "image/webp", &[b"RIFF"]),
];
const SOUNDS: [Signature; 4] = [
    ("audio/wav", "audio/x-wav", &[b"RIFF"]),
    (
        "audio/mpeg",
        "audio/mp3",
        &[b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"],
    ),
    ("audio/ogg", "application/ogg", &[b"OggS"]),
    ("audio/flac", "audio/x-flac", &[b"fLaC"]),
];

fn structured(data: &Json) -> ResultPart {
    let mut rows = Rows::default();
    rows.flatten("", data, 0);
    let Rows { mut rows, more } = rows;
    if more > 0 {
        rows.push(StructuredRow {
            depth: 0,
            name: format!("{more} more rows are in the JSON below"),
            value: None,
        });
    }
    ResultPart::Structured { rows }
}

/// At most [`MAX_ROWS`], and how many more there are.
#[derive(Default)]
struct Rows {
    rows: Vec<StructuredRow>,
    more: usize,
}

impl Rows {
    fn flatten(&mut self, name: &str, value: &Json, depth: u32) {
        match value {
            Json::Object(members) if !members.is_empty() => {
                self.add(name, None, depth);
                for (key, member) in members.iter() {
                    self.flatten(key, member, depth + 1);
                }
            }
            Json::Array(items) if !items.is_empty() => {
                self.add(name, None, depth);
                for (position, item) in (1..).zip(items) {
                    self.flatten(&format!("{position}."), item, depth + 1);
                }
            }
            Json::String(_)
            | Json::Null
            | Json::Bool(_)
            | Json::Number(_)
            | Json::Array(_)
            | Json::Object(_) => {
                self.add(name, Some(value), depth);
            }
        }
    }

    fn add(&mut self, name: &str, value: Option<&Json>, depth: u32) {
        if name.is_empty() && value.is_none() {
            return;
        }
        if self.rows.len() == MAX_ROWS {
            self.more += 1;
            return;
        }
        self.rows.push(StructuredRow {
            depth: depth.saturating_sub(1),
            name: text::line(name, text::TITLE),
            value: value.map(|value| match value {
                Json::String(words) => text::line(words, text::DESCRIPTION),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                    text::line(&value.to_string(), text::DESCRIPTION)
                }
            }),
        });
    }
}

fn other(note: &str) -> ResultPart {
    ResultPart::Other {
        note: note.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: OfferKind, result: &str, expected: &[&str]) {
        let words: Vec<String> = parts(kind, &Json::parse(result).expect(result))
            .into_iter()
            .map(|part| match part {
                ResultPart::Text { role, text } => format!("text {} {}", role.unwrap_or_default(), text.text),
                ResultPart::Image { media_type, .. } | ResultPart::Audio { media_type, .. } => media_type,
                ResultPart::Link { uri, .. } => format!("link {uri}"),
                ResultPart::Document { uri, text, .. } => {
                    format!("doc {uri} {}", text.unwrap_or_default_text())
                }
                ResultPart::Structured { rows } => rows
                    .iter()
                    .map(|row| {
                        format!(
                            "{}{}={}",
                            " ".repeat(row.depth as usize),
                            row.name,
                            row.value.clone().unwrap_or_default()
                        )
                    })
                    .collect::<Vec<_>>()
                    .join("|"),
                ResultPart::Other { note } => format!("other {note}"),
            })
            .collect();
        assert_eq!(words, expected, "{result}");
    }

    trait OrText {
        fn unwrap_or_default_text(self) -> String;
    }

    impl OrText for Option<crate::view::ServerText> {
        fn unwrap_or_default_text(self) -> String {
            self.map(|text| text.text).unwrap_or_default()
        }
    }

    #[test]
    fn results_become_parts() {
        check(
            OfferKind::Action,
            r#"{"content":[{"type":"text","text":"hi <b>"}]}"#,
            &["text  hi <b>"],
        );
        check(
            OfferKind::Action,
            r#"{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}"#,
            &["image/png"],
        );
        check(
            OfferKind::Action,
            r#"{"content":[{"type":"image","mimeType":"image/png","data":"PHN2Zz4="},{"type":"image","mimeType":"image/svg+xml","data":"x"}]}"#,
            &[
                "other What is said to be image/png is something else and is not shown.",
                "other An image of the kind “image/svg+xml” is not shown.",
            ],
        );
        check(
            OfferKind::Action,
            r#"{"content":[{"type":"resource_link","uri":"https://x.example"}],"structuredContent":{"a":[1,"b"],"c":{}}}"#,
            &["link https://x.example", "a=| 1.=1| 2.=b|c={}"],
        );
        check(
            OfferKind::Action,
            r#"{"content":[]}"#,
            &["other The server answered with nothing to show."],
        );
        check(
            OfferKind::Action,
            r#"{"content":[{"type":"hologram"},7]}"#,
            &[
                "other A part of a kind that cannot be shown here: “hologram”.",
                "other A part that does not say what it is.",
            ],
        );
        check(
            OfferKind::Starter,
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]}"#,
            &["text user hello"],
        );
        check(
            OfferKind::Document,
            r#"{"contents":[{"uri":"a://b","text":"t"}]}"#,
            &["doc a://b t"],
        );
    }

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let result = format!(r#"{{"structuredContent":[{}0]}}"#, "0,".repeat(MAX_ROWS + 4));
        let parts = parts(OfferKind::Action, &Json::parse(&result).expect("JSON"));
        let [ResultPart::Structured { rows }] = parts.as_slice() else {
            panic!("one table")
        };
        assert_eq!(rows.len(), MAX_ROWS + 1);
        assert_eq!(rows[MAX_ROWS].name, "5 more rows are in the JSON below");
    }
}
