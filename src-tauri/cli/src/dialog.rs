//! Asking a person at a terminal: who asks, the server's words, field by field, a review, and only then an answer.
//!
//! Promises: nothing is answered by an empty line alone; declining and cancelling are offered before the first
//! field; a link is shown whole before it can be opened, and a risky one wants its domain typed.
//!
//! Deliberately absent: changing a kept answer of a round, and texts of several lines.

use crate::terminal::{Gone, Terminal};
use countersign_core::app::Countersign;
use countersign_core::form::{
    Control, EntryControl, FieldErrorCode, FieldInput, FieldView, FormView, GuardLevel, Input, MASK,
    NumberLimits, OptionView, Review, TextFormat, TextLimits,
};
use countersign_core::link::{Inspection, Verdict};
use countersign_core::view::{Act, AskBody, AskView, CallRow};
use countersign_core::wire::json::Json;
use std::fmt::Display;

/// Options that are listed at once; `?` lists all.
const LISTED: usize = 40;

/// What a person chose to do with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Act {
        act: Act,
        inputs: Option<Vec<FieldInput>>,
        domain: Option<String>,
    },
    Stop,
}

impl Said {
    fn act(act: Act) -> Self {
        Self::Act {
            act,
            inputs: None,
            domain: None,
        }
    }
}

/// Shows one question and hears what to do with it.
///
/// # Errors
/// [`Gone`]: nothing was decided.
pub(crate) async fn ask(terminal: &mut Terminal, app: &Countersign, ask: &AskView) -> Result<Said, Gone> {
    terminal.say(&heading(ask))?;
    match &ask.body {
        AskBody::Form { form, draft, .. } => form_dialog(terminal, app, ask, form, draft.clone()).await,
        AskBody::Link { inspection, .. } => {
            terminal.say(&link_text(inspection))?;
            link_dialog(terminal, ask, inspection).await
        }
        AskBody::Unusable { raw, .. } => {
            terminal.say(&format!("What was sent:\n{}", quoted(raw)))?;
            choose(terminal, ask, &[])
                .await
                .map(|said| said.unwrap_or(Said::Stop))
        }
    }
}

/// A call that stands still: whether to go on.
///
/// # Errors
/// [`Gone`].
pub(crate) async fn go_on(
    terminal: &mut Terminal,
    call: &CallRow,
    question: &str,
    yes: &str,
) -> Result<bool, Gone> {
    terminal.say(&format!("\n{}", call.detail.as_deref().unwrap_or(&call.word)))?;
    loop {
        let line = terminal.ask(question).await?;
        match line.trim() {
            word if word == yes => return Ok(true),
            "q" => return Ok(false),
            _ => {}
        }
    }
}

fn heading(ask: &AskView) -> String {
    let mut lines = vec![String::new()];
    let question = match (ask.of, ask.position) {
        (1, _) => "Question".to_owned(),
        (of, position) => format!("Question {position} of {of}"),
    };
    lines.push(format!(
        "{question} from {} ({})",
        ask.server.name, ask.server.address
    ));
    let arguments = ask
        .call
        .arguments
        .iter()
        .map(|chip| format!("{}: {}", chip.name, chip.value));
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    lines.push(format!("Call: {}({arguments})", ask.call.name));
    lines.push(quoted(ask.message.whole.as_deref().unwrap_or(&ask.message.text)));
    lines.extend(ask.notices.iter().map(|notice| format!("! {notice}")));
    lines.join("\n")
}

