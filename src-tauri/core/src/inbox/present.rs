//! Questions as the window sees them. Here the app speaks: the server's words are quoted or framed.

use super::ask::{Ask, Body, Stage};
use super::call::Call;
use crate::text;
use crate::view::{Act, Action, AskBody, AskId, AskRow, AskView, OfferKind, ServerRow, ServerText};
use std::time::Duration;

pub(super) fn ask_row(ask: &Ask, call: &Call, group: Option<AskId>, held: bool) -> AskRow {
    AskRow {
        id: ask.id,
        call: ask.call,
        server: call.new.server.id,
        server_name: call.new.server.name.clone(),
        practice: call.new.server.practice,
        kind: ask.body.kind(),
        first_line: text::chip(text::first_line(&ask.message)),
        asked_at: ask.asked_at.clone(),
        phase: ask.phase(),
        draft: !ask.draft.is_empty(),
        position: ask.position,
        of: ask.of,
        group,
        held,
        again: again(ask).map(|time| format!("asked again ({time} time)")),
    }
}

pub(super) fn ask_view(
    ask: &Ask,
    call: &Call,
    server: ServerRow,
    known_since: String,
    others_open: bool,
    held: bool,
    now: &str,
) -> AskView {
    let name = call.new.server.name.clone();
    let mut acts = ask.acts();
    let mut notices = notices(ask, call, now);
    let mut consequences = consequences(ask, &name, others_open);
    if held {
        acts.retain(|act| *act == Act::StopCall);
        notices.insert(
            0,
            format!("You paused {name}: this question is held. Nothing is sent for it until you resume and answer."),
        );
        consequences.clear();
    }
    if call.has_moved() {
        // Why stands with the call.
        acts.retain(|act| *act == Act::StopCall);
        consequences.clear();
    }
    AskView {
        id: ask.id,
        revision: ask.revision,
        server,
        known_since,
        call: call.row(),
        message: ServerText::of(&ask.message),
        body: body(ask, call),
        phase: ask.phase(),
        held,
        position: ask.position,
        of: ask.of,
        asked_at: ask.asked_at.clone(),
        goes_to: call.new.server.goes_to.clone(),
        notices,
        acts,
        accept_label: accept_label(ask, others_open),
        consequences,
    }
}

fn body(ask: &Ask, call: &Call) -> AskBody {
    match &ask.body {
        Body::Form(form) => AskBody::Form {
            form: form.view(),
            draft: ask.draft.clone(),
            review: form.review(&ask.draft),
        },
        Body::Link(link) => AskBody::Link {
            inspection: if ask.is_listed() {
                link.inspection.clone()
            } else {
                link.inspection.without_address()
            },
            practice_page: call.new.server.practice
                && link
                    .url
                    .as_ref()
                    .zip(call.new.server.practice_page.as_ref())
                    .is_some_and(|(url, page)| url.origin() == page.origin()),
            opened: ask.opened,
        },
        Body::Unusable { reason, raw, .. } => AskBody::Unusable {
            reason: reason.clone(),
            raw: raw.clone(),
        },
    }
}

fn notices(ask: &Ask, call: &Call, now: &str) -> Vec<String> {
    let mut notices = Vec::new();
    if let Some(time) = again(ask) {
        notices.push(format!("Asked again after you declined ({time} time)."));
    }
    if call.values_changed && ask.is_open() {
        notices.push(
            "The headers or variables of this server have changed since it asked. Answers go to the same place."
                .to_owned(),
        );
    }
    if ask.required && matches!(ask.stage, Stage::Waiting | Stage::OpenFailed(_)) {
        notices.push("The server did not do it yet: it wants this page to be opened first.".to_owned());
    }
    if ask.pushed.is_some() && call.new.kind == OfferKind::Question {
        notices.push(
            "The server asks this by itself; it belongs to none of your calls that can be told.".to_owned(),
        );
    }
    if call.over_cap {
        notices.push("This call has asked many times in a row. You can stop it.".to_owned());
    }
    if let Some(waited) = ask.waited_long(now).filter(|_| ask.is_open()) {
        notices.extend(forgetting(ask, waited));
    }
    let to_open = match &ask.body {
        Body::Link(link) => link.url.is_some() && ask.is_open(),
        Body::Form(_) | Body::Unusable { .. } => false,
    };
    if ask.no_browser && to_open {
        notices.push("No web browser was found on this computer. Copy the address and open it elsewhere; when you finished there, say so here.".to_owned());
    } else if ask.may_be_finished && ask.stage == Stage::Waiting {
        notices.push("Your browser was asked to open this page before; its address has changed since. If you finished there, press “I already finished”; nothing is opened then.".to_owned());
    }
    match &ask.body {
        Body::Unusable { reason, .. } => notices.push(reason.clone()),
        Body::Link(_) | Body::Form(_) => {}
    }
    match &ask.stage {
        Stage::Kept(given) if given.opened_link && ask.opened > 0 => {
            let others = ask.of - 1;
            let noun = if others == 1 { "question" } else { "questions" };
            notices.push(format!(
                "Your browser was asked to open it. The server is told when the other {others} {noun} of this call are answered."
            ));
        }
        Stage::InBrowser {
            trouble: Some(trouble),
            ..
        } => notices.push(trouble.clone()),
        Stage::InBrowser { asking: false, .. } if ask.finished => {
            notices
                .push("The server says that the page is done. Check again makes the call anew.".to_owned());
        }
        Stage::InBrowser { asking: false, .. } if ask.required => {
            notices.push("When you are done there, Check again makes the call anew.".to_owned());
        }
        Stage::InBrowser {
            trouble: None,
            asking: false,
        } if ask.opened > 0 => {
            notices.push("The server still waits for the page.".to_owned());
        }
        Stage::MayBeOpen => notices.push(
            "Countersign was closed while it asked your browser. The page may have opened. It is not opened again by itself."
                .to_owned(),
        ),
        Stage::Waiting
        | Stage::Opening
        | Stage::OpenFailed(_)
        | Stage::Kept(_)
        | Stage::Sending(_)
        | Stage::InBrowser { .. }
        | Stage::Delivered(_)
        | Stage::Undelivered(..)
        | Stage::Withdrawn(_)
        | Stage::Closed(_) => {}
    }
    notices
}

