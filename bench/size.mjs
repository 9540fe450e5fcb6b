import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startMailbox } from '../scripts/mailbox.mjs';
import { startPostgres, startRedis } from '../scripts/services.mjs';
import { call, endAll, makeInstance } from './instances.mjs';
import { drive } from './load.mjs';
import { LOAD_CORE, pinSelf, stop } from './process.mjs';
import { formRequest } from './program-figures.mjs';
import { addPrograms, assertionOf, basic, tokensOf } from './programs.mjs';
import { count, say } from './table.mjs';

// `npm run bench:size -- 10000000`: so many users (1,000,000 where nothing is said) with a session, a grant and two refresh
// tokens each, in a database of its own that is dropped at the end. Prints what tables and indexes take,
// refreshes for a while and prints how many rows were changed in place, then has PostgreSQL explain every statement that
// requests of each kind send, and fails where one of them reads a large table from end to end.

const PEOPLE = Number(process.argv[2] ?? 1_000_000);
/** Tables of so many rows are printed and watched. */
const LARGE = 10_000;
/** A count ends at 10,000 rows, wherever it reads them; nothing else reads so many. */
const MOST_READ = 12_000;
const REFRESH_SECONDS = 10;
const CALLERS = 16;
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Two of a family: one that was used, and the one that came for it. In the order of their keys, for the index's sake. */
const TOKENS = [
  `INSERT INTO refresh_token_families (authorization_id, absolute_expires_at)
   SELECT id, app_now() + interval '90 days' FROM authorizations ORDER BY id`,
  `INSERT INTO refresh_tokens (hash, authorization_id, idle_expires_at, used_at, successor_hash)
   SELECT hash, id, app_now() + interval '30 days', used_at, successor
   FROM authorizations, LATERAL (VALUES
     (sha256(('1' || id)::bytea), app_now() - interval '1 hour', sha256(('2' || id)::bytea)),
     (sha256(('2' || id)::bytea), NULL, NULL)) AS token(hash, used_at, successor)
   ORDER BY hash`,
];

const SIZES = `
  SELECT c.relname AS name, c.reltuples::float8 AS rows, pg_table_size(c.oid)::float8 AS "table",
    pg_indexes_size(c.oid)::float8 AS indexes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname = 'public' AND c.reltuples >= ${LARGE} ORDER BY pg_total_relation_size(c.oid) DESC`;
const INDEXES = `
  SELECT i.indexrelid::regclass::text AS name, pg_relation_size(i.indexrelid)::float8 AS bytes
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relname = $1 ORDER BY 2 DESC`;
const CHANGES = `
  SELECT relname AS name, n_tup_ins::float8 AS inserted, n_tup_upd::float8 AS updated, n_tup_hot_upd::float8 AS hot,
    n_dead_tup::float8 AS dead
  FROM pg_stat_user_tables WHERE n_tup_upd > 0 ORDER BY n_tup_upd DESC`;

/** Settings of PostgreSQL that have it write the plan of each statement, those within functions too. */
const EXPLAINED = {
  session_preload_libraries: `'auto_explain'`,
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': `'json'`,
};

const folder = mkdtempSync(path.join(tmpdir(), 'identity-size-'));
const logFile = path.join(folder, 'postgres.log');

function megabytes(bytes) {
  return `${count(bytes / 1e6)} MB`;
}

/** Every plan since PostgreSQL was told to write them, each with its text once. */
function plansIn(log) {
  const plans = new Map();
  for (const [, block] of log.matchAll(/duration: [\d.]+ ms\s+plan:\s*\n((?:\t.*\n?)+)/g)) {
    const { 'Query Text': text, Plan: plan } = JSON.parse(block);
    const key = text.replace(/\s+/g, ' ').trim();
    plans.set(`${key} ${JSON.stringify(scansOf(plan))}`, { text: key, scans: scansOf(plan) });
  }
  return [...plans.values()];
}

function scansOf(node) {
  const read =
    ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0);
  const own = node['Node Type'] === 'Seq Scan' && read > MOST_READ ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

