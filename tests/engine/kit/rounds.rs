//! Results of servers, as text.

/// A form entry; `schema` is its requestedSchema.
pub(crate) fn form(message: &str, schema: &str) -> String {
    format!(
        r#"{{"method":"elicitation/create","params":{{"message":"{message}","requestedSchema":{schema}}}}}"#
    )
}

/// A link entry.
pub(crate) fn link(message: &str, url: &str) -> String {
    format!(
        r#"{{"method":"elicitation/create","params":{{"mode":"url","message":"{message}","url":"{url}"}}}}"#
    )
}

/// A result that asks. `state` is JSON text, quotes and all.
pub(crate) fn input_required(entries: &[(&str, String)], state: Option<&str>) -> String {
    let mut result = r#"{"resultType":"input_required""#.to_owned();
    if !entries.is_empty() {
        let entries: Vec<String> = entries
            .iter()
            .map(|(key, entry)| format!(r#""{key}":{entry}"#))
            .collect();
        result.push_str(&format!(r#","inputRequests":{{{}}}"#, entries.join(",")));
    }
    if let Some(state) = state {
        result.push_str(&format!(r#","requestState":{state}"#));
    }
    result.push('}');
    result
}

/// A tool's result with one text.
pub(crate) fn done(text: &str) -> String {
    format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}]}}"#)
}
