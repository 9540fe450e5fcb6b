import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ImportChunksStore } from '../../../src/domain/imports/chunks/import-chunks.store.js';
import type { ImportJob } from '../../../src/domain/imports/import-job.js';
import { ImportsStore } from '../../../src/domain/imports/imports.store.js';
import { PrepareRecords, type PreparedRecord } from '../../../src/domain/imports/write/prepare-records.js';
import { MaintenanceStore, RetentionSettings } from '../../../src/domain/maintenance/maintenance.store.js';
import { inPerson } from '../../../src/domain/permissions/acting.js';
import type { RequestingToken } from '../../../src/domain/permissions/requesting-token.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { FlushCounters } from '../../../src/domain/statistics/flush-counters.js';
import { given } from '../../support/given.js';
import {
  human,
  ImportEngine,
  loseAnswer,
  PLAIN_OPTIONS,
  type QueuedJob,
} from '../../support/import-engine.js';
import { anOrganization, useWorld } from '../../support/world.js';

let owner: UserId;

const { api, world } = useWorld();
const engine = given(() => new ImportEngine(api));
beforeAll(async () => {
  owner = await engine.addImporter(world.orgId);
});

let made = 0;
function people(count: number): Record<string, unknown>[] {
  made += 1;
  return Array.from({ length: count }, (_, index) => human(`life-${made}-${index}`));
}

async function rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await api.sql.query<Row>(text, values)).rows;
}

async function queuedChunks(): Promise<QueuedJob[]> {
  return (await engine.queued()).filter(({ name }) => name === 'import-chunk');
}

async function runNext(): Promise<unknown> {
  const [next] = await queuedChunks();
  if (next === undefined) throw new Error('no chunk is queued');
  return await engine.runQueued(next);
}

type Step = 'pause' | 'resume' | 'cancel' | 'undo' | 'notify';
async function act(
  step: Step,
  { orgId, id: jobId }: ImportJob,
  actorId = owner,
  askedWith: RequestingToken = {},
): Promise<ImportJob> {
  return await engine.transaction(
    async (tx) => await engine.steer[step](tx, { orgId, jobId, actorId, through: null, ...askedWith }),
  );
}

async function addToken(userId: UserId): Promise<string> {
  const [token] = await rows<{ id: string }>(
    `INSERT INTO personal_access_tokens (org_id, user_id, token_hash) VALUES ($1, $2, sha256(new_id()::bytea))
     RETURNING id`,
    [world.orgId, userId],
  );
  return token?.id ?? '';
}

const ENDS = {
  revoked: `UPDATE personal_access_tokens SET revoked_at = app_now() WHERE id = $1`,
  expired: `UPDATE personal_access_tokens SET expires_at = app_now() WHERE id = $1`,
  allOfTheirs: `UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`,
};

async function found({ orgId, id }: ImportJob): Promise<ImportJob> {
  return await engine.jobs.find(orgId, id);
}

function sum({ counts: { created, updated, skipped, failed } }: ImportJob): number {
  return created + updated + skipped + failed;
}

describe('what the dashboard shows of imports', () => {
  it('begins with what goes on, so that imports left paused push nothing out of sight', async () => {
    const store = api.app.get(ImportsStore);
    const left = await engine.receive(world.orgId, owner, people(2));
    await act('pause', left);
    const goesOn = await engine.receive(world.orgId, owner, people(2));
    expect(await store.listAtWork(1)).toEqual([{ jobId: goesOn.id, work: 'import' }]);
    expect((await store.listAtWork(2)).at(1)).toEqual({ jobId: left.id, work: 'import' });
    for (const job of [left, goesOn]) await act('cancel', job);
    await engine.drain();
  });
});

describe('how fast an import went', () => {
  async function pace(
    { id }: ImportJob,
    most = 120,
  ): Promise<readonly (readonly [seconds: number, rate: number])[]> {
    const [begun] = await rows<{ at: Date }>(`SELECT started_at AS at FROM imports WHERE id = $1`, [id]);
    const steps = await api.app.get(ImportsStore).pace(id, most);
    return steps.map(({ at, rate }) => [(at.getTime() - (begun?.at.getTime() ?? 0)) / 1000, rate]);
  }

  /** Chunks of 10 records, as if each were done so many seconds after the begin. */
  async function doneAfter({ id }: ImportJob, ...seconds: readonly number[]): Promise<void> {
    for (const [index, after] of seconds.entries())
      await rows(
        `UPDATE import_chunks c SET finished_at = j.started_at + make_interval(secs => $3)
         FROM imports j WHERE j.id = c.import_id AND c.import_id = $1 AND c.number = $2`,
        [id, index + 1, after],
      );
  }

  async function lasts({ id }: ImportJob, column: 'started_at' | 'finished_at', seconds: number) {
    const [from, sign] = column === 'started_at' ? ['app_now()', -1] : ['started_at', 1];
    await rows(`UPDATE imports SET ${column} = ${from} + make_interval(secs => $2) WHERE id = $1`, [
      id,
      seconds * sign,
    ]);
  }

  it('is told in steps of one length, from its begin to its end, pauses with them', async () => {
    const job = await engine.receive(world.orgId, owner, people(40), {}, 10);
    expect(await pace(job)).toEqual([]);
    await engine.drain();
    await lasts(job, 'finished_at', 9);
    await doneAfter(job, 0.5, 1.5, 2.5, 8.5);
    // the last step is a second long
    expect(await pace(job)).toEqual([
      [2, 10],
      [4, 5],
      [6, 0],
      [8, 0],
      [9, 10],
    ]);
    // no more steps than asked for, however long it took
    expect(await pace(job, 3)).toEqual([
      [3, 10],
      [6, 0],
      [9, 3],
    ]);
  });

  it('leaves out the step that is not over, of one that goes on', async () => {
    const job = await engine.receive(world.orgId, owner, people(40), {}, 10);
    await runNext();
    await runNext();
    await lasts(job, 'started_at', 5);
    await doneAfter(job, 1, 4.5);
    expect(await pace(job)).toEqual([
      [2, 5],
      [4, 0],
    ]);
    await act('cancel', job);
    await engine.drain();
  });
});

