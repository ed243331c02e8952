"""Registers a machine for one map, calls it, is refused another one, and opens that: by the API's description alone."""
import base64
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

console, secret = sys.argv[1], sys.stdin.read().strip()


def call(method, url, body=None, token=None):
    """The status and what was said, as text."""
    headers = {}
    if token:
        headers["Authorization"] = "Bearer " + token
    if isinstance(body, dict):
        headers["Content-Type"] = "application/json"
        body = json.dumps(body)
    request = urllib.request.Request(url, body.encode() if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def token_of(client, password, **parameters):
    form = urllib.parse.urlencode({"grant_type": "client_credentials", **parameters}).encode()
    pair = base64.b64encode(f"{client}:{password}".encode()).decode()
    request = urllib.request.Request(metadata["token_endpoint"], form, {"Authorization": "Basic " + pair})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["access_token"]


def address_of(operation_id, **values):
    """Where the description has an operation."""
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict) and operation.get("operationId") == operation_id:
                return method.upper(), base + path.format(**values)
    raise SystemExit(f"the description has no {operation_id}")


metadata = json.loads(call("GET", console + "/.well-known/oauth-authorization-server")[1])
description = json.loads(call("GET", console + "/api/openapi.json")[1])
base = urllib.parse.urljoin(console, description["servers"][0]["url"])
admin = token_of("application-client", secret, resource=console + "/api")
said = []

status, text = call(*address_of("createClient"), {"id": "feeder", "scopes": ["svc:map:orders:write"]}, admin)
made = json.loads(text)
said.append(["made", status, made["scopes"]])

feeder = token_of("feeder", made["secret"], scope="svc:map:orders:write")
said.append(["orders", call("POST", console + "/svc/rest/maps/orders/1", "first", feeder)[0]])
said.append(["prices", call("POST", console + "/svc/rest/maps/prices/1", "dear", feeder)[0]])

scopes = made["scopes"] + ["svc:map:prices:write"]
status, text = call(*address_of("updateClient", client="feeder"), {"scopes": scopes}, admin)
said.append(["opened", status, json.loads(text)["scopes"]])

feeder = token_of("feeder", made["secret"], scope=" ".join(scopes))
said.append(["prices", call("POST", console + "/svc/rest/maps/prices/1", "dear", feeder)[0]])
print(json.dumps(said))
