//! Which message belongs to which request of ours, where several share one connection.
//!
//! Promises: an answer reaches the one request with its id; what belongs to no request goes to whoever keeps the
//! connection ([`Unasked`]); a flood of notifications never takes an answer's place.

use super::{Fault, Incoming, Limit, Note, Reply};
use crate::wire::json::Json;
use crate::wire::rpc::Message;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Messages that wait to be looked at; notifications beyond are left out.
const QUEUE: usize = 64;

/// What a server says without belonging to a request of ours.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unasked {
    Message {
        message: Message,
        /// Our request on whose stream it came, where the transport says.
        during: Option<u64>,
    },
    /// The stream for such messages needs a sign-in.
    SignIn { status: u16 },
}

/// The requests that wait on one connection.
#[derive(Debug)]
pub(crate) struct Routes {
    waiting: Mutex<HashMap<u64, mpsc::Sender<Arrived>>>,
    unasked: mpsc::Sender<Unasked>,
    /// A request was given up: what comes without an id may be its answer.
    given_up: AtomicBool,
    /// Our request that listens for changes; a server may end it by cancelling it. 0: none.
    listening: AtomicU64,
}

/// Something for one request.
#[derive(Debug)]
pub(crate) enum Arrived {
    Incoming(Incoming),
    Reply(Reply),
    Fault(Fault),
}

/// One request's place. Dropped, it waits no more.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    routes: &'a Routes,
    id: u64,
    arrived: mpsc::Receiver<Arrived>,
}

impl Routes {
    pub(crate) fn new(unasked: mpsc::Sender<Unasked>) -> Self {
        Self {
            waiting: Mutex::default(),
            unasked,
            given_up: AtomicBool::new(false),
            listening: AtomicU64::new(0),
        }
    }

