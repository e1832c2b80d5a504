//! What our client costs, as ratios within one run: a call with one form round through session, driver and inbox
//! (answered in process) against a bare POST loop that moves the same bytes; inspecting a link against parsing it.
//!
//! Figures are medians over batches that take turns, so a machine that changes its speed changes both sides.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]
#![expect(
    clippy::disallowed_methods,
    reason = "it measures time and needs a bare HTTP client to compare with"
)]

use countersign_core::clock::SystemClock;
use countersign_core::inbox::guard::Guard;
use countersign_core::inbox::{Inbox, NewCall, ServerFacts};
use countersign_core::link::open::{Browser, OpenError};
use countersign_core::link::{Asker, Known, inspect};
use countersign_core::mrtr::driver::End;
use countersign_core::mrtr::machine::Word;
use countersign_core::session::{Session, Target};
use countersign_core::view::{Act, Answered, Initiator, OfferKind, ServerId};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

const BATCHES: usize = 21;
const CALLS: usize = 50;

const QUESTION: &str = r#"{"resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create","params":{"message":"Archive 214 files?","requestedSchema":{"type":"object","properties":{"format":{"type":"string","title":"Format","oneOf":[{"const":"zip","title":"ZIP"},{"const":"tgz","title":"tar.gz"}],"default":"zip"},"keep":{"type":"boolean","title":"Keep originals","default":true}},"required":["format"]}}}},"requestState":"v1.kid7.QUJDREVGR0hJSktMTU5PUA"}"#;
const DONE: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"Archived 214 files."}]}"#;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(rounds());
    links();
}

async fn rounds() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url: Url = format!("http://{}/mcp", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });

    let session = Arc::new(Session::new(
        Target::Http {
            url: url.clone(),
            headers: Vec::new(),
        },
        Elicitation::Both,
        Duration::from_secs(60),
    ));
    let inbox = Inbox::new(
        Arc::new(SystemClock::default()),
        Arc::new(NoBrowser),
        Guard::Spelled,
        Word::Person,
    );
    let bare = reqwest::Client::builder().no_proxy().build().unwrap();
    let (first, retry) = bodies();

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for batch in 0..=BATCHES {
        let started = Instant::now();
        for _ in 0..CALLS {
            call(&inbox, &session, &url).await;
        }
        let our = started.elapsed() / CALLS as u32;
        let started = Instant::now();
        for _ in 0..CALLS {
            for body in [&first, &retry] {
                let request = bare
                    .post(url.clone())
                    .header("content-type", "application/json")
                    .body(body.clone());
                request.send().await.unwrap().bytes().await.unwrap();
            }
        }
        let their = started.elapsed() / CALLS as u32;
        // The first batch warms both sides up.
        if batch > 0 {
            ours.push(our);
            theirs.push(their);
        }
    }
    report(
        "a call with one form round",
        &ours,
        "two bare POSTs of the same bytes",
        &theirs,
    );
}

async fn call(inbox: &Inbox, session: &Arc<Session>, url: &Url) {
    let mut changes = inbox.changes();
    let (new, request) = new_call(url);
    let call = inbox.start(Arc::clone(session), new, request);
    let mut answered = false;
    loop {
        changes.changed().await.unwrap();
        changes.mark_unchanged();
        if let Some((_, Some(end))) = inbox.end(call) {
            assert!(matches!(end, End::Done(_)), "{end:?}");
            return;
        }
        if !answered && let Some(ask) = inbox.asks().into_iter().find(|ask| ask.call == call) {
            answered = true;
            let sent = inbox.act(ask.id, 1, Act::Accept, Some(Vec::new()), None).await;
            assert_eq!(sent, Answered::Sent);
        }
    }
}

fn new_call(url: &Url) -> (NewCall, Request) {
    let arguments = Json::object([("path", Json::string("/reports"))]);
    let request = Request::new(Method::CallTool)
        .with("name", Json::string("archive_folder"))
        .with("arguments", arguments.clone());
    let new = NewCall {
        server: ServerFacts {
            id: ServerId(1),
            name: "bench".to_owned(),
            goes_to: "127.0.0.1".to_owned(),
            practice: false,
            asker: Asker::Remote(url.clone()),
            practice_page: None,
        },
        kind: OfferKind::Action,
        name: "archive_folder".to_owned(),
        arguments,
        output_schema: None,
        initiator: Initiator::Person,
    };
    (new, request)
}

/// The two messages that a call sends.
fn bodies() -> (String, String) {
    let url = "http://127.0.0.1/".parse().unwrap();
    let (_, request) = new_call(&url);
    let first = request.message(1, Elicitation::Both);
    let answers =
        Json::parse(r#"{"confirm":{"action":"accept","content":{"format":"zip","keep":true}}}"#).unwrap();
    let retry = request
        .with("inputResponses", answers)
        .with("requestState", Json::string("v1.kid7.QUJDREVGR0hJSktMTU5PUA"))
        .message(2, Elicitation::Both);
    (first, retry)
}

/// Answers a question to a first request and the end to a retry, over one connection.
async fn serve(stream: TcpStream) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let body = String::from_utf8(body).unwrap();
        let id = Json::parse(&body).unwrap().get("id").unwrap().to_string();
        let result = if body.contains("inputResponses") {
            DONE
        } else {
            QUESTION
        };
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        // In one write: two would wait for each other's acknowledgement.
        let length = answer.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{answer}"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

struct NoBrowser;

impl Browser for NoBrowser {
    fn is_available(&self) -> bool {
        false
    }

    fn open(&self, _: &Url) -> Result<(), OpenError> {
        Err(OpenError::NoBrowser)
    }
}

fn links() {
    let table = include_str!("../fixtures/link/verdicts.tsv");
    let urls: Vec<&str> = table
        .lines()
        .filter(|line| !line.starts_with(['#']) && line.contains("http"))
        .filter_map(|line| line.split('\t').nth(3))
        .filter(|url| url.len() < 1_000)
        .collect();
    let asker = Asker::Remote("https://mcp.vendor.example".parse().unwrap());
    let known = Known::default();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let count = u32::try_from(urls.len()).unwrap();
    for batch in 0..=BATCHES {
        let started = Instant::now();
        for url in &urls {
            std::hint::black_box(inspect(url, &asker, &known));
        }
        let our = started.elapsed() / count;
        let started = Instant::now();
        for url in &urls {
            let _ = std::hint::black_box(Url::parse(url));
        }
        let their = started.elapsed() / count;
        if batch > 0 {
            ours.push(our);
            theirs.push(their);
        }
    }
    report("inspecting a link", &ours, "parsing its address alone", &theirs);
}

fn report(our: &str, ours: &[Duration], their: &str, theirs: &[Duration]) {
    let median = |figures: &[f64]| {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        (sorted[sorted.len() / 2], sorted[0], sorted[sorted.len() - 1])
    };
    let micros = |times: &[Duration]| {
        times
            .iter()
            .map(|time| time.as_secs_f64() * 1e6)
            .collect::<Vec<_>>()
    };
    let (ours, theirs) = (micros(ours), micros(theirs));
    let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(our, their)| our / their).collect();
    let (ratio, least, most) = median(&ratios);
    println!(
        "{our}: {:.1} µs; {their}: {:.1} µs",
        median(&ours).0,
        median(&theirs).0
    );
    println!(
        "  ratio {ratio:.2} (from {least:.2} to {most:.2} over {} batches)",
        ratios.len()
    );
}
