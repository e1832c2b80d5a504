//! Hearing that something changed: `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions), and the same
//! notifications as servers of the 2025 era send them, without a subscription.
//!
//! Promises: a message counts only for the subscription it names, so that several may share one channel; both ways in
//! which servers end a subscription are understood, a result and `notifications/cancelled`. Pure.
//!
//! Deliberately absent: `resources/subscribe` of the 2025 era, and coming back after a loss: a server keeps nothing of
//! a subscription over a lost connection, so whoever listens asks again and reads its lists anew.

use super::json::Json;
use super::request::{Method, Request};
use super::rpc::Message;

/// What is listened for, or what a server agreed to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub tools: bool,
    pub prompts: bool,
    /// The list of resources, not what is in them.
    pub resources: bool,
    /// Addresses of resources whose content is watched.
    pub uris: Vec<String>,
}

/// What one message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The first word of a subscription: what the server will tell. It may be less than was asked for, see
    /// [`Filter::without`].
    Acknowledged(Filter),
    ToolsChanged,
    PromptsChanged,
    ResourcesChanged,
    /// The address may be that of a part of what is watched.
    ResourceUpdated {
        uri: String,
    },
    /// Nothing more comes. A refusal ends a subscription too; its error is in the message.
    Ended,
    /// Of another subscription, or none of these.
    Other,
}

impl Filter {
    /// Whether nothing is listened for; then there is nothing to ask.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The request that begins to listen. What is not wanted is left out.
    pub fn request(&self) -> Request {
        let wanted = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        let mut members: Vec<_> = wanted
            .into_iter()
            .filter(|(_, wanted)| *wanted)
            .map(|(name, _)| (name, Json::Bool(true)))
            .collect();
        if !self.uris.is_empty() {
            let uris = self.uris.iter().map(Json::string).collect();
            members.push(("resourceSubscriptions", Json::Array(uris)));
        }
        Request::new(Method::Listen).with("notifications", Json::object(members))
    }

    /// What this asks for and `agreed` does not hold.
    pub fn without(&self, agreed: &Self) -> Self {
        Self {
            tools: self.tools && !agreed.tools,
            prompts: self.prompts && !agreed.prompts,
            resources: self.resources && !agreed.resources,
            uris: self
                .uris
                .iter()
                .filter(|uri| !agreed.uris.contains(uri))
                .cloned()
                .collect(),
        }
    }

    /// Anything but `true` and text agrees to nothing.
    fn parse(notifications: Option<&Json>) -> Self {
        let member = |name: &str| notifications.and_then(|notifications| notifications.get(name));
        let agreed = |name: &str| member(name).and_then(Json::as_bool) == Some(true);
        let uris = member("resourceSubscriptions").and_then(Json::as_array);
        Self {
            tools: agreed("toolsListChanged"),
            prompts: agreed("promptsListChanged"),
            resources: agreed("resourcesListChanged"),
            uris: uris
                .unwrap_or_default()
                .iter()
                .filter_map(Json::as_str)
                .map(str::to_owned)
                .collect(),
        }
    }
}

/// What a message says to the subscription with the id `listening`, our id of the request; text with the same digits
/// is the same id. `None` for a server of the 2025 era: then only messages without a subscription count.
pub fn hear(message: &Message, listening: Option<u64>) -> Heard {
    match message {
        Message::Response(response) if listening.is_some() && response.id == listening => Heard::Ended,
        Message::Notification { method, params } => notified(method, params, listening),
        Message::Response(_) | Message::Request { .. } => Heard::Other,
    }
}

fn notified(method: &str, params: &Json, listening: Option<u64>) -> Heard {
    if method == "notifications/cancelled" {
        let ours = listening.is_some_and(|id| is(params.get("requestId"), id));
        return if ours { Heard::Ended } else { Heard::Other };
    }
    let named = params
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/subscriptionId"));
    let ours = match listening {
        Some(id) => is(named, id),
        None => named.is_none(),
    };
    if !ours {
        return Heard::Other;
    }
    match method {
        "notifications/subscriptions/acknowledged" if listening.is_some() => {
            Heard::Acknowledged(Filter::parse(params.get("notifications")))
        }
        "notifications/tools/list_changed" => Heard::ToolsChanged,
        "notifications/prompts/list_changed" => Heard::PromptsChanged,
        "notifications/resources/list_changed" => Heard::ResourcesChanged,
        "notifications/resources/updated" => match params.get("uri").and_then(Json::as_str) {
            Some(uri) => Heard::ResourceUpdated { uri: uri.to_owned() },
            None => Heard::Other,
        },
        _ => Heard::Other,
    }
}

