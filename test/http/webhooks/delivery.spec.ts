import { beforeEach, describe, expect, it } from 'vitest';
import { EventsStore, type AuditEvent } from '../../../src/domain/events/events.store.js';
import { Clock } from '../../../src/domain/shared/clock.js';
import { Log } from '../../../src/domain/shared/log.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { DeliverEvents, MAX_WEBHOOK_ATTEMPTS } from '../../../src/domain/webhooks/deliver-events.js';
import { WebhookDeliveriesStore } from '../../../src/domain/webhooks/webhook-deliveries.store.js';
import { WebhookEndpoint } from '../../../src/domain/webhooks/webhook-endpoint.js';
import { WebhookMeter } from '../../../src/domain/webhooks/webhook-meter.js';
import {
  CLAIM_DUE,
  REWIND,
  REWIND_INSTANCE,
} from '../../../src/storage/postgres/webhooks/delivery-statements.js';
import { given, givenRunning } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { isSignedBy, WebhookReceiver } from '../../support/webhook-receiver.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const elsewhere = given(() => anOrganization(api));
const deliver = given(
  () =>
    new DeliverEvents(
      api.app.get(WebhookDeliveriesStore),
      api.app.get(EventsStore),
      api.app.get(WebhookEndpoint),
      api.app.get(WebhookMeter),
      api.app.get(Clock),
      api.app.get(Log),
    ),
);
const HOUR = 3_600;
const receiver = givenRunning(() => WebhookReceiver.start());
let path = 0;

beforeEach(async () => {
  path += 1;
  receiver.reply = () => 204;
  await api.sql.query('DELETE FROM webhooks');
});

const here = () => `/hook/${path}`;
const got = () => receiver.at(here()).map(({ json }) => json.data['sequence']);
const never = new AbortController().signal;

interface Hook {
  readonly id: string;
  readonly secret: string;
}

async function aHook(eventTypes: readonly string[] = ['user.*'], place = 'webhooks'): Promise<Hook> {
  const by = place === 'webhooks' ? owner : root;
  const response = await by.call('POST', place, { name: 'Hook', url: receiver.url(here()), eventTypes });
  return response.json<Hook>();
}

/** An event of a user that there is not, known by its sequence. */
function anEvent(sequence: number, type: AuditEvent['type'] = 'user.locked', of: World = world): AuditEvent {
  const { orgId } = of;
  return { orgId, aggregateType: 'user', aggregateId: 'somebody', sequence, type, actorId: null };
}

async function happened(...events: readonly AuditEvent[]): Promise<void> {
  const { app } = api;
  for (const event of events) {
    await app.get(UnitOfWork).run((tx) => app.get(EventsStore).append(tx, event));
  }
}

/** Written, and committed when somebody says so. */
async function slowly(event: AuditEvent): Promise<{ commit: () => void; slow: Promise<void> }> {
  const { app } = api;
  let commit = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (commit = resolve));
  let written = (): void => undefined;
  const isWritten = new Promise<void>((resolve) => (written = resolve));
  const slow = app.get(UnitOfWork).run(async (tx) => {
    await app.get(EventsStore).append(tx, event);
    written();
    await waiting;
  });
  await isWritten;
  return { commit, slow };
}