describe('pause, resume and cancel (F44)', () => {
  it('holds before the next chunk, and goes on where it was', async () => {
    const job = await engine.receive(world.orgId, owner, people(50), {}, 2);
    await runNext();
    expect(await found(job)).toHaveProperty('etaSeconds');
    expect(await act('pause', job)).toMatchObject({ state: 'paused' });
    await engine.drain().catch(() => undefined);
    const paused = await found(job);
    expect(paused).toMatchObject({ state: 'paused', counts: { created: 2 } });
    for (const speed of ['rate', 'etaSeconds']) expect(paused).not.toHaveProperty(speed);
    expect(await queuedChunks()).toHaveLength(0);
    await act('resume', job);
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 50 } });
  });

  it('keeps what was written and drops what was not', async () => {
    const job = await engine.receive(world.orgId, owner, people(50), {}, 2);
    await runNext();
    expect(await act('cancel', job)).toMatchObject({ state: 'cancelled', counts: { created: 2 } });
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'cancelled', counts: { created: 2 } });
    expect(await engine.outcomes(job)).toHaveLength(2);
    const left = await rows('SELECT FROM import_chunks WHERE import_id = $1 AND payload IS NOT NULL', [
      job.id,
    ]);
    expect(left).toHaveLength(0);
    await expect(act('resume', job)).rejects.toMatchObject({ kind: 'failed-precondition' });
  });
});

describe('new users are counted', () => {
  async function counted(): Promise<number> {
    await api.app.get(FlushCounters).flush();
    const [row] = await rows<{ count: string }>(
      `SELECT coalesce(sum(count), 0) AS count FROM organization_counts WHERE org_id = $1 AND counted = 'newUsers'`,
      [world.orgId],
    );
    return Number(row?.count);
  }

  it('once for each chunk that has committed: neither a trial nor a chunk that is undone counts', async () => {
    const before = await counted();
    await engine.import(world.orgId, owner, people(3), { dryRun: true });
    expect(await counted()).toBe(before);
    await rows(`
      CREATE FUNCTION refuse_chunk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER refuse_chunk BEFORE UPDATE ON import_chunks FOR EACH ROW
        WHEN (new.state = 'done') EXECUTE FUNCTION refuse_chunk()`);
    const job = await engine.receive(world.orgId, owner, [...people(3), 'no json'], {}, 4);
    await expect(runNext()).rejects.toThrow('no');
    expect(await counted()).toBe(before);
    await rows('DROP TRIGGER refuse_chunk ON import_chunks');
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 3, failed: 1 } });
    expect(await counted()).toBe(before + 3);
    await engine.import(world.orgId, owner, people(2), { mode: 'skip' });
    expect(await counted()).toBe(before + 5);
  });
});

