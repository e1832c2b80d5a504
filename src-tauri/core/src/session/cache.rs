//! Results that a server says stay good for a while (2026-07-28, server/utilities/caching).
//!
//! Promises: a result is given only to the request that produced it, same method and same parameters; it is fresh
//! while `now < received + ttlMs` and never longer than [`LONGEST`]; what depends on a person's answers is never kept.
//! Time is passed in, monotonic, from any fixed start. Pure.
//!
//! One cache belongs to one configured server and one account on it, and is dropped with either. That is narrower than
//! `private` demands, so the scope decides nothing here; it is kept for whoever would share a cache one day.
//!
//! Deliberately absent: fetching anew, polling (a lifetime is no interval), and results without a lifetime, which
//! would be stale at once.

use crate::wire::json::Json;
use crate::wire::request::{Method, Request};
use std::time::Duration;

/// Most results that are kept; the oldest go first.
pub const MAX_ENTRIES: usize = 500;
/// Most bytes that are kept, as JSON text; the oldest go first. A larger result is not kept.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Longest lifetime that is believed.
pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The results of one server, the oldest first.
#[derive(Default)]
pub struct Cache {
    entries: Vec<Entry>,
}

/// A result that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept<'a> {
    Fresh(&'a Json),
    /// To be asked for anew. It may stand in where that fails.
    Stale(&'a Json),
}

/// Whom a result may be shown to (`cacheScope`); anything but `public` is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Public,
    Private,
}

struct Entry {
    method: Method,
    key: String,
    /// Of `resources/read`.
    uri: Option<String>,
    result: Json,
    scope: Scope,
    bytes: usize,
    /// `None` once a notification said that it changed.
    fresh_until: Option<Duration>,
}

/// Results may be private, so they stay out of `{:?}`.
impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let methods = self.entries.iter().map(|entry| entry.method.name());
        f.debug_tuple("Cache")
            .field(&methods.collect::<Vec<_>>())
            .finish()
    }
}

impl Cache {
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a result that came at `received`, in place of an older one of the same request. Nothing is kept of
    /// methods that the protocol does not name, of requests with `inputResponses` or `requestState`, of results
    /// that are not complete, and of those without a lifetime.
    pub fn keep(&mut self, request: &Request, result: &Json, received: Duration) {
        if !is_cacheable(request) || !is_complete(result) {
            return;
        }
        let key = key(request);
        self.entries.retain(|entry| entry.key != key);
        let lifetime = lifetime(result);
        if lifetime.is_zero() {
            return;
        }
        let bytes = key.len() + result.to_string().len();
        if bytes > MAX_BYTES {
            return;
        }
        self.entries.push(Entry {
            method: request.method,
            key,
            uri: uri(request),
            result: result.clone(),
            scope: scope(result),
            bytes,
            fresh_until: Some(received.saturating_add(lifetime)),
        });
        self.make_room();
    }

    /// What is kept for this request.
    pub fn look(&self, request: &Request, now: Duration) -> Option<Kept<'_>> {
        let entry = self.find(request)?;
        Some(match entry.fresh_until {
            Some(end) if now < end => Kept::Fresh(&entry.result),
            Some(_) | None => Kept::Stale(&entry.result),
        })
    }

    /// Whom the kept result of this request may be shown to.
    pub fn scope(&self, request: &Request) -> Option<Scope> {
        self.find(request).map(|entry| entry.scope)
    }

    /// A list changed: every page of it is stale from now on.
    pub fn invalidate(&mut self, method: Method) {
        self.age(|entry| entry.method == method);
    }

    /// A document changed. The address may be that of a part of what was read (`a/b` of `a`), so both are stale.
    pub fn invalidate_resource(&mut self, changed: &str) {
        self.age(|entry| entry.uri.as_deref().is_some_and(|read| is_within(changed, read)));
    }

    /// Drops every page of a list, as after an error about its cursor.
    pub fn forget(&mut self, method: Method) {
        self.entries.retain(|entry| entry.method != method);
    }

    /// Drops everything: another account, or a time of unknown length (sleep) has passed.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    fn find(&self, request: &Request) -> Option<&Entry> {
        if !is_cacheable(request) {
            return None;
        }
        let key = key(request);
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn age(&mut self, which: impl Fn(&Entry) -> bool) {
        for entry in self.entries.iter_mut().filter(|entry| which(entry)) {
            entry.fresh_until = None;
        }
    }

    fn make_room(&mut self) {
        let mut bytes: usize = self.entries.iter().map(|entry| entry.bytes).sum();
        let mut too_many = self.entries.len().saturating_sub(MAX_ENTRIES);
        let mut leave = 0;
        for entry in &self.entries {
            if too_many == 0 && bytes <= MAX_BYTES {
                break;
            }
            too_many = too_many.saturating_sub(1);
            bytes -= entry.bytes;
            leave += 1;
        }
        self.entries.drain(..leave);
    }
}

