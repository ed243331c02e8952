#!/usr/bin/env bash
# Fetches Spring Boot 3 and 4 with their OAuth 2.0 starters into a cache directory outside the project. Says where they are.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console
for version in 3.5.7 4.0.0; do
  home=$cache/spring-boot-$version
  if [ ! -e "$home/ready" ]; then
    for tool in mvn java; do
      command -v "$tool" >/dev/null || { echo "Spring Boot is not set up: there is no $tool" >&2; exit 1; }
    done
    rm -rf "$home"
    mkdir -p "$home"
    mvn -q -B -f "$here/spring/pom.xml" -Dboot=$version \
      org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
      -DincludeScope=runtime -DoutputDirectory="$home" >&2
    touch "$home/ready"
  fi
  echo "$home"
done
