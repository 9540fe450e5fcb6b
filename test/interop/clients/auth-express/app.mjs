// Auth.js for Express 4 as its own documentation has it (it knows no Express 5), with a provider of type "oidc".
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;

const config = {
  secret: '0123456789abcdef0123456789abcdef',
  trustHost: true,
  providers: [
    {
      id: 'identity',
      name: 'Identity',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid email profile offline_access' } },
    },
  ],
  callbacks: {
    jwt: ({ token, account }) => (account ? { ...token, tokens: account } : token),
    session: ({ session, token }) => ({ ...session, sub: token.sub, tokens: token.tokens }),
  },
};

const app = express();
app.set('trust proxy', true);
app.use('/auth/*', ExpressAuth(config));

app.get('/login', (_req, res) => res.redirect('/auth/signin?callbackUrl=/me'));

app.get('/me', async (req, res) => {
  const session = await getSession(req, config);
  if (session === null) return res.status(401).json(null);
  res.json({ sub: session.tokens.providerAccountId, ...session.user });
});

// https://authjs.dev/guides/refresh-token-rotation
app.get('/refresh', async (req, res) => {
  const { tokens } = await getSession(req, config);
  const response = await fetch(`${ISSUER}/oauth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }),
  });
  const after = await response.json();
  if (!response.ok) return res.status(502).json(after);
  res.json({ refreshed: after.access_token !== tokens.access_token });
});

app.listen(Number(PORT));
