//! What a practice server answers, whatever carries it: `handle` takes one request and makes one reply.
//!
//! Dropping the future of `handle` is how a call is cancelled. Deliberately absent: subscriptions, completion,
//! logging and anything else that `server/discover` does not announce; those are unknown methods.

use crate::chance::Chance;
use crate::json::json;
use crate::message::{Fault, Request, VERSION};
use crate::rounds::{Outcome, Retry, Step, Steps};
use crate::tickets::Tickets;
use crate::tools::{Call, Tool};
use crate::{prompts, resources};
use countersign_core::wire::json::{Json, Members};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Tools on one page of `tools/list`.
const PAGE: usize = 5;

/// How long a client may keep a list, in milliseconds.
const TTL: i64 = 300_000;

/// One practice server and what it remembers between requests.
#[derive(Debug)]
pub(crate) struct Practice {
    pub(crate) place: Place,
    chance: Chance,
    /// How long one step of the slow task takes.
    pub(crate) pace: Duration,
    steps: Mutex<Steps>,
    tickets: Mutex<Tickets>,
}

/// Which of the two servers it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Over HTTP, with pages below this origin (`http://127.0.0.1:4000`).
    Desk { origin: String },
    /// Over stdio, without pages.
    Workshop,
}

/// Takes the notifications that belong to a request while it runs.
pub(crate) type Notes = UnboundedSender<Json>;

/// One response, and the status that carries it over HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) message: Json,
    pub(crate) status: u16,
}

/// Answers one request.
pub(crate) async fn handle(practice: &Practice, request: &Request, notes: &Notes) -> Reply {
    match result(practice, request, notes).await {
        Ok(outcome) => Reply {
            message: json!({
                "jsonrpc": "2.0",
                "id": (request.id.clone()),
                "result": (outcome.result(practice.place.server_info())),
            }),
            status: 200,
        },
        Err(fault) => Reply {
            message: fault.response(Some(request.id.clone())),
            status: fault.status(),
        },
    }
}

async fn result(practice: &Practice, request: &Request, notes: &Notes) -> Result<Outcome, Fault> {
    if request.version != VERSION {
        return Err(Fault::Version(request.version.clone()));
    }
    let params = &request.params;
    match request.method.as_str() {
        "server/discover" => Ok(discover(&practice.place)),
        "tools/list" => {
            let tools = Tool::offered(&practice.place);
            let offers = tools.iter().map(|tool| tool.offer()).collect();
            paged("tools", offers, params)
        }
        "prompts/list" => paged("prompts", prompts::offers(), params),
        "resources/list" => paged("resources", resources::offers(), params),
        "resources/templates/list" => paged("resourceTemplates", resources::templates(), params),
        "tools/call" => {
            let tool = Tool::named(text(params, "name")?, &practice.place)?;
            tool.needs(&practice.place).shown_by(request.shows)?;
            let call = Call {
                practice,
                arguments: arguments(params)?,
                retry: practice.retry(params)?,
                progress_token: request.progress_token.clone(),
                notes,
            };
            tool.run(call).await
        }
        "prompts/get" => {
            let name = text(params, "name")?;
            let arguments = arguments(params)?;
            let retry = practice.retry(params)?;
            prompts::get(name, &arguments, retry, request.shows)
        }
        "resources/read" => {
            let retry = practice.retry(params)?;
            resources::read(text(params, "uri")?, retry, request.shows)
        }
        unknown => Err(Fault::UnknownMethod(unknown.to_owned())),
    }
}

fn discover(place: &Place) -> Outcome {
    let mut members = Members::new();
    members.set("supportedVersions", json!([VERSION]));
    members.set(
        "capabilities",
        json!({"tools": {}, "prompts": {}, "resources": {}}),
    );
    members.set("instructions", Json::string(place.instructions()));
    cacheable(&mut members);
    Outcome::Complete(members)
}

