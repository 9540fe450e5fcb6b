import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { hiddenFields, pkce, PlainBrowser } from '../scripts/code-flow.mjs';
import { startMailbox } from '../scripts/mailbox.mjs';
import { anyFreePort } from '../scripts/ports.mjs';
import { startPostgres, startRedis } from '../scripts/services.mjs';
import { benchBesideRequests } from './import-beside-requests.mjs';
import { output, residentMb, startNode, stop, untilReady } from './process.mjs';

// `npm run bench:import`: a bulk import from upload to last user, beside `COPY` of the very same rows into the same
// tables and indexes in the same run. Two workers, the API and PostgreSQL share the machine's cores, as they would on
// a small server. IMPORT_USERS sets the size; a million is the figure to publish.

const USERS = Number(process.env.IMPORT_USERS ?? 1_000_000);
/** Users of each import that sign-ins and introspections happen beside. */
const BESIDE = Number(process.env.IMPORT_BESIDE ?? Math.min(100_000, Math.ceil(USERS / 5)));
const PLAIN = Number(process.env.IMPORT_PLAIN ?? 10_000);
/** Users who bring the secret of their authenticator app along. */
const WITH_TOTP = Number(process.env.IMPORT_TOTP ?? USERS);
const WORKERS = 2;
const BCRYPT = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';
const TABLES = ['users', 'user_humans', 'login_identifiers', 'user_passwords', 'events'];
const folder = mkdtempSync(path.join(tmpdir(), 'identity-bench-'));
const started = [];

function say(what, figure, beside = '') {
  process.stdout.write(`  ${what.padEnd(40)} ${figure.padEnd(34)} ${beside}\n`);
}

function perSecond(count, ms) {
  return `${Math.round((1000 * count) / ms).toLocaleString('en')}/s`;
}

/** Of user `number`: 20 bytes that nobody has to remember. */
function totpSecretOf(number) {
  return Secret.fromUTF8(`bench-totp-${String(number).padStart(9, '0')}`).base32;
}

function lineOf(number, prefix, password) {
  const userName = `${prefix}-${number}`;
  return `${JSON.stringify({
    userName,
    profile: { firstName: `First${number % 977}`, lastName: `Last${number % 1231}`, preferredLanguage: 'en' },
    email: { email: `${userName}@example.com`, isEmailVerified: true },
    ...(typeof password === 'function' ? password(number) : password),
  })}\n`;
}

/** NDJSON in pieces of a thousand lines, made while it is sent. */
function* fileOf(count, prefix, password) {
  for (let from = 0; from < count; from += 1000) {
    let piece = '';
    for (let number = from; number < Math.min(count, from + 1000); number += 1) {
      piece += lineOf(number, prefix, password);
    }
    yield Buffer.from(piece);
  }
}

class PeakMemory {
  peaks = new Map();
  timer = setInterval(() => this.look(), 100);

  constructor(processes) {
    this.processes = processes;
  }

  look() {
    for (const [name, child] of this.processes) {
      this.peaks.set(name, Math.max(this.peaks.get(name) ?? 0, residentMb(child) ?? 0));
    }
  }

