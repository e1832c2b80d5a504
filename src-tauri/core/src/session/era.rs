//! Which era a server is of (2026-07-28, basic/versioning and basic/transports, "Backward Compatibility").
//!
//! Promises: the newest revision that both sides know is spoken; a server that was reached but says nothing of the
//! modern era is greeted with `initialize`; a sign-in, a fault of the server or of the network says nothing about its
//! era. A program that is slow to start is waited for: what it answers late still counts.

use super::keeper::{Keeper, QUEUE, Voice};
use super::legacy::{LegacyPeer, NoSession};
use super::{ConnectError, Discovery, Peer, Session, Speak, Target};
use crate::transport::http::HttpPeer;
use crate::transport::http::old::OldPeer;
use crate::transport::http::session::HttpSession;
use crate::transport::routes::Unasked;
use crate::transport::stdio::{Command, StdioPeer};
use crate::transport::{Fault, Limit, Patience, Reply};
use crate::wire::json::Json;
use crate::wire::request::{Method, Request};
use crate::wire::rpc::{Response, RpcError, code};
use crate::wire::{REVISION, Revision};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A program that has said nothing for this long is also greeted in the old way; the new way still counts.
const SILENCE: Duration = Duration::from_secs(5);
/// A program that installs itself first may take this long to answer.
const COLD_START: Duration = Duration::from_secs(180);

/// What an answer to `server/discover` says about the era.
pub(super) enum Said {
    Modern(Discovery),
    /// It is to be greeted with this revision; the reason in words.
    Legacy {
        revision: Revision,
        how: String,
    },
}

impl Session {
    pub(super) async fn establish(&self) -> Result<(Peer, Discovery), ConnectError> {
        let known = self.lock().known;
        let legacy = match self.speak {
            Speak::Only(revision) => (!revision.is_modern()).then_some(revision),
            Speak::Newest => known.filter(|revision| !revision.is_modern()),
        };
        match &self.target {
            Target::Http { url, headers } => {
                let peer = HttpPeer::new(url.clone(), headers).map_err(Fault::CannotConnect)?;
                match legacy {
                    Some(revision) => match self.greet_http(&peer, revision, "it did before").await {
                        // What was known no longer holds.
                        Err(error) if self.speak == Speak::Newest && is_evidence(&error) => {
                            self.probe_http(peer).await
                        }
                        made => made.map_err(NoSession::told),
                    },
                    None => self.probe_http(peer).await,
                }
            }
            Target::Stdio(command) => match legacy {
                Some(revision) => match self.greet_program(command, revision, "it did before").await {
                    Err(NoSession::Refused(..)) if self.speak == Speak::Newest => {
                        self.probe_program(command).await
                    }
                    made => made.map_err(NoSession::told),
                },
                None => self.probe_program(command).await,
            },
        }
    }

    /// A connection to a server that is known to be of the modern era, where each request stands for itself.
    pub(super) fn modern_peer(&self) -> Result<Peer, Fault> {
        match &self.target {
            Target::Http { url, headers } => {
                let peer = HttpPeer::new(url.clone(), headers).map_err(Fault::CannotConnect)?;
                Ok(Peer::Http(Arc::new(peer)))
            }
            Target::Stdio(command) => {
                let (program, kept) = self.start(command)?;
                let voice = Voice::Stdio(Arc::clone(&program));
                let keeper = Keeper::start(voice, kept, self.elicitation, self.events.clone());
                keeper.is_modern();
                Ok(Peer::Stdio {
                    program,
                    _keeper: Arc::new(keeper),
                })
            }
        }
    }

