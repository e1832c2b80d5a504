//! Reading a server's lists, page by page.

use super::{Discovery, Session, Target};
use crate::wire::json::Json;
use crate::wire::lists::{ListKind, Offer, Page};
use crate::wire::request::{Method, Request};

/// Most pages of one list.
pub const MAX_PAGES: usize = 100;
/// Most entries of one list.
pub const MAX_ITEMS: usize = 10_000;
/// Most bytes of one list, over all its pages.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Most problems of one list that are told.
pub const MAX_PROBLEMS: usize = 100;

/// Everything a server offers, and in words what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    pub tools: Vec<Offer>,
    pub prompts: Vec<Offer>,
    /// Resources, then templates.
    pub documents: Vec<Offer>,
    pub problems: Vec<String>,
}

impl Offers {
    /// Reads the lists that the server says it has.
    pub async fn read(session: &Session, discovery: &Discovery) -> Self {
        let mut offers = Self::default();
        if discovery.tools {
            let (tools, problems) = list(session, ListKind::Tools).await;
            offers.tools = tools;
            offers.problems.extend(problems);
            let over_http = matches!(session.target(), Target::Http { .. });
            if over_http && discovery.revision.is_modern() {
                let refused = offers.tools.iter().filter_map(Offer::refused_over_http);
                offers.problems.extend(refused.take(MAX_PROBLEMS));
                offers.tools.retain(|tool| tool.mirror.is_ok());
            }
        }
        if discovery.prompts {
            let (prompts, problems) = list(session, ListKind::Prompts).await;
            offers.prompts = prompts;
            offers.problems.extend(problems);
        }
        if discovery.resources {
            for kind in [ListKind::Resources, ListKind::Templates] {
                let (documents, problems) = list(session, kind).await;
                offers.documents.extend(documents);
                offers.problems.extend(problems);
            }
        }
        offers
    }
}

/// One whole list, and what was wrong with it. Ends at the limits and at a cursor that was seen before.
pub async fn list(session: &Session, kind: ListKind) -> (Vec<Offer>, Vec<String>) {
    let (method, word) = match kind {
        ListKind::Tools => (Method::ListTools, "actions"),
        ListKind::Prompts => (Method::ListPrompts, "starters"),
        ListKind::Resources => (Method::ListResources, "documents"),
        ListKind::Templates => (Method::ListTemplates, "document templates"),
    };
    let (mut offers, mut problems, mut cursors): (Vec<Offer>, Vec<String>, Vec<String>) = Default::default();
    let mut bytes = 0;
    for _ in 0..MAX_PAGES {
        let mut request = Request::new(method);
        if let Some(cursor) = cursors.last() {
            request = request.with("cursor", Json::string(cursor));
        }
        let result = match session.ask(request).await.map(|reply| reply.response.outcome) {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => {
                let message = crate::text::chip(&error.message);
                problems.push(format!(
                    "The list of {word}: the server answered “{message}” ({}).",
                    error.code
                ));
                return (offers, problems);
            }
            Err(fault) => {
                problems.push(format!("The list of {word} could not be read: {fault}."));
                return (offers, problems);
            }
        };
        if let Err(fault) = crate::wire::outcome::Outcome::parse(method, result.clone()) {
            problems.push(format!("The list of {word} cannot be used: {fault}."));
            return (offers, problems);
        }
        bytes += result.to_string().len();
        let page = Page::parse(kind, &result);
        problems.extend(page.problems);
        offers.extend(page.offers);
        if problems.len() > MAX_PROBLEMS {
            problems.truncate(MAX_PROBLEMS);
            problems.push(format!(
                "The list of {word} has more entries that cannot be used; the rest is left out."
            ));
            return (offers, problems);
        }
        if offers.len() > MAX_ITEMS {
            offers.truncate(MAX_ITEMS);
            problems.push(format!(
                "The list of {word} has more than {MAX_ITEMS} entries; the rest is left out."
            ));
            return (offers, problems);
        }
        if bytes > MAX_BYTES && page.next.is_some() {
            problems.push(format!(
                "The list of {word} has more than {MAX_BYTES} bytes; the rest is left out."
            ));
            return (offers, problems);
        }
        match page.next {
            None => return (offers, problems),
            Some(cursor) if cursors.contains(&cursor) => {
                problems.push(format!("The list of {word} turns in a circle; it was read once."));
                return (offers, problems);
            }
            Some(cursor) => cursors.push(cursor),
        }
    }
    problems.push(format!(
        "The list of {word} has more than {MAX_PAGES} pages; the rest is left out."
    ));
    (offers, problems)
}
