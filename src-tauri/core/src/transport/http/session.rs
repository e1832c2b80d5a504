//! Streamable HTTP of the 2025 era (2025-11-25, basic/transports): sessions, a stream for what the server says by
//! itself, streams that can be taken up again.
//!
//! Promises: a broken stream is taken up by its last event id, after the time it asked for, and never by sending the
//! request again; a lost stream cancels nothing; the session id goes only where the session is, and in no log.

use super::super::question::AnswerFault;
use super::super::routes::{Routes, Unasked};
use super::super::{Fault, Incoming, Limit, Reply, TELL};
use super::client::{Client, Verb};
use super::{both_types, read};
use crate::wire::Revision;
use crate::wire::request::cancelled;
use crate::wire::rpc::{Message, RpcError};
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Before a broken stream is taken up, where it did not say how long.
const COME_BACK: Duration = Duration::from_secs(1);
/// Longest such time.
const COME_BACK_MOST: Duration = Duration::from_secs(60);
/// A stream that brought nothing so often in a row is given up.
const TRIES: u32 = 5;
const LEAVE: Duration = Duration::from_secs(2);

/// One server with its session.
#[derive(Clone, Debug)]
pub(crate) struct HttpSession {
    client: Client,
    shared: Arc<Shared>,
}

struct Shared {
    routes: Routes,
    facts: Mutex<Facts>,
    /// Cancelled when the session is over.
    over: CancellationToken,
}

/// The session id is a secret, so it stays out of `{:?}`.
impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("routes", &self.routes)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Default)]
struct Facts {
    session: Option<HeaderValue>,
    revision: Option<Revision>,
}

impl HttpSession {
    pub(crate) fn new(client: Client, unasked: mpsc::Sender<Unasked>) -> Self {
        Self {
            client,
            shared: Arc::new(Shared {
                routes: Routes::new(unasked),
                facts: Mutex::default(),
                over: CancellationToken::new(),
            }),
        }
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.shared.routes
    }

    /// The revision that later requests name.
    pub(crate) fn agreed(&self, revision: Revision) {
        self.lock().revision = Some(revision);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.shared.over.is_cancelled()
    }

    /// Resolves when the session is over.
    pub(crate) async fn over(&self) {
        self.shared.over.cancelled().await;
    }

    /// Sends one message, the request `id`, and waits for its answer. `opening`: it is the handshake, which begins
    /// the session and is not cancelled.
    ///
    /// # Errors
    /// [`Fault`]; an error in the server's words is a [`Reply`].
    pub(crate) async fn exchange(
        &self,
        id: u64,
        message: String,
        opening: bool,
        mut limit: Limit,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let mut place = self.shared.routes.place(id);
        let carrier = self.clone();
        let carrying = tokio::spawn(async move {
            if let Err(fault) = carrier.carry(id, message, opening).await {
                carrier.shared.routes.fail(id, fault);
            }
        });
        let _carrying = AbortOnDropHandle::new(carrying);
        let never = CancellationToken::new();
        let ended = tokio::select! {
            biased;
            () = stop.cancelled() => Err(Fault::Cancelled { left: true }),
            ended = place.reply(&mut limit, &never, incoming) => ended,
        };
        drop(place);
        let reason = ended.as_ref().err().and_then(Fault::reason_to_cancel);
        if let Some(reason) = reason.filter(|_| !opening) {
            // A disconnect is no cancel here. Best effort: the server may be gone.
            let teller = self.clone();
            tokio::spawn(async move { teller.tell(cancelled(id, reason)).await });
        }
        ended
    }