    async fn probe_http(&self, peer: HttpPeer) -> Result<(Peer, Discovery), ConnectError> {
        let reply = match self.discover_http(&peer).await {
            // The modern era has one revision here, so what is asked again is the same.
            Ok(reply) if wants_ours(&reply) => self.discover_http(&peer).await,
            other => other,
        };
        let only_modern = self.only_modern();
        let (revision, how, probe) = match reply {
            // A fault of the moment says nothing about the era, in whatever words.
            Ok(Reply {
                response: Response {
                    outcome: Err(error), ..
                },
                status: Some(status),
                ..
            }) if status >= 500 || is_busy(status) => return Err(ConnectError::refused(&error)),
            Ok(reply) => match read_discovery(&reply)? {
                Said::Modern(discovery) => return Ok((Peer::Http(Arc::new(peer)), discovery)),
                Said::Legacy { .. } if only_modern => return Err(not_modern(&reply)),
                Said::Legacy { revision, how } => (revision, how, reply.response.outcome.err()),
            },
            Err(Fault::Status { status })
                if (400..500).contains(&status) && !is_busy(status) && !only_modern =>
            {
                let how = format!("it answered server/discover with HTTP {status}");
                (Revision::NEWEST_LEGACY, how, None)
            }
            Err(fault) => return Err(fault.into()),
        };
        match self.greet_http(&peer, revision, &how).await {
            Ok(made) => Ok(made),
            // Both ways were refused: the modern refusal says more than that of a greeting nobody wanted.
            Err(error) => Err(match (error, probe) {
                (NoSession::Refused(..), Some(probe)) => ConnectError::refused(&probe),
                (error, _) => error.told(),
            }),
        }
    }

    async fn discover_http(&self, peer: &HttpPeer) -> Result<Reply, Fault> {
        let stop = CancellationToken::new();
        let discover = Request::new(Method::Discover);
        peer.exchange(
            self.next_id(),
            &discover,
            self.elicitation,
            self.listing_patience(),
            &stop,
            &mut |_| {},
        )
        .await
    }

    /// Begins a session; where the address takes no greeting, it may be one of HTTP+SSE.
    async fn greet_http(
        &self,
        peer: &HttpPeer,
        revision: Revision,
        how: &str,
    ) -> Result<(Peer, Discovery), NoSession> {
        let patience = self.listing_patience();
        let (unasked, kept) = mpsc::channel(QUEUE);
        let voice = Voice::Http(Arc::new(HttpSession::new(peer.client().clone(), unasked)));
        let greeted = match revision {
            Revision::V2024_11_05 => Err(NoSession::Fault(Fault::Status { status: 405 })),
            Revision::V2025_03_26 | Revision::V2025_06_18 | Revision::V2025_11_25 | Revision::V2026_07_28 => {
                self.greet(voice, kept, revision, patience, how).await
            }
        };
        let refused = match greeted {
            Err(
                error @ (NoSession::Fault(Fault::Status {
                    status: 400 | 404 | 405,
                })
                | NoSession::Refused(_, Some(400 | 404 | 405))),
            ) => error,
            made => return made,
        };
        let (unasked, kept) = mpsc::channel(QUEUE);
        let idle = patience.idle.unwrap_or(patience.total);
        match OldPeer::connect(peer.client(), idle, unasked).await {
            Ok(old) => {
                let how = format!("{how}, and offers the stream of {}", Revision::V2024_11_05.name());
                let voice = Voice::Old(Arc::new(old));
                self.greet(voice, kept, Revision::V2024_11_05, patience, &how)
                    .await
            }
            Err(fault @ (Fault::SignIn { .. } | Fault::Redirected { .. })) => Err(NoSession::Fault(fault)),
            Err(_) => Err(refused),
        }
    }

