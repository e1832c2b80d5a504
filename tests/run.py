#!/usr/bin/env python3
"""Runs the test stages one after the other, shows what they print, and ends with the counts.

`--only NAME` runs the stages whose name begins so. Every stage runs even when an earlier one failed, except that
nothing is worth running on code that does not build.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UI = ROOT / "ui"

CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
VITEST = re.compile(r"^\s+Tests\s+(?:(\d+) failed)?[ |]*(?:(\d+) passed)?")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def window(*command):
    """A command under a virtual display and a session bus of its own."""
    return ["xvfb-run", "-a", "-s", "-screen 0 1280x900x24", "dbus-run-session", "--", *command]


# One selection of packages in every stage, so that dependencies are built once.
TEST = ["cargo", "test", "--workspace"]

# Name, command, folder. One that counts no tests counts as one.
STAGES = [
    ("lint: rustfmt", ["cargo", "fmt", "--all", "--check"], ROOT),
    ("lint: front end", ["npm", "run", "--silent", "lint"], UI),
    ("lint: front end types", ["npm", "run", "--silent", "check"], UI),
    ("front end: build", ["npm", "run", "--silent", "build"], UI),
    ("front end: components", ["npm", "run", "--silent", "test"], UI),
    ("units", [*TEST, "--lib", "--bins"], ROOT),
    ("engine, command line, shell", [*TEST, "--test", "engine", "--test", "cli", "--test", "shell"], ROOT),
    # A part of `make test-crash`.
    ("crash", [*TEST, "--test", "crash"], ROOT),
    # Runs the program that the stages before have built.
    ("conformance", ["python3", "tests/conformance/run.py"], ROOT),
    ("interop", [*TEST, "--test", "interop"], ROOT),
    ("window", window(*TEST, "--test", "window", "--", "--test-threads=1"), ROOT),
    ("lint: clippy", ["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], ROOT),
]


def main():
    only = sys.argv[2] if sys.argv[1:2] == ["--only"] else ""
    results = []
    for name, command, folder in STAGES:
        if name.startswith(only):
            results.append((name, *run(name, command, folder)))
    print()
    for name, passed, failed, skipped, seconds in results:
        print(f"{name:28} {passed:5} passed {failed:3} failed {skipped:3} skipped  {seconds:6.0f} s")
    passed, failed = (sum(result[column] for result in results) for column in (1, 2))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def run(name, command, folder):
    print(f"\n=== {name}: {' '.join(command)}", flush=True)
    started = time.monotonic()
    if shutil.which(command[0]) is None:
        print(f"{command[0]} is not installed")
        return 0, 1, 0, 0.0
    # No stage may open a real browser; those that need one set their own script.
    environment = {"BROWSER": "/bin/false", "CARGO_TERM_COLOR": "never", **os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    passed = failed = skipped = 0
    for line in process.stdout:
        print(line, end="", flush=True)
        plain = COLOUR.sub("", line)
        if found := CARGO.match(plain):
            good, bad, left_out = map(int, found.groups())
            passed, failed, skipped = passed + good, failed + bad, skipped + left_out
        elif found := VITEST.match(plain):
            bad, good = (int(count or 0) for count in found.groups())
            passed, failed = passed + good, failed + bad
    ended = process.wait()
    if ended != 0 and failed == 0:
        print(f"{name} ended with {ended}")
        failed = 1
    elif passed == failed == 0:
        passed = 1
    return passed, failed, skipped, time.monotonic() - started


if __name__ == "__main__":
    main()
