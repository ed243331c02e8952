#!/usr/bin/env bash
# Fetches the cluster member that this project stands in front of, in the two releases that its tests start, into a
# cache directory outside the project. Says where they are.
#   5.3.8  the last community edition that holds the CP subsystem
#   5.7.0  the newest of the 5.x line, the one that still has this REST interface
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/members
mkdir -p "$home"
# Beside it Maven notes in the working directory that it has done so.
notes=$(mktemp -d)
trap 'rm -rf "$notes"' EXIT
for version in 5.3.8 5.7.0; do
  [ ! -e "$home/hazelcast-$version.jar" ] || continue
  command -v mvn >/dev/null || { echo "The members are not set up: there is no mvn" >&2; exit 1; }
  (cd "$notes" && mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -DoutputDirectory="$notes" \
    -Dartifact=com.hazelcast:hazelcast:$version:jar >&2)
  # Whole or not at all: a run that is cut short leaves no jar that looks like one.
  mv "$notes/hazelcast-$version.jar" "$home/.hazelcast-$version.part"
  mv "$home/.hazelcast-$version.part" "$home/hazelcast-$version.jar"
done
echo "$home"