fn quoted(words: &str) -> String {
    let lines = words.lines().map(|line| format!("| {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Offers these words, the refusals that are possible, and stopping. `None`: one of `words` was chosen; it is the
/// caller's to look at.
async fn choose(
    terminal: &mut Terminal,
    ask: &AskView,
    words: &[(&str, &str)],
) -> Result<Option<Said>, Gone> {
    choose_word(terminal, ask, words)
        .await
        .map(|chosen| match chosen {
            Chosen::Said(said) => Some(said),
            Chosen::Word(_) => None,
        })
}

enum Chosen {
    Said(Said),
    /// The position among the offered words.
    Word(usize),
}

async fn choose_word(terminal: &mut Terminal, ask: &AskView, words: &[(&str, &str)]) -> Result<Chosen, Gone> {
    let mut offers: Vec<String> = words
        .iter()
        .map(|(letter, rest)| format!("[{letter}]{rest}"))
        .collect();
    let mut refusals = Vec::new();
    for act in &ask.acts {
        let (letter, text) = match act {
            Act::Decline => ("d", "[d]ecline"),
            Act::Dismiss => ("c", "[c]ancel (dismiss)"),
            Act::GiveUp => ("g", "[g]ive up (cancel)"),
            Act::DeclineAll => ("all", "decline [all]"),
            Act::Accept
            | Act::Open
            | Act::CheckAgain
            | Act::AlreadyFinished
            | Act::Edit
            | Act::SendAgain
            | Act::StopCall => continue,
        };
        offers.push(text.to_owned());
        refusals.push((letter, *act));
    }
    offers.push("stop [q]".to_owned());
    let prompt = format!("{}: ", offers.join(", "));
    loop {
        let line = terminal.ask(&prompt).await?;
        let line = line.trim();
        if line == "q" {
            return Ok(Chosen::Said(Said::Stop));
        }
        if let Some(position) = words.iter().position(|(letter, _)| *letter == line) {
            return Ok(Chosen::Word(position));
        }
        if let Some((_, act)) = refusals.iter().find(|(letter, _)| *letter == line) {
            return Ok(Chosen::Said(Said::act(*act)));
        }
    }
}

async fn form_dialog(
    terminal: &mut Terminal,
    app: &Countersign,
    ask: &AskView,
    form: &FormView,
    mut inputs: Vec<FieldInput>,
) -> Result<Said, Gone> {
    if !form.fields.is_empty() {
        if let Some(said) = choose(terminal, ask, &[("a", "nswer")]).await? {
            return Ok(said);
        }
        terminal.say("Enter takes what is in (), - leaves a field out, ? explains a field.")?;
    }
    loop {
        for field in &form.fields {
            field_dialog(terminal, app, ask, field, &mut inputs).await?;
        }
        let Some(review) = app.inbox().draft(ask.id, inputs.clone()) else {
            return Ok(Said::Stop);
        };
        terminal.say(&review_text(&review, &ask.goes_to))?;
        let send = match ask.accept_label.as_deref() {
            Some("Keep answer") => ("s", "end (kept until all are answered)"),
            Some(_) | None => ("s", "end"),
        };
        let mut words = if form.fields.is_empty() {
            vec![send]
        } else {
            vec![send, ("e", "dit")]
        };
        words.extend(review.exact.is_some().then_some(("x", "act JSON")));
        loop {
            match choose_word(terminal, ask, &words).await? {
                Chosen::Said(said) => return Ok(said),
                Chosen::Word(0) if review.errors.is_empty() => {
                    return Ok(Said::Act {
                        act: Act::Accept,
                        inputs: Some(inputs),
                        domain: None,
                    });
                }
                Chosen::Word(2) => terminal.say(review.exact.as_deref().unwrap_or_default())?,
                Chosen::Word(_) => break,
            }
        }
    }
}

/// Asks for one field until what was typed fits.
async fn field_dialog(
    terminal: &mut Terminal,
    app: &Countersign,
    ask: &AskView,
    field: &FieldView,
    inputs: &mut Vec<FieldInput>,
) -> Result<(), Gone> {
    let mut shown = format!(
        "\n{}{}",
        field.label,
        if field.required {
            " (required)"
        } else {
            " (optional)"
        }
    );
    shown.extend(field.help.iter().map(|help| format!("\n{}", quoted(help))));
    shown.extend(field.notes.iter().map(|note| format!("\n! {note}")));
    shown.extend(field.guard.iter().map(|guard| format!("\n! {}", guard.sentence)));
    shown.push_str(&options_text(&field.control, LISTED));
    terminal.say(&shown)?;
    let typed = inputs.iter().find(|input| input.field == field.id).cloned();
    let current = typed
        .as_ref()
        .map(|typed| &typed.input)
        .or(field.suggested.as_ref());
    let asks_secret = field
        .guard
        .as_ref()
        .is_some_and(|guard| guard.level == GuardLevel::Secret);
    let hidden = asks_secret || typed.as_ref().is_some_and(|typed| typed.anyway);
    let prompt = match current.and_then(|input| told(&field.control, input)) {
        Some(_) if hidden => format!("{} ({MASK})> ", kind_word(&field.control)),
        Some(value) => format!("{} ({value})> ", kind_word(&field.control)),
        None => format!("{}> ", kind_word(&field.control)),
    };
    loop {
        let line = if asks_secret {
            terminal.ask_unseen(&prompt).await?
        } else {
            terminal.ask(&prompt).await?
        };
        let kept = line.trim().is_empty();
        let given = match line.trim() {
            "" => typed.clone().map(|typed| typed.input),
            "-" => Some(Input::Empty),
            "?" => {
                terminal.say(&explanation(field))?;
                continue;
            }
            _ => match input_of(&field.control, &line) {
                Ok(input) => Some(input),
                Err(why) => {
                    terminal.say(&why)?;
                    continue;
                }
            },
        };
        let mut changed = inputs.clone();
        changed.retain(|input| input.field != field.id);
        changed.extend(given.map(|input| FieldInput {
            field: field.id,
            input,
            anyway: kept && typed.as_ref().is_some_and(|typed| typed.anyway),
        }));
        let errors = app.inbox().with_form(ask.id, |form| form.answer(&changed).err());
        let wrong = errors
            .flatten()
            .and_then(|errors| errors.into_iter().find(|error| error.field == field.id));
        match wrong {
            Some(error) if error.code == FieldErrorCode::HeldBack => {
                terminal.say(&error.message)?;
                let word = terminal
                    .ask("Send this anyway? Type anyway, or Enter to change it: ")
                    .await?;
                if word.trim() == "anyway" {
                    if !changed.iter().any(|input| input.field == field.id) {
                        let suggested = field.suggested.clone();
                        changed.extend(suggested.map(|input| FieldInput::new(field.id, input)));
                    }
                    let own = changed.iter_mut().filter(|input| input.field == field.id);
                    own.for_each(|input| input.anyway = true);
                    *inputs = changed;
                    return Ok(());
                }
            }
            Some(error) => terminal.say(&error.message)?,
            None => {
                *inputs = changed;
                return Ok(());
            }
        }
    }
}

fn input_of(control: &Control, line: &str) -> Result<Input, String> {
    match control {
        Control::Text { .. } | Control::Number { .. } => Ok(Input::Text {
            text: unescaped(line).to_owned(),
        }),
        Control::YesNo => match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Ok(Input::Flag { value: true }),
            "n" | "no" | "false" => Ok(Input::Flag { value: false }),
            _ => Err("Type y or n.".to_owned()),
        },
        Control::Choice { options } => Ok(Input::Pick {
            index: position(line.trim(), options)?,
        }),
        Control::Choices { .. } if line.trim().eq_ignore_ascii_case("none") => {
            Ok(Input::Picks { indexes: Vec::new() })
        }
        Control::Choices { options, .. } => {
            let numbers = line.split([',', ' ', '\t']).filter(|word| !word.is_empty());
            let indexes = numbers
                .map(|word| position(word, options))
                .collect::<Result<_, _>>()?;
            Ok(Input::Picks { indexes })
        }
        Control::Entries { .. } => entries(line.trim()),
    }
}

/// Entries with semicolons between, or a JSON list where the entries themselves have some.
fn entries(line: &str) -> Result<Input, String> {
    if line.eq_ignore_ascii_case("none") {
        return Ok(Input::Entries { texts: Vec::new() });
    }
    if !line.starts_with('[') {
        let texts = line.split(';').map(|text| text.trim().to_owned()).collect();
        return Ok(Input::Entries { texts });
    }
    let refused = || "Type a JSON list of texts or numbers, or the entries with ; between.".to_owned();
    let list = Json::parse(line).map_err(|_| refused())?;
    let texts = list.as_array().ok_or_else(refused)?.iter();
    let texts = texts.map(|entry| entry.as_str().or(entry.as_number()).map(str::to_owned));
    let texts = texts.collect::<Option<_>>().ok_or_else(refused)?;
    Ok(Input::Entries { texts })
}

fn position(word: &str, options: &[OptionView]) -> Result<u32, String> {
    let number: Option<usize> = word.parse().ok();
    number
        .filter(|number| (1..=options.len()).contains(number))
        .and_then(|number| u32::try_from(number - 1).ok())
        .ok_or_else(|| format!("Type the number of a choice, from 1 to {}.", options.len()))
}

/// `\-` and `\?` stand for `-` and `?`, and a further backslash for itself.
fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if matches!(rest.trim().trim_start_matches('\\'), "-" | "?") => rest,
        Some(_) | None => line,
    }
}

