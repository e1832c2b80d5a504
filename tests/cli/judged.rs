//! `link`: one object for each line, and nothing is opened.

use crate::rig::{Ran, Rig, at, words};
use countersign_core::wire::json::Json;

async fn judged(args: &[&str], input: &str) -> (Rig, Ran, Vec<Json>) {
    let rig = Rig::new().await;
    let args: Vec<&str> = ["link"].into_iter().chain(args.iter().copied()).collect();
    let ran = rig.run_with_input(&args, input).await;
    let objects = ran.stdout.lines().map(|line| Json::parse(line).expect("JSON"));
    let objects = objects.collect();
    (rig, ran, objects)
}

fn codes(object: &Json) -> Vec<&str> {
    let findings = at(object, "findings").as_array().expect("findings");
    findings.iter().map(|finding| words(finding, "code")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_is_judged_in_order_and_nothing_is_opened() {
    let input = "https://vendor.example/connect\n\
        https://b\u{fc}cher.example/\n\
        https://xn--80ak6aa92e.com/login\r\n\
        \n\
        javascript:alert(1)\n\
        http://127.0.0.1:8080/";
    let (rig, ran, objects) = judged(&[], input).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let verdicts: Vec<_> = objects.iter().map(|object| words(object, "verdict")).collect();
    assert_eq!(
        verdicts,
        ["plain", "notice", "risky", "refused", "refused", "notice"],
        "{ran:?}"
    );
    assert_eq!(
        objects[1].to_string(),
        "{\"verdict\":\"notice\",\"findings\":[{\"code\":\"punycode\",\"verdict\":\"notice\",\"sentence\":\"The address has letters outside a–z: bücher.example. Its technical form is xn--bcher-kva.example.\"},{\"code\":\"nonascii-input\",\"verdict\":\"plain\",\"sentence\":\"The address was sent with letters outside a–z.\"},{\"code\":\"normalised\",\"verdict\":\"plain\",\"sentence\":\"The address was written a little differently. What opens is written out here.\"}],\"shown\":\"https://xn--bcher-kva.example/\",\"domain\":\"xn--bcher-kva.example\",\"ascii_host\":\"xn--bcher-kva.example\",\"unicode_host\":\"bücher.example\",\"show_unicode\":true,\"imitates\":null}"
    );
    assert_eq!(
        (words(&objects[2], "unicode_host"), words(&objects[2], "imitates")),
        ("аррӏе.com", "apple.com")
    );
    assert_eq!(at(&objects[2], "show_unicode").as_bool(), Some(false));
    assert_eq!(at(&objects[4], "ascii_host"), &Json::Null);
    assert_eq!(codes(&objects[4]), ["scheme"]);
    assert!(rig.all_opened().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_after_a_tab_is_who_asks() {
    let input = "http://127.0.0.1:8080/\thttps://mcp.vendor.example\n\
        http://127.0.0.1:8080/\tstdio\n\
        https://other.example/\thttps://mcp.vendor.example/mcp\n";
    let (_rig, ran, objects) = judged(&[], input).await;
    let verdicts: Vec<_> = objects.iter().map(|object| words(object, "verdict")).collect();
    assert_eq!(verdicts, ["risky", "notice", "notice"], "{ran:?}");
    assert_eq!(codes(&objects[2]), ["foreign-domain"]);
    let (_rig, ran, objects) = judged(&[], "https://a.example/\nhttps://b.example/\tnowhere\n").await;
    assert_eq!((ran.code, objects.len()), (Some(2), 1), "{ran:?}");
    assert!(ran.stderr.contains("line 2"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn escapes_are_read_only_where_asked_for() {
    let input = "https://vendor.example/\\u{202e}\\u{9}x\n";
    let (_rig, _, objects) = judged(&["--escapes"], input).await;
    assert_eq!(words(&objects[0], "verdict"), "refused");
    assert!(codes(&objects[0]).contains(&"control"), "{}", objects[0]);
    let (_rig, _, objects) = judged(&[], input).await;
    assert_eq!(codes(&objects[0])[..1], ["backslash"], "{}", objects[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_text_and_lines_of_megabytes_are_judged_too() {
    let long = format!("https://a.example/{}\n", "x".repeat(2_000_000));
    let (_rig, ran, objects) = judged(&[], &long).await;
    assert_eq!((ran.code, objects.len()), (Some(0), 1));
    assert_eq!(codes(&objects[0]), ["too-long"]);
}