    async fn probe_program(&self, command: &Command) -> Result<(Peer, Discovery), ConnectError> {
        let (program, kept) = self.start(command)?;
        let voice = Voice::Stdio(Arc::clone(&program));
        let keeper = Arc::new(Keeper::start(
            voice.clone(),
            kept,
            self.elicitation,
            self.events.clone(),
        ));
        let stop = CancellationToken::new();
        let id = self.next_id();
        let message = Request::new(Method::Discover).message(id, self.elicitation);
        let limit = Limit::plain(self.cold_patience());
        let mut nothing = |_| {};
        let discovering = program.exchange(id, &message, false, limit, &stop, &mut nothing);
        let mut discovering = std::pin::pin!(discovering);
        let modern = |discovery| {
            keeper.is_modern();
            let peer = Peer::Stdio {
                program: Arc::clone(&program),
                _keeper: Arc::clone(&keeper),
            };
            Ok((peer, discovery))
        };
        let only_modern = self.only_modern();
        let answered = tokio::select! {
            biased;
            answered = &mut discovering => Some(answered),
            () = tokio::time::sleep(SILENCE), if !only_modern => None,
        };
        let (revision, how) = match answered {
            Some(Ok(reply)) => match read_discovery(&reply)? {
                Said::Modern(discovery) => return modern(discovery),
                Said::Legacy { .. } if only_modern => return Err(not_modern(&reply)),
                Said::Legacy { revision, how } => (revision, how),
            },
            Some(Err(Fault::Lost(_))) if program.has_ended() && !only_modern => {
                drop(keeper);
                let how = "it ended when asked server/discover";
                let made = self.greet_program(command, Revision::NEWEST_LEGACY, how).await;
                return made.map_err(NoSession::told);
            }
            Some(Err(fault)) => return Err(fault.into()),
            None => {
                let how = format!("it was silent on server/discover for {} s", SILENCE.as_secs());
                let greeting = self.shake_hands(
                    voice,
                    Arc::clone(&keeper),
                    Revision::NEWEST_LEGACY,
                    self.cold_patience(),
                    &how,
                );
                let mut greeting = std::pin::pin!(greeting);
                let late = tokio::select! {
                    biased;
                    late = &mut discovering => late,
                    greeted = &mut greeting => return greeted.map_err(NoSession::told),
                };
                if let Ok(reply) = late
                    && let Ok(Said::Modern(discovery)) = read_discovery(&reply)
                {
                    return modern(discovery);
                }
                return greeting.await.map_err(NoSession::told);
            }
        };
        let greeted = self.shake_hands(voice, keeper, revision, self.cold_patience(), &how);
        let greeted = match greeted.await {
            // It answered, but ends at what it takes for a second beginning.
            Err(NoSession::Fault(Fault::Lost(_))) if program.has_ended() => {
                self.greet_program(command, revision, &how).await
            }
            greeted => greeted,
        };
        greeted.map_err(NoSession::told)
    }

    async fn greet_program(
        &self,
        command: &Command,
        revision: Revision,
        how: &str,
    ) -> Result<(Peer, Discovery), NoSession> {
        let (program, kept) = self.start(command).map_err(NoSession::Fault)?;
        self.greet(Voice::Stdio(program), kept, revision, self.cold_patience(), how)
            .await
    }

    async fn greet(
        &self,
        voice: Voice,
        kept: mpsc::Receiver<Unasked>,
        revision: Revision,
        patience: Patience,
        how: &str,
    ) -> Result<(Peer, Discovery), NoSession> {
        let keeper = Keeper::start(voice.clone(), kept, self.elicitation, self.events.clone());
        self.shake_hands(voice, Arc::new(keeper), revision, patience, how)
            .await
    }

    async fn shake_hands(
        &self,
        voice: Voice,
        keeper: Arc<Keeper>,
        revision: Revision,
        patience: Patience,
        how: &str,
    ) -> Result<(Peer, Discovery), NoSession> {
        let id = self.next_id();
        let opened = LegacyPeer::open(voice, keeper, id, revision, self.elicitation, patience, how);
        let (peer, discovery) = opened.await?;
        Ok((Peer::Legacy(Arc::new(peer)), discovery))
    }

    fn start(&self, command: &Command) -> Result<(Arc<StdioPeer>, mpsc::Receiver<Unasked>), Fault> {
        let (unasked, kept) = mpsc::channel(QUEUE);
        let program = Arc::new(StdioPeer::start(command, unasked)?);
        self.lock().program = Some(Arc::clone(&program));
        Ok((program, kept))
    }

    fn only_modern(&self) -> bool {
        matches!(self.speak, Speak::Only(revision) if revision.is_modern())
    }

    fn cold_patience(&self) -> Patience {
        Patience {
            idle: None,
            total: self.timeout.max(COLD_START),
        }
    }
}

