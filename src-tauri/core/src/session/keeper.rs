//! What a server says by itself: questions, their withdrawal, and that something changed.
//!
//! Promises: every request of a 2025-era server is answered, but for a question, which a person answers; a question
//! that its server has sent twice is put once; questions end with their session. A server of the modern era must not
//! send requests and gets no answer to one.

use crate::transport::Incoming;
use crate::transport::http::old::OldPeer;
use crate::transport::http::session::HttpSession;
use crate::transport::question::{AnswerFault, Over, Question, WayBack};
use crate::transport::routes::{Routes, Unasked};
use crate::transport::stdio::StdioPeer;
use crate::wire::json::Json;
use crate::wire::legacy;
use crate::wire::request::Elicitation;
use crate::wire::rpc::{Message, code};
use crate::wire::subscription::{Heard, hear};
use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

/// Most questions that one server may have open by itself.
pub const MAX_OPEN: usize = 64;
/// Most ids of questions that are remembered.
const MAX_KNOWN: usize = 10_000;
/// Messages of a server that wait for the keeper.
pub(super) const QUEUE: usize = 256;

/// What one server says outside its answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// A question that belongs to no call, as far as can be told.
    Question(Arc<Question>),
    /// The server says that a page it wanted opened is done.
    PageDone {
        elicitation_id: String,
    },
    ToolsChanged,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated {
        uri: String,
    },
    /// The stream for what it says by itself needs a sign-in.
    SignIn {
        status: u16,
    },
}

impl ServerEvent {
    /// What changed, where a notification says that something did.
    pub(super) fn of(heard: Heard) -> Option<Self> {
        match heard {
            Heard::ToolsChanged => Some(Self::ToolsChanged),
            Heard::PromptsChanged => Some(Self::PromptsChanged),
            Heard::ResourcesChanged => Some(Self::ResourcesChanged),
            Heard::ResourceUpdated { uri } => Some(Self::ResourceUpdated { uri }),
            Heard::Acknowledged(_) | Heard::Ended | Heard::Other => None,
        }
    }
}

/// A connection on which a server may speak by itself.
#[derive(Clone, Debug)]
pub(super) enum Voice {
    Stdio(Arc<StdioPeer>),
    Http(Arc<HttpSession>),
    Old(Arc<OldPeer>),
}

/// Keeps one connection.
#[derive(Debug)]
pub(super) struct Keeper {
    open: Arc<Open>,
    /// Requests of ours that are in flight and may lead to a question.
    asking: Arc<Mutex<Vec<u64>>>,
    /// It is of the 2025 era, or may be.
    legacy: Arc<AtomicBool>,
    _keeping: AbortOnDropHandle<()>,
}

/// The questions of one connection that wait.
#[derive(Debug, Default)]
struct Open {
    waiting: Mutex<Waiting>,
    count: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Waiting {
    by_id: HashMap<String, Arc<Question>>,
    /// Ids that were put before: a stream that is taken up again may repeat them.
    known: HashSet<String>,
}

/// Marks a request as one that may lead to a question. Dropped, it no longer is.
pub(super) struct Asking {
    asking: Arc<Mutex<Vec<u64>>>,
    id: u64,
}

impl Keeper {
    pub(super) fn start(
        voice: Voice,
        mut unasked: mpsc::Receiver<Unasked>,
        elicitation: Elicitation,
        events: mpsc::UnboundedSender<ServerEvent>,
    ) -> Self {
        let (open, asking) = (Arc::new(Open::default()), Arc::default());
        let legacy = Arc::new(AtomicBool::new(true));
        let kept = Kept {
            voice,
            elicitation,
            events,
            open: Arc::clone(&open),
            asking: Arc::clone(&asking),
            legacy: Arc::clone(&legacy),
        };
        let keeping = tokio::spawn(async move {
            loop {
                tokio::select! {
                    biased;
                    said = unasked.recv() => match said {
                        Some(said) => kept.hear(said),
                        None => break,
                    },
                    reason = kept.voice.over() => {
                        while let Ok(said) = unasked.try_recv() {
                            kept.hear(said);
                        }
                        kept.open.close(reason);
                        break;
                    }
                }
            }
        });
        Self {
            open,
            asking,
            legacy,
            _keeping: AbortOnDropHandle::new(keeping),
        }
    }

    /// The server turned out to be of the modern era: its requests are heard no more.
    pub(super) fn is_modern(&self) {
        self.legacy.store(false, Ordering::Relaxed);
    }

    /// How many questions are open.
    pub(super) fn asked(&self) -> watch::Receiver<usize> {
        self.open.count.subscribe()
    }

    pub(super) fn asking(&self, id: u64) -> Asking {
        lock(&self.asking).push(id);
        Asking {
            asking: Arc::clone(&self.asking),
            id,
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.open.close("The connection to the server was ended here.");
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        lock(&self.asking).retain(|id| *id != self.id);
    }
}

impl Voice {
    pub(super) fn routes(&self) -> &Routes {
        match self {
            Self::Stdio(peer) => peer.routes(),
            Self::Http(session) => session.routes(),
            Self::Old(peer) => peer.routes(),
        }
    }

    pub(super) async fn tell(&self, message: String) -> Result<(), AnswerFault> {
        match self {
            Self::Stdio(peer) => Ok(peer.tell(&message).await?),
            Self::Http(session) => session.tell(message).await,
            Self::Old(peer) => peer.tell(message).await,
        }
    }

