import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { PinoLog } from '../../../src/ops/pino-log.js';
import { PoolerError } from '../../../src/storage/postgres/connections/pooler.js';
import { PostgresModule } from '../../../src/storage/postgres/postgres.module.js';
import { requireUsableDatabase } from '../../../src/storage/postgres/require-usable-database.js';
import { isAway } from '../../../src/storage/postgres/sql.js';
import { TcpProxy } from '../../http/oidc/support/tcp-proxy.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => {
  await database.drop();
});

describe('PostgreSQL goes away between the wait for it and the opening of the pool', () => {
  it('is waited for a little longer', async () => {
    const { proxy, url } = await TcpProxy.before(database.serviceUrl);
    await proxy.close();
    const log = new PinoLog({ level: 'silent', process: 'worker' });
    const opening = NestFactory.createApplicationContext(
      { module: PostgresModule, imports: [ConfigModule.with(readConfig({ DATABASE_URL: url }), log)] },
      { logger: false, abortOnError: false },
    );
    // told below
    opening.catch(() => undefined);
    await sleep(1_000);
    await proxy.open();
    const context = await opening;
    await expect(context.get(UnitOfWork).run(async () => 'worked')).resolves.toBe('worked');
    await context.close();
    await proxy.close();
  });
});

/** Takes what a client begins with and refuses it, as PgBouncer does: with this SQLSTATE, whatever the reason. */
async function refusedBy(message: string): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
      const length = Buffer.alloc(4);
      length.writeInt32BE(fields.length + 4);
      socket.end(Buffer.concat([Buffer.from('E'), length, fields]));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const config = readConfig({ DATABASE_URL: `postgres://identity:wrong@127.0.0.1:${port}/identity` });
  const refused = await requireUsableDatabase(config).then(
    () => undefined,
    (error: unknown) => error,
  );
  server.close();
  return refused;
}

describe('what PgBouncer says of a sign-in', () => {
  it.each([
    'password authentication failed',
    'SASL authentication failed',
    'server login has been failing, cached error: password authentication failed for user "identity" (server_login_retry)',
    'server login failed: wrong password type',
    'no such user',
    'no such database: identity',
    'login rejected',
  ])('%s: waiting does not mend it', async (message) => {
    const refused = await refusedBy(message);
    expect(refused).toBeInstanceOf(PoolerError);
    expect(refused).toMatchObject({ message: expect.stringContaining(message) });
    expect(isAway(refused)).toBe(false);
  });

  it.each([
    'server login has been failing, cached error: connect failed (server_login_retry)',
    'client_login_timeout (server down)',
    'no more connections allowed (max_client_conn)',
    'pooler is shutting down',
    'database "identity" is disabled',
  ])('%s: it is waited for', async (message) => {
    expect(isAway(await refusedBy(message))).toBe(true);
  });
});