  end() {
    clearInterval(this.timer);
    return [...this.peaks].map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`).join(', ');
  }
}

/** CPU time that a process and its children have taken so far, in ms; the one figure that a busy machine leaves alone. */
function cpuMs(pid) {
  const ticks = (file, fields) => {
    const after = readFileSync(file, 'utf8').split(') ').at(-1).split(' ');
    return fields.reduce((sum, field) => sum + Number(after[field - 3]), 0);
  };
  try {
    let sum = ticks(`/proc/${pid}/stat`, [14, 15, 16, 17]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    for (const child of children === '' ? [] : children.split(' ')) {
      sum += ticks(`/proc/${child}/stat`, [14, 15]);
    }
    return sum * 10;
  } catch {
    return Number.NaN;
  }
}

async function send(issuer, pat, count, prefix, password) {
  let bytes = 0;
  const counted = function* () {
    for (const piece of fileOf(count, prefix, password)) {
      bytes += piece.length;
      yield piece;
    }
  };
  const since = performance.now();
  const response = await fetch(`${issuer}/management/v1/imports?mode=insert&notify=none`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(counted(), { objectMode: true, highWaterMark: 4 })),
    duplex: 'half',
  });
  const text = await response.text();
  if (response.status !== 202) throw new Error(`the import answered ${response.status}: ${text}`);
  const ms = performance.now() - since;
  const body = JSON.parse(text);
  return { id: (body.import ?? body).id, ms, megabytes: bytes / 1e6 };
}

async function untilEnded(pool, id) {
  for (;;) {
    const { rows } = await pool.query('SELECT state, reason FROM imports WHERE id = $1', [id]);
    if (['done', 'failed', 'cancelled'].includes(rows[0]?.state)) return rows[0];
    await sleep(100);
  }
}

/** When each part of the file was written, by the database's clock. */
async function courseOf(pool, id) {
  const { rows } = await pool.query(
    `SELECT c.records, c.created, c.failed, extract(epoch FROM c.finished_at - j.started_at)::float8 * 1000 AS at
     FROM import_chunks c JOIN imports j ON j.id = c.import_id WHERE c.import_id = $1 ORDER BY c.finished_at`,
    [id],
  );
  const total = rows.reduce((sum, row) => sum + row.records, 0);
  const created = rows.reduce((sum, row) => sum + row.created, 0);
  const reached = (share) => {
    let sum = 0;
    for (const row of rows) {
      sum += row.records;
      if (sum >= total * share) return { at: row.at, sum };
    }
    return { at: 0, sum: 0 };
  };
  const [tenth, ninth, end] = [reached(0.1), reached(0.9), reached(1)];
  return {
    total,
    created,
    ms: end.at,
    first: perSecond(tenth.sum, tenth.at),
    last: perSecond(end.sum - ninth.sum, end.at - ninth.at),
  };
}

/** The same rows into tables of a fresh database: what PostgreSQL itself takes for them. */
async function copyFloor(env, pool, id, streams) {
  const files = path.join(folder, `rows-${streams}`);
  mkdirSync(files, { recursive: true });
  chmodSync(folder, 0o755);
  chmodSync(files, 0o777);
  const database = `floor_${streams}`;
  await pool.query(`CREATE DATABASE ${database}`);
  const url = new URL(env.DATABASE_URL);
  url.pathname = `/${database}`;
  await output(0, ['dist/src/cli/migrate.js'], { ...env, DATABASE_URL: url.href });
  const floor = new pg.Pool({ connectionString: url.href, max: streams });
  const { rows } = await pool.query(`SELECT DISTINCT org_id FROM imports`);
  for (const { org_id: orgId } of rows) {
    await floor.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Floor')`, [orgId]);
  }
  const cut = `hashtext(u.id) & 1 = `;
  const imported = `FROM users u JOIN events e ON e.aggregate_type = 'user' AND e.aggregate_id = u.id
    AND e.data ->> 'import' = '${id}'`;
  await pool.query(`SET statement_timeout = 0`);
  for (let stream = 0; stream < streams; stream += 1) {
    const mine = streams === 1 ? 'true' : `${cut}${stream}`;
    const keys = { users: 'id', events: 'aggregate_id' };
    for (const table of TABLES) {
      await pool.query(
        `COPY (SELECT t.* FROM ${table} t JOIN (SELECT u.id ${imported} WHERE ${mine}) AS w ON w.id = t.${keys[table] ?? 'user_id'}
               ${table === 'events' ? `WHERE t.aggregate_type = 'user'` : ''} ORDER BY w.id)
         TO '${files}/${table}-${stream}'`,
      );
    }
  }
  await floor.query('CHECKPOINT');
  const cpuBefore = cpuMs(postgres.pid);
  const since = performance.now();
  await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      for (const table of TABLES) await floor.query(`COPY ${table} FROM '${files}/${table}-${stream}'`);
    }),
  );
  const ms = performance.now() - since;
  const cpu = cpuMs(postgres.pid) - cpuBefore;
  const { rows: counted } = await floor.query('SELECT count(*)::int AS count FROM users');
  await floor.end();
  await pool.query(`DROP DATABASE ${database}`);
  return { count: counted[0].count, ms, cpu };
}