    /// A place for the request with this id, before it is sent.
    pub(crate) fn place(&self, id: u64) -> Place<'_> {
        let (sender, arrived) = mpsc::channel(QUEUE);
        self.lock().insert(id, sender);
        Place {
            routes: self,
            id,
            arrived,
        }
    }

    /// A request is given up; its late answer is nobody's.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// This request of ours listens for changes.
    pub(crate) fn listens(&self, id: u64) {
        self.listening.store(id, Ordering::Relaxed);
    }

    /// Puts a message where it belongs. `during`: the request on whose stream it came.
    pub(crate) fn deliver(&self, message: Message, during: Option<u64>, status: Option<u16>) {
        match message {
            Message::Response(response) => {
                let id = response.id.or(during).or_else(|| self.only());
                if let Some(id) = id {
                    self.send(id, Arrived::Reply(Reply::new(response, status)));
                }
            }
            Message::Notification { method, params } => {
                let ended = (method == "notifications/cancelled").then(|| self.ended_listening(&params));
                let belongs = ended.flatten().or_else(|| about(&params));
                let belongs = belongs.filter(|id| self.lock().contains_key(id));
                match belongs {
                    Some(id) => {
                        self.forward(id, Incoming::Note(Note { method, params }));
                    }
                    None => self.hand_over(Message::Notification { method, params }, during),
                }
            }
            request @ Message::Request { .. } => self.hand_over(request, during),
        }
    }

    /// Puts something on the way of a request. The last place is the answer's. False where there is no room or no
    /// such request.
    pub(crate) fn forward(&self, id: u64, incoming: Incoming) -> bool {
        let waiting = self.lock();
        let place = waiting.get(&id).filter(|sender| sender.capacity() > 1);
        place.is_some_and(|sender| sender.try_send(Arrived::Incoming(incoming)).is_ok())
    }

    /// A request will get no answer.
    pub(crate) fn fail(&self, id: u64, fault: Fault) {
        self.send(id, Arrived::Fault(fault));
    }

    /// The request that waits alone, where no other was ever given up: what has no id can only belong to it.
    pub(crate) fn only(&self) -> Option<u64> {
        let waiting = self.lock();
        let alone = waiting.len() == 1 && !self.given_up.load(Ordering::Relaxed);
        alone.then(|| waiting.keys().next().copied()).flatten()
    }

    /// The stream for messages without a request needs a sign-in.
    pub(crate) fn sign_in(&self, status: u16) {
        let _ = self.unasked.try_send(Unasked::SignIn { status });
    }

    fn ended_listening(&self, params: &Json) -> Option<u64> {
        let id = number(params.get("requestId")?)?;
        (id != 0 && id == self.listening.load(Ordering::Relaxed)).then_some(id)
    }

    fn send(&self, id: u64, arrived: Arrived) {
        // Whatever comes after the answer is not for this request any more.
        let place = self.lock().remove(&id);
        if let Some(sender) = place {
            let _ = sender.try_send(arrived);
        }
    }

    fn hand_over(&self, message: Message, during: Option<u64>) {
        // Whoever keeps the connection is quick; a flood is cut off.
        let _ = self.unasked.try_send(Unasked::Message { message, during });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, mpsc::Sender<Arrived>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Waits for the answer. `ended` is the end of the connection, where there is one connection.
    pub(crate) async fn reply(
        &mut self,
        limit: &mut Limit,
        ended: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        loop {
            let arrived = tokio::select! {
                biased;
                arrived = self.arrived.recv() => arrived,
                () = ended.cancelled() => self.arrived.try_recv().ok(),
                fault = limit.expired() => return Err(fault),
            };
            limit.heard();
            match arrived {
                Some(Arrived::Incoming(received)) => incoming(received),
                Some(Arrived::Reply(reply)) => return Ok(reply),
                Some(Arrived::Fault(fault)) => return Err(fault),
                None => return Err(Fault::Lost("the program ended".to_owned())),
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.routes.lock().remove(&self.id);
    }
}

/// The request of ours that a notification belongs to, by its progress token or its subscription. A cancelled request
/// is not ours here: servers number their own.
fn about(params: &Json) -> Option<u64> {
    let meta = |name: &str| params.get("_meta").and_then(|meta| meta.get(name));
    let id = params
        .get("progressToken")
        .or_else(|| meta("io.modelcontextprotocol/subscriptionId"))?;
    number(id)
}

fn number(id: &Json) -> Option<u64> {
    match id {
        Json::String(text) => text.parse().ok(),
        Json::Number(_) => id.as_i64().and_then(|id| u64::try_from(id).ok()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        Message::parse(text.as_bytes()).expect(text)
    }

    #[test]
    fn a_flood_of_notes_keeps_room_for_the_answer() {
        let (unasked, _kept) = mpsc::channel(1);
        let routes = Routes::new(unasked);
        let mut place = routes.place(1);
        for _ in 0..QUEUE * 10 {
            let note = r#"{"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
            routes.deliver(message(note), None, None);
        }
        routes.deliver(message(r#"{"id":1,"result":{}}"#), None, None);
        assert_eq!(place.arrived.len(), QUEUE);
        let last = std::iter::from_fn(|| place.arrived.try_recv().ok()).last();
        assert!(matches!(last, Some(Arrived::Reply(_))));
    }

    #[test]
    fn an_answered_request_takes_nothing_more_even_before_its_answer_was_read() {
        let (unasked, _kept) = mpsc::channel(1);
        let routes = Routes::new(unasked);
        let mut place = routes.place(1);
        let note = || {
            Incoming::Note(Note {
                method: "n".to_owned(),
                params: Json::Null,
            })
        };
        assert!(routes.forward(1, note()));
        routes.deliver(message(r#"{"id":1,"result":{}}"#), None, None);
        assert!(!routes.forward(1, note()), "a question would be read by nobody");
        assert!(matches!(place.arrived.try_recv(), Ok(Arrived::Incoming(_))));
        assert!(matches!(place.arrived.try_recv(), Ok(Arrived::Reply(_))));
    }

    #[test]
    fn what_belongs_to_no_request_goes_to_the_keeper_with_the_stream_it_came_on() {
        let (unasked, mut kept) = mpsc::channel(4);
        let routes = Routes::new(unasked);
        let _place = routes.place(7);
        let asks = message(r#"{"id":"s","method":"elicitation/create","params":{"message":"m"}}"#);
        routes.deliver(asks.clone(), Some(7), None);
        let changed = message(r#"{"method":"notifications/tools/list_changed"}"#);
        routes.deliver(changed.clone(), None, None);
        let foreign = message(r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#);
        routes.deliver(foreign.clone(), None, None);
        let got: Vec<_> = std::iter::from_fn(|| kept.try_recv().ok()).collect();
        assert_eq!(
            got,
            [
                Unasked::Message {
                    message: asks,
                    during: Some(7)
                },
                Unasked::Message {
                    message: changed,
                    during: None
                },
                Unasked::Message {
                    message: foreign,
                    during: None
                },
            ]
        );
    }
}
