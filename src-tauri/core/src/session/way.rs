//! The way of calls that came back with the app: to the session that their server has now. It is another one after the
//! server was put back to where it was, or its values were read; calls that may not go there are held before they send.

use super::Session;
use crate::mrtr::driver::Line;
use crate::transport::{Fault, Incoming, Patience, Reply};
use crate::wire::request::Request;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

pub struct Way {
    session: Mutex<Arc<Session>>,
}

impl Way {
    pub fn to(session: &Arc<Session>) -> Self {
        Self {
            session: Mutex::new(Arc::clone(session)),
        }
    }

    pub fn turn_to(&self, session: &Arc<Session>) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(session);
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
        self.session().send(request, patience, stop, incoming).await
    }
}
