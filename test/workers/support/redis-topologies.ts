import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { anyFreePort } from '../../../scripts/ports.mjs';
import type { PrivateRedis } from '../../../scripts/services.mjs';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';
import type { Certificate } from '../../conformance/support/certificate.js';
import { eventually } from './eventually.js';
import { startOwnRedis } from './redis-server.js';

const SLOTS = 16_384;
/** How soon a server counts as gone: as short as a busy machine bears. */
const GONE_MS = 3_000;

/** Servers that belong together, and what a process has to be told to use them. */
export interface RedisTopology {
  readonly servers: readonly PrivateRedis[];
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** One command to each of the servers. */
export async function tellAll(servers: readonly PrivateRedis[], ...command: string[]): Promise<unknown[]> {
  return await Promise.all(servers.map(async ({ url }) => await tell(url, ...command)));
}

export async function tell(url: string, ...[name = '', ...args]: string[]): Promise<unknown> {
  const redis = new Redis(url);
  redis.on('error', () => undefined);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** A cluster of three primaries, which share the slots. */
export async function startCluster(): Promise<RedisTopology> {
  const password = randomBytes(18).toString('base64url');
  const settings = ['cluster-enabled yes', `cluster-node-timeout ${GONE_MS}`];
  const servers = await Promise.all([1, 2, 3].map(async () => await startOwnRedis({ password, settings })));
  const share = Math.ceil(SLOTS / servers.length);
  for (const [index, { url, port }] of servers.entries()) {
    const slots = Array.from({ length: Math.min(share, SLOTS - index * share) }, (_, n) => index * share + n);
    await tell(url, 'CLUSTER', 'ADDSLOTS', ...slots.map(String));
    await tell(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    if (index > 0) await tell(servers[0]?.url ?? '', 'CLUSTER', 'MEET', '127.0.0.1', String(port));
  }
  await eventually('a cluster', 30_000, async () => {
    const states = await tellAll(servers, 'CLUSTER', 'INFO');
    return states.every(
      (state) =>
        String(state).includes('cluster_state:ok') && String(state).includes('cluster_known_nodes:3'),
    );
  });
  return {
    servers,
    environment: {
      REDIS_URL: `redis://:${password}@any-node`,
      // one is enough to find the others
      REDIS_CLUSTER_NODES: `127.0.0.1:${servers[0]?.port},127.0.0.1:${servers[1]?.port}`,
    },
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

export interface SentinelTopology extends RedisTopology {
  readonly primary: PrivateRedis;
  readonly replica: PrivateRedis;
}

/** A primary with a replica, and three sentinels that ask for a password of their own. */
export async function startSentinels(): Promise<SentinelTopology> {
  const password = randomBytes(18).toString('base64url');
  const sentinelPassword = randomBytes(18).toString('base64url');
  const settings = [`masterauth ${password}`, 'repl-diskless-sync-delay 0'];
  const primary = await startOwnRedis({ password, settings });
  const replica = await startOwnRedis({
    password,
    settings: [...settings, `replicaof 127.0.0.1 ${primary.port}`],
  });
  await eventually('the replica', 30_000, async () =>
    String(await tell(replica.url, 'INFO', 'replication')).includes('master_link_status:up'),
  );
  const sentinels = await Promise.all(
    [1, 2, 3].map(
      async () =>
        await startOwnRedis({
          password: sentinelPassword,
          sentinel: true,
          settings: [
            `sentinel monitor mymaster 127.0.0.1 ${primary.port} 2`,
            `sentinel auth-pass mymaster ${password}`,
            `sentinel down-after-milliseconds mymaster ${GONE_MS}`,
            'sentinel failover-timeout mymaster 10000',
          ],
        }),
    ),
  );
  await eventually('sentinels that know each other and the replica', 30_000, async () => {
    const told = await tellAll(sentinels, 'SENTINEL', 'MASTER', 'mymaster');
    return told.every((fields) => {
      const text = String(fields);
      return text.includes('num-other-sentinels,2') && text.includes('num-slaves,1');
    });
  });
  const servers = [primary, replica, ...sentinels];
  return {
    primary,
    replica,
    servers,
    environment: {
      REDIS_URL: `redis://:${password}@mymaster`,
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_MASTER: 'mymaster',
      REDIS_SENTINEL_PASSWORD: sentinelPassword,
    },
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

export interface TlsRedis extends RedisTopology {
  /** Writes a file that settings can name. */
  file(name: string, text: string): Promise<string>;
}

/** A Redis that speaks TLS, and asks a client for a certificate of the same authority where it is told to. */
export async function startTlsRedis(
  { key, cert }: Certificate,
  authority: string,
  askClients: boolean,
): Promise<TlsRedis> {
  const folder = makeTestFolder();
  const file = async (name: string, text: string): Promise<string> => {
    const whole = path.join(folder, name);
    await writeFile(whole, text, { mode: 0o600 });
    return whole;
  };
  const port = await anyFreePort();
  const server = await startOwnRedis({
    settings: [
      `tls-port ${port}`,
      `tls-cert-file ${await file('server.crt', cert)}`,
      `tls-key-file ${await file('server.key', key)}`,
      `tls-ca-cert-file ${await file('ca.crt', authority)}`,
      `tls-auth-clients ${askClients ? 'yes' : 'no'}`,
    ],
  });
  const url = new URL(server.url.replace('redis://', 'rediss://'));
  url.port = String(port);
  return {
    servers: [server],
    environment: { REDIS_URL: url.href, REDIS_TLS_CA_FILE: path.join(folder, 'ca.crt') },
    file,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
