import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { serversOf, serversProblem } from '../../../src/config/postgres-servers.js';

describe('a connection URL of several servers', () => {
  it.each([
    ['postgres://u:p@a:5432,b:5433/db', ['postgres://u:p@a:5432/db', 'postgres://u:p@b:5433/db']],
    [
      'postgresql://u:a%2Cb@a,[::1]:6/db?sslmode=verify-full&target_session_attrs=read-write',
      [
        'postgresql://u:a%2Cb@a/db?sslmode=verify-full',
        'postgresql://u:a%2Cb@[::1]:6/db?sslmode=verify-full',
      ],
    ],
    ['postgres://u@/db?host=a,b&port=1,2', ['postgres://u@a:1/db', 'postgres://u@b:2/db']],
    ['postgres://u@a,b/db?port=7', ['postgres://u@a:7/db', 'postgres://u@b:7/db']],
    ['postgres:///db?host=/run/a,/run/b', ['postgres://%2Frun%2Fa/db', 'postgres://%2Frun%2Fb/db']],
    ['postgres://u@a/db?target_session_attrs=primary', ['postgres://u@a/db']],
  ])('%s', (url, servers) => {
    expect(serversOf(url)).toEqual(servers);
    expect(serversProblem(url)).toBeUndefined();
  });

  it.each(['postgres://u:p@a:5432/db?sslmode=require', 'postgres:///db?host=/run', 'postgres://u@/db'])(
    'leaves one server as it is written: %s',
    (url) => expect(serversOf(url)).toEqual([url]),
  );

  it.each([
    ['postgres://u@a,b,c/db?port=1,2', 'names 3 hosts and 2 ports'],
    ['postgres://u@a:x,b/db', 'cannot be read'],
    ['postgres://u@a,b/db?target_session_attrs=standby', 'must be read-write or primary'],
    ['mysql://u@a/db', 'must be a URL such as'],
  ])('%s is refused', (url, reason) => expect(serversProblem(url)).toContain(reason));

  it('takes a password from beside it', () => {
    const { postgres } = readConfig({ DATABASE_URL: 'postgres://u@a,b:2/db', DATABASE_PASSWORD: 'x/y' });
    expect(serversOf(postgres.url)).toEqual(['postgres://u:x%2Fy@a/db', 'postgres://u:x%2Fy@b:2/db']);
  });
});

describe('the URL of a replica', () => {
  const replicaOf = (DATABASE_READ_URL: string) =>
    readConfig({ DATABASE_URL: 'postgres://u@a/db', DATABASE_PASSWORD: 'x', DATABASE_READ_URL }).postgres
      .replica;

  it('is for the same account unless it names one', () => {
    expect(replicaOf('postgres://b,c/db?target_session_attrs=prefer-standby')).toEqual({
      url: 'postgres://u:x@b,c/db?target_session_attrs=prefer-standby',
      mostLagMs: 10_000,
    });
    expect(replicaOf('postgres://v:y@b/db')?.url).toBe('postgres://v:y@b/db');
  });

  it('need not be there', () => expect(readConfig({}).postgres.replica).toBeUndefined());
});

/** Whoever made connections of their own would not find the primary after a fail-over. */
it('connections are made in one place', () => {
  const files = ['src', 'workers'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file)),
  );
  const making = files
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /new (pg\.)?(Client|Pool)\(/.test(readFileSync(file, 'utf8')))
    .filter((file) => !file.startsWith('src/storage/postgres/connections/'))
    // to a directory
    .filter((file) => file !== 'src/outbound/ldap/ldap-connection.ts');
  expect(making).toEqual([]);
});