async function planned(statement: string, values: readonly unknown[]): Promise<string> {
  const { rows } = await api.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`, [...values]);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** One look of a worker, and all that follows from it. */
async function turn(): Promise<number> {
  const claims = await deliver.claimDue(10);
  await Promise.all(claims.map((claim) => deliver.run(claim, never)));
  return claims.length;
}

async function stateOf({ id }: Hook): Promise<Readonly<Record<string, unknown>>> {
  const found = await owner.call('GET', `webhooks/${id}`);
  return found.json<{ webhook: Readonly<Record<string, unknown>> }>().webhook;
}

async function lettersOf({ id }: Hook): Promise<readonly { id: string; state: string; attempts: number }[]> {
  const found = await owner.call('POST', `webhooks/${id}/dead_letters/_search`, { query: { asc: true } });
  return found.json<{ result?: { id: string; state: string; attempts: number }[] }>().result ?? [];
}

// S245: whose events they are. F52: at least once, in the order of the log, whatever happens to a worker.

describe('the delivery of events', () => {
  it('sends what happens from now on, in its order, signed, as events/_search shows it', async () => {
    await happened(anEvent(1));
    const hook = await aHook();
    await happened(anEvent(2), anEvent(3, 'project.added'), anEvent(4, 'user.unlocked'));
    expect(await turn()).toBe(1);
    const posts = receiver.at(here());
    expect(posts.map(({ json }) => json.type)).toEqual(['user.locked', 'user.unlocked']);
    for (const post of posts) {
      expect(isSignedBy(hook.secret, post)).toBe(true);
      expect(post.json).toMatchObject({ webhookId: hook.id, deliveryId: post.headers['webhook-id'] });
      expect(Number(post.headers['webhook-timestamp'])).toBeCloseTo(Date.now() / 1000, -2);
    }
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    const search = { aggregateId: 'somebody', types: ['user.unlocked'] };
    const found = await owner.call('POST', 'events/_search', search);
    expect(posts[1]?.json.data).toEqual(found.json<{ result: object[] }>().result[0]);
    expect(await stateOf(hook)).toMatchObject({ failures: 0, lag: '0s', lastDelivery: expect.any(String) });
    expect(await turn()).toBe(0);
  });

  it('goes on for others where the secret of one cannot be opened', async () => {
    const broken = await aHook();
    await api.sql.query(`UPDATE webhooks SET secret_sealed = secret_sealed || sha256('x') WHERE id = $1`, [
      broken.id,
    ]);
    path += 1;
    await aHook();
    await happened(anEvent(1));
    expect(await turn()).toBe(2);
    expect(got()).toEqual(['1']);
    expect(await stateOf(broken)).toMatchObject({ failures: 1, lastError: 'secret_unreadable' });
    expect(await turn()).toBe(0);
    const tried = await owner.call('POST', `webhooks/${broken.id}/_test`);
    expect(tried.json()).toMatchObject({ delivered: false, reason: 'secret_unreadable' });
  });

  it("keeps organizations apart, and sends all to the instance's", async () => {
    const hook = await aHook(['user.locked']);
    await happened(anEvent(1), anEvent(2, 'user.locked', elsewhere), { ...anEvent(3), orgId: null });
    await turn();
    expect(got()).toEqual(['1']);
    await owner.call('DELETE', `webhooks/${hook.id}`);
    path += 1;
    await aHook(['user.locked'], '/admin/v1/webhooks');
    await happened(anEvent(1), anEvent(2, 'user.locked', elsewhere), { ...anEvent(3), orgId: null });
    await turn();
    expect(got()).toEqual(['1', '2', '3']);
  });

  it('waits for a transaction that is slow to commit, and leaves out nothing of it', async () => {
    await aHook();
    // past the event that tells of it
    await turn();
    const { commit, slow } = await slowly(anEvent(1));
    await happened(anEvent(2));
    await turn();
    expect(got()).toEqual([]);
    commit();
    await slow;
    // what could not be read yet is not looked for all the time
    expect(await turn()).toBe(0);
    await api.advance(3);
    await turn();
    expect(got()).toEqual(['1', '2']);
  });

  it.each(['webhooks', '/admin/v1/webhooks'])(
    'misses nothing of a database whose clock went back, and sends nothing twice: %s',
    async (place) => {
      await aHook(['user.locked'], place);
      await happened(anEvent(1), anEvent(2, 'user.unlocked'));
      await api.advance(2);
      await happened(anEvent(3), anEvent(4));
      await turn();
      expect(got()).toEqual(['1', '3', '4']);
      await api.advance(-4);
      // whoever was told to wait until an earlier moment waits until that
      const isDue = () => api.sql.query('UPDATE webhooks SET next_attempt_at = app_now()');
      const { commit, slow } = await slowly(anEvent(5));
      try {
        await happened(anEvent(6), anEvent(7, 'user.unlocked'));
        await isDue();
        await turn();
        // as ever: nothing overtakes what may still be written
        expect(got()).toEqual(['1', '3', '4']);
      } finally {
        commit();
        await slow;
      }
      await isDue();
      await turn();
      expect(got()).toEqual(['1', '3', '4', '5', '6']);
      await api.advance(5);
      await happened(anEvent(8));
      await turn();
      expect(got()).toEqual(['1', '3', '4', '5', '6', '8']);
      expect(await turn()).toBe(0);
    },
  );

  it('sends again what it is asked to, also after a clock went back, and nothing that is left out', async () => {
    const hook = await aHook();
    const from = new Date(api.app.get(Clock).nowMs()).toISOString();
    await happened(anEvent(1), anEvent(2));
    await turn();
    await api.advance(-60);
    await happened(anEvent(3));
    await api.advance(61);
    await turn();
    expect(got()).toEqual(['1', '2', '3']);
    await owner.call('POST', `webhooks/${hook.id}/_replay`, { from });
    await turn();
    expect(got().slice(3)).toEqual(['1', '2']);
    await happened(anEvent(4));
    await api.advance(1);
    const now = new Date(api.app.get(Clock).nowMs()).toISOString();
    await owner.call('POST', `webhooks/${hook.id}/_replay`, { from: now });
    await happened(anEvent(5));
    await turn();
    expect(got().slice(5)).toEqual(['5']);
  });

  it('looks for events by an index, be there any or none', async () => {
    for (const place of ['webhooks', '/admin/v1/webhooks']) await aHook(['user.locked'], place);
    await turn();
    await api.sql.query(
      `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, created_at)
       SELECT $1, 'user', 'somebody', n, 'user.human.added', app_now() - make_interval(secs => 120 + n / 100.0)
       FROM generate_series(1, 20000) AS n`,
      [world.orgId],
    );
    await api.sql.query('ANALYZE events');
    await api.sql.query(
      'UPDATE webhooks SET cursor_at = app_now(), cursor_highest = (SELECT last_value FROM events_position_seq)',
    );
    const plans = [await planned(CLAIM_DUE.text, [10, 1])];
    for (const { text } of [REWIND, REWIND_INSTANCE]) plans.push(await planned(text, ['nobody', 1]));
    for (const plan of plans) {
      expect(plan).toMatch(/Index (Only )?Scan using events_/);
      // of months that are empty it costs nothing
      expect(plan).not.toMatch(/Seq Scan on events_\S+ \S+ {2}\(cost=0\.00\.\.(?!0\.00 )/);
    }
  });

  it('is one worker’s at a time, and the next one’s when a claim lapses', async () => {
    const hook = await aHook();
    await happened(anEvent(1), anEvent(2));
    const [first] = await deliver.claimDue(10);
    expect(await deliver.claimDue(10)).toEqual([]);
    await api.advance(60);
    const [second] = await deliver.claimDue(10);
    expect(second?.id).toBe(hook.id);
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    await deliver.run(second, never);
    expect(got()).toEqual(['1', '2']);
    // whoever was frozen sends what it was about to, and can write nothing any more
    await happened(anEvent(3));
    await deliver.run(first, never);
    expect(got()).toEqual(['1', '2', '1']);
    await turn();
    expect(got()).toEqual(['1', '2', '1', '3']);
  });

  it('repeats one that was taken when nobody wrote that down, under the same id', async () => {
    const hook = await aHook();
    await happened(anEvent(1), anEvent(2));
    receiver.reply = async () => {
      receiver.reply = () => 204;
      // as if its worker had died with the answer
      await api.sql.query('UPDATE webhooks SET fence = fence + 1, claimed_until = NULL WHERE id = $1', [
        hook.id,
      ]);
      return 204;
    };
    await turn();
    await turn();
    expect(got()).toEqual(['1', '1', '2']);
    const ids = receiver.at(here()).map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
  });

  it('is tried again later, and nothing overtakes it', async () => {
    const hook = await aHook();
    await happened(anEvent(1), anEvent(2));
    receiver.reply = () => ({ status: 503, headers: { 'retry-after': '120' } });
    await turn();
    expect(got()).toEqual(['1']);
    expect(await stateOf(hook)).toMatchObject({
      failures: 1,
      lastError: 'http_503',
      nextAttempt: expect.any(String),
      oldestUndelivered: expect.any(String),
    });
    receiver.reply = () => 204;
    await api.advance(100);
    expect(await turn()).toBe(0);
    await api.advance(25);
    await turn();
    expect(got()).toEqual(['1', '1', '2']);
    expect(await stateOf(hook)).toMatchObject({ failures: 0 });
  });

  it.each(['_deactivate', 'DELETE'] as const)('stops at once at %s', async (act) => {
    const hook = await aHook();
    await happened(anEvent(1), anEvent(2), anEvent(3));
    receiver.reply = async () => {
      receiver.reply = () => 204;
      if (act === 'DELETE') await owner.call('DELETE', `webhooks/${hook.id}`);
      else await owner.call('POST', `webhooks/${hook.id}/${act}`);
      return 204;
    };
    await turn();
    await turn();
    expect(got()).toEqual(['1']);
    if (act === 'DELETE') return;
    await owner.call('POST', `webhooks/${hook.id}/_activate`);
    await turn();
    expect(got()).toEqual(['1', '1', '2', '3']);
  });

  it('stops where its organization rests', async () => {
    await aHook();
    await happened(anEvent(1));
    await api.sql.query(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [world.orgId]);
    expect(await turn()).toBe(0);
    await api.sql.query(`UPDATE organizations SET state = 'active' WHERE id = $1`, [world.orgId]);
    await turn();
    expect(got()).toEqual(['1']);
  });

  it('holds four of an organization at a time, and others beside them', async () => {
    for (let index = 0; index < 6; index += 1) await aHook();
    await aHook(['user.*'], '/admin/v1/webhooks');
    await happened(anEvent(1));
    const claims = await deliver.claimDue(10);
    expect(claims.filter(({ orgId }) => orgId === world.orgId)).toHaveLength(4);
    expect(claims.filter(({ orgId }) => orgId === null)).toHaveLength(1);
    expect(await deliver.claimDue(10)).toEqual([]);
    await Promise.all(claims.map((claim) => deliver.run(claim, never)));
    await turn();
    expect(got()).toHaveLength(7);
  });

  it('passes over what nobody wants, however much it is', async () => {
    const hook = await aHook(['user.unlocked']);
    const many = Array.from({ length: 450 }, (_, index) => anEvent(index));
    await api.app
      .get(UnitOfWork)
      .run((tx) => api.app.get(EventsStore).append(tx, ...many, anEvent(999, 'user.unlocked')));
    expect(await stateOf(hook)).toMatchObject({ oldestUndelivered: expect.any(String) });
    await turn();
    expect(got()).toEqual(['999']);
    expect(await turn()).toBe(0);
  });

  it('sends again what happened since a time, with the ids that it had', async () => {
    const hook = await aHook();
    // earlier tests have moved the clock on
    const from = new Date(api.app.get(Clock).nowMs()).toISOString();
    await happened(anEvent(1), anEvent(2));
    await turn();
    expect((await owner.call('POST', `webhooks/${hook.id}/_replay`, { from })).statusCode).toBe(200);
    await turn();
    expect(got()).toEqual(['1', '2', '1', '2']);
    const ids = receiver.at(here()).map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(0, 2)).toEqual(ids.slice(2));
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'webhook.replayed'`,
      [hook.id],
    );
    expect(rows).toEqual([{ data: { from } }]);
  });
});

