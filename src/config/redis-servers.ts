import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { accountOf, isWellKnown, MAKE_PASSWORD } from './well-known-passwords.js';

/**
 * Which Redis the process talks to. REDIS_URL says user, password, database and whether TLS is used, for every node; its host is
 * the server, unless a list names the nodes of a cluster or the sentinels that know which server is the primary.
 */

interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisServers {
  readonly url: string;
  /** Where to begin; the others are learned from these. */
  readonly cluster?: readonly RedisNode[];
  readonly sentinel?: {
    readonly nodes: readonly RedisNode[];
    readonly master: string;
    readonly username: string | undefined;
    readonly password: string | undefined;
  };
  /** What differs from Node's own idea of TLS; undefined without TLS. */
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
  };
}

const NODE = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::([0-9]{1,5}))?$/;

/** `redis-1:6379,[fd00::1]:6379` */
const nodes = (byDefault: number) =>
  z.string().transform((text, context): readonly RedisNode[] => {
    const read = text.split(',').map((part) => {
      const [matched, address, name, port = String(byDefault)] = NODE.exec(part.trim()) ?? [];
      return matched === undefined || Number(port) > 65_535
        ? undefined
        : { host: address ?? name ?? '', port: Number(port) };
    });
    const known = read.filter((node) => node !== undefined);
    if (known.length === read.length) return known;
    context.addIssue({
      code: 'custom',
      message: `must list hosts such as redis-1:${byDefault},redis-2:${byDefault}; user, password and TLS stand in REDIS_URL`,
    });
    return z.NEVER;
  });

const pem = (what: string, parse: (text: string) => unknown) =>
  z.string().refine(
    (text) => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    },
    { message: `must be ${what} in PEM` },
  );

export const redisEnvironment = {
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must start with redis:// or rediss://')
    .default('redis://127.0.0.1:6379'),
  REDIS_PASSWORD: z.string().optional(),
  REDIS_CLUSTER_NODES: nodes(6379).optional(),
  REDIS_SENTINELS: nodes(26_379).optional(),
  REDIS_SENTINEL_MASTER: z.string().min(1).max(253).optional(),
  REDIS_SENTINEL_USERNAME: z.string().min(1).max(256).optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  REDIS_TLS_CA: pem('a certificate', (text) => new X509Certificate(text)).optional(),
  REDIS_TLS_CERT: pem('a certificate', (text) => new X509Certificate(text)).optional(),
  REDIS_TLS_KEY: pem('a private key without a pass phrase', createPrivateKey).optional(),
  REDIS_TLS_SERVER_NAME: z.string().min(1).max(253).optional(),
};
const settings = z.object(redisEnvironment);
type RedisEnvironment = z.infer<typeof settings>;

type Given = Readonly<Record<string, string | undefined>>;

/** Settings that contradict each other, wherever the process runs. */
export function redisContradictions(env: RedisEnvironment, given: Given): string[] {
  const faults: string[] = [];
  const { REDIS_CLUSTER_NODES: cluster, REDIS_SENTINELS: sentinels, REDIS_SENTINEL_MASTER: master } = env;
  if (cluster !== undefined && sentinels !== undefined) {
    faults.push('REDIS_SENTINELS: give either REDIS_SENTINELS or REDIS_CLUSTER_NODES, not both');
  }
  for (const name of ['REDIS_CLUSTER_NODES', 'REDIS_SENTINELS'] as const) {
    if (env[name] !== undefined && given['REDIS_URL'] === undefined)
      faults.push(`${name}: needs REDIS_URL, which says user, password and TLS`);
  }
  if (sentinels !== undefined && master === undefined) {
    faults.push('REDIS_SENTINEL_MASTER: is required beside REDIS_SENTINELS, such as mymaster');
  }
  for (const name of [
    'REDIS_SENTINEL_MASTER',
    'REDIS_SENTINEL_USERNAME',
    'REDIS_SENTINEL_PASSWORD',
  ] as const) {
    if (env[name] !== undefined && sentinels === undefined) faults.push(`${name}: needs REDIS_SENTINELS`);
  }
  if (env.REDIS_SENTINEL_USERNAME !== undefined && env.REDIS_SENTINEL_PASSWORD === undefined) {
    faults.push('REDIS_SENTINEL_PASSWORD: is required beside REDIS_SENTINEL_USERNAME');
  }
  if (cluster !== undefined && databaseOf(env.REDIS_URL) !== 0) {
    faults.push('REDIS_URL: must not name a database beside REDIS_CLUSTER_NODES; a cluster has one, 0');
  }
  for (const name of ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY', 'REDIS_TLS_SERVER_NAME'] as const) {
    if (env[name] !== undefined && !env.REDIS_URL.startsWith('rediss://'))
      faults.push(`${name}: needs TLS, a REDIS_URL that starts with rediss://`);
  }
  const { REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key } = env;
  if (cert !== undefined && key === undefined) {
    faults.push('REDIS_TLS_KEY: is required beside REDIS_TLS_CERT');
  } else if (key !== undefined && cert === undefined) {
    faults.push('REDIS_TLS_CERT: is required beside REDIS_TLS_KEY');
  } else if (cert !== undefined && key !== undefined) {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      faults.push('REDIS_TLS_KEY: is not the key of REDIS_TLS_CERT');
  }
  return faults;
}

