"""A program on somebody's own machine: no secret, PKCE, and a redirect to whatever port was free."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

ISSUER = os.environ["ISSUER"]
PORT = int(os.environ.get("PORT", "0"))

provider = requests.get(f"{ISSUER}/.well-known/openid-configuration").json()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/login":
            self.server.verifier = generate_token(48)
            to, self.server.state = client.create_authorization_url(
                provider["authorization_endpoint"],
                code_verifier=self.server.verifier,
            )
            self.redirect(to)
        elif path == "/callback":
            client.fetch_token(
                provider["token_endpoint"],
                authorization_response=self.path,
                state=self.server.state,
                code_verifier=self.server.verifier,
            )
            self.redirect("/me")
        elif path in ("/me", "/userinfo"):
            answer = client.get(provider["userinfo_endpoint"])
            self.json(answer.status_code, answer.json())
        elif path == "/refresh":
            before = client.token["access_token"]
            client.refresh_token(provider["token_endpoint"])
            self.json(200, {"refreshed": client.token["access_token"] != before})
        elif path == "/revoke":
            answer = client.revoke_token(
                provider["revocation_endpoint"], token=client.token["refresh_token"]
            )
            self.json(200, {"revoked": answer.ok})
        else:
            self.json(404, {})

    def redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.end_headers()

    def json(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


server = HTTPServer(("localhost", PORT), Handler)
client = OAuth2Session(
    client_id=os.environ["CLIENT_ID"],
    token_endpoint_auth_method="none",
    revocation_endpoint_auth_method="none",
    scope="openid profile email offline_access",
    redirect_uri=f"http://localhost:{server.server_port}/callback",
    code_challenge_method="S256",
)
print(f"Open http://localhost:{server.server_port}/login", flush=True)
server.serve_forever()