/// The six methods of the specification, and only what did not come of an answer.
fn is_cacheable(request: &Request) -> bool {
    matches!(
        request.method,
        Method::Discover
            | Method::ListTools
            | Method::ListPrompts
            | Method::ListResources
            | Method::ListTemplates
            | Method::ReadResource
    ) && !request.params.contains_key("inputResponses")
        && !request.params.contains_key("requestState")
}

fn is_complete(result: &Json) -> bool {
    match result.get("resultType") {
        None => result.as_object().is_some(),
        Some(kind) => kind.as_str() == Some("complete"),
    }
}

/// Absent, negative or no integer is no lifetime.
fn lifetime(result: &Json) -> Duration {
    let milliseconds = result.get("ttlMs").and_then(Json::as_i64).unwrap_or(0);
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)).min(LONGEST)
}

fn scope(result: &Json) -> Scope {
    match result.get("cacheScope").and_then(Json::as_str) {
        Some("public") => Scope::Public,
        Some(_) | None => Scope::Private,
    }
}

fn uri(request: &Request) -> Option<String> {
    let uri = request.params.get("uri")?.as_str()?;
    (request.method == Method::ReadResource).then(|| uri.to_owned())
}

fn is_within(changed: &str, read: &str) -> bool {
    changed
        .strip_prefix(read)
        .is_some_and(|rest| rest.is_empty() || read.ends_with('/') || rest.starts_with(['/', '?', '#']))
}

/// Method and parameters but for `_meta`, members in the order of their names.
fn key(request: &Request) -> String {
    let mut out = request.method.name().to_owned();
    let params = request.params.iter().filter(|(name, _)| *name != "_meta");
    write_members(params.collect(), &mut out);
    out
}

fn write_members(mut members: Vec<(&str, &Json)>, out: &mut String) {
    members.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (name, value) in members {
        out.push_str(&Json::string(name).to_string());
        write_value(value, out);
    }
    out.push('}');
}

