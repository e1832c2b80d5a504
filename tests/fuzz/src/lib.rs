//! What must hold for any bytes that a server sends. One function a target; each panics where something does not hold.
//!
//! `make fuzz` runs them under libFuzzer; `tests/engine/fuzz.rs` replays `corpus/` through them in `make test`.
//! Whatever a target needs beside its bytes (chunk sizes, a person's inputs) is drawn from the bytes themselves, so
//! that a file of the corpus is the whole case.

use countersign_core::form::{
    Control, EntryControl, FieldInput, Form, Input, NumberLimits, TextFormat, TextLimits, template,
};
use countersign_core::inbox::result;
use countersign_core::link::{Asker, Known, Link, Names, Verdict, inspect, typed_domain};
use countersign_core::text;
use countersign_core::transport::lines::{Line, Lines};
use countersign_core::transport::sse::{Event, MAX_EVENTS, Splitter};
use countersign_core::transport::{Fault, MAX_MESSAGE};
use countersign_core::view::{OfferKind, ServerText};
use countersign_core::wire::completion::{Completion, MAX_VALUES};
use countersign_core::wire::header;
use countersign_core::wire::json::{Json, MAX_DEPTH};
use countersign_core::wire::legacy::{Handshake, pushed, required_links};
use countersign_core::wire::lists::{ListKind, Page, expand};
use countersign_core::wire::mirror::Mirror;
use countersign_core::wire::outcome::{Entry, MAX_ENTRIES, MAX_STATE, Outcome};
use countersign_core::wire::request::{Elicitation, Method};
use countersign_core::wire::rpc::{Message, RpcError, code};
use countersign_core::wire::structured::{Fit, MAX_FINDINGS, check};
use countersign_core::wire::subscription::hear;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use url::Url;

/// Panics where something does not hold.
pub type Target = fn(&[u8]);

/// Every target with the name of its corpus.
pub const TARGETS: [(&str, Target); 9] = [
    ("sse", sse),
    ("stdio", stdio),
    ("rpc", rpc),
    ("input_required", input_required),
    ("arguments", arguments),
    ("structured", structured),
    ("link", link),
    ("header", header),
    ("text", text),
];

