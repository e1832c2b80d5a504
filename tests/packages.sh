#!/usr/bin/env bash
# Installs the Debian packages that a step needs and that are missing, and says so. Elsewhere it only says what is needed.
set -euo pipefail

build=(build-essential pkg-config libwebkit2gtk-4.1-dev librsvg2-dev)
show=(webkit2gtk-driver xvfb xauth dbus fonts-dejavu-core)
case "${1:-}" in
  demo) packages=("${build[@]}"); [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || packages+=("${show[@]}") ;;
  test) packages=("${build[@]}" "${show[@]}" libx11-dev chromium gnome-keyring python3-venv) ;;
  *) echo "usage: $0 demo|test" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system. Countersign needs what these Debian packages hold: ${packages[*]}"
  exit 0
fi
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing Debian packages: ${missing[*]}"
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
"${root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
