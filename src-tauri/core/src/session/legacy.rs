//! A session of the 2025 era: it begins with `initialize`, and the server may ask while a request runs.
//!
//! Promises: nothing but the handshake is sent before it is done; while a question is open, no request's time runs; a
//! request that is given up is cancelled by a notification.

use super::keeper::{Keeper, Voice};
use super::{ConnectError, Discovery};
use crate::transport::question::AnswerFault;
use crate::transport::{Fault, Incoming, Limit, Patience, Reply};
use crate::wire::Revision;
use crate::wire::legacy::{Handshake, initialize, initialized};
use crate::wire::request::{Elicitation, Request};
use crate::wire::rpc::RpcError;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

#[derive(Debug)]
pub(super) struct LegacyPeer {
    voice: Voice,
    keeper: Arc<Keeper>,
    revision: Revision,
    /// Keeps the stream for what the server says by itself.
    _listening: Option<AbortOnDropHandle<()>>,
}

/// Why there is no session.
pub(super) enum NoSession {
    Fault(Fault),
    /// An error in the server's words, and the HTTP status.
    Refused(RpcError, Option<u16>),
    /// The server wants a revision that is not spoken here; empty where it names none.
    Revision(String),
}

impl LegacyPeer {
    /// The handshake.
    ///
    /// # Errors
    /// [`NoSession`]
    pub(super) async fn open(
        voice: Voice,
        keeper: Arc<Keeper>,
        id: u64,
        revision: Revision,
        elicitation: Elicitation,
        patience: Patience,
        how: &str,
    ) -> Result<(Self, Discovery), NoSession> {
        let message = initialize(id, revision, elicitation);
        let limit = Limit::plain(patience);
        let stop = CancellationToken::new();
        let reply = match &voice {
            Voice::Stdio(peer) => {
                peer.exchange(id, &message, false, limit, &stop, &mut |_| {})
                    .await
            }
            Voice::Http(session) => {
                session
                    .exchange(id, message, true, limit, &stop, &mut |_| {})
                    .await
            }
            Voice::Old(peer) => peer.exchange(id, message, false, limit, &stop, &mut |_| {}).await,
        };
        let reply = reply.map_err(NoSession::Fault)?;
        let result = match reply.response.outcome {
            Ok(result) => result,
            Err(error) => return Err(NoSession::Refused(error, reply.status)),
        };
        let handshake = Handshake::parse(&result).map_err(NoSession::Revision)?;
        if let Voice::Http(session) = &voice {
            session.agreed(handshake.revision);
        }
        match voice.tell(initialized()).await {
            // Some servers answer the notification oddly; the session stands all the same.
            Ok(()) | Err(AnswerFault::Refused(_) | AnswerFault::Fault(Fault::Status { .. })) => {}
            Err(AnswerFault::Fault(fault)) => return Err(NoSession::Fault(fault)),
        }
        let listening = match &voice {
            Voice::Http(session) => {
                let session = Arc::clone(session);
                Some(AbortOnDropHandle::new(tokio::spawn(async move {
                    session.listen().await;
                })))
            }
            Voice::Stdio(_) | Voice::Old(_) => None,
        };
        let (info, capabilities) = (&handshake.server_info, &handshake.capabilities);
        let discovery = Discovery::of(handshake.revision, how, Some(info), Some(capabilities));
        let peer = Self {
            voice,
            keeper,
            revision: handshake.revision,
            _listening: listening,
        };
        Ok((peer, discovery))
    }

    pub(super) fn has_ended(&self) -> bool {
        match &self.voice {
            Voice::Stdio(peer) => peer.has_ended(),
            Voice::Http(session) => session.is_over(),
            Voice::Old(peer) => peer.has_ended(),
        }
    }

    /// Sends one request and waits for its answer.
    pub(super) async fn send(
        &self,
        id: u64,
        request: &Request,
        patience: Patience,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let _asking = request.method.may_ask().then(|| self.keeper.asking(id));
        let limit = Limit::new(patience, self.keeper.asked());
        let message = request.legacy_message(id);
        let ended = match &self.voice {
            Voice::Stdio(peer) => peer.exchange(id, &message, true, limit, stop, incoming).await,
            Voice::Http(session) => session.exchange(id, message, false, limit, stop, incoming).await,
            Voice::Old(peer) => peer.exchange(id, message, true, limit, stop, incoming).await,
        };
        ended.map(|reply| Reply {
            revision: self.revision,
            ..reply
        })
    }

    /// Ends the session at the server, where there is one to end.
    pub(super) async fn leave(&self) {
        if let Voice::Http(session) = &self.voice {
            session.leave().await;
        }
    }
}

impl NoSession {
    /// In the words of a connection that was not made.
    pub(super) fn told(self) -> ConnectError {
        match self {
            Self::Fault(fault) => ConnectError::Fault(fault),
            Self::Refused(error, _) => ConnectError::refused(&error),
            Self::Revision(name) if name.is_empty() => ConnectError::Unusable(
                "the server answered, but does not say which revision it speaks (protocolVersion)".to_owned(),
            ),
            Self::Revision(name) => ConnectError::OtherRevision {
                spoken: format!("“{name}”"),
            },
        }
    }
}
