#!/usr/bin/env bash
# Fetches what reads the console's description: schemathesis, and generators of clients for TypeScript, Java and Python, with the
# libraries of those clients, into a cache directory outside the project. Says where it is.
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/api-clients-2
folder=$(cd "$(dirname "$0")" && pwd)/api-clients
# python, typescript and java are each there or not.
part() {
  [ -e "$home/$1/ready" ] && return 0
  rm -rf "${home:?}/$1"
  mkdir -p "$home/$1"
  if "$1" "$home/$1" >&2; then touch "$home/$1/ready"; else
    echo "the part $1 could not be set up" >&2
    return 1
  fi
}
python() {
  python3 -m venv "$1" && "$1/bin/pip" install -q --disable-pip-version-check \
    schemathesis==4.32.5 openapi-python-client==0.29.1 httpx==0.28.1 attrs==26.1.0 python-dateutil==2.9.0.post0
}
# The generator wants the compiler of TypeScript 5, which the project does not use.
typescript() {
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$1" \
    openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3 @types/node@22.19.1
}
java() {
  command -v javac >/dev/null && mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DoutputDirectory="$1/libraries" &&
    mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.17.0 -DoutputDirectory="$1"
}
state=0
for one in python typescript java; do part "$one" || state=1; done
echo "$home"
exit "$state"
