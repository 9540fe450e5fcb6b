import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { hiddenFields, pkce, PlainBrowser } from './code-flow.mjs';
import { bold, cyan, dim, green, red } from './terminal.mjs';

// The README's tour against the running service, step by step. It talks to the service as any client would: over
// HTTP, with the credentials that `npm start` wrote. A step that fails ends the tour with exit code 1.

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const credentialsFile = process.env.TOUR_CREDENTIALS ?? path.join(root, '.data', 'credentials.json');

const PASSWORD = 'Correct-Horse-7';
let stepNumber = 0;

function show(text) {
  process.stdout.write(`${text}\n`);
}

/** Runs one step and shows what it found. */
async function step(title, work) {
  stepNumber += 1;
  show(`\n${bold(`${stepNumber}. ${title}`)}`);
  try {
    return await work();
  } catch (error) {
    show(`   ${red('failed:')} ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

function detail(name, value) {
  show(`   ${dim(name.padEnd(16))} ${value}`);
}

function check(condition, message) {
  if (!condition) throw new Error(message);
}

function shortened(token) {
  return `${token.slice(0, 24)}… ${dim(`(${token.length} characters)`)}`;
}

async function call(url, { method = 'GET', token, json, form } = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(json && { 'content-type': 'application/json' }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(json && { body: JSON.stringify(json) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  const text = await response.text();
  check(response.ok, `${method} ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? {} : JSON.parse(text);
}

/** Polls until `find` gives something. */
async function eventually(what, find) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(250);
  }
  throw new Error(`${what} did not come within 15 seconds`);
}

/** The hash an old system would have kept: PBKDF2, in the form that the import takes. */
function oldSystemsHash(password) {
  const salt = randomBytes(16);
  const key = pbkdf2Sync(password, salt, 27_500, 32, 'sha256');
  return `$pbkdf2-sha256$27500$${salt.toString('base64')}$${key.toString('base64')}`;
}

const credentials = await step('Read what npm start prepared', () => {
  const read = JSON.parse(readFileSync(credentialsFile, 'utf8'));
  detail('service', cyan(read.issuer));
  detail('administrator', read.admin.loginName);
  detail('credentials', path.relative(process.cwd(), credentialsFile) || credentialsFile);
  return read;
});
const { issuer, serviceUser, pkceApplication, mailboxUrl, primaryDomain, admin } = credentials;

const discovery = await step('Ask the service about itself', async () => {
  const document = await call(`${issuer}/.well-known/openid-configuration`);
  check(document.issuer === issuer, 'the issuer differs from the address it was asked at');
  detail('authorization', document.authorization_endpoint);
  detail('token', document.token_endpoint);
  return document;
});

const name = `ada-${randomBytes(3).toString('hex')}`;
const email = `${name}@example.com`;
const imported = await step('Import a human who keeps the old password', async () => {
  const hash = oldSystemsHash(PASSWORD);
  detail('old hash', `${hash.slice(0, 40)}…`);
  const answer = await call(`${issuer}/management/v1/users/human/_import`, {
    method: 'POST',
    token: serviceUser.pat,
    json: {
      userName: name,
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email, isEmailVerified: false },
      hashedPassword: { value: hash },
    },
  });
  detail('user id', answer.userId);
  const { user } = await call(`${issuer}/management/v1/users/${answer.userId}`, { token: serviceUser.pat });
  detail('state', user.state);
  detail('login name', user.preferredLoginName);
  check(user.preferredLoginName === `${name}@${primaryDomain}`, 'the login name is not the expected one');
  return answer;
});

await step('Watch the job: the verification mail arrives', async () => {
  const mail = await eventually('the mail', async () => {
    const [newest] = await call(`${mailboxUrl}/api/messages?to=${encodeURIComponent(email)}`);
    return newest;
  });
  detail('subject', mail.subject);
  detail('mailbox', cyan(mailboxUrl));
  const link = /https?:\/\/\S+\/verify\/email\?\S+/.exec(mail.text)?.[0];
  check(link !== undefined, 'the mail has no link');
  const browser = new PlainBrowser(issuer);
  const page = await (await browser.request(link)).text();
  const code = new URL(link).searchParams.get('code');
  const verified = await browser.request('/verify/email', {
    method: 'POST',
    form: { ...hiddenFields(page), code },
  });
  check(verified.ok, `the verification page answered ${verified.status}`);
  const { user } = await call(`${issuer}/management/v1/users/${imported.userId}`, { token: serviceUser.pat });
  check(user.human.email.isEmailVerified === true, 'the address is not verified');
  detail('address', green('verified'));
});

