//! The practice page that links lead to: static HTML, no script, no style, nothing from elsewhere.

/// Where the page is, below the desk's origin. The query is `ticket=…`.
pub(crate) const PATH: &str = "/practice/account";

/// Nothing may load, run, frame or submit.
pub(crate) const POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// For a ticket that the desk gave out.
pub(crate) const CONNECTED: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Practice account</title>
<h1>Practice account: connected.</h1>
<p>You can close this page.</p>
<p>This was a rehearsal served by Countersign on this computer. Nothing real happened.</p>
</html>
"#;

/// For any other.
pub(crate) const UNKNOWN: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Practice account</title>
<h1>This practice page belongs to no rehearsal that is open.</h1>
<p>Close it and start the call again in Countersign.</p>
</html>
"#;

/// The ticket in a query.
pub(crate) fn ticket(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("ticket="))
}