/// A stream of events: the same however it is cut, and what the HTML standard makes of it.
pub fn sse(bytes: &[u8]) {
    let mut dice = Dice::of(bytes);
    let whole = heard([bytes]);
    let events = whole.as_ref().map(|heard| &heard.events);
    assert_eq!(events, Ok(&events_of(bytes)), "in one piece");
    assert_eq!(heard(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(heard(dice.pieces(bytes)), whole, "in pieces");
    if dice.below(64) == 0 {
        too_many_events(bytes);
    }
}

/// The output of a program: the same lines however it is cut, none longer than the limit.
pub fn stdio(bytes: &[u8]) {
    let mut dice = Dice::of(bytes);
    for limit in [1 + dice.below(64), MAX_MESSAGE] {
        let mut expected: Vec<Line> = bytes
            .split(|&byte| byte == b'\n')
            .map(|line| {
                if line.len() > limit {
                    Line::TooLong
                } else {
                    Line::Whole(line.to_vec())
                }
            })
            .collect();
        if expected.last() == Some(&Line::Whole(Vec::new())) {
            expected.pop();
        }
        assert_eq!(split_lines(limit, [bytes]), expected, "in one piece");
        assert_eq!(split_lines(limit, bytes.chunks(1)), expected, "byte by byte");
        assert_eq!(split_lines(limit, dice.pieces(bytes)), expected, "in pieces");
    }
    for line in bytes.split(|&byte| byte == b'\n') {
        let bare = line.strip_suffix(b"\r").unwrap_or(line);
        let (one, other) = (Message::parse(line), Message::parse(bare));
        assert_eq!(
            one.as_ref().ok(),
            other.as_ref().ok(),
            "a carriage return changes nothing"
        );
    }
}

/// A message, and what is read of its result whichever request it answers.
pub fn rpc(bytes: &[u8]) {
    if let Err(fault) = Message::parse(bytes) {
        is_safe(&fault.to_string());
    }
    match Json::parse_bytes(bytes) {
        Ok(json) => {
            let source = std::str::from_utf8(bytes).expect("what parses is UTF-8");
            round_trip(source, &json);
            let result = json.get("result").unwrap_or(&json);
            read_result(result);
        }
        Err(fault) => is_safe(&fault.to_string()),
    }
    // One message is the batch of it; what is in a batch is what it is alone.
    match (Message::parse_all(bytes), Message::parse(bytes)) {
        (Ok(all), Ok(one)) => {
            hear(&one, None);
            hear(&one, Some(1));
            assert_eq!(all, [one]);
        }
        (all, Ok(one)) => panic!("{one:?} is {all:?} in a batch"),
        (Ok(all), Err(_)) => assert!(all.len() != 1 || bytes.contains(&b'[')),
        (Err(fault), Err(_)) => is_safe(&fault.to_string()),
    }
}

/// A result of a call that may be a round, the params of a question that a 2025-era server pushes, or the data of its
/// error -32042: every question as the inbox takes it.
pub fn input_required(bytes: &[u8]) {
    let Ok(json) = Json::parse_bytes(bytes) else {
        return;
    };
    asked_by_2025(&json, &mut Dice::of(bytes));
    match Outcome::parse(Method::CallTool, json) {
        Ok(Outcome::Complete(_)) => {}
        Ok(Outcome::InputRequired(round)) => {
            assert!(round.entries.len() <= MAX_ENTRIES);
            assert!(round.state.as_ref().is_none_or(|state| state.len() <= MAX_STATE));
            assert!(!round.entries.is_empty() || round.state.is_some());
            let mut dice = Dice::of(bytes);
            for (key, entry) in &round.entries {
                is_safe(&text::chip(key));
                question(entry, &mut dice);
            }
        }
        Err(fault) => is_safe(&fault.to_string()),
    }
}

/// Any JSON as a tool's `inputSchema`, as a question's `requestedSchema` and as its params.
pub fn arguments(bytes: &[u8]) {
    let Ok(schema) = Json::parse_bytes(bytes) else {
        return;
    };
    let mut dice = Dice::of(bytes);
    for drawn in [
        Form::parse_arguments(&schema),
        Form::parse(&schema),
        Form::of_request(&schema),
    ] {
        match drawn {
            Ok(form) => filled(&form, &mut dice),
            Err(undrawable) => is_safe(&undrawable.to_string()),
        }
    }
    let start = template(&schema);
    assert!(start.as_object().is_some(), "a template is an object");
    match Mirror::parse(&schema) {
        Ok(mirror) => {
            for (name, value) in mirror.headers(&start).iter().chain(&mirror.headers(&schema)) {
                assert!(name.bytes().all(|byte| byte.is_ascii_graphic()), "{name:?}");
                assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{value:?}");
            }
        }
        Err(fault) => is_safe(&fault.to_string()),
    }
}

/// Any JSON as an `outputSchema`, and as what should fit it.
pub fn structured(bytes: &[u8]) {
    let Ok(json) = Json::parse_bytes(bytes) else {
        return;
    };
    let schema = json.get("outputSchema").unwrap_or(&json);
    let content = json.get("structuredContent").unwrap_or(&json);
    match check(schema, Some(content)) {
        Fit::Fits => {}
        Fit::Missing => panic!("it is there"),
        Fit::Unfit { findings } => {
            assert!((1..=MAX_FINDINGS).contains(&findings.len()));
            findings.iter().for_each(|finding| is_safe(finding));
        }
        Fit::Unchecked { reason } => is_safe(&reason.to_string()),
    }
    assert!(!matches!(check(schema, None), Fit::Fits), "nothing does not fit");
}

/// Any text as a link, asked for by a program, a site and a page of this computer.
pub fn link(bytes: &[u8]) {
    linked(&String::from_utf8_lossy(bytes));
}

/// Any text as the value of a header, and any text as what a header held.
pub fn header(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let value = header::encode(&text);
    assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{value:?}");
    assert_eq!(value.trim(), value, "no blanks at the ends");
    assert_eq!(header::decode(&value).as_deref(), Some(&*text));
    if let Some(decoded) = header::decode(&text) {
        assert_eq!(header::decode(&header::encode(&decoded)), Some(decoded));
    }
}

/// Any words of a server, through every filter.
pub fn text(bytes: &[u8]) {
    let words = String::from_utf8_lossy(bytes);
    let mut dice = Dice::of(bytes);
    let limit = dice.below(200);
    let block = text::block(&words, limit);
    is_safe(&block.text);
    assert!(fits(&block.text, limit), "{limit} at most");
    let line = text::line(&words, limit);
    is_safe(&line);
    assert!(!line.contains(['\n', '\t']), "one line");
    assert!(fits(&text::chip(&words), text::CHIP));
    is_safe(&text::source(&words));
    is_safe(&ServerText::of(&words).text);
    let marked = text::marked(&words);
    is_safe(&marked);
    assert!(!marked.contains(['\n', '\t']), "one line");
    assert_eq!(text::marked(&marked), marked, "marks are not marked");
    if words.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        assert_eq!(text::block(&words, words.len()).text, words, "plain text stays");
    }
}

// Streams

/// What a stream said, to its last byte.
#[derive(Debug, PartialEq)]
struct Heard {
    events: Vec<Event>,
    last_id: Option<String>,
    retry: Option<Duration>,
}

fn heard<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<Heard, Fault> {
    let mut splitter = Splitter::default();
    let mut events = Vec::new();
    for chunk in chunks {
        events.extend(splitter.events(chunk)?);
    }
    Ok(Heard {
        events,
        last_id: splitter.last_id().map(str::to_owned),
        retry: splitter.retry(),
    })
}

/// The events of a whole stream (HTML standard, 9.2.6), read in the plainest way.
fn events_of(stream: &[u8]) -> Vec<Event> {
    let stream = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream);
    let mut lines = vec![Vec::new()];
    let mut bytes = stream.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\r' => {
                bytes.next_if(|&&next| next == b'\n');
                lines.push(Vec::new());
            }
            b'\n' => lines.push(Vec::new()),
            other => lines.last_mut().expect("a line").push(other),
        }
    }
    lines.pop();
    let mut events: Vec<Event> = lines
        .split(Vec::is_empty)
        .map(|event| {
            let name = event
                .iter()
                .filter_map(|line| value_of(b"event", line))
                .next_back();
            let data: Vec<&[u8]> = event.iter().filter_map(|line| value_of(b"data", line)).collect();
            Event {
                name: name.and_then(|name| String::from_utf8(name.to_vec()).ok()),
                data: data.join(&b'\n'),
            }
        })
        .collect();
    // No blank line came after the last one.
    events.pop();
    events.retain(|event| !event.data.is_empty());
    events
}