    /// Resolves with a sentence when nothing more can come.
    async fn over(&self) -> &'static str {
        match self {
            Self::Stdio(peer) => {
                peer.ended().await;
                "The server's program has ended, so this can no longer be answered."
            }
            Self::Http(session) => {
                session.over().await;
                "The server has ended its session, so this can no longer be answered."
            }
            Self::Old(peer) => {
                peer.ended().await;
                "The server has closed its connection, so this can no longer be answered."
            }
        }
    }
}

struct Kept {
    voice: Voice,
    elicitation: Elicitation,
    events: mpsc::UnboundedSender<ServerEvent>,
    open: Arc<Open>,
    asking: Arc<Mutex<Vec<u64>>>,
    legacy: Arc<AtomicBool>,
}

impl Kept {
    fn hear(&self, said: Unasked) {
        match said {
            Unasked::SignIn { status } => self.event(ServerEvent::SignIn { status }),
            Unasked::Message {
                message: Message::Request { id, method, params },
                during,
            } if self.legacy.load(Ordering::Relaxed) => self.requested(&id, &method, params, during),
            Unasked::Message {
                message: message @ Message::Notification { .. },
                ..
            } => self.notified(&message),
            // An answer to nothing, or a request that breaks the modern era.
            Unasked::Message {
                message: Message::Response(_) | Message::Request { .. },
                ..
            } => {}
        }
    }

    fn requested(&self, id: &Json, method: &str, params: Json, during: Option<u64>) {
        let answer = match method {
            "ping" => legacy::response(id, &Json::object::<String>([])),
            "elicitation/create" => match legacy::pushed(params, self.elicitation) {
                Ok(entry) => {
                    let back = Back {
                        voice: self.voice.clone(),
                        id: id.clone(),
                        open: Arc::clone(&self.open),
                    };
                    match self.open.put(id, || Question::new(entry, Box::new(back))) {
                        Put::New(question) => return self.put(question, during),
                        Put::Known => return,
                        Put::Full => legacy::refusal(id, code::INTERNAL, "Too many questions are open."),
                    }
                }
                Err(message) => legacy::refusal(id, code::INVALID_PARAMS, &message),
            },
            _ => legacy::refusal(
                id,
                code::METHOD_NOT_FOUND,
                "This client does not know this method.",
            ),
        };
        let voice = self.voice.clone();
        // Best effort: a server that is gone needs no answer.
        tokio::spawn(async move { voice.tell(answer).await });
    }

    /// To the call on whose stream it came, to the only call that can have led to it, or to nobody's.
    fn put(&self, question: Arc<Question>, during: Option<u64>) {
        let call = during.or_else(|| match lock(&self.asking).as_slice() {
            [only] => Some(*only),
            _ => None,
        });
        let taken = call
            .filter(|call| lock(&self.asking).contains(call))
            .is_some_and(|call| {
                let question = Incoming::Question(Arc::clone(&question));
                self.voice.routes().forward(call, question)
            });
        if !taken {
            self.event(ServerEvent::Question(question));
        }
    }

    fn notified(&self, message: &Message) {
        if let Some(event) = ServerEvent::of(hear(message, None)) {
            return self.event(event);
        }
        let Message::Notification { method, params } = message else {
            return;
        };
        let text = |name: &str| params.get(name).and_then(Json::as_str).map(str::to_owned);
        match method.as_str() {
            "notifications/cancelled" => {
                let id = params
                    .get("requestId")
                    .map(ToString::to_string)
                    .unwrap_or_default();
                if let Some(question) = self.open.get(&id) {
                    question.end(Over::Withdrawn {
                        reason: text("reason"),
                    });
                }
            }
            "notifications/elicitation/complete" => {
                if let Some(elicitation_id) = text("elicitationId") {
                    self.event(ServerEvent::PageDone { elicitation_id });
                }
            }
            _ => {}
        }
    }

    fn event(&self, event: ServerEvent) {
        // Nobody listens any more once the server is removed.
        let _ = self.events.send(event);
    }
}

/// The way back to the server for one question.
struct Back {
    voice: Voice,
    id: Json,
    open: Arc<Open>,
}

impl WayBack for Back {
    fn carry(&self, result: Json) -> Pin<Box<dyn Future<Output = Result<(), AnswerFault>> + Send + '_>> {
        Box::pin(self.voice.tell(legacy::response(&self.id, &result)))
    }

    fn settled(&self) {
        self.open.remove(&self.id.to_string());
    }
}

enum Put {
    New(Arc<Question>),
    Known,
    Full,
}

impl Open {
    fn put(&self, id: &Json, question: impl FnOnce() -> Arc<Question>) -> Put {
        let id = id.to_string();
        let mut waiting = lock(&self.waiting);
        if waiting.by_id.len() >= MAX_OPEN {
            return Put::Full;
        }
        if !waiting.known.insert(id.clone()) {
            return Put::Known;
        }
        if waiting.known.len() > MAX_KNOWN {
            waiting.known = waiting.by_id.keys().cloned().collect();
        }
        let question = question();
        waiting.by_id.insert(id, Arc::clone(&question));
        self.count.send_replace(waiting.by_id.len());
        Put::New(question)
    }

    fn get(&self, id: &str) -> Option<Arc<Question>> {
        lock(&self.waiting).by_id.get(id).cloned()
    }

    fn remove(&self, id: &str) {
        let mut waiting = lock(&self.waiting);
        waiting.by_id.remove(id);
        self.count.send_replace(waiting.by_id.len());
    }

    fn close(&self, reason: &str) {
        let questions: Vec<_> = lock(&self.waiting).by_id.values().cloned().collect();
        for question in questions {
            question.end(Over::Closed(reason.to_owned()));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
