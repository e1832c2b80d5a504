//! The command line.

use clap::{Args, Parser, Subcommand};
use countersign_core::session::address::DEFAULT_TIMEOUT;
use countersign_core::wire::Revision;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the server's error: an error response, or a result that says it failed
  2  usage
  3  our failure: no connection, a broken protocol, unreadable settings
  4  stopped: nothing more was sent, no answer was made up
  5  not delivered, or sent with an unknown outcome";

const ANSWERS: &str = "\
Questions are asked in the terminal, or answered from --answers FILE: a JSON object from the key of a question
(or * for any form) to an answer, or to a list of answers, used one each time that the key is asked.
  {\"action\":\"accept\",\"content\":{…}}      a form; exactly this content is checked and sent.
                                         Without content: the form as the server suggests it
                                         A password, key or card is sent only if \"anyway\",
                                         a list of keys, names its field
  {\"action\":\"accept\",\"url\":\"https://…\"}  a link, by its exact address, or by its \"origin\";
                                         a risky link also needs its \"domain\"
                                         \"opened\": true says that its page was opened before,
                                         where a crash left that unknown, and opens nothing
  {\"action\":\"decline\"}  {\"action\":\"cancel\"}
* never matches a link. A link that was opened and is asked for again is checked again without opening it, a few
times and with growing pauses, unless its list holds a further answer. A question without a matching answer is asked
in the terminal. Where there is none it waits in --data-dir for resume; without that the call is stopped, and nothing
is sent. With neither a terminal, --answers nor --data-dir, servers are told that nothing can be asked here.

";

const LINK: &str = "\
One address a line on stdin; after a TAB, where the server is that asks for it: its address, or stdio for a program
on this computer (also where nothing is said). One JSON object a line on stdout:
  verdict       plain, notice, risky (opens only with its domain typed) or refused (never opens)
  findings      why, the worst first: code, verdict, sentence
  shown         the address as it would be opened, or as it was written where it never is
  domain        what somebody registered, or the whole host
  ascii_host    where it goes, in technical form
  unicode_host  the same with its letters decoded
  show_unicode  whether those letters deceive nobody, so that a card shows them
Nothing is opened, resolved or fetched.

Exit codes:
  0  every line was judged, whatever the verdicts
  2  usage: a server that is none, named with its line
  3  stdin cannot be read";

const FORM: &str = "\
Each line of stdin is one object:
  {\"schema\":{…},\"answer\":{\"KEY\":\"TEXT\",…}}
\"answer\" holds what a person would type for each key; a key that is not there is an untouched field, null is a field
that was emptied. A choice is named by its value or its title, yes and no by yes, no, true or false; several choices
and the entries of a list are a list of texts, or one text a line.

Each line of stdout is one object:
  \"undrawable\"  why the schema is not drawn; then there is nothing else
  \"fields\"      the fields in their order: key, kind, label, required, control, suggested, notes
  \"guard\"       for each key: ok, suspicious or secret
  \"content\"     exactly what would be sent, or
  \"errors\"      for each key that is wrong: code and message
  \"problem\"     instead of all: the line is no such object

Exit codes:
  0  every line was read
  2  a line was no such object";

/// Call MCP servers (revisions 2024-11-05 to 2026-07-28) and answer what they ask.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List the tools of a server
    Tools(Listing),
    /// List the prompts of a server
    Prompts(Listing),
    /// List the resources and resource templates of a server
    Resources(Listing),
    /// Call a tool
    #[command(after_help = format!("{ANSWERS}{EXIT_CODES}"))]
    Call {
        /// Name of the tool
        tool: String,
        /// Arguments, a JSON object, sent exactly as given
        #[arg(long, value_name = "JSON")]
        args: Option<String>,
        #[command(flatten)]
        calling: Calling,
    },
    /// Get a prompt
    #[command(after_help = format!("{ANSWERS}{EXIT_CODES}"))]
    Prompt {
        /// Name of the prompt
        name: String,
        /// Arguments, a JSON object, sent exactly as given
        #[arg(long, value_name = "JSON")]
        args: Option<String>,
        #[command(flatten)]
        calling: Calling,
    },
    /// Read a resource
    #[command(after_help = format!("{ANSWERS}{EXIT_CODES}"))]
    Read {
        /// Address of the resource
        uri: String,
        #[command(flatten)]
        calling: Calling,
    },
    /// Take up the calls that are kept for a server: answer what waits, and say what is not known
    #[command(after_help = format!("{ANSWERS}{EXIT_CODES}"))]
    Resume {
        /// Only say what is kept and where it stands; nothing is answered or sent
        #[arg(long)]
        list: bool,
        /// Send once more what may have arrived already. Without it such a call stays as it is
        #[arg(long)]
        send_again: bool,
        #[command(flatten)]
        calling: Calling,
    },
    /// Try forms without a server: schemas and typed answers from stdin, one JSON object a line
    #[command(after_help = FORM)]
    Form,
    /// Judge addresses as links of a server, without opening them
    #[command(after_help = LINK)]
    Link {
        /// Read \u{hex} in a line as that character
        #[arg(long)]
        escapes: bool,
    },
    /// Serve the practice workshop over stdin and stdout
    #[command(hide = true)]
    PracticeWorkshop,
    /// Be the client that the official conformance suite tests
    #[command(hide = true)]
    Conformance {
        /// Address of the suite's server
        url: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Listing {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Calling {
    /// Answers to the questions of the server; - reads them from stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Connection {
    #[command(flatten)]
    pub(crate) place: Place,
    /// A header for every request to --url; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE", conflicts_with_all = ["command", "server"])]
    pub(crate) headers: Vec<String>,
    /// A variable for the program of --command; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", conflicts_with_all = ["url", "server"])]
    pub(crate) env: Vec<String>,
    /// The folder that the program of --command runs in
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["url", "server"])]
    pub(crate) cwd: Option<String>,
    /// Longest silence of the server, in seconds; your own time never counts
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = DEFAULT_TIMEOUT,
        value_parser = clap::value_parser!(u32).range(1..=3600),
        conflicts_with = "server"
    )]
    pub(crate) timeout: u32,
    /// Speak this revision of the protocol without asking; otherwise the newest that the server knows is found out
    #[arg(long, value_name = "DATE", value_parser = revision, conflicts_with = "server")]
    pub(crate) revision: Option<Revision>,
    /// The folder with the list of servers, in which calls are kept too, so that resume takes them up. Without it
    /// nothing is read or kept, and calls end with this program
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Where this system has no key store: keep the key in a file of --data-dir, which protects from other accounts only
    #[arg(long, requires = "data_dir")]
    pub(crate) key_file: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Place {
    /// Address of a server
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// Command that starts a server, split like a shell splits words; no shell runs
    #[arg(long, value_name = "CMD ARG…")]
    pub(crate) command: Option<String>,
    /// Name of a server in the list of --data-dir
    #[arg(long, value_name = "NAME", requires = "data_dir")]
    pub(crate) server: Option<String>,
}

fn revision(name: &str) -> Result<Revision, String> {
    Revision::of(name).ok_or_else(|| {
        let known: Vec<_> = Revision::ALL.into_iter().map(Revision::name).collect();
        format!("one of {}", known.join(", "))
    })
}
