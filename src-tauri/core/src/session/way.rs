//! The way of calls that came back with the app: to the session that their server has now. It is another one after the
//! server was put back to where it was, or its values were read; calls that may not go there are held before they send.

use super::Session;
use crate::mrtr::driver::Line;
use crate::transport::{Fault, Incoming, Patience, Reply};
use crate::wire::request::Request;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

pub struct Way {
    session: Mutex<Arc<Session>>,
    is_shut: AtomicBool,
}

impl Way {
    pub fn to(session: &Arc<Session>) -> Self {
        Self {
            session: Mutex::new(Arc::clone(session)),
            is_shut: AtomicBool::new(false),
        }
    }

    /// Until it is turned to a session that knows how, nothing goes there: the values of its headers or variables are in a
    /// store that is not open.
    pub fn shut(&self) {
        self.is_shut.store(true, Ordering::Release);
    }

    pub fn is_shut(&self) -> bool {
        self.is_shut.load(Ordering::Acquire)
    }

    pub fn turn_to(&self, session: &Arc<Session>) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(session);
        self.is_shut.store(false, Ordering::Release);
    }

    fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Line for Way {
    fn patience(&self) -> Patience {
        self.session().patience()
    }

    async fn send(
        &self,
        request: &Request,
        patience: Patience,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        if self.is_shut() {
            return Err(Fault::Before {
                reason: "the header or variable values of its server are not at hand".to_owned(),
                left: false,
            });
        }
        self.session().send(request, patience, stop, incoming).await
    }
}
