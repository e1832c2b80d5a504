use super::Verdict;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub code: FindingCode,
    pub verdict: Verdict,
    /// A concrete sentence for a person, without jargon.
    pub sentence: String,
}

/// What can be found about a link. Closed; the UI and the tests match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    // The text as sent.
    Scheme,
    Parse,
    MalformedAuthority,
    Backslash,
    Control,
    Userinfo,
    PercentHost,
    TooLong,
    Normalised,
    // The way there.
    Cleartext,
    Port,
    BadPort,
    // The shape of the host.
    EmptyLabel,
    LabelTooLong,
    HostTooLong,
    TrailingDot,
    Underscore,
    HyphenEdge,
    ManyLabels,
    // Numbers instead of a name.
    Ip,
    IpObfuscated,
    IpInName,
    Loopback,
    Unspecified,
    Private,
    LinkLocal,
    Metadata,
    Broadcast,
    Multicast,
    Reserved,
    V4Mapped,
    V4Compatible,
    Nat64,
    #[serde(rename = "6to4")]
    SixToFour,
    // Names that mean something special.
    LocalName,
    SingleLabel,
    SpecialTld,
    PublicSuffix,
    SharedHosting,
    FileLikeTld,
    Shortener,
    OpenRedirect,
    ForeignDomain,
    FirstTime,
    OpenedBefore,
    // Letters.
    Idna,
    IdnaSlash,
    IdnaBidi,
    Punycode,
    NonasciiInput,
    DotVariant,
    CompatChars,
    Invisible,
    MixedScript,
    WholeScript,
    RestrictedChar,
    LookalikeSlash,
    Brand,
    BrandEmbedded,
    // What the address carries.
    Bidi,
    EncodedBidi,
    EncodedControl,
    EncodedInvisible,
    AtInPath,
    NestedUrl,
    SecretInUrl,
    TokenInUrl,
    Presigned,
    PiiInUrl,
    OpaqueData,
}

/// The name of the code, as in JSON.
impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Findings as they are gathered: one for each code, the worst kept.
#[derive(Debug)]
pub(super) struct Findings {
    list: Vec<Finding>,
    /// The name that the link could be taken for.
    pub(super) imitates: Option<String>,
    /// Whether the letters of the host may be shown as themselves.
    pub(super) readable: bool,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            imitates: None,
            readable: true,
        }
    }
}

impl Findings {
    pub(super) fn add(&mut self, code: FindingCode, verdict: Verdict, sentence: impl Into<String>) {
        match self.list.iter_mut().find(|finding| finding.code == code) {
            Some(known) if known.verdict >= verdict => {}
            Some(known) => {
                known.verdict = verdict;
                known.sentence = sentence.into();
            }
            None => self.list.push(Finding {
                code,
                verdict,
                sentence: sentence.into(),
            }),
        }
    }

    pub(super) fn refused(&self) -> bool {
        self.verdict() == Verdict::Refused
    }

    /// The worst of all.
    pub(super) fn verdict(&self) -> Verdict {
        self.list
            .iter()
            .map(|finding| finding.verdict)
            .max()
            .unwrap_or(Verdict::Plain)
    }

    /// Most serious first, else in the order found.
    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.list
            .sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        self.list
    }
}