fn kind_word(control: &Control) -> &'static str {
    match control {
        Control::Text(TextLimits { format, .. }) => match format {
            None => "text",
            Some(TextFormat::Email) => "e-mail address",
            Some(TextFormat::Uri) => "address",
            Some(TextFormat::Date) => "date",
            Some(TextFormat::DateTime) => "date and time",
        },
        Control::Number(NumberLimits { integer: true, .. }) => "whole number",
        Control::Number(NumberLimits { integer: false, .. }) => "number",
        Control::YesNo => "y or n",
        Control::Choice { .. } => "number of the choice",
        Control::Choices { .. } => "numbers of the choices, or none",
        Control::Entries { .. } => "entries with ; between, or none",
    }
}

/// An input as it would be typed again; none for nothing.
fn told(control: &Control, input: &Input) -> Option<String> {
    match (control, input) {
        (_, Input::Empty) => None,
        (_, Input::Text { text }) => Some(countersign_core::text::line(text, countersign_core::text::TITLE)),
        (_, Input::Flag { value }) => Some(if *value { "y" } else { "n" }.to_owned()),
        (_, Input::Pick { index }) => Some((index + 1).to_string()),
        (_, Input::Picks { indexes }) if indexes.is_empty() => Some("none".to_owned()),
        (_, Input::Picks { indexes }) => {
            let numbers = indexes.iter().map(|index| (index + 1).to_string());
            Some(numbers.collect::<Vec<_>>().join(", "))
        }
        (_, Input::Entries { texts }) if texts.is_empty() => Some("none".to_owned()),
        (_, Input::Entries { texts }) => {
            let list = match texts.iter().any(|text| text.contains(';') || text.trim() != text) {
                true => Json::Array(texts.iter().map(Json::string).collect()).to_string(),
                false => texts.join("; "),
            };
            Some(countersign_core::text::line(&list, countersign_core::text::TITLE))
        }
    }
}

