//! Calls that are kept in a folder: left by one run, taken up by the next.

use crate::rig::{Ran, Rig, desk};
use countersign_core::wire::json::Json;
use countersign_practice::Desk;

struct Folder {
    rig: Rig,
    desk: Desk,
    data: String,
}

impl Folder {
    async fn new() -> Self {
        let rig = Rig::new().await;
        let data = rig.folder().join("data").display().to_string();
        Self {
            rig,
            desk: desk().await,
            data,
        }
    }

    async fn run(&self, args: &[&str]) -> Ran {
        let url = self.desk.mcp_url();
        let rest = ["--url", &url, "--data-dir", &self.data, "--key-file", "--json"];
        let args: Vec<&str> = args.iter().copied().chain(rest).collect();
        self.rig.run(&args).await
    }
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_could_answer_waits_and_is_answered_by_a_later_run() {
    let folder = Folder::new().await;
    let ran = folder
        .run(&["call", "plan_deployment", "--args", "{\"service\":\"web\"}"])
        .await;
    let json = ran.check(4, "waiting", &["deployment form null"]);
    assert!(
        text(json.get("error").expect("why"), "message").contains("waits for resume"),
        "{json}"
    );

    let ran = folder.run(&["resume", "--list"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let listed = Json::parse(ran.stdout.trim()).expect("one object");
    assert_eq!(text(&listed, "status"), "waiting");
    let asks = listed.get("asks").and_then(Json::as_array).expect("asks");
    assert_eq!(asks.len(), 1);
    assert_eq!(text(&asks[0], "phase"), "waiting");

    let answers = folder.rig.answers(r#"{"*":{"action":"decline"}}"#);
    let ran = folder.run(&["resume", "--answers", &answers]).await;
    assert!(ran.stdout.contains("\"action\":\"decline\""), "{ran:?}");
    let ran = folder.run(&["resume", "--list"]).await;
    assert_eq!(
        (ran.code, ran.stdout.trim()),
        (Some(0), ""),
        "nothing is left: {ran:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_resume_and_the_calls_after_it_stay_as_they_are() {
    let folder = Folder::new().await;
    for service in ["{\"service\":\"web\"}", "{\"service\":\"mail\"}"] {
        let ran = folder.run(&["call", "plan_deployment", "--args", service]).await;
        ran.check(4, "waiting", &["deployment form null"]);
    }
    let url = folder.desk.mcp_url();
    let args = ["resume", "--url", &url, "--data-dir", &folder.data, "--key-file"];
    let ran = folder.rig.type_in(&args, &[("stop [q]: ", "\u{3}")]).await;
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(ran.stdout.matches("You stopped it").count(), 1, "{ran:?}");

    let ran = folder.run(&["resume", "--list"]).await;
    assert_eq!(ran.stdout.matches("\"status\":\"waiting\"").count(), 2, "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_keeps_is_in_no_file_in_clear_text() {
    const CANARY: &str = "kanarienvogel-2207";
    let folder = Folder::new().await;
    let url = format!("{}?key={CANARY}", folder.desk.mcp_url());
    let header = format!("X-Key: {CANARY}");
    let args = format!(r#"{{"service":"{CANARY}"}}"#);
    let kept = [
        "--url",
        &url,
        "--header",
        &header,
        "--data-dir",
        &folder.data,
        "--key-file",
        "--json",
    ];
    let with =
        |args: &[&str]| -> Vec<String> { args.iter().chain(&kept).map(|&arg| arg.to_owned()).collect() };
    let run = async |args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        folder.rig.run(&args).await
    };
    let ran = run(with(&["call", "plan_deployment", "--args", &args])).await;
    ran.check(4, "waiting", &["deployment form null"]);
    let mut files = 0;
    for entry in std::fs::read_dir(&folder.data).expect("the folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        files += 1;
        assert!(
            !bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()),
            "{} holds it",
            path.display()
        );
    }
    assert!(files > 1, "there is something");
    let ran = run(with(&["resume", "--list"])).await;
    assert!(ran.stdout.contains("\"status\":\"waiting\""), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_on_one_folder_are_refused() {
    let folder = Folder::new().await;
    let place = countersign_core::store::place::Place::take(std::path::Path::new(&folder.data));
    let ran = folder
        .run(&["call", "plan_deployment", "--args", "{\"service\":\"web\"}"])
        .await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("already running"), "{ran:?}");
    drop(place);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_store_nothing_is_started_until_a_key_file_is_chosen() {
    let folder = Folder::new().await;
    let url = folder.desk.mcp_url();
    let args = [
        "call",
        "plan_deployment",
        "--args",
        "{\"service\":\"web\"}",
        "--url",
        &url,
        "--data-dir",
        &folder.data,
        "--json",
    ];
    let ran = folder.rig.run(&args).await;
    let json = ran.check(3, "failed", &[]);
    let message = text(json.get("error").expect("why"), "message").to_owned();
    assert!(
        message.contains("Nothing was started") && message.contains("--key-file"),
        "{message}"
    );
}
