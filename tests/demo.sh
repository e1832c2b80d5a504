#!/usr/bin/env bash
# Builds and opens the app. Without a display it runs under Xvfb, asks its first question, and saves a screenshot.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Opening Countersign with its practice servers."
  cargo test --workspace --quiet --no-run --test window
  exec target/debug/countersign
fi
echo "There is no display, so Countersign runs under a virtual one (Xvfb) and a screenshot is saved."
COUNTERSIGN_DEMO="$PWD/demo.png" xvfb-run -a -s '-screen 0 1280x900x24' dbus-run-session -- \
  cargo test --workspace --quiet --test window -- --ignored demo --nocapture
echo "The first question of a practice server is in demo.png."
