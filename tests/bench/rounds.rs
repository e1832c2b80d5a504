//! What our client costs, as ratios within one run: a call with one form round through session, driver and inbox
//! (answered in process) against a bare POST loop that moves the same bytes; many such calls at once against one after
//! the other, and the memory that they hold; inspecting a link against parsing it.
//!
//! Figures are medians over batches that take turns, so a machine that changes its speed changes both sides.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "it measures time, needs a bare HTTP client to compare with, and starts itself as a server"
)]

use countersign_core::clock::SystemClock;
use countersign_core::inbox::guard::Guard;
use countersign_core::inbox::{Inbox, NewCall, ServerFacts};
use countersign_core::link::open::{Browser, OpenError};
use countersign_core::link::{Asker, Known, inspect};
use countersign_core::mrtr::driver::End;
use countersign_core::mrtr::machine::Word;
use countersign_core::session::{Session, Target};
use countersign_core::view::{Act, Answered, CallId, Initiator, OfferKind, ServerId, TargetDraft};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

const BATCHES: usize = 21;
const CALLS: usize = 50;
/// Crowds in all, to see whether memory grows.
const WAVES: usize = 100;
/// Calls that wait for their answer at once.
const CROWD: usize = 500;
/// Starts this program as the server of the crowd, so that its connections and memory are not counted here.
const SERVE: &str = "--serve";

const QUESTION: &str = r#"{"resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create","params":{"message":"Archive 214 files?","requestedSchema":{"type":"object","properties":{"format":{"type":"string","title":"Format","oneOf":[{"const":"zip","title":"ZIP"},{"const":"tgz","title":"tar.gz"}],"default":"zip"},"keep":{"type":"boolean","title":"Keep originals","default":true}},"required":["format"]}}}},"requestState":"v1.kid7.QUJDREVGR0hJSktMTU5PUA"}"#;
const DONE: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"Archived 214 files."}]}"#;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    if std::env::args().any(|argument| argument == SERVE) {
        runtime.block_on(serve_alone());
        return;
    }
    // First, while nothing else has taken memory.
    runtime.block_on(crowd());
    runtime.block_on(rounds());
    links();
}

async fn rounds() {
    let url = listen().await;
    let (inbox, session) = desk(&url);
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

async fn crowd() {
    let mut server = tokio::process::Command::new(std::env::current_exe().unwrap())
        .arg(SERVE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut address)
        .await
        .unwrap();
    let url: Url = address.trim().parse().unwrap();
    let (inbox, session) = desk(&url);

    let (mut many, mut alone) = (Vec::new(), Vec::new());
    // In KiB, over what one call after the other has taken.
    let mut waiting = Vec::new();
    for _ in 0..CALLS {
        call(&inbox, &session, &url).await;
    }
    let before = memory();
    for batch in 0..=BATCHES {
        let started = Instant::now();
        let now = wave(&inbox, &session, &url).await;
        let together = started.elapsed() / CROWD as u32;
        let started = Instant::now();
        for _ in 0..CALLS {
            call(&inbox, &session, &url).await;
        }
        let one = started.elapsed() / CALLS as u32;
        waiting.extend(before.zip(now).map(|(before, now)| now.saturating_sub(before)));
        if batch > 0 {
            many.push(together);
            alone.push(one);
        }
    }
    report(
        &format!("a call with one form round, {CROWD} at once"),
        &many,
        "the same call alone",
        &alone,
    );
    while waiting.len() < WAVES {
        let now = wave(&inbox, &session, &url).await;
        let Some(taken) = before.zip(now).map(|(before, now)| now.saturating_sub(before)) else {
            break;
        };
        waiting.push(taken);
    }
    if let Some(first) = waiting.first() {
        println!(
            "memory taken by {CROWD} calls that wait: {:.1} MiB ({:.1} KiB a call)",
            mib(*first),
            *first as f64 / CROWD as f64
        );
        let every = (1..)
            .zip(&waiting)
            .filter(|(wave, _)| *wave == 2 || wave % 10 == 0);
        let told: Vec<_> = every
            .map(|(wave, taken)| format!("{:.1} by wave {wave}", mib(*taken)))
            .collect();
        println!(
            "memory in MiB while each further {CROWD} wait, the ended ones kept as set: {}",
            told.join(", ")
        );
    } else {
        println!("memory: this system does not say it");
    }
    // The end of its input ends it.
    drop(server.stdin.take());
    server.wait().await.unwrap();
}

/// Starts all, answers when all wait, and lets all end. The memory in use while they waited, in KiB.
async fn wave(inbox: &Inbox, session: &Arc<Session>, url: &Url) -> Option<u64> {
    let mut changes = inbox.changes();
    let calls: Vec<CallId> = (0..CROWD)
        .map(|_| {
            let (new, request) = new_call(url);
            inbox.start(Arc::clone(session), new, request)
        })
        .collect();
    while (inbox.unfinished().waiting as usize) < CROWD {
        changes.changed().await.unwrap();
    }
    let memory = memory();
    for ask in inbox.asks() {
        let sent = inbox.act(ask.id, 1, Act::Accept, Some(Vec::new()), None).await;
        assert_eq!(sent, Answered::Sent);
    }
    for call in calls {
        loop {
            match inbox.end(call) {
                Some((_, Some(End::Done(_)))) => break,
                Some((_, Some(end))) => panic!("{end:?}"),
                Some((_, None)) | None => changes.changed().await.unwrap(),
            }
        }
    }
    memory
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

/// What this process has in memory now, in KiB; `None` where the system does not say it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn desk(url: &Url) -> (Inbox, Arc<Session>) {
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
    (inbox, session)
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
            key: String::new(),
            place: TargetDraft::Http {
                url: "http://localhost/mcp".to_owned(),
                headers: Vec::new(),
            },
            values: String::new(),
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

/// Says its address in a line, and serves until its input ends.
async fn serve_alone() {
    println!("{}", listen().await);
    let mut rest = Vec::new();
    tokio::io::stdin().read_to_end(&mut rest).await.unwrap();
}

async fn listen() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    url.parse().unwrap()
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