fn write_value(value: &Json, out: &mut String) {
    match value {
        Json::Object(members) => write_members(members.iter().collect(), out),
        Json::Array(items) => {
            out.push('[');
            for item in items {
                write_value(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push_str(&value.to_string());
            out.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn json(text: &str) -> Json {
        Json::parse(text).expect(text)
    }

    fn request(method: Method, params: &str) -> Request {
        let params = json(params);
        let members = params.as_object().expect("an object");
        members
            .iter()
            .fold(Request::new(method), |request, (key, value)| {
                request.with(key, value.clone())
            })
    }

    fn read(uri: &str) -> Request {
        Request::new(Method::ReadResource).with("uri", Json::string(uri))
    }

    fn result(ttl: &str) -> Json {
        json(&format!(
            r#"{{"resultType":"complete","ttlMs":{ttl},"cacheScope":"private"}}"#
        ))
    }

    /// Whether a result that came at 10 s is fresh just before and at 11 s, or not kept.
    fn check_lifetime(result: &str, expected: Option<(bool, bool)>) {
        let (mut cache, request) = (Cache::new(), Request::new(Method::ListTools));
        cache.keep(&request, &json(result), 10 * SECOND);
        let fresh = |now| {
            cache
                .look(&request, now)
                .map(|kept| matches!(kept, Kept::Fresh(_)))
        };
        let just_before = 11 * SECOND - Duration::from_nanos(1);
        assert_eq!(fresh(just_before).zip(fresh(11 * SECOND)), expected, "{result}");
    }

    #[test]
    fn a_result_is_fresh_until_its_lifetime_has_passed() {
        check_lifetime(r#"{"resultType":"complete","ttlMs":1000}"#, Some((true, false)));
        check_lifetime(r#"{"ttlMs":1000.0}"#, Some((true, false)));
        check_lifetime(r#"{"ttlMs":999}"#, Some((false, false)));
        check_lifetime(r#"{"ttlMs":1001}"#, Some((true, true)));
        check_lifetime(r#"{"ttlMs":9223372036854775807}"#, Some((true, true)));
        for no_lifetime in [
            "0",
            "-1",
            "-9223372036854775808",
            "1.5",
            "1e3",
            "\"1000\"",
            "null",
            "1E400",
            "[]",
        ] {
            check_lifetime(&format!(r#"{{"ttlMs":{no_lifetime}}}"#), None);
        }
        check_lifetime("{}", None);
        for not_complete in [
            r#"{"resultType":"input_required","ttlMs":1000,"requestState":"s"}"#,
            r#"{"resultType":"task","ttlMs":1000}"#,
            r#"{"resultType":null,"ttlMs":1000}"#,
            "[]",
            "7",
        ] {
            check_lifetime(not_complete, None);
        }
    }

    #[test]
    fn no_lifetime_is_believed_beyond_a_day() {
        let (mut cache, request) = (Cache::new(), Request::new(Method::ListTools));
        cache.keep(&request, &result("9223372036854775807"), SECOND);
        assert!(matches!(cache.look(&request, LONGEST), Some(Kept::Fresh(_))));
        assert!(matches!(
            cache.look(&request, LONGEST + SECOND),
            Some(Kept::Stale(_))
        ));
        cache.keep(&request, &result("1"), Duration::MAX);
        assert!(matches!(
            cache.look(&request, Duration::MAX),
            Some(Kept::Stale(_))
        ));
    }

    #[test]
    fn a_result_is_given_to_its_own_request_only() {
        let check = |params: &str, other: &str, same: bool| {
            let mut cache = Cache::new();
            cache.keep(&request(Method::ReadResource, params), &result("1000"), SECOND);
            let found = cache.look(&request(Method::ReadResource, other), SECOND);
            assert_eq!(found.is_some(), same, "{params} {other}");
        };
        check(r#"{"uri":"a://b"}"#, r#"{"uri":"a://b"}"#, true);
        check(r#"{"uri":"a://b"}"#, r#"{"uri":"a://B"}"#, false);
        check(r#"{"uri":"a://b"}"#, "{}", false);
        check(
            r#"{"uri":"a","x":{"p":1,"q":2}}"#,
            r#"{"x":{"q":2,"p":1},"uri":"a"}"#,
            true,
        );
        check(
            r#"{"uri":"a","_meta":{"progressToken":1}}"#,
            r#"{"_meta":7,"uri":"a"}"#,
            true,
        );
        check(r#"{"x":["a","b"]}"#, r#"{"x":["b","a"]}"#, false);
        check(r#"{"x":["a,b"]}"#, r#"{"x":["a","b"]}"#, false);
        check(r#"{"x":[[1],2]}"#, r#"{"x":[[1,2]]}"#, false);
        check(r#"{"x":[]}"#, r#"{"x":{}}"#, false);
        check(r#"{"x":1}"#, r#"{"x":"1"}"#, false);
        check(r#"{"a":{"b":1},"c":2}"#, r#"{"a":{"b":1,"c":2}}"#, false);
        let mut cache = Cache::new();
        cache.keep(&request(Method::ListTools, "{}"), &result("1000"), SECOND);
        for (other, params) in [
            (Method::ListPrompts, "{}"),
            (Method::ListTools, r#"{"cursor":""}"#),
        ] {
            assert_eq!(cache.look(&request(other, params), SECOND), None, "{params}");
        }
    }

    #[test]
    fn only_six_methods_are_kept_and_nothing_that_came_of_an_answer() {
        let kept = |method, params: &str| {
            let mut cache = Cache::new();
            cache.keep(&request(method, params), &result("1000"), SECOND);
            !cache.entries.is_empty()
        };
        for method in [
            Method::Discover,
            Method::ListTools,
            Method::ListPrompts,
            Method::ListResources,
            Method::ListTemplates,
            Method::ReadResource,
        ] {
            assert!(kept(method, "{}"), "{method:?}");
            assert!(!kept(method, r#"{"requestState":""}"#), "{method:?}");
            assert!(!kept(method, r#"{"inputResponses":{}}"#), "{method:?}");
        }
        assert!(!kept(Method::CallTool, "{}"));
        assert!(!kept(Method::GetPrompt, "{}"));
    }

    #[test]
    fn a_newer_result_takes_the_place_of_the_older_even_without_a_lifetime() {
        let (mut cache, request) = (Cache::new(), Request::new(Method::ListTools));
        cache.keep(&request, &result("1000"), SECOND);
        cache.keep(&request, &result("2000"), 2 * SECOND);
        assert_eq!(
            cache.look(&request, 3 * SECOND),
            Some(Kept::Fresh(&result("2000")))
        );
        assert_eq!(cache.entries.len(), 1);
        cache.keep(&request, &result("0"), 3 * SECOND);
        assert_eq!(cache.look(&request, 3 * SECOND), None);
    }

    #[test]
    fn a_notification_makes_stale_and_what_is_stale_can_still_stand_in() {
        let mut cache = Cache::new();
        let pages = [
            request(Method::ListTools, "{}"),
            request(Method::ListTools, r#"{"cursor":"2"}"#),
        ];
        let other = request(Method::ListPrompts, "{}");
        for request in pages.iter().chain([&other]) {
            cache.keep(request, &result("1000"), SECOND);
        }
        cache.invalidate(Method::ListTools);
        for page in &pages {
            assert_eq!(cache.look(page, SECOND), Some(Kept::Stale(&result("1000"))));
        }
        assert_eq!(cache.look(&other, SECOND), Some(Kept::Fresh(&result("1000"))));
        cache.keep(&pages[0], &result("1000"), SECOND);
        assert!(matches!(cache.look(&pages[0], SECOND), Some(Kept::Fresh(_))));
        cache.forget(Method::ListTools);
        assert_eq!(cache.look(&pages[1], SECOND), None);
        assert!(cache.look(&other, SECOND).is_some());
        cache.clear();
        assert_eq!(cache.look(&other, SECOND), None);
    }

    #[test]
    fn a_changed_document_makes_stale_what_it_is_a_part_of() {
        let fresh_after = |read_uri: &str, changed: &str| {
            let mut cache = Cache::new();
            cache.keep(&read(read_uri), &result("1000"), SECOND);
            cache.invalidate_resource(changed);
            matches!(cache.look(&read(read_uri), SECOND), Some(Kept::Fresh(_)))
        };
        for (read, changed) in [
            ("file:///a", "file:///a"),
            ("file:///a", "file:///a/b"),
            ("file:///a/", "file:///a/b"),
            ("file:///a", "file:///a#x"),
        ] {
            assert!(!fresh_after(read, changed), "{read} {changed}");
        }
        for (read, changed) in [
            ("file:///a", "file:///ab"),
            ("file:///a/b", "file:///a"),
            ("x:a", "x:b"),
        ] {
            assert!(fresh_after(read, changed), "{read} {changed}");
        }
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_or_too_large() {
        let mut cache = Cache::new();
        for n in 0..=MAX_ENTRIES {
            cache.keep(&read(&n.to_string()), &result("1000"), SECOND);
        }
        assert_eq!(cache.entries.len(), MAX_ENTRIES);
        assert_eq!(cache.look(&read("0"), SECOND), None);
        assert!(cache.look(&read("1"), SECOND).is_some());
        let large = |bytes: usize| json(&format!(r#"{{"ttlMs":1000,"text":"{}"}}"#, "x".repeat(bytes)));
        let third = large(MAX_BYTES / 3);
        for uri in ["a", "b", "c"] {
            cache.keep(&read(uri), &third, SECOND);
        }
        let kept: Vec<_> = cache
            .entries
            .iter()
            .filter_map(|entry| entry.uri.as_deref())
            .collect();
        assert_eq!(kept, ["b", "c"]);
        cache.keep(&read("d"), &large(MAX_BYTES), SECOND);
        assert_eq!(cache.entries.len(), 2, "what is too large takes no place");
    }

    #[test]
    fn an_unknown_scope_is_private_and_no_content_is_in_debug_text() {
        let check = |scope: &str, expected: Scope| {
            let mut cache = Cache::new();
            let result = json(&format!(r#"{{"ttlMs":1,"cacheScope":{scope},"text":"secret"}}"#));
            cache.keep(&read("secret://x"), &result, SECOND);
            assert_eq!(cache.scope(&read("secret://x")), Some(expected), "{scope}");
            assert_eq!(format!("{cache:?}"), r#"Cache(["resources/read"])"#);
        };
        check("\"public\"", Scope::Public);
        for other in ["\"private\"", "\"\"", "\"Public\"", "null", "1"] {
            check(other, Scope::Private);
        }
    }
}