/// Why a server that must be of the modern era is not.
fn not_modern(reply: &Reply) -> ConnectError {
    match &reply.response.outcome {
        Ok(result) => ConnectError::OtherRevision {
            spoken: spoken(
                result
                    .get("supportedVersions")
                    .and_then(Json::as_array)
                    .unwrap_or_default(),
            ),
        },
        Err(error) if error.code == code::METHOD_NOT_FOUND => ConnectError::OtherRevision {
            spoken: "an older revision".to_owned(),
        },
        Err(error) => ConnectError::refused(error),
    }
}

/// What the answer to `server/discover` says. Everything that is not of the modern era is of the old one.
pub(super) fn read_discovery(reply: &Reply) -> Result<Said, ConnectError> {
    match &reply.response.outcome {
        Ok(result) => read_result(result),
        Err(error) if error.is_modern() => read_modern_error(error),
        Err(error) => Ok(Said::Legacy {
            revision: Revision::NEWEST_LEGACY,
            how: format!("it does not know server/discover ({})", error.code),
        }),
    }
}

fn read_result(result: &Json) -> Result<Said, ConnectError> {
    let Some(versions) = result.get("supportedVersions").and_then(Json::as_array) else {
        // Servers that answer anything with an empty result know nothing of the modern era.
        if result.get("supportedVersions").is_none() && result.get("resultType").is_none() {
            return Ok(Said::Legacy {
                revision: Revision::NEWEST_LEGACY,
                how: "it does not understand server/discover (an empty answer)".to_owned(),
            });
        }
        return Err(ConnectError::Unusable(
            "the server answered, but does not say which revisions it speaks (supportedVersions)".to_owned(),
        ));
    };
    if !versions.iter().any(|version| version.as_str() == Some(REVISION)) {
        return older(versions, "it says so itself (server/discover)");
    }
    let info = result
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    Ok(Said::Modern(Discovery::of(
        Revision::V2026_07_28,
        "it says so itself (server/discover)",
        info,
        result.get("capabilities"),
    )))
}

fn read_modern_error(error: &RpcError) -> Result<Said, ConnectError> {
    if error.code != code::UNSUPPORTED_VERSION {
        return Err(ConnectError::refused(error));
    }
    older(supported(error), "it does not speak the newest revision (-32022)")
}

/// The newest of the old revisions that the server names.
fn older(versions: &[Json], how: &str) -> Result<Said, ConnectError> {
    let newest = Revision::ALL
        .into_iter()
        .filter(|revision| !revision.is_modern())
        .find(|revision| {
            versions
                .iter()
                .any(|version| version.as_str() == Some(revision.name()))
        });
    match newest {
        Some(revision) => Ok(Said::Legacy {
            revision,
            how: how.to_owned(),
        }),
        None => Err(ConnectError::OtherRevision {
            spoken: spoken(versions),
        }),
    }
}

fn supported(error: &RpcError) -> &[Json] {
    let supported = error.data.as_ref().and_then(|data| data.get("supported"));
    supported.and_then(Json::as_array).unwrap_or_default()
}

/// The server refuses our revision but names it as one of its own.
fn wants_ours(reply: &Reply) -> bool {
    matches!(&reply.response.outcome, Err(error) if error.code == code::UNSUPPORTED_VERSION
        && supported(error).iter().any(|version| version.as_str() == Some(REVISION)))
}

/// A refused greeting says that the era is another one; anything else says nothing.
fn is_evidence(error: &NoSession) -> bool {
    match error {
        NoSession::Refused(..) | NoSession::Revision(_) => true,
        NoSession::Fault(Fault::Status { status }) => (400..500).contains(status) && !is_busy(*status),
        NoSession::Fault(_) => false,
    }
}

/// Statuses of the moment: too slow, too large, too early, too many.
fn is_busy(status: u16) -> bool {
    matches!(status, 408 | 413 | 425 | 429 | 431)
}

fn spoken(versions: &[Json]) -> String {
    let versions: Vec<_> = versions.iter().filter_map(Json::as_str).take(8).collect();
    if versions.is_empty() {
        "another revision".to_owned()
    } else {
        format!("“{}”", crate::text::chip(&versions.join(", ")))
    }
}
