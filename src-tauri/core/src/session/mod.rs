//! One configured server: how it is reached, which revision it speaks, what it said of itself, what it offers.
//!
//! Promises: ids are never used twice; a server program that ended is started anew for the next request; the revision
//! is found out once and again when it no longer holds ([`era`]); lists are read page by page within limits and odd
//! entries are named. Every request declares what can be asked here.
//!
//! Deliberately absent: the rounds of a call (see [`crate::mrtr`]), sign-in.

pub mod address;
pub mod cache;
pub mod claim;
pub mod diagnosis;
mod era;
pub mod keeper;
mod legacy;
mod listen;
pub mod offers;
pub mod way;

use crate::mrtr::driver::Line;
use crate::transport::http::HttpPeer;
use crate::transport::stdio::{Command, StdioPeer};
use crate::transport::{Fault, Incoming, Limit, Patience, Reply, now};
use crate::wire::json::Json;
use crate::wire::lists::ListKind;
use crate::wire::mirror::Mirror;
use crate::wire::request::{Elicitation, Method, Request};
use crate::wire::rpc::{Response, RpcError, code};
use crate::wire::{REVISION, Revision};
use cache::{Cache, Kept};
use keeper::{Keeper, ServerEvent};
use legacy::LegacyPeer;
use std::borrow::Cow;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    Http {
        url: Url,
        headers: Vec<(String, String)>,
    },
    Stdio(Command),
}

/// A path, query or header may hold a secret, so they stay out of `{:?}`.
impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Http { url, .. } => write!(f, "Http({})", url.origin().ascii_serialization()),
            Self::Stdio(command) => write!(f, "Stdio({command:?})"),
        }
    }
}

/// Which revision is spoken with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speak {
    /// The newest that both sides know, found out.
    #[default]
    Newest,
    /// This one, without asking.
    Only(Revision),
}

/// A line to one server.
#[derive(Debug)]
pub struct Session {
    target: Target,
    elicitation: Elicitation,
    timeout: Duration,
    speak: Speak,
    last_id: AtomicU64,
    /// Cancelled when the server was removed or the app ends: nothing is started or sent any more.
    over: CancellationToken,
    /// Held while a connection is made, so that one is made at a time.
    connecting: tokio::sync::Mutex<()>,
    connected: Mutex<Connected>,
    /// Results that are good for a while, on a clock that begins with the session.
    cache: Mutex<Cache>,
    began: Instant,
    /// Documents whose changes are to be told.
    watched: Mutex<Vec<String>>,
    watches_more: Notify,
    /// Ends the subscription that is open.
    listens_until: Mutex<CancellationToken>,
    /// Held by a subscription until it has ended and its server was told.
    listening: tokio::sync::Mutex<()>,
    events: mpsc::UnboundedSender<ServerEvent>,
}

#[derive(Debug, Default)]
struct Connected {
    peer: Option<Peer>,
    discovery: Option<Discovery>,
    /// The program that was started last, for its log.
    program: Option<Arc<StdioPeer>>,
    /// The revision that was found out; forgotten when it no longer holds.
    known: Option<Revision>,
    /// Of tools whose headers were refused once: which of their arguments are repeated in headers now.
    mirrors: HashMap<String, Mirror>,
}

#[derive(Clone, Debug)]
enum Peer {
    Http(Arc<HttpPeer>),
    Stdio {
        program: Arc<StdioPeer>,
        _keeper: Arc<Keeper>,
    },
    Legacy(Arc<LegacyPeer>),
}

/// What a server said of itself. Its name is a claim, no fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    pub revision: Revision,
    /// How the revision was found out, in words for a person.
    pub how: String,
    pub claims: Option<String>,
    pub tools: bool,
    pub prompts: bool,
    pub resources: bool,
    /// It tells of changes of lists, and of documents.
    pub tells: Tells,
    /// It completes arguments while they are typed.
    pub completes: bool,
}

/// What a server says it tells of by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tells {
    pub tools: bool,
    pub prompts: bool,
    pub resources: bool,
    pub documents: bool,
}

