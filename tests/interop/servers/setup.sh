#!/bin/sh
# Installs the SDKs beside the servers and what records and judges a session, at the locked versions; does nothing when
# they are already there.
set -eu
cd "$(dirname "$0")"
mkdir -p .cache ../.cache
if command -v flock >/dev/null; then
    exec 9>.cache/lock
    flock 9
fi

# Runs a step whose stamp is not the wanted one, and then stamps it.
step() {
    name="$1"
    wanted="$2"
    present="$3"
    shift 3
    if [ "$(cat ".cache/$name.stamp" 2>/dev/null || true)" = "$wanted" ] && [ -e "$present" ]; then
        return
    fi
    echo "interop: installing $name"
    rm -f ".cache/$name.stamp"
    "$@"
    printf '%s' "$wanted" >".cache/$name.stamp"
}

python_sdk() {
    python3 -m venv --clear .cache/venv
    .cache/venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement python/requirements.txt
    .cache/venv/bin/python -m pip check --quiet --disable-pip-version-check
}

typescript_sdk() {
    npm ci --prefix typescript --silent --no-audit --no-fund
}

rust_sdk() {
    cargo build --quiet --locked --manifest-path rust/Cargo.toml --target-dir .cache/rust
}

# Unoptimised: they read a few thousand lines, and building them faster saves minutes.
trace_tools() {
    cargo install --quiet --locked --debug --root ../.cache --target-dir ../.cache/build \
        "mcp-trace-capture@$TRACE_TOOLS" "mcp-trace-validator@$TRACE_TOOLS"
    rm -rf ../.cache/build
}

TRACE_TOOLS=0.6.0

step python "$(cksum <python/requirements.txt) $(python3 --version)" .cache/venv/bin/python python_sdk
step typescript "$(cat typescript/package.json typescript/package-lock.json | cksum) $(node --version)" \
    typescript/node_modules/@modelcontextprotocol/server typescript_sdk
step rust "$(cat rust/Cargo.toml rust/Cargo.lock rust/src/* forms.json | cksum) $(cargo --version)" \
    .cache/rust/debug/interop-peer rust_sdk
step trace-tools "$TRACE_TOOLS" ../.cache/bin/mcp-trace-validator trace_tools
echo "interop: everything is installed"
