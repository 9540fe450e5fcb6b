import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { Program } from '../browser/support/program.js';
import { HttpsClient } from '../conformance/support/https-client.js';
import { ROOT } from '../support/compose.js';
import { cloneDatabase, type TestDatabase } from '../support/databases.js';
import { randomPrefix, redisUrl } from '../support/redis.js';
import { eventually } from '../workers/support/eventually.js';
import { NameServer } from './support/name-server.js';

// deploy/Caddyfile in Debian's Caddy, before two API processes. A name server gives the name of the service two addresses, as
// Compose does for a service of two replicas: one process listens on each.

const run = promisify(execFile);
const API_ADDRESSES = ['127.0.0.1', '127.0.0.2'];
const MOST_KEYS_A_MINUTE = 5;

let folder: string;
let database: TestDatabase;
let caddy: ChildProcess;
let names: NameServer;
let origin: string;
let settings: Readonly<Record<string, string>>;
let client: HttpsClient;
const apis = new Map<string, Program>();

async function installCaddy(): Promise<void> {
  await run('caddy', ['version']).catch(async () => {
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'caddy']);
  });
}

async function startApi(host: string): Promise<void> {
  const program = Program.start('src/main', { ...settings, HOST: host });
  apis.set(host, program);
  await program.untilReady();
}

async function isReady(): Promise<boolean> {
  const answer = await client.send(`${origin}/debug/ready`).catch(() => undefined);
  return answer?.status === 200;
}

beforeAll(async () => {
  await installCaddy();
  folder = await mkdtemp(path.join(tmpdir(), 'identity-proxy-'));
  database = await cloneDatabase();
  const [tls, plain, api] = [await anyFreePort(), await anyFreePort(), await anyFreePort()];
  origin = `https://localhost:${tls}`;
  settings = {
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl(),
    QUEUE_PREFIX: randomPrefix(),
    PUBLIC_URL: origin,
    PORT: String(api),
    OPS_PORT: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_KEYS: String(MOST_KEYS_A_MINUTE),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  await Program.run('src/cli/bootstrap', settings);
  await Promise.all(API_ADDRESSES.map(startApi));
  // ports of our own in place of 80 and 443, and our name server; everything else is the file as it is
  const file = await readFile(path.join(ROOT, 'deploy/Caddyfile'), 'utf8');
  const config = path.join(folder, 'Caddyfile');
  const ports = `{\n\thttp_port ${plain}\n\thttps_port ${tls}\n\tskip_install_trust\n`;
  names = await NameServer.start(API_ADDRESSES);
  const asked = `dynamic a {\n\t\t\tresolvers udp/127.0.0.1:${names.port}`;
  await writeFile(config, file.replace(/^\{\n/, ports).replace('dynamic a {', asked));
  caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      PUBLIC_URL: origin,
      API_HOST: 'api.test',
      API_PORT: String(api),
    },
    stdio: 'ignore',
  });
  const root = path.join(folder, 'caddy/pki/authorities/local/root.crt');
  const authority = await eventually("Caddy's own authority", 30_000, () =>
    readFile(root, 'utf8').catch(() => undefined),
  );
  client = new HttpsClient(authority);
  await eventually('the proxy', 30_000, isReady);
});
afterAll(async () => {
  caddy?.kill('SIGTERM');
  await Promise.all([...apis.values()].map((program) => program.stop()));
  await names?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

it('serves the issuer over TLS', async () => {
  const { status, body } = await client.send(`${origin}/.well-known/openid-configuration`);
  expect(status).toBe(200);
  expect((JSON.parse(body) as { issuer: string }).issuer).toBe(origin);
});

it('counts callers by their own address, whatever they claim in X-Forwarded-For', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 4 * MOST_KEYS_A_MINUTE; n += 1) {
    const headers = { 'x-forwarded-for': `198.51.100.${n}` };
    statuses.push((await client.send(`${origin}/oauth/v2/keys`, { headers })).status);
  }
  expect(statuses).toContain(429);
});

it.each(API_ADDRESSES)(
  'answers while the replica on %s is away, and sends it requests again',
  async (host) => {
    await apis.get(host)?.stop();
    for (let n = 0; n < 10; n += 1) {
      expect((await client.send(`${origin}/.well-known/openid-configuration`)).status).toBe(200);
    }
    await startApi(host);
    await eventually('the replica', 30_000, isReady);
  },
);
