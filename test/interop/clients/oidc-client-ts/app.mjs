// Serves one page; what it is about runs in the browser (page.js).
import express from 'express';

const { ISSUER, CLIENT_ID, PORT } = process.env;

const app = express();
app.use('/lib', express.static('node_modules/oidc-client-ts/dist/browser'));
app.get('/page.js', (_req, res) => res.sendFile('page.js', { root: import.meta.dirname }));
app.get('/', (_req, res) => {
  res.send(`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>oidc-client-ts</title><link rel="icon" href="data:,"></head>
  <body data-issuer="${ISSUER}" data-client="${CLIENT_ID}">
    <p id="state">…</p>
    <button id="sign-in">Sign in</button>
    <button id="sign-out">Sign out</button>
    <script src="/lib/oidc-client-ts.min.js"></script>
    <script src="/page.js"></script>
  </body>
</html>`);
});
app.listen(Number(PORT));