describe('a job stops by itself', () => {
  it('S164: once whoever made it may not import any more', async () => {
    const leaver = await engine.addImporter(world.orgId);
    const job = await engine.receive(world.orgId, leaver, people(6), {}, 2);
    await runNext();
    await rows('DELETE FROM memberships WHERE user_id = $1', [leaver]);
    await engine.drain();
    expect(await found(job)).toMatchObject({
      state: 'cancelled',
      reason: 'permission_lost',
      counts: { created: 2, failed: 0 },
    });
    expect(await engine.outcomes(job)).toHaveLength(2);
  });

  it.each(['running', 'paused'])('F46: once they are locked or deactivated while it is %s', async (state) => {
    const leaver = await engine.addImporter(world.orgId);
    const job = await engine.receive(world.orgId, leaver, people(2), { subjectEpoch: 0 });
    if (state === 'paused') await act('pause', job);
    // as it is done to a user: it ends their tokens too, which is not the reason
    await rows(`UPDATE users SET state = 'inactive' WHERE id = $1`, [leaver]);
    await rows(ENDS.allOfTheirs, [leaver]);
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'cancelled', reason: 'permission_lost' });
  });

  it('F46: once their organization is deactivated', async () => {
    const home = await anOrganization(api);
    const leaver = await engine.addImporter(home.orgId, 'IAM_OWNER');
    const job = await engine.receive(world.orgId, leaver, people(2));
    await rows(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [home.orgId]);
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'cancelled', reason: 'permission_lost' });
  });

  it.each(['running', 'paused'])('F46: once whoever made it is deleted while it is %s', async (state) => {
    const leaver = await engine.addImporter(world.orgId);
    const job = await engine.receive(world.orgId, leaver, people(4), {}, 2);
    await runNext();
    if (state === 'paused') await act('pause', job);
    await rows(`UPDATE users SET state = 'deleted' WHERE id = $1`, [leaver]);
    await engine.drain();
    const counts = { created: 2, failed: 0 };
    expect(await found(job)).toMatchObject({ state: 'cancelled', reason: 'caller_removed', counts });
  });

  it('F46: once the token that it was asked for with is revoked, and not when that has run out', async () => {
    const importer = await engine.addImporter(world.orgId);
    const [revoked, expired] = [await addToken(importer), await addToken(importer)];
    const stopped = await engine.receive(world.orgId, importer, people(4), { tokenId: revoked }, 2);
    await runNext();
    const goes = await engine.receive(world.orgId, importer, people(4), { tokenId: expired }, 2);
    await rows(ENDS.revoked, [revoked]);
    await rows(ENDS.expired, [expired]);
    await engine.drain();
    expect(await found(stopped)).toMatchObject({
      state: 'cancelled',
      reason: 'token_revoked',
      counts: { created: 2 },
    });
    expect(await found(goes)).toMatchObject({ state: 'done', counts: { created: 4 } });
  });

  it.each([
    ['users', 'user'],
    ['organizations', 'org'],
  ])('S472: once the tokens of whoever asked for it are ended, by a row of %s', async (table, whose) => {
    const own = await anOrganization(api);
    const importer = await engine.addImporter(own.orgId);
    const id = whose === 'user' ? importer : own.orgId;
    const askedWith = { subjectEpoch: 0 };
    const job = await engine.receive(own.orgId, importer, people(4), askedWith, 2);
    const goes = await engine.receive(
      world.orgId,
      await engine.addImporter(world.orgId),
      people(4),
      askedWith,
      2,
    );
    await runNext();
    await rows(`UPDATE ${table} SET token_epoch = token_epoch + 1 WHERE id = $1`, [id]);
    await engine.drain();
    expect(await found(goes)).toMatchObject({ state: 'done', counts: { created: 4 } });
    const { reason, state, counts } = await found(job);
    expect([state, reason]).toEqual(['cancelled', 'token_revoked']);
    expect(counts.created).toBeLessThan(4);
  });

  it.each(['running', 'paused'])('F46: once its organization is removed while it is %s', async (state) => {
    const gone = await anOrganization(api);
    const theirs = await engine.addImporter(gone.orgId);
    const job = await engine.receive(gone.orgId, theirs, people(4), {}, 2);
    await runNext();
    if (state === 'paused') await act('pause', job);
    await rows(`UPDATE organizations SET state = 'removed' WHERE id = $1`, [gone.orgId]);
    await engine.drain();
    expect(await found(job)).toMatchObject({
      state: 'cancelled',
      reason: 'organization_removed',
      counts: { created: 2 },
    });
  });

  it('F46: says what took the permission, also when that came while a chunk was being claimed', async () => {
    const gone = await anOrganization(api);
    const theirs = await engine.addImporter(gone.orgId);
    const job = await engine.receive(gone.orgId, theirs, people(4));
    const remover = await api.sql.connect();
    try {
      await remover.query('BEGIN');
      await remover.query('SELECT FROM import_chunks WHERE import_id = $1 FOR UPDATE', [job.id]);
      const draining = engine.drain();
      await expect
        .poll(async () => {
          const [waiting] = await rows<{ count: number }>(
            `SELECT count(*)::int FROM pg_stat_activity
             WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          );
          return waiting?.count;
        })
        .toBe(1);
      await remover.query(`UPDATE organizations SET state = 'removed' WHERE id = $1`, [gone.orgId]);
      await remover.query('COMMIT');
      await draining;
    } finally {
      remover.release();
    }
    expect(await found(job)).toMatchObject({ state: 'cancelled', reason: 'organization_removed' });
  });
});

describe('a chunk', () => {
  it('F18: has one effect, however often its job is delivered', async () => {
    const job = await engine.receive(world.orgId, owner, people(20));
    const [queued] = await queuedChunks();
    if (queued === undefined) throw new Error('no chunk is queued');
    const runs = await Promise.all(
      Array.from({ length: 10 }, () => engine.runner.run(queued.jobId, queued.number, queued.id)),
    );
    expect(runs.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    const late = await engine.runner.run(queued.jobId, queued.number, '999999999');
    expect(late.kind).toBe('finished');
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 20 } });
    await engine.drain();
  });

  it('S415: deletes no row of the outbox but its own, whatever row its job names', async () => {
    const job = await engine.receive(world.orgId, owner, people(2));
    const [mine] = await queuedChunks();
    if (mine === undefined) throw new Error('no chunk is queued');
    const [victim] = await rows<{ id: string }>(
      `INSERT INTO outbox (queue, job_name, payload) VALUES ('maintenance', 'erase-organization', '{"orgId": "o"}')
       RETURNING id::text`,
    );
    const victimId = victim?.id ?? '';
    expect(await engine.runner.run(job.id, mine.number, victimId)).toMatchObject({ kind: 'done' });
    expect(await rows(`SELECT FROM outbox WHERE id = $1`, [victimId])).toHaveLength(1);
    await rows(`DELETE FROM outbox WHERE id = $1`, [victimId]);
    // the job of the row itself finds it done, and ends it
    expect(await engine.runQueued(mine)).toMatchObject({ kind: 'finished' });
    expect((await queuedChunks()).map(({ id }) => id)).not.toContain(mine.id);
    await engine.drain();
    expect(sum(await found(job))).toBe(2);
  });

  it('F16, F17: is written by the last to claim it only', async () => {
    const job = await engine.receive(world.orgId, owner, people(3));
    const chunks = api.app.get(ImportChunksStore);
    const frozen = await chunks.claim(job.id, 1, 0);
    if (frozen.kind !== 'claimed') throw new Error('not claimed');
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 3 } });
    const time = await engine.transaction(async (tx) => await chunks.lockForUpdate(tx, frozen.chunk));
    expect(time).toBeUndefined();
    expect(await chunks.renew(frozen.chunk, 1_000)).toBe(false);
  });

  it('writes nothing any more once the import, which was stopped beside it, is undone', async () => {
    const leaver = await engine.addImporter(world.orgId);
    const job = await engine.receive(world.orgId, leaver, people(4), {}, 2);
    const chunks = api.app.get(ImportChunksStore);
    const slow = await chunks.claim(job.id, 1, 20_000);
    if (slow.kind !== 'claimed') throw new Error('not claimed');
    await rows('DELETE FROM memberships WHERE user_id = $1', [leaver]);
    const second = (await queuedChunks()).find(({ jobId, number }) => jobId === job.id && number === 2);
    if (second === undefined) throw new Error('the second chunk is not queued');
    await engine.runQueued(second);
    expect(await found(job)).toMatchObject({ state: 'cancelled', reason: 'permission_lost' });
    await act('undo', job);
    const time = await engine.transaction(async (tx) => await chunks.lockForUpdate(tx, slow.chunk));
    expect(time).toBeUndefined();
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'undone', undo: { removed: 0, kept: 0 } });
  });

  it('F31: that crashes its workers is divided until one record is set aside', async () => {
    const job = await engine.receive(world.orgId, owner, people(10));
    const killer = 7;
    for (let round = 0; round < 10; round += 1) {
      // what is left behind when workers die over whatever holds that record
      await rows(
        `UPDATE import_chunks SET attempts = 3 WHERE import_id = $1 AND state = 'queued'
         AND $2 BETWEEN first_line AND first_line + records - 1`,
        [job.id, killer],
      );
      if ((await queuedChunks()).length === 0) break;
      for (const queued of await queuedChunks()) await engine.runQueued(queued);
    }
    const ended = await found(job);
    expect(ended).toMatchObject({ state: 'done', counts: { created: 9, failed: 1 } });
    const outcomes = await engine.outcomes(job);
    expect(outcomes.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(outcomes[killer - 1]).toMatchObject({ outcome: 'failed', code: 'quarantined' });
    await engine.drain();
  });

  it('S165: that makes our own code fail is divided until one record is set aside', async () => {
    const job = await engine.receive(world.orgId, owner, people(10));
    const execute = Reflect.get(PrepareRecords.prototype, 'execute') as (...args: unknown[]) => unknown;
    const stumbling = vi.spyOn(PrepareRecords.prototype, 'execute').mockImplementation(async function (
      this: PrepareRecords,
      chunk,
      read,
    ) {
      if (read.some(({ received }) => received.line === 7)) throw new TypeError('nobody thought of that');
      return (await Reflect.apply(execute, this, [chunk, read])) as PreparedRecord[];
    });
    for (let round = 0; round < 30 && (await queuedChunks()).length > 0; round += 1) {
      for (const queued of await queuedChunks()) await engine.runQueued(queued).catch(() => undefined);
    }
    stumbling.mockRestore();
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 9, failed: 1 } });
    expect((await engine.outcomes(job))[6]).toMatchObject({ outcome: 'failed', code: 'quarantined' });
    await engine.drain();
  });

  it('F02: that is neither in the queue nor in the outbox is queued again by the sweep of imports', async () => {
    const job = await engine.receive(world.orgId, owner, people(6), {}, 2);
    await rows(`DELETE FROM outbox WHERE job_name = 'import-chunk'`);
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 6 } });
  });
});

describe('S167: many jobs', () => {
  it('of one organization have a window between them, and another organization does not wait for them', async () => {
    const many = await anOrganization(api);
    const busy = await engine.addImporter(many.orgId);
    const jobs: ImportJob[] = [];
    for (let index = 0; index < 200; index += 1) {
      jobs.push(await engine.receive(many.orgId, busy, people(1)));
    }
    const single = await engine.receive(world.orgId, owner, people(3));
    const ahead = await queuedChunks();
    expect(ahead.map(({ jobId }) => jobId).indexOf(single.id)).toBe(8);
    expect(ahead).toHaveLength(9);
    for (const queued of ahead) await engine.runQueued(queued);
    expect((await found(single)).state).toBe('done');
    for (let left = await queuedChunks(); left.length > 0; left = await queuedChunks()) {
      for (const queued of left) await engine.runQueued(queued);
    }
    const ended = await Promise.all(jobs.map(found));
    expect(new Set(ended.map(({ state }) => state))).toEqual(new Set(['done']));
    await rows(`DELETE FROM outbox WHERE queue = 'imports'`);
  });

  it('of one organization take turns', async () => {
    const large = await engine.receive(world.orgId, owner, people(40), {}, 2);
    const small = await engine.receive(world.orgId, owner, people(2));
    for (let round = 0; round < 8; round += 1) await runNext();
    for (let round = 0; round < 3; round += 1) await runNext();
    expect((await found(small)).state).toBe('done');
    expect((await found(large)).state).toBe('running');
    await engine.drain();
    expect(await found(large)).toMatchObject({ state: 'done', counts: { created: 40 } });
  });
});

describe('undo (S169)', () => {
  it('takes out who was not touched since, lists the rest, and frees the ids', async () => {
    const records = people(5).map((record, index) => ({ ...record, userId: `undo-${index}` }));
    const job = await engine.import(world.orgId, owner, records, {}, 2);
    await rows(`UPDATE users SET sequence = 2 WHERE id = 'undo-1'`);
    await rows(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ('undo-3', $1, 'ORG_OWNER_VIEWER', $1)`,
      [world.orgId],
    );
    expect(await act('undo', job)).toMatchObject({ undo: { state: 'running', removed: 0 } });
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'undone', undo: { state: 'done', removed: 3, kept: 2 } });
    const outcomes = await engine.outcomes(job);
    expect(outcomes.map(({ userId, undone }) => [userId, undone])).toEqual([
      ['undo-0', 'removed'],
      ['undo-1', 'kept'],
      ['undo-2', 'removed'],
      ['undo-3', 'kept'],
      ['undo-4', 'removed'],
    ]);
    const left = await rows<{ id: string }>(`SELECT id FROM users WHERE id LIKE 'undo-%' ORDER BY id`);
    expect(left.map(({ id }) => id)).toEqual(['undo-1', 'undo-3']);
    const again = await engine.import(world.orgId, owner, records, { mode: 'skip' });
    expect(again.counts).toMatchObject({ created: 3, skipped: 2 });
    await expect(act('undo', job)).rejects.toMatchObject({ kind: 'failed-precondition' });
  });

  it('names in the audit log who asked for it, not who imported', async () => {
    const job = await engine.import(world.orgId, owner, people(2));
    const other = await engine.addImporter(world.orgId);
    await act('undo', job, other);
    await engine.drain();
    const events = await rows(
      `SELECT type, actor_id, count(*)::int FROM events
       WHERE (aggregate_id = $1 AND type LIKE 'import.und%') OR (type = 'user.removed' AND data->>'import' = $1)
       GROUP BY type, actor_id ORDER BY type`,
      [job.id],
    );
    expect(events).toEqual([
      { type: 'import.undo.begun', actor_id: other, count: 1 },
      { type: 'import.undone', actor_id: other, count: 1 },
      { type: 'user.removed', actor_id: other, count: 2 },
    ]);
  });
});

