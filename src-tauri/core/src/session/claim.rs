//! The name that a server gives itself, beside the names that a person trusts. Pure.
//!
//! Promises: a name that looks like another server of the list, like this app or like a part of the system is told, in
//! words of the app. Deliberately absent: a verdict. A server may call itself anything; the card is headed by the name
//! that the person gave.

use unicode_normalization::UnicodeNormalization;

/// What a server could pass itself off as.
const APP: &str = "countersign";
const SYSTEM: [&str; 24] = [
    "administrator",
    "app settings",
    "apple",
    "authenticator",
    "control panel",
    "credential manager",
    "finder",
    "gnome",
    "keychain",
    "linux",
    "macos",
    "microsoft",
    "operating system",
    "password manager",
    "security",
    "security center",
    "security centre",
    "settings",
    "software update",
    "system",
    "system settings",
    "update",
    "windows",
    "windows security",
];

/// What is to be said of `claim`, the name that a server gives itself, where `name` is the person's own for it and
/// `others` are those for the other servers.
pub fn note<'a>(claim: &str, name: &str, mut others: impl Iterator<Item = &'a str>) -> Option<String> {
    let looks = look(claim);
    if looks == look(name) {
        return None;
    }
    if let Some(other) = others.find(|other| look(other) == looks) {
        return Some(format!(
            "“{other}” is another server in your list, and this is not it."
        ));
    }
    let app = look(APP);
    if looks.split(' ').any(|word| word == app) {
        return Some("It is a server, and no part of Countersign.".to_owned());
    }
    SYSTEM
        .iter()
        .any(|system| look(system) == looks)
        .then(|| "It is a server, and no part of this computer’s system.".to_owned())
}

/// The same for names that a reader cannot tell apart: UTS #39 skeleton of small letters, words parted by one blank.
fn look(name: &str) -> String {
    let small: String = name.nfkc().flat_map(char::to_lowercase).collect();
    let plain: String = unicode_security::skeleton(&small).collect();
    plain
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::note;

    fn check(claim: &str, said: Option<&str>) {
        let note = note(claim, "CRM sandbox", ["GitHub", "Files"].into_iter());
        match (note, said) {
            (None, None) => {}
            (Some(note), Some(said)) => assert!(note.contains(said), "{claim}: {note}"),
            (note, _) => panic!("{claim}: {note:?}"),
        }
    }

    #[test]
    fn text_25_a_name_that_looks_like_another_server_is_told() {
        for claim in ["GitHub", "G\u{456}thub", "  github ", "Ｇｉｔｈｕｂ", "GitHub!"] {
            check(claim, Some("“GitHub” is another server"));
        }
        check("App Settings", Some("no part of this computer"));
        check("GitHub issues", None);
        check("Acme CRM", None);
        check("CRM s\u{430}ndbox", None);
        check("", None);
    }

    #[test]
    fn text_26_a_name_of_this_app_or_of_the_system_is_told() {
        for claim in ["Countersign", "Countersign Security", "C\u{43e}untersign"] {
            check(claim, Some("no part of Countersign"));
        }
        for claim in ["Security Center", "Windows", "SYSTEM", "Syst\u{435}m"] {
            check(claim, Some("no part of this computer"));
        }
        check("Window cleaning", None);
        check("Systematic reviews", None);
    }
}
