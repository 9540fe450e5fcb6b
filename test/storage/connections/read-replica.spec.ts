import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplicaState } from '../../../src/domain/health/database-servers.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import type { Cursor } from '../../../src/domain/shared/page.js';
import { Primary } from '../../../src/storage/postgres/connections/primary.js';
import { ReadReplica } from '../../../src/storage/postgres/connections/read-replica.js';
import { WatchedServers } from '../../../src/storage/postgres/connections/watched-servers.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrating/migrate.js';
import { withinTime } from '../../../src/storage/postgres/search-time-limit.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUsersStore } from '../../../src/storage/postgres/users/users.store.js';
import { runAsAdmin } from '../../support/databases.js';
import { PlainSealer } from '../../support/plain-sealer.js';
import { PostgresPair } from '../../support/postgres-pair.js';
import { KeptLog } from '../../support/sending.js';
import { eventually } from '../../workers/support/eventually.js';

const MOST_LAG_MS = 2_000;
const PORT = { name: 'test-port', text: `SELECT current_setting('port')::int AS port` };

let pair: PostgresPair;
let sql: Sql;
let replica: ReadReplica;
let servers: WatchedServers;
const log = new KeptLog();
let reads: LaggingReads;
const closers: (() => Promise<unknown>)[] = [];

function settings(url: string) {
  return { url, poolSize: 3, statementTimeoutMs: 5_000, applicationName: 'identity-test' };
}

beforeAll(async () => {
  pair = await PostgresPair.start();
  await migrateDatabase(pair.primary.url);
  const source = await createDataSource(settings(pair.primary.url)).initialize();
  sql = new Sql(source);
  servers = new WatchedServers(Primary.of(pair.primary.url), log);
  replica = await ReadReplica.open(settings(pair.standby.url), sql, MOST_LAG_MS, (state) =>
    servers.replicaIs(state),
  );
  reads = new LaggingReads(sql, replica);
  closers.push(
    () => reads.close(),
    () => source.destroy(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
  await pair.stop();
});

async function untilReplicaIs(state: ReplicaState): Promise<void> {
  await eventually(`a replica that is ${state}`, 30_000, () => servers.replica === state);
}

async function readsFrom(): Promise<number> {
  return (await reads.row<{ port: number }>(PORT, []))?.port ?? 0;
}

describe('reads that may lag', () => {
  it('go to the standby, alone and in a search', async () => {
    await eventually('a standby that is recent', 10_000, () => replica.isRecent);
    // a pause between the look at it and a read makes the primary right
    await expect.poll(readsFrom).toBe(pair.standby.port);
    await untilReplicaIs('used');
    const searched = async () =>
      (await withinTime(reads, (tx) => reads.row<{ port: number }>(PORT, [], tx)))?.port;
    await expect.poll(searched).toBe(pair.standby.port);
    const writing = reads.rows({ name: 'test-write', text: `CREATE TABLE written ()` }, []);
    await expect(writing).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('stay there while nothing is written for longer than it may lag', async () => {
    const since = performance.now();
    await eventually('some time', 20_000, () => performance.now() - since > 2 * MOST_LAG_MS);
    await expect.poll(readsFrom).toBe(pair.standby.port);
  });

  it('page by page get every user once, whichever server has which page', async () => {
    await runAsAdmin(
      pair.primary.url,
      `INSERT INTO organizations (id, name) VALUES ('o1', 'o1')`,
      `INSERT INTO users (id, org_id, kind, user_name) SELECT 'u' || n, 'o1', 'machine', 'u' || n FROM generate_series(10, 40) n`,
      `INSERT INTO service_users (user_id, org_id, name) SELECT id, org_id, user_name FROM users WHERE org_id = 'o1'`,
    );
    const sealer = new PlainSealer();
    const stores = [
      new PgUsersStore(sql, reads, sealer),
      new PgUsersStore(sql, new LaggingReads(sql), sealer),
    ];
    await eventually('the standby to have them', 10_000, async () => {
      const { counted } = (await stores[0]?.list('o1' as OrgId, { words: [], limit: 1 })) ?? {};
      return counted === 31;
    });
    const seen: string[] = [];
    let after: Cursor | undefined;
    do {
      const store = stores[seen.length % 2] as PgUsersStore;
      const query = { words: [], limit: 5, ...(after !== undefined && { after }) };
      const { users, next } = await store.list('o1' as OrgId, query);
      seen.push(...users.map(({ id }) => id));
      after = next;
    } while (after !== undefined);
    expect(seen).toHaveLength(31);
    expect(new Set(seen).size).toBe(31);
  });

  it('go to the primary when the standby is further behind than they may be, and back', async () => {
    await runAsAdmin(pair.standby.url, 'SELECT pg_wal_replay_pause()');
    await eventually('the primary', 20_000, async () => {
      await runAsAdmin(pair.primary.url, `SELECT pg_logical_emit_message(false, 'test', '${randomUUID()}')`);
      return (await readsFrom()) === pair.primary.port;
    });
    await untilReplicaIs('behind');
    await runAsAdmin(pair.standby.url, 'SELECT pg_wal_replay_resume()');
    await eventually('the standby', 20_000, async () => (await readsFrom()) === pair.standby.port);
  });

  it('go to the primary when the standby is gone, without a failure, and back', async () => {
    // its commits wait for nobody then
    await runAsAdmin(
      pair.primary.url,
      `ALTER SYSTEM RESET synchronous_standby_names`,
      'SELECT pg_reload_conf()',
    );
    await pair.standby.kill();
    for (let n = 0; n < 5; n += 1) expect(await readsFrom()).toBe(pair.primary.port);
    await untilReplicaIs('away');
    await pair.standby.restart();
    await eventually('the standby', 30_000, async () => (await readsFrom()) === pair.standby.port);
  });

  it('do not go to a server that writes by itself and is not the primary', async () => {
    await pair.promote();
    await eventually('the primary', 10_000, async () => (await readsFrom()) === pair.primary.port);
    expect(replica.isRecent).toBe(false);
    await untilReplicaIs('not_a_replica');
  });

  it('say in the log when they stop going to the standby, and when they go there again', async () => {
    const used = 'the read replica is used';
    const notUsed = 'the read replica is not used: its reads go to the primary';
    const ofReplica = log.lines.filter((line) => [used, notUsed].includes(line));
    expect(ofReplica.at(-1)).toBe(notUsed);
    expect(ofReplica.filter((line) => line === used).length).toBeGreaterThanOrEqual(3);
    expect(servers.primaryChanges).toBe(0);
    await pair.primary.restart();
    await eventually('a change of the primary', 20_000, async () => {
      await sql.rows(PORT, []).catch(() => undefined);
      return servers.primaryChanges === 1;
    });
    expect(log.lines).toContain('PostgreSQL has another primary, or the same one was started again');
  });
});