/** What people, programs and managers ask for; each answers as it should or throws. */
async function askForEverything(instance) {
  const { issuer, opaqueApplication, jwtApplication, resourceServer, credentials } = instance;
  const form = async (route, client, parameters) => {
    const response = await fetch(`${issuer}${route}`, {
      method: 'POST',
      headers: client === undefined ? {} : { authorization: basic(client) },
      body: new URLSearchParams(parameters),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const get = async (route, token) => {
    const response = await fetch(`${issuer}${route}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
    return await response.json();
  };
  await get('/oauth/v2/keys', '');
  for (const application of [opaqueApplication, jwtApplication]) {
    for (const tokens of await tokensOf(instance, application, 3)) {
      const { access_token: token, refresh_token: refresh } = tokens;
      await form('/oauth/v2/introspect', resourceServer, { token });
      await get('/oidc/v1/userinfo', token);
      await get('/auth/v1/users/me', token);
      await get('/auth/v1/users/me/sessions', token);
      const grant = { grant_type: 'refresh_token', refresh_token: refresh };
      const next = await form('/oauth/v2/token', application, grant);
      // within its grace the one before gives the same again
      await form('/oauth/v2/token', application, grant);
      await form('/oauth/v2/introspect', resourceServer, { token: next.refresh_token });
      const exchange = { grant_type: TOKEN_EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN };
      await form('/oauth/v2/token', application, { ...exchange, scope: 'profile' });
      await form('/oauth/v2/revoke', application, { token });
      await form('/oauth/v2/revoke', application, { token: next.refresh_token });
    }
  }
  for (const robot of [instance.opaqueRobots[0], instance.jwtRobots[0]]) {
    const scope = 'openid profile';
    await form('/oauth/v2/token', robot, { grant_type: 'client_credentials', scope });
    await form('/oauth/v2/token', undefined, {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      scope,
      assertion: assertionOf(robot, issuer),
    });
  }
  const { pat } = credentials.serviceUser;
  const manage = (method, route, body) => call(instance, pat, method, `/management/v1/users${route}`, body);
  const loginName = instance.nextName();
  const { userId } = await manage('POST', '/human/_import', {
    userName: 'sized',
    profile: { firstName: 'Sized', lastName: 'Person' },
    email: { email: 'sized@example.com', isEmailVerified: true },
    password: 'Bench-Passw0rd!',
  });
  const found = await manage('POST', '/_search', { queries: [{ loginNameQuery: { loginName } }] });
  if (found.result.length !== 1) throw new Error(`${found.result.length} users are called ${loginName}`);
  const [{ id }] = found.result;
  await get(`/management/v1/users?search=${encodeURIComponent(loginName)}`, pat);
  await get('/management/v1/users', pat);
  await get(`/management/v1/users/${id}`, pat);
  await get(`/management/v1/users/${id}/sessions`, pat);
  for (const action of ['_lock', '_unlock', '_deactivate', '_reactivate'])
    await manage('POST', `/${id}/${action}`, {});
  await manage('DELETE', `/${userId}`);
}

async function refreshForAWhile(instance) {
  const { port, opaqueApplication, api } = instance;
  const chains = (await tokensOf(instance, opaqueApplication, CALLERS)).map((one) => one.refresh_token);
  const next = (caller) =>
    formRequest(port, '/oauth/v2/token', opaqueApplication, {
      grant_type: 'refresh_token',
      refresh_token: chains[caller],
    });
  const seen = (caller, { body }) => {
    chains[caller] = JSON.parse(body).refresh_token ?? chains[caller];
  };
  return await drive({ server: api, connections: CALLERS, seconds: REFRESH_SECONDS, next, seen });
}

async function main({ postgres, redis, mailbox }) {
  say(`\n${cpus()[0]?.model ?? 'unknown CPU'}, load ${loadavg()[0].toFixed(1)}, Node ${process.version}`);
  const settings = { users: PEOPLE, root: process.cwd() };
  const instance = await makeInstance(settings, 1, { postgres, redis, mailbox, folder });
  say(
    `${count(PEOPLE)} users with a session and a grant each: written in ${instance.fillSeconds.toFixed(0)} s`,
  );
  const client = new pg.Client({ connectionString: instance.env.DATABASE_URL });
  // the server is ended first where something failed
  client.on('error', () => undefined);
  await client.connect();
  const since = performance.now();
  await client.query('SET session_replication_role = replica');
  await client.query('SET statement_timeout = 0');
  for (const text of TOKENS) await client.query(text);
  await client.query('VACUUM ANALYZE');
  say(
    `${count(2 * PEOPLE)} refresh tokens: written in ${((performance.now() - since) / 1000).toFixed(0)} s\n`,
  );

  const { rows: sizes } = await client.query(SIZES);
  for (const { name, rows, table, indexes } of sizes) {
    say(
      `  ${name.padEnd(26)} ${count(rows).padStart(12)} rows ${megabytes(table).padStart(10)}, indexes ${megabytes(indexes).padStart(9)}`,
    );
    for (const index of (await client.query(INDEXES, [name])).rows) {
      say(`    ${index.name.padEnd(48)} ${megabytes(index.bytes).padStart(9)}`);
    }
  }
  const { rows: whole } = await client.query('SELECT pg_database_size(current_database())::float8 AS bytes');
  say(
    `  the whole: ${megabytes(whole[0].bytes)}, ${(whole[0].bytes / PEOPLE).toFixed(0)} bytes for each user\n`,
  );

  instance.api = await instance.startApi();
  await addPrograms(instance);
  await askForEverything(instance);
  await client.query('SELECT pg_stat_reset()');
  const { perSecond, count: refreshes } = await refreshForAWhile(instance);
  await sleep(2_000);
  say(
    `  ${count(refreshes)} refreshes, ${count(perSecond)}/s: rows changed, of these in place (HOT), dead rows`,
  );
  for (const { name, inserted, updated, hot, dead } of (await client.query(CHANGES)).rows) {
    say(
      `    ${name.padEnd(26)} ${count(inserted).padStart(8)} inserted, ${count(updated).padStart(8)} changed, ${((100 * hot) / updated).toFixed(0).padStart(3)} % in place, ${count(dead)} dead`,
    );
  }

  // of sessions that begin from now on
  for (const [name, value] of Object.entries(EXPLAINED)) {
    await client.query(`ALTER SYSTEM SET ${name} = ${value}`);
  }
  await client.query('SELECT pg_reload_conf()');
  await stop(instance.api.child);
  const length = readFileSync(logFile).length;
  instance.api = await instance.startApi();
  await askForEverything(instance);
  await sleep(1_000);
  const plans = plansIn(readFileSync(logFile).subarray(length).toString());
  const large = new Set(sizes.map(({ name }) => name));
  const slow = plans.filter(({ scans }) => scans.some((table) => large.has(table)));
  if (plans.length < 50) throw new Error(`only ${plans.length} plans were found in the log of PostgreSQL`);
  say(
    `\n  ${plans.length} plans of statements that requests send; ${slow.length} read a large table from end to end${slow.length === 0 ? '' : ' MISSED'}`,
  );
  for (const { text, scans } of slow) say(`    ${[...new Set(scans)].join(', ')}: ${text.slice(0, 300)}`);

  await client.end();
  return slow.length === 0;
}

const mailbox = await startMailbox({ httpPort: 0, smtpPort: 0 });
const postgres = await startPostgres({ dir: path.join(folder, 'postgres'), logFile });
const redis = await startRedis({ dir: path.join(folder, 'redis') });
let ending;
function end() {
  ending ??= (async () => {
    await endAll();
    await redis?.stop();
    await postgres.stop();
    await mailbox.stop();
    rmSync(folder, { recursive: true, force: true });
  })();
  return ending;
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void end().finally(() => process.exit(1)));
}
try {
  await pinSelf(LOAD_CORE);
  if (!(await main({ postgres, redis, mailbox }))) process.exitCode = 1;
} finally {
  await end();
}
