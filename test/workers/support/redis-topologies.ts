import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { anyFreePort } from '../../../scripts/ports.mjs';
import type { PrivateRedis } from '../../../scripts/services.mjs';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';
import type { Certificate, TestAuthority } from '../../conformance/support/certificate.js';
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
export async function sendToAll(servers: readonly PrivateRedis[], ...command: string[]): Promise<unknown[]> {
  return await Promise.all(servers.map(async ({ url }) => await sendTo(url, ...command)));
}

export async function sendTo(url: string, ...[name = '', ...args]: string[]): Promise<unknown> {
  const redis = new Redis(url);
  redis.on('error', () => undefined);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** TLS for servers that belong together: among themselves, and for clients that trust the authority. */
interface Encryption {
  /** Lines for one more server, and the port that it speaks TLS on. */
  server(): Promise<{ settings: string[]; port: number }>;
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

async function encryption(authority: TestAuthority): Promise<Encryption> {
  const folder = makeTestFolder();
  const files = { ...authority.issue('redis'), ca: authority.cert };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
  }
  return {
    async server() {
      const port = await anyFreePort();
      const settings = [
        `tls-port ${port}`,
        `tls-cert-file ${path.join(folder, 'cert')}`,
        `tls-key-file ${path.join(folder, 'key')}`,
        `tls-ca-cert-file ${path.join(folder, 'ca')}`,
        'tls-auth-clients no',
        'tls-replication yes',
      ];
      return { settings, port };
    },
    environment: { REDIS_TLS_CA_FILE: path.join(folder, 'ca') },
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}

interface Member {
  readonly server: PrivateRedis;
  /** That others are told: of TLS, where there is TLS. */
  readonly port: number;
}

async function startMember(
  tls: Encryption | undefined,
  password: string,
  settings: readonly string[],
  sentinel = false,
): Promise<Member> {
  const encrypted = await tls?.server();
  const lines = [...settings, ...(encrypted?.settings ?? [])];
  const server = await startOwnRedis({ password, settings: lines, sentinel });
  return { server, port: encrypted?.port ?? server.port };
}

async function stopAll(members: readonly Member[], tls: Encryption | undefined): Promise<void> {
  await Promise.all(members.map(({ server }) => server.stop()));
  await tls?.remove();
}

export interface ClusterTopology extends RedisTopology {
  /** The node that has the keys of a prefix in braces. */
  holderOf(prefix: string): Promise<PrivateRedis>;
}

export interface ClusterOptions {
  /** Each of the three has one, which takes its place. */
  readonly withReplicas?: boolean;
  readonly authority?: TestAuthority;
}

/** A cluster of three primaries, which share the slots. */
export async function startCluster({
  withReplicas = false,
  authority,
}: ClusterOptions = {}): Promise<ClusterTopology> {
  const password = randomBytes(18).toString('base64url');
  const tls = authority === undefined ? undefined : await encryption(authority);
  const settings = [
    'cluster-enabled yes',
    `cluster-node-timeout ${GONE_MS}`,
    `masterauth ${password}`,
    'repl-diskless-sync-delay 0',
    ...(tls === undefined ? [] : ['tls-cluster yes']),
  ];
  const start = async () => {
    // the usual one, 10,000 beyond the other, is among those that systems give to outgoing connections
    const busPort = await anyFreePort();
    return { ...(await startMember(tls, password, [...settings, `cluster-port ${busPort}`])), busPort };
  };
  const primaries = await Promise.all([1, 2, 3].map(start));
  const replicas = withReplicas ? await Promise.all([1, 2, 3].map(start)) : [];
  const members = [...primaries, ...replicas];
  const servers = members.map(({ server }) => server);
  const first = servers[0]?.url ?? '';
  const share = Math.ceil(SLOTS / primaries.length);
  for (const [index, { server, port, busPort }] of members.entries()) {
    if (index < primaries.length) {
      const count = Math.min(share, SLOTS - index * share);
      const slots = Array.from({ length: count }, (_, n) => String(index * share + n));
      await sendTo(server.url, 'CLUSTER', 'ADDSLOTS', ...slots);
    }
    await sendTo(server.url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    if (index > 0) await sendTo(first, 'CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  }
  await eventually('a cluster', 30_000, async () => {
    const states = await sendToAll(servers, 'CLUSTER', 'INFO');
    return states.every(
      (state) =>
        String(state).includes('cluster_state:ok') &&
        String(state).includes(`cluster_known_nodes:${members.length}`),
    );
  });
  for (const [index, { server }] of replicas.entries()) {
    const id = String(await sendTo(primaries[index]?.server.url ?? '', 'CLUSTER', 'MYID'));
    await sendTo(server.url, 'CLUSTER', 'REPLICATE', id);
  }
  for (const { server } of replicas) {
    await eventually('a replica', 30_000, async () =>
      String(await sendTo(server.url, 'INFO', 'replication')).includes('master_link_status:up'),
    );
  }
  return {
    servers,
    environment: {
      REDIS_URL: `${tls === undefined ? 'redis' : 'rediss'}://:${password}@any-node`,
      // two are enough to find the others
      REDIS_CLUSTER_NODES: primaries
        .slice(0, 2)
        .map(({ port }) => `127.0.0.1:${port}`)
        .join(','),
      ...tls?.environment,
    },
    async holderOf(prefix) {
      for (const { server } of primaries) {
        const keys = (await sendTo(server.url, 'KEYS', `{${prefix}}:*`)) as string[];
        if (keys.length > 0) return server;
      }
      throw new Error('no node holds the queues');
    },
    stop: async () => await stopAll(members, tls),
  };
}

export interface SentinelTopology extends RedisTopology {
  readonly primary: PrivateRedis;
  readonly replica: PrivateRedis;
}

/** A primary with a replica, and three sentinels that ask for a password of their own. */
export async function startSentinels(authority?: TestAuthority): Promise<SentinelTopology> {
  const password = randomBytes(18).toString('base64url');
  const sentinelPassword = randomBytes(18).toString('base64url');
  const tls = authority === undefined ? undefined : await encryption(authority);
  const settings = [`masterauth ${password}`, 'repl-diskless-sync-delay 0'];
  const primary = await startMember(tls, password, settings);
  const replicaOf = `replicaof 127.0.0.1 ${primary.port}`;
  const replica = await startMember(tls, password, [...settings, replicaOf]);
  await eventually('the replica', 30_000, async () =>
    String(await sendTo(replica.server.url, 'INFO', 'replication')).includes('master_link_status:up'),
  );
  const watching = [
    `sentinel monitor mymaster 127.0.0.1 ${primary.port} 2`,
    `sentinel auth-pass mymaster ${password}`,
    `sentinel down-after-milliseconds mymaster ${GONE_MS}`,
    'sentinel failover-timeout mymaster 10000',
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map(async () => await startMember(tls, sentinelPassword, watching, true)),
  );
  await eventually('sentinels that know each other and the replica', 30_000, async () => {
    const asked = sentinels.map(({ server }) => server);
    const told = await sendToAll(asked, 'SENTINEL', 'MASTER', 'mymaster');
    return told.every((fields) => {
      const text = String(fields);
      return text.includes('num-other-sentinels,2') && text.includes('num-slaves,1');
    });
  });
  const members = [primary, replica, ...sentinels];
  return {
    primary: primary.server,
    replica: replica.server,
    servers: members.map(({ server }) => server),
    environment: {
      REDIS_URL: `${tls === undefined ? 'redis' : 'rediss'}://:${password}@mymaster`,
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_MASTER: 'mymaster',
      REDIS_SENTINEL_PASSWORD: sentinelPassword,
      ...tls?.environment,
    },
    stop: async () => await stopAll(members, tls),
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
