import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { findRedis } from '../../scripts/redis-binary.mjs';
import { startPostgres, type PrivatePostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { environmentOf, readCompose, ROOT, type ComposeService } from '../support/compose.js';
import { imitateRedisImage, inRedisImage } from '../support/redis-image.js';
import { eventually } from './support/eventually.js';

// No container is started: the commands of docker-compose.yml run with the environment that it gives them, against a
// PostgreSQL and a Redis with the accounts of docker-compose.yml. Ports and the folder of the secrets are this machine's.

const run = promisify(execFile);
const { services } = readCompose();
const DIST = process.env['TEST_DIST'] ?? path.join(ROOT, 'dist');
const ADMIN_PASSWORD = 'Compose-Admin-1';

let folder: string;
let secrets: string;
let postgres: PrivatePostgres;
let redis: ChildProcess;
let redisPort: number;
let apiOrigin: string;
const started: Started[] = [];

interface Started {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly output: () => string;
  readonly opsPort: number;
}

function secret(name: string): string {
  return readFileSync(path.join(secrets, name), 'utf8').trim();
}

function urlOf(user: string): string {
  return `postgres://${user}@127.0.0.1:${postgres.port}/identity`;
}

/** In the place of the volume `bootstrap-files`. */
function tokenFile(): string {
  return path.join(folder, 'service-user.pat');
}

/** `.env` of an operator who brings servers of their own: these ones. */
function envFile(): string {
  return [
    `PUBLIC_URL=${apiOrigin}`,
    `DATABASE_URL=${urlOf('identity_service')}`,
    `DATABASE_OWNER_URL=${urlOf(new URL(postgres.url).username)}`,
    `REDIS_URL=redis://identity@127.0.0.1:${redisPort}`,
    'HEARTBEAT_INTERVAL=1s',
    'SMS_SPEND_CAP=12.5',
    `BOOTSTRAP_SERVICE_USER_TOKEN_FILE=${tokenFile()}`,
  ].join('\n');
}

async function start(name: string): Promise<Started> {
  const service = services[name];
  if (service === undefined) throw new Error(`no service ${name}`);
  const [, ...command] = service.command ?? ['node', 'dist/src/main.js'];
  return await startWith(service, command);
}

/** `docker compose run --rm NAME node …`, or `docker compose exec NAME node …`. @returns the exit code and the output */
async function runIn(
  name: string,
  ...command: readonly string[]
): Promise<{ code: number | null; output: string }> {
  const service = services[name];
  if (service === undefined) throw new Error(`no service ${name}`);
  const one = await startWith(service, command);
  return { code: await one.exited, output: one.output() };
}

async function startWith(
  service: ComposeService,
  [entry = '', ...args]: readonly string[],
): Promise<Started> {
  const opsPort = await anyFreePort();
  const given = { ...environmentOf(service, envFile()), HOST: '127.0.0.1', OPS_HOST: '127.0.0.1' };
  const env = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, value.replace(/^\/run\/secrets/, secrets)]),
  );
  const child = spawn(process.execPath, [path.join(DIST, path.relative('dist', entry)), ...args], {
    env: {
      PATH: process.env['PATH'],
      ...env,
      PORT: new URL(apiOrigin).port,
      OPS_PORT: String(opsPort),
      // of a user who has none, as in the image
      HOME: '/nowhere',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  // `close` comes after the last output, `exit` may not
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const one = { child, exited, output: () => output, opsPort };
  started.push(one);
  return one;
}

/** GET as a browser sends it, which keeps the cookies that it is given on the way. */
async function open(address: string, cookies: readonly string[] = []): Promise<Response> {
  const answer = await fetch(new URL(address, apiOrigin), {
    redirect: 'manual',
    headers: { cookie: cookies.join('; '), accept: 'text/html' },
  });
  const location = answer.headers.get('location');
  if (location === null) return answer;
  const given = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');
  return await open(location, [...cookies, ...given]);
}

async function runToEnd(name: string): Promise<string> {
  const one = await start(name);
  const code = await one.exited;
  expect(code, one.output()).toBe(0);
  return one.output();
}

async function untilReady(one: Started): Promise<void> {
  await eventually('readiness', 150_000, async () => {
    if (one.child.exitCode !== null) throw new Error(one.output());
    const answer = await fetch(`http://127.0.0.1:${one.opsPort}/readyz`).catch(() => undefined);
    return answer?.status === 200;
  });
}

async function startRedisAsComposeDoes(): Promise<void> {
  const binary = await findRedis({ folder: path.join(ROOT, '.data/redis') });
  if (binary === undefined) throw new Error('this machine has no Redis and none can be fetched');
  const image = path.join(folder, 'image');
  mkdirSync(image);
  imitateRedisImage(image, `"${binary.program}"`);
  const service = services['redis'];
  const [shell = '', , ...options] = service?.command ?? [];
  redisPort = await anyFreePort();
  const local = ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', folder];
  const start = [shell, path.join(ROOT, 'deploy/redis/start.sh'), ...options, ...local];
  redis = spawn(...inRedisImage(start), {
    env: {
      ...process.env,
      ...binary.env,
      PATH: `${image}:${process.env['PATH']}`,
      TMPDIR: folder,
      REDIS_PASSWORD_FILE: path.join(secrets, 'redis_password'),
    },
    stdio: 'ignore',
  });
  await eventually('Redis', 20_000, async () => (await asProbe()) === 'PONG');
}

async function asProbe(): Promise<string | undefined> {
  const client = new Redis(`redis://probe:any@127.0.0.1:${redisPort}`, {
    retryStrategy: null,
    lazyConnect: true,
    enableReadyCheck: false,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.ping();
  } catch {
    return undefined;
  } finally {
    client.disconnect();
  }
}

beforeAll(async () => {
  folder = makeTestFolder();
  secrets = path.join(folder, 'secrets');
  await run('sh', [path.join(ROOT, 'deploy/make-secrets.sh'), secrets]);
  postgres = await startPostgres({ dir: path.join(folder, 'postgres'), durable: false });
  const owner = new URL(postgres.url);
  writeFileSync(path.join(secrets, 'postgres_password'), decodeURIComponent(owner.password));
  writeFileSync(path.join(secrets, 'bootstrap_admin_password'), ADMIN_PASSWORD);
  await startRedisAsComposeDoes();
  apiOrigin = `http://127.0.0.1:${await anyFreePort()}`;
});

afterAll(async () => {
  for (const { child, exited } of started) {
    if (child.exitCode === null) child.kill('SIGKILL');
    await exited;
  }
  redis.kill('SIGKILL');
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the services of docker-compose.yml', () => {
  it('are set up by the owner and by the role that it makes, twice if need be', async () => {
    expect(await runToEnd('migrate')).toContain('The role identity_service may use the tables.');
    await runToEnd('bootstrap');
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    const token = readFileSync(tokenFile(), 'utf8');
    expect(token.trim()).toMatch(/^\S{40,}$/);
    await runToEnd('migrate');
    await runToEnd('bootstrap');
    expect(readFileSync(tokenFile(), 'utf8')).toBe(token);
  });

  it('are ready, each for itself, and say that mails wait while there is no SMTP_URL', async () => {
    const serving = Object.keys(services).filter((name) => name === 'api' || name.startsWith('worker-'));
    expect(serving).toHaveLength(6);
    const all = await Promise.all(serving.map(async (name) => await start(name)));
    await Promise.all(all.map(async (one) => await untilReady(one)));
    for (const [index, one] of all.entries()) {
      // it is said after the checks that readiness waits for
      await eventually(`what ${serving[index]} says of mails`, 60_000, () =>
        one.output().includes('mails wait: neither SMTP_URL nor a provider is set'),
      );
      const readiness = async () => (await fetch(`http://127.0.0.1:${one.opsPort}/readyz`)).json();
      await expect.poll(readiness).toEqual({
        status: 'ok',
        connected: { queues: 'Redis: one server' },
        notices: { mail: 'mails wait: neither SMTP_URL nor a provider is set' },
      });
    }
    const page = await open('/login');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('loginName');
    await eventually('every queue to be consumed', 30_000, async () => {
      const owner = new pg.Client({ connectionString: postgres.url });
      await owner.connect();
      const { rows } = await owner.query<{ queue: string }>('SELECT queue FROM heartbeats ORDER BY queue');
      await owner.end();
      return (
        rows.map(({ queue }) => queue).join() ===
        'import-progress,imports,keys,maintenance,notifications,notifications-bulk'
      );
    });
  });

  it('are healthy by the command of the Dockerfile, which starts no Node process', async () => {
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    const [, json = ''] = /HEALTHCHECK [^\n]*\\\n\s+CMD (\[.*\])/.exec(dockerfile) ?? [];
    const [program = '', ...args] = JSON.parse(json) as string[];
    expect(program).toBe('bash');
    const { opsPort } = started.at(-1) ?? { opsPort: 0 };
    const check = async (port: number) => await run(program, args, { env: { OPS_PORT: String(port) } });
    await check(opsPort);
    await expect(check(await anyFreePort())).rejects.toThrow();
  });

  it('let the command line in with the token of bootstrap, from the container that has it', async () => {
    const where = ['--url', apiOrigin, '--allow-http', '--token-file', tokenFile()];
    const listed = await runIn('bootstrap', 'dist/src/cli/identity.js', 'users', 'list', ...where, '--json');
    expect(listed.code, listed.output).toBe(0);
    expect(listed.output).toContain('admin-service-user');
  });

  it('recover the administrator in the container of the API', async () => {
    const { code, output } = await runIn('api', 'dist/src/cli/identity.js', 'admin', 'recover');
    expect(code, output).toBe(0);
    const [link = ''] = output.match(/http\S+/) ?? [];
    expect(link).toContain(`${apiOrigin}/password/`);
    expect((await open(link)).status).toBe(200);
  });

  it('S211: cannot change the schema, nor change or shorten the audit log', async () => {
    const url = new URL(urlOf('identity_service'));
    url.password = secret('database_password');
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    for (const statement of [
      'CREATE TABLE mine (id int)',
      'CREATE SCHEMA mine',
      'DROP TABLE users',
      'ALTER TABLE users DISABLE TRIGGER ALL',
      'TRUNCATE sessions',
      `UPDATE events SET type = 'x'`,
      'DELETE FROM events',
      'DELETE FROM events_default',
      `INSERT INTO schema_migrations (timestamp, name) VALUES (1, 'x')`,
      'CREATE ROLE other SUPERUSER',
      'SET ROLE postgres',
      `SELECT pg_read_file('/etc/passwd')`,
    ]) {
      await expect(client.query(statement), statement).rejects.toThrow(
        /permission denied|must be owner|does not exist/,
      );
    }
    await expect(client.query(`SELECT drop_event_partitions('1 day', 1)`)).rejects.toThrow(
      '30 days at least',
    );
    await expect(client.query(`SELECT remove_stray_events('1 day', 1)`)).rejects.toThrow('30 days at least');
    await client.query('SELECT ensure_event_partitions()');
    await client.query(`SELECT drop_event_partitions('400 days', 1)`);
    await client.end();
  });

  it('S212, S174: have a Redis that requires a password and allows the service only what it needs', async () => {
    const nobody = new Redis(`redis://127.0.0.1:${redisPort}`, { retryStrategy: null });
    nobody.on('error', () => undefined);
    await expect(nobody.get('identity:x')).rejects.toThrow(/NOAUTH|closed/);
    nobody.disconnect();
    const service = new Redis(`redis://identity:${secret('redis_password')}@127.0.0.1:${redisPort}`);
    for (const [command, ...args] of [
      ['FLUSHALL'],
      ['CONFIG', 'GET', '*'],
      ['KEYS', '*'],
      ['SCAN', '0'],
      ['GET', 'other:key'],
      ['ACL', 'LIST'],
      ['MONITOR'],
      ['SHUTDOWN'],
      ['REPLICAOF', '127.0.0.1', '1'],
      ['EVAL', `return redis.call('GET', 'other:key')`, '0'],
    ] as const) {
      await expect(service.call(command, ...args), command).rejects.toThrow(/NOPERM|permission|can't access/);
    }
    service.disconnect();
    // and what it does need it has: nothing that it sent until now was refused
    const refused = started.flatMap(({ output }) =>
      output()
        .split('\n')
        .filter((line) => /NOPERM|permission/i.test(line)),
    );
    expect(refused).toEqual([]);
  });

  it('S213: keep every secret in its file, which only its owner can read', () => {
    // the folder keeps others out: a container reads the files under a user that this machine does not have
    expect((statSync(secrets).mode & 0o777).toString(8)).toBe('700');
    const modes = readdirSync(secrets).map((name) => statSync(path.join(secrets, name)).mode & 0o777);
    expect([...new Set(modes)].map((mode) => mode.toString(8))).toEqual(['644']);
    const declared = readCompose().secrets ?? {};
    expect(readdirSync(secrets).toSorted()).toEqual(Object.keys(declared).toSorted());
    const values = ['master_key', 'postgres_password', 'database_password', 'redis_password'].map(secret);
    for (const service of Object.values(services)) {
      const environment = environmentOf(service, envFile());
      for (const value of values) expect(JSON.stringify(environment)).not.toContain(value);
    }
    for (const { output } of started) {
      for (const value of [...values, ADMIN_PASSWORD]) expect(output()).not.toContain(value);
    }
  });
});
