"""A Flask application that signs people in with Authlib."""

import os

from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask, redirect, session, url_for

ISSUER = os.environ["ISSUER"]

app = Flask(__name__)
app.secret_key = os.urandom(32)

oauth = OAuth(app)
oauth.register(
    "identity",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={
        "scope": "openid profile email offline_access",
        "code_challenge_method": "S256",
    },
)

# The session is a cookie, which tokens would overfill. One person uses this program at a time.
tokens = {}


@app.get("/")
def home():
    return {"signedIn": "user" in session}


@app.get("/login")
def login():
    return oauth.identity.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    tokens.update(oauth.identity.authorize_access_token())
    session["user"] = oauth.identity.userinfo(token=tokens)
    return redirect("/me")


@app.get("/me")
def me():
    return session["user"]


@app.get("/userinfo")
def userinfo():
    return oauth.identity.userinfo(token=tokens)


@app.get("/refresh")
def refresh():
    before = tokens["access_token"]
    tokens.update(
        oauth.identity.fetch_access_token(
            grant_type="refresh_token", refresh_token=tokens["refresh_token"]
        )
    )
    return {"refreshed": tokens["access_token"] != before}


@app.get("/revoke")
def revoke():
    endpoint = oauth.identity.load_server_metadata()["revocation_endpoint"]
    client = OAuth2Session(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
    answer = client.revoke_token(
        endpoint, token=tokens["refresh_token"], token_type_hint="refresh_token"
    )
    return {"revoked": answer.ok}


@app.get("/introspect")
def introspect():
    endpoint = oauth.identity.load_server_metadata()["introspection_endpoint"]
    api = OAuth2Session(os.environ["API_CLIENT_ID"], os.environ["API_CLIENT_SECRET"])
    return api.introspect_token(endpoint, token=tokens["access_token"]).json()


@app.get("/logout")
def logout():
    session.clear()
    to = oauth.identity.create_logout_url(
        post_logout_redirect_uri=url_for("home", _external=True),
        id_token_hint=tokens["id_token"],
    )
    return redirect(to["url"])


if __name__ == "__main__":
    app.run(host="localhost", port=int(os.environ["PORT"]))
