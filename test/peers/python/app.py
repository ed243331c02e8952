"""An application of the recipe: Flask with Authlib, which answers with the claims that it was given."""
import os
import sys

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify

app = Flask(__name__)
app.secret_key = os.urandom(24)
# The block of the page, as somebody would paste it.
exec(os.environ["RECIPE"])


@app.get("/")
def start():
    return oauth.console.authorize_redirect(os.environ["CALLBACK"])


@app.get("/callback")
def callback():
    token = oauth.console.authorize_access_token()
    return jsonify(userinfo=token["userinfo"], scope=token.get("scope"))


app.run("127.0.0.1", int(sys.argv[1]))
