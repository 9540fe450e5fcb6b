// oauth4webapi as its examples/oidc.ts has it.
import express from 'express';
import session from 'express-session';
import * as oauth from 'oauth4webapi';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, REDIRECT_URI } = process.env;
const HOME = `http://localhost:${PORT}/`;
// plain http on localhost only
const HTTP = { [oauth.allowInsecureRequests]: true };

const issuer = new URL(ISSUER);
const as = await oauth
  .discoveryRequest(issuer, HTTP)
  .then((response) => oauth.processDiscoveryResponse(issuer, response));
const client = { client_id: CLIENT_ID };
const clientAuth = oauth.ClientSecretBasic(CLIENT_SECRET);

const app = express();
app.use(session({ secret: 'interop', resave: false, saveUninitialized: false }));

app.get('/login', async (req, res) => {
  const code_verifier = oauth.generateRandomCodeVerifier();
  const nonce = oauth.generateRandomNonce();
  const state = oauth.generateRandomState();
  req.session.pending = { code_verifier, nonce, state };
  const url = new URL(as.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid email profile offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    nonce,
    state,
  }).toString();
  res.redirect(url.href);
});

app.get('/callback', async (req, res) => {
  const { code_verifier, nonce, state } = req.session.pending;
  const here = new URL(req.originalUrl, HOME);
  const params = oauth.validateAuthResponse(as, client, here, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    clientAuth,
    params,
    REDIRECT_URI,
    code_verifier,
    HTTP,
  );
  const result = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(as, response, HTTP);
  req.session.claims = oauth.getValidatedIdTokenClaims(result);
  req.session.tokens = result;
  res.redirect('/me');
});

async function userinfo({ claims, tokens }) {
  const response = await oauth.userInfoRequest(as, client, tokens.access_token, HTTP);
  return await oauth.processUserInfoResponse(as, client, claims.sub, response);
}

app.get('/me', async (req, res) => res.json({ ...req.session.claims, ...(await userinfo(req.session)) }));
app.get('/userinfo', async (req, res) => res.json(await userinfo(req.session)));

app.get('/refresh', async (req, res) => {
  const before = req.session.tokens;
  const response = await oauth.refreshTokenGrantRequest(as, client, clientAuth, before.refresh_token, HTTP);
  const after = await oauth.processRefreshTokenResponse(as, client, response);
  req.session.tokens = { ...before, ...after };
  res.json({ refreshed: after.access_token !== before.access_token });
});

app.get('/introspect', async (req, res) => {
  const response = await oauth.introspectionRequest(
    as,
    client,
    clientAuth,
    req.session.tokens.access_token,
    HTTP,
  );
  res.json(await oauth.processIntrospectionResponse(as, client, response));
});

app.get('/revoke', async (req, res) => {
  const token = req.session.tokens.access_token;
  const response = await oauth.revocationRequest(as, client, clientAuth, token, HTTP);
  await oauth.processRevocationResponse(response);
  res.json({ revoked: true });
});

app.get('/', (_req, res) => res.send('Signed out.'));
app.listen(Number(PORT));
