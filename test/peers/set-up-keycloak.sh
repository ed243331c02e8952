#!/usr/bin/env bash
# Fetches Keycloak, an identity provider that nobody here wrote, into a cache directory outside the project and makes
# its database there: a first start takes a minute, those of the tests a fraction of it. Says where it is.
set -euo pipefail
version=26.0.8
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/keycloak-$version
if [ ! -e "$home/ready" ]; then
  for tool in mvn java; do
    command -v "$tool" >/dev/null || { echo "Keycloak is not set up: there is no $tool" >&2; exit 1; }
  done
  rm -rf "$home"
  mkdir -p "$(dirname "$home")"
  # Beside it Maven notes in the working directory that it has done so.
  notes=$(mktemp -d)
  trap 'rm -rf "$notes"' EXIT
  (cd "$notes" && mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack -DoutputDirectory="$(dirname "$home")" \
    -Dartifact=org.keycloak:keycloak-quarkus-dist:$version:zip >&2)
  sh "$home/bin/kc.sh" build --db=dev-file >&2
  # The administrator is the tests' own, on a database that no test writes to.
  PASSWORD=root-password-1 sh "$home/bin/kc.sh" bootstrap-admin user --optimized \
    --username root --password:env PASSWORD >&2
  touch "$home/ready"
fi
echo "$home"
