"""A program on the package that openapi-python-client writes from a console's description."""
import json
import os

from console_client import AuthenticatedClient
from console_client.api.clients import create_client, list_clients, read_client, update_client
from console_client.models import CreateClientBody, UpdateClientBody

api = AuthenticatedClient(base_url=os.environ["CONSOLE"] + "/api/v1", token=os.environ["TOKEN"])
made = create_client.sync(
    client=api,
    body=CreateClientBody(id="made-by-python", display_name="Made", scopes=["svc:map:orders-*:read"]),
)
listed = list_clients.sync(client=api, limit=100)
before = read_client.sync("full-python", client=api)
patched = update_client.sync("full-python", client=api, body=UpdateClientBody(display_name="Renamed"))
rejected = update_client.sync("full-python", client=api, body=UpdateClientBody(scopes=["svc:nothing:read"]))
print(json.dumps({
    "made": made.id == "made-by-python",
    "listed": [one.id for one in listed.items],
    "before": before.display_name,
    "after": patched.display_name,
    "code": rejected.code,
    "pointer": rejected.errors[0].pointer,
}))
