import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import type { AuditEvent } from '../../../src/domain/events/events.store.js';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import type { ClaimedNotification } from '../../../src/domain/notifications/notifications.store.js';
import type { Provider } from '../../../src/domain/notifications/providers/provider.js';
import { MAX_ATTEMPTS } from '../../../src/domain/notifications/send-notification.js';
import { ownTextsIn } from '../../../src/domain/notifications/templates/message-texts.js';
import type { NotificationId, ProviderId } from '../../../src/domain/shared/ids.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { PgEventsStore } from '../../../src/storage/postgres/events/events.store.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { PgNotificationsStore } from '../../../src/storage/postgres/notifications/notifications.store.js';
import { ProviderHealthRows } from '../../../src/storage/postgres/notifications/provider-health-rows.js';
import { PgOutboxStore } from '../../../src/storage/postgres/outbox/outbox.store.js';
import { PgSealer } from '../../../src/storage/postgres/secrets/sealer.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { untilSomebodyWaits } from '../../support/lock-waits.js';
import { GivenProviders, sendingWith, smsProvider, smtpProvider, TestDoors } from '../../support/sending.js';
import { Seed } from '../../workers/support/seed.js';

const HOLD_MS = 40_000;
const SMTP = 'smtp' as ProviderId;
const DEAD = { deadLetter: true, ambiguous: false };
const AT_ONCE = { handOvers: 0, failures: 1, delayMs: 0 };

function sentEvent({ orgId, id, fence, attempts }: ClaimedNotification): AuditEvent {
  const type = 'notification.sent';
  const what = { orgId, aggregateType: 'notification', aggregateId: id, sequence: fence } as const;
  return { ...what, type, actorId: null, data: { attempts } };
}