const browser = new PlainBrowser(issuer);
const tokens = await step('Sign in with the old password (code flow, PKCE)', async () => {
  const { verifier, challenge } = pkce();
  const state = randomBytes(8).toString('hex');
  const answer = await browser.authorize(
    {
      client_id: pkceApplication.clientId,
      redirect_uri: pkceApplication.redirectUri,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      state,
      nonce: state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    },
    { loginName: `${name}@${primaryDomain}`, password: PASSWORD },
  );
  check(answer.get('code') !== null, `no code came back: ${answer.get('error') ?? 'wrong password?'}`);
  check(answer.get('state') === state && answer.get('iss') === issuer, 'state or issuer differ');
  detail('code', shortened(answer.get('code')));
  const response = await call(discovery.token_endpoint, {
    method: 'POST',
    form: {
      grant_type: 'authorization_code',
      code: answer.get('code'),
      redirect_uri: pkceApplication.redirectUri,
      client_id: pkceApplication.clientId,
      code_verifier: verifier,
    },
  });
  detail('access token', shortened(response.access_token));
  detail('refresh token', shortened(response.refresh_token));
  return response;
});

await step('Verify the ID token with the published keys', async () => {
  const keys = createLocalJWKSet(await call(discovery.jwks_uri));
  const { payload, protectedHeader } = await jwtVerify(tokens.id_token, keys, {
    issuer,
    audience: pkceApplication.clientId,
  });
  check(payload.sub === imported.userId, 'the ID token is about somebody else');
  detail('signed', `${protectedHeader.alg}, key ${protectedHeader.kid}`);
  detail('subject', payload.sub);
});

await step('Call userinfo', async () => {
  const claims = await call(discovery.userinfo_endpoint, { token: tokens.access_token });
  for (const [claim, value] of Object.entries(claims)) detail(claim, value);
});

await step('Refresh: a new token pair, the old refresh token is spent', async () => {
  const refreshed = await call(discovery.token_endpoint, {
    method: 'POST',
    form: {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: pkceApplication.clientId,
    },
  });
  check(refreshed.refresh_token !== tokens.refresh_token, 'the refresh token did not rotate');
  await call(discovery.userinfo_endpoint, { token: refreshed.access_token });
  detail('refresh token', shortened(refreshed.refresh_token));
});

await step('Sign in at the sample application', async () => {
  const { origin } = new URL(credentials.webApplication.redirectUri);
  const away = await fetch(`${origin}/sign-in`, { redirect: 'manual' }).catch(() => undefined);
  if (away === undefined) return detail('sample app', `not running at ${origin}`);
  const [cookie = ''] = (away.headers.getSetCookie()[0] ?? '').split(';');
  // this browser has a session, so that nobody is asked
  const begun = await browser.request(away.headers.get('location'));
  const back = begun.headers.get('location') ?? '';
  check(back.startsWith(`${origin}/`), 'the browser did not come back to the application');
  await fetch(back, { redirect: 'manual', headers: { cookie } });
  const page = await (await fetch(origin, { headers: { cookie } })).text();
  check(page.includes('Ada Lovelace'), 'the application does not show who signed in');
  detail('it shows', /<h1>(.*?)<\/h1>/.exec(page)?.[1] ?? '');
  return detail('open', cyan(origin));
});

await step('See the job in the queue dashboard', async () => {
  if (admin.password === undefined) {
    return detail('skipped', 'the administrator chose a password that only they know');
  }
  const operator = new PlainBrowser(issuer);
  const refused = await operator.request('/admin/queues');
  check(refused.status === 303, `a stranger got ${refused.status} from the dashboard`);
  const begun = await operator.request(refused.headers.get('location'));
  const page = await (await operator.request(begun.headers.get('location'))).text();
  await operator.request('/login', {
    method: 'POST',
    form: { ...hiddenFields(page), loginName: admin.loginName, password: admin.password },
  });
  const dashboard = await operator.request('/admin/queues/api/queues');
  check(dashboard.ok, `the dashboard answered ${dashboard.status}`);
  const { queues } = await dashboard.json();
  for (const queue of queues)
    detail(queue.name, `${queue.counts.completed} done, ${queue.counts.failed} failed`);
  return detail('dashboard', cyan(credentials.dashboardUrl));
});

show(
  `\n${green('The tour is complete.')} Open ${cyan(mailboxUrl)} for the mail, sign in at the dashboard as the administrator.\n`,
);