describe('what was asked for after the end (S164, F46)', () => {
  const losses = {
    permission_lost: `DELETE FROM memberships WHERE user_id = $1`,
    caller_removed: `UPDATE users SET state = 'deleted' WHERE id = $1`,
  };

  it.each(Object.entries(losses))('stops at the next chunk of an undo: %s', async (reason, loss) => {
    const job = await engine.import(world.orgId, owner, people(4), {}, 2);
    const other = await engine.addImporter(world.orgId);
    await act('undo', job, other);
    const [first] = await engine.queued();
    await engine.runQueued(first as QueuedJob);
    await rows(loss, [other]);
    await engine.drain();
    expect((await engine.outcomes(job)).map(({ undone }) => undone)).toEqual([
      'removed',
      'removed',
      undefined,
      undefined,
    ]);
    expect(await found(job)).toMatchObject({ state: 'done' });
    expect((await found(job)).undo).toBeUndefined();
    const held = `SELECT actor_id, data FROM events WHERE aggregate_id = $1 AND type = 'import.undo.held'`;
    expect(await rows(held, [job.id])).toEqual([{ actor_id: other, data: { reason } }]);
    await act('undo', job);
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'undone', undo: { state: 'done', removed: 4, kept: 0 } });
  });

  describe.each(['undo', 'notify'] as const)('with a token, %s', (step) => {
    async function begun(asker: UserId, askedWith: RequestingToken): Promise<ImportJob> {
      const records = people(4).map((record) => ({ ...record, hashedPassword: undefined }));
      const job = await engine.import(world.orgId, owner, records, { notify: 'deferred' }, 2);
      await act(step, job, asker, askedWith);
      const [first] = await engine.queued();
      await engine.runQueued(first as QueuedJob);
      return job;
    }
    const held = async ({ id }: ImportJob) =>
      await rows(`SELECT actor_id, data FROM events WHERE aggregate_id = $1 AND type = $2`, [
        id,
        `import.${step}.held`,
      ]);
    const over = async (job: ImportJob) => {
      const { undo, notified } = await found(job);
      return step === 'undo' ? undo?.state : notified;
    };

    it('S472: stops with that token, and goes on when somebody asks again', async () => {
      for (const kind of ['tokenId', 'subjectEpoch'] as const) {
        const asker = await engine.addImporter(world.orgId);
        const tokenId = await addToken(asker);
        const job = await begun(asker, kind === 'tokenId' ? { tokenId } : { subjectEpoch: 0 });
        if (kind === 'tokenId') await rows(ENDS.revoked, [tokenId]);
        else await rows(ENDS.allOfTheirs, [asker]);
        await engine.drain();
        expect(await over(job)).toBeUndefined();
        expect(await held(job)).toEqual([{ actor_id: asker, data: { reason: 'token_revoked' } }]);
        await act(step, job, asker, { subjectEpoch: kind === 'tokenId' ? 0 : 1 });
        await engine.drain();
        expect(await over(job)).toBe('done');
      }
    });

    it('does not stop with one that has run out, nor with the token of whoever imported', async () => {
      const asker = await engine.addImporter(world.orgId);
      const tokenId = await addToken(asker);
      const job = await begun(asker, { tokenId });
      await rows(`UPDATE imports SET subject_epoch = 77 WHERE id = $1`, [job.id]);
      await rows(ENDS.expired, [tokenId]);
      await engine.drain();
      expect(await over(job)).toBe('done');
      expect(await held(job)).toEqual([]);
    });

    it('says of whoever was shut out that they lost the permission', async () => {
      const asker = await engine.addImporter(world.orgId);
      const job = await begun(asker, { subjectEpoch: 0 });
      await rows(`UPDATE users SET state = 'inactive' WHERE id = $1`, [asker]);
      await rows(ENDS.allOfTheirs, [asker]);
      await engine.drain();
      expect(await held(job)).toEqual([{ actor_id: asker, data: { reason: 'permission_lost' } }]);
    });
  });

  it('counts the messages that it holds, and the factors that it keeps, by their kinds', async () => {
    const [first, second, third, fourth] = people(4);
    // made by this service under another key
    const FOREIGN = { hash: `mac:${'A'.repeat(43)}.${'A'.repeat(11)}` };
    const records = [
      { ...first, hashedPassword: undefined },
      { ...second, hashedPassword: undefined, totpSecret: 'JBSWY3DPEHPK3PXP', codeFactors: ['email'] },
      { ...third, state: 'locked', hashedPassword: undefined, recoveryCodes: [{ raw: 'abcde' }, FOREIGN] },
      { ...fourth, recoveryCodes: [FOREIGN] },
    ];
    const factors = { totpSecrets: 1, recoveryCodes: 1, codeFactors: 1, passkeys: 0, foreignPasskeys: 0 };
    const tried = await engine.import(world.orgId, owner, records, { notify: 'deferred', dryRun: true });
    expect((await found(tried)).counts).toMatchObject({ created: 4, held: 0, ...factors });
    const job = await engine.import(world.orgId, owner, records, { notify: 'deferred' });
    expect((await found(job)).counts).toMatchObject({ created: 4, held: 2, ...factors });
    await act('notify', job);
    await engine.drain();
    expect((await found(job)).counts).toMatchObject({ held: 0 });
  });

  it('stops before the next messages, and goes on with those that are left', async () => {
    const records = people(4).map((record) => ({ ...record, hashedPassword: undefined }));
    const job = await engine.import(world.orgId, owner, records, { notify: 'deferred' }, 2);
    const queued = async () =>
      (await rows(`SELECT id FROM notifications WHERE org_id = $1`, [world.orgId])).length;
    const before = await queued();
    const other = await engine.addImporter(world.orgId);
    await act('notify', job, other);
    const [first] = await engine.queued();
    await engine.runQueued(first as QueuedJob);
    await rows(`UPDATE users SET state = 'inactive' WHERE id = $1`, [other]);
    await engine.drain();
    expect(await queued()).toBe(before + 2);
    expect((await found(job)).notified).toBeUndefined();
    const held = `SELECT actor_id, data FROM events WHERE aggregate_id = $1 AND type = 'import.notify.held'`;
    expect(await rows(held, [job.id])).toEqual([{ actor_id: other, data: { reason: 'permission_lost' } }]);
    await act('notify', job);
    await engine.drain();
    expect(await queued()).toBe(before + 4);
    expect((await found(job)).notified).toBe('done');
  });
});

