import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { startMailbox } from '../scripts/mailbox.mjs';
import { anyFreePort } from '../scripts/ports.mjs';
import { startPostgres, startRedis } from '../scripts/services.mjs';
import { PlainBrowser, pkce } from '../scripts/code-flow.mjs';
import { authorizePath, importUsers, signedIn, WaitingForms, WholeFlow } from './browsers.mjs';
import { drive, requestBytes } from './load.mjs';
import { canPin, output, pinSelf, residentMb, startNode, stop, untilReady } from './process.mjs';

// `npm run bench`: each figure beside its floor, measured in the same run. One API process on one core; the load,
// PostgreSQL and Redis on the other. Ratios are the result: these machines are shared, absolute numbers drift.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 32;
const BROWSERS = 16;
const API_CORE = 0;
const LOAD_CORE = 1;

const folder = mkdtempSync(path.join(tmpdir(), 'identity-bench-'));
const rows = [];
const running = [];

function say(text) {
  process.stdout.write(`${text}\n`);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function perSecond(value) {
  return `${Math.round(value).toLocaleString('en')}/s`;
}

function row(what, figure, beside = '', ratio = '', aim = '') {
  rows.push([what, figure, beside, ratio, aim]);
  say(`  ${what.padEnd(34)} ${figure.padEnd(34)} ${beside.padEnd(34)} ${ratio.padEnd(8)} ${aim}`);
}

/** Measures figure and floor in turn, several rounds, so that drift hits both alike. */
async function besideFloor(what, floorName, aim, measure, floor) {
  const figures = [];
  const floors = [];
  await measure(1);
  await floor(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    figures.push(await measure(SECONDS));
    floors.push(await floor(SECONDS));
  }
  const ratios = figures.map((figure, index) => figure.perSecond / floors[index].perSecond);
  const middle = figures.find((figure) => figure.perSecond === median(figures.map((one) => one.perSecond)));
  const failures = figures.reduce((sum, figure) => sum + figure.failures, 0);
  row(
    what,
    `${perSecond(middle.perSecond)}  p50 ${middle.p50.toFixed(1)} ms  p99 ${middle.p99.toFixed(1)} ms`,
    `${floorName} ${perSecond(median(floors.map((one) => one.perSecond)))}`,
    median(ratios).toFixed(2),
    `aim ${aim}${failures === 0 ? '' : `  ${failures} FAILED`}`,
  );
}

const mailbox = await startMailbox({ httpPort: 0, smtpPort: 0 });
const postgres = await startPostgres({ dir: path.join(folder, 'postgres') });
const redis = await startRedis({ dir: path.join(folder, 'redis') });

async function main() {
  const port = await anyFreePort();
  const issuer = `http://localhost:${port}`;
  const env = {
    NODE_ENV: 'test',
    PUBLIC_URL: issuer,
    PORT: String(port),
    DATABASE_URL: postgres.url,
    ...(redis === undefined ? { QUEUE_BACKEND: 'postgres' } : { REDIS_URL: redis.url }),
    MASTER_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: mailbox.smtpUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_TOKEN: '0',
    RATE_LIMIT_API: '0',
    RATE_LIMIT_SIGN_IN: '0',
    // counted as ever, but one address is everybody here
    RATE_LIMIT_FLOW: '1000000',
  };
  const credentialsFile = path.join(folder, 'credentials.json');
  await output(LOAD_CORE, ['dist/src/cli/migrate.js'], env);
  await output(LOAD_CORE, ['dist/src/cli/bootstrap.js', '--credentials', credentialsFile], env);
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8'));

  say(`\n${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`);
  say(
    `API on core ${API_CORE}, load + PostgreSQL on core ${LOAD_CORE}${canPin ? '' : ' (not pinned: no taskset)'}\n`,
  );

  const coldStarts = { api: [], worker: [] };
  let api;
  let worker;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (api !== undefined) await Promise.all([stop(api), stop(worker)]);
    const apiOps = await anyFreePort();
    const since = performance.now();
    api = startNode(API_CORE, ['dist/src/main.js'], { ...env, OPS_PORT: String(apiOps) });
    running.push(api);
    coldStarts.api.push(await untilReady(api, `${issuer}/debug/ready`, since));
    const workerOps = await anyFreePort();
    const workerSince = performance.now();
    worker = startNode(LOAD_CORE, ['dist/workers/main.js'], { ...env, OPS_PORT: String(workerOps) });
    running.push(worker);
    coldStarts.worker.push(await untilReady(worker, `http://127.0.0.1:${workerOps}/readyz`, workerSince));
  }
  row('cold start, API', `${Math.round(median(coldStarts.api))} ms to ready`);
  row('cold start, worker', `${Math.round(median(coldStarts.worker))} ms to ready`);
  row(
    'resident memory idle',
    `API ${residentMb(api)?.toFixed(0)} MB`,
    `worker ${residentMb(worker)?.toFixed(0)} MB`,
  );
  await pinSelf(LOAD_CORE);

  await benchImport(port, credentials);
  // the queue drains on the load's core, so it is out of the way before the other figures
  await stop(worker);
  await benchUserinfo(port, issuer, env, credentials);
  await benchRefresh(port, issuer, credentials);
  await benchBrowsers(port, issuer, env, credentials);
  row('resident memory under load', `API ${residentMb(api)?.toFixed(0)} MB`);
}

