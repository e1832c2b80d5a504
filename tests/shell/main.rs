//! The desktop shell without a display: the real configuration and permissions under Tauri's mock runtime.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

/// What tauri.conf.json and the capability promise.
mod configuration;
/// Every command answers the one window and nobody else.
mod permissions;
