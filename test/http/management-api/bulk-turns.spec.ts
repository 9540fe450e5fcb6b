// SQL by hand: what is queued, and actions that are over already
import { beforeEach, describe, expect, it } from 'vitest';
import type { BulkActionId } from '../../../src/domain/shared/ids.js';
import { useReplica } from '../../support/api.js';
import { bulkWorker } from '../../support/bulk-worker.js';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const { api } = useWorld();
const replica = useReplica(api);
const worker = given(() => bulkWorker(api));
let home: World;
let owner: Awaited<ReturnType<typeof aServiceUser>>;
beforeEach(async () => {
  home = await anOrganization(api);
  owner = await aServiceUser(home, 'ORG_OWNER');
});

const body = { action: 'sign_out', userIds: ['nobody'] };
const ask = async (at = api) => await owner.call('POST', 'users/_bulk', body, { on: at });
async function begin(): Promise<BulkActionId> {
  const begun = await ask();
  expect(begun.statusCode).toBe(200);
  return begun.json<{ id: BulkActionId }>().id;
}

interface Queued {
  readonly id: string;
  readonly action: BulkActionId;
}

async function queued(): Promise<readonly Queued[]> {
  const { rows } = await api.sql.query<Queued>(
    `SELECT o.id::text, b.id AS action FROM outbox o JOIN bulk_actions b ON b.id = o.payload ->> 'bulkActionId'
     WHERE o.job_name = 'run-bulk-action' AND o.state = 'pending' AND b.org_id = $1`,
    [home.orgId],
  );
  return rows;
}

const waiting = async () => (await queued()).map(({ action }) => action);

async function runNext(): Promise<void> {
  const [next] = await queued();
  if (next === undefined) throw new Error('nothing is queued');
  await worker.step(next.action, next.id);
}

describe('actions on many users of one organization', () => {
  it('S403: stand in the queue one at a time, in their order', async () => {
    const ids = [await begin(), await begin(), await begin()];
    for (const id of ids) {
      expect(await waiting()).toEqual([id]);
      await runNext();
    }
    expect(await waiting()).toEqual([]);
    // the next one waits for nobody
    const again = await begin();
    expect(await waiting()).toEqual([again]);
  });

  it('S403: hand their turn on when they are cancelled, and only when it was theirs', async () => {
    const [first, second, third] = [await begin(), await begin(), await begin()];
    const cancel = async (id: string) => await owner.call('POST', `users/_bulk/${id}/_cancel`, {});
    expect((await cancel(second)).statusCode).toBe(200);
    expect(await waiting()).toEqual([first]);
    expect((await cancel(first)).statusCode).toBe(200);
    expect((await waiting()).filter((id) => id !== first)).toEqual([third]);
  });

  it('S403: are 20 at most, also when many begin at once, and a later one is refused with when to come again', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n % 2 === 0 ? api : replica)));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(20);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.headers['retry-after']).toBe('30');
    expect(refused[0]?.json()).toEqual(
      errorBody(
        8,
        'this organization has 20 bulk actions that have not ended: wait for one, or cancel one',
        'LIMITS-bA5rn',
      ),
    );
    expect(await waiting()).toHaveLength(1);
    for (let left = 20; left > 0; left -= 1) await runNext();
    expect(await waiting()).toEqual([]);
    const { rows } = await api.sql.query(`SELECT FROM bulk_actions WHERE org_id = $1 AND state <> 'done'`, [
      home.orgId,
    ]);
    expect(rows).toEqual([]);
    expect((await ask()).statusCode).toBe(200);
  });

  it('S403: are forgotten, the oldest first, where more than 100 are over', async () => {
    await api.sql.query(
      `INSERT INTO bulk_actions (id, org_id, action, state, created_by, finished_at)
       SELECT $1 || '-' || n, $1, 'lock', 'done', 'somebody', app_now() - make_interval(mins => n)
       FROM generate_series(1, 101) n`,
      [home.orgId],
    );
    await begin();
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM bulk_actions WHERE org_id = $1 AND finished_at IS NOT NULL ORDER BY finished_at`,
      [home.orgId],
    );
    expect(rows).toHaveLength(99);
    expect(rows[0]?.id).toBe(`${home.orgId}-99`);
  });
});
