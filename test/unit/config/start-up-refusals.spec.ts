import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, readMigrationConfig } from '../../../src/config/config.js';
import { talkersIn, withoutTalkers } from '../../../src/config/debug-output.js';
import { environmentOf, readCompose } from '../../support/compose.js';

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://id.example.com',
  DATABASE_URL: 'postgres://app:q8Zr-5dKx@db.internal/accounts',
  REDIS_URL: 'rediss://:q8Zr-5dKx@redis.internal:6379',
  MASTER_KEY: randomBytes(32).toString('base64'),
};

function faults(
  changes: Readonly<Record<string, string | undefined>>,
  files: Readonly<Record<string, string>> = {},
): readonly string[] {
  try {
    readConfig({ ...production, ...changes }, (path) => files[path] ?? '');
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('S201: production refuses variables that have libraries write secrets out', () => {
  it.each([
    ['DEBUG', '*'],
    ['DEBUG', 'ioredis:*'],
    ['DEBUG', 'ioredis'],
    ['DEBUG', 'ioredis:redis'],
    ['DEBUG', 'io*'],
    ['DEBUG', 'x ioredis:connection'],
    ['DEBUG', '-x,*'],
    ['DEBUG', '*,-ioredis:redis'],
    ['DEBUG', '*:redis'],
    ['DEBUG', 'typeorm:query:*'],
    ['DEBUG', 'express:*,follow-redirects'],
    ['DEBUG', 'https-proxy-agent'],
    ['DEBUG', '-,*'],
    ['NODE_DEBUG', 'http'],
    ['NODE_DEBUG', 'timer,HTTPS'],
    ['NODE_DEBUG', 'http*'],
    ['NODE_DEBUG', '*'],
    ['NODE_DEBUG', 'tls'],
    ['NODE_DEBUG', 'child_process'],
    ['NODE_OPTIONS', '--max-old-space-size=512 --tls-keylog=/tmp/keys'],
    ['NODE_OPTIONS', '--trace-tls'],
    ['TWILIO_LOG_LEVEL', 'debug'],
    ['SMTP_URL', 'smtp://mail.example.com/?logger=true'],
    ['SMTP_URL', 'smtps://mail.example.com/?debug=1&logger=true'],
  ])('%s=%s', (name, value) => {
    const found = faults({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${name}: `));
  });

  it.each([
    ['DEBUG', 'express:*'],
    ['DEBUG', 'send,fastify'],
    ['DEBUG', '-*'],
    ['DEBUG', '-ioredis:*'],
    ['DEBUG', 'ioredis:*,-ioredis*'],
    ['DEBUG', ''],
    ['DEBUG', 'ioredistool'],
    ['NODE_DEBUG', 'timer,module'],
    ['NODE_OPTIONS', '--max-old-space-size=512'],
    ['TWILIO_LOG_LEVEL', 'error'],
    ['SMTP_URL', 'smtp://mail.example.com/?name=id.example.com&logger=false'],
  ])('but takes %s=%s', (name, value) => {
    expect(faults({ [name]: value })).toEqual([]);
  });

  it('and elsewhere keeps these libraries quiet and lets others talk', () => {
    expect(readConfig({ DEBUG: '*', NODE_DEBUG: 'http' }).production).toBe(false);
    expect(talkersIn('*')).toContain('ioredis');
    expect(talkersIn(withoutTalkers('*'))).toEqual([]);
    expect(withoutTalkers('express:*')).toMatch(/^express:\*,-/);
  });
});

describe('S201: production refuses passwords that everybody tries', () => {
  const database = (account: string) => ({ DATABASE_URL: `postgres://${account}@db.internal/accounts` });

  it.each([
    'app:postgres',
    'app:password',
    'app:PassWord',
    'app:identity',
    'app:admin',
    'app:changeme',
    'app:mysecretpassword',
    // the user's name, the database's, and written as a URL may
    'app:app',
    'app:Accounts',
    'app:p%61ssword',
  ])('for the database: %s', (account) => {
    const found = faults(database(account));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^DATABASE_URL: its password is one that everybody tries; make one with/);
  });

  it('wherever it stands', () => {
    for (const url of [
      'postgres://app@db.internal/accounts?password=postgres',
      'postgres:///accounts?host=/var/run/postgresql&user=app&password=app',
      'postgres://app:password@/accounts',
      'postgres://app:postgres@127.0.0.1/accounts',
    ]) {
      expect(faults({ DATABASE_URL: url }), url).toHaveLength(1);
    }
    const file = { DATABASE_URL: undefined, DATABASE_URL_FILE: '/run/secrets/db' };
    expect(faults(file, { '/run/secrets/db': 'postgres://app:postgres@db/accounts\n' })).toHaveLength(1);
    const environment = { DATABASE_URL: 'postgres://app@db.internal/accounts', PGPASSWORD: 'postgres' };
    expect(faults(environment)[0]).toMatch(/^PGPASSWORD: /);
  });

  it('but takes others, and none where the database knows its users otherwise', () => {
    expect(faults(database('app:x'))).toEqual([]);
    expect(faults(database('app:passwords-are-long-here'))).toEqual([]);
    expect(faults({ DATABASE_URL: 'postgres:///accounts?host=/var/run/postgresql' })).toEqual([]);
    expect(faults(database('app'))).toEqual([]);
  });

  it.each([
    'redis://redis:6379',
    'rediss://redis.internal:6380',
    'redis://app@redis:6379',
    'redis://:@redis:6379',
    'redis://10.0.0.5',
    'redis://[fd00::5]:6379',
    'redis://127.0.0.1.example.com',
  ])('and a Redis on another machine without one: %s', (url) => {
    const found = faults({ REDIS_URL: url });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('REDIS_URL: must have a password for a Redis on another machine');
  });

  it('or with one that everybody tries, but takes one of this machine', () => {
    for (const account of [':redis', ':foobared', ':password', 'app:app']) {
      expect(faults({ REDIS_URL: `redis://${account}@redis:6379` })[0]).toContain('everybody tries');
    }
    for (const url of ['redis://127.0.0.1:6379', 'redis://localhost', 'redis://[::1]:6379']) {
      expect(faults({ REDIS_URL: url })).toEqual([]);
    }
    expect(faults({ REDIS_URL: 'redis://redis:6379?password=q8Zr-5dKx' })).toEqual([]);
  });

  it('and the same of every node that a list names', () => {
    const open = { REDIS_URL: 'redis://any' };
    const nodes = { REDIS_CLUSTER_NODES: '127.0.0.1:7000,redis-2:7001' };
    expect(faults({ ...open, ...nodes })[0]).toMatch(/^REDIS_URL: must have a password/);
    expect(faults({ ...open, REDIS_CLUSTER_NODES: '127.0.0.1:7000,[::1]:7001' })).toEqual([]);
    expect(faults(nodes)).toEqual([]);
    const sentinels = { REDIS_SENTINELS: 'sentinel-1,sentinel-2', REDIS_SENTINEL_MASTER: 'mymaster' };
    expect(faults(sentinels)).toEqual([
      expect.stringMatching(/^REDIS_SENTINEL_PASSWORD: is required for sentinels on another machine/),
    ]);
    expect(faults({ ...sentinels, REDIS_SENTINEL_PASSWORD: 'redis' })[0]).toMatch(
      /^REDIS_SENTINEL_PASSWORD: is one that everybody tries/,
    );
    expect(faults({ ...sentinels, REDIS_SENTINEL_PASSWORD: 'q8Zr-5dKx' })).toEqual([]);
  });

  it('with all that is wrong at once, and no value of it', () => {
    const found = faults({
      DEBUG: 'ioredis:*',
      NODE_DEBUG: 'http',
      DATABASE_URL: 'postgres://app:changeme@db.internal/accounts',
      REDIS_URL: 'redis://redis:6379',
    });
    expect(found.map((fault) => fault.split(':')[0]).sort()).toEqual([
      'DATABASE_URL',
      'DEBUG',
      'NODE_DEBUG',
      'REDIS_URL',
    ]);
    expect(found.join()).not.toMatch(/changeme|db\.internal/);
  });
});

describe('S201: docker-compose.yml with secrets as deploy/make-secrets.sh makes them', () => {
  it('starts', async () => {
    const example = await readFile(new URL('../../../.env.example', import.meta.url), 'utf8');
    const { services } = readCompose();
    const files = new Map([['/run/secrets/master_key', randomBytes(32).toString('base64')]]);
    for (const name of ['database_password', 'postgres_password', 'redis_password']) {
      files.set(`/run/secrets/${name}`, randomBytes(24).toString('hex'));
    }
    for (const [name, service] of Object.entries(services)) {
      if (service.image !== 'identity-service:local') continue;
      const environment = environmentOf(service, example);
      const read = (file: string) => files.get(file) ?? '';
      if (name === 'migrate') {
        expect(readMigrationConfig(environment, read).postgres.serviceRole?.name).toBe('identity_service');
        continue;
      }
      expect(readConfig(environment, read).production).toBe(true);
      const open = { ...environment, REDIS_PASSWORD_FILE: '' };
      expect(() => readConfig(open, read)).toThrow('REDIS_URL');
    }
  });
});
