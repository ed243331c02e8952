#!/usr/bin/env bash
# Fetches OAuth client libraries for Python, what Grafana reads roles with (JMESPath), and a parser of OpenMetrics, into a cache directory outside the
# project. Says where it is.
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-console/python-clients-3
if [ ! -e "$home/ready" ]; then
  command -v python3 >/dev/null || { echo "Python's libraries are not set up: there is no python3" >&2; exit 1; }
  rm -rf "$home"
  mkdir -p "$(dirname "$home")"
  python3 -m venv "$home" >&2
  "$home/bin/pip" install -q --disable-pip-version-check \
    Authlib==1.9.9 Flask==3.1.3 requests-oauthlib==2.0.0 requests==2.34.2 jmespath==1.0.1 \
    prometheus-client==0.26.0 >&2
  touch "$home/ready"
fi
echo "$home"
