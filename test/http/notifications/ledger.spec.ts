import { describe, expect, it, vi } from 'vitest';
import { EventsStore } from '../../../src/domain/events/events.store.js';
import { ChannelError, type Accepted } from '../../../src/domain/notifications/channels.js';
import { NotificationsStore } from '../../../src/domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../../src/domain/notifications/providers/notification-providers.store.js';
import { OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import { RequirePermission } from '../../../src/domain/permissions/require-permission.js';
import { ApiError } from '../../../src/domain/shared/errors.js';
import type { NotificationId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { GivenProviders, sendingWith, smtpProvider, TestDoors } from '../../support/sending.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));
const stranger = given(async () => aServiceUser(await anOrganization(api), 'ORG_OWNER'));

/** A user whose first mail is queued. */
async function queued(): Promise<{ id: NotificationId; userId: string; outboxId: string }> {
  const answer = await importHuman(api, owner.pat, record({ email: { email: 'marker@example.org' } }));
  const { userId } = answer.json<{ userId: string }>();
  const { rows } = await api.sql.query<{ id: NotificationId; outbox_id: string }>(
    'SELECT id, outbox_id FROM notifications WHERE user_id = $1',
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`no mail is queued: ${answer.body}`);
  return { id: row.id, userId, outboxId: row.outbox_id };
}

function sending(answer: () => Promise<Accepted>) {
  const { app } = api;
  const doors = new TestDoors();
  doors.answer = answer;
  return sendingWith({
    unitOfWork: app.get(UnitOfWork),
    notifications: app.get(NotificationsStore),
    outbox: app.get(OutboxStore),
    events: app.get(EventsStore),
    providers: new GivenProviders([smtpProvider('letterbox')], app.get(NotificationProvidersStore).health),
    doors,
    issuer: api.config.issuer.url,
  }).send;
}

const taking = () => sending(() => Promise.resolve({ providerMessageId: 'their-7' }));
const refusing = (reason = 'smtp_550') => sending(() => Promise.reject(new ChannelError(reason, 'terminal')));

async function dead(): Promise<{ id: NotificationId; userId: string }> {
  const mail = await queued();
  await refusing().run(mail.id, mail.outboxId);
  return mail;
}

type Shown = Record<string, unknown>;
const by = (caller: ServiceUser) => (method: 'DELETE' | 'GET' | 'POST', path: string, body?: unknown) =>
  caller.call(method, path, body);
const SIDES = [
  ['management', () => owner],
  ['admin', () => root],
] as const;

describe.each(SIDES)('the ledger under /%s/v1', (side, caller) => {
  const path = (rest: string) => `/${side}/v1/notifications${rest}`;
  const ask: ReturnType<typeof by> = (method, rest, body) => by(caller())(method, path(rest), body);

  it('shows a message from queued to sent, with the target masked and no content', async () => {
    const mail = await queued();
    const before = (await ask('GET', `/${mail.id}`)).json<Shown>();
    expect(before).toMatchObject({
      id: mail.id,
      state: 'queued',
      channel: 'email',
      template: 'verify_email',
      userId: mail.userId,
      target: 'm***@e***.org',
      attempts: 0,
      ambiguous: false,
      deadLetter: false,
      details: { resourceOwner: world.orgId },
    });
    await taking().run(mail.id, mail.outboxId);
    const answer = await ask('GET', `/${mail.id}`);
    expect(answer.json<Shown>()).toMatchObject({
      state: 'sent',
      attempts: 1,
      providerId: 'letterbox',
      providerMessageId: 'their-7',
      finishedAt: expect.any(String) as string,
    });
    expect(answer.body).not.toContain('marker@');
  });

  it('shows when a message is tried again, and why', async () => {
    const mail = await queued();
    await sending(() => Promise.reject(new ChannelError('smtp_451', 'retryable', 600_000))).run(
      mail.id,
      mail.outboxId,
    );
    const shown = (await ask('GET', `/${mail.id}`)).json<Shown>();
    expect(shown).toMatchObject({ state: 'retrying', reason: 'smtp_451', attempts: 1 });
    const inMs = new Date(String(shown['nextAttemptAt'])).getTime() - Date.now();
    expect(inMs).toBeGreaterThan(500_000);
    const { rows } = await api.sql.query(
      `SELECT state, epoch, available_at >= now() + interval '9 min' AS late FROM outbox WHERE id = $1`,
      [mail.outboxId],
    );
    expect(rows).toEqual([{ state: 'pending', epoch: 1, late: true }]);
  });

  it('is searched by state, channel, template, user and time', async () => {
    const first = await dead();
    const second = await queued();
    const found = async (body: object): Promise<unknown[]> => {
      const answer = await ask('POST', '/_search', body);
      expect(answer.statusCode).toBe(200);
      return (answer.json<{ result?: Shown[] }>().result ?? []).map(({ id }) => id);
    };
    expect(await found({ userId: first.userId })).toEqual([first.id]);
    expect(await found({ userId: first.userId, states: ['queued'] })).toEqual([]);
    expect(await found({ userId: first.userId, deadLetter: true, reason: 'smtp_550' })).toEqual([first.id]);
    expect(await found({ userId: second.userId, states: ['queued', 'sent'] })).toEqual([second.id]);
    expect(await found({ userId: second.userId, channel: 'sms' })).toEqual([]);
    expect(await found({ userId: second.userId, template: 'reset_password' })).toEqual([]);
    expect(await found({ userId: second.userId, createdFrom: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ userId: second.userId, createdBefore: '2100-01-01T00:00:00Z' })).toEqual([
      second.id,
    ]);
    const page = (await ask('POST', '/_search', { query: { limit: 1 } })).json<{
      details: { totalResult: string };
      result: Shown[];
    }>();
    expect(page.result).toHaveLength(1);
    expect(page.result[0]?.['id']).toBe(second.id);
    expect(Number(page.details.totalResult)).toBeGreaterThan(1);
  });

  it('refuses conditions that it does not know', async () => {
    for (const body of [{ state: 'sent' }, { states: ['waiting'] }, { createdFrom: 'yesterday' }]) {
      expect((await ask('POST', '/_search', body)).statusCode).toBe(400);
    }
  });

  it('replays a dead letter with the same code, once for a repeated call', async () => {
    const mail = await dead();
    const headers = { 'idempotency-key': `replay-${side}-${mail.id}` };
    const replay = () =>
      call(api, 'POST', path(`/${mail.id}/_replay`), { pat: caller().pat, body: {}, headers });
    const answer = await replay();
    expect(answer.json()).toEqual({ replayed: [mail.id], refused: [] });
    expect((await replay()).body).toBe(answer.body);
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM outbox WHERE payload->>'notificationId' = $1`,
      [mail.id],
    );
    expect(rows).toHaveLength(1);
    await taking().run(mail.id, rows[0]?.id ?? '');
    expect((await ask('GET', `/${mail.id}`)).json()).toMatchObject({ state: 'sent', deadLetter: false });
    const events = await api.sql.query<{ type: string }>(
      `SELECT type FROM events WHERE aggregate_type = 'notification' AND aggregate_id = $1 ORDER BY position`,
      [mail.id],
    );
    expect(events.rows.map(({ type }) => type)).toEqual([
      'notification.abandoned',
      'notification.replayed',
      'notification.sent',
    ]);
  });

  it.each([
    ['The code has expired', `UPDATE notifications SET expires_at = now() - interval '1 s' WHERE id = $1`],
    [
      'The code was used or replaced',
      'UPDATE verification_codes SET ended_at = now() WHERE id = (SELECT code_id FROM notifications WHERE id = $1)',
    ],
    [
      'The content is erased',
      'UPDATE notifications SET content_sealed = NULL, data_key_id = NULL WHERE id = $1',
    ],
    [
      'The user or the organization is not active',
      `UPDATE users SET state = 'inactive' WHERE id = (SELECT user_id FROM notifications WHERE id = $1)`,
    ],
  ])('replays nothing that is of no use any more: %s (F28)', async (sentence, change) => {
    const mail = await dead();
    await api.sql.query(change, [mail.id]);
    const answer = await ask('POST', `/${mail.id}/_replay`, {});
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 9, message: expect.stringContaining(sentence) as string });
  });

  it('replays nothing that is not dead, and nothing that is not there', async () => {
    const mail = await queued();
    expect((await ask('POST', `/${mail.id}/_replay`, {})).json()).toMatchObject({ code: 9 });
    expect((await ask('POST', '/nobody/_replay', {})).statusCode).toBe(404);
    expect((await ask('GET', '/nobody')).statusCode).toBe(404);
  });

  it('replays many, by ids or by conditions, and says which not', async () => {
    const [first, second, third] = [await dead(), await dead(), await queued()];
    const answer = await ask('POST', '/_replay', { notificationIds: [first.id, third.id, 'nobody'] });
    expect(answer.json()).toEqual({
      replayed: [first.id],
      refused: [
        { id: third.id, reason: 'not_a_dead_letter' },
        { id: 'nobody', reason: 'not_found' },
      ],
    });
    expect((await ask('POST', '/_replay', { userId: second.userId, reason: 'smtp_550' })).json()).toEqual({
      replayed: [second.id],
      refused: [],
    });
    for (const body of [
      {},
      { notificationIds: [first.id], all: true },
      { limit: 0, all: true },
      { notificationIds: [] },
    ]) {
      expect((await ask('POST', '/_replay', body)).statusCode).toBe(400);
    }
  });
});

describe('the messages of somebody who is removed', () => {
  it('hold nothing sealed any more, also where they wait for another attempt or were given up', async () => {
    const late = await queued();
    await sending(() => Promise.reject(new ChannelError('smtp_451', 'retryable', 600_000))).run(
      late.id,
      late.outboxId,
    );
    const givenUp = await dead();
    for (const { userId } of [late, givenUp]) {
      expect((await by(owner)('DELETE', `users/${userId}`)).statusCode).toBe(200);
    }
    const { rows } = await api.sql.query(
      `SELECT state, last_error, dead_letter, content_sealed IS NULL AS empty FROM notifications
       WHERE id = ANY ($1) ORDER BY dead_letter`,
      [[late.id, givenUp.id]],
    );
    expect(rows).toEqual([
      { state: 'abandoned', last_error: 'user_deleted', dead_letter: false, empty: true },
      { state: 'abandoned', last_error: 'smtp_550', dead_letter: true, empty: true },
    ]);
  });
});

describe('who sees the ledger', () => {
  it('is the owners of the organization, not those of another', async () => {
    const mail = await dead();
    const path = `/management/v1/notifications/${mail.id}`;
    expect((await by(viewer)('GET', path)).statusCode).toBe(200);
    expect((await by(viewer)('POST', `${path}/_replay`, {})).statusCode).toBe(403);
    expect((await by(stranger)('GET', path)).statusCode).toBe(404);
    expect((await by(stranger)('POST', `${path}/_replay`, {})).statusCode).toBe(404);
    const theirs = await by(stranger)('POST', '/management/v1/notifications/_replay', {
      notificationIds: [mail.id],
    });
    expect(theirs.json()).toEqual({ replayed: [], refused: [{ id: mail.id, reason: 'not_found' }] });
    const found = await by(stranger)('POST', '/management/v1/notifications/_search', { userId: mail.userId });
    expect(found.json<{ result?: unknown[] }>().result ?? []).toEqual([]);
    // naming another organization is for the instance
    const named = { organizationId: world.orgId };
    expect((await by(stranger)('POST', '/management/v1/notifications/_search', named)).statusCode).toBe(400);
  });

  it('is administrators of the instance, for all organizations', async () => {
    const mail = await dead();
    for (const caller of [owner, viewer, stranger]) {
      expect((await by(caller)('GET', `/admin/v1/notifications/${mail.id}`)).statusCode).toBe(403);
      expect((await by(caller)('POST', '/admin/v1/notifications/_search', {})).statusCode).toBe(403);
    }
    const asked = { organizationId: stranger.orgId, userId: mail.userId };
    const found = await by(root)('POST', '/admin/v1/notifications/_search', asked);
    expect(found.json<{ result?: unknown[] }>().result ?? []).toEqual([]);
  });

  it('is told of the instance with the name of the organization, which is not repeated to itself', async () => {
    const mail = await dead();
    const { rows } = await api.sql.query<{ name: string }>('SELECT name FROM organizations WHERE id = $1', [
      world.orgId,
    ]);
    const named = { id: mail.id, organizationName: rows[0]?.name };
    const found = await by(root)('POST', '/admin/v1/notifications/_search', { userId: mail.userId });
    expect(found.json<{ result: Shown[] }>().result).toEqual([expect.objectContaining(named)]);
    expect((await by(root)('GET', `/admin/v1/notifications/${mail.id}`)).json()).toMatchObject(named);
    const own = (await by(owner)('GET', `/management/v1/notifications/${mail.id}`)).json<Shown>();
    expect(own).not.toHaveProperty('organizationName');
  });

  it('is replayed by the instance for one organization, or for what one provider had, alone', async () => {
    const [mail, other] = [await dead(), await dead()];
    await api.sql.query(`UPDATE notifications SET provider_id = 'config-smtp-relay' WHERE id = $1`, [
      mail.id,
    ]);
    const replayed = async (body: object): Promise<unknown> =>
      (await by(root)('POST', '/admin/v1/notifications/_replay', body)).json<{ replayed: unknown }>()
        .replayed;
    expect(await replayed({ all: true, organizationId: stranger.orgId })).toEqual([]);
    expect(await replayed({ providerId: 'config-smtp-relay', organizationId: world.orgId })).toEqual([
      mail.id,
    ]);
    expect(await replayed({ all: true, organizationId: world.orgId })).toContain(other.id);
  });
});

describe('the messages to an address', () => {
  const search = '/management/v1/notifications/_search';

  async function given(address: string, phone?: string): Promise<{ id: NotificationId; userId: string }> {
    const answer = await importHuman(
      api,
      owner.pat,
      record({
        email: { email: address },
        ...(phone !== undefined && { phone: { phone, isPhoneVerified: true } }),
      }),
    );
    const { userId } = answer.json<{ userId: string }>();
    const { rows } = await api.sql.query<{ id: NotificationId }>(
      'SELECT id FROM notifications WHERE user_id = $1',
      [userId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`no mail is queued: ${answer.body}`);
    return { id: row.id, userId };
  }

  async function found(caller: ServiceUser, body: object): Promise<unknown[]> {
    const answer = await by(caller)('POST', search, body);
    expect(answer.statusCode).toBe(200);
    return (answer.json<{ result?: Shown[] }>().result ?? []).map(({ id }) => id);
  }

  it('are found by all of it, whatever its case, and by a number, however it is written', async () => {
    const mail = await given('Whole.Address@example.org', '+41791234567');
    expect(await found(owner, { recipient: ' whole.ADDRESS@example.org' })).toEqual([mail.id]);
    expect(await found(owner, { recipient: '+41 79 123 45 67' })).toEqual([mail.id]);
    expect(await found(owner, { recipient: 'whole.address@example.org', channel: 'sms' })).toEqual([]);
    for (const part of ['whole.address', 'address@example.org', 'whole_address@example.org', '%']) {
      expect(await found(owner, { recipient: part })).toEqual([]);
    }
  });

  it('are found where somebody registers with it, who is no user yet', async () => {
    await api.sql.query(
      `WITH r AS (INSERT INTO registrations (id, org_id, first_name, last_name, email, email_canonical, login_name, user_name,
           locale, mailed, expires_at)
         VALUES ('reg-1', $1, 'f', 'l', 'New@example.org', 'new@example.org', 'n', 'n', 'en', true, now() + interval '1 h')
         RETURNING id)
       INSERT INTO notifications (id, org_id, registration_id, channel, template, state, finished_at)
       SELECT 'to-reg-1', $1, id, 'email', 'register', 'sent', now() FROM r`,
      [world.orgId],
    );
    expect(await found(owner, { recipient: 'new@example.org' })).toEqual(['to-reg-1']);
  });

  it('are not found from another organization, nor by an address in the whole instance (S425)', async () => {
    await given('secret.somebody@example.org');
    expect(await found(stranger, { recipient: 'secret.somebody@example.org' })).toEqual([]);
    const everywhere = { recipient: 'secret.somebody@example.org' };
    expect((await by(root)('POST', '/admin/v1/notifications/_search', everywhere)).statusCode).toBe(400);
  });

  it('are not found, nor sent again, by whoever may not read users (S425)', async () => {
    await given('unread@example.org');
    const check = vi.spyOn(api.app.get(RequirePermission), 'check');
    check.mockImplementation((_acting, _orgId, permission) =>
      permission === 'user.read'
        ? Promise.reject(new ApiError('permission-denied', 'No matching permissions found', 'AUTH-5mWD2'))
        : Promise.resolve(),
    );
    try {
      const asked = { recipient: 'unread@example.org' };
      expect((await by(viewer)('POST', search, {})).statusCode).toBe(200);
      expect((await by(viewer)('POST', search, asked)).statusCode).toBe(403);
      expect((await by(owner)('POST', '/management/v1/notifications/_replay', asked)).statusCode).toBe(403);
    } finally {
      check.mockRestore();
    }
  });

  it('go out again by it', async () => {
    const mail = await given('again@example.org');
    const { rows } = await api.sql.query<{ outbox_id: string }>(
      'SELECT outbox_id FROM notifications WHERE id = $1',
      [mail.id],
    );
    await refusing().run(mail.id, rows[0]?.outbox_id ?? '');
    const answer = await by(owner)('POST', '/management/v1/notifications/_replay', {
      recipient: 'again@example.org',
    });
    expect(answer.json()).toEqual({ replayed: [mail.id], refused: [] });
  });
});