/// What is said of a question that has waited long.
fn forgetting(ask: &Ask, waited: Duration) -> Option<String> {
    let hours = waited.as_secs() / 3600;
    let (count, unit) = if hours < 48 {
        (hours, "hour")
    } else {
        (hours / 24, "day")
    };
    let plural = if count == 1 { "" } else { "s" };
    let then = match &ask.body {
        Body::Form(_) => "you can then start again with these answers",
        Body::Link(_) => "you can then start the call again",
        Body::Unusable { .. } => return None,
    };
    Some(format!(
        "Waiting for {count} {unit}{plural}. Many servers forget sooner; {then}."
    ))
}

/// Which time it is that this is asked, after the person declined.
fn again(ask: &Ask) -> Option<String> {
    (ask.declined_before > 0).then(|| ordinal(ask.declined_before + 1))
}

fn accept_label(ask: &Ask, others_open: bool) -> Option<String> {
    let Body::Form(form) = &ask.body else { return None };
    Some(match ask.of {
        1 if form.view().fields.is_empty() => "Accept".to_owned(),
        1 => "Send answers".to_owned(),
        _ if others_open => "Keep answer".to_owned(),
        of => format!("Send {of} answers"),
    })
}

/// What each way will tell the server. `name` is the person's own name for it.
fn consequences(ask: &Ask, name: &str, others_open: bool) -> Vec<String> {
    match &ask.stage {
        Stage::Waiting | Stage::OpenFailed(_) if ask.required => vec![
            "Open: the page opens in your browser; the call is made anew when you say so.".to_owned(),
            "Decline or Dismiss: the call ends here, and nothing more is sent.".to_owned(),
            "Do nothing: the question waits here.".to_owned(),
        ],
        Stage::InBrowser { asking: false, .. } if ask.required => vec![
            format!("Check again: the call to {name} is made anew."),
            "Decline or Give up: the call ends here, and nothing more is sent.".to_owned(),
        ],
        Stage::Waiting | Stage::MayBeOpen | Stage::OpenFailed(_) => {
            let mut ways = vec![
                format!("Decline: {name} is told No."),
                "Dismiss: it is told you did not choose.".to_owned(),
                "Do nothing: the question waits here.".to_owned(),
            ];
            match (ask.of, others_open) {
                (1, _) => {}
                (of, true) => ways.push(format!("Nothing is sent before all {of} questions are answered.")),
                (of, false) => ways.push(format!(
                    "This is the last of {of}: with any answer here all {of} are sent."
                )),
            }
            ways
        }
        Stage::InBrowser { asking: false, .. } => vec![
            format!("Check again: {name} is asked whether the page is done."),
            "Decline: it is told No. Give up: it is told you did not choose.".to_owned(),
        ],
        Stage::InBrowser { asking: true, .. } => vec![format!("{name} was told that you opened the page.")],
        Stage::Kept(given) => vec![match given.action {
            Action::Accept => "Your answer is kept on this computer.".to_owned(),
            Action::Decline => format!("{name} will be told No."),
            Action::Cancel => format!("{name} will be told you did not choose."),
        }],
        Stage::Opening
        | Stage::Sending(_)
        | Stage::Delivered(_)
        | Stage::Undelivered(..)
        | Stage::Withdrawn(_)
        | Stage::Closed(_) => Vec::new(),
    }
}

fn ordinal(count: u32) -> String {
    let suffix = match (count % 10, count % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{count}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn ordinals() {
        for (count, word) in [
            (1, "1st"),
            (2, "2nd"),
            (3, "3rd"),
            (4, "4th"),
            (11, "11th"),
            (21, "21st"),
            (112, "112th"),
        ] {
            assert_eq!(ordinal(count), word);
        }
    }
}
