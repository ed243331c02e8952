#!/usr/bin/env bash
# Fetches the cluster member that this project stands in front of, in the two releases that its tests start, into a
# cache directory outside the project. Says where they are.
#   5.3.8  the last community edition that holds the CP subsystem
#   5.7.0  the newest of the 5.x line, the one that still has this REST interface
# Beside each stands an archive of its classes as a started member has them loaded: the tests start some forty members, and
# with it each takes half of the processor time. It is for the Java that made it; any other passes it over.
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/members
mkdir -p "$home"
# Beside it Maven notes in the working directory that it has done so.
notes=$(mktemp -d)

# archive VERSION: starts a member on loopback, asks it once by REST, and has its classes written when it ends.
archive() {
  local jar=$home/hazelcast-$1.jar
  cat >"$notes/member.yaml" <<'YAML'
hazelcast:
  network:
    public-address: 127.0.0.1
    port: { port: 19701, port-count: 100 }
    interfaces: { enabled: true, interfaces: [127.0.0.1] }
    join: { auto-detection: { enabled: false }, multicast: { enabled: false } }
    rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true } } }
  properties: { hazelcast.logging.type: jdk, hazelcast.phone.home.enabled: false, hazelcast.socket.bind.any: false }
YAML
  (cd "$notes" && exec java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-XX:ArchiveClassesAtExit=$notes/classes.jsa" \
    "-Dhazelcast.config=$notes/member.yaml" -Djava.net.preferIPv4Stack=true \
    -cp "$jar" com.hazelcast.core.server.HazelcastMemberStarter) >"$notes/output" 2>&1 &
  local member=$! port=
  for _ in $(seq 600); do
    port=$(sed -n 's/.*\[127.0.0.1\]:\([0-9]*\) is STARTED.*/\1/p' "$notes/output")
    [ -z "$port" ] || break
    sleep 0.1
  done
  curl -s "http://127.0.0.1:$port/hazelcast/rest/maps/a/b" -d c >/dev/null || true
  curl -s "http://127.0.0.1:$port/hazelcast/rest/maps/a/b" >/dev/null || true
  kill -TERM "$member"
  wait "$member" || true
  mv "$notes/classes.jsa" "$home/hazelcast-$1.jsa"
}

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
for version in 5.3.8 5.7.0; do
  [ -e "$home/hazelcast-$version.jsa" ] || archive "$version" || echo "There is no archive of the classes of $version" >&2
done
echo "$home"