/// One page of a list. A cursor says how many items came before.
fn paged(member: &str, items: Vec<Json>, params: &Members) -> Result<Outcome, Fault> {
    let unknown = || Fault::Params("this cursor was not given out".to_owned());
    let start = match params.get("cursor") {
        None => 0,
        Some(cursor) => cursor
            .as_str()
            .and_then(|cursor| cursor.strip_prefix("after-")?.parse::<usize>().ok())
            .filter(|start| *start > 0 && start % PAGE == 0 && *start < items.len())
            .ok_or_else(unknown)?,
    };
    let more = items.len() > start + PAGE;
    let page = items.into_iter().skip(start).take(PAGE).collect();
    let mut members = Members::new();
    members.set(member, Json::Array(page));
    if more {
        members.set("nextCursor", Json::String(format!("after-{}", start + PAGE)));
    }
    cacheable(&mut members);
    Ok(Outcome::Complete(members))
}

fn cacheable(members: &mut Members) {
    members.set("ttlMs", Json::integer(TTL));
    members.set("cacheScope", Json::string("public"));
}

fn text<'a>(params: &'a Members, member: &str) -> Result<&'a str, Fault> {
    params
        .get(member)
        .and_then(Json::as_str)
        .ok_or_else(|| Fault::Params(format!("{member} must be a text")))
}

fn arguments(params: &Members) -> Result<Members, Fault> {
    match params.get("arguments") {
        None => Ok(Members::new()),
        Some(Json::Object(arguments)) => Ok(arguments.clone()),
        Some(_) => Err(Fault::Params("arguments must be an object".to_owned())),
    }
}

impl Practice {
    pub(crate) fn new(place: Place, chance: Chance, pace: Duration) -> Self {
        Self {
            place,
            chance,
            pace,
            steps: Mutex::default(),
            tickets: Mutex::default(),
        }
    }

    /// Whether the request reports progress, so that over HTTP it is answered with a stream.
    pub(crate) fn streams(&self, request: &Request) -> bool {
        request.version == VERSION
            && request.method == "tools/call"
            && text(&request.params, "name")
                .and_then(|name| Tool::named(name, &self.place))
                .is_ok_and(Tool::reports_progress)
    }

    /// A new state for `step`.
    ///
    /// # Errors
    /// [`Fault::Internal`] when there is no randomness.
    pub(crate) fn keep(&self, step: Step) -> Result<String, Fault> {
        locked(&self.steps).keep(step, &self.chance)
    }

    /// # Errors
    /// [`Fault::Internal`] when there is no randomness.
    pub(crate) fn issue_ticket(&self) -> Result<String, Fault> {
        locked(&self.tickets).issue(&self.chance)
    }

    /// Notes that the page of this ticket was visited; false when there is no such ticket.
    pub(crate) fn visit(&self, ticket: &str) -> bool {
        locked(&self.tickets).visit(ticket)
    }

    pub(crate) fn was_visited(&self, ticket: &str) -> bool {
        locked(&self.tickets).was_visited(ticket)
    }

    fn retry(&self, params: &Members) -> Result<Retry, Fault> {
        Retry::read(params, &locked(&self.steps))
    }
}

impl Place {
    /// The address of the practice page of this ticket.
    ///
    /// # Errors
    /// [`Fault::Internal`] at the workshop, which has no pages and offers no tool that needs one.
    pub(crate) fn page(&self, ticket: &str) -> Result<String, Fault> {
        match self {
            Self::Desk { origin } => Ok(format!("{origin}{}?ticket={ticket}", crate::page::PATH)),
            Self::Workshop => Err(Fault::Internal("the workshop has no pages")),
        }
    }

    fn server_info(&self) -> Json {
        let (name, title) = match self {
            Self::Desk { .. } => (crate::DESK_NAME, crate::DESK_TITLE),
            Self::Workshop => (crate::WORKSHOP_NAME, crate::WORKSHOP_TITLE),
        };
        json!({"name": name, "title": title, "version": (env!("CARGO_PKG_VERSION"))})
    }

    fn instructions(&self) -> &'static str {
        match self {
            Self::Desk { .. } => {
                "A rehearsal over HTTP. It asks questions and links to its own practice page; nothing real happens."
            }
            Self::Workshop => "A rehearsal over stdio. It asks questions; nothing real happens.",
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
