//! Reading what comes back over HTTP, within limits.
//!
//! Promises: no more is kept than the limits say; a body that is compressed, which is never asked for, is not
//! unpacked, so that what was counted is what was read.

use super::super::sse::{Event, Splitter};
use super::super::{Fault, MAX_MESSAGE, within};
use super::client::lost;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use std::time::Duration;

const TOO_LARGE: Fault = Fault::TooLarge {
    limit: MAX_MESSAGE,
    what: "bytes in one answer",
};

/// The media type without its parameters, in lower case; empty where none is said.
pub(crate) fn media_type(response: &reqwest::Response) -> String {
    let value = response.headers().get(CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let bare = value.split(';').next().unwrap_or_default();
    bare.trim().to_ascii_lowercase()
}

/// Nothing is read out of a page. A server that says no type at all is believed; so is an error of any type.
pub(crate) fn refuse_a_page(status: u16, media_type: &str) -> Result<(), Fault> {
    if status != 200 || matches!(media_type, "application/json" | "") {
        return Ok(());
    }
    Err(Fault::Unreadable(format!(
        "it is “{}”, not JSON or events",
        crate::text::chip(media_type)
    )))
}

/// A whole body. Of an error's page that is compressed nothing is read; the status says enough.
pub(crate) async fn body(mut response: reqwest::Response, idle: Option<Duration>) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    if let Some(compressed) = compressed(&response) {
        return if response.status().is_success() {
            Err(compressed)
        } else {
            Ok(body)
        };
    }
    if response
        .content_length()
        .is_some_and(|length| length > MAX_MESSAGE as u64)
    {
        return Err(TOO_LARGE);
    }
    while let Some(chunk) = within(idle, response.chunk())
        .await?
        .map_err(|error| lost(&error))?
    {
        if body.len() + chunk.len() > MAX_MESSAGE {
            return Err(TOO_LARGE);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A stream of events, one at a time.
pub(crate) struct Events {
    response: reqwest::Response,
    splitter: Splitter,
    idle: Option<Duration>,
    ready: std::vec::IntoIter<Event>,
    /// Why nothing is read at all.
    refused: Option<Fault>,
}

impl Events {
    pub(crate) fn new(response: reqwest::Response, idle: Option<Duration>) -> Self {
        Self {
            refused: compressed(&response),
            response,
            splitter: Splitter::default(),
            idle,
            ready: Vec::new().into_iter(),
        }
    }

    /// The id to come back with after the stream broke.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.splitter.last_id()
    }

    /// How long the stream said to wait before coming back.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.splitter.retry()
    }

    /// The next event with data; `None` where the stream ends.
    ///
    /// # Errors
    /// [`Fault`] where the stream breaks, is silent for too long or too large.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Fault> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        loop {
            if let Some(event) = self.ready.next() {
                return Ok(Some(event));
            }
            let chunk = within(self.idle, self.response.chunk()).await?;
            match chunk.map_err(|error| lost(&error))? {
                Some(chunk) => self.ready = self.splitter.events(&chunk)?.into_iter(),
                None => return Ok(None),
            }
        }
    }
}

/// A body that is said to be compressed or otherwise encoded (RFC 9110, 8.4), as a fault.
fn compressed(response: &reqwest::Response) -> Option<Fault> {
    let encodings = response.headers().get_all(CONTENT_ENCODING).iter();
    let odd = encodings
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .find(|value| !value.is_empty() && !value.eq_ignore_ascii_case("identity"))?;
    Some(Fault::Unreadable(format!(
        "it is compressed (“{}”), although that was not asked for",
        crate::text::chip(&odd)
    )))
}