describe('a file', () => {
  it('that is sent again with its key is one job', async () => {
    const records = people(3);
    const job = await engine.import(world.orgId, owner, records, { idempotencyKey: 'same file' });
    const again = await engine.receive(world.orgId, owner, records, { idempotencyKey: 'same file' });
    expect(again).toMatchObject({ id: job.id, state: 'done' });
    const others = await engine.addImporter(world.orgId);
    const another = await engine.receive(world.orgId, others, people(1), { idempotencyKey: 'same file' });
    expect(another.id).not.toBe(job.id);
    await engine.drain();
  });

  it('that ends early imports nothing, and its key can be used for the whole one', async () => {
    const begin = {
      ...PLAIN_OPTIONS,
      orgId: world.orgId,
      through: null,
      callerId: owner,
      idempotencyKey: 'cut off',
    };
    const begun = await engine.begin.execute(begin);
    if ('known' in begun) throw new Error('known');
    await engine.fill.appendChunk(begun.begun, 1, [{ line: 1, json: JSON.stringify(human('cut-off')) }]);
    await expect(engine.begin.execute(begin)).rejects.toMatchObject({ kind: 'aborted' });
    await engine.fill.fail(begun.begun, 'source_incomplete');
    await engine.drain();
    expect(await engine.jobs.find(world.orgId, begun.begun.jobId)).toMatchObject({
      state: 'failed',
      reason: 'source_incomplete',
      counts: { created: 0 },
    });
    const kept = await rows('SELECT FROM import_chunks WHERE import_id = $1 AND payload IS NOT NULL', [
      begun.begun.jobId,
    ]);
    expect(kept).toHaveLength(0);
    const whole = await engine.import(world.orgId, owner, [human('cut-off')], { idempotencyKey: 'cut off' });
    expect(whole.counts).toMatchObject({ created: 1 });
  });

  it('that is here whole happens, also where whoever received it never heard so', async () => {
    const records = people(2);
    const key = { idempotencyKey: 'unheard' };
    const job = await engine.receive(world.orgId, owner, records, key);
    await engine.fill.fail({ jobId: job.id, orgId: world.orgId, callerId: owner }, 'source_unavailable');
    expect(await engine.receive(world.orgId, owner, records, key)).toMatchObject({
      id: job.id,
      state: 'queued',
    });
    await engine.drain();
    expect(await found(job)).toMatchObject({ state: 'done', counts: { created: 2 } });
  });

  it('without records is done', async () => {
    expect(await engine.import(world.orgId, owner, [])).toMatchObject({ state: 'done', total: 0 });
  });
});

