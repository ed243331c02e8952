#!/usr/bin/env bash
# Fetches what reads charts, manifests and compose files into a cache directory outside the project: Helm, a check of
# manifests with the schemas of Kubernetes, and the schema of compose files. Says where they are.
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/deployment-1
if [ ! -e "$home/ready" ]; then
  for needed in go python3; do
    command -v "$needed" >/dev/null || { echo "The tools for deployments are not set up: there is no $needed" >&2; exit 1; }
  done
  rm -rf "$home"
  mkdir -p "$home/bin"
  python3 -m venv "$home/venv" >&2
  "$home/venv/bin/pip" install -q --disable-pip-version-check kubernetes-validate==1.37.0 >&2
  # Modules go where Go has them always, the program only here.
  compose=$(cd "$home" && go mod download -json github.com/compose-spec/compose-go/v2@v2.16.2 | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
  install -m 0644 "$compose/schema/compose-spec.json" "$home/compose-spec.json"
  GOBIN="$home/bin" nice go install helm.sh/helm/v3/cmd/helm@v3.22.0 >&2
  "$home/bin/helm" version --short >&2
  touch "$home/ready"
fi
echo "$home"