impl Discovery {
    /// `info` is the server's `Implementation`; capabilities are named alike in both eras.
    fn of(revision: Revision, how: &str, info: Option<&Json>, capabilities: Option<&Json>) -> Self {
        let capability = |name: &str| capabilities.and_then(|all| all.get(name));
        let tells = |name: &str, of: &str| {
            capability(name).and_then(|known| known.get(of)) == Some(&Json::Bool(true))
        };
        Self {
            revision,
            how: how.to_owned(),
            claims: info.and_then(claimed),
            tools: capability("tools").is_some(),
            prompts: capability("prompts").is_some(),
            resources: capability("resources").is_some(),
            tells: Tells {
                tools: tells("tools", "listChanged"),
                prompts: tells("prompts", "listChanged"),
                resources: tells("resources", "listChanged"),
                documents: tells("resources", "subscribe"),
            },
            completes: capability("completions").is_some(),
        }
    }
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("{0}")]
    Fault(#[from] Fault),
    /// The server speaks, but no revision that is spoken here.
    #[error("this server speaks {spoken}; Countersign speaks {REVISION} and the four revisions before it")]
    OtherRevision { spoken: String },
    #[error("the server refused: “{message}” ({code})")]
    Refused { code: i64, message: String },
    #[error("{0}")]
    Unusable(String),
}

impl ConnectError {
    /// In the words of the server.
    fn refused(error: &RpcError) -> Self {
        Self::Refused {
            code: error.code,
            message: crate::text::chip(&error.message),
        }
    }
}

impl Session {
    /// A line to a server of the newest revision, which is not asked for it. Nobody hears what it says by itself.
    pub fn new(target: Target, elicitation: Elicitation, timeout: Duration) -> Self {
        let speak = Speak::Only(Revision::V2026_07_28);
        Self::with_events(target, elicitation, timeout, speak).0
    }