fn options_text(control: &Control, most: usize) -> String {
    let options = match control {
        Control::Choice { options } | Control::Choices { options, .. } => options.as_slice(),
        Control::Text { .. } | Control::Number { .. } | Control::YesNo | Control::Entries { .. } => &[],
    };
    let mut lines = String::new();
    for (number, option) in (1..).zip(options.iter().take(most)) {
        let value = option.value.as_ref().map(|value| format!(" ({value})"));
        lines.push_str(&format!(
            "\n  {number}. {}{}",
            option.title,
            value.unwrap_or_default()
        ));
        for help in option.help.iter().flat_map(|help| help.lines()) {
            lines.push_str(&format!("\n     | {help}"));
        }
    }
    if options.len() > most {
        lines.push_str(&format!("\n  … {} more; ? lists all", options.len() - most));
    }
    lines
}

fn explanation(field: &FieldView) -> String {
    let mut lines: Vec<String> = field.help.iter().map(|help| quoted(help)).collect();
    match &field.control {
        Control::Text(limits) => {
            lines.extend(text_limits("Characters", limits));
            lines.push("To send a lone - or ? type \\- or \\?.".to_owned());
        }
        Control::Number(limits) => lines.extend(number_limits("Value", limits)),
        Control::YesNo => lines.push("y for yes, n for no.".to_owned()),
        Control::Choice { options } => {
            lines.push("One number from the list.".to_owned());
            lines.push(options_text(&field.control, options.len()));
        }
        Control::Choices {
            options,
            min_items,
            max_items,
        } => {
            lines.extend(between("Choices", *min_items, *max_items));
            lines.push(
                "Numbers from the list with blanks or commas between; none for none of these.".to_owned(),
            );
            lines.push(options_text(&field.control, options.len()));
        }
        Control::Entries {
            item,
            min_items,
            max_items,
            unique,
        } => {
            lines.extend(between("Entries", *min_items, *max_items));
            lines.extend(match item {
                EntryControl::Text(limits) => text_limits("Characters of each", limits),
                EntryControl::Number(limits) => number_limits("Value of each", limits),
            });
            if *unique {
                lines.push("No entry twice.".to_owned());
            }
            lines.push(
                "Entries with ; between, or a JSON list such as [\"a; b\", \"c\"]; none for an empty list."
                    .to_owned(),
            );
        }
    }
    lines.push(if field.required {
        "This field is required.".to_owned()
    } else {
        "- leaves this field out.".to_owned()
    });
    lines.join("\n")
}

