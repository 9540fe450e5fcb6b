import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import type { NotificationTemplate } from '../../../src/domain/notifications/notification-template.js';
import type { JobLane } from '../../../src/domain/outbox/outbox.store.js';
import type { NotificationId, OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { LaggingReads } from '../../../src/storage/postgres/lagging-reads.js';
import { PgNotificationsStore } from '../../../src/storage/postgres/notifications/notifications.store.js';
import { PgOutboxStore } from '../../../src/storage/postgres/outbox/outbox.store.js';
import { PgSealer } from '../../../src/storage/postgres/secrets/sealer.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { PgUnitOfWork } from '../../../src/storage/postgres/unit-of-work.js';

export interface QueuedMail {
  readonly id: NotificationId;
  readonly outboxId: string;
  readonly userId: UserId;
  readonly to: string;
  readonly code: string;
  readonly codeId: string;
}

/** What the use cases of other modules leave behind when a user is imported: user, code, notification, outbox row. */
export class Seed {
  private constructor(
    private readonly pool: pg.Pool,
    readonly orgId: OrgId,
    private readonly sealer: PgSealer,
  ) {}

  static async plant(pool: pg.Pool): Promise<Seed> {
    const orgId = unique('org') as OrgId;
    await pool.query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [orgId, 'Acme']);
    await pool.query(
      'INSERT INTO organization_domains (org_id, domain, is_verified, is_primary) VALUES ($1, $2, true, true)',
      [orgId, `${orgId}.test`],
    );
    return new Seed(pool, orgId, await PgSealer.open(new Sql(pool), readConfig({}).masterKeys));
  }

  async addUser(): Promise<{ userId: UserId; email: string }> {
    const userId = unique('user') as UserId;
    const email = `${userId}-address@mail.test`;
    await this.pool.query(
      `INSERT INTO users (id, org_id, kind, user_name, state) VALUES ($1, $2, 'human', $1, 'initial')`,
      [userId, this.orgId],
    );
    await this.pool.query(
      `INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email, preferred_language)
       VALUES ($1, $2, 'Ada', 'Lovelace', 'Ada Lovelace', $3, 'en')`,
      [userId, this.orgId, email],
    );
    return { userId, email };
  }

  /** One transaction, as the outbox wants it; nothing has to run for the mail to be queued from here on. */
  async queueMail(
    options: {
      template?: NotificationTemplate;
      lane?: JobLane;
      expiresAt?: Date;
      /** An SMS to it, in place of a mail. */
      phone?: string;
    } = {},
  ): Promise<QueuedMail> {
    const sql = new Sql(this.pool);
    const outbox = new PgOutboxStore(sql);
    const notifications = new PgNotificationsStore(sql, new LaggingReads(sql), this.sealer);
    const { userId, email } = await this.addUser();
    const {
      phone,
      template = phone === undefined ? 'initialise' : 'verify_phone',
      lane = 'normal',
      expiresAt = new Date(Date.now() + 3_600_000),
    } = options;
    const id = unique('note') as NotificationId;
    const codeId = unique('code');
    const code = `SECRET${randomBytes(4).toString('hex').toUpperCase()}`;
    const outboxId = await new PgUnitOfWork(sql).run(async (tx) => {
      await sql.change(
        {
          name: 'test-add-code',
          text: `INSERT INTO verification_codes (id, org_id, user_id, purpose, target, code_hash, expires_at)
                 VALUES ($1, $2, $3, $4, $5, '\\x00', $6)`,
        },
        [codeId, this.orgId, userId, template, phone ?? email, expiresAt],
        tx,
      );
      const row = await outbox.add(tx, {
        queue: 'notifications',
        jobName: 'send-notification',
        payload: { notificationId: id },
        lane,
      });
      await notifications.add(tx, {
        id,
        orgId: this.orgId,
        userId,
        channel: phone === undefined ? 'email' : 'sms',
        template,
        codeId,
        code,
        expiresAt,
        outboxId: row,
      });
      return row;
    });
    return { id, outboxId, userId, to: phone ?? email, code, codeId };
  }

  async stateOf(mail: QueuedMail): Promise<{ state: string; attempts: number; lastError: string | null }> {
    const { rows } = await this.pool.query<{ state: string; attempts: number; lastError: string | null }>(
      'SELECT state, attempts, last_error AS "lastError" FROM notifications WHERE id = $1',
      [mail.id],
    );
    if (rows[0] === undefined) throw new Error('the notification is gone');
    return rows[0];
  }

  async count(from: 'outbox' | 'notifications' | 'events', where = 'true'): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${from} WHERE ${where}`,
    );
    return rows[0]?.count ?? 0;
  }
}

export function unique(kind: string): string {
  return `${kind}-${randomBytes(6).toString('hex')}`;
}