describe('records that failed', () => {
  it('are tried again as they were', async () => {
    const records = [human('again-1'), human('again-2'), 'no json'];
    await engine.import(world.orgId, owner, [human('again-2')]);
    const job = await engine.import(world.orgId, owner, records, {}, 2);
    expect(job.counts).toMatchObject({ created: 1, failed: 2 });
    const moved = `UPDATE login_identifiers SET canonical = canonical || '-moved' WHERE canonical LIKE 'again-2%'`;
    await rows(moved);
    const retry = await engine.retry.execute({
      orgId: world.orgId,
      jobId: job.id,
      actorId: owner,
      through: null,
    });
    await engine.drain();
    const ended = await found(retry);
    expect(ended).toMatchObject({ retryOf: job.id, total: 2, counts: { created: 1, failed: 1 } });
    expect((await engine.outcomes(ended)).map(({ line, outcome }) => [line, outcome])).toEqual([
      [2, 'created'],
      [3, 'failed'],
    ]);
  });

  it('are tried again also where the connection is lost just after that was written', async () => {
    const job = await engine.import(world.orgId, owner, ['no json']);
    const change = { orgId: world.orgId, jobId: job.id, actorId: owner, through: null };
    const lost = loseAnswer(engine.fill);
    await expect(engine.retry.execute(change, 'unheard retry')).rejects.toMatchObject({
      kind: 'unavailable',
    });
    const retry = await engine.retry.execute(change, 'unheard retry');
    expect(retry).toMatchObject({ id: (await lost).id, state: 'queued' });
    await engine.drain();
    expect(await found(retry)).toMatchObject({ state: 'done', counts: { failed: 1 } });
  });
});

