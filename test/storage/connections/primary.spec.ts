import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Primary } from '../../../src/storage/postgres/connections/primary.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { listen } from '../../../src/storage/postgres/listen.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PipelinedConnections } from '../../../src/storage/postgres/throughput/pipelined-connections.js';
import { selectAsAdmin } from '../../support/databases.js';
import { given } from '../../support/given.js';
import { PostgresPair } from '../../support/postgres-pair.js';
import { eventually } from '../../workers/support/eventually.js';
import { TcpProxy } from '../../workers/support/tcp-proxy.js';

const PORT = { name: 'test-port', text: `SELECT current_setting('port')::int AS port` };

function settings(url: string) {
  return {
    url,
    poolSize: 3,
    statementTimeoutMs: 5_000,
    applicationName: 'identity-test',
    pipelineConnections: 1,
  };
}

/** All that a process connects with. */
async function connectAll(url: string) {
  const source = await createDataSource(settings(url)).initialize();
  const pipelined = new PipelinedConnections(settings(url));
  const words: number[] = [];
  const stopListening = listen({ url, channel: 'keys', onWord: () => words.push(performance.now()) });
  return {
    sql: new Sql(source, pipelined),
    pipelined,
    words,
    async close() {
      await stopListening();
      await pipelined.close();
      await source.destroy();
    },
  };
}
type Connected = Awaited<ReturnType<typeof connectAll>>;

let pair: PostgresPair;
let moved: TcpProxy;
beforeAll(async () => {
  pair = await PostgresPair.start();
  moved = await TcpProxy.before(pair.primary.port);
});
afterAll(async () => {
  await moved.stop();
  await pair.stop();
});

/** The same two servers, the standby named first. */
function standbyFirst(): string {
  const { primary, standby, url } = pair;
  return url
    .replace(`:${primary.port},`, ':0,')
    .replace(`:${standby.port}/`, `:${primary.port}/`)
    .replace(':0,', `:${standby.port},`);
}

async function portOf(sql: Sql): Promise<number> {
  const row = await sql.row<{ port: number }>(PORT, []);
  return row?.port ?? 0;
}

describe('a standby is no place to be connected to', () => {
  it('is passed over, whichever of the servers is named first', async () => {
    for (const url of [pair.url, standbyFirst()]) {
      const client = Primary.of(url).client();
      await client.connect();
      const { rows } = await client.query<{ port: number }>(PORT.text);
      expect(rows[0]?.port).toBe(pair.primary.port);
      await client.end();
    }
  });

  it('refuses a connection of its own, a pool and what listens, and says why', async () => {
    const { url } = pair.standby;
    const client = Primary.of(url).client();
    client.on('error', () => undefined);
    await expect(client.connect()).rejects.toThrow('is a standby');
    await expect(createDataSource(settings(url)).initialize()).rejects.toThrow('is a standby');
    const pool = Primary.of(url).pool({ max: 1 });
    await expect(new Sql(pool).rows(PORT, [])).rejects.toMatchObject({ kind: 'unavailable' });
    await pool.end();
  });
});

it('is an error of whoever connects, and of nobody else, when it is lost while the server is asked what it is', async () => {
  const client = Primary.of(pair.primary.url).client() as pg.Client & { cut(): void };
  // pg has its connection then; what we ask is under way
  client.once('connect', () => client.cut());
  await expect(client.connect()).rejects.toThrow('Connection terminated');
});

describe('a fail-over', () => {
  const several = given(() => connectAll(standbyFirst()));
  const oneAddress = given(() => connectAll(moved.urlOf(pair.primary.url)));

  it('leads every connection to the server that was promoted, by either kind of address', async () => {
    const all: Connected[] = [several, oneAddress];
    for (const { sql } of all) expect(await portOf(sql)).toBe(pair.primary.port);
    for (const { words } of all) await eventually('the listener', 10_000, () => words.length === 1);
    // somebody waits for an answer of the server that is about to hang, as a machine without power does
    const asked = oneAddress.sql
      .rows({ name: 'test-sleep', text: 'SELECT pg_sleep(4)' }, [])
      .catch((error: unknown) => error);

    await pair.primary.kill();
    for (const { sql } of all) await expect(portOf(sql)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await asked).toMatchObject({ kind: 'unavailable' });
    moved.failOver(pair.standby.port);
    // the address leads to a server that is not in charge yet: nothing is sent to it
    await expect(portOf(oneAddress.sql)).rejects.toMatchObject({ kind: 'unavailable' });
    const waiting = portOf(several.sql);
    await pair.promote();

    // whoever asked while only a standby answered has waited for it
    expect(await waiting).toBe(pair.standby.port);
    for (const { sql, words, pipelined } of all) {
      await eventually(
        'the new primary',
        10_000,
        async () => (await portOf(sql).catch(() => 0)) === pair.standby.port,
      );
      await eventually('the listener', 10_000, () => words.length === 2);
      await eventually('the pipelined connection', 10_000, () => pipelined.pick() !== undefined);
      const row = await sql.pipelined<{ port: number }>(PORT, []);
      expect(row?.port).toBe(pair.standby.port);
    }
    const [count] = await selectAsAdmin(
      pair.standby.url,
      `SELECT count(*)::int AS listening FROM pg_stat_activity WHERE application_name = 'identity-listen'`,
    );
    expect(count?.['listening']).toBe(2);
    for (const one of all) await one.close();
  });

  it('cuts connections to a server that was replaced and does not know it', async () => {
    await pair.primary.restart();
    moved.failOver(pair.primary.port);
    const url = `${moved.urlOf(pair.primary.url)}?application_name=identity-left`;
    const left = Primary.of(url).client();
    const ended = new Promise((resolve) => left.once('end', resolve));
    left.on('error', () => undefined);
    await left.connect();
    // as with a machine that comes back after its address was given away
    moved.leadTo(pair.standby.port);
    const next = Primary.of(url).client();
    await next.connect();
    await ended;
    const { rows } = await next.query<{ port: number }>(PORT.text);
    expect(rows[0]?.port).toBe(pair.standby.port);
    await next.end();
  });
});
