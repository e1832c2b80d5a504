//! The bodies of the desk's answers: nothing, one text, or the events of a running call.

use crate::server::Reply;
use bytes::Bytes;
use countersign_core::wire::json::Json;
use hyper::body::{Body, Frame};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::UnboundedReceiver;

/// A call that runs while its events are read, and ends when they are dropped.
pub(crate) type Running = Pin<Box<dyn Future<Output = Reply> + Send>>;

pub(crate) enum Answer {
    Empty,
    Whole(Bytes),
    Events(Events),
}

/// Notifications, then the response, then the end.
pub(crate) struct Events {
    stage: Stage,
    noted: UnboundedReceiver<Json>,
}

enum Stage {
    Unopened(Running),
    Running(Running),
    Replied(Json),
    Ended,
}

impl Answer {
    pub(crate) fn whole(text: impl Into<Bytes>) -> Self {
        Self::Whole(text.into())
    }
}

impl Events {
    /// `noted` takes what the call notes.
    pub(crate) fn new(call: Running, noted: UnboundedReceiver<Json>) -> Self {
        Self {
            stage: Stage::Unopened(call),
            noted,
        }
    }

    fn poll_text(&mut self, context: &mut Context<'_>) -> Poll<Option<String>> {
        loop {
            self.stage = match std::mem::replace(&mut self.stage, Stage::Ended) {
                Stage::Unopened(call) => {
                    self.stage = Stage::Running(call);
                    return Poll::Ready(Some(": this is a rehearsal\n\n".to_owned()));
                }
                Stage::Running(mut call) => match call.as_mut().poll(context) {
                    Poll::Ready(reply) => Stage::Replied(reply.message),
                    Poll::Pending => {
                        self.stage = Stage::Running(call);
                        return match self.noted.poll_recv(context) {
                            Poll::Ready(Some(note)) => Poll::Ready(Some(event(&note))),
                            Poll::Ready(None) | Poll::Pending => Poll::Pending,
                        };
                    }
                },
                Stage::Replied(reply) => match self.noted.try_recv() {
                    Ok(note) => {
                        self.stage = Stage::Replied(reply);
                        return Poll::Ready(Some(event(&note)));
                    }
                    Err(_) => return Poll::Ready(Some(event(&reply))),
                },
                Stage::Ended => return Poll::Ready(None),
            };
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = |bytes| Ok(Frame::data(bytes));
        match &mut *self {
            Self::Empty => Poll::Ready(None),
            Self::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then(|| frame(bytes)))
            }
            Self::Events(events) => events
                .poll_text(context)
                .map(|text| text.map(|text| frame(Bytes::from(text)))),
        }
    }

    /// Lets the length of a text be announced.
    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Empty => hyper::body::SizeHint::with_exact(0),
            Self::Whole(bytes) => hyper::body::SizeHint::with_exact(bytes.len() as u64),
            Self::Events(_) => hyper::body::SizeHint::default(),
        }
    }
}

fn event(message: &Json) -> String {
    format!("event: message\ndata: {message}\n\n")
}
