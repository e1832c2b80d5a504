//! The core of Countersign against scripted servers, without a display and without a clock of its own.
#![cfg(test)]

/// Scripted servers, a held clock, a browser that only remembers.
mod kit;

/// Every byte of a request over HTTP, every way an answer can come, redirects, limits, time-outs, cancelling.
mod wire_http;

/// Server programs: framing, noise, order, start, end, and what a person reads when one ends.
mod stdio;

/// Forms over one and several rounds: the exact bytes of every retry, and what ends a call.
mod rounds;

/// Rounds without a question: paced, capped, continued; a line without a network and a paused clock.
mod pacing;

/// Links: opened once for each consent, from the inspected value; the waiting card.
mod links;

/// The misclick guard, on a held clock.
mod guard;
mod hand_off;

/// One answer, one delivery: races, lost and refused deliveries, sending again.
mod delivery;

/// What outlives the app: questions, drafts, answers on their way, links, results, history.
mod keeping;
mod kept;

/// An inbox with many questions: groups, paused servers, what is asked again, floods.
mod many;

/// History as a person reads it, its exports, and what is kept by choice.
mod past;

/// Lists of what a server offers: pages, odd entries, limits.
mod lists;

/// Adding, removing and keeping servers.
mod servers;

/// What breaks the protocol ends the call with a diagnosis; nothing is answered.
mod hostile_network;

/// Servers that send too much, too little, too slowly, or somewhere else.
mod hostile_http;

/// Certificates and proxies, in child programs with variables of their own.
mod hostile_tls;

/// States, contents, header values and queries are in no text that could reach a log.
mod redaction;

/// What must hold for any bytes: the corpora of `tests/fuzz`, and a bounded number of changes of them.
mod fuzz;

/// The message examples of the specification, read as what they are.
mod official_examples;

/// The schemas of the specification and of forms: what is sent and answered is valid by them.
mod official_schema;

/// Random forms and answers against another's validator.
mod form_oracle;

/// Servers that greet well and then say nothing.
mod moved;
mod mute;

/// The word of an older server that a page is done.
mod page_done;

/// Many calls and many servers at once: every answer on its own call.
mod crowd;

/// Headers that repeat arguments, listening, the cache, suggestions, results that do not fit.
mod wiring;

/// Which era a server is of: every answer to the first question that servers are known to give.
mod era;

/// Sessions of the 2025 era over HTTP: the handshake, questions on every stream, broken streams, lost sessions.
mod legacy_http;

/// Programs of the 2025 era: questions, their withdrawal, their end.
mod legacy_stdio;

/// The store on real files: what is saved is there, what is damaged is set aside, who comes second hears so.
mod store;
