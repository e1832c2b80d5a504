//! Calls of a server without a network that stand at one question each.

use countersign_core::inbox::{Inbox, NewCall, ServerFacts};
use countersign_core::link::Asker;
use countersign_core::link::open::{Browser, OpenError};
use countersign_core::mrtr::driver::Line;
use countersign_core::session::{Target, address};
use countersign_core::transport::{Fault, Incoming, Patience, Reply};
use countersign_core::view::{CallId, Initiator, OfferKind, ServerId};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::{Method, Request};
use countersign_core::wire::rpc::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Where the server of every call is. Nobody listens there.
pub(crate) fn target() -> Target {
    Target::Http {
        url: "http://127.0.0.1:9/mcp".parse().unwrap(),
        headers: Vec::new(),
    }
}

/// A server by what it is known by in every run.
pub(crate) fn server(key: &str) -> ServerFacts {
    ServerFacts {
        id: ServerId(1),
        key: key.to_owned(),
        place: address::place(&target()),
        values: address::print(&target()),
        name: "bench".to_owned(),
        goes_to: "127.0.0.1".to_owned(),
        practice: false,
        asker: Asker::Local,
        practice_page: None,
    }
}

/// So many calls that wait at a question each.
pub(crate) async fn ask(inbox: &Inbox, server: &ServerFacts, count: u32, words: fn(u32) -> String) {
    for n in 0..count {
        start(inbox, server, words(n));
    }
    wait_for(inbox, count).await;
}

pub(crate) async fn wait_for(inbox: &Inbox, count: u32) {
    let mut changes = inbox.changes();
    while inbox.unfinished().waiting < count {
        changes.changed().await.unwrap();
    }
}

pub(crate) fn start(inbox: &Inbox, server: &ServerFacts, words: String) -> CallId {
    let new = NewCall {
        server: server.clone(),
        kind: OfferKind::Action,
        name: "clean_up".to_owned(),
        arguments: Json::object([("path", Json::string("/reports"))]),
        output_schema: None,
        initiator: Initiator::Person,
    };
    let request = Request::new(Method::CallTool).with("name", Json::string("clean_up"));
    inbox.start(Arc::new(Asking(words)), new, request)
}

/// Asks one question, and is done with any answer.
pub(crate) struct Asking(String);

impl Line for Asking {
    fn patience(&self) -> Patience {
        Patience::of(Duration::from_secs(60))
    }

    async fn send(
        &self,
        request: &Request,
        _: Patience,
        _: &CancellationToken,
        _: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let result = if request.params.get("inputResponses").is_some() {
            r#"{"resultType":"complete","content":[]}"#.to_owned()
        } else {
            format!(
                r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{{"message":{},"requestedSchema":{{"type":"object","properties":{{"name":{{"type":"string"}},"copies":{{"type":"integer","default":2}}}},"required":["name"]}}}}}}}}}}"#,
                Json::string(&self.0)
            )
        };
        let outcome = Ok(Json::parse(&result).unwrap());
        Ok(Reply::new(Response { id: None, outcome }, None))
    }
}

pub(crate) struct NoBrowser;

impl Browser for NoBrowser {
    fn is_available(&self) -> bool {
        false
    }

    fn open(&self, _: &Url) -> Result<(), OpenError> {
        Err(OpenError::NoBrowser)
    }
}
