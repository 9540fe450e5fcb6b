// express-openid-connect as its README has it: an ID token by form_post, and no client secret.
import express from 'express';
import { auth } from 'express-openid-connect';

const { ISSUER, CLIENT_ID, PORT } = process.env;

const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: `http://localhost:${PORT}`,
    clientID: CLIENT_ID,
    secret: 'a long random string that nobody else knows',
    idpLogout: true,
    authRequired: false,
  }),
);
app.get('/me', (req, res) => res.json(req.oidc.user ?? null));
app.get('/', (req, res) => res.redirect(req.oidc.isAuthenticated() ? '/me' : '/signed-out'));
app.get('/signed-out', (_req, res) => res.send('Signed out.'));
app.listen(Number(PORT));
