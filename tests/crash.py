#!/usr/bin/env python3
"""Kills the command line program and the window in random runs, and ends with what both came to.

`COUNTERSIGN_CRASH_SEED` brings runs back; each part prints its own.
"""

import os
import re
import subprocess
import sys

from run import ROOT, TEST, window

COUNTS = re.compile(r"crash: (\d+) runs, (\d+) lost, (\d+) doubled, (\d+) stale drafts$")

# Command, and how many runs.
PARTS = [
    ([*TEST, "--test", "crash"], 190),
    (window(*TEST, "--test", "window", "--", "--ignored", "--nocapture", "--test-threads=1", "killed_at_random"), 10),
]


def main():
    total, failed = [0, 0, 0, 0], False
    for command, runs in PARTS:
        counts, code = part(command, runs)
        failed |= code != 0 or counts[0] < runs or any(counts[1:])
        total = [sum(pair) for pair in zip(total, counts)]
    print("crash: {} runs, {} lost, {} doubled, {} stale drafts".format(*total))
    sys.exit(1 if failed else 0)


def part(command, runs):
    environment = {
        "BROWSER": "/bin/false", "CARGO_TERM_COLOR": "never", **os.environ, "COUNTERSIGN_CRASH_RUNS": str(runs),
    }
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    counts = [0, 0, 0, 0]
    for line in process.stdout:
        if found := COUNTS.search(line):
            # Told once, for both.
            counts = list(map(int, found.groups()))
        else:
            print(line, end="", flush=True)
    return counts, process.wait()


if __name__ == "__main__":
    main()