describe('notifications in Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let dataSource: DataSource;
  let sql: Sql;
  let seed: Seed;
  let store: PgNotificationsStore;

  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 10 });
    pool.on('error', () => undefined);
    const settings = {
      url: database.url,
      poolSize: 10,
      statementTimeoutMs: 0,
      applicationName: 'notifications',
    };
    dataSource = await createDataSource(settings).initialize();
    sql = new Sql(dataSource);
    seed = await Seed.plant(pool);
    store = new PgNotificationsStore(
      sql,
      new LaggingReads(sql),
      await PgSealer.open(sql, readConfig({}).masterKeys),
    );
  });

  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  beforeEach(async () => {
    await pool.query(`UPDATE test_clock SET shift = '0'`);
  });

  async function later(interval: string): Promise<void> {
    await pool.query('UPDATE test_clock SET shift = shift + $1::interval', [interval]);
  }

  async function claim(id: NotificationId): Promise<ClaimedNotification> {
    const result = await store.claim(id, ['email'], HOLD_MS);
    if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
    return result.notification;
  }

  function partsWith(doors: TestDoors, provider: Provider = smtpProvider('smtp')) {
    return {
      unitOfWork: new PgUnitOfWork(sql),
      notifications: store,
      outbox: new PgOutboxStore(sql),
      events: new PgEventsStore(sql, new LaggingReads(sql)),
      providers: new GivenProviders([provider], new ProviderHealthRows(sql)),
      doors,
      issuer: 'https://id.test',
    };
  }

  it('reads with the claim what the message needs', async () => {
    const mail = await seed.queueMail();
    expect(await claim(mail.id)).toMatchObject({
      id: mail.id,
      attempts: 1,
      lastError: null,
      outboxId: mail.outboxId,
      channel: 'email',
      template: 'initialise',
      codeId: mail.codeId,
      code: mail.code,
      expired: false,
      codeEnded: false,
      userActive: true,
      organization: { name: 'Acme' },
      displayName: 'Ada Lovelace',
      loginName: `${mail.userId}@${seed.orgId}.test`,
      email: mail.to,
      preferredLanguage: 'en',
    });
  });

  it('keeps the code sealed, and erases it with the end', async () => {
    const mail = await seed.queueMail();
    const { rows } = await pool.query<{ row: string }>(
      `SELECT to_jsonb(n)::text || encode(n.content_sealed, 'escape') AS row FROM notifications n WHERE id = $1`,
      [mail.id],
    );
    expect(rows[0]?.row).not.toContain(mail.code);
    const held = await claim(mail.id);
    expect(await store.finishSent(held, {}, sentEvent(held))).toBe(true);
    expect(await seed.count('notifications', `id = '${mail.id}' AND content_sealed IS NULL`)).toBe(1);
    expect((await seed.stateOf(mail)).state).toBe('sent');
    expect(await store.claim(mail.id, ['email'], HOLD_MS)).toEqual({ kind: 'finished' });
  });

  it('is claimed by one of many at once', async () => {
    const mail = await seed.queueMail();
    const results = await Promise.all(
      Array.from({ length: 8 }, () => store.claim(mail.id, ['email'], HOLD_MS)),
    );
    expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    for (const result of results) {
      if (result.kind === 'claimed') continue;
      expect(result.kind).toBe('busy');
      if (result.kind === 'busy') expect(result.retryInMs).toBeLessThanOrEqual(HOLD_MS);
    }
  });

  it('goes with others, each with an answer of its own', async () => {
    const mails = await Promise.all(Array.from({ length: 5 }, () => seed.queueMail()));
    const [taken, sms, ...free] = mails;
    if (taken === undefined || sms === undefined) throw new Error('too few');
    await claim(taken.id);
    await pool.query(`UPDATE notifications SET channel = 'sms' WHERE id = $1`, [sms.id]);
    const ids = [...mails.map(({ id }) => id), 'none' as NotificationId];
    const results = await Promise.all(ids.map((id) => store.claim(id, ['email'], HOLD_MS)));
    expect(results.map(({ kind }) => kind)).toEqual([
      'busy',
      'no-channel',
      'claimed',
      'claimed',
      'claimed',
      'finished',
    ]);
    const held = results.flatMap((result) => (result.kind === 'claimed' ? [result.notification] : []));
    expect(held.map(({ id, code }) => [id, code])).toEqual(free.map(({ id, code }) => [id, code]));
    const stale = held.map((one, index) => (index === 1 ? { ...one, fence: '99' } : one));
    const fits = [true, false, true];
    expect(await Promise.all(stale.map((one) => store.markHandedOver(one, SMTP, 1, HOLD_MS)))).toEqual(fits);
    const accepted = { providerMessageId: 'their-1' };
    expect(await Promise.all(stale.map((one) => store.finishSent(one, accepted, sentEvent(one))))).toEqual(
      fits,
    );
    const states = await Promise.all(free.map((mail) => seed.stateOf(mail)));
    expect(states.map(({ state }) => state)).toEqual(['sent', 'sending', 'sent']);
    const left = free.map(({ outboxId }) => seed.count('outbox', `id = ${outboxId}`));
    expect(await Promise.all(left)).toEqual([0, 1, 0]);
    const told = free.map(({ id }) => seed.count('events', `aggregate_id = '${id}'`));
    expect(await Promise.all(told)).toEqual([1, 0, 1]);
  });

  it('is held up by no other that somebody has locked', async () => {
    const [locked, free] = [await seed.queueMail(), await seed.queueMail()];
    const held = await claim(locked.id);
    await sql
      .transaction(async (tx) => {
        const lock = { name: 'test-lock', text: 'SELECT FROM notifications WHERE id = $1 FOR UPDATE' };
        await sql.row(lock, [locked.id], tx);
        const handedOver = store.markHandedOver(held, SMTP, 1, HOLD_MS);
        const [again, other] = await Promise.all(
          [locked, free].map(({ id }) => store.claim(id, ['email'], HOLD_MS)),
        );
        expect([again?.kind, other?.kind]).toEqual(['busy', 'claimed']);
        if (other?.kind !== 'claimed') throw new Error('not claimed');
        expect(await store.markHandedOver(other.notification, SMTP, 1, HOLD_MS)).toBe(true);
        // waits for the lock, and then it is done
        return { handedOver };
      })
      .then(async ({ handedOver }) => expect(await handedOver).toBe(true));
  });

  it('is written down though the database refuses what goes with it', async () => {
    const [good, bad] = [await seed.queueMail(), await seed.queueMail()];
    const [one, other] = [await claim(good.id), await claim(bad.id)];
    const refused = { ...sentEvent(other), sequence: 'none' };
    const results = await Promise.allSettled([
      store.finishSent(one, {}, sentEvent(one)),
      store.finishSent(other, {}, refused),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await seed.stateOf(good)).state).toBe('sent');
    expect((await seed.stateOf(bad)).state).toBe('sending');
  });

  it('brings the words that others have set for it', async () => {
    const mail = await seed.queueMail();
    await pool.query(
      `INSERT INTO message_templates (org_id, type, language, title, button)
       VALUES (NULL, 'initialise', 'it', 'A', 'B'), ($1, 'initialise', 'it', 'C', NULL),
         ($1, 'reset_password', 'it', 'D', NULL)`,
      [seed.orgId],
    );
    const { ownTexts } = await claim(mail.id);
    expect(ownTexts).toHaveLength(2);
    expect(ownTextsIn('it', ownTexts)).toEqual({ title: 'C', button: 'B' });
    expect(ownTextsIn('en', ownTexts)).toEqual({});
    await pool.query('DELETE FROM message_templates');
    expect((await claim((await seed.queueMail()).id)).ownTexts).toEqual([]);
  });

  it('is claimed again when the deadline lapsed, and the first worker can no longer write (F16, F17)', async () => {
    const mail = await seed.queueMail();
    const first = await claim(mail.id);
    await later('41 s');
    const second = await claim(mail.id);
    expect(second.attempts).toBe(2);
    expect(await store.finishSent(first, {}, sentEvent(first))).toBe(false);
    expect(await sql.transaction((tx) => store.markAbandoned(tx, first, { reason: 'late', ...DEAD }))).toBe(
      'lost',
    );
    expect(await store.markHandedOver(first, SMTP, 1, HOLD_MS)).toBe(false);
    expect(
      await sql.transaction((tx) => store.postpone(tx, first, { reason: 'late', ...AT_ONCE })),
    ).toBeUndefined();
    expect((await seed.stateOf(mail)).state).toBe('sending');
    expect(await store.finishSent(second, {}, sentEvent(second))).toBe(true);
  });

  it('is free again once it was given back, with the reason for the next one', async () => {
    const mail = await seed.queueMail();
    const first = await claim(mail.id);
    const delay = await sql.transaction((tx) =>
      store.postpone(tx, first, { reason: 'smtp_421', ...AT_ONCE }),
    );
    expect(delay).toBe(0);
    expect(await claim(mail.id)).toMatchObject({
      attempts: 2,
      failures: 1,
      lastError: 'smtp_421',
      code: mail.code,
    });
  });

  it('counts no attempt at which a provider only asked to wait', async () => {
    const { id } = await seed.queueMail();
    const wait = { reason: 'http_503', handOvers: 0, failures: 0, delayMs: 0 };
    for (let waits = 0; waits < 3; waits += 1) {
      const waiting = await claim(id);
      expect(waiting).toMatchObject({ attempts: 1, failures: 0 });
      await sql.transaction((tx) => store.postpone(tx, waiting, wait));
    }
  });

  it('waits for a paused provider as long as it is wanted, however often it finds that out', async () => {
    const doors = new TestDoors();
    doors.answer = () => Promise.reject(new ChannelError('smtp_535', 'retryable', 300_000, 'provider'));
    const parts = partsWith(doors, smtpProvider('locked-out'));
    const mail = await seed.queueMail({ expiresAt: new Date(Date.now() + 86_400_000) });
    for (let round = 0; round < MAX_ATTEMPTS + 3; round += 1) {
      const { send } = sendingWith(parts);
      expect(await send.run(mail.id, mail.outboxId)).toMatchObject({ kind: 'held' });
      await later('6 min');
    }
    expect(doors.asked).toHaveLength(MAX_ATTEMPTS + 3);
    expect(await seed.stateOf(mail)).toMatchObject({ state: 'retrying', lastError: 'smtp_535' });
    doors.answer = () => Promise.resolve({});
    expect(await sendingWith(parts).send.run(mail.id, mail.outboxId)).toEqual({ kind: 'sent' });
  });

  it('is sent twice at most when each worker dies after the mail server took it', async () => {
    const doors = new TestDoors();
    // whoever handed it over does not live to hear that it was taken
    doors.answer = () => new Promise(() => undefined);
    const parts = partsWith(doors);
    const mail = await seed.queueMail();
    for (const taken of [1, 2]) {
      void sendingWith(parts).send.run(mail.id, mail.outboxId);
      await expect.poll(() => doors.asked.length).toBe(taken);
      await later('41 s');
    }
    const { send } = sendingWith(parts);
    expect(await send.run(mail.id, mail.outboxId)).toMatchObject({ kind: 'abandoned', reason: 'ambiguous' });
    expect(doors.asked).toHaveLength(2);
    expect(await seed.stateOf(mail)).toMatchObject({ state: 'abandoned', lastError: 'ambiguous' });
    expect(await seed.count('outbox', `id = ${mail.outboxId}`)).toBe(0);
  });

  describe('an SMS of which the provider reports before its worker is through', () => {
    const provider = smsProvider('twilio');
    const report = async ({ id }: { id: NotificationId }, outcome: 'delivered' | 'failed') =>
      await sql.transaction((tx) =>
        store.report(tx, { id, providerId: provider.id, providerMessageId: 'SM1', outcome, reason: null }),
      );
    const rowOf = async ({ id }: { id: NotificationId }) =>
      (
        await pool.query<Record<string, unknown>>(
          `SELECT state, last_error, dead_letter, ambiguous, delivered_at IS NOT NULL AS has_arrived,
             content_sealed IS NOT NULL AS is_kept FROM notifications WHERE id = $1`,
          [id],
        )
      ).rows[0];

    it('has arrived, though nobody heard the answer to it', async () => {
      const sms = await seed.queueMail({ phone: '+4915112345678' });
      const doors = new TestDoors();
      doors.answer = async () => {
        await report(sms, 'delivered');
        throw new ChannelError('http_timeout', 'ambiguous');
      };
      const { send, counters } = sendingWith(partsWith(doors, provider));
      expect(await send.run(sms.id, sms.outboxId)).toEqual({ kind: 'sent' });
      expect(counters.take()).toMatchObject([{ counted: 'messagesSent' }]);
      const arrived = { state: 'delivered', has_arrived: true, last_error: null };
      expect(await rowOf(sms)).toEqual({ ...arrived, dead_letter: false, ambiguous: false, is_kept: false });
      const told = `aggregate_id = '${sms.id}' AND type =`;
      expect(await seed.count('events', `${told} 'notification.sent'`)).toBe(1);
      expect(await seed.count('events', `${told} 'notification.abandoned'`)).toBe(0);
      expect(await seed.count('outbox', `id = ${sms.outboxId}`)).toBe(0);
    });

    it('has not arrived if that is what it reports while its worker is writing down that it was sent', async () => {
      const sms = await seed.queueMail({ phone: '+4915112345678' });
      const doors = new TestDoors();
      doors.answer = () => new Promise(() => undefined);
      void sendingWith(partsWith(doors, provider)).send.run(sms.id, sms.outboxId);
      await expect.poll(() => doors.asked.length).toBe(1);
      const worker = await pool.connect();
      try {
        await worker.query('BEGIN');
        await worker.query(
          `UPDATE notifications SET state = 'sent', finished_at = app_now(), provider_message_id = 'SM1',
             claimed_until = NULL, content_sealed = NULL, data_key_id = NULL WHERE id = $1`,
          [sms.id],
        );
        const reported = report(sms, 'failed');
        await untilSomebodyWaits(pool);
        await worker.query('COMMIT');
        await reported;
      } finally {
        worker.release();
      }
      expect(await rowOf(sms)).toMatchObject({ state: 'failed', dead_letter: true });
    });

    it('has not arrived if that is what it reports, also after the worker has died', async () => {
      const sms = await seed.queueMail({ phone: '+4915112345678' });
      const doors = new TestDoors();
      doors.answer = () => new Promise(() => undefined);
      void sendingWith(partsWith(doors, provider)).send.run(sms.id, sms.outboxId);
      await expect.poll(() => doors.asked.length).toBe(1);
      await report(sms, 'failed');
      await later('41 s');
      const { send, counters } = sendingWith(partsWith(doors, provider));
      expect(await send.run(sms.id, sms.outboxId)).toMatchObject({ kind: 'abandoned', failed: true });
      expect(counters.take()).toMatchObject([{ counted: 'messagesFailed' }]);
      expect(
        await seed.count('events', `aggregate_id = '${sms.id}' AND type = 'notification.abandoned'`),
      ).toBe(1);
      const failed = { state: 'failed', has_arrived: false, last_error: 'undelivered' };
      expect(await rowOf(sms)).toEqual({ ...failed, dead_letter: true, ambiguous: false, is_kept: false });
    });
  });

  it('is not given up for workers that died before they handed it over', async () => {
    const mail = await seed.queueMail();
    for (let death = 0; death < 3; death += 1) {
      await claim(mail.id);
      await later('41 s');
    }
    expect(await claim(mail.id)).toMatchObject({ attempts: 4, handOvers: 0 });
  });

  it('waits for a channel that is not there', async () => {
    const mail = await seed.queueMail();
    expect(await store.claim(mail.id, [], HOLD_MS)).toMatchObject({
      kind: 'no-channel',
      channel: 'email',
      expired: false,
    });
    expect(await store.claim(mail.id, ['sms'], HOLD_MS)).toMatchObject({
      kind: 'no-channel',
      channel: 'email',
      expired: false,
    });
    expect(await seed.stateOf(mail)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  it('is left to a newer worker where this one does not know what it says (S417)', async () => {
    const { id } = await seed.queueMail();
    // which the migration of that release has done before
    await pool.query('ALTER TABLE notifications DROP CONSTRAINT notifications_template');
    await pool.query(
      `UPDATE notifications SET template = 'of_the_next_release', code_id = NULL WHERE id = $1`,
      [id],
    );
    expect(await store.claim(id, ['email'], 60_000)).toEqual({ kind: 'unknown-template' });
    const { rows } = await pool.query('SELECT state, attempts, fence FROM notifications WHERE id = $1', [id]);
    expect(rows).toEqual([{ state: 'pending', attempts: 0, fence: '0' }]);
    await pool.query(
      `UPDATE notifications SET state = 'abandoned', finished_at = app_now(), content_sealed = NULL,
                        data_key_id = NULL WHERE id = $1`,
      [id],
    );
    expect(await store.claim(id, ['email'], 60_000)).toEqual({ kind: 'finished' });
  });

  it('is finished when there is none', async () => {
    expect(await store.claim('none' as NotificationId, ['email'], HOLD_MS)).toEqual({ kind: 'finished' });
  });

  it('tells what speaks against sending it', async () => {
    const inactive = await seed.queueMail();
    await pool.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [inactive.userId]);
    expect(await claim(inactive.id)).toMatchObject({ userActive: false });
    const ended = await seed.queueMail();
    await pool.query('UPDATE verification_codes SET ended_at = now() WHERE id = $1', [ended.codeId]);
    expect(await claim(ended.id)).toMatchObject({ codeEnded: true });
    const gone = await seed.queueMail();
    await pool.query('DELETE FROM verification_codes WHERE id = $1', [gone.codeId]);
    expect(await claim(gone.id)).toMatchObject({ codeEnded: true });
    const old = await seed.queueMail();
    await later('2 h');
    expect(await claim(old.id)).toMatchObject({ expired: true });
  });

  it('says that its content is unreadable rather than fail', async () => {
    const mail = await seed.queueMail();
    await pool.query(`UPDATE notifications SET content_sealed = content_sealed || '\\x00' WHERE id = $1`, [
      mail.id,
    ]);
    expect(await claim(mail.id)).toMatchObject({ code: undefined });
  });
});
