// An API behind passport-zitadel as its README has it: by key (an assertion without jti) and by secret.
import express from 'express';
import passport from 'passport';
import { ZitadelIntrospectionStrategy } from 'passport-zitadel';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, API_KEY, PORT } = process.env;

const authorization =
  API_KEY === undefined
    ? { type: 'basic', clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
    : { type: 'jwt-profile', profile: JSON.parse(API_KEY) };

passport.use(new ZitadelIntrospectionStrategy({ authority: ISSUER, authorization }));

const app = express();
app.use(passport.initialize());
app.use(passport.authenticate('zitadel-introspection', { session: false }));
app.get('/', (req, res) => res.json(req.user));
app.listen(Number(PORT));