fn value_of<'a>(field: &[u8], line: &'a [u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(field)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

fn too_many_events(bytes: &[u8]) {
    let once = [bytes, b"\n\n"].concat();
    let times = match events_of(&once).len() {
        0 => return,
        events => MAX_EVENTS / events + 1,
    };
    if times * once.len() > 500_000 {
        return;
    }
    let stream = once.repeat(times);
    let too_many = events_of(&stream).len() > MAX_EVENTS;
    assert_eq!(heard(stream.chunks(1_000)).is_err(), too_many);
}

fn split_lines<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Line> {
    let mut lines = Lines::new(limit);
    let mut split: Vec<Line> = chunks.into_iter().flat_map(|chunk| lines.push(chunk)).collect();
    split.extend(lines.end());
    split
}

// Messages

/// What parsed prints, and what is printed parses to the same value; `serde_json` reads the same in it.
fn round_trip(source: &str, json: &Json) {
    let printed = json.to_string();
    assert!(!printed.contains(['\n', '\r']), "one message is one line");
    assert_eq!(Json::parse(&printed).as_ref(), Ok(json), "compact");
    assert_eq!(Json::parse(&json.pretty()).as_ref(), Ok(json), "pretty");
    assert!(depth(json) <= MAX_DEPTH);
    // It refuses numbers that do not fit, and gives up before our depth.
    if let Ok(value) = serde_json::from_str::<Value>(source) {
        assert_eq!(json.to_value().to_string(), value.to_string(), "read differently");
    }
    let (mut sent, mut kept) = (numbers_in(source), Vec::new());
    numbers_of(json, &mut kept);
    sent.sort_unstable();
    kept.sort_unstable();
    // A member that was sent twice counts once, so that fewer may be kept.
    for number in kept {
        match sent.iter().position(|&known| known == number) {
            Some(position) => drop(sent.remove(position)),
            None => panic!("the number {number} was not sent"),
        }
    }
}

fn depth(json: &Json) -> usize {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
    }
}