describe('who sees a job', () => {
  it('S158: only its organization does', async () => {
    const job = await engine.import(world.orgId, owner, people(1));
    const stranger = (await anOrganization(api)).orgId;
    const asked = { orgId: stranger, jobId: job.id, actorId: owner, through: null };
    await expect(engine.jobs.find(stranger, job.id)).rejects.toMatchObject({ kind: 'not-found' });
    await expect(engine.jobs.results(stranger, job.id).next()).rejects.toMatchObject({ kind: 'not-found' });
    await expect(engine.retry.execute(asked)).rejects.toMatchObject({ kind: 'not-found' });
    for (const step of ['pause', 'resume', 'cancel', 'undo', 'notify'] as const) {
      const foreign: ImportJob = { ...job, orgId: stranger };
      await expect(act(step, foreign)).rejects.toMatchObject({ kind: 'not-found' });
    }
    const listed = await engine.jobs.list(
      stranger,
      { offset: 0, limit: 100, ascending: true },
      inPerson(owner),
    );
    expect(listed.items).toEqual([]);
    expect(job.id).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('S158: whoever manages one organization has no say in a job of the whole instance', async () => {
    const root = await engine.addImporter(world.orgId, 'IAM_OWNER');
    const elsewhere = await anOrganization(api);
    const records = people(2).map((record) => ({ ...record, orgId: elsewhere.orgId }));
    const job = await engine.import(world.orgId, root, records, { notify: 'deferred' });
    expect(job).toMatchObject({ instanceWide: true, counts: { created: 2 } });
    for (const step of ['pause', 'resume', 'cancel', 'undo', 'notify'] as const) {
      await expect(act(step, job)).rejects.toMatchObject({ kind: 'not-found' });
    }
    const asked = { orgId: world.orgId, jobId: job.id, actorId: owner, through: null };
    await expect(engine.retry.execute(asked)).rejects.toMatchObject({ kind: 'not-found' });
    await expect(engine.jobs.view(world.orgId, job.id, inPerson(owner))).rejects.toMatchObject({
      kind: 'not-found',
    });
    expect(await engine.jobs.view(world.orgId, job.id, inPerson(root))).toMatchObject({ id: job.id });
    const seen = async (viewer: UserId): Promise<boolean> =>
      (
        await engine.jobs.list(world.orgId, { offset: 0, limit: 100, ascending: false }, inPerson(viewer))
      ).items.some(({ id }) => id === job.id);
    expect([await seen(owner), await seen(root)]).toEqual([false, true]);
    const undone = await engine.transaction(
      async (tx) => await engine.steer.undo(tx, { ...asked, actorId: root }),
    );
    expect(undone).toMatchObject({ undo: { state: 'running' } });
    await engine.drain();
  });

  it('lists them by state, newest first or oldest first', async () => {
    const mine = await anOrganization(api);
    const theirs = await engine.addImporter(mine.orgId);
    const done = await engine.import(mine.orgId, theirs, people(1));
    const waiting = await engine.receive(mine.orgId, theirs, people(1));
    const list = async (ascending: boolean, states?: ImportJob['state'][]): Promise<string[]> =>
      (
        await engine.jobs.list(mine.orgId, { offset: 0, limit: 10, ascending, states }, inPerson(theirs))
      ).items.map(({ id }) => id);
    expect(await list(true)).toEqual([done.id, waiting.id]);
    expect(await list(false)).toEqual([waiting.id, done.id]);
    expect(await list(true, ['done'])).toEqual([done.id]);
    await engine.drain();
  });
});

describe('retention', () => {
  it('frees the key of an upload whose receiver died, within a minute, and not of one that lives', async () => {
    const begin = async () =>
      await engine.begin.execute({
        ...PLAIN_OPTIONS,
        orgId: world.orgId,
        callerId: owner,
        through: null,
        idempotencyKey: 'leased',
      });
    const first = await begin();
    if ('known' in first) throw new Error('known');
    for (let renewals = 0; renewals < 3; renewals += 1) {
      await api.advance(30);
      await engine.fill.renewLease(first.begun, 1);
      await expect(begin()).rejects.toMatchObject({ kind: 'aborted' });
    }
    await api.advance(46);
    const second = await begin();
    expect(second).toMatchObject({ begun: { orgId: world.orgId } });
    const given = await engine.jobs.find(world.orgId, first.begun.jobId);
    expect(given).toMatchObject({ state: 'failed', reason: 'source_incomplete' });
    await expect(engine.fill.appendChunk(first.begun, 1, [{ line: 1, json: '{}' }])).rejects.toMatchObject({
      kind: 'aborted',
    });
  });

  it('is not given up while chunks of it come, also where nobody renews its lease beside that', async () => {
    const begin = async () =>
      await engine.begin.execute({
        ...PLAIN_OPTIONS,
        orgId: world.orgId,
        callerId: owner,
        through: null,
        idempotencyKey: 'slow but sure',
      });
    const begun = await begin();
    if ('known' in begun) throw new Error('known');
    for (const number of [1, 2, 3]) {
      await api.advance(30);
      await engine.fill.appendChunk(begun.begun, number, [{ line: number, json: '{}' }]);
    }
    await expect(begin()).rejects.toMatchObject({ kind: 'aborted' });
  });

  it('removes ended jobs after their time with all that they know, and gives up uploads nobody finishes', async () => {
    const job = await engine.import(world.orgId, owner, people(3), { mode: 'skip' });
    const begun = await engine.begin.execute({
      ...PLAIN_OPTIONS,
      orgId: world.orgId,
      through: null,
      callerId: owner,
    });
    if ('known' in begun) throw new Error('known');
    await engine.fill.appendChunk(begun.begun, 1, [{ line: 1, json: '{}' }]);
    const maintenance = api.app.get(MaintenanceStore);
    await maintenance.removeExpired(10_000, api.app.get(RetentionSettings));
    expect(await found(job)).toMatchObject({ state: 'done' });
    expect(await rows('SELECT FROM import_names WHERE import_id = $1', [job.id])).toHaveLength(0);
    await api.advance(2 * 3600);
    await maintenance.removeExpired(10_000, api.app.get(RetentionSettings));
    expect(await engine.jobs.find(world.orgId, begun.begun.jobId)).toMatchObject({
      state: 'failed',
      reason: 'source_incomplete',
    });
    await api.advance(31 * 86_400);
    await maintenance.removeExpired(10_000, api.app.get(RetentionSettings));
    await expect(found(job)).rejects.toMatchObject({ kind: 'not-found' });
    expect(await rows('SELECT FROM import_chunks WHERE import_id = $1', [job.id])).toHaveLength(0);
    expect(sum(job)).toBe(3);
  });
});
