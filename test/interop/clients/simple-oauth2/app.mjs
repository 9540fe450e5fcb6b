// simple-oauth2 as its README has it; the paths are the only settings, since it knows no discovery.
import express from 'express';
import session from 'express-session';
import { AuthorizationCode } from 'simple-oauth2';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, REDIRECT_URI } = process.env;

const client = new AuthorizationCode({
  client: { id: CLIENT_ID, secret: CLIENT_SECRET },
  auth: {
    tokenHost: ISSUER,
    authorizePath: '/oauth/v2/authorize',
    tokenPath: '/oauth/v2/token',
    revokePath: '/oauth/v2/revoke',
  },
});

const app = express();
app.use(session({ secret: 'interop', resave: false, saveUninitialized: false }));

app.get('/login', (req, res) => {
  req.session.state = crypto.randomUUID();
  res.redirect(
    client.authorizeURL({
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile email offline_access',
      state: req.session.state,
    }),
  );
});

app.get('/callback', async (req, res) => {
  const { code, state } = req.query;
  if (state !== req.session.state) return res.status(400).send('another state');
  const { token } = await client.getToken({ code, redirect_uri: REDIRECT_URI });
  req.session.token = token;
  res.redirect('/me');
});

async function userinfo(req, res) {
  const { access_token } = req.session.token;
  const response = await fetch(`${ISSUER}/oidc/v1/userinfo`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  res.status(response.status).json(response.ok ? await response.json() : {});
}
app.get('/me', userinfo);
app.get('/userinfo', userinfo);

app.get('/refresh', async (req, res) => {
  const before = req.session.token;
  const { token } = await client.createToken(before).refresh();
  req.session.token = token;
  res.json({ refreshed: token.access_token !== before.access_token });
});

app.get('/revoke', async (req, res) => {
  await client.createToken(req.session.token).revoke('access_token');
  res.json({ revoked: true });
});

app.listen(Number(PORT));