/// The numbers of a JSON text, character for character.
fn numbers_in(source: &str) -> Vec<&str> {
    let mut numbers = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[at..];
        let length = if let Some(string) = rest.strip_prefix('"') {
            let mut escaped = false;
            let inside = string.find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            inside.expect("a string ends") + 2
        } else {
            let length = rest
                .find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c))
                .unwrap_or(rest.len());
            numbers.push(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    numbers
}

fn numbers_of<'a>(json: &'a Json, numbers: &mut Vec<&'a str>) {
    match json {
        Json::Null | Json::Bool(_) | Json::String(_) => {}
        Json::Number(text) => numbers.push(text),
        Json::Array(items) => items.iter().for_each(|item| numbers_of(item, numbers)),
        Json::Object(members) => members.iter().for_each(|(_, value)| numbers_of(value, numbers)),
    }
}

fn read_result(result: &Json) {
    if let Err(wanted) = Handshake::parse(result) {
        is_safe(&wanted);
    }
    let completion = Completion::parse(result);
    assert!(completion.values.len() <= MAX_VALUES);
    assert!(
        completion
            .total
            .is_none_or(|total| total >= completion.values.len() as u64)
    );
    for method in [
        Method::ListTools,
        Method::CallTool,
        Method::GetPrompt,
        Method::ReadResource,
    ] {
        match Outcome::parse(method, result.clone()) {
            Ok(Outcome::Complete(_)) => {}
            Ok(Outcome::InputRequired(_)) => assert!(method.may_ask(), "{method:?} may not ask"),
            Err(fault) => is_safe(&fault.to_string()),
        }
    }
    for kind in [
        ListKind::Tools,
        ListKind::Prompts,
        ListKind::Resources,
        ListKind::Templates,
    ] {
        let page = Page::parse(kind, result);
        page.problems.iter().for_each(|problem| is_safe(problem));
        for offer in page.offers {
            assert!(
                offer.arguments.as_object().is_some(),
                "arguments have an object schema"
            );
            let start = template(&offer.arguments);
            match kind {
                ListKind::Templates => drop(expand(&offer.name, &start)),
                ListKind::Tools => drop(Form::parse_arguments(&offer.arguments)),
                ListKind::Prompts | ListKind::Resources => {
                    if let Err(undrawable) = Form::parse_arguments(&offer.arguments) {
                        is_safe(&undrawable.to_string());
                    }
                }
            }
        }
    }
    for kind in [OfferKind::Action, OfferKind::Starter, OfferKind::Document] {
        let parts = result::parts(kind, result);
        assert!(!parts.is_empty(), "something is always said");
        shows_safely(&parts);
    }
}

// Questions

fn asked_by_2025(json: &Json, dice: &mut Dice) {
    let params = json.get("params").unwrap_or(json);
    for elicitation in [Elicitation::Both, Elicitation::None] {
        match pushed(params.clone(), elicitation) {
            Ok(entry) => question(&entry, dice),
            Err(fault) => is_safe(&fault),
        }
    }
    let error = RpcError {
        code: code::LINKS_REQUIRED,
        message: String::new(),
        data: Some(json.clone()),
    };
    for (_, entry) in required_links(&error).unwrap_or_default() {
        assert!(matches!(entry, Entry::Link { .. }), "only pages can be required");
        question(&entry, dice);
    }
}