    /// Sends a notification or the answer to a request of the server.
    ///
    /// # Errors
    /// [`AnswerFault`] says whether a byte may have left.
    pub(crate) async fn tell(&self, message: String) -> Result<(), AnswerFault> {
        let telling = async {
            let post = Verb::Post(message);
            let response = self.client.send(&post, &self.headers(), None).await?;
            let status = response.status().as_u16();
            if (200..300).contains(&status) {
                return Ok(());
            }
            let fault = self.refused(status);
            let body = read::body(response, None).await?;
            match RpcError::of_refusal(&body) {
                Some(error) if !matches!(fault, Fault::SignIn { .. }) => Err(AnswerFault::Refused(error)),
                Some(_) | None => Err(AnswerFault::Fault(fault)),
            }
        };
        tokio::time::timeout(TELL, telling)
            .await
            .unwrap_or(Err(AnswerFault::Fault(Fault::TimedOut(TELL))))
    }

    /// Keeps the stream for what the server says by itself, until the session is over or the server offers none.
    pub(crate) async fn listen(&self) {
        let mut last_id: Option<String> = None;
        let mut wait = COME_BACK;
        loop {
            let reading = self.read_stream(None, &mut last_id);
            let ended = tokio::select! {
                biased;
                () = self.over() => return,
                ended = reading => ended,
            };
            let pause = match ended {
                // It ended as streams do: come back after the time it asked for.
                Ok(asked) => {
                    wait = COME_BACK;
                    asked.unwrap_or(COME_BACK)
                }
                Err(Fault::SignIn { status }) => {
                    self.shared.routes.sign_in(status);
                    return;
                }
                // The server offers none (405), or not there (404).
                Err(Fault::Status { status }) if status < 500 => return,
                Err(_) => {
                    wait = (wait * 2).min(COME_BACK_MOST);
                    wait
                }
            };
            tokio::select! {
                biased;
                () = self.over() => return,
                () = tokio::time::sleep(pause.min(COME_BACK_MOST)) => {}
            }
        }
    }

    /// Ends the session at the server, as well as that goes.
    pub(crate) async fn leave(&self) {
        self.shared.over.cancel();
        if self.lock().session.is_some() {
            let headers = self.headers();
            let leaving = self.client.send(&Verb::Delete, &headers, None);
            // Best effort: servers may not allow it (405) or be gone.
            let _ = tokio::time::timeout(LEAVE, leaving).await;
        }
    }

    async fn carry(&self, id: u64, message: String, opening: bool) -> Result<(), Fault> {
        let response = self
            .client
            .send(&Verb::Post(message), &self.headers(), None)
            .await?;
        let status = response.status().as_u16();
        if status == 401 || status == 403 {
            return Err(Fault::SignIn { status });
        }
        if opening && status == 200 {
            let session = response.headers().get("mcp-session-id").cloned();
            let usable = |value: &HeaderValue| value.to_str().is_ok_and(|text| !text.is_empty());
            self.lock().session = session.filter(usable).map(|mut session| {
                session.set_sensitive(true);
                session
            });
        }
        let media_type = read::media_type(&response);
        if status == 200 && media_type == "text/event-stream" {
            return self.carry_stream(id, read::Events::new(response, None)).await;
        }
        if status == 202 {
            // Its answer may come on the stream for everything.
            return Ok(());
        }
        read::refuse_a_page(status, &media_type)?;
        let body = read::body(response, None).await?;
        match Message::parse_all(&body) {
            Ok(messages)
                if messages
                    .iter()
                    .any(|message| matches!(message, Message::Response(_))) =>
            {
                if status == 404 && self.lock().session.is_some() {
                    self.shared.over.cancel();
                    return Err(Fault::SessionOver);
                }
                for message in messages {
                    self.shared.routes.deliver(message, Some(id), Some(status));
                }
                Ok(())
            }
            Ok(_) if status == 200 => Err(Fault::Unreadable("the answer is not an answer".to_owned())),
            Err(error) if status == 200 => Err(Fault::Unreadable(error.to_string())),
            Ok(_) | Err(_) => Err(self.refused(status)),
        }
    }