let imported = 0;

function importBytes(port, pat) {
  imported += 1;
  const body = JSON.stringify({
    userName: `bench-${imported}`,
    profile: { firstName: 'Bench', lastName: 'User' },
    email: { email: `bench-${imported}@example.com`, isEmailVerified: true },
    hashedPassword: {
      value: '$pbkdf2-sha256$27500$cmFuZG9tc2FsdGlzaGFyZA==$OFvEcLOIPFd/oq8egf10i+qJLI7A8nDjPLnolCWarQY=',
    },
  });
  return requestBytes(
    port,
    'POST',
    '/management/v1/users/human/_import',
    { Authorization: `Bearer ${pat}`, 'Content-Type': 'application/json' },
    body,
  );
}

async function benchImport(port, { serviceUser }) {
  for (const connections of [1, 16]) {
    const next = () => importBytes(port, serviceUser.pat);
    await drive({ port, connections, seconds: 1, next });
    const figure = await drive({ port, connections, seconds: SECONDS, next });
    row(
      `_import, ${connections} caller${connections === 1 ? '' : 's'}`,
      `${perSecond(figure.perSecond)}  p50 ${figure.p50.toFixed(1)} ms  p99 ${figure.p99.toFixed(1)} ms`,
      '',
      '',
      figure.failures === 0 ? '' : `${figure.failures} FAILED`,
    );
  }
}