fn question(entry: &Entry, dice: &mut Dice) {
    is_safe(&ServerText::of(entry.message()).text);
    is_safe(&text::source(&entry.raw().pretty()));
    match entry {
        Entry::Form { raw, .. } => match Form::of_request(raw.get("params").unwrap_or(&Json::Null)) {
            Ok(form) => filled(&form, dice),
            Err(undrawable) => is_safe(&undrawable.to_string()),
        },
        Entry::Link { url: Some(url), .. } => linked(url),
        Entry::Link { url: None, .. } => {}
    }
}

/// A form as it is drawn, and answered with nothing, with anything, and with what its controls ask for.
fn filled(form: &Form, dice: &mut Dice) {
    let view = form.view();
    let mut drawn = view.clone();
    // A suggestion is in the field itself, exact; what is odd about it is in the field's notes.
    drawn.fields.iter_mut().for_each(|field| field.suggested = None);
    shows_safely(&drawn);
    for (position, field) in view.fields.iter().enumerate() {
        assert_eq!(usize::try_from(field.id), Ok(position));
        assert!(!field.label.is_empty(), "every field has a label");
    }
    let count = u32::try_from(view.fields.len()).expect("few fields");
    answered(form, &[]);
    let anything: Vec<FieldInput> = (0..dice.below(6))
        .map(|_| FieldInput {
            field: dice.up_to(count + 1),
            input: dice.input(),
            anyway: dice.below(2) == 0,
        })
        .collect();
    answered(form, &anything);
    let mut fitting: Vec<FieldInput> = view
        .fields
        .iter()
        .map(|field| FieldInput {
            field: field.id,
            input: dice.fitting(&field.control),
            anyway: true,
        })
        .collect();
    answered(form, &fitting);
    fitting.extend(anything);
    answered(form, &fitting);
}

/// What a review shows is what is sent; what is wrong is said in both; an answer written down gives itself again.
fn answered(form: &Form, inputs: &[FieldInput]) {
    let review = form.review(inputs);
    shows_safely(&review);
    let answer = match form.answer(inputs) {
        Ok(answer) => answer,
        Err(errors) => {
            assert!(!errors.is_empty(), "an error is named");
            assert_eq!((review.errors, review.json), (errors, None));
            return;
        }
    };
    let (content, result) = (answer.content(), answer.result());
    assert_eq!(review.errors, []);
    let exact = review.exact.or(review.json);
    assert_eq!(
        Json::parse(&exact.expect("the answer is shown")).as_ref(),
        Ok(&result)
    );
    assert_eq!(Json::parse(&result.to_string()).as_ref(), Ok(&result));
    assert_eq!(
        review.will_send.len(),
        content.as_object().expect("an object").len()
    );
    assert_eq!(
        review.will_send.len() + review.left_out.len(),
        form.view().fields.len()
    );
    let mut again = form
        .inputs_from_content(&content)
        .expect("an answer is a content");
    again.iter_mut().for_each(|given| given.anyway = true);
    assert_eq!(form.answer(&again).map(|answer| answer.content()), Ok(content));
}

fn linked(raw: &str) {
    let site = |address: &str| Url::parse(address).expect(address);
    let askers = [
        Asker::Local,
        Asker::Remote(site("https://mcp.vendor.example/mcp")),
        Asker::Remote(site("http://127.0.0.1:8000/mcp")),
    ];
    let plain = Known::default();
    let practised = Known {
        names: Names::new(["app.ledgerly.example"]),
        times: Some(u32::from(raw.len().is_multiple_of(2))),
        practice: Some(site("http://127.0.0.1:4000/")),
    };
    for (asker, known) in askers.iter().zip([&plain, &practised, &practised]) {
        judged(raw, &inspect(raw, asker, known), asker, known);
    }
}

