//! HTTP+SSE (2024-11-05, basic/transports): one stream brings everything, messages are posted to an address that it
//! names. Kept for servers that speak nothing newer.
//!
//! Promises: messages are posted within the origin only; the end of the stream is the end of the session.

use super::super::question::AnswerFault;
use super::super::routes::{Routes, Unasked};
use super::super::{Fault, Incoming, Limit, Reply, TELL};
use super::client::{Client, Verb};
use super::{both_types, read};
use crate::wire::request::cancelled;
use crate::wire::rpc::Message;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// One server with its stream.
#[derive(Debug)]
pub(crate) struct OldPeer {
    /// Where messages are posted.
    post: Client,
    routes: Arc<Routes>,
    /// Cancelled when the stream has ended.
    ended: CancellationToken,
    _reading: AbortOnDropHandle<()>,
}

impl OldPeer {
    /// Opens the stream and waits for the address that it names.
    ///
    /// # Errors
    /// [`Fault`]; [`Fault::Status`] where there is no such stream.
    pub(crate) async fn connect(
        client: &Client,
        patience: Duration,
        unasked: mpsc::Sender<Unasked>,
    ) -> Result<Self, Fault> {
        let connecting = async {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            let response = client.send(&Verb::Get, &headers, None).await?;
            let status = response.status().as_u16();
            if status == 401 || status == 403 {
                return Err(Fault::SignIn { status });
            }
            if status != 200 || read::media_type(&response) != "text/event-stream" {
                return Err(Fault::Status { status });
            }
            let mut events = read::Events::new(response, None);
            loop {
                let event = events.next().await?.ok_or_else(|| {
                    Fault::Lost("the stream closed before it said where to post".to_owned())
                })?;
                if event.name.as_deref() == Some("endpoint") {
                    return Ok((endpoint(client, &event.data)?, events));
                }
            }
        };
        let (post, mut events) = tokio::time::timeout(patience, connecting)
            .await
            .unwrap_or(Err(Fault::TimedOut(patience)))?;
        let routes = Arc::new(Routes::new(unasked));
        let ended = CancellationToken::new();
        let (deliver, end) = (Arc::clone(&routes), ended.clone());
        let reading = tokio::spawn(async move {
            while let Ok(Some(event)) = events.next().await {
                if !event.is_message() {
                    continue;
                }
                // What is no message disturbs nothing.
                for message in Message::parse_all(&event.data).unwrap_or_default() {
                    deliver.deliver(message, None, None);
                }
            }
            end.cancel();
        });
        Ok(Self {
            post,
            routes,
            ended,
            _reading: AbortOnDropHandle::new(reading),
        })
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.routes
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Resolves when the stream has ended.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Posts one message, the request `id`, and waits for its answer on the stream.
    ///
    /// # Errors
    /// [`Fault`]; an error in the server's words is a [`Reply`].
    pub(crate) async fn exchange(
        &self,
        id: u64,
        message: String,
        cancellable: bool,
        mut limit: Limit,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let mut place = self.routes.place(id);
        let waiting = async {
            tokio::select! {
                biased;
                posted = self.post(message) => posted.map_err(|fault| match fault {
                    AnswerFault::Fault(fault) => fault,
                    AnswerFault::Refused(error) => Fault::Unreadable(crate::text::chip(&error.message)),
                })?,
                fault = limit.expired() => return Err(fault),
            }
            place.reply(&mut limit, &self.ended, incoming).await
        };
        let ended = tokio::select! {
            biased;
            () = stop.cancelled() => Err(Fault::Cancelled { left: true }),
            ended = waiting => ended,
        };
        drop(place);
        let ended = match ended {
            Err(Fault::Lost(_)) if self.has_ended() => Err(Fault::Lost("the stream closed".to_owned())),
            ended => ended,
        };
        let reason = ended.as_ref().err().and_then(Fault::reason_to_cancel);
        if let Some(reason) = reason.filter(|_| cancellable) {
            // Best effort, as with every cancelling.
            let _ = self.tell(cancelled(id, reason)).await;
        }
        ended
    }

    /// Posts a notification or the answer to a request of the server.
    ///
    /// # Errors
    /// [`AnswerFault`] says whether a byte may have left.
    pub(crate) async fn tell(&self, message: String) -> Result<(), AnswerFault> {
        tokio::time::timeout(TELL, self.post(message))
            .await
            .unwrap_or(Err(AnswerFault::Fault(Fault::TimedOut(TELL))))
    }

    async fn post(&self, message: String) -> Result<(), AnswerFault> {
        let response = self.post.send(&Verb::Post(message), &both_types(), None).await?;
        let status = response.status().as_u16();
        match status {
            200..=299 => Ok(()),
            401 | 403 => Err(AnswerFault::Fault(Fault::SignIn { status })),
            status => Err(AnswerFault::Fault(Fault::Status { status })),
        }
    }
}

fn endpoint(client: &Client, data: &[u8]) -> Result<Client, Fault> {
    let named = String::from_utf8_lossy(data);
    let url = client
        .url()
        .join(named.trim())
        .map_err(|_| Fault::Unreadable("the stream names no address for messages".to_owned()))?;
    let to = url.origin().ascii_serialization();
    let from = client.url().origin().ascii_serialization();
    client.at(url).ok_or(Fault::Redirected { from, to })
}
