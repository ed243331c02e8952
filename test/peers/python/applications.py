"""Applications as their libraries' manuals write them: no PKCE is configured, and what is sent is the library's own choice."""

import os
import sys

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, request, session
from requests_oauthlib import OAuth2Session
from werkzeug.serving import make_server

issuer, secret = sys.argv[1], sys.argv[2]
# Both libraries ask for https, but for loopback in a test.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

app = Flask(__name__)
app.secret_key = os.urandom(32)
server = make_server("127.0.0.1", 0, app)
own = f"http://localhost:{server.port}"

oauth = OAuth(app)
oauth.register(
    name="console",
    client_id="authlib",
    client_secret=secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email"},
)


@app.get("/authlib")
def authlib_start():
    return oauth.console.authorize_redirect(f"{own}/authlib/callback")


@app.get("/authlib/callback")
def authlib_callback():
    token = oauth.console.authorize_access_token()
    return jsonify(id_token=token["userinfo"], userinfo=oauth.console.userinfo(token=token))


def oauthlib_session(**given):
    return OAuth2Session(
        "requests-oauthlib", redirect_uri=f"{own}/oauthlib/callback", scope=["openid", "profile"], **given
    )


@app.get("/oauthlib")
def oauthlib_start():
    address, session["state"] = oauthlib_session().authorization_url(f"{issuer}/oauth2/authorize")
    return redirect(address)


@app.get("/oauthlib/callback")
def oauthlib_callback():
    application = oauthlib_session(state=session["state"])
    application.fetch_token(f"{issuer}/oauth2/token", client_secret=secret, authorization_response=request.url)
    return jsonify(userinfo=application.get(f"{issuer}/userinfo").json())


print(f"listening on {server.port}", flush=True)
server.serve_forever()
