import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { anyFreePort } from '../scripts/ports.mjs';
import { PROFILES } from './knobs.mjs';
import { personName } from './population.mjs';
import { API_CORE, LOAD_CORE, output, startNode, stop, untilReady } from './process.mjs';

// An instance of the service for each number of users: its database, its credentials, its API process. All of them
// share the API's core, and an idle one costs nothing, so two sizes can be measured in turn.

/** Everything that is started here; ended by whoever runs the benchmark, in whatever way that ends. */
export const running = [];

export class Instance {
  #people;
  #turn = 0;

  constructor(settings) {
    Object.assign(this, settings);
    this.#people = settings.users;
  }

  get userId() {
    return this.credentials.admin.userId;
  }

  /** Somebody from anywhere in the table, hardly ever the same twice. */
  nextName() {
    this.#turn += 1;
    // steps of the golden ratio fall evenly everywhere
    const place = (this.#turn * 0.618_033_988_749_895) % 1;
    const { loginName } = this.credentials.admin;
    return `${personName(1 + Math.floor(place * this.#people))}${loginName.slice(loginName.lastIndexOf('@'))}`;
  }

  /** Starts an API process on this database: the one that PUBLIC_URL names, or another beside it. */
  async startApi(more = {}, port = this.port) {
    const since = performance.now();
    const profile = PROFILES === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`];
    const env = { ...this.env, OPS_PORT: String(await anyFreePort()), PORT: String(port), ...more };
    const child = startNode(API_CORE, [...profile, 'dist/src/main.js'], env, this.root);
    running.push(child);
    const readyMs = await untilReady(child, `http://localhost:${port}/debug/ready`, since);
    return { child, port, readyMs };
  }

  async startWorker() {
    const opsPort = await anyFreePort();
    const since = performance.now();
    const env = { ...this.env, OPS_PORT: String(opsPort) };
    const child = startNode(LOAD_CORE, ['dist/workers/main.js'], env, this.root);
    running.push(child);
    return { child, readyMs: await untilReady(child, `http://127.0.0.1:${opsPort}/readyz`, since) };
  }
}

/**
 * A migrated, bootstrapped database with that many users; no process of the service runs yet. All of it is done by the
 * programs of the checkout `root`, which may know other tables than this one. `more`: settings beyond those of all.
 */
export async function makeInstance({ users, root, more = {} }, number, { postgres, redis, mailbox, folder }) {
  const database = `bench_${number}`;
  const url = postgres.urlOf(database);
  await createDatabase(postgres.url, database);
  const port = await anyFreePort();
  const issuer = `http://localhost:${port}`;
  const env = {
    NODE_ENV: 'test',
    PUBLIC_URL: issuer,
    PORT: String(port),
    DATABASE_URL: url,
    ...(redis === undefined ? { QUEUE_BACKEND: 'postgres' } : { REDIS_URL: `${redis.url}/${number}` }),
    MASTER_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: mailbox.smtpUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_TOKEN: '0',
    RATE_LIMIT_API: '0',
    RATE_LIMIT_SIGN_IN: '0',
    // counted as ever, but one address is everybody here
    RATE_LIMIT_FLOW: '1000000',
    RATE_LIMIT_KEYS: '1000000',
    ...more,
  };
  const file = path.join(folder, `credentials-${number}.json`);
  await output(LOAD_CORE, ['dist/src/cli/migrate.js'], env, root);
  await output(LOAD_CORE, ['dist/src/cli/bootstrap.js', '--credentials', file], env, root);
  const credentials = JSON.parse(readFileSync(file, 'utf8'));
  const { fill } = await import(pathToFileURL(path.join(root, 'bench/population.mjs')).href);
  const seconds = await fill(url, users, credentials);
  return new Instance({ users, root, port, issuer, env, credentials, fillSeconds: seconds });
}

async function createDatabase(url, name) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
}

/** Calls an API of the instance as one of its service users. */
export async function call({ issuer }, pat, method, route, body, more = {}) {
  const response = await fetch(`${issuer}${route}`, {
    method,
    headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`${method} ${route} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}

export async function endAll() {
  await Promise.all(running.map((child) => stop(child)));
}