/** Somebody signs in with their password and the code that their app shows. */
async function signInWithCode(issuer, { webApplication, admin }, number, password) {
  const browser = new PlainBrowser(issuer);
  const parameters = {
    client_id: webApplication.clientId,
    redirect_uri: webApplication.redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
  };
  const loginName = `totp-${number}@${admin.loginName.split('@')[1]}`;
  const asked = await browser.authorize(parameters, { loginName, password });
  const page = await browser.request(`/login/second-factor?flow=${asked.get('flow')}`);
  const code = TOTP.generate({ secret: Secret.fromBase32(totpSecretOf(number)) });
  const form = { ...hiddenFields(await page.text()), code };
  const answer = await browser.request('/login/second-factor', { method: 'POST', form });
  return new URL(answer.headers.get('location') ?? '/', issuer).searchParams.has('code');
}

async function benchTotp(pool, issuer, credentials, pat) {
  const password = 'Bench-Passw0rd!';
  const value = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const withTotp = (number) => ({ hashedPassword: { value }, totpSecret: totpSecretOf(number) });
  const { id } = await send(issuer, pat, WITH_TOTP, 'totp', withTotp);
  await untilEnded(pool, id);
  const { total, created, ms } = await courseOf(pool, id);
  const numbers = [0, 1, Math.floor(WITH_TOTP / 2), WITH_TOTP - 2, WITH_TOTP - 1];
  const tried = await Promise.all(
    numbers.map((number) => signInWithCode(issuer, credentials, number, password)),
  );
  const letIn = tried.filter(Boolean).length;
  say(
    `import of ${WITH_TOTP.toLocaleString('en')} users with TOTP`,
    perSecond(total, ms),
    `${created.toLocaleString('en')} created; ${letIn} of ${tried.length} signed in with password and code`,
  );
}

