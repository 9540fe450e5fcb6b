// openid-client 5 as its README has it: the default client authentication is client_secret_basic.
import express from 'express';
import session from 'express-session';
import { generators, Issuer } from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, REDIRECT_URI } = process.env;
const HOME = `http://localhost:${PORT}/`;

const issuer = await Issuer.discover(ISSUER);
const client = new issuer.Client({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  redirect_uris: [REDIRECT_URI],
  response_types: ['code'],
});

const app = express();
app.use(session({ secret: 'interop', resave: false, saveUninitialized: false }));

app.get('/login', (req, res) => {
  const code_verifier = generators.codeVerifier();
  req.session.code_verifier = code_verifier;
  res.redirect(
    client.authorizationUrl({
      scope: 'openid email profile offline_access',
      code_challenge: generators.codeChallenge(code_verifier),
      code_challenge_method: 'S256',
    }),
  );
});

app.get('/callback', async (req, res) => {
  const params = client.callbackParams(req);
  const { code_verifier } = req.session;
  const tokenSet = await client.callback(REDIRECT_URI, params, { code_verifier });
  req.session.tokens = tokenSet;
  req.session.user = { ...tokenSet.claims(), ...(await client.userinfo(tokenSet.access_token)) };
  res.redirect('/me');
});

app.get('/me', (req, res) => res.json(req.session.user));
app.get('/userinfo', async (req, res) => res.json(await client.userinfo(req.session.tokens.access_token)));

app.get('/refresh', async (req, res) => {
  const before = req.session.tokens;
  const after = await client.refresh(before.refresh_token);
  req.session.tokens = { ...before, ...after };
  res.json({ refreshed: after.access_token !== before.access_token, sub: after.claims().sub });
});

app.get('/introspect', async (req, res) => {
  res.json(await client.introspect(req.session.tokens.access_token));
});

app.get('/revoke', async (req, res) => {
  await client.revoke(req.session.tokens.access_token);
  res.json({ revoked: true });
});

app.get('/logout', (req, res) => {
  const { id_token } = req.session.tokens;
  req.session.destroy(() => {
    res.redirect(client.endSessionUrl({ id_token_hint: id_token, post_logout_redirect_uri: HOME }));
  });
});

app.get('/', (_req, res) => res.send('Signed out.'));
app.listen(Number(PORT));
