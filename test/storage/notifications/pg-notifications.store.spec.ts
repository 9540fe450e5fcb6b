import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { MailChannel } from '../../../src/domain/notifications/channels.js';
import type { ClaimedNotification } from '../../../src/domain/notifications/notifications.store.js';
import { SendNotification } from '../../../src/domain/notifications/send-notification.js';
import type { NotificationId } from '../../../src/domain/shared/ids.js';
import { PgEventsStore } from '../../../src/storage/postgres/pg-events.store.js';
import { PgNotificationsStore } from '../../../src/storage/postgres/pg-notifications.store.js';
import { PgOutboxStore } from '../../../src/storage/postgres/pg-outbox.store.js';
import { PgSealer } from '../../../src/storage/postgres/pg-sealer.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/pg-unit-of-work.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { Seed } from '../../workers/support/seed.js';
import { builtInMessages } from '../../support/built-in-messages.js';

const HOLD_MS = 40_000;

/** Takes every mail; whoever handed it over does not live to hear so. */
class DeadlyMailbox extends MailChannel {
  override readonly configured = true;
  readonly taken: string[] = [];

  override send({ messageId }: { messageId: string }): Promise<void> {
    this.taken.push(messageId);
    return new Promise(() => undefined);
  }
}

describe('notifications in Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let sql: Sql;
  let seed: Seed;
  let store: PgNotificationsStore;

  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 10 });
    pool.on('error', () => undefined);
    sql = new Sql(pool);
    seed = await Seed.plant(pool);
    store = new PgNotificationsStore(sql, await PgSealer.open(sql, readConfig({}).masterKeys));
  });

  afterAll(async () => {
    await pool.end();
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
    expect(await sql.transaction((tx) => store.markSent(tx, held))).toBe(true);
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

  it('is claimed again when the deadline lapsed, and the first worker can no longer write (F16, F17)', async () => {
    const mail = await seed.queueMail();
    const first = await claim(mail.id);
    await later('41 s');
    const second = await claim(mail.id);
    expect(second.attempts).toBe(2);
    expect(await sql.transaction((tx) => store.markSent(tx, first))).toBe(false);
    expect(await sql.transaction((tx) => store.markAbandoned(tx, first, 'late'))).toBe(false);
    expect(await store.markHandedOver(first)).toBe(false);
    expect(await store.release(first, 'late', 0)).toBe(false);
    expect((await seed.stateOf(mail)).state).toBe('sending');
    expect(await sql.transaction((tx) => store.markSent(tx, second))).toBe(true);
  });

  it('is free again once it was given back, with the reason for the next one', async () => {
    const mail = await seed.queueMail();
    expect(await store.release(await claim(mail.id), 'smtp_421', 0)).toBe(true);
    expect(await claim(mail.id)).toMatchObject({ attempts: 2, lastError: 'smtp_421', code: mail.code });
  });

  it('is sent twice at most when each worker dies after the mail server took it', async () => {
    const mailbox = new DeadlyMailbox();
    const unitOfWork = new PgUnitOfWork(sql);
    const events = new PgEventsStore(sql);
    const compose = builtInMessages('https://id.test');
    const send = new SendNotification(unitOfWork, store, new PgOutboxStore(sql), events, mailbox, compose);
    const mail = await seed.queueMail();
    for (const taken of [1, 2]) {
      void send.run(mail.id, mail.outboxId);
      await vi.waitFor(() => expect(mailbox.taken).toHaveLength(taken), 5_000);
      await later('41 s');
    }
    expect(await send.run(mail.id, mail.outboxId)).toMatchObject({ kind: 'abandoned', reason: 'ambiguous' });
    expect(mailbox.taken).toHaveLength(2);
    expect(new Set(mailbox.taken).size).toBe(1);
    expect(await seed.stateOf(mail)).toMatchObject({ state: 'abandoned', lastError: 'ambiguous' });
    expect(await seed.count('outbox', `id = ${mail.outboxId}`)).toBe(0);
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
    expect(await store.claim(mail.id, [], HOLD_MS)).toEqual({ kind: 'no-channel' });
    expect(await store.claim(mail.id, ['sms'], HOLD_MS)).toEqual({ kind: 'no-channel' });
    expect(await seed.stateOf(mail)).toMatchObject({ state: 'pending', attempts: 0 });
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