describe('an event that is not taken', () => {
  /** Until it is given up. */
  async function exhaust(): Promise<void> {
    for (let attempt = 0; attempt < MAX_WEBHOOK_ATTEMPTS; attempt += 1) {
      await turn();
      await api.advance(HOUR / 2);
    }
  }

  it('is a dead letter in the end, the next one goes on, and the audit log tells of it once', async () => {
    const hook = await aHook();
    await happened(anEvent(1), anEvent(2), anEvent(3));
    receiver.reply = ({ json }) => (['1', '2'].includes(String(json.data['sequence'])) ? 500 : 204);
    await exhaust();
    expect(got().filter((sequence) => sequence === '1')).toHaveLength(MAX_WEBHOOK_ATTEMPTS);
    const dead = { state: 'dead', reason: 'http_500', attempts: MAX_WEBHOOK_ATTEMPTS };
    expect(await lettersOf(hook)).toEqual([
      expect.objectContaining({
        ...dead,
        event: expect.objectContaining({ type: 'user.locked' }) as object,
      }),
    ]);
    await exhaust();
    expect(got().at(-1)).toBe('3');
    expect(await lettersOf(hook)).toHaveLength(2);
    expect(await stateOf(hook)).toMatchObject({ deadLetters: 2, failures: 0, lastError: 'http_500' });
    const { rows } = await api.sql.query<{ count: string }>(
      `SELECT count(*) FROM events WHERE aggregate_id = $1 AND type = 'webhook.alarm' AND org_id = $2`,
      [hook.id, world.orgId],
    );
    // the two were given up hours apart
    expect(Number(rows[0]?.count)).toBe(2);
  });

  it('is sent again alone or with all others, and is dead again where it fails again', async () => {
    const hook = await aHook();
    await api.sql.query(
      `WITH written AS (
         INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type)
         SELECT $2, 'user', 'somebody', n, 'user.human.added' FROM generate_series(1, 3) AS n
         RETURNING created_at, position, type
       )
       INSERT INTO webhook_dead_letters (webhook_id, event_at, event_position, event_type, reason, attempts)
       SELECT $1, created_at, position, type, 'timeout', 20 FROM written`,
      [hook.id, world.orgId],
    );
    await turn();
    const before = got().length;
    const [first] = await lettersOf(hook);
    const alone = await owner.call('POST', `webhooks/${hook.id}/dead_letters/_replay`, { ids: [first?.id] });
    expect(alone.json()).toMatchObject({ count: 1 });
    await turn();
    expect(got()).toHaveLength(before + 1);
    expect(await lettersOf(hook)).toHaveLength(2);
    receiver.reply = () => 500;
    expect((await owner.call('POST', `webhooks/${hook.id}/dead_letters/_replay`, {})).json()).toMatchObject({
      count: 2,
    });
    await turn();
    expect((await lettersOf(hook)).map(({ state }) => state).sort()).toEqual(['dead', 'queued']);
    receiver.reply = () => 204;
    await api.advance(60);
    await turn();
    expect((await lettersOf(hook)).map(({ attempts }) => attempts)).toEqual([21]);
    const unknown = await owner.call('POST', `webhooks/${hook.id}/dead_letters/_replay`, { ids: ['nobody'] });
    expect(unknown.statusCode).toBe(404);
  });

  it('keeps nothing waiting that happens now, also where it fails again', async () => {
    const hook = await aHook();
    await api.sql.query(
      `WITH written AS (
         INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type)
         SELECT $2, 'user', 'somebody', 1, 'user.human.added' RETURNING created_at, position, type
       )
       INSERT INTO webhook_dead_letters (webhook_id, event_at, event_position, event_type, reason, attempts, state)
       SELECT $1, created_at, position, type, 'timeout', 20, 'queued' FROM written`,
      [hook.id, world.orgId],
    );
    await api.sql.query(
      `UPDATE webhooks SET cursor_at = app_now(), cursor_position = 0, cursor_highest = (SELECT last_value FROM events_position_seq)`,
    );
    receiver.reply = ({ json }) => (json.type === 'user.human.added' ? 500 : 204);
    await happened(anEvent(9));
    await turn();
    expect(got()).toEqual(['9', '1']);
    expect(await lettersOf(hook)).toEqual([expect.objectContaining({ state: 'dead' })]);
  });

  it('is told once an hour, however many are given up', async () => {
    const hook = await aHook();
    await api.sql.query('UPDATE webhooks SET attempts = 19 WHERE id = $1', [hook.id]);
    receiver.reply = () => 500;
    await happened(anEvent(1), anEvent(2));
    await turn();
    await api.sql.query('UPDATE webhooks SET attempts = 19, next_attempt_at = app_now() WHERE id = $1', [
      hook.id,
    ]);
    await turn();
    expect(await lettersOf(hook)).toHaveLength(2);
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'webhook.alarm'`,
      [hook.id],
    );
    expect(rows).toEqual([{ data: { attempts: 20 } }]);
  });
});
