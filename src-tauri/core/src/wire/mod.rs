//! MCP messages: read leniently, written strictly. Pure.

pub mod json;