    /// A line to a server, and what the server says by itself.
    pub fn with_events(
        target: Target,
        elicitation: Elicitation,
        timeout: Duration,
        speak: Speak,
    ) -> (Self, mpsc::UnboundedReceiver<ServerEvent>) {
        let (events, heard) = mpsc::unbounded_channel();
        let session = Self {
            target,
            elicitation,
            timeout,
            speak,
            last_id: AtomicU64::new(0),
            over: CancellationToken::new(),
            connecting: tokio::sync::Mutex::new(()),
            connected: Mutex::default(),
            cache: Mutex::new(Cache::new()),
            began: now(),
            watched: Mutex::default(),
            watches_more: Notify::new(),
            listens_until: Mutex::default(),
            listening: tokio::sync::Mutex::default(),
            events,
        };
        (session, heard)
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Finds out what the server is and which revision it speaks, or asks once more.
    ///
    /// # Errors
    /// [`ConnectError`] says whether it cannot be reached, wants a sign-in or speaks another revision.
    pub async fn connect(&self) -> Result<Discovery, ConnectError> {
        self.lock_cache().clear();
        let usable = self.lock().peer.clone().filter(Peer::is_usable);
        if let Some(peer) = usable
            && let Ok(discovery) = self.asked_again(&peer).await
        {
            return Ok(discovery);
        }
        self.forget();
        let (_, discovery) = self.established().await?;
        Ok(discovery)
    }

    /// What the server said of itself, once connected.
    pub fn discovery(&self) -> Option<Discovery> {
        self.lock().discovery.clone()
    }

    /// One request outside a call, with the patience for such.
    ///
    /// # Errors
    /// [`Fault`] where there is no answer.
    pub async fn ask(&self, request: Request) -> Result<Reply, Fault> {
        let stop = CancellationToken::new();
        self.send(&request, self.listing_patience(), &stop, &mut |_| {})
            .await
    }

    /// The last lines of a server program's log; empty for others.
    pub fn log(&self) -> Vec<String> {
        let program = self.lock().program.clone();
        program.map(|program| program.log()).unwrap_or_default()
    }

    /// How a server program ended, if it did.
    pub async fn exit(&self) -> Option<String> {
        let program = self
            .lock()
            .program
            .clone()
            .filter(|program| program.has_ended())?;
        program.exit().await
    }

    /// Ends the server program or session, orderly and for good: whatever still reads from it starts nothing anew.
    pub async fn shut_down(&self) {
        self.over.cancel();
        drop(self.listening.lock().await);
        let (peer, program) = {
            let mut connected = self.lock();
            (connected.peer.take(), connected.program.take())
        };
        if let Some(Peer::Legacy(peer)) = peer {
            peer.leave().await;
        }
        if let Some(program) = program {
            program.shut_down().await;
        }
    }

    /// A connection that can be used, made if there is none.
    async fn peer(&self) -> Result<Peer, Fault> {
        if self.over.is_cancelled() {
            return Err(not_used());
        }
        if let Some(peer) = self.lock().peer.clone().filter(Peer::is_usable) {
            return Ok(peer);
        }
        let known = match self.speak {
            Speak::Newest => self.lock().known,
            Speak::Only(revision) => Some(revision),
        };
        if known.is_some_and(Revision::is_modern) {
            let _one = self.connecting.lock().await;
            let usable = self.lock().peer.clone().filter(Peer::is_usable);
            return match usable {
                Some(peer) => Ok(peer),
                None => {
                    let peer = self.modern_peer()?;
                    self.lock().peer = Some(peer.clone());
                    Ok(peer)
                }
            };
        }
        match self.established().await {
            Ok((peer, _)) => Ok(peer),
            Err(ConnectError::Fault(fault)) if !fault.left() => Err(fault),
            Err(error) => Err(Fault::CannotConnect(error.to_string())),
        }
    }

    async fn established(&self) -> Result<(Peer, Discovery), ConnectError> {
        let _one = self.connecting.lock().await;
        {
            let connected = self.lock();
            if let (Some(peer), Some(discovery)) = (&connected.peer, &connected.discovery)
                && peer.is_usable()
            {
                return Ok((peer.clone(), discovery.clone()));
            }
        }
        let made = tokio::select! {
            biased;
            () = self.over.cancelled() => Err(ConnectError::Fault(not_used())),
            made = self.establish() => made,
        };
        let mut connected = self.lock();
        match &made {
            Ok((peer, discovery)) => {
                connected.peer = Some(peer.clone());
                connected.known = Some(discovery.revision);
                connected.discovery = Some(discovery.clone());
            }
            Err(_) => {
                connected.peer = None;
                connected.known = None;
            }
        }
        made
    }

    /// Whether a connection still stands, and what the server says now.
    async fn asked_again(&self, peer: &Peer) -> Result<Discovery, ConnectError> {
        let request = Request::new(match peer {
            Peer::Legacy(_) => Method::Ping,
            Peer::Http(_) | Peer::Stdio { .. } => Method::Discover,
        });
        let stop = CancellationToken::new();
        let patience = self.listing_patience();
        let reply = self
            .exchange(peer, self.next_id(), &request, patience, &stop, &mut |_| {})
            .await?;
        match peer {
            // An error in its words is a sign of life too.
            Peer::Legacy(_) => self
                .discovery()
                .ok_or_else(|| ConnectError::Unusable("the server said nothing of itself".to_owned())),
            Peer::Http(_) | Peer::Stdio { .. } => match era::read_discovery(&reply)? {
                era::Said::Modern(discovery) => {
                    self.lock().discovery = Some(discovery.clone());
                    Ok(discovery)
                }
                era::Said::Legacy { .. } => Err(ConnectError::Unusable("another revision".to_owned())),
            },
        }
    }

    /// The next request finds out anew how to speak with the server.
    fn forget(&self) {
        let peer = {
            let mut connected = self.lock();
            connected.known = None;
            connected.peer.take()
        };
        if let Some(Peer::Legacy(peer)) = peer {
            tokio::spawn(async move { peer.leave().await });
        }
    }

    async fn exchange(
        &self,
        peer: &Peer,
        id: u64,
        request: &Request,
        patience: Patience,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        match peer {
            Peer::Http(peer) => {
                peer.exchange(id, request, self.elicitation, patience, stop, incoming)
                    .await
            }
            Peer::Stdio { program, .. } => {
                let message = request.message(id, self.elicitation);
                program
                    .exchange(id, &message, true, Limit::plain(patience), stop, incoming)
                    .await
            }
            Peer::Legacy(peer) => peer.send(id, request, patience, stop, incoming).await,
        }
    }

    /// Ids of requests begin after this one: a retry has an id of its own, also after the app was closed.
    pub fn begin_after(&self, id: u64) {
        self.last_id.fetch_max(id, Ordering::Relaxed);
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// For what no person waits for in front of a question: discovery and lists.
    fn listing_patience(&self) -> Patience {
        Patience::for_lists(self.timeout)
    }

    /// What the server's list says now about the headers of a tool that it refused for its headers. False where the
    /// tool is not there, or may not be called over HTTP.
    fn learn_headers<'a>(&'a self, request: &'a Request) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        // A request within a request: the list is asked for by the same means.
        Box::pin(async move {
            let Some(name) = request.params.get("name").and_then(Json::as_str) else {
                return false;
            };
            self.lock_cache().invalidate(Method::ListTools);
            let (tools, _) = offers::list(self, ListKind::Tools).await;
            let found = tools.into_iter().find(|tool| tool.name == name);
            let Some(mirror) = found.and_then(|tool| tool.mirror.ok()) else {
                return false;
            };
            self.lock().mirrors.insert(name.to_owned(), mirror);
            true
        })
    }

    /// The request with the headers that its tool is known to want.
    fn with_headers<'a>(&self, request: &'a Request) -> Cow<'a, Request> {
        let name = request.params.get("name").and_then(Json::as_str);
        let connected = self.lock();
        let mirror = name
            .filter(|_| request.method == Method::CallTool)
            .and_then(|name| connected.mirrors.get(name));
        match mirror {
            Some(mirror) => {
                let mut request = request.clone();
                let arguments = request.params.get("arguments").cloned().unwrap_or(Json::Null);
                request.mirrored = mirror.headers(&arguments);
                Cow::Owned(request)
            }
            None => Cow::Borrowed(request),
        }
    }

    fn time(&self) -> Duration {
        now().saturating_duration_since(self.began)
    }

    fn lock_cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Connected> {
        self.connected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer {
    fn is_usable(&self) -> bool {
        match self {
            Self::Http(_) => true,
            Self::Stdio { program, .. } => !program.has_ended(),
            Self::Legacy(peer) => !peer.has_ended(),
        }
    }
}

impl Line for Session {
    fn patience(&self) -> Patience {
        Patience::of(self.timeout)
    }

    async fn send(
        &self,
        request: &Request,
        patience: Patience,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        if let Some(Kept::Fresh(result)) = self.lock_cache().look(request, self.time()) {
            let outcome = Ok(result.clone());
            return Ok(Reply::new(Response { id: None, outcome }, None));
        }
        let mut again = request.method.may_be_repeated();
        let mut learnt = false;
        loop {
            let peer = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Fault::Cancelled { left: false }),
                peer = self.peer() => peer?,
            };
            let sent = self.with_headers(request);
            let ended = self
                .exchange(&peer, self.next_id(), &sent, patience, stop, incoming)
                .await;
            let error = match &ended {
                // A new session is begun by the next request, once by this one where that can do no harm.
                Err(Fault::SessionOver) if again => {
                    again = false;
                    continue;
                }
                Err(_) => return ended,
                Ok(reply) => match &reply.response.outcome {
                    Ok(result) => {
                        if reply.revision.is_modern() {
                            self.lock_cache().keep(request, result, self.time());
                        }
                        return ended;
                    }
                    Err(error) => error.code,
                },
            };
            if error == code::UNSUPPORTED_VERSION {
                self.forget();
                return ended;
            }
            let over_headers = error == code::HEADER_MISMATCH
                && request.method == Method::CallTool
                && matches!(peer, Peer::Http(_));
            if !over_headers || learnt || !self.learn_headers(request).await {
                return ended;
            }
            learnt = true;
            // Nothing was done yet. With answers of a person in it, sending it once more is the person's word.
            if request.params.get("inputResponses").is_some() {
                return ended;
            }
        }
    }
}

fn not_used() -> Fault {
    Fault::CannotConnect("this server is not used any more".to_owned())
}

/// The name that a server gives itself.
fn claimed(info: &Json) -> Option<String> {
    let name = info.get("title").or_else(|| info.get("name"))?.as_str()?.trim();
    (!name.is_empty()).then(|| crate::text::chip(name))
}