/// Whether a sent id is ours: the number, however it is written, or its digits as text.
fn is(sent: Option<&Json>, id: u64) -> bool {
    match sent {
        Some(Json::String(text)) => *text == id.to_string(),
        Some(number @ Json::Number(_)) => {
            number.as_i64().and_then(|sent| u64::try_from(sent).ok()) == Some(id)
        }
        Some(Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = r#""_meta":{"io.modelcontextprotocol/subscriptionId":7}"#;

    fn check(message: &str, listening: Option<u64>, expected: &Heard) {
        let parsed = Message::parse(message.as_bytes()).expect(message);
        assert_eq!(&hear(&parsed, listening), expected, "{message} {listening:?}");
    }

    fn notification(method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{{params}}}}}"#)
    }

    fn filter(words: &str, uris: &[&str]) -> Filter {
        Filter {
            tools: words.contains("tools"),
            prompts: words.contains("prompts"),
            resources: words.contains("resources"),
            uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        }
    }

    #[test]
    fn only_what_is_wanted_is_asked_for() {
        let check = |filter: Filter, params: &str| {
            let request = filter.request();
            assert_eq!(Json::Object(request.params.clone()).to_string(), params);
            assert_eq!(request.method.name(), "subscriptions/listen");
            assert!(!request.method.may_ask());
            assert_eq!(request.name_header(), None);
            assert_eq!(filter.is_empty(), params == r#"{"notifications":{}}"#);
        };
        check(
            filter("tools", &["file:///project/config.json"]),
            r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///project/config.json"]}}"#,
        );
        check(
            filter("prompts resources", &[]),
            r#"{"notifications":{"promptsListChanged":true,"resourcesListChanged":true}}"#,
        );
        check(Filter::default(), r#"{"notifications":{}}"#);
    }

    #[test]
    fn what_a_server_agrees_to_is_read_and_compared_with_what_was_asked() {
        let acknowledged = |notifications: &str| {
            notification(
                "subscriptions/acknowledged",
                &format!(r#"{META},"notifications":{notifications}"#),
            )
        };
        let agreed = filter("tools", &["a://1"]);
        check(
            &acknowledged(r#"{"toolsListChanged":true,"resourceSubscriptions":["a://1",7]}"#),
            Some(7),
            &Heard::Acknowledged(agreed.clone()),
        );
        for nothing in [
            "{}",
            "null",
            "[]",
            r#"{"toolsListChanged":"true","promptsListChanged":1,"resourcesListChanged":false,"resourceSubscriptions":"a://1"}"#,
        ] {
            check(
                &acknowledged(nothing),
                Some(7),
                &Heard::Acknowledged(Filter::default()),
            );
        }
        let asked = filter("tools prompts", &["a://1", "a://2"]);
        assert_eq!(asked.without(&agreed), filter("prompts", &["a://2"]));
        assert!(asked.without(&asked).is_empty());
        assert_eq!(filter("", &[]).without(&agreed), Filter::default());
    }

    #[test]
    fn a_change_is_heard_by_the_subscription_that_it_names() {
        let updated = Heard::ResourceUpdated {
            uri: "a://b".to_owned(),
        };
        for (method, more, heard) in [
            ("tools/list_changed", "", Heard::ToolsChanged),
            ("prompts/list_changed", "", Heard::PromptsChanged),
            ("resources/list_changed", "", Heard::ResourcesChanged),
            ("resources/updated", r#","uri":"a://b""#, updated),
        ] {
            for (id, ours) in [
                ("7", true),
                ("\"7\"", true),
                ("7.0", true),
                ("8", false),
                ("\"07\"", false),
                ("\"7 \"", false),
                ("-7", false),
                ("7.5", false),
                ("null", false),
                ("[7]", false),
                ("18446744073709551623", false),
            ] {
                let meta = META.replace(":7", &format!(":{id}"));
                let expected = if ours { heard.clone() } else { Heard::Other };
                check(
                    &notification(method, &format!("{meta}{more}")),
                    Some(7),
                    &expected,
                );
            }
            let bare = notification(method, more.trim_start_matches(','));
            check(&bare, Some(7), &Heard::Other);
        }
    }

    #[test]
    fn a_server_of_the_2025_era_is_heard_without_a_subscription() {
        for (method, params, heard) in [
            ("tools/list_changed", "", Heard::ToolsChanged),
            ("tools/list_changed", r#""_meta":{"x":1}"#, Heard::ToolsChanged),
            ("prompts/list_changed", "", Heard::PromptsChanged),
            ("resources/list_changed", "", Heard::ResourcesChanged),
            (
                "resources/updated",
                r#""uri":"a://b","title":"B""#,
                Heard::ResourceUpdated {
                    uri: "a://b".to_owned(),
                },
            ),
            ("resources/updated", "", Heard::Other),
            ("resources/updated", r#""uri":7"#, Heard::Other),
            ("tools/list_changed", META, Heard::Other),
            (
                "subscriptions/acknowledged",
                r#""notifications":{"toolsListChanged":true}"#,
                Heard::Other,
            ),
            ("cancelled", r#""requestId":7"#, Heard::Other),
            ("message", r#""level":"info","data":"x""#, Heard::Other),
        ] {
            check(&notification(method, params), None, &heard);
        }
        let without_params = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        check(without_params, None, &Heard::ToolsChanged);
        check(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, None, &Heard::Other);
        check(r#"{"jsonrpc":"2.0","result":{}}"#, None, &Heard::Other);
    }

    #[test]
    fn both_ways_of_ending_are_understood() {
        for (message, ours) in [
            (
                format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"resultType":"complete",{META}}}}}"#),
                true,
            ),
            (
                r#"{"id":"7","result":{"resultType":"complete"}}"#.to_owned(),
                true,
            ),
            (
                r#"{"id":7,"error":{"code":-32601,"message":"no"}}"#.to_owned(),
                true,
            ),
            (r#"{"id":8,"result":{"resultType":"complete"}}"#.to_owned(), false),
            (r#"{"result":{"resultType":"complete"}}"#.to_owned(), false),
            (
                notification("cancelled", r#""requestId":7,"reason":"over""#),
                true,
            ),
            (notification("cancelled", r#""requestId":"7""#), true),
            (
                notification("cancelled", &format!(r#""requestId":8,{META}"#)),
                false,
            ),
            (notification("cancelled", ""), false),
            (r#"{"id":7,"method":"roots/list"}"#.to_owned(), false),
        ] {
            let expected = if ours { Heard::Ended } else { Heard::Other };
            check(&message, Some(7), &expected);
        }
    }
}
