// express-openid-connect with a client secret, as "Obtaining access tokens to call external APIs" of its examples has it.
import express from 'express';
import { auth } from 'express-openid-connect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;

const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: `http://localhost:${PORT}`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: 'a long random string that nobody else knows',
    idpLogout: true,
    authRequired: false,
    authorizationParams: {
      response_type: 'code',
      scope: 'openid profile email offline_access',
    },
  }),
);

app.get('/me', async (req, res) => res.json(await req.oidc.fetchUserInfo()));
app.get('/userinfo', async (req, res) => res.json(await req.oidc.fetchUserInfo()));
app.get('/refresh', async (req, res) => {
  const before = req.oidc.accessToken.access_token;
  const { access_token } = await req.oidc.accessToken.refresh();
  res.json({ refreshed: access_token !== before });
});
app.get('/', (req, res) => (req.oidc.isAuthenticated() ? res.redirect('/me') : res.send('Signed out.')));
app.listen(Number(PORT));
