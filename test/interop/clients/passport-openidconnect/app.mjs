// passport-openidconnect as its README has it; it sends the secret in the form.
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, REDIRECT_URI } = process.env;

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer: ISSUER,
      authorizationURL: `${ISSUER}/oauth/v2/authorize`,
      tokenURL: `${ISSUER}/oauth/v2/token`,
      userInfoURL: `${ISSUER}/oidc/v1/userinfo`,
      clientID: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      callbackURL: REDIRECT_URI,
      scope: ['profile', 'email'],
    },
    // nine parameters make it load the profile from userinfo
    function verify(issuer, uiProfile, idProfile, context, idToken, accessToken, refreshToken, params, cb) {
      cb(null, { sub: uiProfile.id, name: uiProfile.displayName, email: uiProfile.emails?.[0]?.value });
    },
  ),
);
passport.serializeUser((user, cb) => cb(null, user));
passport.deserializeUser((user, cb) => cb(null, user));

const app = express();
app.use(session({ secret: 'interop', resave: false, saveUninitialized: false }));
app.use(passport.authenticate('session'));

app.get('/login', passport.authenticate('openidconnect'));
app.get(
  '/callback',
  passport.authenticate('openidconnect', { failureRedirect: '/failed', failureMessage: true }),
  (_req, res) => res.redirect('/me'),
);
app.get('/failed', (req, res) => res.status(401).json(req.session.messages));
app.get('/me', (req, res) => res.json(req.user));
app.listen(Number(PORT));