fn judged(raw: &str, link: &Link, asker: &Asker, known: &Known) {
    let Link { inspection, url } = link;
    shows_safely(inspection);
    let verdicts: Vec<Verdict> = inspection
        .findings
        .iter()
        .map(|finding| finding.verdict)
        .collect();
    assert!(
        verdicts.is_sorted_by(|one, next| one >= next),
        "most serious first"
    );
    assert_eq!(
        verdicts.first().copied().unwrap_or(Verdict::Plain),
        inspection.verdict
    );
    assert_eq!(
        url.is_none(),
        inspection.verdict == Verdict::Refused,
        "open only below refused"
    );
    let Some(url) = url else { return };
    assert!(["http", "https"].contains(&url.scheme()));
    assert_eq!(inspection.shown, url.as_str(), "what is shown is what is opened");
    assert!(inspection.shown.is_ascii());
    assert_eq!(
        Url::parse(&inspection.shown).as_ref(),
        Ok(url),
        "a browser reads the same"
    );
    assert_eq!((url.username(), url.password()), ("", None));
    assert_eq!(inspection.ascii_host.as_deref(), url.host_str());
    assert_eq!(
        inspection.origin.as_deref(),
        Some(&*url.origin().ascii_serialization())
    );
    assert_eq!(inspection.as_sent.is_some(), raw != inspection.shown);
    let domain = inspection.domain.as_deref().expect("a domain");
    let host = inspection.ascii_host.as_deref().expect("a host");
    let before = host.strip_suffix(domain).expect("the domain ends the host");
    assert!(before.is_empty() || before.ends_with('.'), "whole labels");
    assert_eq!(typed_domain(inspection, domain), Ok(()));
    assert!(typed_domain(inspection, "").is_err());
    let again = inspect(&inspection.shown, asker, known);
    assert_eq!(again.url.as_ref(), Some(url), "what is shown can be opened");
}

// What reaches a screen

