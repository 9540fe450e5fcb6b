// openid-client 6 as its README's quick start has it: the default client authentication is client_secret_post.
import express from 'express';
import session from 'express-session';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, REDIRECT_URI } = process.env;
const HOME = `http://localhost:${PORT}/`;
const SCOPE = 'openid profile email offline_access';

const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  // plain http on localhost only
  execute: [client.allowInsecureRequests],
});

const app = express();
app.use(session({ secret: 'interop', resave: false, saveUninitialized: false }));

app.get('/login', async (req, res) => {
  const code_verifier = client.randomPKCECodeVerifier();
  const code_challenge = await client.calculatePKCECodeChallenge(code_verifier);
  const state = client.randomState();
  req.session.pending = { code_verifier, state };
  const parameters = {
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    code_challenge,
    code_challenge_method: 'S256',
    state,
  };
  res.redirect(client.buildAuthorizationUrl(config, parameters).href);
});

app.get('/callback', async (req, res) => {
  const { code_verifier, state } = req.session.pending;
  const here = new URL(req.originalUrl, HOME);
  const tokens = await client.authorizationCodeGrant(config, here, {
    pkceCodeVerifier: code_verifier,
    expectedState: state,
  });
  req.session.claims = tokens.claims();
  req.session.tokens = tokens;
  res.redirect('/me');
});

app.get('/me', async (req, res) => {
  const { claims, tokens } = req.session;
  res.json({ ...claims, ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)) });
});

app.get('/userinfo', async (req, res) => {
  const { claims, tokens } = req.session;
  res.json(await client.fetchUserInfo(config, tokens.access_token, claims.sub));
});

app.get('/refresh', async (req, res) => {
  const before = req.session.tokens;
  const tokens = await client.refreshTokenGrant(config, before.refresh_token);
  req.session.tokens = { ...before, ...tokens };
  res.json({ refreshed: tokens.access_token !== before.access_token });
});

// introspection takes no client_secret_post: the header, or a key
const introspecting = new client.Configuration(
  config.serverMetadata(),
  CLIENT_ID,
  undefined,
  client.ClientSecretBasic(CLIENT_SECRET),
);
client.allowInsecureRequests(introspecting);
app.get('/introspect', async (req, res) => {
  res.json(await client.tokenIntrospection(introspecting, req.session.tokens.access_token));
});

app.get('/revoke', async (req, res) => {
  await client.tokenRevocation(config, req.session.tokens.access_token);
  res.json({ revoked: true });
});

app.get('/logout', (req, res) => {
  const { id_token } = req.session.tokens;
  req.session.destroy(() => {
    const url = client.buildEndSessionUrl(config, {
      post_logout_redirect_uri: HOME,
      id_token_hint: id_token,
    });
    res.redirect(url.href);
  });
});

app.get('/', (_req, res) => res.send('Signed out.'));
app.listen(Number(PORT));
