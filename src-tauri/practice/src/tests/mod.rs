//! The servers as a client meets them: in memory, over HTTP on loopback, over stdio.

mod desk;
mod rounds;
mod workshop;

use crate::chance::Chance;
use crate::json::json;
use crate::message::{META_CAPABILITIES, META_VERSION, Message, VERSION, read};
use crate::server::{Place, Practice, Reply, handle};
use countersign_core::wire::json::Json;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const ORIGIN: &str = "http://127.0.0.1:4000";

/// So short that no test waits.
const QUICK: Duration = Duration::from_millis(1);

fn counting() -> Chance {
    Chance::Counting(AtomicU64::new(0))
}

fn at_the_desk() -> Practice {
    let place = Place::Desk {
        origin: ORIGIN.to_owned(),
    };
    Practice::new(place, counting(), QUICK)
}

fn at_the_workshop() -> Practice {
    Practice::new(Place::Workshop, counting(), QUICK)
}

fn parsed(text: &str) -> Json {
    Json::parse(text).expect(text)
}

fn meta(elicitation: &str) -> Json {
    let capabilities = parsed(&format!(r#"{{"elicitation":{elicitation}}}"#));
    Json::object([
        (META_VERSION, Json::string(VERSION)),
        (META_CAPABILITIES, capabilities),
        ("progressToken", Json::string("p")),
    ])
}

/// A request of a client that shows forms and links.
fn request(id: i64, method: &str, params: &str) -> Json {
    let mut params = parsed(params).as_object().expect("params").clone();
    if !params.contains_key("_meta") {
        params.set("_meta", meta(r#"{"form":{},"url":{}}"#));
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": (Json::Object(params))})
}

async fn reply_to(practice: &Practice, message: &Json) -> (Reply, UnboundedReceiver<Json>) {
    let (notes, noted) = unbounded_channel();
    let reply = match read(message.to_string().as_bytes()) {
        Ok(Message::Request(request)) => handle(practice, &request, &notes).await,
        Ok(Message::Notification { method, .. }) => panic!("{method} is no request"),
        Err(unreadable) => Reply {
            message: unreadable.fault.response(unreadable.id),
            status: unreadable.fault.status(),
        },
    };
    (reply, noted)
}

/// The `result` of a request that must have one.
async fn result(practice: &Practice, method: &str, params: &str) -> Json {
    let (reply, _) = reply_to(practice, &request(1, method, params)).await;
    reply
        .message
        .get("result")
        .unwrap_or_else(|| panic!("{method} {params} is answered {}", reply.message))
        .clone()
}

/// The code of the error and the status that carries it.
async fn refusal(practice: &Practice, message: &Json) -> (i64, u16) {
    let (reply, _) = reply_to(practice, message).await;
    let code = reply
        .message
        .get("error")
        .and_then(|error| error.get("code")?.as_i64());
    match code {
        Some(code) => (code, reply.status),
        None => panic!("{message} is answered {}", reply.message),
    }
}

/// The members of `params` plus answers and the state of the last result.
fn retried(params: &str, last: &Json, answers: &str) -> String {
    let mut params = parsed(params).as_object().expect("params").clone();
    if !answers.is_empty() {
        params.set("inputResponses", parsed(answers));
    }
    if let Some(state) = last.get("requestState") {
        params.set("requestState", state.clone());
    }
    Json::Object(params).to_string()
}

fn keys(result: &Json) -> Vec<String> {
    result
        .get("inputRequests")
        .and_then(Json::as_object)
        .map(|asks| asks.keys().map(str::to_owned).collect())
        .unwrap_or_default()
}

/// A member by a path of keys and positions (`content.0.text`).
fn at<'a>(json: &'a Json, path: &str) -> &'a Json {
    path.split('.').fold(json, |json, step| {
        let member = match json {
            Json::Array(items) => step
                .parse::<usize>()
                .ok()
                .and_then(|position| items.get(position)),
            Json::Object(members) => members.get(step),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        };
        member.unwrap_or_else(|| panic!("{path} is not in {json}"))
    })
}

fn said<'a>(json: &'a Json, path: &str) -> &'a str {
    at(json, path).as_str().expect(path)
}
