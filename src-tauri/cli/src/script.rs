//! What an answer that was written beforehand means for a question: the same checks as for a person's.

use crate::answers::Entry;
use countersign_core::form::{FieldError, FieldErrorCode, FieldInput};
use countersign_core::inbox::Inbox;
use countersign_core::link::{Inspection, Verdict, typed_domain};
use countersign_core::text;
use countersign_core::view::{Act, Action, AskBody, AskPhase, AskView};

/// What will be done with one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Send(Vec<FieldInput>),
    Open {
        domain: Option<String>,
    },
    /// The link was opened before: accept, without opening it.
    Check,
    /// The same at the word of the file, where a crash left it unknown.
    WasOpened,
    Decline,
    Cancel,
}

impl Decision {
    /// The act on the card, with what belongs to it.
    pub(crate) fn act(&self, phase: &AskPhase) -> (Act, Option<Vec<FieldInput>>, Option<String>) {
        match self {
            Self::Send(inputs) => (Act::Accept, Some(inputs.clone()), None),
            Self::Open { domain } => (Act::Open, None, domain.clone()),
            Self::Check => (Act::CheckAgain, None, None),
            Self::WasOpened => (Act::AlreadyFinished, None, None),
            Self::Decline => (Act::Decline, None, None),
            Self::Cancel if is_opened(phase) => (Act::GiveUp, None, None),
            Self::Cancel => (Act::Dismiss, None, None),
        }
    }
}

/// Whether the link was opened and is asked for again.
pub(crate) fn is_opened(phase: &AskPhase) -> bool {
    matches!(phase, AskPhase::InBrowser { asking: false, .. })
}

/// Decides one question, so that nothing can be refused any more once the first of a round is answered.
///
/// # Errors
/// A sentence that says why the answer does not fit.
pub(crate) fn decide(
    inbox: &Inbox,
    ask: &AskView,
    key: &str,
    entry: Option<Entry>,
) -> Result<Decision, String> {
    let key = text::chip(key);
    let Some(entry) = entry else {
        // Consent to this very link was given; the server only asks whether the page is done.
        if is_opened(&ask.phase) {
            return Ok(Decision::Check);
        }
        return Err(format!("There is no answer for “{key}”."));
    };
    let unfit = |why: &str| format!("The answer for “{key}” does not fit: {why}");
    match (entry.action, &ask.body) {
        (Action::Decline, _) => Ok(Decision::Decline),
        (Action::Cancel, _) => Ok(Decision::Cancel),
        (Action::Accept, AskBody::Form { .. }) => {
            if entry.names_a_link() {
                return Err(unfit("it is written for a link, and a form is asked."));
            }
            inputs(inbox, ask, &entry)
                .map(Decision::Send)
                .map_err(|why| unfit(&why))
        }
        (Action::Accept, AskBody::Link { inspection, .. }) => {
            leads_there(inspection, &entry).map_err(|why| unfit(&why))?;
            match (&ask.phase, entry.opened) {
                (phase, _) if is_opened(phase) => Ok(Decision::Check),
                (AskPhase::MayBeOpen, Some(true)) => Ok(Decision::WasOpened),
                (AskPhase::MayBeOpen, None) => Err(format!(
                    "The page of “{key}” may have been opened before; “opened” must say whether it was."
                )),
                (_, Some(_) | None) => Ok(Decision::Open { domain: entry.domain }),
            }
        }
        (Action::Accept, AskBody::Unusable { reason, .. }) => Err(unfit(&format!(
            "this question can only be declined or cancelled. {reason}"
        ))),
    }
}

/// The content as the inputs that make it; without content the form as the server suggests it.
fn inputs(inbox: &Inbox, ask: &AskView, entry: &Entry) -> Result<Vec<FieldInput>, String> {
    let AskBody::Form { form: view, .. } = &ask.body else {
        return Err("this is no form.".to_owned());
    };
    let checked = inbox.with_form(ask.id, |form| {
        let mut inputs = match &entry.content {
            Some(content) => form.inputs_from_content(content)?,
            None => Vec::new(),
        };
        form.send_anyway(&mut inputs, &entry.anyway)?;
        let label = |id: u32| {
            let field = view.fields.iter().find(|field| field.id == id);
            field.map(|field| text::chip(&field.label)).unwrap_or_default()
        };
        match form.answer(&inputs) {
            Ok(_) => Ok(inputs),
            Err(errors) => {
                let told = |error: &FieldError| {
                    if error.code == FieldErrorCode::HeldBack {
                        format!("{} To do so, list its key under “anyway”.", error.message)
                    } else {
                        error.message.clone()
                    }
                };
                let errors = errors
                    .iter()
                    .map(|error| format!("“{}”: {}", label(error.field), told(error)));
                Err(errors.collect::<Vec<_>>().join(" "))
            }
        }
    });
    checked.unwrap_or_else(|| Err("this is no form.".to_owned()))
}

fn leads_there(inspection: &Inspection, entry: &Entry) -> Result<(), String> {
    if inspection.verdict == Verdict::Refused {
        return Err("this link is refused and never opened.".to_owned());
    }
    if entry.content.is_some() {
        return Err("consent to a link has no content.".to_owned());
    }
    if entry.url.is_none() && entry.origin.is_none() {
        return Err("to accept a link it must name the url or the origin.".to_owned());
    }
    if let Some(url) = &entry.url
        && *url != inspection.shown
        && Some(url) != inspection.as_sent.as_ref()
    {
        return Err(format!("the link is {}.", inspection.shown));
    }
    if let Some(origin) = &entry.origin
        && Some(origin) != inspection.origin.as_ref()
    {
        let leads = inspection.origin.as_deref().unwrap_or_default();
        return Err(format!("the link leads to {leads}."));
    }
    match (&entry.domain, inspection.verdict) {
        (Some(domain), _) => typed_domain(inspection, domain),
        (None, Verdict::Risky) => Err("a risky link also needs its domain.".to_owned()),
        (None, Verdict::Plain | Verdict::Notice | Verdict::Refused) => Ok(()),
    }
}