/// Every text in a view model.
fn shows_safely(view: &impl Serialize) {
    fn walk(value: &Value) {
        match value {
            Value::String(text) => is_safe(text),
            Value::Array(items) => items.iter().for_each(walk),
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                is_safe(key);
                walk(value);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    walk(&serde_json::to_value(view).expect("a view model"));
}

/// No control, bidirectional or plainly invisible character; line breaks and tabs may be.
fn is_safe(text: &str) {
    let odd = text.chars().find(|&c| {
        let control = c.is_control() && !matches!(c, '\n' | '\t');
        let steering =
            matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}');
        let hidden = matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        control || steering || hidden
    });
    assert_eq!(odd, None, "{text:?}");
}

/// Whether a text is within its limit; the mark of a hidden character counts for one but is longer.
fn fits(text: &str, limit: usize) -> bool {
    text.chars().count() <= limit || text.contains('⟦')
}

/// Chance that is decided by the bytes of the case (xorshift64* over FNV-1a).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn of(bytes: &[u8]) -> Self {
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash | 1)
    }

    /// From 0 to `bound` - 1; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(drawn)
            .unwrap_or(0)
            .checked_rem(bound)
            .unwrap_or(0)
    }

    fn up_to(&mut self, most: u32) -> u32 {
        u32::try_from(self.below(most as usize + 1)).unwrap_or(most)
    }

    fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }

    /// The bytes in pieces, empty ones among them.
    fn pieces<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(self.below(9).min(bytes.len()));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }

    /// What a person, or a window gone wrong, may enter anywhere.
    fn input(&mut self) -> Input {
        match self.below(6) {
            0 => Input::Empty,
            1 => Input::Text {
                text: self.pick(&ODD_TEXTS).to_owned(),
            },
            2 => Input::Flag {
                value: self.below(2) == 0,
            },
            3 => Input::Pick {
                index: self.odd_index(),
            },
            4 => Input::Entries {
                texts: (0..self.below(5))
                    .map(|_| self.pick(&ODD_TEXTS).to_owned())
                    .collect(),
            },
            _ => Input::Picks {
                indexes: (0..self.below(5)).map(|_| self.odd_index()).collect(),
            },
        }
    }

    fn odd_index(&mut self) -> u32 {
        if self.below(8) == 0 {
            u32::MAX
        } else {
            self.up_to(4)
        }
    }

    fn fitting(&mut self, control: &Control) -> Input {
        match control {
            Control::Text(TextLimits {
                format, min_length, ..
            }) => Input::Text {
                text: match format {
                    Some(TextFormat::Email) => "a.b+c@mail.example".to_owned(),
                    Some(TextFormat::Uri) => "https://a.example/x?y=1#z".to_owned(),
                    Some(TextFormat::Date) => "2028-02-29".to_owned(),
                    Some(TextFormat::DateTime) => "2026-07-28T23:59:59.5+02:00".to_owned(),
                    None => self
                        .pick(&["x", "é", "\u{202e}", "\"", "\u{1f600}"])
                        .repeat(min_length.unwrap_or(1).clamp(1, 1_000) as usize),
                },
            },
            Control::Number(NumberLimits { minimum, maximum, .. }) => {
                let bound = if self.below(2) == 0 { minimum } else { maximum };
                Input::Text {
                    text: match bound {
                        Some(bound) if self.below(2) == 0 => bound.clone(),
                        Some(_) | None => self
                            .pick(&["0", "3", "-1", "1.50", "1e3", "7.0", "12345678901234567890"])
                            .to_owned(),
                    },
                }
            }
            Control::YesNo => Input::Flag {
                value: self.below(2) == 0,
            },
            Control::Choice { options } => Input::Pick {
                index: self.position(options.len()),
            },
            Control::Choices {
                options, min_items, ..
            } => {
                let wanted = min_items.unwrap_or(0) as usize + self.below(3);
                let indexes = (0..wanted.min(options.len())).map(|_| self.position(options.len()));
                Input::Picks {
                    indexes: indexes.collect(),
                }
            }
            Control::Entries { item, min_items, .. } => {
                let wanted = (min_items.unwrap_or(0) as usize + self.below(3)).min(100);
                Input::Entries {
                    texts: (0..wanted).map(|place| self.entry(item, place)).collect(),
                }
            }
        }
    }

    fn entry(&mut self, item: &EntryControl, place: usize) -> String {
        match item {
            EntryControl::Text(TextLimits {
                format, min_length, ..
            }) => match format {
                Some(TextFormat::Email) => format!("a{place}@mail.example"),
                Some(TextFormat::Uri) => format!("https://a.example/{place}"),
                Some(TextFormat::Date) => "2028-02-29".to_owned(),
                Some(TextFormat::DateTime) => "2026-07-28T23:59:59.5+02:00".to_owned(),
                None => self
                    .pick(&["x", "é", "\u{202e}"])
                    .repeat(min_length.unwrap_or(1).clamp(1, 1_000) as usize),
            },
            EntryControl::Number(NumberLimits { minimum, .. }) => match minimum {
                Some(least) if self.below(2) == 0 => least.clone(),
                Some(_) | None => self.pick(&["0", "3", "-1", "1.50", "1e3"]).to_owned(),
            },
        }
    }

    fn position(&mut self, length: usize) -> u32 {
        u32::try_from(self.below(length)).unwrap_or(u32::MAX)
    }
}

const ODD_TEXTS: [&str; 24] = [
    "",
    " ",
    "x",
    "  two  blanks  ",
    "\u{202e}evil\u{2066}",
    "\u{0}\u{1b}[2J",
    "line\r\nline\u{2028}line",
    "\"\\/\u{7f}",
    "-0",
    "+1",
    ".5",
    "5.",
    "1,5",
    "0x10",
    "١٢",
    "1e999999999999",
    "-1e-999999999999",
    "99999999999999999999999999999999999999",
    "0.1000000000000000055511151231257827",
    "NaN",
    "2026-02-30",
    "2016-12-31T23:59:60Z",
    "a@b",
    "javascript:alert(1)",
];