async function argon2Rate() {
  const count = 200;
  const since = performance.now();
  await Promise.all(
    Array.from({ length: count }, () =>
      hash('Bench-Passw0rd!', { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
    ),
  );
  return { count, ms: performance.now() - since };
}

async function main(env, issuer, credentials, processes, restartWorkers) {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 2 });
  const cpu = () => ({
    postgres: cpuMs(postgres.pid),
    workers: processes.slice(1).reduce((sum, [, child]) => sum + cpuMs(child.pid), 0),
  });
  const { pat } = credentials.serviceUser;
  process.stdout.write(
    `\n${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores shared by API, ${WORKERS} workers, PostgreSQL and Redis, Node ${process.version}\n\n`,
  );

  const memory = new PeakMemory(processes);
  const sent = await send(issuer, pat, USERS, 'pre', { hashedPassword: { value: BCRYPT } });
  const before = cpu();
  const end = await untilEnded(pool, sent.id);
  const after = cpu();
  const peak = memory.end();
  const course = await courseOf(pool, sent.id);
  const one = await copyFloor(env, pool, sent.id, 1);
  const two = await copyFloor(env, pool, sent.id, 2);
  const rate = course.total / course.ms;

  say(
    'upload',
    `${(sent.megabytes / (sent.ms / 1000)).toFixed(1)} MB/s`,
    `${perSecond(USERS, sent.ms)} records`,
  );
  say(
    `import of ${USERS.toLocaleString('en')} pre-hashed users`,
    perSecond(course.total, course.ms),
    `${end.state}, ${course.created.toLocaleString('en')} created`,
  );
  say('  first 10 %, last 10 %', `${course.first}, ${course.last}`);
  say(
    '  beside COPY, one stream',
    perSecond(one.count, one.ms),
    `ratio ${(rate / (one.count / one.ms)).toFixed(2)} (aim 0.40)`,
  );
  say(
    '  beside COPY, two streams',
    perSecond(two.count, two.ms),
    `ratio ${(rate / (two.count / two.ms)).toFixed(2)}`,
  );
  say(
    '  CPU for 1,000 users',
    `workers ${((1000 * (after.workers - before.workers)) / USERS).toFixed(0)} ms, PostgreSQL ${((1000 * (after.postgres - before.postgres)) / USERS).toFixed(0)} ms`,
    `COPY ${((1000 * one.cpu) / USERS).toFixed(0)} ms`,
  );
  say('  upload and import together', perSecond(USERS, sent.ms + course.ms));
  say('peak memory', peak);
  if (BESIDE > 0) {
    const importOf = async (round) => {
      const { id } = await send(issuer, pat, BESIDE, `beside-${round}`, {
        hashedPassword: { value: BCRYPT },
      });
      return { id, course: async () => (await untilEnded(pool, id), await courseOf(pool, id)) };
    };
    const copy = (id) => copyFloor(env, pool, id, 1);
    await benchBesideRequests({ issuer, credentials, count: BESIDE, importOf, copy, restartWorkers, say });
  }

  if (PLAIN > 0) {
    const floor = await argon2Rate();
    const plain = await send(issuer, pat, PLAIN, 'plain', { password: 'Bench-Passw0rd!' });
    await untilEnded(pool, plain.id);
    const { total, ms } = await courseOf(pool, plain.id);
    say(
      `import of ${PLAIN.toLocaleString('en')} plain passwords`,
      perSecond(total, ms),
      `argon2id alone ${perSecond(floor.count, floor.ms)}, ratio ${(total / ms / (floor.count / floor.ms)).toFixed(2)}`,
    );
  }
  if (WITH_TOTP > 0) await benchTotp(pool, issuer, credentials, pat);
  await pool.end();
}

const mailbox = await startMailbox({ port: await anyFreePort() });
const postgres = await startPostgres({ dir: path.join(folder, 'postgres') });
const redis = await startRedis({ dir: path.join(folder, 'redis') });
try {
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
    RATE_LIMIT_FLOW: '1000000',
    SIGN_IN_RESPONSE_PADDING: '0s',
  };
  const credentialsFile = path.join(folder, 'credentials.json');
  await output(0, ['dist/src/cli/migrate.js'], env);
  await output(0, ['dist/src/cli/bootstrap.js', '--credentials', credentialsFile], env);
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8'));
  const start = async (script, more = {}) => {
    const ops = await anyFreePort();
    const child = startNode('0,1', [script], { ...env, ...more, OPS_PORT: String(ops) });
    started.push(child);
    await untilReady(child, `http://127.0.0.1:${ops}/readyz`);
    return child;
  };
  const startWorkers = async (more) => {
    const workers = [];
    for (let number = 0; number < WORKERS; number += 1) {
      workers.push(await start('dist/workers/main.js', more));
    }
    return workers;
  };
  const api = await start('dist/src/main.js');
  let workers = await startWorkers();
  const restartWorkers = async (more) => {
    await Promise.all(workers.map((worker) => stop(worker)));
    workers = await startWorkers(more);
  };
  const processes = [['API', api], ...workers.map((worker, index) => [`worker ${index + 1}`, worker])];
  await main(env, issuer, credentials, processes, restartWorkers);
} finally {
  await Promise.all(started.map((child) => stop(child)));
  await redis?.stop();
  await postgres.stop();
  await mailbox.stop?.();
  rmSync(folder, { recursive: true, force: true });
}
