//! The built `countersign-cli` against servers: the practice desk over HTTP, the practice workshop as a program, and
//! servers that say word for word what a test wants.
//!
//! Modules with helpers are marked as tests for clippy, which otherwise takes their `expect` for the program's.

#[cfg(test)]
mod answers;
mod asked;
mod browsers;
mod ends;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod form;
#[cfg(test)]
mod judged;
mod kept;
mod links;
#[cfg(test)]
mod rig;
mod terminal;
