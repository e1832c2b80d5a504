// A release build on Windows opens no console.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_desktop::main()
}