fn text_limits(what: &str, limits: &TextLimits) -> Vec<String> {
    let length = between(what, limits.min_length, limits.max_length);
    length.into_iter().chain(limits.hint.clone()).collect()
}

fn number_limits(what: &str, limits: &NumberLimits) -> Vec<String> {
    let range = between(what, limits.minimum.as_ref(), limits.maximum.as_ref());
    let others: Vec<String> = [
        ("more than", &limits.above),
        ("less than", &limits.below),
        ("a multiple of", &limits.multiple_of),
    ]
    .into_iter()
    .filter_map(|(words, limit)| limit.as_ref().map(|limit| format!("{words} {limit}")))
    .collect();
    let others = (!others.is_empty()).then(|| format!("It must be {}.", others.join(", ")));
    range.into_iter().chain(others).collect()
}

fn between(what: &str, least: Option<impl Display>, most: Option<impl Display>) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{what}: {least} to {most}.")),
        (Some(least), None) => Some(format!("{what}: at least {least}.")),
        (None, Some(most)) => Some(format!("{what}: at most {most}.")),
        (None, None) => None,
    }
}

fn review_text(review: &Review, goes_to: &str) -> String {
    let mut lines = vec![format!("\nReview: this goes to {goes_to}")];
    for item in &review.will_send {
        let suggested = if item.suggested { " (suggested)" } else { "" };
        lines.push(format!("  {}: {}{suggested}", item.label, item.value));
    }
    if !review.left_out.is_empty() {
        lines.push(format!("  left out: {}", review.left_out.join(", ")));
    }
    lines.extend(review.errors.iter().map(|error| format!("! {}", error.message)));
    lines.extend(review.json.clone());
    lines.join("\n")
}

