#!/usr/bin/env bash
# Fetches Angular with angular-oauth2-oidc, and a bundler for them, into a cache directory outside the project. Says where it is.
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/angular-1
if [ ! -e "$home/ready" ]; then
  rm -rf "$home"
  mkdir -p "$home"
  echo '{ "private": true }' >"$home/package.json"
  (cd "$home" && npm install --silent --ignore-scripts --no-audit --no-fund angular-oauth2-oidc@20.0.2 \
    @angular/core@20.3.0 @angular/common@20.3.0 @angular/compiler@20.3.0 @angular/platform-browser@20.3.0 rxjs@7.8.2 esbuild@0.25.9 >&2)
  touch "$home/ready"
fi
echo "$home"