/**
 * Whoever reaches a Redis without a password reads and makes jobs, and whoever reaches such a sentinel names another server the
 * primary. On loopback that is this machine alone.
 */
export function redisFaults(env: RedisEnvironment, given: Given): string[] {
  const { REDIS_URL: url, REDIS_CLUSTER_NODES: cluster, REDIS_SENTINELS: sentinels } = env;
  if (given['REDIS_URL'] === undefined || !URL.canParse(url)) return [];
  const hosts = (cluster ?? sentinels)?.map(({ host }) => host) ?? [new URL(url).hostname];
  if (hosts.every(isLoopbackHost)) return [];
  const faults: string[] = [];
  const account = accountOf(url);
  if (account === undefined || account.password === '') {
    faults.push(
      `REDIS_URL: must have a password for a Redis on another machine (redis://:password@host); ${MAKE_PASSWORD}`,
    );
  } else if (isWellKnown(account.password, [account.user])) {
    faults.push(`REDIS_URL: its password is one that everybody tries; ${MAKE_PASSWORD}`);
  }
  if (sentinels === undefined) return faults;
  const { REDIS_SENTINEL_PASSWORD: password, REDIS_SENTINEL_USERNAME: user } = env;
  if (password === undefined) {
    faults.push(
      `REDIS_SENTINEL_PASSWORD: is required for sentinels on another machine (requirepass in each); ${MAKE_PASSWORD}`,
    );
  } else if (isWellKnown(password, [user])) {
    faults.push(`REDIS_SENTINEL_PASSWORD: is one that everybody tries; ${MAKE_PASSWORD}`);
  }
  return faults;
}

export function isLoopbackHost(host: string): boolean {
  return ['localhost', '[::1]', '::1'].includes(host) || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

export function databaseOf(url: string): number {
  if (!URL.canParse(url)) return 0;
  const { pathname, searchParams } = new URL(url);
  const named = pathname.slice(1) === '' ? searchParams.get('db') : pathname.slice(1);
  return Number(named ?? 0);
}

export function redisServersOf(env: RedisEnvironment): RedisServers {
  const { REDIS_CLUSTER_NODES: cluster, REDIS_SENTINELS: sentinels } = env;
  return {
    url: env.REDIS_URL,
    ...(cluster !== undefined && { cluster }),
    ...(sentinels !== undefined && {
      sentinel: {
        nodes: sentinels,
        master: env.REDIS_SENTINEL_MASTER ?? '',
        username: env.REDIS_SENTINEL_USERNAME,
        password: env.REDIS_SENTINEL_PASSWORD,
      },
    }),
    ...(env.REDIS_URL.startsWith('rediss://') && { tls: tlsOf(env) }),
  };
}

function tlsOf(env: RedisEnvironment): NonNullable<RedisServers['tls']> {
  const { REDIS_TLS_CA: ca, REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key } = env;
  const { REDIS_TLS_SERVER_NAME: servername } = env;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
  };
}

/** For logs and probes: what is connected, without a name or an address. */
export function describeRedis({ cluster, sentinel, tls }: RedisServers): string {
  const what =
    cluster !== undefined ? 'cluster' : sentinel !== undefined ? 'primary named by sentinels' : 'one server';
  return tls === undefined ? what : `${what}, TLS`;
}
