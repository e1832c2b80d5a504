#!/usr/bin/env python3
"""Runs the official conformance suite for clients against the built command line program.

The suite starts a server for each scenario and runs `countersign-cli conformance URL` against it. A scenario passes when
the suite says so (no failure, no warning, and the program ended with 0 in time; where a scenario wants an error, it
may) and at least as many checks ran as are listed here, so that a suite that looks at less is noticed.

`--install` only installs the suite. COUNTERSIGN_CLI names another program than target/debug/countersign-cli.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
STAMP = MODULES / ".stamp"
CLI = HERE.parent.parent / "target" / "debug" / "countersign-cli"

# Scenario, and for each revision that it exists for the number of checks that pass. request-metadata has two more,
# about roots and sampling: they are skipped, because this client declares neither.
CHECKS = {
    "initialize": {"2025-06-18": 1, "2025-11-25": 1},
    "tools_call": {"2025-06-18": 2, "2025-11-25": 2, "2026-07-28": 2},
    "elicitation-sep1034-client-defaults": {"2025-11-25": 5},
    "sse-retry": {"2025-11-25": 3},
    "request-metadata": {"2026-07-28": 6},
    "sep-2322-client-request-state": {"2026-07-28": 5},
    "http-standard-headers": {"2026-07-28": 10},
    "http-custom-headers": {"2026-07-28": 18},
    "http-invalid-tool-headers": {"2026-07-28": 12},
    "json-schema-ref-no-deref": {"2026-07-28": 1},
    "json-schema-2020-12-preservation": {"2025-11-25": 9, "2026-07-28": 9},
}

# What this client does not do. The suite skips the second kind by itself for a client that never lists skills.
LEFT_OUT = {"auth/": "sign-in", "sep-2640-": "skills, an extension"}

# The suite's frozen sets: the scenarios that count at a revision.
SCORED = {
    "2025-11-25": ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
    "2026-07-28": [
        "tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers",
        "http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref",
    ],
}


def main():
    install()
    if sys.argv[1:] == ["--install"]:
        return
    program = Path(os.environ.get("COUNTERSIGN_CLI", CLI))
    if not program.is_file():
        sys.exit(f"{program} is not built: cargo build --workspace")
    left_out = compare_with_the_list()
    failed = 0
    passed_checks = {}
    print(f"{'scenario':38} {'revision':12} {'passed':>7} {'of':>4}")
    for scenario, revisions in CHECKS.items():
        for revision, wanted in revisions.items():
            passed, problems = run(program, scenario, revision)
            if passed < wanted:
                problems.append(f"{passed} checks passed; {wanted} should")
            passed_checks[scenario, revision] = passed
            print(f"{scenario:38} {revision:12} {passed:7} {wanted:4}", flush=True)
            for problem in problems:
                print(f"    {problem}", flush=True)
            failed += bool(problems)
    print()
    for revision, scenarios in SCORED.items():
        passed = sum(passed_checks[scenario, revision] for scenario in scenarios)
        wanted = sum(CHECKS[scenario][revision] for scenario in scenarios)
        print(f"{revision}: {len(scenarios)} scored scenarios without sign-in, {passed} of {wanted} checks passed")
    word = "FAILED" if failed else "ok"
    print(f"test result: {word}. {len(passed_checks) - failed} passed; {failed} failed; {left_out} ignored")
    sys.exit(1 if failed else 0)


def install():
    """Installs the suite at its locked version, unless it is there."""
    node = output("node", "--version").strip()
    wanted = node + (HERE / "package-lock.json").read_text()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    print("conformance suite: installing (npm ci, in tests/conformance/node_modules)", flush=True)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=HERE, check=True)
    if int(node.lstrip("v").split(".")[0]) < 22:
        # Only its report on SDKs uses globSync, which Node 20 does not have; importing it is what fails.
        code = SUITE.read_text()
        SUITE.write_text(re.sub(r"\bglobSync as \w+,", "", code, count=1))
    STAMP.write_text(wanted)


def compare_with_the_list():
    """The number of scenarios that are left out. Ends the run where the suite has others than are listed here."""
    listed = re.findall(r"^  - (\S+) \[(.*)\]$", output("node", SUITE, "list", "--client"), re.MULTILINE)
    ours = {name: set(revisions.split(",")) for name, revisions in listed if not name.startswith(tuple(LEFT_OUT))}
    known = {name: set(revisions) for name, revisions in CHECKS.items()}
    if ours != known:
        sys.exit(f"the suite has other scenarios than this runner: {ours}")
    return len(listed) - len(ours)


def run(program, scenario, revision):
    """The number of checks that passed, and what is wrong in words."""
    with tempfile.TemporaryDirectory() as folder:
        # The suite splits the command at blanks and hands it to a shell: the path may have some.
        suite = subprocess.run(
            ["node", SUITE, "client", "--command", '"$COUNTERSIGN_CLI" conformance', "--scenario", scenario,
             "--spec-version", revision, "-o", folder],
            env={**os.environ, "COUNTERSIGN_CLI": str(program), "BROWSER": "/bin/false", "NO_COLOR": "1"},
            text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        written = list(Path(folder).glob("*/checks.json"))
        checks = json.loads(written[0].read_text()) if written else []
        told = (written[0].parent / "stderr.txt").read_text().splitlines() if written else []
    problems = [
        f"{check['status']} {check['id']}: {check.get('errorMessage') or check['description']}"
        for check in checks if check["status"] in ("FAILURE", "WARNING")
    ]
    if suite.returncode != 0:
        # It ended with an error, or not in time; the checks say nothing of that.
        problems += [line for line in suite.stdout.splitlines() if "CLIENT EXITED" in line or "CLIENT TIMED" in line]
        problems = problems or suite.stdout.splitlines()[-5:]
        problems += [f"  {line}" for line in told]
    return sum(check["status"] == "SUCCESS" for check in checks), problems


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