/** Signs the administrator in once; further codes come from the same session. */
async function tokensOf(issuer, { admin, webApplication }, count) {
  const browser = new PlainBrowser(issuer);
  const tokens = [];
  while (tokens.length < count) {
    const { verifier, challenge } = pkce();
    const answer = await browser.authorize(
      {
        client_id: webApplication.clientId,
        redirect_uri: webApplication.redirectUri,
        response_type: 'code',
        scope: 'openid profile email offline_access',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      },
      { loginName: admin.loginName, password: admin.password },
    );
    const response = await fetch(`${issuer}/oauth/v2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(webApplication) },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: answer.get('code'),
        redirect_uri: webApplication.redirectUri,
        code_verifier: verifier,
      }).toString(),
    });
    if (!response.ok) throw new Error(`the token endpoint answered ${response.status}`);
    tokens.push(await response.json());
  }
  return tokens;
}

function basic({ clientId, clientSecret }) {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

/** The floor of whatever asks the database once: its process and its port. */
async function startSelectFloor(env, credentials) {
  const port = await anyFreePort();
  const floor = startNode(API_CORE, ['bench/floor-server.mjs'], {
    ...env,
    PORT: String(port),
    FLOOR_USER: credentials.admin.userId,
  });
  running.push(floor);
  await untilReady(floor, `http://127.0.0.1:${port}/floor`);
  return { floor, floorPort: port };
}

async function benchUserinfo(port, issuer, env, credentials) {
  const [tokens] = await tokensOf(issuer, credentials, 1);
  const { floor, floorPort } = await startSelectFloor(env, credentials);
  const authorization = `Bearer ${tokens.access_token}`;
  const userinfo = requestBytes(port, 'GET', '/oidc/v1/userinfo', { Authorization: authorization });
  const floorRequest = requestBytes(floorPort, 'GET', '/floor', { Authorization: authorization });
  await besideFloor(
    'userinfo, opaque token',
    'one prepared select',
    '≥ 0.6',
    (seconds) => drive({ port, connections: CONNECTIONS, seconds, next: () => userinfo }),
    (seconds) => drive({ port: floorPort, connections: CONNECTIONS, seconds, next: () => floorRequest }),
  );
  await stop(floor);
}

async function benchRefresh(port, issuer, credentials) {
  const chains = (await tokensOf(issuer, credentials, CONNECTIONS)).map((tokens) => tokens.refresh_token);
  const headers = {
    Authorization: basic(credentials.webApplication),
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const next = (caller, answer) => {
    if (answer?.status === 200) chains[caller] = JSON.parse(answer.body).refresh_token;
    const body = `grant_type=refresh_token&refresh_token=${chains[caller]}`;
    return requestBytes(port, 'POST', '/oauth/v2/token', headers, body);
  };
  await besideFloor(
    'refresh grant (signatures made)',
    'RSA-2048 signatures',
    '≥ 0.7',
    (seconds) => drive({ port, connections: CONNECTIONS, seconds, next }),
    async (seconds) => ({
      perSecond: Number(await output(API_CORE, ['bench/sign-floor.mjs', String(seconds)], {})),
    }),
  );
}

/** People at the pages: sign-ins cost a password hash, a browser that is signed in costs a grant and a code. */
async function benchBrowsers(port, issuer, env, credentials) {
  const { webApplication } = credentials;
  const names = await importUsers(issuer, credentials, BROWSERS);
  const argon2 = async (seconds) => ({
    perSecond: Number(await output(API_CORE, ['bench/argon2-floor.mjs', String(seconds)], {})),
  });

  // more forms than the fastest machine can send in the time
  const forms = Math.ceil(((1 + ROUNDS * SECONDS) * 150) / BROWSERS);
  const waiting = await Promise.all(
    names.map((name) => WaitingForms.open(issuer, webApplication, name, forms)),
  );
  await besideFloor(
    'sign-in (password step)',
    'argon2id',
    '≥ 0.85',
    (seconds) =>
      drive({
        port,
        connections: BROWSERS,
        seconds,
        next: (caller) => waiting[caller].next(),
        seen: (caller, answer) => waiting[caller].seen(answer),
      }),
    argon2,
  );

  const authorization = basic(webApplication);
  const flows = names.map(
    (loginName) => new WholeFlow({ port, application: webApplication, authorization, loginName }),
  );
  await besideFloor(
    'code flow: authorize to tokens',
    'argon2id',
    'printed',
    async (seconds) => {
      const figure = await drive({
        port,
        connections: BROWSERS,
        seconds,
        next: (caller) => flows[caller].next(),
        seen: (caller, answer) => flows[caller].seen(answer),
      });
      return { ...figure, perSecond: figure.perSecond / WholeFlow.REQUESTS };
    },
    argon2,
  );

  const { floor, floorPort } = await startSelectFloor(env, credentials);
  const cookies = await Promise.all(names.map((name) => signedIn(issuer, webApplication, name)));
  const requests = cookies.map((cookie) => requestBytes(port, 'GET', authorizePath(webApplication), cookie));
  const floorRequest = requestBytes(floorPort, 'GET', '/floor');
  await besideFloor(
    'authorize with a live session',
    'one prepared select',
    'printed',
    (seconds) => drive({ port, connections: BROWSERS, seconds, next: (caller) => requests[caller] }),
    (seconds) => drive({ port: floorPort, connections: BROWSERS, seconds, next: () => floorRequest }),
  );
  await stop(floor);
}

try {
  await main();
} finally {
  await Promise.all(running.map((child) => stop(child)));
  await redis?.stop();
  await postgres.stop();
  await mailbox.stop();
  rmSync(folder, { recursive: true, force: true });
}
