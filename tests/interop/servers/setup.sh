#!/bin/sh
# Installs the two SDKs beside the servers, at the locked versions; does nothing when they are already there.
set -eu
cd "$(dirname "$0")"
mkdir -p .cache
if command -v flock >/dev/null; then
    exec 9>.cache/lock
    flock 9
fi

wanted="$(cat python/requirements.txt typescript/package.json typescript/package-lock.json | cksum) $(python3 --version) $(node --version)"
if [ "$(cat .cache/stamp 2>/dev/null || true)" = "$wanted" ] && [ -x .cache/venv/bin/python ] && [ -d typescript/node_modules ]; then
    echo "interop servers: already installed"
    exit 0
fi

echo "interop servers: installing the Python and TypeScript SDKs"
rm -f .cache/stamp
python3 -m venv --clear .cache/venv
.cache/venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement python/requirements.txt
.cache/venv/bin/python -m pip check --quiet --disable-pip-version-check
npm ci --prefix typescript --silent --no-audit --no-fund
printf '%s' "$wanted" >.cache/stamp