    /// Reads the stream of one request to its answer, taking it up again where it breaks.
    async fn carry_stream(&self, id: u64, mut events: read::Events) -> Result<(), Fault> {
        let mut last_id = None;
        let mut wait = COME_BACK;
        let mut tries = 0;
        loop {
            let before = last_id.clone();
            let ended = self.pump(Some(id), &mut events, &mut last_id).await;
            wait = events.retry().unwrap_or(wait);
            if ended == Ok(true) {
                return Ok(());
            }
            if last_id.is_none() {
                return Err(ended
                    .err()
                    .unwrap_or_else(|| Fault::Lost("the stream closed".to_owned())));
            }
            if last_id != before {
                tries = 0;
            }
            loop {
                tries += 1;
                if tries > TRIES {
                    return Err(Fault::Lost("the stream could not be taken up again".to_owned()));
                }
                tokio::time::sleep(wait.min(COME_BACK_MOST)).await;
                match self.get(last_id.as_deref()).await {
                    Ok(resumed) => {
                        events = resumed;
                        break;
                    }
                    Err(fault @ (Fault::SignIn { .. } | Fault::SessionOver)) => return Err(fault),
                    Err(Fault::Status { status }) if status < 500 => {
                        return Err(Fault::Lost(format!(
                            "the stream closed and cannot be taken up again (HTTP {status})"
                        )));
                    }
                    Err(_) => {}
                }
            }
        }
    }

    async fn read_stream(
        &self,
        during: Option<u64>,
        last_id: &mut Option<String>,
    ) -> Result<Option<Duration>, Fault> {
        let mut events = self.get(last_id.as_deref()).await?;
        self.pump(during, &mut events, last_id).await?;
        Ok(events.retry())
    }

    /// Delivers what comes. `Ok(true)`: the answer to `during` was among it.
    async fn pump(
        &self,
        during: Option<u64>,
        events: &mut read::Events,
        last_id: &mut Option<String>,
    ) -> Result<bool, Fault> {
        loop {
            let event = events.next().await;
            if let Some(id) = events.last_id() {
                *last_id = Some(id.to_owned());
            }
            let Some(event) = event? else { return Ok(false) };
            if !event.is_message() {
                continue;
            }
            let messages =
                Message::parse_all(&event.data).map_err(|error| Fault::Unreadable(error.to_string()))?;
            let mut answered = false;
            for message in messages {
                answered |= matches!(&message, Message::Response(response)
                    if during.is_some() && response.id.is_none_or(|id| Some(id) == during));
                self.shared.routes.deliver(message, during, Some(200));
            }
            if answered {
                return Ok(true);
            }
        }
    }

    async fn get(&self, last_id: Option<&str>) -> Result<read::Events, Fault> {
        let mut headers = self.headers();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert("last-event-id", id);
        }
        let response = self.client.send(&Verb::Get, &headers, None).await?;
        let status = response.status().as_u16();
        if status == 200 && read::media_type(&response) == "text/event-stream" {
            return Ok(read::Events::new(response, None));
        }
        match status {
            401 | 403 => Err(Fault::SignIn { status }),
            200..=299 => Err(Fault::Status { status: 405 }),
            status => Err(Fault::Status { status }),
        }
    }

    fn refused(&self, status: u16) -> Fault {
        match status {
            401 | 403 => Fault::SignIn { status },
            404 if self.lock().session.is_some() => {
                self.shared.over.cancel();
                Fault::SessionOver
            }
            status => Fault::Status { status },
        }
    }

    fn headers(&self) -> HeaderMap {
        let facts = self.lock().clone();
        let mut headers = both_types();
        if let Some(revision) = facts
            .revision
            .filter(|revision| *revision >= Revision::V2025_06_18)
        {
            headers.insert("mcp-protocol-version", HeaderValue::from_static(revision.name()));
        }
        if let Some(session) = facts.session {
            headers.insert("mcp-session-id", session);
        }
        headers
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Facts> {
        self.shared.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