fn link_text(inspection: &Inspection) -> String {
    let mut lines = vec![
        "The server asks to open this page:".to_owned(),
        inspection.shown.clone(),
    ];
    lines.extend(inspection.as_sent.iter().map(|sent| format!("as sent: {sent}")));
    lines.extend(inspection.domain.iter().map(|domain| format!("Domain: {domain}")));
    lines.extend(
        inspection
            .unicode_host
            .iter()
            .map(|host| format!("reads as: {host}")),
    );
    lines.extend(
        inspection
            .findings
            .iter()
            .map(|finding| format!("! {}", finding.sentence)),
    );
    lines.push(
        match inspection.verdict {
            Verdict::Plain => "Nothing about this link stands out.",
            Verdict::Notice => "Look at this link before you open it.",
            Verdict::Risky => "This link is risky. To go on with it, its domain must be typed.",
            Verdict::Refused => "This link is refused and cannot be opened from here.",
        }
        .to_owned(),
    );
    lines.join("\n")
}

async fn link_dialog(terminal: &mut Terminal, ask: &AskView, inspection: &Inspection) -> Result<Said, Gone> {
    let mut offers = Vec::new();
    for act in ask.acts.iter().rev() {
        let words = match act {
            Act::CheckAgain => ("c", "heck again"),
            Act::Open if ask.acts.contains(&Act::CheckAgain) => ("o", "pen again"),
            Act::Open => ("o", "pen"),
            Act::AlreadyFinished => ("f", "inished already"),
            Act::Accept
            | Act::Decline
            | Act::Dismiss
            | Act::GiveUp
            | Act::Edit
            | Act::SendAgain
            | Act::DeclineAll
            | Act::StopCall => continue,
        };
        offers.push((*act, words));
    }
    let words: Vec<_> = offers.iter().map(|(_, words)| *words).collect();
    let act = match choose_word(terminal, ask, &words).await? {
        Chosen::Said(said) => return Ok(said),
        Chosen::Word(position) => offers.get(position).map(|(act, _)| *act),
    };
    let Some(act) = act else { return Ok(Said::Stop) };
    // Without a browser the word that the page is done stands for opening it.
    let goes_there = act == Act::Open || act == Act::AlreadyFinished && !ask.acts.contains(&Act::Open);
    let domain = if goes_there && inspection.verdict == Verdict::Risky {
        Some(terminal.ask("Type the domain that this link goes to: ").await?)
    } else {
        None
    };
    Ok(Said::Act {
        act,
        inputs: None,
        domain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_dash_or_question_mark_can_be_typed() {
        for (typed, sent) in [
            ("\\-", "-"),
            ("\\?", "?"),
            ("\\\\-", "\\-"),
            ("\\x", "\\x"),
            ("a-", "a-"),
        ] {
            assert_eq!(unescaped(typed), sent);
        }
    }

    #[test]
    fn choices_are_numbers_of_the_list() {
        let options = ["a", "b"].map(|title| OptionView {
            title: title.to_owned(),
            value: None,
            help: None,
        });
        let choices = Control::Choices {
            options: options.to_vec(),
            min_items: None,
            max_items: None,
        };
        assert_eq!(
            input_of(&choices, " 2, 1"),
            Ok(Input::Picks { indexes: vec![1, 0] })
        );
        assert_eq!(input_of(&choices, "none"), Ok(Input::Picks { indexes: vec![] }));
        for line in ["0", "3", "a", "1-2", "1 x"] {
            assert!(input_of(&choices, line).is_err(), "{line}");
        }
    }

    #[test]
    fn entries_stand_between_semicolons_or_in_a_json_list() {
        for (line, texts) in [
            ("none", Some(&[][..])),
            ("a", Some(&["a"][..])),
            ("a; b c ;d", Some(&["a", "b c", "d"])),
            // A comma is a part of the entry; a number with one is refused by its field.
            ("1,5", Some(&["1,5"])),
            ("a;", Some(&["a", ""])),
            (r#"["a; b", 1.50, " c "]"#, Some(&["a; b", "1.50", " c "])),
            ("[]", Some(&[])),
            ("[true]", None),
            ("[1", None),
        ] {
            let typed = entries(line).ok();
            let expected = texts.map(|texts| Input::Entries {
                texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            });
            assert_eq!(typed, expected, "{line}");
        }
    }
}
